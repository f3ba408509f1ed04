// SPDX-License-Identifier: GPL-2.0-only
/*
 * A region of all addresses. Pieces are made and never go before the region
 * does: one that has lost its pages costs the list of them, and saves a race
 * between the last page that goes and the next one that comes.
 */
#include <linux/err.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include <ib/refuse.h>
#include <ib/umem_odp.h>

#include "cx.h"
#include "odp_space.h"
#include "verbs.h"

#define CX_PIECE_SHIFT		30
#define CX_PIECE		BIT_ULL(CX_PIECE_SHIFT)
/* Up to where a process gets memory unless it asks for addresses beyond */
#define CX_PIECES		DIV_ROUND_UP(DEFAULT_MAP_WINDOW, CX_PIECE)
#define CX_PIECE_WORDS		2
#define CX_GROUP_PIECES		(CX_UMR_GROUP / CX_PIECE_WORDS)

static_assert(CX_PIECES % CX_GROUP_PIECES == 0);

/**
 * struct cx_odp_space - all addresses of a process
 * @mm: the process, held by mmgrab
 * @pdn: protection domain
 * @access: IB_ACCESS_*
 * @lock: owns @pieces and the entries of the region's key
 * @pieces: number -> struct cx_odp_key
 */
struct cx_odp_space {
	struct mm_struct *mm;
	u32 pdn;
	int access;
	struct mutex lock;	/* of the table */
	struct xarray pieces;
};

static void cx_space_entries(void *arg, __be64 *entries, u64 at, u32 n)
{
	const struct cx_odp_mr *o = arg;
	u32 null_mkey = o->key.v->cx->caps.null_mkey;
	u32 i;

	for (i = 0; i < n; i += CX_PIECE_WORDS) {
		u64 number = (at + i) / CX_PIECE_WORDS;
		struct cx_odp_key *k = xa_load(&o->space->pieces, number);

		entries[i] = cpu_to_be64(k ? k->mkey : null_mkey);
		entries[i + 1] = cpu_to_be64(k ? number << CX_PIECE_SHIFT : 0);
	}
}

static int cx_space_enable(struct cx_odp_mr *o, struct cx_mkey_params *p)
{
	const struct cx_umr_xlt x = {
		.mkey = o->key.mkey,
		.count = p->room,
		.fill = cx_space_entries,
		.arg = o,
		.cond = CX_UMR_IF_FREE,
		.p = p,
		.fields = cx_umr_rights(o->key.v->cx) | CX_UMR_RANGE |
			  BIT_ULL(CX_UMR_PD) | BIT_ULL(CX_UMR_FREE),
	};

	p->free = false;
	return cx_umr_translate(o->key.v->cx, &o->key.v->umr, &x);
}

static int cx_space_key_make(struct cx_odp_mr *o)
{
	struct cx_dev *cx = o->key.v->cx;
	int access = o->space->access;
	struct cx_mkey_params p = {
		.pdn = o->space->pdn,
		.variant = cx_mkey_variant(&o->key.v->base),
		.free = true,
		.keys = true,
		.relaxed_order = cx_may_relax(cx, access),
		.len = CX_PIECES << CX_PIECE_SHIFT,
		.room = CX_PIECES * CX_PIECE_WORDS,
		.pas.page_shift = CX_PIECE_SHIFT,
	};
	int ret;

	cx_mkey_rights(&p, access);
	ret = cx_cmd_create_mkey(cx, &p, &o->key.mkey);
	if (ret)
		return ret;
	ret = cx_space_enable(o, &p);
	if (ret)
		cx_cmd_destroy_mkey(cx, o->key.mkey);
	return ret;
}

static void cx_space_free(struct cx_odp_space *s)
{
	struct cx_odp_key *k;
	unsigned long i;

	xa_for_each(&s->pieces, i, k) {
		cx_odp_key_give_up(k);
		ib_umem_odp_release(k->umem);
		kfree(k);
	}
	xa_destroy(&s->pieces);
	mutex_destroy(&s->lock);
	mmdrop(s->mm);
	kfree(s);
}

/**
 * cx_odp_space_make - make the key of a region of all addresses
 * @o: the region; its device is known
 * @pdn: protection domain
 * @access: IB_ACCESS_*
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_odp_space_make(struct cx_odp_mr *o, u32 pdn, int access)
{
	struct cx_odp_space *s;
	int ret;

	if (access & IB_ACCESS_HUGETLB)
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "not all addresses are huge pages", 0, 0);
	s = kzalloc(sizeof(*s), GFP_KERNEL_ACCOUNT);
	if (!s)
		return ib_refuse(IB_LAYER_DRIVER, -ENOMEM, "no memory", 0, 0);
	s->mm = current->mm;
	mmgrab(s->mm);
	s->pdn = pdn;
	s->access = access;
	mutex_init(&s->lock);
	xa_init(&s->pieces);
	o->space = s;
	ret = cx_space_key_make(o);
	if (ret) {
		cx_space_free(s);
		o->space = NULL;
	}
	return ret;
}

/**
 * cx_odp_space_is_callers - are these the addresses of the running process?
 * @o: a region of all addresses
 *
 * Context: Process context.
 * Return: true if they are.
 */
bool cx_odp_space_is_callers(const struct cx_odp_mr *o)
{
	return o->space->mm == current->mm;
}

/**
 * cx_odp_space_destroy - undo cx_odp_space_make()
 * @o: the region, which nobody uses
 *
 * Context: Process context. Sleeps.
 * Return: 0, or a negative errno and the region still works.
 */
