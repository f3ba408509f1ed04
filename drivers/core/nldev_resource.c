// SPDX-License-Identifier: GPL-2.0-only
/* What rdma(8) shows of each type of objects: a function that fills, a row. */
#include <kunit/visibility.h>
#include <linux/pid.h>
#include <ib/cq.h>
#include <ib/mr.h>
#include <ib/pd.h>
#include <ib/qp.h>
#include <ib/srq.h>
#include <ib/ucontext.h>
#include "core_priv.h"
#include "nldev.h"

#define QP_ATTRS	(IB_QP_STATE | IB_QP_DEST_QPN | IB_QP_RQ_PSN | \
			 IB_QP_SQ_PSN | IB_QP_PATH_MIG_STATE)

/*
 * An object of the kernel has a name, one of a user a process: its number as
 * the asker sees it, and none when it has ended or is in a foreign namespace.
 */
static int put_owner(struct sk_buff *msg, const struct ib_object *obj)
{
	pid_t nr = 0;

	if (!obj->context)
		return nla_put_string(msg, RDMA_NLDEV_ATTR_RES_KERN_NAME,
				      obj->owner);
	rcu_read_lock();
	if (pid_task(obj->pid, PIDTYPE_TGID))
		nr = pid_vnr(obj->pid);
	rcu_read_unlock();
	return nr ? nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_PID, nr) : 0;
}

static int put_context(struct sk_buff *msg, const struct ib_object *obj)
{
	if (!obj->context)
		return 0;
	return nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_CTXN, obj->context_id);
}

/* Domains of the kernel are not for users to see. */
static int put_pd(struct sk_buff *msg, const struct ib_object *obj,
		  const struct ib_pd *pd)
{
	if (!obj->context || !pd)
		return 0;
	return nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_PDN, pd->obj.id);
}

static int put_usecnt(struct sk_buff *msg, const struct ib_object *obj)
{
	return nldev_put_u64(msg, RDMA_NLDEV_ATTR_RES_USECNT,
			     atomic_read(&obj->usecnt));
}

static int fill_ctx(struct sk_buff *msg, const struct nldev_question *q,
		    struct ib_object *obj)
{
	return put_context(msg, obj) ?: put_owner(msg, obj);
}

const struct nldev_resource nldev_ctx = {
	.type	= IB_OBJ_UCONTEXT,
	.table	= RDMA_NLDEV_ATTR_RES_CTX,
	.entry	= RDMA_NLDEV_ATTR_RES_CTX_ENTRY,
	.id	= RDMA_NLDEV_ATTR_RES_CTXN,
	.fill	= fill_ctx,
};

/* No device here has a key for all DMA addresses that needs no region. */
static int fill_pd(struct sk_buff *msg, const struct nldev_question *q,
		   struct ib_object *obj)
{
	int ret = 0;

	if (q->admin)
		ret = nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_LOCAL_DMA_LKEY, 0);
	return ret ?: put_usecnt(msg, obj) ?:
	       nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_PDN, obj->id) ?:
	       put_context(msg, obj) ?: put_owner(msg, obj);
}

const struct nldev_resource nldev_pd = {
	.type	= IB_OBJ_PD,
	.table	= RDMA_NLDEV_ATTR_RES_PD,
	.entry	= RDMA_NLDEV_ATTR_RES_PD_ENTRY,
	.id	= RDMA_NLDEV_ATTR_RES_PDN,
	.fill	= fill_pd,
};
EXPORT_SYMBOL_IF_KUNIT(nldev_pd);

/* A kernel's queue is polled by its user: context 0, "direct". */
static int fill_cq(struct sk_buff *msg, const struct nldev_question *q,
		   struct ib_object *obj)
{
	struct ib_cq *cq = container_of(obj, struct ib_cq, obj);
	int ret;

	ret = nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_CQE, cq->cqe) ?:
	      put_usecnt(msg, obj);
	if (!ret && !obj->context)
		ret = nla_put_u8(msg, RDMA_NLDEV_ATTR_RES_POLL_CTX, 0);
	return ret ?: nla_put_u8(msg, RDMA_NLDEV_ATTR_DEV_DIM, 0) ?:
	       nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_CQN, obj->id) ?:
	       put_context(msg, obj) ?: put_owner(msg, obj);
}

