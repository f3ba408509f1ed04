// SPDX-License-Identifier: GPL-2.0-only
/*
 * XRC and multicast in the user ABI, by system calls of two processes: who
 * shares a domain and a queue pair, and what keeps what alive.
 */
#include <kunit/test.h>
#include <linux/fcntl.h>
#include <linux/fdtable.h>
#include <linux/file.h>
#include <linux/module.h>
#include <linux/shmem_fs.h>
#include <rdma/ib_user_verbs.h>
#include <ib/export.h>
#include <ib/xrcd.h>
#include "kunit/helpers/fake_device.h"
#include "kunit/helpers/fake_user.h"

#define NO_FD	((u32)-1)

static int open_xrcd(struct fake_user *user, u32 fd, u32 oflags, u32 *handle)
{
	struct ib_uverbs_open_xrcd cmd = { .fd = fd, .oflags = oflags };
	struct ib_uverbs_open_xrcd_resp resp = {};
	int ret;

	ret = fake_user_command(user, IB_USER_VERBS_CMD_OPEN_XRCD, &cmd,
				sizeof(cmd), &resp, sizeof(resp));
	*handle = resp.xrcd_handle;
	return ret;
}

static int close_xrcd(struct fake_user *user, u32 handle)
{
	struct ib_uverbs_close_xrcd cmd = { .xrcd_handle = handle };

	if (user->invoke)
		return fake_user_destroy(user, UVERBS_OBJECT_XRCD,
					 UVERBS_METHOD_XRCD_DESTROY,
					 UVERBS_ATTR_DESTROY_XRCD_HANDLE,
					 handle);
	return fake_user_command(user, IB_USER_VERBS_CMD_CLOSE_XRCD, &cmd,
				 sizeof(cmd), NULL, 0);
}

static int create_qp(struct fake_user *user, struct ib_uverbs_create_qp *cmd,
		     struct ib_uverbs_create_qp_resp *resp)
{
	cmd->max_send_wr = 1;
	return fake_user_command(user, IB_USER_VERBS_CMD_CREATE_QP, cmd,
				 sizeof(*cmd), resp, sizeof(*resp));
}

static int make_target(struct fake_user *user, u32 xrcd,
		       struct ib_uverbs_create_qp_resp *resp)
{
	struct ib_uverbs_create_qp cmd = {
		.pd_handle = xrcd,
		.qp_type = IB_UVERBS_QPT_XRC_TGT,
	};

	return create_qp(user, &cmd, resp);
}

/* The native method: with @extra, one attribute that does not belong there */
static int make_target_natively(struct fake_user *user, u32 xrcd, u32 *qpn,
				u32 *handle, struct fake_attr *extra)
{
	struct ib_uverbs_qp_cap cap = {};
	struct fake_attr attrs[] = {
		{ .id = UVERBS_ATTR_CREATE_QP_HANDLE },
		{ .id = UVERBS_ATTR_CREATE_QP_USER_HANDLE, .len = 8 },
		{ .id = UVERBS_ATTR_CREATE_QP_CAP, .len = sizeof(cap),
		  .in = &cap },
		{ .id = UVERBS_ATTR_CREATE_QP_TYPE, .len = 8,
		  .data = IB_UVERBS_QPT_XRC_TGT },
		{ .id = UVERBS_ATTR_CREATE_QP_RESP_CAP, .len = sizeof(cap),
		  .out = &cap },
		{ .id = UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, .len = 4,
		  .out = qpn },
		{ .id = UVERBS_ATTR_CREATE_QP_XRCD_HANDLE, .data = xrcd },
		{ },
	};
	unsigned int num = ARRAY_SIZE(attrs) - 1;
	int ret;

	if (extra)
		attrs[num++] = *extra;
	ret = fake_user_call(user, UVERBS_OBJECT_QP, UVERBS_METHOD_QP_CREATE,
			     attrs, num);
	*handle = attrs[0].data;
	return ret;
}

