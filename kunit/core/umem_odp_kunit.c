// SPDX-License-Identifier: GPL-2.0-only
/* Memory that a device pages in: what it has, and what is taken from it. */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/highmem.h>
#include <linux/kthread.h>
#include <linux/mman.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/sizes.h>
#include <linux/uaccess.h>
#include <ib/export.h>
#include <ib/refuse.h>
#include <ib/types.h>
#include <ib/umem_odp.h>
#include "kunit/helpers/fake_device.h"

#define PAGES	16
#define SIZE	(PAGES * PAGE_SIZE)

/* What the driver was told, and what the device would do then */
static struct {
	size_t		first, n;	/* the last call */
	int		fills, zaps;
	size_t		zapped;		/* pages, of all calls */
	int		fail;		/* what fill says */
	unsigned int	slow;		/* zap takes so many milliseconds */
	struct completion *in;		/* zap tells that it runs, and waits */
	struct completion *go;
} table;

static int table_fill(struct ib_umem_odp *odp, size_t first, size_t n)
{
	table.first = first;
	table.n = n;
	table.fills++;
	return table.fail;
}

static void table_zap(struct ib_umem_odp *odp, size_t first, size_t n)
{
	table.first = first;
	table.n = n;
	table.zaps++;
	table.zapped += n;
	if (table.slow)
		msleep(table.slow);
	if (!table.in)
		return;
	complete(table.in);
	wait_for_completion(table.go);
}

static const struct ib_umem_odp_ops table_ops = {
	.fill = table_fill,
	.zap = table_zap,
};

static unsigned long map_at(struct kunit *test, unsigned long at, size_t size,
			    unsigned long prot)
{
	unsigned long addr;

	addr = kunit_vm_mmap(test, NULL, at, size, prot,
			     MAP_ANONYMOUS | MAP_PRIVATE |
			     (at ? MAP_FIXED : 0), 0);
	KUNIT_ASSERT_NE(test, 0, addr);
	return addr;
}

static unsigned long map_rw(struct kunit *test)
{
	return map_at(test, 0, SIZE, PROT_READ | PROT_WRITE);
}

static struct ib_umem_odp *get(struct kunit *test, unsigned long addr,
			       size_t size, int access)
{
	struct fake_device *fake = test->priv;
	struct ib_umem_odp *odp;

	odp = ib_umem_odp_get(&fake->ib, current->mm, addr, size,
			      access | IB_ACCESS_ON_DEMAND, &table_ops);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, odp);
	return odp;
}

/* What the device finds at a byte of the region; its DMA addresses are ours. */
static u8 device_reads(const struct ib_umem_odp *odp, size_t offset)
{
	u64 dma = odp->pages[offset >> PAGE_SHIFT] & ~IB_ODP_RIGHTS;
	u8 *page = kmap_local_page(pfn_to_page(PHYS_PFN(dma)));
	u8 byte = page[offset_in_page(offset)];

	kunmap_local(page);
	return byte;
}

static u64 rights(const struct ib_umem_odp *odp, size_t page)
{
	return odp->pages[page] & IB_ODP_RIGHTS;
}

static void poke(struct kunit *test, unsigned long addr, u8 byte)
{
	KUNIT_ASSERT_EQ(test, 0, put_user(byte, (u8 __user *)addr));
}

static void expect_refusal(struct kunit *test, int err, const char *detail)
{
	struct ib_refusal why;

	KUNIT_ASSERT_TRUE(test, ib_refusal_take(err, &why));
	KUNIT_EXPECT_EQ(test, IB_LAYER_UMEM, why.layer);
	KUNIT_EXPECT_STREQ(test, detail, why.detail ?: why.why);
}

