// SPDX-License-Identifier: GPL-2.0-only
#include <linux/err.h>
#include <ib/xrcd.h>
#include "core_priv.h"

/**
 * ib_alloc_xrcd() - make an XRC domain
 * @device: where
 * @udata: of the user's call, NULL for the kernel
 *
 * Context: Process context.
 * Return: the domain or an ERR_PTR().
 */
struct ib_xrcd *ib_alloc_xrcd(struct ib_device *device, struct ib_udata *udata)
{
	const struct ib_device_ops *ops = device->ops;
	struct ib_xrcd *xrcd;
	int ret;

	ret = ib_object_check(device, ops->alloc_xrcd,
			      "the device has no XRC domains");
	if (ret)
		return ERR_PTR(ret);
	xrcd = ib_object_alloc(device, IB_OBJ_XRCD, ops->size_xrcd);
	if (!xrcd)
		return ib_refuse_ptr(-ENOMEM, "no memory for an XRC domain", 0, 0);
	mutex_init(&xrcd->lock);
	xrcd->targets = RB_ROOT;

	ret = ops->alloc_xrcd(xrcd, udata);
	if (ret) {
		mutex_destroy(&xrcd->lock);
		ib_object_free(&xrcd->obj);
		return ERR_PTR(ret);
	}
	ib_object_add(&xrcd->obj);
	return xrcd;
}
EXPORT_SYMBOL_IB(ib_alloc_xrcd);

/**
 * ib_dealloc_xrcd() - destroy an XRC domain
 * @xrcd: the domain
 * @udata: of the user's call, or NULL
 *
 * Context: Process context.
 * Return: 0, or a negative errno and the domain lives on.
 */
int ib_dealloc_xrcd(struct ib_xrcd *xrcd, struct ib_udata *udata)
{
	const struct ib_device_ops *ops = xrcd->obj.device->ops;
	int ret;

	ret = ib_object_begin_destroy(&xrcd->obj);
	if (ret)
		return ret;
	ret = ib_object_end_destroy(&xrcd->obj, ops->dealloc_xrcd(xrcd, udata));
	if (ret)
		return ret;
	mutex_destroy(&xrcd->lock);
	ib_object_free(&xrcd->obj);
	return 0;
}
EXPORT_SYMBOL_IB(ib_dealloc_xrcd);
