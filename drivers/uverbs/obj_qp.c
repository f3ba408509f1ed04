// SPDX-License-Identifier: GPL-2.0-only
/* Queue pairs in the user ABI: native methods. */
#include <ib/ops.h>
#include <ib/qp.h>
#include <ib/srq.h>
#include "bundle.h"
#include "event_fd.h"
#include "obj_qp.h"
#include "obj_table.h"
#include "obj_xrcd.h"
#include "uverbs_priv.h"

static int qp_destroy(struct ib_uobject *uobj, enum ib_remove_reason why,
		      struct uverbs_bundle *b)
{
	struct uverbs_qp *uqp = to_uverbs_qp(uobj);
	int ret;

	if (why == IB_REMOVE_DESTROY) {
		ret = uverbs_mcast_busy(uqp);
		if (ret)
			return ret;
	} else {
		uverbs_mcast_detach_all(uqp);
	}
	if (uqp->xrcd)
		ret = ib_close_qp(uobj->object, &uqp->opener);
	else
		ret = ib_destroy_qp(uobj->object, uverbs_udata(b));
	if (ret)
		return ret;
	if (uqp->xrcd)
		atomic_dec(&uqp->xrcd->users);
	uverbs_event_uobj_drop(&uqp->ev);
	return 0;
}

/**
 * uverbs_check_qp_type() - may the caller make such a QP at all?
 * @b: the call
 * @type: from user space
 *
 * Context: Process context.
 * Return: 0; -EPERM without the right to send raw packets, -EINVAL.
 */
int uverbs_check_qp_type(const struct uverbs_bundle *b, u64 type)
{
	switch (type) {
	case IB_UVERBS_QPT_RAW_PACKET:
		if (!ib_may_send_raw(b->device))
			return uverbs_refuse(-EPERM,
					     "raw packets need CAP_NET_RAW");
		return 0;
	case IB_UVERBS_QPT_RC:
	case IB_UVERBS_QPT_UC:
	case IB_UVERBS_QPT_UD:
	case IB_UVERBS_QPT_XRC_INI:
	case IB_UVERBS_QPT_XRC_TGT:
	case IB_UVERBS_QPT_DRIVER:
		return 0;
	}
	return ib_refuse(IB_LAYER_UVERBS, -EINVAL, "no QP type %llu", type, 0);
}

/**
 * uverbs_qp_opener() - a handle will share an XRC target
 * @uobj: reserved handle of the queue pair
 * @xrcd: handle of the domain
 *
 * Context: Any context.
 * Return: what the core knows the handle by.
 */
struct ib_qp_opener *uverbs_qp_opener(struct ib_uobject *uobj,
				      struct ib_uobject *xrcd)
{
	struct uverbs_qp *uqp = to_uverbs_qp(uobj);

	uqp->xrcd = to_uverbs_xrcd(xrcd);
	uqp->opener.event_handler = uverbs_object_event;
	uqp->opener.context = &uqp->ev;
	return &uqp->opener;
}

/**
 * uverbs_qp_opened() - the handle has its share
 * @uobj: handle that uverbs_qp_opener() was called for
 * @qp: the queue pair, which is of no single handle
 *
 * Context: Any context.
 */
void uverbs_qp_opened(struct ib_uobject *uobj, struct ib_qp *qp)
{
	atomic_inc(&to_uverbs_qp(uobj)->xrcd->users);
	uobj->object = qp;
}

/**
 * uverbs_qp_init() - fill a reserved handle
 * @b: the call
 * @uqp: the handle
 * @user_handle: opaque to us, in events
 * @async: handle of an async event file, or NULL
 *
 * Context: May sleep.
 */
void uverbs_qp_init(struct uverbs_bundle *b, struct uverbs_qp *uqp,
		    u64 user_handle, struct ib_uobject *async)
{
	uqp->ev.uobj.user_handle = user_handle;
	mutex_init(&uqp->mcast_lock);
	INIT_LIST_HEAD(&uqp->mcast);
	uverbs_event_uobj_init(b, &uqp->ev, async);
}

