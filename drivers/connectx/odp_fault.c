// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page faults. The adapter stops a queue pair and tells of a work request (by
 * queue and index: we read it from the user's ring) or of a peer's access (by
 * key and address). The pages are brought in and the queue pair goes on: if
 * they were taken away again meanwhile it just faults once more.
 */
#include <linux/log2.h>
#include <linux/slab.h>

#include <ib/refuse.h>
#include <ib/umem.h>
#include <ib/umem_odp.h>

#include <connectx/prm_eqc.h>
#include <connectx/prm_wqe.h>

#include "cmd_odp.h"
#include "cx.h"
#include "verbs.h"
#include "verbs_if.h"

/* The largest request: a receive entry of as much as its context can say */
#define CX_FAULT_WQE_BYTES	2048

/**
 * struct cx_fault - a page fault
 * @work: handles it
 * @v: the device
 * @sub_type: enum cx_page_fault
 * @type: bits of enum cx_pfault_type
 * @token: its name
 * @number: queue that waits
 * @done: bytes of the access that are transferred already
 * @index: WQE: number of the request in its ring
 * @packet: bytes of the packet
 * @key: RDMA: key of the memory
 * @length: RDMA: bytes of the access, 0 if the adapter does not know
 * @addr: RDMA: its address
 */
struct cx_fault {
	struct work_struct work;
	struct cx_verbs *v;
	u8 sub_type;
	u8 type;
	u32 token;
	u32 number;
	u32 done;
	u16 index;
	u16 packet;
	u32 key;
	u32 length;
	u64 addr;
};

/* Does the adapter want to write? An SRQ's fault has no bits: a receive does. */
static bool cx_fault_writes(const struct cx_fault *f)
{
	return f->type & CX_PFAULT_WRITE || !f->type;
}

/* To be written at once if the region may be, so that there is one fault. */
static int cx_fault_region(const struct cx_fault *f, u32 key, u64 addr,
			   u64 bytes)
{
	struct cx_odp_mr *o = cx_odp_find(f->v, key);
	int ret;

	if (IS_ERR(o))
		return PTR_ERR(o);
	ret = cx_odp_page_in(o, addr, bytes,
			     o->writable ? IB_ODP_MAP_WRITE : 0);
	if (ret == -EPERM && !cx_fault_writes(f))
		ret = cx_odp_page_in(o, addr, bytes, 0);
	cx_odp_put(o);
	return ret;
}

/*
 * A key that nobody knows: deregistered a moment ago, or of memory that is
 * always there. The adapter shall look again, and find out what is right.
 */
static int cx_fault_page_in(const struct cx_fault *f, u32 key, u64 addr,
			    u64 bytes)
{
	int ret = cx_fault_region(f, key, addr, bytes);

	return ret == -ENOENT ? 0 : ret;
}

/* Windows are bound by requests of users: only the adapter knows to what. */
static int cx_fault_window(const struct cx_fault *f, u32 key, u64 addr,
			   u64 bytes)
{
	struct cx_indirect window;
	unsigned int i;
	u64 offset;
	int ret;

	ret = cx_mw_pieces(f->v, key, &window);
	if (ret == -ENOMEM)
		return ret;
	if (ret || addr < window.start)
		return 0;
	offset = addr - window.start;
	for (i = 0; i < window.count && bytes && !ret; i++) {
		const struct cx_klm *piece = &window.pieces[i];
		u64 len = be32_to_cpu(piece->bcount);
		u64 here;

		if (offset >= len) {
			offset -= len;
			continue;
		}
		here = min(bytes, len - offset);
		ret = cx_fault_page_in(f, be32_to_cpu(piece->key),
				       be64_to_cpu(piece->va) + offset, here);
		bytes -= here;
		offset = 0;
	}
	return ret;
}

static int cx_fault_rdma(struct cx_fault *f)
{
	u64 bytes = f->length - min(f->done, f->length);
	u64 addr = f->addr + f->done;
	int ret;

	bytes = bytes ?: max_t(u64, f->packet, 1);
	ret = cx_fault_region(f, f->key, addr, bytes);
	if (ret == -ENOENT)
		ret = cx_fault_window(f, f->key, addr, bytes);
	return ret;
}

