// SPDX-License-Identifier: GPL-2.0-only
/* Free keys: who comes, who is taken, and who goes with age. */
#include <kunit/static_stub.h>
#include <kunit/test.h>
#include <linux/module.h>
#include <compat.h>
#include "drivers/connectx/cmd.h"
#include "drivers/connectx/cx.h"
#include "drivers/connectx/objects.h"

#define ROOM	8		/* of the first class */
#define PLACES	8
#define KEY	0x1000
#define DOMAIN	0x77

/* What the adapter was asked for, and what it is made to say */
static struct {
	int revoked, destroyed;
	int ret;		/* of a request */
	u32 last;		/* key that was destroyed */
	struct cx_umr_req req;
	struct cx_mkey_params params;
	struct cx_mkey_pool *rival;	/* somebody wants a place of it meanwhile */
} asked;

static void come(struct cx_mkey_pool *pool, u32 mkey)
{
	const struct cx_pool_key key = { .mkey = mkey, .room = ROOM };

	if (cx_pool_reserve(pool, ROOM))
		cx_pool_settle(pool, &key, true);
}

static int asked_exec(struct cx_dev *cx, struct cx_umr *u,
		      const struct cx_umr_req *r)
{
	asked.revoked++;
	asked.req = *r;
	asked.params = *r->p;
	if (asked.rival)
		come(asked.rival, KEY + 0xfff);
	return asked.ret;
}

static int asked_destroy(struct cx_dev *cx, u32 mkey)
{
	asked.destroyed++;
	asked.last = mkey;
	return 0;
}

static int pool_init(struct kunit *test)
{
	struct cx_verbs *v = kunit_kzalloc(test, sizeof(*v), GFP_KERNEL);
	struct cx_dev *cx = kunit_kzalloc(test, sizeof(*cx), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, v);
	KUNIT_ASSERT_NOT_NULL(test, cx);
	memset(&asked, 0, sizeof(asked));
	v->cx = cx;
	mutex_init(&v->umr.make_lock);
	mutex_init(&v->umr.lock);
	v->umr.made = true;
	v->umr.pdn = DOMAIN;
	spin_lock_init(&v->pool.lock);
	v->pool.max = PLACES;
	v->pool.open = true;
	for (i = 0; i < CX_POOL_CLASSES; i++) {
		/* a pool that keeps too many shall not write over others */
		v->pool.classes[i].keys = kunit_kcalloc(test, 2 * PLACES,
							sizeof(u32),
							GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, v->pool.classes[i].keys);
	}
	kunit_activate_static_stub(test, __cx_umr_exec, asked_exec);
	kunit_activate_static_stub(test, cx_cmd_destroy_mkey, asked_destroy);
	test->priv = v;
	return 0;
}

static bool give(struct cx_verbs *v, u32 mkey)
{
	const struct cx_pool_key key = { .mkey = mkey, .room = ROOM };

	return cx_mkey_pool_give(v->cx, &v->pool, &key);
}

static void last_come_first_taken(struct kunit *test)
{
	struct cx_verbs *v = test->priv;
	u32 mkey = 0;
	int i;

	KUNIT_EXPECT_FALSE(test, cx_mkey_pool_take(&v->pool, ROOM, &mkey));
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_TRUE(test, give(v, KEY + i));
	/* other sizes have their own */
	KUNIT_EXPECT_FALSE(test, cx_mkey_pool_take(&v->pool, 4 * ROOM, &mkey));
	for (i = 2; i >= 0; i--) {
		KUNIT_EXPECT_TRUE(test,
				  cx_mkey_pool_take(&v->pool, ROOM, &mkey));
		KUNIT_EXPECT_EQ(test, KEY + i, mkey);
	}
	KUNIT_EXPECT_FALSE(test, cx_mkey_pool_take(&v->pool, ROOM, &mkey));
}

/* Nothing that its user may have changed is left in it. */
static void a_key_is_made_free(struct kunit *test)
{
	const u64 fields = BIT_ULL(CX_UMR_FREE) | BIT_ULL(CX_UMR_PD) |
			   BIT_ULL(CX_UMR_QPN) | BIT_ULL(CX_UMR_EN_RINVAL);
	struct cx_verbs *v = test->priv;

	KUNIT_EXPECT_TRUE(test, give(v, KEY));
	KUNIT_EXPECT_EQ(test, KEY, asked.req.mkey);
	KUNIT_EXPECT_EQ(test, CX_UMR_IF_IN_USE, asked.req.cond);
	KUNIT_EXPECT_EQ(test, fields, asked.req.fields);
	KUNIT_EXPECT_TRUE(test, asked.params.free);
	KUNIT_EXPECT_EQ(test, DOMAIN, asked.params.pdn);
	v->cx->caps.umr_order_write = true;
	KUNIT_EXPECT_TRUE(test, give(v, KEY + 1));
	KUNIT_EXPECT_EQ(test, fields | BIT_ULL(CX_UMR_ORDER_WRITE),
			asked.req.fields);
	v->cx->caps.umr_order_write = false;
	v->cx->caps.umr_order_read = true;
	KUNIT_EXPECT_TRUE(test, give(v, KEY + 2));
	KUNIT_EXPECT_EQ(test, fields | BIT_ULL(CX_UMR_ORDER_READ),
			asked.req.fields);
	KUNIT_EXPECT_FALSE(test, asked.params.relaxed_order);
}

