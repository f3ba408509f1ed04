// SPDX-License-Identifier: GPL-2.0-only
/*
 * The requester: from work requests to packets.
 *
 * A WQE gets its PSNs when its first packet leaves, and stays in the list until
 * all of them are acknowledged; a READ takes the PSNs of its response. Sending
 * again means to move the cursor (->cur, ->cur_pkt) back: the packets are made
 * anew from memory, as they were the first time.
 *
 * A WQE that fails locally stops the queue. Its error is reported when all
 * before it are done, so that completions stay in order.
 */
#include <stdlib.h>

#include "engine.h"
#include "model.h"
#include "trace.h"

/*
 * A WQE is started while no more PSNs are under way. It may take 2^22 itself:
 * the sum stays below the half circle up to which before and after differ.
 */
#define CXM_WINDOW		(1 << 21)
/* In long messages the responder is asked for news so often. */
#define CXM_ACK_EVERY		64

enum cxm_step {
	CXM_STEP_SENT,
	CXM_STEP_WAIT,		/* for a response or a timer */
	CXM_STEP_FAILED,
};

static void cxm_requester_ack_due(struct cxm *m, struct cxm_timer *t)
{
	struct cxm_qp *qp = container_of(t, struct cxm_qp, sq.ack_timer);

	/* Nothing can be lost while it still stands in our own queue. */
	if (m->wire->queued || m->wire->nready) {
		cxm_requester_ack_timer(m, qp);
		return;
	}
	cxm_trace(m, "qp 0x%x ack timeout, una=0x%x", qp->obj.num, qp->sq.una);
	cxm_requester_retry(m, qp, qp->sq.una);
}

static void cxm_requester_rnr_due(struct cxm *m, struct cxm_timer *t)
{
	struct cxm_qp *qp = container_of(t, struct cxm_qp, sq.rnr_timer);

	qp->sq.rnr_wait = false;
	cxm_qp_schedule(m, qp);
}

void cxm_requester_init(struct cxm_qp *qp)
{
	cxm_timer_init(&qp->sq.ack_timer, cxm_requester_ack_due);
	cxm_timer_init(&qp->sq.rnr_timer, cxm_requester_rnr_due);
	qp->sq.tail = &qp->sq.head;
}

void cxm_requester_stop(struct cxm *m, struct cxm_qp *qp)
{
	struct cxm_sq *sq = &qp->sq;
	struct cxm_swqe *w;

	cxm_timer_cancel(m, &sq->ack_timer);
	cxm_timer_cancel(m, &sq->rnr_timer);
	cxm_odp_drop(m, qp, CXM_ODP_REQUESTER);
	while ((w = sq->head)) {
		sq->head = w->next;
		free(w);
	}
	sq->tail = &sq->head;
	sq->cur = NULL;
	sq->cur_pkt = 0;
	sq->inflight = 0;
	sq->reads = 0;
	sq->rnr_wait = false;
	sq->recovering = false;
	sq->fetched = sq->done;
}

void cxm_requester_ack_timer(struct cxm *m, struct cxm_qp *qp)
{
	struct cx_ads *path = cx_qpc_primary_address_path(&qp->ctx);
	u32 exponent = cx_ads_get_ack_timeout(path);
	u64 cap = m->cfg.max_timeout_ns;
	u64 ns = 4096ULL << exponent;

	if (!exponent || qp->sq.una == qp->sq.psn || qp->sq.rnr_wait ||
	    cxm_odp_waits(&qp->odp[CXM_ODP_REQUESTER])) {
		cxm_timer_cancel(m, &qp->sq.ack_timer);
		return;
	}
	cxm_timer_arm(m, &qp->sq.ack_timer, cap ? min_u64(ns, cap) : ns);
}

void cxm_requester_rewind(struct cxm_qp *qp, u32 psn)
{
	struct cxm_swqe *w;
	s32 into;

	for (w = qp->sq.head; w && w->started; w = w->next) {
		into = cxm_psn_diff(psn, w->psn);
		if (into < 0 || (u32)into >= w->npsn)
			continue;
		qp->sq.cur = w;
		qp->sq.cur_pkt = into;
		return;
	}
}

