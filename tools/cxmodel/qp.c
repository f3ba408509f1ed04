// SPDX-License-Identifier: GPL-2.0-only
/*
 * Queue pairs: create, destroy, query, doorbell.
 */
#include <stdlib.h>

#include "cmd.h"
#include "dma.h"
#include "engine.h"
#include "model.h"
#include "trace.h"
#include "uar.h"

struct cxm_qp *cxm_qp_find(struct cxm *m, u32 qpn)
{
	struct cxm_obj *obj = cxm_obj_find(m, CXM_QP, qpn);

	return obj ? container_of(obj, struct cxm_qp, obj) : NULL;
}

void cxm_qp_decode(struct cxm_qp *qp)
{
	const struct cx_qpc *ctx = &qp->ctx;
	u32 mtu = cx_qpc_get_mtu(ctx);

	qp->st = cx_qpc_get_st(ctx);
	qp->pdn = cx_qpc_get_pd(ctx);
	qp->user_index = cx_qpc_get_user_index(ctx);
	qp->dbr = cx_qpc_get_dbr_addr(ctx);
	qp->mtu = mtu >= 1 && mtu <= 5 ? 128u << mtu : CXM_MTU_MAX;
	qp->log_msg_max = cx_qpc_get_log_msg_max(ctx);
}

u16 cxm_sq_counter(struct cxm *m, const struct cxm_qp *qp, u16 old)
{
	__be32 counter;

	if (!cxm_dma_read(m, qp->dbr + 4 * CX_DBR_SND, &counter,
			  sizeof(counter)))
		return old;
	return be32_to_cpu(counter) & 0xffff;
}

void cxm_qp_condemn(struct cxm *m, struct cxm_qp *qp)
{
	qp->condemned = true;
	cxm_qp_schedule(m, qp);
}

void cxm_qp_clear(struct cxm *m, struct cxm_qp *qp)
{
	struct cxm_responder *resp = &qp->resp;

	cxm_requester_stop(m, qp);
	cxm_odp_drop(m, qp, CXM_ODP_RESPONDER);
	cxm_flush_stop(m, qp);
	qp->sq.fetched = 0;
	qp->sq.done = 0;
	qp->sq.reads = 0;
	qp->sq.retries = 0;
	qp->sq.rnr_retries = 0;
	qp->rq.done = 0;
	*resp = (struct cxm_responder){ 0 };
	qp->condemned = false;
	qp->first_flush = false;
	qp->last_wqe = false;
	qp->comm_est = false;
}

/* Sizes of the two rings; they share the buffer, receive queue first. */
static int cxm_qp_init_rings(struct cxm *m, struct cxm_cmd *c,
			     struct cxm_qp *qp)
{
	const struct cx_qpc *ctx = &qp->ctx;
	u32 max = 1u << cx_hca_cap_get_log_max_qp_sz(&m->caps.cur.general);

	if (cx_qpc_get_rq_type(ctx) == CX_RQ_OWN) {
		qp->rq.count = 1u << cx_qpc_get_log_rq_size(ctx);
		qp->rq.stride = 16u << cx_qpc_get_log_rq_stride(ctx);
	}
	if (!cx_qpc_get_no_sq(ctx))
		qp->sq.count = 1u << cx_qpc_get_log_sq_size(ctx);
	if (qp->rq.stride > CXM_RQ_STRIDE_MAX || qp->sq.count > max ||
	    qp->rq.count > max) {
		c->syndrome = 0x10;
		return CX_STATUS_BAD_PARAM;
	}
	qp->sq.offset = (u64)qp->rq.count * qp->rq.stride;
	return cxm_buf_init(m, &qp->buf, c, sizeof(struct cx_create_qp_in),
			    cx_qpc_get_log_page_size(ctx),
			    cx_qpc_get_page_offset(ctx),
			    qp->sq.offset + (u64)qp->sq.count * CX_WQE_BB);
}

static bool cxm_qp_st_known(enum cx_qp_st st)
{
	switch (st) {
	case CX_QP_ST_RC:
	case CX_QP_ST_UC:
	case CX_QP_ST_UD:
	case CX_QP_ST_XRC:
	case CX_QP_ST_QP0:
	case CX_QP_ST_QP1:
	case CX_QP_ST_REG_UMR:
		return true;
	default:
		return false;
	}
}

/*
 * Which objects a QP must name depends on the queues it has: an XRC target has
 * none of its own, neither queues nor completion queues.
 */
