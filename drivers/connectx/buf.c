// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory of queues, and the lists of pages that describe memory to the
 * device.
 */
#include <linux/dma-mapping.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include <ib/refuse.h>
#include <ib/umem.h>

#include "cx.h"
#include "verbs.h"

#define CX_QUEUE_PAGE_SIZES	GENMASK_ULL(30, 12)
#define CX_QUEUE_OFFSET_UNIT	64	/* with pages of 4 KiB */
#define CX_4K			4096

/**
 * cx_umem_list - list the pages of user memory
 * @umem: the memory
 * @pgsz: page size, from ib_umem_best_pgsz()
 * @n: number of pages
 * @low_bits: set in each entry
 * @list: result: room for one more entry, which is zero
 *
 * Context: Process context. Sleeps.
 */
void cx_umem_list(struct ib_umem *umem, u64 pgsz, u64 n, u64 low_bits,
		  __be64 *list)
{
	struct ib_block_iter it;

	ib_umem_block_start(&it, umem, pgsz);
	/* the mapping has every block of the memory: anything else is a bug */
	WARN_ON(ib_block_list(&it, n, low_bits, list) != n);
	list[n] = 0;
}

/**
 * cx_umem_pages - list the pages of user memory, in memory of its own
 * @umem: the memory
 * @pgsz: page size, from ib_umem_best_pgsz()
 * @count: result: number of pages
 * @low_bits: set in each entry
 *
 * The list has room for one more entry, which is zero.
 *
 * Context: Process context. Sleeps.
 * Return: the list, to be freed with kvfree(); or NULL.
 */
__be64 *cx_umem_pages(struct ib_umem *umem, u64 pgsz, unsigned int *count,
		      u64 low_bits)
{
	u64 n = ib_num_blocks(umem->iova, umem->length, pgsz);
	__be64 *list;

	/* more than 2 GiB of it are not to be had, which is no bug of ours */
	list = kvmalloc_array(n + 1, sizeof(*list),
			      GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!list)
		return NULL;
	*count = n;
	cx_umem_list(umem, pgsz, n, low_bits, list);
	return list;
}

/*
 * The largest page size with which the ring begins on a page, as its place in
 * the first page would have to be a multiple of a 64th of a page. A ring that
 * begins elsewhere in a 4 KiB page has pages of that size.
 */
static u64 cx_queue_pgsz(struct ib_umem *umem, bool may_offset, u64 *iova)
{
	*iova = offset_in_page(umem->address);
	if (!*iova)
		return ib_umem_best_pgsz(umem, CX_QUEUE_PAGE_SIZES, 0);
	if (may_offset && *iova % CX_QUEUE_OFFSET_UNIT == 0)
		return ib_umem_best_pgsz(umem, CX_4K, *iova);
	return 0;
}

/**
 * cx_ubuf_get - pin a queue's ring in user space
 * @dev: the device
 * @addr: user address
 * @bytes: length
 * @access: IB_ACCESS_LOCAL_WRITE if the device writes there
 * @may_offset: the ring need not begin on a page
 * @b: result
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_ubuf_get(struct ib_device *dev, u64 addr, size_t bytes, int access,
		bool may_offset, struct cx_ubuf *b)
{
	u64 pgsz, iova;
	int ret;

	b->umem = ib_umem_get(dev, addr, bytes, access);
	if (IS_ERR(b->umem)) {
		ret = PTR_ERR(b->umem);
		b->umem = NULL;
		return ret;
	}
	pgsz = cx_queue_pgsz(b->umem, may_offset, &iova);
	if (!pgsz) {
		ret = ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				"ring at 0x%llx: pages of no size fit, or it does not begin on one",
				addr, 0);
		goto err_umem;
	}
	b->pas.page_shift = ilog2(pgsz);
	b->pas.offset = iova / CX_QUEUE_OFFSET_UNIT;
	b->pas.pages = cx_umem_pages(b->umem, pgsz, &b->pas.count, 0);
	if (!b->pas.pages) {
		ret = ib_refuse(IB_LAYER_DRIVER, -ENOMEM,
				"no memory for the list of a ring's pages",
				0, 0);
		goto err_umem;
	}
	return 0;

err_umem:
	ib_umem_release(b->umem);
	b->umem = NULL;
	return ret;
}

/**
 * cx_ubuf_drop_list - the command has run, the list of pages may go
 * @b: the ring
 *
 * Context: Process context.
 */
void cx_ubuf_drop_list(struct cx_ubuf *b)
{
	kvfree(b->pas.pages);
	b->pas.pages = NULL;
}

/**
 * cx_ubuf_put - undo cx_ubuf_get()
 * @b: the ring; may never have been pinned
 *
 * Context: Process context. Sleeps.
 */
void cx_ubuf_put(struct cx_ubuf *b)
{
	cx_ubuf_drop_list(b);
	if (b->umem)
		ib_umem_release(b->umem);
	b->umem = NULL;
}

/**
 * cx_kbuf_alloc - allocate a queue's ring in the kernel
 * @cx: the device
 * @bytes: length
 * @b: result, zeroed memory
 *
 * Context: Process context. Sleeps.
 * Return: 0 or -ENOMEM.
 */
int cx_kbuf_alloc(struct cx_dev *cx, size_t bytes, struct cx_kbuf *b)
{
	__be64 *list;
	unsigned int i;

	b->bytes = PAGE_ALIGN(bytes);
	b->mem = dma_alloc_coherent(cx->dev, b->bytes, &b->dma, GFP_KERNEL);
	if (!b->mem)
		return ib_refuse(IB_LAYER_DRIVER, -ENOMEM,
				 "no memory for a ring of %llu bytes",
				 b->bytes, 0);
	b->pas.page_shift = PAGE_SHIFT;
	b->pas.offset = 0;
	b->pas.count = b->bytes >> PAGE_SHIFT;
	list = kvmalloc_array(b->pas.count, sizeof(*list), GFP_KERNEL);
	if (!list) {
		dma_free_coherent(cx->dev, b->bytes, b->mem, b->dma);
		return ib_refuse(IB_LAYER_DRIVER, -ENOMEM,
				 "no memory for the list of a ring's %llu pages",
				 b->pas.count, 0);
	}
	for (i = 0; i < b->pas.count; i++)
		list[i] = cpu_to_be64(b->dma + ((u64)i << PAGE_SHIFT));
	b->pas.pages = list;
	return 0;
}

/**
 * cx_kbuf_drop_list - the command has run, the list of pages may go
 * @b: the ring
 *
 * Context: Process context.
 */
void cx_kbuf_drop_list(struct cx_kbuf *b)
{
	kvfree(b->pas.pages);
	b->pas.pages = NULL;
}

/**
 * cx_kbuf_free - undo cx_kbuf_alloc()
 * @cx: the device, no longer using the ring
 * @b: the ring
 *
 * Context: Process context. Sleeps.
 */
void cx_kbuf_free(struct cx_dev *cx, struct cx_kbuf *b)
{
	cx_kbuf_drop_list(b);
	dma_free_coherent(cx->dev, b->bytes, b->mem, b->dma);
}
