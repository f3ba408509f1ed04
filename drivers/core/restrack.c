// SPDX-License-Identifier: GPL-2.0-only
/*
 * The live objects of a device, for netlink and for the search for leaks.
 *
 * Types that the rdma tool shows have numbers, which are given when the
 * object's memory is: adding an object cannot fail. An object is listed from
 * the moment it is complete until somebody starts to destroy it. A reader
 * counts itself in under the table's lock; the destroyer takes the object off
 * the list under the same lock, and waits until the readers it has are gone,
 * before it asks the driver for anything.
 */
#include <kunit/visibility.h>
#include <linux/wait_bit.h>
#include "core_priv.h"

static const bool has_number[IB_OBJ_TYPES] = {
	[IB_OBJ_UCONTEXT]	= true,
	[IB_OBJ_PD]		= true,
	[IB_OBJ_CQ]		= true,
	[IB_OBJ_QP]		= true,
	[IB_OBJ_SRQ]		= true,
	[IB_OBJ_MR]		= true,
};

static struct ib_object_table *table_of(const struct ib_object *obj)
{
	return &obj->device->objects[obj->type];
}

void ib_restrack_init(struct ib_device *device)
{
	struct ib_object_table *table;

	for (table = device->objects; table < &device->objects[IB_OBJ_TYPES];
	     table++) {
		xa_init_flags(&table->ids, XA_FLAGS_ACCOUNT);
		INIT_LIST_HEAD(&table->others);
	}
}

void ib_restrack_free(struct ib_device *device)
{
	int type;

	for (type = 0; type < IB_OBJ_TYPES; type++)
		xa_destroy(&device->objects[type].ids);
}

static bool is_last_of_node(u32 id)
{
	return (id & XA_CHUNK_MASK) == XA_CHUNK_MASK;
}

/*
 * The last number of a node is held from the first one on. Objects that come
 * and go one by one would else make a node and free it with each. It helps,
 * nothing depends on it: without memory there is none.
 */
static void hold_node(struct xarray *ids, u32 id)
{
	if (!(id & XA_CHUNK_MASK))
		__xa_cmpxchg(ids, id | XA_CHUNK_MASK, NULL, XA_ZERO_ENTRY,
			     GFP_KERNEL);
}

/* Its last number is going to be used. */
static void let_node_go(struct xarray *ids, u32 id)
{
	if (is_last_of_node(id))
		__xa_cmpxchg(ids, id, XA_ZERO_ENTRY, NULL, GFP_KERNEL);
}

/*
 * Numbers go up, so that one just freed is not soon that of another; and so
 * that none has to be looked for, which would cost more than to store it.
 */
int ib_restrack_reserve(struct ib_object *obj)
{
	struct ib_object_table *table = table_of(obj);
	struct xarray *ids = &table->ids;
	int ret;

	if (!has_number[obj->type])
		return 0;
	xa_lock(ids);
	do {
		obj->id = table->next++;
		let_node_go(ids, obj->id);
		ret = __xa_insert(ids, obj->id, obj, GFP_KERNEL);
	} while (ret == -EBUSY);
	if (!ret)
		hold_node(ids, obj->id);
	xa_unlock(ids);
	if (ret)
		return ib_refuse(IB_LAYER_CORE, ret,
				 "no number for an object of type %llu",
				 obj->type, 0);
	obj->numbered = true;
	return 0;
}

/* May be called twice: memory of a user context may outlive the device. */
void ib_restrack_release(struct ib_object *obj)
{
	WARN_ON_ONCE(obj->listed);
	if (obj->numbered)
		xa_erase(&table_of(obj)->ids, obj->id);
	obj->numbered = false;
}

void ib_restrack_list(struct ib_object *obj)
{
	struct ib_object_table *table = table_of(obj);

	xa_lock(&table->ids);
	obj->listed = true;
	table->count++;
	if (!has_number[obj->type])
		list_add_tail(&obj->entry, &table->others);
	xa_unlock(&table->ids);
}

/* May be called twice. */
void ib_restrack_unlist(struct ib_object *obj)
{
	struct ib_object_table *table = table_of(obj);

	xa_lock(&table->ids);
	if (obj->listed) {
		obj->listed = false;
		table->count--;
		list_del_init(&obj->entry);
	}
	xa_unlock(&table->ids);
	wait_var_event(&obj->readers, !atomic_read(&obj->readers));
}

unsigned int ib_objects_count(struct ib_device *device,
			      enum ib_object_type type)
{
	return READ_ONCE(device->objects[type].count);
}
EXPORT_SYMBOL_IF_KUNIT(ib_objects_count);

static struct ib_object *count_in(struct ib_object *obj)
{
	if (!obj || !obj->listed)
		return NULL;
	atomic_inc(&obj->readers);
	return obj;
}

/**
 * ib_object_read() - find an object in order to look at it
 * @device: the device
 * @type: a type with numbers
 * @id: its number
 *
 * Context: Any context that may sleep later; see core_priv.h for locks.
 * Return: the object, until ib_object_read_end(); or NULL.
 */
struct ib_object *ib_object_read(struct ib_device *device,
				 enum ib_object_type type, u32 id)
{
	struct ib_object_table *table = &device->objects[type];
	struct ib_object *obj;

	xa_lock(&table->ids);
	obj = count_in(xa_load(&table->ids, id));
	xa_unlock(&table->ids);
	return obj;
}
EXPORT_SYMBOL_IF_KUNIT(ib_object_read);

/**
 * ib_object_read_next() - find the next object in order to look at it
 * @device: the device
 * @type: a type with numbers
 * @id: the least number it may have; set to the one it has
 *
 * Context: as ib_object_read().
 * Return: the object, until ib_object_read_end(); or NULL.
 */
struct ib_object *ib_object_read_next(struct ib_device *device,
				      enum ib_object_type type,
				      unsigned long *id)
{
	struct ib_object_table *table = &device->objects[type];
	struct ib_object *obj = NULL;
	struct ib_object *found;

	xa_lock(&table->ids);
	xa_for_each_start(&table->ids, *id, found, *id) {
		obj = count_in(found);
		if (obj)
			break;
	}
	xa_unlock(&table->ids);
	return obj;
}
EXPORT_SYMBOL_IF_KUNIT(ib_object_read_next);

/* The object may be gone when this returns: only its address is used. */
void ib_object_read_end(struct ib_object *obj)
{
	if (atomic_dec_and_test(&obj->readers))
		wake_up_var(&obj->readers);
}
EXPORT_SYMBOL_IF_KUNIT(ib_object_read_end);

static void name_leak(const struct ib_object *obj)
{
	dev_err(&obj->device->dev, "%s made by %s is left\n",
		ib_object_type_name(obj->type), obj->owner);
}

/**
 * ib_objects_leaked() - name the objects that nobody destroyed
 * @device: a device that has no clients any more
 *
 * The owner's name was copied when the object was made: its module may be
 * gone.
 *
 * Context: Process context.
 * Return: how many there are.
 */
unsigned int ib_objects_leaked(struct ib_device *device)
{
	struct ib_object_table *table;
	struct ib_object *obj;
	unsigned int n = 0;
	unsigned long id;

	for (table = device->objects; table < &device->objects[IB_OBJ_TYPES];
	     table++) {
		xa_lock(&table->ids);
		xa_for_each(&table->ids, id, obj)
			name_leak(obj);
		list_for_each_entry(obj, &table->others, entry)
			name_leak(obj);
		n += table->count;
		xa_unlock(&table->ids);
	}
	return n;
}
EXPORT_SYMBOL_IF_KUNIT(ib_objects_leaked);