/* One that wraps at the end of the ring is put together. */
static int cx_fault_read_send(const struct cx_qp *qp, u32 index, void *wqe,
			      size_t *len)
{
	u32 units = qp->rings.sq_units;
	size_t first, base = qp->rings.rq_bytes;
	int ret;

	index &= units - 1;
	*len = min_t(size_t, CX_FAULT_WQE_BYTES, units * CX_WQE_BB);
	first = min_t(size_t, *len, (units - index) * CX_WQE_BB);
	ret = ib_umem_copy_from(wqe, qp->ubuf.umem, base + index * CX_WQE_BB,
				first);
	if (ret || first == *len)
		return ret;
	return ib_umem_copy_from(wqe + first, qp->ubuf.umem, base,
				 *len - first);
}

static int cx_fault_read_entry(struct ib_umem *umem, u32 count, u8 shift,
			       u32 index, void *wqe, size_t *len)
{
	*len = BIT(shift);
	if (*len > CX_FAULT_WQE_BYTES)
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "receive entries of %llu bytes", *len, 0);
	return ib_umem_copy_from(wqe, umem, (size_t)(index & (count - 1)) << shift,
				 *len);
}

static struct cx_qp *__cx_fault_qp(struct cx_dev *cx, u32 qpn)
{
	struct cx_event_handler *h = xa_load(&cx->handlers.qps, qpn);

	lockdep_assert_held(&cx->handlers.readers);
	return h && h->event == cx_qp_event ?
	       container_of(h, struct cx_qp, events) : NULL;
}

static struct cx_srq *__cx_fault_srq(struct cx_dev *cx, u32 srqn)
{
	struct cx_event_handler *h = xa_load(&cx->handlers.srqs, srqn);

	lockdep_assert_held(&cx->handlers.readers);
	return h && h->event == cx_srq_event ?
	       container_of(h, struct cx_srq, events) : NULL;
}

static int cx_fault_no_ring(const struct cx_fault *f)
{
	return ib_refuse(IB_LAYER_DRIVER, -ENOENT,
			 "queue 0x%llx is gone, or has no ring of type %llu",
			 f->number, f->type);
}

static int __cx_fault_read_qp(struct cx_fault *f, void *wqe,
			      struct cx_wqe_walk *w)
{
	struct cx_qp *qp = __cx_fault_qp(f->v->cx, f->number);
	size_t len;
	u32 count;
	int ret;

	if (!qp || !qp->ubuf.umem)
		return cx_fault_no_ring(f);
	if (f->type & CX_PFAULT_REQUESTOR) {
		if (!qp->rings.sq_units)
			return cx_fault_no_ring(f);
		ret = cx_fault_read_send(qp, f->index, wqe, &len);
		return ret ?: cx_wqe_walk_send(w, wqe, len, qp->st);
	}
	count = qp->rings.rq_bytes >> qp->rings.rq_shift;
	if (!count)
		return cx_fault_no_ring(f);
	ret = cx_fault_read_entry(qp->ubuf.umem, rounddown_pow_of_two(count),
				  qp->rings.rq_shift, f->index, wqe, &len);
	if (!ret)
		cx_wqe_walk_receive(w, wqe, len, false);
	return ret;
}

static int __cx_fault_read_srq(struct cx_fault *f, void *wqe,
			       struct cx_wqe_walk *w)
{
	struct cx_srq *srq = __cx_fault_srq(f->v->cx, f->number);
	size_t len;
	int ret;

	if (!srq)
		return cx_fault_no_ring(f);
	ret = cx_fault_read_entry(srq->ubuf.umem, srq->count, srq->shift,
				  f->index, wqe, &len);
	if (!ret)
		cx_wqe_walk_receive(w, wqe, len, true);
	return ret;
}

/*
 * The queue cannot go while its request is copied. That is all it is needed
 * for: paging may take long, and must not hold up those who destroy queues.
 */
static int cx_fault_read(struct cx_fault *f, void *wqe, struct cx_wqe_walk *w)
{
	struct cx_handlers *handlers = &f->v->cx->handlers;
	int ret;

	down_read(&handlers->readers);
	ret = f->type ? __cx_fault_read_qp(f, wqe, w) :
			__cx_fault_read_srq(f, wqe, w);
	up_read(&handlers->readers);
	return ret;
}

static int cx_fault_pieces(struct cx_fault *f, struct cx_wqe_walk *w)
{
	struct cx_wqe_piece p;
	u64 done = f->done;
	int ret = 0;

	while (!ret && cx_wqe_walk_next(w, &p)) {
		if (p.bytes <= done) {
			done -= p.bytes;
			continue;
		}
		if (p.has_key)
			ret = cx_fault_page_in(f, p.key, p.addr + done,
					       p.bytes - done);
		done = 0;
	}
	return ret;
}

