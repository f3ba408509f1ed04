// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lists of pages. Most of the pages here are numbers only: nobody looks at the
 * memory but who unpins it. A walk over a list is judged by one over a scatter
 * list of the same pages.
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/module.h>
#include <linux/prandom.h>
#include <linux/scatterlist.h>
#include <linux/sizes.h>
#include <ib/export.h>
#include <ib/umem.h>
#include "drivers/core/umem_runs.h"

#define PFN		0x100000ul
#define MANY		3000		/* pages; more than a chunk of runs */
#define SIZES_4K_UP	(~0ULL << 12)

static void fill_pages(struct page **pages, unsigned long pfn, size_t n,
		       long step)
{
	size_t i;

	for (i = 0; i < n; i++)
		pages[i] = pfn_to_page(pfn + i * step);
}

static void expect_run(struct kunit *test, const struct ib_run_chunk **chunk,
		       unsigned int *at, u64 pfn, u64 npages)
{
	KUNIT_ASSERT_NOT_NULL(test, *chunk);
	KUNIT_EXPECT_EQ(test, pfn, ib_run_pfn((*chunk)->run[*at]));
	KUNIT_EXPECT_EQ(test, npages, ib_run_pages((*chunk)->run[*at]));
	ib_run_step(chunk, at);
}

static void neighbours_are_one_run(struct kunit *test)
{
	const struct ib_run_chunk *chunk;
	struct ib_runs runs = { };
	struct page *pages[8];
	unsigned int at = 0;

	fill_pages(pages, PFN, 8, 1);
	KUNIT_ASSERT_EQ(test, 0, ib_runs_add(&runs, pages, 8));
	/* the next call goes on with it, and begins another */
	fill_pages(pages, PFN + 8, 3, 1);
	fill_pages(pages + 3, PFN, 5, 1);
	KUNIT_ASSERT_EQ(test, 0, ib_runs_add(&runs, pages, 8));
	KUNIT_EXPECT_EQ(test, 2, runs.num);
	chunk = runs.first;
	expect_run(test, &chunk, &at, PFN, 11);
	expect_run(test, &chunk, &at, PFN, 5);
	KUNIT_EXPECT_PTR_EQ(test, pfn_to_page(PFN + 10), ib_runs_page(&runs, 10));
	KUNIT_EXPECT_PTR_EQ(test, pfn_to_page(PFN), ib_runs_page(&runs, 11));
	KUNIT_EXPECT_PTR_EQ(test, NULL, ib_runs_page(&runs, 16));
	ib_runs_free(&runs);
	KUNIT_EXPECT_PTR_EQ(test, NULL, runs.first);
}

static void strangers_are_a_run_each(struct kunit *test)
{
	const struct ib_run_chunk *chunk;
	struct ib_runs runs = { };
	struct page **pages;
	unsigned int at = 0;
	size_t i;

	pages = kunit_kcalloc(test, MANY, sizeof(*pages), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, pages);
	/* downwards: each is in front of the one before */
	fill_pages(pages, PFN, MANY, -1);
	KUNIT_ASSERT_EQ(test, 0, ib_runs_add(&runs, pages, MANY));
	KUNIT_EXPECT_EQ(test, MANY, runs.num);
	chunk = runs.first;
	for (i = 0; i < MANY; i++)
		expect_run(test, &chunk, &at, PFN - i, 1);
	ib_runs_free(&runs);
}

/* 64 GiB and more: two runs, but one block for the adapter */
static void a_run_has_an_end(struct kunit *test)
{
	struct ib_umem umem = {
		.address = SZ_4K, .iova = SZ_4K,
		.length = (IB_RUN_PAGES + 2) << PAGE_SHIFT,
	};
	const struct ib_run_chunk *chunk;
	struct page *pages[3];
	unsigned int at = 0;

	fill_pages(pages, PFN + 1, 1, 1);
	KUNIT_ASSERT_EQ(test, 0, ib_runs_add(&umem.runs, pages, 1));
	umem.runs.last->run[0] = ib_run(PFN + 1, IB_RUN_PAGES - 1);
	umem.runs.end = PFN + IB_RUN_PAGES;
	fill_pages(pages, PFN + IB_RUN_PAGES, 3, 1);
	KUNIT_ASSERT_EQ(test, 0, ib_runs_add(&umem.runs, pages, 3));
	chunk = umem.runs.first;
	expect_run(test, &chunk, &at, PFN + 1, IB_RUN_PAGES);
	expect_run(test, &chunk, &at, PFN + 1 + IB_RUN_PAGES, 2);
	KUNIT_EXPECT_EQ(test, SZ_1G,
			ib_umem_best_pgsz(&umem, SZ_1G | SZ_4K, SZ_4K));
	ib_runs_free(&umem.runs);
}

