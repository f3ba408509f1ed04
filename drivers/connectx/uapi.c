// SPDX-License-Identifier: GPL-2.0-only
/* The driver's own part of the user ABI: doorbell pages, its context. */
#include <linux/kernel.h>
#include <linux/mm.h>

#include <rdma/mlx5-abi.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>

#include <ib/refuse.h>
#include <ib/uverbs_def.h>

#include "cx.h"
#include "verbs.h"

static int cx_uar_answer(struct uverbs_bundle *b,
			 const struct cx_uar_entry *entry)
{
	u64 offset = (u64)entry->base.start_pgoff << PAGE_SHIFT;
	u32 length = entry->base.npages << PAGE_SHIFT;
	int ret;

	ret = uverbs_attr_copy_out(b, MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_OFFSET,
				   &offset, sizeof(offset));
	if (ret)
		return ret;
	ret = uverbs_attr_copy_out(b, MLX5_IB_ATTR_UAR_OBJ_ALLOC_PAGE_ID,
				   &entry->index, sizeof(entry->index));
	if (ret)
		return ret;
	return uverbs_attr_copy_out(b, MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_LENGTH,
				    &length, sizeof(length));
}

static int cx_uar_obj_alloc(struct uverbs_bundle *b)
{
	struct ib_uobject *uobj =
		uverbs_attr_uobject(b, MLX5_IB_ATTR_UAR_OBJ_ALLOC_HANDLE);
	struct cx_ucontext *c = to_cx_ucontext(uverbs_context(b));
	struct cx_uar_entry *entry;
	u64 type;
	int ret;

	ret = uverbs_attr_u64(b, MLX5_IB_ATTR_UAR_OBJ_ALLOC_TYPE, &type);
	if (ret)
		return ret;
	if (type > U32_MAX)
		return ib_refuse_attr(IB_LAYER_DRIVER,
				      MLX5_IB_ATTR_UAR_OBJ_ALLOC_TYPE, -EINVAL,
				      "0x%llx is no type of a page", type, 0);
	/* MLX5_IB_UAPI_UAR_ALLOC_TYPE_BF takes requests: not offered */
	if (type != MLX5_IB_UAPI_UAR_ALLOC_TYPE_NC)
		return ib_refuse_attr(IB_LAYER_DRIVER,
				      MLX5_IB_ATTR_UAR_OBJ_ALLOC_TYPE,
				      -EOPNOTSUPP,
				      "doorbell pages of type %llu", type, 0);
	entry = cx_uar_entry_alloc(c);
	if (IS_ERR(entry))
		return PTR_ERR(entry);
	ret = cx_uar_answer(b, entry);
	if (ret) {
		ib_mmap_entry_remove(&entry->base);
		return ret;
	}
	uobj->object = entry;
	return 0;
}

static int cx_uar_obj_destroy(struct ib_uobject *uobj,
			      enum ib_remove_reason why,
			      struct uverbs_bundle *b)
{
	struct cx_uar_entry *entry = uobj->object;

	ib_mmap_entry_remove(&entry->base);
	return 0;
}

static const struct uverbs_obj_type cx_uar_type = {
	.size = sizeof(struct ib_uobject),
	.destroy = cx_uar_obj_destroy,
};

static const struct uverbs_attr_def cx_uar_alloc_attrs[] = {
	{
		.id = MLX5_IB_ATTR_UAR_OBJ_ALLOC_HANDLE,
		.kind = UVERBS_KIND_IDR,
		.flags = UVERBS_ATTR_REQUIRED,
		.access = UVERBS_ACC_NEW,
		.object = MLX5_IB_OBJECT_UAR,
	}, {
		.id = MLX5_IB_ATTR_UAR_OBJ_ALLOC_TYPE,
		.kind = UVERBS_KIND_PTR_IN,
		.flags = UVERBS_ATTR_REQUIRED | UVERBS_ATTR_COPY_IN,
		.min_len = sizeof(u64),
		.max_len = sizeof(u64),
	}, {
		.id = MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_OFFSET,
		.kind = UVERBS_KIND_PTR_OUT,
		.flags = UVERBS_ATTR_REQUIRED,
		.min_len = sizeof(u64),
		.max_len = sizeof(u64),
	}, {
		.id = MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_LENGTH,
		.kind = UVERBS_KIND_PTR_OUT,
		.flags = UVERBS_ATTR_REQUIRED,
		.min_len = sizeof(u32),
		.max_len = sizeof(u32),
	}, {
		.id = MLX5_IB_ATTR_UAR_OBJ_ALLOC_PAGE_ID,
		.kind = UVERBS_KIND_PTR_OUT,
		.flags = UVERBS_ATTR_REQUIRED,
		.min_len = sizeof(u32),
		.max_len = sizeof(u32),
	},
};

