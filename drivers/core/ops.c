// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a driver forgot is found when it registers its device, and not by the
 * first user: an object without room for core's part of it, or one that can be
 * made and never destroyed.
 */
#include <ib/counters.h>
#include <ib/cq.h>
#include <ib/dm.h>
#include <ib/flow.h>
#include <ib/mr.h>
#include <ib/mw.h>
#include <ib/pd.h>
#include <ib/qp.h>
#include <ib/srq.h>
#include <ib/ucontext.h>
#include <ib/wq.h>
#include <ib/xrcd.h>
#include "core_priv.h"

/**
 * struct made - how objects of a type are made
 * @type: which objects
 * @make: offset of the operation that makes them
 * @destroy: of the one that destroys them
 * @size: of the driver's size of them
 * @least: what core needs of it
 */
struct made {
	enum ib_object_type	type;
	u16			make;
	u16			destroy;
	u16			size;
	u16			least;
};

#define OP(_name)	offsetof(struct ib_device_ops, _name)

#define MADE(_type, _make, _destroy, _name) \
	{ IB_OBJ_##_type, OP(_make), OP(_destroy), OP(size_##_name), \
	  sizeof(struct ib_##_name) }

static const struct made objects[] = {
	MADE(UCONTEXT, alloc_ucontext, dealloc_ucontext, ucontext),
	MADE(PD, alloc_pd, dealloc_pd, pd),
	MADE(CQ, create_cq, destroy_cq, cq),
	MADE(QP, create_qp, destroy_qp, qp),
	MADE(SRQ, create_srq, destroy_srq, srq),
	MADE(MR, reg_user_mr, dereg_mr, mr),
	MADE(MR, reg_user_mr_dmabuf, dereg_mr, mr),
	MADE(MR, get_dma_mr, dereg_mr, mr),
	MADE(MR, reg_dm_mr, dereg_mr, mr),
	MADE(AH, create_ah, destroy_ah, ah),
	MADE(MW, alloc_mw, dealloc_mw, mw),
	MADE(XRCD, alloc_xrcd, dealloc_xrcd, xrcd),
	MADE(DM, alloc_dm, dealloc_dm, dm),
	MADE(FLOW, create_flow, destroy_flow, flow),
	MADE(RWQ_IND_TABLE, create_rwq_ind_table, destroy_rwq_ind_table,
	     rwq_ind_table),
	MADE(WQ, create_wq, destroy_wq, wq),
	/* made by methods of the driver, which say so by destroying them */
	MADE(FLOW_ACTION, destroy_flow_action, destroy_flow_action,
	     flow_action),
	MADE(COUNTERS, create_counters, destroy_counters, counters),
};

static bool has(const struct ib_device_ops *ops, u16 op)
{
	void *const *fn = (void *)ops + op;

	return *fn;
}

static int check_object(const struct ib_device_ops *ops, const struct made *m)
{
	size_t size = *(const size_t *)((const void *)ops + m->size);

	if (!has(ops, m->make))
		return 0;
	if (size < m->least)
		return ib_refuse_detail(IB_LAYER_CORE, -EINVAL,
					"the driver has %llu bytes for it, core needs %llu",
					size, m->least,
					ib_object_type_name(m->type));
	if (!has(ops, m->destroy))
		return ib_refuse_detail(IB_LAYER_CORE, -EINVAL,
					"the driver makes it and cannot destroy it",
					0, 0, ib_object_type_name(m->type));
	return 0;
}

/**
 * ib_check_ops() - can core work with this driver?
 * @ops: what the driver does
 *
 * Context: Any context.
 * Return: 0 or -EINVAL.
 */
int ib_check_ops(const struct ib_device_ops *ops)
{
	size_t i;
	int ret;

	if (!ops->query_device || !ops->query_port || !ops->get_link_layer)
		return ib_refuse(IB_LAYER_CORE, -EINVAL,
				 "the driver lacks query_device, query_port or get_link_layer",
				 0, 0);
	for (i = 0; i < ARRAY_SIZE(objects); i++) {
		ret = check_object(ops, &objects[i]);
		if (ret)
			return ret;
	}
	return 0;
}
