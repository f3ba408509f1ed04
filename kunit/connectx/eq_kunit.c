// SPDX-License-Identifier: GPL-2.0-only
/* Who owns an entry of an event queue. */
#include <kunit/test.h>
#include <linux/module.h>
#include <compat.h>
#include "drivers/connectx/eq.h"

static const struct {
	u8 owner;
	u32 ci;
	unsigned int log_size;
	bool valid;
} owners[] = {
	/* first lap: entries begin with owner 1, the device writes 0 */
	{ 1, 0, 7, false },
	{ 0, 0, 7, true },
	{ 0, 127, 7, true },
	/* second lap */
	{ 0, 128, 7, false },
	{ 1, 128, 7, true },
	{ 1, 255, 7, true },
	/* third lap */
	{ 1, 256, 7, false },
	{ 0, 256, 7, true },
	/* other bits of the byte say nothing */
	{ 0xfe, 0, 7, true },
	{ 0xff, 128, 7, true },
	/* the index counts on, past 24 and 32 bits */
	{ 0, 0x1000000, 10, true },
	{ 1, U32_MAX, 10, true },
};

static void owner(struct kunit *test)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(owners); i++)
		KUNIT_EXPECT_EQ_MSG(test,
				    cx_eqe_valid(owners[i].owner, owners[i].ci,
						 owners[i].log_size),
				    owners[i].valid, "row %zu", i);
}

static struct kunit_case eq_cases[] = {
	KUNIT_CASE(owner),
	{}
};

static struct kunit_suite eq_suite = {
	.name = "connectx_eq",
	.test_cases = eq_cases,
};

kunit_test_suite(eq_suite);

MODULE_DESCRIPTION("KUnit: event queues");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(IB_KUNIT_NS);
