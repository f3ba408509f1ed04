// SPDX-License-Identifier: GPL-2.0-only
/*
 * Queue pairs: create and destroy. The rings of a user's queue pair are in
 * one piece of its memory, receive ring first.
 */
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/overflow.h>

#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/mlx5-abi.h>

#include <ib/refuse.h>

#include <connectx/prm_cmd.h>
#include <connectx/prm_qpc.h>
#include <connectx/prm_wqe.h>

#include "cx.h"
#include "verbs.h"

#define CX_RQ_MIN_SHIFT		4	/* one data segment */
#define CX_RQ_MAX_SHIFT		11	/* as far as the context can say */
#define CX_NO_USER_BFREG	U32_MAX

/* What a user may ask for; the scatter bits are requests, not demands */
#define CX_QP_USER_HINTS	(MLX5_QP_FLAG_SCATTER_CQE | \
				 MLX5_QP_FLAG_ALLOW_SCATTER_CQE)
#define CX_QP_USER_UAR		(MLX5_QP_FLAG_BFREG_INDEX | \
				 MLX5_QP_FLAG_UAR_PAGE_INDEX)

struct cx_qp_kind {
	enum ib_qp_type type;
	u8 st;
};

static const struct cx_qp_kind cx_qp_kinds[] = {
	{ IB_QPT_RC, CX_QP_ST_RC },
	{ IB_QPT_UC, CX_QP_ST_UC },
	{ IB_QPT_UD, CX_QP_ST_UD },
	{ IB_QPT_XRC_INI, CX_QP_ST_XRC },
	{ IB_QPT_XRC_TGT, CX_QP_ST_XRC },
};

static int cx_qp_service(enum ib_qp_type type, u8 *st)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cx_qp_kinds); i++) {
		if (cx_qp_kinds[i].type == type) {
			*st = cx_qp_kinds[i].st;
			return 0;
		}
	}
	if (type == IB_QPT_RAW_PACKET)
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "raw packets need an Ethernet port", 0, 0);
	return ib_refuse(IB_LAYER_DRIVER, -EOPNOTSUPP,
			 "queue pairs of type %llu are not supported", type,
			 0);
}

/* Send rings of users are what they say they are, and targets have none. */
static int cx_qp_check(const struct cx_dev *cx,
		       const struct ib_qp_init_attr *attr)
{
	u32 max = BIT(cx->caps.log_max_qp_sz);

	if (attr->create_flags)
		return ib_refuse(IB_LAYER_DRIVER, -EOPNOTSUPP,
				 "unknown flags 0x%llx", attr->create_flags,
				 0);
	if (attr->cap.max_recv_wr > max && attr->qp_type != IB_QPT_XRC_TGT)
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "%llu requests to receive, at most %llu",
				 attr->cap.max_recv_wr, max);
	return 0;
}

static bool cx_qp_has_rq(const struct ib_qp_init_attr *attr)
{
	return attr->qp_type != IB_QPT_XRC_INI &&
	       attr->qp_type != IB_QPT_XRC_TGT && !attr->srq &&
	       attr->cap.max_recv_wr;
}

static int cx_qp_check_no_rq(const struct mlx5_ib_create_qp *cmd)
{
	if (!cmd->rq_wqe_count && !cmd->rq_wqe_shift)
		return 0;
	return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
			 "a receive ring of %llu where there is none",
			 cmd->rq_wqe_count, 0);
}

/*
 * Asked last, for memory that is not there is another errno. That requests are
 * too small is left to the adapter, which compares rings and memory. A ring of
 * other than a power of two is one of the next smaller, as with stock.
 */
static int cx_qp_check_rq(const struct cx_dev *cx,
			  const struct mlx5_ib_create_qp *cmd)
{
	u32 max = BIT(cx->caps.log_max_qp_sz);

	if (cmd->rq_wqe_count > max)
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "a receive ring of %llu, at most %llu",
				 cmd->rq_wqe_count, max);
	if (cmd->rq_wqe_shift > CX_RQ_MAX_SHIFT)
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "receive requests of 2^%llu bytes",
				 cmd->rq_wqe_shift, 0);
	return 0;
}

