// SPDX-License-Identifier: GPL-2.0-only
/*
 * Merge the const tables of ib_uverbs and of the driver into one tree.
 *
 * Objects first, because a method whose required handle names an object that
 * the device lacks cannot be called and stays out, like everything whose
 * driver operation is NULL: what is in the tree is what the device can do.
 * Nodes are copies. A driver may unload while files are open, and the tree
 * lives as long as they do.
 */
#include <linux/slab.h>
#include <kunit/visibility.h>
#include <rdma/ib_user_verbs.h>
#include <ib/ops.h>
#include <ib/refuse.h>
#include "key.h"
#include "tree.h"

static bool has_op(const struct ib_device_ops *ops, u16 needs)
{
	return !needs || *(void *const *)((const char *)ops + needs);
}

static int refuse(int err, const char *why, u64 key)
{
	return ib_refuse(IB_LAYER_UVERBS, err, why, key, 0);
}

/* Where the node of a key is kept, or NULL without memory */
static void **place(struct uverbs_tree *tree, u32 key)
{
	struct uverbs_tree_branch **branch = &tree->branches[uverbs_object_part(key)];
	struct uverbs_tree_leaf **leaf;

	if (!*branch)
		*branch = kzalloc(sizeof(**branch), GFP_KERNEL);
	if (!*branch)
		return NULL;
	leaf = &(*branch)->leaves[uverbs_method_part(key)];
	if (!*leaf)
		*leaf = kzalloc(sizeof(**leaf), GFP_KERNEL);
	if (!*leaf)
		return NULL;
	return &(*leaf)->nodes[uverbs_attr_part(key)];
}

/* Takes @copy over. */
static int insert_copy(struct uverbs_tree *tree, u32 key, void *copy)
{
	void **slot;
	int ret;

	if (WARN_ON_ONCE(tree->frozen) || key == UVERBS_KEY_NONE) {
		ret = refuse(-EINVAL, "key 0x%llx is none, or too late", key);
		goto err_copy;
	}
	slot = place(tree, key);
	if (!copy || !slot) {
		ret = refuse(-ENOMEM, "no memory for key 0x%llx", key);
		goto err_copy;
	}
	if (*slot) {
		ret = refuse(-EBUSY, "two tables declare key 0x%llx", key);
		goto err_copy;
	}
	*slot = copy;
	return 0;

err_copy:
	kfree(copy);
	return ret;
}

static int insert(struct uverbs_tree *tree, u32 key, const void *node,
		  size_t size)
{
	return insert_copy(tree, key, kmemdup(node, size, GFP_KERNEL));
}

/* The shapes are copied too, behind the attribute, and get its id. */
static int insert_enum(struct uverbs_tree *tree, u32 key,
		       const struct uverbs_attr_def *attr)
{
	struct uverbs_attr_def *copy, *elem;
	unsigned int i;

	copy = kmalloc_array(attr->num_elems + 1, sizeof(*copy), GFP_KERNEL);
	if (copy) {
		copy[0] = *attr;
		copy[0].elems = copy + 1;
		for (i = 0; i < attr->num_elems; i++) {
			elem = &copy[i + 1];
			*elem = attr->elems[i];
			elem->id = attr->id;
		}
	}
	return insert_copy(tree, key, copy);
}

static int add_object(struct uverbs_tree *tree,
		      const struct ib_device_ops *ops,
		      const struct uverbs_object_def *def)
{
	struct uverbs_tree_object node = {
		.id = def->id,
		.has_handles = def->type,
	};

	if (!has_op(ops, def->needs))
		return 0;
	if (def->type)
		node.type = *def->type;
	return insert(tree, uverbs_object_key(def->id), &node, sizeof(node));
}

/* A driver's additions to an object of the core do not make the object. */
static bool is_addition(const struct uverbs_object_def *def)
{
	return !def->type && !(def->id & UVERBS_ID_DRIVER_NS);
}

static bool is_handle(const struct uverbs_attr_def *attr)
{
	return attr->kind == UVERBS_KIND_IDR || attr->kind == UVERBS_KIND_FD ||
		attr->kind == UVERBS_KIND_IDRS_ARRAY;
}

