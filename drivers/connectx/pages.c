// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ledger of memory lent to the firmware. It asks for pages before and
 * while it starts, and later by event; it names each page by its DMA address,
 * and gets none back that we did not lend.
 */
#include <linux/dma-mapping.h>
#include <linux/gfp.h>
#include <linux/jiffies.h>
#include <linux/slab.h>

#include <connectx/prm_cmd.h>

#include "cmd.h"
#include "cx.h"
#include "refuse.h"

#define CX_PAGES_BATCH		256	/* per command */
#define CX_PAGES_TAKE_TIMEOUT	(5 * HZ)

/**
 * struct cx_pages_work - a request made by event
 * @work: runs it
 * @cx: the device
 * @function: on whose behalf
 * @npages: how many, negative to give back
 */
struct cx_pages_work {
	struct work_struct work;
	struct cx_dev *cx;
	u16 function;
	s32 npages;
};

static int __cx_pages_lend(struct cx_dev *cx, __be64 *entry)
{
	struct page *page;
	dma_addr_t dma;
	int ret;

	lockdep_assert_held(&cx->pages.lock);
	page = alloc_page(GFP_KERNEL | __GFP_ZERO);
	if (!page)
		return cx_refuse(-ENOMEM, "no page for the firmware", 0, 0);
	dma = dma_map_page(cx->dev, page, 0, PAGE_SIZE, DMA_BIDIRECTIONAL);
	if (dma_mapping_error(cx->dev, dma)) {
		ret = cx_refuse(-ENOMEM,
				"a page for the firmware cannot be mapped", 0,
				0);
		goto err_page;
	}
	ret = xa_insert(&cx->pages.lent, dma >> PAGE_SHIFT, page, GFP_KERNEL);
	if (ret) {
		cx_refuse(ret, "firmware page at 0x%llx cannot be noted", dma,
			  0);
		goto err_map;
	}
	cx->pages.count++;
	*entry = cpu_to_be64(dma);
	return 0;

err_map:
	dma_unmap_page(cx->dev, dma, PAGE_SIZE, DMA_BIDIRECTIONAL);
err_page:
	__free_page(page);
	return ret;
}

static void __cx_pages_return(struct cx_dev *cx, dma_addr_t dma)
{
	struct page *page;

	lockdep_assert_held(&cx->pages.lock);
	page = xa_erase(&cx->pages.lent, dma >> PAGE_SHIFT);
	if (!page) {
		dev_warn(cx->dev, "firmware gave back a page it never had\n");
		return;
	}
	cx->pages.count--;
	dma_unmap_page(cx->dev, dma, PAGE_SIZE, DMA_BIDIRECTIONAL);
	__free_page(page);
}

static int __cx_pages_give_batch(struct cx_dev *cx, u16 function, __be64 *list,
				 u32 n)
{
	u32 i;
	int ret = 0;

	lockdep_assert_held(&cx->pages.lock);
	for (i = 0; i < n && !ret; i++)
		ret = __cx_pages_lend(cx, &list[i]);
	if (ret) {
		i--;
		cx_cmd_cannot_give_pages(cx, function);
	} else {
		ret = cx_cmd_give_pages(cx, function, list, n);
	}
	while (ret && i--)
		__cx_pages_return(cx, be64_to_cpu(list[i]));
	return ret;
}

static int __cx_pages_take_batch(struct cx_dev *cx, u16 function, __be64 *list,
				 u32 *n)
{
	u32 i;
	int ret;

	lockdep_assert_held(&cx->pages.lock);
	ret = cx_cmd_take_pages(cx, function, list, n);
	if (ret)
		return ret;
	for (i = 0; i < *n; i++)
		__cx_pages_return(cx, be64_to_cpu(list[i]));
	return 0;
}

static int __cx_pages_give(struct cx_dev *cx, u16 function, u32 npages,
			   __be64 *list)
{
	u32 n;
	int ret;

	for (; npages; npages -= n) {
		n = min_t(u32, npages, CX_PAGES_BATCH);
		ret = __cx_pages_give_batch(cx, function, list, n);
		if (ret)
			return ret;
	}
	return 0;
}

