// SPDX-License-Identifier: GPL-2.0-only
/*
 * On-demand paging: who waits for which page, and how software hears of it.
 */
#include "engine.h"
#include "model.h"
#include "odp.h"
#include "trace.h"

/* A page takes longer than the shortest RNR delays: 1.28 ms at least. */
#define CXM_ODP_RNR_CODE	14

typedef u32 cxm_odp_op(const struct cx_odp_service_cap *cap);

/* Is the service allowed to wait here, and would anybody hear of it? */
static bool cxm_odp_covers(struct cxm *m, const struct cxm_qp *qp,
			   cxm_odp_op *op)
{
	struct cx_odp_scheme_cap *scheme =
		cx_odp_cap_transport_page_fault_scheme_cap(&m->caps.cur.odp);
	const struct cx_odp_service_cap *service = NULL;

	if (qp->st == CX_QP_ST_RC)
		service = cx_odp_scheme_cap_rc_odp_caps(scheme);
	else if (qp->st == CX_QP_ST_XRC)
		service = cx_odp_scheme_cap_xrc_odp_caps(scheme);
	else if (qp->st == CX_QP_ST_UD)
		service = cx_odp_scheme_cap_ud_odp_caps(scheme);
	if (service && op(service) &&
	    cxm_event_subscribed(m, CX_EVENT_PAGE_FAULT))
		return true;
	cxm_trace(m, "qp 0x%x: page fault refused: %s", qp->obj.num,
		  service && op(service) ? "no queue for its event" :
		  "no capability for this operation");
	return false;
}

/* What a message of this kind needs where it comes from or goes to. */
static cxm_odp_op *cxm_odp_op_of(u8 kind)
{
	switch (kind) {
	case CXM_PKT_SEND:
		return cx_odp_service_cap_get_send;
	case CXM_PKT_WRITE:
		return cx_odp_service_cap_get_write;
	case CXM_PKT_READ:
		return cx_odp_service_cap_get_read;
	default:
		return cx_odp_service_cap_get_atomic;
	}
}

/**
 * cxm_odp_find() - who waits with this token
 * @m: the model
 * @token: as an event had it
 *
 * Return: the fault, or NULL.
 */
struct cxm_odp_fault *cxm_odp_find(struct cxm *m, u32 token)
{
	struct cxm_odp_fault *f;

	for (f = m->odp.waiting; f; f = f->next)
		if (f->token == token)
			return f;
	return NULL;
}

static struct cxm_odp_fault *cxm_odp_wait(struct cxm *m, struct cxm_qp *qp,
					  enum cxm_odp_side side)
{
	struct cxm_odp_fault *f = &qp->odp[side];
	struct cxm_odp *odp = &m->odp;

	do {
		odp->token = odp->token % CX_PFAULT_NUMBER_MASK + 1;
	} while (cxm_odp_find(m, odp->token));
	*f = (struct cxm_odp_fault){
		.next = odp->waiting,
		.qp = qp,
		.side = side,
		.token = odp->token,
	};
	odp->waiting = f;
	return f;
}

/**
 * cxm_odp_drop() - wait no more, and forget the token
 * @m: the model
 * @qp: whose side is reset, or goes
 * @side: which
 */
void cxm_odp_drop(struct cxm *m, struct cxm_qp *qp, enum cxm_odp_side side)
{
	struct cxm_odp_fault *f = &qp->odp[side];
	struct cxm_odp_fault **at;

	if (!cxm_odp_waits(f))
		return;
	for (at = &m->odp.waiting; *at != f; at = &(*at)->next)
		;
	*at = f->next;
	f->token = 0;
}

