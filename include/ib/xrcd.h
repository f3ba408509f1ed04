/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef IB_XRCD_H
#define IB_XRCD_H

#include <linux/mutex.h>
#include <linux/rbtree_types.h>
#include <ib/object.h>

struct ib_udata;

/**
 * struct ib_xrcd - XRC domain: receive queues that several processes share
 * @obj: base; its uobject stays NULL, a domain may have several handles
 * @lock: guards @targets and the lists of openers of the queue pairs in it
 * @targets: target queue pairs, by number; a tree, because nobody may fail to
 *           get in
 */
struct ib_xrcd {
	struct ib_object	obj;
	struct mutex		lock;	/* targets and their openers */
	struct rb_root		targets;
};

struct ib_xrcd *ib_alloc_xrcd(struct ib_device *device,
			      struct ib_udata *udata);
int ib_dealloc_xrcd(struct ib_xrcd *xrcd, struct ib_udata *udata);

#endif /* IB_XRCD_H */