static int cx_qp_check_sq(const struct cx_dev *cx,
			  const struct mlx5_ib_create_qp *cmd)
{
	u32 max = BIT(cx->caps.log_max_qp_sz);

	if (!cmd->sq_wqe_count ||
	    (is_power_of_2(cmd->sq_wqe_count) && cmd->sq_wqe_count <= max))
		return 0;
	return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
			 "a send ring of %llu, at most %llu and a power of two",
			 cmd->sq_wqe_count, max);
}

static int cx_qp_read_user(struct cx_ucontext *c, struct cx_qp *qp,
			   struct ib_udata *udata,
			   struct mlx5_ib_create_qp *cmd)
{
	bool given = udata->inlen >= offsetofend(struct mlx5_ib_create_qp,
						 uidx);
	u32 flags;
	int ret;

	ret = cx_udata_read(udata, cmd, 0, sizeof(*cmd), -EINVAL);
	if (ret)
		return ret;
	flags = cmd->flags & ~(CX_QP_USER_HINTS | CX_QP_USER_UAR);
	if (flags || (cmd->flags & CX_QP_USER_UAR) == CX_QP_USER_UAR)
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "flags 0x%llx are unknown or exclude each other",
				 cmd->flags, 0);
	return cx_user_index(c, given, cmd->uidx, &qp->user_index);
}

static int cx_qp_user_uar(struct cx_ucontext *c, struct cx_qp *qp,
			  const struct mlx5_ib_create_qp *cmd,
			  u32 *user_bfreg)
{
	*user_bfreg = CX_NO_USER_BFREG;
	switch (cmd->flags & CX_QP_USER_UAR) {
	case MLX5_QP_FLAG_UAR_PAGE_INDEX:
		return cx_queue_uar_get(c, cmd->bfreg_index, &qp->uar);
	case MLX5_QP_FLAG_BFREG_INDEX:
		/* names a register of a page made by mmap: there is none */
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "doorbell register %llu does not exist",
				 cmd->bfreg_index, 0);
	default:
		return cx_queue_uar_bfreg(c, &qp->uar, user_bfreg);
	}
}

/* Sizes are an int, as in the library. */
static int cx_qp_user_rings(struct cx_qp *qp,
			    const struct mlx5_ib_create_qp *cmd)
{
	int bytes, rq, sq = cmd->sq_wqe_count * CX_WQE_BB;
	int count = cmd->rq_wqe_count;

	if (check_shl_overflow(count, cmd->rq_wqe_shift, &rq) ||
	    check_add_overflow(rq, sq, &bytes))
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "a receive ring of %llu requests of 2^%llu bytes",
				 cmd->rq_wqe_count, cmd->rq_wqe_shift);
	qp->rings.rq_bytes = rq;
	qp->rings.rq_shift = cmd->rq_wqe_shift;
	qp->rings.sq_units = cmd->sq_wqe_count;
	if (!bytes || !cmd->buf_addr)
		return 0;
	return cx_ubuf_get(qp->base.obj.device, cmd->buf_addr, bytes, 0, true,
			   &qp->ubuf);
}

static void cx_qp_user_params(struct cx_qp *qp, bool has_rq,
			      const struct mlx5_ib_create_qp *cmd,
			      struct cx_qp_params *p)
{
	if (has_rq) {
		p->log_rq_stride = CX_RQ_MIN_SHIFT;
		if (cmd->rq_wqe_count) {
			p->log_rq_size = ilog2(cmd->rq_wqe_count);
			p->log_rq_stride = cmd->rq_wqe_shift;
		}
		qp->cap.max_recv_wr = cmd->rq_wqe_count;
		qp->cap.max_recv_sge = BIT(cmd->rq_wqe_shift) /
				       sizeof(struct cx_wqe_data);
	}
	p->no_sq = !cmd->sq_wqe_count;
	if (!p->no_sq)
		p->log_sq_size = ilog2(cmd->sq_wqe_count);
	p->uar = qp->uar.index;
	p->dbr = qp->udb.dma;
	p->pas = qp->ubuf.pas;
	if (!p->pas.page_shift)
		p->pas.page_shift = PAGE_SHIFT;
}

