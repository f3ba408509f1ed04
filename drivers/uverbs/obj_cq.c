// SPDX-License-Identifier: GPL-2.0-only
/* Completion queues in the user ABI. */
#include <ib/cq.h>
#include <ib/ops.h>
#include "bundle.h"
#include "event_fd.h"
#include "obj_table.h"
#include "uverbs_priv.h"
#include "write.h"

#define CQ_FLAGS	(IB_UVERBS_CQ_FLAGS_TIMESTAMP_COMPLETION | \
			 IB_UVERBS_CQ_FLAGS_IGNORE_OVERRUN)
#define CQ_MODERATE	BIT(0)	/* the one bit of attr_mask in EX_MODIFY_CQ */

static struct uverbs_cq *to_cq(struct ib_uobject *uobj)
{
	return container_of(uobj, struct uverbs_cq, ev.uobj);
}

static void drop_events(struct uverbs_cq *ucq)
{
	uverbs_cq_drop_channel(ucq);
	uverbs_event_uobj_drop(&ucq->ev);
}

static int cq_destroy(struct ib_uobject *uobj, enum ib_remove_reason why,
		      struct uverbs_bundle *b)
{
	int ret = ib_destroy_cq(uobj->object, uverbs_udata(b));

	if (!ret)
		drop_events(to_cq(uobj));
	return ret;
}

/* What both ABIs call; @channel and @async may be NULL. */
static int make_cq(struct uverbs_bundle *b, struct ib_uobject *uobj,
		   const struct ib_cq_init_attr *attr, u64 user_handle,
		   struct ib_uobject *channel, struct ib_uobject *async)
{
	struct uverbs_cq *ucq = to_cq(uobj);
	struct ib_cq *cq;

	uobj->user_handle = user_handle;
	uverbs_cq_set_channel(ucq, channel);
	uverbs_event_uobj_init(b, &ucq->ev, async);
	cq = ib_create_cq(b->device, attr, uverbs_cq_event,
			  uverbs_object_event, ucq, uverbs_udata(b));
	if (IS_ERR(cq)) {
		drop_events(ucq);
		return PTR_ERR(cq);
	}
	uverbs_bind(uobj, &cq->obj);
	return 0;
}

static int check_vector(struct uverbs_bundle *b, u32 vector)
{
	u32 num = b->file->udev->num_comp_vectors;

	if (vector >= num)
		return ib_refuse(IB_LAYER_UVERBS, -EINVAL,
				 "completion vector %llu, device has %llu",
				 vector, num);
	return 0;
}

static int cq_create(struct uverbs_bundle *b)
{
	struct ib_uobject *uobj =
		uverbs_attr_uobject(b, UVERBS_ATTR_CREATE_CQ_HANDLE);
	struct ib_cq_init_attr attr = {};
	struct ib_cq *cq;
	u64 user_handle;
	int ret;

	ret = uverbs_attr_copy_in(b, UVERBS_ATTR_CREATE_CQ_COMP_VECTOR,
				  &attr.comp_vector, sizeof(attr.comp_vector));
	if (!ret)
		ret = uverbs_attr_copy_in(b, UVERBS_ATTR_CREATE_CQ_CQE,
					  &attr.cqe, sizeof(attr.cqe));
	if (!ret)
		ret = uverbs_attr_u64(b, UVERBS_ATTR_CREATE_CQ_USER_HANDLE,
				      &user_handle);
	if (!ret)
		ret = uverbs_attr_flags(b, UVERBS_ATTR_CREATE_CQ_FLAGS,
					CQ_FLAGS, &attr.flags);
	if (!ret)
		ret = check_vector(b, attr.comp_vector);
	if (ret)
		return ret;

	ret = make_cq(b, uobj, &attr, user_handle,
		      uverbs_attr_uobject(b, UVERBS_ATTR_CREATE_CQ_COMP_CHANNEL),
		      uverbs_attr_uobject(b, UVERBS_ATTR_CREATE_CQ_EVENT_FD));
	if (ret)
		return ret;
	cq = uobj->object;
	return uverbs_attr_copy_out(b, UVERBS_ATTR_CREATE_CQ_RESP_CQE,
				    &cq->cqe, sizeof(cq->cqe));
}

