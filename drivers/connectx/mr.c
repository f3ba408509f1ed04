// SPDX-License-Identifier: GPL-2.0-only
/* Memory regions: pinned user memory, or all DMA addresses. */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include <ib/refuse.h>
#include <ib/umem.h>

#include <connectx/prm_mkc.h>
#include <connectx/prm_wqe.h>

#include "cx.h"
#include "verbs.h"

#define CX_MR_FEW	8	/* pages */

/**
 * cx_mkey_variant - low byte for a new key
 * @dev: the device
 *
 * It is ours to choose. It changes from key to key, so that a stale key does
 * not fit the next user of its number.
 *
 * Context: Any context.
 * Return: the byte.
 */
u8 cx_mkey_variant(struct ib_device *dev)
{
	return atomic_inc_return(&to_verbs(dev)->variant);
}

/**
 * cx_mkey_rights - what rights of verbs mean for a key
 * @p: result
 * @access: IB_ACCESS_*
 *
 * Context: Any context.
 */
void cx_mkey_rights(struct cx_mkey_params *p, int access)
{
	p->local_read = true;
	p->local_write = access & IB_ACCESS_LOCAL_WRITE;
	p->remote_read = access & IB_ACCESS_REMOTE_READ;
	p->remote_write = access & IB_ACCESS_REMOTE_WRITE;
	p->atomic = access & IB_ACCESS_REMOTE_ATOMIC;
}

/**
 * cx_may_relax - may a key reorder its writes and reads?
 * @cx: the device
 * @access: IB_ACCESS_*; relaxed ordering is a hint: a device that has not both
 *	halves ignores it
 *
 * Context: Any context.
 * Return: true if it may.
 */
bool cx_may_relax(const struct cx_dev *cx, int access)
{
	return access & IB_ACCESS_RELAXED_ORDERING &&
	       cx->caps.relaxed_ordering_write &&
	       cx->caps.relaxed_ordering_read;
}

/**
 * cx_mr_publish - a region has its key
 * @mr: the region
 * @mkey: the key
 *
 * Context: Any context.
 */
void cx_mr_publish(struct ib_mr *mr, u32 mkey)
{
	to_cx_mr(mr)->mkey = mkey;
	mr->lkey = mkey;
	mr->rkey = mkey;
}

static u64 cx_mr_low_bits(const struct cx_dev *cx)
{
	return cx->caps.pg ? CX_MTT_PRESENT : 0;
}

/* Page size and number of pages */
static int cx_mr_measure(const struct cx_mr_range *r, struct cx_mkey_params *p)
{
	u64 pgsz = ib_umem_best_pgsz(r->umem, CX_MKEY_PAGE_SIZES, r->iova);

	if (!pgsz)
		return -EINVAL;	/* ib_umem_best_pgsz() has said why */
	p->pas.page_shift = ilog2(pgsz);
	p->pas.count = ib_num_blocks(r->iova, r->umem->length, pgsz);
	return 0;
}

/* A walk, for who writes entries */
struct cx_mr_walk {
	struct ib_block_iter it;
	u64 low_bits;
};

static void cx_mr_fill(void *arg, __be64 *entries, u64 at, u32 n)
{
	struct cx_mr_walk *walk = arg;

	WARN_ON(ib_block_list(&walk->it, n, walk->low_bits, entries) != n);
}

/*
 * A free key of the pool is put into use. One that refuses is destroyed. Its low
 * byte counts on: who still has the key as it was does not reach the region.
 */
static bool cx_mr_reuse(struct cx_verbs *v, struct ib_umem *umem,
			struct cx_mkey_params *p, struct cx_pool_key *key)
{
	struct cx_mr_walk walk = { .low_bits = cx_mr_low_bits(v->cx) };
	struct cx_umr_xlt x = {
		.count = p->pas.count,
		.fill = cx_mr_fill,
		.arg = &walk,
		.cond = CX_UMR_IF_FREE,
		.p = p,
		.fields = CX_UMR_RANGE | cx_umr_rights(v->cx) |
			  BIT_ULL(CX_UMR_PD) | BIT_ULL(CX_UMR_KEY) |
			  BIT_ULL(CX_UMR_FREE),
	};

	if (!cx_mkey_pool_take(&v->pool, key->room, &x.mkey))
		return false;
	p->variant = x.mkey + 1;
	ib_umem_block_start(&walk.it, umem, BIT_ULL(p->pas.page_shift));
	if (cx_umr_translate(v->cx, &v->umr, &x)) {
		cx_kept(v->cx, x.mkey, cx_cmd_destroy_mkey(v->cx, x.mkey));
		return false;
	}
	key->mkey = (x.mkey & ~0xffu) | p->variant;
	return true;
}

static int cx_mr_create_large(struct cx_dev *cx, struct ib_umem *umem,
			      struct cx_mkey_params *p, u32 *mkey)
{
	unsigned int count;
	int ret;

	p->pas.pages = cx_umem_pages(umem, BIT_ULL(p->pas.page_shift), &count,
				     cx_mr_low_bits(cx));
	if (!p->pas.pages)
		return ib_refuse(IB_LAYER_DRIVER, -ENOMEM,
				 "no memory for a list of %llu pages",
				 p->pas.count, 0);
	ret = cx_cmd_create_mkey(cx, p, mkey);
	kvfree(p->pas.pages);
	return ret;
}

