// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pinned user memory. How pages are pinned is in umem_pin.c; neighbours are
 * merged into runs (umem_runs.c). How the device sees them is umem_dma.c's.
 *
 * The pages are charged to the mm they come from, all of them before the
 * first is pinned, and the charge goes back to that mm whoever releases the
 * memory: a child that inherited the file, or the exit of the process.
 */
#include <linux/capability.h>
#include <linux/dma-mapping.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <ib/umem.h>
#include "core_priv.h"
#include "umem_runs.h"

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

/*
 * What the adapter may have written is marked dirty; pages of a registration
 * that failed it has not seen.
 */
static void unpin_all(struct ib_umem *umem, bool dirty)
{
	ib_runs_unpin(&umem->runs, dirty);
	ib_runs_free(&umem->runs);
}

static int pin_and_map(struct ib_umem *umem, int access)
{
	int ret;

	ret = ib_umem_pin(umem);
	if (ret)
		goto err_pinned;

	ret = ib_umem_map(umem, access & IB_ACCESS_RELAXED_ORDERING ?
			  DMA_ATTR_WEAK_ORDERING : 0);
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
	/* the first runs of its list lie behind it: ib_umem_pin() */
	umem = kzalloc(sizeof(*umem) + IB_RUNS_LENT, GFP_KERNEL_ACCOUNT);
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
	ib_umem_unmap(umem);
	unpin_all(umem, umem->writable);
	atomic64_sub(umem->npages, &umem->mm->pinned_vm);
	mmdrop(umem->mm);
	kfree(umem);
}
EXPORT_SYMBOL_IB(ib_umem_release);
