// SPDX-License-Identifier: GPL-2.0-only
/*
 * The states of a queue pair. Every command carries a whole context; an edge
 * takes some of its fields always, others if their bit in the optional mask
 * is set, and keeps the rest.
 */
#include <string.h>

#include "cmd.h"
#include "engine.h"
#include "model.h"
#include "trace.h"

struct cxm_qpc_field {
	u32	(*get)(const struct cx_qpc *ctx);
	void	(*set)(struct cx_qpc *ctx, u32 value);
};

struct cxm_ads_field {
	u32	(*get)(const struct cx_ads *path);
	void	(*set)(struct cx_ads *path, u32 value);
};

static const struct cxm_qpc_field cxm_init_fields[] = {
	{ cx_qpc_get_pm_state, cx_qpc_set_pm_state },
	{ cx_qpc_get_rre, cx_qpc_set_rre },
	{ cx_qpc_get_rwe, cx_qpc_set_rwe },
	{ cx_qpc_get_rae, cx_qpc_set_rae },
	{ cx_qpc_get_atomic_mode, cx_qpc_set_atomic_mode },
	{ cx_qpc_get_q_key, cx_qpc_set_q_key },
	{ cx_qpc_get_counter_set_id, cx_qpc_set_counter_set_id },
	{ NULL, NULL }
};

/* min_rnr_nak though drivers do not flag it: nobody else ever sets it. */
static const struct cxm_qpc_field cxm_rtr_fields[] = {
	{ cx_qpc_get_mtu, cx_qpc_set_mtu },
	{ cx_qpc_get_log_msg_max, cx_qpc_set_log_msg_max },
	{ cx_qpc_get_remote_qpn, cx_qpc_set_remote_qpn },
	{ cx_qpc_get_next_rcv_psn, cx_qpc_set_next_rcv_psn },
	{ cx_qpc_get_log_rra_max, cx_qpc_set_log_rra_max },
	{ cx_qpc_get_min_rnr_nak, cx_qpc_set_min_rnr_nak },
	{ NULL, NULL }
};

static const struct cxm_qpc_field cxm_rts_fields[] = {
	{ cx_qpc_get_next_send_psn, cx_qpc_set_next_send_psn },
	{ cx_qpc_get_log_sra_max, cx_qpc_set_log_sra_max },
	{ cx_qpc_get_retry_count, cx_qpc_set_retry_count },
	{ cx_qpc_get_rnr_retry, cx_qpc_set_rnr_retry },
	{ cx_qpc_get_log_ack_req_freq, cx_qpc_set_log_ack_req_freq },
	{ NULL, NULL }
};

/* Of the primary path: what RST->INIT and RTR->RTS take. */
static const struct cxm_ads_field cxm_init_path[] = {
	{ cx_ads_get_pkey_index, cx_ads_set_pkey_index },
	{ cx_ads_get_vhca_port_num, cx_ads_set_vhca_port_num },
	{ NULL, NULL }
};

static const struct cxm_ads_field cxm_rts_path[] = {
	{ cx_ads_get_ack_timeout, cx_ads_set_ack_timeout },
	{ NULL, NULL }
};

/* Taken if their bit is set and the edge allows the bit. */
static const struct cxm_qpc_option {
	u32	bit;
	struct cxm_qpc_field field;
} cxm_qpc_options[] = {
	{ CX_QP_OPT_RRE, { cx_qpc_get_rre, cx_qpc_set_rre } },
	{ CX_QP_OPT_RAE, { cx_qpc_get_rae, cx_qpc_set_rae } },
	{ CX_QP_OPT_RAE, { cx_qpc_get_atomic_mode, cx_qpc_set_atomic_mode } },
	{ CX_QP_OPT_RWE, { cx_qpc_get_rwe, cx_qpc_set_rwe } },
	{ CX_QP_OPT_Q_KEY, { cx_qpc_get_q_key, cx_qpc_set_q_key } },
	{ CX_QP_OPT_RNR_TIMEOUT, { cx_qpc_get_min_rnr_nak,
				   cx_qpc_set_min_rnr_nak } },
	{ CX_QP_OPT_SRA_MAX, { cx_qpc_get_log_sra_max,
			       cx_qpc_set_log_sra_max } },
	{ CX_QP_OPT_RRA_MAX, { cx_qpc_get_log_rra_max,
			       cx_qpc_set_log_rra_max } },
	{ CX_QP_OPT_PM_STATE, { cx_qpc_get_pm_state, cx_qpc_set_pm_state } },
	{ CX_QP_OPT_RETRY_COUNT, { cx_qpc_get_retry_count,
				   cx_qpc_set_retry_count } },
	{ CX_QP_OPT_RNR_RETRY, { cx_qpc_get_rnr_retry,
				 cx_qpc_set_rnr_retry } },
	{ CX_QP_OPT_COUNTER_SET, { cx_qpc_get_counter_set_id,
				   cx_qpc_set_counter_set_id } },
};

