// SPDX-License-Identifier: GPL-2.0-only
#include <linux/err.h>
#include <ib/ah.h>
#include <ib/pd.h>
#include "core_priv.h"

/* Is the path possible on this device? */
int ib_check_ah_attr(struct ib_device *device, const struct ib_ah_attr *attr)
{
	int ret;

	ret = ib_port_check(device, attr->port_num);
	if (ret)
		return ret;
	if (attr->grh) {
		int len = ib_port_of(device, attr->port_num)->gid_len;

		if (attr->sgid_index >= len)
			return ib_refuse(IB_LAYER_CORE, -EINVAL,
					 "source GID index %llu of %llu",
					 attr->sgid_index, len);
	}
	return 0;
}

/**
 * ib_create_ah() - make an address handle
 * @pd: protection domain
 * @attr: the path
 * @udata: of the user's call, NULL for the kernel
 *
 * Context: Process context.
 * Return: the handle or an ERR_PTR().
 */
struct ib_ah *ib_create_ah(struct ib_pd *pd, const struct ib_ah_attr *attr,
			   struct ib_udata *udata)
{
	struct ib_device *device = pd->obj.device;
	struct ib_ah *ah;
	int ret;

	ret = ib_object_check(device, device->ops->create_ah,
			      "the device has no address handles");
	if (ret)
		return ERR_PTR(ret);
	ret = ib_check_ah_attr(device, attr);
	if (ret)
		return ERR_PTR(ret);

	ah = ib_object_alloc(device, IB_OBJ_AH, device->ops->size_ah);
	if (!ah)
		return ib_refuse_ptr(-ENOMEM, "no memory for an address handle", 0,
				     0);
	ib_object_own(&ah->obj, pd->obj.context, pd->obj.owner);
	ah->pd = pd;
	ah->attr = *attr;
	ret = device->ops->create_ah(ah, attr, udata);
	if (ret) {
		ib_object_free(&ah->obj);
		return ERR_PTR(ret);
	}
	ib_object_get(&pd->obj);
	ib_object_add(&ah->obj);
	return ah;
}
EXPORT_SYMBOL_IB(ib_create_ah);

/**
 * ib_destroy_ah() - destroy an address handle
 * @ah: the handle
 *
 * Context: Process context.
 * Return: 0, or a negative errno and the handle lives on.
 */
int ib_destroy_ah(struct ib_ah *ah)
{
	const struct ib_device_ops *ops = ah->obj.device->ops;
	struct ib_pd *pd = ah->pd;
	int ret;

	ret = ib_object_begin_destroy(&ah->obj);
	if (ret)
		return ret;
	ret = ib_object_end_destroy(&ah->obj, ops->destroy_ah(ah));
	if (ret)
		return ret;
	ib_object_free(&ah->obj);
	ib_object_put(&pd->obj);
	return 0;
}
EXPORT_SYMBOL_IB(ib_destroy_ah);
