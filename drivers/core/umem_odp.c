// SPDX-License-Identifier: GPL-2.0-only
/*
 * User memory that is not pinned. The page tables of the process are the
 * truth; the list of pages here, and the device's table that the driver makes
 * of it, are a copy that may lack pages but never has one that is gone:
 *
 * - Mapping reads the page tables without the lock, takes the lock, and begins
 *   again if the process changed the range in between (mmu_interval_*).
 * - Before the process changes a range, invalidate() takes its pages away from
 *   the device and out of the list, under the lock.
 *
 * Pages to be written are marked dirty when they are mapped: whoever cleans
 * one write-protects it first, and that takes it away from the device.
 */
#include <linux/dma-mapping.h>
#include <linux/hmm.h>
#include <linux/hugetlb.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <ib/umem_odp.h>
#include "core_priv.h"

/* Pages looked up at once: at least one of the largest size we map by. */
#define BATCH_SHIFT	(PMD_SHIFT - PAGE_SHIFT)
#define BATCH		BIT(BATCH_SHIFT)

/*
 * A process can change its mappings for ever. But we change them as well: a page
 * that was only read so far is copied to be written, each once, and that must
 * not count on a slow machine.
 */
#define PATIENCE	HZ
#define TRIES		(2 * BATCH)
#define AGAIN		1

/* Fewer pages than that in between are not worth another call to the driver. */
#define ZAP_GAP		256

static const struct {
	int		err;
	const char	*what;
} causes[] = {
	{ -EFAULT, "nothing mapped there, or not to be read" },
	{ -EPERM, "no write permission" },
	{ -EBUSY, "the process keeps changing it" },
	{ -ENOMEM, "no memory" },
	{ -EINTR, "killed" },
};

static int refuse_map(int err, unsigned long addr, unsigned long end)
{
	const char *what = "cannot be had";
	size_t i;

	for (i = 0; i < ARRAY_SIZE(causes); i++)
		if (causes[i].err == err)
			what = causes[i].what;
	return ib_refuse_detail(IB_LAYER_UMEM, err,
				"on-demand pages 0x%llx to 0x%llx", addr, end,
				what);
}

static unsigned long odp_end(const struct ib_umem_odp *odp)
{
	return odp->start + (odp->count << odp->page_shift);
}

static size_t odp_index(const struct ib_umem_odp *odp, unsigned long addr)
{
	return (addr - odp->start) >> odp->page_shift;
}

static void unmap_page(struct ib_umem_odp *odp, size_t i)
{
	lockdep_assert_held(&odp->lock);
	if (!odp->pages[i])
		return;
	dma_unmap_page_attrs(odp->device->dma_device,
			     odp->pages[i] & ~IB_ODP_RIGHTS,
			     BIT(odp->page_shift), DMA_BIDIRECTIONAL,
			     DMA_ATTR_SKIP_CPU_SYNC);
	odp->pages[i] = 0;
	odp->mapped--;
}

/*
 * The next run of mapped pages from @i on, before @end, with at most ZAP_GAP
 * pages of none in between. Gives its length, and 0 if there is none.
 */
static size_t next_run(const struct ib_umem_odp *odp, size_t *i, size_t end)
{
	size_t last, j;

	while (*i < end && !odp->pages[*i])
		(*i)++;
	last = *i;
	for (j = *i; j < end && j - last <= ZAP_GAP; j++)
		if (odp->pages[j])
			last = j + 1;
	return last - *i;
}

static void take_away(struct ib_umem_odp *odp, size_t i, size_t end)
{
	size_t n;

	lockdep_assert_held(&odp->lock);
	for (; odp->mapped && (n = next_run(odp, &i, end)); i += n) {
		size_t j;

		if (odp->attached)
			odp->ops->zap(odp, i, n);
		for (j = i; j < i + n; j++)
			unmap_page(odp, j);
	}
}

/* The process is about to change a range: what is in it must not be used. */
static bool invalidate(struct mmu_interval_notifier *notifier,
		       const struct mmu_notifier_range *range,
		       unsigned long seq)
{
	struct ib_umem_odp *odp = container_of(notifier, struct ib_umem_odp,
					       notifier);
	unsigned long start = max(range->start, odp->start);
	unsigned long end = min(range->end, odp_end(odp));

	/* taking pages away waits for the device */
	if (!mmu_notifier_range_blockable(range))
		return false;
	mutex_lock(&odp->lock);
	mmu_interval_set_seq(notifier, seq);
	if (start < end)
		take_away(odp, odp_index(odp, start),
			  odp_index(odp, end - 1) + 1);
	mutex_unlock(&odp->lock);
	return true;
}

