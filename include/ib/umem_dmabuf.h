/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory that another device exports as a DMA buffer, used by ours: pinned
 * where it is, or movable. The exporter may ask for movable memory back at any
 * time, and the reservation lock of the buffer says when: mapping, unmapping
 * and that request all happen under it.
 */
#ifndef IB_UMEM_DMABUF_H
#define IB_UMEM_DMABUF_H

#include <linux/types.h>

struct dma_buf_attachment;
struct ib_device;
struct ib_dmabuf_mr_attr;
struct scatterlist;
struct sg_table;

/**
 * struct ib_umem_dmabuf - a piece of a DMA buffer
 * @device: attached for this device
 * @attach: to the buffer
 * @offset: first byte in the buffer
 * @length: bytes
 * @writable: the device may write
 * @pinned: it does not move
 * @sgt: mapping of the whole buffer, NULL while there is none; under the
 *	reservation lock
 * @gone: movable memory, mapped: the exporter wants it back. The device must
 *	not use it any more on return, and nothing may wait for memory to be
 *	freed. Called with the reservation lock held
 * @arg: for @gone
 */
struct ib_umem_dmabuf {
	struct ib_device		*device;
	struct dma_buf_attachment	*attach;
	u64				offset;
	u64				length;
	bool				writable;
	bool				pinned;
	struct sg_table			*sgt;
	void				(*gone)(void *arg);
	void				*arg;
};

/* Pieces of the mapping: those of the page of the first byte to the last */
struct ib_dmabuf_list {
	struct scatterlist	*sg;
	unsigned int		nents;
};

/* Pinned memory is mapped, and stays so until it is released. */
struct ib_umem_dmabuf *
ib_umem_dmabuf_get_pinned(struct ib_device *device,
			  const struct ib_dmabuf_mr_attr *attr);
struct ib_umem_dmabuf *
ib_umem_dmabuf_get(struct ib_device *device,
		   const struct ib_dmabuf_mr_attr *attr,
		   void (*gone)(void *arg), void *arg);
void ib_umem_dmabuf_release(struct ib_umem_dmabuf *d);

void ib_umem_dmabuf_lock(struct ib_umem_dmabuf *d);
void ib_umem_dmabuf_unlock(struct ib_umem_dmabuf *d);
int ib_umem_dmabuf_map(struct ib_umem_dmabuf *d);
void ib_umem_dmabuf_unmap(struct ib_umem_dmabuf *d);
int ib_umem_dmabuf_list(const struct ib_umem_dmabuf *d,
			struct ib_dmabuf_list *list);
void ib_dmabuf_list_free(struct ib_dmabuf_list *list);

#endif /* IB_UMEM_DMABUF_H */
