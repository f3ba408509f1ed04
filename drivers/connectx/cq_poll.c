// SPDX-License-Identifier: GPL-2.0-only
/* Kernel completion queues: polling and arming. */
#include <linux/kernel.h>
#include <linux/spinlock.h>
#include <linux/xarray.h>

#include <connectx/prm_cqc.h>
#include <connectx/prm_wqe.h>

#include "cq_ring.h"
#include "cx.h"
#include "verbs.h"

#define CX_QPN_MASK		0xffffff
#define CX_NO_QPN		0	/* never that of a queue pair we make */

static struct cx_cqe *cx_cqe_at(const struct cx_cq *cq, u32 index)
{
	return cq->kbuf.mem + (size_t)(index & cq->base.cqe) * cq->cqe_bytes;
}

static bool cx_cqe_is_ours(const struct cx_cq *cq, u32 index)
{
	return cx_cqe_ready(cx_cqe_at(cq, index), index, cq->base.cqe + 1);
}

struct cx_syndrome {
	u8 syndrome;
	enum ib_wc_status status;
};

static const struct cx_syndrome cx_syndromes[] = {
	{ CX_SYND_LOCAL_LENGTH, IB_WC_LOC_LEN_ERR },
	{ CX_SYND_LOCAL_QP_OP, IB_WC_LOC_QP_OP_ERR },
	{ CX_SYND_LOCAL_PROT, IB_WC_LOC_PROT_ERR },
	{ CX_SYND_WR_FLUSH, IB_WC_WR_FLUSH_ERR },
	{ CX_SYND_MW_BIND, IB_WC_MW_BIND_ERR },
	{ CX_SYND_BAD_RESP, IB_WC_BAD_RESP_ERR },
	{ CX_SYND_LOCAL_ACCESS, IB_WC_LOC_ACCESS_ERR },
	{ CX_SYND_REMOTE_INVAL_REQ, IB_WC_REM_INV_REQ_ERR },
	{ CX_SYND_REMOTE_ACCESS, IB_WC_REM_ACCESS_ERR },
	{ CX_SYND_REMOTE_OP, IB_WC_REM_OP_ERR },
	{ CX_SYND_RETRY_EXC, IB_WC_RETRY_EXC_ERR },
	{ CX_SYND_RNR_RETRY_EXC, IB_WC_RNR_RETRY_EXC_ERR },
	{ CX_SYND_REMOTE_ABORT, IB_WC_REM_ABORT_ERR },
};

static enum ib_wc_status cx_wc_status(u8 syndrome)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cx_syndromes); i++)
		if (cx_syndromes[i].syndrome == syndrome)
			return cx_syndromes[i].status;
	return IB_WC_GENERAL_ERR;
}

/* What a send request's opcode makes of its completion; 0xff is impossible */
static enum ib_wc_opcode cx_wc_opcode(u8 wqe_opcode)
{
	switch (wqe_opcode) {
	case CX_WQE_RDMA_WRITE:
	case CX_WQE_RDMA_WRITE_IMM:
		return IB_WC_RDMA_WRITE;
	case CX_WQE_RDMA_READ:
		return IB_WC_RDMA_READ;
	case CX_WQE_ATOMIC_CS:
		return IB_WC_COMP_SWAP;
	case CX_WQE_ATOMIC_FA:
		return IB_WC_FETCH_ADD;
	default:
		return IB_WC_SEND;
	}
}

/* A send's completion is also that of all unsignalled ones before it. */
static void cx_retire_send(struct cx_qp *qp, u16 counter, struct ib_wc *wc)
{
	struct cx_wq *q = &qp->sq;
	u32 slot = counter & (BIT(q->ring.log_units) - 1);
	unsigned long irqs;

	spin_lock_irqsave(&q->lock, irqs);
	wc->wr_id = q->wr_ids[slot];
	q->tail = q->ends[slot];
	spin_unlock_irqrestore(&q->lock, irqs);
}

static void cx_retire_recv(struct cx_qp *qp, u16 counter, struct ib_wc *wc)
{
	struct cx_wq *q = &qp->rq;
	u32 slot = counter & (BIT(q->ring.log_units) - 1);
	unsigned long irqs;

	spin_lock_irqsave(&q->lock, irqs);
	wc->wr_id = q->wr_ids[slot];
	q->tail++;
	spin_unlock_irqrestore(&q->lock, irqs);
}

static void cx_wc_send(const struct cx_cqe *cqe, struct ib_wc *wc)
{
	wc->opcode = cx_wc_opcode(be32_to_cpu(cqe->sop_qpn) >> 24);
	if (wc->opcode == IB_WC_RDMA_READ)
		wc->byte_len = be32_to_cpu(cqe->byte_cnt);
	else if (wc->opcode == IB_WC_COMP_SWAP ||
		 wc->opcode == IB_WC_FETCH_ADD)
		wc->byte_len = 8;
}

