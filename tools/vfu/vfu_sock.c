// SPDX-License-Identifier: GPL-2.0-only
/*
 * The socket: framing of messages, and the descriptors that ride on them.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "vfu_priv.h"

/* A path that nobody answers on is a leftover; one that answers is not ours. */
static int vfu_sock_clear(const struct sockaddr_un *a)
{
	int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int ret = 0;

	if (s < 0)
		return -errno;
	if (!connect(s, (const struct sockaddr *)a, sizeof(*a)))
		ret = -EADDRINUSE;
	else if (errno == ECONNREFUSED)
		unlink(a->sun_path);
	close(s);
	return ret;
}

int vfu_sock_listen(const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int ret, s;

	if (strlen(path) >= sizeof(a.sun_path))
		return -ENAMETOOLONG;
	memcpy(a.sun_path, path, strlen(path) + 1);
	ret = vfu_sock_clear(&a);
	if (ret)
		return ret;
	s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (s < 0)
		return -errno;
	if (bind(s, (struct sockaddr *)&a, sizeof(a)) || listen(s, 1)) {
		ret = -errno;
		close(s);
		return ret;
	}
	return s;
}

static int vfu_sock_recv_all(int sock, void *buf, size_t len)
{
	size_t got = 0;

	while (got < len) {
		ssize_t n = recv(sock, (char *)buf + got, len - got,
				 MSG_WAITALL);

		if (n == 0)
			return -ECONNRESET;
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0)
			got += n;
	}
	return 0;
}

static void vfu_sock_take_fds(struct msghdr *mh, struct vfu_msg *m)
{
	struct cmsghdr *c;

	for (c = CMSG_FIRSTHDR(mh); c; c = CMSG_NXTHDR(mh, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		m->nfds = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		memcpy(m->fd, CMSG_DATA(c), m->nfds * sizeof(int));
	}
}

/* Descriptors come with the first byte of a message, that is with its header. */
int vfu_sock_recv(int sock, struct vfu_msg *m)
{
	union {
		char b[CMSG_SPACE(sizeof(int) * VFU_MAX_FDS)];
		struct cmsghdr align;
	} ctl;
	struct iovec iov = { &m->h, sizeof(m->h) };
	struct msghdr mh = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = ctl.b,
		.msg_controllen = sizeof(ctl.b),
	};
	ssize_t n;
	int ret;

	m->nfds = 0;
	m->len = 0;
	do {
		n = recvmsg(sock, &mh, MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	if (n == 0)
		return -ECONNRESET;
	if (n < 0)
		return -errno;
	vfu_sock_take_fds(&mh, m);
	ret = vfu_sock_recv_all(sock, (char *)&m->h + n, sizeof(m->h) - n);
	if (ret)
		return ret;
	if (m->h.size < sizeof(m->h) ||
	    m->h.size - sizeof(m->h) > VFU_MAX_BODY)
		return -EPROTO;
	m->len = m->h.size - sizeof(m->h);
	return vfu_sock_recv_all(sock, m->body, m->len);
}

static int vfu_sock_send_all(int sock, const void *buf, size_t len)
{
	size_t sent = 0;

	while (sent < len) {
		ssize_t n = send(sock, (const char *)buf + sent, len - sent,
				 MSG_NOSIGNAL);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0)
			sent += n;
	}
	return 0;
}

int vfu_sock_reply(int sock, const struct vfu_msg *m, int error,
		   const void *body, uint32_t len)
{
	uint8_t small[512];
	struct vfu_header h = {
		.id = m->h.id,
		.command = m->h.command,
		.flags = VFU_FLAG_REPLY | (error ? VFU_FLAG_ERROR : 0),
		.error = -error,
	};
	int ret;

	if (m->h.flags & VFU_FLAG_NO_REPLY)
		return 0;
	if (error)
		len = 0;
	h.size = sizeof(h) + len;
	if (h.size <= sizeof(small)) {	/* one system call for nearly all */
		memcpy(small, &h, sizeof(h));
		if (len)
			memcpy(small + sizeof(h), body, len);
		return vfu_sock_send_all(sock, small, h.size);
	}
	ret = vfu_sock_send_all(sock, &h, sizeof(h));
	return ret ? ret : vfu_sock_send_all(sock, body, len);
}