bool cxm_requester_retry(struct cxm *m, struct cxm_qp *qp, u32 psn)
{
	struct cxm_sq *sq = &qp->sq;

	if (sq->retries >= cx_qpc_get_retry_count(&qp->ctx)) {
		cxm_send_fail(m, qp,
			      cxm_why(CX_SYND_RETRY_EXC, CXM_VENDOR_RETRY));
		return false;
	}
	sq->retries++;
	cxm_requester_rewind(qp, psn);
	cxm_requester_ack_timer(m, qp);
	cxm_qp_schedule(m, qp);
	return true;
}

/* The WQE to send from, fetched if need be. NULL: nothing to do now. */
static struct cxm_swqe *cxm_requester_next(struct cxm *m, struct cxm_qp *qp)
{
	struct cxm_sq *sq = &qp->sq;
	struct cxm_swqe *w;
	u16 posted;

	if (sq->cur)
		return sq->cur;
	posted = cxm_sq_counter(m, qp, sq->fetched) - sq->fetched;
	if (!posted || sq->inflight >= CXM_SQ_INFLIGHT)
		return NULL;
	if (posted > sq->count) {
		cxm_warn(m, "QP 0x%x: send counter is %u blocks behind",
			 qp->obj.num, (u16)-posted);
		return NULL;
	}
	w = cxm_wqe_fetch(m, qp, sq->fetched);
	if (!w)
		return NULL;
	if (w->blocks > posted)
		cxm_warn(m, "QP 0x%x: WQE %u has %u blocks, %u posted",
			 qp->obj.num, w->counter, w->blocks, posted);
	*sq->tail = w;
	sq->tail = &w->next;
	sq->cur = w;
	sq->cur_pkt = 0;
	sq->inflight++;
	sq->fetched += w->blocks;
	return w;
}

static u32 cxm_wqe_packets(const struct cxm_qp *qp, const struct cxm_swqe *w)
{
	if (w->kind == CXM_PKT_RESERVED)
		return 0;
	if (w->kind == CXM_PKT_CMP_SWAP || w->kind == CXM_PKT_FETCH_ADD ||
	    cxm_qp_is_datagram(qp))
		return 1;
	return cxm_pkt_count(w->len, qp->mtu);
}

/* Number the WQE's packets, unless it has to wait for others first. */
static bool cxm_requester_start(struct cxm_qp *qp, struct cxm_swqe *w)
{
	u32 npsn = cxm_wqe_packets(qp, w);
	struct cxm_sq *sq = &qp->sq;
	u32 ahead = cxm_psn_diff(sq->psn, sq->una);

	if (w->started)
		return true;
	if (ahead > CXM_WINDOW ||
	    (sq->reads && (w->fm_ce_se & CX_WQE_FENCE_MASK)))
		return false;
	/* A key must not change under what is still to be sent again. */
	if (w->opcode == CX_WQE_UMR && sq->head != w)
		return false;
	if (cxm_wqe_has_response(w)) {
		if (sq->reads >= 1u << cx_qpc_get_log_sra_max(&qp->ctx))
			return false;
		sq->reads++;
	}
	w->psn = sq->psn;
	w->npsn = npsn;
	w->started = true;
	sq->psn = cxm_psn_add(sq->psn, npsn);
	return true;
}

static void cxm_fill_request(const struct cxm_swqe *w, struct cxm_packet *p,
			     u32 done, bool last)
{
	p->va = w->raddr + done;
	p->rkey = w->rkey;
	p->dma_len = w->len - done;
	p->swap_add = w->swap_add;
	p->compare = w->compare;
	p->srqn = w->srqn;
	p->imm = w->imm;
	p->solicited = last && (w->fm_ce_se & CX_WQE_SOLICITED);
	p->ack_req = last || !(p->psn % CXM_ACK_EVERY);
}

/* Packet ->cur_pkt of a connected QP's WQE. */
static enum cxm_step cxm_requester_packet(struct cxm *m, struct cxm_qp *qp,
					  struct cxm_swqe *w)
{
	u32 i = qp->sq.cur_pkt;
	bool data = !cxm_wqe_has_response(w);
	bool last = !data || i + 1 == w->npsn;
	u32 done = data || w->kind == CXM_PKT_READ ? i * qp->mtu : 0;
	u32 len = data ? min_u64(w->len - done, qp->mtu) : 0;
	u8 flags = (i && data ? 0 : CXM_PKT_FIRST) |
		   (last ? CXM_PKT_LAST | w->flags : 0);
	enum cxm_mkey_result r;
	struct cxm_packet *p;

