// SPDX-License-Identifier: GPL-2.0-only
/* Address handles in the user ABI. */
#include <linux/string.h>
#include <ib/ah.h>
#include <ib/device.h>
#include <ib/ops.h>
#include "bundle.h"
#include "obj_table.h"
#include "uverbs_priv.h"
#include "write.h"

static int ah_destroy(struct ib_uobject *uobj, enum ib_remove_reason why,
		      struct uverbs_bundle *b)
{
	return ib_destroy_ah(uobj->object);
}

static void decode_ah(struct ib_ah_attr *attr,
		      const struct ib_uverbs_ah_attr *in)
{
	attr->dlid = in->dlid;
	attr->sl = in->sl;
	attr->src_path_bits = in->src_path_bits;
	attr->static_rate = in->static_rate;
	attr->port_num = in->port_num;
	attr->grh = in->is_global;
	if (!attr->grh)
		return;
	memcpy(attr->dgid.raw, in->grh.dgid, sizeof(attr->dgid.raw));
	attr->flow_label = in->grh.flow_label;
	attr->sgid_index = in->grh.sgid_index;
	attr->hop_limit = in->grh.hop_limit;
	attr->traffic_class = in->grh.traffic_class;
}

int uverbs_write_create_ah(struct uverbs_bundle *b)
{
	struct ib_uverbs_create_ah_resp resp = {};
	struct ib_uverbs_create_ah cmd;
	struct ib_ah_attr attr = {};
	struct ib_uobject *uobj;
	struct ib_pd *pd;
	struct ib_ah *ah;
	int ret;

	ret = uverbs_request(b, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	uobj = uverbs_new(b, UVERBS_OBJECT_AH);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	if (!uverbs_port_valid(b, cmd.attr.port_num))
		return uverbs_refuse(-EINVAL, "no such port");
	pd = uverbs_get_object(b, UVERBS_OBJECT_PD, cmd.pd_handle);
	if (IS_ERR(pd))
		return PTR_ERR(pd);

	decode_ah(&attr, &cmd.attr);
	ah = ib_create_ah(pd, &attr, uverbs_udata(b));
	if (IS_ERR(ah))
		return PTR_ERR(ah);
	uobj->user_handle = cmd.user_handle;
	uverbs_bind(uobj, &ah->obj);

	resp.ah_handle = uobj->id;
	return uverbs_respond(b, &resp, sizeof(resp));
}

int uverbs_write_destroy_ah(struct uverbs_bundle *b)
{
	struct ib_uverbs_destroy_ah cmd;
	int ret;

	ret = uverbs_request(b, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	return PTR_ERR_OR_ZERO(uverbs_destroy_handle(b, UVERBS_OBJECT_AH,
						     cmd.ah_handle));
}

static const struct uverbs_attr_def destroy_attrs[] = {
	UVERBS_ATTR_HANDLE(UVERBS_ATTR_DESTROY_AH_HANDLE, UVERBS_KIND_IDR,
			   UVERBS_OBJECT_AH, UVERBS_ACC_DESTROY,
			   UVERBS_ATTR_REQUIRED),
};

static const struct uverbs_method_def methods[] = {
	{ .id = UVERBS_METHOD_AH_DESTROY,
	  .attrs = destroy_attrs, .num_attrs = ARRAY_SIZE(destroy_attrs) },
};

static const struct uverbs_obj_type ah_type = {
	.size = sizeof(struct ib_uobject),
	.destroy = ah_destroy,
};

const struct uverbs_object_def uverbs_object_ah = {
	.id = UVERBS_OBJECT_AH,
	.type = &ah_type,
	.needs = offsetof(struct ib_device_ops, destroy_ah),
	.methods = methods,
	.num_methods = ARRAY_SIZE(methods),
};