/* A short list is on the stack: most registrations are small. */
static int cx_mr_create(struct cx_dev *cx, struct ib_umem *umem,
			struct cx_mkey_params *p, u32 *mkey)
{
	__be64 few[CX_MR_FEW + 1];

	if (p->pas.count > CX_MR_FEW)
		return cx_mr_create_large(cx, umem, p, mkey);
	cx_umem_list(umem, BIT_ULL(p->pas.page_shift), p->pas.count,
		     cx_mr_low_bits(cx), few);
	p->pas.pages = few;
	return cx_cmd_create_mkey(cx, p, mkey);
}

/**
 * cx_mr_key - make a key for pinned memory
 * @dev: the device
 * @r: the memory and what may be done with it
 * @key: result
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_mr_key(struct ib_device *dev, const struct cx_mr_range *r,
	      struct cx_pool_key *key)
{
	struct cx_dev *cx = to_cx(dev);
	struct cx_verbs *v = to_verbs(dev);
	struct cx_mkey_params p = {
		.pdn = to_cx_pd(r->pd)->pdn,
		.variant = cx_mkey_variant(dev),
		.relaxed_order = cx_may_relax(cx, r->access),
		.start = r->iova,
		.len = r->length,
	};
	int ret;

	ret = cx_mr_measure(r, &p);
	if (ret)
		return ret;
	cx_mkey_rights(&p, r->access);
	key->room = cx_mkey_pool_room(cx, &v->pool, p.pas.count, r->access);
	if (key->room && cx_mr_reuse(v, r->umem, &p, key))
		return 0;
	p.room = key->room;
	return cx_mr_create(cx, r->umem, &p, &key->mkey);
}

static int cx_reg_odp_mr(struct ib_mr *mr, const struct cx_mr_range *range,
			 u64 start)
{
	struct cx_mr *m = to_cx_mr(mr);
	int ret;

	ret = cx_odp_make(mr, range, start, &m->odp);
	if (!ret)
		cx_mr_publish(mr, m->odp->key.mkey);
	return ret;
}

static int cx_dereg_odp_mr(struct cx_mr *m)
{
	int ret = cx_odp_destroy(m->odp);

	if (!ret)
		m->odp = NULL;
	return ret;
}

/**
 * cx_reg_user_mr - ib_device_ops.reg_user_mr
 * @mr: the region to fill
 * @start: user address
 * @length: bytes
 * @iova: address that work requests will use for @start
 * @access: IB_ACCESS_*
 * @udata: the call of user space
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_reg_user_mr(struct ib_mr *mr, u64 start, u64 length, u64 iova,
		   int access, struct ib_udata *udata)
{
	struct cx_mr_range range = {
		.pd = mr->pd,
		.iova = iova,
		.length = length,
		.access = access,
	};
	struct cx_pool_key key;
	int ret;

	if (access & IB_ACCESS_ON_DEMAND)
		return cx_reg_odp_mr(mr, &range, start);
	range.umem = ib_umem_get(mr->obj.device, start, length, access);
	if (IS_ERR(range.umem))
		return PTR_ERR(range.umem);
	ret = cx_mr_key(mr->obj.device, &range, &key);
	if (ret) {
		ib_umem_release(range.umem);
		return ret;
	}
	to_cx_mr(mr)->umem = range.umem;
	to_cx_mr(mr)->room = key.room;
	cx_mr_publish(mr, key.mkey);
	return 0;
}

/**
 * cx_mr_make_key - make the key of a region without pages of the host
 * @mr: the region
 * @p: what the key shall be
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_mr_make_key(struct ib_mr *mr, const struct cx_mkey_params *p)
{
	u32 mkey;
	int ret;

	ret = cx_cmd_create_mkey(to_cx(mr->obj.device), p, &mkey);
	if (!ret)
		cx_mr_publish(mr, mkey);
	return ret;
}

/**
 * cx_get_dma_mr - ib_device_ops.get_dma_mr
 * @mr: the region to fill: all DMA addresses
 * @access: IB_ACCESS_*
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_get_dma_mr(struct ib_mr *mr, int access)
{
	struct cx_dev *cx = to_cx(mr->obj.device);
	struct cx_mkey_params p = {
		.pdn = to_cx_pd(mr->pd)->pdn,
		.variant = cx_mkey_variant(mr->obj.device),
		.whole = true,
		.relaxed_order = cx_may_relax(cx, access),
	};

	cx_mkey_rights(&p, access);
	return cx_mr_make_key(mr, &p);
}

/**
 * cx_dereg_mr - ib_device_ops.dereg_mr
 * @mr: the region
 * @udata: the call of user space, or NULL
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno: the key still works.
 */
int cx_dereg_mr(struct ib_mr *mr, struct ib_udata *udata)
{
	struct cx_dev *cx = to_cx(mr->obj.device);
	struct cx_mr *m = to_cx_mr(mr);
	const struct cx_pool_key key = { .mkey = m->mkey, .room = m->room };
	int ret;

	if (m->dmabuf)
		return cx_dmabuf_dereg(m);
	if (m->odp)
		return cx_dereg_odp_mr(m);
	if (!cx_mkey_pool_give(cx, &to_verbs(mr->obj.device)->pool, &key)) {
		ret = cx_destroyed(cx, cx_cmd_destroy_mkey(cx, m->mkey));
		if (ret)
			return ret;
	}
	if (m->umem)
		ib_umem_release(m->umem);
	return 0;
}
