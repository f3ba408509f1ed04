// SPDX-License-Identifier: GPL-2.0-only
/* The state table of queue pairs, and the checks of ib_modify_qp(). */
#include <kunit/test.h>
#include <linux/bits.h>
#include <linux/module.h>
#include <ib/cq.h>
#include <ib/export.h>
#include <ib/pd.h>
#include <ib/qp.h>
#include "kunit/helpers/fake_device.h"

#define RC_INIT	(IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT | \
		 IB_QP_ACCESS_FLAGS)
#define RC_RTR	(IB_QP_STATE | IB_QP_AV | IB_QP_PATH_MTU | IB_QP_DEST_QPN | \
		 IB_QP_RQ_PSN | IB_QP_MAX_DEST_RD_ATOMIC | \
		 IB_QP_MIN_RNR_TIMER)
#define RC_RTS	(IB_QP_STATE | IB_QP_TIMEOUT | IB_QP_RETRY_CNT | \
		 IB_QP_RNR_RETRY | IB_QP_SQ_PSN | IB_QP_MAX_QP_RD_ATOMIC)

/* A step with all it needs; every bit but the state is needed. */
struct step {
	const char		*name;
	enum ib_qp_state	cur;
	enum ib_qp_state	next;
	enum ib_qp_type		type;
	int			needs;
	int			takes;
};

static const struct step steps[] = {
	{
		.name = "RC reset to init", .type = IB_QPT_RC,
		.cur = IB_QPS_RESET, .next = IB_QPS_INIT,
		.needs = RC_INIT,
	}, {
		.name = "RC init to RTR", .type = IB_QPT_RC,
		.cur = IB_QPS_INIT, .next = IB_QPS_RTR,
		.needs = RC_RTR,
		.takes = IB_QP_ALT_PATH | IB_QP_ACCESS_FLAGS |
			 IB_QP_PKEY_INDEX,
	}, {
		.name = "RC RTR to RTS", .type = IB_QPT_RC,
		.cur = IB_QPS_RTR, .next = IB_QPS_RTS,
		.needs = RC_RTS,
		.takes = IB_QP_CUR_STATE | IB_QP_ALT_PATH |
			 IB_QP_ACCESS_FLAGS | IB_QP_MIN_RNR_TIMER |
			 IB_QP_PATH_MIG_STATE,
	}, {
		.name = "UC init to RTR", .type = IB_QPT_UC,
		.cur = IB_QPS_INIT, .next = IB_QPS_RTR,
		.needs = IB_QP_STATE | IB_QP_AV | IB_QP_PATH_MTU |
			 IB_QP_DEST_QPN | IB_QP_RQ_PSN,
		.takes = IB_QP_ALT_PATH | IB_QP_ACCESS_FLAGS |
			 IB_QP_PKEY_INDEX,
	}, {
		.name = "UD reset to init", .type = IB_QPT_UD,
		.cur = IB_QPS_RESET, .next = IB_QPS_INIT,
		.needs = IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT |
			 IB_QP_QKEY,
	}, {
		.name = "UD RTR to RTS", .type = IB_QPT_UD,
		.cur = IB_QPS_RTR, .next = IB_QPS_RTS,
		.needs = IB_QP_STATE | IB_QP_SQ_PSN,
		.takes = IB_QP_CUR_STATE | IB_QP_QKEY,
	}, {
		.name = "GSI reset to init", .type = IB_QPT_GSI,
		.cur = IB_QPS_RESET, .next = IB_QPS_INIT,
		.needs = IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_QKEY,
	}, {
		.name = "XRC target RTR to RTS", .type = IB_QPT_XRC_TGT,
		.cur = IB_QPS_RTR, .next = IB_QPS_RTS,
		.needs = IB_QP_STATE | IB_QP_TIMEOUT | IB_QP_SQ_PSN,
		.takes = IB_QP_CUR_STATE | IB_QP_ALT_PATH |
			 IB_QP_ACCESS_FLAGS | IB_QP_MIN_RNR_TIMER |
			 IB_QP_PATH_MIG_STATE,
	}, {
		.name = "raw packet RTR to RTS", .type = IB_QPT_RAW_PACKET,
		.cur = IB_QPS_RTR, .next = IB_QPS_RTS,
		.needs = IB_QP_STATE, .takes = IB_QP_RATE_LIMIT,
	}, {
		.name = "RC RTS to SQD", .type = IB_QPT_RC,
		.cur = IB_QPS_RTS, .next = IB_QPS_SQD,
		.needs = IB_QP_STATE, .takes = IB_QP_EN_SQD_ASYNC_NOTIFY,
	}, {
		.name = "RC drained", .type = IB_QPT_RC,
		.cur = IB_QPS_SQD, .next = IB_QPS_SQD,
		.needs = 0,
		.takes = IB_QP_STATE | IB_QP_PORT | IB_QP_AV | IB_QP_TIMEOUT |
			 IB_QP_RETRY_CNT | IB_QP_RNR_RETRY |
			 IB_QP_MAX_QP_RD_ATOMIC | IB_QP_MAX_DEST_RD_ATOMIC |
			 IB_QP_ALT_PATH | IB_QP_ACCESS_FLAGS |
			 IB_QP_PKEY_INDEX | IB_QP_MIN_RNR_TIMER |
			 IB_QP_PATH_MIG_STATE,
	}, {
		.name = "UD back from a send error", .type = IB_QPT_UD,
		.cur = IB_QPS_SQE, .next = IB_QPS_RTS,
		.needs = 0,
		.takes = IB_QP_STATE | IB_QP_CUR_STATE | IB_QP_QKEY,
	},
};

