// SPDX-License-Identifier: GPL-2.0-only
/* Life of verbs objects: references, failures of the driver, leaks. */
#include <kunit/test.h>
#include <linux/module.h>
#include <ib/cq.h>
#include <ib/event.h>
#include <ib/export.h>
#include <ib/mr.h>
#include <ib/pd.h>
#include <ib/qp.h>
#include <ib/srq.h>
#include <ib/xrcd.h>
#include "kunit/helpers/fake_device.h"
#include "drivers/core/core_priv.h"

static void pd_is_held_by_its_mr(struct kunit *test)
{
	struct fake_device *fake = fake_device_register(test);
	struct ib_pd *pd = ib_alloc_pd(&fake->ib, NULL);
	struct ib_mr *mr;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, pd);
	mr = ib_get_dma_mr(pd, IB_ACCESS_LOCAL_WRITE);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, mr);
	KUNIT_EXPECT_EQ(test, 2, fake->made);
	KUNIT_EXPECT_EQ(test, -EBUSY, ib_dealloc_pd(pd, NULL));
	KUNIT_EXPECT_EQ(test, 2, fake->made);
	KUNIT_EXPECT_EQ(test, 0, ib_dereg_mr(mr, NULL));
	KUNIT_EXPECT_EQ(test, 0, ib_dealloc_pd(pd, NULL));
	KUNIT_EXPECT_EQ(test, 0, fake->made);
}

static void qp_holds_what_it_uses(struct kunit *test)
{
	struct fake_device *fake = fake_device_register(test);
	struct ib_cq_init_attr cq_attr = { .cqe = 16 };
	struct ib_srq_init_attr srq_attr = { .attr = { .max_wr = 16 } };
	struct ib_qp_init_attr qp_attr = { .qp_type = IB_QPT_RC };
	struct ib_pd *pd = ib_alloc_pd(&fake->ib, NULL);
	struct ib_srq *srq;
	struct ib_cq *cq;
	struct ib_qp *qp;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, pd);
	cq = ib_create_cq(&fake->ib, &cq_attr, NULL, NULL, NULL, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, cq);
	srq = ib_create_srq(pd, &srq_attr, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, srq);
	qp_attr.send_cq = cq;
	qp_attr.recv_cq = cq;
	qp_attr.srq = srq;
	qp = ib_create_qp(pd, &qp_attr, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, qp);

	KUNIT_EXPECT_EQ(test, -EBUSY, ib_destroy_cq(cq, NULL));
	KUNIT_EXPECT_EQ(test, -EBUSY, ib_destroy_srq(srq, NULL));
	KUNIT_EXPECT_EQ(test, -EBUSY, ib_dealloc_pd(pd, NULL));
	KUNIT_EXPECT_EQ(test, 0, ib_destroy_qp(qp, NULL));
	KUNIT_EXPECT_EQ(test, 0, ib_destroy_srq(srq, NULL));
	KUNIT_EXPECT_EQ(test, 0, ib_destroy_cq(cq, NULL));
	KUNIT_EXPECT_EQ(test, 0, ib_dealloc_pd(pd, NULL));
	KUNIT_EXPECT_EQ(test, 0, fake->made);
}

static void failed_creation_leaves_nothing(struct kunit *test)
{
	struct fake_device *fake = fake_device_register(test);
	struct ib_pd *pd = ib_alloc_pd(&fake->ib, NULL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, pd);
	fake->fail = -ENOSPC;
	KUNIT_EXPECT_EQ(test, -ENOSPC, PTR_ERR(ib_get_dma_mr(pd, 0)));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&pd->obj.usecnt));
	KUNIT_EXPECT_EQ(test, 0, ib_objects_count(&fake->ib, IB_OBJ_MR));
	KUNIT_EXPECT_EQ(test, 0, ib_dealloc_pd(pd, NULL));
}

static void failed_destruction_keeps_all(struct kunit *test)
{
	struct fake_device *fake = fake_device_register(test);
	struct ib_pd *pd = ib_alloc_pd(&fake->ib, NULL);
	struct ib_mr *mr;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, pd);
	mr = ib_get_dma_mr(pd, 0);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, mr);
	fake->fail = -EBUSY;
	KUNIT_EXPECT_EQ(test, -EBUSY, ib_dereg_mr(mr, NULL));
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&pd->obj.usecnt));
	KUNIT_EXPECT_EQ(test, 1, ib_objects_count(&fake->ib, IB_OBJ_MR));
	KUNIT_EXPECT_EQ(test, 0, ib_dereg_mr(mr, NULL));
	KUNIT_EXPECT_EQ(test, 0, ib_dealloc_pd(pd, NULL));
}

