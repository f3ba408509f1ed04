// SPDX-License-Identifier: GPL-2.0-only
/*
 * The responder: requests that came in order.
 *
 * Nothing of a request is done before all that could refuse it was checked, so
 * that a refused packet can be sent again: the expected PSN moves last.
 */
#include <stdint.h>

#include "engine.h"
#include "model.h"
#include "trace.h"

/* An unreliable service drops what a reliable one refuses. */
static void cxm_refuse(struct cxm *m, struct cxm_qp *qp, u32 psn,
		       enum cxm_aeth nak)
{
	qp->resp.message = CXM_PKT_RESERVED;
	if (cxm_qp_is_reliable(qp))
		cxm_respond_error(m, qp, psn, nak);
	else
		qp->resp.skip = true;
}

/* The receive WQE in use cannot take the message: both sides hear of it. */
static void cxm_refuse_wqe(struct cxm *m, struct cxm_qp *qp, u32 psn,
			   enum cxm_aeth nak, struct cxm_why why)
{
	cxm_recv_error_cqe(m, qp, qp->resp.wqe.index, why);
	cxm_refuse(m, qp, psn, nak);
	if (!cxm_qp_is_reliable(qp))
		cxm_qp_error(m, qp, false);
}

/* A packet that does not end a message is full, one that does is not empty. */
static bool cxm_length_ok(const struct cxm_qp *qp, const struct cxm_packet *p,
			  u8 flags)
{
	if (!(flags & CXM_PKT_LAST))
		return p->len == qp->mtu;
	if (!(flags & CXM_PKT_FIRST))
		return p->len && p->len <= qp->mtu;
	return p->len <= qp->mtu;
}

static bool cxm_is_in_sequence(const struct cxm_qp *qp,
			       const struct cxm_packet *p)
{
	enum cxm_pkt_kind kind = cxm_pkt_kind(p->opcode);
	u8 flags = cxm_pkt_flags(p->opcode);

	if (kind != CXM_PKT_SEND && kind != CXM_PKT_WRITE)
		return qp->resp.message == CXM_PKT_RESERVED &&
		       cxm_qp_is_reliable(qp);
	if (flags & CXM_PKT_FIRST ? qp->resp.message != CXM_PKT_RESERVED :
	    qp->resp.message != kind)
		return false;
	return cxm_length_ok(qp, p, flags);
}

/* False if there is none and the peer was told, or the QP is broken. */
static bool cxm_need_wqe(struct cxm *m, struct cxm_qp *qp,
			 const struct cxm_packet *p)
{
	switch (cxm_responder_take(m, qp, p->srqn)) {
	case CXM_TAKE_OK:
		return true;
	case CXM_TAKE_BAD:
		cxm_refuse_wqe(m, qp, p->psn, CXM_AETH_NAK_OP,
			       cxm_why(CX_SYND_LOCAL_QP_OP,
				       CXM_VENDOR_BAD_WQE));
		return false;
	case CXM_TAKE_NO_QUEUE:
		cxm_refuse(m, qp, p->psn, CXM_AETH_NAK_INVALID);
		return false;
	case CXM_TAKE_EMPTY:
		break;
	}
	if (!cxm_qp_is_reliable(qp)) {
		qp->resp.message = CXM_PKT_RESERVED;
		qp->resp.skip = true;
		return false;
	}
	/* What the requester sent behind it is not answered. */
	qp->resp.nak_sent = true;
	cxm_respond_ack(qp, p->psn, CXM_AETH_RNR |
			cx_qpc_get_min_rnr_nak(&qp->ctx));
	return false;
}

static void cxm_done(struct cxm_qp *qp, const struct cxm_packet *p)
{
	struct cxm_responder *resp = &qp->resp;

	if (cxm_pkt_flags(p->opcode) & CXM_PKT_LAST) {
		resp->message = CXM_PKT_RESERVED;
		resp->msn = cxm_psn_add(resp->msn, 1);
	}
	if (!cxm_qp_is_reliable(qp))
		return;
	resp->psn = cxm_psn_add(resp->psn, 1);
	if (p->ack_req)
		cxm_respond_ack(qp, p->psn, CXM_AETH_ACK);
}

