// SPDX-License-Identifier: GPL-2.0-only
/*
 * The control socket: clients and lines.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "control.h"

/**
 * cxm_control_open() - listen
 * @ctl: filled in
 * @path: of the socket; a leftover is replaced
 *
 * Return: 0 or a negative errno.
 */
int cxm_control_open(struct cxm_control *ctl, const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	u32 i;

	for (i = 0; i < CXM_CONTROL_CLIENTS; i++)
		ctl->client[i] = (struct cxm_control_client){ .fd = -1 };
	if (strlen(path) >= sizeof(a.sun_path))
		return -ENAMETOOLONG;
	memcpy(a.sun_path, path, strlen(path) + 1);
	ctl->listen_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (ctl->listen_fd < 0)
		return -errno;
	unlink(path);
	if (bind(ctl->listen_fd, (struct sockaddr *)&a, sizeof(a)) ||
	    listen(ctl->listen_fd, CXM_CONTROL_CLIENTS)) {
		int ret = -errno;

		close(ctl->listen_fd);
		return ret;
	}
	ctl->path = path;
	return 0;
}

static void cxm_control_drop(struct cxm_control_client *cl)
{
	close(cl->fd);
	cl->fd = -1;
	cl->len = 0;
}

/**
 * cxm_control_close() - end all clients, remove the socket
 * @ctl: an open one
 */
void cxm_control_close(struct cxm_control *ctl)
{
	u32 i;

	for (i = 0; i < CXM_CONTROL_CLIENTS; i++)
		if (ctl->client[i].fd >= 0)
			cxm_control_drop(&ctl->client[i]);
	close(ctl->listen_fd);
	unlink(ctl->path);
}

/**
 * cxm_control_accept() - a client wants in
 * @ctl: an open one
 *
 * Context: when the listening descriptor is readable.
 */
void cxm_control_accept(struct cxm_control *ctl)
{
	int fd = accept4(ctl->listen_fd, NULL, NULL, SOCK_CLOEXEC);
	u32 i;

	if (fd < 0)
		return;
	for (i = 0; i < CXM_CONTROL_CLIENTS; i++) {
		if (ctl->client[i].fd < 0) {
			ctl->client[i].fd = fd;
			return;
		}
	}
	close(fd);
}

static void cxm_control_line(struct cxm *m, struct cxm_control_client *cl,
			     char *line)
{
	char *text = NULL;
	size_t len = 0;
	FILE *answer = open_memstream(&text, &len);

	if (!answer)
		return;
	cxm_control_execute(m, line, answer);
	fputc('\n', answer);
	fclose(answer);
	/* an answer fits the socket's buffer; a client that reads none loses */
	if (send(cl->fd, text, len, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		cxm_control_drop(cl);
	free(text);
}

/**
 * cxm_control_input() - a client has sent something
 * @m: the model
 * @cl: the client; it may be gone afterwards
 *
 * Context: when the client's descriptor is readable.
 */
void cxm_control_input(struct cxm *m, struct cxm_control_client *cl)
{
	ssize_t n = read(cl->fd, cl->line + cl->len,
			 sizeof(cl->line) - 1 - cl->len);
	char *end;

	if (n <= 0) {
		cxm_control_drop(cl);
		return;
	}
	cl->len += n;
	cl->line[cl->len] = 0;
	while (cl->fd >= 0 && (end = strchr(cl->line, '\n'))) {
		*end = 0;
		cxm_control_line(m, cl, cl->line);
		cl->len -= end + 1 - cl->line;
		memmove(cl->line, end + 1, cl->len + 1);
	}
	if (cl->fd >= 0 && cl->len == sizeof(cl->line) - 1)
		cxm_control_drop(cl);	/* no line is that long */
}
