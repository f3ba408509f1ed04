// SPDX-License-Identifier: GPL-2.0-only
/*
 * A memory key for a range of a process. Its translation entries are what the
 * list of pages in ib_core says, or "not there": then the adapter faults.
 */
#include <linux/align.h>
#include <linux/minmax.h>

#include <ib/refuse.h>
#include <ib/umem_odp.h>

#include <connectx/prm_mkc.h>

#include "cx.h"
#include "verbs.h"

static_assert(CX_MTT_READ == IB_ODP_READ && CX_MTT_WRITE == IB_ODP_WRITE);

static void cx_odp_entries(void *arg, __be64 *entries, u64 at, u32 n)
{
	const struct ib_umem_odp *umem = arg;
	u32 i;

	lockdep_assert_held(&umem->lock);
	for (i = 0; i < n; i++)
		entries[i] = cpu_to_be64(umem->pages[at + i]);
}

/* Entries are written in groups; pages of the same group are written again. */
static int cx_odp_fill(struct ib_umem_odp *umem, size_t first, size_t n)
{
	const struct cx_odp_key *k = umem->priv;
	struct cx_umr_xlt x = {
		.mkey = k->mkey,
		.first = round_down(first, CX_UMR_GROUP),
		.fill = cx_odp_entries,
		.arg = umem,
		.cond = CX_UMR_IF_IN_USE,
	};

	lockdep_assert_held(&umem->lock);
	x.count = min(round_up(first + n, CX_UMR_GROUP), umem->count) -
		  x.first;
	return cx_umr_translate(k->v->cx, &k->v->umr, &x);
}

/*
 * Pages in the same groups as the first and the last one go as well: the
 * adapter will ask for them again.
 */
static void cx_odp_zap(struct ib_umem_odp *umem, size_t first, size_t n)
{
	const struct cx_odp_key *k = umem->priv;
	size_t from = round_down(first, CX_UMR_GROUP);

	lockdep_assert_held(&umem->lock);
	cx_umr_zap(k->v->cx, &k->v->umr, k->mkey, from, first + n - from);
}

const struct ib_umem_odp_ops cx_odp_ops = {
	.fill = cx_odp_fill,
	.zap = cx_odp_zap,
};

/* All entries say "not there" before the key is put into use. */
static int cx_odp_key_enable(struct cx_odp_key *k, struct cx_mkey_params *p)
{
	const struct cx_umr_xlt x = {
		.mkey = k->mkey,
		.count = k->umem->count,
		.cond = CX_UMR_IF_FREE,
		.p = p,
		.fields = cx_umr_rights(k->v->cx) | CX_UMR_RANGE |
			  BIT_ULL(CX_UMR_PD) | BIT_ULL(CX_UMR_FREE),
	};

	p->free = false;
	return cx_umr_translate(k->v->cx, &k->v->umr, &x);
}

/**
 * cx_odp_key_make - make the key for a range, without any page
 * @k: the device and the range; result: the key
 * @pdn: its protection domain
 * @iova: address that the adapter uses for the first byte
 * @length: bytes
 * @access: IB_ACCESS_*
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_odp_key_make(struct cx_odp_key *k, u32 pdn, u64 iova, u64 length,
		    int access)
{
	struct cx_dev *cx = k->v->cx;
	struct cx_mkey_params p = {
		.pdn = pdn,
		.variant = cx_mkey_variant(&k->v->base),
		.free = true,
		.relaxed_order = cx_may_relax(cx, access),
		.start = iova,
		.len = length,
		.pas.page_shift = k->umem->page_shift,
	};
	int ret;

	if (k->umem->count > U32_MAX - CX_UMR_GROUP)
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "%llu pages are more than a key can have",
				 k->umem->count, 0);
	p.room = round_up(k->umem->count, CX_UMR_GROUP);
	cx_mkey_rights(&p, access);
	ret = cx_cmd_create_mkey(cx, &p, &k->mkey);
	if (ret)
		return ret;
	ret = cx_odp_key_enable(k, &p);
	if (ret)
		cx_cmd_destroy_mkey(cx, k->mkey);	/* it is of no use */
	return ret;
}

/**
 * cx_odp_key_destroy - undo cx_odp_key_make(), and let the pages go
 * @k: the key
 *
 * It is emptied first, so that nobody has to take pages away from a key while
 * that is destroyed.
 *
 * Context: Process context. Sleeps.
 * Return: 0, or a negative errno and the key still works: its pages will be
 * asked for again.
 */
int cx_odp_key_destroy(struct cx_odp_key *k)
{
	struct cx_dev *cx = k->v->cx;
	int ret;

	ib_umem_odp_detach(k->umem);
	ret = cx_destroyed(cx, cx_cmd_destroy_mkey(cx, k->mkey));
	if (ret)
		ib_umem_odp_attach(k->umem);
	return ret;
}

/**
 * cx_odp_key_give_up - the same, for who cannot try again
 * @k: the key
 *
 * If the adapter insists on the key, it keeps one without pages.
 *
 * Context: Process context. Sleeps.
 */
void cx_odp_key_give_up(struct cx_odp_key *k)
{
	struct cx_dev *cx = k->v->cx;

	ib_umem_odp_detach(k->umem);
	if (cx_destroyed(cx, cx_cmd_destroy_mkey(cx, k->mkey)))
		dev_err(cx->dev, "key 0x%x cannot be destroyed, it is empty\n",
			k->mkey);
}
