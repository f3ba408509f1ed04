/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared receive queues. Three commands make them (RMP, XRC SRQ, and the plain
 * SRQ of ISSI 0), one number space and one way to consume them serve all.
 */
#ifndef CXM_SRQ_H
#define CXM_SRQ_H

#include "buf.h"
#include "cq.h"
#include "obj.h"
#include "rq.h"
#include <connectx/prm_srq.h>

enum cxm_srq_type {
	CXM_SRQ_BASIC,
	CXM_SRQ_RMP,
	CXM_SRQ_XRC,
};

struct cxm_srq {
	struct cxm_obj	obj;
	enum cxm_srq_type type;
	struct cxm_obj	*pd;		/* reference held */
	struct cxm_obj	*xrcd;		/* XRC: reference held */
	struct cxm_cq	*cq;		/* XRC: reference held */
	union {				/* as software wrote it */
		struct cx_rmpc		rmp;
		struct cx_srqc		srq;
		struct cx_xrc_srqc	xrc;
	} ctx;
	struct cxm_buf	buf;
	u64		dbr;
	u32		log_size;
	u32		stride;		/* bytes */
	bool		cyclic;		/* by counter, not by links */
	u16		next;		/* index of the next WQE to take */
	u16		taken;		/* counts WQEs, compared with the DBR */
	u16		lwm;		/* limit event is armed if not 0 */
	u32		user_index;	/* XRC, or CX_NO_USER_INDEX */
};

struct cxm_srq *cxm_srq_find(struct cxm *m, u32 num);

/* Take the next WQE; may raise the limit event. */
enum cxm_take cxm_srq_take(struct cxm *m, struct cxm_srq *srq,
			   struct cxm_rwqe *w);

/* responder.c: the SRQ is about to go. */
void cxm_responder_forget_srq(struct cxm *m, struct cxm_srq *srq);

/* Arm the limit event, or disarm with 0. */
void cxm_srq_arm(struct cxm *m, struct cxm_srq *srq, u16 lwm);

#endif /* CXM_SRQ_H */