static void pages_are_mapped_and_taken_away(struct kunit *test)
{
	unsigned long addr = map_rw(test);
	struct ib_umem_odp *odp;
	size_t i;

	odp = get(test, addr, SIZE, IB_ACCESS_LOCAL_WRITE);
	KUNIT_EXPECT_EQ(test, PAGES, odp->count);
	KUNIT_EXPECT_EQ(test, 0, odp->mapped);
	poke(test, addr + 3 * PAGE_SIZE + 5, 0x5a);
	KUNIT_EXPECT_EQ(test, 0, ib_umem_odp_map(odp, addr, SIZE,
						 IB_ODP_MAP_WRITE));
	KUNIT_EXPECT_EQ(test, PAGES, odp->mapped);
	KUNIT_EXPECT_EQ(test, 0, table.first);
	KUNIT_EXPECT_EQ(test, PAGES, table.n);
	for (i = 0; i < PAGES; i++)
		KUNIT_EXPECT_EQ(test, IB_ODP_RIGHTS, rights(odp, i));
	KUNIT_EXPECT_EQ(test, 0x5a, device_reads(odp, 3 * PAGE_SIZE + 5));

	KUNIT_ASSERT_EQ(test, 0, vm_munmap(addr + 4 * PAGE_SIZE,
					   2 * PAGE_SIZE));
	KUNIT_EXPECT_EQ(test, 1, table.zaps);
	KUNIT_EXPECT_EQ(test, 4, table.first);
	KUNIT_EXPECT_EQ(test, 2, table.n);
	KUNIT_EXPECT_EQ(test, PAGES - 2, odp->mapped);
	for (i = 0; i < PAGES; i++)
		KUNIT_EXPECT_EQ(test, i == 4 || i == 5, !odp->pages[i]);
	ib_umem_odp_release(odp);
	KUNIT_EXPECT_EQ(test, 1, table.zaps);
}

/* The same address, other memory */
static void what_comes_instead_is_found(struct kunit *test)
{
	unsigned long addr = map_rw(test);
	struct ib_umem_odp *odp;

	odp = get(test, addr, SIZE, IB_ACCESS_LOCAL_WRITE);
	poke(test, addr, 1);
	KUNIT_ASSERT_EQ(test, 0, ib_umem_odp_map(odp, addr, 1,
						 IB_ODP_MAP_WRITE));
	KUNIT_EXPECT_EQ(test, 1, odp->mapped);
	KUNIT_EXPECT_EQ(test, 1, device_reads(odp, 0));
	map_at(test, addr, SIZE, PROT_READ | PROT_WRITE);
	KUNIT_EXPECT_EQ(test, 0, odp->mapped);
	poke(test, addr, 2);
	KUNIT_ASSERT_EQ(test, 0, ib_umem_odp_map(odp, addr, 1,
						 IB_ODP_MAP_WRITE));
	KUNIT_EXPECT_EQ(test, 2, device_reads(odp, 0));
	ib_umem_odp_release(odp);
}

static void memory_that_is_only_read(struct kunit *test)
{
	unsigned long addr = map_at(test, 0, SIZE, PROT_READ);
	struct ib_umem_odp *odp;

	odp = get(test, addr, SIZE, IB_ACCESS_LOCAL_WRITE);
	KUNIT_EXPECT_EQ(test, -EPERM, ib_umem_odp_map(odp, addr, SIZE,
						      IB_ODP_MAP_WRITE));
	expect_refusal(test, -EPERM, "no write permission");
	KUNIT_EXPECT_EQ(test, 0, odp->mapped);
	KUNIT_EXPECT_EQ(test, 0, ib_umem_odp_map(odp, addr, SIZE, 0));
	KUNIT_EXPECT_EQ(test, PAGES, odp->mapped);
	KUNIT_EXPECT_EQ(test, IB_ODP_READ, rights(odp, 0));
	ib_umem_odp_release(odp);
}

