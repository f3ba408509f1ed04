// SPDX-License-Identifier: GPL-2.0-only
/*
 * Unreliable datagrams, and the two management QPs that are datagram QPs with
 * a number of their own on the wire.
 *
 * The first 40 bytes of every receive belong to the GRH, whether one came or
 * not.
 */
#include "engine.h"
#include "model.h"
#include "trace.h"

#define CXM_QKEY_OF_QP	(1u << 31)	/* a request for the QP's own key */

static u32 cxm_ud_source(const struct cxm_qp *qp)
{
	u32 as = cx_qpc_get_deth_sqpn(&qp->ctx);

	if (qp->st == CX_QP_ST_QP0)
		return 0;
	if (qp->st == CX_QP_ST_QP1)
		return 1;
	return as ? as : qp->obj.num;
}

/* The driver gives the management QPs a smaller MTU than they must carry. */
static u32 cxm_ud_mtu(const struct cxm_qp *qp)
{
	return qp->st == CX_QP_ST_UD ? qp->mtu : CXM_MTU_MAX;
}

bool cxm_ud_send(struct cxm *m, struct cxm_qp *qp, struct cxm_swqe *w)
{
	u32 qkey = be32_to_cpu(w->av.qkey);
	enum cxm_mkey_result r;
	struct cxm_packet *p;

	if (w->len > cxm_ud_mtu(qp)) {
		w->why = cxm_why(CX_SYND_LOCAL_LENGTH, 0);
		return false;
	}
	p = cxm_packet_to_av(m, qp, &w->av, w->flags | CXM_PKT_FIRST |
			     CXM_PKT_LAST, w->psn);
	if (!p)
		return true;	/* as good as lost */
	r = cxm_wqe_gather(m, qp, w, 0, p->data, w->len);
	if (r) {
		cxm_packet_free(m, p);
		if (r != CXM_MKEY_FAULT || !cxm_odp_send(m, qp, w, 0, w->len))
			w->why = cxm_why(CX_SYND_LOCAL_PROT, CXM_VENDOR_GATHER);
		return false;
	}
	p->len = w->len;
	p->imm = w->imm;
	p->solicited = w->fm_ce_se & CX_WQE_SOLICITED;
	p->sqpn = cxm_ud_source(qp);
	p->qkey = qkey & CXM_QKEY_OF_QP ? cx_qpc_get_q_key(&qp->ctx) : qkey;
	cxm_wire_send(m, p);
	return true;
}

static bool cxm_ud_accepts(struct cxm *m, struct cxm_qp *qp,
			   const struct cxm_packet *p)
{
	if (qp->state != CX_QP_RTR && qp->state != CX_QP_RTS &&
	    qp->state != CX_QP_SQD && qp->state != CX_QP_SQER)
		return false;
	if (qp->st == CX_QP_ST_QP0 || p->qkey == cx_qpc_get_q_key(&qp->ctx))
		return true;
	cxm_trace(m, "datagram for QP 0x%x dropped: Q_Key", qp->obj.num);
	return false;
}

static void cxm_ud_fail(struct cxm *m, struct cxm_qp *qp, u8 syndrome,
			u8 vendor)
{
	cxm_recv_error_cqe(m, qp, qp->resp.wqe.index,
			   cxm_why(syndrome, vendor));
	cxm_qp_error(m, qp, false);
}

void cxm_ud_receive(struct cxm *m, struct cxm_qp *qp, struct cxm_packet *p)
{
	struct cxm_rwqe *w = &qp->resp.wqe;
	enum cxm_mkey_result r = CXM_MKEY_OK;
	u32 pdn;

	if (cxm_pkt_kind(p->opcode) != CXM_PKT_SEND || !cxm_ud_accepts(m, qp, p))
		return;
	switch (cxm_responder_take(m, qp, 0)) {
	case CXM_TAKE_NO_QUEUE:
	case CXM_TAKE_EMPTY:
		cxm_trace(m, "datagram for QP 0x%x dropped: no receive",
			  qp->obj.num);
		return;
	case CXM_TAKE_BAD:
		cxm_ud_fail(m, qp, CX_SYND_LOCAL_QP_OP, CXM_VENDOR_BAD_WQE);
		return;
	case CXM_TAKE_OK:
		break;
	}
	if (w->total < CXM_GRH_BYTES + p->len) {
		cxm_ud_fail(m, qp, CX_SYND_LOCAL_LENGTH, 0);
		return;
	}
	pdn = cxm_responder_pdn(qp);
	if (p->has_grh)
		r = cxm_scatter(m, w->sge, w->nsge, 0, p->grh, CXM_GRH_BYTES,
				pdn, qp->obj.num);
	if (!r)
		r = cxm_scatter(m, w->sge, w->nsge, CXM_GRH_BYTES, p->data,
				p->len, pdn, qp->obj.num);
	if (r) {
		cxm_ud_fail(m, qp, CX_SYND_LOCAL_PROT,
			    CXM_VENDOR_RECV_SCATTER);
		return;
	}
	cxm_recv_complete(m, qp, p, CXM_GRH_BYTES + p->len);
}
