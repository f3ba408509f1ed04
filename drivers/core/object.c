// SPDX-License-Identifier: GPL-2.0-only
/*
 * The common part of all verbs objects. Core allocates an object with the
 * driver's size, lets the driver fill it, and lists it when the driver is
 * done; it is taken off the list before the driver destroys it (restrack.c).
 */
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <ib/ucontext.h>
#include "core_priv.h"

static const char *const type_names[IB_OBJ_TYPES] = {
	[IB_OBJ_UCONTEXT]	= "user context",
	[IB_OBJ_PD]		= "PD",
	[IB_OBJ_CQ]		= "CQ",
	[IB_OBJ_QP]		= "QP",
	[IB_OBJ_SRQ]		= "SRQ",
	[IB_OBJ_MR]		= "MR",
	[IB_OBJ_AH]		= "AH",
	[IB_OBJ_MW]		= "MW",
	[IB_OBJ_XRCD]		= "XRC domain",
	[IB_OBJ_DM]		= "device memory",
	[IB_OBJ_FLOW]		= "flow",
	[IB_OBJ_RWQ_IND_TABLE]	= "receive indirection table",
	[IB_OBJ_WQ]		= "WQ",
	[IB_OBJ_FLOW_ACTION]	= "flow action",
	[IB_OBJ_COUNTERS]	= "counters",
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
	/* a name that is just being changed is a name all the same */
	memcpy(obj->owner, current->comm, sizeof(obj->owner) - 1);
	if (ib_restrack_reserve(obj)) {
		kfree(obj);
		return NULL;
	}
	return obj;
}
EXPORT_SYMBOL_IB(ib_object_alloc);

/**
 * ib_object_own() - say whose a new object is
 * @obj: an object that is not added yet; without this call it belongs to the
 *       kernel, under the name of the running task
 * @context: context of the running user, or NULL for the kernel
 * @kernel_owner: module that wants the object, when @context is NULL; copied,
 *                because the module may go before the object
 *
 * Context: Process context.
 */
void ib_object_own(struct ib_object *obj, struct ib_ucontext *context,
		   const char *kernel_owner)
{
	if (!context) {
		strscpy_pad(obj->owner, kernel_owner);
		return;
	}
	obj->context = context;
	obj->context_id = context->obj.id;
	obj->pid = get_pid(task_tgid(current));
}
EXPORT_SYMBOL_IB(ib_object_own);

/**
 * ib_object_add() - the object is complete: let the device know it
 * @obj: the object
 *
 * Context: Process context. Takes and releases the table's lock.
 */
void ib_object_add(struct ib_object *obj)
{
	ib_restrack_list(obj);
}
EXPORT_SYMBOL_IB(ib_object_add);

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
 * ib_object_begin_destroy() - before the driver destroys an object
 * @obj: an added object; the caller keeps new users away
 *
 * On success nobody finds the object any more, and whoever looked at it has
 * finished. ib_object_end_destroy() has to follow.
 *
 * Context: Process context, without locks that a reader needs (core_priv.h).
 * Return: 0, or -EBUSY when it has users.
 */
int ib_object_begin_destroy(struct ib_object *obj)
{
	int ret = ib_object_busy(obj);

	if (!ret)
		ib_restrack_unlist(obj);
	return ret;
}
EXPORT_SYMBOL_IB(ib_object_begin_destroy);

/**
 * ib_object_end_destroy() - after the driver was asked to destroy an object
 * @obj: the object
 * @ret: what the driver said: 0, or a negative errno and the object lives on
 *
 * Context: Process context. Takes and releases the table's lock.
 * Return: @ret; on 0 the caller frees the object.
 */
int ib_object_end_destroy(struct ib_object *obj, int ret)
{
	if (ret)
		ib_restrack_list(obj);
	else
		ib_restrack_release(obj);
	return ret;
}
EXPORT_SYMBOL_IB(ib_object_end_destroy);

/**
 * ib_object_del() - the device forgets an object
 * @obj: an object that ib_object_add() was called for
 *
 * Only for what the driver does not know or has nothing left of: readers may
 * look at the object until this returns.
 *
 * Context: Process context. Takes and releases the table's lock.
 */
void ib_object_del(struct ib_object *obj)
{
	ib_restrack_unlist(obj);
	ib_restrack_release(obj);
}
EXPORT_SYMBOL_IB(ib_object_del);

/**
 * ib_object_sync() - wait until nobody reads what an object referred to
 * @obj: an added object; what it refers to has been exchanged just now
 *
 * Context: Process context, as ib_object_begin_destroy().
 */
void ib_object_sync(struct ib_object *obj)
{
	ib_restrack_unlist(obj);
	ib_restrack_list(obj);
}
EXPORT_SYMBOL_IB(ib_object_sync);

/**
 * ib_object_free() - give back the memory of an object that is not listed
 * @obj: the object
 *
 * Context: Process context.
 */
void ib_object_free(struct ib_object *obj)
{
	ib_restrack_release(obj);
	put_pid(obj->pid);
	kfree(obj);
}
EXPORT_SYMBOL_IB(ib_object_free);
