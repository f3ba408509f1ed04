// SPDX-License-Identifier: GPL-2.0-only
/*
 * The session: one handler per command of the protocol, in a const table.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "vfu_priv.h"

#define VFU_CAPABILITIES \
	"{\"capabilities\":{\"max_msg_fds\":%d,\"max_data_xfer_size\":%u,\"pgsizes\":4096,\"write_multiple\":true}}"

static int vfu_reply(struct vfu_ctx *ctx, int error, const void *body,
		     uint32_t len)
{
	return vfu_sock_reply(ctx->client_fd, &ctx->msg, error, body, len);
}

static void vfu_irqs_clear(struct vfu_ctx *ctx, unsigned int from,
			   unsigned int count)
{
	unsigned int i;

	for (i = from; i < from + count && i < VFU_MAX_VECTORS; i++) {
		if (ctx->irq_fd[i] >= 0)
			close(ctx->irq_fd[i]);
		ctx->irq_fd[i] = -1;
	}
}

static int vfu_on_version(struct vfu_ctx *ctx)
{
	const struct vfu_version_msg *q = (const void *)ctx->msg.body;
	struct {
		uint16_t major;
		uint16_t minor;
		char	 json[200];
	} r = { 0 };
	int n;

	if (ctx->msg.len < sizeof(*q) || q->major != 0)
		return vfu_reply(ctx, -EINVAL, NULL, 0);
	r.minor = q->minor < 1 ? q->minor : 1;
	/* QEMU drops an answer that is longer than its request: keep it short */
	n = snprintf(r.json, sizeof(r.json),
		     VFU_CAPABILITIES, VFU_MAX_FDS, VFU_MAX_XFER);
	return vfu_reply(ctx, 0, &r, sizeof(*q) + n + 1);
}

static int vfu_on_dma_map(struct vfu_ctx *ctx)
{
	struct vfu_msg *m = &ctx->msg;
	struct vfu_dma_map_msg q;

	if (m->len < sizeof(q) || m->nfds > 1)
		return vfu_reply(ctx, -EINVAL, NULL, 0);
	memcpy(&q, m->body, sizeof(q));
	return vfu_reply(ctx, vfu_dma_add(&ctx->dma, &q,
					  m->nfds ? m->fd[0] : -1), NULL, 0);
}

static int vfu_on_dma_unmap(struct vfu_ctx *ctx)
{
	struct vfu_dma_unmap_msg q;

	if (ctx->msg.len < sizeof(q))
		return vfu_reply(ctx, -EINVAL, NULL, 0);
	memcpy(&q, ctx->msg.body, sizeof(q));
	if (q.flags & VFU_DMA_UNMAP_ALL)
		vfu_dma_del_all(&ctx->dma);
	else
		vfu_dma_del(&ctx->dma, q.addr, q.size);
	return vfu_reply(ctx, 0, &q, sizeof(q));
}

static int vfu_on_get_info(struct vfu_ctx *ctx)
{
	struct vfu_device_info r = {
		.argsz = sizeof(r),
		.flags = VFIO_DEVICE_FLAGS_RESET | VFIO_DEVICE_FLAGS_PCI,
		.num_regions = VFIO_PCI_NUM_REGIONS,
		.num_irqs = VFIO_PCI_NUM_IRQS,
	};

	return vfu_reply(ctx, 0, &r, sizeof(r));
}

static int vfu_on_region_info(struct vfu_ctx *ctx)
{
	struct vfio_region_info r = { .argsz = sizeof(r) };
	const struct vfio_region_info *q = (const void *)ctx->msg.body;

	if (ctx->msg.len < sizeof(*q) || q->index >= VFIO_PCI_NUM_REGIONS)
		return vfu_reply(ctx, -EINVAL, NULL, 0);
	r.index = q->index;
	r.size = ctx->region_size[q->index];
	if (r.size)
		r.flags = VFIO_REGION_INFO_FLAG_READ |
			  VFIO_REGION_INFO_FLAG_WRITE;
	return vfu_reply(ctx, 0, &r, sizeof(r));
}

