// SPDX-License-Identifier: GPL-2.0-only
/* Receive work queues in the user ABI: write commands. */
#include <ib/wq.h>
#include "bundle.h"
#include "event_fd.h"
#include "obj_wq.h"
#include "uverbs_priv.h"
#include "write.h"

#define WQ_ATTR_MASK	(IB_WQ_STATE | IB_WQ_CUR_STATE | IB_WQ_FLAGS)

static int create_wq(struct uverbs_bundle *b, struct ib_uobject *uobj,
		     const struct ib_uverbs_ex_create_wq *cmd,
		     struct ib_wq_init_attr *attr)
{
	struct ib_pd *pd;

	pd = uverbs_get_object(b, UVERBS_OBJECT_PD, cmd->pd_handle);
	if (IS_ERR(pd))
		return PTR_ERR(pd);
	attr->cq = uverbs_get_object(b, UVERBS_OBJECT_CQ, cmd->cq_handle);
	if (IS_ERR(attr->cq))
		return PTR_ERR(attr->cq);
	attr->type = cmd->wq_type;
	attr->max_wr = cmd->max_wr;
	attr->max_sge = cmd->max_sge;
	attr->create_flags = cmd->create_flags;
	return uverbs_make_wq(b, uobj, pd, attr, cmd->user_handle, NULL);
}

int uverbs_write_ex_create_wq(struct uverbs_bundle *b)
{
	struct ib_uverbs_ex_create_wq_resp resp = {};
	struct ib_uverbs_ex_create_wq cmd;
	struct ib_wq_init_attr attr = {};
	struct ib_uobject *uobj;
	int ret;

	ret = uverbs_request(b, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	if (cmd.comp_mask)
		return uverbs_refuse(-EOPNOTSUPP, "unknown fields in comp_mask");
	uobj = uverbs_new(b, UVERBS_OBJECT_WQ);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	ret = create_wq(b, uobj, &cmd, &attr);
	if (ret)
		return ret;

	resp.wq_handle = uobj->id;
	resp.max_wr = attr.max_wr;
	resp.max_sge = attr.max_sge;
	resp.wqn = ((struct ib_wq *)uobj->object)->wq_num;
	resp.response_length = uverbs_resp_len(b, sizeof(resp));
	return uverbs_respond(b, &resp, sizeof(resp));
}

int uverbs_write_ex_modify_wq(struct uverbs_bundle *b)
{
	struct ib_uverbs_ex_modify_wq cmd;
	struct ib_wq_attr attr = {};
	struct ib_wq *wq;
	int ret;

	ret = uverbs_request(b, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	if (!cmd.attr_mask || cmd.attr_mask & ~WQ_ATTR_MASK)
		return ib_refuse(IB_LAYER_UVERBS, -EINVAL,
				 "attribute mask 0x%llx, known are 0x%llx",
				 cmd.attr_mask, WQ_ATTR_MASK);
	wq = uverbs_get_object(b, UVERBS_OBJECT_WQ, cmd.wq_handle);
	if (IS_ERR(wq))
		return PTR_ERR(wq);

	attr.state = cmd.wq_state;
	attr.cur_state = cmd.curr_wq_state;
	if (cmd.attr_mask & IB_WQ_FLAGS) {
		attr.flags = cmd.flags;
		attr.flags_mask = cmd.flags_mask;
	}
	return ib_modify_wq(wq, &attr, cmd.attr_mask, uverbs_udata(b));
}

int uverbs_write_ex_destroy_wq(struct uverbs_bundle *b)
{
	struct ib_uverbs_ex_destroy_wq_resp resp = {};
	struct ib_uverbs_ex_destroy_wq cmd;
	struct ib_uobject *uobj;
	int ret;

	ret = uverbs_request(b, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	if (cmd.comp_mask)
		return uverbs_refuse(-EOPNOTSUPP, "unknown fields in comp_mask");
	uobj = uverbs_destroy_handle(b, UVERBS_OBJECT_WQ, cmd.wq_handle);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	resp.events_reported =
		container_of(uobj, struct uverbs_event_uobj, uobj)->reported;
	resp.response_length = uverbs_resp_len(b, sizeof(resp));
	return uverbs_respond(b, &resp, sizeof(resp));
}
