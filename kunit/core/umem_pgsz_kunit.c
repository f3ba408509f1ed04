// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page sizes and blocks. Random mappings are judged by a second
 * implementation that looks at every page and knows no bit tricks.
 */
#include <kunit/test.h>
#include <linux/bits.h>
#include <linux/module.h>
#include <linux/prandom.h>
#include <linux/scatterlist.h>
#include <linux/sizes.h>
#include <ib/export.h>
#include <ib/umem.h>
#include "drivers/core/umem_runs.h"

#define MAX_PIECES	6
#define SIZES_4K_UP	(~0ULL << 12)

struct piece {
	u64	dma;
	u32	len;
};

struct pgsz_case {
	const char	*name;
	struct piece	pieces[MAX_PIECES];
	u64		iova;
	u64		length;
	u64		bitmap;
	u64		want;
};

static const struct pgsz_case cases[] = {
	{
		.name = "one page",
		.pieces = { { 0x5000, SZ_4K } },
		.iova = 0x7000, .length = SZ_4K,
		.bitmap = SIZES_4K_UP, .want = SZ_4K,
	}, {
		.name = "no size at all",
		.pieces = { { 0x5000, SZ_4K } },
		.iova = 0x7000, .length = SZ_4K,
		.bitmap = 0, .want = 0,
	}, {
		.name = "only sizes that are too large",
		.pieces = { { 0x5000, SZ_4K } },
		.iova = 0x6000, .length = SZ_4K,
		.bitmap = BIT_ULL(21), .want = 0,
	}, {
		.name = "a large block may stick out",
		.pieces = { { 0x205000, SZ_4K } },
		.iova = 0x5000, .length = SZ_4K,
		.bitmap = BIT_ULL(21), .want = SZ_2M,
	}, {
		.name = "no larger than needed",
		.pieces = { { 0x40000000, SZ_64K } },
		.iova = 0x80000000, .length = SZ_64K,
		.bitmap = SIZES_4K_UP, .want = SZ_64K,
	}, {
		.name = "28 KiB across a boundary of 128 KiB",
		.pieces = { { 0x4001c000, 28 * SZ_1K } },
		.iova = 0x8001c000, .length = 28 * SZ_1K,
		.bitmap = SIZES_4K_UP, .want = SZ_256K,
	}, {
		.name = "address and DMA address differ in bit 13",
		.pieces = { { 0x40002000, SZ_64K } },
		.iova = 0x80000000, .length = SZ_64K,
		.bitmap = SIZES_4K_UP, .want = SZ_8K,
	}, {
		.name = "the first piece begins in the middle",
		.pieces = { { 0x4000c000, SZ_16K }, { 0x90000000, SZ_64K } },
		.iova = 0x8000c000, .length = SZ_16K + SZ_64K,
		.bitmap = SIZES_4K_UP, .want = SZ_64K,
	}, {
		.name = "the last piece ends in the middle",
		.pieces = { { 0x40000000, SZ_64K }, { 0x90000000, SZ_4K } },
		.iova = 0x80000000, .length = SZ_64K + SZ_4K,
		.bitmap = SIZES_4K_UP, .want = SZ_64K,
	}, {
		.name = "an odd piece between",
		.pieces = { { 0x40000000, SZ_64K }, { 0x90000000, SZ_4K },
			    { 0xa0001000, SZ_64K - SZ_4K } },
		.iova = 0x80000000, .length = SZ_128K,
		.bitmap = SIZES_4K_UP, .want = SZ_4K,
	}, {
		.name = "the end limits the size",
		.pieces = { { 0x40000000, SZ_2M }, { 0x90001000, SZ_4K } },
		.iova = 0x80000000, .length = SZ_2M + SZ_4K,
		.bitmap = SIZES_4K_UP, .want = SZ_4K,
	}, {
		.name = "offset in the page",
		.pieces = { { 0x40000000, SZ_8K } },
		.iova = 0x80000123, .length = 0x1000,
		.bitmap = SIZES_4K_UP, .want = SZ_8K,
	}, {
		.name = "side by side: one block of 8 GiB",
		.pieces = { { 0x200000000, SZ_2G }, { 0x280000000, SZ_2G },
			    { 0x300000000, SZ_2G }, { 0x380000000, SZ_2G } },
		.iova = 0x400000000, .length = 0x200000000,
		.bitmap = BIT_ULL(33) | BIT_ULL(31) | BIT_ULL(12),
		.want = BIT_ULL(33),
	}, {
		.name = "side by side, cut where no block ends",
		.pieces = { { 0x240000000, SZ_2G }, { 0x2c0000000, SZ_2G },
			    { 0x340000000, SZ_1G } },
		.iova = 0x440000000, .length = 0x140000000,
		.bitmap = BIT_ULL(31) | BIT_ULL(12), .want = SZ_2G,
	}, {
		.name = "8 GiB in four places",
		.pieces = { { 0x200000000, SZ_2G }, { 0x300000000, SZ_2G },
			    { 0x400000000, SZ_2G }, { 0x500000000, SZ_2G } },
		.iova = 0x400000000, .length = 0x200000000,
		.bitmap = BIT_ULL(33) | BIT_ULL(31) | BIT_ULL(12),
		.want = SZ_2G,
	}, {
		.name = "two runs over 4 GiB, a page too far",
		.pieces = { { 0x200000000, SZ_2G }, { 0x280000000, SZ_2G },
			    { 0x400001000, SZ_2G }, { 0x480001000, SZ_2G } },
		.iova = 0x400000000, .length = 0x200000000,
		.bitmap = SIZES_4K_UP, .want = SZ_4K,
	}, {
		.name = "next to each other the wrong way round",
		.pieces = { { 0x40010000, SZ_64K }, { 0x40000000, SZ_64K } },
		.iova = 0x80000000, .length = SZ_128K,
		.bitmap = SIZES_4K_UP, .want = SZ_64K,
	}, {
		.name = "a run up to the top of the bus, one from 0",
		.pieces = { { U64_MAX - SZ_1M + 1, SZ_1M }, { 0, SZ_1M } },
		.iova = U64_MAX - SZ_2M + 1, .length = SZ_2M,
		.bitmap = SIZES_4K_UP, .want = SZ_1M,
	}, {
		.name = "DMA addresses beyond 32 bits of pages",
		.pieces = { { 0xffff800000000000, SZ_1G },
			    { 0xffff800040000000, SZ_1G } },
		.iova = 0x7fff80000000, .length = SZ_2G,
		.bitmap = SIZES_4K_UP, .want = SZ_2G,
	}, {
		.name = "iova and address: only low bits agree",
		.pieces = { { 0x40000000, SZ_2M } },
		.iova = 0x123456000, .length = SZ_2M,
		.bitmap = SIZES_4K_UP, .want = SZ_8K,
	}, {
		.name = "a byte on each side of a boundary of 1 GiB",
		.pieces = { { 0x7ffff000, SZ_8K } },
		.iova = 0xffffffff, .length = 2,
		.bitmap = SIZES_4K_UP, .want = BIT_ULL(31),
	}, {
		.name = "one block larger than 4 GiB",
		.pieces = { { 0x240000000, SZ_1G } },
		.iova = 0x640000000, .length = SZ_1G,
		.bitmap = BIT_ULL(33), .want = BIT_ULL(33),
	}, {
		.name = "the last page of all",
		.pieces = { { 0x40000000, SZ_4K } },
		.iova = U64_MAX - SZ_4K + 1, .length = SZ_4K,
		.bitmap = SIZES_4K_UP, .want = SZ_4K,
	}, {
		.name = "up to the top, two pieces",
		.pieces = { { 0x40000000, SZ_64K }, { 0x90000000, SZ_64K } },
		.iova = U64_MAX - SZ_128K + 1, .length = SZ_128K,
		.bitmap = SIZES_4K_UP, .want = SZ_64K,
	}, {
		.name = "across all but the top bit",
		.pieces = { { 0x40000000, SZ_4K }, { 0x90000000, SZ_4K } },
		.iova = BIT_ULL(63) - SZ_4K, .length = SZ_8K,
		.bitmap = SIZES_4K_UP, .want = SZ_4K,
	},
};

