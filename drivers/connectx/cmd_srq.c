// SPDX-License-Identifier: GPL-2.0-only
/*
 * Commands of shared receive queues. With interface step 1 a plain SRQ is a
 * "receive memory pool" (RMP) whose work queue is a linked list.
 */
#include <linux/kernel.h>

#include <connectx/prm_cmd.h>
#include <connectx/prm_srq.h>

#include "cmd_srq.h"
#include "cmd_wire.h"
#include "cmdq.h"
#include "cx.h"

/**
 * cx_cmd_create_srq - make a shared receive queue
 * @cx: the device
 * @p: what it shall be
 * @srqn: result
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_cmd_create_srq(struct cx_dev *cx, const struct cx_srq_params *p,
		      u32 *srqn)
{
	struct cx_create_rmp_out out = {};
	struct cx_create_rmp_in in = {};
	struct cx_rmpc *rmpc;
	struct cx_wq *wq;
	int ret;

	cx_cmd_set_op(&in, CX_CMD_CREATE_RMP);
	rmpc = cx_create_rmp_in_ctx(&in);
	cx_rmpc_set_state(rmpc, CX_RMP_RDY);
	wq = cx_rmpc_wq(rmpc);
	cx_wq_set_wq_type(wq, CX_WQ_LINKED_LIST);
	cx_wq_set_page_offset(wq, p->pas.offset);
	cx_wq_set_pd(wq, p->pdn);
	cx_wq_set_dbr_addr(wq, p->dbr);
	cx_wq_set_log_wq_stride(wq, p->log_stride);
	cx_wq_set_log_wq_pg_sz(wq, p->pas.page_shift - CX_PAS_SHIFT_BASE);
	cx_wq_set_log_wq_sz(wq, p->log_size);
	ret = cx_cmd_exec_tail(cx, &in, sizeof(in), p->pas.pages,
			       p->pas.count * sizeof(__be64),
			       &out, sizeof(out));
	if (!ret)
		*srqn = cx_create_rmp_out_get_rmpn(&out);
	return ret;
}

/**
 * cx_cmd_arm_srq - ask for an event when few entries are left
 * @cx: the device
 * @srqn: number of the queue
 * @limit: event when fewer are posted; 0 for no event
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_cmd_arm_srq(struct cx_dev *cx, u32 srqn, u16 limit)
{
	struct cx_modify_rmp_in in = {};
	struct cx_cmd_out out = {};

	cx_cmd_set_op(&in, CX_CMD_MODIFY_RMP);
	cx_modify_rmp_in_set_rmp_state(&in, CX_RMP_RDY);
	cx_modify_rmp_in_set_rmpn(&in, srqn);
	cx_rmp_bitmask_set_lwm(cx_modify_rmp_in_bitmask(&in), 1);
	cx_wq_set_lwm(cx_rmpc_wq(cx_modify_rmp_in_ctx(&in)), limit);
	cx_rmpc_set_state(cx_modify_rmp_in_ctx(&in), CX_RMP_RDY);
	return cx_cmd_exec(cx, &in, sizeof(in), &out, sizeof(out));
}

/**
 * cx_cmd_query_srq - read the state of a shared receive queue
 * @cx: the device
 * @srqn: its number
 * @limit: result: see cx_cmd_arm_srq()
 * @error: result: the queue is broken
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_cmd_query_srq(struct cx_dev *cx, u32 srqn, u16 *limit, bool *error)
{
	struct cx_query_rmp_out out = {};
	struct cx_rmp_number_in in = {};
	struct cx_rmpc *rmpc;
	int ret;

	cx_cmd_set_op(&in, CX_CMD_QUERY_RMP);
	cx_rmp_number_in_set_rmpn(&in, srqn);
	ret = cx_cmd_exec(cx, &in, sizeof(in), &out, sizeof(out));
	if (ret)
		return ret;
	rmpc = cx_query_rmp_out_rmp_context(&out);
	*limit = cx_wq_get_lwm(cx_rmpc_wq(rmpc));
	*error = cx_rmpc_get_state(rmpc) != CX_RMP_RDY;
	return 0;
}

/**
 * cx_cmd_destroy_srq - undo cx_cmd_create_srq()
 * @cx: the device
 * @srqn: its number
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_cmd_destroy_srq(struct cx_dev *cx, u32 srqn)
{
	struct cx_rmp_number_in in = {};
	struct cx_cmd_out out = {};

	cx_cmd_set_op(&in, CX_CMD_DESTROY_RMP);
	cx_rmp_number_in_set_rmpn(&in, srqn);
	return cx_cmd_exec(cx, &in, sizeof(in), &out, sizeof(out));
}

/* Like plain SRQs without RMPs: the ring is described in the context itself. */
static void cx_xrc_srqc_fill(struct cx_xrc_srqc *ctx,
			     const struct cx_srq_params *p)
{
	cx_xrc_srqc_set_log_xrc_srq_size(ctx, p->log_size);
	cx_xrc_srqc_set_log_rq_stride(ctx, p->log_stride - CX_RQ_STRIDE_BASE);
	cx_xrc_srqc_set_xrcd(ctx, p->xrcdn);
	cx_xrc_srqc_set_page_offset(ctx, p->pas.offset);
	cx_xrc_srqc_set_cqn(ctx, p->cqn);
	cx_xrc_srqc_set_log_page_size(ctx, p->pas.page_shift -
					   CX_PAS_SHIFT_BASE);
	cx_xrc_srqc_set_user_index(ctx, p->user_index);
	cx_xrc_srqc_set_pd(ctx, p->pdn);
	cx_xrc_srqc_set_db_record_addr_h(ctx, upper_32_bits(p->dbr));
	cx_xrc_srqc_set_db_record_addr_l(ctx, lower_32_bits(p->dbr) >> 2);
}

