// SPDX-License-Identifier: GPL-2.0-only
/* Commands of completion queues. */
#include <connectx/prm_cmd.h>
#include <connectx/prm_cqc.h>

#include "cmd.h"
#include "cmd_wire.h"
#include "cmdq.h"
#include "cx.h"

static void cx_cqc_set_ring(struct cx_cqc *cqc, u8 log_size, bool cqe_128,
			    const struct cx_pas *pas)
{
	cx_cqc_set_cqe_sz(cqc, cqe_128 ? CX_CQE_128 : CX_CQE_64);
	cx_cqc_set_log_cq_size(cqc, log_size);
	cx_cqc_set_log_page_size(cqc, pas->page_shift - CX_PAS_SHIFT_BASE);
	cx_cqc_set_page_offset(cqc, pas->offset);
}

/**
 * cx_cmd_create_cq - make a completion queue
 * @cx: the device
 * @p: what it shall be
 * @cqn: result
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_cmd_create_cq(struct cx_dev *cx, const struct cx_cq_params *p, u32 *cqn)
{
	struct cx_create_cq_out out = {};
	struct cx_create_cq_in in = {};
	struct cx_cqc *cqc;
	int ret;

	cx_cmd_set_op(&in, CX_CMD_CREATE_CQ);
	cqc = cx_create_cq_in_cq_context(&in);
	cx_cqc_set_ring(cqc, p->log_size, p->cqe_128, &p->pas);
	cx_cqc_set_oi(cqc, p->ignore_overrun);
	cx_cqc_set_uar_page(cqc, p->uar);
	cx_cqc_set_c_eqn(cqc, p->eqn);
	cx_cqc_set_dbr_addr(cqc, p->dbr);
	ret = cx_cmd_exec_tail(cx, &in, sizeof(in), p->pas.pages,
			       p->pas.count * sizeof(__be64),
			       &out, sizeof(out));
	if (!ret)
		*cqn = cx_create_cq_out_get_cqn(&out);
	return ret;
}

/**
 * cx_cmd_destroy_cq - undo cx_cmd_create_cq()
 * @cx: the device
 * @cqn: its number
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_cmd_destroy_cq(struct cx_dev *cx, u32 cqn)
{
	struct cx_cq_number_in in = {};
	struct cx_cmd_out out = {};

	cx_cmd_set_op(&in, CX_CMD_DESTROY_CQ);
	cx_cq_number_in_set_cqn(&in, cqn);
	return cx_cmd_exec(cx, &in, sizeof(in), &out, sizeof(out));
}

/**
 * cx_cmd_modify_cq_moderation - say how long an event may wait
 * @cx: the device
 * @cqn: number of the queue
 * @count: for so many entries
 * @period: for so many microseconds
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_cmd_modify_cq_moderation(struct cx_dev *cx, u32 cqn, u16 count,
				u16 period)
{
	struct cx_modify_cq_in in = {};
	struct cx_cmd_out out = {};
	struct cx_cqc *cqc;

	cx_cmd_set_op(&in, CX_CMD_MODIFY_CQ);
	cx_modify_cq_in_set_cqn(&in, cqn);
	cx_field_select_set_mask(cx_modify_cq_in_field_select(&in),
				 CX_CQ_MODIFY_PERIOD | CX_CQ_MODIFY_COUNT);
	cqc = cx_modify_cq_in_cq_context(&in);
	cx_cqc_set_cq_max_count(cqc, count);
	cx_cqc_set_cq_period(cqc, period);
	return cx_cmd_exec(cx, &in, sizeof(in), &out, sizeof(out));
}

/**
 * cx_cmd_resize_cq - continue in another ring
 * @cx: the device
 * @cqn: number of the queue
 * @log_size: log2 of the new ring's entries
 * @cqe_128: entries of 128 bytes
 * @pas: the new ring
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_cmd_resize_cq(struct cx_dev *cx, u32 cqn, u8 log_size, bool cqe_128,
		     const struct cx_pas *pas)
{
	struct cx_modify_cq_in in = {};
	struct cx_cmd_out out = {};

	cx_cmd_set_op(&in, CX_CMD_MODIFY_CQ);
	cx_cmd_in_set_op_mod((struct cx_cmd_in *)&in, CX_MODIFY_CQ_RESIZE);
	cx_modify_cq_in_set_cqn(&in, cqn);
	cx_field_select_set_mask(cx_modify_cq_in_field_select(&in),
				 CX_CQ_RESIZE_LOG_SIZE |
				 CX_CQ_RESIZE_PAGE_OFFSET |
				 CX_CQ_RESIZE_PAGE_SIZE);
	cx_cqc_set_ring(cx_modify_cq_in_cq_context(&in), log_size, cqe_128,
			pas);
	return cx_cmd_exec_tail(cx, &in, sizeof(in), pas->pages,
				pas->count * sizeof(__be64),
				&out, sizeof(out));
}
