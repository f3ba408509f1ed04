// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pages of the adapter in user space. The offset says what: a command in bits
 * 8 to 15 of the page offset. Commands from 9 on are the range from which
 * UAR objects get their offsets, that of device memory is dm.c's.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include <rdma/mlx5-abi.h>

#include <ib/refuse.h>

#include <connectx/prm_initseg.h>

#include "cx.h"
#include "uar.h"
#include "verbs.h"

#define CX_MMAP_CMD(pgoff)	((pgoff) >> 8 & 0xff)
#define CX_MMAP_INDEX(pgoff)	((pgoff) & 0xff)
#define CX_MMAP_FIRST_ENTRY	9
#define CX_MMAP_MIN_PGOFF	(CX_MMAP_FIRST_ENTRY << 8)
#define CX_MMAP_MAX_PGOFF	0xffff

static int cx_mmap_page(struct ib_ucontext *uctx, struct vm_area_struct *vma,
			phys_addr_t addr)
{
	return ib_mmap_io(uctx, vma, addr >> PAGE_SHIFT, PAGE_SIZE,
			  pgprot_noncached(vma->vm_page_prot), NULL);
}

static int cx_mmap_one_page(const struct vm_area_struct *vma)
{
	u64 len = vma->vm_end - vma->vm_start;

	if (len == PAGE_SIZE)
		return 0;
	return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
			 "mapping of %llu bytes, must be one page of %llu",
			 len, PAGE_SIZE);
}

static int cx_mmap_legacy_uar(struct cx_ucontext *c,
			      struct vm_area_struct *vma)
{
	u32 index = CX_MMAP_INDEX(vma->vm_pgoff);
	struct cx_dev *cx = to_cx(c->base.obj.device);
	u32 n = c->num_bfregs / CX_BFREGS_PER_PAGE;
	int ret;

	if (c->dynamic)
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "this context maps UAR objects only", 0, 0);
	ret = cx_mmap_one_page(vma);
	if (ret)
		return ret;
	if (index >= n)
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "doorbell page %llu of %llu", index, n);
	return cx_mmap_page(&c->base, vma, cx_uar_addr(cx, c->pages[index]));
}

static int cx_mmap_clock(struct cx_ucontext *c, struct vm_area_struct *vma)
{
	struct cx_dev *cx = to_cx(c->base.obj.device);
	int ret;

	ret = cx_mmap_one_page(vma);
	if (ret)
		return ret;
	if (vma->vm_flags & VM_WRITE)
		return ib_refuse(IB_LAYER_DRIVER, -EPERM,
				 "the clock is not writable", 0, 0);
	vm_flags_clear(vma, VM_MAYWRITE);
	/* larger pages would show registers that are none of its business */
	if (PAGE_SIZE > CX_UAR_PAGE_BYTES)
		return ib_refuse(IB_LAYER_DRIVER, -EOPNOTSUPP,
				 "pages are larger than the clock's", 0, 0);
	return cx_mmap_page(&c->base, vma, cx->bar + CX_ISEG_TIMER_H);
}

static phys_addr_t cx_uar_entry_addr(const struct ib_mmap_entry *base)
{
	const struct cx_uar_entry *entry =
		container_of(base, struct cx_uar_entry, base);

	return cx_uar_addr(to_cx(base->ucontext->obj.device), entry->index);
}

static int cx_mmap_entry(struct cx_ucontext *c, struct vm_area_struct *vma)
{
	struct ib_mmap_entry *entry;
	phys_addr_t addr;
	pgprot_t prot;
	int ret;

	entry = ib_mmap_entry_get(&c->base, vma);
	if (!entry)
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "nothing to map at page offset 0x%llx",
				 vma->vm_pgoff, 0);
	if (cx_dm_is_entry(entry)) {
		addr = cx_dm_addr(entry);
		prot = pgprot_writecombine(vma->vm_page_prot);
	} else {
		addr = cx_uar_entry_addr(entry);
		prot = pgprot_noncached(vma->vm_page_prot);
	}
	ret = ib_mmap_io(&c->base, vma, addr >> PAGE_SHIFT,
			 entry->npages << PAGE_SHIFT, prot, entry);
	ib_mmap_entry_put(entry);
	return ret;
}

