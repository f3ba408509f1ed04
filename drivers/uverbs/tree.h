/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The uapi tree: everything that user space can call on one device. Built
 * when the device is registered, never written again.
 */
#ifndef UVERBS_TREE_H
#define UVERBS_TREE_H

#include <linux/bits.h>
#include <ib/uverbs_def.h>
#include "key.h"

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

/*
 * The levels of the tree, indexed by the parts of a key. A node is a
 * uverbs_tree_object, _method, uverbs_attr_def or uverbs_write_def, by the kind
 * of its key; all are allocated.
 */
struct uverbs_tree_leaf {
	void				*nodes[UVERBS_ATTR_KEYS];
};

struct uverbs_tree_branch {
	struct uverbs_tree_leaf		*leaves[UVERBS_METHOD_KEYS];
};

/**
 * struct uverbs_tree_method - a method of the device
 * @key: its key; attributes follow behind it
 * @leaf: where it is kept, and its attributes
 * @handler: may be NULL when @destroys
 * @required: bit per attribute key that user space must send
 * @destroys: attribute key of the handle that is destroyed, 0 for none
 * @has_udata: takes driver data
 */
struct uverbs_tree_method {
	u32				key;
	const struct uverbs_tree_leaf	*leaf;
	int				(*handler)(struct uverbs_bundle *b);
	u64				required;
	unsigned int			destroys;
	bool				has_udata;
};

/**
 * struct uverbs_tree - the user ABI of a device
 * @branches: by object
 * @driver_id: what ioctls must carry
 * @frozen: built; a change is a bug
 */
struct uverbs_tree {
	struct uverbs_tree_branch	*branches[UVERBS_OBJECT_KEYS];
	u32				driver_id;
	bool				frozen;
};

/* A set of tables, ended by an entry without handler or by NULL */
struct uverbs_tables {
	const struct uverbs_object_def *const	*objects;
	const struct uverbs_write_def		*writes;
};

struct uverbs_tree *uverbs_tree_build(const struct ib_device_ops *ops,
				      const struct uverbs_tables *tables);
void uverbs_tree_free(struct uverbs_tree *tree);

const struct uverbs_write_def *
uverbs_tree_write(struct uverbs_tree *tree, u32 command);

static inline const struct uverbs_tree_leaf *
uverbs_tree_leaf(const struct uverbs_tree *tree, u32 key)
{
	const struct uverbs_tree_branch *branch;

	branch = tree->branches[uverbs_object_part(key)];
	return branch ? branch->leaves[uverbs_method_part(key)] : NULL;
}

static inline void *uverbs_tree_lookup(const struct uverbs_tree *tree, u32 key)
{
	const struct uverbs_tree_leaf *leaf;

	if (key == UVERBS_KEY_NONE)
		return NULL;
	leaf = uverbs_tree_leaf(tree, key);
	return leaf ? leaf->nodes[uverbs_attr_part(key)] : NULL;
}

/**
 * uverbs_tree_object() - look up an object
 * @tree: tree of the device
 * @id: object id
 *
 * Context: Any context.
 * Return: the object, or NULL when the device has none.
 */
static inline const struct uverbs_tree_object *
uverbs_tree_object(const struct uverbs_tree *tree, u16 id)
{
	return uverbs_tree_lookup(tree, uverbs_object_key(id));
}

/**
 * uverbs_tree_method() - look up a method
 * @tree: tree of the device
 * @object: object id
 * @id: method id
 *
 * Context: Any context.
 * Return: the method, or NULL when it cannot be called on this device.
 */
static inline const struct uverbs_tree_method *
uverbs_tree_method(const struct uverbs_tree *tree, u16 object, u16 id)
{
	return uverbs_tree_lookup(tree, uverbs_method_key(object, id));
}

static inline const struct uverbs_attr_def *
uverbs_tree_attr_of_key(const struct uverbs_tree_method *m, unsigned int key)
{
	/* key 0 is the method itself */
	return key ? m->leaf->nodes[key] : NULL;
}

/**
 * uverbs_tree_attr() - look up an attribute of a method
 * @m: the method
 * @id: attribute id
 *
 * Context: Any context.
 * Return: its declaration, or NULL when the method does not know it.
 */
static inline const struct uverbs_attr_def *
uverbs_tree_attr(const struct uverbs_tree_method *m, u16 id)
{
	return uverbs_tree_attr_of_key(m, uverbs_attr_key(id));
}

#endif /* UVERBS_TREE_H */