/* A message that waits with its first packet has not begun. */
static bool cxm_wait_to_receive(struct cxm *m, struct cxm_qp *qp,
				const struct cxm_packet *p, u8 flags)
{
	if (!cxm_odp_receive(m, qp, p, qp->resp.got))
		return false;
	if (flags & CXM_PKT_FIRST)
		qp->resp.message = CXM_PKT_RESERVED;
	return true;
}

static void cxm_execute_send(struct cxm *m, struct cxm_qp *qp,
			     const struct cxm_packet *p, u8 flags)
{
	struct cxm_responder *resp = &qp->resp;
	struct cxm_rwqe *w = &resp->wqe;
	enum cxm_mkey_result r;

	if (flags & CXM_PKT_FIRST) {
		if (!cxm_need_wqe(m, qp, p))
			return;
		resp->message = CXM_PKT_SEND;
		resp->got = 0;
	}
	if ((u64)resp->got + p->len > w->total) {
		cxm_refuse_wqe(m, qp, p->psn, CXM_AETH_NAK_INVALID,
			       cxm_why(CX_SYND_LOCAL_LENGTH, 0));
		return;
	}
	r = cxm_scatter(m, w->sge, w->nsge, resp->got, p->data, p->len,
			cxm_responder_pdn(qp), qp->obj.num);
	if (r == CXM_MKEY_FAULT && cxm_wait_to_receive(m, qp, p, flags))
		return;
	if (r) {
		cxm_refuse_wqe(m, qp, p->psn, CXM_AETH_NAK_OP,
			       cxm_why(CX_SYND_LOCAL_PROT,
				       CXM_VENDOR_RECV_SCATTER));
		return;
	}
	if ((flags & CXM_PKT_INV) &&
	    !cxm_umr_invalidate(m, qp, be32_to_cpu(p->imm))) {
		cxm_refuse(m, qp, p->psn, CXM_AETH_NAK_ACCESS);
		return;
	}
	resp->got += p->len;
	cxm_done(qp, p);
	if (flags & CXM_PKT_LAST)
		cxm_recv_complete(m, qp, p, resp->got);
}

/* The first packet says where the whole message goes. */
static bool cxm_start_write(struct cxm *m, struct cxm_qp *qp,
			    const struct cxm_packet *p)
{
	struct cxm_responder *resp = &qp->resp;
	u32 pdn = cxm_remote_pdn(m, qp, p);

	if (!cx_qpc_get_rwe(&qp->ctx) ||
	    p->dma_len > 1ULL << qp->log_msg_max) {
		cxm_refuse(m, qp, p->psn, CXM_AETH_NAK_INVALID);
		return false;
	}
	if (p->dma_len &&
	    cxm_mkey_check(m, p->rkey, pdn, qp->obj.num, p->va, p->dma_len,
			   CXM_REMOTE_WRITE)) {
		cxm_refuse(m, qp, p->psn, CXM_AETH_NAK_ACCESS);
		return false;
	}
	resp->va = p->va;
	resp->rkey = p->rkey;
	resp->pdn = pdn;
	resp->left = p->dma_len;
	resp->got = 0;
	return true;
}

/* False: the write is refused for good. */
static bool cxm_wait_to_write(struct cxm *m, struct cxm_qp *qp,
			      const struct cxm_packet *p)
{
	const struct cxm_responder *resp = &qp->resp;
	struct cxm_odp_access a = {
		.kind = CXM_PKT_WRITE,
		.psn = p->psn,
		.rkey = resp->rkey,
		.va = resp->va - resp->got,
		.len = resp->got + resp->left,
		.done = resp->got,
		.packet_len = p->len,
	};

	return cxm_odp_remote(m, qp, &a);
}

