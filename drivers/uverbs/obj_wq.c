// SPDX-License-Identifier: GPL-2.0-only
/* Receive work queues in the user ABI: native methods. */
#include <ib/ops.h>
#include <ib/wq.h>
#include "bundle.h"
#include "event_fd.h"
#include "obj_table.h"
#include "obj_wq.h"
#include "uverbs_priv.h"

#define WQ_FLAGS	(IB_UVERBS_WQ_FLAGS_CVLAN_STRIPPING | \
			 IB_UVERBS_WQ_FLAGS_SCATTER_FCS | \
			 IB_UVERBS_WQ_FLAGS_DELAY_DROP | \
			 IB_UVERBS_WQ_FLAGS_PCI_WRITE_END_PADDING)

static struct uverbs_event_uobj *to_ev(struct ib_uobject *uobj)
{
	return container_of(uobj, struct uverbs_event_uobj, uobj);
}

static int wq_destroy(struct ib_uobject *uobj, enum ib_remove_reason why,
		      struct uverbs_bundle *b)
{
	int ret = ib_destroy_wq(uobj->object, uverbs_udata(b));

	if (!ret)
		uverbs_event_uobj_drop(to_ev(uobj));
	return ret;
}

/**
 * uverbs_make_wq() - what both ABIs call
 * @b: the call
 * @uobj: reserved handle
 * @pd: protection domain
 * @attr: what user space wants; comes back with what was made
 * @user_handle: opaque to us, in events
 * @async: handle of an async event file, or NULL
 *
 * Context: May sleep.
 * Return: 0 or a negative errno.
 */
int uverbs_make_wq(struct uverbs_bundle *b, struct ib_uobject *uobj,
		   struct ib_pd *pd, struct ib_wq_init_attr *attr,
		   u64 user_handle, struct ib_uobject *async)
{
	struct uverbs_event_uobj *ev = to_ev(uobj);
	struct ib_wq *wq;

	uobj->user_handle = user_handle;
	uverbs_event_uobj_init(b, ev, async);
	attr->event_handler = uverbs_object_event;
	attr->context = ev;
	wq = ib_create_wq(pd, attr, uverbs_udata(b));
	if (IS_ERR(wq)) {
		uverbs_event_uobj_drop(ev);
		return PTR_ERR(wq);
	}
	uverbs_bind(uobj, &wq->obj);
	return 0;
}

static int decode(struct uverbs_bundle *b, struct ib_wq_init_attr *attr,
		  u64 *user_handle)
{
	u64 type;
	int ret;

	ret = uverbs_attr_flags(b, UVERBS_ATTR_CREATE_WQ_FLAGS, WQ_FLAGS,
				&attr->create_flags);
	if (!ret)
		ret = uverbs_attr_copy_in(b, UVERBS_ATTR_CREATE_WQ_MAX_SGE,
					  &attr->max_sge,
					  sizeof(attr->max_sge));
	if (!ret)
		ret = uverbs_attr_copy_in(b, UVERBS_ATTR_CREATE_WQ_MAX_WR,
					  &attr->max_wr, sizeof(attr->max_wr));
	if (!ret)
		ret = uverbs_attr_u64(b, UVERBS_ATTR_CREATE_WQ_USER_HANDLE,
				      user_handle);
	if (!ret)
		ret = uverbs_attr_u64(b, UVERBS_ATTR_CREATE_WQ_TYPE, &type);
	if (ret)
		return ret;
	if (type != IB_UVERBS_WQT_RQ)
		return uverbs_refuse_attr(UVERBS_ATTR_CREATE_WQ_TYPE, -EINVAL,
					  "no work queues of type %llu", type,
					  0);
	attr->type = type;
	/* Optional in the ABI, but no work queue can do without. */
	attr->cq = uverbs_attr_object(b, UVERBS_ATTR_CREATE_WQ_CQ_HANDLE);
	if (!attr->cq)
		return uverbs_refuse_attr(UVERBS_ATTR_CREATE_WQ_CQ_HANDLE,
					  -ENOENT, "handle is missing", 0, 0);
	return 0;
}

static int answer(struct uverbs_bundle *b, const struct ib_wq *wq,
		  const struct ib_wq_init_attr *attr)
{
	int ret;

	ret = uverbs_attr_copy_out(b, UVERBS_ATTR_CREATE_WQ_RESP_MAX_WR,
				   &attr->max_wr, sizeof(attr->max_wr));
	if (!ret)
		ret = uverbs_attr_copy_out(b, UVERBS_ATTR_CREATE_WQ_RESP_MAX_SGE,
					   &attr->max_sge,
					   sizeof(attr->max_sge));
	if (ret)
		return ret;
	return uverbs_attr_copy_out(b, UVERBS_ATTR_CREATE_WQ_RESP_WQ_NUM,
				    &wq->wq_num, sizeof(wq->wq_num));
}