static int cx_qp_init_user(struct cx_qp *qp, bool has_rq,
			   struct ib_udata *udata, struct cx_qp_params *p,
			   u32 *user_bfreg)
{
	struct cx_ucontext *c = to_cx_ucontext(udata->ucontext);
	struct cx_dev *cx = to_cx(qp->base.obj.device);
	struct mlx5_ib_create_qp cmd = {};
	int ret;

	ret = cx_qp_read_user(c, qp, udata, &cmd);
	if (ret)
		return ret;
	ret = has_rq ? 0 : cx_qp_check_no_rq(&cmd);
	if (ret)
		return ret;
	ret = cx_qp_check_sq(cx, &cmd);
	if (ret)
		return ret;
	ret = cx_qp_user_uar(c, qp, &cmd, user_bfreg);
	if (ret)
		return ret;
	ret = cx_qp_user_rings(qp, &cmd);
	if (ret)
		goto err_uar;
	ret = cx_udb_get(c, cmd.db_addr, &qp->udb);
	if (ret)
		goto err_ubuf;
	ret = has_rq ? cx_qp_check_rq(cx, &cmd) : 0;
	if (ret)
		goto err_udb;
	cx_qp_user_params(qp, has_rq, &cmd, p);
	return 0;

err_udb:
	cx_udb_put(c, &qp->udb);
err_ubuf:
	cx_ubuf_put(&qp->ubuf);
err_uar:
	cx_queue_uar_put(c, &qp->uar);
	return ret;
}

static void cx_qp_exit(struct cx_qp *qp, struct cx_ucontext *c)
{
	if (!c) {
		cx_qp_kernel_exit(qp);
		return;
	}
	cx_udb_put(c, &qp->udb);
	cx_ubuf_put(&qp->ubuf);
	cx_queue_uar_put(c, &qp->uar);
}

static int cx_qp_common_params(struct cx_qp *qp, bool has_rq,
			       const struct ib_qp_init_attr *attr,
			       struct cx_qp_params *p)
{
	const struct cx_xrc *xrc;

	p->st = qp->st;
	p->pdn = to_cx_pd(qp->base.pd)->pdn;
	p->user_index = qp->user_index;
	p->send_cqn = to_cx_cq(attr->send_cq)->cqn;
	if (qp->st == CX_QP_ST_XRC) {
		xrc = cx_xrc_get(to_verbs(qp->base.obj.device));
		if (IS_ERR(xrc))
			return PTR_ERR(xrc);
		p->recv_cqn = xrc->cqn;
		p->xrcdn = xrc->xrcdn;
		p->rq_type = CX_RQ_NONE;
		return 0;
	}
	p->recv_cqn = to_cx_cq(attr->recv_cq)->cqn;
	p->rq_type = has_rq ? CX_RQ_OWN : CX_RQ_NONE;
	if (attr->srq) {
		p->rq_type = CX_RQ_SRQ;
		p->srqn = to_cx_srq(attr->srq)->srqn;
	}
	return 0;
}

static int cx_qp_answer(struct ib_udata *udata, u32 user_bfreg)
{
	struct mlx5_ib_create_qp_resp resp = { .bfreg_index = user_bfreg };

	return ib_udata_write(udata, &resp, sizeof(resp));
}

/* @kept: it failed, and the adapter has the queue pair all the same. */
static int cx_qp_make(struct cx_dev *cx, struct cx_qp *qp,
		      const struct cx_qp_params *p, bool *kept)
{
	u32 *qpn = &qp->base.qp_num;
	int ret;

	*kept = false;
	ret = cx_cmd_create_qp(cx, p, qpn);
	if (ret)
		return ret;
	qp->events.event = cx_qp_event;
	ret = cx_qp_handler_add(cx, *qpn, &qp->events);
	if (ret)
		*kept = cx_kept(cx, *qpn, cx_cmd_destroy_qp(cx, *qpn));
	return ret;
}

static bool cx_qp_unmake(struct cx_dev *cx, struct cx_qp *qp)
{
	u32 qpn = qp->base.qp_num;

	cx_qp_handler_del(cx, qpn);
	return cx_kept(cx, qpn, cx_cmd_destroy_qp(cx, qpn));
}

