// SPDX-License-Identifier: GPL-2.0-only
#include <linux/err.h>
#include <ib/cq.h>
#include <ib/udata.h>
#include "core_priv.h"

static int check_size(struct ib_device *device, unsigned int cqe)
{
	unsigned int max = device->attr.max_cqe;

	if (cqe > max)
		return ib_refuse(IB_LAYER_CORE, -EINVAL,
				 "%llu completion entries, the device has %llu",
				 cqe, max);
	return 0;
}

static int check_new(struct ib_device *device,
		     const struct ib_cq_init_attr *attr)
{
	int ret;

	ret = ib_object_check(device, device->ops->create_cq,
			      "the device has no completion queues");
	if (ret)
		return ret;
	if (attr->comp_vector >= device->num_comp_vectors)
		return ib_refuse(IB_LAYER_CORE, -EINVAL,
				 "completion vector %llu of %llu",
				 attr->comp_vector, device->num_comp_vectors);
	return check_size(device, attr->cqe);
}

/**
 * ib_create_cq_for() - make a completion queue
 * @device: where
 * @attr: what it shall be
 * @comp_handler: called when it was armed and a completion came
 * @event_handler: called when it breaks
 * @context: for both
 * @udata: of the user's call, NULL for the kernel
 * @owner: name of the module that wants it, for a queue of the kernel
 *
 * Context: Process context.
 * Return: the queue or an ERR_PTR().
 */
struct ib_cq *ib_create_cq_for(struct ib_device *device,
			       const struct ib_cq_init_attr *attr,
			       ib_comp_handler comp_handler,
			       void (*event_handler)(struct ib_event *, void *),
			       void *context, struct ib_udata *udata,
			       const char *owner)
{
	const struct ib_device_ops *ops = device->ops;
	struct ib_cq *cq;
	int ret;

	ret = check_new(device, attr);
	if (ret)
		return ERR_PTR(ret);
	cq = ib_object_alloc(device, IB_OBJ_CQ, ops->size_cq);
	if (!cq)
		return ib_refuse_ptr(-ENOMEM, "no memory for a completion queue", 0,
				     0);
	ib_object_own(&cq->obj, udata ? udata->ucontext : NULL, owner);
	cq->comp_handler = comp_handler;
	cq->event_handler = event_handler;
	cq->context = context;

	ret = ops->create_cq(cq, attr, udata);
	if (ret) {
		ib_object_free(&cq->obj);
		return ERR_PTR(ret);
	}
	ib_object_add(&cq->obj);
	return cq;
}
EXPORT_SYMBOL_IB(ib_create_cq_for);

/**
 * ib_destroy_cq() - destroy a completion queue
 * @cq: the queue; on success its handlers have run for the last time
 * @udata: of the user's call, or NULL
 *
 * Context: Process context.
 * Return: 0, or a negative errno and the queue lives on.
 */
int ib_destroy_cq(struct ib_cq *cq, struct ib_udata *udata)
{
	const struct ib_device_ops *ops = cq->obj.device->ops;
	int ret;

	ret = ib_object_begin_destroy(&cq->obj);
	if (ret)
		return ret;
	ret = ib_object_end_destroy(&cq->obj, ops->destroy_cq(cq, udata));
	if (ret)
		return ret;
	ib_object_free(&cq->obj);
	return 0;
}
EXPORT_SYMBOL_IB(ib_destroy_cq);

/**
 * ib_resize_cq() - give a completion queue another size
 * @cq: the queue
 * @cqe: entries wanted
 * @udata: of the user's call, or NULL
 *
 * Context: Process context.
 * Return: 0 or a negative errno.
 */
int ib_resize_cq(struct ib_cq *cq, unsigned int cqe, struct ib_udata *udata)
{
	struct ib_device *device = cq->obj.device;
	int ret;

	ret = ib_object_check(device, device->ops->resize_cq,
			      "the device cannot resize completion queues");
	if (ret)
		return ret;
	ret = check_size(device, cqe);
	if (ret)
		return ret;
	return device->ops->resize_cq(cq, cqe, udata);
}
EXPORT_SYMBOL_IB(ib_resize_cq);

/**
 * ib_modify_cq() - moderate the events of a completion queue
 * @cq: the queue
 * @count: completions before an event
 * @period_us: microseconds before an event
 *
 * Context: Process context.
 * Return: 0 or a negative errno.
 */
int ib_modify_cq(struct ib_cq *cq, u16 count, u16 period_us)
{
	struct ib_device *device = cq->obj.device;
	int ret;

	ret = ib_object_check(device, device->ops->modify_cq,
			      "the device has no completion moderation");
	if (ret)
		return ret;
	return device->ops->modify_cq(cq, count, period_us);
}
EXPORT_SYMBOL_IB(ib_modify_cq);

/**
 * ib_poll_cq() - take completions from a ring that the kernel has
 * @cq: the queue
 * @num: room in @wc
 * @wc: filled in
 *
 * Context: Any context.
 * Return: number of completions, or a negative errno.
 */
int ib_poll_cq(struct ib_cq *cq, int num, struct ib_wc *wc)
{
	const struct ib_device_ops *ops = cq->obj.device->ops;

	if (!ops->poll_cq)
		return ib_refuse(IB_LAYER_CORE, -EOPNOTSUPP,
				 "the kernel cannot poll this device", 0, 0);
	return ops->poll_cq(cq, num, wc);
}
EXPORT_SYMBOL_IB(ib_poll_cq);

/**
 * ib_req_notify_cq() - ask for one call of the completion handler
 * @cq: the queue; poll it again afterwards, a completion may have come before
 * @flags: which completions count
 *
 * Context: Any context.
 * Return: 0 or a negative errno.
 */
int ib_req_notify_cq(struct ib_cq *cq, enum ib_cq_notify flags)
{
	const struct ib_device_ops *ops = cq->obj.device->ops;

	if (!ops->req_notify_cq)
		return ib_refuse(IB_LAYER_CORE, -EOPNOTSUPP,
				 "the device cannot notify the kernel", 0, 0);
	return ops->req_notify_cq(cq, flags);
}
EXPORT_SYMBOL_IB(ib_req_notify_cq);
