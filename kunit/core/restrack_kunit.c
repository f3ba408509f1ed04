// SPDX-License-Identifier: GPL-2.0-only
/* The lists of live objects: numbers, readers, and who may see what when. */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/workqueue.h>
#include <ib/export.h>
#include <ib/mr.h>
#include <ib/pd.h>
#include "kunit/helpers/fake_device.h"
#include "drivers/core/core_priv.h"

static struct ib_pd *new_pd(struct kunit *test, struct fake_device *fake)
{
	struct ib_pd *pd = ib_alloc_pd(&fake->ib, NULL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, pd);
	return pd;
}

static bool is_found(struct fake_device *fake, u32 id)
{
	struct ib_object *obj = ib_object_read(&fake->ib, IB_OBJ_PD, id);

	if (obj)
		ib_object_read_end(obj);
	return obj;
}

static void numbers_are_not_reused_at_once(struct kunit *test)
{
	struct fake_device *fake = fake_device_register(test);
	struct ib_pd *a = new_pd(test, fake), *b = new_pd(test, fake);

	KUNIT_EXPECT_EQ(test, 0, a->obj.id);
	KUNIT_EXPECT_EQ(test, 1, b->obj.id);
	KUNIT_EXPECT_EQ(test, 0, ib_dealloc_pd(a, NULL));
	KUNIT_EXPECT_FALSE(test, is_found(fake, 0));
	a = new_pd(test, fake);
	KUNIT_EXPECT_EQ(test, 2, a->obj.id);
	KUNIT_EXPECT_TRUE(test, is_found(fake, 1));
	KUNIT_EXPECT_TRUE(test, is_found(fake, 2));
	KUNIT_EXPECT_FALSE(test, is_found(fake, 3));
	KUNIT_EXPECT_EQ(test, 0, ib_dealloc_pd(a, NULL));
	KUNIT_EXPECT_EQ(test, 0, ib_dealloc_pd(b, NULL));
}

static void list_is_walked_by_number(struct kunit *test)
{
	struct fake_device *fake = fake_device_register(test);
	struct ib_pd *pds[3];
	struct ib_object *obj;
	unsigned long id = 0;
	int i;

	for (i = 0; i < 3; i++)
		pds[i] = new_pd(test, fake);
	KUNIT_EXPECT_EQ(test, 0, ib_dealloc_pd(pds[1], NULL));
	obj = ib_object_read_next(&fake->ib, IB_OBJ_PD, &id);
	KUNIT_ASSERT_PTR_EQ(test, &pds[0]->obj, obj);
	ib_object_read_end(obj);
	id++;
	obj = ib_object_read_next(&fake->ib, IB_OBJ_PD, &id);
	KUNIT_ASSERT_PTR_EQ(test, &pds[2]->obj, obj);
	KUNIT_EXPECT_EQ(test, 2, id);
	ib_object_read_end(obj);
	id++;
	KUNIT_EXPECT_NULL(test, ib_object_read_next(&fake->ib, IB_OBJ_PD,
						    &id));
	KUNIT_EXPECT_EQ(test, 0, ib_dealloc_pd(pds[0], NULL));
	KUNIT_EXPECT_EQ(test, 0, ib_dealloc_pd(pds[2], NULL));
}

static bool no_numbers(struct fake_device *fake)
{
	unsigned long id = 0;

	return !xa_find(&fake->ib.objects[IB_OBJ_PD].ids, &id, ULONG_MAX,
			XA_PRESENT);
}

static void failed_creation_gives_the_number_back(struct kunit *test)
{
	struct fake_device *fake = fake_device_register(test);
	struct ib_pd *pd;

	fake->fail = -ENOSPC;
	KUNIT_EXPECT_EQ(test, -ENOSPC, PTR_ERR(ib_alloc_pd(&fake->ib, NULL)));
	KUNIT_EXPECT_TRUE(test, no_numbers(fake));
	pd = new_pd(test, fake);
	KUNIT_EXPECT_EQ(test, 0, ib_dealloc_pd(pd, NULL));
	KUNIT_EXPECT_TRUE(test, no_numbers(fake));
}

/* One by one, over the ends of two nodes of the array */
static void one_after_the_other(struct kunit *test)
{
	struct fake_device *fake = fake_device_register(test);
	struct xarray *ids = &fake->ib.objects[IB_OBJ_PD].ids;
	const void *node;
	struct ib_pd *pd;
	u32 id;

	for (id = 0; id < 2 * XA_CHUNK_SIZE + 2; id++) {
		pd = new_pd(test, fake);
		KUNIT_ASSERT_EQ(test, id, pd->obj.id);
		KUNIT_EXPECT_TRUE(test, is_found(fake, id));
		node = rcu_access_pointer(ids->xa_head);
		KUNIT_EXPECT_EQ(test, 0, ib_dealloc_pd(pd, NULL));
		KUNIT_EXPECT_FALSE(test, is_found(fake, id));
		/* not made for this one alone */
		if ((id & XA_CHUNK_MASK) != XA_CHUNK_MASK)
			KUNIT_EXPECT_PTR_EQ(test, node,
					    rcu_access_pointer(ids->xa_head));
	}
	KUNIT_EXPECT_TRUE(test, no_numbers(fake));
}

