/* SPDX-License-Identifier: GPL-2.0-only */
/* Event channels: file descriptors that user space reads events from. */
#ifndef UVERBS_EVENT_FD_H
#define UVERBS_EVENT_FD_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <rdma/ib_user_verbs.h>
#include <ib/event.h>
#include <ib/uverbs_bundle.h>

struct ib_cq;
struct uverbs_cq;

/* Events of an async file that nobody reads; more are dropped. */
#define UVERBS_MAX_ASYNC_EVENTS	1024

/**
 * struct uverbs_event_queue - what both kinds of channel share
 * @lock: guards @pending, @closed and what hangs on them; any context
 * @wait: readers and pollers
 * @fasync: owners that want SIGIO
 * @pending: what there is to read
 * @closed: nothing will come any more
 */
struct uverbs_event_queue {
	spinlock_t		lock;
	wait_queue_head_t	wait;
	struct fasync_struct	*fasync;
	struct list_head	pending;
	bool			closed;
};

/**
 * struct uverbs_comp_channel - completion channel
 * @uobj: the handle, a file descriptor
 * @queue: @queue.pending has each CQ with unread events once
 */
struct uverbs_comp_channel {
	struct ib_uobject		uobj;
	struct uverbs_event_queue	queue;
};

/**
 * struct uverbs_async_event - one asynchronous event
 * @entry: in uverbs_event_queue::pending
 * @obj_entry: in uverbs_event_uobj::events, for events of an object
 * @obj: whose event, or NULL for the device and its ports
 * @desc: what user space reads
 */
struct uverbs_async_event {
	struct list_head			entry;
	struct list_head			obj_entry;
	struct uverbs_event_uobj		*obj;
	struct ib_uverbs_async_event_desc	desc;
};

/**
 * struct uverbs_async_file - asynchronous events of a device file
 * @uobj: the handle, a file descriptor
 * @queue: @queue.pending has struct uverbs_async_event
 * @handler: gets the device's events
 * @unread: allocated events in the queue
 * @dropped: events that found the queue full
 * @fatal: always there, so that the news of a dead device is never lost
 * @fatal_sent: @fatal is or was in the queue
 */
struct uverbs_async_file {
	struct ib_uobject		uobj;
	struct uverbs_event_queue	queue;
	struct ib_event_handler		handler;
	unsigned int			unread;
	unsigned int			dropped;
	struct uverbs_async_event	fatal;
	bool				fatal_sent;
};

/**
 * struct uverbs_event_uobj - handle of an object that has asynchronous events
 * @uobj: the handle
 * @async: where they go, or NULL
 * @events: unread ones, under the queue's lock
 * @reported: how many were read
 */
struct uverbs_event_uobj {
	struct ib_uobject		uobj;
	struct uverbs_async_file	*async;
	struct list_head		events;
	u32				reported;
};

/**
 * struct uverbs_cq - handle of a CQ
 * @ev: base
 * @channel: where completion events go, or NULL
 * @entry: in the channel's queue when @unread is not 0
 * @unread: completion events that nobody read yet, under the queue's lock
 * @reported: how many were read
 */
struct uverbs_cq {
	struct uverbs_event_uobj	ev;
	struct uverbs_comp_channel	*channel;
	struct list_head		entry;
	u32				unread;
	u32				reported;
};

extern const struct file_operations uverbs_comp_channel_fops;
extern const struct file_operations uverbs_async_fops;

void uverbs_comp_channel_open(struct uverbs_comp_channel *channel);
void uverbs_comp_channel_close(struct uverbs_comp_channel *channel);
void uverbs_cq_set_channel(struct uverbs_cq *cq, struct ib_uobject *channel);
void uverbs_cq_drop_channel(struct uverbs_cq *cq);
void uverbs_cq_event(struct ib_cq *cq, void *context);

void uverbs_async_open(struct uverbs_async_file *async);
void uverbs_async_close(struct uverbs_async_file *async, bool device_gone);
void uverbs_event_uobj_init(struct uverbs_bundle *b,
			    struct uverbs_event_uobj *obj,
			    struct ib_uobject *async);
void uverbs_event_uobj_drop(struct uverbs_event_uobj *obj);
void uverbs_object_event(struct ib_event *event, void *context);

#endif /* UVERBS_EVENT_FD_H */