static unsigned int fill(struct scatterlist *sg, const struct piece *pieces)
{
	unsigned int n = 0;

	sg_init_table(sg, MAX_PIECES);
	while (n < MAX_PIECES && pieces[n].len) {
		sg_dma_address(&sg[n]) = pieces[n].dma;
		sg_dma_len(&sg[n]) = pieces[n].len;
		n++;
	}
	return n;
}

static void best_size(struct kunit *test)
{
	const struct pgsz_case *c = test->param_value;
	struct scatterlist sg[MAX_PIECES];
	unsigned int n = fill(sg, c->pieces);

	KUNIT_EXPECT_EQ(test, c->want,
			ib_best_pgsz(sg, n, c->iova, c->length, c->bitmap));
}

static void case_name(const struct pgsz_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(pgsz, cases, case_name);

static void number_of_blocks(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, 1, ib_num_blocks(0, 1, SZ_4K));
	KUNIT_EXPECT_EQ(test, 1, ib_num_blocks(0x1fff, 1, SZ_4K));
	KUNIT_EXPECT_EQ(test, 2, ib_num_blocks(0x1fff, 2, SZ_4K));
	KUNIT_EXPECT_EQ(test, 128, ib_num_blocks(0, BIT_ULL(40), BIT_ULL(33)));
	KUNIT_EXPECT_EQ(test, 129, ib_num_blocks(1, BIT_ULL(40), BIT_ULL(33)));
	KUNIT_EXPECT_EQ(test, 1,
			ib_num_blocks(U64_MAX - SZ_4K + 1, SZ_4K, SZ_4K));
	KUNIT_EXPECT_EQ(test, 1, ib_num_blocks(U64_MAX, 1, BIT_ULL(63)));
	KUNIT_EXPECT_EQ(test, BIT_ULL(52), ib_num_blocks(0, U64_MAX, SZ_4K));
}

