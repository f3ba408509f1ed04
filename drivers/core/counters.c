// SPDX-License-Identifier: GPL-2.0-only
#include <linux/err.h>
#include <ib/counters.h>
#include <ib/uverbs_def.h>
#include "core_priv.h"

/**
 * ib_create_counters() - make counters for flows
 * @device: where
 * @b: the user's call, with the driver's attributes
 *
 * Context: Process context.
 * Return: the counters or an ERR_PTR().
 */
struct ib_counters *ib_create_counters(struct ib_device *device,
				       struct uverbs_bundle *b)
{
	const struct ib_device_ops *ops = device->ops;
	struct ib_counters *counters;
	int ret;

	ret = ib_object_check(device, ops->create_counters,
			      "the device has no counters for flows");
	if (ret)
		return ERR_PTR(ret);
	counters = ib_object_alloc(device, IB_OBJ_COUNTERS,
				   ops->size_counters);
	if (!counters)
		return ib_refuse_ptr(-ENOMEM, "no memory for counters", 0, 0);
	ib_object_own(&counters->obj, uverbs_context(b), "");
	ret = ops->create_counters(counters, b);
	if (ret) {
		ib_object_free(&counters->obj);
		return ERR_PTR(ret);
	}
	ib_object_add(&counters->obj);
	return counters;
}
EXPORT_SYMBOL_IB(ib_create_counters);

/**
 * ib_read_counters() - read the values of counters
 * @counters: the counters
 * @read: where to, and how
 * @b: the user's call, with the driver's attributes
 *
 * What the values mean is said when a flow is made that counts here, so before
 * that there is nothing to read.
 *
 * Context: Process context.
 * Return: 0 or a negative errno.
 */
int ib_read_counters(struct ib_counters *counters,
		     const struct ib_counters_read *read,
		     struct uverbs_bundle *b)
{
	const struct ib_device_ops *ops = counters->obj.device->ops;
	int ret;

	ret = ib_object_check(counters->obj.device, ops->read_counters,
			      "the device cannot read counters of flows");
	if (ret)
		return ret;
	if (!atomic_read(&counters->obj.usecnt))
		return ib_refuse(IB_LAYER_CORE, -EINVAL,
				 "no flow counts here", 0, 0);
	return ops->read_counters(counters, read, b);
}
EXPORT_SYMBOL_IB(ib_read_counters);

/**
 * ib_destroy_counters() - destroy counters
 * @counters: the counters
 *
 * Context: Process context.
 * Return: 0, or a negative errno and the counters live on.
 */
int ib_destroy_counters(struct ib_counters *counters)
{
	int ret;

	ret = ib_object_begin_destroy(&counters->obj);
	if (ret)
		return ret;
	ret = counters->obj.device->ops->destroy_counters(counters);
	ret = ib_object_end_destroy(&counters->obj, ret);
	if (ret)
		return ret;
	ib_object_free(&counters->obj);
	return 0;
}
EXPORT_SYMBOL_IB(ib_destroy_counters);