/**
 * cx_mmap - ib_device_ops.mmap
 * @uctx: the context
 * @vma: the mapping
 *
 * Context: Process context, mmap_lock held.
 * Return: 0 or a negative errno.
 */
int cx_mmap(struct ib_ucontext *uctx, struct vm_area_struct *vma)
{
	struct cx_ucontext *c = to_cx_ucontext(uctx);

	switch (CX_MMAP_CMD(vma->vm_pgoff)) {
	case MLX5_IB_MMAP_REGULAR_PAGE:
	case MLX5_IB_MMAP_NC_PAGE:
		return cx_mmap_legacy_uar(c, vma);
	case MLX5_IB_MMAP_WC_PAGE:
	case MLX5_IB_MMAP_ALLOC_WC:
		return ib_refuse(IB_LAYER_DRIVER, -EPERM,
				 "doorbells are not write-combining", 0, 0);
	case MLX5_IB_MMAP_GET_CONTIGUOUS_PAGES:
		return ib_refuse(IB_LAYER_DRIVER, -ENOSYS,
				 "contiguous pages are not offered", 0, 0);
	case MLX5_IB_MMAP_CORE_CLOCK:
		return cx_mmap_clock(c, vma);
	case MLX5_IB_MMAP_CLOCK_INFO:
		return ib_refuse(IB_LAYER_DRIVER, -EOPNOTSUPP,
				 "clock information is not offered", 0, 0);
	default:
		return cx_mmap_entry(c, vma);
	}
}

/**
 * cx_uar_entry_alloc - get a doorbell page that user space can map
 * @c: the context
 *
 * Context: Process context. Sleeps.
 * Return: the page, or an ERR_PTR().
 */
struct cx_uar_entry *cx_uar_entry_alloc(struct cx_ucontext *c)
{
	struct cx_dev *cx = to_cx(c->base.obj.device);
	struct cx_uar_entry *entry;
	int ret;

	entry = kzalloc(sizeof(*entry), GFP_KERNEL);
	if (!entry)
		return ERR_PTR(ib_refuse(IB_LAYER_DRIVER, -ENOMEM,
					 "no memory", 0, 0));
	ret = cx_uar_alloc(cx, &entry->index);
	if (ret)
		goto err_entry;
	ret = ib_mmap_entry_insert(&c->base, &entry->base, PAGE_SIZE,
				   CX_MMAP_MIN_PGOFF, CX_MMAP_MAX_PGOFF);
	if (ret)
		goto err_uar;
	ret = xa_insert(&c->uars, entry->index, entry, GFP_KERNEL);
	if (ret) {
		ib_refuse(IB_LAYER_DRIVER, ret,
			  "doorbell page %llu cannot be noted", entry->index,
			  0);
		/* cx_mmap_free() does the rest */
		ib_mmap_entry_remove(&entry->base);
		return ERR_PTR(ret);
	}
	return entry;

err_uar:
	cx_uar_free(cx, entry->index);
err_entry:
	kfree(entry);
	return ERR_PTR(ret);
}

static void cx_uar_entry_free(struct ib_mmap_entry *base)
{
	struct cx_uar_entry *entry = container_of(base, struct cx_uar_entry,
						  base);
	struct cx_ucontext *c = to_cx_ucontext(base->ucontext);

	/* an entry that lost a race for its number is not in the table */
	xa_cmpxchg(&c->uars, entry->index, entry, NULL, GFP_KERNEL);
	cx_uar_free(to_cx(c->base.obj.device), entry->index);
	kfree(entry);
}

/**
 * cx_mmap_free - ib_device_ops.mmap_free
 * @base: pages that nobody maps and no object uses any more
 *
 * Context: Process context. Sleeps.
 */
void cx_mmap_free(struct ib_mmap_entry *base)
{
	if (cx_dm_is_entry(base))
		cx_dm_free(base);
	else
		cx_uar_entry_free(base);
}
