/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Completion queues: completions go in, completion events come out.
 */
#ifndef CXM_CQ_H
#define CXM_CQ_H

#include "buf.h"
#include "eq.h"
#include "obj.h"
#include <connectx/prm_cqc.h>

struct cxm_cq {
	struct cxm_obj	obj;
	struct cxm_obj	*uar;		/* reference held */
	struct cxm_eq	*eq;		/* reference held */
	struct cx_cqc	ctx;		/* as software wrote it */
	struct cxm_buf	buf;
	u64		dbr;
	u32		log_size;
	u32		cqe_shift;	/* log2 of a CQE's stride in bytes */
	u32		producer;	/* 24 bits count, more kept */
	u32		consumer;	/* as last read from the doorbell record */
	u32		last_notified;	/* producer when the last event went out */
	u32		solicited;	/* index behind the last solicited CQE */
	bool		any_solicited;	/* there was one at all */
	bool		ignore_overrun;
	u8		status;		/* 0, or CX_CQ_STATUS_*: takes no more CQEs */
	enum cx_cq_st	st;
};

struct cxm_cq *cxm_cq_find(struct cxm *m, u32 cqn);

/*
 * Append @cqe, complete but for owner and signature, and fire the event if the
 * queue is armed for it. An overrun puts the queue and its QPs in error; to a
 * queue in error nothing is written.
 */
void cxm_cq_add(struct cxm *m, struct cxm_cq *cq, struct cx_cqe *cqe);

/* CQEs that software did not consume yet, by its doorbell record. */
u32 cxm_cq_unread(struct cxm *m, struct cxm_cq *cq);

/* Write @cqe in the next slot whatever the state; no event. False: no access. */
bool cxm_cq_write(struct cxm *m, struct cxm_cq *cq, struct cx_cqe *cqe);

#endif /* CXM_CQ_H */