static void expect_block(struct kunit *test, struct ib_block_iter *it, u64 dma)
{
	KUNIT_ASSERT_TRUE(test, ib_block_next(it));
	KUNIT_EXPECT_EQ(test, dma, (u64)it->dma);
}

static void blocks_of_pieces(struct kunit *test)
{
	static const struct piece pieces[MAX_PIECES] = {
		{ 0x4000c000, SZ_16K }, { 0x90000000, SZ_64K + SZ_4K },
	};
	struct scatterlist sg[MAX_PIECES];
	unsigned int n = fill(sg, pieces);
	struct ib_block_iter it;

	ib_block_start(&it, sg, n, SZ_64K);
	expect_block(test, &it, 0x40000000);
	expect_block(test, &it, 0x90000000);
	expect_block(test, &it, 0x90010000);
	KUNIT_EXPECT_FALSE(test, ib_block_next(&it));
	KUNIT_EXPECT_FALSE(test, ib_block_next(&it));
}

static void blocks_over_4g(struct kunit *test)
{
	static const struct piece pieces[MAX_PIECES] = {
		{ 0x240000000, SZ_1G }, { 0xffffffff00000000, SZ_2G },
	};
	struct scatterlist sg[MAX_PIECES];
	unsigned int n = fill(sg, pieces);
	struct ib_block_iter it;

	ib_block_start(&it, sg, n, BIT_ULL(33));
	expect_block(test, &it, 0x200000000);
	expect_block(test, &it, 0xfffffffe00000000);
	KUNIT_EXPECT_FALSE(test, ib_block_next(&it));
}

