// SPDX-License-Identifier: GPL-2.0-only
#include <linux/err.h>
#include <ib/pd.h>
#include "core_priv.h"

/**
 * ib_alloc_pd() - make a protection domain
 * @device: where
 * @udata: of the user's call, NULL for the kernel
 *
 * Context: Process context.
 * Return: the domain or an ERR_PTR().
 */
struct ib_pd *ib_alloc_pd(struct ib_device *device, struct ib_udata *udata)
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

	ret = ops->alloc_pd(pd, udata);
	if (ret) {
		ib_object_free(&pd->obj);
		return ERR_PTR(ret);
	}
	ib_object_add(&pd->obj);
	return pd;
}
EXPORT_SYMBOL_IB(ib_alloc_pd);

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
	int ret;

	ret = ib_object_busy(&pd->obj);
	if (ret)
		return ret;
	ret = pd->obj.device->ops->dealloc_pd(pd, udata);
	if (ret)
		return ret;
	ib_object_del(&pd->obj);
	ib_object_free(&pd->obj);
	return 0;
}
EXPORT_SYMBOL_IB(ib_dealloc_pd);
