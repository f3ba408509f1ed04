// SPDX-License-Identifier: GPL-2.0-only
/*
 * A region changes. Rights and protection domain change in place, the key
 * keeps its value. Other memory takes a new key, which is made before the old
 * one goes. Either way a failure leaves the region as it was.
 */
#include <linux/err.h>
#include <linux/sched.h>

#include <ib/refuse.h>
#include <ib/umem.h>
#include <ib/umem_dmabuf.h>

#include <connectx/prm_wqe.h>

#include "cx.h"
#include "odp_space.h"
#include "verbs.h"

/* Memory that was pinned for reading has to be pinned anew to be written. */
static struct ib_umem *cx_rereg_pin(struct ib_mr *mr,
				    const struct ib_rereg_attr *attr,
				    int access)
{
	const struct ib_umem *umem = to_cx_mr(mr)->umem;

	if (attr->flags & IB_MR_REREG_TRANS)
		return ib_umem_get(mr->obj.device, attr->start, attr->length,
				   access);
	if (umem->mm != current->mm)
		return ERR_PTR(ib_refuse(IB_LAYER_DRIVER, -EACCES,
					 "memory at 0x%llx was registered for reading, by another process",
					 umem->address, 0));
	return ib_umem_get(mr->obj.device, umem->address, umem->length,
			   access);
}

/* A new key, then the old one goes. */
static int cx_rereg_replace(struct ib_mr *mr, const struct ib_rereg_attr *attr,
			    struct cx_mr_range *range)
{
	struct cx_dev *cx = to_cx(mr->obj.device);
	struct cx_mr *m = to_cx_mr(mr);
	struct cx_pool_key key;
	int ret;

	range->umem = cx_rereg_pin(mr, attr, range->access);
	if (IS_ERR(range->umem))
		return PTR_ERR(range->umem);
	ret = cx_mr_key(mr->obj.device, range, &key);
	if (ret)
		goto err_umem;
	ret = cx_dereg_mr(mr, NULL);
	if (ret)
		goto err_mkey;
	m->umem = range->umem;
	m->dmabuf = NULL;
	m->room = key.room;
	cx_mr_publish(mr, key.mkey);
	return 0;

err_mkey:
	if (cx_kept(cx, key.mkey, cx_cmd_destroy_mkey(cx, key.mkey)))
		return ret;
err_umem:
	ib_umem_release(range->umem);
	return ret;
}

/* The same for memory that is paged on demand: named anew, or all addresses */
static int cx_rereg_page_in(struct ib_mr *mr, const struct ib_rereg_attr *attr,
			    const struct cx_mr_range *range)
{
	u64 start = attr->flags & IB_MR_REREG_TRANS ? attr->start : 0;
	struct cx_mr *m = to_cx_mr(mr);
	struct cx_odp_mr *o;
	int ret;

	ret = cx_odp_make(mr, range, start, &o);
	if (ret)
		return ret;
	ret = cx_dereg_mr(mr, NULL);
	if (ret) {
		cx_odp_give_up(o);
		return ret;
	}
	m->umem = NULL;
	m->dmabuf = NULL;
	m->odp = o;
	cx_mr_publish(mr, o->key.mkey);
	return 0;
}

/* The same key with other rights or another protection domain */
static int cx_rereg_in_place(struct ib_mr *mr,
			     const struct ib_rereg_attr *attr,
			     const struct cx_mr_range *range)
{
	struct cx_verbs *v = to_verbs(mr->obj.device);
	struct cx_mkey_params p = { .pdn = to_cx_pd(range->pd)->pdn };
	u64 fields = 0;

	cx_mkey_rights(&p, range->access);
	if (attr->flags & IB_MR_REREG_ACCESS)
		fields |= cx_umr_rights(v->cx);
	if (attr->flags & IB_MR_REREG_PD)
		fields |= BIT_ULL(CX_UMR_PD);
	if (!fields)
		return 0;
	return cx_umr_change(v->cx, &v->umr, to_cx_mr(mr)->mkey, &p, fields);
}

/*
 * How writes are ordered was said when the memory was mapped. Not every
 * firmware lets a request change the right to atomics.
 */
static bool cx_needs_new_key(const struct ib_mr *mr, int change)
{
	return change & IB_ACCESS_RELAXED_ORDERING ||
	       (change & IB_ACCESS_REMOTE_ATOMIC &&
		to_cx(mr->obj.device)->caps.umr_modify_atomic_disabled);
}

