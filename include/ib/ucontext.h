/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The user context: a device as one open file sees it. Drivers embed struct
 * ib_ucontext; pages of the adapter mapped by the file are tracked here, so
 * that they can be taken away when the device goes.
 */
#ifndef IB_UCONTEXT_H
#define IB_UCONTEXT_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mm_types.h>
#include <linux/mutex.h>
#include <linux/xarray.h>
#include <ib/object.h>

struct ib_device;
struct ib_mmap_entry;
struct ib_udata;
struct rdma_cgroup;
struct vm_area_struct;

/**
 * struct ib_ucontext - device context of an open file
 * @obj: base
 * @ref: the file's and one of each mapping (core's)
 * @cgroup: whose processes it is charged to (core's)
 * @mmap_entries: page offset -> struct ib_mmap_entry
 * @vma_lock: guards @vmas, @zapped and changes of @mmap_entries; taken
 *            inside mmap_lock
 * @vmas: adapter pages mapped by this file
 * @zapped: the device is gone, no mapping is made any more
 * @cleanup_retryable: a destroy that fails now is tried again
 */
struct ib_ucontext {
	struct ib_object	obj;
	struct kref		ref;
	struct rdma_cgroup	*cgroup;
	struct xarray		mmap_entries;
	struct mutex		vma_lock;	/* inside mmap_lock */
	struct list_head	vmas;
	bool			zapped;
	bool			cleanup_retryable;
};

/**
 * struct ib_mmap_entry - pages that user space may map by an offset
 * @ref: one for the table, one per mapping
 * @ucontext: whose
 * @start_pgoff: offset in pages that user space passes to mmap()
 * @npages: number of pages
 * @removed: no new mappings (under the ucontext's vma_lock)
 */
struct ib_mmap_entry {
	struct kref		ref;
	struct ib_ucontext	*ucontext;
	unsigned long		start_pgoff;
	size_t			npages;
	bool			removed;
};

struct ib_ucontext *ib_alloc_ucontext(struct ib_device *device,
				      struct ib_udata *udata);
void ib_dealloc_ucontext(struct ib_ucontext *uctx);

int ib_mmap_entry_insert(struct ib_ucontext *uctx, struct ib_mmap_entry *entry,
			 size_t bytes, u32 min_pgoff, u32 max_pgoff);
struct ib_mmap_entry *ib_mmap_entry_get(struct ib_ucontext *uctx,
					struct vm_area_struct *vma);
void ib_mmap_entry_put(struct ib_mmap_entry *entry);
void ib_mmap_entry_remove(struct ib_mmap_entry *entry);

int ib_mmap_io(struct ib_ucontext *uctx, struct vm_area_struct *vma,
	       unsigned long pfn, unsigned long bytes, pgprot_t prot,
	       struct ib_mmap_entry *entry);
void ib_mmap_zap(struct ib_ucontext *uctx);

#endif /* IB_UCONTEXT_H */