static int vfu_on_irq_info(struct vfu_ctx *ctx)
{
	struct vfio_irq_info r = { .argsz = sizeof(r) };
	const struct vfio_irq_info *q = (const void *)ctx->msg.body;

	if (ctx->msg.len < 12 || q->index >= VFIO_PCI_NUM_IRQS)
		return vfu_reply(ctx, -EINVAL, NULL, 0);
	r.index = q->index;
	if (q->index == VFIO_PCI_MSIX_IRQ_INDEX) {
		r.count = ctx->vectors;
		/* without it QEMU tears all vectors down for each new one */
		r.flags = VFIO_IRQ_INFO_EVENTFD;
	}
	return vfu_reply(ctx, 0, &r, sizeof(r));
}

static int vfu_irqs_assign(struct vfu_ctx *ctx, const struct vfu_irq_set *q)
{
	struct vfu_msg *m = &ctx->msg;
	unsigned int i;

	if (m->nfds && m->nfds != q->count)
		return -EINVAL;
	vfu_irqs_clear(ctx, q->start, q->count);
	for (i = 0; i < m->nfds; i++)
		ctx->irq_fd[q->start + i] = m->fd[i];
	m->nfds = 0;			/* kept, not to be closed */
	return 0;
}

static int vfu_irqs_set(struct vfu_ctx *ctx, const struct vfu_irq_set *q)
{
	unsigned int i;

	if (q->index != VFIO_PCI_MSIX_IRQ_INDEX)
		return q->count ? -EINVAL : 0;
	if (q->start > ctx->vectors || q->count > ctx->vectors - q->start)
		return -EINVAL;
	switch (q->flags) {
	case VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER:
		return vfu_irqs_assign(ctx, q);
	case VFIO_IRQ_SET_DATA_NONE | VFIO_IRQ_SET_ACTION_TRIGGER:
		if (!q->count)		/* disable the whole index */
			vfu_irqs_clear(ctx, 0, ctx->vectors);
		for (i = 0; i < q->count; i++)
			vfu_irq_trigger(ctx, q->start + i);
		return 0;
	default:
		return -EINVAL;
	}
}

static int vfu_on_set_irqs(struct vfu_ctx *ctx)
{
	struct vfu_irq_set q;

	if (ctx->msg.len < sizeof(q))
		return vfu_reply(ctx, -EINVAL, NULL, 0);
	memcpy(&q, ctx->msg.body, sizeof(q));
	return vfu_reply(ctx, vfu_irqs_set(ctx, &q), NULL, 0);
}

static bool vfu_access_ok(const struct vfu_ctx *ctx, uint32_t region,
			  uint64_t off, uint32_t count)
{
	uint64_t size = region < VFIO_PCI_NUM_REGIONS ?
			ctx->region_size[region] : 0;

	return count && count <= size && off <= size - count;
}

static int vfu_on_region_read(struct vfu_ctx *ctx)
{
	struct vfu_region_rw *q = (void *)ctx->msg.body; /* answered in place */

	if (ctx->msg.len < sizeof(*q) || q->count > VFU_MAX_XFER ||
	    !vfu_access_ok(ctx, q->region, q->offset, q->count))
		return vfu_reply(ctx, -EINVAL, NULL, 0);
	ctx->ops->read(ctx->priv, q->region, q->offset, q->data, q->count);
	return vfu_reply(ctx, 0, q, sizeof(*q) + q->count);
}

static int vfu_on_region_write(struct vfu_ctx *ctx)
{
	const struct vfu_region_rw *q = (const void *)ctx->msg.body;

	if (ctx->msg.len < sizeof(*q) ||
	    q->count > ctx->msg.len - sizeof(*q) ||
	    !vfu_access_ok(ctx, q->region, q->offset, q->count))
		return vfu_reply(ctx, -EINVAL, NULL, 0);
	ctx->ops->write(ctx->priv, q->region, q->offset, q->data, q->count);
	return vfu_reply(ctx, 0, q, sizeof(*q));
}

