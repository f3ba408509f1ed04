// SPDX-License-Identifier: GPL-2.0-only
/* Memory of kernel queue pairs: rings, doorbell record, book-keeping. */
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/slab.h>

#include <ib/refuse.h>

#include <connectx/prm_qpc.h>
#include <connectx/prm_wqe.h>

#include "cx.h"
#include "verbs.h"

#define CX_LOG_BB		6

/* A ring of send requests, each of the largest size */
static int cx_sq_size(const struct cx_dev *cx, const struct ib_qp_cap *cap,
		      struct cx_ring *r)
{
	u32 segments = cx_wqe_send_segments(cap->max_send_sge,
					    cap->max_inline_data);
	u32 bytes = segments * CX_WQE_SEG;
	u32 units = DIV_ROUND_UP(bytes, CX_WQE_BB);
	u64 all = (u64)units * max(cap->max_send_wr, 1u);

	if (bytes > cx->caps.max_wqe_sz_sq || segments > CX_WQE_DS_MASK)
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "send requests of %llu bytes, at most %llu",
				 bytes, cx->caps.max_wqe_sz_sq);
	if (all > BIT(cx->caps.log_max_qp_sz))
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "a send ring of %llu units, at most %llu",
				 all, BIT(cx->caps.log_max_qp_sz));
	r->log_units = order_base_2(all);
	r->log_unit = CX_LOG_BB;
	r->max_sge = cap->max_send_sge;
	r->max_inline = cap->max_inline_data;
	return 0;
}

/* The ring of sends behind it must begin at a unit of its own. */
static int cx_rq_size(const struct cx_dev *cx, const struct ib_qp_cap *cap,
		      struct cx_ring *r)
{
	u32 stride = roundup_pow_of_two(max(cap->max_recv_sge, 1u) *
					CX_WQE_SEG);
	u32 count = roundup_pow_of_two(cap->max_recv_wr);

	if (stride > cx->caps.max_wqe_sz_rq)
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "receive requests of %llu bytes, at most %llu",
				 stride, cx->caps.max_wqe_sz_rq);
	count = max_t(u32, count, CX_WQE_BB / stride);
	r->log_units = ilog2(count);
	r->log_unit = ilog2(stride);
	r->max_sge = stride / CX_WQE_SEG;
	return 0;
}

static size_t cx_ring_size(const struct cx_ring *r)
{
	return (size_t)1 << (r->log_units + r->log_unit);
}

static int cx_wq_alloc(struct cx_wq *q, bool send)
{
	size_t n = BIT(q->ring.log_units);

	spin_lock_init(&q->lock);
	q->wr_ids = kvcalloc(n, sizeof(*q->wr_ids), GFP_KERNEL);
	if (send)
		q->ends = kvcalloc(n, sizeof(*q->ends), GFP_KERNEL);
	if (!q->wr_ids || (send && !q->ends))
		return ib_refuse(IB_LAYER_DRIVER, -ENOMEM,
				 "no memory to keep %llu requests", n, 0);
	return 0;
}

static void cx_wq_free(struct cx_wq *q)
{
	kvfree(q->wr_ids);
	kvfree(q->ends);
	q->wr_ids = NULL;
	q->ends = NULL;
}

static void cx_qp_kernel_params(struct cx_qp *qp, bool has_rq,
				struct cx_qp_params *p)
{
	if (has_rq) {
		p->log_rq_size = qp->rq.ring.log_units;
		p->log_rq_stride = qp->rq.ring.log_unit;
	}
	p->log_sq_size = qp->sq.ring.log_units;
	p->uar = to_cx(qp->base.obj.device)->uar.index;
	p->dbr = qp->db.dma;
	p->pas = qp->kbuf.pas;
}

