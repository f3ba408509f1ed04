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

static int gid_table(struct fake_user *user, struct ib_uverbs_gid_entry *entries,
		     unsigned int bytes, u64 *num)
{
	struct fake_attr attrs[] = {
		{ .id = UVERBS_ATTR_QUERY_GID_TABLE_ENTRY_SIZE, .len = 8,
		  .data = sizeof(*entries) },
		{ .id = UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES, .len = bytes,
		  .out = entries },
		{ .id = UVERBS_ATTR_QUERY_GID_TABLE_RESP_NUM_ENTRIES, .len = 8,
		  .out = num },
	};

	return fake_user_call(user, UVERBS_OBJECT_DEVICE,
			      UVERBS_METHOD_QUERY_GID_TABLE, attrs, 3);
}

static int gid_entry(struct fake_user *user, u64 index,
		     struct ib_uverbs_gid_entry *entry)
{
	struct fake_attr attrs[] = {
		{ .id = UVERBS_ATTR_QUERY_GID_ENTRY_PORT, .len = 8, .data = 1 },
		{ .id = UVERBS_ATTR_QUERY_GID_ENTRY_GID_INDEX, .len = 8,
		  .data = index },
		{ .id = UVERBS_ATTR_QUERY_GID_ENTRY_FLAGS, .len = 4 },
		{ .id = UVERBS_ATTR_QUERY_GID_ENTRY_RESP_ENTRY,
		  .len = sizeof(*entry), .out = entry },
	};

	return fake_user_call(user, UVERBS_OBJECT_DEVICE,
			      UVERBS_METHOD_QUERY_GID_ENTRY, attrs, 4);
}

/* A device need not be of InfiniBand or Ethernet to have GIDs. */
static void gids_of_any_link(struct kunit *test)
{
	static const enum ib_link_layer links[] = {
		IB_LINK_UNSPECIFIED, IB_LINK_INFINIBAND,
	};
	struct fake_device *fake = fake_device_register(test);
	struct fake_user *user = fake_user_open(test, fake);
	struct ib_uverbs_gid_entry entries[FAKE_GIDS];
	u64 num;
	int i;

	for (i = 0; i < ARRAY_SIZE(links); i++) {
		fake->link = links[i];
		memset(entries, 0, sizeof(entries));
		num = 0;
		KUNIT_EXPECT_EQ(test, 0, gid_table(user, entries,
						   sizeof(entries), &num));
		KUNIT_EXPECT_EQ(test, 1, num);
		KUNIT_EXPECT_MEMEQ(test, &fake->gids[0], entries[0].gid, 16);
		KUNIT_EXPECT_EQ(test, 1, entries[0].port_num);

		memset(entries, 0, sizeof(entries));
		KUNIT_EXPECT_EQ(test, 0, gid_entry(user, 0, entries));
		KUNIT_EXPECT_MEMEQ(test, &fake->gids[0], entries[0].gid, 16);
		KUNIT_EXPECT_EQ(test, IB_UVERBS_GID_TYPE_IB,
				entries[0].gid_type);
		KUNIT_EXPECT_EQ(test, -ENODATA, gid_entry(user, 1, entries));
		KUNIT_EXPECT_EQ(test, -EINVAL,
				gid_entry(user, FAKE_GIDS, entries));
	}
}

static struct kunit_case query_cases[] = {
	KUNIT_CASE(speed_of_a_port),
	KUNIT_CASE(robust_udata_is_announced),
	KUNIT_CASE(gids_of_any_link),
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
