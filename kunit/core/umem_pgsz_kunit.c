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
		.name = "blocks of 8 GiB",
		.pieces = { { 0x200000000, SZ_2G }, { 0x280000000, SZ_2G },
			    { 0x300000000, SZ_2G }, { 0x380000000, SZ_2G } },
		.iova = 0x400000000, .length = 0x200000000,
		.bitmap = BIT_ULL(33) | BIT_ULL(31) | BIT_ULL(12),
		.want = SZ_2G,
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

/* Blocks smaller than a page, as on a machine with larger pages */
static void blocks_within_a_page(struct kunit *test)
{
	static const struct piece pieces[MAX_PIECES] = { { 0x40000000, SZ_4K } };
	struct scatterlist sg[MAX_PIECES];
	struct ib_umem umem = { .address = 0x80000456, .iova = 0x80000456,
				.length = 0x500 };
	struct ib_block_iter it;

	umem.sgt.sgt.nents = fill(sg, pieces);
	umem.sgt.sgt.sgl = sg;
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
	struct ib_umem umem = { .address = 0x80000456, .length = 16 };

	umem.sgt.sgt.nents = fill(sg, pieces);
	umem.sgt.sgt.sgl = sg;
	KUNIT_EXPECT_EQ(test, SZ_4K,
			ib_umem_best_pgsz(&umem, SIZES_4K_UP, 0x70000456));
	KUNIT_EXPECT_EQ(test, 0x70000456, umem.iova);
	KUNIT_EXPECT_EQ(test, 0,
			ib_umem_best_pgsz(&umem, SIZES_4K_UP, 0x70000457));
}

/* The DMA address of a page of the mapping, and which piece has it */
static u64 dma_of(const struct piece *pieces, u64 offset, int *which)
{
	for (*which = 0; offset >= pieces[*which].len; (*which)++)
		offset -= pieces[*which].len;
	return pieces[*which].dma + offset;
}

/* Do all pages of a block translate by the same entry? Look at each. */
static bool size_works(const struct piece *pieces, u64 iova, u64 length,
		       u64 size)
{
	u64 first = iova & ~(SZ_4K - 1ULL);
	u64 last = iova + length - 1;
	u64 base = 0, va;
	int owner = 0;

	for (va = first; va <= last; va += SZ_4K) {
		int which;
		u64 dma = dma_of(pieces, va - first, &which);
		bool starts = va == first || va % size == 0;

		if (starts) {
			base = dma - va % size;
			owner = which;
			if (base % size)
				return false;
		}
		if (base + va % size != dma || owner != which)
			return false;
	}
	return true;
}

static u64 obvious_best(const struct piece *pieces, u64 iova, u64 length,
			u64 bitmap)
{
	u64 best = 0;
	int bit;

	for (bit = 0; bit < 40; bit++) {
		u64 size = BIT_ULL(bit);

		if (!(bitmap & size))
			continue;
		if (size_works(pieces, iova, length, size))
			best = size;
		if (iova / size == (iova + length - 1) / size)
			break;
	}
	return best;
}

static void check_walk(struct kunit *test, const struct piece *pieces,
		       struct scatterlist *sg, unsigned int n, u64 iova,
		       u64 length, u64 size)
{
	u64 first = iova & ~(SZ_4K - 1ULL);
	struct ib_block_iter it;
	u64 va = first, blocks = 0;

	ib_block_start(&it, sg, n, size);
	while (ib_block_next(&it)) {
		blocks++;
		do {
			int which;

			KUNIT_ASSERT_LT(test, va, iova + length);
			KUNIT_ASSERT_EQ(test,
					dma_of(pieces, va - first, &which),
					it.dma + va % size);
			va += SZ_4K;
		} while (va % size && va < iova + length);
	}
	KUNIT_EXPECT_EQ(test, ib_num_blocks(iova, length, size), blocks);
	KUNIT_EXPECT_GE(test, va, iova + length);
}

/* Alignments of all kinds, small ones often */
static u64 random_pages(struct rnd_state *rnd, unsigned int max_bit)
{
	unsigned int bit = prandom_u32_state(rnd) % max_bit;

	return (u64)(prandom_u32_state(rnd) & 0xff) << (12 + bit);
}

static void agrees_with_the_obvious(struct kunit *test)
{
	struct piece pieces[MAX_PIECES];
	struct scatterlist sg[MAX_PIECES];
	struct rnd_state rnd;
	int round, i;

	prandom_seed_state(&rnd, 4711);
	for (round = 0; round < 5000; round++) {
		unsigned int n = 1 + prandom_u32_state(&rnd) % 4;
		u64 bitmap = BIT_ULL(12) | random_pages(&rnd, 8);
		u64 length = 0, iova, want;

		memset(pieces, 0, sizeof(pieces));
		for (i = 0; i < n; i++) {
			unsigned int bit = prandom_u32_state(&rnd) % 5;

			/* Gaps: pieces that touch would be one piece. */
			pieces[i].dma = ((u64)(i + 1) << 32) +
					random_pages(&rnd, 6);
			pieces[i].len = SZ_4K << bit;
			length += pieces[i].len;
		}
		iova = random_pages(&rnd, 6) +
		       prandom_u32_state(&rnd) % SZ_4K;
		length -= iova % SZ_4K;

		KUNIT_ASSERT_EQ(test, n, fill(sg, pieces));
		want = obvious_best(pieces, iova, length, bitmap);
		KUNIT_ASSERT_EQ_MSG(test, want,
				    ib_best_pgsz(sg, n, iova, length, bitmap),
				    "round %d: iova %llx length %llx bitmap %llx",
				    round, iova, length, bitmap);
		if (want)
			check_walk(test, pieces, sg, n, iova, length, want);
	}
}

static struct kunit_case umem_pgsz_cases[] = {
	KUNIT_CASE_PARAM(best_size, pgsz_gen_params),
	KUNIT_CASE(number_of_blocks),
	KUNIT_CASE(blocks_of_pieces),
	KUNIT_CASE(blocks_over_4g),
	KUNIT_CASE(blocks_within_a_page),
	KUNIT_CASE(offset_must_agree),
	KUNIT_CASE(agrees_with_the_obvious),
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