static const struct cxm_ads_option {
	u32	bit;
	struct cxm_ads_field field;
} cxm_ads_options[] = {
	{ CX_QP_OPT_PKEY_INDEX, { cx_ads_get_pkey_index,
				  cx_ads_set_pkey_index } },
	{ CX_QP_OPT_PRI_PORT, { cx_ads_get_vhca_port_num,
				cx_ads_set_vhca_port_num } },
	{ CX_QP_OPT_ACK_TIMEOUT, { cx_ads_get_ack_timeout,
				   cx_ads_set_ack_timeout } },
};

#define CXM_OPT_ACCESS	(CX_QP_OPT_RRE | CX_QP_OPT_RAE | CX_QP_OPT_RWE)
#define CXM_OPT_INIT	(CXM_OPT_ACCESS | CX_QP_OPT_PKEY_INDEX |	\
			 CX_QP_OPT_PRI_PORT | CX_QP_OPT_Q_KEY |		\
			 CX_QP_OPT_COUNTER_SET)
#define CXM_OPT_RTR	(CXM_OPT_ACCESS | CX_QP_OPT_ALT_PATH |		\
			 CX_QP_OPT_PKEY_INDEX | CX_QP_OPT_Q_KEY |	\
			 CX_QP_OPT_RNR_TIMEOUT | CX_QP_OPT_COUNTER_SET)
#define CXM_OPT_RTS	(CXM_OPT_ACCESS | CX_QP_OPT_ALT_PATH |		\
			 CX_QP_OPT_PM_STATE | CX_QP_OPT_RNR_TIMEOUT |	\
			 CX_QP_OPT_Q_KEY | CX_QP_OPT_COUNTER_SET)
#define CXM_OPT_SQD	(CXM_OPT_RTS | CX_QP_OPT_PKEY_INDEX |		\
			 CX_QP_OPT_PRIMARY_PATH | CX_QP_OPT_SRA_MAX |	\
			 CX_QP_OPT_RRA_MAX | CX_QP_OPT_RETRY_COUNT |	\
			 CX_QP_OPT_RNR_RETRY | CX_QP_OPT_ACK_TIMEOUT)

#define CXM_FROM_ANY	0xff

static const struct cxm_qp_edge {
	u16	opcode;
	u8	from;		/* mask of states */
	enum cx_qp_state to;
	u32	optional;
	const struct cxm_qpc_field *fields;
	const struct cxm_ads_field *path;
	bool	whole_path;	/* take the primary path as it is */
} cxm_qp_edges[] = {
	{ CX_CMD_RST2INIT_QP, BIT(CX_QP_RST), CX_QP_INIT, 0,
	  cxm_init_fields, cxm_init_path, false },
	{ CX_CMD_INIT2RTR_QP, BIT(CX_QP_INIT), CX_QP_RTR, CXM_OPT_RTR,
	  cxm_rtr_fields, NULL, true },
	{ CX_CMD_RTR2RTS_QP, BIT(CX_QP_RTR), CX_QP_RTS, CXM_OPT_RTS,
	  cxm_rts_fields, cxm_rts_path, false },
	{ CX_CMD_RTS2RTS_QP, BIT(CX_QP_RTS), CX_QP_RTS, CXM_OPT_RTS,
	  NULL, NULL, false },
	{ CX_CMD_SQERR2RTS_QP, BIT(CX_QP_SQER), CX_QP_RTS, CXM_OPT_RTS,
	  NULL, NULL, false },
	{ CX_CMD_2ERR_QP, CXM_FROM_ANY, CX_QP_ERR, 0, NULL, NULL, false },
	{ CX_CMD_2RST_QP, CXM_FROM_ANY, CX_QP_RST, 0, NULL, NULL, false },
	{ CX_CMD_SQD2RTS_QP, BIT(CX_QP_SQD), CX_QP_RTS, CXM_OPT_SQD,
	  NULL, NULL, false },
	{ CX_CMD_INIT2INIT_QP, BIT(CX_QP_INIT), CX_QP_INIT, CXM_OPT_INIT,
	  NULL, NULL, false },
};

