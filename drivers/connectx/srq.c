// SPDX-License-Identifier: GPL-2.0-only
/* Shared receive queues of user space: plain ones, and those of XRC. */
#include <linux/kernel.h>
#include <linux/log2.h>

#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/mlx5-abi.h>

#include <ib/refuse.h>

#include <connectx/prm_wqe.h>

#include "cx.h"
#include "verbs.h"

#define CX_SRQ_MIN_STRIDE	32

/* The commands of each kind */
static const struct cx_srq_cmds {
	int (*create)(struct cx_dev *cx, const struct cx_srq_params *p,
		      u32 *srqn);
	int (*arm)(struct cx_dev *cx, u32 srqn, u16 limit);
	int (*query)(struct cx_dev *cx, u32 srqn, u16 *limit, bool *error);
	int (*destroy)(struct cx_dev *cx, u32 srqn);
} cx_srq_cmds[] = {
	[IB_UVERBS_SRQT_BASIC] = {
		cx_cmd_create_srq, cx_cmd_arm_srq, cx_cmd_query_srq,
		cx_cmd_destroy_srq,
	},
	[IB_UVERBS_SRQT_XRC] = {
		cx_cmd_create_xrc_srq, cx_cmd_arm_xrc_srq,
		cx_cmd_query_xrc_srq, cx_cmd_destroy_xrc_srq,
	},
};

static const struct cx_srq_cmds *cx_srq_cmd(const struct cx_srq *srq)
{
	return &cx_srq_cmds[srq->base.type];
}

static int cx_srq_check(const struct cx_dev *cx,
			const struct ib_srq_init_attr *attr,
			const struct ib_udata *udata)
{
	u32 max_wr = BIT(cx->caps.log_max_srq_sz);
	u32 max_sge = cx->caps.max_wqe_sz_rq / sizeof(struct cx_wqe_data);

	if (!udata)
		return ib_refuse(IB_LAYER_DRIVER, -EOPNOTSUPP,
				 "only SRQs of user space", 0, 0);
	if (attr->attr.max_wr >= max_wr || attr->attr.max_sge > max_sge)
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "%llu requests of %llu pieces: too much",
				 attr->attr.max_wr, attr->attr.max_sge);
	return 0;
}

static int cx_srq_read(struct ib_udata *udata, struct mlx5_ib_create_srq *cmd)
{
	int ret;

	ret = cx_udata_read(udata, cmd, 0, sizeof(*cmd), -EINVAL);
	if (ret)
		return ret;
	if (cmd->reserved0 || cmd->reserved1)
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "a reserved field is set", 0, 0);
	return 0;
}

/* Asked last: memory that is not there is another errno. */
static int cx_srq_check_flags(const struct mlx5_ib_create_srq *cmd)
{
	return cmd->flags ? ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				      "unknown flags 0x%llx", cmd->flags, 0) :
			    0;
}

static int cx_srq_init_kind(struct cx_srq *srq, struct cx_ucontext *c,
			    bool given, u32 uidx, struct cx_srq_params *p)
{
	int ret;

	if (srq->base.type == IB_UVERBS_SRQT_BASIC)
		return 0;
	ret = cx_user_index(c, given, uidx, &p->user_index);
	if (ret || srq->base.type == IB_UVERBS_SRQT_TM)
		return ret;
	p->xrcdn = to_cx_xrcd(srq->base.xrcd)->xrcdn;
	p->cqn = to_cx_cq(srq->base.cq)->cqn;
	return 0;
}

static int cx_srq_init(struct cx_srq *srq, size_t stride,
		       struct ib_udata *udata, struct cx_srq_params *p)
{
	struct cx_ucontext *c = to_cx_ucontext(udata->ucontext);
	bool given = udata->inlen >= offsetofend(struct mlx5_ib_create_srq,
						 uidx);
	struct mlx5_ib_create_srq cmd = {};
	int ret;

	ret = cx_srq_read(udata, &cmd);
	if (!ret)
		ret = cx_srq_init_kind(srq, c, given, cmd.uidx, p);
	if (ret)
		return ret;
	ret = cx_ubuf_get(srq->base.obj.device, cmd.buf_addr,
			  srq->count * stride, 0, true, &srq->ubuf);
	if (ret)
		return ret;
	ret = cx_udb_get(c, cmd.db_addr, &srq->udb);
	if (ret)
		goto err_ubuf;
	ret = cx_srq_check_flags(&cmd);
	if (ret)
		goto err_udb;
	p->pdn = to_cx_pd(srq->base.pd)->pdn;
	p->log_size = ilog2(srq->count);
	p->log_stride = ilog2(stride);
	p->dbr = srq->udb.dma;
	p->pas = srq->ubuf.pas;
	return 0;

err_udb:
	cx_udb_put(c, &srq->udb);
err_ubuf:
	cx_ubuf_put(&srq->ubuf);
	return ret;
}

