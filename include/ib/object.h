/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What every verbs object is: it belongs to a device, it may belong to a user
 * handle, and it counts the objects that refer to it. An object that is in
 * use is not destroyed.
 */
#ifndef IB_OBJECT_H
#define IB_OBJECT_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/types.h>

struct ib_device;
struct ib_uobject;

enum ib_object_type {
	IB_OBJ_UCONTEXT,
	IB_OBJ_PD,
	IB_OBJ_CQ,
	IB_OBJ_QP,
	IB_OBJ_SRQ,
	IB_OBJ_MR,
	IB_OBJ_AH,
	IB_OBJ_TYPES,
};

/**
 * struct ib_object - the base of all verbs objects, first member of each
 * @device: the device it lives on
 * @uobject: the user handle, or NULL for an object of the kernel
 * @usecnt: objects that refer to this one
 * @type: which object this is
 * @entry: in the device's list of live objects, under its objects_lock
 * @owner: name of the module or of the process that made it
 */
struct ib_object {
	struct ib_device	*device;
	struct ib_uobject	*uobject;
	atomic_t		usecnt;
	enum ib_object_type	type;
	struct list_head	entry;
	char			owner[16];
};

/**
 * ib_object_get() - refer to an object so that it is not destroyed
 * @obj: the object
 *
 * Context: Any context.
 */
static inline void ib_object_get(struct ib_object *obj)
{
	atomic_inc(&obj->usecnt);
}

static inline void ib_object_put(struct ib_object *obj)
{
	atomic_dec(&obj->usecnt);
}

/* core/object.c: allocate with the size the driver asked for, link, unlink */
void *ib_object_alloc(struct ib_device *device, enum ib_object_type type,
		      size_t size);
void ib_object_add(struct ib_object *obj);
int ib_object_busy(struct ib_object *obj);
void ib_object_del(struct ib_object *obj);
void ib_object_free(struct ib_object *obj);
const char *ib_object_type_name(enum ib_object_type type);

#endif /* IB_OBJECT_H */