	p = cxm_packet_to_peer(m, qp, w->kind, flags, cxm_psn_add(w->psn, i));
	if (!p)
		return CXM_STEP_WAIT;
	r = cxm_wqe_gather(m, qp, w, done, p->data, len);
	if (r) {
		cxm_packet_free(m, p);
		if (r == CXM_MKEY_FAULT && cxm_odp_send(m, qp, w, done, len))
			return CXM_STEP_WAIT;
		w->why = cxm_why(CX_SYND_LOCAL_PROT, CXM_VENDOR_GATHER);
		return CXM_STEP_SENT;
	}
	p->len = len;
	cxm_fill_request(w, p, done, last);
	cxm_wire_send(m, p);
	if (last) {
		qp->sq.cur = w->next;
		qp->sq.cur_pkt = 0;
	} else {
		qp->sq.cur_pkt++;
	}
	return CXM_STEP_SENT;
}

/* What never leaves the adapter: executed once, even when passed again. */
static enum cxm_step cxm_requester_local(struct cxm *m, struct cxm_qp *qp,
					 struct cxm_swqe *w)
{
	if (w->opcode == CX_WQE_UMR && !w->answered && !w->lost)
		w->lost = cxm_fault_once(m, CXM_FAULT_UMR_LOST);
	if (w->lost)
		return CXM_STEP_WAIT;
	if (w->opcode == CX_WQE_UMR && !w->answered) {
		w->why = cxm_umr_execute(m, qp, w);
		if (w->why.syndrome)
			return CXM_STEP_SENT;
	}
	w->answered = 1;
	qp->sq.cur = w->next;
	qp->sq.cur_pkt = 0;
	cxm_send_retire(m, qp);
	return CXM_STEP_SENT;
}

static enum cxm_step cxm_requester_step(struct cxm *m, struct cxm_qp *qp,
					struct cxm_swqe *w)
{
	struct cxm_sq *sq = &qp->sq;
	enum cxm_step step;

	if (sq->rnr_wait || cxm_odp_waits(&qp->odp[CXM_ODP_REQUESTER]))
		return CXM_STEP_WAIT;
	if (w->why.syndrome) {
		if (sq->head != w)
			return CXM_STEP_WAIT;
		cxm_send_fail(m, qp, w->why);
		return CXM_STEP_FAILED;
	}
	if (!cxm_requester_start(qp, w))
		return CXM_STEP_WAIT;
	if (w->kind == CXM_PKT_RESERVED)
		return cxm_requester_local(m, qp, w);
	if (cxm_qp_is_datagram(qp)) {
		if (!cxm_ud_send(m, qp, w))
			return CXM_STEP_SENT;
		sq->cur = w->next;
		step = CXM_STEP_SENT;
	} else {
		step = cxm_requester_packet(m, qp, w);
	}
	if (!cxm_qp_is_reliable(qp) && sq->cur != w) {
		/* Sent is done. */
		sq->una = sq->psn;
		cxm_send_retire(m, qp);
	}
	return step;
}

bool cxm_requester_run(struct cxm *m, struct cxm_qp *qp, u32 *budget)
{
	struct cxm_swqe *w;

	if (qp->state != CX_QP_RTS || !qp->sq.count)
		return false;
	for (; *budget; --*budget) {
		w = cxm_requester_next(m, qp);
		if (!w)
			break;
		if (cxm_wire_full(m->wire))
			return true;
		switch (cxm_requester_step(m, qp, w)) {
		case CXM_STEP_FAILED:
			return false;
		case CXM_STEP_WAIT:
			return false;
		case CXM_STEP_SENT:
			break;
		}
		if (cxm_qp_is_reliable(qp) &&
		    !cxm_timer_armed(&qp->sq.ack_timer))
			cxm_requester_ack_timer(m, qp);
	}
	return !*budget;
}