static void driver_destroys_what_nobody_finds(struct kunit *test)
{
	struct fake_device *fake = fake_device_register(test);
	struct ib_pd *pd = new_pd(test, fake);
	struct ib_mr *mr = ib_get_dma_mr(pd, 0);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, mr);
	/* in use: not even tried, and still there */
	KUNIT_EXPECT_EQ(test, -EBUSY, ib_dealloc_pd(pd, NULL));
	KUNIT_EXPECT_TRUE(test, is_found(fake, pd->obj.id));
	KUNIT_EXPECT_EQ(test, 0, ib_dereg_mr(mr, NULL));

	/* the driver refuses: there again, under its number */
	fake->fail = -EBUSY;
	KUNIT_EXPECT_EQ(test, -EBUSY, ib_dealloc_pd(pd, NULL));
	KUNIT_EXPECT_TRUE(test, is_found(fake, pd->obj.id));
	KUNIT_EXPECT_EQ(test, 1, ib_objects_count(&fake->ib, IB_OBJ_PD));
	KUNIT_EXPECT_EQ(test, 0, ib_dealloc_pd(pd, NULL));
	KUNIT_EXPECT_EQ(test, 0, fake->destroyed_listed);
}

struct destroyer {
	struct work_struct	work;
	struct ib_pd		*pd;
	struct completion	done;
	int			ret;
};

static void destroy_work(struct work_struct *work)
{
	struct destroyer *d = container_of(work, struct destroyer, work);

	d->ret = ib_dealloc_pd(d->pd, NULL);
	complete(&d->done);
}

static void destroying_waits_for_readers(struct kunit *test)
{
	struct fake_device *fake = fake_device_register(test);
	struct destroyer d = { .pd = new_pd(test, fake), .ret = 1 };
	u32 id = d.pd->obj.id;
	struct ib_object *obj;

	init_completion(&d.done);
	INIT_WORK_ONSTACK(&d.work, destroy_work);
	obj = ib_object_read(&fake->ib, IB_OBJ_PD, id);
	KUNIT_ASSERT_NOT_NULL(test, obj);
	schedule_work(&d.work);
	KUNIT_EXPECT_EQ(test, 0,
			wait_for_completion_timeout(&d.done, HZ / 5));
	/* new readers come too late, and the driver was not asked yet */
	KUNIT_EXPECT_FALSE(test, is_found(fake, id));
	KUNIT_EXPECT_EQ(test, 1, fake->made);
	ib_object_read_end(obj);
	wait_for_completion(&d.done);
	KUNIT_EXPECT_EQ(test, 0, d.ret);
	KUNIT_EXPECT_EQ(test, 0, fake->made);
	flush_work(&d.work);
	destroy_work_on_stack(&d.work);
}

static void owner_is_the_module(struct kunit *test)
{
	struct fake_device *fake = fake_device_register(test);
	struct ib_pd *pd = new_pd(test, fake);
	struct ib_mr *mr = ib_get_dma_mr(pd, 0);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, mr);
	KUNIT_EXPECT_STREQ(test, "restrack_kunit", pd->obj.owner);
	KUNIT_EXPECT_STREQ(test, "restrack_kunit", mr->obj.owner);
	KUNIT_EXPECT_NULL(test, mr->obj.context);
	KUNIT_EXPECT_EQ(test, 0, ib_dereg_mr(mr, NULL));
	KUNIT_EXPECT_EQ(test, 0, ib_dealloc_pd(pd, NULL));
}

static struct kunit_case restrack_cases[] = {
	KUNIT_CASE(numbers_are_not_reused_at_once),
	KUNIT_CASE(list_is_walked_by_number),
	KUNIT_CASE(failed_creation_gives_the_number_back),
	KUNIT_CASE(one_after_the_other),
	KUNIT_CASE(driver_destroys_what_nobody_finds),
	KUNIT_CASE(destroying_waits_for_readers),
	KUNIT_CASE(owner_is_the_module),
	{}
};

static struct kunit_suite restrack_suite = {
	.name		= "ib_restrack",
	.test_cases	= restrack_cases,
};

kunit_test_suite(restrack_suite);

MODULE_DESCRIPTION("KUnit: lists of live objects");
MODULE_IMPORT_NS(IB_NS);
MODULE_IMPORT_NS(IB_KUNIT_NS);
MODULE_LICENSE("GPL");
