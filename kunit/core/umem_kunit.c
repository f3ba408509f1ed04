// SPDX-License-Identifier: GPL-2.0-only
/* Pinning memory of a process: what is charged, and that it is given back. */
#include <kunit/static_stub.h>
#include <kunit/test.h>
#include <linux/mman.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/workqueue.h>
#include <ib/export.h>
#include <ib/types.h>
#include <ib/umem.h>
#include "kunit/helpers/expect.h"
#include "kunit/helpers/fake_device.h"
#include "drivers/core/core_priv.h"

static unsigned long map(struct kunit *test, size_t size)
{
	unsigned long addr;

	addr = kunit_vm_mmap(test, NULL, 0, size, PROT_READ | PROT_WRITE,
			     MAP_ANONYMOUS | MAP_PRIVATE, 0);
	KUNIT_ASSERT_NE(test, 0, addr);
	return addr;
}

static s64 charged(void)
{
	return atomic64_read(&current->mm->pinned_vm);
}

static void pages_are_charged_and_given_back(struct kunit *test)
{
	struct fake_device *fake = fake_device_register(test);
	unsigned long addr = map(test, SZ_4M);
	struct ib_umem *umem;
	s64 before = charged();

	/* more than a batch, from the middle of a page to the next one */
	umem = ib_umem_get(&fake->ib, addr + 0x800, SZ_4M - SZ_4K,
			   IB_ACCESS_LOCAL_WRITE);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, umem);
	KUNIT_EXPECT_EQ(test, SZ_4M / PAGE_SIZE, umem->npages);
	KUNIT_EXPECT_EQ(test, before + SZ_4M / PAGE_SIZE, charged());
	KUNIT_EXPECT_TRUE(test, umem->writable);
	ib_umem_release(umem);
	KUNIT_EXPECT_EQ(test, before, charged());
}

static void every_page_is_found(struct kunit *test)
{
	struct fake_device *fake = fake_device_register(test);
	unsigned long addr = map(test, SZ_64K);
	struct ib_block_iter it;
	struct ib_umem *umem;
	u64 pgsz, blocks = 0;

	umem = ib_umem_get(&fake->ib, addr, SZ_64K, 0);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, umem);
	KUNIT_EXPECT_FALSE(test, umem->writable);
	pgsz = ib_umem_best_pgsz(umem, PAGE_SIZE, addr);
	KUNIT_EXPECT_EQ(test, PAGE_SIZE, pgsz);
	ib_umem_block_start(&it, umem, PAGE_SIZE);
	while (ib_block_next(&it))
		blocks++;
	KUNIT_EXPECT_EQ(test, SZ_64K / PAGE_SIZE, blocks);
	ib_umem_release(umem);
}

static void ranges_that_are_none(struct kunit *test)
{
	struct fake_device *fake = fake_device_register(test);
	unsigned long addr = map(test, SZ_64K);
	struct ib_device *device = &fake->ib;

	KUNIT_EXPECT_EQ(test, -EINVAL, PTR_ERR(ib_umem_get(device, addr, 0,
							   0)));
	KUNIT_EXPECT_EQ(test, -EINVAL,
			PTR_ERR(ib_umem_get(device, ULONG_MAX, 2, 0)));
	KUNIT_EXPECT_EQ(test, -EINVAL,
			PTR_ERR(ib_umem_get(device, ULONG_MAX - SZ_4K,
					    SZ_4K, 0)));
	KUNIT_EXPECT_EQ(test, -EINVAL,
			PTR_ERR(ib_umem_get(device, addr, ULONG_MAX, 0)));
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP,
			PTR_ERR(ib_umem_get(device, addr, SZ_4K,
					    IB_ACCESS_ON_DEMAND)));
}

/* The second page is not there: the first is unpinned, all is uncharged. */
static void a_hole_gives_all_back(struct kunit *test)
{
	struct fake_device *fake = fake_device_register(test);
	unsigned long addr = map(test, SZ_8K);
	s64 before = charged();
	struct ib_umem *umem;

	KUNIT_ASSERT_EQ(test, 0, vm_munmap(addr + SZ_4K, SZ_4K));
	umem = ib_umem_get(&fake->ib, addr, SZ_8K, IB_ACCESS_LOCAL_WRITE);
	KUNIT_EXPECT_EQ(test, -EFAULT, PTR_ERR(umem));
	KUNIT_EXPECT_EQ(test, before, charged());
}

/* No device that the bench has maps its registers without VM_PFNMAP. */
static void registers_have_their_reason(struct kunit *test)
{
	struct fake_device *fake = fake_device_register(test);
	unsigned long addr = map(test, SZ_8K);
	struct vm_area_struct *vma;
	char want[IB_REFUSE_TEXT];

	mmap_write_lock(current->mm);
	vma = vma_lookup(current->mm, addr);
	if (vma)
		vm_flags_set(vma, VM_IO);
	mmap_write_unlock(current->mm);
	KUNIT_ASSERT_NOT_NULL(test, vma);
	KUNIT_EXPECT_EQ(test, -EFAULT,
			PTR_ERR(ib_umem_get(&fake->ib, addr, SZ_8K, 0)));
	snprintf(want, sizeof(want),
		 "0x%lx, page 1 of 2: a device's registers (VM_IO)", addr);
	expect_umem_refusal(test, -EFAULT, want);
}

