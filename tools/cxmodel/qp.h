/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Queue pairs. The send side (requester) and the receive side (responder) are
 * two halves that know of each other only by packets.
 */
#ifndef CXM_QP_H
#define CXM_QP_H

#include "buf.h"
#include "cq.h"
#include "obj.h"
#include "odp.h"
#include "packet.h"
#include "srq.h"
#include "timer.h"
#include "wqe.h"
#include <connectx/prm_qpc.h>

#define CXM_JOBS	64	/* responses on their way */
#define CXM_ATOMICS	64	/* results kept for duplicate requests */

/*
 * The send queue. Counters are of 64-byte blocks, as software's; fetched WQEs
 * are a list, oldest first; those before ->cur were sent in full.
 */
struct cxm_sq {
	u64		offset;		/* in the QP's buffer */
	u32		count;		/* blocks, 0: no send queue */
	u16		fetched;	/* next block to fetch */
	u16		done;		/* first block not completed */
	u32		inflight;	/* length of the list */
	struct cxm_swqe	*head;
	struct cxm_swqe	**tail;
	struct cxm_swqe	*cur;		/* next to send from */
	u32		cur_pkt;	/* its packets sent so far */
	u32		psn;		/* of the next new packet */
	u32		una;		/* oldest PSN not acknowledged */
	u32		reads;		/* READs and atomics without answer */
	u8		retries;	/* since the last progress */
	u8		rnr_retries;
	bool		rnr_wait;
	bool		recovering;	/* rewound for a lost response */
	struct cxm_timer ack_timer;
	struct cxm_timer rnr_timer;
};

/* The QP's own receive queue. */
struct cxm_rq {
	u32	count;			/* WQEs, 0: none */
	u32	stride;			/* bytes */
	u16	done;			/* first WQE not taken */
};

/* What the responder has still to send; in order, but for nobody else. */
enum cxm_job_kind {
	CXM_JOB_ACK,
	CXM_JOB_READ,
	CXM_JOB_ATOMIC,
};

struct cxm_job {
	enum cxm_job_kind kind;
	u8	syndrome;
	bool	fresh;			/* counts against the READ limit */
	u32	psn;
	u32	msn;
	u64	va;
	u32	rkey;
	u32	pdn;
	u32	len;
	u32	npsn;
	u32	sent;
	u64	original;
};

struct cxm_atomic_result {
	bool	valid;
	u32	psn;
	u64	original;
};

struct cxm_responder {
	u32	psn;			/* expected */
	u32	msn;
	bool	nak_sent;		/* silent until the PSN arrives */
	bool	skip;			/* UC: until the next first packet */
	enum cxm_pkt_kind message;	/* in progress, RESERVED: none */
	u32	got;			/* its bytes so far */
	u64	va;			/* WRITE: where and how much to go */
	u32	rkey;
	u32	pdn;
	u32	left;
	struct cxm_rwqe	wqe;		/* receive WQE in use */
	struct cxm_srq	*wqe_srq;	/* where it came from, NULL: own RQ */
	u32	reads;			/* fresh READ and atomic jobs */
	u32	first_job;
	u32	jobs;
	struct cxm_job	job[CXM_JOBS];
	u32	next_atomic;
	struct cxm_atomic_result atomic[CXM_ATOMICS];
};

struct cxm_qp {
	struct cxm_obj	obj;
	struct cxm_obj	*pd;		/* references held, where not NULL */
	struct cxm_obj	*uar;
	struct cxm_obj	*xrcd;
	struct cxm_cq	*send_cq;
	struct cxm_cq	*recv_cq;
	struct cxm_srq	*srq;
	struct cx_qpc	ctx;		/* as software wrote it */
	struct cxm_buf	buf;
	/* decoded from ->ctx by cxm_qp_decode() */
	enum cx_qp_st	st;
	enum cx_qp_state state;
	u32		pdn;
	u32		mtu;		/* bytes */
	u32		log_msg_max;
	u32		user_index;
	u64		dbr;
	/* the halves */
	struct cxm_sq	sq;
	struct cxm_rq	rq;
	struct cxm_responder resp;
	struct cxm_odp_fault odp[CXM_ODP_SIDES];
	/* errors */
	bool		condemned;	/* goes to ERR when the engine runs */
	bool		first_flush;	/* none since software moved it to ERR */
	bool		last_wqe;	/* SRQ_LAST_WQE was raised */
	bool		comm_est;	/* COMM_EST was raised */
	struct cxm_timer err_timer;	/* looks for new WQEs to flush */
	u64		err_delay;
	/* engine */
	bool		ready;
	struct cxm_qp	*ready_next;
};

struct cxm_qp *cxm_qp_find(struct cxm *m, u32 qpn);

/* Refresh the decoded fields after ->ctx changed. */
void cxm_qp_decode(struct cxm_qp *qp);

/* Drop all work without a word and start counting at zero (2RST). */
void cxm_qp_clear(struct cxm *m, struct cxm_qp *qp);

/* Have the engine look at the QP (soon, from the loop). */
void cxm_qp_schedule(struct cxm *m, struct cxm_qp *qp);

/* To ERR, but not while somebody may be working on it. */
void cxm_qp_condemn(struct cxm *m, struct cxm_qp *qp);

/* Software's send counter, from the doorbell record; @old if unreadable. */
u16 cxm_sq_counter(struct cxm *m, const struct cxm_qp *qp, u16 old);

static inline bool cxm_qp_is_datagram(const struct cxm_qp *qp)
{
	return qp->st == CX_QP_ST_UD || qp->st == CX_QP_ST_QP0 ||
	       qp->st == CX_QP_ST_QP1;
}

static inline bool cxm_qp_is_reliable(const struct cxm_qp *qp)
{
	return qp->st == CX_QP_ST_RC || qp->st == CX_QP_ST_XRC;
}

#endif /* CXM_QP_H */
