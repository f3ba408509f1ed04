// SPDX-License-Identifier: GPL-2.0-only
/*
 * Posting to kernel queue pairs: request in the ring, then its count in the
 * doorbell record, then (sends only) the doorbell.
 */
#include <linux/io.h>
#include <linux/spinlock.h>

#include <ib/refuse.h>

#include <connectx/prm_initseg.h>
#include <connectx/prm_qpc.h>
#include <connectx/prm_wqe.h>

#include "cx.h"
#include "uar.h"
#include "verbs.h"

static bool cx_wq_has_room(const struct cx_wq *q, u32 units)
{
	return q->head - q->tail + units <= BIT(q->ring.log_units);
}

static u32 cx_wq_slot(const struct cx_wq *q, u32 index)
{
	return index & (BIT(q->ring.log_units) - 1);
}

static void __cx_ring_send(struct cx_qp *qp, u32 first)
{
	struct cx_wq *q = &qp->sq;
	const struct cx_ring *r = &q->ring;
	const __be64 *ctrl;

	lockdep_assert_held(&q->lock);
	ctrl = r->mem + ((size_t)cx_wq_slot(q, first) << r->log_unit);
	/* the requests are in memory before their count */
	dma_wmb();
	WRITE_ONCE(qp->db.rec[CX_DBR_SND], cpu_to_be32(q->head & 0xffff));
	/* the count is in memory before the doorbell */
	wmb();
	cx_uar_write64(*ctrl, to_cx(qp->base.obj.device)->uar.map +
			      CX_UAR_SQ_DB);
}

static int cx_refuse_full(const struct cx_wq *q)
{
	return ib_refuse(IB_LAYER_DRIVER, -ENOMEM,
			 "no room in a work queue of %llu units",
			 BIT_ULL(q->ring.log_units), 0);
}

static int cx_refuse_dead(void)
{
	return ib_refuse(IB_LAYER_DRIVER, -EIO, "the adapter is dead", 0, 0);
}

static int __cx_post_one_send(struct cx_qp *qp, const struct ib_send_wr *wr,
			      unsigned int max_units)
{
	const struct cx_wqe_opts opts = {
		.qpn = qp->base.qp_num,
		.signal = qp->signal_all,
	};
	struct cx_wq *q = &qp->sq;
	unsigned int units;
	u32 slot;
	int ret;

	lockdep_assert_held(&q->lock);
	ret = cx_wqe_check_send(&q->ring, wr);
	if (ret)
		return ret;
	if (!cx_wq_has_room(q, max_units))
		return cx_refuse_full(q);
	units = cx_wqe_write_send(&q->ring, q->head, wr, &opts);
	slot = cx_wq_slot(q, q->head);
	q->wr_ids[slot] = wr->wr_id;
	q->ends[slot] = q->head + units;
	q->head += units;
	return 0;
}

/**
 * cx_post_send - ib_device_ops.post_send
 * @ibqp: a kernel queue pair
 * @wr: list of requests
 * @bad_wr: result: the first one that was not posted
 *
 * Context: Any context.
 * Return: 0; -EINVAL; -ENOMEM if the queue is full; -EIO on a dead device.
 */
int cx_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		 const struct ib_send_wr **bad_wr)
{
	struct cx_qp *qp = to_cx_qp(ibqp);
	struct cx_wq *q = &qp->sq;
	unsigned int max_units =
		DIV_ROUND_UP(cx_wqe_send_segments(q->ring.max_sge,
						  q->ring.max_inline) *
			     CX_WQE_SEG, CX_WQE_BB);
	unsigned long irqs;
	u32 before, last;
	int ret = 0;

	if (cx_dev_dead(to_cx(ibqp->obj.device))) {
		*bad_wr = wr;
		return cx_refuse_dead();
	}
	spin_lock_irqsave(&q->lock, irqs);
	before = q->head;
	last = before;
	for (; wr; wr = wr->next) {
		u32 begin = q->head;

		ret = __cx_post_one_send(qp, wr, max_units);
		if (ret) {
			*bad_wr = wr;
			break;
		}
		last = begin;
	}
	if (q->head != before)
		__cx_ring_send(qp, last);
	spin_unlock_irqrestore(&q->lock, irqs);
	return ret;
}

static int __cx_post_one_recv(struct cx_wq *q, const struct ib_recv_wr *wr)
{
	lockdep_assert_held(&q->lock);
	if (wr->num_sge < 0 || wr->num_sge > q->ring.max_sge)
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "%llu pieces in a receive, at most %llu",
				 wr->num_sge, q->ring.max_sge);
	if (!cx_wq_has_room(q, 1))
		return cx_refuse_full(q);
	cx_wqe_write_recv(&q->ring, q->head, wr);
	q->wr_ids[cx_wq_slot(q, q->head)] = wr->wr_id;
	q->head++;
	return 0;
}

/**
 * cx_post_recv - ib_device_ops.post_recv
 * @ibqp: a kernel queue pair
 * @wr: list of requests
 * @bad_wr: result: the first one that was not posted
 *
 * Context: Any context.
 * Return: 0; -EINVAL; -ENOMEM if the queue is full; -EIO on a dead device.
 */
int cx_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		 const struct ib_recv_wr **bad_wr)
{
	struct cx_qp *qp = to_cx_qp(ibqp);
	struct cx_wq *q = &qp->rq;
	unsigned long irqs;
	int ret = 0;

	if (!q->wr_ids) {
		*bad_wr = wr;
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "queue pair has no receive queue", 0, 0);
	}
	if (cx_dev_dead(to_cx(ibqp->obj.device))) {
		*bad_wr = wr;
		return cx_refuse_dead();
	}
	spin_lock_irqsave(&q->lock, irqs);
	for (; wr; wr = wr->next) {
		ret = __cx_post_one_recv(q, wr);
		if (ret) {
			*bad_wr = wr;
			break;
		}
	}
	/* the requests are in memory before their count */
	dma_wmb();
	WRITE_ONCE(qp->db.rec[CX_DBR_RCV], cpu_to_be32(q->head & 0xffff));
	spin_unlock_irqrestore(&q->lock, irqs);
	return ret;
}