/* Of a run that is full, what would grow in the next chunk is no run. */
static void a_full_run_ends_a_chunk(struct kunit *test)
{
	struct ib_runs runs = { };
	struct ib_run_chunk *first;
	struct page *pages[1];

	do {
		fill_pages(pages, PFN - 2 * runs.num, 1, 1);
		KUNIT_ASSERT_EQ(test, 0, ib_runs_add(&runs, pages, 1));
	} while (runs.used < runs.last->room);
	first = runs.last;
	first->run[runs.used - 1] = ib_run(PFN, IB_RUN_PAGES);
	runs.end = PFN + IB_RUN_PAGES;
	fill_pages(pages, PFN + IB_RUN_PAGES, 1, 1);
	KUNIT_ASSERT_EQ(test, 0, ib_runs_add(&runs, pages, 1));
	KUNIT_EXPECT_PTR_EQ(test, first->next, runs.last);
	KUNIT_EXPECT_EQ(test, 1, runs.used);
	KUNIT_EXPECT_EQ(test, ib_run(PFN + IB_RUN_PAGES, 1),
			runs.last->run[0]);
	ib_runs_free(&runs);
}

static void expect_downwards(struct kunit *test, const struct ib_runs *runs,
			     size_t n)
{
	const struct ib_run_chunk *chunk = runs->first;
	unsigned int at = 0;
	size_t i;

	KUNIT_ASSERT_EQ(test, n, runs->num);
	for (i = 0; i < n; i++)
		expect_run(test, &chunk, &at, PFN - i, 1);
}

/* What several threads have pinned, also one that got nothing */
static void lists_are_joined(struct kunit *test)
{
	struct ib_runs runs = { }, more = { };
	struct page **pages;

	pages = kunit_kcalloc(test, MANY, sizeof(*pages), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, pages);
	fill_pages(pages, PFN, MANY, -1);
	KUNIT_ASSERT_EQ(test, 0, ib_runs_add(&more, pages, 9));
	ib_runs_join(&runs, &more);
	ib_runs_join(&runs, &more);
	expect_downwards(test, &runs, 9);
	KUNIT_ASSERT_EQ(test, 0, ib_runs_add(&more, pages + 9, MANY - 20));
	ib_runs_join(&runs, &more);
	KUNIT_EXPECT_PTR_EQ(test, NULL, more.first);
	KUNIT_ASSERT_EQ(test, 0, ib_runs_add(&runs, pages + MANY - 11, 11));
	expect_downwards(test, &runs, MANY);
	ib_runs_free(&runs);
}

/* The same memory as pieces of a scatter list */
static void list_as_pieces(const struct ib_runs *runs, struct scatterlist *sg)
{
	const struct ib_run_chunk *chunk = runs->first;
	unsigned int at = 0;
	size_t i;

	sg_init_table(sg, runs->num);
	for (i = 0; i < runs->num; i++) {
		sg_dma_address(&sg[i]) = ib_run_pfn(chunk->run[at]) <<
					 PAGE_SHIFT;
		sg_dma_len(&sg[i]) = ib_run_pages(chunk->run[at]) <<
				     PAGE_SHIFT;
		ib_run_step(&chunk, &at);
	}
}

/* Runs of a power of two, aligned now and then, of 1 to 64 pages */
static void add_some(struct kunit *test, struct ib_umem *umem,
		     struct rnd_state *rnd)
{
	unsigned int n, i, align = BIT(prandom_u32_state(rnd) % 7);
	struct page *pages[64];
	unsigned long pfn;

