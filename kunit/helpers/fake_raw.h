/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The part of the fake device that steers packets: work queues, tables of
 * them, flows, their actions and counters.
 */
#ifndef KUNIT_FAKE_RAW_H
#define KUNIT_FAKE_RAW_H

#include <ib/flow.h>
#include <ib/wq.h>
#include <rdma/rdma_user_ioctl_cmds.h>

struct ib_counters;
struct ib_counters_read;
struct uverbs_object_def;

#define FAKE_WQ_NUM		0x300
#define FAKE_IND_TBL_NUM	0x400
#define FAKE_PORT_SPEED		1234

/* A driver's method of UVERBS_OBJECT_FLOW_ACTION, with every attribute kind */
#define FAKE_METHOD_MAKE_ACTION		UVERBS_ID_DRIVER_NS
#define FAKE_ATTR_ACTION_HANDLE		UVERBS_ID_DRIVER_NS
#define FAKE_ATTR_ACTION_SHAPE		(UVERBS_ID_DRIVER_NS + 1)
#define FAKE_ATTR_ACTION_COUNTERS	(UVERBS_ID_DRIVER_NS + 2)
#define FAKE_MAX_COUNTERS		20

/**
 * struct fake_raw - what the last calls got
 * @wq_init: create_wq
 * @wq: the work queue that was made last
 * @wq_attr: modify_wq
 * @wq_mask: modify_wq
 * @table: the table that was made last
 * @flow: the flow that was made last
 * @specs: create_flow
 * @num_specs: create_flow
 * @read_flags: read_counters
 * @shape: method that makes an action: number of the shape
 * @shape_data: its data
 * @num_counters: its handles
 */
struct fake_raw {
	struct ib_wq_init_attr	wq_init;
	struct ib_wq		*wq;
	struct ib_wq_attr	wq_attr;
	int			wq_mask;
	struct ib_rwq_ind_table	*table;
	struct ib_flow		*flow;
	struct ib_flow_spec	specs[IB_FLOW_MAX_SPECS];
	unsigned int		num_specs;
	u32			read_flags;
	int			shape;
	u64			shape_data[2];
	unsigned int		num_counters;
};

extern const struct uverbs_object_def *const fake_raw_objects[];

int fake_query_port_speed(struct ib_device *device, u32 port, u64 *speed);
int fake_create_wq(struct ib_wq *wq, struct ib_wq_init_attr *attr,
		   struct ib_udata *udata);
int fake_modify_wq(struct ib_wq *wq, const struct ib_wq_attr *attr, int mask,
		   struct ib_udata *udata);
int fake_destroy_wq(struct ib_wq *wq, struct ib_udata *udata);
int fake_create_rwq_ind_table(struct ib_rwq_ind_table *table,
			      struct ib_udata *udata);
int fake_destroy_rwq_ind_table(struct ib_rwq_ind_table *table);
int fake_create_flow(struct ib_flow *flow, const struct ib_flow_attr *attr,
		     struct ib_udata *udata);
int fake_destroy_flow(struct ib_flow *flow);
int fake_destroy_flow_action(struct ib_flow_action *action);
int fake_create_counters(struct ib_counters *counters,
			 struct uverbs_bundle *b);
int fake_destroy_counters(struct ib_counters *counters);
int fake_read_counters(struct ib_counters *counters,
		       const struct ib_counters_read *read,
		       struct uverbs_bundle *b);

#endif /* KUNIT_FAKE_RAW_H */