static int open_qp(struct fake_user *user, u32 xrcd, u8 type, u32 qpn,
		   struct ib_uverbs_create_qp_resp *resp)
{
	struct ib_uverbs_open_qp cmd = {
		.pd_handle = xrcd,
		.qp_type = type,
		.qpn = qpn,
	};

	return fake_user_command(user, IB_USER_VERBS_CMD_OPEN_QP, &cmd,
				 sizeof(cmd), resp, sizeof(*resp));
}

static int destroy_qp(struct fake_user *user, u32 handle)
{
	struct ib_uverbs_destroy_qp cmd = { .qp_handle = handle };
	struct ib_uverbs_destroy_qp_resp resp = {};

	return fake_user_command(user, IB_USER_VERBS_CMD_DESTROY_QP, &cmd,
				 sizeof(cmd), &resp, sizeof(resp));
}

static void close_fd_action(void *fd)
{
	close_fd((uintptr_t)fd);
}

/* A descriptor of a file of its own */
static int new_file(struct kunit *test)
{
	struct file *file = shmem_file_setup("xrc", 0, 0);
	int fd;

	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	fd = get_unused_fd_flags(O_CLOEXEC);
	KUNIT_ASSERT_GE(test, fd, 0);
	fd_install(fd, file);
	KUNIT_ASSERT_EQ(test, 0,
			kunit_add_action_or_reset(test, close_fd_action,
						  (void *)(uintptr_t)fd));
	return fd;
}

static void files_share_domains(struct kunit *test)
{
	struct fake_device *fake = fake_device_register(test);
	struct fake_user *a = fake_user_open(test, fake);
	struct fake_user *b = fake_user_open(test, fake);
	int fd = new_file(test), other = new_file(test);
	u32 at_a, at_b, no;

	b->invoke = true;
	KUNIT_EXPECT_EQ(test, -EBADF, open_xrcd(a, 12345, O_CREAT, &no));
	KUNIT_EXPECT_EQ(test, -EAGAIN, open_xrcd(a, fd, 0, &no));
	KUNIT_EXPECT_EQ(test, 2, fake->made);
	KUNIT_ASSERT_EQ(test, 0, open_xrcd(a, fd, O_CREAT, &at_a));
	KUNIT_ASSERT_EQ(test, 0, open_xrcd(b, fd, 0, &at_b));
	KUNIT_EXPECT_EQ(test, 3, fake->made);
	KUNIT_EXPECT_EQ(test, -EINVAL,
			open_xrcd(b, fd, O_CREAT | O_EXCL, &no));
	KUNIT_EXPECT_STREQ(test, "file has an XRC domain already",
			   fake_user_why(b));
	KUNIT_EXPECT_EQ(test, -EAGAIN, open_xrcd(b, other, 0, &no));

	KUNIT_EXPECT_EQ(test, 0, close_xrcd(a, at_a));
	KUNIT_EXPECT_EQ(test, -ENOENT, close_xrcd(a, at_a));
	KUNIT_EXPECT_EQ(test, 3, fake->made);
	fake->fail = -EIO;
	KUNIT_EXPECT_EQ(test, -EIO, close_xrcd(b, at_b));
	KUNIT_EXPECT_EQ(test, 0, close_xrcd(b, at_b));
	KUNIT_EXPECT_EQ(test, 2, fake->made);
	/* it went with its last handle */
	KUNIT_EXPECT_EQ(test, -EAGAIN, open_xrcd(a, fd, 0, &no));
}

static void domains_without_a_file(struct kunit *test)
{
	struct fake_device *fake = fake_device_register(test);
	struct fake_user *a = fake_user_open(test, fake);
	u32 first, second;

	KUNIT_ASSERT_EQ(test, 0, open_xrcd(a, NO_FD, 0, &first));
	KUNIT_ASSERT_EQ(test, 0, open_xrcd(a, NO_FD, O_EXCL, &second));
	KUNIT_EXPECT_EQ(test, 3, fake->made);
	KUNIT_EXPECT_EQ(test, 0, close_xrcd(a, first));
	KUNIT_EXPECT_EQ(test, 2, fake->made);
	fake->fail = -ENOSPC;
	KUNIT_EXPECT_EQ(test, -ENOSPC, open_xrcd(a, NO_FD, 0, &first));
	fake_user_close(a);
	KUNIT_EXPECT_EQ(test, 0, fake->made);
}

