// SPDX-License-Identifier: GPL-2.0-only
/* Memory regions in the user ABI. */
#include <ib/mr.h>
#include <ib/ops.h>
#include <uapi/ib/newer.h>
#include "bundle.h"
#include "mr_reg.h"
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
	ret = ib_check_mr_offset(cmd.start, cmd.hca_va);
	if (ret)
		return ret;
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

/* What is no change after all is taken out of attr->flags. */
static int rereg_attr(struct uverbs_bundle *b, struct ib_mr *mr,
		      const struct ib_uverbs_rereg_mr *cmd,
		      struct ib_rereg_attr *attr)
{
	int ret;

	if (mr->dm)
		return uverbs_refuse(-EINVAL,
				     "a region on the adapter's memory stays as it is");
	if (attr->flags & IB_MR_REREG_ACCESS) {
		ret = ib_check_mr_access(b->device, attr->access);
		if (ret)
			return ret;
	}
	attr->pd = mr->pd;
	if (!(attr->flags & IB_MR_REREG_PD))
		return 0;
	attr->pd = uverbs_get_object(b, UVERBS_OBJECT_PD, cmd->pd_handle);
	if (IS_ERR(attr->pd))
		return PTR_ERR(attr->pd);
	if (attr->pd == mr->pd)
		attr->flags &= ~IB_MR_REREG_PD;
	return 0;
}

static int check_rereg(const struct ib_uverbs_rereg_mr *cmd)
{
	if (!cmd->flags)
		return uverbs_refuse(-EINVAL, "nothing shall change");
	if (cmd->flags & ~IB_MR_REREG_KNOWN)
		return ib_refuse(IB_LAYER_UVERBS, -EOPNOTSUPP,
				 "flags 0x%llx, known are 0x%llx", cmd->flags,
				 IB_MR_REREG_KNOWN);
	if (cmd->flags & IB_MR_REREG_TRANS)
		return ib_check_mr_offset(cmd->start, cmd->hca_va);
	return 0;
}

