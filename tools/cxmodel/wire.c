// SPDX-License-Identifier: GPL-2.0-only
/*
 * The wire of this function. A packet goes to its LID: our own is looped back
 * through a queue, any other leads nowhere until there is a wire to others.
 * Multicast comes back like our own.
 */
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "model.h"
#include "trace.h"
#include "wire.h"

#define CXM_LID_MULTICAST	0xc000
#define CXM_LID_PERMISSIVE	0xffff
#define CXM_QPN_MULTICAST	0xffffff

struct cxm_packet *cxm_packet_alloc(struct cxm *m)
{
	struct cxm_packet *p = m->wire->spare;

	if (p)
		m->wire->spare = p->next;
	else
		p = malloc(sizeof(*p));
	if (p)
		memset(p, 0, offsetof(struct cxm_packet, data));
	return p;
}

void cxm_packet_free(struct cxm *m, struct cxm_packet *p)
{
	p->next = m->wire->spare;
	m->wire->spare = p;
}

static void cxm_wire_queue(struct cxm *m, struct cxm_packet *p)
{
	struct cxm_wire *w = m->wire;

	p->next = NULL;
	*w->tail = p;
	w->tail = &p->next;
	w->queued++;
	cxm_wire_kick(m);
}

static struct cxm_packet *cxm_packet_copy(struct cxm *m,
					  const struct cxm_packet *p)
{
	struct cxm_packet *copy = cxm_packet_alloc(m);

	if (copy)
		memcpy(copy, p, offsetof(struct cxm_packet, data) + p->len);
	return copy;
}

static enum cxm_wire_fault_kind cxm_wire_strike(struct cxm_wire *w)
{
	enum cxm_wire_fault_kind kind = CXM_WIRE_NO_FAULT;
	struct cxm_wire_fault *f;

	if (!w->faults)
		return kind;
	for (f = w->fault; f < w->fault + CXM_WIRE_FAULTS; f++) {
		if (!f->count || --f->countdown)
			continue;
		kind = f->kind;
		f->countdown = 1;
		if (!--f->count)
			w->faults--;
	}
	return kind;
}

static void cxm_wire_release_held(struct cxm *m)
{
	struct cxm_packet *held = m->wire->held;

	m->wire->held = NULL;
	if (held)
		cxm_wire_queue(m, held);
}

static bool cxm_wire_is_ours(struct cxm *m, const struct cxm_packet *p)
{
	return p->force_lb || p->dlid == m->port.lid ||
	       (p->dlid >= CXM_LID_MULTICAST && p->dlid != CXM_LID_PERMISSIVE);
}

static void cxm_wire_loop(struct cxm *m, struct cxm_packet *p)
{
	enum cxm_wire_fault_kind kind = cxm_wire_strike(m->wire);
	struct cxm_packet *copy;

	switch (kind) {
	case CXM_WIRE_DROP:
		cxm_trace(m, "packet dropped on demand");
		cxm_packet_free(m, p);
		return;
	case CXM_WIRE_DUPLICATE:
		cxm_trace(m, "packet doubled on demand");
		copy = cxm_packet_copy(m, p);
		if (copy)
			cxm_wire_queue(m, copy);
		break;
	case CXM_WIRE_REORDER:
		cxm_trace(m, "packet delayed on demand");
		cxm_wire_release_held(m);
		m->wire->held = p;
		cxm_wire_kick(m);
		return;
	case CXM_WIRE_NO_FAULT:
		break;
	}
	cxm_wire_queue(m, p);
	cxm_wire_release_held(m);
}

void cxm_wire_send(struct cxm *m, struct cxm_packet *p)
{
	cxm_trace(m, "packet %s qpn=0x%x psn=0x%x len=%u%s%s",
		  cxm_pkt_name(p->opcode), p->dqpn, p->psn, p->len,
		  p->ack_req ? " ackreq" : "",
		  p->syndrome >= CXM_AETH_RNR ? " nak" : "");
	m->port.tx_packets++;
	m->port.tx_bytes += p->len;
	if (m->port.state == CX_PORT_STATE_ACTIVE && cxm_wire_is_ours(m, p)) {
		cxm_wire_loop(m, p);
		return;
	}
	cxm_trace(m, "packet to LID 0x%x leads nowhere", p->dlid);
	cxm_packet_free(m, p);
}

static u8 cxm_service(const struct cxm_qp *qp)
{
	switch (qp->st) {
	case CX_QP_ST_RC:
		return CXM_PKT_RC;
	case CX_QP_ST_UC:
		return CXM_PKT_UC;
	case CX_QP_ST_XRC:
		return CXM_PKT_XRC;
	default:
		return CXM_PKT_UD;
	}
}

