// SPDX-License-Identifier: GPL-2.0-only
/* Building the uapi tree from made-up tables of a core and of a driver. */
#include <kunit/test.h>
#include <linux/module.h>
#include <rdma/ib_user_verbs.h>
#include <ib/export.h>
#include <ib/ops.h>
#include "key.h"
#include "tree.h"

#define DRIVER	UVERBS_ID_DRIVER_NS

static int handler(struct uverbs_bundle *b)
{
	return 0;
}

static int destroy(struct ib_uobject *uobj, enum ib_remove_reason why,
		   struct uverbs_bundle *b)
{
	return 0;
}

static int alloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	return 0;
}

static int query_port(struct ib_device *device, u32 port,
		      struct ib_port_attr *attr)
{
	return 0;
}

static const struct uverbs_obj_type type = {
	.size = sizeof(struct ib_uobject),
	.destroy = destroy,
};

static const struct uverbs_attr_def make_attrs[] = {
	UVERBS_ATTR_HANDLE(0, UVERBS_KIND_IDR, UVERBS_OBJECT_PD,
			   UVERBS_ACC_NEW, UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_IN(1, 8, 0),
};

static const struct uverbs_attr_def end_attrs[] = {
	UVERBS_ATTR_HANDLE(3, UVERBS_KIND_IDR, UVERBS_OBJECT_PD,
			   UVERBS_ACC_DESTROY, UVERBS_ATTR_REQUIRED),
};

static const struct uverbs_method_def pd_methods[] = {
	{ .id = 0, .handler = handler, .has_udata = true,
	  .attrs = make_attrs, .num_attrs = ARRAY_SIZE(make_attrs) },
	{ .id = 1, .attrs = end_attrs, .num_attrs = ARRAY_SIZE(end_attrs) },
	{ .id = 2, .handler = handler,
	  .needs = offsetof(struct ib_device_ops, query_port) },
};

static const struct uverbs_object_def device = {
	.id = UVERBS_OBJECT_DEVICE,
};

static const struct uverbs_object_def pd = {
	.id = UVERBS_OBJECT_PD,
	.type = &type,
	.needs = offsetof(struct ib_device_ops, alloc_pd),
	.methods = pd_methods,
	.num_methods = ARRAY_SIZE(pd_methods),
};

/* A method of another object that cannot do without a PD */
static const struct uverbs_attr_def need_pd_attrs[] = {
	UVERBS_ATTR_HANDLE(0, UVERBS_KIND_IDR, UVERBS_OBJECT_PD,
			   UVERBS_ACC_READ, UVERBS_ATTR_REQUIRED),
};

static const struct uverbs_attr_def may_pd_attrs[] = {
	UVERBS_ATTR_HANDLE(0, UVERBS_KIND_IDR, UVERBS_OBJECT_PD,
			   UVERBS_ACC_READ, 0),
};

static const struct uverbs_method_def mr_methods[] = {
	{ .id = 0, .handler = handler, .attrs = need_pd_attrs,
	  .num_attrs = 1 },
	{ .id = 1, .handler = handler, .attrs = may_pd_attrs, .num_attrs = 1 },
};

static const struct uverbs_object_def mr = {
	.id = UVERBS_OBJECT_MR,
	.type = &type,
	.methods = mr_methods,
	.num_methods = ARRAY_SIZE(mr_methods),
};

/* MR before PD: the order of the list does not matter. */
static const struct uverbs_object_def *const core_objects[] = {
	&device, &mr, &pd, NULL
};

static const struct uverbs_write_def writes[] = {
	{ .command = 3, .object = UVERBS_OBJECT_PD, .handler = handler },
	{ .command = 3, .flags = UVERBS_WRITE_EX,
	  .object = UVERBS_OBJECT_DEVICE, .handler = handler },
	{ .command = 4, .object = UVERBS_OBJECT_DEVICE, .handler = handler,
	  .needs = offsetof(struct ib_device_ops, query_port) },
	{ }
};

static const struct uverbs_tables tables = {
	.objects = core_objects,
	.writes = writes,
};

static const struct uverbs_attr_def driver_attrs[] = {
	UVERBS_ATTR_IN(DRIVER + 5, 4, UVERBS_ATTR_REQUIRED),
};

static const struct uverbs_method_def added_methods[] = {
	{ .id = 0, .attrs = driver_attrs, .num_attrs = 1 },
	{ .id = DRIVER + 1, .handler = handler },
};

static const struct uverbs_object_def added = {
	.id = UVERBS_OBJECT_PD,
	.methods = added_methods,
	.num_methods = ARRAY_SIZE(added_methods),
};

static const struct uverbs_object_def own = {
	.id = DRIVER + 2,
	.type = &type,
	.methods = added_methods + 1,
	.num_methods = 1,
};

static const struct uverbs_object_def *const driver_objects[] = {
	&added, &own, NULL
};

static void free_tree(void *tree)
{
	uverbs_tree_free(tree);
}

static struct uverbs_tree *build(struct kunit *test,
				 const struct ib_device_ops *ops)
{
	struct uverbs_tree *tree = uverbs_tree_build(ops, &tables);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, tree);
	KUNIT_ASSERT_EQ(test, 0,
			kunit_add_action_or_reset(test, free_tree, tree));
	KUNIT_EXPECT_TRUE(test, tree->frozen);
	return tree;
}

