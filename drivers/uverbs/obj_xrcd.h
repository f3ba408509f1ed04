/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef UVERBS_OBJ_XRCD_H
#define UVERBS_OBJ_XRCD_H

#include <linux/atomic.h>
#include <linux/container_of.h>
#include <ib/uverbs_bundle.h>

struct uverbs_shared_xrcd;

/**
 * struct uverbs_xrcd - handle of an XRC domain
 * @uobj: base
 * @users: queues that were made through this handle
 * @shared: the domain is that of an inode, other handles may have it too
 */
struct uverbs_xrcd {
	struct ib_uobject		uobj;
	atomic_t			users;
	struct uverbs_shared_xrcd	*shared;
};

struct ib_uobject *uverbs_get_xrcd(struct uverbs_bundle *b, u32 id);

static inline struct uverbs_xrcd *to_uverbs_xrcd(struct ib_uobject *uobj)
{
	return container_of(uobj, struct uverbs_xrcd, uobj);
}

#endif /* UVERBS_OBJ_XRCD_H */
