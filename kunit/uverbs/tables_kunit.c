// SPDX-License-Identifier: GPL-2.0-only
/*
 * The real tables: a mistake in them would make every device unusable, or one
 * method in a way that only one program meets.
 */
#include <kunit/test.h>
#include <linux/module.h>
#include <ib/export.h>
#include <ib/ops.h>
#include "key.h"
#include "obj_table.h"

static const struct uverbs_object_def *const *objects(void)
{
	return uverbs_core_tables.objects;
}

static void objects_are_sorted(struct kunit *test)
{
	const struct uverbs_object_def *const *o = objects();
	unsigned int i, num = 0;

	for (; *o; o++, num++) {
		KUNIT_EXPECT_NE(test, UVERBS_KEY_NONE,
				uverbs_object_key((*o)->id));
		if (num)
			KUNIT_EXPECT_GT(test, o[0]->id, o[-1]->id);
		for (i = 1; i < (*o)->num_methods; i++)
			KUNIT_EXPECT_GT(test, (*o)->methods[i].id,
					(*o)->methods[i - 1].id);
	}
	KUNIT_EXPECT_EQ(test, 17, num);
}

static void check_type(struct kunit *test, const struct uverbs_object_def *o)
{
	const struct uverbs_obj_type *type = o->type;

	if (!type)
		return;
	KUNIT_EXPECT_GE(test, type->size, sizeof(struct ib_uobject));
	KUNIT_EXPECT_NOT_NULL(test, type->destroy);
	if (!type->fops)
		return;
	KUNIT_EXPECT_NOT_NULL(test, type->fd_name);
	KUNIT_EXPECT_NOT_NULL(test, type->fops->release);
	KUNIT_EXPECT_NOT_NULL(test, type->fops->owner);
}

static void classes_are_complete(struct kunit *test)
{
	const struct uverbs_object_def *const *o;

	for (o = objects(); *o; o++)
		check_type(test, *o);
}

static void check_attr(struct kunit *test, const struct uverbs_attr_def *a,
		       unsigned int *new_or_destroyed)
{
	bool is_handle = a->kind == UVERBS_KIND_IDR ||
		a->kind == UVERBS_KIND_FD;

	KUNIT_EXPECT_NE(test, 0, uverbs_attr_key(a->id));
	KUNIT_EXPECT_NE(test, UVERBS_KIND_NONE, a->kind);
	KUNIT_EXPECT_GE(test, a->max_len, a->min_len);
	if (!is_handle) {
		/* a descriptor of any file is not data */
		KUNIT_EXPECT_EQ(test, a->kind == UVERBS_KIND_RAW_FD,
				!a->max_len);
		return;
	}
	KUNIT_EXPECT_NE(test, UVERBS_KEY_NONE, uverbs_object_key(a->object));
	/* Descriptors are closed, not destroyed. */
	if (a->kind == UVERBS_KIND_FD)
		KUNIT_EXPECT_TRUE(test, a->access == UVERBS_ACC_READ ||
				  a->access == UVERBS_ACC_NEW);
	if (a->access != UVERBS_ACC_NEW && a->access != UVERBS_ACC_DESTROY)
		return;
	++*new_or_destroyed;
	KUNIT_EXPECT_TRUE(test, a->flags & UVERBS_ATTR_REQUIRED);
}

static void check_method(struct kunit *test, const struct uverbs_method_def *m)
{
	unsigned int i, handles = 0, new_or_destroyed = 0;

	for (i = 0; i < m->num_attrs; i++) {
		check_attr(test, &m->attrs[i], &new_or_destroyed);
		if (m->attrs[i].kind == UVERBS_KIND_IDR ||
		    m->attrs[i].kind == UVERBS_KIND_FD)
			handles++;
		if (i)
			KUNIT_EXPECT_GT(test, m->attrs[i].id,
					m->attrs[i - 1].id);
	}
	/* The end of a call knows how to undo one of them. */
	KUNIT_EXPECT_LE(test, new_or_destroyed, 1);
	KUNIT_EXPECT_LE(test, handles, UVERBS_HELD);
	KUNIT_EXPECT_TRUE(test, m->handler || new_or_destroyed);
	KUNIT_EXPECT_EQ(test, 0, m->needs % sizeof(void *));
	KUNIT_EXPECT_LT(test, m->needs, sizeof(struct ib_device_ops));
}

