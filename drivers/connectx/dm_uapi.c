// SPDX-License-Identifier: GPL-2.0-only
/* The driver's own part of the user ABI of device memory. */
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>

#include <ib/refuse.h>
#include <ib/uverbs_def.h>

#include "cx.h"
#include "dm.h"
#include "verbs.h"

/**
 * cx_dm_answer - tell user space where its memory is
 * @b: the call
 * @entry: the memory
 * @page_attr: attribute for the number of its first page
 * @offset_attr: attribute for its place in that page
 *
 * Context: Process context. May sleep.
 * Return: 0 or a negative errno.
 */
int cx_dm_answer(struct uverbs_bundle *b, const struct cx_dm_entry *entry,
		 u16 page_attr, u16 offset_attr)
{
	u16 page = entry->base.start_pgoff % CX_MEMIC_MAX_PAGES;
	u64 offset = entry->addr & ~PAGE_MASK;
	int ret;

	ret = uverbs_attr_copy_out(b, page_attr, &page, sizeof(page));
	if (ret)
		return ret;
	return uverbs_attr_copy_out(b, offset_attr, &offset, sizeof(offset));
}

/* For who imports the memory: what alloc said */
static int cx_dm_query(struct uverbs_bundle *b)
{
	struct ib_dm *dm = uverbs_attr_object(b,
					      MLX5_IB_ATTR_QUERY_DM_REQ_HANDLE);
	int ret;

	ret = cx_dm_answer(b, to_cx_dm(dm)->entry,
			   MLX5_IB_ATTR_QUERY_DM_RESP_PAGE_INDEX,
			   MLX5_IB_ATTR_QUERY_DM_RESP_START_OFFSET);
	if (ret)
		return ret;
	return uverbs_attr_copy_out(b, MLX5_IB_ATTR_QUERY_DM_RESP_LENGTH,
				    &dm->length, sizeof(dm->length));
}

/* Pages on which an access does more than read and write: not there yet */
static int cx_dm_map_op(struct uverbs_bundle *b)
{
	int ret;
	u8 op;

	ret = uverbs_attr_copy_in(b, MLX5_IB_ATTR_DM_MAP_OP_ADDR_REQ_OP, &op,
				  sizeof(op));
	if (ret)
		return ret;
	return ib_refuse_attr(IB_LAYER_DRIVER,
			      MLX5_IB_ATTR_DM_MAP_OP_ADDR_REQ_OP, -EOPNOTSUPP,
			      "operation %llu on device memory is not supported",
			      op, 0);
}

static const struct uverbs_attr_def cx_dm_alloc_attrs[] = {
	UVERBS_ATTR_OUT(MLX5_IB_ATTR_ALLOC_DM_RESP_START_OFFSET, sizeof(u64),
			UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_OUT(MLX5_IB_ATTR_ALLOC_DM_RESP_PAGE_INDEX, sizeof(u16), 0),
	UVERBS_ATTR_IN(MLX5_IB_ATTR_ALLOC_DM_REQ_TYPE, sizeof(u64), 0),
};

static const struct uverbs_attr_def cx_dm_query_attrs[] = {
	UVERBS_ATTR_HANDLE(MLX5_IB_ATTR_QUERY_DM_REQ_HANDLE, UVERBS_KIND_IDR,
			   UVERBS_OBJECT_DM, UVERBS_ACC_READ,
			   UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_OUT(MLX5_IB_ATTR_QUERY_DM_RESP_START_OFFSET, sizeof(u64),
			UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_OUT(MLX5_IB_ATTR_QUERY_DM_RESP_PAGE_INDEX, sizeof(u16),
			UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_OUT(MLX5_IB_ATTR_QUERY_DM_RESP_LENGTH, sizeof(u64),
			UVERBS_ATTR_REQUIRED),
};

static const struct uverbs_attr_def cx_dm_map_op_attrs[] = {
	UVERBS_ATTR_HANDLE(MLX5_IB_ATTR_DM_MAP_OP_ADDR_REQ_HANDLE,
			   UVERBS_KIND_IDR, UVERBS_OBJECT_DM, UVERBS_ACC_READ,
			   UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_IN(MLX5_IB_ATTR_DM_MAP_OP_ADDR_REQ_OP, sizeof(u8),
		       UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_OUT(MLX5_IB_ATTR_DM_MAP_OP_ADDR_RESP_START_OFFSET,
			sizeof(u64), UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_OUT(MLX5_IB_ATTR_DM_MAP_OP_ADDR_RESP_PAGE_INDEX,
			sizeof(u16), 0),
};

static const struct uverbs_method_def cx_dm_methods[] = {
	{
		/* read by cx_alloc_dm() */
		.id = UVERBS_METHOD_DM_ALLOC,
		.attrs = cx_dm_alloc_attrs,
		.num_attrs = ARRAY_SIZE(cx_dm_alloc_attrs),
	}, {
		.id = MLX5_IB_METHOD_DM_QUERY,
		.handler = cx_dm_query,
		.attrs = cx_dm_query_attrs,
		.num_attrs = ARRAY_SIZE(cx_dm_query_attrs),
	}, {
		.id = MLX5_IB_METHOD_DM_MAP_OP_ADDR,
		.handler = cx_dm_map_op,
		.attrs = cx_dm_map_op_attrs,
		.num_attrs = ARRAY_SIZE(cx_dm_map_op_attrs),
	},
};

/* Not in the tree of a device without such memory */
const struct uverbs_object_def cx_dm_object = {
	.id = UVERBS_OBJECT_DM,
	.methods = cx_dm_methods,
	.num_methods = ARRAY_SIZE(cx_dm_methods),
};