static void cx_wc_recv(const struct cx_cqe *cqe, u8 opcode, struct ib_wc *wc)
{
	u32 flags = be32_to_cpu(cqe->flags_rqpn);

	wc->opcode = IB_WC_RECV;
	wc->byte_len = be32_to_cpu(cqe->byte_cnt);
	wc->src_qp = flags & CX_QPN_MASK;
	wc->sl = flags >> 24 & 0xf;
	wc->slid = be16_to_cpu(cqe->slid);
	if (flags >> 28 & 0x3)
		wc->wc_flags |= IB_WC_GRH;
	switch (opcode) {
	case CX_CQE_RESP_WRITE_IMM:
		wc->opcode = IB_WC_RECV_RDMA_WITH_IMM;
		fallthrough;
	case CX_CQE_RESP_SEND_IMM:
		wc->wc_flags |= IB_WC_WITH_IMM;
		wc->ex.imm_data = cqe->imm_inval_pkey;
		break;
	case CX_CQE_RESP_SEND_INV:
		wc->wc_flags |= IB_WC_WITH_INVALIDATE;
		wc->ex.invalidate_rkey = be32_to_cpu(cqe->imm_inval_pkey);
		break;
	}
}

static void cx_wc_error(const struct cx_cqe *cqe, struct ib_wc *wc)
{
	const struct cx_err_cqe *err = (const struct cx_err_cqe *)cqe;

	wc->status = cx_wc_status(err->syndrome);
	wc->vendor_err = err->vendor_synd;
}

/* One entry to one completion; false if there is nobody to tell. */
static bool __cx_poll_one(struct cx_cq *cq, const struct cx_cqe *cqe,
			  struct ib_wc *wc)
{
	struct cx_dev *cx = to_cx(cq->base.obj.device);
	u32 qpn = be32_to_cpu(cqe->sop_qpn) & CX_QPN_MASK;
	u16 counter = be16_to_cpu(cqe->wqe_counter);
	u8 opcode = cqe->op_own >> 4;
	struct cx_event_handler *h;
	struct cx_qp *qp;

	lockdep_assert_held(&cq->lock);
	h = qpn == CX_NO_QPN ? NULL : xa_load(&cx->handlers.qps, qpn);
	if (!h)
		return false;
	qp = container_of(h, struct cx_qp, events);
	memset(wc, 0, sizeof(*wc));
	wc->qp = &qp->base;
	switch (opcode) {
	case CX_CQE_REQ:
		cx_wc_send(cqe, wc);
		cx_retire_send(qp, counter, wc);
		return true;
	case CX_CQE_RESP_WRITE_IMM:
	case CX_CQE_RESP_SEND:
	case CX_CQE_RESP_SEND_IMM:
	case CX_CQE_RESP_SEND_INV:
		cx_wc_recv(cqe, opcode, wc);
		cx_retire_recv(qp, counter, wc);
		return true;
	case CX_CQE_REQ_ERR:
		cx_wc_error(cqe, wc);
		cx_retire_send(qp, counter, wc);
		return true;
	case CX_CQE_RESP_ERR:
		cx_wc_error(cqe, wc);
		cx_retire_recv(qp, counter, wc);
		return true;
	default:
		return false;
	}
}

/**
 * cx_poll_cq - ib_device_ops.poll_cq
 * @ibcq: a kernel queue
 * @num: completions wanted at most
 * @wc: result
 *
 * Context: Any context.
 * Return: number of completions.
 */
int cx_poll_cq(struct ib_cq *ibcq, int num, struct ib_wc *wc)
{
	struct cx_cq *cq = to_cx_cq(ibcq);
	unsigned long irqs;
	int n = 0;

	spin_lock_irqsave(&cq->lock, irqs);
	while (n < num && cx_cqe_is_ours(cq, cq->ci)) {
		/* the rest of the entry is read after its owner bit */
		dma_rmb();
		if (__cx_poll_one(cq, cx_cqe_at(cq, cq->ci), &wc[n]))
			n++;
		cq->ci++;
	}
	cx_cq_ring_read(&cq->db, cq->ci);
	spin_unlock_irqrestore(&cq->lock, irqs);
	return n;
}

/**
 * cx_req_notify_cq - ib_device_ops.req_notify_cq
 * @ibcq: a kernel queue
 * @flags: for which completions
 *
 * The device sends an event at once if there is such a completion already.
 *
 * Context: Any context.
 * Return: 0.
 */
int cx_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify flags)
{
	u32 which = flags & IB_CQ_NEXT_COMP ? 0 : CX_CQ_ARM_SOLICITED;
	struct cx_dev *cx = to_cx(ibcq->obj.device);
	struct cx_cq *cq = to_cx_cq(ibcq);
	unsigned long irqs;

	spin_lock_irqsave(&cq->lock, irqs);
	cx_cq_ring_arm(cx, cq->cqn, &cq->db, cq->ci, READ_ONCE(cq->arm_sn),
		       which);
	spin_unlock_irqrestore(&cq->lock, irqs);
	return 0;
}

/**
 * cx_cq_forget_qp - drop what a queue pair left in a queue
 * @cq: a kernel queue
 * @qpn: the queue pair, reset: it makes no more completions
 *
 * Its number may soon be that of another one.
 *
 * Context: Any context.
 */
void cx_cq_forget_qp(struct cx_cq *cq, u32 qpn)
{
	unsigned long irqs;
	u32 i;

	spin_lock_irqsave(&cq->lock, irqs);
	for (i = cq->ci; i - cq->ci <= cq->base.cqe && cx_cqe_is_ours(cq, i);
	     i++) {
		struct cx_cqe *cqe = cx_cqe_at(cq, i);

		if ((be32_to_cpu(cqe->sop_qpn) & CX_QPN_MASK) == qpn)
			cqe->sop_qpn = cpu_to_be32(CX_NO_QPN);
	}
	spin_unlock_irqrestore(&cq->lock, irqs);
}
