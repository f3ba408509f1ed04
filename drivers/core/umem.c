// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pinned user memory. Pages are pinned in batches, so that the process can be
 * killed in between and mmap_lock is never held long; neighbouring pages are
 * merged into one piece of the scatter list.
 *
 * The pages are charged to the mm they come from, all of them before the
 * first is pinned, and the charge goes back to that mm whoever releases the
 * memory: a child that inherited the file, or the exit of the process.
 */
#include <kunit/static_stub.h>
#include <kunit/visibility.h>
#include <linux/capability.h>
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <ib/umem.h>
#include "core_priv.h"

#define BATCH		(PAGE_SIZE / sizeof(struct page *))

/*
 * A long-term pin moves pages out of places that must stay free (CMA, movable
 * memory). That fails with -EAGAIN while somebody else holds the page for a
 * moment, so it is worth a few more attempts, but not worth waiting for ever.
 */
#define PIN_ATTEMPTS	5
#define PIN_PAUSE_MS	2

static int check_range(u64 addr, size_t size, int access)
{
	unsigned long end;

	if (addr > ULONG_MAX ||
	    check_add_overflow((unsigned long)addr, size, &end) ||
	    PAGE_ALIGN(end) < end)
		return ib_refuse(IB_LAYER_UMEM, -EINVAL,
				 "0x%llx bytes at 0x%llx pass the last address",
				 size, addr);
	if (!can_do_mlock())
		return ib_refuse(IB_LAYER_UMEM, -EPERM,
				 "RLIMIT_MEMLOCK is 0: no memory may be pinned",
				 0, 0);
	if (access & IB_ACCESS_ON_DEMAND)
		return ib_refuse(IB_LAYER_UMEM, -EOPNOTSUPP,
				 "on-demand paging is not supported", 0, 0);
	if (!size)
		return ib_refuse(IB_LAYER_UMEM, -EINVAL,
				 "no bytes at 0x%llx", addr, 0);
	return 0;
}

/* Add first and look then: two threads cannot both fit into the last page. */
static int charge(struct mm_struct *mm, size_t npages)
{
	unsigned long limit = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;
	s64 total;

	if (npages > UINT_MAX)
		return ib_refuse(IB_LAYER_UMEM, -EINVAL,
				 "%llu pages at once", npages, 0);
	total = atomic64_add_return(npages, &mm->pinned_vm);
	if (total <= limit || capable(CAP_IPC_LOCK))
		return 0;
	atomic64_sub(npages, &mm->pinned_vm);
	total -= npages;
	return ib_refuse_numbers(IB_LAYER_UMEM, -ENOMEM,
				 "RLIMIT_MEMLOCK: need %llu pages, %llu available: limit %llu, pinned %llu",
				 npages, limit - min_t(u64, total, limit),
				 limit, total, NULL);
}

/* A test may stand in for the mm, which is seldom as busy as it can be. */
VISIBLE_IF_KUNIT int ib_umem_pin_pages(unsigned long addr, int npages,
				       unsigned int flags, struct page **pages)
{
	KUNIT_STATIC_STUB_REDIRECT(ib_umem_pin_pages, addr, npages, flags,
				   pages);
	return pin_user_pages_fast(addr, npages, flags, pages);
}
EXPORT_SYMBOL_IF_KUNIT(ib_umem_pin_pages);

/* At least one page, or an error */
static int pin_batch(const struct ib_umem *umem, unsigned long addr,
		     size_t npages, struct page **pages)
{
	unsigned int flags = FOLL_LONGTERM | (umem->writable ? FOLL_WRITE : 0);
	int attempt, ret;

	for (attempt = 0; attempt < PIN_ATTEMPTS; attempt++) {
		if (fatal_signal_pending(current))
			return ib_umem_refuse_pin(umem, addr, -EINTR, attempt);
		ret = ib_umem_pin_pages(addr, min(npages, BATCH), flags, pages);
		if (ret > 0)
			return ret;
		if (ret != -EAGAIN)
			break;
		msleep(PIN_PAUSE_MS);
	}
	return ib_umem_refuse_pin(umem, addr, ret ?: -EFAULT, attempt);
}

/*
 * A power of two: where a run of pages is longer and has to be cut, the cut
 * must not spoil the alignment of what follows.
 */
static unsigned int max_piece(const struct ib_device *device)
{
	unsigned int max = dma_get_max_seg_size(device->dma_device);

	if (device->max_sg_bytes)
		max = min(max, device->max_sg_bytes);
	return rounddown_pow_of_two(max);
}

static int pin_all(struct ib_umem *umem, struct page **pages)
{
	unsigned long addr = umem->address & PAGE_MASK;
	size_t left = umem->npages;
	int n, ret;

	while (left) {
		cond_resched();
		n = pin_batch(umem, addr, left, pages);
		if (n < 0)
			return n;
		left -= n;
		addr += (unsigned long)n << PAGE_SHIFT;
		ret = sg_alloc_append_table_from_pages(&umem->sgt, pages, n, 0,
						       (unsigned long)n << PAGE_SHIFT,
						       max_piece(umem->device),
						       left, GFP_KERNEL);
		if (ret) {
			unpin_user_pages(pages, n);
			return ib_refuse(IB_LAYER_UMEM, ret,
					 "no memory to list %llu pages",
					 umem->npages, 0);
		}
	}
	return 0;
}

