// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pinning the pages of a range: in batches, so that the process can be killed
 * in between and mmap_lock is never held long.
 *
 * A large range may be cut into parts, which threads of the kernel pin at the
 * same time in the mm of the process; the caller takes the first one. What
 * comes out is the same as with one part, also of a range that cannot be
 * pinned: the parts in front of one that failed go on, those behind it stop,
 * and the first failure counts. It is the caller who says why, and who unpins.
 *
 * A thread can wait for the process itself, which may serve its own page
 * faults (userfaultfd). So when the caller is killed, he kills the threads.
 */
#include <kunit/static_stub.h>
#include <kunit/visibility.h>
#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/memcontrol.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <ib/umem.h>
#include "core_priv.h"
#include "umem_runs.h"

#define BATCH		(PAGE_SIZE / sizeof(struct page *))
#define FEW		16

/*
 * A long-term pin moves pages out of places that must stay free (CMA, movable
 * memory). That fails with -EAGAIN while somebody else holds the page for a
 * moment, so it is worth a few more attempts, but not worth waiting for ever.
 */
#define PIN_ATTEMPTS	5
#define PIN_PAUSE_MS	2

#define THREADS_MAX	16u
#define PART_PAGES	(SZ_64M >> PAGE_SHIFT)		/* worth a thread */

static unsigned int pin_threads = 1;
module_param(pin_threads, uint, 0644);
MODULE_PARM_DESC(pin_threads, "processors that may pin a large region at the same time (1..16)");

/**
 * struct pin_group - the parts of a range
 * @umem: the memory
 * @memcg: pays for lists that threads make
 * @failed: number of the first part that failed, or INT_MAX
 * @ended: completed by each thread
 */
struct pin_group {
	const struct ib_umem	*umem;
	struct mem_cgroup	*memcg;
	atomic_t		failed;
	struct completion	ended;
};

/**
 * struct pin_part - what one thread pins
 * @group: the range it is a part of
 * @thread: the thread; NULL for the caller
 * @number: of the part, from 0
 * @addr: the next page
 * @left: pages that are not pinned yet
 * @runs: the pages that are
 * @ret: 0, or why the page at @addr is not
 * @attempts: how often the mm was asked for it
 * @lacks: what there was no memory for, in words; NULL if the mm said no
 */
struct pin_part {
	struct pin_group	*group;
	struct task_struct	*thread;
	int			number;
	unsigned long		addr;
	size_t			left;
	struct ib_runs		runs;
	int			ret;
	unsigned int		attempts;
	const char		*lacks;
};

/* A test may stand in for the mm, which is seldom as busy as it can be. */
VISIBLE_IF_KUNIT int ib_umem_pin_pages(unsigned long addr, int npages,
				       unsigned int flags, struct page **pages)
{
	KUNIT_STATIC_STUB_REDIRECT(ib_umem_pin_pages, addr, npages, flags,
				   pages);
	return pin_user_pages_fast(addr, npages, flags, pages);
}
EXPORT_SYMBOL_IF_KUNIT(ib_umem_pin_pages);

/* At least one page, or an error */
static int pin_batch(struct pin_part *p, struct page **pages)
{
	unsigned int flags = FOLL_LONGTERM |
			     (p->group->umem->writable ? FOLL_WRITE : 0);
	int ret = 0;

	for (p->attempts = 0; p->attempts < PIN_ATTEMPTS; p->attempts++) {
		if (fatal_signal_pending(current))
			return -EINTR;
		ret = ib_umem_pin_pages(p->addr, min(p->left, BATCH), flags,
					pages);
		if (ret > 0)
			return ret;
		if (ret != -EAGAIN)
			break;
		msleep(PIN_PAUSE_MS);
	}
	return ret ?: -EFAULT;
}

static bool is_useless(const struct pin_part *p)
{
	return p->number > atomic_read(&p->group->failed);
}

static int pin_all(struct pin_part *p, struct page **pages)
{
	int n, ret;

	while (p->left && !is_useless(p)) {
		n = pin_batch(p, pages);
		if (n < 0)
			return n;
		ret = ib_runs_add(&p->runs, pages, n);
		if (ret) {
			p->lacks = "no memory to list pages";
			return ret;
		}
		p->left -= n;
		p->addr += (unsigned long)n << PAGE_SHIFT;
		if (p->left)
			cond_resched();
	}
	return 0;
}

/* On the stack for few pages: most registrations are small. */
static int pin_by_batches(struct pin_part *p)
{
	struct page *few[FEW], **pages;
	int ret;

	if (p->left <= FEW)
		return pin_all(p, few);
	pages = kmalloc_array(min(p->left, BATCH), sizeof(*pages), GFP_KERNEL);
	if (!pages) {
		p->lacks = "no memory to pin with";
		return -ENOMEM;
	}
	ret = pin_all(p, pages);
	kfree(pages);
	return ret;
}

static void pin_part(struct pin_part *p)
{
	int failed;

	p->ret = pin_by_batches(p);
	if (!p->ret)
		return;
	failed = atomic_read(&p->group->failed);
	do {
		if (failed < p->number)
			return;
	} while (!atomic_try_cmpxchg(&p->group->failed, &failed, p->number));
}