/* A long run comes in pieces; it is walked as if it had come in one. */
static void blocks_of_cut_runs(struct kunit *test)
{
	static const struct piece pieces[MAX_PIECES] = {
		{ 0x240000000, SZ_2G }, { 0x2c0000000, SZ_2G },
		{ 0x340000000, SZ_1G }, { 0x600000000, SZ_4K },
	};
	struct scatterlist sg[MAX_PIECES];
	unsigned int n = fill(sg, pieces);
	struct ib_block_iter it;

	ib_block_start(&it, sg, n, SZ_2G);
	expect_block(test, &it, 0x200000000);
	expect_block(test, &it, 0x280000000);
	expect_block(test, &it, 0x300000000);
	expect_block(test, &it, 0x600000000);
	KUNIT_EXPECT_FALSE(test, ib_block_next(&it));
	ib_block_start(&it, sg, 0, SZ_2G);
	KUNIT_EXPECT_FALSE(test, ib_block_next(&it));
}

static void umem_of(struct ib_umem *umem, struct scatterlist *sg,
		    unsigned int n, u64 address, u64 length)
{
	static u64 memory[sizeof(struct ib_run_chunk) / sizeof(u64) +
			  MAX_PIECES];
	struct ib_run_chunk *chunk = (struct ib_run_chunk *)memory;
	unsigned int i;

	chunk->room = MAX_PIECES;
	for (i = 0; i < n; i++)
		chunk->run[i] = ib_run(sg_dma_address(&sg[i]) >> PAGE_SHIFT,
				       sg_dma_len(&sg[i]) >> PAGE_SHIFT);
	*umem = (struct ib_umem){
		.address = address, .iova = address, .length = length,
		.runs.first = chunk, .runs.num = n,
	};
}

/* Blocks smaller than a page, as on a machine with larger pages */
static void blocks_within_a_page(struct kunit *test)
{
	static const struct piece pieces[MAX_PIECES] = { { 0x40000000, SZ_4K } };
	struct scatterlist sg[MAX_PIECES];
	struct ib_block_iter it;
	struct ib_umem umem;

	umem_of(&umem, sg, fill(sg, pieces), 0x80000456, 0x500);
	ib_umem_block_start(&it, &umem, SZ_512);
	expect_block(test, &it, 0x40000400);
	expect_block(test, &it, 0x40000600);
	expect_block(test, &it, 0x40000800);
	KUNIT_EXPECT_FALSE(test, ib_block_next(&it));
}

static void offset_must_agree(struct kunit *test)
{
	static const struct piece pieces[MAX_PIECES] = { { 0x40000000, SZ_4K } };
	struct scatterlist sg[MAX_PIECES];
	struct ib_umem umem;

	umem_of(&umem, sg, fill(sg, pieces), 0x80000456, 16);
	KUNIT_EXPECT_EQ(test, SZ_4K,
			ib_umem_best_pgsz(&umem, SIZES_4K_UP, 0x70000456));
	KUNIT_EXPECT_EQ(test, 0x70000456, umem.iova);
	KUNIT_EXPECT_EQ(test, 0,
			ib_umem_best_pgsz(&umem, SIZES_4K_UP, 0x70000457));
}

static void iova_must_not_wrap(struct kunit *test)
{
	static const struct piece pieces[MAX_PIECES] = {
		{ 0x40000000, SZ_8K },
	};
	struct scatterlist sg[MAX_PIECES];
	struct ib_umem umem;

	umem_of(&umem, sg, fill(sg, pieces), 0x80000000, SZ_8K);
	KUNIT_EXPECT_EQ(test, SZ_8K,
			ib_umem_best_pgsz(&umem, SIZES_4K_UP,
					  U64_MAX - SZ_8K + 1));
	KUNIT_EXPECT_EQ(test, 0,
			ib_umem_best_pgsz(&umem, SIZES_4K_UP,
					  U64_MAX - SZ_4K + 1));
	umem_of(&umem, sg, 1, 0x80000fff, SZ_4K + 2);
	KUNIT_EXPECT_EQ(test, 0,
			ib_umem_best_pgsz(&umem, SIZES_4K_UP,
					  U64_MAX - SZ_4K));
}

