// SPDX-License-Identifier: GPL-2.0-only
/* Driver data shorter and longer than the driver knows. */
#include <kunit/test.h>
#include <linux/mman.h>
#include <linux/module.h>
#include <linux/uaccess.h>
#include <ib/export.h>
#include <ib/udata.h>

struct bed {
	u8 __user	*mem;
	struct ib_udata	udata;
};

static struct bed *make_bed(struct kunit *test, size_t inlen, size_t outlen)
{
	struct bed *bed = kunit_kzalloc(test, sizeof(*bed), GFP_KERNEL);
	unsigned long addr;
	u8 fill[64];

	KUNIT_ASSERT_NOT_NULL(test, bed);
	addr = kunit_vm_mmap(test, NULL, 0, PAGE_SIZE, PROT_READ | PROT_WRITE,
			     MAP_ANONYMOUS | MAP_PRIVATE, 0);
	KUNIT_ASSERT_NE(test, 0, addr);
	bed->mem = (u8 __user *)addr;
	memset(fill, 0xaa, sizeof(fill));
	KUNIT_ASSERT_EQ(test, 0, copy_to_user(bed->mem, fill, sizeof(fill)));
	bed->udata = (struct ib_udata) {
		.in = bed->mem, .inlen = inlen,
		.out = bed->mem, .outlen = outlen,
	};
	return bed;
}

static void request_as_long_as_known(struct kunit *test)
{
	struct bed *bed = make_bed(test, 8, 0);
	u64 got = 0;

	KUNIT_EXPECT_EQ(test, 0, ib_udata_read(&bed->udata, &got, 8, 8));
	KUNIT_EXPECT_EQ(test, 0xaaaaaaaaaaaaaaaaULL, got);
}

static void short_request_is_filled_up(struct kunit *test)
{
	struct bed *bed = make_bed(test, 4, 0);
	u64 got = ~0ULL;

	KUNIT_EXPECT_EQ(test, 0, ib_udata_read(&bed->udata, &got, 4, 8));
	KUNIT_EXPECT_EQ(test, 0xaaaaaaaaULL, le64_to_cpu((__force __le64)got));
	KUNIT_EXPECT_EQ(test, -EINVAL,
			ib_udata_read(&bed->udata, &got, 5, 8));
}

static void long_request_must_end_in_zeros(struct kunit *test)
{
	struct bed *bed = make_bed(test, 16, 0);
	u64 got;

	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP,
			ib_udata_read(&bed->udata, &got, 8, 8));
	KUNIT_ASSERT_EQ(test, 0, clear_user(bed->mem + 8, 8));
	KUNIT_EXPECT_EQ(test, 0, ib_udata_read(&bed->udata, &got, 8, 8));
	KUNIT_EXPECT_EQ(test, 0xaaaaaaaaaaaaaaaaULL, got);
}

static void unreadable_request(struct kunit *test)
{
	struct bed *bed = make_bed(test, 8, 0);
	u64 got;

	bed->udata.in = bed->mem + PAGE_SIZE - 4;
	KUNIT_EXPECT_EQ(test, -EFAULT,
			ib_udata_read(&bed->udata, &got, 8, 8));
	bed->udata.in = bed->mem + PAGE_SIZE - 8;
	bed->udata.inlen = 16;
	KUNIT_EXPECT_EQ(test, -EFAULT,
			ib_udata_read(&bed->udata, &got, 8, 8));
}

static void kernel_has_no_driver_data(struct kunit *test)
{
	u64 got = ~0ULL;

	KUNIT_EXPECT_EQ(test, 0, ib_udata_read(NULL, &got, 8, 8));
	KUNIT_EXPECT_EQ(test, 0, got);
	KUNIT_EXPECT_EQ(test, 0, ib_udata_write(NULL, &got, 8));
}

static void answer_is_cut_to_the_room(struct kunit *test)
{
	struct bed *bed = make_bed(test, 0, 4);
	u64 answer = 0x1111111111111111;
	u8 got[8];

	KUNIT_EXPECT_EQ(test, 0, ib_udata_write(&bed->udata, &answer, 8));
	KUNIT_ASSERT_EQ(test, 0, copy_from_user(got, bed->mem, 8));
	KUNIT_EXPECT_EQ(test, 0x11, got[3]);
	KUNIT_EXPECT_EQ(test, 0xaa, got[4]);
}

static void room_beyond_the_answer_is_left_alone(struct kunit *test)
{
	struct bed *bed = make_bed(test, 0, 12);
	u64 answer = 0x1111111111111111;
	u8 got[16];

	KUNIT_EXPECT_EQ(test, 0, ib_udata_write(&bed->udata, &answer, 8));
	KUNIT_ASSERT_EQ(test, 0, copy_from_user(got, bed->mem, 16));
	KUNIT_EXPECT_EQ(test, 0x11, got[7]);
	KUNIT_EXPECT_EQ(test, 0xaa, got[8]);
	bed->udata.out = bed->mem + PAGE_SIZE - 8;
	KUNIT_EXPECT_EQ(test, 0, ib_udata_write(&bed->udata, &answer, 8));
	bed->udata.out = bed->mem + PAGE_SIZE - 4;
	KUNIT_EXPECT_EQ(test, -EFAULT,
			ib_udata_write(&bed->udata, &answer, 8));
}

static void nothing_known_and_nothing_to_say(struct kunit *test)
{
	struct bed *bed = make_bed(test, 8, 0);
	u64 got = ~0ULL;

	KUNIT_EXPECT_EQ(test, 0, ib_udata_none(NULL));
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP, ib_udata_none(&bed->udata));
	KUNIT_ASSERT_EQ(test, 0, clear_user(bed->mem, 8));
	KUNIT_EXPECT_EQ(test, 0, ib_udata_none(&bed->udata));
	bed->udata.in = bed->mem + PAGE_SIZE - 4;
	KUNIT_EXPECT_EQ(test, -EFAULT, ib_udata_none(&bed->udata));
	bed->udata.inlen = 0;
	bed->udata.out = bed->mem + 8;
	bed->udata.outlen = 8;
	KUNIT_EXPECT_EQ(test, 0, ib_udata_none(&bed->udata));
	KUNIT_ASSERT_EQ(test, 0, copy_from_user(&got, bed->mem + 8, 8));
	KUNIT_EXPECT_EQ(test, 0, got);
}

static struct kunit_case udata_cases[] = {
	KUNIT_CASE(request_as_long_as_known),
	KUNIT_CASE(short_request_is_filled_up),
	KUNIT_CASE(long_request_must_end_in_zeros),
	KUNIT_CASE(unreadable_request),
	KUNIT_CASE(kernel_has_no_driver_data),
	KUNIT_CASE(answer_is_cut_to_the_room),
	KUNIT_CASE(room_beyond_the_answer_is_left_alone),
	KUNIT_CASE(nothing_known_and_nothing_to_say),
	{}
};

static struct kunit_suite udata_suite = {
	.name		= "ib_udata",
	.test_cases	= udata_cases,
};

kunit_test_suite(udata_suite);

MODULE_DESCRIPTION("KUnit: driver data of a call");
MODULE_IMPORT_NS(IB_NS);
MODULE_LICENSE("GPL");
