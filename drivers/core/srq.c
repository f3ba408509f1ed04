// SPDX-License-Identifier: GPL-2.0-only
#include <linux/err.h>
#include <ib/cq.h>
#include <ib/pd.h>
#include <ib/srq.h>
#include <ib/xrcd.h>
#include "core_priv.h"

static int check_new(struct ib_device *device,
		     const struct ib_srq_init_attr *attr)
{
	int ret;

	ret = ib_object_check(device, device->ops->create_srq,
			      "the device has no shared receive queues");
	if (ret)
		return ret;
	if (attr->type > IB_UVERBS_SRQT_TM)
		return ib_refuse(IB_LAYER_CORE, -EOPNOTSUPP, "no SRQ type %llu",
				 attr->type, 0);
	if ((ib_srq_has_cq(attr->type) && !attr->cq) ||
	    (attr->type == IB_UVERBS_SRQT_XRC && !attr->xrcd))
		return ib_refuse(IB_LAYER_CORE, -EINVAL,
				 "an SRQ of type %llu lacks a completion queue or a domain",
				 attr->type, 0);
	if (attr->attr.max_wr > device->attr.max_srq_wr)
		return ib_refuse(IB_LAYER_CORE, -EINVAL,
				 "%llu receives in an SRQ, the device has %llu",
				 attr->attr.max_wr, device->attr.max_srq_wr);
	return 0;
}

static void refer(struct ib_srq *srq)
{
	ib_object_get(&srq->pd->obj);
	if (srq->cq)
		ib_object_get(&srq->cq->obj);
	if (srq->xrcd)
		ib_object_get(&srq->xrcd->obj);
}

static void unrefer(struct ib_srq *srq)
{
	if (srq->xrcd)
		ib_object_put(&srq->xrcd->obj);
	if (srq->cq)
		ib_object_put(&srq->cq->obj);
	ib_object_put(&srq->pd->obj);
}

/**
 * ib_create_srq() - make a shared receive queue
 * @pd: protection domain
 * @attr: what it shall be; the driver writes the sizes that it gave
 * @udata: of the user's call, NULL for the kernel
 *
 * Context: Process context.
 * Return: the queue or an ERR_PTR().
 */
struct ib_srq *ib_create_srq(struct ib_pd *pd, struct ib_srq_init_attr *attr,
			     struct ib_udata *udata)
{
	struct ib_device *device = pd->obj.device;
	struct ib_srq *srq;
	int ret;

	ret = check_new(device, attr);
	if (ret)
		return ERR_PTR(ret);
	srq = ib_object_alloc(device, IB_OBJ_SRQ, device->ops->size_srq);
	if (!srq)
		return ib_refuse_ptr(-ENOMEM, "no memory for a receive queue", 0,
				     0);
	ib_object_own(&srq->obj, pd->obj.context, pd->obj.owner);
	srq->pd = pd;
	srq->type = attr->type;
	if (ib_srq_has_cq(attr->type))
		srq->cq = attr->cq;
	if (attr->type == IB_UVERBS_SRQT_XRC)
		srq->xrcd = attr->xrcd;
	srq->event_handler = attr->event_handler;
	srq->context = attr->context;

	ret = device->ops->create_srq(srq, attr, udata);
	if (ret) {
		ib_object_free(&srq->obj);
		return ERR_PTR(ret);
	}
	refer(srq);
	ib_object_add(&srq->obj);
	return srq;
}
EXPORT_SYMBOL_IB(ib_create_srq);

/**
 * ib_modify_srq() - change a shared receive queue
 * @srq: the queue
 * @attr: new values
 * @mask: enum ib_srq_attr_mask: which of them count
 * @udata: of the user's call, or NULL
 *
 * Context: Process context.
 * Return: 0 or a negative errno.
 */
int ib_modify_srq(struct ib_srq *srq, const struct ib_srq_attr *attr, int mask,
		  struct ib_udata *udata)
{
	struct ib_device *device = srq->obj.device;
	int ret;

	ret = ib_object_check(device, device->ops->modify_srq,
			      "the device cannot modify an SRQ");
	if (ret)
		return ret;
	return device->ops->modify_srq(srq, attr, mask, udata);
}
EXPORT_SYMBOL_IB(ib_modify_srq);

/**
 * ib_query_srq() - ask the adapter for the state of a shared receive queue
 * @srq: the queue
 * @attr: filled in
 *
 * Context: Process context.
 * Return: 0 or a negative errno.
 */
int ib_query_srq(struct ib_srq *srq, struct ib_srq_attr *attr)
{
	struct ib_device *device = srq->obj.device;
	int ret;

	ret = ib_object_check(device, device->ops->query_srq,
			      "the device cannot query an SRQ");
	if (ret)
		return ret;
	return device->ops->query_srq(srq, attr);
}
EXPORT_SYMBOL_IB(ib_query_srq);

/**
 * ib_post_srq_recv() - queue receives on a shared receive queue of the kernel
 * @srq: the queue
 * @wr: list of receives
 * @bad_wr: on failure, the first one that was not queued
 *
 * Context: Any context.
 * Return: 0 or a negative errno.
 */
int ib_post_srq_recv(struct ib_srq *srq, const struct ib_recv_wr *wr,
		     const struct ib_recv_wr **bad_wr)
{
	const struct ib_device_ops *ops = srq->obj.device->ops;

	if (ops->post_srq_recv)
		return ops->post_srq_recv(srq, wr, bad_wr);
	return ib_refuse(IB_LAYER_CORE, -EOPNOTSUPP,
			 "the device has no SRQs of the kernel", 0, 0);
}
EXPORT_SYMBOL_IB(ib_post_srq_recv);

/**
 * ib_destroy_srq() - destroy a shared receive queue
 * @srq: the queue
 * @udata: of the user's call, or NULL
 *
 * Context: Process context.
 * Return: 0, or a negative errno and the queue lives on.
 */
int ib_destroy_srq(struct ib_srq *srq, struct ib_udata *udata)
{
	const struct ib_device_ops *ops = srq->obj.device->ops;
	int ret;

	ret = ib_object_begin_destroy(&srq->obj);
	if (ret)
		return ret;
	ret = ib_object_end_destroy(&srq->obj, ops->destroy_srq(srq, udata));
	if (ret)
		return ret;
	unrefer(srq);
	ib_object_free(&srq->obj);
	return 0;
}
EXPORT_SYMBOL_IB(ib_destroy_srq);
