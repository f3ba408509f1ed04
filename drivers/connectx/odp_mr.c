// SPDX-License-Identifier: GPL-2.0-only
/* Regions whose entries come by page faults: how they begin and end. */
#include <linux/err.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include <ib/refuse.h>
#include <ib/umem_odp.h>

#include <connectx/prm_mkc.h>

#include "cx.h"
#include "odp_space.h"
#include "verbs.h"

/* With 16 bits of offset a request reaches less than this many pages. */
#define CX_ODP_NEAR_PAGES	BIT_ULL(16)

/**
 * cx_odp_show - let page faults find a region (again)
 * @o: the region, which nobody uses
 *
 * Context: Process context.
 */
void cx_odp_show(struct cx_odp_mr *o)
{
	refcount_set(&o->users, 1);
	reinit_completion(&o->idle);
	xa_lock(&o->key.v->odp.keys);
	WRITE_ONCE(o->hidden, false);
	xa_unlock(&o->key.v->odp.keys);
}

/**
 * cx_odp_hide - nobody finds a region any more, nobody uses it
 * @o: the region
 *
 * Context: Process context. Waits for page faults and advice.
 */
void cx_odp_hide(struct cx_odp_mr *o)
{
	xa_lock(&o->key.v->odp.keys);
	WRITE_ONCE(o->hidden, true);
	xa_unlock(&o->key.v->odp.keys);
	cx_odp_put(o);
	wait_for_completion(&o->idle);
}

/**
 * cx_odp_forget - a region is gone
 * @o: the region, hidden
 *
 * Its number is free already: somebody else may stand in its place.
 *
 * Context: Process context.
 */
void cx_odp_forget(struct cx_odp_mr *o)
{
	xa_cmpxchg(&o->key.v->odp.keys, o->key.mkey >> CX_MKEY_INDEX_SHIFT, o,
		   NULL, 0);
	kfree(o);
}

static int cx_odp_publish(struct cx_odp_mr *o)
{
	int ret;

	init_completion(&o->idle);
	refcount_set(&o->users, 1);
	ret = xa_err(xa_store(&o->key.v->odp.keys,
			      o->key.mkey >> CX_MKEY_INDEX_SHIFT, o,
			      GFP_KERNEL));
	if (ret)
		return ib_refuse(IB_LAYER_DRIVER, ret,
				 "no memory to find key 0x%llx", o->key.mkey,
				 0);
	return 0;
}

static struct cx_odp_mr *cx_odp_alloc(struct ib_mr *mr, u64 iova,
				      bool writable)
{
	struct cx_odp_mr *o = kzalloc(sizeof(*o), GFP_KERNEL_ACCOUNT);

	if (!o)
		return ERR_PTR(ib_refuse(IB_LAYER_DRIVER, -ENOMEM, "no memory",
					 0, 0));
	o->mr = mr;
	o->iova = iova;
	o->key.v = to_verbs(mr->obj.device);
	o->writable = writable;
	return o;
}

static int cx_odp_check(const struct cx_caps *caps, u64 start, u64 length,
			u64 iova)
{
	if (!start && length == U64_MAX) {
		if (iova)
			return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
					 "all addresses begin at 0, not at iova 0x%llx",
					 iova, 0);
		if (!caps->odp_implicit)
			return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
					 "the adapter cannot page in a region of all addresses",
					 0, 0);
		return 0;
	}
	if (!caps->umr_far && length >= CX_ODP_NEAR_PAGES << PAGE_SHIFT)
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "0x%llx bytes to page in, less than 0x%llx with this adapter",
				 length, CX_ODP_NEAR_PAGES << PAGE_SHIFT);
	return 0;
}

