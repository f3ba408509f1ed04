// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pinning the pages of a range: in batches, so that the process can be killed
 * in between and mmap_lock is never held long.
 */
#include <kunit/static_stub.h>
#include <kunit/visibility.h>
#include <linux/delay.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
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

/**
 * struct pin_part - how far it is
 * @umem: the memory
 * @addr: the next page
 * @left: pages that are not pinned yet
 * @runs: the pages that are
 * @ret: 0, or why the page at @addr is not
 * @attempts: how often the mm was asked for it
 * @lacks: what there was no memory for, in words; NULL if the mm said no
 */
struct pin_part {
	const struct ib_umem	*umem;
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
			     (p->umem->writable ? FOLL_WRITE : 0);
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

static int pin_all(struct pin_part *p, struct page **pages)
{
	int n, ret;

	while (p->left) {
		cond_resched();
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
	}
	return 0;
}

/* A page of pointers, but for few pages: most registrations are small. */
static int pin_by_batches(struct pin_part *p)
{
	struct page *few[FEW], **pages;
	int ret;

	if (p->left <= FEW)
		return pin_all(p, few);
	pages = (struct page **)__get_free_page(GFP_KERNEL);
	if (!pages) {
		p->lacks = "no memory to pin with";
		return -ENOMEM;
	}
	ret = pin_all(p, pages);
	free_page((unsigned long)pages);
	return ret;
}

static int refuse_part(const struct pin_part *p)
{
	if (p->lacks)
		return ib_refuse_numbers(IB_LAYER_UMEM, p->ret,
					 "%llu pages of %llu left", p->left,
					 p->umem->npages, 0, 0,
					 p->lacks);
	return ib_umem_refuse_pin(p->umem, p->addr, p->ret,
				  p->attempts);
}

/**
 * ib_umem_pin() - pin the pages of a range of the running process
 * @umem: the range, charged for; its list of pages is empty
 *
 * Context: Process context. Sleeps. Takes and releases mmap_lock.
 * Return: 0; or a negative errno, reason recorded, and the list has pages that
 * are to be unpinned.
 */
int ib_umem_pin(struct ib_umem *umem)
{
	struct pin_part p = {
		.umem = umem,
		.addr = umem->address & PAGE_MASK,
		.left = umem->npages,
	};

	p.ret = pin_by_batches(&p);
	umem->runs = p.runs;
	return p.ret ? refuse_part(&p) : 0;
}
