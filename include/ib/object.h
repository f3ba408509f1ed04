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
#include <linux/xarray.h>

struct ib_device;
struct ib_ucontext;
struct ib_uobject;
struct pid;

enum ib_object_type {
	IB_OBJ_UCONTEXT,
	IB_OBJ_PD,
	IB_OBJ_CQ,
	IB_OBJ_QP,
	IB_OBJ_SRQ,
	IB_OBJ_MR,
	IB_OBJ_AH,
	IB_OBJ_MW,
	IB_OBJ_XRCD,
	IB_OBJ_DM,
	IB_OBJ_FLOW,
	IB_OBJ_RWQ_IND_TABLE,
	IB_OBJ_WQ,
	IB_OBJ_FLOW_ACTION,
	IB_OBJ_COUNTERS,
	IB_OBJ_TYPES,
};

#define IB_OBJECT_OWNER_MAX	16

/**
 * struct ib_object - the base of all verbs objects, first member of each
 * @device: the device it lives on
 * @uobject: the user handle, or NULL for an object of the kernel
 * @usecnt: objects that refer to this one
 * @type: which object this is
 * @id: number among the live objects of its type that the rdma tool shows
 * @numbered: @id is taken
 * @listed: it is complete and nobody is destroying it (table's lock)
 * @readers: who looks at it from the table; destroying waits for them
 * @context: the user's context, NULL for an object of the kernel; not followed
 *	by readers, for an object that cannot be destroyed outlives it
 * @context_id: its number
 * @pid: the process that made it, NULL for an object of the kernel
 * @entry: in the table, for types without a number
 * @owner: name of the module or of the process that made it
 */
struct ib_object {
	struct ib_device	*device;
	struct ib_uobject	*uobject;
	atomic_t		usecnt;
	enum ib_object_type	type;
	u32			id;
	bool			numbered;
	bool			listed;
	atomic_t		readers;
	struct ib_ucontext	*context;
	u32			context_id;
	struct pid		*pid;
	struct list_head	entry;
	char			owner[IB_OBJECT_OWNER_MAX];
};

/**
 * struct ib_object_table - the live objects of one type on one device
 * @ids: number -> object, for types that the rdma tool shows; its lock
 *       guards all of this and ib_object::listed
 * @next: where the search for a free number starts
 * @others: objects of a type without numbers
 * @count: listed objects
 */
struct ib_object_table {
	struct xarray		ids;
	u32			next;
	struct list_head	others;
	unsigned int		count;
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

/*
 * core/object.c: allocate with the size the driver asked for, say whose it is,
 * add it when the driver is done. To destroy: begin, the driver's part, end
 * with what the driver said.
 */
void *ib_object_alloc(struct ib_device *device, enum ib_object_type type,
		      size_t size);
void ib_object_own(struct ib_object *obj, struct ib_ucontext *context,
		   const char *kernel_owner);
void ib_object_add(struct ib_object *obj);
int ib_object_busy(struct ib_object *obj);
int ib_object_begin_destroy(struct ib_object *obj);
int ib_object_end_destroy(struct ib_object *obj, int ret);
void ib_object_del(struct ib_object *obj);
void ib_object_sync(struct ib_object *obj);
void ib_object_free(struct ib_object *obj);
const char *ib_object_type_name(enum ib_object_type type);

#endif /* IB_OBJECT_H */
