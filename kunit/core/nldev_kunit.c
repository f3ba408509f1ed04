// SPDX-License-Identifier: GPL-2.0-only
/* Messages to the rdma tool: what is in them, and lists longer than one. */
#include <kunit/test.h>
#include <linux/module.h>
#include <ib/cq.h>
#include <ib/export.h>
#include <ib/pd.h>
#include <ib/qp.h>
#include <ib/srq.h>
#include "kunit/helpers/fake_device.h"
#include "drivers/core/core_priv.h"
#include "drivers/core/nldev.h"

#define ATTRS	(RDMA_NLDEV_ATTR_MAX - 1)

static struct sk_buff *new_message(struct kunit *test, unsigned int size)
{
	struct sk_buff *msg = alloc_skb(size, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, msg);
	return msg;
}

/* Attributes of the list in a message that begins with a handle */
static struct nlattr *list_of(struct kunit *test, struct sk_buff *msg, int id)
{
	struct nlattr *tb[ATTRS + 1];

	KUNIT_ASSERT_EQ(test, 0,
			nla_parse_deprecated(tb, ATTRS,
					     (struct nlattr *)msg->data,
					     msg->len, NULL, NULL));
	KUNIT_EXPECT_NOT_NULL(test, tb[RDMA_NLDEV_ATTR_DEV_INDEX]);
	KUNIT_EXPECT_NOT_NULL(test, tb[RDMA_NLDEV_ATTR_DEV_NAME]);
	KUNIT_ASSERT_NOT_NULL(test, tb[id]);
	return tb[id];
}

static void parse_entry(struct kunit *test, struct nlattr **tb,
			struct nlattr *entry)
{
	KUNIT_ASSERT_EQ(test, 0,
			nla_parse_nested_deprecated(tb, ATTRS, entry, NULL,
						    NULL));
}

static void keys_are_for_admins(struct kunit *test)
{
	struct fake_device *fake = fake_device_register(test);
	struct ib_pd *pd = ib_alloc_pd(&fake->ib, NULL);
	struct nldev_question q = { .device = &fake->ib };
	struct nlattr *tb[ATTRS + 1], *list;
	struct sk_buff *msg;
	unsigned long next;
	int admin;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, pd);
	for (admin = 0; admin < 2; admin++) {
		q.admin = admin;
		next = 0;
		msg = new_message(test, NLMSG_DEFAULT_SIZE);
		KUNIT_EXPECT_EQ(test, 1,
				nldev_fill_objects(msg, &nldev_pd, &q, &next));
		KUNIT_EXPECT_EQ(test, 1, next);
		list = list_of(test, msg, RDMA_NLDEV_ATTR_RES_PD);
		parse_entry(test, tb, nla_data(list));
		KUNIT_EXPECT_EQ(test, admin,
				!!tb[RDMA_NLDEV_ATTR_RES_LOCAL_DMA_LKEY]);
		KUNIT_ASSERT_NOT_NULL(test, tb[RDMA_NLDEV_ATTR_RES_PDN]);
		KUNIT_ASSERT_NOT_NULL(test,
				      tb[RDMA_NLDEV_ATTR_RES_KERN_NAME]);
		KUNIT_EXPECT_STREQ(test, "nldev_kunit",
				   nla_data(tb[RDMA_NLDEV_ATTR_RES_KERN_NAME]));
		KUNIT_EXPECT_NULL(test, tb[RDMA_NLDEV_ATTR_RES_PID]);
		kfree_skb(msg);
	}
	KUNIT_EXPECT_EQ(test, 0, ib_dealloc_pd(pd, NULL));
}

#define MANY	40

static void long_lists_go_on(struct kunit *test)
{
	struct fake_device *fake = fake_device_register(test);
	struct nldev_question q = { .device = &fake->ib };
	struct ib_pd *pds[MANY];
	int i, n, seen = 0, messages = 0;
	unsigned long next = 0;
	struct sk_buff *msg;

	for (i = 0; i < MANY; i++) {
		pds[i] = ib_alloc_pd(&fake->ib, NULL);
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, pds[i]);
	}
	do {
		msg = new_message(test, 512);
		n = nldev_fill_objects(msg, &nldev_pd, &q, &next);
		KUNIT_EXPECT_GE(test, n, 0);
		seen += n;
		messages += n > 0;
		kfree_skb(msg);
		/* what was shown may go; the rest is not shown twice */
		if (messages == 1 && n > 0)
			KUNIT_EXPECT_EQ(test, 0, ib_dealloc_pd(pds[0], NULL));
	} while (n > 0);
	KUNIT_EXPECT_EQ(test, MANY, seen);
	KUNIT_EXPECT_GT(test, messages, 1);

	next = 1;
	msg = new_message(test, 64);
	/* the allocator gives more than asked for */
	skb_put(msg, skb_tailroom(msg) - 16);
	KUNIT_EXPECT_EQ(test, -EMSGSIZE,
			nldev_fill_objects(msg, &nldev_pd, &q, &next));
	kfree_skb(msg);
	for (i = 1; i < MANY; i++)
		KUNIT_EXPECT_EQ(test, 0, ib_dealloc_pd(pds[i], NULL));
}

struct id_range {
	u32	min;
	u32	max;
};

