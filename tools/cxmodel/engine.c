// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who works when. A doorbell, a packet or a timer puts a QP on the ready list;
 * the engine runs from the loop, a bounded number of packets at a time, and
 * comes back through a timer of zero: the guest's next register access does
 * not wait behind a gigabyte on its way.
 */
#include "engine.h"
#include "model.h"
#include "trace.h"

/* Per turn of the loop, and per QP in it (nobody starves) */
#define CXM_TURN_PACKETS	256
#define CXM_QP_PACKETS		32

void cxm_wire_kick(struct cxm *m)
{
	if (!cxm_timer_armed(&m->wire->work))
		cxm_timer_arm(m, &m->wire->work, 0);
}

void cxm_qp_schedule(struct cxm *m, struct cxm_qp *qp)
{
	struct cxm_wire *w = m->wire;

	cxm_wire_kick(m);
	if (qp->ready)
		return;
	qp->ready = true;
	qp->ready_next = NULL;
	*w->ready_tail = qp;
	w->ready_tail = &qp->ready_next;
	w->nready++;
}

static struct cxm_qp *cxm_engine_next(struct cxm_wire *w)
{
	struct cxm_qp *qp = w->ready;

	if (!qp)
		return NULL;
	w->ready = qp->ready_next;
	if (!w->ready)
		w->ready_tail = &w->ready;
	w->nready--;
	qp->ready = false;
	return qp;
}

void cxm_wire_forget(struct cxm *m, struct cxm_qp *qp)
{
	struct cxm_wire *w = m->wire;
	struct cxm_qp **at;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(w->special); i++)
		if (w->special[i] == qp->obj.num)
			w->special[i] = 0;
	if (!qp->ready)
		return;
	for (at = &w->ready; *at != qp; at = &(*at)->ready_next)
		;
	*at = qp->ready_next;
	if (!*at)
		w->ready_tail = at;
	w->nready--;
	qp->ready = false;
}

/* Responses go first: they free the other side's window. */
static bool cxm_engine_serve(struct cxm *m, struct cxm_qp *qp, u32 *budget)
{
	u32 quota = *budget < CXM_QP_PACKETS ? *budget : CXM_QP_PACKETS;
	u32 before = quota;
	bool more;

	if (qp->condemned) {
		qp->condemned = false;
		cxm_qp_error(m, qp, false);
	}
	more = cxm_respond_run(m, qp, &quota);
	if (qp->state == CX_QP_ERR || qp->state == CX_QP_SQER)
		more |= cxm_flush_run(m, qp);
	else
		more |= cxm_requester_run(m, qp, &quota);
	*budget -= before - quota;
	return more;
}

/* Once around: who has more to do than its quota waits for the wire. */
static void cxm_engine_serve_all(struct cxm *m, u32 *budget)
{
	u32 n = m->wire->nready;
	struct cxm_qp *qp;

	for (; n && *budget; n--) {
		qp = cxm_engine_next(m->wire);
		if (!qp)
			return;
		if (cxm_engine_serve(m, qp, budget))
			cxm_qp_schedule(m, qp);
	}
}

static void cxm_engine_turn(struct cxm *m, struct cxm_timer *t)
{
	struct cxm_wire *w = m->wire;
	u32 budget = CXM_TURN_PACKETS;

	(void)t;
	if (m->dead)
		return;
	while (budget && (w->head || w->held || w->ready)) {
		while (budget && cxm_wire_step(m))
			budget--;
		cxm_engine_serve_all(m, &budget);
		if (budget)
			budget--;
	}
	if (w->head || w->held || w->ready)
		cxm_wire_kick(m);
}

void cxm_engine_init(struct cxm *m)
{
	cxm_timer_init(&m->wire->work, cxm_engine_turn);
}
