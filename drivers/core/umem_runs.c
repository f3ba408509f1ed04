// SPDX-License-Identifier: GPL-2.0-only
/*
 * A list of runs of pages. It grows by chunks, each twice as large as the one
 * before up to a page: neither one page nor a terabyte takes much more than it
 * has runs, and nothing is ever copied.
 */
#include <kunit/visibility.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <ib/umem.h>
#include "core_priv.h"
#include "umem_runs.h"

#define CHUNK_MIN	IB_RUNS_LENT		/* bytes */
#define CHUNK_MAX	PAGE_SIZE

#define UNPIN_BATCH	64
#define UNPIN_MOST	BIT(16)			/* pages without a pause */

static unsigned int room_of(size_t bytes)
{
	return (bytes - sizeof(struct ib_run_chunk)) / sizeof(u64);
}

static void append_chunk(struct ib_runs *runs, struct ib_run_chunk *chunk,
			 size_t bytes, bool lent)
{
	chunk->next = NULL;
	chunk->room = room_of(bytes);
	chunk->lent = lent;
	if (runs->last)
		runs->last->next = chunk;
	else
		runs->first = chunk;
	runs->last = chunk;
	runs->used = 0;
	runs->end = 0;	/* there is no run before it that could grow */
}

/**
 * ib_runs_lend() - room for the first runs
 * @runs: an empty list, which will not be joined to another one
 * @room: IB_RUNS_LENT bytes that live as long as the list
 *
 * Most registrations are small, and need no more.
 *
 * Context: Any context.
 */
void ib_runs_lend(struct ib_runs *runs, void *room)
{
	append_chunk(runs, room, IB_RUNS_LENT, true);
}
EXPORT_SYMBOL_IF_KUNIT(ib_runs_lend);

static int add_chunk(struct ib_runs *runs)
{
	struct ib_run_chunk *chunk;
	size_t bytes = CHUNK_MIN;

	if (runs->last)
		bytes = min(2 * struct_size(runs->last, run, runs->last->room),
			    CHUNK_MAX);
	chunk = kmalloc(bytes, GFP_KERNEL_ACCOUNT);
	if (!chunk)
		return -ENOMEM;
	append_chunk(runs, chunk, bytes, false);
	return 0;
}

/**
 * ib_runs_put() - append a run, which stays one of its own
 * @runs: the list, zeroed at first
 * @pfn: number of its first page
 * @npages: how many, at most IB_RUN_PAGES
 *
 * Context: Process context. Sleeps.
 * Return: 0; -ENOMEM; -EOPNOTSUPP a run has no room for such a number,
 * reason recorded.
 */
