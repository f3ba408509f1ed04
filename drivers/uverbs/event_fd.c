// SPDX-License-Identifier: GPL-2.0-only
/*
 * Event channels.
 *
 * Completion events are counted at their CQ and take no memory: a CQ with
 * unread events is in its channel's queue once, and goes to the end after
 * each read. A user who arms for ever and never reads costs nothing.
 *
 * Asynchronous events are allocated, and limited. The one that says that the
 * device is dead has its place reserved; behind it the file ends.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <ib/ucontext.h>
#include "event_fd.h"
#include "uverbs_priv.h"

/* Room for either kind of event */
union uverbs_event_desc {
	struct ib_uverbs_comp_event_desc	comp;
	struct ib_uverbs_async_event_desc	async;
};

static void queue_init(struct uverbs_event_queue *queue)
{
	spin_lock_init(&queue->lock);
	init_waitqueue_head(&queue->wait);
	INIT_LIST_HEAD(&queue->pending);
}

static void queue_wake(struct uverbs_event_queue *queue)
{
	wake_up_interruptible(&queue->wait);
	kill_fasync(&queue->fasync, SIGIO, POLL_IN);
}

static bool queue_ready(struct uverbs_event_queue *queue)
{
	return !list_empty_careful(&queue->pending) ||
		READ_ONCE(queue->closed);
}

typedef void (*uverbs_pop_fn)(struct uverbs_event_queue *queue,
			      union uverbs_event_desc *desc);

/* Take an event: 0, -EAGAIN when there is none, or why there never will be */
static int queue_pop(struct uverbs_event_queue *queue, bool fits,
		     uverbs_pop_fn pop, union uverbs_event_desc *desc)
{
	int ret = 0;

	spin_lock_irq(&queue->lock);
	if (list_empty(&queue->pending))
		ret = queue->closed ? uverbs_refuse(-EIO, "device is gone") :
				      -EAGAIN;
	else if (!fits)
		ret = uverbs_refuse(-EINVAL, "no room for an event");
	else
		pop(queue, desc);
	spin_unlock_irq(&queue->lock);
	return ret;
}

static ssize_t queue_read(struct uverbs_event_queue *queue, struct file *filp,
			  char __user *buf, size_t count, size_t size,
			  uverbs_pop_fn pop)
{
	union uverbs_event_desc desc;
	int ret;

	for (;;) {
		ret = queue_pop(queue, count >= size, pop, &desc);
		if (ret != -EAGAIN || filp->f_flags & O_NONBLOCK)
			break;
		if (wait_event_interruptible(queue->wait, queue_ready(queue)))
			return -ERESTARTSYS;
	}
	if (ret)
		return ret;
	if (copy_to_user(buf, &desc, size))
		return uverbs_refuse(-EFAULT, "cannot write the event");
	return size;
}

static __poll_t queue_poll(struct uverbs_event_queue *queue,
			   struct file *filp, struct poll_table_struct *wait)
{
	__poll_t mask = 0;

	poll_wait(filp, &queue->wait, wait);
	spin_lock_irq(&queue->lock);
	if (!list_empty(&queue->pending))
		mask = EPOLLIN | EPOLLRDNORM;
	else if (queue->closed)
		mask = EPOLLERR;
	spin_unlock_irq(&queue->lock);
	return mask;
}

static struct uverbs_comp_channel *to_channel(struct ib_uobject *uobj)
{
	return container_of(uobj, struct uverbs_comp_channel, uobj);
}

static struct uverbs_async_file *to_async(struct ib_uobject *uobj)
{
	return container_of(uobj, struct uverbs_async_file, uobj);
}

static void pop_comp(struct uverbs_event_queue *queue,
		     union uverbs_event_desc *desc)
{
	struct uverbs_cq *cq = list_first_entry(&queue->pending,
						struct uverbs_cq, entry);

	desc->comp.cq_handle = cq->ev.uobj.user_handle;
	cq->reported++;
	if (--cq->unread)
		list_move_tail(&cq->entry, &queue->pending);
	else
		list_del_init(&cq->entry);
}

static ssize_t comp_read(struct file *filp, char __user *buf, size_t count,
			 loff_t *pos)
{
	struct uverbs_comp_channel *channel = to_channel(filp->private_data);

	return queue_read(&channel->queue, filp, buf, count,
			  sizeof(struct ib_uverbs_comp_event_desc), pop_comp);
}

static __poll_t comp_poll(struct file *filp, struct poll_table_struct *wait)
{
	struct uverbs_comp_channel *channel = to_channel(filp->private_data);

	return queue_poll(&channel->queue, filp, wait);
}

static int comp_fasync(int fd, struct file *filp, int on)
{
	struct uverbs_comp_channel *channel = to_channel(filp->private_data);

	return fasync_helper(fd, filp, on, &channel->queue.fasync);
}

