// SPDX-License-Identifier: GPL-2.0-only
/*
 * Queue pairs: what can be said about a request without asking the adapter is
 * said here, the same for users and for the kernel.
 */
#include <linux/err.h>
#include <ib/pd.h>
#include <ib/qp.h>
#include <ib/srq.h>
#include <ib/wq.h>
#include <ib/xrcd.h>
#include "core_priv.h"

#define PSN_MASK		GENMASK(23, 0)

static int check_same_device(struct ib_device *device,
			     const struct ib_object *obj)
{
	if (obj && obj->device != device)
		return ib_refuse(IB_LAYER_CORE, -EINVAL,
				 "a queue of another device", 0, 0);
	return 0;
}

/* A user's library knows the sizes; a kernel's request is checked here. */
static int check_sizes(struct ib_device *device, const struct ib_qp_cap *cap)
{
	const struct ib_device_attr *dev = &device->attr;

	if (cap->max_send_wr > dev->max_qp_wr ||
	    cap->max_recv_wr > dev->max_qp_wr)
		return ib_refuse(IB_LAYER_CORE, -EINVAL,
				 "%llu work requests, the device has %llu",
				 max(cap->max_send_wr, cap->max_recv_wr),
				 dev->max_qp_wr);
	if (cap->max_send_sge > dev->max_send_sge ||
	    cap->max_recv_sge > dev->max_recv_sge)
		return ib_refuse(IB_LAYER_CORE, -EINVAL,
				 "%llu gather and %llu scatter entries are too many",
				 cap->max_send_sge, cap->max_recv_sge);
	return 0;
}

/* An XRC initiator does not receive, a target has no queues of its own. */
static int check_queues(const struct ib_qp_init_attr *attr)
{
	if (attr->qp_type == IB_QPT_XRC_TGT) {
		if (attr->xrcd && attr->opener)
			return 0;
		return ib_refuse(IB_LAYER_CORE, -EINVAL,
				 "an XRC target needs a domain", 0, 0);
	}
	if (attr->rwq_ind_tbl) {
		if (!attr->recv_cq && !attr->srq &&
		    (attr->send_cq || !attr->cap.max_send_wr))
			return 0;
		return ib_refuse(IB_LAYER_CORE, -EINVAL,
				 "a queue pair with an indirection table sends at most",
				 0, 0);
	}
	if (attr->send_cq && (attr->recv_cq ||
			      attr->qp_type == IB_QPT_XRC_INI))
		return 0;
	return ib_refuse(IB_LAYER_CORE, -EINVAL,
			 "a queue pair of type %llu lacks a completion queue",
			 attr->qp_type, 0);
}

static int check_new(struct ib_device *device,
		     const struct ib_qp_init_attr *attr, bool user)
{
	int ret;

	ret = ib_object_check(device, device->ops->create_qp,
			      "the device has no queue pairs");
	if (ret)
		return ret;
	ret = check_queues(attr);
	if (!ret && attr->send_cq)
		ret = check_same_device(device, &attr->send_cq->obj);
	if (!ret && attr->recv_cq)
		ret = check_same_device(device, &attr->recv_cq->obj);
	if (!ret && attr->srq)
		ret = check_same_device(device, &attr->srq->obj);
	if (!ret && attr->rwq_ind_tbl)
		ret = check_same_device(device, &attr->rwq_ind_tbl->obj);
	if (!ret && !user)
		ret = check_sizes(device, &attr->cap);
	return ret;
}

static void refer(struct ib_qp *qp)
{
	if (qp->pd)
		ib_object_get(&qp->pd->obj);
	if (qp->send_cq)
		ib_object_get(&qp->send_cq->obj);
	if (qp->recv_cq)
		ib_object_get(&qp->recv_cq->obj);
	if (qp->srq)
		ib_object_get(&qp->srq->obj);
	if (qp->rwq_ind_tbl)
		ib_object_get(&qp->rwq_ind_tbl->obj);
	if (qp->xrcd)
		ib_object_get(&qp->xrcd->obj);
}

static void unrefer(struct ib_qp *qp)
{
	if (qp->xrcd)
		ib_object_put(&qp->xrcd->obj);
	if (qp->rwq_ind_tbl)
		ib_object_put(&qp->rwq_ind_tbl->obj);
	if (qp->srq)
		ib_object_put(&qp->srq->obj);
	if (qp->recv_cq)
		ib_object_put(&qp->recv_cq->obj);
	if (qp->send_cq)
		ib_object_put(&qp->send_cq->obj);
	if (qp->pd)
		ib_object_put(&qp->pd->obj);
}