static const struct uverbs_attr_def cx_uar_destroy_attrs[] = {
	{
		.id = MLX5_IB_ATTR_UAR_OBJ_DESTROY_HANDLE,
		.kind = UVERBS_KIND_IDR,
		.flags = UVERBS_ATTR_REQUIRED,
		.access = UVERBS_ACC_DESTROY,
		.object = MLX5_IB_OBJECT_UAR,
	},
};

static const struct uverbs_method_def cx_uar_methods[] = {
	{
		.id = MLX5_IB_METHOD_UAR_OBJ_ALLOC,
		.handler = cx_uar_obj_alloc,
		.attrs = cx_uar_alloc_attrs,
		.num_attrs = ARRAY_SIZE(cx_uar_alloc_attrs),
	}, {
		/* the handle's attribute does it all */
		.id = MLX5_IB_METHOD_UAR_OBJ_DESTROY,
		.attrs = cx_uar_destroy_attrs,
		.num_attrs = ARRAY_SIZE(cx_uar_destroy_attrs),
	},
};

static const struct uverbs_object_def cx_uar_object = {
	.id = MLX5_IB_OBJECT_UAR,
	.type = &cx_uar_type,
	.methods = cx_uar_methods,
	.num_methods = ARRAY_SIZE(cx_uar_methods),
};

/* What libmlx5 wants to know of a context that it imports */
static const struct uverbs_attr_def cx_query_context_attrs[] = {
	{
		.id = MLX5_IB_ATTR_QUERY_CONTEXT_RESP_UCTX,
		.kind = UVERBS_KIND_PTR_OUT,
		/* a newer library has more room */
		.flags = UVERBS_ATTR_REQUIRED | UVERBS_ATTR_ZERO_TAIL,
		.min_len = offsetofend(struct mlx5_ib_alloc_ucontext_resp,
				       dump_fill_mkey),
		.max_len = sizeof(struct mlx5_ib_alloc_ucontext_resp),
	},
};

/* All that it tells is about switches inside the adapter: there is none. */
static int cx_method_query_port(struct uverbs_bundle *b)
{
	struct mlx5_ib_uapi_query_port info = {};
	u32 port;
	int ret;

	if (!uverbs_context(b))
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "file has no context", 0, 0);
	ret = uverbs_attr_copy_in(b, MLX5_IB_ATTR_QUERY_PORT_PORT_NUM, &port,
				  sizeof(port));
	if (ret)
		return ret;
	if (!port || port > uverbs_device(b)->phys_port_cnt)
		return ib_refuse_attr(IB_LAYER_DRIVER,
				      MLX5_IB_ATTR_QUERY_PORT_PORT_NUM,
				      -EINVAL, "port %llu, device has %llu",
				      port, uverbs_device(b)->phys_port_cnt);
	return uverbs_attr_copy_out(b, MLX5_IB_ATTR_QUERY_PORT, &info,
				    sizeof(info));
}

static const struct uverbs_attr_def cx_query_port_attrs[] = {
	UVERBS_ATTR_IN(MLX5_IB_ATTR_QUERY_PORT_PORT_NUM, sizeof(u32),
		       UVERBS_ATTR_REQUIRED),
	{
		.id = MLX5_IB_ATTR_QUERY_PORT,
		.kind = UVERBS_KIND_PTR_OUT,
		.flags = UVERBS_ATTR_REQUIRED | UVERBS_ATTR_ZERO_TAIL,
		.min_len = sizeof(struct mlx5_ib_uapi_query_port),
		.max_len = sizeof(struct mlx5_ib_uapi_query_port),
	},
};