static int vfu_on_region_write_multi(struct vfu_ctx *ctx)
{
	const struct vfu_region_write_multi *q = (const void *)ctx->msg.body;
	const struct vfu_region_write_one *w;
	uint64_t i;

	if (ctx->msg.len < sizeof(*q) ||
	    q->count > (ctx->msg.len - sizeof(*q)) / sizeof(*w))
		return vfu_reply(ctx, -EINVAL, NULL, 0);
	for (i = 0; i < q->count; i++) {
		w = &q->write[i];
		if (w->count <= sizeof(w->data) &&
		    vfu_access_ok(ctx, w->region, w->offset, w->count))
			ctx->ops->write(ctx->priv, w->region, w->offset,
					w->data, w->count);
	}
	return vfu_reply(ctx, 0, &q->count, sizeof(q->count));
}

static int vfu_on_reset(struct vfu_ctx *ctx)
{
	ctx->ops->reset(ctx->priv);
	return vfu_reply(ctx, 0, NULL, 0);
}

static int (*const vfu_handlers[VFU_COMMANDS])(struct vfu_ctx *ctx) = {
	[VFU_VERSION]			= vfu_on_version,
	[VFU_DMA_MAP]			= vfu_on_dma_map,
	[VFU_DMA_UNMAP]			= vfu_on_dma_unmap,
	[VFU_DEVICE_GET_INFO]		= vfu_on_get_info,
	[VFU_DEVICE_GET_REGION_INFO]	= vfu_on_region_info,
	[VFU_DEVICE_GET_IRQ_INFO]	= vfu_on_irq_info,
	[VFU_DEVICE_SET_IRQS]		= vfu_on_set_irqs,
	[VFU_REGION_READ]		= vfu_on_region_read,
	[VFU_REGION_WRITE]		= vfu_on_region_write,
	[VFU_DEVICE_RESET]		= vfu_on_reset,
	[VFU_REGION_WRITE_MULTI]	= vfu_on_region_write_multi,
};

static int vfu_dispatch(struct vfu_ctx *ctx)
{
	const struct vfu_header *h = &ctx->msg.h;

	if ((h->flags & VFU_FLAG_TYPE) == VFU_FLAG_REPLY)
		return 0;		/* we never ask anything */
	if (h->command >= VFU_COMMANDS || !vfu_handlers[h->command])
		return vfu_reply(ctx, -ENOTSUP, NULL, 0);
	return vfu_handlers[h->command](ctx);
}

static void vfu_detach(struct vfu_ctx *ctx)
{
	if (ctx->client_fd < 0)
		return;
	ctx->ops->reset(ctx->priv);
	vfu_irqs_clear(ctx, 0, ctx->vectors);
	vfu_dma_del_all(&ctx->dma);
	close(ctx->client_fd);
	ctx->client_fd = -1;
}

static int vfu_accept(struct vfu_ctx *ctx)
{
	ctx->client_fd = accept4(ctx->listen_fd, NULL, NULL, SOCK_CLOEXEC);
	if (ctx->client_fd < 0)
		return errno == EINTR ? 0 : -errno;
	ctx->ops->reset(ctx->priv);
	return 0;
}

/**
 * vfu_run() - accept a client, or serve one message
 * @ctx: the server
 *
 * Context: when vfu_fd() is readable; otherwise it blocks.
 * Return: 0, or a negative errno: the client is gone, or accept() failed.
 */
int vfu_run(struct vfu_ctx *ctx)
{
	unsigned int i;
	int ret;

	if (ctx->client_fd < 0)
		return vfu_accept(ctx);
	ret = vfu_sock_recv(ctx->client_fd, &ctx->msg);
	if (!ret)
		ret = vfu_dispatch(ctx);
	for (i = 0; i < ctx->msg.nfds; i++)
		close(ctx->msg.fd[i]);
	if (ret)
		vfu_detach(ctx);
	return ret;
}

