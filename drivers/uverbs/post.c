// SPDX-License-Identifier: GPL-2.0-only
/*
 * The data path as commands of write(), for devices whose queues are in the
 * kernel (ib_device_ops.kernel_data_path): post, poll, arm. Behind the request
 * of a post come its work requests and behind those the pieces of memory of
 * all of them.
 */
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <ib/ah.h>
#include <ib/cq.h>
#include <ib/qp.h>
#include <ib/srq.h>
#include "bundle.h"
#include "uverbs_priv.h"
#include "write.h"

/*
 * What a user may ask for. Inline data would be read where the kernel's
 * requests have it, which is at addresses of the kernel.
 */
#define SEND_FLAGS	(IB_SEND_FENCE | IB_SEND_SIGNALED | IB_SEND_SOLICITED)

/**
 * struct post - a post while it is decoded
 * @b: the call
 * @wqes: user address of @wr_count work requests
 * @sges: user address of @sge_count pieces
 * @wr_count: number of work requests
 * @wqe_size: bytes from one to the next
 * @sge_count: pieces that user space sent
 * @sge_used: pieces that work requests have taken
 * @ud: datagrams: each names an address handle
 */
struct post {
	struct uverbs_bundle	*b;
	const u8 __user		*wqes;
	const u8 __user		*sges;
	u32			wr_count;
	u32			wqe_size;
	u32			sge_count;
	u32			sge_used;
	bool			ud;
};

static int check_wqe(const struct post *p, size_t need)
{
	if (p->wqe_size < need)
		return ib_refuse(IB_LAYER_UVERBS, -EINVAL,
				 "work requests of %llu bytes, need %llu",
				 p->wqe_size, need);
	return 0;
}

/* The tables behind the request must be there in full, and nothing else. */
static int find_tables(struct post *p, size_t req_size)
{
	const u8 __user *req = p->b->core.in;
	size_t room = p->b->core.inlen;
	size_t wqes = size_mul(p->wqe_size, p->wr_count);
	size_t sges = size_mul(p->sge_count, sizeof(struct ib_uverbs_sge));
	size_t all = size_add(size_add(req_size, wqes), sges);

	if (all > room)
		return ib_refuse(IB_LAYER_UVERBS, -ENOSPC,
				 "request has %llu bytes, says it has %llu",
				 room, all);
	if (all < room && check_zeroed_user(req + all, room - all) <= 0)
		return ib_refuse(IB_LAYER_UVERBS, -EOPNOTSUPP,
				 "unknown fields behind byte %llu of the request",
				 all, 0);
	p->wqes = req + req_size;
	p->sges = p->wqes + wqes;
	return 0;
}

static int read_wqe(struct post *p, u32 i, void *wqe, size_t size)
{
	if (copy_from_user(wqe, p->wqes + (size_t)i * p->wqe_size, size))
		return ib_refuse(IB_LAYER_UVERBS, -EFAULT,
				 "cannot read work request %llu", i, 0);
	return 0;
}

/* A work request and, behind it, its pieces */
static void *alloc_wr(struct post *p, size_t size, u32 num_sge,
		      const struct ib_sge **sg_list)
{
	struct ib_sge *sge;
	void *wr;

	static_assert(sizeof(struct ib_sge) == sizeof(struct ib_uverbs_sge));
	if (num_sge > p->sge_count - p->sge_used)
		return ERR_PTR(ib_refuse(IB_LAYER_UVERBS, -EINVAL,
					 "%llu pieces of memory, only %llu are left",
					 num_sge, p->sge_count - p->sge_used));
	wr = kzalloc(size_add(size, size_mul(num_sge, sizeof(*sge))),
		     GFP_KERNEL | __GFP_NOWARN);
	if (!wr)
		return ERR_PTR(uverbs_refuse(-ENOMEM, "no memory"));
	sge = wr + size;
	if (copy_from_user(sge, p->sges + p->sge_used * sizeof(*sge),
			   num_sge * sizeof(*sge))) {
		kfree(wr);
		return ERR_PTR(uverbs_refuse(-EFAULT,
					     "cannot read pieces of memory"));
	}
	p->sge_used += num_sge;
	*sg_list = num_sge ? sge : NULL;
	return wr;
}

