/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Event queues: events go in, interrupts come out.
 */
#ifndef CXM_EQ_H
#define CXM_EQ_H

#include "buf.h"
#include "obj.h"
#include <connectx/prm_eqc.h>

struct cxm_eqe_held;

struct cxm_eq {
	struct cxm_obj	obj;
	struct cxm_obj	*uar;		/* reference held */
	struct cx_eqc	ctx;
	struct cxm_buf	buf;
	u64		mask[4];	/* subscribed types, bit n of the 256 */
	u32		vector;
	u32		log_size;
	u32		producer;	/* 24 bits count, more kept */
	u32		consumer;
	bool		armed;
	bool		overflow;	/* warned about, until there is room */
	struct cxm_eqe_held *held;	/* waiting for room, oldest first */
	struct cxm_eqe_held **held_tail;
};

struct cxm_eq *cxm_eq_find(struct cxm *m, u32 eqn);

/* Post to one queue. Owner and signature are filled in here. */
void cxm_eq_post(struct cxm *m, struct cxm_eq *eq, const struct cx_eqe *e);

/* Completion event: to the CQ's queue, whatever its mask. */
void cxm_event_comp(struct cxm *m, u32 eqn, u32 cqn);

/* Asynchronous events: to each queue that subscribed to the type. */
void cxm_event_async(struct cxm *m, const struct cx_eqe *e);
void cxm_event_cq_error(struct cxm *m, u32 cqn, u8 syndrome);
/* @rsc: 0 QP, 1 RQ, 2 SQ; SRQ events carry the SRQ's number and 0 */
void cxm_event_qp_srq(struct cxm *m, enum cx_event_type type, u8 rsc, u32 num);
void cxm_event_port(struct cxm *m, enum cx_port_change sub_type);
void cxm_event_cmd(struct cxm *m, u32 vector);
/* False: nobody would see it. */
bool cxm_event_subscribed(struct cxm *m, enum cx_event_type type);

/* A write to UAR offset 0x40 (@arm) or 0x48. */
void cxm_eq_doorbell(struct cxm *m, u32 uar, u32 value, bool arm);

#endif /* CXM_EQ_H */