static void expect_ranges(struct kunit *test, struct nlattr *list,
			  const struct id_range *want)
{
	struct nlattr *tb[ATTRS + 1], *entry;
	int rem;

	nla_for_each_nested(entry, list, rem) {
		parse_entry(test, tb, entry);
		if (want->min == want->max) {
			KUNIT_ASSERT_NOT_NULL(test,
					      tb[RDMA_NLDEV_ATTR_RES_LQPN]);
			KUNIT_EXPECT_EQ(test, want->min,
					nla_get_u32(tb[RDMA_NLDEV_ATTR_RES_LQPN]));
		} else {
			KUNIT_ASSERT_NOT_NULL(test,
					      tb[RDMA_NLDEV_ATTR_MIN_RANGE]);
			KUNIT_ASSERT_NOT_NULL(test,
					      tb[RDMA_NLDEV_ATTR_MAX_RANGE]);
			KUNIT_EXPECT_EQ(test, want->min,
					nla_get_u32(tb[RDMA_NLDEV_ATTR_MIN_RANGE]));
			KUNIT_EXPECT_EQ(test, want->max,
					nla_get_u32(tb[RDMA_NLDEV_ATTR_MAX_RANGE]));
		}
		want++;
	}
	KUNIT_EXPECT_EQ(test, 0, want->min);
}

/* Queue pairs of an SRQ are shown as ranges of numbers. */
static void srq_shows_ranges(struct kunit *test)
{
	static const u32 numbers[] = { 7, 8, 9, 12, 5 };
	static const struct id_range want[] = {
		{ 7, 9 }, { 12, 12 }, { 5, 5 }, {}
	};
	struct fake_device *fake = fake_device_register(test);
	struct ib_srq_init_attr srq_attr = { .attr = { .max_wr = 16 } };
	struct ib_qp_init_attr qp_attr = { .qp_type = IB_QPT_RC };
	struct nldev_question q = { .device = &fake->ib };
	struct ib_cq_init_attr cq_attr = { .cqe = 16 };
	struct ib_pd *pd = ib_alloc_pd(&fake->ib, NULL);
	struct ib_qp *qps[ARRAY_SIZE(numbers)];
	struct nlattr *tb[ATTRS + 1], *list;
	unsigned long next = 0;
	struct sk_buff *msg;
	struct ib_srq *srq;
	struct ib_cq *cq;
	size_t i;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, pd);
	srq = ib_create_srq(pd, &srq_attr, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, srq);
	cq = ib_create_cq(&fake->ib, &cq_attr, NULL, NULL, NULL, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, cq);
	qp_attr.send_cq = cq;
	qp_attr.recv_cq = cq;
	qp_attr.srq = srq;
	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		qps[i] = ib_create_qp(pd, &qp_attr, NULL);
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, qps[i]);
		qps[i]->qp_num = numbers[i];
	}

	msg = new_message(test, NLMSG_DEFAULT_SIZE);
	KUNIT_EXPECT_EQ(test, 1, nldev_fill_objects(msg, &nldev_srq, &q,
						    &next));
	list = list_of(test, msg, RDMA_NLDEV_ATTR_RES_SRQ);
	parse_entry(test, tb, nla_data(list));
	KUNIT_ASSERT_NOT_NULL(test, tb[RDMA_NLDEV_ATTR_RES_QP]);
	expect_ranges(test, tb[RDMA_NLDEV_ATTR_RES_QP], want);
	kfree_skb(msg);

	for (i = 0; i < ARRAY_SIZE(numbers); i++)
		KUNIT_EXPECT_EQ(test, 0, ib_destroy_qp(qps[i], NULL));
	KUNIT_EXPECT_EQ(test, 0, ib_destroy_cq(cq, NULL));
	KUNIT_EXPECT_EQ(test, 0, ib_destroy_srq(srq, NULL));
	KUNIT_EXPECT_EQ(test, 0, ib_dealloc_pd(pd, NULL));
}

static int rename(struct ib_device *device, const char *name)
{
	int ret;

	mutex_lock(&ib_registration_lock);
	ret = ib_device_rename(device, name);
	mutex_unlock(&ib_registration_lock);
	return ret;
}

static void names_are_names_of_files(struct kunit *test)
{
	struct fake_device *a = fake_device_register(test);
	struct fake_device *b = fake_device_register(test);
	char old[IB_DEVICE_NAME_MAX];

	strscpy(old, a->ib.name);
	KUNIT_EXPECT_EQ(test, -EINVAL, rename(&a->ib, ""));
	KUNIT_EXPECT_EQ(test, -EINVAL, rename(&a->ib, "a/b"));
	KUNIT_EXPECT_EQ(test, -EINVAL, rename(&a->ib, ".."));
	KUNIT_EXPECT_EQ(test, -EEXIST, rename(&a->ib, b->ib.name));
	KUNIT_EXPECT_EQ(test, 0, rename(&a->ib, old));
	KUNIT_EXPECT_STREQ(test, old, a->ib.name);
	KUNIT_EXPECT_EQ(test, 0, rename(&a->ib, "other"));
	KUNIT_EXPECT_STREQ(test, "other", a->ib.name);
	KUNIT_EXPECT_STREQ(test, "other", dev_name(&a->ib.dev));
	KUNIT_EXPECT_EQ(test, 0, rename(&b->ib, old));
}

static struct kunit_case nldev_cases[] = {
	KUNIT_CASE(keys_are_for_admins),
	KUNIT_CASE(long_lists_go_on),
	KUNIT_CASE(srq_shows_ranges),
	KUNIT_CASE(names_are_names_of_files),
	{}
};

static struct kunit_suite nldev_suite = {
	.name		= "ib_nldev",
	.test_cases	= nldev_cases,
};

kunit_test_suite(nldev_suite);

MODULE_DESCRIPTION("KUnit: messages to the rdma tool");
MODULE_IMPORT_NS(IB_NS);
MODULE_IMPORT_NS(IB_KUNIT_NS);
MODULE_LICENSE("GPL");
