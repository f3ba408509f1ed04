/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How the user ABI is declared: objects have methods, methods have
 * attributes, all in const tables. ib_uverbs merges its own tables and the
 * driver's into one radix tree per device and freezes it. The functions that
 * handlers call to reach attributes live in ib_core, so that a driver with
 * tables loads without ib_uverbs.
 */
#ifndef IB_UVERBS_DEF_H
#define IB_UVERBS_DEF_H

#include <linux/err.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/types.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <ib/udata.h>

struct file_operations;
struct ib_device;
struct ib_ucontext;
struct rdma_cgroup;
struct uverbs_bundle;
struct uverbs_file;

enum uverbs_attr_kind {
	UVERBS_KIND_NONE,
	UVERBS_KIND_PTR_IN,
	UVERBS_KIND_PTR_OUT,
	UVERBS_KIND_IDR,
	UVERBS_KIND_FD,
	UVERBS_KIND_RAW_FD,
	UVERBS_KIND_ENUM_IN,	/* PTR_IN in one of several shapes */
	UVERBS_KIND_IDRS_ARRAY,	/* handles of 4 bytes each */
};

/* How a method uses the object behind a handle */
enum uverbs_access {
	UVERBS_ACC_READ,
	UVERBS_ACC_WRITE,
	UVERBS_ACC_NEW,
	UVERBS_ACC_DESTROY,
};

enum uverbs_attr_flags {
	UVERBS_ATTR_REQUIRED = 1 << 0,
	/* bytes beyond max_len are allowed when they are zero */
	UVERBS_ATTR_ZERO_TAIL = 1 << 1,
	/* the parser copies the data in; else the handler does */
	UVERBS_ATTR_COPY_IN = 1 << 2,
};

/**
 * struct uverbs_attr_def - one attribute of a method
 * @id: as in the uapi; driver attributes carry the namespace bit
 * @kind: what its data is
 * @flags: enum uverbs_attr_flags
 * @access: for handles
 * @object: for handles: the object's id
 * @min_len: bytes, for pointers; handles, for arrays of them
 * @max_len: bytes known; U16_MAX for any length; or most handles
 * @num_elems: for ENUM_IN: shapes
 * @elems: for ENUM_IN: the shapes, by the number that user space sends along;
 *         what is not of kind PTR_IN cannot be chosen
 */
struct uverbs_attr_def {
	u16				id;
	u8				kind;
	u8				flags;
	u8				access;
	u16				object;
	u16				min_len;
	u16				max_len;
	u16				num_elems;
	const struct uverbs_attr_def	*elems;
};

/*
 * Rows of attribute tables; whatever they do not cover is written out with
 * designated initialisers.
 */
#define UVERBS_ATTR_IN(_id, _size, _flags) \
	{ .id = (_id), .kind = UVERBS_KIND_PTR_IN, .flags = (_flags), \
	  .min_len = (_size), .max_len = (_size) }

#define UVERBS_ATTR_OUT(_id, _size, _flags) \
	{ .id = (_id), .kind = UVERBS_KIND_PTR_OUT, .flags = (_flags), \
	  .min_len = (_size), .max_len = (_size) }

#define UVERBS_ATTR_HANDLE(_id, _kind, _object, _access, _flags) \
	{ .id = (_id), .kind = (_kind), .object = (_object), \
	  .access = (_access), .flags = (_flags) }

/* Arrays are of objects that exist and stay: to be read or written. */
#define UVERBS_ATTR_HANDLES(_id, _object, _access, _min, _max, _flags) \
	{ .id = (_id), .kind = UVERBS_KIND_IDRS_ARRAY, .object = (_object), \
	  .access = (_access), .min_len = (_min), .max_len = (_max), \
	  .flags = (_flags) }

#define UVERBS_ATTR_ENUM(_id, _elems, _flags) \
	{ .id = (_id), .kind = UVERBS_KIND_ENUM_IN, .elems = (_elems), \
	  .num_elems = ARRAY_SIZE(_elems), .flags = (_flags) }

/**
 * struct uverbs_method_def - one method of an object
 * @id: as in the uapi
 * @handler: does it; called with all attributes parsed and objects locked.
 *           A method that destroys an object may have none: the object is
 *           destroyed before the handler runs. NULL also for a driver that
 *           adds attributes to a method of ib_uverbs.
 * @attrs: @num_attrs attributes
 * @num_attrs: number of attributes
 * @needs: offset in struct ib_device_ops of an operation without which the
 *         method is off, or 0
 * @has_udata: takes driver data (UVERBS_ATTR_UHW_IN and _OUT, which are then
 *             not listed in @attrs)
 */