int cx_odp_space_destroy(struct cx_odp_mr *o)
{
	struct cx_dev *cx = o->key.v->cx;
	int ret;

	ret = cx_destroyed(cx, cx_cmd_destroy_mkey(cx, o->key.mkey));
	if (ret)
		return ret;
	cx_space_free(o->space);
	o->space = NULL;
	return 0;
}

/**
 * cx_odp_space_give_up - the same, for who cannot try again
 * @o: the region, which nobody uses
 *
 * If the adapter insists on the key, it keeps one of pieces that are gone.
 *
 * Context: Process context. Sleeps.
 */
void cx_odp_space_give_up(struct cx_odp_mr *o)
{
	cx_cmd_destroy_mkey(o->key.v->cx, o->key.mkey);
	cx_space_free(o->space);
	o->space = NULL;
}

static struct cx_odp_key *__cx_piece_make(struct cx_odp_mr *o, u64 number)
{
	struct cx_odp_space *s = o->space;
	u64 start = number << CX_PIECE_SHIFT;
	struct cx_odp_key *k;
	int ret;

	lockdep_assert_held(&s->lock);
	k = kzalloc(sizeof(*k), GFP_KERNEL_ACCOUNT);
	if (!k)
		return ERR_PTR(ib_refuse(IB_LAYER_DRIVER, -ENOMEM, "no memory",
					 0, 0));
	k->v = o->key.v;
	k->umem = ib_umem_odp_get(&k->v->base, s->mm, start, CX_PIECE,
				  s->access, &cx_odp_ops);
	if (IS_ERR(k->umem)) {
		ret = PTR_ERR(k->umem);
		goto err_piece;
	}
	k->umem->priv = k;
	ret = cx_odp_key_make(k, s->pdn, start, CX_PIECE, s->access);
	if (ret)
		goto err_umem;
	ret = xa_err(xa_store(&s->pieces, number, k, GFP_KERNEL_ACCOUNT));
	if (ret) {
		ib_refuse(IB_LAYER_DRIVER, ret, "no memory for piece %llu",
			  number, 0);
		goto err_key;
	}
	return k;

err_key:
	cx_odp_key_give_up(k);
err_umem:
	ib_umem_odp_release(k->umem);
err_piece:
	kfree(k);
	return ERR_PTR(ret);
}

/* The process pays for its pieces, also when the adapter asked for one. */
static struct cx_odp_key *__cx_piece_make_charged(struct cx_odp_mr *o,
						  u64 number)
{
	struct mem_cgroup *memcg = get_mem_cgroup_from_mm(o->space->mm);
	struct mem_cgroup *old = set_active_memcg(memcg);
	struct cx_odp_key *k = __cx_piece_make(o, number);

	set_active_memcg(old);
	mem_cgroup_put(memcg);
	return k;
}

/* A piece that is there but not in the table yet is shown by the next fault. */
static int __cx_piece_show(struct cx_odp_mr *o, u64 number)
{
	const struct cx_umr_xlt x = {
		.mkey = o->key.mkey,
		.first = round_down(number, CX_GROUP_PIECES) * CX_PIECE_WORDS,
		.count = CX_UMR_GROUP,
		.fill = cx_space_entries,
		.arg = o,
		.cond = CX_UMR_IF_IN_USE,
	};
	int ret;

	lockdep_assert_held(&o->space->lock);
	ret = cx_umr_translate(o->key.v->cx, &o->key.v->umr, &x);
	if (!ret)
		xa_set_mark(&o->space->pieces, number, XA_MARK_0);
	return ret;
}

static struct cx_odp_key *cx_piece_get(struct cx_odp_mr *o, u64 number)
{
	struct cx_odp_space *s = o->space;
	struct cx_odp_key *k;
	int ret = 0;

	mutex_lock(&s->lock);
	k = xa_load(&s->pieces, number);
	if (!k)
		k = __cx_piece_make_charged(o, number);
	if (!IS_ERR(k) && !xa_get_mark(&s->pieces, number, XA_MARK_0))
		ret = __cx_piece_show(o, number);
	mutex_unlock(&s->lock);
	return ret ? ERR_PTR(ret) : k;
}

/**
 * cx_odp_space_page_in - bring pages in for the adapter
 * @o: the region
 * @addr: first address
 * @bytes: how many
 * @flags: enum ib_umem_odp_flags
 *
 * Context: Process context. Sleeps.
 * Return: 0; errnos of ib_umem_odp_map() and of making a key.
 */
int cx_odp_space_page_in(struct cx_odp_mr *o, u64 addr, u64 bytes,
			 unsigned int flags)
{
	const u64 end = CX_PIECES << CX_PIECE_SHIFT;
	int ret = 0;

	if (addr >= end || bytes > end - addr)
		return ib_refuse(IB_LAYER_DRIVER, -EFAULT,
				 "0x%llx bytes at 0x%llx are no user memory",
				 bytes, addr);
	do {
		u64 here = min(bytes, CX_PIECE - (addr & (CX_PIECE - 1)));
		struct cx_odp_key *k;

		k = cx_piece_get(o, addr >> CX_PIECE_SHIFT);
		if (IS_ERR(k))
			return PTR_ERR(k);
		ret = ib_umem_odp_map(k->umem, addr, here, flags);
		addr += here;
		bytes -= here;
	} while (bytes && !ret);
	return ret;
}
