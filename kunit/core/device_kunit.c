// SPDX-License-Identifier: GPL-2.0-only
/* Devices and clients coming and going, tables of ports, events. */
#include <kunit/test.h>
#include <linux/module.h>
#include <ib/client.h>
#include <ib/event.h>
#include <ib/export.h>
#include <ib/pd.h>
#include <ib/refuse.h>
#include "kunit/helpers/fake_device.h"
#include "drivers/core/core_priv.h"

/* What the client saw, as letters: Add, Fatal, Remove */
static char seen[16];
static int add_ret;

static void note(char c)
{
	size_t len = strlen(seen);

	if (len + 1 < sizeof(seen))
		seen[len] = c;
}

static int client_add(struct ib_device *device);

static void client_fatal(struct ib_device *device, void *data)
{
	note(data == device ? 'F' : '?');
}

static void client_remove(struct ib_device *device, void *data)
{
	note(data == device ? 'R' : '?');
}

static struct ib_client client = {
	.name	= "kunit",
	.add	= client_add,
	.fatal	= client_fatal,
	.remove	= client_remove,
};

/* Other devices of the machine are none of the test's business. */
static int client_add(struct ib_device *device)
{
	if (strncmp(device->name, "fake", 4))
		return -EOPNOTSUPP;
	note('A');
	ib_set_client_data(device, &client, device);
	return add_ret;
}

static int client_test_init(struct kunit *test)
{
	memset(seen, 0, sizeof(seen));
	add_ret = 0;
	return 0;
}

static void client_before_device(struct kunit *test)
{
	struct fake_device *fake = fake_device_alloc(test);

	KUNIT_ASSERT_EQ(test, 0, ib_register_client(&client));
	KUNIT_EXPECT_STREQ(test, "", seen);
	KUNIT_EXPECT_EQ(test, 0, ib_register_device(&fake->ib, "fake%d"));
	KUNIT_EXPECT_STREQ(test, "A", seen);
	KUNIT_EXPECT_PTR_EQ(test, (void *)&fake->ib,
			    ib_get_client_data(&fake->ib, &client));
	ib_unregister_device(&fake->ib);
	KUNIT_EXPECT_STREQ(test, "AR", seen);
	ib_unregister_client(&client);
	KUNIT_EXPECT_STREQ(test, "AR", seen);
}

static void device_before_client(struct kunit *test)
{
	struct fake_device *fake = fake_device_register(test);

	KUNIT_ASSERT_EQ(test, 0, ib_register_client(&client));
	KUNIT_EXPECT_STREQ(test, "A", seen);
	ib_unregister_client(&client);
	KUNIT_EXPECT_STREQ(test, "AR", seen);
	KUNIT_EXPECT_NULL(test, ib_get_client_data(&fake->ib, &client));
}

static void client_that_declines(struct kunit *test)
{
	fake_device_register(test);
	add_ret = -EOPNOTSUPP;
	KUNIT_ASSERT_EQ(test, 0, ib_register_client(&client));
	ib_unregister_client(&client);
	KUNIT_EXPECT_STREQ(test, "A", seen);
}

static void death_is_told_once(struct kunit *test)
{
	struct fake_device *fake = fake_device_register(test);

	KUNIT_ASSERT_EQ(test, 0, ib_register_client(&client));
	ib_device_set_dead(&fake->ib);
	ib_device_set_dead(&fake->ib);
	KUNIT_EXPECT_STREQ(test, "AF", seen);
	KUNIT_EXPECT_EQ(test, -EIO, PTR_ERR(ib_alloc_pd(&fake->ib, NULL)));
	ib_unregister_client(&client);
	KUNIT_EXPECT_STREQ(test, "AFR", seen);

	/* who comes later learns it, too */
	KUNIT_ASSERT_EQ(test, 0, ib_register_client(&client));
	KUNIT_EXPECT_STREQ(test, "AFRAF", seen);
	ib_unregister_client(&client);
}