static void cx_qp_kernel_cap(struct cx_qp *qp, bool has_rq,
			     struct ib_qp_cap *cap)
{
	if (has_rq) {
		cap->max_recv_wr = BIT(qp->rq.ring.log_units);
		cap->max_recv_sge = qp->rq.ring.max_sge;
	}
	qp->cap = *cap;
}

static int cx_qp_kernel_alloc(struct cx_qp *qp, size_t rq_bytes)
{
	struct cx_dev *cx = to_cx(qp->base.obj.device);
	int ret;

	ret = cx_kbuf_alloc(cx, rq_bytes + cx_ring_size(&qp->sq.ring),
			    &qp->kbuf);
	if (ret)
		return ret;
	ret = cx_db_alloc(cx, &qp->db);
	if (ret)
		goto err_kbuf;
	ret = cx_wq_alloc(&qp->sq, true);
	if (!ret && rq_bytes)
		ret = cx_wq_alloc(&qp->rq, false);
	if (ret)
		goto err_wqs;
	qp->rq.ring.mem = qp->kbuf.mem;
	qp->sq.ring.mem = qp->kbuf.mem + rq_bytes;
	return 0;

err_wqs:
	cx_wq_free(&qp->rq);
	cx_wq_free(&qp->sq);
	cx_db_free(cx, &qp->db);
err_kbuf:
	cx_kbuf_free(cx, &qp->kbuf);
	return ret;
}

/**
 * cx_qp_kernel_init - make the memory of a kernel queue pair
 * @qp: the queue pair
 * @attr: what it shall be; sizes as given are written back
 * @p: result: for the command
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_qp_kernel_init(struct cx_qp *qp, struct ib_qp_init_attr *attr,
		      struct cx_qp_params *p)
{
	struct cx_dev *cx = to_cx(qp->base.obj.device);
	bool has_rq = attr->cap.max_recv_wr;
	size_t rq_bytes = 0;
	int ret;

	if (attr->qp_type != IB_QPT_RC || attr->srq)
		return ib_refuse(IB_LAYER_DRIVER, -EOPNOTSUPP,
				 "kernel queue pairs are RC without SRQ", 0,
				 0);
	ret = cx_sq_size(cx, &attr->cap, &qp->sq.ring);
	if (ret)
		return ret;
	if (has_rq) {
		ret = cx_rq_size(cx, &attr->cap, &qp->rq.ring);
		if (ret)
			return ret;
		rq_bytes = cx_ring_size(&qp->rq.ring);
	}
	ret = cx_qp_kernel_alloc(qp, rq_bytes);
	if (ret)
		return ret;
	qp->uar.bfreg = CX_NO_BFREG;
	cx_qp_kernel_params(qp, has_rq, p);
	cx_qp_kernel_cap(qp, has_rq, &attr->cap);
	return 0;
}

/**
 * cx_qp_kernel_exit - undo cx_qp_kernel_init()
 * @qp: the queue pair
 *
 * Context: Process context. Sleeps.
 */
void cx_qp_kernel_exit(struct cx_qp *qp)
{
	struct cx_dev *cx = to_cx(qp->base.obj.device);

	cx_wq_free(&qp->rq);
	cx_wq_free(&qp->sq);
	cx_db_free(cx, &qp->db);
	cx_kbuf_free(cx, &qp->kbuf);
}

/**
 * cx_qp_kernel_reset - a kernel queue pair went to RESET: it begins anew
 * @qp: the queue pair
 *
 * Context: Process context.
 */
void cx_qp_kernel_reset(struct cx_qp *qp)
{
	cx_cq_forget_qp(to_cx_cq(qp->base.send_cq), qp->base.qp_num);
	cx_cq_forget_qp(to_cx_cq(qp->base.recv_cq), qp->base.qp_num);
	qp->sq.head = 0;
	qp->sq.tail = 0;
	qp->rq.head = 0;
	qp->rq.tail = 0;
	qp->db.rec[CX_DBR_RCV] = 0;
	qp->db.rec[CX_DBR_SND] = 0;
}