static const struct mmu_interval_notifier_ops notifier_ops = {
	.invalidate = invalidate,
};

static int odp_layout(struct ib_umem_odp *odp, u64 addr, size_t size,
		      int access)
{
	unsigned long end, page;

	odp->page_shift = PAGE_SHIFT;
	if (IS_ENABLED(CONFIG_HUGETLB_PAGE) && access & IB_ACCESS_HUGETLB)
		odp->page_shift = PMD_SHIFT;
	page = BIT(odp->page_shift);
	if (!size)
		return ib_refuse(IB_LAYER_UMEM, -EINVAL,
				 "0 bytes at 0x%llx are no range", addr, 0);
	if (check_add_overflow((unsigned long)addr, size, &end) ||
	    ALIGN(end, page) < end)
		return ib_refuse(IB_LAYER_UMEM, -EOVERFLOW,
				 "0x%llx bytes at 0x%llx end beyond all addresses",
				 size, addr);
	odp->address = addr;
	odp->length = size;
	odp->start = ALIGN_DOWN((unsigned long)addr, page);
	odp->count = (ALIGN(end, page) - odp->start) >> odp->page_shift;
	return 0;
}

static int odp_watch(struct ib_umem_odp *odp, struct mm_struct *mm)
{
	int ret;

	if (!mmget_not_zero(mm))
		return ib_refuse(IB_LAYER_UMEM, -EFAULT,
				 "the process is gone", 0, 0);
	ret = mmu_interval_notifier_insert(&odp->notifier, mm, odp->start,
					   odp->count << odp->page_shift,
					   &notifier_ops);
	/* the last reference takes all mappings away: not under the caller's locks */
	mmput_async(mm);
	if (ret)
		return ib_refuse(IB_LAYER_UMEM, ret,
				 "0x%llx pages at 0x%llx cannot be watched",
				 odp->count, odp->start);
	return 0;
}

/**
 * ib_umem_odp_get() - let a device page in memory of a process
 * @device: will use it
 * @mm: of the process; the caller holds a reference
 * @addr: user address; nothing need be mapped there
 * @size: bytes
 * @access: IB_ACCESS_*: with IB_ACCESS_HUGETLB all is on huge pages
 * @ops: the driver's
 *
 * No page is mapped yet.
 *
 * Context: Process context. Takes and releases mmap_lock.
 * Return: the region, to be given to ib_umem_odp_release(), or an ERR_PTR():
 * -EINVAL no range, -EOVERFLOW it ends beyond the address space, -ENOMEM,
 * -EFAULT the process is gone.
 */
struct ib_umem_odp *ib_umem_odp_get(struct ib_device *device,
				    struct mm_struct *mm, u64 addr,
				    size_t size, int access,
				    const struct ib_umem_odp_ops *ops)
{
	struct ib_umem_odp *odp;
	int ret;

	odp = kzalloc(sizeof(*odp), GFP_KERNEL_ACCOUNT);
	if (!odp)
		return ERR_PTR(ib_refuse(IB_LAYER_UMEM, -ENOMEM, "no memory",
					 0, 0));
	odp->device = device;
	odp->ops = ops;
	odp->writable = access & IB_ACCESS_WRITES;
	odp->attached = true;
	mutex_init(&odp->lock);
	ret = odp_layout(odp, addr, size, access);
	if (ret)
		goto err_free;
	odp->pages = kvcalloc(odp->count, sizeof(*odp->pages),
			      GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!odp->pages) {
		ret = ib_refuse(IB_LAYER_UMEM, -ENOMEM,
				"no memory to list %llu pages", odp->count, 0);
		goto err_free;
	}
	ret = odp_watch(odp, mm);
	if (ret)
		goto err_pages;
	return odp;

err_pages:
	kvfree(odp->pages);
err_free:
	mutex_destroy(&odp->lock);
	kfree(odp);
	return ERR_PTR(ret);
}
EXPORT_SYMBOL_IB(ib_umem_odp_get);

/**
 * ib_umem_odp_detach() - take a region away from the device
 * @odp: the region
 *
 * All pages are taken away, and the driver hears no more of it: it may destroy
 * the device's table. Mapping fails from now on.
 *
 * Context: Process context.
 */
