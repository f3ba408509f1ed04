// SPDX-License-Identifier: GPL-2.0-only
/* Device memory: given out, mapped, registered. */
#include <linux/bitmap.h>
#include <linux/capability.h>
#include <linux/slab.h>

#include <rdma/mlx5-abi.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>

#include <ib/refuse.h>

#include "cx.h"
#include "dm.h"
#include "verbs.h"

/* The extended part of a mapping's offset is not needed for so few pages */
#define CX_DM_MIN_PGOFF		(MLX5_IB_MMAP_DEVICE_MEM << 8)
#define CX_DM_MAX_PGOFF		(CX_DM_MIN_PGOFF + CX_MEMIC_MAX_PAGES - 1)

#define CX_DM_ACCESS		(IB_ACCESS_LOCAL_WRITE | \
				 IB_ACCESS_REMOTE_READ | \
				 IB_ACCESS_REMOTE_WRITE | \
				 IB_ACCESS_REMOTE_ATOMIC | \
				 IB_ACCESS_ZERO_BASED)

/* A run of pages that nobody has, from @from on; they are ours now. */
static int cx_dm_take_pages(struct cx_verbs *v, unsigned int from,
			    unsigned int npages, unsigned int *first)
{
	unsigned int all = v->cx->caps.memic_pages;
	struct cx_dm_space *s = &v->dm;
	unsigned long at;

	mutex_lock(&s->lock);
	at = bitmap_find_next_zero_area(s->used, all, from, npages, 0);
	if (at < all)
		bitmap_set(s->used, at, npages);
	mutex_unlock(&s->lock);
	if (at >= all)
		return ib_refuse(IB_LAYER_DRIVER, -ENOMEM,
				 "device memory: no run of %llu free pages of %llu",
				 npages, all);
	*first = at;
	return 0;
}

static void cx_dm_give_pages(struct cx_verbs *v, unsigned int first,
			     unsigned int npages)
{
	struct cx_dm_space *s = &v->dm;

	mutex_lock(&s->lock);
	bitmap_clear(s->used, first, npages);
	mutex_unlock(&s->lock);
}

/* Memory behind pages that are ours */
static int cx_dm_fill(struct cx_dev *cx, struct cx_dm_entry *entry,
		      unsigned int npages, u8 log_align)
{
	const struct cx_memic_params p = {
		.range = cx->caps.memic_start +
			 ((u64)entry->first << PAGE_SHIFT),
		.range_bytes = npages << PAGE_SHIFT,
		.len = entry->bytes,
		.log_align = log_align,
	};
	int ret;

	ret = cx_cmd_alloc_memic(cx, &p, &entry->addr);
	if (ret)
		return ret;
	if (cx_memic_fits(entry->addr, p.len, p.range, p.range_bytes))
		return 0;
	dev_err(cx->dev, "firmware put device memory at 0x%llx, not at 0x%llx\n",
		entry->addr, p.range);
	cx_cmd_dealloc_memic(cx, entry->addr, p.len);
	return ib_refuse(IB_LAYER_DRIVER, -EIO,
			 "firmware put device memory at 0x%llx, not at 0x%llx",
			 entry->addr, p.range);
}

/* What the firmware cannot put at one place it may put at another. */
static int cx_dm_place(struct cx_verbs *v, struct cx_dm_entry *entry,
		       unsigned int npages, u8 log_align)
{
	unsigned int from = 0;
	int ret;

	do {
		ret = cx_dm_take_pages(v, from, npages, &entry->first);
		if (ret)
			return ret;
		ret = cx_dm_fill(v->cx, entry, npages, log_align);
		if (ret)
			cx_dm_give_pages(v, entry->first, npages);
		from = entry->first + 1;
	} while (ret == -EAGAIN);
	return ret;
}

