// SPDX-License-Identifier: GPL-2.0-only
/*
 * The handle table of an open file.
 *
 * A lookup takes no lock: RCU keeps the memory, the reference count says
 * whether the handle still lives. What two calls may do to one object at the
 * same time is decided by usecnt: any number of readers, or one writer. A
 * destroyer takes it as a writer and never gives it back, so of two destroys
 * one wins and the other is told -EBUSY, or -ENOENT when it comes later.
 */
#include <linux/slab.h>
#include <kunit/visibility.h>
#include <ib/refuse.h>
#include "handle.h"

#define USECNT_WRITER	(-1)

/**
 * uverbs_table_init() - make an empty table
 * @table: the table
 *
 * The array's first node is made here and kept: a file with few handles would
 * else make and free it with each.
 *
 * Context: May sleep.
 * Return: 0 or -ENOMEM.
 */
int uverbs_table_init(struct uverbs_table *table)
{
	int ret;

	xa_init_flags(&table->ids, XA_FLAGS_ALLOC);
	INIT_LIST_HEAD(&table->objects);
	ret = xa_reserve(&table->ids, UVERBS_ID_UNUSED, GFP_KERNEL_ACCOUNT);
	if (ret)
		return ib_refuse(IB_LAYER_UVERBS, ret,
				 "no memory for a table of handles", 0, 0);
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(uverbs_table_init);

/**
 * uverbs_table_destroy() - free a table that nobody can use any more
 * @table: the table; its objects are gone, handles of such may remain
 *
 * Context: May sleep.
 */
void uverbs_table_destroy(struct uverbs_table *table)
{
	struct ib_uobject *uobj;
	unsigned long id;

	xa_for_each(&table->ids, id, uobj)
		uverbs_uobj_put(uobj);
	xa_destroy(&table->ids);
}
EXPORT_SYMBOL_IF_KUNIT(uverbs_table_destroy);

/* For handles that are file descriptors; the others are linked with their id. */
void uverbs_table_link(struct uverbs_table *table, struct ib_uobject *uobj)
{
	xa_lock(&table->ids);
	list_add(&uobj->entry, &table->objects);
	xa_unlock(&table->ids);
}

/* May be called twice. */
void uverbs_table_unlink(struct uverbs_table *table, struct ib_uobject *uobj)
{
	xa_lock(&table->ids);
	list_del_init(&uobj->entry);
	xa_unlock(&table->ids);
}
EXPORT_SYMBOL_IF_KUNIT(uverbs_table_unlink);

/**
 * uverbs_uobj_alloc() - memory for a handle of a class
 * @type: the class
 *
 * Context: May sleep.
 * Return: a handle with one reference, locked by its creator; or NULL.
 */
struct ib_uobject *uverbs_uobj_alloc(const struct uverbs_obj_type *type)
{
	struct ib_uobject *uobj = kzalloc(type->size, GFP_KERNEL_ACCOUNT);

	if (!uobj)
		return NULL;
	kref_init(&uobj->ref);
	uobj->type = type;
	atomic_set(&uobj->usecnt, USECNT_WRITER);
	INIT_LIST_HEAD(&uobj->entry);
	return uobj;
}
EXPORT_SYMBOL_IF_KUNIT(uverbs_uobj_alloc);

void uverbs_uobj_get(struct ib_uobject *uobj)
{
	kref_get(&uobj->ref);
}
EXPORT_SYMBOL_IF_KUNIT(uverbs_uobj_get);

static void free_uobj(struct kref *ref)
{
	kfree_rcu(container_of(ref, struct ib_uobject, ref), rcu);
}

void uverbs_uobj_put(struct ib_uobject *uobj)
{
	kref_put(&uobj->ref, free_uobj);
}
EXPORT_SYMBOL_IF_KUNIT(uverbs_uobj_put);

/**
 * uverbs_uobj_lock() - claim an object for a call
 * @uobj: handle of the object
 * @access: READ shares, WRITE excludes; NEW is locked already, and DESTROY
 *          is locked later, by the destroyer
 *
 * Context: Any context. Never waits.
 * Return: 0 or -EBUSY.
 */
int uverbs_uobj_lock(struct ib_uobject *uobj, enum uverbs_access access)
{
	bool got = true;

	if (access == UVERBS_ACC_READ)
		got = atomic_fetch_add_unless(&uobj->usecnt, 1,
					      USECNT_WRITER) != USECNT_WRITER;
	else if (access == UVERBS_ACC_WRITE)
		got = atomic_cmpxchg(&uobj->usecnt, 0, USECNT_WRITER) == 0;
	if (!got)
		return ib_refuse(IB_LAYER_UVERBS, -EBUSY,
				 "handle %llu is in use by another call",
				 uobj->id, 0);
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(uverbs_uobj_lock);

void uverbs_uobj_unlock(struct ib_uobject *uobj, enum uverbs_access access)
{
	if (access == UVERBS_ACC_READ)
		atomic_dec(&uobj->usecnt);
	else if (access != UVERBS_ACC_DESTROY)
		atomic_set_release(&uobj->usecnt, 0);
}
EXPORT_SYMBOL_IF_KUNIT(uverbs_uobj_unlock);

/**
 * uverbs_handle_reserve() - give a handle an id that nobody can look up yet
 * @table: table of the file
 * @uobj: fresh from uverbs_uobj_alloc()
 *
 * Context: May sleep.
 * Return: 0 or a negative errno.
 */
int uverbs_handle_reserve(struct uverbs_table *table, struct ib_uobject *uobj)
{
	u32 id;
	int ret;

	xa_lock(&table->ids);
	ret = __xa_alloc(&table->ids, &id, uobj, xa_limit_31b,
			 GFP_KERNEL_ACCOUNT);
	if (!ret)
		list_add(&uobj->entry, &table->objects);
	xa_unlock(&table->ids);
	if (ret)
		return ib_refuse(IB_LAYER_UVERBS, ret, "no handle left", 0, 0);
	uobj->id = id;
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(uverbs_handle_reserve);

/**
 * uverbs_handle_publish() - let everybody look up a handle
 * @uobj: reserved; the caller's reference becomes the table's
 *
 * Context: Any context. Cannot fail: the handle has its place since it was
 * reserved.
 */
void uverbs_handle_publish(struct ib_uobject *uobj)
{
	uverbs_uobj_unlock(uobj, UVERBS_ACC_NEW);
	/* Pairs with the acquire of a lookup: the object is complete. */
	smp_store_release(&uobj->published, true);
}
EXPORT_SYMBOL_IF_KUNIT(uverbs_handle_publish);

/**
 * uverbs_handle_find() - look up a handle
 * @table: table of the file
 * @type: class that it must have
 * @id: number from user space
 *
 * Context: Any context.
 * Return: a reference; -EINVAL for a negative number or a handle of another
 * class, -ENOENT when there is none.
 */
struct ib_uobject *uverbs_handle_find(struct uverbs_table *table,
				      const struct uverbs_obj_type *type,
				      s64 id)
{
	struct ib_uobject *uobj;

	if (id < 0)
		return ERR_PTR(ib_refuse(IB_LAYER_UVERBS, -EINVAL,
					 "handle 0x%llx is negative", id, 0));
	rcu_read_lock();
	uobj = xa_load(&table->ids, id);
	/* the acquire pairs with the release in uverbs_handle_publish() */
	if (uobj && (!smp_load_acquire(&uobj->published) ||
		     !kref_get_unless_zero(&uobj->ref)))
		uobj = NULL;
	rcu_read_unlock();
	if (!uobj)
		return ERR_PTR(ib_refuse(IB_LAYER_UVERBS, -ENOENT,
					 "no handle %llu", id, 0));
	if (uobj->type != type) {
		uverbs_uobj_put(uobj);
		return ERR_PTR(ib_refuse(IB_LAYER_UVERBS, -EINVAL,
					 "handle %llu is of another object",
					 id, 0));
	}
	return uobj;
}
EXPORT_SYMBOL_IF_KUNIT(uverbs_handle_find);

/**
 * uverbs_handle_remove() - forget a handle whose object is gone or never was
 * @table: table of the file
 * @uobj: locked by the caller as its only user; the reference of the table,
 *        or of who reserved it, is dropped
 *
 * Context: May sleep.
 */
void uverbs_handle_remove(struct uverbs_table *table, struct ib_uobject *uobj)
{
	xa_lock(&table->ids);
	list_del_init(&uobj->entry);
	__xa_erase(&table->ids, uobj->id);
	xa_unlock(&table->ids);
	uverbs_uobj_put(uobj);
}
EXPORT_SYMBOL_IF_KUNIT(uverbs_handle_remove);