static void init_qp(struct ib_qp *qp, struct ib_pd *pd,
		    const struct ib_qp_init_attr *attr)
{
	qp->qp_type = attr->qp_type;
	qp->state = IB_QPS_RESET;
	mutex_init(&qp->lock);
	spin_lock_init(&qp->openers_lock);
	INIT_LIST_HEAD(&qp->openers);
	if (attr->qp_type == IB_QPT_XRC_TGT) {
		qp->xrcd = attr->xrcd;
		qp->event_handler = ib_qp_shared_event;
		qp->context = qp;
		return;
	}
	ib_object_own(&qp->obj, pd->obj.context, pd->obj.owner);
	qp->pd = pd;
	qp->send_cq = attr->send_cq;
	qp->recv_cq = attr->recv_cq;
	qp->srq = attr->srq;
	qp->rwq_ind_tbl = attr->rwq_ind_tbl;
	qp->event_handler = attr->event_handler;
	qp->context = attr->context;
}

/**
 * ib_create_qp() - make a queue pair
 * @pd: protection domain, NULL for an XRC target
 * @attr: what it shall be; the driver writes the sizes that it gave
 * @udata: of the user's call, NULL for the kernel
 *
 * An XRC target is given up by ib_close_qp().
 *
 * Context: Process context.
 * Return: the queue pair, in state RESET, or an ERR_PTR().
 */
struct ib_qp *ib_create_qp(struct ib_pd *pd, struct ib_qp_init_attr *attr,
			   struct ib_udata *udata)
{
	struct ib_device *device = pd ? pd->obj.device :
					attr->xrcd->obj.device;
	struct ib_qp *qp;
	int ret;

	ret = check_new(device, attr, udata);
	if (ret)
		return ERR_PTR(ret);
	qp = ib_object_alloc(device, IB_OBJ_QP, device->ops->size_qp);
	if (!qp)
		return ib_refuse_ptr(-ENOMEM, "no memory for a queue pair", 0,
				     0);
	init_qp(qp, pd, attr);
	/* what several files share is no file's */
	ret = device->ops->create_qp(qp, attr, qp->xrcd ? NULL : udata);
	if (ret) {
		mutex_destroy(&qp->lock);
		ib_object_free(&qp->obj);
		return ERR_PTR(ret);
	}
	refer(qp);
	ib_object_add(&qp->obj);
	if (qp->xrcd)
		ib_qp_share(qp, attr->opener);
	return qp;
}
EXPORT_SYMBOL_IB(ib_create_qp);

/*
 * INIT has fixed the port; from then on a path leads out of it. Only a
 * drained queue may move, and then its port follows the path.
 */
static int check_path(struct ib_qp *qp, struct ib_qp_attr *attr, int *mask,
		      enum ib_qp_state next)
{
	u8 port = attr->ah_attr.port_num;
	int ret;

	ret = ib_check_ah_attr(qp->obj.device, &attr->ah_attr);
	if (ret)
		return ret;
	if ((*mask & IB_QP_STATE) && next == IB_QPS_RTR) {
		if (port == qp->port)
			return 0;
		return ib_refuse(IB_LAYER_CORE, -EINVAL,
				 "a path from port %llu for a queue pair on port %llu",
				 port, qp->port);
	}
	if ((*mask & IB_QP_PORT) && port != attr->port_num)
		return ib_refuse(IB_LAYER_CORE, -EINVAL,
				 "a path from port %llu, but port %llu is asked for",
				 port, attr->port_num);
	*mask |= IB_QP_PORT;
	attr->port_num = port;
	return 0;
}

static int check_alt_path(struct ib_qp *qp, const struct ib_qp_attr *attr)
{
	int ret;

	ret = ib_port_check(qp->obj.device, attr->alt_port_num);
	if (ret)
		return ret;
	ret = ib_check_ah_attr(qp->obj.device, &attr->alt_ah_attr);
	if (ret)
		return ret;
	if (attr->alt_port_num != attr->alt_ah_attr.port_num)
		return ib_refuse(IB_LAYER_CORE, -EINVAL,
				 "an alternate path from port %llu, but port %llu is asked for",
				 attr->alt_ah_attr.port_num,
				 attr->alt_port_num);
	return 0;
}