/* Memory that the firmware does not take back stays ours, and of no use. */
static void cx_dm_drop(struct cx_verbs *v, const struct cx_dm_entry *entry,
		       unsigned int npages)
{
	int ret = cx_cmd_dealloc_memic(v->cx, entry->addr, entry->bytes);

	if (!cx_kept(v->cx, entry->first, ret))
		cx_dm_give_pages(v, entry->first, npages);
}

static int cx_dm_alignment(const struct cx_caps *caps, u32 log, u8 *log_align)
{
	u32 above = log > CX_MEMIC_UNIT_SHIFT ? log - CX_MEMIC_UNIT_SHIFT : 0;

	if (above > caps->memic_log_align)
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "device memory aligned to 2^%llu, adapter can 2^%llu",
				 log,
				 caps->memic_log_align + CX_MEMIC_UNIT_SHIFT);
	*log_align = above;
	return 0;
}

static struct cx_dm_entry *cx_dm_entry_alloc(struct ib_ucontext *uctx,
					     u64 bytes, u8 log_align)
{
	struct cx_verbs *v = to_verbs(uctx->obj.device);
	unsigned int npages = DIV_ROUND_UP_ULL(bytes, PAGE_SIZE);
	struct cx_dm_entry *entry;
	int ret;

	entry = kzalloc(sizeof(*entry), GFP_KERNEL_ACCOUNT);
	if (!entry)
		return ERR_PTR(ib_refuse(IB_LAYER_DRIVER, -ENOMEM, "no memory",
					 0, 0));
	entry->bytes = bytes;
	ret = cx_dm_place(v, entry, npages, log_align);
	if (ret)
		goto err_entry;
	ret = ib_mmap_entry_insert(uctx, &entry->base,
				   (size_t)npages << PAGE_SHIFT,
				   CX_DM_MIN_PGOFF, CX_DM_MAX_PGOFF);
	if (ret)
		goto err_memory;
	return entry;

err_memory:
	cx_dm_drop(v, entry, npages);
err_entry:
	kfree(entry);
	return ERR_PTR(ret);
}

/**
 * cx_dm_is_entry - is this a piece of device memory?
 * @base: what a mapping maps
 *
 * Context: Any context.
 * Return: false for a doorbell page.
 */
bool cx_dm_is_entry(const struct ib_mmap_entry *base)
{
	return base->start_pgoff <= CX_DM_MAX_PGOFF;
}

/**
 * cx_dm_addr - bus address of the pages of device memory
 * @base: cx_dm_is_entry()
 *
 * Context: Any context.
 * Return: address of the first byte of the first page.
 */
phys_addr_t cx_dm_addr(const struct ib_mmap_entry *base)
{
	const struct cx_dm_entry *entry =
		container_of(base, struct cx_dm_entry, base);

	return to_cx(base->ucontext->obj.device)->bar +
	       (entry->addr & PAGE_MASK);
}

/**
 * cx_dm_free - nobody has this device memory any more
 * @base: cx_dm_is_entry()
 *
 * Context: Process context. Sleeps.
 */
void cx_dm_free(struct ib_mmap_entry *base)
{
	struct cx_dm_entry *entry = container_of(base, struct cx_dm_entry,
						 base);

	cx_dm_drop(to_verbs(base->ucontext->obj.device), entry, base->npages);
	kfree(entry);
}

/* All but MEMIC belong to flow steering. */
static int cx_dm_check_type(struct uverbs_bundle *b)
{
	u64 type = MLX5_IB_UAPI_DM_TYPE_MEMIC;
	int ret;

	if (uverbs_attr_present(b, MLX5_IB_ATTR_ALLOC_DM_REQ_TYPE)) {
		ret = uverbs_attr_u64(b, MLX5_IB_ATTR_ALLOC_DM_REQ_TYPE, &type);
		if (ret)
			return ret;
	}
	if (type == MLX5_IB_UAPI_DM_TYPE_MEMIC)
		return 0;
	if (type > U32_MAX)
		return ib_refuse_attr(IB_LAYER_DRIVER,
				      MLX5_IB_ATTR_ALLOC_DM_REQ_TYPE, -EINVAL,
				      "0x%llx is no type of memory", type, 0);
	if (type <= MLX5_IB_UAPI_DM_TYPE_ENCAP_SW_ICM &&
	    !(capable(CAP_SYS_RAWIO) && capable(CAP_NET_RAW)))
		return ib_refuse_attr(IB_LAYER_DRIVER,
				      MLX5_IB_ATTR_ALLOC_DM_REQ_TYPE, -EPERM,
				      "memory of flow steering (type %llu) needs CAP_SYS_RAWIO and CAP_NET_RAW",
				      type, 0);
	return ib_refuse_attr(IB_LAYER_DRIVER, MLX5_IB_ATTR_ALLOC_DM_REQ_TYPE,
			      -EOPNOTSUPP, "memory of type %llu", type, 0);
}

