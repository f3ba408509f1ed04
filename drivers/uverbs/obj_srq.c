// SPDX-License-Identifier: GPL-2.0-only
/* Shared receive queues in the user ABI: the basic kind. */
#include <ib/ops.h>
#include <ib/srq.h>
#include "bundle.h"
#include "event_fd.h"
#include "obj_table.h"
#include "uverbs_priv.h"
#include "write.h"

static struct uverbs_event_uobj *to_ev(struct ib_uobject *uobj)
{
	return container_of(uobj, struct uverbs_event_uobj, uobj);
}

static int srq_destroy(struct ib_uobject *uobj, enum ib_remove_reason why,
		       struct uverbs_bundle *b)
{
	int ret = ib_destroy_srq(uobj->object, uverbs_udata(b));

	if (!ret)
		uverbs_event_uobj_drop(to_ev(uobj));
	return ret;
}

/* What both ABIs call; @attr comes back with what was made. */
static int make_srq(struct uverbs_bundle *b, struct ib_uobject *uobj,
		    struct ib_pd *pd, struct ib_srq_init_attr *attr,
		    u64 user_handle, struct ib_uobject *async)
{
	struct uverbs_event_uobj *ev = to_ev(uobj);
	struct ib_srq *srq;

	uobj->user_handle = user_handle;
	uverbs_event_uobj_init(b, ev, async);
	attr->event_handler = uverbs_object_event;
	attr->context = ev;
	srq = ib_create_srq(pd, attr, uverbs_udata(b));
	if (IS_ERR(srq)) {
		uverbs_event_uobj_drop(ev);
		return PTR_ERR(srq);
	}
	uverbs_bind(uobj, &srq->obj);
	return 0;
}

/* Kinds that need objects this device does not have */
static int refuse_type(struct uverbs_bundle *b, u64 type)
{
	if (type == IB_UVERBS_SRQT_BASIC)
		return 0;
	if (type == IB_UVERBS_SRQT_XRC || type == IB_UVERBS_SRQT_TM)
		return ib_refuse(IB_LAYER_UVERBS, -EOPNOTSUPP,
				 "SRQ type %llu is not supported", type, 0);
	return ib_refuse(IB_LAYER_UVERBS, -EINVAL, "no SRQ type %llu", type,
			 0);
}

static int srq_create(struct uverbs_bundle *b)
{
	struct ib_uobject *uobj =
		uverbs_attr_uobject(b, UVERBS_ATTR_CREATE_SRQ_HANDLE);
	struct ib_pd *pd = uverbs_attr_object(b,
					      UVERBS_ATTR_CREATE_SRQ_PD_HANDLE);
	struct ib_srq_init_attr init = {};
	struct ib_srq_attr *attr = &init.attr;
	u64 user_handle, type;
	int ret;

	ret = uverbs_attr_copy_in(b, UVERBS_ATTR_CREATE_SRQ_MAX_SGE,
				  &attr->max_sge, sizeof(attr->max_sge));
	if (!ret)
		ret = uverbs_attr_copy_in(b, UVERBS_ATTR_CREATE_SRQ_MAX_WR,
					  &attr->max_wr, sizeof(attr->max_wr));
	if (!ret)
		ret = uverbs_attr_copy_in(b, UVERBS_ATTR_CREATE_SRQ_LIMIT,
					  &attr->srq_limit,
					  sizeof(attr->srq_limit));
	if (!ret)
		ret = uverbs_attr_u64(b, UVERBS_ATTR_CREATE_SRQ_USER_HANDLE,
				      &user_handle);
	if (!ret)
		ret = uverbs_attr_u64(b, UVERBS_ATTR_CREATE_SRQ_TYPE, &type);
	if (!ret)
		ret = refuse_type(b, type);
	if (ret)
		return ret;

	init.type = type;
	ret = make_srq(b, uobj, pd, &init, user_handle,
		       uverbs_attr_uobject(b, UVERBS_ATTR_CREATE_SRQ_EVENT_FD));
	if (ret)
		return ret;
	ret = uverbs_attr_copy_out(b, UVERBS_ATTR_CREATE_SRQ_RESP_MAX_WR,
				   &attr->max_wr, sizeof(attr->max_wr));
	if (ret)
		return ret;
	return uverbs_attr_copy_out(b, UVERBS_ATTR_CREATE_SRQ_RESP_MAX_SGE,
				    &attr->max_sge, sizeof(attr->max_sge));
}