/*
 * The oracle. A mapping is looked at in steps of what all its pieces, the iova
 * and all block sizes are multiples of.
 */
struct mapping {
	struct piece	pieces[MAX_PIECES];
	u64		first;		/* iova of its first byte */
	u64		iova;		/* of the region */
	u64		length;		/* of the region */
	u64		step;
	u64		bitmap;
};

/* The DMA address of a byte of the mapping */
static u64 dma_of(const struct mapping *m, u64 offset)
{
	const struct piece *p = m->pieces;

	while (offset >= p->len)
		offset -= p++->len;
	return p->dma + offset;
}

/* From the first byte of the mapping to the last of the region */
static u64 bytes_of(const struct mapping *m)
{
	return m->iova - m->first + m->length;
}

/* Do all steps of each block translate by the same entry? */
static bool size_works(const struct mapping *m, u64 size)
{
	u64 base = 0, offset;

	for (offset = 0; offset < bytes_of(m); offset += m->step) {
		u64 va = m->first + offset;

		if (!offset || va % size == 0)
			base = dma_of(m, offset) - va % size;
		if (base % size || base + va % size != dma_of(m, offset))
			return false;
	}
	return true;
}

/* The largest that works, but none larger than one that holds everything */
static u64 obvious_best(const struct mapping *m)
{
	u64 best = 0;
	int bit;

	for (bit = 0; bit < 40; bit++) {
		u64 size = BIT_ULL(bit);

		if (!(m->bitmap & size))
			continue;
		if (size_works(m, size))
			best = size;
		if (m->iova / size == (m->iova + m->length - 1) / size)
			break;
	}
	return best;
}

/* Each step is in the block where its address says that it is. */
static void check_walk(struct kunit *test, const struct mapping *m,
		       struct ib_block_iter *it, u64 begin, u64 size)
{
	u64 offset = begin, blocks = 0;

	while (ib_block_next(it)) {
		blocks++;
		KUNIT_ASSERT_LT(test, offset, bytes_of(m));
		do {
			u64 va = m->first + offset;

			KUNIT_ASSERT_EQ(test, dma_of(m, offset),
					it->dma + va % size);
			offset += m->step;
		} while ((m->first + offset) % size && offset < bytes_of(m));
	}
	KUNIT_EXPECT_EQ(test, ib_num_blocks(m->iova, m->length, size), blocks);
	KUNIT_EXPECT_GE(test, offset, bytes_of(m));
}

/* Multiples of the step, of all alignments; small ones often */
static u64 some_steps(struct rnd_state *rnd, u64 step, unsigned int max_bit)
{
	unsigned int bit = prandom_u32_state(rnd) % max_bit;

	return ((u64)(prandom_u32_state(rnd) & 0xff) << bit) * step;
}

/* Every third piece continues the one before it. */
static u64 make_pieces(struct rnd_state *rnd, struct mapping *m,
		       unsigned int n, u64 step, unsigned int max_bit)
{
	u64 sum = 0;
	unsigned int i;

	for (i = 0; i < n; i++) {
		struct piece *p = &m->pieces[i];
		unsigned int bit = prandom_u32_state(rnd) % max_bit;

		p->len = step << bit;
		p->dma = ((u64)(i + 1) << 48) + some_steps(rnd, step, 6);
		if (i && prandom_u32_state(rnd) % 3 == 0)
			p->dma = p[-1].dma + p[-1].len;
		sum += p->len;
	}
	return sum;
}

