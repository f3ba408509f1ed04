// SPDX-License-Identifier: GPL-2.0-only
/* The native methods: good calls, as tables. */
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>

#include "../../../uapi/ib/newer.h"
#include "abi.h"
#include "abi_layout.h"

#define VALUE(id, len, value)	{ #id, UVERBS_ATTR_##id, ABI_NUMBER, len, value }
#define MAYBE(id, len, value) \
	{ #id, UVERBS_ATTR_##id, ABI_NUMBER, len, value, NULL, true }
#define NEW(id, slot)		{ #id, UVERBS_ATTR_##id, ABI_NEW, 0, slot }
#define HANDLE(id, slot)	{ #id, UVERBS_ATTR_##id, ABI_HANDLE, 0, slot }
#define MAYBE_FD(id, slot) \
	{ #id, UVERBS_ATTR_##id, ABI_FD, 0, slot, NULL, true }
#define OUT(id, len)		{ #id, UVERBS_ATTR_##id, ABI_OUT, len }
#define MAYBE_OUT(id, len) \
	{ #id, UVERBS_ATTR_##id, ABI_OUT, len, 0, NULL, true }
#define IN(id, layout) \
	{ #id, UVERBS_ATTR_##id, ABI_IN, 0, 0, &(layout) }
#define UHW_IN(layout) \
	{ "UHW_IN", UVERBS_ATTR_UHW_IN, ABI_IN, 0, 0, &(layout) }
#define UHW_OUT(len)		{ "UHW_OUT", UVERBS_ATTR_UHW_OUT, ABI_OUT, len }
#define DRIVER_OUT(id, len)	{ #id, MLX5_IB_ATTR_##id, ABI_OUT, len }

#define GID_ENTRY	sizeof(struct ib_uverbs_gid_entry)

static const struct abi_attr info_handles[] = {
	VALUE(INFO_OBJECT_ID, 8, UVERBS_OBJECT_PD),
	MAYBE_OUT(INFO_TOTAL_HANDLES, 4),
	MAYBE_OUT(INFO_HANDLES_LIST, 64),
};

static const struct abi_attr query_port[] = {
	VALUE(QUERY_PORT_PORT_NUM, 8, 1),
	OUT(QUERY_PORT_RESP, sizeof(struct ib_uverbs_query_port_resp_ex)),
};

static const struct abi_attr get_context[] = {
	MAYBE_OUT(GET_CONTEXT_NUM_COMP_VECTORS, 4),
	MAYBE_OUT(GET_CONTEXT_CORE_SUPPORT, 8),
	UHW_IN(layout_context),
	UHW_OUT(sizeof(struct mlx5_ib_alloc_ucontext_resp)),
};

static const struct abi_attr query_context[] = {
	MAYBE_OUT(QUERY_CONTEXT_NUM_COMP_VECTORS, 4),
	MAYBE_OUT(QUERY_CONTEXT_CORE_SUPPORT, 8),
	DRIVER_OUT(QUERY_CONTEXT_RESP_UCTX,
		   sizeof(struct mlx5_ib_alloc_ucontext_resp)),
};

static const struct abi_attr gid_table[] = {
	VALUE(QUERY_GID_TABLE_ENTRY_SIZE, 8, GID_ENTRY),
	MAYBE(QUERY_GID_TABLE_FLAGS, 4, 0),
	OUT(QUERY_GID_TABLE_RESP_ENTRIES, 16 * GID_ENTRY),
	OUT(QUERY_GID_TABLE_RESP_NUM_ENTRIES, 8),
};

static const struct abi_attr gid_entry[] = {
	VALUE(QUERY_GID_ENTRY_PORT, 8, 1),
	VALUE(QUERY_GID_ENTRY_GID_INDEX, 8, 0),
	VALUE(QUERY_GID_ENTRY_FLAGS, 4, 0),
	OUT(QUERY_GID_ENTRY_RESP_ENTRY, GID_ENTRY),
};

static const struct abi_attr pd_destroy[] = {
	HANDLE(DESTROY_PD_HANDLE, SLOT_PD_SPARE),
};

static const struct abi_attr cq_create[] = {
	NEW(CREATE_CQ_HANDLE, SLOT_CQ),
	VALUE(CREATE_CQ_CQE, 4, 63),
	VALUE(CREATE_CQ_USER_HANDLE, 8, 0x1234),
	MAYBE_FD(CREATE_CQ_COMP_CHANNEL, SLOT_CHANNEL),
	VALUE(CREATE_CQ_COMP_VECTOR, 4, 0),
	MAYBE(CREATE_CQ_FLAGS, 4, 0),
	OUT(CREATE_CQ_RESP_CQE, 4),
	MAYBE_FD(CREATE_CQ_EVENT_FD, SLOT_ASYNC),
	UHW_IN(layout_cq_driver),
	UHW_OUT(sizeof(struct mlx5_ib_create_cq_resp)),
};

static const struct abi_attr cq_destroy[] = {
	HANDLE(DESTROY_CQ_HANDLE, SLOT_CQ_SPARE),
	OUT(DESTROY_CQ_RESP, sizeof(struct ib_uverbs_destroy_cq_resp)),
};

static const struct abi_attr qp_create[] = {
	NEW(CREATE_QP_HANDLE, SLOT_QP),
	HANDLE(CREATE_QP_PD_HANDLE, SLOT_PD),
	HANDLE(CREATE_QP_SEND_CQ_HANDLE, SLOT_CQ),
	HANDLE(CREATE_QP_RECV_CQ_HANDLE, SLOT_CQ),
	VALUE(CREATE_QP_USER_HANDLE, 8, 0x1234),
	IN(CREATE_QP_CAP, layout_qp_cap),
	VALUE(CREATE_QP_TYPE, 8, IB_UVERBS_QPT_RC),
	MAYBE(CREATE_QP_FLAGS, 4, 0),
	MAYBE_FD(CREATE_QP_EVENT_FD, SLOT_ASYNC),
	OUT(CREATE_QP_RESP_CAP, sizeof(struct ib_uverbs_qp_cap)),
	OUT(CREATE_QP_RESP_QP_NUM, 4),
	UHW_IN(layout_qp_driver),
	UHW_OUT(sizeof(struct mlx5_ib_create_qp_resp)),
};

static const struct abi_attr qp_create_srq[] = {
	NEW(CREATE_QP_HANDLE, SLOT_QP),
	HANDLE(CREATE_QP_PD_HANDLE, SLOT_PD),
	HANDLE(CREATE_QP_SRQ_HANDLE, SLOT_SRQ),
	HANDLE(CREATE_QP_SEND_CQ_HANDLE, SLOT_CQ),
	HANDLE(CREATE_QP_RECV_CQ_HANDLE, SLOT_CQ),
	VALUE(CREATE_QP_USER_HANDLE, 8, 0),
	IN(CREATE_QP_CAP, layout_qp_cap),
	VALUE(CREATE_QP_TYPE, 8, IB_UVERBS_QPT_RC),
	OUT(CREATE_QP_RESP_CAP, sizeof(struct ib_uverbs_qp_cap)),
	OUT(CREATE_QP_RESP_QP_NUM, 4),
	UHW_IN(layout_qp_driver),
	UHW_OUT(sizeof(struct mlx5_ib_create_qp_resp)),
};

static const struct abi_attr qp_create_xrc[] = {
	NEW(CREATE_QP_HANDLE, SLOT_QP),
	HANDLE(CREATE_QP_XRCD_HANDLE, SLOT_XRCD),
	VALUE(CREATE_QP_USER_HANDLE, 8, 0),
	IN(CREATE_QP_CAP, layout_qp_cap),
	VALUE(CREATE_QP_TYPE, 8, IB_UVERBS_QPT_XRC_TGT),
	OUT(CREATE_QP_RESP_CAP, sizeof(struct ib_uverbs_qp_cap)),
	OUT(CREATE_QP_RESP_QP_NUM, 4),
	UHW_IN(layout_qp_driver),
	UHW_OUT(sizeof(struct mlx5_ib_create_qp_resp)),
};

static const struct abi_attr qp_destroy[] = {
	HANDLE(DESTROY_QP_HANDLE, SLOT_QP_SPARE),
	OUT(DESTROY_QP_RESP, sizeof(struct ib_uverbs_destroy_qp_resp)),
};

static const struct abi_attr srq_create[] = {
	NEW(CREATE_SRQ_HANDLE, SLOT_SRQ),
	HANDLE(CREATE_SRQ_PD_HANDLE, SLOT_PD),
	VALUE(CREATE_SRQ_TYPE, 8, IB_UVERBS_SRQT_BASIC),
	VALUE(CREATE_SRQ_USER_HANDLE, 8, 0x1234),
	VALUE(CREATE_SRQ_MAX_WR, 4, 15),
	VALUE(CREATE_SRQ_MAX_SGE, 4, 1),
	VALUE(CREATE_SRQ_LIMIT, 4, 0),
	MAYBE_FD(CREATE_SRQ_EVENT_FD, SLOT_ASYNC),
	OUT(CREATE_SRQ_RESP_MAX_WR, 4),
	OUT(CREATE_SRQ_RESP_MAX_SGE, 4),
	MAYBE_OUT(CREATE_SRQ_RESP_SRQ_NUM, 4),
	UHW_IN(layout_srq_driver),
	UHW_OUT(sizeof(struct mlx5_ib_create_srq_resp)),
};

static const struct abi_attr srq_create_xrc[] = {
	NEW(CREATE_SRQ_HANDLE, SLOT_SRQ),
	HANDLE(CREATE_SRQ_PD_HANDLE, SLOT_PD),
	HANDLE(CREATE_SRQ_XRCD_HANDLE, SLOT_XRCD),
	HANDLE(CREATE_SRQ_CQ_HANDLE, SLOT_CQ),
	VALUE(CREATE_SRQ_TYPE, 8, IB_UVERBS_SRQT_XRC),
	VALUE(CREATE_SRQ_USER_HANDLE, 8, 0),
	VALUE(CREATE_SRQ_MAX_WR, 4, 15),
	VALUE(CREATE_SRQ_MAX_SGE, 4, 1),
	VALUE(CREATE_SRQ_LIMIT, 4, 0),
	OUT(CREATE_SRQ_RESP_MAX_WR, 4),
	OUT(CREATE_SRQ_RESP_MAX_SGE, 4),
	OUT(CREATE_SRQ_RESP_SRQ_NUM, 4),
	UHW_IN(layout_srq_driver),
	UHW_OUT(sizeof(struct mlx5_ib_create_srq_resp)),
};

static const struct abi_attr srq_destroy[] = {
	HANDLE(DESTROY_SRQ_HANDLE, SLOT_SRQ_SPARE),
	OUT(DESTROY_SRQ_RESP, sizeof(struct ib_uverbs_destroy_srq_resp)),
};

static const struct abi_attr ah_destroy[] = {
	HANDLE(DESTROY_AH_HANDLE, SLOT_AH_SPARE),
};

static const struct abi_attr mr_destroy[] = {
	HANDLE(DESTROY_MR_HANDLE, SLOT_MR_SPARE),
};

static const struct abi_attr mr_query[] = {
	HANDLE(QUERY_MR_HANDLE, SLOT_MR),
	OUT(QUERY_MR_RESP_LKEY, 4),
	OUT(QUERY_MR_RESP_RKEY, 4),
	OUT(QUERY_MR_RESP_LENGTH, 8),
	MAYBE_OUT(QUERY_MR_RESP_IOVA, 8),
};

static const struct abi_attr mr_advise[] = {
	HANDLE(ADVISE_MR_PD_HANDLE, SLOT_PD),
	VALUE(ADVISE_MR_ADVICE, 8, 0),
	VALUE(ADVISE_MR_FLAGS, 4, 0),
	IN(ADVISE_MR_SGE_LIST, layout_sge),
};

static const struct abi_attr mr_reg_dmabuf[] = {
	NEW(REG_DMABUF_MR_HANDLE, SLOT_MR),
	HANDLE(REG_DMABUF_MR_PD_HANDLE, SLOT_PD),
	VALUE(REG_DMABUF_MR_OFFSET, 8, 0),
	VALUE(REG_DMABUF_MR_LENGTH, 8, 4096),
	VALUE(REG_DMABUF_MR_IOVA, 8, 0),
	{ "REG_DMABUF_MR_FD", UVERBS_ATTR_REG_DMABUF_MR_FD, ABI_FD_NUMBER, 4,
	  SLOT_DMABUF },
	MAYBE(REG_DMABUF_MR_ACCESS_FLAGS, 4, 1),
	OUT(REG_DMABUF_MR_RESP_LKEY, 4),
	OUT(REG_DMABUF_MR_RESP_RKEY, 4),
};

static const struct abi_attr mr_reg_dm[] = {
	NEW(REG_DM_MR_HANDLE, SLOT_MR),
	VALUE(REG_DM_MR_OFFSET, 8, 0),
	VALUE(REG_DM_MR_LENGTH, 8, 64),
	HANDLE(REG_DM_MR_PD_HANDLE, SLOT_PD),
	MAYBE(REG_DM_MR_ACCESS_FLAGS, 4, 1 << 5),
	HANDLE(REG_DM_MR_DM_HANDLE, SLOT_DM),
	OUT(REG_DM_MR_RESP_LKEY, 4),
	OUT(REG_DM_MR_RESP_RKEY, 4),
};

/* --- what later kernels have ---------------------------------------------- */

#define NEWER(kind, id, ...)	kind(UVERBS_NEW_ATTR_##id, #id, ##__VA_ARGS__)
#define NEWER_VALUE(id, name, len, value)	{ name, id, ABI_NUMBER, len, value }
#define NEWER_ADDRESS(id, name, len)	{ name, id, ABI_ADDRESS, len }
#define NEWER_HANDLE(id, name, slot)	{ name, id, ABI_HANDLE, 0, slot }
#define NEWER_NEW(id, name, slot)	{ name, id, ABI_NEW, 0, slot }
#define NEWER_OUT(id, name, len)	{ name, id, ABI_OUT, len }

static const struct abi_attr mr_reg[] = {
	NEWER(NEWER_NEW, REG_MR_HANDLE, SLOT_MR),
	NEWER(NEWER_HANDLE, REG_MR_PD_HANDLE, SLOT_PD),
	NEWER(NEWER_ADDRESS, REG_MR_IOVA, 8),
	NEWER(NEWER_ADDRESS, REG_MR_ADDR, 8),
	NEWER(NEWER_VALUE, REG_MR_LENGTH, 8, 4096),
	NEWER(NEWER_VALUE, REG_MR_ACCESS_FLAGS, 4, 1),
	NEWER(NEWER_OUT, REG_MR_RESP_LKEY, 4),
	NEWER(NEWER_OUT, REG_MR_RESP_RKEY, 4),
};

static const struct abi_attr port_speed[] = {
	NEWER(NEWER_VALUE, QUERY_PORT_SPEED_PORT, 8, 1),
	NEWER(NEWER_OUT, QUERY_PORT_SPEED_RESP, 8),
};

static const struct abi_attr async_alloc[] = {
	NEW(ASYNC_EVENT_ALLOC_FD_HANDLE, SLOT_ASYNC),
};

static const struct abi_attr mw_destroy[] = {
	HANDLE(DESTROY_MW_HANDLE, SLOT_MW_SPARE),
};

static const struct abi_attr flow_destroy[] = {
	HANDLE(DESTROY_FLOW_HANDLE, SLOT_FLOW),
};

static const struct abi_attr xrcd_destroy[] = {
	HANDLE(DESTROY_XRCD_HANDLE, SLOT_XRCD_SPARE),
};

static const struct abi_attr ind_table_destroy[] = {
	HANDLE(DESTROY_RWQ_IND_TBL_HANDLE, SLOT_IND_TABLE),
};

static const struct abi_attr wq_create[] = {
	NEW(CREATE_WQ_HANDLE, SLOT_WQ),
	HANDLE(CREATE_WQ_PD_HANDLE, SLOT_PD),
	HANDLE(CREATE_WQ_CQ_HANDLE, SLOT_CQ),
	VALUE(CREATE_WQ_USER_HANDLE, 8, 0),
	VALUE(CREATE_WQ_TYPE, 8, 0),
	VALUE(CREATE_WQ_MAX_WR, 4, 16),
	VALUE(CREATE_WQ_MAX_SGE, 4, 1),
	VALUE(CREATE_WQ_FLAGS, 4, 0),
	OUT(CREATE_WQ_RESP_MAX_WR, 4),
	OUT(CREATE_WQ_RESP_MAX_SGE, 4),
	MAYBE_OUT(CREATE_WQ_RESP_WQ_NUM, 4),
};

static const struct abi_attr wq_destroy[] = {
	HANDLE(DESTROY_WQ_HANDLE, SLOT_WQ),
	OUT(DESTROY_WQ_RESP, 4),
};

static const struct abi_attr flow_action_destroy[] = {
	HANDLE(DESTROY_FLOW_ACTION_HANDLE, SLOT_FLOW_ACTION),
};

static const struct abi_attr dm_alloc[] = {
	NEW(ALLOC_DM_HANDLE, SLOT_DM),
	VALUE(ALLOC_DM_LENGTH, 8, 64),
	VALUE(ALLOC_DM_ALIGNMENT, 4, 0),
	DRIVER_OUT(ALLOC_DM_RESP_START_OFFSET, 8),
	DRIVER_OUT(ALLOC_DM_RESP_PAGE_INDEX, 2),
	{ "ALLOC_DM_REQ_TYPE", MLX5_IB_ATTR_ALLOC_DM_REQ_TYPE, ABI_NUMBER, 8,
	  MLX5_IB_UAPI_DM_TYPE_MEMIC, NULL, true },
};

static const struct abi_attr dm_free[] = {
	HANDLE(FREE_DM_HANDLE, SLOT_DM_SPARE),
};

static const struct abi_attr dm_map_op[] = {
	{ "DM_HANDLE", MLX5_IB_ATTR_DM_MAP_OP_ADDR_REQ_HANDLE, ABI_HANDLE, 0,
	  SLOT_DM },
	{ "OP", MLX5_IB_ATTR_DM_MAP_OP_ADDR_REQ_OP, ABI_NUMBER, 1, 0 },
	DRIVER_OUT(DM_MAP_OP_ADDR_RESP_START_OFFSET, 8),
	DRIVER_OUT(DM_MAP_OP_ADDR_RESP_PAGE_INDEX, 2),
};

static const struct abi_attr dm_query[] = {
	{ "DM_HANDLE", MLX5_IB_ATTR_QUERY_DM_REQ_HANDLE, ABI_HANDLE, 0,
	  SLOT_DM },
	DRIVER_OUT(QUERY_DM_RESP_START_OFFSET, 8),
	DRIVER_OUT(QUERY_DM_RESP_PAGE_INDEX, 2),
	DRIVER_OUT(QUERY_DM_RESP_LENGTH, 8),
};

static const struct abi_attr counters_create[] = {
	NEW(CREATE_COUNTERS_HANDLE, SLOT_COUNTERS),
};

static const struct abi_attr counters_destroy[] = {
	HANDLE(DESTROY_COUNTERS_HANDLE, SLOT_COUNTERS),
};

static const struct abi_attr counters_read[] = {
	HANDLE(READ_COUNTERS_HANDLE, SLOT_COUNTERS),
	OUT(READ_COUNTERS_BUFF, 64),
	VALUE(READ_COUNTERS_FLAGS, 4, 0),
};

/* --- what the mlx5 provider calls ---------------------------------------- */

static const struct abi_attr uar_alloc[] = {
	{ "UAR_HANDLE", MLX5_IB_ATTR_UAR_OBJ_ALLOC_HANDLE, ABI_NEW, 0,
	  SLOT_UAR_SPARE },
	{ "UAR_TYPE", MLX5_IB_ATTR_UAR_OBJ_ALLOC_TYPE, ABI_NUMBER, 8,
	  MLX5_IB_UAPI_UAR_ALLOC_TYPE_NC },
	DRIVER_OUT(UAR_OBJ_ALLOC_MMAP_OFFSET, 8),
	DRIVER_OUT(UAR_OBJ_ALLOC_MMAP_LENGTH, 4),
	DRIVER_OUT(UAR_OBJ_ALLOC_PAGE_ID, 4),
};

static const struct abi_attr uar_destroy[] = {
	{ "UAR_HANDLE", MLX5_IB_ATTR_UAR_OBJ_DESTROY_HANDLE, ABI_HANDLE, 0,
	  SLOT_UAR_SPARE },
};

static const struct abi_attr driver_port[] = {
	{ "PORT_NUM", MLX5_IB_ATTR_QUERY_PORT_PORT_NUM, ABI_NUMBER, 4, 1 },
	DRIVER_OUT(QUERY_PORT, sizeof(struct mlx5_ib_uapi_query_port)),
};

static const struct abi_attr pd_query[] = {
	{ "PD_HANDLE", MLX5_IB_ATTR_QUERY_PD_HANDLE, ABI_HANDLE, 0, SLOT_PD },
	DRIVER_OUT(QUERY_PD_RESP_PDN, 4),
};

#define METHOD(obj, meth, table, ...) \
	{ .object_name = #obj, .name = #meth, \
	  .object = UVERBS_OBJECT_##obj, .method = UVERBS_METHOD_##meth, \
	  .attrs = table, .num = LENGTH(table), ##__VA_ARGS__ }
#define DRIVER_METHOD(obj, meth, table, ...) \
	{ .object_name = #obj, .name = #meth, \
	  .object = MLX5_IB_OBJECT_##obj, .method = MLX5_IB_METHOD_##meth, \
	  .attrs = table, .num = LENGTH(table), ##__VA_ARGS__ }
/* Driver methods that connectx lacks: without attributes */
#define ABSENT(obj, meth) \
	{ .object_name = #obj, .name = #meth, .flags = ABI_RARE, \
	  .object = MLX5_IB_OBJECT_##obj, .method = MLX5_IB_METHOD_##meth }
/* The same in an object of the core */
#define ABSENT_HERE(obj, meth) \
	{ .object_name = #obj, .name = "MLX5_" #meth, .flags = ABI_RARE, \
	  .object = UVERBS_OBJECT_##obj, .method = MLX5_IB_METHOD_##meth }
#define UNUSED(obj, meth) \
	{ .object_name = #obj, .name = #meth, .flags = ABI_RARE, \
	  .object = UVERBS_OBJECT_##obj, .method = UVERBS_METHOD_##meth }

const struct abi_method abi_natives[] = {
	METHOD(DEVICE, INFO_HANDLES, info_handles),
	METHOD(DEVICE, QUERY_PORT, query_port),
	METHOD(DEVICE, GET_CONTEXT, get_context,
	       .flags = ABI_FRESH | ABI_RARE),
	METHOD(DEVICE, QUERY_CONTEXT, query_context),
	METHOD(DEVICE, QUERY_GID_TABLE, gid_table),
	METHOD(DEVICE, QUERY_GID_ENTRY, gid_entry),
	METHOD(PD, PD_DESTROY, pd_destroy, .spends = SLOT_PD_SPARE),
	METHOD(CQ, CQ_CREATE, cq_create, .makes = SLOT_CQ),
	METHOD(CQ, CQ_DESTROY, cq_destroy, .spends = SLOT_CQ_SPARE),
	METHOD(QP, QP_CREATE, qp_create, .makes = SLOT_QP),
	METHOD(QP, QP_CREATE, qp_create_srq, .makes = SLOT_QP),
	METHOD(QP, QP_CREATE, qp_create_xrc, .makes = SLOT_QP),
	METHOD(QP, QP_DESTROY, qp_destroy, .spends = SLOT_QP_SPARE),
	METHOD(SRQ, SRQ_CREATE, srq_create, .makes = SLOT_SRQ),
	METHOD(SRQ, SRQ_CREATE, srq_create_xrc, .makes = SLOT_SRQ),
	METHOD(SRQ, SRQ_DESTROY, srq_destroy, .spends = SLOT_SRQ_SPARE),
	METHOD(AH, AH_DESTROY, ah_destroy, .spends = SLOT_AH_SPARE),
	METHOD(MR, MR_DESTROY, mr_destroy, .spends = SLOT_MR_SPARE),
	METHOD(MR, QUERY_MR, mr_query),
	METHOD(MR, ADVISE_MR, mr_advise),
	METHOD(MR, REG_DMABUF_MR, mr_reg_dmabuf, .makes = SLOT_MR),
	METHOD(MR, DM_MR_REG, mr_reg_dm, .makes = SLOT_MR),
	METHOD(ASYNC_EVENT, ASYNC_EVENT_ALLOC, async_alloc,
	       .makes = SLOT_ASYNC),
	METHOD(MW, MW_DESTROY, mw_destroy, .spends = SLOT_MW_SPARE),
	METHOD(FLOW, FLOW_DESTROY, flow_destroy, .flags = ABI_RARE),
	METHOD(XRCD, XRCD_DESTROY, xrcd_destroy, .spends = SLOT_XRCD_SPARE),
	METHOD(RWQ_IND_TBL, RWQ_IND_TBL_DESTROY, ind_table_destroy,
	       .flags = ABI_RARE),
	METHOD(WQ, WQ_CREATE, wq_create, .makes = SLOT_WQ, .flags = ABI_RARE),
	METHOD(WQ, WQ_DESTROY, wq_destroy, .flags = ABI_RARE),
	METHOD(FLOW_ACTION, FLOW_ACTION_DESTROY, flow_action_destroy,
	       .flags = ABI_RARE),
	/* numbers in the headers, and nothing behind them */
	UNUSED(FLOW_ACTION, FLOW_ACTION_ESP_CREATE),
	UNUSED(FLOW_ACTION, FLOW_ACTION_ESP_MODIFY),
	METHOD(DM, DM_ALLOC, dm_alloc, .makes = SLOT_DM),
	METHOD(DM, DM_FREE, dm_free, .spends = SLOT_DM_SPARE),
	METHOD(COUNTERS, COUNTERS_CREATE, counters_create,
	       .makes = SLOT_COUNTERS, .flags = ABI_RARE),
	METHOD(COUNTERS, COUNTERS_DESTROY, counters_destroy,
	       .flags = ABI_RARE),
	METHOD(COUNTERS, COUNTERS_READ, counters_read, .flags = ABI_RARE),
	{ .object_name = "MR", .name = "NATIVE_REG_MR", .makes = SLOT_MR,
	  .object = UVERBS_OBJECT_MR, .method = UVERBS_NEW_METHOD_REG_MR,
	  .attrs = mr_reg, .num = LENGTH(mr_reg), .flags = ABI_RARE },
	{ .object_name = "DEVICE", .name = "QUERY_PORT_SPEED",
	  .object = UVERBS_OBJECT_DEVICE,
	  .method = UVERBS_NEW_METHOD_QUERY_PORT_SPEED,
	  .attrs = port_speed, .num = LENGTH(port_speed), .flags = ABI_RARE },
	DRIVER_METHOD(UAR, UAR_OBJ_ALLOC, uar_alloc,
		      .makes = SLOT_UAR_SPARE),
	DRIVER_METHOD(UAR, UAR_OBJ_DESTROY, uar_destroy,
		      .spends = SLOT_UAR_SPARE),
	{ .object_name = "DEVICE", .name = "MLX5_QUERY_PORT",
	  .object = UVERBS_OBJECT_DEVICE, .method = MLX5_IB_METHOD_QUERY_PORT,
	  .attrs = driver_port, .num = LENGTH(driver_port) },
	{ .object_name = "PD", .name = "MLX5_PD_QUERY",
	  .object = UVERBS_OBJECT_PD, .method = MLX5_IB_METHOD_PD_QUERY,
	  .attrs = pd_query, .num = LENGTH(pd_query) },
	{ .object_name = "DM", .name = "MLX5_DM_MAP_OP_ADDR",
	  .object = UVERBS_OBJECT_DM, .method = MLX5_IB_METHOD_DM_MAP_OP_ADDR,
	  .attrs = dm_map_op, .num = LENGTH(dm_map_op) },
	{ .object_name = "DM", .name = "MLX5_DM_QUERY",
	  .object = UVERBS_OBJECT_DM, .method = MLX5_IB_METHOD_DM_QUERY,
	  .attrs = dm_query, .num = LENGTH(dm_query) },
	ABSENT(DEVX, DEVX_OTHER),
	ABSENT(DEVX, DEVX_QUERY_UAR),
	ABSENT(DEVX, DEVX_QUERY_EQN),
	ABSENT(DEVX, DEVX_SUBSCRIBE_EVENT),
	ABSENT(DEVX_OBJ, DEVX_OBJ_CREATE),
	ABSENT(DEVX_OBJ, DEVX_OBJ_DESTROY),
	ABSENT(DEVX_OBJ, DEVX_OBJ_MODIFY),
	ABSENT(DEVX_OBJ, DEVX_OBJ_QUERY),
	ABSENT(DEVX_OBJ, DEVX_OBJ_ASYNC_QUERY),
	ABSENT(DEVX_UMEM, DEVX_UMEM_REG),
	ABSENT(DEVX_UMEM, DEVX_UMEM_DEREG),
	ABSENT(DEVX_ASYNC_CMD_FD, DEVX_ASYNC_CMD_FD_ALLOC),
	ABSENT(DEVX_ASYNC_EVENT_FD, DEVX_ASYNC_EVENT_FD_ALLOC),
	ABSENT(FLOW_MATCHER, FLOW_MATCHER_CREATE),
	ABSENT(FLOW_MATCHER, FLOW_MATCHER_DESTROY),
	ABSENT(STEERING_ANCHOR, STEERING_ANCHOR_CREATE),
	ABSENT(STEERING_ANCHOR, STEERING_ANCHOR_DESTROY),
	ABSENT(VAR, VAR_OBJ_ALLOC),
	ABSENT(VAR, VAR_OBJ_DESTROY),
	ABSENT(PP, PP_OBJ_ALLOC),
	ABSENT(PP, PP_OBJ_DESTROY),
	ABSENT_HERE(FLOW, CREATE_FLOW),
	ABSENT_HERE(FLOW, DESTROY_FLOW),
	ABSENT_HERE(FLOW_ACTION, FLOW_ACTION_CREATE_MODIFY_HEADER),
	ABSENT_HERE(FLOW_ACTION, FLOW_ACTION_CREATE_PACKET_REFORMAT),
	/* headers of the build machine may not know it */
	{ .object_name = "DEVICE", .name = "GET_DATA_DIRECT_SYSFS_PATH",
	  .flags = ABI_RARE, .object = UVERBS_OBJECT_DEVICE,
	  .method = MLX5_IB_METHOD_QUERY_PORT + 1 },
};

const unsigned int abi_num_natives = LENGTH(abi_natives);
