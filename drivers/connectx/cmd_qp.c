// SPDX-License-Identifier: GPL-2.0-only
/* Commands of queue pairs. */
#include <linux/minmax.h>
#include <linux/string.h>

#include <kunit/visibility.h>

#include <connectx/prm_cmd.h>
#include <connectx/prm_qpc.h>

#include "cmd.h"
#include "cmd_wire.h"
#include "cmdq.h"
#include "cx.h"
#include "mailbox.h"

/**
 * cx_qpc_fill_create - write the context of a new queue pair
 * @qpc: the context, zeroed
 * @p: what the queue pair shall be
 *
 * Context: Any context.
 */
void cx_qpc_fill_create(struct cx_qpc *qpc, const struct cx_qp_params *p)
{
	cx_qpc_set_st(qpc, p->st);
	cx_qpc_set_pm_state(qpc, CX_QP_PM_MIGRATED);
	cx_qpc_set_pd(qpc, p->pdn);
	cx_qpc_set_uar_page(qpc, p->uar);
	cx_qpc_set_user_index(qpc, p->user_index);
	cx_qpc_set_cqn_snd(qpc, p->send_cqn);
	cx_qpc_set_cqn_rcv(qpc, p->recv_cqn);
	cx_qpc_set_rq_type(qpc, p->rq_type);
	cx_qpc_set_srqn_rmpn_xrqn(qpc, p->srqn);
	cx_qpc_set_xrcd(qpc, p->xrcdn);
	if (p->rq_type == CX_RQ_OWN) {
		cx_qpc_set_log_rq_size(qpc, p->log_rq_size);
		cx_qpc_set_log_rq_stride(qpc, p->log_rq_stride -
					      CX_RQ_STRIDE_BASE);
	}
	cx_qpc_set_no_sq(qpc, p->no_sq);
	cx_qpc_set_log_sq_size(qpc, p->log_sq_size);
	cx_qpc_set_dbr_addr(qpc, p->dbr);
	cx_qpc_set_log_page_size(qpc, p->pas.page_shift - CX_PAS_SHIFT_BASE);
	cx_qpc_set_page_offset(qpc, p->pas.offset);
}
EXPORT_SYMBOL_IF_KUNIT(cx_qpc_fill_create);

static void cx_ads_fill(struct cx_ads *ads, const struct cx_path *p)
{
	cx_ads_set_pkey_index(ads, p->pkey_index);
	cx_ads_set_vhca_port_num(ads, p->port);
	cx_ads_set_rlid(ads, p->rlid);
	cx_ads_set_mlid(ads, p->path_bits);
	cx_ads_set_sl(ads, p->sl);
	cx_ads_set_stat_rate(ads, p->stat_rate);
	cx_ads_set_ack_timeout(ads, p->ack_timeout);
	if (!p->grh)
		return;
	cx_ads_set_grh(ads, 1);
	cx_ads_set_src_addr_index(ads, p->sgid_index);
	cx_ads_set_hop_limit(ads, p->hop_limit);
	cx_ads_set_tclass(ads, p->tclass);
	cx_ads_set_flow_label(ads, p->flow_label);
	memcpy(cx_ads_rgid_rip(ads), p->rgid, sizeof(p->rgid));
}

static void cx_ads_read(struct cx_ads *ads, struct cx_path *p)
{
	p->pkey_index = cx_ads_get_pkey_index(ads);
	p->port = cx_ads_get_vhca_port_num(ads);
	p->rlid = cx_ads_get_rlid(ads);
	p->path_bits = cx_ads_get_mlid(ads);
	p->sl = cx_ads_get_sl(ads);
	p->stat_rate = cx_ads_get_stat_rate(ads);
	p->ack_timeout = cx_ads_get_ack_timeout(ads);
	p->grh = cx_ads_get_grh(ads);
	p->sgid_index = cx_ads_get_src_addr_index(ads);
	p->hop_limit = cx_ads_get_hop_limit(ads);
	p->tclass = cx_ads_get_tclass(ads);
	p->flow_label = cx_ads_get_flow_label(ads);
	memcpy(p->rgid, cx_ads_rgid_rip(ads), sizeof(p->rgid));
}

/**
 * cx_qpc_fill_modify - write the context that a modify command carries
 * @qpc: the context, zeroed
 * @c: what the queue pair shall do
 *
 * Context: Any context.
 */
