// SPDX-License-Identifier: GPL-2.0-only
/*
 * XRC target queue pairs are shared: whoever has the domain may open one by
 * its number, all openers hear of its events, and it lives until the last of
 * them closes it.
 */
#include <linux/err.h>
#include <linux/rbtree.h>
#include <ib/event.h>
#include <ib/qp.h>
#include <ib/xrcd.h>
#include "core_priv.h"

/* Event handler of a target: pass it on to all openers. Any context. */
void ib_qp_shared_event(struct ib_event *event, void *context)
{
	struct ib_qp *qp = context;
	struct ib_qp_opener *opener;
	unsigned long flags;

	spin_lock_irqsave(&qp->openers_lock, flags);
	list_for_each_entry(opener, &qp->openers, entry)
		opener->event_handler(event, opener->context);
	spin_unlock_irqrestore(&qp->openers_lock, flags);
}

static void __add_opener(struct ib_qp *qp, struct ib_qp_opener *opener)
{
	lockdep_assert_held(&qp->xrcd->lock);
	spin_lock_irq(&qp->openers_lock);
	list_add_tail(&opener->entry, &qp->openers);
	spin_unlock_irq(&qp->openers_lock);
}

/* Returns whether others have it open. */
static bool __del_opener(struct ib_qp *qp, struct ib_qp_opener *opener)
{
	lockdep_assert_held(&qp->xrcd->lock);
	spin_lock_irq(&qp->openers_lock);
	list_del(&opener->entry);
	spin_unlock_irq(&qp->openers_lock);
	return !list_empty(&qp->openers);
}

static int compare_number(const void *number, const struct rb_node *node)
{
	u32 want = *(const u32 *)number;
	u32 have = rb_entry(node, struct ib_qp, target)->qp_num;

	return want < have ? -1 : want > have;
}

static bool comes_before(struct rb_node *a, const struct rb_node *b)
{
	return rb_entry(a, struct ib_qp, target)->qp_num <
	       rb_entry(b, struct ib_qp, target)->qp_num;
}

/*
 * A new target that nobody else can have open: its maker is its first opener.
 * Cannot fail, so that a target that is made need not be destroyed again.
 */
void ib_qp_share(struct ib_qp *qp, struct ib_qp_opener *opener)
{
	struct ib_xrcd *xrcd = qp->xrcd;

	mutex_lock(&xrcd->lock);
	rb_add(&qp->target, &xrcd->targets, comes_before);
	__add_opener(qp, opener);
	mutex_unlock(&xrcd->lock);
}

static struct ib_qp *__find_target(struct ib_xrcd *xrcd, u32 qp_num)
{
	struct rb_node *node;

	lockdep_assert_held(&xrcd->lock);
	node = rb_find(&qp_num, &xrcd->targets, compare_number);
	return node ? rb_entry(node, struct ib_qp, target) : NULL;
}

/**
 * ib_open_qp() - open a target queue pair that somebody made
 * @xrcd: its domain
 * @type: must be IB_QPT_XRC_TGT
 * @qp_num: its number
 * @opener: who opens it; kept until ib_close_qp()
 *
 * Context: Process context.
 * Return: the queue pair or an ERR_PTR().
 */
struct ib_qp *ib_open_qp(struct ib_xrcd *xrcd, enum ib_qp_type type,
			 u32 qp_num, struct ib_qp_opener *opener)
{
	struct ib_qp *qp;

	if (type != IB_QPT_XRC_TGT)
		return ib_refuse_ptr(-EINVAL,
				     "queue pairs of type %llu are not shared",
				     type, 0);
	mutex_lock(&xrcd->lock);
	qp = __find_target(xrcd, qp_num);
	if (qp)
		__add_opener(qp, opener);
	mutex_unlock(&xrcd->lock);
	return qp ?: ib_refuse_ptr(-EINVAL,
				   "no target queue pair 0x%llx in the domain",
				   qp_num, 0);
}
EXPORT_SYMBOL_IB(ib_open_qp);

/**
 * ib_close_qp() - let go of a target queue pair
 * @qp: the queue pair; destroyed when nobody else has it open
 * @opener: as given when it was made or opened; no event comes any more
 *
 * Context: Process context.
 * Return: 0, or a negative errno and it is still open.
 */
int ib_close_qp(struct ib_qp *qp, struct ib_qp_opener *opener)
{
	struct ib_xrcd *xrcd = qp->xrcd;
	int ret = 0;

	mutex_lock(&xrcd->lock);
	if (!__del_opener(qp, opener)) {
		rb_erase(&qp->target, &xrcd->targets);
		ret = ib_destroy_qp(qp, NULL);
		if (ret) {
			rb_add(&qp->target, &xrcd->targets, comes_before);
			__add_opener(qp, opener);
		}
	}
	mutex_unlock(&xrcd->lock);
	return ret;
}
EXPORT_SYMBOL_IB(ib_close_qp);
