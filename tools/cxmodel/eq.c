// SPDX-License-Identifier: GPL-2.0-only
/*
 * Event queues.
 *
 * Entries are written whether or not the queue is armed: software may poll.
 * Arming asks for one interrupt: at once if there are entries that software has
 * not taken yet, else with the next one. A full queue holds further events back
 * until software says how far it got; nothing is lost.
 */
#include <stdlib.h>

#include "cmd.h"
#include "eq.h"
#include "model.h"
#include "trace.h"

#define CXM_EQE_BYTES	sizeof(struct cx_eqe)

struct cxm_eqe_held {
	struct cxm_eqe_held *next;
	struct cx_eqe eqe;
};

/**
 * cxm_eq_find() - look an event queue up
 * @m: the model
 * @eqn: its number
 *
 * Return: the queue, or NULL.
 */
struct cxm_eq *cxm_eq_find(struct cxm *m, u32 eqn)
{
	struct cxm_obj *obj = cxm_obj_find(m, CXM_EQ, eqn);

	return obj ? container_of(obj, struct cxm_eq, obj) : NULL;
}

static u32 cxm_eq_used(const struct cxm_eq *eq)
{
	return (eq->producer - eq->consumer) & CX_EQ_CI_MASK;
}

static bool cxm_eq_full(const struct cxm_eq *eq)
{
	return cxm_eq_used(eq) >= BIT(eq->log_size);
}

static void cxm_eq_fire(struct cxm *m, struct cxm_eq *eq)
{
	eq->armed = false;
	cxm_irq_raise(m, eq->vector);
}

/* All bytes of the entry and of its index, signature included, XOR to 0xff. */
static u8 cxm_eqe_signature(const struct cx_eqe *e, u32 index)
{
	const u8 *b = (const u8 *)e;
	u8 sum = 0xff ^ (index & 0xff) ^ (index >> 8 & 0xff) ^
		 (index >> 16 & 0xff);
	u32 i;

	for (i = 0; i < CXM_EQE_BYTES; i++)
		sum ^= b[i];
	return sum;
}

static void cxm_eq_write(struct cxm *m, struct cxm_eq *eq,
			 const struct cx_eqe *e)
{
	u32 slot = eq->producer & (BIT(eq->log_size) - 1);
	struct cx_eqe out = *e;

	out.owner = eq->producer >> eq->log_size & CX_EQE_OWNER;
	out.signature = 0;
	out.signature = cxm_eqe_signature(&out, eq->producer);
	cxm_trace(m, "eq %u: event 0x%02x.%u at %u", eq->obj.num, e->type,
		  e->sub_type, eq->producer);
	if (!cxm_buf_publish(m, &eq->buf, slot * CXM_EQE_BYTES, &out,
			     CXM_EQE_BYTES))
		cxm_warn(m, "eq %u: entry %u is not writable", eq->obj.num,
			 slot);
	eq->producer++;
}

static void cxm_eq_hold(struct cxm *m, struct cxm_eq *eq,
			const struct cx_eqe *e)
{
	struct cxm_eqe_held *h = malloc(sizeof(*h));

	if (!eq->overflow)
		cxm_warn(m, "eq %u is full, events wait", eq->obj.num);
	eq->overflow = true;
	if (!h)
		return;
	h->eqe = *e;
	h->next = NULL;
	*eq->held_tail = h;
	eq->held_tail = &h->next;
}

static void cxm_eq_release_held(struct cxm *m, struct cxm_eq *eq)
{
	struct cxm_eqe_held *h;

	while (eq->held && !cxm_eq_full(eq)) {
		h = eq->held;
		eq->held = h->next;
		cxm_eq_write(m, eq, &h->eqe);
		free(h);
	}
	if (!eq->held) {
		eq->held_tail = &eq->held;
		eq->overflow = false;
	}
}

/**
 * cxm_eq_post() - put an event into a queue
 * @m: the model
 * @eq: the queue
 * @e: the event; owner and signature are filled in here
 */
void cxm_eq_post(struct cxm *m, struct cxm_eq *eq, const struct cx_eqe *e)
{
	if (eq->held || cxm_eq_full(eq)) {
		cxm_eq_hold(m, eq, e);
		return;
	}
	cxm_eq_write(m, eq, e);
	if (eq->armed)
		cxm_eq_fire(m, eq);
}

/**
 * cxm_eq_doorbell() - software says how far it has read
 * @m: the model
 * @uar: UAR page written to
 * @value: number of the queue and consumer index
 * @arm: it also wants an interrupt
 */