static void methods_are_sound(struct kunit *test)
{
	const struct uverbs_object_def *const *o;
	unsigned int i;

	for (o = objects(); *o; o++) {
		for (i = 0; i < (*o)->num_methods; i++)
			check_method(test, &(*o)->methods[i]);
	}
}

static void writes_are_sorted_and_sized(struct kunit *test)
{
	const struct uverbs_write_def *w = uverbs_core_tables.writes;
	unsigned int num = 0;
	u32 last = 0, key;

	for (; w->handler; w++, num++) {
		key = uverbs_write_key(w->command,
				       w->flags & UVERBS_WRITE_EX);
		KUNIT_EXPECT_NE(test, UVERBS_KEY_NONE, key);
		KUNIT_EXPECT_GT(test, key, last);
		last = key;
		if (w->flags & UVERBS_WRITE_EX) {
			KUNIT_EXPECT_EQ(test, 0, w->req_size);
			KUNIT_EXPECT_EQ(test, 0, w->resp_size);
			continue;
		}
		KUNIT_EXPECT_GE(test, w->req_size, sizeof(u32));
		/* plain commands start with the address of the response */
		if (w->flags & UVERBS_WRITE_RESP) {
			KUNIT_EXPECT_GE(test, w->req_size, sizeof(u64));
			KUNIT_EXPECT_NE(test, 0, w->resp_size);
		} else {
			KUNIT_EXPECT_EQ(test, 0, w->resp_size);
		}
		KUNIT_EXPECT_EQ(test, 0, w->req_size % sizeof(u32));
		KUNIT_EXPECT_EQ(test, 0, w->resp_size % sizeof(u32));
	}
	KUNIT_EXPECT_EQ(test, 47, num);
}

/* A device that can do everything: any operation that is not NULL will do. */
static void all_of_it_builds(struct kunit *test)
{
	const struct uverbs_object_def *const *o;
	struct ib_device_ops *ops;
	struct uverbs_tree *tree;
	unsigned int i;

	ops = kunit_kzalloc(test, sizeof(*ops), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, ops);
	memset(ops, 0xff, sizeof(*ops));
	ops->uverbs_objects = NULL;
	tree = uverbs_tree_build(ops, &uverbs_core_tables);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, tree);
	for (o = objects(); *o; o++) {
		KUNIT_EXPECT_NOT_NULL(test, uverbs_tree_object(tree, (*o)->id));
		for (i = 0; i < (*o)->num_methods; i++)
			KUNIT_EXPECT_NOT_NULL(test,
					      uverbs_tree_method(tree, (*o)->id,
								 (*o)->methods[i].id));
	}
	uverbs_tree_free(tree);
}

static struct kunit_case tables_cases[] = {
	KUNIT_CASE(objects_are_sorted),
	KUNIT_CASE(classes_are_complete),
	KUNIT_CASE(methods_are_sound),
	KUNIT_CASE(writes_are_sorted_and_sized),
	KUNIT_CASE(all_of_it_builds),
	{}
};

static struct kunit_suite tables_suite = {
	.name		= "ib_uverbs_tables",
	.test_cases	= tables_cases,
};
kunit_test_suite(tables_suite);

MODULE_DESCRIPTION("KUnit: tables of ib_uverbs");
MODULE_IMPORT_NS(IB_NS);
MODULE_IMPORT_NS(IB_KUNIT_NS);
MODULE_LICENSE("GPL");
