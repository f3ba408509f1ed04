// SPDX-License-Identifier: GPL-2.0-only
/* Protection domains in the user ABI. */
#include <ib/ops.h>
#include <ib/pd.h>
#include "bundle.h"
#include "obj_table.h"
#include "write.h"

static int pd_destroy(struct ib_uobject *uobj, enum ib_remove_reason why,
		      struct uverbs_bundle *b)
{
	return ib_dealloc_pd(uobj->object, uverbs_udata(b));
}

int uverbs_write_alloc_pd(struct uverbs_bundle *b)
{
	struct ib_uverbs_alloc_pd_resp resp = {};
	struct ib_uverbs_alloc_pd cmd;
	struct ib_uobject *uobj;
	struct ib_pd *pd;
	int ret;

	ret = uverbs_request(b, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	uobj = uverbs_new(b, UVERBS_OBJECT_PD);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	pd = ib_alloc_pd(b->device, uverbs_udata(b));
	if (IS_ERR(pd))
		return PTR_ERR(pd);
	uverbs_bind(uobj, &pd->obj);

	resp.pd_handle = uobj->id;
	return uverbs_respond(b, &resp, sizeof(resp));
}

int uverbs_write_dealloc_pd(struct uverbs_bundle *b)
{
	struct ib_uverbs_dealloc_pd cmd;
	int ret;

	ret = uverbs_request(b, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	return PTR_ERR_OR_ZERO(uverbs_destroy_handle(b, UVERBS_OBJECT_PD,
						     cmd.pd_handle));
}

static const struct uverbs_attr_def destroy_attrs[] = {
	UVERBS_ATTR_HANDLE(UVERBS_ATTR_DESTROY_PD_HANDLE, UVERBS_KIND_IDR,
			   UVERBS_OBJECT_PD, UVERBS_ACC_DESTROY,
			   UVERBS_ATTR_REQUIRED),
};

static const struct uverbs_method_def methods[] = {
	{ .id = UVERBS_METHOD_PD_DESTROY,
	  .attrs = destroy_attrs, .num_attrs = ARRAY_SIZE(destroy_attrs) },
};

static const struct uverbs_obj_type pd_type = {
	.size = sizeof(struct ib_uobject),
	.destroy = pd_destroy,
};

const struct uverbs_object_def uverbs_object_pd = {
	.id = UVERBS_OBJECT_PD,
	.type = &pd_type,
	.needs = offsetof(struct ib_device_ops, dealloc_pd),
	.methods = methods,
	.num_methods = ARRAY_SIZE(methods),
};
