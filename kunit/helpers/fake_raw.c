// SPDX-License-Identifier: GPL-2.0-only
#include <ib/counters.h>
#include <ib/udata.h>
#include <ib/uverbs_def.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include "fake_device.h"
#include "fake_priv.h"

static struct fake_raw *raw_of(const struct ib_object *obj)
{
	return &to_fake(obj->device)->raw;
}

int fake_query_port_speed(struct ib_device *device, u32 port, u64 *speed)
{
	*speed = FAKE_PORT_SPEED;
	return fake_may_fail(device);
}

int fake_create_wq(struct ib_wq *wq, struct ib_wq_init_attr *attr,
		   struct ib_udata *udata)
{
	struct fake_raw *raw = raw_of(&wq->obj);
	int ret = ib_udata_none(udata);

	if (ret)
		return ret;
	raw->wq_init = *attr;
	raw->wq = wq;
	/* what it gives is more than what was asked for */
	attr->max_wr++;
	attr->max_sge += 2;
	wq->wq_num = FAKE_WQ_NUM;
	return fake_make(&wq->obj);
}

int fake_modify_wq(struct ib_wq *wq, const struct ib_wq_attr *attr, int mask,
		   struct ib_udata *udata)
{
	raw_of(&wq->obj)->wq_attr = *attr;
	raw_of(&wq->obj)->wq_mask = mask;
	return fake_may_fail(wq->obj.device);
}

int fake_destroy_wq(struct ib_wq *wq, struct ib_udata *udata)
{
	return fake_destroy(&wq->obj);
}

int fake_create_rwq_ind_table(struct ib_rwq_ind_table *table,
			      struct ib_udata *udata)
{
	raw_of(&table->obj)->table = table;
	table->ind_tbl_num = FAKE_IND_TBL_NUM;
	return fake_make(&table->obj);
}

int fake_destroy_rwq_ind_table(struct ib_rwq_ind_table *table)
{
	return fake_destroy(&table->obj);
}

int fake_create_flow(struct ib_flow *flow, const struct ib_flow_attr *attr,
		     struct ib_udata *udata)
{
	struct fake_raw *raw = raw_of(&flow->obj);

	raw->flow = flow;
	raw->num_specs = attr->num_specs;
	memcpy(raw->specs, attr->specs,
	       attr->num_specs * sizeof(attr->specs[0]));
	return fake_make(&flow->obj);
}

int fake_destroy_flow(struct ib_flow *flow)
{
	return fake_destroy(&flow->obj);
}

int fake_destroy_flow_action(struct ib_flow_action *action)
{
	return fake_destroy(&action->obj);
}

int fake_create_counters(struct ib_counters *counters, struct uverbs_bundle *b)
{
	return fake_make(&counters->obj);
}

int fake_destroy_counters(struct ib_counters *counters)
{
	return fake_destroy(&counters->obj);
}

/* The n-th value is 10 + n; there are three. */
int fake_read_counters(struct ib_counters *counters,
		       const struct ib_counters_read *read,
		       struct uverbs_bundle *b)
{
	u32 i;

	raw_of(&counters->obj)->read_flags = read->flags;
	for (i = 0; i < read->num && i < 3; i++)
		read->values[i] = 10 + i;
	return fake_may_fail(counters->obj.device);
}

static int make_action(struct uverbs_bundle *b)
{
	struct ib_uobject *uobj = uverbs_attr_uobject(b,
						      FAKE_ATTR_ACTION_HANDLE);
	struct ib_device *device = uverbs_device(b);
	struct fake_raw *raw = &to_fake(device)->raw;
	struct ib_flow_action *action;
	int ret;

	raw->shape = uverbs_attr_choice(b, FAKE_ATTR_ACTION_SHAPE);
	ret = uverbs_attr_copy_in(b, FAKE_ATTR_ACTION_SHAPE, raw->shape_data,
				  sizeof(raw->shape_data));
	if (ret)
		return ret;
	raw->num_counters = uverbs_attr_num_objects(b,
						    FAKE_ATTR_ACTION_COUNTERS);
	action = ib_alloc_flow_action(device);
	if (IS_ERR(action))
		return PTR_ERR(action);
	ret = fake_make(&action->obj);
	if (ret) {
		ib_object_free(&action->obj);
		return ret;
	}
	ib_object_add(&action->obj);
	action->obj.uobject = uobj;
	uobj->object = action;
	return 0;
}

static const struct uverbs_attr_def shapes[] = {
	[0] = { .kind = UVERBS_KIND_PTR_IN,
		.min_len = sizeof(u32), .max_len = sizeof(u32) },
	[2] = { .kind = UVERBS_KIND_PTR_IN,
		.flags = UVERBS_ATTR_COPY_IN | UVERBS_ATTR_ZERO_TAIL,
		.min_len = 2 * sizeof(u64), .max_len = 2 * sizeof(u64) },
};

static const struct uverbs_attr_def make_action_attrs[] = {
	UVERBS_ATTR_HANDLE(FAKE_ATTR_ACTION_HANDLE, UVERBS_KIND_IDR,
			   UVERBS_OBJECT_FLOW_ACTION, UVERBS_ACC_NEW,
			   UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_ENUM(FAKE_ATTR_ACTION_SHAPE, shapes, UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_HANDLES(FAKE_ATTR_ACTION_COUNTERS, UVERBS_OBJECT_COUNTERS,
			    UVERBS_ACC_READ, 1, FAKE_MAX_COUNTERS, 0),
};

static const struct uverbs_method_def action_methods[] = {
	{ .id = FAKE_METHOD_MAKE_ACTION, .handler = make_action,
	  .attrs = make_action_attrs,
	  .num_attrs = ARRAY_SIZE(make_action_attrs) },
};

static const struct uverbs_object_def action = {
	.id = UVERBS_OBJECT_FLOW_ACTION,
	.methods = action_methods,
	.num_methods = ARRAY_SIZE(action_methods),
};

const struct uverbs_object_def *const fake_raw_objects[] = { &action, NULL };
