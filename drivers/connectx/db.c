// SPDX-License-Identifier: GPL-2.0-only
/*
 * Doorbell records of kernel queues, packed in pages. A record has a cache
 * line of its own: the device reads it while the CPU writes its neighbour.
 */
#include <linux/bitmap.h>
#include <linux/dma-mapping.h>
#include <linux/slab.h>

#include "cx.h"
#include "db.h"
#include "refuse.h"

#define CX_DB_BYTES	64
#define CX_DB_PER_PAGE	(PAGE_SIZE / CX_DB_BYTES)

struct cx_db_page {
	struct list_head list;
	void *mem;
	dma_addr_t dma;
	DECLARE_BITMAP(used, CX_DB_PER_PAGE);
};

static void cx_db_page_free(struct cx_dev *cx, struct cx_db_page *page)
{
	list_del(&page->list);
	dma_free_coherent(cx->dev, PAGE_SIZE, page->mem, page->dma);
	kfree(page);
}

static struct cx_db_page *cx_db_page_alloc(struct cx_dev *cx)
{
	struct cx_db_page *page;

	page = kzalloc(sizeof(*page), GFP_KERNEL);
	if (!page)
		return NULL;
	page->mem = dma_alloc_coherent(cx->dev, PAGE_SIZE, &page->dma,
				       GFP_KERNEL);
	if (!page->mem) {
		kfree(page);
		return NULL;
	}
	list_add(&page->list, &cx->dbs.pages);
	return page;
}

static struct cx_db_page *__cx_db_page_with_room(struct cx_dev *cx)
{
	struct cx_db_page *page;

	lockdep_assert_held(&cx->dbs.lock);
	list_for_each_entry(page, &cx->dbs.pages, list)
		if (!bitmap_full(page->used, CX_DB_PER_PAGE))
			return page;
	return cx_db_page_alloc(cx);
}

/**
 * cx_db_alloc - get a zeroed doorbell record
 * @cx: the device
 * @db: result
 *
 * Context: Process context. Sleeps.
 * Return: 0 or -ENOMEM.
 */
int cx_db_alloc(struct cx_dev *cx, struct cx_db *db)
{
	struct cx_db_page *page;
	unsigned int slot;
	int ret = 0;

	mutex_lock(&cx->dbs.lock);
	page = __cx_db_page_with_room(cx);
	if (page) {
		slot = find_first_zero_bit(page->used, CX_DB_PER_PAGE);
		__set_bit(slot, page->used);
		db->page = page;
		db->slot = slot;
		db->rec = page->mem + slot * CX_DB_BYTES;
		db->dma = page->dma + slot * CX_DB_BYTES;
		memset(db->rec, 0, CX_DB_BYTES);
	} else {
		ret = cx_refuse(-ENOMEM, "no memory for doorbell records", 0,
				0);
	}
	mutex_unlock(&cx->dbs.lock);
	return ret;
}

/**
 * cx_db_free - give a doorbell record back
 * @cx: the device
 * @db: the record; the device no longer reads it
 *
 * Context: Process context. Sleeps.
 */
void cx_db_free(struct cx_dev *cx, struct cx_db *db)
{
	mutex_lock(&cx->dbs.lock);
	__clear_bit(db->slot, db->page->used);
	if (bitmap_empty(db->page->used, CX_DB_PER_PAGE))
		cx_db_page_free(cx, db->page);
	mutex_unlock(&cx->dbs.lock);
}

/**
 * cx_db_init - make an empty pool of doorbell records
 * @cx: the device
 *
 * Context: Process context.
 * Return: 0.
 */
int cx_db_init(struct cx_dev *cx)
{
	mutex_init(&cx->dbs.lock);
	INIT_LIST_HEAD(&cx->dbs.pages);
	return 0;
}

/**
 * cx_db_exit - the pool must be empty again
 * @cx: the device
 *
 * Context: Process context.
 */
void cx_db_exit(struct cx_dev *cx)
{
	WARN_ON(!list_empty(&cx->dbs.pages));
	mutex_destroy(&cx->dbs.lock);
}
