// SPDX-License-Identifier: GPL-2.0-only
/*
 * Why user memory cannot be pinned. The mm says EFAULT to all; what is at the
 * address now says more. Somebody may have changed it meanwhile, so the
 * mapping explains the errno and never decides it.
 */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/shmem_fs.h>
#include <ib/umem.h>
#include "core_priv.h"

/* The first row whose flags fit is the reason. */
struct kind {
	vm_flags_t	mask;
	vm_flags_t	value;
	bool		to_write;	/* only if the device writes */
	const char	*what;
};

/* What can never be pinned so */
static const struct kind never[] = {
	{ VM_PFNMAP, VM_PFNMAP, false, "a device's pages (VM_PFNMAP)" },
	{ VM_IO, VM_IO, false, "a device's registers (VM_IO)" },
	{ VM_WRITE | VM_MAYWRITE, 0, true, "memory that is never writable" },
	{ VM_WRITE, 0, true, "memory without write permission" },
	{ VM_READ, 0, false, "memory without read permission" },
};

/* What could have been, but was not; the last one for all of the rest */
static const struct kind otherwise[] = {
	{ VM_HUGETLB, VM_HUGETLB, false, "huge pages, and none is free" },
	{ VM_SHARED, VM_SHARED, true,
	  "a shared file, which cannot be written from outside" },
	{ 0, 0, false, "memory that cannot be kept" },
};

static const char *kind_in(const struct kind *kinds, size_t n,
			   const struct vm_area_struct *vma, bool writable)
{
	size_t i;

	for (i = 0; i < n; i++)
		if ((vma->vm_flags & kinds[i].mask) == kinds[i].value &&
		    (writable || !kinds[i].to_write))
			return kinds[i].what;
	return NULL;
}

/* NULL: nothing about the file speaks against it */
static const char *kind_of_file(struct vm_area_struct *vma, unsigned long addr)
{
	loff_t offset = ((loff_t)vma->vm_pgoff << PAGE_SHIFT) +
			(addr - vma->vm_start);
	const struct inode *inode = file_inode(vma->vm_file);

	if (S_ISREG(inode->i_mode) && offset >= i_size_read(inode))
		return "behind the end of its file";
	if (vma_is_fsdax(vma))
		return "a file in persistent memory (DAX)";
	if (shmem_mapping(vma->vm_file->f_mapping))
		return "shared memory whose file system is full";
	return NULL;
}

static const char *kind_of(struct vm_area_struct *vma, unsigned long addr,
			   bool writable)
{
	const char *what;

	if (!vma)
		return "no mapping";
	what = kind_in(never, ARRAY_SIZE(never), vma, writable);
	if (!what && vma->vm_file)
		what = kind_of_file(vma, addr);
	return what ?: kind_in(otherwise, ARRAY_SIZE(otherwise), vma, writable);
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
	if (err == -ENOMEM)
		return ib_refuse_numbers(IB_LAYER_UMEM, err,
					 "no memory for page %llu of %llu at 0x%llx",
					 page, umem->npages, addr, 0, NULL);
	if (err == -EINTR || mmap_read_lock_killable(mm))
		return ib_refuse(IB_LAYER_UMEM, err,
				 "killed at page %llu of %llu", page,
				 umem->npages);
	kind = kind_of(vma_lookup(mm, addr), addr, umem->writable);
	mmap_read_unlock(mm);
	return ib_refuse_numbers(IB_LAYER_UMEM, err,
				 "0x%llx, page %llu of %llu", addr, page,
				 umem->npages, 0, kind);
}