/**
 * uverbs_make_qp() - what both ABIs call
 * @b: the call
 * @uobj: reserved handle
 * @pd: protection domain
 * @attr: what user space wants; comes back with what was made
 * @user_handle: opaque to us, in events
 * @async: handle of an async event file, or NULL
 *
 * Context: May sleep.
 * Return: 0 or a negative errno.
 */
int uverbs_make_qp(struct uverbs_bundle *b, struct ib_uobject *uobj,
		   struct ib_pd *pd, struct ib_qp_init_attr *attr,
		   u64 user_handle, struct ib_uobject *async)
{
	struct uverbs_qp *uqp = to_uverbs_qp(uobj);
	struct uverbs_event_uobj *ev = &uqp->ev;
	struct ib_qp *qp;

	uverbs_qp_init(b, uqp, user_handle, async);
	attr->event_handler = uverbs_object_event;
	attr->context = ev;
	qp = ib_create_qp(pd, attr, uverbs_udata(b));
	if (IS_ERR(qp)) {
		uverbs_event_uobj_drop(ev);
		return PTR_ERR(qp);
	}
	if (uqp->xrcd)
		uverbs_qp_opened(uobj, qp);
	else
		uverbs_bind(uobj, &qp->obj);
	return 0;
}

static int refuse_handle(u16 attr, int err)
{
	return uverbs_refuse_attr(attr, err, err == -ENOENT ?
				  "handle is missing for this QP type" :
				  "handle makes no sense for this QP type",
				  0, 0);
}

/* An XRC target has a domain and nothing else. */
static int get_target(struct uverbs_bundle *b, struct ib_uobject *uobj,
		      struct ib_qp_init_attr *attr)
{
	static const u16 others[] = {
		UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE,
		UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE,
		UVERBS_ATTR_CREATE_QP_PD_HANDLE,
		UVERBS_ATTR_CREATE_QP_IND_TABLE_HANDLE,
	};
	struct ib_uobject *xrcd;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(others); i++)
		if (uverbs_attr_present(b, others[i]))
			return refuse_handle(others[i], -EINVAL);
	xrcd = uverbs_attr_uobject(b, UVERBS_ATTR_CREATE_QP_XRCD_HANDLE);
	if (!xrcd)
		return refuse_handle(UVERBS_ATTR_CREATE_QP_XRCD_HANDLE,
				     -ENOENT);
	attr->xrcd = xrcd->object;
	attr->opener = uverbs_qp_opener(uobj, xrcd);
	return 0;
}

/* XRC receive queues belong to XRC targets, and only those. */
static int get_srq(struct uverbs_bundle *b, struct ib_qp_init_attr *attr)
{
	struct ib_srq *srq =
		uverbs_attr_object(b, UVERBS_ATTR_CREATE_QP_SRQ_HANDLE);
	bool target = attr->qp_type == IB_QPT_XRC_TGT;
	bool xrc = srq && srq->type == IB_UVERBS_SRQT_XRC;

	if (srq && target != xrc)
		return refuse_handle(UVERBS_ATTR_CREATE_QP_SRQ_HANDLE,
				     -EINVAL);
	attr->srq = srq;
	return 0;
}

/* What comes in goes to the table's work queues; it may also not send. */
static int get_table(struct uverbs_bundle *b, struct ib_qp_init_attr *attr)
{
	if (uverbs_attr_present(b, UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE) ||
	    uverbs_attr_present(b, UVERBS_ATTR_CREATE_QP_SRQ_HANDLE) ||
	    attr->cap.max_recv_wr || attr->cap.max_recv_sge)
		return uverbs_refuse_attr(UVERBS_ATTR_CREATE_QP_IND_TABLE_HANDLE,
					  -EINVAL,
					  "receives of its own beside an indirection table",
					  0, 0);
	if (!attr->cap.max_send_wr)
		return 0;
	attr->send_cq = uverbs_attr_object(b,
					   UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE);
	if (!attr->send_cq)
		return refuse_handle(UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE,
				     -ENOENT);
	return 0;
}