static int cx_method_pd_query(struct uverbs_bundle *b)
{
	struct ib_pd *pd = uverbs_attr_object(b, MLX5_IB_ATTR_QUERY_PD_HANDLE);
	u32 pdn = to_cx_pd(pd)->pdn;

	return uverbs_attr_copy_out(b, MLX5_IB_ATTR_QUERY_PD_RESP_PDN, &pdn,
				    sizeof(pdn));
}

static const struct uverbs_attr_def cx_pd_query_attrs[] = {
	UVERBS_ATTR_HANDLE(MLX5_IB_ATTR_QUERY_PD_HANDLE, UVERBS_KIND_IDR,
			   UVERBS_OBJECT_PD, UVERBS_ACC_READ,
			   UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_OUT(MLX5_IB_ATTR_QUERY_PD_RESP_PDN, sizeof(u32),
			UVERBS_ATTR_REQUIRED),
};

static const struct uverbs_method_def cx_device_methods[] = {
	{
		.id = UVERBS_METHOD_QUERY_CONTEXT,
		.attrs = cx_query_context_attrs,
		.num_attrs = ARRAY_SIZE(cx_query_context_attrs),
	}, {
		.id = MLX5_IB_METHOD_QUERY_PORT,
		.handler = cx_method_query_port,
		.attrs = cx_query_port_attrs,
		.num_attrs = ARRAY_SIZE(cx_query_port_attrs),
	},
};

/* Read by cx_create_cq() */
static const struct uverbs_attr_def cx_cq_create_attrs[] = {
	UVERBS_ATTR_IN(MLX5_IB_ATTR_CREATE_CQ_UAR_INDEX, sizeof(u32), 0),
};

static const struct uverbs_method_def cx_cq_methods[] = {
	{
		.id = UVERBS_METHOD_CQ_CREATE,
		.attrs = cx_cq_create_attrs,
		.num_attrs = ARRAY_SIZE(cx_cq_create_attrs),
	},
};

/* Read by cx_reg_user_mr_dmabuf() */
static const struct uverbs_attr_def cx_reg_dmabuf_attrs[] = {
	{
		.id = MLX5_IB_ATTR_REG_DMABUF_MR_ACCESS_FLAGS,
		.kind = UVERBS_KIND_PTR_IN,
		.min_len = sizeof(u32),
		.max_len = sizeof(u64),
	},
};

static const struct uverbs_method_def cx_mr_methods[] = {
	{
		.id = UVERBS_METHOD_REG_DMABUF_MR,
		.attrs = cx_reg_dmabuf_attrs,
		.num_attrs = ARRAY_SIZE(cx_reg_dmabuf_attrs),
	},
};

static const struct uverbs_method_def cx_pd_methods[] = {
	{
		.id = MLX5_IB_METHOD_PD_QUERY,
		.handler = cx_method_pd_query,
		.attrs = cx_pd_query_attrs,
		.num_attrs = ARRAY_SIZE(cx_pd_query_attrs),
	},
};

static const struct uverbs_object_def cx_device_object = {
	.id = UVERBS_OBJECT_DEVICE,
	.methods = cx_device_methods,
	.num_methods = ARRAY_SIZE(cx_device_methods),
};

static const struct uverbs_object_def cx_pd_object = {
	.id = UVERBS_OBJECT_PD,
	.methods = cx_pd_methods,
	.num_methods = ARRAY_SIZE(cx_pd_methods),
};

static const struct uverbs_object_def cx_cq_object = {
	.id = UVERBS_OBJECT_CQ,
	.methods = cx_cq_methods,
	.num_methods = ARRAY_SIZE(cx_cq_methods),
};

static const struct uverbs_object_def cx_mr_object = {
	.id = UVERBS_OBJECT_MR,
	.methods = cx_mr_methods,
	.num_methods = ARRAY_SIZE(cx_mr_methods),
};

/* Merged by ib_uverbs into the tree of the device */
const struct uverbs_object_def *const cx_uverbs_objects[] = {
	&cx_device_object,
	&cx_pd_object,
	&cx_cq_object,
	&cx_mr_object,
	&cx_dm_object,
	&cx_uar_object,
	NULL,
};