/**
 * cx_alloc_dm - ib_device_ops.alloc_dm
 * @dm: the memory to fill
 * @attr: how much
 * @b: the call, with our attributes for the answer
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_alloc_dm(struct ib_dm *dm, const struct ib_dm_alloc_attr *attr,
		struct uverbs_bundle *b)
{
	struct cx_dev *cx = to_cx(dm->obj.device);
	u64 bytes = cx_memic_bytes(attr->length);
	struct cx_dm_entry *entry;
	u8 log_align = 0;
	int ret;

	if (!b)
		return ib_refuse(IB_LAYER_DRIVER, -EOPNOTSUPP,
				 "device memory is for user space", 0, 0);
	ret = cx_dm_check_type(b);
	if (!ret && !bytes)
		ret = ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				"device memory of %llu bytes", attr->length, 0);
	if (!ret)
		ret = cx_dm_alignment(&cx->caps, attr->alignment, &log_align);
	if (!ret && bytes > cx->caps.memic_bytes)
		ret = ib_refuse(IB_LAYER_DRIVER, -ENOMEM,
				"device memory: need %llu bytes, adapter has %llu",
				bytes, cx->caps.memic_bytes);
	if (ret)
		return ret;
	entry = cx_dm_entry_alloc(uverbs_context(b), bytes, log_align);
	if (IS_ERR(entry))
		return PTR_ERR(entry);
	ret = cx_dm_answer(b, entry, MLX5_IB_ATTR_ALLOC_DM_RESP_PAGE_INDEX,
			   MLX5_IB_ATTR_ALLOC_DM_RESP_START_OFFSET);
	if (ret) {
		ib_mmap_entry_remove(&entry->base);
		return ret;
	}
	to_cx_dm(dm)->entry = entry;
	return 0;
}

/**
 * cx_dealloc_dm - ib_device_ops.dealloc_dm
 * @dm: the memory; what still maps it keeps it
 * @b: the call, or NULL
 *
 * Context: Process context. Sleeps.
 * Return: 0.
 */
int cx_dealloc_dm(struct ib_dm *dm, struct uverbs_bundle *b)
{
	ib_mmap_entry_remove(&to_cx_dm(dm)->entry->base);
	return 0;
}

/**
 * cx_reg_dm_mr - ib_device_ops.reg_dm_mr
 * @mr: the region to fill
 * @dm: the memory
 * @attr: which piece of it, inside its bounds
 * @b: the call, or NULL
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_reg_dm_mr(struct ib_mr *mr, struct ib_dm *dm,
		 const struct ib_dm_mr_attr *attr, struct uverbs_bundle *b)
{
	struct cx_mkey_params p = {
		.pdn = to_cx_pd(mr->pd)->pdn,
		.variant = cx_mkey_variant(mr->obj.device),
		.device_memory = true,
		.start = to_cx_dm(dm)->entry->addr + attr->offset,
		.len = attr->length,
	};

	if (attr->access & ~CX_DM_ACCESS)
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "access 0x%llx: device memory has not 0x%llx",
				 attr->access, attr->access & ~CX_DM_ACCESS);
	cx_mkey_rights(&p, attr->access);
	return cx_mr_make_key(mr, &p);
}
