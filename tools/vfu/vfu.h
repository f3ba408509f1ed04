/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A PCI function in user space, served to QEMU's vfio-user-pci over a UNIX
 * socket. Life: create, set up regions and interrupts, listen, then run
 * whenever the descriptor is readable. One client at a time, one thread.
 *
 * All of a region's accesses are trapped. No part of it can be mapped by the
 * client: that would make QEMU wait for an answer to each write.
 */
#ifndef VFU_H
#define VFU_H

#include <stdbool.h>
#include <stdint.h>

struct vfu_ctx;

struct vfu_ops {
	/* Within the region's size. The region is a VFIO_PCI_*_REGION_INDEX. */
	void (*read)(void *priv, unsigned int region, uint64_t off, void *buf,
		     uint32_t len);
	void (*write)(void *priv, unsigned int region, uint64_t off,
		      const void *buf, uint32_t len);
	/* Reset by the client, also when it connects and when it goes. */
	void (*reset)(void *priv);
};

struct vfu_ctx *vfu_create(const char *path, const struct vfu_ops *ops,
			   void *priv);
void vfu_setup_region(struct vfu_ctx *ctx, unsigned int region, uint64_t size);
void vfu_setup_msix(struct vfu_ctx *ctx, unsigned int vectors);

/* 0 or a negative errno; -EADDRINUSE: somebody else serves this path. */
int vfu_listen(struct vfu_ctx *ctx);

/* To poll for input: the client's, or the listening one's. */
int vfu_fd(const struct vfu_ctx *ctx);

/*
 * Accept a client, or serve one message of it. 0, or a negative errno after
 * which there is no client any more.
 */
int vfu_run(struct vfu_ctx *ctx);

/*
 * Guest memory: a pointer for up to *@len bytes, cut to the contiguous run;
 * NULL if not mapped so. Valid until the next vfu_run().
 */
void *vfu_dma_ptr(struct vfu_ctx *ctx, uint64_t iova, uint64_t *len,
		  bool write);

/* False if the client has not enabled this vector. */
bool vfu_irq_trigger(struct vfu_ctx *ctx, unsigned int vector);

void vfu_destroy(struct vfu_ctx *ctx);

#endif /* VFU_H */