static void targets_are_shared(struct kunit *test)
{
	u8 tgt = IB_UVERBS_QPT_XRC_TGT, rc = IB_UVERBS_QPT_RC;
	struct fake_device *fake = fake_device_register(test);
	struct fake_user *a = fake_user_open(test, fake);
	struct fake_user *b = fake_user_open(test, fake);
	struct ib_uverbs_create_qp_resp qp_a = {}, qp_b = {}, no;
	int fd = new_file(test);
	u32 at_a, at_b;

	KUNIT_ASSERT_EQ(test, 0, open_xrcd(a, fd, O_CREAT, &at_a));
	KUNIT_ASSERT_EQ(test, 0, open_xrcd(b, fd, 0, &at_b));
	KUNIT_EXPECT_EQ(test, -EINVAL, make_target(a, 1000, &no));
	KUNIT_ASSERT_EQ(test, 0, make_target(a, at_a, &qp_a));
	KUNIT_EXPECT_EQ(test, FAKE_QPN, qp_a.qpn);
	KUNIT_EXPECT_EQ(test, 4, fake->made);

	KUNIT_EXPECT_EQ(test, -EINVAL, open_qp(b, at_b, rc, FAKE_QPN, &no));
	KUNIT_EXPECT_EQ(test, -EINVAL, open_qp(b, 1000, tgt, FAKE_QPN, &no));
	KUNIT_EXPECT_EQ(test, -EINVAL, open_qp(b, at_b, tgt, 1, &no));
	KUNIT_EXPECT_STREQ(test,
			   "no target queue pair 0x1 in the domain",
			   fake_user_why(b));
	KUNIT_ASSERT_EQ(test, 0, open_qp(b, at_b, tgt, FAKE_QPN, &qp_b));
	KUNIT_EXPECT_EQ(test, FAKE_QPN, qp_b.qpn);
	KUNIT_EXPECT_EQ(test, 4, fake->made);

	KUNIT_EXPECT_EQ(test, -EBUSY, close_xrcd(a, at_a));
	KUNIT_EXPECT_EQ(test, 0, destroy_qp(a, qp_a.qp_handle));
	KUNIT_EXPECT_EQ(test, 0, close_xrcd(a, at_a));
	KUNIT_EXPECT_EQ(test, 4, fake->made);
	KUNIT_EXPECT_EQ(test, -EBUSY, close_xrcd(b, at_b));
	fake->fail = -EIO;
	KUNIT_EXPECT_EQ(test, -EIO, destroy_qp(b, qp_b.qp_handle));
	KUNIT_EXPECT_EQ(test, 0, destroy_qp(b, qp_b.qp_handle));
	KUNIT_EXPECT_EQ(test, -EINVAL, open_qp(b, at_b, tgt, FAKE_QPN, &no));
	KUNIT_EXPECT_EQ(test, 0, close_xrcd(b, at_b));
	KUNIT_EXPECT_EQ(test, 2, fake->made);
}

static void closing_lets_go_of_targets(struct kunit *test)
{
	struct fake_device *fake = fake_device_register(test);
	struct fake_user *a = fake_user_open(test, fake);
	struct fake_user *b = fake_user_open(test, fake);
	struct ib_uverbs_create_qp_resp qp = {};
	int fd = new_file(test);
	u32 at_a, at_b;

	KUNIT_ASSERT_EQ(test, 0, open_xrcd(a, fd, O_CREAT, &at_a));
	KUNIT_ASSERT_EQ(test, 0, open_xrcd(b, fd, 0, &at_b));
	KUNIT_ASSERT_EQ(test, 0, make_target(a, at_a, &qp));
	KUNIT_ASSERT_EQ(test, 0,
			open_qp(b, at_b, IB_UVERBS_QPT_XRC_TGT, qp.qpn, &qp));
	fake_user_close(a);
	KUNIT_EXPECT_EQ(test, 3, fake->made);
	fake_user_close(b);
	KUNIT_EXPECT_EQ(test, 0, fake->made);
}