static void cx_srq_exit(struct cx_srq *srq, struct cx_ucontext *c)
{
	cx_udb_put(c, &srq->udb);
	cx_ubuf_put(&srq->ubuf);
}

/**
 * cx_create_srq - ib_device_ops.create_srq
 * @ibsrq: the queue to fill
 * @attr: what it shall be; sizes as given are written back
 * @udata: the call of user space
 *
 * The library computes the same number and size of entries from the same
 * attributes; nobody tells the other.
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *attr,
		  struct ib_udata *udata)
{
	struct cx_dev *cx = to_cx(ibsrq->obj.device);
	struct cx_srq *srq = to_cx_srq(ibsrq);
	struct mlx5_ib_create_srq_resp resp = {};
	struct cx_srq_params p = {};
	size_t stride;
	int ret;

	ret = cx_srq_check(cx, attr, udata);
	if (ret)
		return ret;
	srq->count = roundup_pow_of_two(attr->attr.max_wr + 1);
	srq->max_sge = attr->attr.max_sge;
	stride = sizeof(struct cx_wqe_srq_next) +
		 srq->max_sge * sizeof(struct cx_wqe_data);
	stride = roundup_pow_of_two(max_t(size_t, stride, CX_SRQ_MIN_STRIDE));
	srq->shift = ilog2(stride);
	ret = cx_srq_init(srq, stride, udata, &p);
	if (ret)
		return ret;
	if (ibsrq->type == IB_UVERBS_SRQT_TM) {
		ret = ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				"%llu tags, the adapter does not match tags",
				attr->max_num_tags, 0);
		goto err_memory;
	}
	ret = cx_srq_cmd(srq)->create(cx, &p, &srq->srqn);
	if (ret)
		goto err_memory;
	cx_ubuf_drop_list(&srq->ubuf);
	srq->events.event = cx_srq_event;
	ret = cx_srq_handler_add(cx, srq->srqn, &srq->events);
	if (ret)
		goto err_srq;
	ibsrq->srq_num = srq->srqn;
	resp.srqn = srq->srqn;
	ret = ib_udata_write(udata, &resp, sizeof(resp));
	if (ret)
		goto err_handler;
	attr->attr.max_wr = srq->count - 1;
	return 0;

err_handler:
	cx_srq_handler_del(cx, srq->srqn);
err_srq:
	if (cx_kept(cx, srq->srqn, cx_srq_cmd(srq)->destroy(cx, srq->srqn)))
		return ret;
err_memory:
	cx_srq_exit(srq, to_cx_ucontext(udata->ucontext));
	return ret;
}

/**
 * cx_modify_srq - ib_device_ops.modify_srq
 * @ibsrq: the queue
 * @attr: attributes
 * @mask: which of them count
 * @udata: the call of user space
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_modify_srq(struct ib_srq *ibsrq, const struct ib_srq_attr *attr,
		  int mask, struct ib_udata *udata)
{
	struct cx_dev *cx = to_cx(ibsrq->obj.device);
	struct cx_srq *srq = to_cx_srq(ibsrq);

	if (mask & IB_SRQ_MAX_WR)
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "an SRQ cannot be resized", 0, 0);
	if (!(mask & IB_SRQ_LIMIT))
		return 0;
	if (attr->srq_limit >= srq->count)
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "limit %llu in a queue of %llu",
				 attr->srq_limit, srq->count - 1);
	return cx_srq_cmd(srq)->arm(cx, srq->srqn, attr->srq_limit);
}

/**
 * cx_query_srq - ib_device_ops.query_srq
 * @ibsrq: the queue
 * @attr: result
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_query_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr)
{
	struct cx_srq *srq = to_cx_srq(ibsrq);
	u16 limit;
	bool error;
	int ret;

	ret = cx_srq_cmd(srq)->query(to_cx(ibsrq->obj.device), srq->srqn,
				     &limit, &error);
	if (ret)
		return ret;
	attr->max_wr = srq->count - 1;
	attr->max_sge = srq->max_sge;
	attr->srq_limit = limit;
	return 0;
}

/**
 * cx_destroy_srq - ib_device_ops.destroy_srq
 * @ibsrq: the queue
 * @udata: the call of user space
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno: the queue still works.
 */
int cx_destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata)
{
	struct cx_dev *cx = to_cx(ibsrq->obj.device);
	struct cx_srq *srq = to_cx_srq(ibsrq);
	int ret;

	/* its number may be that of another queue as soon as it is destroyed */
	cx_srq_handler_del(cx, srq->srqn);
	ret = cx_destroyed(cx, cx_srq_cmd(srq)->destroy(cx, srq->srqn));
	if (ret) {
		WARN_ON_ONCE(cx_srq_handler_add(cx, srq->srqn, &srq->events));
		return ret;
	}
	cx_srq_exit(srq, cx_object_context(&ibsrq->obj));
	return 0;
}
