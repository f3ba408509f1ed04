// SPDX-License-Identifier: GPL-2.0-only
/* Lists of translation entries, cut into requests. */
#include <kunit/static_stub.h>
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/string.h>
#include <compat.h>
#include "drivers/connectx/cmd.h"
#include "drivers/connectx/cx.h"
#include "drivers/connectx/umr.h"

#define KEY	0xabcd01
#define MAX_ASKED	4

/* What the adapter was asked for, and what it is made to say */
static struct {
	unsigned int		calls;
	unsigned int		refused;	/* which call, from 1 */
	struct cx_umr_req	req[MAX_ASKED];
	u64			sum[MAX_ASKED];	/* of the entries */
	__be64			last[MAX_ASKED];	/* entry */
} asked;

struct umr_test {
	struct cx_dev		cx;
	struct cx_umr		umr;
	struct cx_umr_xlt	xlt;
	struct cx_mkey_params	params;
	u64			next;		/* entry to be asked for */
};

static int asked_exec(struct cx_dev *cx, struct cx_umr *u,
		      const struct cx_umr_req *r)
{
	const __be64 *entries = u->xlt.mem;
	unsigned int n = asked.calls++;
	u32 i;

	if (n < MAX_ASKED) {
		asked.req[n] = *r;
		for (i = 0; i < r->count; i++)
			asked.sum[n] += be64_to_cpu(entries[i]);
		asked.last[n] = entries[r->count - 1];
	}
	return asked.calls == asked.refused ? -EIO : 0;
}

/* Entry n is n + 1, in order. */
static void fill(void *arg, __be64 *entries, u64 at, u32 n)
{
	struct umr_test *t = arg;
	u32 i;

	if (t->next != at)
		return;
	t->next += n;
	for (i = 0; i < n; i++)
		entries[i] = cpu_to_be64(at + i + 1);
}

static int umr_init(struct kunit *test)
{
	struct umr_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, t);
	memset(&asked, 0, sizeof(asked));
	mutex_init(&t->umr.lock);
	t->umr.made = true;
	t->umr.lkey = 0xfe00;
	t->umr.xlt.dma = 0x123000;
	t->umr.xlt.mem = kunit_kmalloc(test, CX_UMR_CHUNK * sizeof(__be64),
				       GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, t->umr.xlt.mem);
	memset(t->umr.xlt.mem, 0xff, CX_UMR_CHUNK * sizeof(__be64));
	t->xlt = (struct cx_umr_xlt) {
		.mkey = KEY,
		.fill = fill,
		.arg = t,
		.cond = CX_UMR_IF_FREE,
		.p = &t->params,
		.fields = BIT_ULL(CX_UMR_FREE),
	};
	kunit_activate_static_stub(test, __cx_umr_exec, asked_exec);
	test->priv = t;
	return 0;
}

static u64 sum_to(u64 n)
{
	return n * (n + 1) / 2;
}

static void a_short_list(struct kunit *test)
{
	struct umr_test *t = test->priv;
	const struct cx_umr_req *r = &asked.req[0];

	t->xlt.first = 16;
	t->xlt.count = 5;
	t->next = 16;
	KUNIT_EXPECT_EQ(test, 0, cx_umr_translate(&t->cx, &t->umr, &t->xlt));
	KUNIT_EXPECT_EQ(test, 1, asked.calls);
	KUNIT_EXPECT_EQ(test, KEY, r->mkey);
	KUNIT_EXPECT_EQ(test, CX_UMR_IF_FREE, r->cond);
	KUNIT_EXPECT_EQ(test, BIT_ULL(CX_UMR_FREE), r->fields);
	KUNIT_EXPECT_PTR_EQ(test, &t->params, r->p);
	KUNIT_EXPECT_EQ(test, 0x123000, r->xlt);
	KUNIT_EXPECT_EQ(test, 0xfe00, r->xlt_lkey);
	KUNIT_EXPECT_EQ(test, 16, r->first);
	/* the rest of the group is zero */
	KUNIT_EXPECT_EQ(test, CX_UMR_GROUP, r->count);
	KUNIT_EXPECT_EQ(test, sum_to(21) - sum_to(16), asked.sum[0]);
}

