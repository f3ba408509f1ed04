// SPDX-License-Identifier: GPL-2.0-only
/* Asynchronous events of queues, told to ib_core. */
#include <linux/kernel.h>

#include <ib/event.h>

#include <connectx/prm_eqc.h>

#include "cx.h"
#include "verbs.h"

struct cx_news {
	u8 type;
	enum ib_event_type event;
};

static const struct cx_news cx_qp_news[] = {
	{ CX_EVENT_PATH_MIG, IB_EVENT_PATH_MIG },
	{ CX_EVENT_COMM_EST, IB_EVENT_COMM_EST },
	{ CX_EVENT_SQ_DRAINED, IB_EVENT_SQ_DRAINED },
	{ CX_EVENT_SRQ_LAST_WQE, IB_EVENT_QP_LAST_WQE_REACHED },
	{ CX_EVENT_WQ_CATAS_ERROR, IB_EVENT_QP_FATAL },
	{ CX_EVENT_PATH_MIG_FAILED, IB_EVENT_PATH_MIG_ERR },
	{ CX_EVENT_WQ_INVAL_REQ_ERROR, IB_EVENT_QP_REQ_ERR },
	{ CX_EVENT_WQ_ACCESS_ERROR, IB_EVENT_QP_ACCESS_ERR },
};

static const struct cx_news cx_srq_news[] = {
	{ CX_EVENT_SRQ_CATAS_ERROR, IB_EVENT_SRQ_ERR },
	{ CX_EVENT_SRQ_LIMIT, IB_EVENT_SRQ_LIMIT_REACHED },
};

static const struct cx_news *cx_news_find(const struct cx_news *tab, size_t n,
					  u8 type)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (tab[i].type == type)
			return &tab[i];
	return NULL;
}

/**
 * cx_qp_event - something happened to a queue pair
 * @h: its handler
 * @type: enum cx_event_type
 *
 * Context: Hard interrupt.
 */
void cx_qp_event(struct cx_event_handler *h, u8 type)
{
	struct cx_qp *qp = container_of(h, struct cx_qp, events);
	const struct cx_news *news;
	struct ib_event event = {};

	news = cx_news_find(cx_qp_news, ARRAY_SIZE(cx_qp_news), type);
	if (!news || !qp->base.event_handler)
		return;
	event.device = qp->base.obj.device;
	event.element.qp = &qp->base;
	event.event = news->event;
	qp->base.event_handler(&event, qp->base.context);
}

/**
 * cx_srq_event - something happened to a shared receive queue
 * @h: its handler
 * @type: enum cx_event_type
 *
 * Context: Hard interrupt.
 */
void cx_srq_event(struct cx_event_handler *h, u8 type)
{
	struct cx_srq *srq = container_of(h, struct cx_srq, events);
	const struct cx_news *news;
	struct ib_event event = {};

	news = cx_news_find(cx_srq_news, ARRAY_SIZE(cx_srq_news), type);
	if (!news || !srq->base.event_handler)
		return;
	event.device = srq->base.obj.device;
	event.element.srq = &srq->base;
	event.event = news->event;
	srq->base.event_handler(&event, srq->base.context);
}

/**
 * cx_cq_error - a completion queue broke
 * @h: its handler
 * @syndrome: how; 1 is overrun
 *
 * Context: Hard interrupt.
 */
void cx_cq_error(struct cx_cq_handler *h, u8 syndrome)
{
	struct cx_cq *cq = container_of(h, struct cx_cq, events);
	struct ib_event event = {};

	dev_warn_ratelimited(to_cx(cq->base.obj.device)->dev,
			     "completion queue 0x%x broke (0x%x)\n", cq->cqn,
			     syndrome);
	if (!cq->base.event_handler)
		return;
	event.device = cq->base.obj.device;
	event.element.cq = &cq->base;
	event.event = IB_EVENT_CQ_ERR;
	cq->base.event_handler(&event, cq->base.context);
}