/**
 * cx_cmd_create_xrc_srq - make a shared receive queue of an XRC domain
 * @cx: the device
 * @p: what it shall be
 * @srqn: result, in one number space with those of other kinds
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_cmd_create_xrc_srq(struct cx_dev *cx, const struct cx_srq_params *p,
			  u32 *srqn)
{
	struct cx_create_xrc_srq_out out = {};
	struct cx_create_xrc_srq_in in = {};
	int ret;

	cx_cmd_set_op(&in, CX_CMD_CREATE_XRC_SRQ);
	cx_xrc_srqc_fill(cx_create_xrc_srq_in_xrc_srq_context_entry(&in), p);
	ret = cx_cmd_exec_tail(cx, &in, sizeof(in), p->pas.pages,
			       p->pas.count * sizeof(__be64),
			       &out, sizeof(out));
	if (!ret)
		*srqn = cx_create_xrc_srq_out_get_xrc_srqn(&out);
	return ret;
}

/**
 * cx_cmd_arm_xrc_srq - ask for an event when few entries are left
 * @cx: the device
 * @srqn: number of the queue
 * @limit: event when fewer are posted; 0 for no event
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_cmd_arm_xrc_srq(struct cx_dev *cx, u32 srqn, u16 limit)
{
	struct cx_arm_xrc_srq_in in = {};
	struct cx_cmd_out out = {};

	cx_cmd_set_op(&in, CX_CMD_ARM_XRC_SRQ);
	cx_cmd_in_set_op_mod((struct cx_cmd_in *)&in, CX_ARM_XRC_SRQ);
	cx_arm_xrc_srq_in_set_xrc_srqn(&in, srqn);
	cx_arm_xrc_srq_in_set_lwm(&in, limit);
	return cx_cmd_exec(cx, &in, sizeof(in), &out, sizeof(out));
}

/**
 * cx_cmd_query_xrc_srq - read the state of an XRC receive queue
 * @cx: the device
 * @srqn: its number
 * @limit: result: see cx_cmd_arm_xrc_srq()
 * @error: result: the queue is broken
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_cmd_query_xrc_srq(struct cx_dev *cx, u32 srqn, u16 *limit, bool *error)
{
	struct cx_query_xrc_srq_out out = {};
	struct cx_xrc_srq_number_in in = {};
	struct cx_xrc_srqc *ctx;
	int ret;

	cx_cmd_set_op(&in, CX_CMD_QUERY_XRC_SRQ);
	cx_xrc_srq_number_in_set_xrc_srqn(&in, srqn);
	ret = cx_cmd_exec(cx, &in, sizeof(in), &out, sizeof(out));
	if (ret)
		return ret;
	ctx = cx_query_xrc_srq_out_xrc_srq_context_entry(&out);
	*limit = cx_xrc_srqc_get_lwm(ctx);
	*error = cx_xrc_srqc_get_state(ctx) != CX_XRC_SRQ_GOOD;
	return 0;
}

/**
 * cx_cmd_destroy_xrc_srq - undo cx_cmd_create_xrc_srq()
 * @cx: the device
 * @srqn: its number
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_cmd_destroy_xrc_srq(struct cx_dev *cx, u32 srqn)
{
	struct cx_xrc_srq_number_in in = {};
	struct cx_cmd_out out = {};

	cx_cmd_set_op(&in, CX_CMD_DESTROY_XRC_SRQ);
	cx_xrc_srq_number_in_set_xrc_srqn(&in, srqn);
	return cx_cmd_exec(cx, &in, sizeof(in), &out, sizeof(out));
}