static int write_create(struct uverbs_bundle *b,
			const struct ib_uverbs_create_xsrq *cmd)
{
	struct ib_srq_init_attr init = {
		.type = cmd->srq_type,
		.attr = {
			.max_wr = cmd->max_wr,
			.max_sge = cmd->max_sge,
			.srq_limit = cmd->srq_limit,
		},
	};
	struct ib_uverbs_create_srq_resp resp = {};
	struct ib_uobject *uobj;
	struct ib_pd *pd;
	int ret;

	uobj = uverbs_new(b, UVERBS_OBJECT_SRQ);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	if (cmd->srq_type != IB_UVERBS_SRQT_BASIC)
		return ib_refuse(IB_LAYER_UVERBS, -EOPNOTSUPP,
				 "SRQ type %llu is not supported",
				 cmd->srq_type, 0);
	pd = uverbs_get_object(b, UVERBS_OBJECT_PD, cmd->pd_handle);
	if (IS_ERR(pd))
		return PTR_ERR(pd);
	ret = make_srq(b, uobj, pd, &init, cmd->user_handle, NULL);
	if (ret)
		return ret;

	resp.srq_handle = uobj->id;
	resp.max_wr = init.attr.max_wr;
	resp.max_sge = init.attr.max_sge;
	return uverbs_respond(b, &resp, sizeof(resp));
}