static void cxm_odp_tell_wqe(struct cxm *m, const struct cxm_odp_fault *f,
			     u16 index, u32 done, u32 packet_len)
{
	struct cx_eqe e = {
		.type = CX_EVENT_PAGE_FAULT,
		.sub_type = CX_PFAULT_WQE,
	};

	e.data.fault_wqe.bytes_committed = cpu_to_be32(done);
	e.data.fault_wqe.wqe_index = cpu_to_be16(index);
	e.data.fault_wqe.packet_length = cpu_to_be16(packet_len);
	e.data.fault_wqe.token = cpu_to_be32(f->token);
	e.data.fault_wqe.pftype_wq =
		cpu_to_be32((u32)f->type << CX_PFAULT_TYPE_SHIFT |
			    f->number);
	cxm_trace(m, "page fault token=0x%x type %u number=0x%x wqe %u, %u bytes done",
		  f->token, f->type, f->number, index, done);
	cxm_event_async(m, &e);
}

/**
 * cxm_odp_send() - memory of a send work request is missing
 * @m: the model
 * @qp: which stops sending
 * @w: the request: to be sent, or waiting for its answer
 * @done: bytes before the page
 * @packet_len: of the packet or answer that met it
 *
 * Return: true if it waits; false if paging does not cover it: it has to fail.
 */
bool cxm_odp_send(struct cxm *m, struct cxm_qp *qp, const struct cxm_swqe *w,
		  u32 done, u32 packet_len)
{
	struct cxm_odp_fault *f = &qp->odp[CXM_ODP_REQUESTER];

	if (!cxm_odp_covers(m, qp, cxm_odp_op_of(w->kind)))
		return false;
	/* It comes to this page again when the other is there. */
	if (cxm_odp_waits(f))
		return true;
	f = cxm_odp_wait(m, qp, CXM_ODP_REQUESTER);
	f->type = CX_PFAULT_REQUESTOR |
		  (cxm_wqe_has_response(w) ? CX_PFAULT_WRITE : 0);
	f->number = qp->obj.num;
	f->counter = w->counter;
	cxm_timer_cancel(m, &qp->sq.ack_timer);
	cxm_odp_tell_wqe(m, f, w->counter, done, packet_len);
	return true;
}

/* "Not ready": the peer sends from @psn on again, after a while. */
static void cxm_odp_nak(struct cxm_qp *qp, u32 psn)
{
	u32 code = cx_qpc_get_min_rnr_nak(&qp->ctx);

	if (code && code < CXM_ODP_RNR_CODE)
		code = CXM_ODP_RNR_CODE;
	/* What the requester sent behind it is not answered. */
	qp->resp.nak_sent = true;
	cxm_respond_ack(qp, psn, CXM_AETH_RNR | code);
}

/**
 * cxm_odp_receive() - memory of the receive work request in use is missing
 * @m: the model
 * @qp: which refuses the packet, and any that follows
 * @p: the packet; it comes again
 * @done: bytes of the message before it
 *
 * Return: as cxm_odp_send().
 */
bool cxm_odp_receive(struct cxm *m, struct cxm_qp *qp,
		     const struct cxm_packet *p, u32 done)
{
	const struct cxm_srq *srq = qp->resp.wqe_srq;
	struct cxm_odp_fault *f;

	if (!cxm_odp_covers(m, qp, srq ? cx_odp_service_cap_get_srq_receive :
			    cx_odp_service_cap_get_receive))
		return false;
	f = cxm_odp_wait(m, qp, CXM_ODP_RESPONDER);
	f->type = srq ? 0 : CX_PFAULT_WRITE;
	f->number = srq ? srq->obj.num : qp->obj.num;
	f->psn = p->psn;
	cxm_odp_nak(qp, p->psn);
	cxm_odp_tell_wqe(m, f, qp->resp.wqe.index, done, p->len);
	return true;
}