void cxm_eq_doorbell(struct cxm *m, u32 uar, u32 value, bool arm)
{
	struct cxm_eq *eq = cxm_eq_find(m, value >> 24);
	u32 ci = value & CX_EQ_CI_MASK;

	if (!eq) {
		cxm_warn(m, "doorbell of eq %u, which does not exist",
			 value >> 24);
		return;
	}
	if (eq->uar->num != uar)
		cxm_warn(m, "doorbell of eq %u in UAR 0x%x, not its own 0x%x",
			 eq->obj.num, uar, eq->uar->num);
	if (((eq->producer - ci) & CX_EQ_CI_MASK) > BIT(eq->log_size)) {
		cxm_warn(m, "eq %u: consumer index 0x%x, producer is at 0x%x",
			 eq->obj.num, ci, eq->producer);
		return;
	}
	eq->consumer = ci;
	cxm_trace(m, "eq %u: ci 0x%x%s", eq->obj.num, ci, arm ? " arm" : "");
	cxm_eq_release_held(m, eq);
	if (arm)
		eq->armed = true;
	if (eq->armed && cxm_eq_used(eq))
		cxm_eq_fire(m, eq);
}

static int cxm_eq_setup(struct cxm *m, struct cxm_eq *eq, struct cxm_cmd *c)
{
	struct cx_create_eq_in *in = (void *)c->in;
	const struct cx_eqc *ctx = cx_create_eq_in_eq_context_entry(in);
	const __be64 *mask = (const void *)cx_create_eq_in_event_bitmask(in);
	u32 i;

	eq->ctx = *ctx;
	eq->log_size = cx_eqc_get_log_eq_size(ctx);
	eq->vector = cx_eqc_get_intr(ctx);
	eq->held_tail = &eq->held;
	for (i = 0; i < ARRAY_SIZE(eq->mask); i++)
		eq->mask[i] = be64_to_cpu(mask[i]);
	if (eq->log_size > cx_hca_cap_get_log_max_eq_sz(&m->caps.cur.general) ||
	    eq->vector >= CXM_MSIX_VECTORS || cx_eqc_get_page_offset(ctx))
		return CX_STATUS_BAD_PARAM;
	eq->uar = cxm_obj_named(m, CXM_UAR, cx_eqc_get_uar_page(ctx),
				c->desc->name);
	if (!eq->uar)
		return CX_STATUS_BAD_RES;
	return cxm_buf_init(m, &eq->buf, c, sizeof(*in),
			    cx_eqc_get_log_page_size(ctx), 0,
			    CXM_EQE_BYTES << eq->log_size);
}

int cxm_cmd_create_eq(struct cxm *m, struct cxm_cmd *c)
{
	struct cx_create_eq_out *out = c->out;
	struct cxm_eq *eq = calloc(1, sizeof(*eq));
	int status;

	if (!eq)
		return CX_STATUS_NO_RES;
	status = cxm_eq_setup(m, eq, c);
	if (!status)
		status = cxm_obj_add(m, CXM_EQ, &eq->obj);
	if (status) {
		cxm_buf_exit(&eq->buf);
		free(eq);
		return status;
	}
	cxm_obj_get(eq->uar);
	cx_create_eq_out_set_eq_number(out, eq->obj.num);
	return CX_STATUS_OK;
}

/**
 * cxm_eq_forget() - free a queue's memory
 * @m: the model
 * @obj: the queue
 */
void cxm_eq_forget(struct cxm *m, struct cxm_obj *obj)
{
	struct cxm_eq *eq = container_of(obj, struct cxm_eq, obj);
	struct cxm_eqe_held *h;

	(void)m;
	while ((h = eq->held)) {
		eq->held = h->next;
		free(h);
	}
	cxm_buf_exit(&eq->buf);
	free(eq);
}

int cxm_cmd_destroy_eq(struct cxm *m, struct cxm_cmd *c)
{
	const struct cx_eq_number_in *in = c->in;
	struct cxm_obj *obj, *uar;
	int status;

	obj = cxm_obj_named(m, CXM_EQ, cx_eq_number_in_get_eq_number(in),
			    c->desc->name);
	if (!obj)
		return CX_STATUS_BAD_RES;
	uar = container_of(obj, struct cxm_eq, obj)->uar;
	status = cxm_obj_remove(m, obj);
	if (status)
		return status;
	cxm_obj_put(uar);
	cxm_eq_forget(m, obj);
	return CX_STATUS_OK;
}

int cxm_cmd_query_eq(struct cxm *m, struct cxm_cmd *c)
{
	const struct cx_eq_number_in *in = c->in;
	struct cx_query_eq_out *out = c->out;
	struct cx_eqc *ctx = cx_query_eq_out_eq_context_entry(out);
	struct cxm_obj *obj;
	struct cxm_eq *eq;

	obj = cxm_obj_named(m, CXM_EQ, cx_eq_number_in_get_eq_number(in),
			    c->desc->name);
	if (!obj)
		return CX_STATUS_BAD_RES;
	eq = container_of(obj, struct cxm_eq, obj);
	*ctx = eq->ctx;
	cx_eqc_set_st(ctx, eq->armed ? CX_EQ_ARMED : CX_EQ_FIRED);
	cx_eqc_set_consumer_counter(ctx, eq->consumer);
	cx_eqc_set_producer_counter(ctx, eq->producer & CX_EQ_CI_MASK);
	return CX_STATUS_OK;
}
