// SPDX-License-Identifier: GPL-2.0-only
#include <linux/err.h>
#include <ib/mw.h>
#include <ib/pd.h>
#include "core_priv.h"

/**
 * ib_alloc_mw() - make a memory window
 * @pd: protection domain
 * @type: enum ib_mw_type
 * @udata: of the user's call, NULL for the kernel
 *
 * Context: Process context.
 * Return: the window, bound to nothing, or an ERR_PTR().
 */
struct ib_mw *ib_alloc_mw(struct ib_pd *pd, u8 type, struct ib_udata *udata)
{
	const struct ib_device_ops *ops = pd->obj.device->ops;
	struct ib_mw *mw;
	int ret;

	ret = ib_object_check(pd->obj.device, ops->alloc_mw,
			      "the device has no memory windows");
	if (ret)
		return ERR_PTR(ret);
	if (type != IB_MW_TYPE_1 && type != IB_MW_TYPE_2)
		return ib_refuse_ptr(-EINVAL, "no memory windows of type %llu",
				     type, 0);

	mw = ib_object_alloc(pd->obj.device, IB_OBJ_MW, ops->size_mw);
	if (!mw)
		return ib_refuse_ptr(-ENOMEM, "no memory for a memory window", 0, 0);
	ib_object_own(&mw->obj, pd->obj.context, pd->obj.owner);
	mw->pd = pd;
	mw->type = type;
	ret = ops->alloc_mw(mw, udata);
	if (ret) {
		ib_object_free(&mw->obj);
		return ERR_PTR(ret);
	}
	ib_object_get(&pd->obj);
	ib_object_add(&mw->obj);
	return mw;
}
EXPORT_SYMBOL_IB(ib_alloc_mw);

/**
 * ib_dealloc_mw() - destroy a memory window
 * @mw: the window
 *
 * Context: Process context.
 * Return: 0, or a negative errno and the window lives on.
 */
int ib_dealloc_mw(struct ib_mw *mw)
{
	const struct ib_device_ops *ops = mw->obj.device->ops;
	struct ib_pd *pd = mw->pd;
	int ret;

	ret = ib_object_begin_destroy(&mw->obj);
	if (ret)
		return ret;
	ret = ib_object_end_destroy(&mw->obj, ops->dealloc_mw(mw));
	if (ret)
		return ret;
	ib_object_free(&mw->obj);
	ib_object_put(&pd->obj);
	return 0;
}
EXPORT_SYMBOL_IB(ib_dealloc_mw);