struct uverbs_method_def {
	u16				id;
	int				(*handler)(struct uverbs_bundle *b);
	const struct uverbs_attr_def	*attrs;
	u16				num_attrs;
	u16				needs;
	bool				has_udata;
};

enum ib_remove_reason {
	IB_REMOVE_DESTROY,	/* the user asked: may fail */
	IB_REMOVE_CLOSE,	/* the file is closed */
	IB_REMOVE_DEVICE,	/* the device goes */
	IB_REMOVE_ABORT,	/* creation failed after the driver's part */
};

/**
 * struct ib_uobject - a user's handle on an object
 * @ref: lookups in progress and the table
 * @published: lookups may find it
 * @file: whose handle
 * @type: class of the object
 * @id: the handle, or the fd
 * @usecnt: >0 shared users, -1 one exclusive user
 * @user_handle: opaque to us
 * @object: what the handle stands for. The creating handler sets it as soon
 *          as the object lives; from then on a failure of the call destroys
 *          it through uverbs_obj_type.destroy with IB_REMOVE_ABORT. NULL
 *          before, and again when the object is gone but the handle is not.
 * @context: the file's context
 * @cgroup: whose processes it is charged to
 * @entry: in the file's list, newest first
 * @filp: the open file behind a handle that is a file descriptor
 * @rcu: lookups run under RCU
 *
 * Classes that need more embed it as first member (uverbs_obj_type.size).
 */
struct ib_uobject {
	struct kref			ref;
	bool				published;
	struct rcu_head			rcu;
	struct uverbs_file		*file;
	const struct uverbs_obj_type	*type;
	int				id;
	atomic_t			usecnt;
	u64				user_handle;
	void				*object;
	struct ib_ucontext		*context;
	struct rdma_cgroup		*cgroup;
	struct list_head		entry;
	struct file			*filp;
};

/**
 * struct uverbs_obj_type - how a class of handles is kept and destroyed
 * @size: of the structure that embeds struct ib_uobject
 * @destroy: destroy the object behind; an error keeps the handle when the
 *           reason is IB_REMOVE_DESTROY. Must succeed in the end: at close an
 *           error is tried again after the other objects are gone.
 * @fops: set for classes whose handle is a file descriptor
 * @fd_name: name of its anonymous inode
 * @fd_flags: O_* of the new file
 */
struct uverbs_obj_type {
	size_t				size;
	int				(*destroy)(struct ib_uobject *uobj,
						   enum ib_remove_reason why,
						   struct uverbs_bundle *b);
	const struct file_operations	*fops;
	const char			*fd_name;
	int				fd_flags;
};

/**
 * struct uverbs_object_def - one object: its class and its methods
 * @id: as in the uapi; driver objects carry the namespace bit
 * @type: NULL for an object without handles, and for driver additions to a
 *        core object
 * @methods: @num_methods methods
 * @num_methods: number of methods
 * @needs: as in struct uverbs_method_def, for the whole object
 */
struct uverbs_object_def {
	u16				id;
	const struct uverbs_obj_type	*type;
	const struct uverbs_method_def	*methods;
	u16				num_methods;
	u16				needs;
};

/*
 * Attributes of the call at hand (drivers/core/uverbs_attr.c). An attribute
 * that is absent gives false, NULL, a length of 0, flags of 0, or -ENOENT.
 */
bool uverbs_attr_present(const struct uverbs_bundle *b, u16 id);
void *uverbs_attr_object(const struct uverbs_bundle *b, u16 id);
struct ib_uobject *uverbs_attr_uobject(const struct uverbs_bundle *b, u16 id);
int uverbs_attr_copy_in(const struct uverbs_bundle *b, u16 id, void *dst,
			size_t len);
int uverbs_attr_copy_out(const struct uverbs_bundle *b, u16 id,
			 const void *src, size_t len);
int uverbs_attr_u64(const struct uverbs_bundle *b, u16 id, u64 *val);
int uverbs_attr_flags(const struct uverbs_bundle *b, u16 id, u32 allowed,
		      u32 *val);
int uverbs_attr_choice(const struct uverbs_bundle *b, u16 id);
unsigned int uverbs_attr_num_objects(const struct uverbs_bundle *b, u16 id);
void *uverbs_attr_object_at(const struct uverbs_bundle *b, u16 id,
			    unsigned int i);
void *uverbs_attr_copied(const struct uverbs_bundle *b, u16 id);
size_t uverbs_attr_len(const struct uverbs_bundle *b, u16 id);
struct ib_udata *uverbs_udata(struct uverbs_bundle *b);
const struct uverbs_bundle *uverbs_udata_bundle(const struct ib_udata *udata);
struct ib_ucontext *uverbs_context(const struct uverbs_bundle *b);
struct ib_device *uverbs_device(const struct uverbs_bundle *b);

#endif /* IB_UVERBS_DEF_H */