void ib_umem_odp_detach(struct ib_umem_odp *odp)
{
	mutex_lock(&odp->lock);
	take_away(odp, 0, odp->count);
	odp->attached = false;
	mutex_unlock(&odp->lock);
}
EXPORT_SYMBOL_IB(ib_umem_odp_detach);

/**
 * ib_umem_odp_attach() - undo ib_umem_odp_detach()
 * @odp: the region; the device's table lives on, and is empty
 *
 * Context: Process context.
 */
void ib_umem_odp_attach(struct ib_umem_odp *odp)
{
	mutex_lock(&odp->lock);
	odp->attached = true;
	mutex_unlock(&odp->lock);
}
EXPORT_SYMBOL_IB(ib_umem_odp_attach);

/**
 * ib_umem_odp_release() - undo ib_umem_odp_get()
 * @odp: the region, which the device does not use and nobody maps any more
 *
 * Waits for a change of the range that is under way.
 *
 * Context: Process context, of any process, without locks of its mm.
 */
void ib_umem_odp_release(struct ib_umem_odp *odp)
{
	mutex_lock(&odp->lock);
	odp->attached = false;
	take_away(odp, 0, odp->count);
	mutex_unlock(&odp->lock);
	mmu_interval_notifier_remove(&odp->notifier);
	kvfree(odp->pages);
	mutex_destroy(&odp->lock);
	kfree(odp);
}
EXPORT_SYMBOL_IB(ib_umem_odp_release);

/* A page that is mapped already may have become writable; it is the same. */
static int map_page(struct ib_umem_odp *odp, size_t i, struct page *page,
		    u64 rights)
{
	struct device *dev = odp->device->dma_device;
	dma_addr_t dma;

	lockdep_assert_held(&odp->lock);
	if (!odp->pages[i]) {
		dma = dma_map_page_attrs(dev, page, 0, BIT(odp->page_shift),
					 DMA_BIDIRECTIONAL,
					 DMA_ATTR_SKIP_CPU_SYNC);
		if (dma_mapping_error(dev, dma))
			return ib_refuse(IB_LAYER_UMEM, -EFAULT,
					 "page %llu of %llu cannot be mapped for DMA",
					 i, odp->count);
		odp->pages[i] = dma;
		odp->mapped++;
		if (dma_need_sync(dev, dma)) {
			odp->pages[i] |= IB_ODP_READ;
			unmap_page(odp, i);
			return ib_refuse(IB_LAYER_UMEM, -EOPNOTSUPP,
					 "the adapter reaches memory only through bounce buffers",
					 0, 0);
		}
	}
	if (rights & IB_ODP_WRITE)
		set_page_dirty(page);
	odp->pages[i] |= rights;
	return 0;
}

/* The number of pages that are there, or an error */
static int map_found(struct ib_umem_odp *odp, const struct hmm_range *range,
		     unsigned int flags)
{
	size_t step = BIT(odp->page_shift - PAGE_SHIFT);
	size_t i = odp_index(odp, range->start), k;
	size_t n = (range->end - range->start) >> PAGE_SHIFT;
	int ret, found = 0;

	for (k = 0; k < n; k += step, i++) {
		unsigned long pfn = range->hmm_pfns[k];
		u64 rights = IB_ODP_READ;

		if (pfn & HMM_PFN_ERROR || !(pfn & HMM_PFN_VALID))
			continue;
		if (hmm_pfn_to_map_order(pfn) + PAGE_SHIFT < odp->page_shift)
			return ib_refuse(IB_LAYER_UMEM, -EINVAL,
					 "a page of 2^%llu bytes in a region of huge pages, at 0x%llx",
					 hmm_pfn_to_map_order(pfn) + PAGE_SHIFT,
					 range->start + (k << PAGE_SHIFT));
		if (odp->writable && pfn & HMM_PFN_WRITE &&
		    flags & (IB_ODP_MAP_WRITE | IB_ODP_MAP_PRESENT))
			rights |= IB_ODP_WRITE;
		ret = map_page(odp, i, hmm_pfn_to_page(pfn), rights);
		if (ret)
			return ret;
		found++;
	}
	return found;
}