static const struct cxm_qp_edge *cxm_qp_edge(u16 opcode)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cxm_qp_edges); i++)
		if (cxm_qp_edges[i].opcode == opcode)
			return &cxm_qp_edges[i];
	return NULL;
}

static void cxm_take_path(struct cx_qpc *to, struct cx_qpc *from,
			  const struct cxm_qp_edge *edge)
{
	struct cx_ads *path = cx_qpc_primary_address_path(to);
	struct cx_ads *next = cx_qpc_primary_address_path(from);
	u32 port = cx_ads_get_vhca_port_num(next);
	const struct cxm_ads_field *f;
	struct cx_ads old = *path;

	if (edge->whole_path) {
		/* These two were set by RST->INIT, or go by their bit. */
		*path = *next;
		cx_ads_set_pkey_index(path, cx_ads_get_pkey_index(&old));
		if (!port)
			port = cx_ads_get_vhca_port_num(&old);
		cx_ads_set_vhca_port_num(path, port);
	}
	for (f = edge->path; f && f->get; f++)
		f->set(path, f->get(next));
}

static void cxm_take_options(struct cx_qpc *to, struct cx_qpc *from, u32 mask)
{
	struct cx_ads *path = cx_qpc_primary_address_path(to);
	struct cx_ads *next = cx_qpc_primary_address_path(from);
	size_t i;

	if (mask & CX_QP_OPT_PRIMARY_PATH)
		*path = *next;
	if (mask & CX_QP_OPT_ALT_PATH)
		*cx_qpc_secondary_address_path(to) =
			*cx_qpc_secondary_address_path(from);
	for (i = 0; i < ARRAY_SIZE(cxm_qpc_options); i++)
		if (mask & cxm_qpc_options[i].bit)
			cxm_qpc_options[i].field.set(to,
				cxm_qpc_options[i].field.get(from));
	for (i = 0; i < ARRAY_SIZE(cxm_ads_options); i++)
		if (mask & cxm_ads_options[i].bit)
			cxm_ads_options[i].field.set(path,
				cxm_ads_options[i].field.get(next));
}

/* What a QP about to receive must have right. */
static int cxm_check_rtr(struct cxm *m, struct cxm_cmd *c,
			 const struct cxm_qp *qp, struct cx_qpc *ctx)
{
	const struct cx_hca_cap *cap = &m->caps.cur.general;
	u32 mtu = cx_qpc_get_mtu(ctx);

	if (mtu < 1 || mtu > 5) {
		c->syndrome = 0x20;
		return CX_STATUS_BAD_PARAM;
	}
	if (cx_qpc_get_log_msg_max(ctx) > cx_hca_cap_get_log_max_msg(cap)) {
		c->syndrome = 0x21;
		return CX_STATUS_BAD_PARAM;
	}
	if (cxm_qp_is_reliable(qp) && cx_qpc_get_log_rra_max(ctx) >
	    cx_hca_cap_get_log_max_ra_res_qp(cap)) {
		c->syndrome = 0x22;
		return CX_STATUS_BAD_PARAM;
	}
	return CX_STATUS_OK;
}

static int cxm_check_rts(struct cxm *m, struct cxm_cmd *c,
			 const struct cxm_qp *qp, struct cx_qpc *ctx)
{
	const struct cx_hca_cap *cap = &m->caps.cur.general;

	if (cxm_qp_is_reliable(qp) && cx_qpc_get_log_sra_max(ctx) >
	    cx_hca_cap_get_log_max_ra_req_qp(cap)) {
		c->syndrome = 0x23;
		return CX_STATUS_BAD_PARAM;
	}
	return CX_STATUS_OK;
}

