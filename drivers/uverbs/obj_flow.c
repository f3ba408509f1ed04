// SPDX-License-Identifier: GPL-2.0-only
/* Flows in the user ABI. */
#include <linux/slab.h>
#include <ib/device.h>
#include <ib/flow.h>
#include <ib/ops.h>
#include <ib/qp.h>
#include "bundle.h"
#include "flow_spec.h"
#include "obj_table.h"
#include "uverbs_priv.h"
#include "write.h"

/* The longest specification is the one of IPv6. */
#define SPEC_MAX_SIZE	sizeof(struct ib_uverbs_flow_spec_ipv6)

static int flow_destroy(struct ib_uobject *uobj, enum ib_remove_reason why,
			struct uverbs_bundle *b)
{
	return ib_destroy_flow(uobj->object);
}

static int check_flow(const struct ib_uverbs_flow_attr *flow)
{
	if (flow->flags >= IB_FLOW_FLAGS_END)
		return ib_refuse(IB_LAYER_UVERBS, -EINVAL, "flags 0x%llx",
				 flow->flags, 0);
	if (flow->flags & IB_FLOW_DONT_TRAP &&
	    (flow->type == IB_FLOW_ALL_DEFAULT ||
	     flow->type == IB_FLOW_MC_DEFAULT))
		return uverbs_refuse(-EINVAL,
				     "there is nothing behind a default flow");
	if (flow->num_of_specs > IB_FLOW_MAX_SPECS ||
	    flow->size > flow->num_of_specs * SPEC_MAX_SIZE)
		return ib_refuse(IB_LAYER_UVERBS, -EINVAL,
				 "%llu specifications in %llu bytes",
				 flow->num_of_specs, flow->size);
	if (flow->reserved[0] || flow->reserved[1])
		return uverbs_refuse(-EINVAL, "reserved field is set");
	return 0;
}

static struct ib_qp *get_qp(struct uverbs_bundle *b,
			    const struct ib_uverbs_create_flow *cmd)
{
	struct ib_qp *qp;

	if (!uverbs_port_valid(b, cmd->flow_attr.port))
		return ERR_PTR(uverbs_refuse(-EINVAL, "no such port"));
	qp = uverbs_get_object(b, UVERBS_OBJECT_QP, cmd->qp_handle);
	if (IS_ERR(qp))
		return qp;
	if (qp->qp_type != IB_QPT_UD && qp->qp_type != IB_QPT_RAW_PACKET)
		return ERR_PTR(ib_refuse(IB_LAYER_UVERBS, -EINVAL,
					 "flows do not lead to a QP of type %llu",
					 qp->qp_type, 0));
	return qp;
}

static struct ib_flow_attr *decode_attr(struct uverbs_bundle *b,
					const struct ib_uverbs_flow_attr *flow,
					const u8 *specs)
{
	struct ib_flow_attr *attr;
	int ret;

	attr = kzalloc(struct_size(attr, specs, flow->num_of_specs),
		       GFP_KERNEL);
	if (!attr)
		return ERR_PTR(uverbs_refuse(-ENOMEM, "no memory"));
	attr->type = flow->type;
	attr->priority = flow->priority;
	attr->flags = flow->flags;
	attr->port = flow->port;
	attr->num_specs = flow->num_of_specs;
	ret = uverbs_flow_specs(b, attr, specs, flow->size);
	if (ret) {
		kfree(attr);
		return ERR_PTR(ret);
	}
	return attr;
}

static int create_flow(struct uverbs_bundle *b,
		       const struct ib_uverbs_create_flow *cmd,
		       const u8 *specs)
{
	struct ib_uverbs_create_flow_resp resp = {};
	struct ib_flow_attr *attr;
	struct ib_uobject *uobj;
	struct ib_flow *flow;
	struct ib_qp *qp;

	uobj = uverbs_new(b, UVERBS_OBJECT_FLOW);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	qp = get_qp(b, cmd);
	if (IS_ERR(qp))
		return PTR_ERR(qp);
	attr = decode_attr(b, &cmd->flow_attr, specs);
	if (IS_ERR(attr))
		return PTR_ERR(attr);
	flow = ib_create_flow(qp, attr, uverbs_udata(b));
	kfree(attr);
	if (IS_ERR(flow))
		return PTR_ERR(flow);
	uverbs_bind(uobj, &flow->obj);

	resp.flow_handle = uobj->id;
	return uverbs_respond(b, &resp, sizeof(resp));
}

int uverbs_write_ex_create_flow(struct uverbs_bundle *b)
{
	struct ib_uverbs_create_flow cmd;
	u8 *specs;
	int ret;

	ret = uverbs_request_head(b, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	if (cmd.comp_mask)
		return uverbs_refuse(-EINVAL, "unknown fields in comp_mask");
	if (!ib_may_send_raw(b->device))
		return uverbs_refuse(-EPERM, "flows need CAP_NET_RAW");
	ret = check_flow(&cmd.flow_attr);
	if (ret)
		return ret;

	specs = kmalloc(cmd.flow_attr.size, GFP_KERNEL);
	if (!specs)
		return uverbs_refuse(-ENOMEM, "no memory");
	ret = uverbs_request_tail(b, sizeof(cmd), specs, cmd.flow_attr.size);
	if (!ret)
		ret = create_flow(b, &cmd, specs);
	kfree(specs);
	return ret;
}

int uverbs_write_ex_destroy_flow(struct uverbs_bundle *b)
{
	struct ib_uverbs_destroy_flow cmd;
	int ret;

	ret = uverbs_request(b, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	if (cmd.comp_mask)
		return uverbs_refuse(-EINVAL, "unknown fields in comp_mask");
	return PTR_ERR_OR_ZERO(uverbs_destroy_handle(b, UVERBS_OBJECT_FLOW,
						     cmd.flow_handle));
}

static const struct uverbs_attr_def destroy_attrs[] = {
	UVERBS_ATTR_HANDLE(UVERBS_ATTR_DESTROY_FLOW_HANDLE, UVERBS_KIND_IDR,
			   UVERBS_OBJECT_FLOW, UVERBS_ACC_DESTROY,
			   UVERBS_ATTR_REQUIRED),
};

static const struct uverbs_method_def methods[] = {
	{ .id = UVERBS_METHOD_FLOW_DESTROY,
	  .attrs = destroy_attrs, .num_attrs = ARRAY_SIZE(destroy_attrs) },
};

static const struct uverbs_obj_type flow_type = {
	.size = sizeof(struct ib_uobject),
	.destroy = flow_destroy,
};

const struct uverbs_object_def uverbs_object_flow = {
	.id = UVERBS_OBJECT_FLOW,
	.type = &flow_type,
	.needs = offsetof(struct ib_device_ops, destroy_flow),
	.methods = methods,
	.num_methods = ARRAY_SIZE(methods),
};