	for (i = prandom_u32_state(rnd) % 20 + 1; i; i--) {
		n = prandom_u32_state(rnd) % 4 ? align :
		    prandom_u32_state(rnd) % 64 + 1;
		pfn = PFN + round_down(prandom_u32_state(rnd) % PFN, align);
		fill_pages(pages, pfn, n, 1);
		KUNIT_ASSERT_EQ(test, 0, ib_runs_add(&umem->runs, pages, n));
		umem->npages += n;
	}
}

static void expect_the_same(struct kunit *test, struct ib_umem *umem,
			    struct scatterlist *sg, __be64 *list)
{
	struct ib_block_iter it;
	u64 n = 0, pgsz;

	list_as_pieces(&umem->runs, sg);
	pgsz = ib_best_pgsz(sg, umem->runs.num, umem->address, umem->length,
			    SIZES_4K_UP);
	KUNIT_ASSERT_EQ(test, pgsz, ib_umem_best_pgsz(umem, SIZES_4K_UP,
						      umem->address));
	KUNIT_EXPECT_EQ(test, sg_dma_address(sg),
			ib_umem_first_dma(umem));
	ib_umem_block_start(&it, umem, pgsz);
	KUNIT_ASSERT_EQ(test, ib_num_blocks(umem->iova, umem->length, pgsz),
			ib_block_list(&it, U64_MAX, 3, list));
	ib_block_start(&it, sg, umem->runs.num, pgsz);
	while (ib_block_next(&it))
		KUNIT_ASSERT_EQ(test, it.dma | 3, be64_to_cpu(list[n++]));
}

static void walks_like_a_scatter_list(struct kunit *test)
{
	struct scatterlist *sg;
	struct rnd_state rnd;
	unsigned int i;
	__be64 *list;

	sg = kunit_kcalloc(test, 64, sizeof(*sg), GFP_KERNEL);
	list = kunit_kcalloc(test, 20 * 64, sizeof(*list), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, sg);
	KUNIT_ASSERT_NOT_NULL(test, list);
	prandom_seed_state(&rnd, 4);
	for (i = 0; i < 500; i++) {
		struct ib_umem umem = { };

		add_some(test, &umem, &rnd);
		umem.address = (u64)(prandom_u32_state(&rnd) % 64) <<
			       PAGE_SHIFT;
		umem.length = umem.npages << PAGE_SHIFT;
		expect_the_same(test, &umem, sg, list);
		ib_runs_free(&umem.runs);
	}
}

/* Pages that lie alone, with a run between that is longer than what is asked */
static void lists_pages_in_parts(struct kunit *test)
{
	struct ib_umem umem = { .address = SZ_4K, .iova = SZ_4K };
	struct page *pages[30];
	struct ib_block_iter it;
	__be64 list[8];
	u64 at = 0, n, i;

	fill_pages(pages, PFN + 100, 9, -2);
	fill_pages(pages + 9, PFN + 201, 12, 1);
	fill_pages(pages + 21, PFN, 9, -2);
	KUNIT_ASSERT_EQ(test, 0, ib_runs_add(&umem.runs, pages, 30));
	umem.length = 30 * PAGE_SIZE;
	ib_umem_block_start(&it, &umem, PAGE_SIZE);
	for (; (n = ib_block_list(&it, 7, 1, list)); at += n)
		for (i = 0; i < n; i++)
			KUNIT_EXPECT_EQ(test, page_to_phys(pages[at + i]) | 1,
					be64_to_cpu(list[i]));
	KUNIT_EXPECT_EQ(test, 30, at);
	ib_runs_free(&umem.runs);
}

#define PINNED	200

/* Single pages, more than are unpinned together */
static void short_runs_are_unpinned(struct kunit *test)
{
	struct ib_runs runs = { };
	struct page **pages;
	unsigned long addr;
	int i;

	pages = kunit_kcalloc(test, PINNED, sizeof(*pages), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, pages);
	addr = kunit_vm_mmap(test, NULL, 0, PINNED * PAGE_SIZE,
			     PROT_READ | PROT_WRITE,
			     MAP_ANONYMOUS | MAP_PRIVATE, 0);
	KUNIT_ASSERT_EQ(test, PINNED,
			pin_user_pages_fast(addr, PINNED, FOLL_WRITE, pages));
	for (i = 0; i < PINNED; i += 2)
		KUNIT_ASSERT_EQ(test, 0, ib_runs_add(&runs, pages + i, 1));
	for (i = 1; i < PINNED; i += 2)
		KUNIT_ASSERT_EQ(test, 0, ib_runs_add(&runs, pages + i, 1));
	KUNIT_EXPECT_TRUE(test, folio_maybe_dma_pinned(page_folio(pages[PINNED - 1])));
	ib_runs_unpin(&runs, true);
	for (i = 0; i < PINNED; i++)
		KUNIT_EXPECT_FALSE(test, folio_maybe_dma_pinned(page_folio(pages[i])));
	ib_runs_free(&runs);
}

