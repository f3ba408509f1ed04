// SPDX-License-Identifier: GPL-2.0-only
/* Flows, and the actions that drivers make for them. */
#include <linux/err.h>
#include <ib/counters.h>
#include <ib/flow.h>
#include <ib/qp.h>
#include "core_priv.h"

static struct ib_object *used_by(const struct ib_flow_spec *spec)
{
	switch (spec->type) {
	case IB_FLOW_SPEC_ACTION:
		return &spec->action->obj;
	case IB_FLOW_SPEC_COUNT:
		return &spec->counters->obj;
	default:
		return NULL;
	}
}

static int check_new(struct ib_device *device, const struct ib_flow_attr *attr)
{
	struct ib_object *used;
	unsigned int i;
	int ret;

	ret = ib_object_check(device, device->ops->create_flow,
			      "the device has no flows");
	if (ret)
		return ret;
	if (attr->num_specs > IB_FLOW_MAX_SPECS)
		return ib_refuse(IB_LAYER_CORE, -EINVAL,
				 "%llu specifications, at most %llu",
				 attr->num_specs, IB_FLOW_MAX_SPECS);
	for (i = 0; i < attr->num_specs; i++) {
		used = used_by(&attr->specs[i]);
		if (used && used->device != device)
			return ib_refuse(IB_LAYER_CORE, -EINVAL,
					 "specification %llu is of another device",
					 i, 0);
	}
	return 0;
}

static void refer(struct ib_flow *flow, const struct ib_flow_attr *attr)
{
	struct ib_object *used;
	unsigned int i;

	ib_object_get(&flow->qp->obj);
	for (i = 0; i < attr->num_specs; i++) {
		used = used_by(&attr->specs[i]);
		if (!used)
			continue;
		ib_object_get(used);
		flow->used[flow->num_used++] = used;
	}
}

/**
 * ib_create_flow() - lead packets to a queue pair
 * @qp: gets them
 * @attr: which
 * @udata: of the user's call, NULL for the kernel
 *
 * Context: Process context.
 * Return: the flow or an ERR_PTR().
 */
struct ib_flow *ib_create_flow(struct ib_qp *qp,
			       const struct ib_flow_attr *attr,
			       struct ib_udata *udata)
{
	struct ib_device *device = qp->obj.device;
	struct ib_flow *flow;
	int ret;

	ret = check_new(device, attr);
	if (ret)
		return ERR_PTR(ret);
	flow = ib_object_alloc(device, IB_OBJ_FLOW, device->ops->size_flow);
	if (!flow)
		return ib_refuse_ptr(-ENOMEM, "no memory for a flow", 0, 0);
	ib_object_own(&flow->obj, qp->obj.context, qp->obj.owner);
	flow->qp = qp;
	ret = device->ops->create_flow(flow, attr, udata);
	if (ret) {
		ib_object_free(&flow->obj);
		return ERR_PTR(ret);
	}
	refer(flow, attr);
	ib_object_add(&flow->obj);
	return flow;
}
EXPORT_SYMBOL_IB(ib_create_flow);

/**
 * ib_destroy_flow() - lead packets to a queue pair no more
 * @flow: the flow
 *
 * Context: Process context.
 * Return: 0, or a negative errno and the flow lives on.
 */
int ib_destroy_flow(struct ib_flow *flow)
{
	int ret;

	ret = ib_object_begin_destroy(&flow->obj);
	if (ret)
		return ret;
	ret = flow->obj.device->ops->destroy_flow(flow);
	ret = ib_object_end_destroy(&flow->obj, ret);
	if (ret)
		return ret;
	while (flow->num_used)
		ib_object_put(flow->used[--flow->num_used]);
	ib_object_put(&flow->qp->obj);
	ib_object_free(&flow->obj);
	return 0;
}
EXPORT_SYMBOL_IB(ib_destroy_flow);

/**
 * ib_alloc_flow_action() - memory for an action, for a method of the driver
 * @device: where
 *
 * The driver makes the action, calls ib_object_add(), and sets the handle's
 * object; or it calls ib_object_free().
 *
 * Context: Process context.
 * Return: the action or an ERR_PTR().
 */
struct ib_flow_action *ib_alloc_flow_action(struct ib_device *device)
{
	struct ib_flow_action *action;
	int ret;

	ret = ib_object_check(device, device->ops->destroy_flow_action,
			      "the device has no actions for flows");
	if (ret)
		return ERR_PTR(ret);
	action = ib_object_alloc(device, IB_OBJ_FLOW_ACTION,
				 device->ops->size_flow_action);
	if (!action)
		return ib_refuse_ptr(-ENOMEM, "no memory for an action", 0,
				     0);
	return action;
}
EXPORT_SYMBOL_IB(ib_alloc_flow_action);

/**
 * ib_destroy_flow_action() - destroy an action
 * @action: the action
 *
 * Context: Process context.
 * Return: 0, or a negative errno and the action lives on.
 */
int ib_destroy_flow_action(struct ib_flow_action *action)
{
	int ret;

	ret = ib_object_begin_destroy(&action->obj);
	if (ret)
		return ret;
	ret = action->obj.device->ops->destroy_flow_action(action);
	ret = ib_object_end_destroy(&action->obj, ret);
	if (ret)
		return ret;
	ib_object_free(&action->obj);
	return 0;
}
EXPORT_SYMBOL_IB(ib_destroy_flow_action);
