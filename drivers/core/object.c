// SPDX-License-Identifier: GPL-2.0-only
/*
 * The common part of all verbs objects. Core allocates an object with the
 * driver's size, lets the driver fill it, and links it when the driver is
 * done; an object in a device's list is complete.
 */
#include <kunit/visibility.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include "core_priv.h"

static const char *const type_names[IB_OBJ_TYPES] = {
	[IB_OBJ_UCONTEXT]	= "user context",
	[IB_OBJ_PD]		= "PD",
	[IB_OBJ_CQ]		= "CQ",
	[IB_OBJ_QP]		= "QP",
	[IB_OBJ_SRQ]		= "SRQ",
	[IB_OBJ_MR]		= "MR",
	[IB_OBJ_AH]		= "AH",
};

/**
 * ib_object_type_name() - name of a type of objects, for messages
 * @type: the type
 *
 * Context: Any context.
 * Return: a string constant.
 */
const char *ib_object_type_name(enum ib_object_type type)
{
	return type < IB_OBJ_TYPES ? type_names[type] : "unknown object";
}
EXPORT_SYMBOL_IB(ib_object_type_name);

/* Can the device do this at all, and does it still answer? */
int ib_object_check(struct ib_device *device, bool has_op, const char *lacking)
{
	if (ib_device_dead(device))
		return ib_refuse(IB_LAYER_CORE, -EIO,
				 "the adapter does not answer any more", 0, 0);
	if (!has_op)
		return ib_refuse(IB_LAYER_CORE, -EOPNOTSUPP, lacking, 0, 0);
	return 0;
}

/**
 * ib_object_alloc() - memory for an object
 * @device: where it will live
 * @type: what it will be
 * @size: of the driver's structure, struct ib_object is its first member
 *
 * Context: Process context.
 * Return: the zeroed object, not linked yet, or NULL.
 */
void *ib_object_alloc(struct ib_device *device, enum ib_object_type type,
		      size_t size)
{
	struct ib_object *obj = kzalloc(size, GFP_KERNEL_ACCOUNT);

	if (!obj)
		return NULL;
	obj->device = device;
	obj->type = type;
	INIT_LIST_HEAD(&obj->entry);
	get_task_comm(obj->owner, current);
	return obj;
}
EXPORT_SYMBOL_IB(ib_object_alloc);

/**
 * ib_object_add() - the object is complete: let the device know it
 * @obj: the object
 *
 * Context: Any context. Takes and releases objects_lock.
 */
void ib_object_add(struct ib_object *obj)
{
	struct ib_device *device = obj->device;
	unsigned long flags;

	spin_lock_irqsave(&device->objects_lock, flags);
	list_add_tail(&obj->entry, &device->objects[obj->type]);
	device->object_count[obj->type]++;
	spin_unlock_irqrestore(&device->objects_lock, flags);
}
EXPORT_SYMBOL_IB(ib_object_add);

/**
 * ib_object_del() - the device forgets an object
 * @obj: an object that ib_object_add() was called for
 *
 * Context: Any context. Takes and releases objects_lock.
 */
void ib_object_del(struct ib_object *obj)
{
	struct ib_device *device = obj->device;
	unsigned long flags;

	spin_lock_irqsave(&device->objects_lock, flags);
	list_del_init(&obj->entry);
	device->object_count[obj->type]--;
	spin_unlock_irqrestore(&device->objects_lock, flags);
}
EXPORT_SYMBOL_IB(ib_object_del);

/**
 * ib_object_busy() - is the object referred to by others?
 * @obj: object that shall be destroyed; the caller keeps new users away
 *
 * Context: Any context.
 * Return: 0, or -EBUSY when it has users.
 */
int ib_object_busy(struct ib_object *obj)
{
	int users = atomic_read(&obj->usecnt);

	if (users)
		return ib_refuse(IB_LAYER_CORE, -EBUSY,
				 "%llu objects still use it", users, 0);
	return 0;
}
EXPORT_SYMBOL_IB(ib_object_busy);

/**
 * ib_object_free() - give back the memory of an object that is not linked
 * @obj: the object
 *
 * Context: Any context.
 */
void ib_object_free(struct ib_object *obj)
{
	kfree(obj);
}
EXPORT_SYMBOL_IB(ib_object_free);

unsigned int ib_objects_count(struct ib_device *device,
			      enum ib_object_type type)
{
	return READ_ONCE(device->object_count[type]);
}
EXPORT_SYMBOL_IF_KUNIT(ib_objects_count);

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
	struct ib_object *obj;
	unsigned int n = 0;
	int type;

	spin_lock_irq(&device->objects_lock);
	for (type = 0; type < IB_OBJ_TYPES; type++)
		list_for_each_entry(obj, &device->objects[type], entry) {
			dev_err(&device->dev, "%s made by %s is left\n",
				ib_object_type_name(type), obj->owner);
			n++;
		}
	spin_unlock_irq(&device->objects_lock);
	return n;
}
EXPORT_SYMBOL_IF_KUNIT(ib_objects_leaked);
