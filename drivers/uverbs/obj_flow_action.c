// SPDX-License-Identifier: GPL-2.0-only
/*
 * Actions of flows in the user ABI. The ids of the methods that made ESP
 * actions are still in the headers, but nothing is behind them; actions are
 * made by methods of drivers.
 */
#include <rdma/ib_user_ioctl_cmds.h>
#include <ib/flow.h>
#include <ib/ops.h>
#include "obj_table.h"

static int action_destroy(struct ib_uobject *uobj, enum ib_remove_reason why,
			  struct uverbs_bundle *b)
{
	return ib_destroy_flow_action(uobj->object);
}

static const struct uverbs_attr_def destroy_attrs[] = {
	UVERBS_ATTR_HANDLE(UVERBS_ATTR_DESTROY_FLOW_ACTION_HANDLE,
			   UVERBS_KIND_IDR, UVERBS_OBJECT_FLOW_ACTION,
			   UVERBS_ACC_DESTROY, UVERBS_ATTR_REQUIRED),
};

static const struct uverbs_method_def methods[] = {
	{ .id = UVERBS_METHOD_FLOW_ACTION_DESTROY,
	  .attrs = destroy_attrs, .num_attrs = ARRAY_SIZE(destroy_attrs) },
};

static const struct uverbs_obj_type action_type = {
	.size = sizeof(struct ib_uobject),
	.destroy = action_destroy,
};

const struct uverbs_object_def uverbs_object_flow_action = {
	.id = UVERBS_OBJECT_FLOW_ACTION,
	.type = &action_type,
	.needs = offsetof(struct ib_device_ops, destroy_flow_action),
	.methods = methods,
	.num_methods = ARRAY_SIZE(methods),
};
