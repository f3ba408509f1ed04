// SPDX-License-Identifier: GPL-2.0-only
/* The record of the last refusal of a task. */
#include <kunit/test.h>
#include <linux/module.h>
#include <ib/export.h>
#include <ib/refuse.h>

static void is_taken_once(struct kunit *test)
{
	char text[IB_REFUSE_TEXT];
	struct ib_refusal r;

	KUNIT_EXPECT_EQ(test, -ENOMEM,
			ib_refuse(IB_LAYER_UMEM, -ENOMEM,
				  "need %llu pages, have %llu", 262144, 2048));
	KUNIT_ASSERT_TRUE(test, ib_refusal_take(-ENOMEM, &r));
	ib_refusal_text(&r, text, sizeof(text));
	KUNIT_EXPECT_STREQ(test, "need 262144 pages, have 2048", text);
	KUNIT_EXPECT_EQ(test, IB_LAYER_UMEM, r.layer);
	KUNIT_EXPECT_EQ(test, IB_REFUSE_NO_ATTR, r.attr);
	KUNIT_EXPECT_EQ(test, 262144, r.a);
	KUNIT_EXPECT_EQ(test, 2048, r.b);
	KUNIT_EXPECT_FALSE(test, ib_refusal_take(-ENOMEM, &r));
}

static void another_errno_is_another_call(struct kunit *test)
{
	struct ib_refusal r;

	ib_refuse_attr(IB_LAYER_UVERBS, 5, -EINVAL, "no", 0, 0);
	KUNIT_EXPECT_FALSE(test, ib_refusal_take(-EFAULT, &r));
	KUNIT_ASSERT_TRUE(test, ib_refusal_take(-EINVAL, &r));
	KUNIT_EXPECT_EQ(test, 5, r.attr);
}

static void the_last_word_counts(struct kunit *test)
{
	struct ib_refusal r;

	ib_refuse(IB_LAYER_FIRMWARE, -EINVAL, "syndrome 0x%llx", 0xabc, 0);
	ib_refuse(IB_LAYER_DRIVER, -EINVAL, "so no queue", 0, 0);
	KUNIT_ASSERT_TRUE(test, ib_refusal_take(-EINVAL, &r));
	KUNIT_EXPECT_EQ(test, IB_LAYER_DRIVER, r.layer);
}

static void long_texts_are_cut(struct kunit *test)
{
	char text[IB_REFUSE_TEXT + 10] = {}, cut[IB_REFUSE_TEXT];
	struct ib_refusal r;

	memset(text, 'x', sizeof(text) - 1);
	ib_refuse(IB_LAYER_CORE, -EIO, text, 0, 0);
	KUNIT_ASSERT_TRUE(test, ib_refusal_take(-EIO, &r));
	ib_refusal_text(&r, cut, sizeof(cut));
	KUNIT_EXPECT_EQ(test, IB_REFUSE_TEXT - 1, strlen(cut));
	KUNIT_EXPECT_EQ(test, 0, strncmp(cut, text, IB_REFUSE_TEXT - 1));
}

static void details_follow(struct kunit *test)
{
	char text[IB_REFUSE_TEXT], cut[8];
	struct ib_refusal r;

	ib_refuse_detail(IB_LAYER_FIRMWARE, -EINVAL, "command 0x%llx", 0x800, 0,
			 "50% of it");
	KUNIT_ASSERT_TRUE(test, ib_refusal_take(-EINVAL, &r));
	ib_refusal_text(&r, text, sizeof(text));
	KUNIT_EXPECT_STREQ(test, "command 0x800: 50% of it", text);
	ib_refusal_text(&r, cut, sizeof(cut));
	KUNIT_EXPECT_STREQ(test, "command", cut);
}

static void are_forgotten(struct kunit *test)
{
	struct ib_refusal r;

	ib_refuse(IB_LAYER_DRIVER, -EINVAL, "of a driver that goes", 0, 0);
	ib_refusals_forget();
	KUNIT_EXPECT_FALSE(test, ib_refusal_take(-EINVAL, &r));
}

static struct kunit_case refuse_cases[] = {
	KUNIT_CASE(is_taken_once),
	KUNIT_CASE(another_errno_is_another_call),
	KUNIT_CASE(the_last_word_counts),
	KUNIT_CASE(long_texts_are_cut),
	KUNIT_CASE(details_follow),
	KUNIT_CASE(are_forgotten),
	{}
};

static struct kunit_suite refuse_suite = {
	.name		= "ib_refuse",
	.test_cases	= refuse_cases,
};

kunit_test_suite(refuse_suite);

MODULE_DESCRIPTION("KUnit: recorded refusals");
MODULE_IMPORT_NS(IB_NS);
MODULE_LICENSE("GPL");