int uverbs_write_rereg_mr(struct uverbs_bundle *b)
{
	struct ib_uverbs_rereg_mr_resp resp = {};
	struct ib_uverbs_rereg_mr cmd;
	struct ib_rereg_attr attr = {};
	struct ib_uobject *uobj;
	struct ib_mr *mr;
	int ret;

	ret = uverbs_request(b, &cmd, sizeof(cmd));
	if (!ret)
		ret = check_rereg(&cmd);
	if (ret)
		return ret;
	uobj = uverbs_get(b, UVERBS_OBJECT_MR, cmd.mr_handle, UVERBS_ACC_WRITE);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	mr = uobj->object;
	attr.flags = cmd.flags;
	attr.access = cmd.access_flags;
	attr.start = cmd.start;
	attr.length = cmd.length;
	attr.iova = cmd.hca_va;
	ret = rereg_attr(b, mr, &cmd, &attr);
	if (!ret)
		ret = ib_rereg_user_mr(mr, &attr, uverbs_udata(b));
	if (ret)
		return ret;

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

static const struct uverbs_attr_def dm_mr_reg_attrs[] = {
	UVERBS_ATTR_HANDLE(UVERBS_ATTR_REG_DM_MR_HANDLE, UVERBS_KIND_IDR,
			   UVERBS_OBJECT_MR, UVERBS_ACC_NEW,
			   UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_IN(UVERBS_ATTR_REG_DM_MR_OFFSET, sizeof(u64),
		       UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_IN(UVERBS_ATTR_REG_DM_MR_LENGTH, sizeof(u64),
		       UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_HANDLE(UVERBS_ATTR_REG_DM_MR_PD_HANDLE, UVERBS_KIND_IDR,
			   UVERBS_OBJECT_PD, UVERBS_ACC_READ,
			   UVERBS_ATTR_REQUIRED),
	{ .id = UVERBS_ATTR_REG_DM_MR_ACCESS_FLAGS,
	  .kind = UVERBS_KIND_PTR_IN,
	  .min_len = sizeof(u32), .max_len = sizeof(u64) },
	UVERBS_ATTR_HANDLE(UVERBS_ATTR_REG_DM_MR_DM_HANDLE, UVERBS_KIND_IDR,
			   UVERBS_OBJECT_DM, UVERBS_ACC_READ,
			   UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_OUT(UVERBS_ATTR_REG_DM_MR_RESP_LKEY, sizeof(u32),
			UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_OUT(UVERBS_ATTR_REG_DM_MR_RESP_RKEY, sizeof(u32),
			UVERBS_ATTR_REQUIRED),
};

static const struct uverbs_attr_def advise_attrs[] = {
	UVERBS_ATTR_HANDLE(UVERBS_ATTR_ADVISE_MR_PD_HANDLE, UVERBS_KIND_IDR,
			   UVERBS_OBJECT_PD, UVERBS_ACC_READ,
			   UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_IN(UVERBS_ATTR_ADVISE_MR_ADVICE, sizeof(u64),
		       UVERBS_ATTR_REQUIRED),
	{ .id = UVERBS_ATTR_ADVISE_MR_FLAGS, .kind = UVERBS_KIND_PTR_IN,
	  .flags = UVERBS_ATTR_REQUIRED,
	  .min_len = sizeof(u32), .max_len = sizeof(u64) },
	{ .id = UVERBS_ATTR_ADVISE_MR_SGE_LIST, .kind = UVERBS_KIND_PTR_IN,
	  .flags = UVERBS_ATTR_REQUIRED | UVERBS_ATTR_COPY_IN,
	  .min_len = sizeof(struct ib_uverbs_sge), .max_len = U16_MAX },
};

static const struct uverbs_attr_def reg_dmabuf_attrs[] = {
	UVERBS_ATTR_HANDLE(UVERBS_ATTR_REG_DMABUF_MR_HANDLE, UVERBS_KIND_IDR,
			   UVERBS_OBJECT_MR, UVERBS_ACC_NEW,
			   UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_HANDLE(UVERBS_ATTR_REG_DMABUF_MR_PD_HANDLE,
			   UVERBS_KIND_IDR, UVERBS_OBJECT_PD, UVERBS_ACC_READ,
			   UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_IN(UVERBS_ATTR_REG_DMABUF_MR_OFFSET, sizeof(u64),
		       UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_IN(UVERBS_ATTR_REG_DMABUF_MR_LENGTH, sizeof(u64),
		       UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_IN(UVERBS_ATTR_REG_DMABUF_MR_IOVA, sizeof(u64),
		       UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_IN(UVERBS_ATTR_REG_DMABUF_MR_FD, sizeof(u32),
		       UVERBS_ATTR_REQUIRED),
	{ .id = UVERBS_ATTR_REG_DMABUF_MR_ACCESS_FLAGS,
	  .kind = UVERBS_KIND_PTR_IN,
	  .min_len = sizeof(u32), .max_len = sizeof(u64) },
	UVERBS_ATTR_OUT(UVERBS_ATTR_REG_DMABUF_MR_RESP_LKEY, sizeof(u32),
			UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_OUT(UVERBS_ATTR_REG_DMABUF_MR_RESP_RKEY, sizeof(u32),
			UVERBS_ATTR_REQUIRED),
};

/* UVERBS_NEW_ATTR_REG_MR_DMA_HANDLE names an object that is not there. */
static const struct uverbs_attr_def reg_attrs[] = {
	UVERBS_ATTR_HANDLE(UVERBS_NEW_ATTR_REG_MR_HANDLE, UVERBS_KIND_IDR,
			   UVERBS_OBJECT_MR, UVERBS_ACC_NEW,
			   UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_HANDLE(UVERBS_NEW_ATTR_REG_MR_PD_HANDLE, UVERBS_KIND_IDR,
			   UVERBS_OBJECT_PD, UVERBS_ACC_READ,
			   UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_IN(UVERBS_NEW_ATTR_REG_MR_IOVA, sizeof(u64),
		       UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_IN(UVERBS_NEW_ATTR_REG_MR_ADDR, sizeof(u64), 0),
	UVERBS_ATTR_IN(UVERBS_NEW_ATTR_REG_MR_LENGTH, sizeof(u64),
		       UVERBS_ATTR_REQUIRED),
	{ .id = UVERBS_NEW_ATTR_REG_MR_ACCESS_FLAGS,
	  .kind = UVERBS_KIND_PTR_IN, .flags = UVERBS_ATTR_REQUIRED,
	  .min_len = sizeof(u32), .max_len = sizeof(u64) },
	{ .id = UVERBS_NEW_ATTR_REG_MR_FD, .kind = UVERBS_KIND_RAW_FD },
	UVERBS_ATTR_IN(UVERBS_NEW_ATTR_REG_MR_FD_OFFSET, sizeof(u64), 0),
	UVERBS_ATTR_OUT(UVERBS_NEW_ATTR_REG_MR_RESP_LKEY, sizeof(u32),
			UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_OUT(UVERBS_NEW_ATTR_REG_MR_RESP_RKEY, sizeof(u32),
			UVERBS_ATTR_REQUIRED),
};

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
	{ .id = UVERBS_METHOD_DM_MR_REG, .handler = uverbs_dm_mr_reg,
	  .attrs = dm_mr_reg_attrs,
	  .num_attrs = ARRAY_SIZE(dm_mr_reg_attrs) },
	{ .id = UVERBS_METHOD_MR_DESTROY,
	  .attrs = destroy_attrs, .num_attrs = ARRAY_SIZE(destroy_attrs) },
	{ .id = UVERBS_METHOD_ADVISE_MR, .handler = uverbs_advise_mr,
	  .attrs = advise_attrs, .num_attrs = ARRAY_SIZE(advise_attrs) },
	{ .id = UVERBS_METHOD_QUERY_MR, .handler = query_mr,
	  .attrs = query_attrs, .num_attrs = ARRAY_SIZE(query_attrs) },
	{ .id = UVERBS_METHOD_REG_DMABUF_MR, .handler = uverbs_reg_dmabuf_mr,
	  .attrs = reg_dmabuf_attrs,
	  .num_attrs = ARRAY_SIZE(reg_dmabuf_attrs) },
	{ .id = UVERBS_NEW_METHOD_REG_MR, .handler = uverbs_reg_mr,
	  .needs = offsetof(struct ib_device_ops, reg_user_mr),
	  .has_udata = true,
	  .attrs = reg_attrs, .num_attrs = ARRAY_SIZE(reg_attrs) },
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