/* Which handles a type must have, and which it must not */
static int get_handles(struct uverbs_bundle *b, struct ib_uobject *uobj,
		       struct ib_pd **pd, struct ib_qp_init_attr *attr)
{
	*pd = NULL;
	if (attr->qp_type == IB_QPT_XRC_TGT)
		return get_target(b, uobj, attr);
	if (uverbs_attr_present(b, UVERBS_ATTR_CREATE_QP_XRCD_HANDLE))
		return refuse_handle(UVERBS_ATTR_CREATE_QP_XRCD_HANDLE,
				     -EINVAL);
	if (attr->qp_type == IB_QPT_XRC_INI &&
	    uverbs_attr_present(b, UVERBS_ATTR_CREATE_QP_SRQ_HANDLE))
		return refuse_handle(UVERBS_ATTR_CREATE_QP_SRQ_HANDLE,
				     -EINVAL);

	*pd = uverbs_attr_object(b, UVERBS_ATTR_CREATE_QP_PD_HANDLE);
	if (!*pd)
		return refuse_handle(UVERBS_ATTR_CREATE_QP_PD_HANDLE, -ENOENT);
	attr->rwq_ind_tbl =
		uverbs_attr_object(b, UVERBS_ATTR_CREATE_QP_IND_TABLE_HANDLE);
	if (attr->rwq_ind_tbl)
		return get_table(b, attr);
	attr->send_cq = uverbs_attr_object(b,
					   UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE);
	if (!attr->send_cq)
		return refuse_handle(UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE,
				     -ENOENT);
	if (attr->qp_type == IB_QPT_XRC_INI)
		return 0;
	attr->recv_cq = uverbs_attr_object(b,
					   UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE);
	if (!attr->recv_cq)
		return refuse_handle(UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE,
				     -ENOENT);
	return 0;
}

static int get_flags(struct uverbs_bundle *b, struct ib_qp_init_attr *attr)
{
	u32 raw_only = IB_UVERBS_QP_CREATE_SCATTER_FCS |
		IB_UVERBS_QP_CREATE_CVLAN_STRIPPING;
	u32 flags;
	int ret;

	ret = uverbs_attr_flags(b, UVERBS_ATTR_CREATE_QP_FLAGS, raw_only |
				IB_UVERBS_QP_CREATE_BLOCK_MULTICAST_LOOPBACK |
				IB_UVERBS_QP_CREATE_PCI_WRITE_END_PADDING |
				IB_UVERBS_QP_CREATE_SQ_SIG_ALL, &flags);
	if (ret)
		return ret;

	attr->sq_sig_all = flags & IB_UVERBS_QP_CREATE_SQ_SIG_ALL;
	flags &= ~IB_UVERBS_QP_CREATE_SQ_SIG_ALL;
	attr->create_flags = flags;
	if (!flags || attr->qp_type == IB_QPT_DRIVER ||
	    attr->qp_type == IB_QPT_RAW_PACKET ||
	    (attr->qp_type == IB_QPT_UD && !(flags & raw_only)))
		return 0;
	return uverbs_refuse_attr(UVERBS_ATTR_CREATE_QP_FLAGS, -EINVAL,
				  "flags 0x%llx make no sense for QP type %llu",
				  flags, attr->qp_type);
}

