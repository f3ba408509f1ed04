// SPDX-License-Identifier: GPL-2.0-only
/*
 * The adapter's pages in user memory.
 *
 * An entry is a range of page offsets that the driver offers; it lives while
 * it is offered or mapped, and so do the pages behind it. A tracked area is a
 * memory area that maps pages of the adapter. It is in its context's list
 * until it is closed or zapped, and every copy of it that a fork, a split or
 * a move makes is tracked for itself.
 *
 * Zapping takes the pages away when the device goes. User space does not know
 * yet and may still ring a doorbell: such a store goes to a page of zeros that
 * nobody looks at. An area and its copies share that page, because a fork
 * copies page tables, too.
 *
 * Locking: an area is opened, closed and faulted under mmap_lock (or the lock
 * of the area), inside which vma_lock is taken. Zapping needs mmap_lock, too,
 * so it cannot hold vma_lock while it waits for it: it picks an mm, drops
 * vma_lock, and looks again at what that mm has.
 */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <ib/ucontext.h>
#include "core_priv.h"

/**
 * struct tracked_vma - an area that maps pages of the adapter
 * @uctx: whose; a reference
 * @vma: the area
 * @entry: what it maps; a reference. NULL for pages without an entry and
 *         after zapping
 * @dummy: page of zeros that stands for the adapter's after zapping; made by
 *         the first fault
 * @link: in @uctx->vmas; empty after zapping
 *
 * All but @uctx under its vma_lock.
 */
struct tracked_vma {
	struct ib_ucontext	*uctx;
	struct vm_area_struct	*vma;
	struct ib_mmap_entry	*entry;
	struct page		*dummy;
	struct list_head	link;
};

static void free_entry(struct kref *ref)
{
	struct ib_mmap_entry *entry = container_of(ref, struct ib_mmap_entry,
						   ref);
	struct ib_ucontext *uctx = entry->ucontext;
	size_t i;

	mutex_lock(&uctx->vma_lock);
	for (i = 0; i < entry->npages; i++)
		xa_erase(&uctx->mmap_entries, entry->start_pgoff + i);
	mutex_unlock(&uctx->vma_lock);
	uctx->obj.device->ops->mmap_free(entry);
}

/**
 * ib_mmap_entry_put() - drop a reference to an entry
 * @entry: the entry; when this was the last one, its offsets are free and
 *         the driver's mmap_free() is called
 *
 * Context: Process context, without vma_lock.
 */
void ib_mmap_entry_put(struct ib_mmap_entry *entry)
{
	kref_put(&entry->ref, free_entry);
}
EXPORT_SYMBOL_IB(ib_mmap_entry_put);

/* First free run of @npages offsets from @min on, or ULONG_MAX */
static unsigned long find_offsets(struct ib_ucontext *uctx, size_t npages,
				  unsigned long min, unsigned long max)
{
	unsigned long start = min;

	lockdep_assert_held(&uctx->vma_lock);
	while (start <= max && npages - 1 <= max - start) {
		unsigned long used = start;

		if (!xa_find(&uctx->mmap_entries, &used, start + npages - 1,
			     XA_PRESENT))
			return start;
		start = used + 1;
	}
	return ULONG_MAX;
}

static int store_offsets(struct ib_ucontext *uctx, struct ib_mmap_entry *entry)
{
	size_t i;
	int ret;

	lockdep_assert_held(&uctx->vma_lock);
	for (i = 0; i < entry->npages; i++) {
		ret = xa_err(xa_store(&uctx->mmap_entries,
				      entry->start_pgoff + i, entry,
				      GFP_KERNEL));
		if (ret) {
			ib_refuse(IB_LAYER_CORE, ret,
				  "no memory to note offset 0x%llx",
				  entry->start_pgoff + i, 0);
			goto err_stored;
		}
	}
	return 0;

err_stored:
	while (i--)
		xa_erase(&uctx->mmap_entries, entry->start_pgoff + i);
	return ret;
}

