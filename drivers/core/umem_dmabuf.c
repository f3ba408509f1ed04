// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory that another device exports as a DMA buffer. The exporter's mapping
 * of the whole buffer stays as it is; what a region needs of it is listed
 * anew, without the pages before and behind it.
 *
 * An exporter may move the memory while it maps it, or as soon as the
 * reservation lock is free. So there is a mapping (@sgt) only from the end of
 * ib_umem_dmabuf_map() on, and whoever asks under the lock knows what counts.
 */
#include <linux/dma-buf.h>
#include <linux/dma-resv.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/scatterlist.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <compat.h>
#include <ib/mr.h>
#include <ib/umem_dmabuf.h>
#include "core_priv.h"

/* The exporter is still copying: how long that may take, in seconds */
#define FENCE_TIMEOUT	60

/* Merged pieces are no longer: a length has 32 bits. */
#define MAX_PIECE	SZ_2G

static void moves(struct dma_buf_attachment *attach)
{
	struct ib_umem_dmabuf *d = attach->importer_priv;

	if (!d->sgt)
		return;
	d->gone(d->arg);
	ib_umem_dmabuf_unmap(d);
}

static const struct dma_buf_attach_ops movable_ops = {
	.allow_peer2peer = true,
	.move_notify = moves,
};

/* It promised to stay. */
static void moves_though_pinned(struct dma_buf_attachment *attach)
{
	struct ib_umem_dmabuf *d = attach->importer_priv;

	dev_warn_ratelimited(&d->device->dev,
			     "exporter moves a DMA buffer that it has pinned\n");
}

static const struct dma_buf_attach_ops pinned_ops = {
	.allow_peer2peer = true,
	.move_notify = moves_though_pinned,
};

static int check_range(const struct ib_dmabuf_mr_attr *attr, u64 size)
{
	if (!attr->length || attr->offset + attr->length > size)
		return ib_refuse_numbers(IB_LAYER_UMEM, -EINVAL,
					 "0x%llx bytes at 0x%llx of a DMA buffer of 0x%llx",
					 attr->length, attr->offset, size, 0,
					 NULL);
	return 0;
}

static struct dma_buf *get_buffer(const struct ib_dmabuf_mr_attr *attr)
{
	struct dma_buf *buf;
	int ret;

	if (attr->offset + attr->length < attr->offset)
		return ERR_PTR(ib_refuse(IB_LAYER_UMEM, -EINVAL,
					 "0x%llx bytes at 0x%llx are no range",
					 attr->length, attr->offset));
	buf = dma_buf_get(attr->fd);
	if (IS_ERR(buf)) {
		ret = PTR_ERR(buf);
		ib_refuse(IB_LAYER_UMEM, ret, ret == -EBADF ?
			  "descriptor %llu is not open" :
			  "descriptor %llu is no DMA buffer", (u32)attr->fd, 0);
		return buf;
	}
	ret = check_range(attr, buf->size);
	if (ret) {
		dma_buf_put(buf);
		return ERR_PTR(ret);
	}
	return buf;
}

static struct ib_umem_dmabuf *attach(struct ib_umem_dmabuf *d,
				     const struct ib_dmabuf_mr_attr *attr,
				     const struct dma_buf_attach_ops *ops)
{
	struct dma_buf *buf = get_buffer(attr);
	int ret;

	if (IS_ERR(buf)) {
		ret = PTR_ERR(buf);
		goto err_free;
	}
	d->offset = attr->offset;
	d->length = attr->length;
	d->writable = attr->access & IB_ACCESS_WRITES;
	d->attach = dma_buf_dynamic_attach(buf, d->device->dma_device, ops, d);
	if (IS_ERR(d->attach)) {
		ret = ib_refuse(IB_LAYER_UMEM, PTR_ERR(d->attach),
				"exporter of descriptor %llu does not take this device",
				attr->fd, 0);
		goto err_buf;
	}
	return d;

err_buf:
	dma_buf_put(buf);
err_free:
	kfree(d);
	return ERR_PTR(ret);
}

static struct ib_umem_dmabuf *new_dmabuf(struct ib_device *device)
{
	struct ib_umem_dmabuf *d = kzalloc(sizeof(*d), GFP_KERNEL_ACCOUNT);

	if (!d)
		return ib_refuse_ptr(-ENOMEM, "no memory for a DMA buffer", 0,
				     0);
	d->device = device;
	return d;
}

/**
 * ib_umem_dmabuf_get() - attach to memory that may move
 * @device: will use it
 * @attr: which piece of which buffer
 * @gone: see struct ib_umem_dmabuf; may be called before this returns, but
 *	not before ib_umem_dmabuf_map()
 * @arg: for @gone
 *
 * Context: Process context of the process whose descriptor it is.
 * Return: the memory, not mapped, to be given to ib_umem_dmabuf_release(); or
 * an ERR_PTR(): -EBADF nothing open, -EINVAL no DMA buffer or not that much of
 * it, -ENOMEM, or what the exporter says.
 */