static int wq_create(struct uverbs_bundle *b)
{
	struct ib_uobject *uobj =
		uverbs_attr_uobject(b, UVERBS_ATTR_CREATE_WQ_HANDLE);
	struct ib_pd *pd = uverbs_attr_object(b,
					      UVERBS_ATTR_CREATE_WQ_PD_HANDLE);
	struct ib_wq_init_attr attr = {};
	u64 user_handle;
	int ret;

	ret = decode(b, &attr, &user_handle);
	if (ret)
		return ret;
	ret = uverbs_make_wq(b, uobj, pd, &attr, user_handle,
			     uverbs_attr_uobject(b,
						 UVERBS_ATTR_CREATE_WQ_EVENT_FD));
	return ret ?: answer(b, uobj->object, &attr);
}

static int wq_destroyed(struct uverbs_bundle *b)
{
	struct ib_uobject *uobj =
		uverbs_attr_uobject(b, UVERBS_ATTR_DESTROY_WQ_HANDLE);
	u32 reported = to_ev(uobj)->reported;

	return uverbs_attr_copy_out(b, UVERBS_ATTR_DESTROY_WQ_RESP, &reported,
				    sizeof(reported));
}

static const struct uverbs_attr_def create_attrs[] = {
	UVERBS_ATTR_HANDLE(UVERBS_ATTR_CREATE_WQ_HANDLE, UVERBS_KIND_IDR,
			   UVERBS_OBJECT_WQ, UVERBS_ACC_NEW,
			   UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_HANDLE(UVERBS_ATTR_CREATE_WQ_PD_HANDLE, UVERBS_KIND_IDR,
			   UVERBS_OBJECT_PD, UVERBS_ACC_READ,
			   UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_HANDLE(UVERBS_ATTR_CREATE_WQ_CQ_HANDLE, UVERBS_KIND_IDR,
			   UVERBS_OBJECT_CQ, UVERBS_ACC_READ, 0),
	UVERBS_ATTR_IN(UVERBS_ATTR_CREATE_WQ_USER_HANDLE, sizeof(u64),
		       UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_IN(UVERBS_ATTR_CREATE_WQ_TYPE, sizeof(u64),
		       UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_HANDLE(UVERBS_ATTR_CREATE_WQ_EVENT_FD, UVERBS_KIND_FD,
			   UVERBS_OBJECT_ASYNC_EVENT, UVERBS_ACC_READ, 0),
	UVERBS_ATTR_IN(UVERBS_ATTR_CREATE_WQ_MAX_WR, sizeof(u32),
		       UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_IN(UVERBS_ATTR_CREATE_WQ_MAX_SGE, sizeof(u32),
		       UVERBS_ATTR_REQUIRED),
	{ .id = UVERBS_ATTR_CREATE_WQ_FLAGS, .kind = UVERBS_KIND_PTR_IN,
	  .flags = UVERBS_ATTR_REQUIRED,
	  .min_len = sizeof(u32), .max_len = sizeof(u64) },
	UVERBS_ATTR_OUT(UVERBS_ATTR_CREATE_WQ_RESP_MAX_WR, sizeof(u32),
			UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_OUT(UVERBS_ATTR_CREATE_WQ_RESP_MAX_SGE, sizeof(u32),
			UVERBS_ATTR_REQUIRED),
	/* The handler cannot do without it. */
	UVERBS_ATTR_OUT(UVERBS_ATTR_CREATE_WQ_RESP_WQ_NUM, sizeof(u32), 0),
};

static const struct uverbs_attr_def destroy_attrs[] = {
	UVERBS_ATTR_HANDLE(UVERBS_ATTR_DESTROY_WQ_HANDLE, UVERBS_KIND_IDR,
			   UVERBS_OBJECT_WQ, UVERBS_ACC_DESTROY,
			   UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_OUT(UVERBS_ATTR_DESTROY_WQ_RESP, sizeof(u32),
			UVERBS_ATTR_REQUIRED),
};

static const struct uverbs_method_def methods[] = {
	{ .id = UVERBS_METHOD_WQ_CREATE, .handler = wq_create,
	  .has_udata = true,
	  .attrs = create_attrs, .num_attrs = ARRAY_SIZE(create_attrs) },
	{ .id = UVERBS_METHOD_WQ_DESTROY, .handler = wq_destroyed,
	  .attrs = destroy_attrs, .num_attrs = ARRAY_SIZE(destroy_attrs) },
};

static const struct uverbs_obj_type wq_type = {
	.size = sizeof(struct uverbs_event_uobj),
	.destroy = wq_destroy,
};

const struct uverbs_object_def uverbs_object_wq = {
	.id = UVERBS_OBJECT_WQ,
	.type = &wq_type,
	.needs = offsetof(struct ib_device_ops, destroy_wq),
	.methods = methods,
	.num_methods = ARRAY_SIZE(methods),
};