/* Queues that begin where no block can */
static void no_page_size_has_its_reason(struct kunit *test)
{
	struct fake_device *fake = fake_device_register(test);
	unsigned long addr = map(test, SZ_64K);
	char want[IB_REFUSE_TEXT];
	struct ib_umem *umem;

	umem = ib_umem_get(&fake->ib, addr, SZ_64K, 0);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, umem);
	KUNIT_EXPECT_EQ(test, 0, ib_umem_best_pgsz(umem, SZ_4K, addr + 64));
	snprintf(want, sizeof(want),
		 "no page size of the adapter (0x1000) fits iova 0x%lx",
		 addr + 64);
	expect_umem_refusal(test, -EINVAL, want);
	ib_umem_release(umem);
}

/* What the mm is made to say, in the test's thread */
struct mm_acts {
	int		busy;		/* so many times first */
	int		kill_at;	/* behind this call the thread is killed */
	int		few;		/* so many pages a call, if not 0 */
	int		err;		/* this, behind so many pages: */
	int		err_at;
	/* what it was asked */
	int		calls;
	int		pages;		/* pinned */
	unsigned int	flags;
	struct page	*first;		/* of the last call */
};

static struct mm_acts mm_acts;

static int acted_pin(unsigned long addr, int npages, unsigned int flags,
		     struct page **pages)
{
	int ret;

	mm_acts.flags = flags;
	if (++mm_acts.calls <= mm_acts.busy)
		return -EAGAIN;
	if (mm_acts.few)
		npages = min(npages, mm_acts.few);
	if (mm_acts.err && mm_acts.pages >= mm_acts.err_at)
		return mm_acts.err;
	ret = pin_user_pages_fast(addr, npages, flags, pages);
	if (mm_acts.calls == mm_acts.kill_at)
		send_sig(SIGKILL, current, 1);
	if (ret > 0) {
		mm_acts.pages += ret;
		mm_acts.first = pages[0];
	}
	return ret;
}

static void act(struct kunit *test, struct mm_acts acts)
{
	mm_acts = acts;
	kunit_activate_static_stub(test, ib_umem_pin_pages, acted_pin);
}

#define TRIES	5

static void busy_pages_are_tried_again(struct kunit *test)
{
	struct fake_device *fake = fake_device_register(test);
	unsigned long addr = map(test, SZ_64K);
	struct ib_umem *umem;

	act(test, (struct mm_acts){ .busy = TRIES - 1 });
	umem = ib_umem_get(&fake->ib, addr, SZ_64K, IB_ACCESS_LOCAL_WRITE);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, umem);
	KUNIT_EXPECT_EQ(test, TRIES, mm_acts.calls);
	ib_umem_release(umem);
}

/* Neither lack of memory nor a bad address: the caller may try again. */
static void pages_that_stay_busy(struct kunit *test)
{
	struct fake_device *fake = fake_device_register(test);
	unsigned long addr = map(test, SZ_64K);
	s64 before = charged();
	struct ib_umem *umem;
	char text[IB_REFUSE_TEXT];

	act(test, (struct mm_acts){ .busy = INT_MAX });
	umem = ib_umem_get(&fake->ib, addr, SZ_64K, IB_ACCESS_LOCAL_WRITE);
	KUNIT_EXPECT_EQ(test, -EAGAIN, PTR_ERR(umem));
	KUNIT_EXPECT_EQ(test, TRIES, mm_acts.calls);
	KUNIT_EXPECT_EQ(test, before, charged());
	snprintf(text, sizeof(text),
		 "page 1 of 16 at 0x%lx stayed busy, tried 5 times: try again",
		 addr);
	expect_umem_refusal(test, -EAGAIN, text);
}

/* Before the second of three batches: the first is unpinned, all is uncharged. */
static void killed_while_pinning(struct kunit *test)
{
	struct fake_device *fake = fake_device_register(test);
	unsigned long addr = map(test, 3 * SZ_2M);
	s64 before = charged();
	struct ib_umem *umem;

	allow_signal(SIGKILL);
	act(test, (struct mm_acts){ .kill_at = 1 });
	umem = ib_umem_get(&fake->ib, addr, 3 * SZ_2M, IB_ACCESS_LOCAL_WRITE);
	flush_signals(current);
	disallow_signal(SIGKILL);
	KUNIT_EXPECT_EQ(test, -EINTR, PTR_ERR(umem));
	KUNIT_EXPECT_EQ(test, 1, mm_acts.calls);
	KUNIT_EXPECT_EQ(test, before, charged());
	expect_umem_refusal(test, -EINTR, "killed at page 513 of 1536");
}

