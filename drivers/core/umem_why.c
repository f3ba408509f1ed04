// SPDX-License-Identifier: GPL-2.0-only
/*
 * Why user memory cannot be pinned. The mm says EFAULT to all; what is at the
 * address now says more. Somebody may have changed it meanwhile, so the
 * mapping explains the errno and never decides it.
 */
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <ib/umem.h>
#include "core_priv.h"

/* The first row whose flags fit is the reason. */
static const struct {
	vm_flags_t	mask;
	vm_flags_t	value;
	bool		to_write;	/* only if the device writes */
	const char	*what;
} kinds[] = {
	{ VM_PFNMAP, VM_PFNMAP, false, "a device's pages (VM_PFNMAP)" },
	{ VM_IO, VM_IO, false, "a device's registers (VM_IO)" },
	{ VM_WRITE | VM_MAYWRITE, 0, true, "memory that is never writable" },
	{ VM_WRITE, 0, true, "memory without write permission" },
	{ VM_READ, 0, false, "memory without read permission" },
};

static const char *kind_of(const struct vm_area_struct *vma, bool writable)
{
	size_t i;

	if (!vma)
		return "no mapping";
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if ((vma->vm_flags & kinds[i].mask) == kinds[i].value &&
		    (writable || !kinds[i].to_write))
			return kinds[i].what;
	if (vma->vm_file)
		return "a file's pages, behind its end or not to be kept";
	return "memory that cannot be had";
}

/**
 * ib_umem_refuse_pin() - record why a page was not pinned
 * @umem: what was to be pinned
 * @addr: address of the first page that was not
 * @err: what the mm said
 * @attempts: how often it was asked
 *
 * Context: Process context. Takes and releases mmap_lock.
 * Return: @err.
 */
int ib_umem_refuse_pin(const struct ib_umem *umem, unsigned long addr, int err,
		       unsigned int attempts)
{
	size_t page = ((addr - (umem->address & PAGE_MASK)) >> PAGE_SHIFT) + 1;
	struct mm_struct *mm = current->mm;
	const char *kind;

	if (err == -EAGAIN)
		return ib_refuse_numbers(IB_LAYER_UMEM, err,
					 "page %llu of %llu at 0x%llx stayed busy, tried %llu times",
					 page, umem->npages, addr, attempts,
					 "try again");
	if (err == -EINTR || mmap_read_lock_killable(mm))
		return ib_refuse(IB_LAYER_UMEM, err,
				 "killed at page %llu of %llu", page,
				 umem->npages);
	kind = kind_of(vma_lookup(mm, addr), umem->writable);
	mmap_read_unlock(mm);
	return ib_refuse_numbers(IB_LAYER_UMEM, err,
				 "0x%llx, page %llu of %llu", addr, page,
				 umem->npages, 0, kind);
}
