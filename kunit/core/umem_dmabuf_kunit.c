// SPDX-License-Identifier: GPL-2.0-only
/* DMA buffers of an exporter that refuses, misbehaves, and moves. */
#include <kunit/test.h>
#include <linux/anon_inodes.h>
#include <linux/fdtable.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <compat.h>
#include <ib/mr.h>
#include <ib/types.h>
#include <ib/umem.h>
#include <ib/umem_dmabuf.h>
#include "kunit/helpers/expect.h"
#include "kunit/helpers/fake_device.h"
#include "kunit/helpers/fake_dmabuf.h"

#define SIZE	SZ_64K
#define OFFSET	0x1800
#define LENGTH	0x4000	/* to the middle of the sixth page */
#define ROUNDS	2000

struct bed {
	struct fake_device		*fake;
	struct fake_dmabuf		*exporter;
	struct ib_dmabuf_mr_attr	attr;
	struct ib_umem_dmabuf		*d;
	int				gone;
};

static void gone(void *arg)
{
	struct bed *bed = arg;

	bed->gone++;
}

static int dmabuf_init(struct kunit *test)
{
	struct bed *bed = kunit_kzalloc(test, sizeof(*bed), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, bed);
	bed->fake = fake_device_register(test);
	bed->exporter = fake_dmabuf_export(test, SIZE);
	bed->attr = (struct ib_dmabuf_mr_attr) {
		.offset = OFFSET,
		.length = LENGTH,
		.fd = bed->exporter->fd,
		.access = IB_ACCESS_LOCAL_WRITE,
	};
	test->priv = bed;
	return 0;
}

static struct ib_umem_dmabuf *pinned(struct bed *bed)
{
	return ib_umem_dmabuf_get_pinned(&bed->fake->ib, &bed->attr);
}

static struct ib_umem_dmabuf *movable(struct kunit *test)
{
	struct bed *bed = test->priv;
	struct ib_umem_dmabuf *d;

	d = ib_umem_dmabuf_get(&bed->fake->ib, &bed->attr, gone, bed);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, d);
	return d;
}

static int map_movable(struct ib_umem_dmabuf *d)
{
	int ret;

	ib_umem_dmabuf_lock(d);
	ret = ib_umem_dmabuf_map(d);
	ib_umem_dmabuf_unlock(d);
	return ret;
}

static void expect_nothing_left(struct kunit *test)
{
	struct bed *bed = test->priv;

	KUNIT_EXPECT_EQ(test, 0, bed->exporter->attached);
	KUNIT_EXPECT_EQ(test, 0, bed->exporter->pinned);
	KUNIT_EXPECT_EQ(test, 0, bed->exporter->mapped);
}

static void expect_refused(struct kunit *test, int err, const char *text)
{
	struct ib_umem_dmabuf *d = pinned(test->priv);

	KUNIT_EXPECT_EQ(test, err, PTR_ERR(d));
	expect_umem_refusal(test, err, text);
	expect_nothing_left(test);
}

/* Every page of the region is at its place, and no other. */
static void expect_here(struct kunit *test, struct ib_umem_dmabuf *d)
{
	struct bed *bed = test->priv;
	size_t offset = round_down(OFFSET, PAGE_SIZE);
	struct ib_dmabuf_list list;
	struct ib_block_iter it;

	KUNIT_ASSERT_EQ(test, 0, ib_umem_dmabuf_list(d, &list));
	ib_block_start(&it, list.sg, list.nents, PAGE_SIZE);
	for (; ib_block_next(&it); offset += PAGE_SIZE)
		KUNIT_ASSERT_EQ(test, fake_dmabuf_dma(bed->exporter, offset),
				it.dma);
	KUNIT_EXPECT_EQ(test, round_up(OFFSET + LENGTH, PAGE_SIZE), offset);
	ib_dmabuf_list_free(&list);
}

static void pinned_memory_is_mapped(struct kunit *test)
{
	struct bed *bed = test->priv;
	struct ib_umem_dmabuf *d = pinned(bed);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, d);
	KUNIT_EXPECT_TRUE(test, d->writable);
	KUNIT_EXPECT_EQ(test, 1, bed->exporter->mapped);
	KUNIT_EXPECT_GT(test, bed->exporter->pinned, 0);
	expect_here(test, d);
	/* it should not, and we cannot help it: nothing breaks here */
	fake_dmabuf_move(bed->exporter, 0);
	KUNIT_EXPECT_EQ(test, 1, bed->exporter->mapped);
	ib_umem_dmabuf_release(d);
	expect_nothing_left(test);
}

static unsigned int pieces(struct kunit *test, struct ib_umem_dmabuf *d)
{
	struct ib_dmabuf_list list;

	KUNIT_ASSERT_EQ(test, 0, ib_umem_dmabuf_list(d, &list));
	ib_dmabuf_list_free(&list);
	return list.nents;
}

