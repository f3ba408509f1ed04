/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Event queues, and who hears which event.
 *
 * Handlers run in hard interrupt and nowhere else. So a handler taken out of
 * its table is never called again once cx_*_handler_del() has returned: it
 * waits for the interrupt that might still run it.
 */
#ifndef CX_EQ_H
#define CX_EQ_H

#include <linux/types.h>

struct cx_dev;
struct cx_eq;
struct cx_eqe;

/**
 * struct cx_cq_handler - hears a completion queue
 * @comp: the queue was armed and has an entry
 * @error: the queue broke; @syndrome says how (1 is overrun)
 * @vector: its completion event queue
 */
struct cx_cq_handler {
	void (*comp)(struct cx_cq_handler *h);
	void (*error)(struct cx_cq_handler *h, u8 syndrome);
	unsigned int vector;
};

/**
 * struct cx_event_handler - hears a queue pair or a shared receive queue
 * @event: something happened; @type is an enum cx_event_type
 */
struct cx_event_handler {
	void (*event)(struct cx_event_handler *h, u8 type);
};

bool cx_eqe_valid(u8 owner, u32 ci, unsigned int log_size);

int cx_eq_cmd_init(struct cx_dev *cx);
void cx_eq_cmd_exit(struct cx_dev *cx);
int cx_eq_async_init(struct cx_dev *cx);
void cx_eq_async_exit(struct cx_dev *cx);
int cx_eq_fault_init(struct cx_dev *cx);
void cx_eq_fault_exit(struct cx_dev *cx);
int cx_eq_comp_init(struct cx_dev *cx);
void cx_eq_comp_exit(struct cx_dev *cx);
u8 cx_eq_comp_number(const struct cx_dev *cx, unsigned int vector);

int cx_cq_handler_add(struct cx_dev *cx, u32 cqn, struct cx_cq_handler *h);
void cx_cq_handler_del(struct cx_dev *cx, u32 cqn, struct cx_cq_handler *h);
int cx_qp_handler_add(struct cx_dev *cx, u32 qpn, struct cx_event_handler *h);
void cx_qp_handler_del(struct cx_dev *cx, u32 qpn);
int cx_srq_handler_add(struct cx_dev *cx, u32 srqn,
		       struct cx_event_handler *h);
void cx_srq_handler_del(struct cx_dev *cx, u32 srqn);

/* handlers.c */
void cx_async_event(struct cx_dev *cx, const struct cx_eqe *eqe);
void cx_comp_event(struct cx_dev *cx, const struct cx_eqe *eqe);
void cx_handlers_init(struct cx_dev *cx);
void cx_handlers_exit(struct cx_dev *cx);
void cx_eq_sync_async(struct cx_dev *cx);
void cx_eq_sync_fault(struct cx_dev *cx);
void cx_eq_sync_comp(struct cx_dev *cx, unsigned int vector);

#endif /* CX_EQ_H */
