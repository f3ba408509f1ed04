// SPDX-License-Identifier: GPL-2.0-only
/* What newer kernels tell about a device */
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/sizes.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <ib/export.h>
#include <uapi/ib/newer.h>
#include "kunit/helpers/fake_device.h"
#include "kunit/helpers/fake_user.h"

static int port_speed(struct fake_user *user, u64 port, u64 *speed)
{
	struct fake_attr attrs[] = {
		{ .id = UVERBS_NEW_ATTR_QUERY_PORT_SPEED_PORT, .len = 8,
		  .data = port },
		{ .id = UVERBS_NEW_ATTR_QUERY_PORT_SPEED_RESP, .len = 8,
		  .out = speed },
	};

	return fake_user_call(user, UVERBS_OBJECT_DEVICE,
			      UVERBS_NEW_METHOD_QUERY_PORT_SPEED, attrs, 2);
}

static void speed_of_a_port(struct kunit *test)
{
	struct fake_device *fake = fake_device_register(test);
	struct fake_user *user = fake_user_open(test, fake);
	u64 speed = 0;

	KUNIT_EXPECT_EQ(test, 0, port_speed(user, 1, &speed));
	KUNIT_EXPECT_EQ(test, FAKE_PORT_SPEED, speed);
	KUNIT_EXPECT_EQ(test, -EINVAL, port_speed(user, 0, &speed));
	KUNIT_EXPECT_EQ(test, -EINVAL, port_speed(user, 2, &speed));
	KUNIT_EXPECT_EQ(test, -EINVAL, port_speed(user, SZ_4G + 1, &speed));
	KUNIT_EXPECT_STREQ(test, "no port 4294967297", fake_user_why(user));
	fake->fail = -EIO;
	KUNIT_EXPECT_EQ(test, -EIO, port_speed(user, 1, &speed));
}

static void robust_udata_is_announced(struct kunit *test)
{
	struct fake_user *user = fake_user_open(test,
						fake_device_register(test));
	u64 support = 0;
	struct fake_attr attr = {
		.id = UVERBS_ATTR_QUERY_CONTEXT_CORE_SUPPORT,
		.len = sizeof(support), .out = &support,
	};

	KUNIT_EXPECT_EQ(test, 0,
			fake_user_call(user, UVERBS_OBJECT_DEVICE,
				       UVERBS_METHOD_QUERY_CONTEXT, &attr, 1));
	KUNIT_EXPECT_EQ(test, IB_UVERBS_CORE_SUPPORT_OPTIONAL_MR_ACCESS |
			UVERBS_NEW_CORE_SUPPORT_ROBUST_UDATA, support);
}

static struct kunit_case query_cases[] = {
	KUNIT_CASE(speed_of_a_port),
	KUNIT_CASE(robust_udata_is_announced),
	{}
};

static struct kunit_suite query_suite = {
	.name		= "ib_uverbs_query",
	.test_cases	= query_cases,
};
kunit_test_suite(query_suite);

MODULE_DESCRIPTION("KUnit: newer queries of the user ABI");
MODULE_IMPORT_NS(IB_NS);
MODULE_LICENSE("GPL");