static void cxm_wire_deliver(struct cxm *m, struct cxm_packet *p)
{
	enum cxm_pkt_kind kind = cxm_pkt_kind(p->opcode);
	struct cxm_qp *qp;
	u32 qpn = p->dqpn;

	if (qpn == CXM_QPN_MULTICAST) {
		cxm_mcg_deliver(m, p);
		return;
	}
	if (qpn < ARRAY_SIZE(m->wire->special))
		qpn = m->wire->special[qpn];
	qp = cxm_qp_find(m, qpn);
	if (!qp || qp->st == CX_QP_ST_REG_UMR || kind == CXM_PKT_RESERVED ||
	    (p->opcode & CXM_PKT_SERVICE_MASK) != cxm_service(qp)) {
		cxm_trace(m, "packet for QP 0x%x ignored: %s", p->dqpn,
			  qp ? "not its service" : "no such QP");
		return;
	}
	m->port.rx_packets++;
	m->port.rx_bytes += p->len;
	if (cxm_qp_is_datagram(qp))
		cxm_ud_receive(m, qp, p);
	else if (cxm_pkt_is_response(kind))
		cxm_requester_response(m, qp, p);
	else
		cxm_responder_request(m, qp, p);
}

bool cxm_wire_step(struct cxm *m)
{
	struct cxm_wire *w = m->wire;
	struct cxm_packet *p = w->head;

	if (!p) {
		cxm_wire_release_held(m);
		return w->head;
	}
	w->head = p->next;
	if (!w->head)
		w->tail = &w->head;
	w->queued--;
	cxm_wire_deliver(m, p);
	cxm_packet_free(m, p);
	return true;
}

static const struct cxm_wire_fault_name {
	const char *name;
	enum cxm_wire_fault_kind kind;
} cxm_wire_fault_names[] = {
	{ "drop", CXM_WIRE_DROP },
	{ "duplicate", CXM_WIRE_DUPLICATE },
	{ "reorder", CXM_WIRE_REORDER },
};

static enum cxm_wire_fault_kind cxm_wire_fault_kind(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cxm_wire_fault_names); i++)
		if (!strcmp(name, cxm_wire_fault_names[i].name))
			return cxm_wire_fault_names[i].kind;
	return CXM_WIRE_NO_FAULT;
}

bool cxm_wire_fault_plan(struct cxm *m, const char *kind, u64 nth, u64 count)
{
	struct cxm_wire *w = m->wire;
	struct cxm_wire_fault *f;
	struct cxm_wire_fault plan = {
		.kind = cxm_wire_fault_kind(kind),
		.countdown = nth,
		.count = count,
	};

	if (plan.kind == CXM_WIRE_NO_FAULT || !nth || !count)
		return false;
	for (f = w->fault; f < w->fault + CXM_WIRE_FAULTS; f++) {
		if (f->count)
			continue;
		*f = plan;
		w->faults++;
		return true;
	}
	return false;
}

static void cxm_wire_empty(struct cxm *m)
{
	struct cxm_wire *w = m->wire;
	struct cxm_packet *p;

	while ((p = w->head)) {
		w->head = p->next;
		cxm_packet_free(m, p);
	}
	w->tail = &w->head;
	w->queued = 0;
	if (w->held)
		cxm_packet_free(m, w->held);
	w->held = NULL;
}

int cxm_wire_init(struct cxm *m)
{
	m->wire = calloc(1, sizeof(*m->wire));
	if (!m->wire)
		return -1;
	m->wire->tail = &m->wire->head;
	m->wire->ready_tail = &m->wire->ready;
	cxm_engine_init(m);
	return 0;
}

void cxm_wire_reset(struct cxm *m)
{
	struct cxm_wire *w = m->wire;

	cxm_wire_empty(m);
	cxm_mcg_clear(m);
	cxm_timer_cancel(m, &w->work);
	w->ready = NULL;
	w->ready_tail = &w->ready;
	w->nready = 0;
	memset(w->special, 0, sizeof(w->special));
	memset(w->fault, 0, sizeof(w->fault));
	w->faults = 0;
}

void cxm_wire_exit(struct cxm *m)
{
	struct cxm_packet *p;

	cxm_wire_reset(m);
	while ((p = m->wire->spare)) {
		m->wire->spare = p->next;
		free(p);
	}
	free(m->wire);
	m->wire = NULL;
}
