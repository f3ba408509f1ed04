// SPDX-License-Identifier: GPL-2.0-only
#include <linux/err.h>
#include <ib/dm.h>
#include "core_priv.h"

/**
 * ib_alloc_dm() - take a piece of the adapter's memory
 * @device: where
 * @attr: how much
 * @b: the user's call, for attributes of the driver; NULL for the kernel
 *
 * Context: Process context.
 * Return: the memory or an ERR_PTR().
 */
struct ib_dm *ib_alloc_dm(struct ib_device *device,
			  const struct ib_dm_alloc_attr *attr,
			  struct uverbs_bundle *b)
{
	const struct ib_device_ops *ops = device->ops;
	struct ib_dm *dm;
	int ret;

	ret = ib_object_check(device, ops->alloc_dm,
			      "the device has no memory to give");
	if (ret)
		return ERR_PTR(ret);
	dm = ib_object_alloc(device, IB_OBJ_DM, ops->size_dm);
	if (!dm)
		return ib_refuse_ptr(-ENOMEM, "no memory for the device memory", 0, 0);

	ret = ops->alloc_dm(dm, attr, b);
	if (ret) {
		ib_object_free(&dm->obj);
		return ERR_PTR(ret);
	}
	dm->length = attr->length;
	ib_object_add(&dm->obj);
	return dm;
}
EXPORT_SYMBOL_IB(ib_alloc_dm);

/**
 * ib_dealloc_dm() - give a piece of the adapter's memory back
 * @dm: the memory
 * @b: the user's call, or NULL
 *
 * Context: Process context.
 * Return: 0, or a negative errno and the memory is still ours.
 */
int ib_dealloc_dm(struct ib_dm *dm, struct uverbs_bundle *b)
{
	const struct ib_device_ops *ops = dm->obj.device->ops;
	int ret;

	ret = ib_object_begin_destroy(&dm->obj);
	if (ret)
		return ret;
	ret = ib_object_end_destroy(&dm->obj, ops->dealloc_dm(dm, b));
	if (ret)
		return ret;
	ib_object_free(&dm->obj);
	return 0;
}
EXPORT_SYMBOL_IB(ib_dealloc_dm);