static bool is_rdma(u32 op)
{
	return op == IB_WR_RDMA_WRITE || op == IB_WR_RDMA_WRITE_WITH_IMM ||
		op == IB_WR_RDMA_READ;
}

static bool is_atomic(u32 op)
{
	return op == IB_WR_ATOMIC_CMP_AND_SWP ||
		op == IB_WR_ATOMIC_FETCH_AND_ADD;
}

static bool op_known(u32 op, bool ud)
{
	if (op == IB_WR_SEND || op == IB_WR_SEND_WITH_IMM)
		return true;
	return !ud && (is_rdma(op) || is_atomic(op) ||
		       op == IB_WR_SEND_WITH_INV);
}

static void decode_send(struct ib_send_wr *wr,
			const struct ib_uverbs_send_wr *u)
{
	wr->wr_id = u->wr_id;
	wr->num_sge = u->num_sge;
	wr->opcode = u->opcode;
	wr->send_flags = u->send_flags;
	if (u->opcode == IB_WR_SEND_WITH_IMM ||
	    u->opcode == IB_WR_RDMA_WRITE_WITH_IMM)
		wr->imm_data = u->ex.imm_data;
	else if (u->opcode == IB_WR_SEND_WITH_INV)
		wr->invalidate_rkey = u->ex.invalidate_rkey;
	if (is_rdma(u->opcode)) {
		wr->remote_addr = u->wr.rdma.remote_addr;
		wr->rkey = u->wr.rdma.rkey;
	} else if (is_atomic(u->opcode)) {
		wr->remote_addr = u->wr.atomic.remote_addr;
		wr->compare_add = u->wr.atomic.compare_add;
		wr->swap = u->wr.atomic.swap;
		wr->rkey = u->wr.atomic.rkey;
	}
}

static int get_ah(struct post *p, struct ib_send_wr *wr,
		  const struct ib_uverbs_send_wr *u)
{
	wr->ah = uverbs_get_object(p->b, UVERBS_OBJECT_AH, u->wr.ud.ah);
	if (IS_ERR(wr->ah))
		return PTR_ERR(wr->ah);
	wr->remote_qpn = u->wr.ud.remote_qpn;
	wr->remote_qkey = u->wr.ud.remote_qkey;
	return 0;
}

static void free_sends(struct ib_send_wr *wr)
{
	struct ib_send_wr *next;

	for (; wr; wr = next) {
		next = (struct ib_send_wr *)wr->next;
		kfree(wr);
	}
}

static struct ib_send_wr *read_send(struct post *p, u32 i)
{
	const struct ib_sge *sg_list;
	struct ib_uverbs_send_wr u;
	struct ib_send_wr *wr;
	int ret;

	ret = read_wqe(p, i, &u, sizeof(u));
	if (ret)
		return ERR_PTR(ret);
	if (!op_known(u.opcode, p->ud))
		return ERR_PTR(ib_refuse(IB_LAYER_UVERBS, -EINVAL,
					 "work request %llu with operation %llu",
					 i, u.opcode));
	if (u.send_flags & ~SEND_FLAGS)
		return ERR_PTR(ib_refuse(IB_LAYER_UVERBS, -EINVAL,
					 "work request %llu with flags 0x%llx",
					 i, u.send_flags));
	wr = alloc_wr(p, sizeof(*wr), u.num_sge, &sg_list);
	if (IS_ERR(wr))
		return wr;
	decode_send(wr, &u);
	wr->sg_list = sg_list;
	ret = p->ud ? get_ah(p, wr, &u) : 0;
	if (ret) {
		kfree(wr);
		return ERR_PTR(ret);
	}
	return wr;
}

static struct ib_send_wr *read_sends(struct post *p)
{
	struct ib_send_wr *first = NULL, *last = NULL, *wr;
	u32 i;

