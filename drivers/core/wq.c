// SPDX-License-Identifier: GPL-2.0-only
#include <linux/err.h>
#include <ib/cq.h>
#include <ib/pd.h>
#include <ib/wq.h>
#include "core_priv.h"

static int check_new(struct ib_device *device,
		     const struct ib_wq_init_attr *attr)
{
	int ret;

	ret = ib_object_check(device, device->ops->create_wq,
			      "the device has no receive work queues");
	if (ret)
		return ret;
	if (attr->type != IB_UVERBS_WQT_RQ)
		return ib_refuse(IB_LAYER_CORE, -EINVAL,
				 "no work queues of type %llu", attr->type, 0);
	if (attr->cq->obj.device != device)
		return ib_refuse(IB_LAYER_CORE, -EINVAL,
				 "a completion queue of another device", 0, 0);
	return 0;
}

/**
 * ib_create_wq() - make a receive work queue
 * @pd: protection domain
 * @attr: what it shall be; the driver writes the sizes that it gave
 * @udata: of the user's call, NULL for the kernel
 *
 * Context: Process context.
 * Return: the queue, in state RESET, or an ERR_PTR().
 */
struct ib_wq *ib_create_wq(struct ib_pd *pd, struct ib_wq_init_attr *attr,
			   struct ib_udata *udata)
{
	struct ib_device *device = pd->obj.device;
	struct ib_wq *wq;
	int ret;

	ret = check_new(device, attr);
	if (ret)
		return ERR_PTR(ret);
	wq = ib_object_alloc(device, IB_OBJ_WQ, device->ops->size_wq);
	if (!wq)
		return ib_refuse_ptr(-ENOMEM, "no memory for a work queue", 0, 0);
	ib_object_own(&wq->obj, pd->obj.context, pd->obj.owner);
	wq->pd = pd;
	wq->cq = attr->cq;
	wq->type = attr->type;
	wq->event_handler = attr->event_handler;
	wq->context = attr->context;
	wq->state = IB_WQS_RESET;
	mutex_init(&wq->lock);

	ret = device->ops->create_wq(wq, attr, udata);
	if (ret) {
		mutex_destroy(&wq->lock);
		ib_object_free(&wq->obj);
		return ERR_PTR(ret);
	}
	ib_object_get(&pd->obj);
	ib_object_get(&wq->cq->obj);
	ib_object_add(&wq->obj);
	return wq;
}
EXPORT_SYMBOL_IB(ib_create_wq);

static int modify_locked(struct ib_wq *wq, struct ib_wq_attr *attr, int mask,
			 struct ib_udata *udata)
{
	int ret;

	lockdep_assert_held(&wq->lock);
	if (!(mask & IB_WQ_CUR_STATE))
		attr->cur_state = wq->state;
	if (!(mask & IB_WQ_STATE))
		attr->state = attr->cur_state;
	ret = wq->obj.device->ops->modify_wq(wq, attr, mask, udata);
	if (!ret)
		wq->state = attr->state;
	return ret;
}

/**
 * ib_modify_wq() - change the state or the flags of a receive work queue
 * @wq: the queue
 * @attr: new values; states that @mask leaves out are filled in
 * @mask: enum ib_wq_attr_mask: which of them count
 * @udata: of the user's call, or NULL
 *
 * Context: Process context. Takes and releases wq->lock.
 * Return: 0, or a negative errno and the queue is as before.
 */
int ib_modify_wq(struct ib_wq *wq, struct ib_wq_attr *attr, int mask,
		 struct ib_udata *udata)
{
	struct ib_device *device = wq->obj.device;
	int ret;

	ret = ib_object_check(device, device->ops->modify_wq,
			      "the device cannot modify a work queue");
	if (ret)
		return ret;
	if ((mask & IB_WQ_CUR_STATE && attr->cur_state > IB_WQS_ERR) ||
	    (mask & IB_WQ_STATE && attr->state > IB_WQS_ERR))
		return ib_refuse(IB_LAYER_CORE, -EINVAL,
				 "from state %llu to state %llu: no such state",
				 attr->cur_state, attr->state);
	mutex_lock(&wq->lock);
	ret = modify_locked(wq, attr, mask, udata);
	mutex_unlock(&wq->lock);
	return ret;
}
EXPORT_SYMBOL_IB(ib_modify_wq);

/**
 * ib_destroy_wq() - destroy a receive work queue
 * @wq: the queue; on success its event handler has run for the last time
 * @udata: of the user's call, or NULL
 *
 * Context: Process context. Takes and releases wq->lock.
 * Return: 0, or a negative errno and the queue lives on.
 */
int ib_destroy_wq(struct ib_wq *wq, struct ib_udata *udata)
{
	struct ib_pd *pd = wq->pd;
	struct ib_cq *cq = wq->cq;
	int ret;

	ret = ib_object_begin_destroy(&wq->obj);
	if (ret)
		return ret;
	mutex_lock(&wq->lock);
	ret = wq->obj.device->ops->destroy_wq(wq, udata);
	mutex_unlock(&wq->lock);
	ret = ib_object_end_destroy(&wq->obj, ret);
	if (ret)
		return ret;
	mutex_destroy(&wq->lock);
	ib_object_free(&wq->obj);
	ib_object_put(&cq->obj);
	ib_object_put(&pd->obj);
	return 0;
}
EXPORT_SYMBOL_IB(ib_destroy_wq);