const struct file_operations uverbs_comp_channel_fops = {
	.owner = THIS_MODULE,
	.read = comp_read,
	.poll = comp_poll,
	.fasync = comp_fasync,
	.release = uverbs_fd_release,
};

/**
 * uverbs_comp_channel_open() - make a reserved handle a completion channel
 * @channel: the channel
 *
 * Context: Any context.
 */
void uverbs_comp_channel_open(struct uverbs_comp_channel *channel)
{
	queue_init(&channel->queue);
	channel->uobj.object = channel;
}

/**
 * uverbs_comp_channel_close() - the channel is of no use any more
 * @channel: the channel; its readers wake with EIO
 *
 * Context: May sleep.
 */
void uverbs_comp_channel_close(struct uverbs_comp_channel *channel)
{
	struct uverbs_event_queue *queue = &channel->queue;
	struct uverbs_cq *cq, *tmp;

	spin_lock_irq(&queue->lock);
	queue->closed = true;
	list_for_each_entry_safe(cq, tmp, &queue->pending, entry) {
		cq->unread = 0;
		list_del_init(&cq->entry);
	}
	spin_unlock_irq(&queue->lock);
	queue_wake(queue);
}

/**
 * uverbs_cq_set_channel() - say where a CQ's completion events go
 * @cq: fresh CQ handle
 * @channel: handle of a completion channel, or NULL
 *
 * Context: Any context. Undone by uverbs_cq_drop_channel().
 */
void uverbs_cq_set_channel(struct uverbs_cq *cq, struct ib_uobject *channel)
{
	INIT_LIST_HEAD(&cq->entry);
	if (!channel)
		return;
	uverbs_uobj_get(channel);
	cq->channel = to_channel(channel);
}

void uverbs_cq_drop_channel(struct uverbs_cq *cq)
{
	struct uverbs_event_queue *queue;

	if (!cq->channel)
		return;
	queue = &cq->channel->queue;
	spin_lock_irq(&queue->lock);
	cq->unread = 0;
	list_del_init(&cq->entry);
	spin_unlock_irq(&queue->lock);
	uverbs_uobj_put(&cq->channel->uobj);
	cq->channel = NULL;
}

/**
 * uverbs_cq_event() - completion handler of user CQs
 * @cq: the CQ
 * @context: its handle
 *
 * Context: Any context.
 */
void uverbs_cq_event(struct ib_cq *cq, void *context)
{
	struct uverbs_cq *ucq = context;
	struct uverbs_event_queue *queue;
	unsigned long flags;

	if (!ucq->channel)
		return;
	queue = &ucq->channel->queue;
	spin_lock_irqsave(&queue->lock, flags);
	if (!queue->closed && !ucq->unread++)
		list_add_tail(&ucq->entry, &queue->pending);
	spin_unlock_irqrestore(&queue->lock, flags);
	queue_wake(queue);
}

/* Take an event off its lists; the caller holds the queue's lock. */
static void __unlink_event(struct uverbs_async_file *async,
			   struct uverbs_async_event *event)
{
	lockdep_assert_held(&async->queue.lock);
	list_del(&event->entry);
	if (event->obj)
		list_del(&event->obj_entry);
	if (event == &async->fatal)
		return;
	async->unread--;
	kfree(event);
}

static void pop_async(struct uverbs_event_queue *queue,
		      union uverbs_event_desc *desc)
{
	struct uverbs_async_file *async =
		container_of(queue, struct uverbs_async_file, queue);
	struct uverbs_async_event *event =
		list_first_entry(&queue->pending, struct uverbs_async_event,
				 entry);

	desc->async = event->desc;
	if (event->obj)
		event->obj->reported++;
	__unlink_event(async, event);
}

static ssize_t async_read(struct file *filp, char __user *buf, size_t count,
			  loff_t *pos)
{
	struct uverbs_async_file *async = to_async(filp->private_data);

	return queue_read(&async->queue, filp, buf, count,
			  sizeof(struct ib_uverbs_async_event_desc), pop_async);
}

static __poll_t async_poll(struct file *filp, struct poll_table_struct *wait)
{
	struct uverbs_async_file *async = to_async(filp->private_data);

	return queue_poll(&async->queue, filp, wait);
}

static int async_fasync(int fd, struct file *filp, int on)
{
	struct uverbs_async_file *async = to_async(filp->private_data);

	return fasync_helper(fd, filp, on, &async->queue.fasync);
}

static void async_drain(struct uverbs_async_file *async)
{
	struct uverbs_async_event *event, *tmp;

	spin_lock_irq(&async->queue.lock);
	list_for_each_entry_safe(event, tmp, &async->queue.pending, entry)
		__unlink_event(async, event);
	spin_unlock_irq(&async->queue.lock);
}