/* No rings, no doorbell: a target hands on what it receives. */
static int cx_create_target(struct cx_qp *qp)
{
	struct cx_verbs *v = to_verbs(qp->base.obj.device);
	const struct cx_xrc *xrc = cx_xrc_get(v);
	struct cx_qp_params p = {
		.st = qp->st,
		.user_index = CX_NO_USER_INDEX,
		.xrcdn = to_cx_xrcd(qp->base.xrcd)->xrcdn,
		.rq_type = CX_RQ_SRQ,
		.no_sq = true,
		.pas.page_shift = PAGE_SHIFT,
	};
	bool kept;

	if (IS_ERR(xrc))
		return PTR_ERR(xrc);
	p.pdn = xrc->pdn;
	p.send_cqn = xrc->cqn;
	p.recv_cqn = xrc->cqn;
	p.srqn = xrc->srqn;
	return cx_qp_make(v->cx, qp, &p, &kept);
}

/**
 * cx_create_qp - ib_device_ops.create_qp
 * @ibqp: the queue pair to fill
 * @attr: what it shall be; sizes as given are written back
 * @udata: the call of user space, or NULL
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *attr,
		 struct ib_udata *udata)
{
	struct cx_dev *cx = to_cx(ibqp->obj.device);
	struct cx_qp *qp = to_cx_qp(ibqp);
	bool has_rq = cx_qp_has_rq(attr);
	u32 user_bfreg = CX_NO_USER_BFREG;
	struct cx_qp_params p = {};
	bool kept = false;
	int ret;

	ret = cx_qp_service(attr->qp_type, &qp->st);
	if (ret)
		return ret;
	ret = cx_qp_check(cx, attr);
	if (ret)
		return ret;
	qp->user_index = CX_NO_USER_INDEX;
	qp->signal_all = attr->sq_sig_all;
	if (attr->qp_type == IB_QPT_XRC_TGT)
		return cx_create_target(qp);
	if (udata)
		ret = cx_qp_init_user(qp, has_rq, udata, &p, &user_bfreg);
	else
		ret = cx_qp_kernel_init(qp, attr, &p);
	if (ret)
		return ret;
	ret = cx_qp_common_params(qp, has_rq, attr, &p);
	if (!ret)
		ret = cx_qp_make(cx, qp, &p, &kept);
	if (ret)
		goto err_memory;
	if (udata)
		cx_ubuf_drop_list(&qp->ubuf);
	else
		cx_kbuf_drop_list(&qp->kbuf);
	if (udata)
		ret = cx_qp_answer(udata, user_bfreg);
	if (ret)
		goto err_qp;
	return 0;

err_qp:
	kept = cx_qp_unmake(cx, qp);
err_memory:
	if (!kept)
		cx_qp_exit(qp, udata ? to_cx_ucontext(udata->ucontext) : NULL);
	return ret;
}

/* From here on the device makes no more completions for it. */
static int cx_qp_silence(struct cx_dev *cx, struct cx_qp *qp)
{
	const struct cx_qp_context nothing = { .st = qp->st };

	if (qp->base.state == IB_QPS_RESET)
		return 0;
	return cx_cmd_modify_qp(cx, CX_CMD_2RST_QP, qp->base.qp_num, 0,
				&nothing);
}

/**
 * cx_destroy_qp - ib_device_ops.destroy_qp
 * @ibqp: the queue pair
 * @udata: the call of user space, or NULL
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno: it still exists.
 */
int cx_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata)
{
	struct cx_ucontext *c = cx_object_context(&ibqp->obj);
	struct cx_dev *cx = to_cx(ibqp->obj.device);
	bool target = ibqp->qp_type == IB_QPT_XRC_TGT;
	struct cx_qp *qp = to_cx_qp(ibqp);
	int ret;

	/* an error here is an error below too, where it counts */
	cx_qp_silence(cx, qp);
	/* its number may be that of another one as soon as it is destroyed */
	cx_qp_handler_del(cx, ibqp->qp_num);
	if (!c && !target) {
		cx_cq_forget_qp(to_cx_cq(ibqp->send_cq), ibqp->qp_num);
		cx_cq_forget_qp(to_cx_cq(ibqp->recv_cq), ibqp->qp_num);
	}
	ret = cx_destroyed(cx, cx_cmd_destroy_qp(cx, ibqp->qp_num));
	if (ret) {
		WARN_ON_ONCE(cx_qp_handler_add(cx, ibqp->qp_num,
					       &qp->events));
		return ret;
	}
	if (!target)
		cx_qp_exit(qp, c);
	return 0;
}
