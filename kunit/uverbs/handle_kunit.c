// SPDX-License-Identifier: GPL-2.0-only
/* The life of a handle, and who may use it together with whom. */
#include <kunit/test.h>
#include <linux/module.h>
#include <ib/export.h>
#include "handle.h"

static const struct uverbs_obj_type type = {
	.size = sizeof(struct ib_uobject),
};

static const struct uverbs_obj_type other_type = {
	.size = sizeof(struct ib_uobject),
};

static struct uverbs_table *new_table(struct kunit *test)
{
	struct uverbs_table *table;

	table = kunit_kzalloc(test, sizeof(*table), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, table);
	KUNIT_ASSERT_EQ(test, 0, uverbs_table_init(table));
	return table;
}

static struct ib_uobject *reserved(struct kunit *test,
				   struct uverbs_table *table)
{
	struct ib_uobject *uobj = uverbs_uobj_alloc(&type);

	KUNIT_ASSERT_NOT_NULL(test, uobj);
	KUNIT_ASSERT_EQ(test, 0, uverbs_handle_reserve(table, uobj));
	return uobj;
}

static struct ib_uobject *published(struct kunit *test,
				    struct uverbs_table *table)
{
	struct ib_uobject *uobj = reserved(test, table);

	uverbs_handle_publish(uobj);
	return uobj;
}

static long find_err(struct uverbs_table *table, s64 id)
{
	return PTR_ERR(uverbs_handle_find(table, &type, id));
}

static bool no_ids(struct uverbs_table *table)
{
	unsigned long id = 0;

	return !xa_find(&table->ids, &id, ULONG_MAX, XA_PRESENT);
}

static void reserved_is_not_found(struct kunit *test)
{
	struct uverbs_table *table = new_table(test);
	struct ib_uobject *uobj = reserved(test, table);

	KUNIT_EXPECT_EQ(test, -ENOENT, find_err(table, uobj->id));
	uverbs_handle_publish(uobj);
	KUNIT_EXPECT_PTR_EQ(test, uobj,
			    uverbs_handle_find(table, &type, uobj->id));
	uverbs_uobj_put(uobj);

	KUNIT_EXPECT_EQ(test, 0, uverbs_uobj_lock(uobj, UVERBS_ACC_WRITE));
	uverbs_handle_remove(table, uobj);
	uverbs_table_destroy(table);
}

static void aborted_id_is_free_again(struct kunit *test)
{
	struct uverbs_table *table = new_table(test);
	struct ib_uobject *uobj = reserved(test, table);
	int id = uobj->id;

	uverbs_handle_remove(table, uobj);
	KUNIT_EXPECT_EQ(test, -ENOENT, find_err(table, id));
	uobj = reserved(test, table);
	KUNIT_EXPECT_EQ(test, id, uobj->id);
	uverbs_handle_remove(table, uobj);
	KUNIT_EXPECT_TRUE(test, no_ids(table));
	KUNIT_EXPECT_TRUE(test, list_empty(&table->objects));
	uverbs_table_destroy(table);
}

/* As when the device goes: the object is over, its handle is not. */
static void unlinked_keeps_its_id(struct kunit *test)
{
	struct uverbs_table *table = new_table(test);
	struct ib_uobject *uobj = published(test, table);

	uverbs_table_unlink(table, uobj);
	KUNIT_EXPECT_TRUE(test, list_empty(&table->objects));
	uverbs_table_unlink(table, uobj);
	KUNIT_EXPECT_PTR_EQ(test, uobj,
			    uverbs_handle_find(table, &type, uobj->id));
	uverbs_uobj_put(uobj);
	KUNIT_EXPECT_EQ(test, 1, kref_read(&uobj->ref));
	uverbs_handle_remove(table, uobj);
	KUNIT_EXPECT_TRUE(test, no_ids(table));
	uverbs_table_destroy(table);
}

static void wrong_numbers(struct kunit *test)
{
	struct uverbs_table *table = new_table(test);
	struct ib_uobject *uobj = published(test, table);

	KUNIT_EXPECT_EQ(test, -EINVAL, find_err(table, -1));
	KUNIT_EXPECT_EQ(test, -EINVAL, find_err(table, S64_MIN));
	KUNIT_EXPECT_EQ(test, -ENOENT, find_err(table, uobj->id + 1));
	KUNIT_EXPECT_EQ(test, -ENOENT, find_err(table, (1LL << 32) + uobj->id));
	KUNIT_EXPECT_EQ(test, -ENOENT, find_err(table, S64_MAX));
	KUNIT_EXPECT_EQ(test, -EINVAL,
			PTR_ERR(uverbs_handle_find(table, &other_type,
						   uobj->id)));
	uverbs_handle_remove(table, uobj);
	uverbs_table_destroy(table);
}

static void readers_share_writers_exclude(struct kunit *test)
{
	struct uverbs_table *table = new_table(test);
	struct ib_uobject *uobj = published(test, table);

	KUNIT_EXPECT_EQ(test, 0, uverbs_uobj_lock(uobj, UVERBS_ACC_READ));
	KUNIT_EXPECT_EQ(test, 0, uverbs_uobj_lock(uobj, UVERBS_ACC_READ));
	KUNIT_EXPECT_EQ(test, -EBUSY,
			uverbs_uobj_lock(uobj, UVERBS_ACC_WRITE));
	uverbs_uobj_unlock(uobj, UVERBS_ACC_READ);
	KUNIT_EXPECT_EQ(test, -EBUSY,
			uverbs_uobj_lock(uobj, UVERBS_ACC_WRITE));
	uverbs_uobj_unlock(uobj, UVERBS_ACC_READ);

	KUNIT_EXPECT_EQ(test, 0, uverbs_uobj_lock(uobj, UVERBS_ACC_WRITE));
	KUNIT_EXPECT_EQ(test, -EBUSY, uverbs_uobj_lock(uobj, UVERBS_ACC_READ));
	KUNIT_EXPECT_EQ(test, -EBUSY,
			uverbs_uobj_lock(uobj, UVERBS_ACC_WRITE));
	uverbs_uobj_unlock(uobj, UVERBS_ACC_WRITE);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&uobj->usecnt));
	uverbs_handle_remove(table, uobj);
	uverbs_table_destroy(table);
}

