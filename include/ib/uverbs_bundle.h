/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One call from user space while it runs: the parsed attributes, the objects
 * it holds, the driver's data. ib_uverbs fills it, handlers read it through
 * the accessors of <ib/uverbs_def.h>.
 */
#ifndef IB_UVERBS_BUNDLE_H
#define IB_UVERBS_BUNDLE_H

#include <linux/bits.h>
#include <linux/types.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <ib/udata.h>
#include <ib/uverbs_def.h>

/*
 * The last 6 bits of a key in the uapi tree name an attribute. Key 0 is the
 * method itself; ids of the core and of the driver have a half each.
 */
#define UVERBS_ATTR_KEY_BITS	6
#define UVERBS_ATTR_KEYS	BIT(UVERBS_ATTR_KEY_BITS)
#define UVERBS_ATTR_KEY_DRIVER	(UVERBS_ATTR_KEYS / 2)

/* Handles that a call holds without memory of its own for them */
#define UVERBS_HELD		8

/**
 * struct uverbs_attr - one attribute as user space sent it
 * @def: its declaration; of the chosen shape for ENUM_IN
 * @data: inline data, user address or number
 * @copy: PTR_IN with UVERBS_ATTR_COPY_IN: kernel copy of @len bytes
 * @uobj: handles: the object, referenced and locked
 * @uobjs: arrays of handles: the objects, @len / sizeof(u32) of them
 * @len: bytes
 * @flags: as user space set them
 * @index: place in the user's array
 * @choice: ENUM_IN: number of the shape
 * @allocated: @copy or @uobjs is to be freed
 */
struct uverbs_attr {
	const struct uverbs_attr_def	*def;
	u64				data;
	union {
		void			*copy;
		struct ib_uobject	*uobj;
		struct ib_uobject	**uobjs;
	};
	u16				len;
	u16				flags;
	u16				index;
	u8				choice;
	bool				allocated;
};

/* An object that the call holds, and how */
struct uverbs_held {
	struct ib_uobject	*uobj;
	enum uverbs_access	access;
};

/**
 * struct uverbs_bundle - one call
 * @file: the open device file
 * @device: the device; NULL when it is gone, which only destroying calls see
 * @context: the file's context, NULL before GET_CONTEXT and when it is gone
 * @core: request and response of a write command
 * @udata: driver's part of request and response
 * @user_attrs: where the attributes came from; NULL for write(2)
 * @more_held: those behind the first UVERBS_HELD, or NULL
 * @num_held: number of held objects
 * @num_attrs: entries of @attrs
 * @allocated: some of @attrs are
 * @present: bit per attribute key
 * @held: @num_held objects to be put, published or aborted at the end; from
 *        here on all is garbage until it is used
 * @by_key: attribute key -> where it is in @attrs, if @present
 * @attrs: those that the method knows, in the order they came
 */
struct uverbs_bundle {
	struct uverbs_file		*file;
	struct ib_device		*device;
	struct ib_ucontext		*context;
	struct ib_udata			core;
	struct ib_udata			udata;
	struct ib_uverbs_attr __user	*user_attrs;
	struct uverbs_held		*more_held;
	unsigned int			num_held;
	u16				num_attrs;
	bool				allocated;
	u64				present;
	struct uverbs_held		held[UVERBS_HELD];
	struct uverbs_attr		*by_key[UVERBS_ATTR_KEYS];
	struct uverbs_attr		attrs[];
};

/**
 * uverbs_attr_key() - the attribute part of a key
 * @id: attribute id as user space has it
 *
 * Return: 1 … UVERBS_ATTR_KEYS - 1, or 0 for an id that cannot exist.
 */
static inline unsigned int uverbs_attr_key(u16 id)
{
	unsigned int n = id & (UVERBS_ID_DRIVER_NS - 1);

	if (id & UVERBS_ID_DRIVER_NS)
		return id < UVERBS_ID_DRIVER_NS + UVERBS_ATTR_KEY_DRIVER ?
			UVERBS_ATTR_KEY_DRIVER + n : 0;
	return id < UVERBS_ATTR_KEY_DRIVER - 1 ? 1 + n : 0;
}

/**
 * uverbs_attr_find() - an attribute of the call
 * @b: the call
 * @id: attribute id
 *
 * Context: Any context.
 * Return: the attribute, or NULL when user space did not send it.
 */
static inline const struct uverbs_attr *
uverbs_attr_find(const struct uverbs_bundle *b, u16 id)
{
	unsigned int key = uverbs_attr_key(id);

	if (!(b->present & BIT_ULL(key)))
		return NULL;
	return b->by_key[key];
}

/* Data of up to 8 bytes travels in the attribute itself. */
static inline bool uverbs_attr_is_inline(const struct uverbs_attr *attr)
{
	return attr->len <= sizeof(attr->data);
}

#endif /* IB_UVERBS_BUNDLE_H */