/**
 * vfu_create() - make a server that does not listen yet
 * @path: of the UNIX socket
 * @ops: the function behind it
 * @priv: handed to @ops
 *
 * Return: the server, or NULL if out of memory.
 */
struct vfu_ctx *vfu_create(const char *path, const struct vfu_ops *ops,
			   void *priv)
{
	struct vfu_ctx *ctx = calloc(1, sizeof(*ctx));
	unsigned int i;

	if (!ctx)
		return NULL;
	ctx->ops = ops;
	ctx->priv = priv;
	ctx->listen_fd = -1;
	ctx->client_fd = -1;
	for (i = 0; i < VFU_MAX_VECTORS; i++)
		ctx->irq_fd[i] = -1;
	ctx->path = strdup(path);
	/* room for a read that is answered in place */
	ctx->msg.body = malloc(VFU_MAX_BODY + sizeof(struct vfu_region_rw));
	if (!ctx->path || !ctx->msg.body) {
		vfu_destroy(ctx);
		return NULL;
	}
	return ctx;
}

/**
 * vfu_setup_region() - give the function a region
 * @ctx: the server
 * @region: a VFIO_PCI_*_REGION_INDEX
 * @size: in bytes
 */
void vfu_setup_region(struct vfu_ctx *ctx, unsigned int region, uint64_t size)
{
	ctx->region_size[region] = size;
}

/**
 * vfu_setup_msix() - say how many MSI-X vectors there are
 * @ctx: the server
 * @vectors: at most 256; the same number as in configuration space
 */
void vfu_setup_msix(struct vfu_ctx *ctx, unsigned int vectors)
{
	ctx->vectors = vectors < VFU_MAX_VECTORS ? vectors : VFU_MAX_VECTORS;
}

/**
 * vfu_listen() - create the socket
 * @ctx: the server
 *
 * Return: 0, -EADDRINUSE if another server answers there, or another errno.
 */
int vfu_listen(struct vfu_ctx *ctx)
{
	int fd = vfu_sock_listen(ctx->path);

	if (fd < 0)
		return fd;
	ctx->listen_fd = fd;
	ctx->bound = true;
	return 0;
}

/**
 * vfu_fd() - what to poll
 * @ctx: the server
 *
 * Return: the client's socket, or the listening one if there is no client.
 */
int vfu_fd(const struct vfu_ctx *ctx)
{
	return ctx->client_fd >= 0 ? ctx->client_fd : ctx->listen_fd;
}

/**
 * vfu_dma_ptr() - guest memory at a bus address
 * @ctx: the server
 * @iova: bus address
 * @len: how much is wanted; cut to the contiguous run
 * @write: for writing
 *
 * Context: the pointer is valid until the next vfu_run().
 * Return: the pointer, NULL if nothing is mapped there for this access.
 */
void *vfu_dma_ptr(struct vfu_ctx *ctx, uint64_t iova, uint64_t *len, bool write)
{
	return vfu_dma_find(&ctx->dma, iova, len, write);
}

/**
 * vfu_irq_trigger() - send an MSI-X interrupt
 * @ctx: the server
 * @vector: index in the MSI-X table
 *
 * Return: false if the client has not enabled the vector.
 */
bool vfu_irq_trigger(struct vfu_ctx *ctx, unsigned int vector)
{
	int fd = vector < ctx->vectors ? ctx->irq_fd[vector] : -1;
	uint64_t one = 1;

	return fd >= 0 && write(fd, &one, sizeof(one)) == sizeof(one);
}

/**
 * vfu_destroy() - end a server
 * @ctx: the server, also a half-made one
 *
 * A client is disconnected and the socket's path removed.
 */
void vfu_destroy(struct vfu_ctx *ctx)
{
	vfu_detach(ctx);
	if (ctx->listen_fd >= 0)
		close(ctx->listen_fd);
	if (ctx->bound)
		unlink(ctx->path);
	free(ctx->dma.map);
	free(ctx->msg.body);
	free(ctx->path);
	free(ctx);
}
