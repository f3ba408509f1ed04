// SPDX-License-Identifier: GPL-2.0-only
/* Memory windows in the user ABI. */
#include <ib/mw.h>
#include <ib/ops.h>
#include "bundle.h"
#include "obj_table.h"
#include "write.h"

static int mw_destroy(struct ib_uobject *uobj, enum ib_remove_reason why,
		      struct uverbs_bundle *b)
{
	return ib_dealloc_mw(uobj->object);
}

int uverbs_write_alloc_mw(struct uverbs_bundle *b)
{
	struct ib_uverbs_alloc_mw_resp resp = {};
	struct ib_uverbs_alloc_mw cmd;
	struct ib_uobject *uobj;
	struct ib_pd *pd;
	struct ib_mw *mw;
	int ret;

	ret = uverbs_request(b, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	uobj = uverbs_new(b, UVERBS_OBJECT_MW);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	pd = uverbs_get_object(b, UVERBS_OBJECT_PD, cmd.pd_handle);
	if (IS_ERR(pd))
		return PTR_ERR(pd);
	mw = ib_alloc_mw(pd, cmd.mw_type, uverbs_udata(b));
	if (IS_ERR(mw))
		return PTR_ERR(mw);
	uverbs_bind(uobj, &mw->obj);

	resp.mw_handle = uobj->id;
	resp.rkey = mw->rkey;
	return uverbs_respond(b, &resp, sizeof(resp));
}

int uverbs_write_dealloc_mw(struct uverbs_bundle *b)
{
	struct ib_uverbs_dealloc_mw cmd;
	int ret;

	ret = uverbs_request(b, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	return PTR_ERR_OR_ZERO(uverbs_destroy_handle(b, UVERBS_OBJECT_MW,
						     cmd.mw_handle));
}

static const struct uverbs_attr_def destroy_attrs[] = {
	UVERBS_ATTR_HANDLE(UVERBS_ATTR_DESTROY_MW_HANDLE, UVERBS_KIND_IDR,
			   UVERBS_OBJECT_MW, UVERBS_ACC_DESTROY,
			   UVERBS_ATTR_REQUIRED),
};

static const struct uverbs_method_def methods[] = {
	{ .id = UVERBS_METHOD_MW_DESTROY,
	  .attrs = destroy_attrs, .num_attrs = ARRAY_SIZE(destroy_attrs) },
};

static const struct uverbs_obj_type mw_type = {
	.size = sizeof(struct ib_uobject),
	.destroy = mw_destroy,
};

const struct uverbs_object_def uverbs_object_mw = {
	.id = UVERBS_OBJECT_MW,
	.type = &mw_type,
	.needs = offsetof(struct ib_device_ops, dealloc_mw),
	.methods = methods,
	.num_methods = ARRAY_SIZE(methods),
};