static const struct ib_device_ops full_ops = {
	.driver_id = 7,
	.alloc_pd = alloc_pd,
	.query_port = query_port,
	.uverbs_objects = driver_objects,
};

static void everything_is_found(struct kunit *test)
{
	struct uverbs_tree *tree = build(test, &full_ops);
	const struct uverbs_tree_object *object;
	const struct uverbs_tree_method *m;

	KUNIT_EXPECT_EQ(test, 7, tree->driver_id);
	object = uverbs_tree_object(tree, UVERBS_OBJECT_PD);
	KUNIT_ASSERT_NOT_NULL(test, object);
	KUNIT_EXPECT_TRUE(test, object->has_handles);
	KUNIT_EXPECT_PTR_NE(test, &type, &object->type);
	KUNIT_EXPECT_TRUE(test, object->type.destroy == destroy);
	object = uverbs_tree_object(tree, UVERBS_OBJECT_DEVICE);
	KUNIT_ASSERT_NOT_NULL(test, object);
	KUNIT_EXPECT_FALSE(test, object->has_handles);

	m = uverbs_tree_method(tree, UVERBS_OBJECT_PD, 0);
	KUNIT_ASSERT_NOT_NULL(test, m);
	KUNIT_EXPECT_TRUE(test, m->has_udata);
	KUNIT_EXPECT_EQ(test, 0, m->destroys);
	KUNIT_EXPECT_NOT_NULL(test, uverbs_tree_attr(m, 1));
	KUNIT_EXPECT_NOT_NULL(test,
			      uverbs_tree_attr(m, UVERBS_ATTR_UHW_IN));
	KUNIT_EXPECT_NOT_NULL(test,
			      uverbs_tree_attr(m, UVERBS_ATTR_UHW_OUT));
	KUNIT_EXPECT_NULL(test, uverbs_tree_attr(m, 2));
	KUNIT_EXPECT_NULL(test, uverbs_tree_attr(m, 31));

	m = uverbs_tree_method(tree, UVERBS_OBJECT_PD, 1);
	KUNIT_ASSERT_NOT_NULL(test, m);
	KUNIT_EXPECT_EQ(test, uverbs_attr_key(3), m->destroys);
	KUNIT_EXPECT_EQ(test, BIT_ULL(uverbs_attr_key(3)), m->required);
	KUNIT_EXPECT_NULL(test,
			  uverbs_tree_attr(m, UVERBS_ATTR_UHW_IN));
}