int ib_runs_put(struct ib_runs *runs, u64 pfn, u64 npages)
{
	int ret;

	if (pfn >= IB_RUN_PFNS)
		return ib_refuse(IB_LAYER_UMEM, -EOPNOTSUPP,
				 "DMA address 0x%llx has more than 52 bits, the device's mask is too wide",
				 pfn << PAGE_SHIFT, 0);
	if (!runs->last || runs->used == runs->last->room) {
		ret = add_chunk(runs);
		if (ret)
			return ret;
	}
	runs->last->run[runs->used++] = ib_run(pfn, npages);
	runs->num++;
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(ib_runs_put);

/* How many pages lie side by side at the front of an array? */
static size_t side_by_side(struct page **pages, size_t n, u64 pfn)
{
	size_t i = 1;

	while (i < n && pages[i] == pfn_to_page(pfn + i))
		i++;
	return i;
}

/*
 * As many pages as there is room for. Most of what registration adds to the
 * cost of pinning is spent here and where the list is walked, so each page
 * takes a few instructions and no call.
 */
static size_t fill_chunk(struct ib_runs *runs, struct page **pages, size_t n)
{
	struct ib_run_chunk *chunk = runs->last;
	u64 *at = chunk->run + runs->used;
	u64 *stop = chunk->run + chunk->room;
	u64 end = runs->end, pfn;
	size_t i, len;

	for (i = 0; i < n; i += len) {
		pfn = page_to_pfn(pages[i]);
		len = 1;
		if (pfn == end && ib_run_pages(at[-1]) < IB_RUN_PAGES) {
			len = min(n - i, IB_RUN_PAGES - ib_run_pages(at[-1]));
			len = side_by_side(pages + i, len, pfn);
			at[-1] += len;
		} else if (likely(at < stop)) {
			*at++ = ib_run(pfn, 1);
		} else {
			break;
		}
		end = pfn + len;
	}
	runs->num += at - (chunk->run + runs->used);
	runs->used = at - chunk->run;
	runs->end = end;
	return i;
}

/**
 * ib_runs_add() - append pinned pages
 * @runs: the list, zeroed at first
 * @pages: the pages
 * @n: how many
 *
 * Context: Process context. Sleeps.
 * Return: 0; or -ENOMEM, and @pages that were appended until then stay in the
 * list, the others were unpinned.
 */
int ib_runs_add(struct ib_runs *runs, struct page **pages, size_t n)
{
	size_t i = runs->last ? fill_chunk(runs, pages, n) : 0;
	int ret;

	while (i < n) {
		ret = add_chunk(runs);
		if (ret) {
			unpin_user_pages(pages + i, n - i);
			return ret;
		}
		i += fill_chunk(runs, pages + i, n - i);
	}
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(ib_runs_add);

/**
 * ib_runs_join() - append another list
 * @runs: the list
 * @more: the pages behind; empty afterwards
 *
 * Context: Any context.
 */
void ib_runs_join(struct ib_runs *runs, struct ib_runs *more)
{
	struct ib_runs joined = *more;

	if (runs->last && more->first) {
		runs->last->room = runs->used;
		runs->last->next = more->first;
		joined.first = runs->first;
		joined.num += runs->num;
	}
	if (more->first)
		*runs = joined;
	*more = (struct ib_runs){};
}
EXPORT_SYMBOL_IF_KUNIT(ib_runs_join);

/**
 * ib_runs_free() - free the list, not the pages
 * @runs: the list, empty afterwards
 *
 * Context: Any context.
 */
void ib_runs_free(struct ib_runs *runs)
{
	struct ib_run_chunk *chunk, *next;

	for (chunk = runs->first; chunk; chunk = next) {
		next = chunk->next;
		if (!chunk->lent)
			kfree(chunk);
	}
	*runs = (struct ib_runs){};
}
EXPORT_SYMBOL_IF_KUNIT(ib_runs_free);

/**
 * ib_runs_page() - one page of a list
 * @runs: the list
 * @n: its number, from 0
 *
 * Context: Any context. Looks at the runs before it.
 * Return: the page, or NULL if there are not so many.
 */
struct page *ib_runs_page(const struct ib_runs *runs, size_t n)
{
	const struct ib_run_chunk *chunk = runs->first;
	unsigned int at = 0;
	size_t i, len;

	for (i = 0; i < runs->num; i++) {
		len = ib_run_pages(chunk->run[at]);
		if (n < len)
			return pfn_to_page(ib_run_pfn(chunk->run[at]) + n);
		n -= len;
		ib_run_step(&chunk, &at);
	}
	return NULL;
}
EXPORT_SYMBOL_IF_KUNIT(ib_runs_page);

/* A long run, a part at a time, so that nobody else has to wait for its end */
static void unpin_run(u64 run, bool dirty)
{
	u64 pfn = ib_run_pfn(run), left = ib_run_pages(run), part;

	for (; left; left -= part, pfn += part) {
		part = min_t(u64, left, UNPIN_MOST);
		unpin_user_page_range_dirty_lock(pfn_to_page(pfn), part, dirty);
		cond_resched();
	}
}

/* Pages that lie alone at the front of some runs */
static unsigned int gather_singles(const u64 *run, unsigned int n,
				   struct page **pages)
{
	unsigned int i;

	for (i = 0; i < n && ib_run_is_single(run[i]); i++)
		pages[i] = pfn_to_page(ib_run_pfn(run[i]));
	return i;
}

/**
 * ib_runs_unpin() - unpin all pages of a list
 * @runs: the list; it stays
 * @dirty: the pages may have been written
 *
 * Pages that lie alone are unpinned together: a call for each would cost a
 * third more.
 *
 * Context: Process context. Sleeps.
 */
void ib_runs_unpin(const struct ib_runs *runs, bool dirty)
{
	const struct ib_run_chunk *chunk = runs->first;
	struct page *batch[UNPIN_BATCH];
	unsigned int at = 0, n;
	size_t left;

	for (left = runs->num; left; left -= n) {
		n = min3(left, (size_t)chunk->room - at, (size_t)UNPIN_BATCH);
		n = gather_singles(chunk->run + at, n, batch);
		if (n) {
			unpin_user_pages_dirty_lock(batch, n, dirty);
		} else {
			unpin_run(chunk->run[at], dirty);
			n = 1;
		}
		if (n < left)
			cond_resched();
		ib_run_skip(&chunk, &at, n);
	}
}
EXPORT_SYMBOL_IF_KUNIT(ib_runs_unpin);
