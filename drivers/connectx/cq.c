// SPDX-License-Identifier: GPL-2.0-only
/* Completion queues: create, change, destroy. */
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/overflow.h>

#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/mlx5-abi.h>
#include <rdma/mlx5_user_ioctl_cmds.h>

#include <ib/refuse.h>
#include <ib/umem.h>
#include <ib/uverbs_def.h>

#include <connectx/prm_cqc.h>

#include "cq_ring.h"
#include "cx.h"
#include "verbs.h"

#define CX_CQ_USER_FLAGS	(MLX5_IB_CREATE_CQ_FLAGS_CQE_128B_PAD | \
				 MLX5_IB_CREATE_CQ_FLAGS_UAR_PAGE_INDEX | \
				 MLX5_IB_CREATE_CQ_FLAGS_REAL_TIME_TS)
#define CX_CQ_FLAGS		(IB_UVERBS_CQ_FLAGS_TIMESTAMP_COMPLETION | \
				 IB_UVERBS_CQ_FLAGS_IGNORE_OVERRUN)

static struct cx_ucontext *cx_udata_context(struct ib_udata *udata)
{
	return to_cx_ucontext(udata->ucontext);
}

static void cx_cq_comp(struct cx_cq_handler *h)
{
	struct cx_cq *cq = container_of(h, struct cx_cq, events);

	cq->arm_sn++;
	if (cq->base.comp_handler)
		cq->base.comp_handler(&cq->base, cq->base.context);
}

/* What a user's request must not ask for, checked before anything is made */
static int cx_cq_check_user(const struct mlx5_ib_create_cq *cmd)
{
	if (cmd->flags & ~CX_CQ_USER_FLAGS)
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "unknown flags 0x%llx", cmd->flags, 0);
	if ((cmd->cqe_size != 64 && cmd->cqe_size != 128) ||
	    cmd->reserved0 || cmd->reserved1)
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "entries of %llu bytes, or a reserved field set",
				 cmd->cqe_size, 0);
	return 0;
}

static int cx_cq_check_features(const struct mlx5_ib_create_cq *cmd)
{
	if (cmd->cqe_comp_en == 1)
		return ib_refuse(IB_LAYER_DRIVER, -EOPNOTSUPP,
				 "compressed completions are not supported",
				 0, 0);
	if (cmd->flags & MLX5_IB_CREATE_CQ_FLAGS_CQE_128B_PAD)
		return ib_refuse(IB_LAYER_DRIVER, -EOPNOTSUPP,
				 "padded completions are not supported", 0, 0);
	return 0;
}

/* Two ways to name the doorbell page; the attribute goes first. */
static int cx_cq_user_uar(struct cx_ucontext *c, const struct ib_udata *udata,
			  const struct mlx5_ib_create_cq *cmd,
			  struct cx_queue_uar *u)
{
	const struct uverbs_bundle *b = uverbs_udata_bundle(udata);
	u32 index = cmd->uar_page_index;
	bool named = true;
	int ret = 0;

	if (uverbs_attr_present(b, MLX5_IB_ATTR_CREATE_CQ_UAR_INDEX)) {
		ret = uverbs_attr_copy_in(b, MLX5_IB_ATTR_CREATE_CQ_UAR_INDEX,
					  &index, sizeof(index));
	} else if (!(cmd->flags & MLX5_IB_CREATE_CQ_FLAGS_UAR_PAGE_INDEX)) {
		ret = cx_queue_uar_first(c, u);
		named = false;
	}
	/* a page that nobody has is found by the adapter with stock: last */
	if (!ret)
		ret = cx_cq_check_features(cmd);
	if (!ret && named)
		ret = cx_queue_uar_get(c, index, u);
	return ret;
}

static int cx_cq_init_user(struct cx_cq *cq, u32 entries,
			   struct ib_udata *udata, struct cx_cq_params *p)
{
	struct cx_ucontext *c = cx_udata_context(udata);
	struct mlx5_ib_create_cq cmd = {};
	struct ib_udata known = *udata;
	int ret;

	known.inlen = min(udata->inlen, sizeof(cmd));
	ret = ib_udata_read(&known, &cmd,
			    offsetof(struct mlx5_ib_create_cq, flags),
			    sizeof(cmd));
	if (ret)
		return ret;
	ret = cx_cq_check_user(&cmd);
	if (ret)
		return ret;
	cq->cqe_bytes = cmd.cqe_size;
	ret = cx_ubuf_get(cq->base.obj.device, cmd.buf_addr,
			  (size_t)entries * cmd.cqe_size,
			  IB_ACCESS_LOCAL_WRITE, false, &cq->ubuf);
	if (ret)
		return ret;
	ret = cx_udb_get(c, cmd.db_addr, &cq->udb);
	if (ret)
		goto err_ubuf;
	ret = cx_cq_user_uar(c, udata, &cmd, &cq->uar);
	if (ret)
		goto err_udb;
	p->uar = cq->uar.index;
	p->dbr = cq->udb.dma;
	p->pas = cq->ubuf.pas;
	return 0;

err_udb:
	cx_udb_put(c, &cq->udb);
err_ubuf:
	cx_ubuf_put(&cq->ubuf);
	return ret;
}

static void cx_cq_exit_user(struct cx_cq *cq, struct cx_ucontext *c)
{
	cx_queue_uar_put(c, &cq->uar);
	cx_udb_put(c, &cq->udb);
	cx_ubuf_put(&cq->ubuf);
}

static int cx_cq_init_kernel(struct cx_cq *cq, u32 entries,
			     struct cx_cq_params *p)
{
	struct cx_dev *cx = to_cx(cq->base.obj.device);
	int ret;

