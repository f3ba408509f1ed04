// SPDX-License-Identifier: GPL-2.0-only
/*
 * Advice: pages are brought in before the adapter asks for them. It is taken
 * at once if the caller wants to wait, and else when there is time.
 */
#include <linux/slab.h>

#include <ib/refuse.h>
#include <ib/umem_odp.h>

#include "cx.h"
#include "verbs.h"

/* Advice to be taken later: pieces of memory, each with its region held */
struct cx_advice {
	struct work_struct work;
	u32 flags;
	u32 num;
	struct {
		struct cx_odp_mr *o;
		u64 addr;
		u32 bytes;
	} pieces[] __counted_by(num);
};

static int cx_advice_check(u32 advice)
{
	switch (advice) {
	case IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH:
	case IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_WRITE:
	case IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT:
		return 0;
	default:
		return ib_refuse(IB_LAYER_DRIVER, -EOPNOTSUPP,
				 "unknown advice %llu", advice, 0);
	}
}

static unsigned int cx_advice_flags(u32 advice)
{
	if (advice == IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT)
		return IB_ODP_MAP_PRESENT;
	return advice == IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_WRITE ?
	       IB_ODP_MAP_WRITE : 0;
}

/* The region that a piece of memory is in, if this caller may speak of it */
static struct cx_odp_mr *cx_advice_region(struct ib_pd *pd, u32 advice,
					  u32 lkey)
{
	bool write = advice == IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_WRITE;
	struct cx_odp_mr *o = cx_odp_find(to_verbs(pd->obj.device), lkey);

	if (IS_ERR(o))
		return ERR_PTR(ib_refuse(IB_LAYER_DRIVER, -ENOENT,
					 "key 0x%llx is of no region that is paged on demand",
					 lkey, 0));
	if (READ_ONCE(o->mr->pd) == pd && (o->writable || !write))
		return o;
	cx_odp_put(o);
	return ERR_PTR(ib_refuse(IB_LAYER_DRIVER, -EPERM,
				 "key 0x%llx is of another protection domain, or not to be written",
				 lkey, 0));
}

static int cx_advice_now(struct ib_pd *pd, u32 advice,
			 const struct ib_uverbs_sge *sg_list, u32 num)
{
	int ret = 0;
	u32 i;

	for (i = 0; i < num && !ret; i++) {
		struct cx_odp_mr *o;

		o = cx_advice_region(pd, advice, sg_list[i].lkey);
		if (IS_ERR(o))
			return PTR_ERR(o);
		ret = cx_odp_page_in(o, sg_list[i].addr, sg_list[i].length,
				     cx_advice_flags(advice));
		cx_odp_put(o);
	}
	return ret;
}

/*
 * Nobody is there any more to hear of errors, and nobody wants pages of a region
 * whose deregistration waits for this.
 */
static void cx_advice_work(struct work_struct *work)
{
	struct cx_advice *a = container_of(work, struct cx_advice, work);
	u32 i;

	for (i = 0; i < a->num; i++) {
		struct cx_odp_mr *o = a->pieces[i].o;

		if (!READ_ONCE(o->hidden))
			cx_odp_page_in(o, a->pieces[i].addr,
				       a->pieces[i].bytes, a->flags);
		cx_odp_put(o);
	}
	kvfree(a);
}

static void cx_advice_drop(struct cx_advice *a, u32 held)
{
	while (held--)
		cx_odp_put(a->pieces[held].o);
	kvfree(a);
}

static int cx_advice_later(struct ib_pd *pd, u32 advice,
			   const struct ib_uverbs_sge *sg_list, u32 num)
{
	struct cx_advice *a;
	u32 i;

	a = kvzalloc(struct_size(a, pieces, num), GFP_KERNEL_ACCOUNT);
	if (!a)
		return ib_refuse(IB_LAYER_DRIVER, -ENOMEM,
				 "no memory to note %llu pieces", num, 0);
	INIT_WORK(&a->work, cx_advice_work);
	a->flags = cx_advice_flags(advice);
	a->num = num;
	for (i = 0; i < num; i++) {
		struct cx_odp_mr *o;

		o = cx_advice_region(pd, advice, sg_list[i].lkey);
		if (IS_ERR(o)) {
			cx_advice_drop(a, i);
			return PTR_ERR(o);
		}
		a->pieces[i].o = o;
		a->pieces[i].addr = sg_list[i].addr;
		a->pieces[i].bytes = sg_list[i].length;
	}
	queue_work(to_verbs(pd->obj.device)->odp.advice_wq, &a->work);
	return 0;
}

/**
 * cx_advise_mr - ib_device_ops.advise_mr
 * @pd: protection domain of the regions
 * @advice: enum ib_uverbs_advise_mr_advice
 * @flags: enum ib_uverbs_advise_mr_flag
 * @sg_list: @num pieces of memory, by local keys
 * @num: number of pieces
 * @b: the user's call
 *
 * Context: Process context. Sleeps.
 * Return: 0; -EOPNOTSUPP unknown advice; -ENOENT no such key; -EPERM of
 * another protection domain, or not to be written; with the flag to wait also
 * what paging says.
 */
int cx_advise_mr(struct ib_pd *pd, u32 advice, u32 flags,
		 const struct ib_uverbs_sge *sg_list, u32 num,
		 struct uverbs_bundle *b)
{
	int ret;

	ret = cx_advice_check(advice);
	if (ret || !num)
		return ret;
	if (flags & IB_UVERBS_ADVISE_MR_FLAG_FLUSH)
		return cx_advice_now(pd, advice, sg_list, num);
	return cx_advice_later(pd, advice, sg_list, num);
}
