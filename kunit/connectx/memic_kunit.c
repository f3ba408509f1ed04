// SPDX-License-Identifier: GPL-2.0-only
/* Arithmetic of device memory. */
#include <kunit/test.h>
#include <linux/limits.h>
#include <linux/module.h>
#include <linux/sizes.h>
#include "drivers/connectx/memic.h"

#define BAR	SZ_32M
#define START	(31 * SZ_1M)

static void requests(struct kunit *test)
{
	static const struct {
		u64 length, bytes;
	} rows[] = {
		{ 0, 0 },
		{ 1, 64 },
		{ 64, 64 },
		{ 65, 128 },
		{ SZ_128K, SZ_128K },
		{ ((u64)U32_MAX << PAGE_SHIFT) - 1, (u64)U32_MAX << PAGE_SHIFT },
		{ (u64)U32_MAX << PAGE_SHIFT, (u64)U32_MAX << PAGE_SHIFT },
		/* its pages do not fit 32 bits */
		{ ((u64)U32_MAX << PAGE_SHIFT) + 1, 0 },
		/* rounding up would wrap */
		{ U64_MAX, 0 },
		{ U64_MAX - 63, 0 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		KUNIT_EXPECT_EQ_MSG(test, cx_memic_bytes(rows[i].length),
				    rows[i].bytes, "length %llu",
				    rows[i].length);
}

static void pages_of_the_bar(struct kunit *test)
{
	static const struct {
		u64 start, bytes;
		unsigned int pages;
	} rows[] = {
		{ START, SZ_1M, SZ_1M >> PAGE_SHIFT },
		{ START, PAGE_SIZE, 1 },
		{ START, PAGE_SIZE - 1, 0 },
		{ START, 0, 0 },
		{ START - SZ_1M, SZ_2M, CX_MEMIC_MAX_PAGES },
		/* over the end, behind it, and far behind it */
		{ BAR - 2 * PAGE_SIZE, SZ_1M, 2 },
		{ START, U64_MAX, SZ_1M >> PAGE_SHIFT },
		{ BAR, SZ_1M, 0 },
		{ 1ULL << 63, SZ_1M, 0 },
		{ START + 64, SZ_1M, 0 },
		/* the registers at the start of the BAR are nobody's memory */
		{ 0, SZ_1M, 0 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		KUNIT_EXPECT_EQ_MSG(test,
				    cx_memic_page_count(rows[i].start,
							rows[i].bytes, BAR),
				    rows[i].pages, "row %zu", i);
}

static void answers_of_the_firmware(struct kunit *test)
{
	static const struct {
		u64 addr;
		u32 bytes;
		bool fits;
	} rows[] = {
		{ START, 64, true },
		{ START + PAGE_SIZE - 64, 64, true },
		{ START + PAGE_SIZE - 64, PAGE_SIZE + 64, true },
		{ START + PAGE_SIZE - 64, PAGE_SIZE + 128, false },
		{ START, 2 * PAGE_SIZE, true },
		{ START, 2 * PAGE_SIZE + 1, false },
		/* not in the first page: its place would be lost on users */
		{ START + PAGE_SIZE, 64, false },
		{ START - 64, 64, false },
		{ 0, 64, false },
		{ U64_MAX, 64, false },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		KUNIT_EXPECT_EQ_MSG(test,
				    cx_memic_fits(rows[i].addr, rows[i].bytes,
						  START, 2 * PAGE_SIZE),
				    rows[i].fits, "row %zu", i);
}

static struct kunit_case memic_cases[] = {
	KUNIT_CASE(requests),
	KUNIT_CASE(pages_of_the_bar),
	KUNIT_CASE(answers_of_the_firmware),
	{}
};

static struct kunit_suite memic_suite = {
	.name = "connectx_memic",
	.test_cases = memic_cases,
};

kunit_test_suite(memic_suite);

MODULE_DESCRIPTION("KUnit: arithmetic of device memory");
MODULE_LICENSE("GPL");