	for (i = 0; i < p->wr_count; i++) {
		wr = read_send(p, i);
		if (IS_ERR(wr)) {
			free_sends(first);
			return wr;
		}
		if (last)
			last->next = wr;
		else
			first = wr;
		last = wr;
	}
	return first;
}

/* The number of the first request that was not posted, from 1; or the last */
#define BAD_WR(first, bad) ({						\
	typeof(first) __wr;						\
	u32 __n = 0;							\
	for (__wr = (first); __wr; __wr = (typeof(first))__wr->next) {	\
		__n++;							\
		if (__wr == (bad))					\
			break;						\
	}								\
	__n;								\
})

static int respond_bad(struct uverbs_bundle *b, u32 bad, int err)
{
	/* three responses of one shape */
	struct ib_uverbs_post_send_resp resp = { .bad_wr = bad };
	int ret = uverbs_respond(b, &resp, sizeof(resp));

	return ret ?: err;
}

int uverbs_write_post_send(struct uverbs_bundle *b)
{
	const struct ib_send_wr *bad = NULL;
	struct ib_uverbs_post_send cmd;
	struct post p = { .b = b };
	struct ib_send_wr *wr;
	struct ib_qp *qp;
	int ret;

	ret = uverbs_request_head(b, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	p.wr_count = cmd.wr_count;
	p.wqe_size = cmd.wqe_size;
	p.sge_count = cmd.sge_count;
	ret = find_tables(&p, sizeof(cmd));
	if (!ret)
		ret = check_wqe(&p, sizeof(struct ib_uverbs_send_wr));
	if (ret)
		return ret;
	qp = uverbs_get_object(b, UVERBS_OBJECT_QP, cmd.qp_handle);
	if (IS_ERR(qp))
		return PTR_ERR(qp);
	p.ud = qp->qp_type == IB_QPT_UD;
	wr = read_sends(&p);
	if (IS_ERR(wr))
		return PTR_ERR(wr);

	ret = ib_post_send(qp, wr, &bad);
	ret = respond_bad(b, ret ? BAD_WR(wr, bad) : 0, ret);
	free_sends(wr);
	return ret;
}

static void free_recvs(struct ib_recv_wr *wr)
{
	struct ib_recv_wr *next;

	for (; wr; wr = next) {
		next = (struct ib_recv_wr *)wr->next;
		kfree(wr);
	}
}

static struct ib_recv_wr *read_recv(struct post *p, u32 i)
{
	struct ib_uverbs_recv_wr u;
	const struct ib_sge *sg_list;
	struct ib_recv_wr *wr;
	int ret;

	ret = read_wqe(p, i, &u, sizeof(u));
	if (ret)
		return ERR_PTR(ret);
	wr = alloc_wr(p, sizeof(*wr), u.num_sge, &sg_list);
	if (IS_ERR(wr))
		return wr;
	wr->wr_id = u.wr_id;
	wr->num_sge = u.num_sge;
	wr->sg_list = sg_list;
	return wr;
}

/* The requests of receives to a queue pair and to an SRQ are the same. */
static struct ib_recv_wr *read_recvs(struct uverbs_bundle *b,
				     struct ib_uverbs_post_recv *cmd)
{
	struct ib_recv_wr *first = NULL, *last = NULL, *wr;
	struct post p = { .b = b };
	int ret;
	u32 i;

	static_assert(sizeof(*cmd) == sizeof(struct ib_uverbs_post_srq_recv));
	ret = uverbs_request_head(b, cmd, sizeof(*cmd));
	if (ret)
		return ERR_PTR(ret);
	p.wr_count = cmd->wr_count;
	p.wqe_size = cmd->wqe_size;
	p.sge_count = cmd->sge_count;
	ret = check_wqe(&p, sizeof(struct ib_uverbs_recv_wr));
	if (!ret)
		ret = find_tables(&p, sizeof(*cmd));
	if (ret)
		return ERR_PTR(ret);
	for (i = 0; i < p.wr_count; i++) {
		wr = read_recv(&p, i);
		if (IS_ERR(wr)) {
			free_recvs(first);
			return wr;
		}
		if (last)
			last->next = wr;
		else
			first = wr;
		last = wr;
	}
	return first;
}

static int post_recvs(struct uverbs_bundle *b, u16 object)
{
	const struct ib_recv_wr *bad = NULL;
	struct ib_uverbs_post_recv cmd;
	struct ib_recv_wr *wr;
	void *queue;
	int ret;

	wr = read_recvs(b, &cmd);
	if (IS_ERR(wr))
		return PTR_ERR(wr);
	/* an SRQ's handle is where the other request has the queue pair's */
	queue = uverbs_get_object(b, object, cmd.qp_handle);
	ret = PTR_ERR_OR_ZERO(queue);
	if (!ret) {
		ret = object == UVERBS_OBJECT_SRQ ?
		      ib_post_srq_recv(queue, wr, &bad) :
		      ib_post_recv(queue, wr, &bad);
		ret = respond_bad(b, ret ? BAD_WR(wr, bad) : 0, ret);
	}
	free_recvs(wr);
	return ret;
}

int uverbs_write_post_recv(struct uverbs_bundle *b)
{
	return post_recvs(b, UVERBS_OBJECT_QP);
}

int uverbs_write_post_srq_recv(struct uverbs_bundle *b)
{
	return post_recvs(b, UVERBS_OBJECT_SRQ);
}

static int copy_wc(void __user *dst, const struct ib_wc *wc)
{
	struct ib_uverbs_wc u = {
		.wr_id = wc->wr_id,
		.status = wc->status,
		.opcode = wc->opcode,
		.vendor_err = wc->vendor_err,
		.byte_len = wc->byte_len,
		.ex.imm_data = wc->ex.imm_data,
		.qp_num = wc->qp->qp_num,
		.src_qp = wc->src_qp,
		.wc_flags = wc->wc_flags,
		.pkey_index = wc->pkey_index,
		.slid = wc->slid,
		.sl = wc->sl,
		.dlid_path_bits = wc->dlid_path_bits,
		.port_num = wc->port_num,
	};

	return copy_to_user(dst, &u, sizeof(u)) ?
		uverbs_refuse(-EFAULT, "cannot write a completion") : 0;
}

/* One at a time: what was polled and cannot be written is lost. */
static int poll_all(struct uverbs_bundle *b, struct ib_cq *cq, u32 max,
		    u32 *count)
{
	u8 __user *dst = b->core.out;
	struct ib_wc wc;
	int ret;

	dst += sizeof(struct ib_uverbs_poll_cq_resp);
	for (*count = 0; *count < max; ++*count) {
		/* user space gets all of it, also what the driver leaves out */
		memset(&wc, 0, sizeof(wc));
		ret = ib_poll_cq(cq, 1, &wc);
		if (ret <= 0)
			return ret;
		ret = copy_wc(dst, &wc);
		if (ret)
			return ret;
		dst += sizeof(struct ib_uverbs_wc);
	}
	return 0;
}

int uverbs_write_poll_cq(struct uverbs_bundle *b)
{
	struct ib_uverbs_poll_cq_resp resp = {};
	struct ib_uverbs_poll_cq cmd;
	struct ib_cq *cq;
	u32 room;
	int ret;

	ret = uverbs_request(b, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	cq = uverbs_get_object(b, UVERBS_OBJECT_CQ, cmd.cq_handle);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	room = (b->core.outlen - sizeof(resp)) / sizeof(struct ib_uverbs_wc);
	ret = poll_all(b, cq, min(cmd.ne, room), &resp.count);
	if (ret)
		return ret;
	/* not uverbs_respond(), which would clear what lies behind */
	return uverbs_respond_head(b, &resp, sizeof(resp));
}

int uverbs_write_req_notify_cq(struct uverbs_bundle *b)
{
	struct ib_uverbs_req_notify_cq cmd;
	struct ib_cq *cq;
	int ret;

	ret = uverbs_request(b, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	cq = uverbs_get_object(b, UVERBS_OBJECT_CQ, cmd.cq_handle);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	return ib_req_notify_cq(cq, cmd.solicited_only ? IB_CQ_SOLICITED :
							 IB_CQ_NEXT_COMP);
}
