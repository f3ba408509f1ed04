// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who hears which event: the tables from number to handler, and the entries
 * of the asynchronous and completion event queues sent through them. An event
 * for a number nobody knows is dropped: its object has just been destroyed.
 */
#include <linux/xarray.h>

#include <connectx/prm_eqc.h>

#include "cx.h"
#include "eq.h"
#include "refuse.h"
#include "verbs_if.h"

#define CX_NUMBER_MASK	0xffffff

/**
 * cx_comp_event - a completion queue has something
 * @cx: the device
 * @eqe: the event
 *
 * Context: Hard interrupt.
 */
void cx_comp_event(struct cx_dev *cx, const struct cx_eqe *eqe)
{
	u32 cqn = be32_to_cpu(eqe->data.comp.cqn) & CX_NUMBER_MASK;
	struct cx_cq_handler *h = xa_load(&cx->handlers.cqs, cqn);

	if (h)
		h->comp(h);
}

static void cx_cq_error_event(struct cx_dev *cx, const struct cx_eqe *eqe)
{
	u32 cqn = be32_to_cpu(eqe->data.cq_err.cqn) & CX_NUMBER_MASK;
	struct cx_cq_handler *h = xa_load(&cx->handlers.cqs, cqn);

	if (h)
		h->error(h, eqe->data.cq_err.syndrome);
}

static void cx_queue_event(struct xarray *table, const struct cx_eqe *eqe)
{
	u32 number = be32_to_cpu(eqe->data.qp_srq.number) & CX_NUMBER_MASK;
	struct cx_event_handler *h = xa_load(table, number);

	if (h)
		h->event(h, eqe->type);
}

/**
 * cx_async_event - anything but completions and commands
 * @cx: the device
 * @eqe: the event
 *
 * Context: Hard interrupt.
 */
void cx_async_event(struct cx_dev *cx, const struct cx_eqe *eqe)
{
	switch (eqe->type) {
	case CX_EVENT_CQ_ERROR:
		cx_cq_error_event(cx, eqe);
		break;
	case CX_EVENT_PATH_MIG:
	case CX_EVENT_PATH_MIG_FAILED:
	case CX_EVENT_COMM_EST:
	case CX_EVENT_SQ_DRAINED:
	case CX_EVENT_SRQ_LAST_WQE:
	case CX_EVENT_WQ_CATAS_ERROR:
	case CX_EVENT_WQ_INVAL_REQ_ERROR:
	case CX_EVENT_WQ_ACCESS_ERROR:
		cx_queue_event(&cx->handlers.qps, eqe);
		break;
	case CX_EVENT_SRQ_CATAS_ERROR:
	case CX_EVENT_SRQ_LIMIT:
		cx_queue_event(&cx->handlers.srqs, eqe);
		break;
	case CX_EVENT_PORT_CHANGE:
		cx_verbs_port_event(cx, eqe->data.port.port >> 4,
				    eqe->sub_type);
		break;
	case CX_EVENT_PAGE_REQUEST:
		cx_pages_request(cx, be16_to_cpu(eqe->data.page_req.func_id),
				 be32_to_cpu(eqe->data.page_req.num_pages));
		break;
	case CX_EVENT_INTERNAL_ERROR:
		cx_dev_kill(cx, "firmware reports an internal error");
		break;
	default:
		dev_warn_ratelimited(cx->dev, "event of unknown type 0x%x\n",
				     eqe->type);
	}
}

static int cx_handler_add(struct xarray *table, u32 number, void *handler)
{
	int ret = xa_insert(table, number, handler, GFP_KERNEL);

	if (ret)
		cx_refuse(ret, ret == -EBUSY ?
			  "firmware gave number %llu out twice" :
			  "no memory to hear number %llu", number, 0);
	return ret;
}

/**
 * cx_cq_handler_add - hear a completion queue
 * @cx: the device
 * @cqn: its number
 * @h: the handler
 *
 * Context: Process context. Sleeps.
 * Return: 0; -ENOMEM; -EBUSY if the firmware hands out a number twice.
 */
int cx_cq_handler_add(struct cx_dev *cx, u32 cqn, struct cx_cq_handler *h)
{
	return cx_handler_add(&cx->handlers.cqs, cqn, h);
}

/**
 * cx_cq_handler_del - stop hearing a completion queue
 * @cx: the device
 * @cqn: its number
 * @h: the handler; it does not run any more when this returns
 *
 * Context: Process context. Sleeps.
 */
void cx_cq_handler_del(struct cx_dev *cx, u32 cqn, struct cx_cq_handler *h)
{
	xa_erase(&cx->handlers.cqs, cqn);
	cx_eq_sync_comp(cx, h->vector);
	cx_eq_sync_async(cx);
}

/**
 * cx_qp_handler_add - hear a queue pair
 * @cx: the device
 * @qpn: its number
 * @h: the handler
 *
 * Context: Process context. Sleeps.
 * Return: 0; -ENOMEM; -EBUSY if the firmware hands out a number twice.
 */
int cx_qp_handler_add(struct cx_dev *cx, u32 qpn, struct cx_event_handler *h)
{
	return cx_handler_add(&cx->handlers.qps, qpn, h);
}

/* Nobody who looked a queue up works with it any more. */
static void cx_handlers_sync(struct cx_dev *cx)
{
	cx_eq_sync_async(cx);
	down_write(&cx->handlers.readers);
	up_write(&cx->handlers.readers);
}

/**
 * cx_qp_handler_del - stop hearing a queue pair
 * @cx: the device
 * @qpn: its number; its handler does not run any more when this returns
 *
 * Context: Process context. Sleeps.
 */
void cx_qp_handler_del(struct cx_dev *cx, u32 qpn)
{
	xa_erase(&cx->handlers.qps, qpn);
	cx_handlers_sync(cx);
}

/**
 * cx_srq_handler_add - hear a shared receive queue
 * @cx: the device
 * @srqn: its number
 * @h: the handler
 *
 * Context: Process context. Sleeps.
 * Return: 0; -ENOMEM; -EBUSY if the firmware hands out a number twice.
 */
int cx_srq_handler_add(struct cx_dev *cx, u32 srqn, struct cx_event_handler *h)
{
	return cx_handler_add(&cx->handlers.srqs, srqn, h);
}

/**
 * cx_srq_handler_del - stop hearing a shared receive queue
 * @cx: the device
 * @srqn: its number; its handler does not run any more when this returns
 *
 * Context: Process context. Sleeps.
 */
void cx_srq_handler_del(struct cx_dev *cx, u32 srqn)
{
	xa_erase(&cx->handlers.srqs, srqn);
	cx_handlers_sync(cx);
}

/**
 * cx_handlers_init - make the tables
 * @cx: the device
 *
 * Context: Process context.
 */
void cx_handlers_init(struct cx_dev *cx)
{
	xa_init(&cx->handlers.cqs);
	xa_init(&cx->handlers.qps);
	xa_init(&cx->handlers.srqs);
	init_rwsem(&cx->handlers.readers);
}

/**
 * cx_handlers_exit - the tables must be empty again
 * @cx: the device
 *
 * Context: Process context.
 */
void cx_handlers_exit(struct cx_dev *cx)
{
	WARN_ON(!xa_empty(&cx->handlers.cqs));
	WARN_ON(!xa_empty(&cx->handlers.qps));
	WARN_ON(!xa_empty(&cx->handlers.srqs));
	xa_destroy(&cx->handlers.cqs);
	xa_destroy(&cx->handlers.qps);
	xa_destroy(&cx->handlers.srqs);
}
