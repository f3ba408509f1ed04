/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef UVERBS_OBJ_QP_H
#define UVERBS_OBJ_QP_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <ib/qp.h>
#include <ib/uverbs_bundle.h>
#include "event_fd.h"

struct ib_pd;
struct uverbs_xrcd;

/**
 * struct uverbs_qp - handle of a queue pair
 * @ev: base
 * @xrcd: XRC target: the handle of the domain, which counts us
 * @opener: XRC target: our share of the queue pair
 * @mcast_lock: guards @mcast
 * @mcast: groups that it is attached to
 */
struct uverbs_qp {
	struct uverbs_event_uobj	ev;
	struct uverbs_xrcd		*xrcd;
	struct ib_qp_opener		opener;
	struct mutex			mcast_lock;
	struct list_head		mcast;
};

static inline struct uverbs_qp *to_uverbs_qp(struct ib_uobject *uobj)
{
	return container_of(uobj, struct uverbs_qp, ev.uobj);
}

void uverbs_qp_init(struct uverbs_bundle *b, struct uverbs_qp *uqp,
		    u64 user_handle, struct ib_uobject *async);
int uverbs_check_qp_type(const struct uverbs_bundle *b, u64 type);
int uverbs_make_qp(struct uverbs_bundle *b, struct ib_uobject *uobj,
		   struct ib_pd *pd, struct ib_qp_init_attr *attr,
		   u64 user_handle, struct ib_uobject *async);
struct ib_qp_opener *uverbs_qp_opener(struct ib_uobject *uobj,
				      struct ib_uobject *xrcd);
void uverbs_qp_opened(struct ib_uobject *uobj, struct ib_qp *qp);

/* mcast.c */
int uverbs_mcast_busy(struct uverbs_qp *uqp);
void uverbs_mcast_detach_all(struct uverbs_qp *uqp);

#endif /* UVERBS_OBJ_QP_H */