static void native_targets(struct kunit *test)
{
	struct fake_device *fake = fake_device_register(test);
	struct fake_user *a = fake_user_open(test, fake);
	struct fake_attr pd = {
		.id = UVERBS_ATTR_CREATE_QP_PD_HANDLE,
		.data = fake_user_pd(a),
	};
	struct fake_attr cq = {
		.id = UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE,
		.data = fake_user_cq(a),
	};
	u32 xrcd, qpn = 0, qp;

	KUNIT_ASSERT_EQ(test, 0, open_xrcd(a, NO_FD, 0, &xrcd));
	KUNIT_EXPECT_EQ(test, -EINVAL,
			make_target_natively(a, xrcd, &qpn, &qp, &pd));
	KUNIT_EXPECT_EQ(test, -EINVAL,
			make_target_natively(a, xrcd, &qpn, &qp, &cq));
	KUNIT_EXPECT_EQ(test, -ENOENT,
			make_target_natively(a, 1000, &qpn, &qp, NULL));
	KUNIT_ASSERT_EQ(test, 0,
			make_target_natively(a, xrcd, &qpn, &qp, NULL));
	KUNIT_EXPECT_EQ(test, FAKE_QPN, qpn);
	KUNIT_EXPECT_EQ(test, -EBUSY, close_xrcd(a, xrcd));
	KUNIT_EXPECT_EQ(test, 0, destroy_qp(a, qp));
	KUNIT_EXPECT_EQ(test, 0, close_xrcd(a, xrcd));
}

static int create_xsrq(struct fake_user *user, u32 xrcd, u32 cq, u32 pd,
		       u32 type, struct ib_uverbs_create_srq_resp *resp)
{
	struct ib_uverbs_create_xsrq cmd = {
		.srq_type = type,
		.pd_handle = pd,
		.xrcd_handle = xrcd,
		.cq_handle = cq,
		.max_wr = 16,
		.max_sge = 2,
		.max_num_tags = 5,
	};

	return fake_user_command(user, IB_USER_VERBS_CMD_CREATE_XSRQ, &cmd,
				 sizeof(cmd), resp, sizeof(*resp));
}

static int destroy_srq(struct fake_user *user, u32 handle)
{
	struct ib_uverbs_destroy_srq cmd = { .srq_handle = handle };
	struct ib_uverbs_destroy_srq_resp resp = {};

	return fake_user_command(user, IB_USER_VERBS_CMD_DESTROY_SRQ, &cmd,
				 sizeof(cmd), &resp, sizeof(resp));
}