static void leaks_are_counted(struct kunit *test)
{
	struct fake_device *fake = fake_device_register(test);
	struct ib_pd *a = ib_alloc_pd(&fake->ib, NULL);
	struct ib_pd *b = ib_alloc_pd(&fake->ib, NULL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, a);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, b);
	KUNIT_EXPECT_EQ(test, 2, ib_objects_leaked(&fake->ib));
	KUNIT_EXPECT_EQ(test, 0, ib_dealloc_pd(b, NULL));
	KUNIT_EXPECT_EQ(test, 1, ib_objects_leaked(&fake->ib));
	KUNIT_EXPECT_EQ(test, 0, ib_dealloc_pd(a, NULL));
	KUNIT_EXPECT_EQ(test, 0, ib_objects_leaked(&fake->ib));
}

static void impossible_queues(struct kunit *test)
{
	struct fake_device *fake = fake_device_register(test);
	struct ib_cq_init_attr attr = { .cqe = 256 };

	KUNIT_EXPECT_EQ(test, -EINVAL,
			PTR_ERR(ib_create_cq(&fake->ib, &attr, NULL, NULL,
					     NULL, NULL)));
	attr.cqe = 255;
	attr.comp_vector = 2;
	KUNIT_EXPECT_EQ(test, -EINVAL,
			PTR_ERR(ib_create_cq(&fake->ib, &attr, NULL, NULL,
					     NULL, NULL)));
	KUNIT_EXPECT_EQ(test, 0, fake->made);
}

static void count_event(struct ib_event *event, void *context)
{
	++*(int *)context;
}

static void fire(struct ib_qp *qp)
{
	struct ib_event event = { .event = IB_EVENT_QP_FATAL };

	event.element.qp = qp;
	qp->event_handler(&event, qp->context);
}

static void openers_share_a_target(struct kunit *test)
{
	struct fake_device *fake = fake_device_register(test);
	int at_a = 0, at_b = 0;
	struct ib_qp_opener a = { .event_handler = count_event,
				  .context = &at_a };
	struct ib_qp_opener b = { .event_handler = count_event,
				  .context = &at_b };
	struct ib_xrcd *xrcd = ib_alloc_xrcd(&fake->ib, NULL);
	struct ib_qp_init_attr attr = {
		.qp_type = IB_QPT_XRC_TGT,
		.xrcd = xrcd,
		.opener = &a,
	};
	struct ib_qp *qp;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, xrcd);
	qp = ib_create_qp(NULL, &attr, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, qp);
	KUNIT_EXPECT_EQ(test, -EBUSY, ib_dealloc_xrcd(xrcd, NULL));
	KUNIT_EXPECT_PTR_EQ(test, qp,
			    ib_open_qp(xrcd, IB_QPT_XRC_TGT, qp->qp_num, &b));
	fire(qp);
	KUNIT_EXPECT_EQ(test, 1, at_a);
	KUNIT_EXPECT_EQ(test, 1, at_b);

	KUNIT_EXPECT_EQ(test, 0, ib_close_qp(qp, &a));
	KUNIT_EXPECT_EQ(test, 2, fake->made);
	fire(qp);
	KUNIT_EXPECT_EQ(test, 1, at_a);
	KUNIT_EXPECT_EQ(test, 2, at_b);
	KUNIT_EXPECT_EQ(test, 0, ib_close_qp(qp, &b));
	KUNIT_EXPECT_EQ(test, 0, ib_dealloc_xrcd(xrcd, NULL));
	KUNIT_EXPECT_EQ(test, 0, fake->made);
}

