// SPDX-License-Identifier: GPL-2.0-only
/*
 * A test as the outside. Standard input is one end of a socket pair; guest
 * memory is a file, mapped at bus address 0.
 *
 * Messages in both directions start with a header of 16 bytes in host order.
 * Writes are not answered, as on a bus; reads are; interrupts come unasked.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model.h"
#include "trace.h"
#include "transport.h"

enum cxm_pipe_op {
	CXM_PIPE_BAR_READ = 'R',
	CXM_PIPE_BAR_WRITE = 'W',
	CXM_PIPE_CFG_READ = 'r',
	CXM_PIPE_CFG_WRITE = 'w',
	CXM_PIPE_RESET = 'X',
	CXM_PIPE_DATA = 'D',		/* answer to a read */
	CXM_PIPE_IRQ = 'I',		/* off is the vector */
};

struct cxm_pipe_msg {
	u32	op;
	u32	len;
	u64	off;
};

#define CXM_PIPE_MAX	4096

struct cxm_pipe {
	struct cxm_transport t;
	int	fd;
	u8	*mem;
	u64	mem_len;
};

static struct cxm_pipe *to_pipe(struct cxm_transport *t)
{
	return container_of(t, struct cxm_pipe, t);
}

static int cxm_pipe_fd(struct cxm_transport *t)
{
	return to_pipe(t)->fd;
}

static void cxm_pipe_send(struct cxm_pipe *p, enum cxm_pipe_op op, u64 off,
			  const void *data, u32 len)
{
	u8 buf[sizeof(struct cxm_pipe_msg) + CXM_PIPE_MAX];
	struct cxm_pipe_msg msg = { .op = op, .len = len, .off = off };
	size_t left = sizeof(msg) + len;
	const u8 *at = buf;

	memcpy(buf, &msg, sizeof(msg));
	if (len)
		memcpy(buf + sizeof(msg), data, len);
	while (left) {
		ssize_t n = send(p->fd, at, left, MSG_NOSIGNAL);

		if (n < 0 && errno != EINTR)
			return;		/* the next receive tells */
		if (n > 0) {
			at += n;
			left -= n;
		}
	}
}

static bool cxm_pipe_recv(struct cxm_pipe *p, void *buf, size_t len)
{
	return !len || recv(p->fd, buf, len, MSG_WAITALL) == (ssize_t)len;
}

static int cxm_pipe_dispatch(struct cxm_pipe *p, const struct cxm_pipe_msg *msg,
			     u8 *data)
{
	struct cxm *m = p->t.m;
	bool bar = msg->op == CXM_PIPE_BAR_READ || msg->op == CXM_PIPE_BAR_WRITE;
	u64 size = bar ? CX_BAR0_BYTES : CXM_PCI_CFG_BYTES;

	if (msg->op == CXM_PIPE_RESET) {
		cxm_reset(m);
		return 0;
	}
	if (msg->len > size || msg->off > size - msg->len)
		return -ERANGE;
	switch (msg->op) {
	case CXM_PIPE_BAR_READ:
		cxm_bar0_read(m, msg->off, data, msg->len);
		break;
	case CXM_PIPE_BAR_WRITE:
		cxm_bar0_write(m, msg->off, data, msg->len);
		return 0;
	case CXM_PIPE_CFG_READ:
		cxm_pci_read(m, msg->off, data, msg->len);
		break;
	case CXM_PIPE_CFG_WRITE:
		cxm_pci_write(m, msg->off, data, msg->len);
		return 0;
	default:
		return -EPROTO;
	}
	cxm_pipe_send(p, CXM_PIPE_DATA, msg->off, data, msg->len);
	return 0;
}

static int cxm_pipe_input(struct cxm_transport *t)
{
	struct cxm_pipe *p = to_pipe(t);
	u8 data[CXM_PIPE_MAX] = { 0 };
	struct cxm_pipe_msg msg;
	bool write;

	if (!cxm_pipe_recv(p, &msg, sizeof(msg)))
		return -ECONNRESET;
	if (msg.len > sizeof(data))
		return -EMSGSIZE;
	write = msg.op == CXM_PIPE_BAR_WRITE || msg.op == CXM_PIPE_CFG_WRITE;
	if (write && !cxm_pipe_recv(p, data, msg.len))
		return -ECONNRESET;
	return cxm_pipe_dispatch(p, &msg, data);
}

static void *cxm_pipe_dma_ptr(struct cxm_transport *t, u64 iova, u64 *len,
			      bool write)
{
	struct cxm_pipe *p = to_pipe(t);

	(void)write;
	if (iova >= p->mem_len)
		return NULL;
	*len = min_u64(*len, p->mem_len - iova);
	return p->mem + iova;
}

static void cxm_pipe_irq(struct cxm_transport *t, u32 vector)
{
	cxm_pipe_send(to_pipe(t), CXM_PIPE_IRQ, vector, NULL, 0);
}

static int cxm_pipe_reopen(struct cxm_transport *t)
{
	(void)t;
	return -ECONNRESET;	/* a pair has no other end to come */
}

static void cxm_pipe_destroy(struct cxm_transport *t)
{
	struct cxm_pipe *p = to_pipe(t);

	munmap(p->mem, p->mem_len);
	free(p);
}

static const struct cxm_transport_ops cxm_pipe_ops = {
	.name = "pipe",
	.fd = cxm_pipe_fd,
	.input = cxm_pipe_input,
	.dma_ptr = cxm_pipe_dma_ptr,
	.irq = cxm_pipe_irq,
	.reopen = cxm_pipe_reopen,
	.destroy = cxm_pipe_destroy,
};

/**
 * cxm_transport_pipe() - serve a test on standard input
 * @m: the model
 * @mem: file that stands for guest memory
 *
 * Return: the transport, or NULL after a message.
 */
struct cxm_transport *cxm_transport_pipe(struct cxm *m, const char *mem)
{
	struct cxm_pipe *p = calloc(1, sizeof(*p));
	int fd = open(mem, O_RDWR | O_CLOEXEC);
	struct stat st;

	if (!p || fd < 0 || fstat(fd, &st))
		goto err_message;
	p->mem = mmap(NULL, st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		      0);
	if (p->mem == MAP_FAILED)
		goto err_message;
	close(fd);
	p->mem_len = st.st_size;
	p->fd = STDIN_FILENO;
	p->t.ops = &cxm_pipe_ops;
	p->t.m = m;
	return &p->t;

err_message:
	fprintf(stderr, "cxmodel: cannot map %s: %s\n", mem, strerror(errno));
	if (fd >= 0)
		close(fd);
	free(p);
	return NULL;
}
