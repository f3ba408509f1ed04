// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events of devices and ports go out one by one, from an ordered workqueue,
 * after the port's tables were read again if the driver asked for that first.
 */
#include <kunit/visibility.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <ib/event.h>
#include "core_priv.h"

struct workqueue_struct *ib_event_wq;

struct event_work {
	struct work_struct	work;
	struct ib_event		event;
};

static void call_handlers(struct work_struct *work)
{
	struct event_work *ew = container_of(work, struct event_work, work);
	struct ib_device *device = ew->event.device;
	struct ib_event_handler *handler;

	down_read(&device->event_lock);
	list_for_each_entry(handler, &device->event_handlers, entry)
		handler->handler(handler, &ew->event);
	up_read(&device->event_lock);
	put_device(&device->dev);
	kfree(ew);
}

/**
 * ib_register_event_handler() - hear the events of a device
 * @handler: with device and handler set
 *
 * Context: Process context. Takes and releases event_lock.
 */
void ib_register_event_handler(struct ib_event_handler *handler)
{
	struct ib_device *device = handler->device;

	down_write(&device->event_lock);
	list_add_tail(&handler->entry, &device->event_handlers);
	up_write(&device->event_lock);
}
EXPORT_SYMBOL_IB(ib_register_event_handler);

/**
 * ib_unregister_event_handler() - hear them no more
 * @handler: a registered handler, which is not running when this returns
 *
 * Context: Process context, not from a handler. Takes and releases
 * event_lock.
 */
void ib_unregister_event_handler(struct ib_event_handler *handler)
{
	struct ib_device *device = handler->device;

	down_write(&device->event_lock);
	list_del(&handler->entry);
	up_write(&device->event_lock);
}
EXPORT_SYMBOL_IB(ib_unregister_event_handler);

/**
 * ib_dispatch_event() - send an event of a device or of a port
 * @event: copied
 *
 * An event is lost when there is no memory for it, as one of a device that has
 * no handler is.
 *
 * Context: Any context, before ib_unregister_device() returns.
 */
void ib_dispatch_event(const struct ib_event *event)
{
	struct event_work *ew = kmalloc(sizeof(*ew), GFP_ATOMIC);

	if (!ew)
		return;
	INIT_WORK(&ew->work, call_handlers);
	ew->event = *event;
	get_device(&event->device->dev);
	queue_work(ib_event_wq, &ew->work);
}
EXPORT_SYMBOL_IB(ib_dispatch_event);

void ib_event_flush(void)
{
	flush_workqueue(ib_event_wq);
}
EXPORT_SYMBOL_IF_KUNIT(ib_event_flush);

int ib_event_init(void)
{
	ib_event_wq = alloc_ordered_workqueue("ib_event", 0);
	return ib_event_wq ? 0 : -ENOMEM;
}

void ib_event_exit(void)
{
	destroy_workqueue(ib_event_wq);
}
