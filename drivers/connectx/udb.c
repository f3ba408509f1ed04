// SPDX-License-Identifier: GPL-2.0-only
/*
 * Doorbell records in user space. The library packs the records of many
 * queues in a page, so a page is pinned once per context and counted.
 */
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include <ib/refuse.h>
#include <ib/umem.h>

#include "cx.h"
#include "verbs.h"

#define CX_UDB_BYTES	8

/**
 * struct cx_udb_page - a pinned page of doorbell records
 * @list: in the context, under its db_lock
 * @umem: the page
 * @mm: whose address @addr is; not held, only compared (@umem holds it)
 * @addr: user address of the page
 * @users: records in use, under the context's db_lock
 */
struct cx_udb_page {
	struct list_head list;
	struct ib_umem *umem;
	struct mm_struct *mm;
	u64 addr;
	unsigned int users;
};

static struct cx_udb_page *__cx_udb_page_find(struct cx_ucontext *c, u64 addr)
{
	struct cx_udb_page *page;

	lockdep_assert_held(&c->db_lock);
	list_for_each_entry(page, &c->db_pages, list)
		if (page->mm == current->mm && page->addr == addr)
			return page;
	return NULL;
}

static struct cx_udb_page *__cx_udb_page_pin(struct cx_ucontext *c, u64 addr)
{
	struct cx_udb_page *page;
	struct ib_umem *umem;

	lockdep_assert_held(&c->db_lock);
	page = kzalloc(sizeof(*page), GFP_KERNEL);
	if (!page)
		return ERR_PTR(ib_refuse(IB_LAYER_DRIVER, -ENOMEM,
					 "no memory", 0, 0));
	umem = ib_umem_get(c->base.obj.device, addr, PAGE_SIZE, 0);
	if (IS_ERR(umem)) {
		kfree(page);
		return ERR_CAST(umem);
	}
	page->umem = umem;
	page->mm = current->mm;
	page->addr = addr;
	list_add(&page->list, &c->db_pages);
	return page;
}

/**
 * cx_udb_get - pin a doorbell record
 * @c: the context
 * @addr: user address of the record
 * @db: result
 *
 * Context: Process context of the user. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_udb_get(struct cx_ucontext *c, u64 addr, struct cx_udb *db)
{
	struct cx_udb_page *page;
	int ret = 0;

	if (addr % CX_UDB_BYTES)
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "doorbell record at 0x%llx is not aligned to %llu",
				 addr, CX_UDB_BYTES);
	mutex_lock(&c->db_lock);
	page = __cx_udb_page_find(c, addr & PAGE_MASK);
	if (!page)
		page = __cx_udb_page_pin(c, addr & PAGE_MASK);
	if (IS_ERR(page)) {
		ret = PTR_ERR(page);
		goto out_unlock;
	}
	page->users++;
	db->page = page;
	db->dma = ib_umem_first_dma(page->umem) +
		  offset_in_page(addr);

out_unlock:
	mutex_unlock(&c->db_lock);
	return ret;
}

/**
 * cx_udb_put - undo cx_udb_get()
 * @c: the context
 * @db: the record, no longer used by the device
 *
 * Context: Process context. Sleeps.
 */
void cx_udb_put(struct cx_ucontext *c, struct cx_udb *db)
{
	struct cx_udb_page *page = db->page;

	mutex_lock(&c->db_lock);
	if (!--page->users) {
		list_del(&page->list);
		ib_umem_release(page->umem);
		kfree(page);
	}
	mutex_unlock(&c->db_lock);
}