	cq->cqe_bytes = sizeof(struct cx_cqe);
	ret = cx_kbuf_alloc(cx, (size_t)entries * cq->cqe_bytes, &cq->kbuf);
	if (ret)
		goto err_refuse;
	ret = cx_db_alloc(cx, &cq->db);
	if (ret)
		goto err_kbuf;
	cx_cq_ring_init(cq->kbuf.mem, entries, cq->cqe_bytes, &cq->db);
	p->uar = cx->uar.index;
	p->dbr = cq->db.dma;
	p->pas = cq->kbuf.pas;
	return 0;

err_kbuf:
	cx_kbuf_free(cx, &cq->kbuf);
err_refuse:
	return ib_refuse(IB_LAYER_DRIVER, ret,
			 "no memory for a ring of %llu completions", entries,
			 0);
}

static void cx_cq_exit_kernel(struct cx_cq *cq)
{
	struct cx_dev *cx = to_cx(cq->base.obj.device);

	cx_db_free(cx, &cq->db);
	cx_kbuf_free(cx, &cq->kbuf);
}

static void cx_cq_exit(struct cx_cq *cq, struct cx_ucontext *c)
{
	if (c)
		cx_cq_exit_user(cq, c);
	else
		cx_cq_exit_kernel(cq);
}

static int cx_cq_check(const struct cx_dev *cx,
		       const struct ib_cq_init_attr *attr)
{
	u32 max = BIT(cx->caps.log_max_cq_sz);

	if (attr->flags & ~CX_CQ_FLAGS)
		return ib_refuse(IB_LAYER_DRIVER, -EOPNOTSUPP,
				 "unknown flags 0x%llx", attr->flags, 0);
	/* one entry of the ring stays free */
	if (attr->cqe >= max)
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "%llu completions, at most %llu", attr->cqe,
				 max - 1);
	if (attr->comp_vector >= cx->num_comp)
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "completion vector %llu of %llu",
				 attr->comp_vector, cx->num_comp);
	return 0;
}

/**
 * cx_create_cq - ib_device_ops.create_cq
 * @ibcq: the queue to fill
 * @attr: what it shall be
 * @udata: the call of user space, or NULL
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		 struct ib_udata *udata)
{
	struct cx_ucontext *c = udata ? cx_udata_context(udata) : NULL;
	struct cx_dev *cx = to_cx(ibcq->obj.device);
	struct cx_cq *cq = to_cx_cq(ibcq);
	struct cx_cq_params p = {};
	u32 entries;
	int ret;

	ret = cx_cq_check(cx, attr);
	if (ret)
		return ret;
	entries = roundup_pow_of_two(attr->cqe + 1);
	ibcq->cqe = entries - 1;
	mutex_init(&cq->resize_lock);
	spin_lock_init(&cq->lock);
	if (udata)
		ret = cx_cq_init_user(cq, entries, udata, &p);
	else
		ret = cx_cq_init_kernel(cq, entries, &p);
	if (ret)
		return ret;

	p.log_size = ilog2(entries);
	p.cqe_128 = cq->cqe_bytes == 128;
	p.ignore_overrun = attr->flags & IB_UVERBS_CQ_FLAGS_IGNORE_OVERRUN;
	p.eqn = cx_eq_comp_number(cx, attr->comp_vector);
	ret = cx_cmd_create_cq(cx, &p, &cq->cqn);
	if (ret)
		goto err_memory;
	if (udata)
		cx_ubuf_drop_list(&cq->ubuf);
	else
		cx_kbuf_drop_list(&cq->kbuf);
	cq->events.comp = cx_cq_comp;
	cq->events.error = cx_cq_error;
	cq->events.vector = attr->comp_vector;
	ret = cx_cq_handler_add(cx, cq->cqn, &cq->events);
	if (ret)
		goto err_cq;
	if (udata)
		ret = cx_udata_number(udata, cq->cqn);
	if (ret)
		goto err_handler;
	return 0;

err_handler:
	cx_cq_handler_del(cx, cq->cqn, &cq->events);
err_cq:
	if (cx_kept(cx, cq->cqn, cx_cmd_destroy_cq(cx, cq->cqn)))
		return ret;
err_memory:
	cx_cq_exit(cq, c);
	return ret;
}

/**
 * cx_destroy_cq - ib_device_ops.destroy_cq
 * @ibcq: the queue
 * @udata: the call of user space, or NULL
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno: the queue still works.
 */
int cx_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata)
{
	struct cx_dev *cx = to_cx(ibcq->obj.device);
	struct cx_cq *cq = to_cx_cq(ibcq);
	int ret;

	/* its number may be that of another queue as soon as it is destroyed */
	cx_cq_handler_del(cx, cq->cqn, &cq->events);
	ret = cx_destroyed(cx, cx_cmd_destroy_cq(cx, cq->cqn));
	if (ret) {
		WARN_ON_ONCE(cx_cq_handler_add(cx, cq->cqn, &cq->events));
		return ret;
	}
	cx_cq_exit(cq, cx_object_context(&ibcq->obj));
	mutex_destroy(&cq->resize_lock);
	return 0;
}

/**
 * cx_modify_cq - ib_device_ops.modify_cq
 * @ibcq: the queue
 * @count: an event may wait for so many completions
 * @period_us: or for so long
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_modify_cq(struct ib_cq *ibcq, u16 count, u16 period_us)
{
	struct cx_dev *cx = to_cx(ibcq->obj.device);

	if (!cx->caps.cq_moderation)
		return ib_refuse(IB_LAYER_DRIVER, -EOPNOTSUPP,
				 "the adapter does not delay events", 0, 0);
	if (period_us > 0xfff)
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "events delayed by %llu us, at most %llu",
				 period_us, 0xfff);
	return cx_cmd_modify_cq_moderation(cx, to_cx_cq(ibcq)->cqn, count,
					   period_us);
}
