// SPDX-License-Identifier: GPL-2.0-only
#include <linux/err.h>
#include <linux/slab.h>
#include <ib/cgroup.h>
#include <ib/ucontext.h>
#include "core_priv.h"

static void free_ucontext(struct kref *ref)
{
	struct ib_ucontext *uctx = container_of(ref, struct ib_ucontext, ref);

	xa_destroy(&uctx->mmap_entries);
	mutex_destroy(&uctx->vma_lock);
	ib_object_free(&uctx->obj);
}

void ib_ucontext_put(struct ib_ucontext *uctx)
{
	kref_put(&uctx->ref, free_ucontext);
}

/**
 * ib_alloc_ucontext() - make the device context of an open file
 * @device: the device
 * @udata: of the user's call
 *
 * Context: Process context.
 * Return: the context or an ERR_PTR().
 */
struct ib_ucontext *ib_alloc_ucontext(struct ib_device *device,
				      struct ib_udata *udata)
{
	const struct ib_device_ops *ops = device->ops;
	struct ib_ucontext *uctx;
	int ret;

	ret = ib_object_check(device, ops->alloc_ucontext,
			      "the device has no user contexts");
	if (ret)
		return ERR_PTR(ret);
	uctx = ib_object_alloc(device, IB_OBJ_UCONTEXT, ops->size_ucontext);
	if (!uctx)
		return ib_refuse_ptr(-ENOMEM, "no memory for a user context", 0,
				     0);
	ib_object_own(&uctx->obj, uctx, NULL);
	kref_init(&uctx->ref);
	xa_init(&uctx->mmap_entries);
	mutex_init(&uctx->vma_lock);
	INIT_LIST_HEAD(&uctx->vmas);

	ret = ib_cgroup_charge(device, IB_CGROUP_CONTEXT, &uctx->cgroup);
	if (ret)
		goto err_put;
	ret = ops->alloc_ucontext(uctx, udata);
	if (ret)
		goto err_uncharge;
	ib_object_add(&uctx->obj);
	return uctx;

err_uncharge:
	ib_cgroup_uncharge(device, IB_CGROUP_CONTEXT, &uctx->cgroup);
err_put:
	ib_ucontext_put(uctx);
	return ERR_PTR(ret);
}
EXPORT_SYMBOL_IB(ib_alloc_ucontext);

/**
 * ib_dealloc_ucontext() - destroy the device context of a file
 * @uctx: the context, whose objects are gone
 *
 * Mappings that are left are taken away; their memory areas keep the memory of
 * the context, not the driver's part of it.
 *
 * Context: Process context, without mmap_lock.
 */
void ib_dealloc_ucontext(struct ib_ucontext *uctx)
{
	ib_object_del(&uctx->obj);
	ib_mmap_zap(uctx);
	uctx->obj.device->ops->dealloc_ucontext(uctx);
	ib_cgroup_uncharge(uctx->obj.device, IB_CGROUP_CONTEXT, &uctx->cgroup);
	ib_ucontext_put(uctx);
}
EXPORT_SYMBOL_IB(ib_dealloc_ucontext);