static int cxm_check_path(struct cxm_cmd *c, struct cx_qpc *ctx)
{
	struct cx_ads *path = cx_qpc_primary_address_path(ctx);

	if (cx_ads_get_vhca_port_num(path) > 1) {
		c->syndrome = 0x24;
		return CX_STATUS_BAD_PARAM;
	}
	if (cx_ads_get_pkey_index(path) >= CXM_PORT_PKEYS ||
	    cx_ads_get_src_addr_index(path) >= CXM_PORT_GIDS) {
		c->syndrome = 0x25;
		return CX_STATUS_BAD_PARAM;
	}
	return CX_STATUS_OK;
}

static int cxm_check_context(struct cxm *m, struct cxm_cmd *c,
			     const struct cxm_qp *qp, struct cx_qpc *ctx,
			     const struct cxm_qp_edge *edge)
{
	int status = CX_STATUS_OK;

	if (edge->opcode == CX_CMD_INIT2RTR_QP)
		status = cxm_check_rtr(m, c, qp, ctx);
	else if (edge->opcode == CX_CMD_RTR2RTS_QP)
		status = cxm_check_rts(m, c, qp, ctx);
	if (status || edge->from == CXM_FROM_ANY)
		return status;
	return cxm_check_path(c, ctx);
}

/* The new state takes effect: start or stop what depends on it. */
static void cxm_qp_enter(struct cxm *m, struct cxm_qp *qp,
			 const struct cxm_qp_edge *edge)
{
	switch (edge->opcode) {
	case CX_CMD_2ERR_QP:
		cxm_qp_error(m, qp, true);
		return;
	case CX_CMD_2RST_QP:
		cxm_qp_clear(m, qp);
		break;
	case CX_CMD_INIT2RTR_QP:
		qp->resp.psn = cx_qpc_get_next_rcv_psn(&qp->ctx);
		break;
	case CX_CMD_RTR2RTS_QP:
		qp->sq.psn = cx_qpc_get_next_send_psn(&qp->ctx);
		qp->sq.una = qp->sq.psn;
		break;
	case CX_CMD_SQERR2RTS_QP:
		cxm_flush_stop(m, qp);
		break;
	}
	qp->state = edge->to;
	cxm_qp_schedule(m, qp);
}

/**
 * cxm_cmd_modify_qp() - RST2INIT, INIT2RTR … : one edge of the state graph
 * @m: model
 * @c: command; its opcode says which edge
 *
 * Context: from the loop.
 * Return: CX_STATUS_*; BAD_QP_STATE if the edge does not start at the QP's
 * state. A refused command changes nothing.
 */
int cxm_cmd_modify_qp(struct cxm *m, struct cxm_cmd *c)
{
	const struct cxm_qp_edge *edge = cxm_qp_edge(c->opcode);
	struct cx_modify_qp_in *in = (void *)c->in;
	u32 qpn = cx_modify_qp_in_get_qpn(in);
	const struct cxm_qpc_field *f;
	struct cxm_obj *obj;
	struct cx_qpc ctx;
	struct cxm_qp *qp;
	u32 mask = 0;
	int status;

	obj = cxm_obj_named(m, CXM_QP, qpn, c->desc->name);
	if (!obj || !edge)
		return CX_STATUS_BAD_RES;
	qp = container_of(obj, struct cxm_qp, obj);
	if (!(edge->from & BIT(qp->state)))
		return CX_STATUS_BAD_QP_STATE;
	ctx = qp->ctx;
	if (edge->from != CXM_FROM_ANY) {
		struct cx_qpc *next = cx_modify_qp_in_qpc(in);

		mask = cx_modify_qp_in_get_opt_param_mask(in) & edge->optional;
		for (f = edge->fields; f && f->get; f++)
			f->set(&ctx, f->get(next));
		cxm_take_path(&ctx, next, edge);
		cxm_take_options(&ctx, next, mask);
		if (!qp->pd)	/* UMR QP: see cxm_qp_find_refs() */
			cx_qpc_set_pd(&ctx, cx_qpc_get_pd(next));
	}
	status = cxm_check_context(m, c, qp, &ctx, edge);
	if (status)
		return status;
	qp->ctx = ctx;
	cxm_qp_decode(qp);
	cxm_trace(m, "qp 0x%x state %u -> %u", qpn, qp->state, edge->to);
	cxm_qp_enter(m, qp, edge);
	return CX_STATUS_OK;
}