/* Take until nothing is left to take, or nothing comes any more. */
static int __cx_pages_take(struct cx_dev *cx, u16 function,
			   unsigned long npages, __be64 *list)
{
	unsigned long end = jiffies + CX_PAGES_TAKE_TIMEOUT;
	u32 n;
	int ret;

	while (npages) {
		n = min_t(unsigned long, npages, CX_PAGES_BATCH);
		ret = __cx_pages_take_batch(cx, function, list, &n);
		if (ret)
			return ret;
		npages -= n;
		if (n)
			end = jiffies + CX_PAGES_TAKE_TIMEOUT;
		else if (time_after(jiffies, end))
			return cx_refuse(-ETIMEDOUT,
					 "firmware keeps %llu pages", npages,
					 0);
	}
	return 0;
}

static int cx_pages_move(struct cx_dev *cx, u16 function, s64 npages)
{
	__be64 *list;
	int ret;

	list = kmalloc_array(CX_PAGES_BATCH, sizeof(*list), GFP_KERNEL);
	if (!list)
		return cx_refuse(-ENOMEM, "no memory to list pages", 0, 0);
	mutex_lock(&cx->pages.lock);
	if (npages > 0)
		ret = __cx_pages_give(cx, function, npages, list);
	else
		ret = __cx_pages_take(cx, function, -npages, list);
	mutex_unlock(&cx->pages.lock);
	kfree(list);
	return ret;
}

/**
 * cx_pages_satisfy - give the firmware what it asks for at a stage of load
 * @cx: the device
 * @stage: enum cx_query_pages_op
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_pages_satisfy(struct cx_dev *cx, u16 stage)
{
	u16 function;
	s32 npages;
	int ret;

	ret = cx_cmd_query_pages(cx, stage, &function, &npages);
	if (ret || npages <= 0)
		return ret;
	return cx_pages_move(cx, function, npages);
}

/**
 * cx_pages_reclaim - take everything back after TEARDOWN_HCA
 * @cx: the device
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno; what is left stays lent until
 * cx_pages_exit().
 */
int cx_pages_reclaim(struct cx_dev *cx)
{
	if (!cx->pages.count)
		return 0;
	return cx_pages_move(cx, 0, -(s64)cx->pages.count);
}

static void cx_pages_work(struct work_struct *work)
{
	struct cx_pages_work *w = container_of(work, struct cx_pages_work,
					       work);
	int ret;

	ret = cx_pages_move(w->cx, w->function, w->npages);
	if (ret)
		dev_warn(w->cx->dev, "firmware asks for %d pages: failed (%d)\n",
			 w->npages, ret);
	kfree(w);
}

/**
 * cx_pages_request - the firmware asks for pages, or offers some back
 * @cx: the device
 * @function: on whose behalf
 * @npages: how many, negative to give back
 *
 * Context: Any context.
 */
void cx_pages_request(struct cx_dev *cx, u16 function, s32 npages)
{
	struct cx_pages_work *w;

	w = kmalloc(sizeof(*w), GFP_ATOMIC);
	if (!w)
		return;
	INIT_WORK(&w->work, cx_pages_work);
	w->cx = cx;
	w->function = function;
	w->npages = npages;
	queue_work(cx->pages.wq, &w->work);
}

/**
 * cx_pages_flush - finish the requests made by event
 * @cx: the device, no longer sending events
 *
 * Context: Process context. Sleeps.
 */
void cx_pages_flush(struct cx_dev *cx)
{
	flush_workqueue(cx->pages.wq);
}

/**
 * cx_pages_init - open the ledger
 * @cx: the device
 *
 * Context: Process context. Sleeps.
 * Return: 0 or -ENOMEM.
 */
int cx_pages_init(struct cx_dev *cx)
{
	xa_init(&cx->pages.lent);
	mutex_init(&cx->pages.lock);
	cx->pages.wq = alloc_ordered_workqueue("connectx-pages", WQ_MEM_RECLAIM);
	if (!cx->pages.wq)
		return cx_refuse(-ENOMEM, "no work queue", 0, 0);
	return 0;
}

/**
 * cx_pages_exit - close the ledger
 * @cx: the device, disabled: it uses no page any more
 *
 * Frees what a dead device never gave back.
 *
 * Context: Process context. Sleeps.
 */
void cx_pages_exit(struct cx_dev *cx)
{
	unsigned long index;
	struct page *page;

	destroy_workqueue(cx->pages.wq);
	if (cx->pages.count)
		dev_warn(cx->dev, "firmware kept %lu pages\n",
			 cx->pages.count);
	mutex_lock(&cx->pages.lock);
	xa_for_each(&cx->pages.lent, index, page)
		__cx_pages_return(cx, (dma_addr_t)index << PAGE_SHIFT);
	mutex_unlock(&cx->pages.lock);
	xa_destroy(&cx->pages.lent);
	mutex_destroy(&cx->pages.lock);
}