void cx_qpc_fill_modify(struct cx_qpc *qpc, const struct cx_qp_context *c)
{
	cx_qpc_set_st(qpc, c->st);
	cx_qpc_set_pm_state(qpc, c->pm_state);
	cx_qpc_set_pd(qpc, c->pdn);
	cx_qpc_set_cqn_snd(qpc, c->send_cqn);
	cx_qpc_set_cqn_rcv(qpc, c->recv_cqn);
	cx_qpc_set_user_index(qpc, c->user_index);
	cx_qpc_set_uar_page(qpc, c->uar);
	cx_qpc_set_dbr_addr(qpc, c->dbr);
	cx_qpc_set_mtu(qpc, c->mtu);
	cx_qpc_set_log_msg_max(qpc, c->log_msg_max);
	cx_qpc_set_remote_qpn(qpc, c->remote_qpn);
	cx_qpc_set_q_key(qpc, c->q_key);
	cx_qpc_set_next_send_psn(qpc, c->next_send_psn);
	cx_qpc_set_next_rcv_psn(qpc, c->next_rcv_psn);
	cx_qpc_set_log_sra_max(qpc, c->log_sra_max);
	cx_qpc_set_log_rra_max(qpc, c->log_rra_max);
	cx_qpc_set_retry_count(qpc, c->retry_count);
	cx_qpc_set_rnr_retry(qpc, c->rnr_retry);
	cx_qpc_set_min_rnr_nak(qpc, c->min_rnr_nak);
	cx_qpc_set_log_ack_req_freq(qpc, c->log_ack_req_freq);
	cx_qpc_set_rre(qpc, c->rre);
	cx_qpc_set_rwe(qpc, c->rwe);
	cx_qpc_set_rae(qpc, c->rae);
	cx_qpc_set_atomic_mode(qpc, c->atomic_mode);
	cx_ads_fill(cx_qpc_primary_address_path(qpc), &c->path);
	cx_ads_fill(cx_qpc_secondary_address_path(qpc), &c->alt_path);
}
EXPORT_SYMBOL_IF_KUNIT(cx_qpc_fill_modify);

/**
 * cx_qpc_read - read a context that the device returned
 * @qpc: the context
 * @c: result
 *
 * Context: Any context.
 */
void cx_qpc_read(struct cx_qpc *qpc, struct cx_qp_context *c)
{
	c->st = cx_qpc_get_st(qpc);
	c->state = cx_qpc_get_state(qpc);
	c->pm_state = cx_qpc_get_pm_state(qpc);
	c->mtu = cx_qpc_get_mtu(qpc);
	c->log_msg_max = cx_qpc_get_log_msg_max(qpc);
	c->remote_qpn = cx_qpc_get_remote_qpn(qpc);
	c->q_key = cx_qpc_get_q_key(qpc);
	c->next_send_psn = cx_qpc_get_next_send_psn(qpc);
	c->next_rcv_psn = cx_qpc_get_next_rcv_psn(qpc);
	c->log_sra_max = cx_qpc_get_log_sra_max(qpc);
	c->log_rra_max = cx_qpc_get_log_rra_max(qpc);
	c->retry_count = cx_qpc_get_retry_count(qpc);
	c->rnr_retry = cx_qpc_get_rnr_retry(qpc);
	c->min_rnr_nak = cx_qpc_get_min_rnr_nak(qpc);
	c->rre = cx_qpc_get_rre(qpc);
	c->rwe = cx_qpc_get_rwe(qpc);
	c->rae = cx_qpc_get_rae(qpc);
	cx_ads_read(cx_qpc_primary_address_path(qpc), &c->path);
	cx_ads_read(cx_qpc_secondary_address_path(qpc), &c->alt_path);
}
EXPORT_SYMBOL_IF_KUNIT(cx_qpc_read);

