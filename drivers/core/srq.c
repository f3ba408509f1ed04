// SPDX-License-Identifier: GPL-2.0-only
#include <linux/err.h>
#include <ib/pd.h>
#include <ib/srq.h>
#include "core_priv.h"

static int check_new(struct ib_device *device,
		     const struct ib_srq_init_attr *attr)
{
	int ret;

	ret = ib_object_check(device, device->ops->create_srq,
			      "the device has no shared receive queues");
	if (ret)
		return ret;
	if (attr->type != IB_UVERBS_SRQT_BASIC)
		return ib_refuse(IB_LAYER_CORE, -EOPNOTSUPP,
				 "SRQ type %llu: only the basic type is supported",
				 attr->type, 0);
	if (attr->attr.max_wr > device->attr.max_srq_wr)
		return ib_refuse(IB_LAYER_CORE, -EINVAL,
				 "%llu receives in an SRQ, the device has %llu",
				 attr->attr.max_wr, device->attr.max_srq_wr);
	return 0;
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
	srq->event_handler = attr->event_handler;
	srq->context = attr->context;

	ret = device->ops->create_srq(srq, attr, udata);
	if (ret) {
		ib_object_free(&srq->obj);
		return ERR_PTR(ret);
	}
	ib_object_get(&pd->obj);
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
 * ib_destroy_srq() - destroy a shared receive queue
 * @srq: the queue
 * @udata: of the user's call, or NULL
 *
 * Context: Process context.
 * Return: 0, or a negative errno and the queue lives on.
 */
int ib_destroy_srq(struct ib_srq *srq, struct ib_udata *udata)
{
	struct ib_pd *pd = srq->pd;
	const struct ib_device_ops *ops = srq->obj.device->ops;
	int ret;

	ret = ib_object_begin_destroy(&srq->obj);
	if (ret)
		return ret;
	ret = ib_object_end_destroy(&srq->obj, ops->destroy_srq(srq, udata));
	if (ret)
		return ret;
	ib_object_free(&srq->obj);
	ib_object_put(&pd->obj);
	return 0;
}
EXPORT_SYMBOL_IB(ib_destroy_srq);