static void receive_queues(struct kunit *test)
{
	struct fake_device *fake = fake_device_register(test);
	struct fake_user *a = fake_user_open(test, fake);
	u32 pd = fake_user_pd(a), cq = fake_user_cq(a), xrcd;
	struct ib_uverbs_create_srq_resp srq = {}, no;
	struct ib_uverbs_create_qp_resp qp;
	struct ib_uverbs_create_qp rc = {
		.pd_handle = pd,
		.send_cq_handle = cq,
		.recv_cq_handle = cq,
		.qp_type = IB_UVERBS_QPT_RC,
		.is_srq = 1,
	};

	KUNIT_ASSERT_EQ(test, 0, open_xrcd(a, NO_FD, 0, &xrcd));
	KUNIT_EXPECT_EQ(test, -EINVAL,
			create_xsrq(a, 1000, cq, pd, IB_UVERBS_SRQT_XRC, &no));
	KUNIT_EXPECT_EQ(test, -ENOENT,
			create_xsrq(a, xrcd, 1000, pd, IB_UVERBS_SRQT_XRC,
				    &no));
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP,
			create_xsrq(a, xrcd, cq, pd, 3, &no));
	KUNIT_ASSERT_EQ(test, 0,
			create_xsrq(a, xrcd, cq, pd, IB_UVERBS_SRQT_XRC,
				    &srq));
	KUNIT_EXPECT_EQ(test, FAKE_SRQN, srq.srqn);
	KUNIT_EXPECT_NOT_NULL(test, fake->srq_attr.xrcd);
	KUNIT_EXPECT_NOT_NULL(test, fake->srq_attr.cq);
	KUNIT_EXPECT_EQ(test, 16, fake->srq_attr.attr.max_wr);

	rc.srq_handle = srq.srq_handle;
	KUNIT_EXPECT_EQ(test, -EINVAL, create_qp(a, &rc, &qp));
	KUNIT_EXPECT_EQ(test, -EBUSY, close_xrcd(a, xrcd));
	KUNIT_EXPECT_EQ(test, 0, destroy_srq(a, srq.srq_handle));
	KUNIT_EXPECT_EQ(test, 0, close_xrcd(a, xrcd));

	KUNIT_EXPECT_EQ(test, 0,
			create_xsrq(a, 0, cq, pd, IB_UVERBS_SRQT_TM, &srq));
	KUNIT_EXPECT_EQ(test, 5, fake->srq_attr.max_num_tags);
	KUNIT_EXPECT_EQ(test, 0, srq.srqn);
}

static int mcast(struct fake_user *user, bool attach, u32 qp, u8 first,
		 u16 lid)
{
	struct ib_uverbs_attach_mcast cmd = {
		.gid = { first, 0x12, [15] = 9 },
		.qp_handle = qp,
		.mlid = lid,
	};

	return fake_user_command(user, attach ?
				 IB_USER_VERBS_CMD_ATTACH_MCAST :
				 IB_USER_VERBS_CMD_DETACH_MCAST, &cmd,
				 sizeof(cmd), NULL, 0);
}

static u32 make_qp(struct kunit *test, struct fake_user *user, u8 type)
{
	u32 cq = fake_user_cq(user);
	struct ib_uverbs_create_qp cmd = {
		.pd_handle = fake_user_pd(user),
		.send_cq_handle = cq,
		.recv_cq_handle = cq,
		.qp_type = type,
	};
	struct ib_uverbs_create_qp_resp resp = {};

	KUNIT_ASSERT_EQ(test, 0, create_qp(user, &cmd, &resp));
	return resp.qp_handle;
}

static void groups(struct kunit *test)
{
	struct fake_device *fake = fake_device_register(test);
	struct fake_user *a = fake_user_open(test, fake);
	u32 ud = make_qp(test, a, IB_UVERBS_QPT_UD);
	u32 rc = make_qp(test, a, IB_UVERBS_QPT_RC);

	KUNIT_EXPECT_EQ(test, -EINVAL, mcast(a, true, rc, 0xff, 0xc001));
	KUNIT_EXPECT_EQ(test, -EINVAL, mcast(a, true, ud, 0xfe, 0xc001));
	KUNIT_EXPECT_EQ(test, -EINVAL, mcast(a, true, ud, 0xff, 0xbfff));
	KUNIT_EXPECT_EQ(test, -EINVAL, mcast(a, true, ud, 0xff, 0xffff));
	KUNIT_EXPECT_STREQ(test, "LID 0xffff is no multicast LID",
			   fake_user_why(a));
	KUNIT_EXPECT_EQ(test, -ENOENT, mcast(a, true, 1000, 0xff, 0xc001));
	KUNIT_EXPECT_EQ(test, 0, mcast(a, true, ud, 0xff, 0xc001));
	KUNIT_EXPECT_EQ(test, 0xc001, fake->mlid);
	KUNIT_EXPECT_EQ(test, 9, fake->mgid.raw[15]);
	/* twice is once */
	KUNIT_EXPECT_EQ(test, 0, mcast(a, true, ud, 0xff, 0xc001));
	KUNIT_EXPECT_EQ(test, 1, fake->groups);

	KUNIT_EXPECT_EQ(test, -EBUSY, destroy_qp(a, ud));
	KUNIT_EXPECT_EQ(test, -EINVAL, mcast(a, false, ud, 0xff, 0xc002));
	fake->fail = -EIO;
	KUNIT_EXPECT_EQ(test, -EIO, mcast(a, false, ud, 0xff, 0xc001));
	KUNIT_EXPECT_EQ(test, 0, mcast(a, false, ud, 0xff, 0xc001));
	KUNIT_EXPECT_EQ(test, 0, fake->groups);
	KUNIT_EXPECT_EQ(test, -EINVAL, mcast(a, false, ud, 0xff, 0xc001));
	KUNIT_EXPECT_EQ(test, 0, destroy_qp(a, ud));
}