const struct nldev_resource nldev_cq = {
	.type	= IB_OBJ_CQ,
	.table	= RDMA_NLDEV_ATTR_RES_CQ,
	.entry	= RDMA_NLDEV_ATTR_RES_CQ_ENTRY,
	.id	= RDMA_NLDEV_ATTR_RES_CQN,
	.fill	= fill_cq,
};

static bool is_connected(const struct ib_qp *qp)
{
	return qp->qp_type == IB_QPT_RC || qp->qp_type == IB_QPT_UC;
}

static bool is_xrc(const struct ib_qp *qp)
{
	return qp->qp_type == IB_QPT_XRC_INI || qp->qp_type == IB_QPT_XRC_TGT;
}

static int put_qp_attr(struct sk_buff *msg, const struct ib_qp *qp,
		       const struct ib_qp_attr *attr)
{
	int ret = 0;

	if (is_connected(qp))
		ret = nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_RQPN,
				  attr->dest_qp_num) ?:
		      nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_RQ_PSN,
				  attr->rq_psn);
	if (!ret && (is_connected(qp) || is_xrc(qp)))
		ret = nla_put_u8(msg, RDMA_NLDEV_ATTR_RES_PATH_MIG_STATE,
				 attr->path_mig_state);
	return ret;
}

/* What rdma(8) insists on */
static int put_qp_state(struct sk_buff *msg, const struct ib_qp *qp)
{
	return nla_put_u8(msg, RDMA_NLDEV_ATTR_RES_TYPE, qp->qp_type) ?:
	       nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_SQ_PSN,
			   READ_ONCE(qp->sq_psn)) ?:
	       nla_put_u8(msg, RDMA_NLDEV_ATTR_RES_STATE,
			  READ_ONCE(qp->state));
}

static int fill_qp(struct sk_buff *msg, const struct nldev_question *q,
		   struct ib_object *obj)
{
	struct ib_qp *qp = container_of(obj, struct ib_qp, obj);
	u8 port = READ_ONCE(qp->port);
	struct ib_qp_init_attr init = {};
	struct ib_qp_attr attr = {};
	int ret = 0;

	if (q->port && q->port != port)
		return -EAGAIN;
	if (port)
		ret = nla_put_u32(msg, RDMA_NLDEV_ATTR_PORT_INDEX, port);
	if (!ret)
		ret = nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_LQPN, qp->qp_num) ?:
		      put_pd(msg, obj, qp->pd) ?: put_owner(msg, obj);
	if (ret)
		return ret;
	/* one that is being changed is shown as it was seen last */
	ret = ib_peek_qp(qp, &attr, QP_ATTRS, &init);
	if (!ret)
		ret = put_qp_attr(msg, qp, &attr);
	else if (ret == -EBUSY)
		ret = 0;
	return ret ?: put_qp_state(msg, qp);
}

/* Users know a queue pair by the adapter's number for it. */
static struct ib_object *find_qp(struct ib_device *device, u32 qp_num)
{
	struct ib_object *obj;
	unsigned long id = 0;

	while ((obj = ib_object_read_next(device, IB_OBJ_QP, &id))) {
		if (container_of(obj, struct ib_qp, obj)->qp_num == qp_num)
			return obj;
		ib_object_read_end(obj);
		id++;
	}
	return NULL;
}

const struct nldev_resource nldev_qp = {
	.type	= IB_OBJ_QP,
	.table	= RDMA_NLDEV_ATTR_RES_QP,
	.entry	= RDMA_NLDEV_ATTR_RES_QP_ENTRY,
	.id	= RDMA_NLDEV_ATTR_RES_LQPN,
	.per_port = true,
	.find	= find_qp,
	.fill	= fill_qp,
};

/* Queue pairs @first to @last, which have neighbouring numbers */
static int put_qp_range(struct sk_buff *msg, u32 first, u32 last)
{
	struct nlattr *entry;
	int ret;

	entry = nla_nest_start(msg, RDMA_NLDEV_ATTR_RES_QP_ENTRY);
	if (!entry)
		return -EMSGSIZE;
	if (first == last)
		ret = nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_LQPN, first);
	else
		ret = nla_put_u32(msg, RDMA_NLDEV_ATTR_MIN_RANGE, first) ?:
		      nla_put_u32(msg, RDMA_NLDEV_ATTR_MAX_RANGE, last);
	if (!ret)
		nla_nest_end(msg, entry);
	return ret;
}