/* The mm need not pin all that it is asked to. */
static void few_pages_at_a_time(struct kunit *test)
{
	struct fake_device *fake = fake_device_register(test);
	unsigned long addr = map(test, SZ_64K);
	s64 before = charged();
	struct ib_umem *umem;

	act(test, (struct mm_acts){ .few = 3 });
	umem = ib_umem_get(&fake->ib, addr, SZ_64K, IB_ACCESS_LOCAL_WRITE);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, umem);
	KUNIT_EXPECT_EQ(test, 6, mm_acts.calls);
	KUNIT_EXPECT_EQ(test, 16, mm_acts.pages);
	KUNIT_EXPECT_EQ(test, before + 16, charged());
	ib_umem_release(umem);
	KUNIT_EXPECT_EQ(test, before, charged());
}

/* An errno is handed on as it is, and what was pinned before is unpinned. */
static void memory_ends_in_the_middle(struct kunit *test)
{
	struct fake_device *fake = fake_device_register(test);
	unsigned long addr = map(test, SZ_64K);
	s64 before = charged();
	struct ib_umem *umem;
	char text[IB_REFUSE_TEXT];

	act(test, (struct mm_acts){ .few = 5, .err = -ENOMEM, .err_at = 10 });
	umem = ib_umem_get(&fake->ib, addr, SZ_64K, IB_ACCESS_LOCAL_WRITE);
	KUNIT_EXPECT_EQ(test, -ENOMEM, PTR_ERR(umem));
	KUNIT_EXPECT_EQ(test, 3, mm_acts.calls);
	KUNIT_EXPECT_EQ(test, before, charged());
	snprintf(text, sizeof(text), "no memory for page 11 of 16 at 0x%lx",
		 addr + 10 * PAGE_SIZE);
	expect_umem_refusal(test, -ENOMEM, text);
}

/* The pages of a region that the device only reads stay as they are. */
static void dirty_only_if_written(struct kunit *test)
{
	static const int access[] = { 0, IB_ACCESS_LOCAL_WRITE };
	struct fake_device *fake = fake_device_register(test);
	unsigned long addr = map(test, PAGE_SIZE);
	struct ib_umem *umem;
	struct page *page;
	int i;

	for (i = 0; i < ARRAY_SIZE(access); i++) {
		act(test, (struct mm_acts){ });
		umem = ib_umem_get(&fake->ib, addr, PAGE_SIZE, access[i]);
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, umem);
		KUNIT_EXPECT_TRUE(test, mm_acts.flags & FOLL_LONGTERM);
		KUNIT_EXPECT_EQ(test, !!access[i],
				!!(mm_acts.flags & FOLL_WRITE));
		page = mm_acts.first;
		get_page(page);
		ClearPageDirty(page);
		ib_umem_release(umem);
		KUNIT_EXPECT_EQ(test, !!access[i], !!PageDirty(page));
		put_page(page);
	}
}

struct elsewhere {
	struct work_struct work;
	struct ib_umem *umem;
};

static void release_there(struct work_struct *work)
{
	ib_umem_release(container_of(work, struct elsewhere, work)->umem);
}

/* A thread of the kernel, of no process at all */
static void charge_goes_back_where_it_came_from(struct kunit *test)
{
	struct fake_device *fake = fake_device_register(test);
	unsigned long addr = map(test, SZ_64K);
	struct elsewhere there;
	s64 before = charged();

	there.umem = ib_umem_get(&fake->ib, addr, SZ_64K, 0);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, there.umem);
	KUNIT_EXPECT_EQ(test, before + 16, charged());
	INIT_WORK_ONSTACK(&there.work, release_there);
	schedule_work(&there.work);
	flush_work(&there.work);
	destroy_work_on_stack(&there.work);
	KUNIT_EXPECT_EQ(test, before, charged());
}

static struct kunit_case umem_cases[] = {
	KUNIT_CASE(pages_are_charged_and_given_back),
	KUNIT_CASE(every_page_is_found),
	KUNIT_CASE(ranges_that_are_none),
	KUNIT_CASE(a_hole_gives_all_back),
	KUNIT_CASE(registers_have_their_reason),
	KUNIT_CASE(no_page_size_has_its_reason),
	KUNIT_CASE(busy_pages_are_tried_again),
	KUNIT_CASE(pages_that_stay_busy),
	KUNIT_CASE(killed_while_pinning),
	KUNIT_CASE(few_pages_at_a_time),
	KUNIT_CASE(memory_ends_in_the_middle),
	KUNIT_CASE(dirty_only_if_written),
	KUNIT_CASE(charge_goes_back_where_it_came_from),
	{}
};

static struct kunit_suite umem_suite = {
	.name		= "ib_umem",
	.test_cases	= umem_cases,
};

kunit_test_suite(umem_suite);

MODULE_DESCRIPTION("KUnit: pinned memory");
MODULE_IMPORT_NS(IB_NS);
MODULE_IMPORT_NS(IB_KUNIT_NS);
MODULE_LICENSE("GPL");
