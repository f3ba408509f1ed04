// SPDX-License-Identifier: GPL-2.0-only
/*
 * Queue pairs in error. Everything software has posted, and posts later,
 * completes with a flush error, in order, signalled or not: from the first
 * incomplete WQE up to the counter in the doorbell record and no further.
 * Receives have no doorbell, and software may post without ringing, so the
 * records are read again at each doorbell and by a slow timer.
 *
 * WQEs of a shared queue are not flushed; an event says that none will be
 * taken any more.
 */
#include "engine.h"
#include "model.h"
#include "trace.h"

#define CXM_FLUSH_CQES		256	/* per turn and queue */
#define CXM_FLUSH_DELAY_MIN	1000000ULL
#define CXM_FLUSH_DELAY_MAX	50000000ULL

/* The first flush since software's 2ERR is told from the others. */
static struct cxm_why cxm_flush_why(struct cxm_qp *qp)
{
	struct cxm_why why = { CX_SYND_WR_FLUSH, CXM_VENDOR_FLUSH };

	if (qp->first_flush)
		why.vendor = CXM_VENDOR_FLUSH_FIRST;
	qp->first_flush = false;
	return why;
}

static u32 cxm_flush_sq(struct cxm *m, struct cxm_qp *qp)
{
	struct cxm_sq *sq = &qp->sq;
	u16 posted, blocks;
	u8 opcode;
	u32 n;

	if (!sq->count)
		return 0;
	posted = cxm_sq_counter(m, qp, sq->done) - sq->done;
	if (posted > sq->count)
		return 0;
	for (n = 0; posted && n < CXM_FLUSH_CQES; n++) {
		if (!cxm_wqe_peek(m, qp, sq->done, &blocks, &opcode))
			break;
		blocks = min_u64(blocks, posted);
		cxm_send_error_cqe(m, qp, sq->done, opcode,
				   cxm_flush_why(qp));
		sq->done += blocks;
		posted -= blocks;
	}
	sq->fetched = sq->done;
	return n;
}

static u32 cxm_flush_rq(struct cxm *m, struct cxm_qp *qp)
{
	struct cxm_why why = { CX_SYND_WR_FLUSH, CXM_VENDOR_FLUSH };
	u16 posted;
	u32 n;

	if (!qp->rq.count)
		return 0;
	posted = cxm_rq_counter(m, qp->dbr, qp->rq.done) - qp->rq.done;
	if (posted > qp->rq.count)
		return 0;
	for (n = 0; posted && n < CXM_FLUSH_CQES; n++, posted--)
		cxm_recv_error_cqe(m, qp, qp->rq.done++, why);
	return n;
}

bool cxm_flush_run(struct cxm *m, struct cxm_qp *qp)
{
	u32 sent = cxm_flush_sq(m, qp);
	u32 received = 0;

	if (qp->state == CX_QP_ERR)
		received = cxm_flush_rq(m, qp);
	if (sent || received)
		qp->err_delay = CXM_FLUSH_DELAY_MIN;
	return sent == CXM_FLUSH_CQES || received == CXM_FLUSH_CQES;
}

static void cxm_flush_again(struct cxm *m, struct cxm_timer *t)
{
	struct cxm_qp *qp = container_of(t, struct cxm_qp, err_timer);

	qp->err_delay = min_u64(qp->err_delay * 2, CXM_FLUSH_DELAY_MAX);
	cxm_timer_arm(m, t, qp->err_delay);
	cxm_qp_schedule(m, qp);
}

void cxm_flush_init(struct cxm_qp *qp)
{
	cxm_timer_init(&qp->err_timer, cxm_flush_again);
}

void cxm_flush_stop(struct cxm *m, struct cxm_qp *qp)
{
	cxm_timer_cancel(m, &qp->err_timer);
}

static void cxm_flush_start(struct cxm *m, struct cxm_qp *qp)
{
	cxm_requester_stop(m, qp);
	qp->err_delay = CXM_FLUSH_DELAY_MIN;
	cxm_timer_arm(m, &qp->err_timer, qp->err_delay);
	cxm_qp_schedule(m, qp);
}

/* The message being received ends here; its WQE is the QP's, SRQ or not. */
static void cxm_flush_message(struct cxm *m, struct cxm_qp *qp)
{
	struct cxm_responder *resp = &qp->resp;

	resp->message = CXM_PKT_RESERVED;
	if (resp->wqe.active)
		cxm_recv_error_cqe(m, qp, resp->wqe.index,
				   cxm_why(CX_SYND_WR_FLUSH, CXM_VENDOR_FLUSH));
}

void cxm_qp_error(struct cxm *m, struct cxm_qp *qp, bool by_software)
{
	if (qp->state == CX_QP_ERR)
		return;
	cxm_trace(m, "qp 0x%x state %u -> ERR%s", qp->obj.num, qp->state,
		  by_software ? " by software" : "");
	qp->state = CX_QP_ERR;
	qp->first_flush = by_software;
	/* A NAK that brought us here must still get out. */
	if (by_software) {
		qp->resp.jobs = 0;
		qp->resp.reads = 0;
	}
	cxm_odp_drop(m, qp, CXM_ODP_RESPONDER);
	cxm_flush_message(m, qp);
	if (qp->srq && qp->st != CX_QP_ST_XRC && !qp->last_wqe) {
		qp->last_wqe = true;
		cxm_event_qp_srq(m, CX_EVENT_SRQ_LAST_WQE, 0, qp->obj.num);
	}
	cxm_flush_start(m, qp);
}

void cxm_qp_send_error(struct cxm *m, struct cxm_qp *qp)
{
	if (qp->state == CX_QP_ERR || qp->state == CX_QP_SQER)
		return;
	cxm_trace(m, "qp 0x%x state %u -> SQER", qp->obj.num, qp->state);
	qp->state = CX_QP_SQER;
	cxm_flush_start(m, qp);
}