/* Values that only need the device's limits to be judged */
static int check_values(struct ib_qp *qp, const struct ib_qp_attr *attr,
			int mask)
{
	struct ib_device *device = qp->obj.device;
	const struct ib_device_attr *dev = &device->attr;
	u8 port = mask & IB_QP_PORT ? attr->port_num : qp->port;
	struct ib_port *p = ib_port_of(device, port);

	if ((mask & IB_QP_PKEY_INDEX) && p && attr->pkey_index >= p->pkey_len)
		return ib_refuse(IB_LAYER_CORE, -EINVAL,
				 "P_Key index %llu of %llu", attr->pkey_index,
				 p->pkey_len);
	if ((mask & IB_QP_PATH_MTU) && (attr->path_mtu < IB_MTU_256 ||
					attr->path_mtu > IB_MTU_4096))
		return ib_refuse(IB_LAYER_CORE, -EINVAL,
				 "path MTU code %llu is not 1 to 5",
				 attr->path_mtu, 0);
	if ((mask & IB_QP_MAX_QP_RD_ATOMIC) &&
	    attr->max_rd_atomic > dev->max_qp_init_rd_atom)
		return ib_refuse(IB_LAYER_CORE, -EINVAL,
				 "%llu reads in flight, the device has %llu",
				 attr->max_rd_atomic,
				 dev->max_qp_init_rd_atom);
	if ((mask & IB_QP_MAX_DEST_RD_ATOMIC) &&
	    attr->max_dest_rd_atomic > dev->max_qp_rd_atom)
		return ib_refuse(IB_LAYER_CORE, -EINVAL,
				 "%llu reads answered at once, the device has %llu",
				 attr->max_dest_rd_atomic,
				 dev->max_qp_rd_atom);
	return 0;
}

static int check_modify(struct ib_qp *qp, struct ib_qp_attr *attr, int *mask,
			enum ib_qp_state cur, enum ib_qp_state next, bool user)
{
	int ret = 0;

	if (*mask & IB_QP_PORT)
		ret = ib_port_check(qp->obj.device, attr->port_num);
	if (!ret && (*mask & IB_QP_AV))
		ret = check_path(qp, attr, mask, next);
	if (!ret && (*mask & IB_QP_ALT_PATH))
		ret = check_alt_path(qp, attr);
	if (ret)
		return ret;
	if (cur >= IB_QPS_COUNT || next >= IB_QPS_COUNT)
		return ib_refuse(IB_LAYER_CORE, -EINVAL,
				 "from state %llu to state %llu: no such state",
				 cur, next);
	if (user && (*mask & IB_QP_QKEY) &&
	    !ib_may_use_qkey(qp->obj.device, attr->qkey))
		return ib_refuse(IB_LAYER_CORE, -EPERM,
				 "Q_Key 0x%llx needs CAP_NET_RAW", attr->qkey,
				 0);
	if (!ib_modify_qp_is_ok(cur, next, qp->qp_type, *mask))
		return ib_refuse(IB_LAYER_CORE, -EINVAL,
				 "state %llu with attribute mask 0x%llx is no legal step",
				 cur << 4 | next, *mask);
	return check_values(qp, attr, *mask);
}

static int modify_locked(struct ib_qp *qp, struct ib_qp_attr *attr, int mask,
			 struct ib_udata *udata)
{
	enum ib_qp_state cur, next;
	int ret;

	lockdep_assert_held(&qp->lock);
	cur = mask & IB_QP_CUR_STATE ? attr->cur_qp_state : qp->state;
	next = mask & IB_QP_STATE ? attr->qp_state : cur;
	ret = check_modify(qp, attr, &mask, cur, next, udata);
	if (ret)
		return ret;
	if (cur == IB_QPS_RESET && next == IB_QPS_RESET)
		return 0;

	attr->rq_psn &= PSN_MASK;
	attr->sq_psn &= PSN_MASK;
	ret = qp->obj.device->ops->modify_qp(qp, attr, mask, cur, next, udata);
	if (ret)
		return ret;
	qp->state = next;
	if (mask & IB_QP_PORT)
		qp->port = attr->port_num;
	if (mask & IB_QP_SQ_PSN)
		qp->sq_psn = attr->sq_psn;
	return 0;
}

/**
 * ib_modify_qp() - change attributes of a queue pair, most often its state
 * @qp: the queue pair
 * @attr: new values; numbers that wrap are cut to their width
 * @mask: enum ib_qp_attr_mask: which of them count
 * @udata: of the user's call, NULL for the kernel
 *
 * Context: Process context. Takes and releases qp->lock.
 * Return: 0, or a negative errno and the queue pair is as before.
 */
int ib_modify_qp(struct ib_qp *qp, struct ib_qp_attr *attr, int mask,
		 struct ib_udata *udata)
{
	struct ib_device *device = qp->obj.device;
	int ret;

	ret = ib_object_check(device, device->ops->modify_qp,
			      "the device cannot modify a queue pair");
	if (ret)
		return ret;
	mutex_lock(&qp->lock);
	ret = modify_locked(qp, attr, mask, udata);
	mutex_unlock(&qp->lock);
	return ret;
}
EXPORT_SYMBOL_IB(ib_modify_qp);

