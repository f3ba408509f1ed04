/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The wire: packets between QPs, for now all of this function. It loses,
 * doubles and reorders packets on demand.
 */
#ifndef CXM_WIRE_H
#define CXM_WIRE_H

#include "packet.h"
#include "timer.h"

struct cxm_qp;

enum cxm_wire_fault_kind {
	CXM_WIRE_NO_FAULT,
	CXM_WIRE_DROP,
	CXM_WIRE_DUPLICATE,
	CXM_WIRE_REORDER,	/* after the packet that follows */
};

#define CXM_WIRE_FAULTS		16
/* So many packets may be on their way before senders have to wait. */
#define CXM_WIRE_ROOM		256

struct cxm_wire_fault {
	enum cxm_wire_fault_kind kind;
	u64	countdown;	/* packets until it strikes */
	u64	count;		/* how many it strikes, 0: free slot */
};

struct cxm_mcg;

struct cxm_wire {
	struct cxm_packet	*head;
	struct cxm_packet	**tail;
	u32			queued;
	struct cxm_packet	*held;		/* reordered */
	struct cxm_packet	*spare;		/* free list */
	struct cxm_wire_fault	fault[CXM_WIRE_FAULTS];
	u32			faults;		/* planned */
	struct cxm_qp		*ready;		/* QPs with something to do */
	struct cxm_qp		**ready_tail;
	u32			nready;
	struct cxm_timer	work;
	u32			special[2];	/* QPN of QP0 and QP1, 0: none */
	struct cxm_mcg		*mcg;
};

struct cxm_packet *cxm_packet_alloc(struct cxm *m);
void cxm_packet_free(struct cxm *m, struct cxm_packet *p);

/* Send: the packet belongs to the wire now. */
void cxm_wire_send(struct cxm *m, struct cxm_packet *p);

static inline bool cxm_wire_full(const struct cxm_wire *w)
{
	return w->queued >= CXM_WIRE_ROOM;
}

/*
 * For the control socket: the @nth packet from now (1 = next), and @count - 1
 * behind it, suffer @kind ("drop", "duplicate", "reorder"). False: no such
 * kind, or too many planned.
 */
bool cxm_wire_fault_plan(struct cxm *m, const char *kind, u64 nth, u64 count);

/* Deliver the oldest packet; false if there is none. */
bool cxm_wire_step(struct cxm *m);

/* engine.c: have the engine run from the loop. */
void cxm_engine_init(struct cxm *m);
void cxm_wire_kick(struct cxm *m);

/* The QP goes away. */
void cxm_wire_forget(struct cxm *m, struct cxm_qp *qp);

/* mcg.c: multicast groups */
void cxm_mcg_deliver(struct cxm *m, struct cxm_packet *p);
void cxm_mcg_forget(struct cxm *m, u32 qpn);
void cxm_mcg_clear(struct cxm *m);

#endif /* CXM_WIRE_H */
