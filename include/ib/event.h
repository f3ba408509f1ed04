/* SPDX-License-Identifier: GPL-2.0-only */
/* Asynchronous events: of a device, a port, a CQ, a QP, an SRQ, a WQ. */
#ifndef IB_EVENT_H
#define IB_EVENT_H

#include <linux/list.h>
#include <linux/types.h>

struct ib_cq;
struct ib_device;
struct ib_qp;
struct ib_srq;
struct ib_wq;

/* The numbers are user ABI (libibverbs: enum ibv_event_type). */
enum ib_event_type {
	IB_EVENT_CQ_ERR = 0,
	IB_EVENT_QP_FATAL = 1,
	IB_EVENT_QP_REQ_ERR = 2,
	IB_EVENT_QP_ACCESS_ERR = 3,
	IB_EVENT_COMM_EST = 4,
	IB_EVENT_SQ_DRAINED = 5,
	IB_EVENT_PATH_MIG = 6,
	IB_EVENT_PATH_MIG_ERR = 7,
	IB_EVENT_DEVICE_FATAL = 8,
	IB_EVENT_PORT_ACTIVE = 9,
	IB_EVENT_PORT_ERR = 10,
	IB_EVENT_LID_CHANGE = 11,
	IB_EVENT_PKEY_CHANGE = 12,
	IB_EVENT_SM_CHANGE = 13,
	IB_EVENT_SRQ_ERR = 14,
	IB_EVENT_SRQ_LIMIT_REACHED = 15,
	IB_EVENT_QP_LAST_WQE_REACHED = 16,
	IB_EVENT_CLIENT_REREGISTER = 17,
	IB_EVENT_GID_CHANGE = 18,
	IB_EVENT_WQ_FATAL = 19,
};

struct ib_event {
	enum ib_event_type	event;
	struct ib_device	*device;
	union {
		u32		port_num;
		struct ib_qp	*qp;
		struct ib_cq	*cq;
		struct ib_srq	*srq;
		struct ib_wq	*wq;
	} element;
};

/**
 * struct ib_event_handler - gets the events of a device and of its ports
 * @device: which device
 * @handler: called in process context, one event at a time
 * @entry: in the device's list
 */
struct ib_event_handler {
	struct ib_device	*device;
	void			(*handler)(struct ib_event_handler *self,
					   struct ib_event *event);
	struct list_head	entry;
};

void ib_register_event_handler(struct ib_event_handler *handler);
void ib_unregister_event_handler(struct ib_event_handler *handler);

/* For drivers; any context. Objects' events go to the objects' handlers. */
void ib_dispatch_event(const struct ib_event *event);

#endif /* IB_EVENT_H */