/* A destroyer does not lock when it looks up, only when it destroys. */
static void of_two_destroyers_one_wins(struct kunit *test)
{
	struct uverbs_table *table = new_table(test);
	struct ib_uobject *uobj = published(test, table);
	struct ib_uobject *first, *second;

	first = uverbs_handle_find(table, &type, uobj->id);
	second = uverbs_handle_find(table, &type, uobj->id);
	KUNIT_ASSERT_PTR_EQ(test, uobj, first);
	KUNIT_ASSERT_PTR_EQ(test, uobj, second);
	KUNIT_EXPECT_EQ(test, 0, uverbs_uobj_lock(first, UVERBS_ACC_DESTROY));
	KUNIT_EXPECT_EQ(test, 0, uverbs_uobj_lock(second, UVERBS_ACC_DESTROY));

	KUNIT_EXPECT_EQ(test, 0, uverbs_uobj_lock(first, UVERBS_ACC_WRITE));
	KUNIT_EXPECT_EQ(test, -EBUSY,
			uverbs_uobj_lock(second, UVERBS_ACC_WRITE));
	uverbs_handle_remove(table, first);
	uverbs_uobj_unlock(first, UVERBS_ACC_DESTROY);

	/* The late one still has memory, and still is refused. */
	KUNIT_EXPECT_EQ(test, -EBUSY,
			uverbs_uobj_lock(second, UVERBS_ACC_WRITE));
	KUNIT_EXPECT_EQ(test, -ENOENT, find_err(table, second->id));
	uverbs_uobj_put(first);
	uverbs_uobj_put(second);
	KUNIT_EXPECT_TRUE(test, no_ids(table));
	uverbs_table_destroy(table);
}

/* A file with few handles does not allocate for them, nor free. */
static void first_node_stays(struct kunit *test)
{
	struct uverbs_table *table = new_table(test);
	struct ib_uobject *first = published(test, table);
	const void *node = rcu_access_pointer(table->ids.xa_head);
	struct ib_uobject *second = published(test, table);

	KUNIT_EXPECT_TRUE(test, xa_is_node(node));
	uverbs_handle_remove(table, second);
	KUNIT_EXPECT_PTR_EQ(test, node, rcu_access_pointer(table->ids.xa_head));
	uverbs_handle_remove(table, first);
	KUNIT_EXPECT_PTR_EQ(test, node, rcu_access_pointer(table->ids.xa_head));
	uverbs_table_destroy(table);
}

static int nth_id(int n)
{
	return n < UVERBS_ID_UNUSED ? n : n + 1;
}

static void many_handles(struct kunit *test)
{
	struct uverbs_table *table = new_table(test);
	struct ib_uobject *uobj;
	int i;

	for (i = 0; i < 1000; i++) {
		uobj = published(test, table);
		KUNIT_ASSERT_EQ(test, nth_id(i), uobj->id);
	}
	KUNIT_EXPECT_EQ(test, -ENOENT, find_err(table, UVERBS_ID_UNUSED));
	/* the newest first */
	uobj = list_first_entry(&table->objects, struct ib_uobject, entry);
	KUNIT_EXPECT_EQ(test, nth_id(999), uobj->id);
	for (i = 0; i < 1000; i += 2) {
		uobj = uverbs_handle_find(table, &type, nth_id(i));
		KUNIT_ASSERT_FALSE(test, IS_ERR(uobj));
		uverbs_handle_remove(table, uobj);
		uverbs_uobj_put(uobj);
	}
	for (i = 0; i < 1000; i++) {
		uobj = uverbs_handle_find(table, &type, nth_id(i));
		KUNIT_ASSERT_EQ(test, !(i % 2), IS_ERR(uobj));
		if (IS_ERR(uobj))
			continue;
		uverbs_handle_remove(table, uobj);
		uverbs_uobj_put(uobj);
	}
	KUNIT_EXPECT_TRUE(test, list_empty(&table->objects));
	KUNIT_EXPECT_TRUE(test, no_ids(table));
	uverbs_table_destroy(table);
}

static struct kunit_case handle_cases[] = {
	KUNIT_CASE(reserved_is_not_found),
	KUNIT_CASE(aborted_id_is_free_again),
	KUNIT_CASE(unlinked_keeps_its_id),
	KUNIT_CASE(wrong_numbers),
	KUNIT_CASE(readers_share_writers_exclude),
	KUNIT_CASE(of_two_destroyers_one_wins),
	KUNIT_CASE(first_node_stays),
	KUNIT_CASE(many_handles),
	{}
};

static struct kunit_suite handle_suite = {
	.name		= "ib_uverbs_handle",
	.test_cases	= handle_cases,
};
kunit_test_suite(handle_suite);

MODULE_DESCRIPTION("KUnit: handles of an open file");
MODULE_IMPORT_NS(IB_NS);
MODULE_IMPORT_NS(IB_KUNIT_NS);
MODULE_LICENSE("GPL");
