// SPDX-License-Identifier: GPL-2.0-only
/*
 * The responder: which requests may be executed, in which order.
 *
 * Reliable: exactly the expected PSN. A later one means a loss and is answered
 * by one NAK until the expected one comes; an earlier one is a duplicate.
 * Unreliable: a gap ends the message in progress, the next first packet starts
 * anew.
 */
#include "engine.h"
#include "model.h"
#include "trace.h"

static struct cxm_srq *cxm_responder_srq(struct cxm *m, struct cxm_qp *qp,
					 u32 srqn)
{
	struct cxm_srq *srq;

	if (qp->st != CX_QP_ST_XRC)
		return qp->srq;
	srq = cxm_srq_find(m, srqn);
	if (!srq || srq->type != CXM_SRQ_XRC || srq->xrcd != qp->xrcd)
		return NULL;
	return srq;
}

enum cxm_take cxm_responder_take(struct cxm *m, struct cxm_qp *qp, u32 srqn)
{
	struct cxm_responder *resp = &qp->resp;

	/* An unreliable message that broke off left its WQE to the next. */
	if (resp->wqe.active)
		return CXM_TAKE_OK;
	resp->wqe_srq = cxm_responder_srq(m, qp, srqn);
	if (resp->wqe_srq)
		return cxm_srq_take(m, resp->wqe_srq, &resp->wqe);
	if (qp->st == CX_QP_ST_XRC)
		return CXM_TAKE_NO_QUEUE;
	if (!qp->rq.count)
		return CXM_TAKE_EMPTY;
	return cxm_rq_take(m, qp, &resp->wqe);
}

static void cxm_responder_lose_srq(struct cxm *m, struct cxm_obj *obj,
				   void *arg)
{
	struct cxm_qp *qp = container_of(obj, struct cxm_qp, obj);
	struct cxm_responder *resp = &qp->resp;

	if (resp->wqe_srq != arg)
		return;
	resp->wqe_srq = NULL;
	resp->wqe.active = false;
	resp->message = CXM_PKT_RESERVED;
	if (!qp->odp[CXM_ODP_RESPONDER].remote)
		cxm_odp_drop(m, qp, CXM_ODP_RESPONDER);
}

/*
 * An XRC SRQ does not know who receives from it. A message that was on its way
 * into one of its WQEs is refused with its next packet.
 */
void cxm_responder_forget_srq(struct cxm *m, struct cxm_srq *srq)
{
	cxm_obj_each(m, CXM_QP, cxm_responder_lose_srq, srq);
}

u32 cxm_responder_pdn(const struct cxm_qp *qp)
{
	const struct cxm_srq *srq = qp->resp.wqe_srq;

	return srq ? srq->pd->num : qp->pdn;
}

/*
 * An XRC target serves every process that opened the domain: whose memory a
 * request may reach is said by the SRQ in the packet. PD 0 has no keys.
 */
u32 cxm_remote_pdn(struct cxm *m, struct cxm_qp *qp,
		   const struct cxm_packet *p)
{
	const struct cxm_srq *srq;

	if (qp->st != CX_QP_ST_XRC)
		return qp->pdn;
	srq = cxm_responder_srq(m, qp, p->srqn);
	return srq ? srq->pd->num : 0;
}

/* In RTR the first request tells software that the peer is there. */
static bool cxm_responder_listens(struct cxm *m, struct cxm_qp *qp)
{
	switch (qp->state) {
	case CX_QP_RTR:
		if (!qp->comm_est) {
			qp->comm_est = true;
			cxm_event_qp_srq(m, CX_EVENT_COMM_EST, 0, qp->obj.num);
		}
		return true;
	case CX_QP_RTS:
	case CX_QP_SQD:
	case CX_QP_SQER:
		return true;
	default:
		/* A real device is silent: the peer will time out. */
		cxm_trace(m, "request for QP 0x%x ignored: state %u",
			  qp->obj.num, qp->state);
		return false;
	}
}

static void cxm_responder_unreliable(struct cxm *m, struct cxm_qp *qp,
				     struct cxm_packet *p)
{
	struct cxm_responder *resp = &qp->resp;

	if (cxm_pkt_flags(p->opcode) & CXM_PKT_FIRST) {
		resp->message = CXM_PKT_RESERVED;
		resp->skip = false;
	} else if (p->psn != resp->psn) {
		resp->message = CXM_PKT_RESERVED;
		resp->skip = true;
	}
	resp->psn = cxm_psn_add(p->psn, 1);
	if (!resp->skip)
		cxm_execute(m, qp, p);
}

void cxm_responder_request(struct cxm *m, struct cxm_qp *qp,
			   struct cxm_packet *p)
{
	struct cxm_responder *resp = &qp->resp;
	s32 ahead = cxm_psn_diff(p->psn, resp->psn);

	if (!cxm_responder_listens(m, qp))
		return;
	if (!cxm_qp_is_reliable(qp)) {
		cxm_responder_unreliable(m, qp, p);
		return;
	}
	if (ahead >= 0 && cxm_odp_waits(&qp->odp[CXM_ODP_RESPONDER])) {
		cxm_odp_hold(qp, p);
	} else if (ahead < 0) {
		cxm_execute_duplicate(m, qp, p);
	} else if (ahead > 0) {
		if (!resp->nak_sent)
			cxm_respond_ack(qp, resp->psn, CXM_AETH_NAK_SEQUENCE);
		resp->nak_sent = true;
	} else {
		resp->nak_sent = false;
		cxm_execute(m, qp, p);
	}
	if (resp->jobs)
		cxm_qp_schedule(m, qp);
}
