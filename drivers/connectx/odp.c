// SPDX-License-Identifier: GPL-2.0-only
/*
 * On-demand paging of a device: what it can, and its regions by their keys.
 * Who finds a region holds it; deregistration waits for them.
 */
#include <linux/overflow.h>

#include <ib/refuse.h>
#include <ib/umem_odp.h>

#include <connectx/prm_mkc.h>

#include "cx.h"
#include "odp_space.h"
#include "verbs.h"

/**
 * cx_odp_exit - undo cx_odp_init(), also a part of it
 * @v: the device, without regions; no page fault comes any more
 *
 * Context: Process context. Sleeps.
 */
void cx_odp_exit(struct cx_verbs *v)
{
	if (v->odp.advice_wq)
		destroy_workqueue(v->odp.advice_wq);
	if (v->odp.wq)
		destroy_workqueue(v->odp.wq);
	WARN_ON(!xa_empty(&v->odp.keys));
	xa_destroy(&v->odp.keys);
	WARN_ON(!xa_empty(&v->odp.windows));
	xa_destroy(&v->odp.windows);
}

/**
 * cx_odp_init - nothing is paged yet
 * @v: the device
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_odp_init(struct cx_verbs *v)
{
	xa_init(&v->odp.keys);
	xa_init(&v->odp.windows);
	init_rwsem(&v->odp.windows_lock);
	if (!v->cx->caps.odp)
		return 0;
	v->odp.wq = alloc_workqueue("%s-faults@%s", WQ_UNBOUND | WQ_HIGHPRI, 0,
				    CX_DRV_NAME, dev_name(v->cx->dev));
	v->odp.advice_wq = alloc_workqueue("%s-advice@%s", WQ_UNBOUND, 0,
					   CX_DRV_NAME, dev_name(v->cx->dev));
	if (v->odp.wq && v->odp.advice_wq)
		return 0;
	cx_odp_exit(v);
	return ib_refuse(IB_LAYER_DRIVER, -ENOMEM,
			 "no memory to handle page faults", 0, 0);
}

/* Our bits and those of ib_core are the same; datagrams have two of them. */
static_assert(CX_ODP_SEND == (int)IB_ODP_SUPPORT_SEND);
static_assert(CX_ODP_RECEIVE == (int)IB_ODP_SUPPORT_RECV);
static_assert(CX_ODP_WRITE == (int)IB_ODP_SUPPORT_WRITE);
static_assert(CX_ODP_READ == (int)IB_ODP_SUPPORT_READ);
static_assert(CX_ODP_ATOMIC == (int)IB_ODP_SUPPORT_ATOMIC);
static_assert(CX_ODP_SRQ_RECEIVE == (int)IB_ODP_SUPPORT_SRQ_RECV);

/**
 * cx_odp_fill_attr - what the device can page
 * @v: the device
 * @attr: result
 *
 * Context: Any context.
 */
void cx_odp_fill_attr(const struct cx_verbs *v, struct ib_device_attr *attr)
{
	const struct cx_caps *c = &v->cx->caps;

	if (!c->odp)
		return;
	attr->odp_general = IB_ODP_SUPPORT;
	if (c->odp_implicit)
		attr->odp_general |= IB_ODP_SUPPORT_IMPLICIT;
	attr->odp_rc = c->odp_rc;
	attr->odp_ud = c->odp_ud & (CX_ODP_SEND | CX_ODP_SRQ_RECEIVE);
	attr->odp_xrc = c->odp_xrc;
}

/**
 * cx_odp_find - the region of a key
 * @v: the device
 * @key: the key
 *
 * Context: Process context.
 * Return: the region, to be given to cx_odp_put(); -ENOENT no region that is
 * paged on demand has a key of this number; -EFAULT one has, but this key is
 * an older one.
 */
struct cx_odp_mr *cx_odp_find(struct cx_verbs *v, u32 key)
{
	struct cx_odp_mr *o;
	bool found, fits;

	xa_lock(&v->odp.keys);
	o = xa_load(&v->odp.keys, key >> CX_MKEY_INDEX_SHIFT);
	found = o && !o->hidden;
	fits = found && o->key.mkey == key;
	if (fits)
		refcount_inc(&o->users);
	xa_unlock(&v->odp.keys);
	if (fits)
		return o;
	return ERR_PTR(ib_refuse(IB_LAYER_DRIVER, found ? -EFAULT : -ENOENT,
				 "key 0x%llx is of no region that is paged on demand",
				 key, 0));
}

/**
 * cx_odp_put - undo cx_odp_find()
 * @o: the region
 *
 * Context: Any context.
 */
void cx_odp_put(struct cx_odp_mr *o)
{
	if (refcount_dec_and_test(&o->users))
		complete(&o->idle);
}

/**
 * cx_odp_page_in - bring pages in for the adapter
 * @o: the region, found by its key
 * @addr: first address, as work requests use it
 * @bytes: how many
 * @flags: enum ib_umem_odp_flags
 *
 * Context: Process context. Sleeps.
 * Return: 0; errnos of ib_umem_odp_map().
 */
int cx_odp_page_in(struct cx_odp_mr *o, u64 addr, u64 bytes,
		   unsigned int flags)
{
	u64 user;

	if (o->space)
		return cx_odp_space_page_in(o, addr, bytes, flags);
	if (addr < o->iova ||
	    (o->key.umem && check_add_overflow(addr - o->iova,
					       o->key.umem->address, &user)))
		return ib_refuse(IB_LAYER_DRIVER, -EFAULT,
				 "0x%llx is not in the region at 0x%llx", addr,
				 o->iova);
	if (!o->key.umem)
		return cx_dmabuf_fault(to_cx_mr(o->mr));
	return ib_umem_odp_map(o->key.umem, user, bytes, flags);
}