static void lowest_free_number(struct kunit *test)
{
	struct fake_device *a = fake_device_alloc(test);
	struct fake_device *b = fake_device_alloc(test);
	struct fake_device *c = fake_device_alloc(test);

	KUNIT_ASSERT_EQ(test, 0, ib_register_device(&a->ib, "fake%d"));
	KUNIT_ASSERT_EQ(test, 0, ib_register_device(&b->ib, "fake%d"));
	KUNIT_EXPECT_STREQ(test, "fake0", a->ib.name);
	KUNIT_EXPECT_STREQ(test, "fake1", b->ib.name);
	KUNIT_EXPECT_NE(test, a->ib.index, b->ib.index);
	ib_unregister_device(&a->ib);
	KUNIT_EXPECT_EQ(test, 0, ib_register_device(&c->ib, "fake%d"));
	KUNIT_EXPECT_STREQ(test, "fake0", c->ib.name);
	ib_unregister_device(&c->ib);
	ib_unregister_device(&b->ib);
}

static void impossible_devices(struct kunit *test)
{
	struct fake_device *fake = fake_device_alloc(test);

	KUNIT_EXPECT_EQ(test, -EINVAL, ib_register_device(&fake->ib, "fake"));
	fake = fake_device_alloc(test);
	fake->ib.phys_port_cnt = 0;
	KUNIT_EXPECT_EQ(test, -EINVAL,
			ib_register_device(&fake->ib, "fake%d"));
}

static int register_with(struct kunit *test, const struct ib_device_ops *ops)
{
	struct fake_device *fake = fake_device_alloc(test);
	int ret;

	fake->ib.ops = ops;
	ret = ib_register_device(&fake->ib, "fake%d");
	if (!ret)
		ib_unregister_device(&fake->ib);
	return ret;
}

/* What the first user of the device would have found out */
static void forgetful_drivers(struct kunit *test)
{
	const struct ib_device_ops *good = fake_device_alloc(test)->ib.ops;
	struct ib_device_ops *ops = kunit_kzalloc(test, sizeof(*ops),
						  GFP_KERNEL);
	struct ib_refusal r;
	char text[IB_REFUSE_TEXT];

	KUNIT_ASSERT_NOT_NULL(test, ops);
	*ops = *good;
	KUNIT_EXPECT_EQ(test, 0, register_with(test, ops));

	ops->size_qp = 0;
	KUNIT_EXPECT_EQ(test, -EINVAL, register_with(test, ops));
	KUNIT_ASSERT_TRUE(test, ib_refusal_take(-EINVAL, &r));
	ib_refusal_text(&r, text, sizeof(text));
	KUNIT_EXPECT_NOT_NULL(test, strstr(text, ": QP"));
	ops->size_qp = sizeof(struct ib_object);
	KUNIT_EXPECT_EQ(test, -EINVAL, register_with(test, ops));
	ops->create_qp = NULL;	/* none are made */
	KUNIT_EXPECT_EQ(test, 0, register_with(test, ops));

	*ops = *good;
	ops->dereg_mr = NULL;
	KUNIT_EXPECT_EQ(test, -EINVAL, register_with(test, ops));
	*ops = *good;
	ops->dealloc_ucontext = NULL;
	KUNIT_EXPECT_EQ(test, -EINVAL, register_with(test, ops));
	*ops = *good;
	ops->get_link_layer = NULL;
	KUNIT_EXPECT_EQ(test, -EINVAL, register_with(test, ops));
}

/* Query device, port, each GID, each P_Key: any of them may fail. */
static void every_step_of_registration(struct kunit *test)
{
	const unsigned int steps = 2 + FAKE_GIDS + FAKE_PKEYS;
	unsigned int i;

	for (i = 0; i <= steps; i++) {
		struct fake_device *fake = fake_device_alloc(test);
		int ret;

		fake->fail = -EREMOTEIO;
		fake->fail_after = i;
		ret = ib_register_device(&fake->ib, "fake%d");
		KUNIT_EXPECT_EQ_MSG(test, i < steps ? -EREMOTEIO : 0, ret,
				    "step %u", i);
		if (!ret)
			ib_unregister_device(&fake->ib);
	}
}

