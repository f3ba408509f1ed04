// SPDX-License-Identifier: GPL-2.0-only
/* Memory of the adapter in the user ABI. */
#include <ib/dm.h>
#include <ib/ops.h>
#include "bundle.h"
#include "obj_table.h"

static int dm_destroy(struct ib_uobject *uobj, enum ib_remove_reason why,
		      struct uverbs_bundle *b)
{
	return ib_dealloc_dm(uobj->object, b);
}

static int dm_alloc(struct uverbs_bundle *b)
{
	struct ib_uobject *uobj =
		uverbs_attr_uobject(b, UVERBS_ATTR_ALLOC_DM_HANDLE);
	struct ib_dm_alloc_attr attr = {};
	struct ib_dm *dm;
	int ret;

	ret = uverbs_attr_copy_in(b, UVERBS_ATTR_ALLOC_DM_LENGTH,
				  &attr.length, sizeof(attr.length));
	if (!ret)
		ret = uverbs_attr_copy_in(b, UVERBS_ATTR_ALLOC_DM_ALIGNMENT,
					  &attr.alignment,
					  sizeof(attr.alignment));
	if (ret)
		return ret;
	dm = ib_alloc_dm(b->device, &attr, b);
	if (IS_ERR(dm))
		return PTR_ERR(dm);
	uverbs_bind(uobj, &dm->obj);
	return 0;
}

static const struct uverbs_attr_def alloc_attrs[] = {
	UVERBS_ATTR_HANDLE(UVERBS_ATTR_ALLOC_DM_HANDLE, UVERBS_KIND_IDR,
			   UVERBS_OBJECT_DM, UVERBS_ACC_NEW,
			   UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_IN(UVERBS_ATTR_ALLOC_DM_LENGTH, sizeof(u64),
		       UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_IN(UVERBS_ATTR_ALLOC_DM_ALIGNMENT, sizeof(u32),
		       UVERBS_ATTR_REQUIRED),
};

static const struct uverbs_attr_def free_attrs[] = {
	UVERBS_ATTR_HANDLE(UVERBS_ATTR_FREE_DM_HANDLE, UVERBS_KIND_IDR,
			   UVERBS_OBJECT_DM, UVERBS_ACC_DESTROY,
			   UVERBS_ATTR_REQUIRED),
};

static const struct uverbs_method_def methods[] = {
	{ .id = UVERBS_METHOD_DM_ALLOC, .handler = dm_alloc,
	  .attrs = alloc_attrs, .num_attrs = ARRAY_SIZE(alloc_attrs) },
	{ .id = UVERBS_METHOD_DM_FREE,
	  .attrs = free_attrs, .num_attrs = ARRAY_SIZE(free_attrs) },
};

static const struct uverbs_obj_type dm_type = {
	.size = sizeof(struct ib_uobject),
	.destroy = dm_destroy,
};

const struct uverbs_object_def uverbs_object_dm = {
	.id = UVERBS_OBJECT_DM,
	.type = &dm_type,
	.needs = offsetof(struct ib_device_ops, dealloc_dm),
	.methods = methods,
	.num_methods = ARRAY_SIZE(methods),
};
