// SPDX-License-Identifier: GPL-2.0-only
/* Counters of flows in the user ABI. */
#include <linux/slab.h>
#include <ib/counters.h>
#include <ib/ops.h>
#include "bundle.h"
#include "obj_table.h"
#include "uverbs_priv.h"

static int counters_destroy(struct ib_uobject *uobj, enum ib_remove_reason why,
			    struct uverbs_bundle *b)
{
	return ib_destroy_counters(uobj->object);
}

static int counters_create(struct uverbs_bundle *b)
{
	struct ib_counters *counters = ib_create_counters(b->device, b);

	if (IS_ERR(counters))
		return PTR_ERR(counters);
	uverbs_bind(uverbs_attr_uobject(b, UVERBS_ATTR_CREATE_COUNTERS_HANDLE),
		    &counters->obj);
	return 0;
}

static int counters_read(struct uverbs_bundle *b)
{
	struct ib_counters *counters =
		uverbs_attr_object(b, UVERBS_ATTR_READ_COUNTERS_HANDLE);
	struct ib_counters_read read = {
		.num = uverbs_attr_len(b, UVERBS_ATTR_READ_COUNTERS_BUFF) /
			sizeof(u64),
	};
	int ret;

	ret = uverbs_attr_flags(b, UVERBS_ATTR_READ_COUNTERS_FLAGS,
				IB_UVERBS_READ_COUNTERS_PREFER_CACHED,
				&read.flags);
	if (ret)
		return ret;
	read.values = kvcalloc(read.num, sizeof(u64), GFP_KERNEL_ACCOUNT);
	if (!read.values)
		return uverbs_refuse(-ENOMEM, "no memory");
	ret = ib_read_counters(counters, &read, b);
	if (!ret)
		ret = uverbs_attr_copy_out(b, UVERBS_ATTR_READ_COUNTERS_BUFF,
					   read.values,
					   read.num * sizeof(u64));
	kvfree(read.values);
	return ret;
}

static const struct uverbs_attr_def create_attrs[] = {
	UVERBS_ATTR_HANDLE(UVERBS_ATTR_CREATE_COUNTERS_HANDLE, UVERBS_KIND_IDR,
			   UVERBS_OBJECT_COUNTERS, UVERBS_ACC_NEW,
			   UVERBS_ATTR_REQUIRED),
};

static const struct uverbs_attr_def destroy_attrs[] = {
	UVERBS_ATTR_HANDLE(UVERBS_ATTR_DESTROY_COUNTERS_HANDLE,
			   UVERBS_KIND_IDR, UVERBS_OBJECT_COUNTERS,
			   UVERBS_ACC_DESTROY, UVERBS_ATTR_REQUIRED),
};

static const struct uverbs_attr_def read_attrs[] = {
	UVERBS_ATTR_HANDLE(UVERBS_ATTR_READ_COUNTERS_HANDLE, UVERBS_KIND_IDR,
			   UVERBS_OBJECT_COUNTERS, UVERBS_ACC_READ,
			   UVERBS_ATTR_REQUIRED),
	{ .id = UVERBS_ATTR_READ_COUNTERS_BUFF, .kind = UVERBS_KIND_PTR_OUT,
	  .flags = UVERBS_ATTR_REQUIRED, .max_len = U16_MAX },
	{ .id = UVERBS_ATTR_READ_COUNTERS_FLAGS, .kind = UVERBS_KIND_PTR_IN,
	  .min_len = sizeof(u32), .max_len = sizeof(u64) },
};

static const struct uverbs_method_def methods[] = {
	{ .id = UVERBS_METHOD_COUNTERS_CREATE, .handler = counters_create,
	  .attrs = create_attrs, .num_attrs = ARRAY_SIZE(create_attrs) },
	{ .id = UVERBS_METHOD_COUNTERS_DESTROY,
	  .attrs = destroy_attrs, .num_attrs = ARRAY_SIZE(destroy_attrs) },
	{ .id = UVERBS_METHOD_COUNTERS_READ, .handler = counters_read,
	  .attrs = read_attrs, .num_attrs = ARRAY_SIZE(read_attrs) },
};

static const struct uverbs_obj_type counters_type = {
	.size = sizeof(struct ib_uobject),
	.destroy = counters_destroy,
};

const struct uverbs_object_def uverbs_object_counters = {
	.id = UVERBS_OBJECT_COUNTERS,
	.type = &counters_type,
	.needs = offsetof(struct ib_device_ops, destroy_counters),
	.methods = methods,
	.num_methods = ARRAY_SIZE(methods),
};