static bool method_callable(struct uverbs_tree *tree,
			    const struct ib_device_ops *ops,
			    const struct uverbs_method_def *def)
{
	const struct uverbs_tree_object *object;
	unsigned int i;

	if (!has_op(ops, def->needs))
		return false;
	for (i = 0; i < def->num_attrs; i++) {
		if (!is_handle(&def->attrs[i]) ||
		    !(def->attrs[i].flags & UVERBS_ATTR_REQUIRED))
			continue;
		object = uverbs_tree_object(tree, def->attrs[i].object);
		if (!object || !object->has_handles)
			return false;
	}
	return true;
}

static int add_attr(struct uverbs_tree *tree, struct uverbs_tree_method *m,
		    const struct uverbs_attr_def *attr)
{
	unsigned int key = uverbs_attr_key(attr->id);

	if (!key)
		return refuse(-EINVAL, "attribute 0x%llx is no key", attr->id);
	if (attr->flags & UVERBS_ATTR_REQUIRED)
		m->required |= BIT_ULL(key);
	if (attr->kind == UVERBS_KIND_IDRS_ARRAY &&
	    (attr->access == UVERBS_ACC_NEW ||
	     attr->access == UVERBS_ACC_DESTROY))
		return refuse(-EINVAL,
			      "attribute 0x%llx: an array is neither made nor destroyed",
			      attr->id);
	if (is_handle(attr) && attr->access == UVERBS_ACC_DESTROY)
		m->destroys = key;
	if (attr->kind == UVERBS_KIND_ENUM_IN)
		return insert_enum(tree, m->key | key, attr);
	return insert(tree, m->key | key, attr, sizeof(*attr));
}

static int add_attrs(struct uverbs_tree *tree, struct uverbs_tree_method *m,
		     const struct uverbs_attr_def *attrs, unsigned int num)
{
	unsigned int i;
	int ret;

	for (i = 0; i < num; i++) {
		ret = add_attr(tree, m, &attrs[i]);
		if (ret)
			return ret;
	}
	return 0;
}

static const struct uverbs_attr_def udata_attrs[] = {
	{ .id = UVERBS_ATTR_UHW_IN, .kind = UVERBS_KIND_PTR_IN,
	  .max_len = U16_MAX },
	{ .id = UVERBS_ATTR_UHW_OUT, .kind = UVERBS_KIND_PTR_OUT,
	  .max_len = U16_MAX },
};

static int add_method(struct uverbs_tree *tree,
		      const struct ib_device_ops *ops, u16 object,
		      const struct uverbs_method_def *def)
{
	u32 key = uverbs_method_key(object, def->id);
	struct uverbs_tree_method node = {
		.key = key,
		.handler = def->handler,
		.has_udata = def->has_udata,
	};
	struct uverbs_tree_method *m;
	int ret;

	if (!method_callable(tree, ops, def))
		return 0;

	m = uverbs_tree_lookup(tree, key);
	if (m && (def->handler || def->has_udata))
		return refuse(-EBUSY, "two tables declare method 0x%llx", key);
	if (!m) {
		ret = insert(tree, key, &node, sizeof(node));
		if (ret)
			return ret;
		m = uverbs_tree_lookup(tree, key);
		m->leaf = uverbs_tree_leaf(tree, key);
		if (def->has_udata) {
			ret = add_attrs(tree, m, udata_attrs,
					ARRAY_SIZE(udata_attrs));
			if (ret)
				return ret;
		}
	}

	ret = add_attrs(tree, m, def->attrs, def->num_attrs);
	if (ret)
		return ret;
	if (!m->handler && !m->destroys)
		return refuse(-EINVAL, "method 0x%llx has no handler", key);
	return 0;
}

static int add_objects(struct uverbs_tree *tree,
		       const struct ib_device_ops *ops,
		       const struct uverbs_object_def *const *defs,
		       bool is_driver)
{
	int ret;

	for (; defs && *defs; defs++) {
		if (is_driver && is_addition(*defs))
			continue;
		ret = add_object(tree, ops, *defs);
		if (ret)
			return ret;
	}
	return 0;
}

static int add_methods(struct uverbs_tree *tree,
		       const struct ib_device_ops *ops,
		       const struct uverbs_object_def *const *defs)
{
	const struct uverbs_object_def *def;
	unsigned int i;
	int ret;

	for (; defs && *defs; defs++) {
		def = *defs;
		if (!has_op(ops, def->needs) ||
		    !uverbs_tree_object(tree, def->id))
			continue;
		for (i = 0; i < def->num_methods; i++) {
			ret = add_method(tree, ops, def->id, &def->methods[i]);
			if (ret)
				return ret;
		}
	}
	return 0;
}