/**
 * cx_cmd_create_qp - make a queue pair
 * @cx: the device
 * @p: what it shall be
 * @qpn: result
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_cmd_create_qp(struct cx_dev *cx, const struct cx_qp_params *p, u32 *qpn)
{
	struct cx_create_qp_out out = {};
	struct cx_create_qp_in in = {};
	int ret;

	cx_cmd_set_op(&in, CX_CMD_CREATE_QP);
	cx_qpc_fill_create(cx_create_qp_in_qpc(&in), p);
	ret = cx_cmd_exec_tail(cx, &in, sizeof(in), p->pas.pages,
			       p->pas.count * sizeof(__be64),
			       &out, sizeof(out));
	if (!ret)
		*qpn = cx_create_qp_out_get_qpn(&out);
	return ret;
}

/* That of key changes is restarted in reclaim, which must not allocate. */
static_assert(sizeof(struct cx_modify_qp_in) <= CX_CMD_SLOT_BYTES);

/**
 * cx_cmd_modify_qp - move a queue pair along an edge of its state machine
 * @cx: the device
 * @opcode: the edge
 * @qpn: number of the queue pair
 * @opt_mask: optional fields to take, enum cx_qp_optpar
 * @c: the fields
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_cmd_modify_qp(struct cx_dev *cx, u16 opcode, u32 qpn, u32 opt_mask,
		     const struct cx_qp_context *c)
{
	struct cx_modify_qp_in in = {};
	struct cx_cmd_out out = {};
	size_t len = sizeof(in);

	cx_cmd_set_op(&in, opcode);
	cx_modify_qp_in_set_qpn(&in, qpn);
	if (opcode == CX_CMD_2RST_QP || opcode == CX_CMD_2ERR_QP) {
		/* the firmware looks at no context */
		len = sizeof(struct cx_qp_number_in);
	} else {
		cx_modify_qp_in_set_opt_param_mask(&in, opt_mask);
		cx_qpc_fill_modify(cx_modify_qp_in_qpc(&in), c);
	}
	return cx_cmd_exec(cx, &in, len, &out, sizeof(out));
}

/**
 * cx_cmd_query_qp - read the context of a queue pair
 * @cx: the device
 * @qpn: its number
 * @c: result
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_cmd_query_qp(struct cx_dev *cx, u32 qpn, struct cx_qp_context *c)
{
	struct cx_query_qp_out out = {};
	struct cx_qp_number_in in = {};
	int ret;

	cx_cmd_set_op(&in, CX_CMD_QUERY_QP);
	cx_qp_number_in_set_qpn(&in, qpn);
	ret = cx_cmd_exec(cx, &in, sizeof(in), &out, sizeof(out));
	if (ret)
		return ret;
	memset(c, 0, sizeof(*c));
	cx_qpc_read(cx_query_qp_out_qpc(&out), c);
	return 0;
}

/**
 * cx_cmd_destroy_qp - undo cx_cmd_create_qp()
 * @cx: the device
 * @qpn: its number
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_cmd_destroy_qp(struct cx_dev *cx, u32 qpn)
{
	struct cx_qp_number_in in = {};
	struct cx_cmd_out out = {};

	cx_cmd_set_op(&in, CX_CMD_DESTROY_QP);
	cx_qp_number_in_set_qpn(&in, qpn);
	return cx_cmd_exec(cx, &in, sizeof(in), &out, sizeof(out));
}

static int cx_cmd_mcg(struct cx_dev *cx, u16 opcode, u32 qpn,
		      const u8 gid[16])
{
	struct cx_attach_mcg_in in = {};
	struct cx_cmd_out out = {};

	cx_cmd_set_op(&in, opcode);
	cx_attach_mcg_in_set_qpn(&in, qpn);
	memcpy(cx_attach_mcg_in_multicast_gid(&in), gid, 16);
	return cx_cmd_exec(cx, &in, sizeof(in), &out, sizeof(out));
}

/**
 * cx_cmd_attach_mcg - let a queue pair receive what goes to a group
 * @cx: the device
 * @qpn: its number
 * @gid: of the group
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_cmd_attach_mcg(struct cx_dev *cx, u32 qpn, const u8 gid[16])
{
	return cx_cmd_mcg(cx, CX_CMD_ATTACH_TO_MCG, qpn, gid);
}

/**
 * cx_cmd_detach_mcg - undo cx_cmd_attach_mcg()
 * @cx: the device
 * @qpn: its number
 * @gid: of the group
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_cmd_detach_mcg(struct cx_dev *cx, u32 qpn, const u8 gid[16])
{
	return cx_cmd_mcg(cx, CX_CMD_DETACH_FROM_MCG, qpn, gid);
}
