/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * On-demand paging. Who meets a missing page waits, with one side of its queue
 * pair: an event tells software which page, with a token; the command
 * PAGE_FAULT_RESUME gives the token back, and what waited goes on or fails.
 *
 * A requester stops sending. A response that finds no room is dropped and asked
 * for again. A responder answers RNR NAK, to the faulting packet and each time
 * it is sent again: the peer keeps the data, we keep nothing. With few RNR
 * retries a slow page costs the connection, as on the real thing.
 */
#ifndef CXM_ODP_H
#define CXM_ODP_H

#include "types.h"

struct cxm_cmd;
struct cxm_packet;
struct cxm_qp;
struct cxm_srq;
struct cxm_swqe;
struct cx_odp_cap;

enum cxm_odp_side {
	CXM_ODP_REQUESTER,
	CXM_ODP_RESPONDER,
	CXM_ODP_SIDES
};

/* What one side of a QP waits for. ->token 0: nothing. */
struct cxm_odp_fault {
	struct cxm_odp_fault *next;	/* of all in the function */
	struct cxm_qp	*qp;
	enum cxm_odp_side side;
	u32		token;
	u8		type;		/* as the event has it */
	bool		remote;		/* a remote access, not a WQE's memory */
	u32		number;		/* of QP or SRQ; remote: the token */
	u16		counter;	/* requester: which WQE */
	u32		psn;		/* responder: of the packet refused */
};

struct cxm_odp {
	struct cxm_odp_fault	*waiting;
	u32			token;		/* last one used */
};

static inline bool cxm_odp_waits(const struct cxm_odp_fault *f)
{
	return f->token;
}

/* A page is missing. False: paging does not cover it, fail. */
bool cxm_odp_send(struct cxm *m, struct cxm_qp *qp, const struct cxm_swqe *w,
		  u32 done, u32 packet_len);
bool cxm_odp_receive(struct cxm *m, struct cxm_qp *qp,
		     const struct cxm_packet *p, u32 done);

struct cxm_odp_access {
	u8	kind;		/* CXM_PKT_WRITE, READ … */
	u32	psn;		/* where the peer shall start again */
	u32	rkey;
	u64	va;		/* of the first byte */
	u32	len;		/* of the whole operation */
	u32	done;
	u32	packet_len;
};

bool cxm_odp_remote(struct cxm *m, struct cxm_qp *qp,
		    const struct cxm_odp_access *a);

void cxm_odp_hold(struct cxm_qp *qp, const struct cxm_packet *p);

void cxm_odp_drop(struct cxm *m, struct cxm_qp *qp, enum cxm_odp_side side);

struct cxm_odp_fault *cxm_odp_find(struct cxm *m, u32 token);
void cxm_odp_resume(struct cxm *m, struct cxm_odp_fault *f, bool error);

/* odp_cmd.c: the capability group, and what software may switch on of it */
void cxm_odp_caps_offer(struct cx_odp_cap *cap);
void cxm_odp_caps_start(struct cx_odp_cap *cap);
void cxm_odp_caps_set(struct cx_odp_cap *cur, const struct cx_odp_cap *max,
		      const struct cx_odp_cap *want);

#endif /* CXM_ODP_H */