/* Rights of the process are not rights of the device. */
static void region_that_is_only_read(struct kunit *test)
{
	unsigned long addr = map_rw(test);
	struct ib_umem_odp *odp;

	odp = get(test, addr, SIZE, IB_ACCESS_REMOTE_READ);
	poke(test, addr, 1);
	KUNIT_EXPECT_EQ(test, -EPERM, ib_umem_odp_map(odp, addr, 1,
						      IB_ODP_MAP_WRITE));
	KUNIT_EXPECT_EQ(test, 0, ib_umem_odp_map(odp, addr, 1,
						 IB_ODP_MAP_PRESENT));
	KUNIT_EXPECT_EQ(test, IB_ODP_READ, rights(odp, 0));
	ib_umem_odp_release(odp);
}

static void read_then_written(struct kunit *test)
{
	unsigned long addr = map_rw(test);
	struct ib_umem_odp *odp;

	odp = get(test, addr, SIZE, IB_ACCESS_LOCAL_WRITE);
	poke(test, addr, 7);
	KUNIT_ASSERT_EQ(test, 0, ib_umem_odp_map(odp, addr, 1, 0));
	KUNIT_EXPECT_EQ(test, IB_ODP_READ, rights(odp, 0));
	KUNIT_ASSERT_EQ(test, 0, ib_umem_odp_map(odp, addr, 1,
						 IB_ODP_MAP_WRITE));
	KUNIT_EXPECT_EQ(test, IB_ODP_RIGHTS, rights(odp, 0));
	KUNIT_ASSERT_EQ(test, 0, ib_umem_odp_map(odp, addr, 1, 0));
	KUNIT_EXPECT_EQ(test, IB_ODP_RIGHTS, rights(odp, 0));
	KUNIT_EXPECT_EQ(test, 1, odp->mapped);
	KUNIT_EXPECT_EQ(test, 7, device_reads(odp, 0));
	ib_umem_odp_release(odp);
}

/* Nothing is there yet, then one page; nothing is brought in for the device. */
/* Each page is copied when it is to be written: together that takes 2 s. */
static void written_with_a_slow_device(struct kunit *test)
{
	unsigned long addr = map_rw(test);
	struct ib_umem_odp *odp;

	odp = get(test, addr, SIZE, IB_ACCESS_LOCAL_WRITE);
	KUNIT_EXPECT_EQ(test, 0, ib_umem_odp_map(odp, addr, SIZE, 0));
	table.slow = 2000 / PAGES;
	KUNIT_EXPECT_EQ(test, 0, ib_umem_odp_map(odp, addr, SIZE,
						 IB_ODP_MAP_WRITE));
	table.slow = 0;
	KUNIT_EXPECT_EQ(test, PAGES, table.zaps);
	ib_umem_odp_release(odp);
}

static void only_what_is_present(struct kunit *test)
{
	unsigned long addr = map_rw(test);
	struct ib_umem_odp *odp;

	odp = get(test, addr, SIZE, IB_ACCESS_LOCAL_WRITE);
	KUNIT_EXPECT_EQ(test, 0, ib_umem_odp_map(odp, addr, SIZE,
						 IB_ODP_MAP_PRESENT));
	KUNIT_EXPECT_EQ(test, 0, odp->mapped);
	KUNIT_EXPECT_EQ(test, 0, table.fills);
	poke(test, addr + 2 * PAGE_SIZE, 1);
	KUNIT_EXPECT_EQ(test, 0, ib_umem_odp_map(odp, addr, SIZE,
						 IB_ODP_MAP_PRESENT));
	KUNIT_EXPECT_EQ(test, 1, odp->mapped);
	KUNIT_EXPECT_EQ(test, IB_ODP_RIGHTS, rights(odp, 2));
	ib_umem_odp_release(odp);
}