static int write_create(struct uverbs_bundle *b,
			const struct ib_uverbs_ex_create_cq *cmd)
{
	struct ib_cq_init_attr attr = {
		.cqe = cmd->cqe,
		.comp_vector = cmd->comp_vector,
		.flags = cmd->flags,
	};
	struct ib_uverbs_ex_create_cq_resp resp = {};
	struct ib_uobject *uobj, *channel = NULL;
	struct ib_cq *cq;
	int ret;

	ret = check_vector(b, cmd->comp_vector);
	if (ret)
		return ret;
	uobj = uverbs_new(b, UVERBS_OBJECT_CQ);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	if (cmd->comp_channel >= 0) {
		channel = uverbs_get(b, UVERBS_OBJECT_COMP_CHANNEL,
				     cmd->comp_channel, UVERBS_ACC_READ);
		if (IS_ERR(channel))
			return PTR_ERR(channel);
	}
	ret = make_cq(b, uobj, &attr, cmd->user_handle, channel, NULL);
	if (ret)
		return ret;

	cq = uobj->object;
	resp.base.cq_handle = uobj->id;
	resp.base.cqe = cq->cqe;
	resp.response_length = uverbs_resp_len(b, sizeof(resp));
	return uverbs_respond(b, &resp, sizeof(resp));
}