/**
 * ib_mmap_entry_insert() - offer pages to user space
 * @uctx: to the file of this context
 * @entry: the driver's; mmap_free() of the driver gets it in the end
 * @bytes: how much
 * @min_pgoff: lowest offset in pages
 * @max_pgoff: highest one
 *
 * Context: Process context. Takes and releases vma_lock.
 * Return: 0, and @entry->start_pgoff is set; -EINVAL, -ENOSPC or -ENOMEM.
 */
int ib_mmap_entry_insert(struct ib_ucontext *uctx, struct ib_mmap_entry *entry,
			 size_t bytes, u32 min_pgoff, u32 max_pgoff)
{
	size_t npages = DIV_ROUND_UP(bytes, PAGE_SIZE);
	int ret;

	if (!npages)
		return ib_refuse(IB_LAYER_CORE, -EINVAL,
				 "an offer of no pages", 0, 0);
	kref_init(&entry->ref);
	entry->ucontext = uctx;
	entry->npages = npages;
	entry->removed = false;

	mutex_lock(&uctx->vma_lock);
	entry->start_pgoff = find_offsets(uctx, npages, min_pgoff, max_pgoff);
	if (entry->start_pgoff == ULONG_MAX)
		ret = ib_refuse(IB_LAYER_CORE, -ENOSPC,
				"no free run of %llu page offsets below %llu",
				npages, max_pgoff);
	else
		ret = store_offsets(uctx, entry);
	mutex_unlock(&uctx->vma_lock);
	return ret;
}
EXPORT_SYMBOL_IB(ib_mmap_entry_insert);

/**
 * ib_mmap_entry_get() - find the entry that an mmap() call means
 * @uctx: context of the file
 * @vma: the new area
 *
 * Context: Process context, under mmap_lock. Takes and releases vma_lock.
 * Return: the entry, referenced, or NULL when the offset, the size or the kind
 * of the mapping is not that of an entry.
 */
struct ib_mmap_entry *ib_mmap_entry_get(struct ib_ucontext *uctx,
					struct vm_area_struct *vma)
{
	struct ib_mmap_entry *entry;

	if (!(vma->vm_flags & VM_SHARED)) {
		ib_refuse(IB_LAYER_CORE, -EINVAL,
			  "adapter pages need MAP_SHARED", 0, 0);
		return NULL;
	}
	mutex_lock(&uctx->vma_lock);
	entry = xa_load(&uctx->mmap_entries, vma->vm_pgoff);
	if (entry && (entry->removed || entry->start_pgoff != vma->vm_pgoff ||
		      entry->npages != vma_pages(vma) ||
		      !kref_get_unless_zero(&entry->ref)))
		entry = NULL;
	mutex_unlock(&uctx->vma_lock);
	if (!entry)
		ib_refuse(IB_LAYER_CORE, -EINVAL,
			  "nothing to map at page offset %llu, %llu pages",
			  vma->vm_pgoff, vma_pages(vma));
	return entry;
}
EXPORT_SYMBOL_IB(ib_mmap_entry_get);

/**
 * ib_mmap_entry_remove() - offer an entry no more
 * @entry: the entry; mappings of it stay and hold it
 *
 * Context: Process context. Takes and releases vma_lock.
 */
void ib_mmap_entry_remove(struct ib_mmap_entry *entry)
{
	struct ib_ucontext *uctx = entry->ucontext;

	mutex_lock(&uctx->vma_lock);
	entry->removed = true;
	mutex_unlock(&uctx->vma_lock);
	ib_mmap_entry_put(entry);
}
EXPORT_SYMBOL_IB(ib_mmap_entry_remove);