struct ib_umem_dmabuf *
ib_umem_dmabuf_get(struct ib_device *device,
		   const struct ib_dmabuf_mr_attr *attr,
		   void (*gone)(void *arg), void *arg)
{
	struct ib_umem_dmabuf *d = new_dmabuf(device);

	if (IS_ERR(d))
		return d;
	d->gone = gone;
	d->arg = arg;
	return attach(d, attr, &movable_ops);
}
EXPORT_SYMBOL_IB(ib_umem_dmabuf_get);

static int pin_and_map(struct ib_umem_dmabuf *d)
{
	int ret;

	ret = dma_buf_pin(d->attach);
	if (ret)
		return ib_refuse(IB_LAYER_UMEM, ret,
				 "exporter does not pin its memory", 0, 0);
	d->pinned = true;
	return ib_umem_dmabuf_map(d);
}

/**
 * ib_umem_dmabuf_get_pinned() - attach to memory, pin and map it
 * @device: will use it
 * @attr: which piece of which buffer
 *
 * Context: Process context of the process whose descriptor it is.
 * Return: the memory, mapped, to be given to ib_umem_dmabuf_release(); or an
 * ERR_PTR() as from ib_umem_dmabuf_get() and ib_umem_dmabuf_map().
 */
struct ib_umem_dmabuf *
ib_umem_dmabuf_get_pinned(struct ib_device *device,
			  const struct ib_dmabuf_mr_attr *attr)
{
	struct ib_umem_dmabuf *d = new_dmabuf(device);
	int ret;

	if (IS_ERR(d))
		return d;
	d = attach(d, attr, &pinned_ops);
	if (IS_ERR(d))
		return d;
	ib_umem_dmabuf_lock(d);
	ret = pin_and_map(d);
	ib_umem_dmabuf_unlock(d);
	if (ret) {
		ib_umem_dmabuf_release(d);
		return ERR_PTR(ret);
	}
	return d;
}
EXPORT_SYMBOL_IB(ib_umem_dmabuf_get_pinned);

/**
 * ib_umem_dmabuf_release() - give a DMA buffer back
 * @d: the memory; the device does not use it any more
 *
 * A move that goes on is waited for.
 *
 * Context: Process context, of any process. Takes the reservation lock.
 */
void ib_umem_dmabuf_release(struct ib_umem_dmabuf *d)
{
	struct dma_buf *buf = d->attach->dmabuf;

	ib_umem_dmabuf_lock(d);
	ib_umem_dmabuf_unmap(d);
	if (d->pinned)
		dma_buf_unpin(d->attach);
	ib_umem_dmabuf_unlock(d);
	dma_buf_detach(buf, d->attach);
	dma_buf_put(buf);
	kfree(d);
}
EXPORT_SYMBOL_IB(ib_umem_dmabuf_release);

/**
 * ib_umem_dmabuf_lock() - take the buffer's reservation lock
 * @d: the memory
 *
 * Context: Process context. Sleeps.
 */
void ib_umem_dmabuf_lock(struct ib_umem_dmabuf *d)
{
	dma_resv_lock(d->attach->dmabuf->resv, NULL);
}
EXPORT_SYMBOL_IB(ib_umem_dmabuf_lock);

/**
 * ib_umem_dmabuf_unlock() - undo ib_umem_dmabuf_lock()
 * @d: the memory
 *
 * Context: Process context.
 */
void ib_umem_dmabuf_unlock(struct ib_umem_dmabuf *d)
{
	dma_resv_unlock(d->attach->dmabuf->resv);
}
EXPORT_SYMBOL_IB(ib_umem_dmabuf_unlock);

/* What is copied to the new place has arrived there. */
static int wait_for_fences(struct ib_umem_dmabuf *d)
{
	long ret;

	ret = dma_resv_wait_timeout(d->attach->dmabuf->resv,
				    DMA_RESV_USAGE_KERNEL, true,
				    FENCE_TIMEOUT * HZ);
	if (ret > 0)
		return 0;
	if (!ret)
		return ib_refuse(IB_LAYER_UMEM, -ETIMEDOUT,
				 "exporter is not done with the memory after %llu s",
				 FENCE_TIMEOUT, 0);
	return ib_refuse(IB_LAYER_UMEM, -EINTR,
			 "interrupted while the exporter moves the memory", 0,
			 0);
}

/**
 * ib_umem_dmabuf_map() - have the buffer mapped for the device
 * @d: the memory; nothing happens if it is mapped
 *
 * Context: Process context. Sleeps. The reservation lock is held.
 * Return: 0; -EINTR, -ETIMEDOUT the exporter is still busy with it; or what
 * the exporter says.
 */