/* One that has to be destroyed was not touched. */
static void a_full_pool(struct kunit *test)
{
	struct cx_verbs *v = test->priv;
	int i;

	for (i = 0; i < PLACES; i++)
		KUNIT_EXPECT_TRUE(test, give(v, KEY + i));
	KUNIT_EXPECT_FALSE(test, give(v, KEY + PLACES));
	KUNIT_EXPECT_EQ(test, PLACES, asked.revoked);
}

/*
 * Another key comes while this one is made free: the place is this one's, for a
 * free key that is sent away may be one that the adapter does not destroy.
 */
static void a_race_for_the_last_place(struct kunit *test)
{
	struct cx_verbs *v = test->priv;
	u32 mkey = 0;
	int i;

	for (i = 0; i < PLACES - 1; i++)
		come(&v->pool, KEY + i);
	asked.rival = &v->pool;
	KUNIT_EXPECT_TRUE(test, give(v, KEY + PLACES));
	KUNIT_EXPECT_EQ(test, PLACES, v->pool.classes[0].num);
	KUNIT_EXPECT_TRUE(test, cx_mkey_pool_take(&v->pool, ROOM, &mkey));
	KUNIT_EXPECT_EQ(test, KEY + PLACES, mkey);
}

/* The places of keys that did not come are for others. */
static void the_adapter_refuses(struct kunit *test)
{
	struct cx_verbs *v = test->priv;
	int i;

	asked.ret = -EIO;
	for (i = 0; i < 2 * PLACES; i++)
		KUNIT_EXPECT_FALSE(test, give(v, KEY));
	KUNIT_EXPECT_EQ(test, 2 * PLACES, asked.revoked);
	KUNIT_EXPECT_EQ(test, 0, v->pool.classes[0].num);
	asked.ret = 0;
	for (i = 0; i < PLACES; i++)
		KUNIT_EXPECT_TRUE(test, give(v, KEY + i));
}

static void a_closed_pool(struct kunit *test)
{
	struct cx_verbs *v = test->priv;

	v->pool.open = false;
	KUNIT_EXPECT_FALSE(test, give(v, KEY));
	KUNIT_EXPECT_EQ(test, 0, asked.revoked);
}

/* Let time pass; so many keys go, and so many are left. */
static void expect_aged(struct kunit *test, int gone, int left)
{
	struct cx_verbs *v = test->priv;

	asked.destroyed = 0;
	cx_pool_age(v->cx, &v->pool);
	KUNIT_EXPECT_EQ(test, gone, asked.destroyed);
	KUNIT_EXPECT_EQ(test, left, v->pool.classes[0].num);
}

static void keys_that_nobody_needs(struct kunit *test)
{
	static const int left[] = { 7, 3, 1, 0, 0 };
	struct cx_verbs *v = test->priv;
	int i, before = 7;

	for (i = 0; i < 7; i++)
		come(&v->pool, KEY + i);
	/* they came since the last time: there were none */
	for (i = 0; i < ARRAY_SIZE(left); i++) {
		expect_aged(test, before - left[i], left[i]);
		before = left[i];
	}
	KUNIT_EXPECT_EQ(test, KEY, asked.last);
}

/* All but two were in use for a moment: of these two one goes. */
static void keys_that_are_needed(struct kunit *test)
{
	struct cx_verbs *v = test->priv;
	u32 mkey[PLACES];
	int i;

	for (i = 0; i < PLACES; i++)
		come(&v->pool, KEY + i);
	expect_aged(test, 0, PLACES);
	for (i = 0; i < PLACES - 2; i++)
		KUNIT_EXPECT_TRUE(test, cx_mkey_pool_take(&v->pool, ROOM,
							  &mkey[i]));
	for (i = 0; i < PLACES - 2; i++)
		come(&v->pool, mkey[i]);
	expect_aged(test, 1, PLACES - 1);
	/* nobody took any since */
	expect_aged(test, 4, 3);
	/* and now all of them */
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_TRUE(test, cx_mkey_pool_take(&v->pool, ROOM,
							  &mkey[i]));
	for (i = 0; i < 3; i++)
		come(&v->pool, mkey[i]);
	expect_aged(test, 0, 3);
}

static struct kunit_case pool_cases[] = {
	KUNIT_CASE(last_come_first_taken),
	KUNIT_CASE(a_key_is_made_free),
	KUNIT_CASE(a_full_pool),
	KUNIT_CASE(a_race_for_the_last_place),
	KUNIT_CASE(the_adapter_refuses),
	KUNIT_CASE(a_closed_pool),
	KUNIT_CASE(keys_that_nobody_needs),
	KUNIT_CASE(keys_that_are_needed),
	{}
};

static struct kunit_suite pool_suite = {
	.name = "connectx_mkey_pool",
	.init = pool_init,
	.test_cases = pool_cases,
};

kunit_test_suite(pool_suite);

MODULE_DESCRIPTION("KUnit: free memory keys");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(IB_KUNIT_NS);