static void hole_in_the_range(struct kunit *test)
{
	unsigned long addr = map_rw(test);
	struct ib_umem_odp *odp;

	KUNIT_ASSERT_EQ(test, 0, vm_munmap(addr + PAGE_SIZE, PAGE_SIZE));
	odp = get(test, addr, SIZE, IB_ACCESS_LOCAL_WRITE);
	KUNIT_EXPECT_EQ(test, -EFAULT, ib_umem_odp_map(odp, addr, SIZE,
						       IB_ODP_MAP_WRITE));
	expect_refusal(test, -EFAULT,
		       "nothing mapped there, or not to be read");
	KUNIT_EXPECT_EQ(test, 0, ib_umem_odp_map(odp, addr, 1,
						 IB_ODP_MAP_WRITE));
	KUNIT_EXPECT_EQ(test, 0, ib_umem_odp_map(odp, addr, SIZE,
						 IB_ODP_MAP_PRESENT));
	ib_umem_odp_release(odp);
}

static void ranges_that_are_none(struct kunit *test)
{
	unsigned long addr = map_rw(test);
	struct fake_device *fake = test->priv;
	struct ib_umem_odp *odp;

	odp = ib_umem_odp_get(&fake->ib, current->mm, addr, 0, 0, &table_ops);
	KUNIT_EXPECT_EQ(test, -EINVAL, PTR_ERR(odp));
	odp = ib_umem_odp_get(&fake->ib, current->mm, ULONG_MAX, 2, 0,
			      &table_ops);
	KUNIT_EXPECT_EQ(test, -EOVERFLOW, PTR_ERR(odp));
	odp = ib_umem_odp_get(&fake->ib, current->mm, ULONG_MAX - SZ_4K, SZ_4K,
			      0, &table_ops);
	KUNIT_EXPECT_EQ(test, -EOVERFLOW, PTR_ERR(odp));
	odp = ib_umem_odp_get(&fake->ib, current->mm, ULONG_MAX - SZ_2M, SZ_4K,
			      IB_ACCESS_HUGETLB, &table_ops);
	KUNIT_EXPECT_EQ(test, -EOVERFLOW, PTR_ERR(odp));
	odp = ib_umem_odp_get(&fake->ib, current->mm, 0, 1ULL << 62, 0,
			      &table_ops);
	KUNIT_EXPECT_EQ(test, -ENOMEM, PTR_ERR(odp));

	odp = get(test, addr + 0x800, PAGE_SIZE, 0);
	KUNIT_EXPECT_EQ(test, 2, odp->count);
	KUNIT_EXPECT_EQ(test, 0, ib_umem_odp_map(odp, addr, 2 * PAGE_SIZE, 0));
	KUNIT_EXPECT_EQ(test, 0, ib_umem_odp_map(odp, addr + 1, 0, 0));
	KUNIT_EXPECT_EQ(test, -EINVAL, ib_umem_odp_map(odp, addr, 0, 0));
	KUNIT_EXPECT_EQ(test, -EFAULT, ib_umem_odp_map(odp, addr - 1, 1, 0));
	KUNIT_EXPECT_EQ(test, -EFAULT,
			ib_umem_odp_map(odp, addr + PAGE_SIZE,
					PAGE_SIZE + 1, 0));
	KUNIT_EXPECT_EQ(test, -EFAULT, ib_umem_odp_map(odp, addr, SIZE_MAX,
						       0));
	ib_umem_odp_release(odp);
}

/* A region of huge pages lists huge pages, and takes no others. */
static void huge_pages_only(struct kunit *test)
{
	unsigned long addr = map_at(test, 0, 2 * PMD_SIZE,
				    PROT_READ | PROT_WRITE);
	unsigned long at = ALIGN(addr, PMD_SIZE);
	struct ib_umem_odp *odp;

	/* no huge page fits half of one */
	KUNIT_ASSERT_EQ(test, 0, vm_munmap(at + PMD_SIZE / 2, PAGE_SIZE));
	poke(test, at, 1);
	odp = get(test, at + 8, 16, IB_ACCESS_LOCAL_WRITE | IB_ACCESS_HUGETLB);
	KUNIT_EXPECT_EQ(test, 1, odp->count);
	KUNIT_EXPECT_EQ(test, PMD_SHIFT, odp->page_shift);
	KUNIT_EXPECT_EQ(test, -EINVAL, ib_umem_odp_map(odp, at + 8, 16,
						       IB_ODP_MAP_PRESENT));
	KUNIT_EXPECT_EQ(test, 0, odp->mapped);
	ib_umem_odp_release(odp);
}