/*
 * What the adapter may have written is marked dirty; pages of a registration
 * that failed it has not seen. A terabyte takes long: others may run.
 */
static void unpin_all(struct ib_umem *umem, bool dirty)
{
	struct scatterlist *sg;
	size_t n, done = 0;
	unsigned int i;

	for_each_sgtable_sg(&umem->sgt.sgt, sg, i) {
		n = DIV_ROUND_UP(sg->length, PAGE_SIZE);
		unpin_user_page_range_dirty_lock(sg_page(sg), n, dirty);
		done += n;
		if (done < BATCH)
			continue;
		cond_resched();
		done = 0;
	}
	sg_free_append_table(&umem->sgt);
}

/*
 * The program and the adapter use the memory at the same time, so there is no
 * moment to hand it over: it is mapped without. That is also why the same page
 * may be mapped many times. It takes memory that both see as it is; a mapping
 * that has to be synced, through bounce buffers, is refused.
 */
static int map_umem(struct ib_umem *umem, unsigned long attrs)
{
	struct device *dev = umem->device->dma_device;
	struct scatterlist *sg;
	unsigned int i;
	int ret;

	attrs |= DMA_ATTR_SKIP_CPU_SYNC;
	ret = dma_map_sgtable(dev, &umem->sgt.sgt, DMA_BIDIRECTIONAL, attrs);
	if (ret)
		return ib_refuse(IB_LAYER_UMEM, ret,
				 "%llu pages cannot be mapped for DMA",
				 umem->npages, 0);
	for_each_sgtable_dma_sg(&umem->sgt.sgt, sg, i) {
		if (!dma_need_sync(dev, sg_dma_address(sg)))
			continue;
		dma_unmap_sgtable(dev, &umem->sgt.sgt, DMA_BIDIRECTIONAL,
				  DMA_ATTR_SKIP_CPU_SYNC);
		return ib_refuse(IB_LAYER_UMEM, -EOPNOTSUPP,
				 "the adapter reaches memory only through bounce buffers",
				 0, 0);
	}
	return 0;
}

static int pin_and_map(struct ib_umem *umem, int access)
{
	unsigned long attrs = access & IB_ACCESS_RELAXED_ORDERING ?
			      DMA_ATTR_WEAK_ORDERING : 0;
	struct page **pages;
	int ret;

	pages = (struct page **)__get_free_page(GFP_KERNEL);
	if (!pages)
		return ib_refuse(IB_LAYER_UMEM, -ENOMEM,
				 "no memory to pin with", 0, 0);
	ret = pin_all(umem, pages);
	free_page((unsigned long)pages);
	if (ret)
		goto err_pinned;

	ret = map_umem(umem, attrs);
	if (ret)
		goto err_pinned;
	return 0;

err_pinned:
	unpin_all(umem, false);
	return ret;
}

/**
 * ib_umem_get() - pin memory of the running process for a device
 * @device: will use it
 * @addr: user address
 * @size: bytes
 * @access: IB_ACCESS_*; decides whether the pages must be writable
 *
 * Context: Process context. Takes and releases mmap_lock.
 * Return: the memory, to be given to ib_umem_release(), or an ERR_PTR():
 * -EINVAL no range, -EPERM nothing may be locked, -ENOMEM over the limit or no
 * memory, -EFAULT nothing there, -EAGAIN pages stay busy, -EINTR killed,
 * -EOPNOTSUPP the memory would be bounced.
 */
struct ib_umem *ib_umem_get(struct ib_device *device, u64 addr, size_t size,
			    int access)
{
	struct ib_umem *umem;
	int ret;

	ret = check_range(addr, size, access);
	if (ret)
		return ERR_PTR(ret);
	umem = kzalloc(sizeof(*umem), GFP_KERNEL_ACCOUNT);
	if (!umem)
		return ERR_PTR(ib_refuse(IB_LAYER_UMEM, -ENOMEM,
					 "no memory", 0, 0));
	umem->device = device;
	umem->address = addr;
	umem->length = size;
	umem->iova = addr;
	umem->writable = access & IB_ACCESS_WRITES;
	umem->npages = (PAGE_ALIGN(addr + size) - (addr & PAGE_MASK)) >>
		       PAGE_SHIFT;
	umem->mm = current->mm;

	ret = charge(umem->mm, umem->npages);
	if (ret)
		goto err_free;
	ret = pin_and_map(umem, access);
	if (ret)
		goto err_charge;
	mmgrab(umem->mm);
	return umem;

err_charge:
	atomic64_sub(umem->npages, &umem->mm->pinned_vm);
err_free:
	kfree(umem);
	return ERR_PTR(ret);
}
EXPORT_SYMBOL_IB(ib_umem_get);

/**
 * ib_umem_release() - unpin memory
 * @umem: from ib_umem_get(); the device does not use it any more
 *
 * Context: Process context, of any process.
 */
void ib_umem_release(struct ib_umem *umem)
{
	dma_unmap_sgtable(umem->device->dma_device, &umem->sgt.sgt,
			  DMA_BIDIRECTIONAL, DMA_ATTR_SKIP_CPU_SYNC);
	unpin_all(umem, umem->writable);
	atomic64_sub(umem->npages, &umem->mm->pinned_vm);
	mmdrop(umem->mm);
	kfree(umem);
}
EXPORT_SYMBOL_IB(ib_umem_release);