static void one_step(struct kunit *test)
{
	const struct step *s = test->param_value;
	int bit;

	KUNIT_EXPECT_TRUE(test, ib_modify_qp_is_ok(s->cur, s->next, s->type,
						   s->needs | s->takes));
	for (bit = 0; bit < 31; bit++) {
		int mask = s->needs ^ BIT(bit);
		bool ok = s->takes & BIT(bit);

		/* the state is asked for or unchanged, it is never missed */
		if (BIT(bit) == IB_QP_STATE)
			continue;
		KUNIT_EXPECT_EQ_MSG(test, ok,
				    ib_modify_qp_is_ok(s->cur, s->next,
						       s->type, mask),
				    "bit %d", bit);
	}
}

static void step_name(const struct step *s, char *desc)
{
	strscpy(desc, s->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(steps, steps, step_name);

/* A row per state: those that may follow it without any attribute but one */
static void graph(struct kunit *test)
{
	static const u8 follows[IB_QPS_COUNT] = {
		[IB_QPS_RESET]	= BIT(IB_QPS_RESET),
		[IB_QPS_INIT]	= BIT(IB_QPS_RESET) | BIT(IB_QPS_ERR) |
				  BIT(IB_QPS_INIT),
		[IB_QPS_RTR]	= BIT(IB_QPS_RESET) | BIT(IB_QPS_ERR),
		[IB_QPS_RTS]	= BIT(IB_QPS_RESET) | BIT(IB_QPS_ERR) |
				  BIT(IB_QPS_RTS) | BIT(IB_QPS_SQD),
		[IB_QPS_SQD]	= BIT(IB_QPS_RESET) | BIT(IB_QPS_ERR) |
				  BIT(IB_QPS_RTS) | BIT(IB_QPS_SQD),
		[IB_QPS_SQE]	= BIT(IB_QPS_RESET) | BIT(IB_QPS_ERR) |
				  BIT(IB_QPS_RTS),
		[IB_QPS_ERR]	= BIT(IB_QPS_RESET) | BIT(IB_QPS_ERR),
	};
	int cur, next;

	for (cur = 0; cur < IB_QPS_COUNT; cur++)
		for (next = 0; next < IB_QPS_COUNT; next++)
			KUNIT_EXPECT_EQ_MSG(test,
					    !!(follows[cur] & BIT(next)),
					    ib_modify_qp_is_ok(cur, next,
							       IB_QPT_RC,
							       IB_QP_STATE),
					    "%d to %d", cur, next);
}

static void nonsense(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, ib_modify_qp_is_ok(IB_QPS_COUNT, IB_QPS_RESET,
						    IB_QPT_RC, IB_QP_STATE));
	KUNIT_EXPECT_FALSE(test, ib_modify_qp_is_ok(IB_QPS_RESET, IB_QPS_COUNT,
						    IB_QPT_RC, IB_QP_STATE));
	KUNIT_EXPECT_FALSE(test, ib_modify_qp_is_ok(IB_QPS_RESET, 0x80000000,
						    IB_QPT_RC, IB_QP_STATE));
	KUNIT_EXPECT_FALSE(test, ib_modify_qp_is_ok(IB_QPS_RESET, IB_QPS_INIT,
						    IB_QPT_DRIVER,
						    IB_QP_STATE));
	/* a caller cannot know that the adapter left RESET or INIT */
	KUNIT_EXPECT_FALSE(test, ib_modify_qp_is_ok(IB_QPS_INIT, IB_QPS_INIT,
						    IB_QPT_RC,
						    IB_QP_CUR_STATE));
}

/* A queue pair on a fake device, and what a modify answers */
struct bed {
	struct fake_device	*fake;
	struct ib_pd		*pd;
	struct ib_cq		*cq;
	struct ib_qp		*qp;
	struct ib_qp_attr	attr;
};

static struct bed *make_bed(struct kunit *test)
{
	struct bed *bed = kunit_kzalloc(test, sizeof(*bed), GFP_KERNEL);
	struct ib_cq_init_attr cq_attr = { .cqe = 16 };
	struct ib_qp_init_attr qp_attr = { .qp_type = IB_QPT_RC };

	KUNIT_ASSERT_NOT_NULL(test, bed);
	bed->fake = fake_device_register(test);
	bed->pd = ib_alloc_pd(&bed->fake->ib, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, bed->pd);
	bed->cq = ib_create_cq(&bed->fake->ib, &cq_attr, NULL, NULL, NULL,
			       NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, bed->cq);
	qp_attr.send_cq = bed->cq;
	qp_attr.recv_cq = bed->cq;
	bed->qp = ib_create_qp(bed->pd, &qp_attr, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, bed->qp);
	bed->attr = (struct ib_qp_attr) {
		.port_num = 1,
		.path_mtu = IB_MTU_1024,
		.ah_attr = { .port_num = 1 },
		.max_rd_atomic = 1,
		.max_dest_rd_atomic = 1,
	};
	return bed;
}

static void drop_bed(struct kunit *test, struct bed *bed)
{
	KUNIT_EXPECT_EQ(test, 0, ib_destroy_qp(bed->qp, NULL));
	KUNIT_EXPECT_EQ(test, 0, ib_destroy_cq(bed->cq, NULL));
	KUNIT_EXPECT_EQ(test, 0, ib_dealloc_pd(bed->pd, NULL));
}

static int go(struct bed *bed, enum ib_qp_state next, int mask)
{
	bed->attr.qp_state = next;
	return ib_modify_qp(bed->qp, &bed->attr, mask, NULL);
}

static void way_to_rts(struct kunit *test)
{
	struct bed *bed = make_bed(test);

	KUNIT_EXPECT_EQ(test, 0, go(bed, IB_QPS_INIT, RC_INIT));
	KUNIT_EXPECT_EQ(test, 1, bed->qp->port);
	bed->attr.rq_psn = 0xff000123;
	KUNIT_EXPECT_EQ(test, 0, go(bed, IB_QPS_RTR, RC_RTR));
	KUNIT_EXPECT_EQ(test, 0x123, bed->attr.rq_psn);
	KUNIT_EXPECT_EQ(test, 0, go(bed, IB_QPS_RTS, RC_RTS));
	KUNIT_EXPECT_EQ(test, IB_QPS_RTS, bed->qp->state);
	drop_bed(test, bed);
}

static void bad_values(struct kunit *test)
{
	struct bed *bed = make_bed(test);

	bed->attr.port_num = 2;
	KUNIT_EXPECT_EQ(test, -EINVAL, go(bed, IB_QPS_INIT, RC_INIT));
	bed->attr.port_num = 1;
	bed->attr.pkey_index = FAKE_PKEYS;
	KUNIT_EXPECT_EQ(test, -EINVAL, go(bed, IB_QPS_INIT, RC_INIT));
	bed->attr.pkey_index = FAKE_PKEYS - 1;
	KUNIT_EXPECT_EQ(test, 0, go(bed, IB_QPS_INIT, RC_INIT));

	bed->attr.path_mtu = 0;
	KUNIT_EXPECT_EQ(test, -EINVAL, go(bed, IB_QPS_RTR, RC_RTR));
	bed->attr.path_mtu = IB_MTU_4096 + 1;
	KUNIT_EXPECT_EQ(test, -EINVAL, go(bed, IB_QPS_RTR, RC_RTR));
	bed->attr.path_mtu = IB_MTU_4096;
	bed->attr.ah_attr.port_num = 0;
	KUNIT_EXPECT_EQ(test, -EINVAL, go(bed, IB_QPS_RTR, RC_RTR));
	bed->attr.ah_attr.port_num = 1;
	bed->attr.ah_attr.grh = true;
	bed->attr.ah_attr.sgid_index = FAKE_GIDS;
	KUNIT_EXPECT_EQ(test, -EINVAL, go(bed, IB_QPS_RTR, RC_RTR));
	bed->attr.ah_attr.sgid_index = 0;
	bed->attr.max_dest_rd_atomic = 9;
	KUNIT_EXPECT_EQ(test, -EINVAL, go(bed, IB_QPS_RTR, RC_RTR));
	bed->attr.max_dest_rd_atomic = 8;
	KUNIT_EXPECT_EQ(test, 0, go(bed, IB_QPS_RTR, RC_RTR));

	bed->attr.max_rd_atomic = 5;
	KUNIT_EXPECT_EQ(test, -EINVAL, go(bed, IB_QPS_RTS, RC_RTS));
	KUNIT_EXPECT_EQ(test, IB_QPS_RTR, bed->qp->state);
	drop_bed(test, bed);
}

/* A drained queue may move to another path; its port goes along. */
static void path_of_a_drained_queue(struct kunit *test)
{
	struct bed *bed = make_bed(test);

	bed->qp->state = IB_QPS_SQD;
	KUNIT_EXPECT_EQ(test, 0, ib_modify_qp(bed->qp, &bed->attr, IB_QP_AV,
					      NULL));
	KUNIT_EXPECT_EQ(test, IB_QP_AV | IB_QP_PORT, bed->fake->modified);
	KUNIT_EXPECT_EQ(test, 1, bed->qp->port);
	KUNIT_EXPECT_EQ(test, IB_QPS_SQD, bed->qp->state);
	drop_bed(test, bed);
}

static void failure_changes_nothing(struct kunit *test)
{
	struct bed *bed = make_bed(test);

	bed->fake->fail = -EREMOTEIO;
	KUNIT_EXPECT_EQ(test, -EREMOTEIO, go(bed, IB_QPS_INIT, RC_INIT));
	KUNIT_EXPECT_EQ(test, IB_QPS_RESET, bed->qp->state);
	KUNIT_EXPECT_EQ(test, 0, bed->qp->port);
	drop_bed(test, bed);
}

/* The adapter moves a queue pair to ERR on its own; a query finds out. */
static void query_learns_the_state(struct kunit *test)
{
	struct bed *bed = make_bed(test);
	struct ib_qp_init_attr init = {};

	KUNIT_EXPECT_EQ(test, 0, ib_query_qp(bed->qp, &bed->attr, IB_QP_STATE,
					     &init));
	KUNIT_EXPECT_EQ(test, IB_QPS_ERR, bed->qp->state);
	KUNIT_EXPECT_EQ(test, -EINVAL, go(bed, IB_QPS_INIT, RC_INIT));
	KUNIT_EXPECT_EQ(test, 0, go(bed, IB_QPS_RESET, IB_QP_STATE));
	KUNIT_EXPECT_EQ(test, 0, go(bed, IB_QPS_INIT, RC_INIT));
	drop_bed(test, bed);
}

static struct kunit_case qp_state_cases[] = {
	KUNIT_CASE_PARAM(one_step, steps_gen_params),
	KUNIT_CASE(graph),
	KUNIT_CASE(nonsense),
	KUNIT_CASE(way_to_rts),
	KUNIT_CASE(bad_values),
	KUNIT_CASE(path_of_a_drained_queue),
	KUNIT_CASE(failure_changes_nothing),
	KUNIT_CASE(query_learns_the_state),
	{}
};

static struct kunit_suite qp_state_suite = {
	.name		= "ib_qp_state",
	.test_cases	= qp_state_cases,
};

kunit_test_suite(qp_state_suite);

MODULE_DESCRIPTION("KUnit: states of queue pairs");
MODULE_IMPORT_NS(IB_NS);
MODULE_LICENSE("GPL");
