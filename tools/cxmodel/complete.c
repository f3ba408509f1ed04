// SPDX-License-Identifier: GPL-2.0-only
/*
 * Completions of both halves: which CQE, in which queue, with which name of
 * the queue pair in it.
 */
#include <stdlib.h>

#include "engine.h"
#include "model.h"

static bool cxm_qp_is_v1(const struct cxm_qp *qp)
{
	return qp->user_index != CX_NO_USER_INDEX;
}

/* Version 1 of CQEs names queues by software's index, version 0 by number. */
static __be32 cxm_send_name(const struct cxm_qp *qp)
{
	return cpu_to_be32(cxm_qp_is_v1(qp) ? qp->user_index : 0);
}

static __be32 cxm_recv_name(const struct cxm_qp *qp)
{
	const struct cxm_srq *srq = qp->resp.wqe_srq;

	if (srq && srq->type == CXM_SRQ_XRC) {
		if (srq->user_index != CX_NO_USER_INDEX)
			return cpu_to_be32(srq->user_index);
		return cpu_to_be32(srq->obj.num);
	}
	if (cxm_qp_is_v1(qp))
		return cpu_to_be32(qp->user_index);
	return cpu_to_be32(srq ? srq->obj.num : 0);
}

static struct cxm_cq *cxm_recv_cq(const struct cxm_qp *qp)
{
	const struct cxm_srq *srq = qp->resp.wqe_srq;

	return srq && srq->type == CXM_SRQ_XRC ? srq->cq : qp->recv_cq;
}

static void cxm_send_cqe(struct cxm *m, struct cxm_qp *qp,
			 const struct cxm_swqe *w)
{
	struct cx_cqe cqe = {
		.srqn_uidx = cxm_send_name(qp),
		.sop_qpn = cpu_to_be32((u32)w->opcode << 24 | qp->obj.num),
		.wqe_counter = cpu_to_be16(w->counter),
		.op_own = CX_CQE_REQ << 4,
	};

	if (cxm_wqe_has_response(w))
		cqe.byte_cnt = cpu_to_be32(w->len);
	cxm_cq_add(m, qp->send_cq, &cqe);
}

/* All bytes but these are zero; an error is always a solicited completion. */
static void cxm_error_cqe(struct cxm *m, struct cxm_cq *cq, struct cxm_why why,
			  enum cx_cqe_opcode type, __be32 name, u32 opcode_qpn,
			  u16 counter)
{
	union {
		struct cx_err_cqe err;
		struct cx_cqe cqe;
	} u = {
		.err = {
			.srqn_uidx = name,
			.vendor_synd = why.vendor,
			.syndrome = why.syndrome,
			.opcode_qpn = cpu_to_be32(opcode_qpn),
			.wqe_counter = cpu_to_be16(counter),
			.op_own = type << 4 | CX_CQE_SOLICITED,
		},
	};

	if (cq)
		cxm_cq_add(m, cq, &u.cqe);
}

void cxm_send_error_cqe(struct cxm *m, struct cxm_qp *qp, u16 counter,
			u8 opcode, struct cxm_why why)
{
	cxm_error_cqe(m, qp->send_cq, why, CX_CQE_REQ_ERR, cxm_send_name(qp),
		      (u32)opcode << 24 | qp->obj.num, counter);
}

void cxm_recv_error_cqe(struct cxm *m, struct cxm_qp *qp, u16 counter,
			struct cxm_why why)
{
	cxm_error_cqe(m, cxm_recv_cq(qp), why, CX_CQE_RESP_ERR,
		      cxm_recv_name(qp), qp->obj.num, counter);
	qp->resp.wqe.active = false;
}

static enum cx_cqe_opcode cxm_recv_opcode(const struct cxm_packet *p)
{
	u8 flags = cxm_pkt_flags(p->opcode);

	if (cxm_pkt_kind(p->opcode) == CXM_PKT_WRITE)
		return CX_CQE_RESP_WRITE_IMM;
	if (flags & CXM_PKT_IMM)
		return CX_CQE_RESP_SEND_IMM;
	if (flags & CXM_PKT_INV)
		return CX_CQE_RESP_SEND_INV;
	return CX_CQE_RESP_SEND;
}

void cxm_recv_complete(struct cxm *m, struct cxm_qp *qp,
		       const struct cxm_packet *p, u32 byte_count)
{
	struct cx_cqe cqe = {
		.srqn_uidx = cxm_recv_name(qp),
		.imm_inval_pkey = p->imm,
		.byte_cnt = cpu_to_be32(byte_count),
		.sop_qpn = cpu_to_be32(qp->obj.num),
		.wqe_counter = cpu_to_be16(qp->resp.wqe.index),
		.op_own = cxm_recv_opcode(p) << 4 |
			  (p->solicited ? CX_CQE_SOLICITED : 0),
	};

	if (cxm_qp_is_datagram(qp)) {
		cqe.slid = cpu_to_be16(p->slid);
		cqe.flags_rqpn = cpu_to_be32((u32)p->has_grh << 28 |
					     (u32)p->sl << 24 | p->sqpn);
		if (qp->st == CX_QP_ST_QP1)
			cqe.imm_inval_pkey = cpu_to_be32(p->pkey);
	}
	qp->resp.wqe.active = false;
	cxm_cq_add(m, cxm_recv_cq(qp), &cqe);
}

static void cxm_send_pop(struct cxm_qp *qp)
{
	struct cxm_sq *sq = &qp->sq;
	struct cxm_swqe *w = sq->head;

	sq->head = w->next;
	if (!sq->head)
		sq->tail = &sq->head;
	if (sq->cur == w)
		sq->cur = w->next;
	sq->inflight--;
	sq->done = w->counter + w->blocks;
	free(w);
}

void cxm_send_retire(struct cxm *m, struct cxm_qp *qp)
{
	struct cxm_sq *sq = &qp->sq;
	struct cxm_swqe *w;

	while ((w = sq->head) && w != sq->cur) {
		if (!w->started || w->why.syndrome ||
		    cxm_psn_diff(sq->una, cxm_psn_add(w->psn, w->npsn)) < 0)
			break;
		if (w->fm_ce_se & CX_WQE_CQ_UPDATE)
			cxm_send_cqe(m, qp, w);
		cxm_send_pop(qp);
	}
}

/*
 * A real device completes with an error only what the doorbell record covers;
 * a record that went backwards silences even the root cause.
 */
static bool cxm_send_is_posted(struct cxm *m, struct cxm_qp *qp)
{
	u16 posted = cxm_sq_counter(m, qp, qp->sq.fetched) - qp->sq.done;

	return posted && posted <= qp->sq.count;
}

void cxm_send_fail(struct cxm *m, struct cxm_qp *qp, struct cxm_why why)
{
	struct cxm_swqe *w = qp->sq.head;

	if (w && cxm_send_is_posted(m, qp)) {
		u16 counter = w->counter;
		u8 opcode = w->opcode;

		cxm_send_pop(qp);
		cxm_send_error_cqe(m, qp, counter, opcode, why);
	}
	if (cxm_qp_is_datagram(qp) || qp->st == CX_QP_ST_UC)
		cxm_qp_send_error(m, qp);
	else
		cxm_qp_error(m, qp, false);
}