static int add_writes(struct uverbs_tree *tree,
		      const struct ib_device_ops *ops,
		      const struct uverbs_write_def *def)
{
	int ret;

	for (; def && def->handler; def++) {
		if (!has_op(ops, def->needs) ||
		    !uverbs_tree_object(tree, def->object))
			continue;
		/* These operations may be for queues of the kernel only. */
		if (def->flags & UVERBS_WRITE_DATA && !ops->kernel_data_path)
			continue;
		ret = insert(tree,
			     uverbs_write_key(def->command,
					      def->flags & UVERBS_WRITE_EX),
			     def, sizeof(*def));
		if (ret)
			return ret;
	}
	return 0;
}

/**
 * uverbs_tree_build() - build and freeze the tree of a device
 * @ops: of the device, with the driver's tables
 * @tables: tables of the core
 *
 * Context: May sleep.
 * Return: the tree; -ENOMEM, or another errno for tables that contradict
 * each other.
 */
struct uverbs_tree *uverbs_tree_build(const struct ib_device_ops *ops,
				      const struct uverbs_tables *tables)
{
	struct uverbs_tree *tree;
	int ret;

	tree = kzalloc(sizeof(*tree), GFP_KERNEL);
	if (!tree)
		return ERR_PTR(refuse(-ENOMEM, "no memory", 0));
	tree->driver_id = ops->driver_id;

	ret = add_objects(tree, ops, tables->objects, false);
	if (!ret)
		ret = add_objects(tree, ops, ops->uverbs_objects, true);
	if (!ret)
		ret = add_methods(tree, ops, tables->objects);
	if (!ret)
		ret = add_methods(tree, ops, ops->uverbs_objects);
	if (!ret)
		ret = add_writes(tree, ops, tables->writes);
	if (ret) {
		uverbs_tree_free(tree);
		return ERR_PTR(ret);
	}
	tree->frozen = true;
	return tree;
}
EXPORT_SYMBOL_IF_KUNIT(uverbs_tree_build);

static void free_leaf(struct uverbs_tree_leaf *leaf)
{
	unsigned int i;

	for (i = 0; leaf && i < UVERBS_ATTR_KEYS; i++)
		kfree(leaf->nodes[i]);
	kfree(leaf);
}

static void free_branch(struct uverbs_tree_branch *branch)
{
	unsigned int i;

	for (i = 0; branch && i < UVERBS_METHOD_KEYS; i++)
		free_leaf(branch->leaves[i]);
	kfree(branch);
}

/**
 * uverbs_tree_free() - free a tree
 * @tree: the tree, or NULL
 *
 * Context: May sleep.
 */
void uverbs_tree_free(struct uverbs_tree *tree)
{
	unsigned int i;

	if (!tree)
		return;
	for (i = 0; i < UVERBS_OBJECT_KEYS; i++)
		free_branch(tree->branches[i]);
	kfree(tree);
}
EXPORT_SYMBOL_IF_KUNIT(uverbs_tree_free);

/**
 * uverbs_tree_write() - look up a command of write()
 * @tree: tree of the device
 * @command: as in struct ib_uverbs_cmd_hdr
 *
 * Context: Any context.
 * Return: the command; -EINVAL when the number has bits that mean nothing,
 * -EOPNOTSUPP when the device has no such command.
 */
const struct uverbs_write_def *
uverbs_tree_write(struct uverbs_tree *tree, u32 command)
{
	u32 number = command & IB_USER_VERBS_CMD_COMMAND_MASK;
	bool extended = command & IB_USER_VERBS_CMD_FLAG_EXTENDED;
	const struct uverbs_write_def *def;

	if (command & ~(IB_USER_VERBS_CMD_COMMAND_MASK |
			IB_USER_VERBS_CMD_FLAG_EXTENDED))
		return ERR_PTR(refuse(-EINVAL, "0x%llx is no command",
				      command));
	def = uverbs_tree_lookup(tree, uverbs_write_key(number, extended));
	if (!def)
		return ERR_PTR(refuse(-EOPNOTSUPP,
				      "device has no command 0x%llx",
				      command));
	return def;
}
EXPORT_SYMBOL_IF_KUNIT(uverbs_tree_write);
