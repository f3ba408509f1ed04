/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pinned pages as runs of neighbours, a word for each: the worst case, pages
 * that lie nowhere side by side, takes 8 bytes a page.
 */
#ifndef IB_UMEM_RUNS_H
#define IB_UMEM_RUNS_H

#include <linux/bits.h>
#include <linux/mm.h>
#include <linux/types.h>

struct ib_runs;
struct ib_umem;

/* A run is the number of its first page and, below, one less than its length */
#define IB_RUN_BITS	24
#define IB_RUN_PAGES	BIT_ULL(IB_RUN_BITS)
/* Room for the number of any page of memory, not for each DMA address there is */
#define IB_RUN_PFNS	BIT_ULL(64 - IB_RUN_BITS)

/**
 * struct ib_run_chunk - some of the runs
 * @next: the chunk behind it, or NULL
 * @room: how many @run has; all are used but in the last chunk
 * @lent: it is part of something else
 * @run: the runs
 */
struct ib_run_chunk {
	struct ib_run_chunk	*next;
	unsigned int		room;
	bool			lent;
	u64			run[] __counted_by(room);
};

static inline u64 ib_run(u64 pfn, u64 npages)
{
	return pfn << IB_RUN_BITS | (npages - 1);
}

static inline u64 ib_run_pfn(u64 run)
{
	return run >> IB_RUN_BITS;
}

static inline u64 ib_run_pages(u64 run)
{
	return (run & (IB_RUN_PAGES - 1)) + 1;
}

/* Does a page lie alone? */
static inline bool ib_run_is_single(u64 run)
{
	return !(run & (IB_RUN_PAGES - 1));
}

/* From @run[*@at] of *@chunk on, @n runs of that chunk: both move on. */
static inline void ib_run_skip(const struct ib_run_chunk **chunk,
			       unsigned int *at, unsigned int n)
{
	*at += n;
	if (*at == (*chunk)->room) {
		*chunk = (*chunk)->next;
		*at = 0;
	}
}

static inline void ib_run_step(const struct ib_run_chunk **chunk,
			       unsigned int *at)
{
	ib_run_skip(chunk, at, 1);
}

/* The first chunk of a list that is part of what the list belongs to */
#define IB_RUNS_LENT	64	/* bytes */

void ib_runs_lend(struct ib_runs *runs, void *room);
int ib_runs_put(struct ib_runs *runs, u64 pfn, u64 npages);
int ib_runs_add(struct ib_runs *runs, struct page **pages, size_t n);
void ib_runs_join(struct ib_runs *runs, struct ib_runs *more);
void ib_runs_free(struct ib_runs *runs);
struct page *ib_runs_page(const struct ib_runs *runs, size_t n);
void ib_runs_unpin(const struct ib_runs *runs, bool dirty);

/* umem_pin.c: who makes such a list */
int ib_umem_pin(struct ib_umem *umem);

/* umem_dma.c: who shows it to a device */
int ib_umem_map(struct ib_umem *umem, unsigned long attrs);
void ib_umem_unmap(struct ib_umem *umem);

#endif /* IB_UMEM_RUNS_H */
