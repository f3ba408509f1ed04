// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events: what happened, and which queues want to know.
 */
#include "eq.h"
#include "model.h"
#include "trace.h"

static bool cxm_eq_wants(const struct cxm_eq *eq, u8 type)
{
	return eq->mask[type / 64] >> (type % 64) & 1;
}

static void cxm_event_deliver(struct cxm *m, struct cxm_obj *obj, void *arg)
{
	struct cxm_eq *eq = container_of(obj, struct cxm_eq, obj);
	const struct cx_eqe *e = arg;

	if (cxm_eq_wants(eq, e->type))
		cxm_eq_post(m, eq, e);
}

/**
 * cxm_event_async() - send an event to every queue that subscribed to it
 * @m: the model
 * @e: the event
 */
void cxm_event_async(struct cxm *m, const struct cx_eqe *e)
{
	struct cx_eqe copy = *e;

	cxm_obj_each(m, CXM_EQ, cxm_event_deliver, &copy);
}

/**
 * cxm_event_comp() - a completion queue has something new
 * @m: the model
 * @eqn: the event queue it is tied to
 * @cqn: the completion queue
 */
void cxm_event_comp(struct cxm *m, u32 eqn, u32 cqn)
{
	struct cxm_eq *eq = cxm_eq_find(m, eqn);
	struct cx_eqe e = { .type = CX_EVENT_COMP };

	e.data.comp.cqn = cpu_to_be32(cqn);
	if (eq)
		cxm_eq_post(m, eq, &e);
}

/**
 * cxm_event_cq_error() - a completion queue broke
 * @m: the model
 * @cqn: its number
 * @syndrome: 1 overrun, 2 not accessible
 */
void cxm_event_cq_error(struct cxm *m, u32 cqn, u8 syndrome)
{
	struct cx_eqe e = { .type = CX_EVENT_CQ_ERROR };

	e.data.cq_err.cqn = cpu_to_be32(cqn);
	e.data.cq_err.syndrome = syndrome;
	cxm_event_async(m, &e);
}

/**
 * cxm_event_qp_srq() - something happened to a QP or an SRQ
 * @m: the model
 * @type: what
 * @rsc: 0 QP, 1 RQ, 2 SQ; 0 for an SRQ
 * @num: its number
 */
void cxm_event_qp_srq(struct cxm *m, enum cx_event_type type, u8 rsc, u32 num)
{
	struct cx_eqe e = { .type = type };

	e.data.qp_srq.type = rsc;
	e.data.qp_srq.number = cpu_to_be32(num);
	cxm_event_async(m, &e);
}

/**
 * cxm_event_port() - something happened to the port
 * @m: the model
 * @sub_type: what
 */
void cxm_event_port(struct cxm *m, enum cx_port_change sub_type)
{
	struct cx_eqe e = {
		.type = CX_EVENT_PORT_CHANGE,
		.sub_type = sub_type,
	};

	e.data.port.port = 1 << 4;
	cxm_event_async(m, &e);
}

/**
 * cxm_event_cmd() - commands are finished
 * @m: the model
 * @vector: a bit for each slot of the command queue
 */
void cxm_event_cmd(struct cxm *m, u32 vector)
{
	struct cx_eqe e = { .type = CX_EVENT_CMD };

	e.data.cmd.vector = cpu_to_be32(vector);
	cxm_event_async(m, &e);
}

struct cxm_event_query {
	u8	type;
	bool	found;
};

static void cxm_event_ask(struct cxm *m, struct cxm_obj *obj, void *arg)
{
	struct cxm_event_query *q = arg;

	(void)m;
	if (cxm_eq_wants(container_of(obj, struct cxm_eq, obj), q->type))
		q->found = true;
}

/**
 * cxm_event_subscribed() - does any queue want this type?
 * @m: the model
 * @type: of event
 *
 * Return: true if an event of the type would be seen.
 */
bool cxm_event_subscribed(struct cxm *m, enum cx_event_type type)
{
	struct cxm_event_query q = { .type = type };

	cxm_obj_each(m, CXM_EQ, cxm_event_ask, &q);
	return q.found;
}
