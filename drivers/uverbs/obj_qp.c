// SPDX-License-Identifier: GPL-2.0-only
/* Queue pairs in the user ABI: native methods. */
#include <linux/capability.h>
#include <ib/ops.h>
#include <ib/qp.h>
#include "bundle.h"
#include "event_fd.h"
#include "obj_qp.h"
#include "obj_table.h"
#include "uverbs_priv.h"

static struct uverbs_event_uobj *to_ev(struct ib_uobject *uobj)
{
	return container_of(uobj, struct uverbs_event_uobj, uobj);
}

static int qp_destroy(struct ib_uobject *uobj, enum ib_remove_reason why,
		      struct uverbs_bundle *b)
{
	int ret = ib_destroy_qp(uobj->object, uverbs_udata(b));

	if (!ret)
		uverbs_event_uobj_drop(to_ev(uobj));
	return ret;
}

/**
 * uverbs_check_qp_type() - may the caller make such a QP at all?
 * @type: from user space
 *
 * Context: Process context.
 * Return: 0; -EPERM without the right to send raw packets, -EINVAL.
 */
int uverbs_check_qp_type(u64 type)
{
	switch (type) {
	case IB_UVERBS_QPT_RAW_PACKET:
		if (!capable(CAP_NET_RAW))
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
	struct uverbs_event_uobj *ev = to_ev(uobj);
	struct ib_qp *qp;

	uobj->user_handle = user_handle;
	uverbs_event_uobj_init(b, ev, async);
	attr->event_handler = uverbs_object_event;
	attr->context = ev;
	qp = ib_create_qp(pd, attr, uverbs_udata(b));
	if (IS_ERR(qp)) {
		uverbs_event_uobj_drop(ev);
		return PTR_ERR(qp);
	}
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

/* Which handles a type must have, and which it must not */
static int get_handles(struct uverbs_bundle *b, struct ib_pd **pd,
		       struct ib_qp_init_attr *attr)
{
	if (attr->qp_type == IB_QPT_XRC_TGT)
		return refuse_handle(UVERBS_ATTR_CREATE_QP_XRCD_HANDLE,
				     -ENOENT);
	if (uverbs_attr_present(b, UVERBS_ATTR_CREATE_QP_XRCD_HANDLE))
		return refuse_handle(UVERBS_ATTR_CREATE_QP_XRCD_HANDLE,
				     -EINVAL);
	attr->srq = uverbs_attr_object(b, UVERBS_ATTR_CREATE_QP_SRQ_HANDLE);
	if (attr->srq && attr->qp_type == IB_QPT_XRC_INI)
		return refuse_handle(UVERBS_ATTR_CREATE_QP_SRQ_HANDLE,
				     -EINVAL);

	*pd = uverbs_attr_object(b, UVERBS_ATTR_CREATE_QP_PD_HANDLE);
	if (!*pd)
		return refuse_handle(UVERBS_ATTR_CREATE_QP_PD_HANDLE, -ENOENT);
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
		ret = uverbs_check_qp_type(type);
	if (ret)
		return ret;

	attr.qp_type = type;
	ret = get_handles(b, &pd, &attr);
	if (!ret)
		ret = get_flags(b, &attr);
	if (ret)
		return ret;
	if (uverbs_attr_present(b, UVERBS_ATTR_CREATE_QP_SOURCE_QPN))
		return uverbs_refuse_attr(UVERBS_ATTR_CREATE_QP_SOURCE_QPN,
					  -EOPNOTSUPP,
					  "source QP number is not supported",
					  0, 0);
	attr.cap.max_send_wr = cap.max_send_wr;
	attr.cap.max_recv_wr = cap.max_recv_wr;
	attr.cap.max_send_sge = cap.max_send_sge;
	attr.cap.max_recv_sge = cap.max_recv_sge;
	attr.cap.max_inline_data = cap.max_inline_data;
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
		.events_reported = to_ev(uobj)->reported,
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
	.size = sizeof(struct uverbs_event_uobj),
	.destroy = qp_destroy,
};

const struct uverbs_object_def uverbs_object_qp = {
	.id = UVERBS_OBJECT_QP,
	.type = &qp_type,
	.needs = offsetof(struct ib_device_ops, destroy_qp),
	.methods = methods,
	.num_methods = ARRAY_SIZE(methods),
};