static void cxm_odp_tell_rdma(struct cxm *m, const struct cxm_odp_fault *f,
			      const struct cxm_odp_access *a)
{
	struct cx_eqe e = {
		.type = CX_EVENT_PAGE_FAULT,
		.sub_type = CX_PFAULT_RDMA,
	};

	e.data.fault_rdma.bytes_committed = cpu_to_be32(a->done);
	e.data.fault_rdma.r_key = cpu_to_be32(a->rkey);
	e.data.fault_rdma.packet_length = cpu_to_be16(a->packet_len);
	e.data.fault_rdma.rdma_op_len = cpu_to_be32(a->len);
	e.data.fault_rdma.rdma_va = cpu_to_be64(a->va);
	e.data.fault_rdma.pftype_token =
		cpu_to_be32((u32)f->type << CX_PFAULT_TYPE_SHIFT |
			    f->token);
	cxm_trace(m, "page fault token=0x%x type %u qpn=0x%x rkey=0x%x 0x%llx+0x%x, %u bytes done",
		  f->token, f->type, f->qp->obj.num, a->rkey, a->va, a->len,
		  a->done);
	cxm_event_async(m, &e);
}

/*
 * A READ was accepted long ago: the rest of its response, and what stands
 * behind it, is not sent; the peer asks again, and we know it as a duplicate.
 */
static void cxm_odp_give_up_responses(struct cxm_qp *qp)
{
	qp->resp.jobs = 0;
	qp->resp.reads = 0;
}

/**
 * cxm_odp_remote() - memory that the peer names is missing
 * @m: the model
 * @qp: which refuses the access, and any that follows
 * @a: the access
 *
 * Return: as cxm_odp_send().
 */
bool cxm_odp_remote(struct cxm *m, struct cxm_qp *qp,
		    const struct cxm_odp_access *a)
{
	struct cxm_odp_fault *f = &qp->odp[CXM_ODP_RESPONDER];
	bool told = cxm_odp_waits(f);

	if (!cxm_odp_covers(m, qp, cxm_odp_op_of(a->kind)))
		return false;
	if (!told) {
		f = cxm_odp_wait(m, qp, CXM_ODP_RESPONDER);
		f->type = CX_PFAULT_IS_RDMA |
			  (a->kind == CXM_PKT_READ ? 0 : CX_PFAULT_WRITE);
		f->remote = true;
		f->number = f->token;
		f->psn = a->psn;
	}
	if (a->kind == CXM_PKT_READ)
		cxm_odp_give_up_responses(qp);
	cxm_odp_nak(qp, a->psn);
	if (!told)
		cxm_odp_tell_rdma(m, f, a);
	return true;
}

/**
 * cxm_odp_hold() - an expected or later request meets a responder that waits
 * @qp: the responder
 * @p: the request
 *
 * Only what was refused is refused again: a NAK of a later packet would, to the
 * peer, acknowledge all before it.
 */
void cxm_odp_hold(struct cxm_qp *qp, const struct cxm_packet *p)
{
	if (p->psn == qp->odp[CXM_ODP_RESPONDER].psn)
		cxm_odp_nak(qp, p->psn);
}

static void cxm_odp_resume_send(struct cxm *m, struct cxm_qp *qp, u16 counter,
				bool error)
{
	struct cxm_swqe *w;

	for (w = qp->sq.head; error && w; w = w->next)
		if (w->counter == counter)
			w->why = cxm_why(CX_SYND_LOCAL_PROT,
					 cxm_wqe_has_response(w) ?
					 CXM_VENDOR_READ_SCATTER :
					 CXM_VENDOR_GATHER);
	if (cxm_qp_is_reliable(qp))
		cxm_requester_ack_timer(m, qp);
}

/**
 * cxm_odp_resume() - the page is there, or will never be
 * @m: the model
 * @f: what waited for it; nobody knows its token any more afterwards
 * @error: fail the request
 *
 * Context: from the loop.
 */
void cxm_odp_resume(struct cxm *m, struct cxm_odp_fault *f, bool error)
{
	struct cxm_odp_fault was = *f;

	cxm_trace(m, "page fault token=0x%x resumed%s", was.token,
		  error ? " with error" : "");
	cxm_odp_drop(m, was.qp, was.side);
	if (was.side == CXM_ODP_REQUESTER)
		cxm_odp_resume_send(m, was.qp, was.counter, error);
	else if (error)
		cxm_execute_no_page(m, was.qp, was.psn, was.remote);
	cxm_qp_schedule(m, was.qp);
}