static int cxm_qp_find_refs(struct cxm *m, struct cxm_cmd *c,
			    struct cxm_qp *qp)
{
	const struct cx_qpc *ctx = &qp->ctx;
	const char *what = c->desc->name;
	bool xrc = qp->st == CX_QP_ST_XRC;
	struct cxm_obj *cq, *srq;

	/* A QP for nothing but UMR gets its PD with the first transition. */
	if (qp->pdn || qp->st != CX_QP_ST_REG_UMR) {
		qp->pd = cxm_obj_named(m, CXM_PD, qp->pdn, what);
		if (!qp->pd)
			return CX_STATUS_BAD_RES;
	}
	if (qp->sq.count) {
		qp->uar = cxm_obj_named(m, CXM_UAR, cx_qpc_get_uar_page(ctx),
					what);
		cq = cxm_obj_named(m, CXM_CQ, cx_qpc_get_cqn_snd(ctx), what);
		if (!qp->uar || !cq)
			return CX_STATUS_BAD_RES;
		qp->send_cq = container_of(cq, struct cxm_cq, obj);
	}
	if (cx_qpc_get_rq_type(ctx) != CX_RQ_NONE && !xrc) {
		cq = cxm_obj_named(m, CXM_CQ, cx_qpc_get_cqn_rcv(ctx), what);
		if (!cq)
			return CX_STATUS_BAD_RES;
		qp->recv_cq = container_of(cq, struct cxm_cq, obj);
	}
	/* Only the type tells: software names a dummy SRQ where it has none. */
	if (cx_qpc_get_rq_type(ctx) == CX_RQ_SRQ) {
		srq = cxm_obj_named(m, CXM_SRQ,
				    cx_qpc_get_srqn_rmpn_xrqn(ctx), what);
		if (!srq)
			return CX_STATUS_BAD_RES;
		qp->srq = container_of(srq, struct cxm_srq, obj);
	}
	if (xrc) {
		qp->xrcd = cxm_obj_named(m, CXM_XRCD, cx_qpc_get_xrcd(ctx),
					 what);
		if (!qp->xrcd)
			return CX_STATUS_BAD_RES;
	}
	return CX_STATUS_OK;
}

static void cxm_qp_each_ref(struct cxm_qp *qp, void (*fn)(struct cxm_obj *obj))
{
	struct cxm_obj *refs[] = {
		qp->pd, qp->uar, qp->xrcd,
		qp->send_cq ? &qp->send_cq->obj : NULL,
		qp->recv_cq ? &qp->recv_cq->obj : NULL,
		qp->srq ? &qp->srq->obj : NULL,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(refs); i++)
		if (refs[i])
			fn(refs[i]);
}

static int cxm_qp_init(struct cxm *m, struct cxm_cmd *c, struct cxm_qp *qp)
{
	int status;

	cxm_qp_decode(qp);
	if (!cxm_qp_st_known(qp->st) || cx_qpc_get_wq_signature(&qp->ctx) ||
	    (qp->dbr & 7)) {
		c->syndrome = 0x11;
		return CX_STATUS_BAD_PARAM;
	}
	status = cxm_qp_init_rings(m, c, qp);
	if (status)
		return status;
	status = cxm_qp_find_refs(m, c, qp);
	if (status)
		cxm_buf_exit(&qp->buf);
	return status;
}

static void cxm_qp_note_special(struct cxm *m, struct cxm_qp *qp)
{
	if (qp->st == CX_QP_ST_QP0)
		m->wire->special[0] = qp->obj.num;
	else if (qp->st == CX_QP_ST_QP1)
		m->wire->special[1] = qp->obj.num;
}

/**
 * cxm_cmd_create_qp() - CREATE_QP
 * @m: model
 * @c: command
 *
 * Context: from the loop.
 * Return: CX_STATUS_*.
 */
int cxm_cmd_create_qp(struct cxm *m, struct cxm_cmd *c)
{
	struct cx_create_qp_in *in = (void *)c->in;
	struct cxm_qp *qp = calloc(1, sizeof(*qp));
	int status;

	if (!qp)
		return CX_STATUS_NO_RES;
	qp->ctx = *cx_create_qp_in_qpc(in);
	cx_qpc_set_state(&qp->ctx, CX_QP_RST);
	status = cxm_qp_init(m, c, qp);
	if (status)
		goto err_free;
	status = cxm_obj_add(m, CXM_QP, &qp->obj);
	if (status)
		goto err_buf;
	cxm_requester_init(qp);
	cxm_flush_init(qp);
	cxm_qp_each_ref(qp, cxm_obj_get);
	cxm_qp_note_special(m, qp);
	cx_create_qp_out_set_qpn(c->out, qp->obj.num);
	return CX_STATUS_OK;

err_buf:
	cxm_buf_exit(&qp->buf);
err_free:
	free(qp);
	return status;
}