/* The last event outlives the device, so the list is emptied here. */
static int async_release(struct inode *inode, struct file *filp)
{
	struct ib_uobject *uobj = filp->private_data;

	if (!uobj)
		return 0;
	uverbs_uobj_get(uobj);
	uverbs_fd_release(inode, filp);
	async_drain(to_async(uobj));
	uverbs_uobj_put(uobj);
	return 0;
}

const struct file_operations uverbs_async_fops = {
	.owner = THIS_MODULE,
	.read = async_read,
	.poll = async_poll,
	.fasync = async_fasync,
	.release = async_release,
};

/* Returns the event to queue; the caller holds the queue's lock. */
static struct uverbs_async_event *__new_event(struct uverbs_async_file *async,
					      u32 type)
{
	struct uverbs_async_event *event;

	lockdep_assert_held(&async->queue.lock);
	if (async->queue.closed)
		return NULL;
	if (type == IB_EVENT_DEVICE_FATAL) {
		if (async->fatal_sent)
			return NULL;
		async->fatal_sent = true;
		return &async->fatal;
	}
	if (async->unread == UVERBS_MAX_ASYNC_EVENTS) {
		async->dropped++;
		return NULL;
	}
	event = kzalloc(sizeof(*event), GFP_ATOMIC);
	if (event)
		async->unread++;
	return event;
}

static void async_post(struct uverbs_async_file *async,
		       struct uverbs_event_uobj *obj, u64 element, u32 type)
{
	struct uverbs_async_event *event;
	unsigned long flags;

	spin_lock_irqsave(&async->queue.lock, flags);
	event = __new_event(async, type);
	if (event) {
		event->desc.element = element;
		event->desc.event_type = type;
		event->obj = obj;
		if (obj)
			list_add_tail(&event->obj_entry, &obj->events);
		list_add_tail(&event->entry, &async->queue.pending);
	}
	spin_unlock_irqrestore(&async->queue.lock, flags);
	if (event)
		queue_wake(&async->queue);
}

static void device_event(struct ib_event_handler *handler,
			 struct ib_event *event)
{
	async_post(container_of(handler, struct uverbs_async_file, handler),
		   NULL, event->element.port_num, event->event);
}

/**
 * uverbs_async_open() - make a reserved handle an async event file
 * @async: the file; the first one of a device file is its default
 *
 * Context: May sleep. Cannot fail.
 */
void uverbs_async_open(struct uverbs_async_file *async)
{
	struct uverbs_file *file = async->uobj.file;

	queue_init(&async->queue);
	async->handler.device = async->uobj.context->obj.device;
	async->handler.handler = device_event;
	async->uobj.object = async;
	ib_register_event_handler(&async->handler);

	/* Objects read it without a lock. */
	uverbs_uobj_get(&async->uobj);
	if (cmpxchg(&file->async, NULL, async))
		uverbs_uobj_put(&async->uobj);
}

/**
 * uverbs_async_close() - no more events from the device
 * @async: the file
 * @device_gone: tell the reader that the device is dead, then end the file
 *
 * Context: May sleep.
 */
void uverbs_async_close(struct uverbs_async_file *async, bool device_gone)
{
	ib_unregister_event_handler(&async->handler);
	if (device_gone)
		async_post(async, NULL, 0, IB_EVENT_DEVICE_FATAL);

	spin_lock_irq(&async->queue.lock);
	async->queue.closed = true;
	spin_unlock_irq(&async->queue.lock);
	queue_wake(&async->queue);
}

/**
 * uverbs_event_uobj_init() - say where an object's asynchronous events go
 * @b: the call that makes the object
 * @obj: its fresh handle
 * @async: handle of an async event file, or NULL for the file's default
 *
 * Context: Any context. Undone by uverbs_event_uobj_drop().
 */
void uverbs_event_uobj_init(struct uverbs_bundle *b,
			    struct uverbs_event_uobj *obj,
			    struct ib_uobject *async)
{
	INIT_LIST_HEAD(&obj->events);
	obj->async = async ? to_async(async) : READ_ONCE(b->file->async);
	if (obj->async)
		uverbs_uobj_get(&obj->async->uobj);
}

void uverbs_event_uobj_drop(struct uverbs_event_uobj *obj)
{
	struct uverbs_async_file *async = obj->async;
	struct uverbs_async_event *event, *tmp;

	if (!async)
		return;
	spin_lock_irq(&async->queue.lock);
	list_for_each_entry_safe(event, tmp, &obj->events, obj_entry)
		__unlink_event(async, event);
	spin_unlock_irq(&async->queue.lock);
	uverbs_uobj_put(&async->uobj);
	obj->async = NULL;
}

/**
 * uverbs_object_event() - event handler of user CQs, QPs and SRQs
 * @event: what happened
 * @context: handle of the object
 *
 * Context: Any context.
 */
void uverbs_object_event(struct ib_event *event, void *context)
{
	struct uverbs_event_uobj *obj = context;

	if (obj->async)
		async_post(obj->async, obj, obj->uobj.user_handle,
			   event->event);
}
