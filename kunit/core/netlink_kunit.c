// SPDX-License-Identifier: GPL-2.0-only
/* Questions over a real socket, while the adapter of another device is slow. */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/net.h>
#include <linux/netlink.h>
#include <linux/workqueue.h>
#include <net/net_namespace.h>
#include <net/netlink.h>
#include <ib/export.h>
#include "kunit/helpers/fake_device.h"
#include "drivers/core/core_priv.h"
#include "drivers/core/nldev.h"

#define PATIENCE	(20 * HZ)
#define A_MOMENT	(HZ / 5)

/* Somebody who asks for a port, in a task of his own */
struct asker {
	struct work_struct	work;
	struct completion	done;
	u32			index;
	int			ret;
};

static int send_question(struct socket *sock, u32 index)
{
	struct {
		struct nlmsghdr	head;
		struct nlattr	index_attr;
		u32		index;
		struct nlattr	port_attr;
		u32		port;
	} q = {
		.head = {
			.nlmsg_len = sizeof(q),
			.nlmsg_type = RDMA_NL_GET_TYPE(RDMA_NL_NLDEV,
						       RDMA_NLDEV_CMD_PORT_GET),
			.nlmsg_flags = NLM_F_REQUEST,
		},
		.index_attr = { NLA_HDRLEN + 4, RDMA_NLDEV_ATTR_DEV_INDEX },
		.index = index,
		.port_attr = { NLA_HDRLEN + 4, RDMA_NLDEV_ATTR_PORT_INDEX },
		.port = 1,
	};
	struct kvec vec = { .iov_base = &q, .iov_len = sizeof(q) };
	/* with an address the kernel does not ask who opened the socket */
	struct sockaddr_nl to = { .nl_family = AF_NETLINK };
	struct msghdr msg = { .msg_name = &to, .msg_namelen = sizeof(to) };
	int ret = kernel_sendmsg(sock, &msg, &vec, 1, sizeof(q));

	return ret < 0 ? ret : 0;
}

static int read_answer(struct socket *sock)
{
	u8 answer[1024] __aligned(NLMSG_ALIGNTO);
	struct kvec vec = { .iov_base = answer, .iov_len = sizeof(answer) };
	const struct nlmsghdr *head = (void *)answer;
	struct msghdr msg = {};
	int ret;

	ret = kernel_recvmsg(sock, &msg, &vec, 1, sizeof(answer), 0);
	if (ret < (int)sizeof(*head))
		return ret < 0 ? ret : -EPROTO;
	if (head->nlmsg_type == NLMSG_ERROR)
		return ((const struct nlmsgerr *)nlmsg_data(head))->error;
	return 0;
}

static void ask_work(struct work_struct *work)
{
	struct asker *a = container_of(work, struct asker, work);
	struct socket *sock;

	a->ret = sock_create_kern(&init_net, AF_NETLINK, SOCK_RAW,
				  NETLINK_RDMA, &sock);
	if (!a->ret) {
		a->ret = send_question(sock, a->index);
		if (!a->ret)
			a->ret = read_answer(sock);
		sock_release(sock);
	}
	complete(&a->done);
}

static void ask(struct asker *a, const struct fake_device *fake)
{
	a->index = fake->ib.index;
	a->ret = 1;
	init_completion(&a->done);
	INIT_WORK_ONSTACK(&a->work, ask_work);
	queue_work(system_unbound_wq, &a->work);
}

static int answered(struct asker *a)
{
	wait_for_completion(&a->done);
	flush_work(&a->work);
	destroy_work_on_stack(&a->work);
	return a->ret;
}

struct renamer {
	struct work_struct	work;
	struct completion	done;
	struct fake_device	*fake;
	int			ret;
};

static void rename_work(struct work_struct *work)
{
	struct renamer *r = container_of(work, struct renamer, work);

	mutex_lock(&ib_registration_lock);
	r->ret = ib_device_rename(&r->fake->ib, "renamed");
	mutex_unlock(&ib_registration_lock);
	complete(&r->done);
}

static void slow_adapters_keep_nobody(struct kunit *test)
{
	struct fake_device *slow = fake_device_register(test);
	struct fake_device *other = fake_device_register(test);
	struct renamer r = { .fake = other, .ret = 1 };
	struct asker first, second;
	struct fake_pause pause;

	fake_pause_init(&pause);
	slow->pause = &pause;
	ask(&first, slow);
	KUNIT_EXPECT_NE(test, 0,
			wait_for_completion_timeout(&pause.began, PATIENCE));

	/* who writes the list, and who reads it after him */
	init_completion(&r.done);
	INIT_WORK_ONSTACK(&r.work, rename_work);
	queue_work(system_unbound_wq, &r.work);
	KUNIT_EXPECT_NE(test, 0,
			wait_for_completion_timeout(&r.done, PATIENCE));
	ask(&second, other);
	KUNIT_EXPECT_NE(test, 0,
			wait_for_completion_timeout(&second.done, PATIENCE));
	complete_all(&second.done);

	complete(&pause.go);
	KUNIT_EXPECT_EQ(test, 0, answered(&first));
	KUNIT_EXPECT_EQ(test, 0, answered(&second));
	flush_work(&r.work);
	destroy_work_on_stack(&r.work);
	KUNIT_EXPECT_EQ(test, 0, r.ret);
	KUNIT_EXPECT_STREQ(test, "renamed", other->ib.name);
}

struct goer {
	struct work_struct	work;
	struct completion	done;
	struct fake_device	*fake;
};

static void go_work(struct work_struct *work)
{
	struct goer *g = container_of(work, struct goer, work);

	ib_unregister_device(&g->fake->ib);
	complete_all(&g->done);
}

static void devices_wait_for_their_askers(struct kunit *test)
{
	struct fake_device *fake = fake_device_alloc(test);
	struct goer g = { .fake = fake };
	struct fake_pause pause;
	struct asker first, late;
	unsigned long end = jiffies + PATIENCE;

	KUNIT_ASSERT_EQ(test, 0, ib_register_device(&fake->ib, "fake%d"));
	fake_pause_init(&pause);
	fake->pause = &pause;
	ask(&first, fake);
	KUNIT_EXPECT_NE(test, 0,
			wait_for_completion_timeout(&pause.began, PATIENCE));
	init_completion(&g.done);
	INIT_WORK_ONSTACK(&g.work, go_work);
	queue_work(system_unbound_wq, &g.work);
	/* whoever asks once it has left the list is too late */
	while (!list_empty_careful(&fake->ib.entry) && time_before(jiffies, end))
		msleep(20);
	KUNIT_EXPECT_EQ(test, 0,
			wait_for_completion_timeout(&g.done, A_MOMENT));
	ask(&late, fake);
	KUNIT_EXPECT_EQ(test, -EINVAL, answered(&late));

	complete(&pause.go);
	KUNIT_EXPECT_EQ(test, 0, answered(&first));
	wait_for_completion(&g.done);
	flush_work(&g.work);
	destroy_work_on_stack(&g.work);
}

static struct kunit_case netlink_cases[] = {
	KUNIT_CASE(slow_adapters_keep_nobody),
	KUNIT_CASE(devices_wait_for_their_askers),
	{}
};

static struct kunit_suite netlink_suite = {
	.name		= "ib_netlink",
	.test_cases	= netlink_cases,
};

kunit_test_suite(netlink_suite);

MODULE_DESCRIPTION("KUnit: who asks over netlink, and who waits for whom");
MODULE_IMPORT_NS(IB_NS);
MODULE_IMPORT_NS(IB_KUNIT_NS);
MODULE_LICENSE("GPL");