static void driver_adds(struct kunit *test)
{
	struct uverbs_tree *tree = build(test, &full_ops);
	const struct uverbs_tree_method *m;
	const struct uverbs_attr_def *attr;

	m = uverbs_tree_method(tree, UVERBS_OBJECT_PD, 0);
	KUNIT_ASSERT_NOT_NULL(test, m);
	attr = uverbs_tree_attr(m, DRIVER + 5);
	KUNIT_ASSERT_NOT_NULL(test, attr);
	KUNIT_EXPECT_PTR_NE(test, &driver_attrs[0], attr);
	KUNIT_EXPECT_EQ(test, 4, attr->max_len);
	KUNIT_EXPECT_TRUE(test, m->required &
			  BIT_ULL(uverbs_attr_key(DRIVER + 5)));
	KUNIT_EXPECT_NOT_NULL(test,
			      uverbs_tree_method(tree, UVERBS_OBJECT_PD,
						 DRIVER + 1));
	KUNIT_EXPECT_NOT_NULL(test, uverbs_tree_object(tree, DRIVER + 2));
	KUNIT_EXPECT_NOT_NULL(test,
			      uverbs_tree_method(tree, DRIVER + 2,
						 DRIVER + 1));
	KUNIT_EXPECT_NULL(test, uverbs_tree_object(tree, DRIVER + 3));
}

static void what_lacks_its_operation_is_off(struct kunit *test)
{
	static const struct ib_device_ops ops = {
		.uverbs_objects = driver_objects,
	};
	struct uverbs_tree *tree = build(test, &ops);

	/* no PD, so no method of it, no addition, no user that needs one */
	KUNIT_EXPECT_NULL(test, uverbs_tree_object(tree, UVERBS_OBJECT_PD));
	KUNIT_EXPECT_NULL(test, uverbs_tree_method(tree, UVERBS_OBJECT_PD, 0));
	KUNIT_EXPECT_NULL(test, uverbs_tree_method(tree, UVERBS_OBJECT_PD,
						   DRIVER + 1));
	KUNIT_EXPECT_NULL(test, uverbs_tree_method(tree, UVERBS_OBJECT_MR, 0));
	KUNIT_EXPECT_NOT_NULL(test,
			      uverbs_tree_method(tree, UVERBS_OBJECT_MR, 1));
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP,
			PTR_ERR(uverbs_tree_write(tree, 3)));
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP,
			PTR_ERR(uverbs_tree_write(tree, 4)));
}

static void write_commands(struct kunit *test)
{
	struct uverbs_tree *tree = build(test, &full_ops);
	const struct uverbs_write_def *def;

	def = uverbs_tree_write(tree, 3);
	KUNIT_ASSERT_FALSE(test, IS_ERR(def));
	KUNIT_EXPECT_EQ(test, UVERBS_OBJECT_PD, def->object);
	def = uverbs_tree_write(tree, 3 | IB_USER_VERBS_CMD_FLAG_EXTENDED);
	KUNIT_ASSERT_FALSE(test, IS_ERR(def));
	KUNIT_EXPECT_EQ(test, UVERBS_OBJECT_DEVICE, def->object);
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP,
			PTR_ERR(uverbs_tree_write(tree, 5)));
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP,
			PTR_ERR(uverbs_tree_write(tree, 0xff)));
	KUNIT_EXPECT_EQ(test, -EINVAL,
			PTR_ERR(uverbs_tree_write(tree, 0x100 | 3)));
}

static void contradictions_are_refused(struct kunit *test)
{
	static const struct uverbs_object_def *const twice[] = {
		&own, &own, NULL
	};
	static const struct uverbs_object_def bad_id = { .id = DRIVER + 12 };
	static const struct uverbs_object_def *const out_of_range[] = {
		&bad_id, NULL
	};
	struct ib_device_ops ops = full_ops;

	ops.uverbs_objects = twice;
	KUNIT_EXPECT_EQ(test, -EBUSY,
			PTR_ERR(uverbs_tree_build(&ops, &tables)));
	ops.uverbs_objects = out_of_range;
	KUNIT_EXPECT_EQ(test, -EINVAL,
			PTR_ERR(uverbs_tree_build(&ops, &tables)));
}

