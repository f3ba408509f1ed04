// SPDX-License-Identifier: GPL-2.0-only
/*
 * Several threads and one memory region: who changes it has it for himself,
 * and gets the keys that his change gave it.
 */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <rdma/ib_user_verbs.h>
#include <ib/export.h>
#include "kunit/helpers/fake_device.h"
#include "kunit/helpers/fake_user.h"

#define ACCESS		(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_READ)
#define PATIENCE	(20 * HZ)
#define RACE_MS		300
#define MEM_OF_THREAD	SZ_16K	/* of the user's memory, for one thread */

/**
 * struct changer - a thread that changes a region
 * @user: the same file, other memory
 * @mm: whose memory it is
 * @cmd: what it asks for
 * @until: when it stops; it asks once for 0
 * @done: it has ended
 * @ret: of its last call
 * @good: calls that changed the region
 * @wrong: calls that a race does not explain, or with keys of nobody
 */
struct changer {
	struct fake_user		user;
	struct mm_struct		*mm;
	struct ib_uverbs_rereg_mr	cmd;
	unsigned long			until;
	struct completion		done;
	int				ret;
	unsigned int			good;
	unsigned int			wrong;
};

static u32 reg_mr(struct fake_user *user, u32 pd)
{
	struct ib_uverbs_reg_mr cmd = {
		.start = 0x10000,
		.length = 0x2000,
		.hca_va = 0x50000,
		.pd_handle = pd,
		.access_flags = ACCESS,
	};
	struct ib_uverbs_reg_mr_resp resp;

	KUNIT_ASSERT_EQ(user->test, 0,
			fake_user_command(user, IB_USER_VERBS_CMD_REG_MR,
					  &cmd, sizeof(cmd), &resp,
					  sizeof(resp)));
	return resp.mr_handle;
}

static int rereg(struct fake_user *user, const struct ib_uverbs_rereg_mr *cmd,
		 u32 *lkey)
{
	struct ib_uverbs_rereg_mr_resp resp = {};
	int ret;

	ret = fake_user_command(user, IB_USER_VERBS_CMD_REREG_MR, cmd,
				sizeof(*cmd), &resp, sizeof(resp));
	*lkey = resp.lkey;
	return ret;
}

static int dereg(struct fake_user *user, u32 handle)
{
	return fake_user_destroy(user, UVERBS_OBJECT_MR,
				 UVERBS_METHOD_MR_DESTROY,
				 UVERBS_ATTR_DESTROY_MR_HANDLE, handle);
}

/* Each change of the fake device adds 16 to the key that a region has. */
static bool key_of_a_change(u32 lkey)
{
	return lkey > FAKE_LKEY && !((lkey - FAKE_LKEY) % 0x10);
}

static void change(struct changer *c)
{
	u32 lkey;

	c->ret = rereg(&c->user, &c->cmd, &lkey);
	if (!c->ret && key_of_a_change(lkey))
		c->good++;
	else if (c->ret != -EBUSY && c->ret != -ENOENT)
		c->wrong++;
}

static int change_thread(void *data)
{
	struct changer *c = data;

	kthread_use_mm(c->mm);
	do {
		change(c);
		cond_resched();
	} while (time_before(jiffies, c->until));
	kthread_unuse_mm(c->mm);
	complete(&c->done);
	return 0;
}

static void start(struct kunit *test, struct changer *c, struct fake_user *user,
		  int number)
{
	struct task_struct *task;

	c->user = *user;
	/* write() is for the thread that has opened the file */
	c->user.invoke = true;
	c->user.mem += number * MEM_OF_THREAD;
	c->mm = current->mm;
	init_completion(&c->done);
	task = kthread_run(change_thread, c, "changer%d", number);
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
}

