// SPDX-License-Identifier: GPL-2.0-only
/* Which doorbell register a queue pair of a legacy context gets. */
#include <kunit/test.h>
#include <linux/module.h>
#include "drivers/connectx/bfreg.h"

#define REGS	16

/* Take registers as queue pairs come, and compare with the order wanted. */
static void take(struct kunit *test, u32 n, u32 exclusive, const u32 *want,
		 size_t count)
{
	u32 users[REGS] = {};
	size_t i;

	for (i = 0; i < count; i++) {
		u32 got = cx_bfreg_choose(users, n, exclusive);

		KUNIT_ASSERT_LT(test, got, n);
		KUNIT_EXPECT_EQ_MSG(test, got, want[i], "queue pair %zu", i);
		users[got]++;
	}
}

static void default_registers(struct kunit *test)
{
	static const u32 want[] = {
		12, 13, 14, 15,				/* their own */
		1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,	/* least used */
		1, 2,
	};

	take(test, 16, 4, want, ARRAY_SIZE(want));
}

static void all_exclusive(struct kunit *test)
{
	static const u32 want[] = { 1, 2, 3, 0, 0 };

	take(test, 4, 3, want, ARRAY_SIZE(want));
}

static void none_exclusive(struct kunit *test)
{
	static const u32 want[] = { 1, 2, 3, 1, 2, 3 };

	take(test, 4, 0, want, ARRAY_SIZE(want));
}

static void one_register(struct kunit *test)
{
	static const u32 want[] = { 0, 0 };

	take(test, 1, 0, want, ARRAY_SIZE(want));
}

static void exclusive_again(struct kunit *test)
{
	u32 users[] = { 5, 2, 1, 0 };

	KUNIT_EXPECT_EQ(test, cx_bfreg_choose(users, 4, 1), 3);
	users[3] = 1;
	KUNIT_EXPECT_EQ(test, cx_bfreg_choose(users, 4, 1), 2);
}

static struct kunit_case bfreg_cases[] = {
	KUNIT_CASE(default_registers),
	KUNIT_CASE(all_exclusive),
	KUNIT_CASE(none_exclusive),
	KUNIT_CASE(one_register),
	KUNIT_CASE(exclusive_again),
	{}
};

static struct kunit_suite bfreg_suite = {
	.name = "connectx_bfreg",
	.test_cases = bfreg_cases,
};

kunit_test_suite(bfreg_suite);

MODULE_DESCRIPTION("KUnit: doorbell registers");
MODULE_LICENSE("GPL");