/* The kernel's own memory, made to look as if it were pinned */
static void a_long_run_is_unpinned(struct kunit *test)
{
	struct page *pages[16], *page = alloc_pages(GFP_KERNEL | __GFP_COMP, 4);
	struct ib_runs runs = { };

	KUNIT_ASSERT_NOT_NULL(test, page);
	folio_ref_add(page_folio(page), 16);
	atomic_add(16, &page_folio(page)->_pincount);
	fill_pages(pages, page_to_pfn(page), 16, 1);
	KUNIT_EXPECT_EQ(test, 0, ib_runs_add(&runs, pages, 16));
	ib_runs_unpin(&runs, false);
	KUNIT_EXPECT_FALSE(test, folio_maybe_dma_pinned(page_folio(page)));
	KUNIT_EXPECT_EQ(test, 1, folio_ref_count(page_folio(page)));
	ib_runs_free(&runs);
	__free_pages(page, 4);
}

/* An IOMMU may give addresses of 64 bits. */
static void no_number_is_cut(struct kunit *test)
{
	const struct ib_run_chunk *chunk;
	struct ib_runs runs = { };
	unsigned int at = 0;

	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP, ib_runs_put(&runs, BIT_ULL(40), 1));
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP,
			ib_runs_put(&runs, U64_MAX >> PAGE_SHIFT, 1));
	KUNIT_ASSERT_EQ(test, 0, ib_runs_put(&runs, BIT_ULL(40) - 1, 2));
	KUNIT_EXPECT_EQ(test, 1, runs.num);
	chunk = runs.first;
	expect_run(test, &chunk, &at, BIT_ULL(40) - 1, 2);
	ib_runs_free(&runs);
}

/* A list that has room of its owner's to begin with, and grows beyond it */
static void the_first_runs_are_lent(struct kunit *test)
{
	u8 room[IB_RUNS_LENT] __aligned(sizeof(u64));
	struct ib_runs runs = { };
	struct page **pages;
	size_t n;

	pages = kunit_kcalloc(test, MANY, sizeof(*pages), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, pages);
	fill_pages(pages, PFN, MANY, -1);
	for (n = 1; n <= MANY; n *= 5) {
		ib_runs_lend(&runs, room);
		KUNIT_ASSERT_EQ(test, 0, ib_runs_add(&runs, pages, n));
		KUNIT_EXPECT_PTR_EQ(test, (void *)room, (void *)runs.first);
		KUNIT_EXPECT_EQ(test, n <= 6, runs.first == runs.last);
		expect_downwards(test, &runs, n);
		ib_runs_free(&runs);
	}
}

static struct kunit_case umem_runs_cases[] = {
	KUNIT_CASE(neighbours_are_one_run),
	KUNIT_CASE(strangers_are_a_run_each),
	KUNIT_CASE(a_run_has_an_end),
	KUNIT_CASE(a_full_run_ends_a_chunk),
	KUNIT_CASE(no_number_is_cut),
	KUNIT_CASE(the_first_runs_are_lent),
	KUNIT_CASE(lists_are_joined),
	KUNIT_CASE(walks_like_a_scatter_list),
	KUNIT_CASE(lists_pages_in_parts),
	KUNIT_CASE(short_runs_are_unpinned),
	KUNIT_CASE(a_long_run_is_unpinned),
	{}
};

static struct kunit_suite umem_runs_suite = {
	.name		= "ib_umem_runs",
	.test_cases	= umem_runs_cases,
};

kunit_test_suite(umem_runs_suite);

MODULE_DESCRIPTION("KUnit: lists of pages");
MODULE_IMPORT_NS(IB_NS);
MODULE_IMPORT_NS(IB_KUNIT_NS);
MODULE_LICENSE("GPL");