/* AGAIN: the process changed the range meanwhile */
static int try_batch(struct ib_umem_odp *odp, struct hmm_range *range,
		     unsigned int flags)
{
	struct mm_struct *mm = odp->notifier.mm;
	size_t first = odp_index(odp, range->start);
	int ret;

	range->notifier_seq = mmu_interval_read_begin(&odp->notifier);
	mmap_read_lock(mm);
	ret = hmm_range_fault(range);
	mmap_read_unlock(mm);
	if (ret)
		return ret == -EBUSY ? AGAIN :
		       refuse_map(ret, range->start, range->end);

	mutex_lock(&odp->lock);
	if (mmu_interval_read_retry(&odp->notifier, range->notifier_seq)) {
		mutex_unlock(&odp->lock);
		return AGAIN;
	}
	if (odp->attached)
		ret = map_found(odp, range, flags);
	else
		ret = ib_refuse(IB_LAYER_UMEM, -EFAULT,
				"the region at 0x%llx is gone", odp->address,
				0);
	if (ret > 0)
		ret = odp->ops->fill(odp, first,
				     odp_index(odp, range->end - 1) + 1 - first);
	mutex_unlock(&odp->lock);
	return ret;
}

static int map_batch(struct ib_umem_odp *odp, struct hmm_range *range,
		     unsigned int flags)
{
	unsigned long until = jiffies + PATIENCE;
	unsigned int tries = 0;
	int ret;

	do {
		cond_resched();
		if (fatal_signal_pending(current))
			return refuse_map(-EINTR, range->start, range->end);
		ret = try_batch(odp, range, flags);
	} while (ret == AGAIN &&
		 (++tries < TRIES || time_before(jiffies, until)));
	if (ret == AGAIN)
		return refuse_map(-EBUSY, range->start, range->end);
	return ret;
}

static int map_range(struct ib_umem_odp *odp, unsigned long addr,
		     unsigned long end, unsigned int flags)
{
	struct hmm_range range = {
		.notifier = &odp->notifier,
	};
	int ret = 0;

	if (!(flags & IB_ODP_MAP_PRESENT))
		range.default_flags = HMM_PFN_REQ_FAULT |
				      (flags & IB_ODP_MAP_WRITE ?
				       HMM_PFN_REQ_WRITE : 0);
	range.hmm_pfns = kvcalloc(BATCH, sizeof(*range.hmm_pfns), GFP_KERNEL);
	if (!range.hmm_pfns)
		return refuse_map(-ENOMEM, addr, end);
	for (; addr < end && !ret; addr = range.end) {
		range.start = addr;
		range.end = min(end, ALIGN_DOWN(addr, BATCH << PAGE_SHIFT) +
				     (BATCH << PAGE_SHIFT));
		ret = map_batch(odp, &range, flags);
	}
	kvfree(range.hmm_pfns);
	return ret;
}

/**
 * ib_umem_odp_map() - page in a part of a region, for the device
 * @odp: the region
 * @addr: first address
 * @size: bytes; the pages around both ends are mapped as a whole
 * @flags: enum ib_umem_odp_flags
 *
 * After an error some of the pages may be mapped.
 *
 * Context: Process context of any process, without locks. Takes and releases
 * mmap_lock of the process whose memory it is, and odp->lock.
 * Return: 0; -EFAULT nothing is there, or it is outside of the region; -EPERM
 * it cannot be written; -EINVAL the process is gone, a page is too small, or
 * none is meant; -EBUSY the process keeps changing it; -EINTR; -ENOMEM; what the driver says.
 */
int ib_umem_odp_map(struct ib_umem_odp *odp, u64 addr, size_t size,
		    unsigned int flags)
{
	unsigned long page = BIT(odp->page_shift);
	struct mm_struct *mm = odp->notifier.mm;
	int ret;

	if (addr < odp->start || addr >= odp_end(odp) ||
	    size > odp_end(odp) - addr)
		return ib_refuse(IB_LAYER_UMEM, -EFAULT,
				 "0x%llx bytes at 0x%llx are not in the region",
				 size, addr);
	if (!size && !(addr & (page - 1)))
		return ib_refuse(IB_LAYER_UMEM, -EINVAL,
				 "0 bytes at 0x%llx are on no page", addr, 0);
	if (flags & IB_ODP_MAP_WRITE && !odp->writable)
		return refuse_map(-EPERM, addr, addr + size);
	if (!mmget_not_zero(mm))
		return ib_refuse(IB_LAYER_UMEM, -EINVAL,
				 "the process of the memory at 0x%llx is gone",
				 addr, 0);
	ret = map_range(odp, ALIGN_DOWN(addr, page), ALIGN(addr + size, page),
			flags);
	/* the last reference takes all mappings away: not from in here */
	mmput_async(mm);
	return ret;
}
EXPORT_SYMBOL_IB(ib_umem_odp_map);