int ib_umem_dmabuf_map(struct ib_umem_dmabuf *d)
{
	struct sg_table *sgt;
	int ret;

	dma_resv_assert_held(d->attach->dmabuf->resv);
	if (d->sgt)
		return 0;
	sgt = dma_buf_map_attachment(d->attach, DMA_BIDIRECTIONAL);
	if (IS_ERR(sgt))
		return ib_refuse(IB_LAYER_UMEM, PTR_ERR(sgt),
				 "exporter cannot map 0x%llx bytes",
				 d->attach->dmabuf->size, 0);
	d->sgt = sgt;
	ret = wait_for_fences(d);
	if (ret)
		ib_umem_dmabuf_unmap(d);
	return ret;
}
EXPORT_SYMBOL_IB(ib_umem_dmabuf_map);

/**
 * ib_umem_dmabuf_unmap() - undo ib_umem_dmabuf_map()
 * @d: the memory, which the device does not use any more; nothing happens if
 *	it is not mapped
 *
 * Context: Process context. The reservation lock is held.
 */
void ib_umem_dmabuf_unmap(struct ib_umem_dmabuf *d)
{
	dma_resv_assert_held(d->attach->dmabuf->resv);
	if (!d->sgt)
		return;
	dma_buf_unmap_attachment(d->attach, d->sgt, DMA_BIDIRECTIONAL);
	d->sgt = NULL;
}
EXPORT_SYMBOL_IB(ib_umem_dmabuf_unmap);

/* The last piece goes on there, and may get that long. */
static bool goes_on(const struct ib_dmabuf_list *list, dma_addr_t dma,
		    unsigned int len)
{
	const struct scatterlist *last;

	if (!list->nents)
		return false;
	last = &list->sg[list->nents - 1];
	return sg_dma_address(last) + sg_dma_len(last) == dma &&
	       (u64)sg_dma_len(last) + len <= MAX_PIECE;
}

static void add_piece(struct ib_dmabuf_list *list, dma_addr_t dma,
		      unsigned int len)
{
	if (goes_on(list, dma, len)) {
		sg_dma_len(&list->sg[list->nents - 1]) += len;
		return;
	}
	sg_dma_address(&list->sg[list->nents]) = dma;
	sg_dma_len(&list->sg[list->nents]) = len;
	list->nents++;
}

/**
 * ib_umem_dmabuf_list() - list the pieces that a region is on
 * @d: the memory, mapped
 * @list: result, to be freed with ib_dmabuf_list_free(): from the page of the
 *	first byte to the page of the last, as ib_best_pgsz() and
 *	ib_block_start() want it
 *
 * Context: Process context. Sleeps. The reservation lock is held, or the
 * memory is pinned.
 * Return: 0; -ENOMEM; -EINVAL if the exporter did not map all of the buffer.
 */
int ib_umem_dmabuf_list(const struct ib_umem_dmabuf *d,
			struct ib_dmabuf_list *list)
{
	u64 start = round_down(d->offset, PAGE_SIZE);
	u64 end = round_up(d->offset + d->length, PAGE_SIZE);
	u64 from, to, pos = 0;
	struct scatterlist *sg;
	unsigned int i;

	list->nents = 0;
	list->sg = kvcalloc(d->sgt->nents, sizeof(*sg), GFP_KERNEL);
	if (!list->sg)
		return ib_refuse(IB_LAYER_UMEM, -ENOMEM,
				 "no memory to list %llu pieces of a DMA buffer",
				 d->sgt->nents, 0);
	for_each_sgtable_dma_sg(d->sgt, sg, i) {
		from = max(start, pos);
		to = min(end, pos + sg_dma_len(sg));
		if (from < to)
			add_piece(list, sg_dma_address(sg) + (from - pos),
				  to - from);
		pos += sg_dma_len(sg);
	}
	if (pos >= end) {
		sg_mark_end(&list->sg[list->nents - 1]);
		return 0;
	}
	ib_dmabuf_list_free(list);
	return ib_refuse(IB_LAYER_UMEM, -EINVAL,
			 "exporter mapped 0x%llx bytes, need 0x%llx", pos, end);
}
EXPORT_SYMBOL_IB(ib_umem_dmabuf_list);

/**
 * ib_dmabuf_list_free() - undo ib_umem_dmabuf_list()
 * @list: the list
 *
 * Context: Process context.
 */
void ib_dmabuf_list_free(struct ib_dmabuf_list *list)
{
	kvfree(list->sg);
	list->sg = NULL;
}
EXPORT_SYMBOL_IB(ib_dmabuf_list_free);

MODULE_IMPORT_NS(IB_DMA_BUF_NS);