/* Neighbours are merged, so that large pages can describe them. */
static void pieces_of_all_sizes(struct kunit *test)
{
	static const struct {
		size_t piece;
		bool scattered;
		unsigned int pieces;
	} cases[] = {
		{ SZ_4K, false, 1 },
		{ SZ_4K, true, 5 },
		{ SZ_16K, false, 1 },
		{ SZ_16K, true, 2 },
		{ SZ_64K, true, 1 },
	};
	struct bed *bed = test->priv;
	struct ib_umem_dmabuf *d;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		bed->exporter->piece = cases[i].piece;
		bed->exporter->scattered = cases[i].scattered;
		d = pinned(bed);
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, d);
		expect_here(test, d);
		KUNIT_EXPECT_EQ(test, cases[i].pieces, pieces(test, d));
		ib_umem_dmabuf_release(d);
	}
	expect_nothing_left(test);
}

static const struct {
	u64 offset;
	u64 length;
	const char *why;
} bad_ranges[] = {
	{ 0, 0, "0x0 bytes at 0x0 of a DMA buffer of 0x10000" },
	{ 0x1800, 0, "0x0 bytes at 0x1800 of a DMA buffer of 0x10000" },
	{ 0, 0x10001, "0x10001 bytes at 0x0 of a DMA buffer of 0x10000" },
	{ 0xf000, 0x1001, "0x1001 bytes at 0xf000 of a DMA buffer of 0x10000" },
	{ 0x10000, 1, "0x1 bytes at 0x10000 of a DMA buffer of 0x10000" },
	{ ~0ull, 2, "0x2 bytes at 0xffffffffffffffff are no range" },
};

static void ranges_over_the_end(struct kunit *test)
{
	struct bed *bed = test->priv;
	struct ib_umem_dmabuf *d;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad_ranges); i++) {
		bed->attr.offset = bad_ranges[i].offset;
		bed->attr.length = bad_ranges[i].length;
		expect_refused(test, -EINVAL, bad_ranges[i].why);
	}
	bed->attr.offset = 0xf000;
	bed->attr.length = 0x1000;
	d = pinned(bed);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, d);
	ib_umem_dmabuf_release(d);
}

static const struct file_operations no_ops = {
	.owner = THIS_MODULE,
};

static void descriptors_of_something_else(struct kunit *test)
{
	struct bed *bed = test->priv;
	char text[IB_REFUSE_TEXT];

	bed->attr.fd = anon_inode_getfd("no DMA buffer", &no_ops, NULL,
					O_CLOEXEC);
	KUNIT_ASSERT_GE(test, bed->attr.fd, 0);
	snprintf(text, sizeof(text), "descriptor %d is no DMA buffer",
		 bed->attr.fd);
	expect_refused(test, -EINVAL, text);
	close_fd(bed->attr.fd);
	snprintf(text, sizeof(text), "descriptor %d is not open",
		 bed->attr.fd);
	expect_refused(test, -EBADF, text);
	bed->attr.fd = -1;
	expect_refused(test, -EBADF, "descriptor 4294967295 is not open");
}

static void exporter_refuses(struct kunit *test)
{
	struct bed *bed = test->priv;
	char text[IB_REFUSE_TEXT];

	snprintf(text, sizeof(text),
		 "exporter of descriptor %d does not take this device",
		 bed->attr.fd);
	bed->exporter->fail_attach = -EPERM;
	expect_refused(test, -EPERM, text);
	bed->exporter->fail_pin = -EBUSY;
	expect_refused(test, -EBUSY, "exporter does not pin its memory");
	bed->exporter->fail_map = -ENXIO;
	expect_refused(test, -ENXIO, "exporter cannot map 0x10000 bytes");
}

static void exporter_maps_less(struct kunit *test)
{
	struct bed *bed = test->priv;
	struct ib_dmabuf_list list;
	struct ib_umem_dmabuf *d;

	bed->exporter->short_by = SIZE - 0x5000;
	d = pinned(bed);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, d);
	KUNIT_EXPECT_EQ(test, -EINVAL, ib_umem_dmabuf_list(d, &list));
	expect_umem_refusal(test, -EINVAL,
			    "exporter mapped 0x5000 bytes, need 0x6000");
	ib_umem_dmabuf_release(d);
	expect_nothing_left(test);
}