static const struct uverbs_attr_def shapes[] = {
	UVERBS_ATTR_IN(0, 4, 0),
	UVERBS_ATTR_IN(0, 8, UVERBS_ATTR_COPY_IN),
};

static const struct uverbs_attr_def rich_attrs[] = {
	UVERBS_ATTR_ENUM(DRIVER + 1, shapes, UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_HANDLES(DRIVER + 2, UVERBS_OBJECT_PD, UVERBS_ACC_READ, 1,
			    64, UVERBS_ATTR_REQUIRED),
};

static const struct uverbs_attr_def bad_array[] = {
	UVERBS_ATTR_HANDLES(DRIVER + 2, UVERBS_OBJECT_PD, UVERBS_ACC_DESTROY,
			    1, 64, 0),
};

static const struct uverbs_method_def rich_method = {
	.id = DRIVER + 1, .handler = handler,
	.attrs = rich_attrs, .num_attrs = ARRAY_SIZE(rich_attrs),
};

static const struct uverbs_method_def bad_method = {
	.id = DRIVER + 1, .handler = handler,
	.attrs = bad_array, .num_attrs = ARRAY_SIZE(bad_array),
};

static const struct uverbs_object_def rich = {
	.id = DRIVER + 2, .methods = &rich_method, .num_methods = 1,
};

static const struct uverbs_object_def bad = {
	.id = DRIVER + 2, .methods = &bad_method, .num_methods = 1,
};

static void shapes_and_arrays(struct kunit *test)
{
	static const struct uverbs_object_def *const rich_objects[] = {
		&rich, NULL
	};
	static const struct uverbs_object_def *const bad_objects[] = {
		&bad, NULL
	};
	struct ib_device_ops ops = full_ops;
	const struct uverbs_tree_method *m;
	const struct uverbs_attr_def *attr;
	struct uverbs_tree *tree;

	ops.uverbs_objects = rich_objects;
	tree = build(test, &ops);
	m = uverbs_tree_method(tree, DRIVER + 2, DRIVER + 1);
	KUNIT_ASSERT_NOT_NULL(test, m);
	attr = uverbs_tree_attr(m, DRIVER + 1);
	KUNIT_ASSERT_NOT_NULL(test, attr);
	KUNIT_EXPECT_EQ(test, 2, attr->num_elems);
	/* nothing points into the driver, and reasons name the attribute */
	KUNIT_EXPECT_PTR_EQ(test, attr + 1, attr->elems);
	KUNIT_EXPECT_EQ(test, DRIVER + 1, attr->elems[1].id);
	KUNIT_EXPECT_EQ(test, 8, attr->elems[1].max_len);

	/* an array of what the device lacks takes its method with it */
	ops.alloc_pd = NULL;
	tree = build(test, &ops);
	KUNIT_EXPECT_NULL(test, uverbs_tree_method(tree, DRIVER + 2,
						   DRIVER + 1));
	ops.uverbs_objects = bad_objects;
	KUNIT_EXPECT_EQ(test, -EINVAL,
			PTR_ERR(uverbs_tree_build(&ops, &tables)));
}

static struct kunit_case tree_cases[] = {
	KUNIT_CASE(everything_is_found),
	KUNIT_CASE(driver_adds),
	KUNIT_CASE(what_lacks_its_operation_is_off),
	KUNIT_CASE(write_commands),
	KUNIT_CASE(contradictions_are_refused),
	KUNIT_CASE(shapes_and_arrays),
	{}
};

static struct kunit_suite tree_suite = {
	.name		= "ib_uverbs_tree",
	.test_cases	= tree_cases,
};
kunit_test_suite(tree_suite);

MODULE_DESCRIPTION("KUnit: the uapi tree");
MODULE_IMPORT_NS(IB_NS);
MODULE_IMPORT_NS(IB_KUNIT_NS);
MODULE_LICENSE("GPL");
