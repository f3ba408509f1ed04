// SPDX-License-Identifier: GPL-2.0-only
/* Memory regions in the user ABI. */
#include <linux/mm.h>
#include <ib/mr.h>
#include <ib/ops.h>
#include "bundle.h"
#include "obj_table.h"
#include "uverbs_priv.h"
#include "write.h"

static int mr_destroy(struct ib_uobject *uobj, enum ib_remove_reason why,
		      struct uverbs_bundle *b)
{
	return ib_dereg_mr(uobj->object, uverbs_udata(b));
}

static struct ib_mr *reg_mr(struct uverbs_bundle *b,
			    const struct ib_uverbs_reg_mr *cmd)
{
	struct ib_pd *pd;
	int ret;

	ret = ib_check_mr_access(b->device, cmd->access_flags);
	if (ret)
		return ERR_PTR(ret);
	pd = uverbs_get_object(b, UVERBS_OBJECT_PD, cmd->pd_handle);
	if (IS_ERR(pd))
		return ERR_CAST(pd);
	return ib_reg_user_mr(pd, cmd->start, cmd->length, cmd->hca_va,
			      cmd->access_flags, uverbs_udata(b));
}

int uverbs_write_reg_mr(struct uverbs_bundle *b)
{
	struct ib_uverbs_reg_mr_resp resp = {};
	struct ib_uverbs_reg_mr cmd;
	struct ib_uobject *uobj;
	struct ib_mr *mr;
	int ret;

	ret = uverbs_request(b, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	if (offset_in_page(cmd.start) != offset_in_page(cmd.hca_va))
		return ib_refuse(IB_LAYER_UVERBS, -EINVAL,
				 "address 0x%llx and iova 0x%llx differ in their page offset",
				 cmd.start, cmd.hca_va);
	uobj = uverbs_new(b, UVERBS_OBJECT_MR);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	mr = reg_mr(b, &cmd);
	if (IS_ERR(mr))
		return PTR_ERR(mr);
	uverbs_bind(uobj, &mr->obj);

	resp.mr_handle = uobj->id;
	resp.lkey = mr->lkey;
	resp.rkey = mr->rkey;
	return uverbs_respond(b, &resp, sizeof(resp));
}

int uverbs_write_dereg_mr(struct uverbs_bundle *b)
{
	struct ib_uverbs_dereg_mr cmd;
	int ret;

	ret = uverbs_request(b, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	return PTR_ERR_OR_ZERO(uverbs_destroy_handle(b, UVERBS_OBJECT_MR,
						     cmd.mr_handle));
}

static int query_mr(struct uverbs_bundle *b)
{
	struct ib_mr *mr = uverbs_attr_object(b, UVERBS_ATTR_QUERY_MR_HANDLE);
	int ret;

	ret = uverbs_attr_copy_out(b, UVERBS_ATTR_QUERY_MR_RESP_LKEY,
				   &mr->lkey, sizeof(mr->lkey));
	if (ret)
		return ret;
	ret = uverbs_attr_copy_out(b, UVERBS_ATTR_QUERY_MR_RESP_RKEY,
				   &mr->rkey, sizeof(mr->rkey));
	if (ret)
		return ret;
	ret = uverbs_attr_copy_out(b, UVERBS_ATTR_QUERY_MR_RESP_LENGTH,
				   &mr->length, sizeof(mr->length));
	if (ret || !uverbs_attr_present(b, UVERBS_ATTR_QUERY_MR_RESP_IOVA))
		return ret;
	return uverbs_attr_copy_out(b, UVERBS_ATTR_QUERY_MR_RESP_IOVA,
				    &mr->iova, sizeof(mr->iova));
}

static const struct uverbs_attr_def destroy_attrs[] = {
	UVERBS_ATTR_HANDLE(UVERBS_ATTR_DESTROY_MR_HANDLE, UVERBS_KIND_IDR,
			   UVERBS_OBJECT_MR, UVERBS_ACC_DESTROY,
			   UVERBS_ATTR_REQUIRED),
};

static const struct uverbs_attr_def query_attrs[] = {
	UVERBS_ATTR_HANDLE(UVERBS_ATTR_QUERY_MR_HANDLE, UVERBS_KIND_IDR,
			   UVERBS_OBJECT_MR, UVERBS_ACC_READ,
			   UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_OUT(UVERBS_ATTR_QUERY_MR_RESP_LKEY, sizeof(u32),
			UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_OUT(UVERBS_ATTR_QUERY_MR_RESP_RKEY, sizeof(u32),
			UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_OUT(UVERBS_ATTR_QUERY_MR_RESP_LENGTH, sizeof(u64),
			UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_OUT(UVERBS_ATTR_QUERY_MR_RESP_IOVA, sizeof(u64), 0),
};

static const struct uverbs_method_def methods[] = {
	{ .id = UVERBS_METHOD_MR_DESTROY,
	  .attrs = destroy_attrs, .num_attrs = ARRAY_SIZE(destroy_attrs) },
	{ .id = UVERBS_METHOD_QUERY_MR, .handler = query_mr,
	  .attrs = query_attrs, .num_attrs = ARRAY_SIZE(query_attrs) },
};

static const struct uverbs_obj_type mr_type = {
	.size = sizeof(struct ib_uobject),
	.destroy = mr_destroy,
};

const struct uverbs_object_def uverbs_object_mr = {
	.id = UVERBS_OBJECT_MR,
	.type = &mr_type,
	.needs = offsetof(struct ib_device_ops, dereg_mr),
	.methods = methods,
	.num_methods = ARRAY_SIZE(methods),
};