/* Numbers of targets come in any order; each is found, and only while it is. */
static void targets_are_found_by_number(struct kunit *test)
{
	static const u32 numbers[] = { 0x50, 0x20, 0x70, 0x10, 0xffffff, 0 };
	struct fake_device *fake = fake_device_register(test);
	struct ib_xrcd *xrcd = ib_alloc_xrcd(&fake->ib, NULL);
	struct ib_qp_opener maker[ARRAY_SIZE(numbers)] = {};
	struct ib_qp_init_attr attr = {
		.qp_type = IB_QPT_XRC_TGT,
		.xrcd = xrcd,
	};
	struct ib_qp *qps[ARRAY_SIZE(numbers)];
	struct ib_qp_opener opener = {};
	size_t i;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, xrcd);
	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		fake->qps = numbers[i] - FAKE_QPN;
		attr.opener = &maker[i];
		qps[i] = ib_create_qp(NULL, &attr, NULL);
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, qps[i]);
		KUNIT_ASSERT_EQ(test, numbers[i], qps[i]->qp_num);
	}
	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		KUNIT_EXPECT_PTR_EQ(test, qps[i],
				    ib_open_qp(xrcd, IB_QPT_XRC_TGT,
					       numbers[i], &opener));
		KUNIT_EXPECT_EQ(test, 0, ib_close_qp(qps[i], &opener));
	}
	/* one that cannot be destroyed is still there */
	fake->fail = -EBUSY;
	KUNIT_EXPECT_EQ(test, -EBUSY, ib_close_qp(qps[0], &maker[0]));
	KUNIT_EXPECT_PTR_EQ(test, qps[0],
			    ib_open_qp(xrcd, IB_QPT_XRC_TGT, numbers[0],
				       &opener));
	KUNIT_EXPECT_EQ(test, 0, ib_close_qp(qps[0], &opener));
	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		KUNIT_EXPECT_EQ(test, 0, ib_close_qp(qps[i], &maker[i]));
		KUNIT_EXPECT_EQ(test, -EINVAL,
				PTR_ERR(ib_open_qp(xrcd, IB_QPT_XRC_TGT,
						   numbers[i], &opener)));
	}
	KUNIT_EXPECT_EQ(test, 0, ib_dealloc_xrcd(xrcd, NULL));
	KUNIT_EXPECT_EQ(test, 0, fake->made);
}

static void initiators_do_not_receive(struct kunit *test)
{
	struct fake_device *fake = fake_device_register(test);
	struct ib_qp_init_attr attr = { .qp_type = IB_QPT_XRC_INI };
	struct ib_cq_init_attr cq_attr = { .cqe = 16 };
	struct ib_pd *pd = ib_alloc_pd(&fake->ib, NULL);
	struct ib_qp *qp;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, pd);
	KUNIT_EXPECT_EQ(test, -EINVAL, PTR_ERR(ib_create_qp(pd, &attr, NULL)));
	attr.send_cq = ib_create_cq(&fake->ib, &cq_attr, NULL, NULL, NULL,
				    NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, attr.send_cq);
	attr.qp_type = IB_QPT_RC;
	KUNIT_EXPECT_EQ(test, -EINVAL, PTR_ERR(ib_create_qp(pd, &attr, NULL)));
	attr.qp_type = IB_QPT_XRC_INI;
	qp = ib_create_qp(pd, &attr, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, qp);
	KUNIT_EXPECT_EQ(test, 0, ib_destroy_qp(qp, NULL));
	KUNIT_EXPECT_EQ(test, 0, ib_destroy_cq(attr.send_cq, NULL));
	KUNIT_EXPECT_EQ(test, 0, ib_dealloc_pd(pd, NULL));
}

struct access_case {
	int	access;
	int	ret;
};

static void access_rights(struct kunit *test)
{
	static const struct access_case cases[] = {
		{ 0, 0 },
		{ IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE, 0 },
		{ IB_ACCESS_REMOTE_READ, 0 },
		{ IB_ACCESS_REMOTE_WRITE, -EINVAL },
		{ IB_ACCESS_REMOTE_ATOMIC, -EINVAL },
		{ IB_ACCESS_RELAXED_ORDERING, 0 },
		{ IB_UVERBS_ACCESS_OPTIONAL_LAST, 0 },
		{ 1 << 10, -EINVAL },
		{ 1 << 30, -EINVAL },
		{ IB_ACCESS_ON_DEMAND, -EOPNOTSUPP },
	};
	struct fake_device *fake = fake_device_register(test);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		KUNIT_EXPECT_EQ_MSG(test, cases[i].ret,
				    ib_check_mr_access(&fake->ib,
						       cases[i].access),
				    "access 0x%x", cases[i].access);
}

static struct kunit_case object_cases[] = {
	KUNIT_CASE(pd_is_held_by_its_mr),
	KUNIT_CASE(qp_holds_what_it_uses),
	KUNIT_CASE(failed_creation_leaves_nothing),
	KUNIT_CASE(failed_destruction_keeps_all),
	KUNIT_CASE(leaks_are_counted),
	KUNIT_CASE(impossible_queues),
	KUNIT_CASE(openers_share_a_target),
	KUNIT_CASE(targets_are_found_by_number),
	KUNIT_CASE(initiators_do_not_receive),
	KUNIT_CASE(access_rights),
	{}
};

static struct kunit_suite object_suite = {
	.name		= "ib_object",
	.test_cases	= object_cases,
};

kunit_test_suite(object_suite);

MODULE_DESCRIPTION("KUnit: life of verbs objects");
MODULE_IMPORT_NS(IB_NS);
MODULE_IMPORT_NS(IB_KUNIT_NS);
MODULE_LICENSE("GPL");