static int __query_qp(struct ib_qp *qp, struct ib_qp_attr *attr, int mask,
		      struct ib_qp_init_attr *init)
{
	struct ib_device *device = qp->obj.device;
	int ret;

	lockdep_assert_held(&qp->lock);
	ret = ib_object_check(device, device->ops->query_qp,
			      "the device cannot query a queue pair");
	if (!ret)
		ret = device->ops->query_qp(qp, attr, mask, init);
	if (ret)
		return ret;
	qp->state = attr->qp_state;
	if (mask & IB_QP_SQ_PSN)
		qp->sq_psn = attr->sq_psn;
	return 0;
}

/**
 * ib_query_qp() - ask the adapter for the attributes of a queue pair
 * @qp: the queue pair
 * @attr: filled in, at least what @mask says
 * @mask: enum ib_qp_attr_mask
 * @init: filled in with what the queue pair was made with
 *
 * Context: Process context. Takes and releases qp->lock.
 * Return: 0 or a negative errno.
 */
int ib_query_qp(struct ib_qp *qp, struct ib_qp_attr *attr, int mask,
		struct ib_qp_init_attr *init)
{
	int ret;

	mutex_lock(&qp->lock);
	ret = __query_qp(qp, attr, mask, init);
	mutex_unlock(&qp->lock);
	return ret;
}
EXPORT_SYMBOL_IB(ib_query_qp);

/*
 * For readers of lists: who modifies the queue pair may be waiting for a page
 * of user memory as long as the user likes, and all lists would wait with him.
 * Returns what ib_query_qp() does, or -EBUSY.
 */
int ib_peek_qp(struct ib_qp *qp, struct ib_qp_attr *attr, int mask,
	       struct ib_qp_init_attr *init)
{
	int ret;

	if (!mutex_trylock(&qp->lock))
		return ib_refuse(IB_LAYER_CORE, -EBUSY,
				 "queue pair %llu is being changed",
				 qp->qp_num, 0);
	ret = __query_qp(qp, attr, mask, init);
	mutex_unlock(&qp->lock);
	return ret;
}

/**
 * ib_destroy_qp() - destroy a queue pair
 * @qp: the queue pair; on success its event handler has run for the last time
 * @udata: of the user's call, or NULL
 *
 * Context: Process context. Takes and releases qp->lock.
 * Return: 0, or a negative errno and the queue pair lives on.
 */
int ib_destroy_qp(struct ib_qp *qp, struct ib_udata *udata)
{
	int ret;

	ret = ib_object_begin_destroy(&qp->obj);
	if (ret)
		return ret;
	mutex_lock(&qp->lock);
	ret = qp->obj.device->ops->destroy_qp(qp, udata);
	mutex_unlock(&qp->lock);
	ret = ib_object_end_destroy(&qp->obj, ret);
	if (ret)
		return ret;

	unrefer(qp);
	mutex_destroy(&qp->lock);
	ib_object_free(&qp->obj);
	return 0;
}
EXPORT_SYMBOL_IB(ib_destroy_qp);

/**
 * ib_post_send() - queue work on a queue pair whose rings the kernel has
 * @qp: the queue pair
 * @wr: list of work requests
 * @bad_wr: on failure, the first one that was not queued
 *
 * Context: Any context.
 * Return: 0 or a negative errno.
 */
int ib_post_send(struct ib_qp *qp, const struct ib_send_wr *wr,
		 const struct ib_send_wr **bad_wr)
{
	const struct ib_device_ops *ops = qp->obj.device->ops;

	if (!ops->post_send)
		return ib_refuse(IB_LAYER_CORE, -EOPNOTSUPP,
				 "the kernel cannot post to this device", 0,
				 0);
	return ops->post_send(qp, wr, bad_wr);
}
EXPORT_SYMBOL_IB(ib_post_send);

/**
 * ib_post_recv() - queue receives on one whose rings the kernel has
 * @qp: the queue pair
 * @wr: list of receives
 * @bad_wr: on failure, the first one that was not queued
 *
 * Context: Any context.
 * Return: 0 or a negative errno.
 */
int ib_post_recv(struct ib_qp *qp, const struct ib_recv_wr *wr,
		 const struct ib_recv_wr **bad_wr)
{
	const struct ib_device_ops *ops = qp->obj.device->ops;

	if (!ops->post_recv)
		return ib_refuse(IB_LAYER_CORE, -EOPNOTSUPP,
				 "the kernel cannot post to this device", 0,
				 0);
	return ops->post_recv(qp, wr, bad_wr);
}
EXPORT_SYMBOL_IB(ib_post_recv);