int uverbs_write_create_cq(struct uverbs_bundle *b)
{
	struct ib_uverbs_ex_create_cq ex = {};
	struct ib_uverbs_create_cq cmd;
	int ret;

	ret = uverbs_request(b, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	ex.user_handle = cmd.user_handle;
	ex.cqe = cmd.cqe;
	ex.comp_vector = cmd.comp_vector;
	ex.comp_channel = cmd.comp_channel;
	return write_create(b, &ex);
}

int uverbs_write_ex_create_cq(struct uverbs_bundle *b)
{
	struct ib_uverbs_ex_create_cq cmd;
	int ret;

	ret = uverbs_request(b, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	if (cmd.comp_mask || cmd.reserved)
		return uverbs_refuse(-EINVAL, "reserved field is set");
	return write_create(b, &cmd);
}

int uverbs_write_resize_cq(struct uverbs_bundle *b)
{
	struct ib_uverbs_resize_cq_resp resp = {};
	struct ib_uverbs_resize_cq cmd;
	struct ib_cq *cq;
	int ret;

	ret = uverbs_request(b, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	cq = uverbs_get_object(b, UVERBS_OBJECT_CQ, cmd.cq_handle);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	ret = ib_resize_cq(cq, cmd.cqe, uverbs_udata(b));
	if (ret)
		return ret;
	resp.cqe = cq->cqe;
	return uverbs_respond(b, &resp, sizeof(resp));
}

int uverbs_write_ex_modify_cq(struct uverbs_bundle *b)
{
	struct ib_uverbs_ex_modify_cq cmd;
	struct ib_cq *cq;
	int ret;

	ret = uverbs_request(b, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	if (!cmd.attr_mask || cmd.reserved)
		return uverbs_refuse(-EINVAL, "nothing to modify, or reserved field set");
	if (cmd.attr_mask & ~CQ_MODERATE)
		return uverbs_refuse(-EOPNOTSUPP, "only moderation can be modified");
	cq = uverbs_get_object(b, UVERBS_OBJECT_CQ, cmd.cq_handle);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	return ib_modify_cq(cq, cmd.attr.cq_count, cmd.attr.cq_period);
}

static void count_events(struct ib_uobject *uobj,
			 struct ib_uverbs_destroy_cq_resp *resp)
{
	struct uverbs_cq *ucq = to_cq(uobj);

	resp->comp_events_reported = ucq->reported;
	resp->async_events_reported = ucq->ev.reported;
}

int uverbs_write_destroy_cq(struct uverbs_bundle *b)
{
	struct ib_uverbs_destroy_cq_resp resp = {};
	struct ib_uverbs_destroy_cq cmd;
	struct ib_uobject *uobj;
	int ret;

	ret = uverbs_request(b, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	uobj = uverbs_destroy_handle(b, UVERBS_OBJECT_CQ, cmd.cq_handle);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	count_events(uobj, &resp);
	return uverbs_respond(b, &resp, sizeof(resp));
}

static int cq_destroyed(struct uverbs_bundle *b)
{
	struct ib_uverbs_destroy_cq_resp resp = {};

	count_events(uverbs_attr_uobject(b, UVERBS_ATTR_DESTROY_CQ_HANDLE),
		     &resp);
	return uverbs_attr_copy_out(b, UVERBS_ATTR_DESTROY_CQ_RESP, &resp,
				    sizeof(resp));
}

static const struct uverbs_attr_def create_attrs[] = {
	UVERBS_ATTR_HANDLE(UVERBS_ATTR_CREATE_CQ_HANDLE, UVERBS_KIND_IDR,
			   UVERBS_OBJECT_CQ, UVERBS_ACC_NEW,
			   UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_IN(UVERBS_ATTR_CREATE_CQ_CQE, sizeof(u32),
		       UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_IN(UVERBS_ATTR_CREATE_CQ_USER_HANDLE, sizeof(u64),
		       UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_HANDLE(UVERBS_ATTR_CREATE_CQ_COMP_CHANNEL, UVERBS_KIND_FD,
			   UVERBS_OBJECT_COMP_CHANNEL, UVERBS_ACC_READ, 0),
	UVERBS_ATTR_IN(UVERBS_ATTR_CREATE_CQ_COMP_VECTOR, sizeof(u32),
		       UVERBS_ATTR_REQUIRED),
	{ .id = UVERBS_ATTR_CREATE_CQ_FLAGS, .kind = UVERBS_KIND_PTR_IN,
	  .min_len = sizeof(u32), .max_len = sizeof(u64) },
	UVERBS_ATTR_OUT(UVERBS_ATTR_CREATE_CQ_RESP_CQE, sizeof(u32),
			UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_HANDLE(UVERBS_ATTR_CREATE_CQ_EVENT_FD, UVERBS_KIND_FD,
			   UVERBS_OBJECT_ASYNC_EVENT, UVERBS_ACC_READ, 0),
};

static const struct uverbs_attr_def destroy_attrs[] = {
	UVERBS_ATTR_HANDLE(UVERBS_ATTR_DESTROY_CQ_HANDLE, UVERBS_KIND_IDR,
			   UVERBS_OBJECT_CQ, UVERBS_ACC_DESTROY,
			   UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_OUT(UVERBS_ATTR_DESTROY_CQ_RESP,
			sizeof(struct ib_uverbs_destroy_cq_resp),
			UVERBS_ATTR_REQUIRED),
};

static const struct uverbs_method_def methods[] = {
	{ .id = UVERBS_METHOD_CQ_CREATE, .handler = cq_create,
	  .has_udata = true,
	  .attrs = create_attrs, .num_attrs = ARRAY_SIZE(create_attrs) },
	{ .id = UVERBS_METHOD_CQ_DESTROY, .handler = cq_destroyed,
	  .attrs = destroy_attrs, .num_attrs = ARRAY_SIZE(destroy_attrs) },
};

static const struct uverbs_obj_type cq_type = {
	.size = sizeof(struct uverbs_cq),
	.destroy = cq_destroy,
};

const struct uverbs_object_def uverbs_object_cq = {
	.id = UVERBS_OBJECT_CQ,
	.type = &cq_type,
	.needs = offsetof(struct ib_device_ops, destroy_cq),
	.methods = methods,
	.num_methods = ARRAY_SIZE(methods),
};
