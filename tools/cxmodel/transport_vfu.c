// SPDX-License-Identifier: GPL-2.0-only
/*
 * QEMU as the outside: the function behind a vfio-user socket.
 */
#include <errno.h>
#include <linux/vfio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "trace.h"
#include "transport.h"
#include "../vfu/vfu.h"

struct cxm_vfu {
	struct cxm_transport t;
	struct vfu_ctx *ctx;
};

static struct cxm_vfu *to_vfu(struct cxm_transport *t)
{
	return container_of(t, struct cxm_vfu, t);
}

static void cxm_vfu_read(void *priv, unsigned int region, uint64_t off,
			 void *buf, uint32_t len)
{
	struct cxm_vfu *v = priv;

	if (region == VFIO_PCI_CONFIG_REGION_INDEX)
		cxm_pci_read(v->t.m, off, buf, len);
	else if (region == VFIO_PCI_BAR0_REGION_INDEX)
		cxm_bar0_read(v->t.m, off, buf, len);
	else			/* the MSI-X table, which is QEMU's */
		memset(buf, v->t.m->dead ? 0xff : 0, len);
}

static void cxm_vfu_write(void *priv, unsigned int region, uint64_t off,
			  const void *buf, uint32_t len)
{
	struct cxm_vfu *v = priv;

	if (region == VFIO_PCI_CONFIG_REGION_INDEX)
		cxm_pci_write(v->t.m, off, buf, len);
	else if (region == VFIO_PCI_BAR0_REGION_INDEX)
		cxm_bar0_write(v->t.m, off, buf, len);
}

static void cxm_vfu_reset(void *priv)
{
	struct cxm_vfu *v = priv;

	cxm_reset(v->t.m);
}

static const struct vfu_ops cxm_vfu_server_ops = {
	.read = cxm_vfu_read,
	.write = cxm_vfu_write,
	.reset = cxm_vfu_reset,
};

static int cxm_vfu_fd(struct cxm_transport *t)
{
	return vfu_fd(to_vfu(t)->ctx);
}

static int cxm_vfu_input(struct cxm_transport *t)
{
	return vfu_run(to_vfu(t)->ctx);
}

static void *cxm_vfu_dma_ptr(struct cxm_transport *t, u64 iova, u64 *len,
			     bool write)
{
	uint64_t run = *len;
	void *p = vfu_dma_ptr(to_vfu(t)->ctx, iova, &run, write);

	*len = run;
	return p;
}

static void cxm_vfu_irq(struct cxm_transport *t, u32 vector)
{
	if (!vfu_irq_trigger(to_vfu(t)->ctx, vector))
		cxm_trace(t->m, "vector %u is not enabled", vector);
}

/* The next client meets a device that lives, whatever was done to it before. */
static int cxm_vfu_reopen(struct cxm_transport *t)
{
	t->m->dead = false;
	return 0;
}

static void cxm_vfu_destroy(struct cxm_transport *t)
{
	struct cxm_vfu *v = to_vfu(t);

	vfu_destroy(v->ctx);
	free(v);
}

static const struct cxm_transport_ops cxm_vfu_ops = {
	.name = "vfio-user",
	.fd = cxm_vfu_fd,
	.input = cxm_vfu_input,
	.dma_ptr = cxm_vfu_dma_ptr,
	.irq = cxm_vfu_irq,
	.reopen = cxm_vfu_reopen,
	.destroy = cxm_vfu_destroy,
};

/**
 * cxm_transport_vfu() - listen for QEMU
 * @m: the model
 * @path: of the socket
 *
 * Return: the transport, or NULL after a message.
 */
struct cxm_transport *cxm_transport_vfu(struct cxm *m, const char *path)
{
	struct cxm_vfu *v = calloc(1, sizeof(*v));
	int ret = -ENOMEM;

	if (!v)
		goto err_message;
	v->t.ops = &cxm_vfu_ops;
	v->t.m = m;
	v->ctx = vfu_create(path, &cxm_vfu_server_ops, v);
	if (!v->ctx)
		goto err_free;
	vfu_setup_region(v->ctx, VFIO_PCI_BAR0_REGION_INDEX, CX_BAR0_BYTES);
	vfu_setup_region(v->ctx, VFIO_PCI_BAR2_REGION_INDEX, CXM_BAR2_BYTES);
	vfu_setup_region(v->ctx, VFIO_PCI_CONFIG_REGION_INDEX,
			 CXM_PCI_CFG_BYTES);
	vfu_setup_msix(v->ctx, CXM_MSIX_VECTORS);
	ret = vfu_listen(v->ctx);
	if (ret)
		goto err_destroy;
	return &v->t;

err_destroy:
	vfu_destroy(v->ctx);
err_free:
	free(v);
err_message:
	fprintf(stderr, "cxmodel: cannot listen on %s: %s\n", path,
		ret == -EADDRINUSE ? "another model serves it" :
		strerror(-ret));
	return NULL;
}