void cxm_qp_forget(struct cxm *m, struct cxm_obj *obj)
{
	struct cxm_qp *qp = container_of(obj, struct cxm_qp, obj);

	cxm_requester_stop(m, qp);
	cxm_odp_drop(m, qp, CXM_ODP_RESPONDER);
	cxm_flush_stop(m, qp);
	cxm_wire_forget(m, qp);
	cxm_buf_exit(&qp->buf);
	free(qp);
}

static struct cxm_qp *cxm_qp_named(struct cxm *m, u32 qpn, const char *what)
{
	struct cxm_obj *obj = cxm_obj_named(m, CXM_QP, qpn, what);

	return obj ? container_of(obj, struct cxm_qp, obj) : NULL;
}

/**
 * cxm_cmd_destroy_qp() - DESTROY_QP, from any state; no CQE comes after it
 * @m: model
 * @c: command
 *
 * Context: from the loop.
 * Return: CX_STATUS_*.
 */
int cxm_cmd_destroy_qp(struct cxm *m, struct cxm_cmd *c)
{
	struct cxm_qp *qp;
	int status;

	qp = cxm_qp_named(m, cx_qp_number_in_get_qpn(c->in), c->desc->name);
	if (!qp)
		return CX_STATUS_BAD_RES;
	status = cxm_obj_remove(m, &qp->obj);
	if (status)
		return status;
	cxm_mcg_forget(m, qp->obj.num);
	cxm_qp_each_ref(qp, cxm_obj_put);
	cxm_qp_forget(m, &qp->obj);
	return CX_STATUS_OK;
}

/**
 * cxm_cmd_query_qp() - QUERY_QP: what software wrote, and where the QP is
 * @m: model
 * @c: command
 *
 * Context: from the loop.
 * Return: CX_STATUS_*.
 */
int cxm_cmd_query_qp(struct cxm *m, struct cxm_cmd *c)
{
	struct cx_qpc *ctx = cx_query_qp_out_qpc(c->out);
	struct cxm_qp *qp;
	u16 posted;

	qp = cxm_qp_named(m, cx_qp_number_in_get_qpn(c->in), c->desc->name);
	if (!qp)
		return CX_STATUS_BAD_RES;
	*ctx = qp->ctx;
	cx_qpc_set_state(ctx, qp->state);
	cx_qpc_set_next_send_psn(ctx, qp->sq.psn);
	cx_qpc_set_last_acked_psn(ctx, cxm_psn_add(qp->sq.una, -1));
	cx_qpc_set_next_rcv_psn(ctx, qp->resp.psn);
	cx_qpc_set_rmsn(ctx, qp->resp.msn);
	cx_qpc_set_hw_sq_wqebb_counter(ctx, qp->sq.done);
	cx_qpc_set_hw_rq_counter(ctx, qp->rq.done);
	posted = qp->sq.count ? cxm_sq_counter(m, qp, qp->sq.done) : 0;
	cx_qpc_set_sw_sq_wqebb_counter(ctx, posted);
	posted = qp->rq.count ? cxm_rq_counter(m, qp->dbr, qp->rq.done) : 0;
	cx_qpc_set_sw_rq_counter(ctx, posted);
	return CX_STATUS_OK;
}

/**
 * cxm_sq_doorbell() - act on a send doorbell
 * @m: model
 * @uar: page it was written to; must be the QP's
 * @value: first 8 bytes of a WQE; only the QPN counts, how far software has
 *	posted stands in the doorbell record
 *
 * Context: from the loop.
 */
void cxm_sq_doorbell(struct cxm *m, u32 uar, u64 value)
{
	u32 qpn = value >> 8 & 0xffffff;
	struct cxm_qp *qp = cxm_qp_find(m, qpn);

	if (!qp || !qp->uar || qp->uar->num != uar) {
		cxm_warn(m, "doorbell of QP 0x%x in UAR 0x%x: %s", qpn, uar,
			 qp ? "not its UAR" :
			 cxm_obj_gone(m, CXM_QP, qpn) ? "destroyed" :
			 "never created");
		return;
	}
	cxm_trace(m, "doorbell qpn=0x%x", qpn);
	cxm_qp_schedule(m, qp);
}