/* The device's table could not be changed: the list may be ahead of it. */
static void driver_that_fails(struct kunit *test)
{
	unsigned long addr = map_rw(test);
	struct ib_umem_odp *odp;

	odp = get(test, addr, SIZE, IB_ACCESS_LOCAL_WRITE);
	table.fail = -EIO;
	KUNIT_EXPECT_EQ(test, -EIO, ib_umem_odp_map(odp, addr, SIZE,
						    IB_ODP_MAP_WRITE));
	KUNIT_EXPECT_EQ(test, PAGES, odp->mapped);
	table.fail = 0;
	KUNIT_ASSERT_EQ(test, 0, vm_munmap(addr, SIZE));
	KUNIT_EXPECT_EQ(test, PAGES, table.zapped);
	KUNIT_EXPECT_EQ(test, 0, odp->mapped);
	ib_umem_odp_release(odp);
}

/* Pages far apart are taken away by themselves, near ones in one go. */
static void runs_of_pages(struct kunit *test)
{
	unsigned long addr = map_at(test, 0, SZ_4M, PROT_READ | PROT_WRITE);
	static const size_t pages[] = { 1, 3, 400 };
	struct ib_umem_odp *odp;
	size_t i;

	odp = get(test, addr, SZ_4M, IB_ACCESS_LOCAL_WRITE);
	for (i = 0; i < ARRAY_SIZE(pages); i++)
		KUNIT_ASSERT_EQ(test, 0,
				ib_umem_odp_map(odp,
						addr + pages[i] * PAGE_SIZE, 1,
						IB_ODP_MAP_WRITE));
	KUNIT_ASSERT_EQ(test, 0, vm_munmap(addr, SZ_4M));
	KUNIT_EXPECT_EQ(test, 2, table.zaps);
	KUNIT_EXPECT_EQ(test, 4, table.zapped);
	KUNIT_EXPECT_EQ(test, 0, odp->mapped);
	ib_umem_odp_release(odp);
}

static void process_that_is_gone(struct kunit *test)
{
	struct fake_device *fake = test->priv;
	struct mm_struct *mm = mm_alloc();
	struct ib_umem_odp *odp;

	KUNIT_ASSERT_NOT_NULL(test, mm);
	mmgrab(mm);
	odp = ib_umem_odp_get(&fake->ib, mm, SZ_1M, SIZE, 0, &table_ops);
	mmput(mm);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, odp);
	KUNIT_EXPECT_EQ(test, -EINVAL, ib_umem_odp_map(odp, SZ_1M, 1, 0));
	ib_umem_odp_release(odp);
	odp = ib_umem_odp_get(&fake->ib, mm, SZ_1M, SIZE, 0, &table_ops);
	KUNIT_EXPECT_EQ(test, -EFAULT, PTR_ERR(odp));
	mmdrop(mm);
}

struct unmapper {
	struct mm_struct	*mm;
	unsigned long		addr;
	struct completion	done;
};

static int unmap_in_thread(void *data)
{
	struct unmapper *u = data;

	kthread_use_mm(u->mm);
	vm_munmap(u->addr, SIZE);
	kthread_unuse_mm(u->mm);
	complete(&u->done);
	return 0;
}

static int let_go(void *data)
{
	msleep(50);
	complete(data);
	return 0;
}