/* A copy of an area appears; the mm gives no way to fail here. */
static void area_open(struct vm_area_struct *vma)
{
	struct tracked_vma *old = vma->vm_private_data;
	struct ib_ucontext *uctx = old->uctx;
	struct tracked_vma *t;

	t = kzalloc(sizeof(*t), GFP_KERNEL | __GFP_NOFAIL);
	t->uctx = uctx;
	t->vma = vma;
	INIT_LIST_HEAD(&t->link);
	kref_get(&uctx->ref);

	mutex_lock(&uctx->vma_lock);
	t->entry = old->entry;
	if (t->entry)
		kref_get(&t->entry->ref);
	t->dummy = old->dummy;
	if (t->dummy)
		get_page(t->dummy);
	if (!list_empty(&old->link))
		list_add(&t->link, &uctx->vmas);
	mutex_unlock(&uctx->vma_lock);
	vma->vm_private_data = t;
}

static void area_close(struct vm_area_struct *vma)
{
	struct tracked_vma *t = vma->vm_private_data;
	struct ib_ucontext *uctx = t->uctx;

	mutex_lock(&uctx->vma_lock);
	list_del(&t->link);
	mutex_unlock(&uctx->vma_lock);

	if (t->entry)
		ib_mmap_entry_put(t->entry);
	if (t->dummy)
		put_page(t->dummy);
	kfree(t);
	ib_ucontext_put(uctx);
}

/*
 * Pages of the adapter are mapped all at once, so a fault means that they were
 * taken away.
 */
static vm_fault_t area_fault(struct vm_fault *vmf)
{
	struct tracked_vma *t = vmf->vma->vm_private_data;
	struct ib_ucontext *uctx = t->uctx;
	vm_fault_t ret = VM_FAULT_SIGBUS;

	mutex_lock(&uctx->vma_lock);
	if (list_empty(&t->link)) {
		if (!t->dummy)
			t->dummy = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
		ret = VM_FAULT_OOM;
		if (t->dummy)
			ret = vmf_insert_pfn(vmf->vma, vmf->address,
					     page_to_pfn(t->dummy));
	}
	mutex_unlock(&uctx->vma_lock);
	return ret;
}

static const struct vm_operations_struct area_ops = {
	.open	= area_open,
	.close	= area_close,
	.fault	= area_fault,
};

static int check_area(const struct vm_area_struct *vma, unsigned long bytes)
{
	if (bytes != vma->vm_end - vma->vm_start)
		return ib_refuse(IB_LAYER_CORE, -EINVAL,
				 "a mapping of %llu bytes of %llu",
				 vma->vm_end - vma->vm_start, bytes);
	if (!(vma->vm_flags & VM_SHARED))
		return ib_refuse(IB_LAYER_CORE, -EINVAL,
				 "adapter pages need MAP_SHARED", 0, 0);
	if (vma->vm_flags & VM_EXEC)
		return ib_refuse(IB_LAYER_CORE, -EPERM,
				 "adapter pages cannot be executed", 0, 0);
	return 0;
}

static int map_and_track(struct tracked_vma *t, struct vm_area_struct *vma,
			 unsigned long pfn, unsigned long bytes, pgprot_t prot)
{
	struct ib_ucontext *uctx = t->uctx;
	int ret;

	lockdep_assert_held(&uctx->vma_lock);
	if (uctx->zapped)
		return ib_refuse(IB_LAYER_CORE, -EIO, "the device is gone", 0,
				 0);
	vma->vm_page_prot = prot;
	ret = io_remap_pfn_range(vma, vma->vm_start, pfn, bytes, prot);
	if (ret)
		return ib_refuse(IB_LAYER_CORE, ret,
				 "%llu bytes of adapter pages cannot be mapped",
				 bytes, 0);
	/* mprotect() may take rights away, not add them. */
	vm_flags_clear(vma, VM_MAYEXEC);
	if (!(vma->vm_flags & VM_WRITE))
		vm_flags_clear(vma, VM_MAYWRITE);
	vma->vm_private_data = t;
	vma->vm_ops = &area_ops;
	list_add(&t->link, &uctx->vmas);
	return 0;
}