/* The adapter knows the GID only; the user leaves as often as he came. */
static void lids_of_a_group(struct kunit *test)
{
	struct fake_device *fake = fake_device_register(test);
	struct fake_user *a = fake_user_open(test, fake);
	u32 ud = make_qp(test, a, IB_UVERBS_QPT_UD);

	KUNIT_EXPECT_EQ(test, 0, mcast(a, true, ud, 0xff, 0xc001));
	KUNIT_EXPECT_EQ(test, 0, mcast(a, true, ud, 0xff, 0xc002));
	KUNIT_EXPECT_EQ(test, 0, mcast(a, false, ud, 0xff, 0xc001));
	KUNIT_EXPECT_EQ(test, 1, fake->groups);
	KUNIT_EXPECT_EQ(test, -EINVAL, mcast(a, false, ud, 0xff, 0xc001));
	KUNIT_EXPECT_EQ(test, -EBUSY, destroy_qp(a, ud));
	KUNIT_EXPECT_EQ(test, 0, mcast(a, false, ud, 0xff, 0xc002));
	KUNIT_EXPECT_EQ(test, 0, fake->groups);
	KUNIT_EXPECT_EQ(test, 0, destroy_qp(a, ud));
}

static void closing_leaves_groups(struct kunit *test)
{
	struct fake_device *fake = fake_device_register(test);
	struct fake_user *a = fake_user_open(test, fake);
	u32 ud = make_qp(test, a, IB_UVERBS_QPT_UD);

	KUNIT_EXPECT_EQ(test, 0, mcast(a, true, ud, 0xff, 0xc001));
	KUNIT_EXPECT_EQ(test, 0, mcast(a, true, ud, 0xff, 0xc002));
	KUNIT_EXPECT_EQ(test, 1, fake->groups);
	fake_user_close(a);
	KUNIT_EXPECT_EQ(test, 0, fake->groups);
	KUNIT_EXPECT_EQ(test, 0, fake->made);
}

static struct kunit_case xrc_cases[] = {
	KUNIT_CASE(files_share_domains),
	KUNIT_CASE(domains_without_a_file),
	KUNIT_CASE(targets_are_shared),
	KUNIT_CASE(closing_lets_go_of_targets),
	KUNIT_CASE(native_targets),
	KUNIT_CASE(receive_queues),
	KUNIT_CASE(groups),
	KUNIT_CASE(lids_of_a_group),
	KUNIT_CASE(closing_leaves_groups),
	{}
};

static struct kunit_suite xrc_suite = {
	.name		= "ib_uverbs_xrc",
	.test_cases	= xrc_cases,
};
kunit_test_suite(xrc_suite);

MODULE_DESCRIPTION("KUnit: XRC and multicast in the user ABI");
MODULE_IMPORT_NS(IB_NS);
MODULE_LICENSE("GPL");