static int pin_thread(void *arg)
{
	struct pin_part *p = arg;
	struct pin_group *g = p->group;
	struct mem_cgroup *old;

	allow_kernel_signal(SIGKILL);
	kthread_use_mm(g->umem->mm);
	old = set_active_memcg(g->memcg);
	pin_part(p);
	set_active_memcg(old);
	kthread_unuse_mm(g->umem->mm);
	complete(&g->ended);
	return 0;
}

static void begin_thread(struct pin_part *p)
{
	struct task_struct *thread;

	thread = kthread_create(pin_thread, p, "ib_pin/%d", p->number);
	if (IS_ERR(thread))
		return;		/* then the caller does it */
	p->thread = get_task_struct(thread);
	wake_up_process(thread);
}

/* All have ended when this returns. */
static void wait_for_threads(struct pin_group *g, struct pin_part *parts,
			     unsigned int n)
{
	unsigned int i, left = 0;

	for (i = 0; i < n; i++)
		left += !!parts[i].thread;
	while (left && !wait_for_completion_killable(&g->ended))
		left--;
	/* a thread that does not take signals yet sees this instead */
	if (left)
		atomic_set(&g->failed, -1);
	for (i = 0; i < n; i++) {
		if (!parts[i].thread)
			continue;
		if (left)
			send_sig(SIGKILL, parts[i].thread, 1);
		kthread_stop_put(parts[i].thread);
	}
}

static void cut(struct pin_part *parts, unsigned int n, struct pin_group *g)
{
	size_t share = ALIGN(DIV_ROUND_UP(g->umem->npages, n),
			     PMD_SIZE >> PAGE_SHIFT);
	unsigned long addr = g->umem->address & PAGE_MASK;
	size_t left = g->umem->npages;
	unsigned int i;

	for (i = 0; i < n; i++) {
		parts[i] = (struct pin_part) {
			.group = g,
			.number = i,
			.addr = addr,
			.left = min(left, share),
		};
		left -= parts[i].left;
		addr += parts[i].left << PAGE_SHIFT;
	}
}

static void pin_parts(struct pin_group *g, struct pin_part *parts,
		      unsigned int n)
{
	unsigned int i;

	cut(parts, n, g);
	init_completion(&g->ended);
	g->memcg = get_mem_cgroup_from_mm(g->umem->mm);
	for (i = 1; i < n; i++)
		begin_thread(&parts[i]);
	for (i = 0; i < n; i++)
		if (!parts[i].thread)
			pin_part(&parts[i]);
	wait_for_threads(g, parts, n);
	mem_cgroup_put(g->memcg);
}

/* A thread that was killed before it began has not even said so. */
static int refuse_part(const struct pin_part *p)
{
	if (p->lacks)
		return ib_refuse_numbers(IB_LAYER_UMEM, p->ret,
					 "%llu pages of %llu left", p->left,
					 p->group->umem->npages, 0, 0,
					 p->lacks);
	return ib_umem_refuse_pin(p->group->umem, p->addr, p->ret ?: -EINTR,
				  p->attempts);
}

static unsigned int count_parts(size_t npages)
{
	unsigned int most = min(READ_ONCE(pin_threads), THREADS_MAX);

	if (likely(most <= 1))
		return 1;
	return clamp(npages / PART_PAGES, 1ul,
		     (unsigned long)min(most, num_online_cpus()));
}

/*
 * All parts in front of the first one that failed are complete, and it is the
 * first one that is not.
 */
static int pin_in_parts(struct ib_umem *umem, struct pin_group *g,
			unsigned int n)
{
	struct pin_part *parts = kcalloc(n, sizeof(*parts), GFP_KERNEL);
	unsigned int i;
	int ret = 0;

	if (!parts)
		return ib_refuse(IB_LAYER_UMEM, -ENOMEM,
				 "no memory to pin with", 0, 0);
	pin_parts(g, parts, n);
	for (i = 0; i < n; i++) {
		ib_runs_join(&umem->runs, &parts[i].runs);
		if (parts[i].left && !ret)
			ret = refuse_part(&parts[i]);
	}
	kfree(parts);
	return ret;
}

/**
 * ib_umem_pin() - pin the pages of a range of the running process
 * @umem: the range, charged for; its list of pages is empty, and IB_RUNS_LENT
 *	bytes for that lie behind it
 *
 * Context: Process context. Sleeps. Takes and releases mmap_lock.
 * Return: 0; or a negative errno, reason recorded, and the list has pages that
 * are to be unpinned.
 */
int ib_umem_pin(struct ib_umem *umem)
{
	struct pin_group g = { .umem = umem, .failed = ATOMIC_INIT(INT_MAX) };
	unsigned int n = count_parts(umem->npages);
	struct pin_part all;

	if (n > 1)
		return pin_in_parts(umem, &g, n);
	cut(&all, 1, &g);
	ib_runs_lend(&all.runs, umem + 1);
	pin_part(&all);
	umem->runs = all.runs;
	return all.left ? refuse_part(&all) : 0;
}