static void memory_moves(struct kunit *test)
{
	struct bed *bed = test->priv;
	struct ib_umem_dmabuf *d = movable(test);

	/* not mapped yet */
	fake_dmabuf_move(bed->exporter, 0);
	KUNIT_EXPECT_EQ(test, 0, bed->gone);
	KUNIT_ASSERT_EQ(test, 0, map_movable(d));
	expect_here(test, d);
	fake_dmabuf_move(bed->exporter, 0);
	KUNIT_EXPECT_EQ(test, 1, bed->gone);
	KUNIT_EXPECT_EQ(test, 0, bed->exporter->mapped);
	/* gone already */
	fake_dmabuf_move(bed->exporter, 0);
	KUNIT_EXPECT_EQ(test, 1, bed->gone);
	KUNIT_ASSERT_EQ(test, 0, map_movable(d));
	KUNIT_ASSERT_EQ(test, 0, map_movable(d));
	KUNIT_EXPECT_EQ(test, 1, bed->exporter->mapped);
	expect_here(test, d);
	ib_umem_dmabuf_release(d);
	KUNIT_EXPECT_EQ(test, 1, bed->gone);
	expect_nothing_left(test);
}

/* The mapping that comes out of it is good: nothing may take it away. */
static void memory_moves_while_it_is_mapped(struct kunit *test)
{
	struct bed *bed = test->priv;
	struct ib_umem_dmabuf *d = movable(test);

	bed->exporter->move_in_map = true;
	KUNIT_ASSERT_EQ(test, 0, map_movable(d));
	KUNIT_EXPECT_EQ(test, 0, bed->gone);
	KUNIT_EXPECT_EQ(test, 1, bed->exporter->mapped);
	expect_here(test, d);
	ib_umem_dmabuf_release(d);
	expect_nothing_left(test);
}

static void copies_are_waited_for(struct kunit *test)
{
	struct bed *bed = test->priv;
	struct ib_umem_dmabuf *d = movable(test);

	fake_dmabuf_move(bed->exporter, 100);
	KUNIT_ASSERT_EQ(test, 0, map_movable(d));
	KUNIT_EXPECT_EQ(test, 1, READ_ONCE(bed->exporter->copies));
	ib_umem_dmabuf_release(d);
}

static void a_signal_ends_the_wait(struct kunit *test)
{
	struct bed *bed = test->priv;
	struct ib_umem_dmabuf *d = movable(test);

	fake_dmabuf_move(bed->exporter, 2000);
	allow_signal(SIGKILL);
	send_sig(SIGKILL, current, 1);
	KUNIT_EXPECT_EQ(test, -EINTR, map_movable(d));
	flush_signals(current);
	disallow_signal(SIGKILL);
	expect_umem_refusal(test, -EINTR,
			    "interrupted while the exporter moves the memory");
	KUNIT_EXPECT_EQ(test, 0, READ_ONCE(bed->exporter->copies));
	KUNIT_EXPECT_EQ(test, 0, bed->exporter->mapped);
	ib_umem_dmabuf_release(d);
	expect_nothing_left(test);
}

static int keep_moving(void *data)
{
	struct fake_dmabuf *exporter = data;

	while (!kthread_should_stop()) {
		fake_dmabuf_move(exporter, 0);
		cond_resched();
	}
	return 0;
}

/* Under the lock it is here; else it may go at any time. */
static void one_moves_one_maps(struct kunit *test)
{
	struct bed *bed = test->priv;
	struct task_struct *mover;
	struct ib_umem_dmabuf *d;
	int i, mapped = 0;

	mover = kthread_run(keep_moving, bed->exporter, "dmabuf-mover");
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, mover);
	for (i = 0; i < ROUNDS; i++) {
		d = movable(test);
		ib_umem_dmabuf_lock(d);
		mapped += !ib_umem_dmabuf_map(d);
		expect_here(test, d);
		ib_umem_dmabuf_unlock(d);
		if (i % 2)
			cond_resched();
		ib_umem_dmabuf_release(d);
	}
	kthread_stop(mover);
	KUNIT_EXPECT_EQ(test, ROUNDS, mapped);
	KUNIT_EXPECT_LE(test, bed->gone, ROUNDS);
	expect_nothing_left(test);
}

static struct kunit_case dmabuf_cases[] = {
	KUNIT_CASE(pinned_memory_is_mapped),
	KUNIT_CASE(pieces_of_all_sizes),
	KUNIT_CASE(ranges_over_the_end),
	KUNIT_CASE(descriptors_of_something_else),
	KUNIT_CASE(exporter_refuses),
	KUNIT_CASE(exporter_maps_less),
	KUNIT_CASE(memory_moves),
	KUNIT_CASE(memory_moves_while_it_is_mapped),
	KUNIT_CASE(copies_are_waited_for),
	KUNIT_CASE(a_signal_ends_the_wait),
	KUNIT_CASE_SLOW(one_moves_one_maps),
	{}
};

static struct kunit_suite dmabuf_suite = {
	.name		= "ib_umem_dmabuf",
	.init		= dmabuf_init,
	.test_cases	= dmabuf_cases,
};

kunit_test_suite(dmabuf_suite);

MODULE_DESCRIPTION("KUnit: DMA buffers");
MODULE_IMPORT_NS(IB_NS);
MODULE_LICENSE("GPL");