static void cxm_execute_write(struct cxm *m, struct cxm_qp *qp,
			      const struct cxm_packet *p, u8 flags)
{
	struct cxm_responder *resp = &qp->resp;
	enum cxm_mkey_result r = CXM_MKEY_OK;

	if ((flags & CXM_PKT_FIRST) && !cxm_start_write(m, qp, p))
		return;
	if (flags & CXM_PKT_LAST ? p->len != resp->left :
	    p->len > resp->left) {
		cxm_refuse(m, qp, p->psn, CXM_AETH_NAK_INVALID);
		return;
	}
	if ((flags & CXM_PKT_IMM) && !cxm_need_wqe(m, qp, p))
		return;
	if (p->len)
		r = cxm_mkey_write(m, resp->rkey, resp->pdn, qp->obj.num,
				   resp->va, p->data, p->len, CXM_REMOTE_WRITE);
	if (r == CXM_MKEY_FAULT && cxm_wait_to_write(m, qp, p))
		return;
	if (r) {
		cxm_refuse(m, qp, p->psn, CXM_AETH_NAK_ACCESS);
		return;
	}
	resp->message = CXM_PKT_WRITE;
	resp->va += p->len;
	resp->left -= p->len;
	resp->got += p->len;
	cxm_done(qp, p);
	if (flags & CXM_PKT_IMM)
		cxm_recv_complete(m, qp, p, resp->got);
}

/* May another READ or atomic be taken? */
static bool cxm_may_read(const struct cxm_qp *qp)
{
	return qp->resp.reads < 1u << cx_qpc_get_log_rra_max(&qp->ctx);
}

static void cxm_execute_read(struct cxm *m, struct cxm_qp *qp,
			     const struct cxm_packet *p, bool fresh)
{
	struct cxm_responder *resp = &qp->resp;
	struct cxm_job job = {
		.kind = CXM_JOB_READ,
		.fresh = fresh,
		.psn = p->psn,
		.msn = cxm_psn_add(resp->msn, fresh),
		.va = p->va,
		.rkey = p->rkey,
		.pdn = cxm_remote_pdn(m, qp, p),
		.len = p->dma_len,
		.npsn = cxm_pkt_count(p->dma_len, qp->mtu),
	};

	if (!cx_qpc_get_rre(&qp->ctx) || (fresh && !cxm_may_read(qp)) ||
	    p->dma_len > 1ULL << qp->log_msg_max) {
		cxm_refuse(m, qp, p->psn, CXM_AETH_NAK_INVALID);
		return;
	}
	if (p->dma_len &&
	    cxm_mkey_check(m, p->rkey, job.pdn, qp->obj.num, p->va, p->dma_len,
			   CXM_REMOTE_READ)) {
		cxm_refuse(m, qp, p->psn, CXM_AETH_NAK_ACCESS);
		return;
	}
	if (!cxm_respond_job(qp, &job) || !fresh)
		return;
	resp->msn = job.msn;
	resp->psn = cxm_psn_add(resp->psn, job.npsn);
}

