// SPDX-License-Identifier: GPL-2.0-only
/*
 * Changes of memory keys that exist: fields, and translation entries. A long
 * list of entries goes to the adapter in pieces, through one buffer. Between
 * two of them others get their turn: who changes one key at a time in several
 * places has a lock of his own for that.
 */
#include <kunit/visibility.h>

#include <ib/refuse.h>

#include <connectx/prm_wqe.h>

#include "cx.h"
#include "umr.h"

#define CX_UMR_ZAPS	2	/* a refusal may not have been of ours */

/**
 * cx_umr_prepare - all that a change of a key needs is there
 * @cx: the device
 * @u: its queue pair for this
 *
 * It is made with the first call and stays.
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_umr_prepare(struct cx_dev *cx, struct cx_umr *u)
{
	int ret = 0;

	mutex_lock(&u->make_lock);
	if (!u->made)
		ret = cx_umr_qp_make(cx, u);
	if (!ret)
		WRITE_ONCE(u->made, true);
	mutex_unlock(&u->make_lock);
	return ret;
}

/**
 * cx_umr_rights - the rights that a request may change
 * @cx: the device
 *
 * Not every firmware lets one change the right to atomics: the key is made with
 * it, or without.
 *
 * Context: Any context.
 * Return: mask of enum cx_umr_field.
 */
u64 cx_umr_rights(const struct cx_dev *cx)
{
	if (cx->caps.umr_modify_atomic_disabled)
		return CX_UMR_RIGHTS & ~BIT_ULL(CX_UMR_A);
	return CX_UMR_RIGHTS;
}

/**
 * cx_umr_change - change fields of a memory key that is in use
 * @cx: the device
 * @u: its queue pair for this
 * @mkey: the key
 * @p: new values: rights, order, protection domain
 * @fields: mask of enum cx_umr_field: which of them change
 *
 * What reaches the adapter after it returns meets the new key.
 *
 * Context: Process context. Sleeps. Takes and releases u->lock.
 * Return: 0, or a negative errno and the key is as before.
 */
int cx_umr_change(struct cx_dev *cx, struct cx_umr *u, u32 mkey,
		  const struct cx_mkey_params *p, u64 fields)
{
	const struct cx_umr_req r = {
		.mkey = mkey,
		.cond = CX_UMR_IF_IN_USE,
		.p = p,
		.fields = fields,
	};
	int ret;

	ret = cx_umr_prepare(cx, u);
	if (ret)
		return ret;
	mutex_lock(&u->lock);
	ret = __cx_umr_exec(cx, u, &r);
	mutex_unlock(&u->lock);
	return ret;
}

/* Whole groups: what follows the last entry is room that nobody uses. */
static u32 __cx_umr_fill(struct cx_umr *u, const struct cx_umr_xlt *x, u64 at,
			 u32 n)
{
	u32 whole = round_up(n, CX_UMR_GROUP);
	__be64 *entries = u->xlt.mem;

	lockdep_assert_held(&u->lock);
	if (!x->fill)
		n = 0;
	else
		x->fill(x->arg, entries, at, n);
	memset(entries + n, 0, (whole - n) * sizeof(*entries));
	return whole;
}

static int cx_umr_chunk(struct cx_dev *cx, struct cx_umr *u,
			const struct cx_umr_xlt *x, u64 at, u32 n)
{
	bool last = at + n == x->first + x->count;
	struct cx_umr_req r = {
		.mkey = x->mkey,
		.cond = x->cond,
		.p = x->p,
		.fields = last ? x->fields : 0,
		.xlt = u->xlt.dma,
		.xlt_lkey = u->lkey,
		.first = at,
	};
	int ret;

	mutex_lock(&u->lock);
	r.count = __cx_umr_fill(u, x, at, n);
	ret = __cx_umr_exec(cx, u, &r);
	mutex_unlock(&u->lock);
	return ret;
}

/**
 * cx_umr_translate - write translation entries of a memory key
 * @cx: the device
 * @u: its queue pair for this; cx_umr_prepare() was called
 * @x: which entries of which key
 *
 * What reaches the adapter after it returns meets the new entries; before
 * that, the old or the new ones. A free key can be filled at leisure, and put
 * into use with the last entry (CX_UMR_FREE among the fields).
 *
 * Context: Process context. Sleeps, but never until memory is freed: it may
 * be called with any lock of the memory management held, by who calls it for
 * one key at a time. Takes and releases u->lock.
 * Return: 0, or a negative errno: the fields are as before, and entries from
 * the first one on may have changed.
 */
int cx_umr_translate(struct cx_dev *cx, struct cx_umr *u,
		     const struct cx_umr_xlt *x)
{
	u64 at, end = x->first + x->count;
	u32 n;
	int ret = 0;

	if (WARN_ON_ONCE(!READ_ONCE(u->made) || !x->count ||
			 x->first % CX_UMR_GROUP))
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "no place for %llu entries at %llu",
				 x->count, x->first);
	for (at = x->first; at < end && !ret; at += n) {
		n = min_t(u64, end - at, CX_UMR_CHUNK);
		ret = cx_umr_chunk(cx, u, x, at, n);
	}
	return ret;
}
EXPORT_SYMBOL_IF_KUNIT(cx_umr_translate);

/**
 * cx_umr_zap - take memory away from a key
 * @cx: the device
 * @u: its queue pair for this; cx_umr_prepare() was called
 * @mkey: the key
 * @first: number of the first entry, a multiple of CX_UMR_GROUP
 * @count: how many; the rest of the last group goes as well
 *
 * The adapter does not reach the memory any more when this returns: if it
 * does not obey, it is killed.
 *
 * Context: Process context, as cx_umr_translate().
 */
void cx_umr_zap(struct cx_dev *cx, struct cx_umr *u, u32 mkey, u64 first,
		u64 count)
{
	const struct cx_umr_xlt x = {
		.mkey = mkey,
		.first = first,
		.count = count,
	};
	int i;

	for (i = 0; i < CX_UMR_ZAPS; i++)
		if (!cx_umr_translate(cx, u, &x) || cx_dev_dead(cx))
			return;
	cx_dev_kill(cx, "it does not give memory back");
}
EXPORT_SYMBOL_IF_KUNIT(cx_umr_zap);

/**
 * cx_umr_dead - the device is dead: nobody shall wait for it
 * @u: its queue pair for changes of keys
 *
 * Context: Any context.
 */
void cx_umr_dead(struct cx_umr *u)
{
	wake_up(&u->wait);
}

/**
 * cx_umr_init - nothing is made before the first change
 * @u: queue pair for changes of keys
 *
 * Context: Process context.
 */
void cx_umr_init(struct cx_umr *u)
{
	mutex_init(&u->make_lock);
	mutex_init(&u->lock);
	init_waitqueue_head(&u->wait);
}

/**
 * cx_umr_exit - undo cx_umr_init(), and what the first change made
 * @cx: the device
 * @u: its queue pair for changes of keys, which nobody uses
 *
 * Context: Process context. Sleeps.
 */
void cx_umr_exit(struct cx_dev *cx, struct cx_umr *u)
{
	if (u->made)
		cx_umr_qp_free(cx, u);
	mutex_destroy(&u->lock);
	mutex_destroy(&u->make_lock);
}