/* What the process has there already need not fault. */
static int cx_odp_make_range(struct cx_odp_mr *o, const struct cx_mr_range *r,
			     u64 start)
{
	struct ib_umem_odp *umem;
	int ret;

	umem = ib_umem_odp_get(&o->key.v->base, current->mm, start, r->length,
			       r->access, &cx_odp_ops);
	if (IS_ERR(umem))
		return PTR_ERR(umem);
	umem->priv = &o->key;
	o->key.umem = umem;
	if ((start ^ r->iova) & (BIT_ULL(umem->page_shift) - 1)) {
		ret = ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				"0x%llx and iova 0x%llx differ in their place in a huge page",
				start, r->iova);
		goto err_umem;
	}
	ret = cx_odp_key_make(&o->key, to_cx_pd(r->pd)->pdn, r->iova,
			      r->length, r->access);
	if (ret)
		goto err_umem;
	ret = ib_umem_odp_map(umem, start, r->length, IB_ODP_MAP_PRESENT);
	if (ret)
		goto err_key;
	ret = cx_odp_publish(o);
	if (ret)
		goto err_key;
	return 0;

err_key:
	cx_odp_key_give_up(&o->key);
err_umem:
	ib_umem_odp_release(umem);
	return ret;
}

static int cx_odp_make_space(struct cx_odp_mr *o, const struct cx_mr_range *r)
{
	int ret;

	ret = cx_odp_space_make(o, to_cx_pd(r->pd)->pdn, r->access);
	if (ret)
		return ret;
	ret = cx_odp_publish(o);
	if (ret)
		cx_odp_space_give_up(o);
	return ret;
}

/**
 * cx_odp_make - let the adapter page in memory of the running process
 * @mr: the region
 * @r: what it covers, and for whom; all ones from address 0 on means all
 *	addresses
 * @start: user address
 * @result: for cx_odp_destroy()
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_odp_make(struct ib_mr *mr, const struct cx_mr_range *r, u64 start,
		struct cx_odp_mr **result)
{
	struct cx_verbs *v = to_verbs(mr->obj.device);
	struct cx_odp_mr *o;
	int ret;

	ret = cx_odp_check(&v->cx->caps, start, r->length, r->iova);
	if (!ret)
		ret = cx_umr_prepare(v->cx, &v->umr);
	if (ret)
		return ret;
	o = cx_odp_alloc(mr, r->iova, r->access & IB_ACCESS_WRITES);
	if (IS_ERR(o))
		return PTR_ERR(o);
	if (!start && r->length == U64_MAX)
		ret = cx_odp_make_space(o, r);
	else
		ret = cx_odp_make_range(o, r, start);
	if (ret) {
		kfree(o);
		return ret;
	}
	*result = o;
	return 0;
}

/**
 * cx_odp_destroy - undo cx_odp_make()
 * @o: the region
 *
 * Context: Process context. Waits for page faults and advice.
 * Return: 0, or a negative errno and the region still works.
 */
int cx_odp_destroy(struct cx_odp_mr *o)
{
	int ret;

	cx_odp_hide(o);
	if (o->space)
		ret = cx_odp_space_destroy(o);
	else
		ret = cx_odp_key_destroy(&o->key);
	if (ret) {
		cx_odp_show(o);
		return ret;
	}
	if (o->key.umem)
		ib_umem_odp_release(o->key.umem);
	cx_odp_forget(o);
	return 0;
}

/**
 * cx_odp_give_up - the same, for who cannot try again
 * @o: the region
 *
 * Context: Process context. Waits for page faults and advice.
 */
void cx_odp_give_up(struct cx_odp_mr *o)
{
	cx_odp_hide(o);
	if (o->space) {
		cx_odp_space_give_up(o);
	} else {
		cx_odp_key_give_up(&o->key);
		ib_umem_odp_release(o->key.umem);
	}
	cx_odp_forget(o);
}

/**
 * cx_odp_watch - page faults on a DMA buffer that may move
 * @mr: the region
 * @mkey: its key
 * @writable: it may be written
 *
 * Context: Process context. Sleeps.
 * Return: for cx_odp_hide() and cx_odp_forget(), or an ERR_PTR().
 */
struct cx_odp_mr *cx_odp_watch(struct ib_mr *mr, u32 mkey, bool writable)
{
	struct cx_odp_mr *o = cx_odp_alloc(mr, mr->iova, writable);
	int ret;

	if (IS_ERR(o))
		return o;
	o->key.mkey = mkey;
	ret = cx_odp_publish(o);
	if (!ret)
		return o;
	kfree(o);
	return ERR_PTR(ret);
}
