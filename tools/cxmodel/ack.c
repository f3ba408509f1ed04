// SPDX-License-Identifier: GPL-2.0-only
/*
 * The requester: responses.
 *
 * An acknowledgment covers all requests up to its PSN, but for READs and
 * atomics: these are done when their own response came. If a response with a
 * later PSN overtakes them, theirs was lost, and the requester asks again.
 */
#include "engine.h"
#include "model.h"
#include "trace.h"

/* Units of 10 us by timer code; code 0 is the longest. */
static const u16 cxm_rnr_units[] = {
	65535, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256,
	384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384,
	24576, 32768, 49152,
};

/* @why indexed by NAK code */
static const struct cxm_why cxm_nak_why[] = {
	[1] = { CX_SYND_REMOTE_INVAL_REQ, CXM_VENDOR_NAK_INVALID },
	[2] = { CX_SYND_REMOTE_ACCESS, CXM_VENDOR_NAK_ACCESS },
	[3] = { CX_SYND_REMOTE_OP, CXM_VENDOR_NAK_OP },
};

/*
 * All before @psn is acknowledged. False if a READ or atomic without response
 * stands before it: then only what is before that one.
 */
static bool cxm_ack_advance(struct cxm *m, struct cxm_qp *qp, u32 psn)
{
	struct cxm_sq *sq = &qp->sq;
	struct cxm_swqe *w;
	bool whole = true;

	for (w = sq->head; w && w->started; w = w->next) {
		u32 have = cxm_psn_add(w->psn, w->answered);

		if (cxm_psn_diff(w->psn, psn) >= 0)
			break;
		if (!cxm_wqe_has_response(w) || w->answered == w->npsn ||
		    cxm_psn_diff(have, psn) >= 0)
			continue;
		psn = have;
		whole = false;
		break;
	}
	if (cxm_psn_diff(psn, sq->una) > 0) {
		sq->una = psn;
		sq->retries = 0;
		sq->rnr_retries = 0;
		sq->recovering = false;
		cxm_send_retire(m, qp);
		cxm_requester_ack_timer(m, qp);
	}
	return whole;
}

/* Once per gap: more responses that overtook say nothing new. */
static void cxm_ack_lost_response(struct cxm *m, struct cxm_qp *qp)
{
	if (qp->sq.recovering)
		return;
	cxm_trace(m, "qp 0x%x lost a response, again from 0x%x", qp->obj.num,
		  qp->sq.una);
	if (cxm_requester_retry(m, qp, qp->sq.una))
		qp->sq.recovering = true;
}

static void cxm_ack_rnr(struct cxm *m, struct cxm_qp *qp, u32 psn, u8 code)
{
	u32 limit = cx_qpc_get_rnr_retry(&qp->ctx);
	struct cxm_sq *sq = &qp->sq;

	if (sq->rnr_wait)
		return;
	if (limit != 7 && sq->rnr_retries >= limit) {
		cxm_send_fail(m, qp,
			      cxm_why(CX_SYND_RNR_RETRY_EXC, CXM_VENDOR_RNR));
		return;
	}
	sq->rnr_retries++;
	sq->rnr_wait = true;
	cxm_timer_cancel(m, &sq->ack_timer);
	cxm_requester_rewind(qp, psn);
	cxm_timer_arm(m, &sq->rnr_timer, cxm_rnr_units[code] * 10000ULL);
}

static void cxm_ack_nak(struct cxm *m, struct cxm_qp *qp,
			const struct cxm_packet *p)
{
	u8 code = p->syndrome & CXM_AETH_VALUE_MASK;

	if (p->syndrome == CXM_AETH_NAK_SEQUENCE)
		cxm_requester_retry(m, qp, p->psn);
	else if (code < ARRAY_SIZE(cxm_nak_why))
		cxm_send_fail(m, qp, cxm_nak_why[code]);
}

/* ACK and NAK packets: no data. */
static void cxm_ack_plain(struct cxm *m, struct cxm_qp *qp,
			  const struct cxm_packet *p)
{
	bool ack = (p->syndrome & CXM_AETH_KIND_MASK) == 0;

	/* A NAK acknowledges what is before the packet it complains about. */
	if (!cxm_ack_advance(m, qp, cxm_psn_add(p->psn, ack))) {
		cxm_ack_lost_response(m, qp);
		return;
	}
	if (ack)
		cxm_qp_schedule(m, qp);
	else if ((p->syndrome & CXM_AETH_KIND_MASK) == CXM_AETH_RNR)
		cxm_ack_rnr(m, qp, p->psn, p->syndrome & CXM_AETH_VALUE_MASK);
	else
		cxm_ack_nak(m, qp, p);
}

