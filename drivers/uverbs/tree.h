/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The uapi tree: everything that user space can call on one device. Built
 * when the device is registered, never written again.
 */
#ifndef UVERBS_TREE_H
#define UVERBS_TREE_H

#include <linux/bits.h>
#include <linux/xarray.h>
#include <ib/uverbs_def.h>

struct ib_device_ops;

/* Bits of uverbs_write_def.flags */
#define UVERBS_WRITE_EX		BIT(0)	/* extended command */
#define UVERBS_WRITE_RESP	BIT(1)	/* has a response */
#define UVERBS_WRITE_UDATA	BIT(2)	/* driver data follows */
#define UVERBS_WRITE_DESTROY	BIT(3)	/* works on a gone device */
#define UVERBS_WRITE_DATA	BIT(4)	/* needs ops->kernel_data_path */

/**
 * struct uverbs_write_def - one command of write()
 * @command: number
 * @flags: UVERBS_WRITE_*
 * @object: what it is about; off when the device has no such object
 * @needs: as in struct uverbs_method_def
 * @req_size: bytes of the request that must be there, header excluded; 0 for
 *            extended commands, which grow and so have no least size
 * @resp_size: bytes of the response that user space must have room for
 * @handler: does it
 */
struct uverbs_write_def {
	u8	command;
	u8	flags;
	u16	object;
	u16	needs;
	u16	req_size;
	u16	resp_size;
	int	(*handler)(struct uverbs_bundle *b);
};

/**
 * struct uverbs_tree_object - an object of the device
 * @id: object id
 * @has_handles: @type holds
 * @type: copy of its class, so that nothing points into the driver
 */
struct uverbs_tree_object {
	u16			id;
	bool			has_handles;
	struct uverbs_obj_type	type;
};

/**
 * struct uverbs_tree_method - a method of the device
 * @key: its key; attributes follow behind it
 * @handler: may be NULL when @destroys
 * @required: bit per attribute key that user space must send
 * @destroys: attribute key of the handle that is destroyed, 0 for none
 * @has_udata: takes driver data
 */
struct uverbs_tree_method {
	u32		key;
	int		(*handler)(struct uverbs_bundle *b);
	u64		required;
	unsigned int	destroys;
	bool		has_udata;
};

/**
 * struct uverbs_tree - the user ABI of a device
 * @nodes: key -> uverbs_tree_object, _method, uverbs_attr_def or
 *         uverbs_write_def, by the kind of key; all allocated
 * @driver_id: what ioctls must carry
 * @frozen: built; a change is a bug
 */
struct uverbs_tree {
	struct xarray	nodes;
	u32		driver_id;
	bool		frozen;
};

/* A set of tables, ended by an entry without handler or by NULL */
struct uverbs_tables {
	const struct uverbs_object_def *const	*objects;
	const struct uverbs_write_def		*writes;
};

struct uverbs_tree *uverbs_tree_build(const struct ib_device_ops *ops,
				      const struct uverbs_tables *tables);
void uverbs_tree_free(struct uverbs_tree *tree);

const struct uverbs_tree_object *
uverbs_tree_object(struct uverbs_tree *tree, u16 id);
const struct uverbs_tree_method *
uverbs_tree_method(struct uverbs_tree *tree, u16 object, u16 id);
const struct uverbs_attr_def *
uverbs_tree_attr(struct uverbs_tree *tree, const struct uverbs_tree_method *m,
		 u16 id);
const struct uverbs_write_def *
uverbs_tree_write(struct uverbs_tree *tree, u32 command);

#endif /* UVERBS_TREE_H */