/* Pages are being taken away: the region waits for that before it goes. */
static void release_while_invalidating(struct kunit *test)
{
	DECLARE_COMPLETION_ONSTACK(in);
	DECLARE_COMPLETION_ONSTACK(go);
	struct unmapper u = { .addr = map_rw(test) };
	struct ib_umem_odp *odp;

	u.mm = current->mm;
	init_completion(&u.done);
	odp = get(test, u.addr, SIZE, IB_ACCESS_LOCAL_WRITE);
	KUNIT_ASSERT_EQ(test, 0, ib_umem_odp_map(odp, u.addr, SIZE,
						 IB_ODP_MAP_WRITE));
	table.in = &in;
	table.go = &go;
	kthread_run(unmap_in_thread, &u, "odp-unmap");
	wait_for_completion(&in);
	KUNIT_EXPECT_FALSE(test, completion_done(&u.done));
	table.in = NULL;
	kthread_run(let_go, &go, "odp-go");
	ib_umem_odp_release(odp);
	KUNIT_EXPECT_EQ(test, 1, table.zaps);
	KUNIT_EXPECT_EQ(test, PAGES, table.zapped);
	wait_for_completion(&u.done);
}

/* Once the device is detached nobody asks its driver; it may come back. */
static void detached_region(struct kunit *test)
{
	unsigned long addr = map_rw(test);
	struct ib_umem_odp *odp;

	odp = get(test, addr, SIZE, IB_ACCESS_LOCAL_WRITE);
	KUNIT_ASSERT_EQ(test, 0, ib_umem_odp_map(odp, addr, SIZE,
						 IB_ODP_MAP_WRITE));
	ib_umem_odp_detach(odp);
	KUNIT_EXPECT_EQ(test, 1, table.zaps);
	KUNIT_EXPECT_EQ(test, PAGES, table.zapped);
	KUNIT_EXPECT_EQ(test, 0, odp->mapped);
	KUNIT_EXPECT_EQ(test, -EFAULT, ib_umem_odp_map(odp, addr, SIZE,
						       IB_ODP_MAP_WRITE));
	KUNIT_ASSERT_EQ(test, 0, vm_munmap(addr, PAGE_SIZE));
	KUNIT_EXPECT_EQ(test, 1, table.zaps);
	KUNIT_EXPECT_EQ(test, 1, table.fills);

	ib_umem_odp_attach(odp);
	KUNIT_EXPECT_EQ(test, 0, ib_umem_odp_map(odp, addr + PAGE_SIZE, 1,
						 IB_ODP_MAP_WRITE));
	KUNIT_EXPECT_EQ(test, 1, odp->mapped);
	ib_umem_odp_release(odp);
	KUNIT_EXPECT_EQ(test, 1, table.zaps);
}

static int odp_init(struct kunit *test)
{
	memset(&table, 0, sizeof(table));
	test->priv = fake_device_register(test);
	return 0;
}

static struct kunit_case odp_cases[] = {
	KUNIT_CASE(pages_are_mapped_and_taken_away),
	KUNIT_CASE(what_comes_instead_is_found),
	KUNIT_CASE(memory_that_is_only_read),
	KUNIT_CASE(region_that_is_only_read),
	KUNIT_CASE(read_then_written),
	KUNIT_CASE_SLOW(written_with_a_slow_device),
	KUNIT_CASE(only_what_is_present),
	KUNIT_CASE(hole_in_the_range),
	KUNIT_CASE(ranges_that_are_none),
	KUNIT_CASE(huge_pages_only),
	KUNIT_CASE(driver_that_fails),
	KUNIT_CASE(runs_of_pages),
	KUNIT_CASE(process_that_is_gone),
	KUNIT_CASE(release_while_invalidating),
	KUNIT_CASE(detached_region),
	{}
};

static struct kunit_suite odp_suite = {
	.name		= "ib_umem_odp",
	.init		= odp_init,
	.test_cases	= odp_cases,
};

kunit_test_suite(odp_suite);

MODULE_DESCRIPTION("KUnit: memory that a device pages in");
MODULE_IMPORT_NS(IB_NS);
MODULE_IMPORT_NS(IB_KUNIT_NS);
MODULE_LICENSE("GPL");