static void make_mapping(struct rnd_state *rnd, struct mapping *m, u64 step)
{
	unsigned int n = 1 + prandom_u32_state(rnd) % (MAX_PIECES - 1);
	u64 sum, lead = prandom_u32_state(rnd) % SZ_4K;

	memset(m, 0, sizeof(*m));
	m->step = step;
	m->bitmap = step | some_steps(rnd, step, 5);
	/* pieces of 2 GiB at most: that they are cut is what is tested */
	sum = make_pieces(rnd, m, n, step, step > SZ_4K ? 4 : 5);
	m->first = some_steps(rnd, step, 6);
	if (prandom_u32_state(rnd) % 8 == 0)
		m->first = 0 - sum;	/* up to the last address of all */
	m->iova = m->first + lead;
	m->length = sum - lead - prandom_u32_state(rnd) % (SZ_4K - lead);
}

static void agree(struct kunit *test, u64 step, int rounds)
{
	struct scatterlist sg[MAX_PIECES];
	struct ib_block_iter it;
	struct mapping m;
	struct rnd_state rnd;
	unsigned int n;
	u64 want;

	prandom_seed_state(&rnd, 4711);
	while (rounds--) {
		make_mapping(&rnd, &m, step);
		n = fill(sg, m.pieces);
		want = obvious_best(&m);
		KUNIT_ASSERT_EQ_MSG(test, want,
				    ib_best_pgsz(sg, n, m.iova, m.length,
						 m.bitmap),
				    "%d left: iova %llx length %llx bitmap %llx",
				    rounds, m.iova, m.length, m.bitmap);
		if (!want)
			continue;
		ib_block_start(&it, sg, n, want);
		check_walk(test, &m, &it, 0, want);
	}
}

static void agrees_with_the_obvious(struct kunit *test)
{
	agree(test, SZ_4K, 5000);
}

/* Runs of up to 10 GiB, blocks of up to 32 GiB */
static void agrees_over_4g(struct kunit *test)
{
	agree(test, SZ_256M, 5000);
}

/*
 * As if a page had 64 KiB and the adapter pages of 4 KiB, 16 to one: the walk
 * begins with the first byte's block and ends with the last one's.
 */
static void agrees_within_pages(struct kunit *test)
{
	struct scatterlist sg[MAX_PIECES];
	struct rnd_state rnd;
	int round;

	prandom_seed_state(&rnd, 4712);
	for (round = 0; round < 2000; round++) {
		u64 size = BIT_ULL(8 + prandom_u32_state(&rnd) % 5);
		u64 address, begin;
		struct ib_block_iter it;
		struct ib_umem umem;
		struct mapping m;

		make_mapping(&rnd, &m, SZ_4K);
		m.step = 256;
		address = (0x7f0000000000ULL & PAGE_MASK) + (m.iova - m.first);
		umem_of(&umem, sg, fill(sg, m.pieces), address, m.length);
		KUNIT_ASSERT_EQ(test, size,
				ib_umem_best_pgsz(&umem, size, m.iova));
		ib_umem_block_start(&it, &umem, size);
		begin = (m.iova - m.first) / size * size;
		check_walk(test, &m, &it, begin, size);
	}
}

static struct kunit_case umem_pgsz_cases[] = {
	KUNIT_CASE_PARAM(best_size, pgsz_gen_params),
	KUNIT_CASE(number_of_blocks),
	KUNIT_CASE(blocks_of_pieces),
	KUNIT_CASE(blocks_over_4g),
	KUNIT_CASE(blocks_of_cut_runs),
	KUNIT_CASE(blocks_within_a_page),
	KUNIT_CASE(offset_must_agree),
	KUNIT_CASE(iova_must_not_wrap),
	KUNIT_CASE(agrees_with_the_obvious),
	KUNIT_CASE(agrees_over_4g),
	KUNIT_CASE(agrees_within_pages),
	{}
};

static struct kunit_suite umem_pgsz_suite = {
	.name		= "ib_umem_pgsz",
	.test_cases	= umem_pgsz_cases,
};

kunit_test_suite(umem_pgsz_suite);

MODULE_DESCRIPTION("KUnit: page sizes of pinned memory");
MODULE_IMPORT_NS(IB_NS);
MODULE_LICENSE("GPL");
