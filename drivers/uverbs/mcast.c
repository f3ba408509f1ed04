// SPDX-License-Identifier: GPL-2.0-only
/*
 * Multicast in the user ABI: two commands of write(). Attachments have no
 * handles; the handle of the queue pair remembers them, because they have to
 * go before it. A user's attachment is a GID and a LID, as he may give several
 * LIDs for a GID; an adapter's is a GID, so that it is attached with the first
 * of them, and detached with the last.
 */
#include <linux/slab.h>
#include <linux/string.h>
#include <ib/qp.h>
#include "bundle.h"
#include "obj_qp.h"
#include "uverbs_priv.h"
#include "write.h"

/**
 * struct mcast_group - a group that a queue pair is attached to
 * @entry: in uverbs_qp::mcast
 * @gid: of the group
 * @lid: of the group
 */
struct mcast_group {
	struct list_head	entry;
	union ib_gid		gid;
	u16			lid;
};

static struct mcast_group *__find_group(struct uverbs_qp *uqp, const u8 *gid,
					u16 lid)
{
	struct mcast_group *g;

	lockdep_assert_held(&uqp->mcast_lock);
	list_for_each_entry(g, &uqp->mcast, entry)
		if (g->lid == lid && !memcmp(g->gid.raw, gid, sizeof(g->gid)))
			return g;
	return NULL;
}

/* Attaching twice is attaching once. */
static int __attach(struct uverbs_qp *uqp,
		    const struct ib_uverbs_attach_mcast *cmd)
{
	struct mcast_group *g;
	int ret;

	if (__find_group(uqp, cmd->gid, cmd->mlid))
		return 0;
	g = kmalloc(sizeof(*g), GFP_KERNEL_ACCOUNT);
	if (!g)
		return uverbs_refuse(-ENOMEM, "no memory");
	memcpy(g->gid.raw, cmd->gid, sizeof(g->gid.raw));
	g->lid = cmd->mlid;
	ret = ib_attach_mcast(uqp->ev.uobj.object, &g->gid, g->lid);
	if (ret)
		kfree(g);
	else
		list_add_tail(&g->entry, &uqp->mcast);
	return ret;
}

static bool __gid_is_shared(struct uverbs_qp *uqp,
			    const struct mcast_group *group)
{
	struct mcast_group *g;

	lockdep_assert_held(&uqp->mcast_lock);
	list_for_each_entry(g, &uqp->mcast, entry)
		if (g != group && !memcmp(&g->gid, &group->gid, sizeof(g->gid)))
			return true;
	return false;
}

static int __detach(struct uverbs_qp *uqp, struct mcast_group *g)
{
	struct ib_qp *qp = uqp->ev.uobj.object;
	int ret;

	lockdep_assert_held(&uqp->mcast_lock);
	if (__gid_is_shared(uqp, g)) {
		ib_object_put(&qp->obj);
	} else {
		ret = ib_detach_mcast(qp, &g->gid, g->lid);
		if (ret)
			return ret;
	}
	list_del(&g->entry);
	kfree(g);
	return 0;
}

int uverbs_write_attach_mcast(struct uverbs_bundle *b)
{
	struct ib_uverbs_attach_mcast cmd;
	struct ib_uobject *uobj;
	struct uverbs_qp *uqp;
	int ret;

	ret = uverbs_request(b, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	uobj = uverbs_get(b, UVERBS_OBJECT_QP, cmd.qp_handle, UVERBS_ACC_READ);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	uqp = to_uverbs_qp(uobj);
	mutex_lock(&uqp->mcast_lock);
	ret = __attach(uqp, &cmd);
	mutex_unlock(&uqp->mcast_lock);
	return ret;
}

int uverbs_write_detach_mcast(struct uverbs_bundle *b)
{
	struct ib_uverbs_detach_mcast cmd;
	struct ib_uobject *uobj;
	struct mcast_group *g;
	struct uverbs_qp *uqp;
	int ret;

	ret = uverbs_request(b, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	uobj = uverbs_get(b, UVERBS_OBJECT_QP, cmd.qp_handle, UVERBS_ACC_READ);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	uqp = to_uverbs_qp(uobj);
	mutex_lock(&uqp->mcast_lock);
	g = __find_group(uqp, cmd.gid, cmd.mlid);
	if (g)
		ret = __detach(uqp, g);
	else
		ret = uverbs_refuse(-EINVAL,
				    "the queue pair is not attached to the group");
	mutex_unlock(&uqp->mcast_lock);
	return ret;
}

/**
 * uverbs_mcast_busy() - does an attachment keep a queue pair alive?
 * @uqp: its handle
 *
 * Context: May sleep. The caller has the handle for itself.
 * Return: 0 or -EBUSY.
 */
int uverbs_mcast_busy(struct uverbs_qp *uqp)
{
	return list_empty(&uqp->mcast) ? 0 :
		uverbs_refuse(-EBUSY, "it is attached to a multicast group");
}

/**
 * uverbs_mcast_detach_all() - end all attachments, the queue pair goes
 * @uqp: its handle
 *
 * Context: May sleep. The caller has the handle for itself.
 */
void uverbs_mcast_detach_all(struct uverbs_qp *uqp)
{
	struct mcast_group *g, *next;

	mutex_lock(&uqp->mcast_lock);
	/* what cannot be detached keeps the queue pair, which is tried again */
	list_for_each_entry_safe(g, next, &uqp->mcast, entry)
		__detach(uqp, g);
	mutex_unlock(&uqp->mcast_lock);
}