/* On the memory as the guest's processors see it, in its byte order. */
static u64 cxm_atomic(u64 *at, const struct cxm_packet *p)
{
	u64 old = p->compare;

	if (cxm_pkt_kind(p->opcode) == CXM_PKT_FETCH_ADD)
		return __atomic_fetch_add(at, p->swap_add, __ATOMIC_SEQ_CST);
	__atomic_compare_exchange_n(at, &old, p->swap_add, false,
				    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	return old;
}

static bool cxm_wait_for_atomic(struct cxm *m, struct cxm_qp *qp,
				const struct cxm_packet *p)
{
	struct cxm_odp_access a = {
		.kind = cxm_pkt_kind(p->opcode),
		.psn = p->psn,
		.rkey = p->rkey,
		.va = p->va,
		.len = sizeof(u64),
		.packet_len = sizeof(u64),
	};

	return cxm_odp_remote(m, qp, &a);
}

static void cxm_execute_atomic(struct cxm *m, struct cxm_qp *qp,
			       const struct cxm_packet *p)
{
	struct cxm_responder *resp = &qp->resp;
	struct cxm_job job = {
		.kind = CXM_JOB_ATOMIC,
		.fresh = true,
		.syndrome = CXM_AETH_ACK,
		.psn = p->psn,
		.msn = cxm_psn_add(resp->msn, 1),
	};
	struct cxm_atomic_result *saved;
	enum cxm_mkey_result r;
	u64 len = sizeof(u64);
	void *at;

	if (!cx_qpc_get_rae(&qp->ctx) || !cxm_may_read(qp) ||
	    p->va % sizeof(u64)) {
		cxm_refuse(m, qp, p->psn, CXM_AETH_NAK_INVALID);
		return;
	}
	r = cxm_mkey_ptr(m, p->rkey, cxm_remote_pdn(m, qp, p), qp->obj.num,
			 p->va, &len, CXM_REMOTE_ATOMIC, &at);
	if (r == CXM_MKEY_FAULT && cxm_wait_for_atomic(m, qp, p))
		return;
	if (r || len < sizeof(u64) || (uintptr_t)at % sizeof(u64)) {
		cxm_refuse(m, qp, p->psn, CXM_AETH_NAK_ACCESS);
		return;
	}
	if (resp->jobs == CXM_JOBS)
		return;
	job.original = cxm_atomic(at, p);
	cxm_respond_job(qp, &job);
	saved = &resp->atomic[resp->next_atomic++ % CXM_ATOMICS];
	*saved = (struct cxm_atomic_result){ true, p->psn, job.original };
	resp->msn = job.msn;
	resp->psn = cxm_psn_add(resp->psn, 1);
}

void cxm_execute(struct cxm *m, struct cxm_qp *qp, struct cxm_packet *p)
{
	u8 flags = cxm_pkt_flags(p->opcode);

	if (!cxm_is_in_sequence(qp, p)) {
		cxm_refuse(m, qp, p->psn, CXM_AETH_NAK_INVALID);
		return;
	}
	switch (cxm_pkt_kind(p->opcode)) {
	case CXM_PKT_SEND:
		cxm_execute_send(m, qp, p, flags);
		break;
	case CXM_PKT_WRITE:
		cxm_execute_write(m, qp, p, flags);
		break;
	case CXM_PKT_READ:
		cxm_execute_read(m, qp, p, true);
		break;
	case CXM_PKT_CMP_SWAP:
	case CXM_PKT_FETCH_ADD:
		cxm_execute_atomic(m, qp, p);
		break;
	default:
		break;
	}
}

/* An atomic is never applied twice; what is not remembered is dropped. */
static void cxm_duplicate_atomic(struct cxm_qp *qp, const struct cxm_packet *p)
{
	struct cxm_responder *resp = &qp->resp;
	struct cxm_job job = {
		.kind = CXM_JOB_ATOMIC,
		.syndrome = CXM_AETH_ACK,
		.psn = p->psn,
		.msn = resp->msn,
	};
	u32 i;

	for (i = 0; i < CXM_ATOMICS; i++) {
		if (!resp->atomic[i].valid || resp->atomic[i].psn != p->psn)
			continue;
		job.original = resp->atomic[i].original;
		cxm_respond_job(qp, &job);
		return;
	}
}

void cxm_execute_duplicate(struct cxm *m, struct cxm_qp *qp,
			   struct cxm_packet *p)
{
	cxm_trace(m, "qp 0x%x duplicate psn=0x%x", qp->obj.num, p->psn);
	switch (cxm_pkt_kind(p->opcode)) {
	case CXM_PKT_READ:
		cxm_execute_read(m, qp, p, false);
		break;
	case CXM_PKT_CMP_SWAP:
	case CXM_PKT_FETCH_ADD:
		cxm_duplicate_atomic(qp, p);
		break;
	default:
		if (p->ack_req)
			cxm_respond_ack(qp, cxm_psn_add(qp->resp.psn, -1),
					CXM_AETH_ACK);
		break;
	}
}

void cxm_execute_no_page(struct cxm *m, struct cxm_qp *qp, u32 psn,
			 bool remote)
{
	if (remote)
		cxm_refuse(m, qp, psn, CXM_AETH_NAK_ACCESS);
	else
		cxm_refuse_wqe(m, qp, psn, CXM_AETH_NAK_OP,
			       cxm_why(CX_SYND_LOCAL_PROT,
				       CXM_VENDOR_RECV_SCATTER));
}