static int answer(struct uverbs_bundle *b, struct ib_uobject *uobj,
		  const struct ib_qp_init_attr *attr)
{
	struct ib_uverbs_qp_cap cap = {
		.max_send_wr = attr->cap.max_send_wr,
		.max_recv_wr = attr->cap.max_recv_wr,
		.max_send_sge = attr->cap.max_send_sge,
		.max_recv_sge = attr->cap.max_recv_sge,
		.max_inline_data = attr->cap.max_inline_data,
	};
	struct ib_qp *qp = uobj->object;
	int ret;

	ret = uverbs_attr_copy_out(b, UVERBS_ATTR_CREATE_QP_RESP_CAP, &cap,
				   sizeof(cap));
	if (ret)
		return ret;
	return uverbs_attr_copy_out(b, UVERBS_ATTR_CREATE_QP_RESP_QP_NUM,
				    &qp->qp_num, sizeof(qp->qp_num));
}

static int qp_create(struct uverbs_bundle *b)
{
	struct ib_uobject *uobj =
		uverbs_attr_uobject(b, UVERBS_ATTR_CREATE_QP_HANDLE);
	struct ib_qp_init_attr attr = {};
	struct ib_uverbs_qp_cap cap;
	u64 user_handle, type;
	struct ib_pd *pd;
	int ret;

	ret = uverbs_attr_copy_in(b, UVERBS_ATTR_CREATE_QP_CAP, &cap,
				  sizeof(cap));
	if (!ret)
		ret = uverbs_attr_u64(b, UVERBS_ATTR_CREATE_QP_USER_HANDLE,
				      &user_handle);
	if (!ret)
		ret = uverbs_attr_u64(b, UVERBS_ATTR_CREATE_QP_TYPE, &type);
	if (!ret)
		ret = uverbs_check_qp_type(b, type);
	if (ret)
		return ret;

	attr.qp_type = type;
	attr.cap.max_send_wr = cap.max_send_wr;
	attr.cap.max_recv_wr = cap.max_recv_wr;
	attr.cap.max_send_sge = cap.max_send_sge;
	attr.cap.max_recv_sge = cap.max_recv_sge;
	attr.cap.max_inline_data = cap.max_inline_data;
	ret = get_handles(b, uobj, &pd, &attr);
	if (!ret)
		ret = get_flags(b, &attr);
	if (!ret)
		ret = get_srq(b, &attr);
	if (ret)
		return ret;
	if (uverbs_attr_present(b, UVERBS_ATTR_CREATE_QP_SOURCE_QPN))
		return uverbs_refuse_attr(UVERBS_ATTR_CREATE_QP_SOURCE_QPN,
					  -EOPNOTSUPP,
					  "source QP number is not supported",
					  0, 0);
	ret = uverbs_make_qp(b, uobj, pd, &attr, user_handle,
			     uverbs_attr_uobject(b,
						 UVERBS_ATTR_CREATE_QP_EVENT_FD));
	return ret ?: answer(b, uobj, &attr);
}

static int qp_destroyed(struct uverbs_bundle *b)
{
	struct ib_uobject *uobj =
		uverbs_attr_uobject(b, UVERBS_ATTR_DESTROY_QP_HANDLE);
	struct ib_uverbs_destroy_qp_resp resp = {
		.events_reported = to_uverbs_qp(uobj)->ev.reported,
	};

	return uverbs_attr_copy_out(b, UVERBS_ATTR_DESTROY_QP_RESP, &resp,
				    sizeof(resp));
}

