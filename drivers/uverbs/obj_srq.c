// SPDX-License-Identifier: GPL-2.0-only
/* Shared receive queues in the user ABI. */
#include <ib/ops.h>
#include <ib/srq.h>
#include "bundle.h"
#include "event_fd.h"
#include "obj_table.h"
#include "obj_xrcd.h"
#include "uverbs_priv.h"
#include "write.h"

/**
 * struct uverbs_srq - handle of a shared receive queue
 * @ev: base
 * @xrcd: XRC: the handle of the domain, which counts us
 */
struct uverbs_srq {
	struct uverbs_event_uobj	ev;
	struct uverbs_xrcd		*xrcd;
};

static struct uverbs_srq *to_srq(struct ib_uobject *uobj)
{
	return container_of(uobj, struct uverbs_srq, ev.uobj);
}

static int srq_destroy(struct ib_uobject *uobj, enum ib_remove_reason why,
		       struct uverbs_bundle *b)
{
	int ret = ib_destroy_srq(uobj->object, uverbs_udata(b));

	if (ret)
		return ret;
	if (to_srq(uobj)->xrcd)
		atomic_dec(&to_srq(uobj)->xrcd->users);
	uverbs_event_uobj_drop(&to_srq(uobj)->ev);
	return 0;
}

/* What both ABIs call; @attr comes back with what was made. */
static int make_srq(struct uverbs_bundle *b, struct ib_uobject *uobj,
		    struct ib_pd *pd, struct ib_srq_init_attr *attr,
		    u64 user_handle, struct ib_uobject *async)
{
	struct uverbs_event_uobj *ev = &to_srq(uobj)->ev;
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
	if (to_srq(uobj)->xrcd)
		atomic_inc(&to_srq(uobj)->xrcd->users);
	return 0;
}

static int refuse_absent(u16 attr)
{
	return uverbs_refuse_attr(attr, -ENOENT,
				  "missing for this type of SRQ", 0, 0);
}

/* What the types have beside the basic one */
static int get_type(struct uverbs_bundle *b, struct ib_uobject *uobj, u64 type,
		    struct ib_srq_init_attr *init)
{
	struct ib_uobject *xrcd;

	if (type > IB_UVERBS_SRQT_TM)
		return ib_refuse(IB_LAYER_UVERBS, -EINVAL, "no SRQ type %llu",
				 type, 0);
	init->type = type;
	if (ib_srq_has_cq(type)) {
		init->cq = uverbs_attr_object(b,
					      UVERBS_ATTR_CREATE_SRQ_CQ_HANDLE);
		if (!init->cq)
			return refuse_absent(UVERBS_ATTR_CREATE_SRQ_CQ_HANDLE);
	}
	if (type == IB_UVERBS_SRQT_TM)
		return uverbs_attr_copy_in(b,
					   UVERBS_ATTR_CREATE_SRQ_MAX_NUM_TAGS,
					   &init->max_num_tags,
					   sizeof(init->max_num_tags));
	if (type != IB_UVERBS_SRQT_XRC)
		return 0;
	xrcd = uverbs_attr_uobject(b, UVERBS_ATTR_CREATE_SRQ_XRCD_HANDLE);
	if (!xrcd)
		return refuse_absent(UVERBS_ATTR_CREATE_SRQ_XRCD_HANDLE);
	to_srq(uobj)->xrcd = to_uverbs_xrcd(xrcd);
	init->xrcd = xrcd->object;
	return 0;
}

static int answer(struct uverbs_bundle *b, const struct ib_srq *srq,
		  const struct ib_srq_attr *attr)
{
	int ret;

	ret = uverbs_attr_copy_out(b, UVERBS_ATTR_CREATE_SRQ_RESP_MAX_WR,
				   &attr->max_wr, sizeof(attr->max_wr));
	if (!ret)
		ret = uverbs_attr_copy_out(b,
					   UVERBS_ATTR_CREATE_SRQ_RESP_MAX_SGE,
					   &attr->max_sge,
					   sizeof(attr->max_sge));
	if (ret || srq->type != IB_UVERBS_SRQT_XRC)
		return ret;
	return uverbs_attr_copy_out(b, UVERBS_ATTR_CREATE_SRQ_RESP_SRQ_NUM,
				    &srq->srq_num, sizeof(srq->srq_num));
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
		ret = get_type(b, uobj, type, &init);
	if (ret)
		return ret;

	ret = make_srq(b, uobj, pd, &init, user_handle,
		       uverbs_attr_uobject(b, UVERBS_ATTR_CREATE_SRQ_EVENT_FD));
	return ret ?: answer(b, uobj->object, attr);
}

static int write_get_type(struct uverbs_bundle *b, struct ib_uobject *uobj,
			  const struct ib_uverbs_create_xsrq *cmd,
			  struct ib_srq_init_attr *init)
{
	struct ib_uobject *xrcd;

	init->max_num_tags = cmd->max_num_tags;
	if (cmd->srq_type == IB_UVERBS_SRQT_XRC) {
		xrcd = uverbs_get_xrcd(b, cmd->xrcd_handle);
		if (IS_ERR(xrcd))
			return PTR_ERR(xrcd);
		to_srq(uobj)->xrcd = to_uverbs_xrcd(xrcd);
		init->xrcd = xrcd->object;
	}
	if (!ib_srq_has_cq(cmd->srq_type))
		return 0;
	init->cq = uverbs_get_object(b, UVERBS_OBJECT_CQ, cmd->cq_handle);
	return PTR_ERR_OR_ZERO(init->cq);
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
	struct ib_srq *srq;
	struct ib_pd *pd;
	int ret;

	uobj = uverbs_new(b, UVERBS_OBJECT_SRQ);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	ret = write_get_type(b, uobj, cmd, &init);
	if (ret)
		return ret;
	pd = uverbs_get_object(b, UVERBS_OBJECT_PD, cmd->pd_handle);
	if (IS_ERR(pd))
		return PTR_ERR(pd);
	ret = make_srq(b, uobj, pd, &init, cmd->user_handle, NULL);
	if (ret)
		return ret;

	srq = uobj->object;
	resp.srq_handle = uobj->id;
	resp.max_wr = init.attr.max_wr;
	resp.max_sge = init.attr.max_sge;
	if (srq->type == IB_UVERBS_SRQT_XRC)
		resp.srqn = srq->srq_num;
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
	resp.events_reported = to_srq(uobj)->ev.reported;
	return uverbs_respond(b, &resp, sizeof(resp));
}

static int srq_destroyed(struct uverbs_bundle *b)
{
	struct ib_uobject *uobj =
		uverbs_attr_uobject(b, UVERBS_ATTR_DESTROY_SRQ_HANDLE);
	struct ib_uverbs_destroy_srq_resp resp = {
		.events_reported = to_srq(uobj)->ev.reported,
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
	.size = sizeof(struct uverbs_srq),
	.destroy = srq_destroy,
};

const struct uverbs_object_def uverbs_object_srq = {
	.id = UVERBS_OBJECT_SRQ,
	.type = &srq_type,
	.needs = offsetof(struct ib_device_ops, destroy_srq),
	.methods = methods,
	.num_methods = ARRAY_SIZE(methods),
};