/* The READ or atomic that waits for the response with this PSN. */
static struct cxm_swqe *cxm_ack_waiting(struct cxm_qp *qp,
					const struct cxm_packet *p)
{
	struct cxm_swqe *w;

	for (w = qp->sq.head; w && w->started; w = w->next) {
		s32 into = cxm_psn_diff(p->psn, w->psn);

		if (into >= 0 && (u32)into < w->npsn)
			return cxm_wqe_has_response(w) &&
			       (u32)into == w->answered ? w : NULL;
	}
	return NULL;
}

static void cxm_ack_answered(struct cxm *m, struct cxm_qp *qp,
			     struct cxm_swqe *w)
{
	u32 next = cxm_psn_add(w->psn, ++w->answered);

	if (w->answered == w->npsn)
		qp->sq.reads--;
	cxm_ack_advance(m, qp, next);
	cxm_qp_schedule(m, qp);
}

static void cxm_ack_place(struct cxm *m, struct cxm_qp *qp, struct cxm_swqe *w,
			  const void *data, u64 skip, u32 len)
{
	enum cxm_mkey_result r = cxm_scatter(m, w->sge, w->nsge, skip, data, len,
					     qp->pdn, qp->obj.num);

	if (r == CXM_MKEY_FAULT && cxm_odp_send(m, qp, w, skip, len)) {
		/* As if it had been lost: asked for when the page is there. */
		qp->sq.recovering = true;
		cxm_requester_rewind(qp, cxm_psn_add(w->psn, w->answered));
		return;
	}
	if (r) {
		cxm_send_fail(m, qp, cxm_why(CX_SYND_LOCAL_PROT,
					     CXM_VENDOR_READ_SCATTER));
		return;
	}
	cxm_ack_answered(m, qp, w);
}

static void cxm_ack_read(struct cxm *m, struct cxm_qp *qp, struct cxm_swqe *w,
			 const struct cxm_packet *p)
{
	u64 skip = (u64)w->answered * qp->mtu;
	u32 due = min_u64(w->len - skip, qp->mtu);

	if (w->kind != CXM_PKT_READ || p->len != due) {
		cxm_send_fail(m, qp, cxm_why(CX_SYND_BAD_RESP, 0));
		return;
	}
	cxm_ack_place(m, qp, w, p->data, skip, p->len);
}

/*
 * The result comes in the byte order software settled for: this host's (then
 * the guest's, too), or big-endian.
 */
static void cxm_ack_atomic(struct cxm *m, struct cxm_qp *qp, struct cxm_swqe *w,
			   const struct cxm_packet *p)
{
	const struct cx_atomic_cap *cap = &m->caps.cur.atomic;
	u64 result = p->original;

	if (w->kind == CXM_PKT_READ) {
		cxm_send_fail(m, qp, cxm_why(CX_SYND_BAD_RESP, 0));
		return;
	}
	if (!cx_atomic_cap_get_req_8b_endianness_mode(cap))
		result = (__u64)cpu_to_be64(result);
	cxm_ack_place(m, qp, w, &result, 0, sizeof(result));
}

void cxm_requester_response(struct cxm *m, struct cxm_qp *qp,
			    struct cxm_packet *p)
{
	enum cxm_pkt_kind kind = cxm_pkt_kind(p->opcode);
	struct cxm_swqe *w;

	if (qp->state != CX_QP_RTS ||
	    cxm_psn_diff(p->psn, qp->sq.una) < 0 ||
	    cxm_psn_diff(p->psn, qp->sq.psn) >= 0)
		return;
	if (kind == CXM_PKT_ACK) {
		cxm_ack_plain(m, qp, p);
		return;
	}
	if (!cxm_ack_advance(m, qp, p->psn)) {
		cxm_ack_lost_response(m, qp);
		return;
	}
	w = cxm_ack_waiting(qp, p);
	if (!w)
		return;
	if (kind == CXM_PKT_READ_RESP)
		cxm_ack_read(m, qp, w, p);
	else
		cxm_ack_atomic(m, qp, w, p);
}
