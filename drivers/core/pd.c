// SPDX-License-Identifier: GPL-2.0-only
#include <linux/err.h>
#include <ib/pd.h>
#include <ib/udata.h>
#include "core_priv.h"

/**
 * ib_alloc_pd_for() - make a protection domain
 * @device: where
 * @udata: of the user's call, NULL for the kernel
 * @owner: name of the module that wants it, for a domain of the kernel
 *
 * Context: Process context.
 * Return: the domain or an ERR_PTR().
 */
struct ib_pd *ib_alloc_pd_for(struct ib_device *device, struct ib_udata *udata,
			      const char *owner)
{
	const struct ib_device_ops *ops = device->ops;
	struct ib_pd *pd;
	int ret;

	ret = ib_object_check(device, ops->alloc_pd,
			      "the device has no protection domains");
	if (ret)
		return ERR_PTR(ret);
	pd = ib_object_alloc(device, IB_OBJ_PD, ops->size_pd);
	if (!pd)
		return ib_refuse_ptr(-ENOMEM, "no memory for a protection domain", 0,
				     0);
	ib_object_own(&pd->obj, udata ? udata->ucontext : NULL, owner);

	ret = ops->alloc_pd(pd, udata);
	if (ret) {
		ib_object_free(&pd->obj);
		return ERR_PTR(ret);
	}
	ib_object_add(&pd->obj);
	return pd;
}
EXPORT_SYMBOL_IB(ib_alloc_pd_for);

/**
 * ib_dealloc_pd() - destroy a protection domain
 * @pd: the domain
 * @udata: of the user's call, or NULL
 *
 * Context: Process context.
 * Return: 0, or a negative errno and the domain lives on.
 */
int ib_dealloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	const struct ib_device_ops *ops = pd->obj.device->ops;
	int ret;

	ret = ib_object_begin_destroy(&pd->obj);
	if (ret)
		return ret;
	ret = ib_object_end_destroy(&pd->obj, ops->dealloc_pd(pd, udata));
	if (ret)
		return ret;
	ib_object_free(&pd->obj);
	return 0;
}
EXPORT_SYMBOL_IB(ib_dealloc_pd);
