// SPDX-License-Identifier: GPL-2.0-only
/* Keys of the uapi tree: every id has its own, and none leaves its part. */
#include <kunit/test.h>
#include <linux/bitmap.h>
#include <linux/module.h>
#include "key.h"

#define DRIVER		UVERBS_ID_DRIVER_NS
#define ALL_KEYS	(UVERBS_OBJECT_KEYS << UVERBS_OBJECT_KEY_SHIFT)

static const u16 edge_ids[] = {
	0, 1, 19, 20, 21, 22, 29, 30, 31, 32, 63, 64, 4095,
	DRIVER, DRIVER + 7, DRIVER + 8, DRIVER + 11, DRIVER + 12,
	DRIVER + 31, DRIVER + 32, DRIVER + 4095, 0x2000, 0x3000, 0xffff,
};

static void object_keys(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, 0, uverbs_object_key(0));
	KUNIT_EXPECT_EQ(test, 19 << 11, uverbs_object_key(19));
	KUNIT_EXPECT_EQ(test, UVERBS_KEY_NONE, uverbs_object_key(20));
	KUNIT_EXPECT_EQ(test, 20 << 11, uverbs_object_key(DRIVER));
	KUNIT_EXPECT_EQ(test, 31 << 11, uverbs_object_key(DRIVER + 11));
	KUNIT_EXPECT_EQ(test, UVERBS_KEY_NONE, uverbs_object_key(DRIVER + 12));
	KUNIT_EXPECT_EQ(test, UVERBS_KEY_NONE, uverbs_object_key(0x2000));
	KUNIT_EXPECT_EQ(test, UVERBS_KEY_NONE, uverbs_object_key(0xffff));
}

static void method_keys(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, 1 << 6, uverbs_method_key(0, 0));
	KUNIT_EXPECT_EQ(test, 21 << 6, uverbs_method_key(0, 20));
	KUNIT_EXPECT_EQ(test, UVERBS_KEY_NONE, uverbs_method_key(0, 21));
	KUNIT_EXPECT_EQ(test, 22 << 6, uverbs_method_key(0, DRIVER));
	KUNIT_EXPECT_EQ(test, 29 << 6, uverbs_method_key(0, DRIVER + 7));
	KUNIT_EXPECT_EQ(test, UVERBS_KEY_NONE,
			uverbs_method_key(0, DRIVER + 8));
	KUNIT_EXPECT_EQ(test, 3 << 11 | 2 << 6, uverbs_method_key(3, 1));
	KUNIT_EXPECT_EQ(test, UVERBS_KEY_NONE, uverbs_method_key(20, 1));
}

static void attr_keys(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, 1, uverbs_attr_key(0));
	KUNIT_EXPECT_EQ(test, 31, uverbs_attr_key(30));
	KUNIT_EXPECT_EQ(test, 0, uverbs_attr_key(31));
	KUNIT_EXPECT_EQ(test, 32, uverbs_attr_key(DRIVER));
	KUNIT_EXPECT_EQ(test, 63, uverbs_attr_key(DRIVER + 31));
	KUNIT_EXPECT_EQ(test, 0, uverbs_attr_key(DRIVER + 32));
	KUNIT_EXPECT_EQ(test, 0, uverbs_attr_key(0x2000));
	KUNIT_EXPECT_EQ(test, 0, uverbs_attr_key(0xffff));
}

static void write_keys(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, 30 << 6 | 5, uverbs_write_key(5, false));
	KUNIT_EXPECT_EQ(test, 31 << 6 | 63, uverbs_write_key(63, true));
	KUNIT_EXPECT_EQ(test, UVERBS_KEY_NONE, uverbs_write_key(64, false));
}

/* Put in a key that must be new. */
static void mark(struct kunit *test, unsigned long *seen, u32 key)
{
	if (key == UVERBS_KEY_NONE)
		return;
	KUNIT_ASSERT_LT(test, key, ALL_KEYS);
	KUNIT_EXPECT_FALSE_MSG(test, __test_and_set_bit(key, seen),
			       "key 0x%x comes twice", key);
}

static void no_two_ids_share_a_key(struct kunit *test)
{
	unsigned long *seen;
	u32 object, id, attr;

	seen = kunit_kcalloc(test, BITS_TO_LONGS(ALL_KEYS), sizeof(*seen),
			     GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, seen);
	for (object = 0; object <= U16_MAX; object++) {
		if (uverbs_object_key(object) == UVERBS_KEY_NONE)
			continue;
		mark(test, seen, uverbs_object_key(object));
		for (id = 0; id <= U16_MAX; id++)
			mark(test, seen, uverbs_method_key(object, id));
	}
	for (attr = 0; attr < UVERBS_ATTR_KEYS; attr++) {
		mark(test, seen, uverbs_write_key(attr, false));
		mark(test, seen, uverbs_write_key(attr, true));
	}
}

static void attributes_share_no_key(struct kunit *test)
{
	u64 seen = 0;
	u32 id, key;

	for (id = 0; id <= U16_MAX; id++) {
		key = uverbs_attr_key(id);
		if (!key)
			continue;
		KUNIT_ASSERT_LT(test, key, UVERBS_ATTR_KEYS);
		KUNIT_EXPECT_FALSE(test, seen & BIT_ULL(key));
		seen |= BIT_ULL(key);
	}
	KUNIT_EXPECT_EQ(test, ~1ULL, seen);
}

/* Bits of one part never reach another. */
static void parts_stay_apart(struct kunit *test)
{
	u32 i, j, key;

	for (i = 0; i < ARRAY_SIZE(edge_ids); i++) {
		for (j = 0; j < ARRAY_SIZE(edge_ids); j++) {
			key = uverbs_method_key(edge_ids[i], edge_ids[j]);
			if (key == UVERBS_KEY_NONE)
				continue;
			KUNIT_EXPECT_EQ(test, 0, key % UVERBS_ATTR_KEYS);
			KUNIT_EXPECT_EQ(test, uverbs_object_key(edge_ids[i]),
					key >> 11 << 11);
			KUNIT_EXPECT_NE(test, 0, key >> 6 & 31);
		}
	}
}

static struct kunit_case key_cases[] = {
	KUNIT_CASE(object_keys),
	KUNIT_CASE(method_keys),
	KUNIT_CASE(attr_keys),
	KUNIT_CASE(write_keys),
	KUNIT_CASE(no_two_ids_share_a_key),
	KUNIT_CASE(attributes_share_no_key),
	KUNIT_CASE(parts_stay_apart),
	{}
};

static struct kunit_suite key_suite = {
	.name		= "ib_uverbs_key",
	.test_cases	= key_cases,
};
kunit_test_suite(key_suite);

MODULE_DESCRIPTION("KUnit: keys of the uapi tree");
MODULE_LICENSE("GPL");