/**
 * ib_mmap_io() - map pages of the adapter into a new area
 * @uctx: context of the file
 * @vma: the area
 * @pfn: first page
 * @bytes: how much; the area must be as large
 * @prot: with the caching that the pages want
 * @entry: what is mapped, or NULL; on success the area holds a reference of
 *         its own
 *
 * Context: Process context, in the driver's mmap(). Takes and releases
 * vma_lock.
 * Return: 0 or a negative errno.
 */
int ib_mmap_io(struct ib_ucontext *uctx, struct vm_area_struct *vma,
	       unsigned long pfn, unsigned long bytes, pgprot_t prot,
	       struct ib_mmap_entry *entry)
{
	struct tracked_vma *t;
	int ret;

	ret = check_area(vma, bytes);
	if (ret)
		return ret;
	t = kzalloc(sizeof(*t), GFP_KERNEL);
	if (!t)
		return ib_refuse(IB_LAYER_CORE, -ENOMEM,
				 "no memory to track a mapping", 0, 0);
	t->uctx = uctx;
	t->vma = vma;
	t->entry = entry;

	mutex_lock(&uctx->vma_lock);
	ret = map_and_track(t, vma, pfn, bytes, prot);
	if (!ret) {
		kref_get(&uctx->ref);
		if (entry)
			kref_get(&entry->ref);
	}
	mutex_unlock(&uctx->vma_lock);
	if (ret)
		kfree(t);
	return ret;
}
EXPORT_SYMBOL_IB(ib_mmap_io);

/*
 * An mm whose areas are to be zapped, with a user's reference. One that has no
 * users any more is being torn down: nobody can touch its pages, it is only
 * forgotten. NULL when nothing is left.
 */
static struct mm_struct *pick_mm(struct ib_ucontext *uctx,
				 struct list_head *gone)
{
	struct tracked_vma *t, *next;

	lockdep_assert_held(&uctx->vma_lock);
	list_for_each_entry_safe(t, next, &uctx->vmas, link) {
		if (mmget_not_zero(t->vma->vm_mm))
			return t->vma->vm_mm;
		list_move(&t->link, gone);
	}
	return NULL;
}

/* Collect the entries of zapped areas: mmap_free() may want vma_lock. */
static struct ib_mmap_entry *take_entry(struct tracked_vma *t)
{
	struct ib_mmap_entry *entry = t->entry;

	t->entry = NULL;
	list_del_init(&t->link);
	return entry;
}

/* One area of @mm, or any area when @mm is NULL; false when there is none */
static bool zap_one(struct ib_ucontext *uctx, struct list_head *areas,
		    struct mm_struct *mm)
{
	struct ib_mmap_entry *entry = NULL;
	struct tracked_vma *t;
	bool found = false;

	mutex_lock(&uctx->vma_lock);
	list_for_each_entry(t, areas, link) {
		if (mm && t->vma->vm_mm != mm)
			continue;
		if (mm)
			zap_vma_ptes(t->vma, t->vma->vm_start,
				     t->vma->vm_end - t->vma->vm_start);
		entry = take_entry(t);
		found = true;
		break;
	}
	mutex_unlock(&uctx->vma_lock);
	if (entry)
		ib_mmap_entry_put(entry);
	return found;
}

/**
 * ib_mmap_zap() - take the adapter's pages away from user space
 * @uctx: context of the file; nothing is mapped through it any more
 *
 * Context: Process context, without mmap_lock. Takes and releases mmap_lock
 * and vma_lock.
 */
void ib_mmap_zap(struct ib_ucontext *uctx)
{
	struct mm_struct *mm;
	LIST_HEAD(gone);

	for (;;) {
		mutex_lock(&uctx->vma_lock);
		uctx->zapped = true;
		mm = pick_mm(uctx, &gone);
		mutex_unlock(&uctx->vma_lock);
		if (!mm)
			break;
		mmap_read_lock(mm);
		while (zap_one(uctx, &uctx->vmas, mm))
			;
		mmap_read_unlock(mm);
		mmput(mm);
	}
	while (zap_one(uctx, &gone, NULL))
		;
}
EXPORT_SYMBOL_IB(ib_mmap_zap);