/* The fields change with the last entry, no sooner. */
static void a_long_list(struct kunit *test)
{
	struct umr_test *t = test->priv;
	u64 n = 2 * CX_UMR_CHUNK + 9;
	unsigned int i;

	t->xlt.count = n;
	KUNIT_EXPECT_EQ(test, 0, cx_umr_translate(&t->cx, &t->umr, &t->xlt));
	KUNIT_ASSERT_EQ(test, 3, asked.calls);
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_EQ(test, i * CX_UMR_CHUNK, asked.req[i].first);
		KUNIT_EXPECT_EQ(test, i < 2 ? CX_UMR_CHUNK : 16,
				asked.req[i].count);
		KUNIT_EXPECT_EQ(test, i < 2 ? 0 : BIT_ULL(CX_UMR_FREE),
				asked.req[i].fields);
		KUNIT_EXPECT_EQ(test, CX_UMR_IF_FREE, asked.req[i].cond);
	}
	KUNIT_EXPECT_EQ(test, sum_to(n),
			asked.sum[0] + asked.sum[1] + asked.sum[2]);
	KUNIT_EXPECT_EQ(test, 2 * CX_UMR_CHUNK, be64_to_cpu(asked.last[1]));
	KUNIT_EXPECT_EQ(test, 0, be64_to_cpu(asked.last[2]));
}

static void a_list_of_whole_requests(struct kunit *test)
{
	struct umr_test *t = test->priv;

	t->xlt.count = CX_UMR_CHUNK;
	KUNIT_EXPECT_EQ(test, 0, cx_umr_translate(&t->cx, &t->umr, &t->xlt));
	KUNIT_EXPECT_EQ(test, 1, asked.calls);
	KUNIT_EXPECT_EQ(test, BIT_ULL(CX_UMR_FREE), asked.req[0].fields);
}

static void refused_in_the_middle(struct kunit *test)
{
	struct umr_test *t = test->priv;

	t->xlt.count = 3 * CX_UMR_CHUNK;
	asked.refused = 2;
	KUNIT_EXPECT_EQ(test, -EIO, cx_umr_translate(&t->cx, &t->umr, &t->xlt));
	KUNIT_EXPECT_EQ(test, 2, asked.calls);
	KUNIT_EXPECT_EQ(test, 0, asked.req[1].fields);
}

static void taken_away(struct kunit *test)
{
	struct umr_test *t = test->priv;
	u64 n = CX_UMR_CHUNK + 1;

	cx_umr_zap(&t->cx, &t->umr, KEY, 8, n);
	KUNIT_ASSERT_EQ(test, 2, asked.calls);
	KUNIT_EXPECT_EQ(test, 8, asked.req[0].first);
	KUNIT_EXPECT_EQ(test, CX_UMR_CHUNK + 8, asked.req[1].first);
	KUNIT_EXPECT_EQ(test, CX_UMR_GROUP, asked.req[1].count);
	KUNIT_EXPECT_EQ(test, 0, asked.sum[0] + asked.sum[1]);
	KUNIT_EXPECT_EQ(test, 0, asked.req[0].cond);
	KUNIT_EXPECT_EQ(test, 0, asked.req[1].fields);
}

/* A refusal may be of somebody else's making: once more, from the start. */
static void taken_away_at_the_second_attempt(struct kunit *test)
{
	struct umr_test *t = test->priv;

	asked.refused = 2;
	cx_umr_zap(&t->cx, &t->umr, KEY, 0, CX_UMR_CHUNK + 1);
	KUNIT_EXPECT_EQ(test, 4, asked.calls);
	KUNIT_EXPECT_EQ(test, 0, asked.req[2].first);
	KUNIT_EXPECT_EQ(test, CX_UMR_CHUNK, asked.req[3].first);
}

static struct kunit_case umr_cases[] = {
	KUNIT_CASE(a_short_list),
	KUNIT_CASE(a_long_list),
	KUNIT_CASE(a_list_of_whole_requests),
	KUNIT_CASE(refused_in_the_middle),
	KUNIT_CASE(taken_away),
	KUNIT_CASE(taken_away_at_the_second_attempt),
	{}
};

static struct kunit_suite umr_suite = {
	.name = "connectx_umr",
	.init = umr_init,
	.test_cases = umr_cases,
};

kunit_test_suite(umr_suite);

MODULE_DESCRIPTION("KUnit: changes of memory keys");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(IB_KUNIT_NS);