static void changing_keeps_others_out(struct kunit *test)
{
	struct fake_device *fake = fake_device_register(test);
	struct fake_user *user = fake_user_open(test, fake);
	u32 pd = fake_user_pd(user), other_pd = fake_user_pd(user);
	struct ib_uverbs_rereg_mr mine = {
		.mr_handle = reg_mr(user, pd),
		.flags = IB_MR_REREG_ACCESS,
		.access_flags = ACCESS,
	};
	struct changer *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);
	struct ib_mr *mr = fake->mr;
	struct fake_pause pause;
	u32 lkey;

	KUNIT_ASSERT_NOT_NULL(test, c);
	fake_pause_init(&pause);
	fake->pause = &pause;
	c->cmd = mine;
	c->cmd.flags = IB_MR_REREG_PD;
	c->cmd.pd_handle = other_pd;
	c->until = jiffies;
	start(test, c, user, 1);
	KUNIT_EXPECT_NE(test, 0,
			wait_for_completion_timeout(&pause.began, PATIENCE));
	fake->pause = NULL;
	/* the driver is at work */
	KUNIT_EXPECT_EQ(test, -EBUSY, rereg(user, &mine, &lkey));
	KUNIT_EXPECT_EQ(test, -EBUSY, dereg(user, mine.mr_handle));
	KUNIT_EXPECT_EQ(test, FAKE_LKEY + 0x10, mr->lkey);
	complete(&pause.go);
	wait_for_completion(&c->done);
	KUNIT_EXPECT_EQ(test, 0, c->ret);
	KUNIT_EXPECT_EQ(test, 1, c->good);

	KUNIT_EXPECT_EQ(test, 0, rereg(user, &mine, &lkey));
	KUNIT_EXPECT_EQ(test, FAKE_LKEY + 0x20, lkey);
	KUNIT_EXPECT_EQ(test, 0, dereg(user, mine.mr_handle));
	KUNIT_EXPECT_EQ(test, -ENOENT, rereg(user, &mine, &lkey));
	KUNIT_EXPECT_EQ(test, 3, fake->made);
}

/* A handle that was freed is the next one's: all meet at one number. */
static void changers_and_a_destroyer(struct kunit *test)
{
	struct fake_device *fake = fake_device_register(test);
	struct fake_user *user = fake_user_open(test, fake);
	u32 pd = fake_user_pd(user), other_pd = fake_user_pd(user);
	unsigned long until = jiffies + msecs_to_jiffies(RACE_MS);
	u32 handle = reg_mr(user, pd);
	unsigned int i, destroyed = 0;
	struct changer *c;
	int ret;

	c = kunit_kcalloc(test, 2, sizeof(*c), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, c);
	for (i = 0; i < 2; i++) {
		c[i].cmd.mr_handle = handle;
		c[i].cmd.flags = IB_MR_REREG_PD | IB_MR_REREG_ACCESS;
		c[i].cmd.pd_handle = i ? pd : other_pd;
		c[i].cmd.access_flags = ACCESS;
		c[i].until = until;
		start(test, &c[i], user, i + 1);
	}
	do {
		ret = dereg(user, handle);
		if (ret) {
			KUNIT_EXPECT_EQ(test, -EBUSY, ret);
		} else {
			destroyed++;
			KUNIT_EXPECT_EQ(test, handle, reg_mr(user, pd));
		}
		/* let the others have it for a while */
		usleep_range(100, 500);
	} while (time_before(jiffies, until));
	for (i = 0; i < 2; i++) {
		wait_for_completion(&c[i].done);
		KUNIT_EXPECT_EQ(test, 0, c[i].wrong);
		KUNIT_EXPECT_GT(test, c[i].good, 0);
	}
	KUNIT_EXPECT_GT(test, destroyed, 0);
	KUNIT_EXPECT_EQ(test, 0, dereg(user, handle));
	KUNIT_EXPECT_EQ(test, 3, fake->made);
}

static struct kunit_case rereg_cases[] = {
	KUNIT_CASE(changing_keeps_others_out),
	KUNIT_CASE(changers_and_a_destroyer),
	{}
};

static struct kunit_suite rereg_suite = {
	.name		= "ib_uverbs_rereg",
	.test_cases	= rereg_cases,
};

kunit_test_suite(rereg_suite);

MODULE_DESCRIPTION("KUnit: threads that change and destroy one memory region");
MODULE_IMPORT_NS(IB_NS);
MODULE_LICENSE("GPL");