static bool cx_rereg_moves(const struct ib_mr *mr,
			   const struct ib_rereg_attr *attr, int access)
{
	return attr->flags & IB_MR_REREG_TRANS ||
	       (access & IB_ACCESS_WRITES && !to_cx_mr(mr)->umem->writable) ||
	       cx_needs_new_key(mr, mr->access ^ access);
}

/*
 * A change that needs a new key needs the memory again, and the descriptor of
 * a DMA buffer is not kept.
 */
static int cx_rereg_check_dmabuf(const struct ib_mr *mr, int access)
{
	int change = mr->access ^ access;

	if (access & IB_ACCESS_WRITES && !to_cx_mr(mr)->dmabuf->writable)
		return ib_refuse(IB_LAYER_DRIVER, -EACCES,
				 "DMA buffer was registered for reading", 0, 0);
	if (cx_needs_new_key(mr, change))
		return ib_refuse(IB_LAYER_DRIVER, -EOPNOTSUPP,
				 "rights 0x%llx of a DMA buffer cannot change",
				 change, 0);
	return 0;
}

#define CX_CHANGEABLE	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | \
			 IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC | \
			 IB_ACCESS_RELAXED_ORDERING)

/*
 * Rights or protection domain of memory that is paged on demand. A region of
 * all addresses has many keys, so it gets a new one of each.
 */
static int cx_rereg_odp(struct ib_mr *mr, const struct ib_rereg_attr *attr,
			const struct cx_mr_range *range)
{
	const struct cx_odp_mr *o = to_cx_mr(mr)->odp;
	int change = mr->access ^ range->access;

	if (range->access & IB_ACCESS_WRITES && !o->writable)
		return ib_refuse(IB_LAYER_DRIVER, -EACCES,
				 "region at 0x%llx was registered for reading",
				 o->iova, 0);
	if (o->space && !cx_odp_space_is_callers(o))
		return ib_refuse(IB_LAYER_DRIVER, -EACCES,
				 "all addresses were registered by another process",
				 0, 0);
	if (o->space && range->access & IB_ACCESS_ON_DEMAND)
		return cx_rereg_page_in(mr, attr, range);
	if (o->space || change & ~CX_CHANGEABLE || cx_needs_new_key(mr, change))
		return ib_refuse(IB_LAYER_DRIVER, -EOPNOTSUPP,
				 "rights 0x%llx of memory that is paged on demand cannot change",
				 change, 0);
	return cx_rereg_in_place(mr, attr, range);
}

/**
 * cx_rereg_user_mr - ib_device_ops.rereg_user_mr
 * @mr: the region
 * @attr: what changes
 * @udata: the call of user space
 *
 * Context: Process context. Sleeps.
 * Return: 0, or a negative errno and the region is as before.
 */
int cx_rereg_user_mr(struct ib_mr *mr, const struct ib_rereg_attr *attr,
		     struct ib_udata *udata)
{
	bool trans = attr->flags & IB_MR_REREG_TRANS;
	const struct cx_mr *m = to_cx_mr(mr);
	struct cx_mr_range range = {
		.pd = attr->flags & IB_MR_REREG_PD ? attr->pd : mr->pd,
		.access = attr->flags & IB_MR_REREG_ACCESS ? attr->access :
							     mr->access,
		.iova = trans ? attr->iova : mr->iova,
		.length = trans ? attr->length : mr->length,
	};
	int ret;

	if (!m->umem && !m->dmabuf && !m->odp)
		return ib_refuse(IB_LAYER_DRIVER, -EOPNOTSUPP,
				 "a key for all memory cannot change", 0, 0);
	if (m->odp && !m->dmabuf && !trans)
		return cx_rereg_odp(mr, attr, &range);
	if (range.access & IB_ACCESS_ON_DEMAND) {
		if (trans)
			return cx_rereg_page_in(mr, attr, &range);
		return ib_refuse(IB_LAYER_DRIVER, -EOPNOTSUPP,
				 "pinned memory cannot be paged on demand all at once",
				 0, 0);
	}
	if (m->dmabuf && !trans) {
		ret = cx_rereg_check_dmabuf(mr, range.access);
		return ret ?: cx_rereg_in_place(mr, attr, &range);
	}
	if (cx_rereg_moves(mr, attr, range.access))
		return cx_rereg_replace(mr, attr, &range);
	return cx_rereg_in_place(mr, attr, &range);
}