static void tables_are_cached(struct kunit *test)
{
	struct fake_device *fake = fake_device_register(test);
	union ib_gid gid;
	u16 pkey;

	KUNIT_EXPECT_EQ(test, 0, ib_query_gid(&fake->ib, 1, 0, &gid));
	KUNIT_EXPECT_EQ(test, 1, be64_to_cpu(gid.global.interface_id));
	fake->gids[0].global.interface_id = cpu_to_be64(2);
	KUNIT_EXPECT_EQ(test, 0, ib_query_gid(&fake->ib, 1, 0, &gid));
	KUNIT_EXPECT_EQ(test, 1, be64_to_cpu(gid.global.interface_id));
	ib_refresh_port(&fake->ib, 1);
	ib_event_flush();
	KUNIT_EXPECT_EQ(test, 0, ib_query_gid(&fake->ib, 1, 0, &gid));
	KUNIT_EXPECT_EQ(test, 2, be64_to_cpu(gid.global.interface_id));

	KUNIT_EXPECT_EQ(test, 0, ib_query_pkey(&fake->ib, 1, 0, &pkey));
	KUNIT_EXPECT_EQ(test, 0xffff, pkey);
	KUNIT_EXPECT_EQ(test, -EINVAL, ib_query_gid(&fake->ib, 0, 0, &gid));
	KUNIT_EXPECT_EQ(test, -EINVAL, ib_query_gid(&fake->ib, 2, 0, &gid));
	KUNIT_EXPECT_EQ(test, -EINVAL,
			ib_query_gid(&fake->ib, 1, FAKE_GIDS, &gid));
	KUNIT_EXPECT_EQ(test, -EINVAL, ib_query_gid(&fake->ib, 1, -1, &gid));
	KUNIT_EXPECT_EQ(test, -EINVAL,
			ib_query_pkey(&fake->ib, 1, FAKE_PKEYS, &pkey));
}

/* The driver says it in one place; query_port of the fake device does not. */
static void link_layer_of_a_port(struct kunit *test)
{
	struct fake_device *fake = fake_device_register(test);
	struct ib_port_attr attr;

	KUNIT_ASSERT_EQ(test, 0, ib_query_port(&fake->ib, 1, &attr));
	KUNIT_EXPECT_EQ(test, IB_LINK_INFINIBAND, attr.link_layer);
	KUNIT_EXPECT_EQ(test, IB_PORT_ACTIVE, attr.state);
}

/* The handler looks at the table when the event comes. */
struct listener {
	struct ib_event_handler	handler;
	u64			gid;
	enum ib_event_type	last;
	int			events;
};

static void listen(struct ib_event_handler *handler, struct ib_event *event)
{
	struct listener *l = container_of(handler, struct listener, handler);
	union ib_gid gid;

	if (!ib_query_gid(event->device, 1, 0, &gid))
		l->gid = be64_to_cpu(gid.global.interface_id);
	l->last = event->event;
	l->events++;
}

static void events_come_in_order(struct kunit *test)
{
	struct fake_device *fake = fake_device_register(test);
	struct listener l = { .handler = { .device = &fake->ib,
					   .handler = listen } };
	struct ib_event event = { .device = &fake->ib,
				  .element.port_num = 1 };

	ib_register_event_handler(&l.handler);
	fake->gids[0].global.interface_id = cpu_to_be64(3);
	ib_refresh_port(&fake->ib, 1);
	event.event = IB_EVENT_GID_CHANGE;
	ib_dispatch_event(&event);
	event.event = IB_EVENT_PORT_ACTIVE;
	ib_dispatch_event(&event);
	ib_event_flush();
	KUNIT_EXPECT_EQ(test, 2, l.events);
	KUNIT_EXPECT_EQ(test, 3, l.gid);
	KUNIT_EXPECT_EQ(test, IB_EVENT_PORT_ACTIVE, l.last);

	ib_unregister_event_handler(&l.handler);
	ib_dispatch_event(&event);
	ib_event_flush();
	KUNIT_EXPECT_EQ(test, 2, l.events);
}

static struct kunit_case device_cases[] = {
	KUNIT_CASE(client_before_device),
	KUNIT_CASE(device_before_client),
	KUNIT_CASE(client_that_declines),
	KUNIT_CASE(death_is_told_once),
	KUNIT_CASE(lowest_free_number),
	KUNIT_CASE(impossible_devices),
	KUNIT_CASE(forgetful_drivers),
	KUNIT_CASE(every_step_of_registration),
	KUNIT_CASE(tables_are_cached),
	KUNIT_CASE(link_layer_of_a_port),
	KUNIT_CASE(events_come_in_order),
	{}
};

static struct kunit_suite device_suite = {
	.name		= "ib_device",
	.init		= client_test_init,
	.test_cases	= device_cases,
};

kunit_test_suite(device_suite);

MODULE_DESCRIPTION("KUnit: devices and clients");
MODULE_IMPORT_NS(IB_NS);
MODULE_IMPORT_NS(IB_KUNIT_NS);
MODULE_LICENSE("GPL");