static const struct uverbs_attr_def create_attrs[] = {
	UVERBS_ATTR_HANDLE(UVERBS_ATTR_CREATE_QP_HANDLE, UVERBS_KIND_IDR,
			   UVERBS_OBJECT_QP, UVERBS_ACC_NEW,
			   UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_HANDLE(UVERBS_ATTR_CREATE_QP_XRCD_HANDLE, UVERBS_KIND_IDR,
			   UVERBS_OBJECT_XRCD, UVERBS_ACC_READ, 0),
	UVERBS_ATTR_HANDLE(UVERBS_ATTR_CREATE_QP_PD_HANDLE, UVERBS_KIND_IDR,
			   UVERBS_OBJECT_PD, UVERBS_ACC_READ, 0),
	UVERBS_ATTR_HANDLE(UVERBS_ATTR_CREATE_QP_SRQ_HANDLE, UVERBS_KIND_IDR,
			   UVERBS_OBJECT_SRQ, UVERBS_ACC_READ, 0),
	UVERBS_ATTR_HANDLE(UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE,
			   UVERBS_KIND_IDR, UVERBS_OBJECT_CQ, UVERBS_ACC_READ,
			   0),
	UVERBS_ATTR_HANDLE(UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE,
			   UVERBS_KIND_IDR, UVERBS_OBJECT_CQ, UVERBS_ACC_READ,
			   0),
	UVERBS_ATTR_HANDLE(UVERBS_ATTR_CREATE_QP_IND_TABLE_HANDLE,
			   UVERBS_KIND_IDR, UVERBS_OBJECT_RWQ_IND_TBL,
			   UVERBS_ACC_READ, 0),
	UVERBS_ATTR_IN(UVERBS_ATTR_CREATE_QP_USER_HANDLE, sizeof(u64),
		       UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_IN(UVERBS_ATTR_CREATE_QP_CAP,
		       sizeof(struct ib_uverbs_qp_cap),
		       UVERBS_ATTR_REQUIRED | UVERBS_ATTR_ZERO_TAIL),
	UVERBS_ATTR_IN(UVERBS_ATTR_CREATE_QP_TYPE, sizeof(u64),
		       UVERBS_ATTR_REQUIRED),
	{ .id = UVERBS_ATTR_CREATE_QP_FLAGS, .kind = UVERBS_KIND_PTR_IN,
	  .min_len = sizeof(u32), .max_len = sizeof(u64) },
	UVERBS_ATTR_IN(UVERBS_ATTR_CREATE_QP_SOURCE_QPN, sizeof(u32), 0),
	UVERBS_ATTR_HANDLE(UVERBS_ATTR_CREATE_QP_EVENT_FD, UVERBS_KIND_FD,
			   UVERBS_OBJECT_ASYNC_EVENT, UVERBS_ACC_READ, 0),
	UVERBS_ATTR_OUT(UVERBS_ATTR_CREATE_QP_RESP_CAP,
			sizeof(struct ib_uverbs_qp_cap),
			UVERBS_ATTR_REQUIRED | UVERBS_ATTR_ZERO_TAIL),
	UVERBS_ATTR_OUT(UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, sizeof(u32),
			UVERBS_ATTR_REQUIRED),
};

static const struct uverbs_attr_def destroy_attrs[] = {
	UVERBS_ATTR_HANDLE(UVERBS_ATTR_DESTROY_QP_HANDLE, UVERBS_KIND_IDR,
			   UVERBS_OBJECT_QP, UVERBS_ACC_DESTROY,
			   UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_OUT(UVERBS_ATTR_DESTROY_QP_RESP,
			sizeof(struct ib_uverbs_destroy_qp_resp),
			UVERBS_ATTR_REQUIRED),
};

static const struct uverbs_method_def methods[] = {
	{ .id = UVERBS_METHOD_QP_CREATE, .handler = qp_create,
	  .has_udata = true,
	  .attrs = create_attrs, .num_attrs = ARRAY_SIZE(create_attrs) },
	{ .id = UVERBS_METHOD_QP_DESTROY, .handler = qp_destroyed,
	  .attrs = destroy_attrs, .num_attrs = ARRAY_SIZE(destroy_attrs) },
};

static const struct uverbs_obj_type qp_type = {
	.size = sizeof(struct uverbs_qp),
	.destroy = qp_destroy,
};

const struct uverbs_object_def uverbs_object_qp = {
	.id = UVERBS_OBJECT_QP,
	.type = &qp_type,
	.needs = offsetof(struct ib_device_ops, destroy_qp),
	.methods = methods,
	.num_methods = ARRAY_SIZE(methods),
};