int uverbs_write_create_srq(struct uverbs_bundle *b)
{
	struct ib_uverbs_create_xsrq x = { .srq_type = IB_UVERBS_SRQT_BASIC };
	struct ib_uverbs_create_srq cmd;
	int ret;

	ret = uverbs_request(b, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	x.user_handle = cmd.user_handle;
	x.pd_handle = cmd.pd_handle;
	x.max_wr = cmd.max_wr;
	x.max_sge = cmd.max_sge;
	x.srq_limit = cmd.srq_limit;
	return write_create(b, &x);
}

int uverbs_write_create_xsrq(struct uverbs_bundle *b)
{
	struct ib_uverbs_create_xsrq cmd;
	int ret;

	ret = uverbs_request(b, &cmd, sizeof(cmd));
	return ret ?: write_create(b, &cmd);
}

int uverbs_write_modify_srq(struct uverbs_bundle *b)
{
	struct ib_uverbs_modify_srq cmd;
	struct ib_srq_attr attr = {};
	struct ib_srq *srq;
	int ret;

	ret = uverbs_request(b, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	srq = uverbs_get_object(b, UVERBS_OBJECT_SRQ, cmd.srq_handle);
	if (IS_ERR(srq))
		return PTR_ERR(srq);
	attr.max_wr = cmd.max_wr;
	attr.srq_limit = cmd.srq_limit;
	return ib_modify_srq(srq, &attr, cmd.attr_mask, uverbs_udata(b));
}

int uverbs_write_query_srq(struct uverbs_bundle *b)
{
	struct ib_uverbs_query_srq_resp resp = {};
	struct ib_uverbs_query_srq cmd;
	struct ib_srq_attr attr = {};
	struct ib_srq *srq;
	int ret;

	ret = uverbs_request(b, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	srq = uverbs_get_object(b, UVERBS_OBJECT_SRQ, cmd.srq_handle);
	if (IS_ERR(srq))
		return PTR_ERR(srq);
	ret = ib_query_srq(srq, &attr);
	if (ret)
		return ret;
	resp.max_wr = attr.max_wr;
	resp.max_sge = attr.max_sge;
	resp.srq_limit = attr.srq_limit;
	return uverbs_respond(b, &resp, sizeof(resp));
}

int uverbs_write_destroy_srq(struct uverbs_bundle *b)
{
	struct ib_uverbs_destroy_srq_resp resp = {};
	struct ib_uverbs_destroy_srq cmd;
	struct ib_uobject *uobj;
	int ret;

	ret = uverbs_request(b, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	uobj = uverbs_destroy_handle(b, UVERBS_OBJECT_SRQ, cmd.srq_handle);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	resp.events_reported = to_ev(uobj)->reported;
	return uverbs_respond(b, &resp, sizeof(resp));
}

static int srq_destroyed(struct uverbs_bundle *b)
{
	struct ib_uobject *uobj =
		uverbs_attr_uobject(b, UVERBS_ATTR_DESTROY_SRQ_HANDLE);
	struct ib_uverbs_destroy_srq_resp resp = {
		.events_reported = to_ev(uobj)->reported,
	};

	return uverbs_attr_copy_out(b, UVERBS_ATTR_DESTROY_SRQ_RESP, &resp,
				    sizeof(resp));
}

static const struct uverbs_attr_def create_attrs[] = {
	UVERBS_ATTR_HANDLE(UVERBS_ATTR_CREATE_SRQ_HANDLE, UVERBS_KIND_IDR,
			   UVERBS_OBJECT_SRQ, UVERBS_ACC_NEW,
			   UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_HANDLE(UVERBS_ATTR_CREATE_SRQ_PD_HANDLE, UVERBS_KIND_IDR,
			   UVERBS_OBJECT_PD, UVERBS_ACC_READ,
			   UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_HANDLE(UVERBS_ATTR_CREATE_SRQ_XRCD_HANDLE, UVERBS_KIND_IDR,
			   UVERBS_OBJECT_XRCD, UVERBS_ACC_READ, 0),
	UVERBS_ATTR_HANDLE(UVERBS_ATTR_CREATE_SRQ_CQ_HANDLE, UVERBS_KIND_IDR,
			   UVERBS_OBJECT_CQ, UVERBS_ACC_READ, 0),
	UVERBS_ATTR_IN(UVERBS_ATTR_CREATE_SRQ_USER_HANDLE, sizeof(u64),
		       UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_IN(UVERBS_ATTR_CREATE_SRQ_MAX_WR, sizeof(u32),
		       UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_IN(UVERBS_ATTR_CREATE_SRQ_MAX_SGE, sizeof(u32),
		       UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_IN(UVERBS_ATTR_CREATE_SRQ_LIMIT, sizeof(u32),
		       UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_IN(UVERBS_ATTR_CREATE_SRQ_MAX_NUM_TAGS, sizeof(u32), 0),
	UVERBS_ATTR_IN(UVERBS_ATTR_CREATE_SRQ_TYPE, sizeof(u64),
		       UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_HANDLE(UVERBS_ATTR_CREATE_SRQ_EVENT_FD, UVERBS_KIND_FD,
			   UVERBS_OBJECT_ASYNC_EVENT, UVERBS_ACC_READ, 0),
	UVERBS_ATTR_OUT(UVERBS_ATTR_CREATE_SRQ_RESP_MAX_WR, sizeof(u32),
			UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_OUT(UVERBS_ATTR_CREATE_SRQ_RESP_MAX_SGE, sizeof(u32),
			UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_OUT(UVERBS_ATTR_CREATE_SRQ_RESP_SRQ_NUM, sizeof(u32), 0),
};

static const struct uverbs_attr_def destroy_attrs[] = {
	UVERBS_ATTR_HANDLE(UVERBS_ATTR_DESTROY_SRQ_HANDLE, UVERBS_KIND_IDR,
			   UVERBS_OBJECT_SRQ, UVERBS_ACC_DESTROY,
			   UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_OUT(UVERBS_ATTR_DESTROY_SRQ_RESP,
			sizeof(struct ib_uverbs_destroy_srq_resp),
			UVERBS_ATTR_REQUIRED),
};

static const struct uverbs_method_def methods[] = {
	{ .id = UVERBS_METHOD_SRQ_CREATE, .handler = srq_create,
	  .needs = offsetof(struct ib_device_ops, create_srq),
	  .has_udata = true,
	  .attrs = create_attrs, .num_attrs = ARRAY_SIZE(create_attrs) },
	{ .id = UVERBS_METHOD_SRQ_DESTROY, .handler = srq_destroyed,
	  .attrs = destroy_attrs, .num_attrs = ARRAY_SIZE(destroy_attrs) },
};

static const struct uverbs_obj_type srq_type = {
	.size = sizeof(struct uverbs_event_uobj),
	.destroy = srq_destroy,
};

const struct uverbs_object_def uverbs_object_srq = {
	.id = UVERBS_OBJECT_SRQ,
	.type = &srq_type,
	.needs = offsetof(struct ib_device_ops, destroy_srq),
	.methods = methods,
	.num_methods = ARRAY_SIZE(methods),
};