static int cx_fault_wqe(struct cx_fault *f)
{
	struct cx_wqe_walk w;
	void *wqe;
	int ret;

	wqe = kmalloc(CX_FAULT_WQE_BYTES, GFP_KERNEL);
	if (!wqe)
		return ib_refuse(IB_LAYER_DRIVER, -ENOMEM, "no memory", 0, 0);
	ret = cx_fault_read(f, wqe, &w);
	if (!ret)
		ret = cx_fault_pieces(f, &w);
	kfree(wqe);
	return ret;
}

/* What may work the next time is tried again, by the adapter. */
static bool cx_fault_is_error(int ret)
{
	return ret && ret != -EBUSY && ret != -ENOMEM;
}

static void cx_fault_work(struct work_struct *work)
{
	struct cx_fault *f = container_of(work, struct cx_fault, work);
	struct cx_dev *cx = f->v->cx;
	int ret;

	switch (f->sub_type) {
	case CX_PFAULT_WQE:
		ret = cx_fault_wqe(f);
		break;
	case CX_PFAULT_RDMA:
		ret = cx_fault_rdma(f);
		break;
	default:
		ret = ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				"page fault of unknown kind %llu", f->sub_type,
				0);
	}
	if (cx_fault_is_error(ret))
		dev_dbg(cx->dev, "page fault of queue 0x%x (%u, type %u): %d\n",
			f->number, f->sub_type, f->type, ret);
	/* if that fails the queue is being destroyed, or the device is dead */
	cx_cmd_resume_fault(cx, f->type, f->number, f->token,
			    cx_fault_is_error(ret));
	kfree(f);
}

static void cx_fault_decode_wqe(struct cx_fault *f, const struct cx_eqe *eqe)
{
	u32 word = be32_to_cpu(eqe->data.fault_wqe.pftype_wq);

	f->type = word >> CX_PFAULT_TYPE_SHIFT & CX_PFAULT_TYPE_MASK;
	f->number = word & CX_PFAULT_NUMBER_MASK;
	f->token = be32_to_cpu(eqe->data.fault_wqe.token);
	f->done = be32_to_cpu(eqe->data.fault_wqe.bytes_committed);
	f->index = be16_to_cpu(eqe->data.fault_wqe.wqe_index);
	f->packet = be16_to_cpu(eqe->data.fault_wqe.packet_length);
}

/* The token stands for the queue pair as well. */
static void cx_fault_decode_rdma(struct cx_fault *f, const struct cx_eqe *eqe)
{
	u32 word = be32_to_cpu(eqe->data.fault_rdma.pftype_token);

	f->type = word >> CX_PFAULT_TYPE_SHIFT & CX_PFAULT_TYPE_MASK;
	f->number = word & CX_PFAULT_NUMBER_MASK;
	f->token = f->number;
	f->done = be32_to_cpu(eqe->data.fault_rdma.bytes_committed);
	f->packet = be16_to_cpu(eqe->data.fault_rdma.packet_length);
	f->key = be32_to_cpu(eqe->data.fault_rdma.r_key);
	f->length = be32_to_cpu(eqe->data.fault_rdma.rdma_op_len);
	f->addr = be64_to_cpu(eqe->data.fault_rdma.rdma_va);
}

/**
 * cx_verbs_page_fault - the adapter asks for pages
 * @cx: the device
 * @eqe: the event
 *
 * Context: Process context. Sleeps.
 */
void cx_verbs_page_fault(struct cx_dev *cx, const struct cx_eqe *eqe)
{
	struct cx_verbs *v = READ_ONCE(cx->verbs);
	struct cx_fault *f;

	if (!v)
		return;
	/* the queue pair waits for an answer, so there must be one */
	f = kzalloc(sizeof(*f), GFP_KERNEL | __GFP_NOFAIL);
	INIT_WORK(&f->work, cx_fault_work);
	f->v = v;
	f->sub_type = eqe->sub_type;
	if (f->sub_type == CX_PFAULT_RDMA)
		cx_fault_decode_rdma(f, eqe);
	else
		cx_fault_decode_wqe(f, eqe);
	queue_work(v->odp.wq, &f->work);
}