struct qp_range {
	u32	first;
	u32	last;
	bool	some;
};

static int add_to_range(struct sk_buff *msg, struct qp_range *range, u32 qp_num)
{
	int ret = 0;

	if (range->some && qp_num == range->last + 1) {
		range->last = qp_num;
		return 0;
	}
	if (range->some)
		ret = put_qp_range(msg, range->first, range->last);
	*range = (struct qp_range){ qp_num, qp_num, true };
	return ret;
}

static int put_srq_qps(struct sk_buff *msg, struct ib_srq *srq)
{
	struct ib_device *device = srq->obj.device;
	struct qp_range range = {};
	struct nlattr *table;
	struct ib_object *obj;
	unsigned long id = 0;
	int ret = 0;

	table = nla_nest_start(msg, RDMA_NLDEV_ATTR_RES_QP);
	if (!table)
		return -EMSGSIZE;
	while (!ret && (obj = ib_object_read_next(device, IB_OBJ_QP, &id))) {
		struct ib_qp *qp = container_of(obj, struct ib_qp, obj);

		if (qp->srq == srq)
			ret = add_to_range(msg, &range, qp->qp_num);
		ib_object_read_end(obj);
		id++;
	}
	if (!ret && range.some)
		ret = put_qp_range(msg, range.first, range.last);
	if (!ret)
		nla_nest_end(msg, table);
	return ret;
}

static int fill_srq(struct sk_buff *msg, const struct nldev_question *q,
		    struct ib_object *obj)
{
	struct ib_srq *srq = container_of(obj, struct ib_srq, obj);
	int ret;

	ret = nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_SRQN, obj->id) ?:
	      nla_put_u8(msg, RDMA_NLDEV_ATTR_RES_TYPE, srq->type) ?:
	      nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_PDN, srq->pd->obj.id);
	if (!ret && srq->cq)
		ret = nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_CQN,
				  srq->cq->obj.id);
	return ret ?: put_srq_qps(msg, srq) ?: put_owner(msg, obj);
}

const struct nldev_resource nldev_srq = {
	.type	= IB_OBJ_SRQ,
	.table	= RDMA_NLDEV_ATTR_RES_SRQ,
	.entry	= RDMA_NLDEV_ATTR_RES_SRQ_ENTRY,
	.id	= RDMA_NLDEV_ATTR_RES_SRQN,
	.fill	= fill_srq,
};
EXPORT_SYMBOL_IF_KUNIT(nldev_srq);

static int fill_mr(struct sk_buff *msg, const struct nldev_question *q,
		   struct ib_object *obj)
{
	struct ib_mr *mr = container_of(obj, struct ib_mr, obj);
	int ret = 0;

	if (q->admin)
		ret = nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_RKEY, mr->rkey) ?:
		      nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_LKEY, mr->lkey);
	return ret ?: nldev_put_u64(msg, RDMA_NLDEV_ATTR_RES_MRLEN,
				    mr->length) ?:
	       nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_MRN, obj->id) ?:
	       put_pd(msg, obj, READ_ONCE(mr->pd)) ?: put_owner(msg, obj);
}

const struct nldev_resource nldev_mr = {
	.type	= IB_OBJ_MR,
	.table	= RDMA_NLDEV_ATTR_RES_MR,
	.entry	= RDMA_NLDEV_ATTR_RES_MR_ENTRY,
	.id	= RDMA_NLDEV_ATTR_RES_MRN,
	.fill	= fill_mr,
};

/* Nothing is counted for a region that is pinned. */
static int fill_mr_stat(struct sk_buff *msg, const struct nldev_question *q,
			struct ib_object *obj)
{
	return nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_MRN, obj->id);
}

const struct nldev_resource nldev_mr_stat = {
	.type	= IB_OBJ_MR,
	.table	= RDMA_NLDEV_ATTR_RES_MR,
	.entry	= RDMA_NLDEV_ATTR_RES_MR_ENTRY,
	.id	= RDMA_NLDEV_ATTR_RES_MRN,
	.fill	= fill_mr_stat,
};
