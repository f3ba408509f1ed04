// SPDX-License-Identifier: GPL-2.0-only
/*
 * The data path as commands of write(): what arrives of work requests at the
 * driver, tables that do not fit their request, and which request is bad.
 */
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/string.h>
#include <rdma/ib_user_verbs.h>
#include <ib/export.h>
#include "kunit/helpers/fake_device.h"
#include "kunit/helpers/fake_user.h"

struct bed {
	struct fake_device	*fake;
	struct fake_user	*user;
	u32			pd;
	u32			cq;
	u32			qp;
};

static u32 make_qp(struct kunit *test, struct bed *bed, u8 type)
{
	struct ib_uverbs_create_qp_resp resp = {};
	struct ib_uverbs_create_qp cmd = {
		.pd_handle = bed->pd,
		.send_cq_handle = bed->cq,
		.recv_cq_handle = bed->cq,
		.max_send_wr = 8,
		.qp_type = type,
	};

	KUNIT_ASSERT_EQ(test, 0,
			fake_user_command(bed->user,
					  IB_USER_VERBS_CMD_CREATE_QP, &cmd,
					  sizeof(cmd), &resp, sizeof(resp)));
	return resp.qp_handle;
}

static struct bed make_bed(struct kunit *test, u8 type)
{
	struct bed bed = { .fake = fake_device_register(test) };

	bed.user = fake_user_open(test, bed.fake);
	bed.pd = fake_user_pd(bed.user);
	bed.cq = fake_user_cq(bed.user);
	bed.qp = make_qp(test, &bed, type);
	return bed;
}

/* A post with room for what the tests need */
struct send_request {
	struct ib_uverbs_post_send	cmd;
	struct ib_uverbs_send_wr	wr[5];
	struct ib_uverbs_sge		sge[4];
};

/* What is sent: the fixed part, @wrs requests, @sges pieces */
static int send(struct bed *bed, struct send_request *req, u32 wrs, u32 sges,
		u32 *bad)
{
	struct ib_uverbs_post_send_resp resp = {};
	struct send_request out = *req;
	size_t len = sizeof(req->cmd) + wrs * sizeof(req->wr[0]);
	int ret;

	memcpy((u8 *)&out + len, req->sge, sges * sizeof(req->sge[0]));
	len += sges * sizeof(req->sge[0]);
	ret = fake_user_command(bed->user, IB_USER_VERBS_CMD_POST_SEND, &out,
				len, &resp, sizeof(resp));
	*bad = resp.bad_wr;
	return ret;
}

static struct send_request new_send(const struct bed *bed, u32 wrs, u32 sges)
{
	return (struct send_request) {
		.cmd = {
			.qp_handle = bed->qp,
			.wr_count = wrs,
			.sge_count = sges,
			.wqe_size = sizeof(struct ib_uverbs_send_wr),
		},
	};
}

static void check_sends(struct kunit *test, struct bed *bed)
{
	struct send_request req = new_send(bed, 3, 3);
	const struct fake_post *post = bed->fake->posts;
	u32 bad;

	req.wr[0] = (struct ib_uverbs_send_wr) {
		.wr_id = 11, .num_sge = 2,
		.opcode = IB_UVERBS_WR_RDMA_WRITE_WITH_IMM,
		.send_flags = IB_SEND_SIGNALED,
		.ex.imm_data = cpu_to_be32(0x1234),
		.wr.rdma = { .remote_addr = 0xabc, .rkey = 0xdef },
	};
	req.wr[1] = (struct ib_uverbs_send_wr) {
		.wr_id = 12, .num_sge = 1,
		.opcode = IB_UVERBS_WR_ATOMIC_CMP_AND_SWP,
		.wr.atomic = { .remote_addr = 1, .compare_add = 2, .swap = 3,
			       .rkey = 4 },
	};
	req.wr[2] = (struct ib_uverbs_send_wr) {
		.wr_id = 13, .opcode = IB_UVERBS_WR_SEND_WITH_INV,
		.ex.invalidate_rkey = 0x55,
	};
	req.sge[0] = (struct ib_uverbs_sge) { 0x1000, 10, 1 };
	req.sge[1] = (struct ib_uverbs_sge) { 0x2000, 20, 2 };
	req.sge[2] = (struct ib_uverbs_sge) { 0x3000, 30, 3 };
	KUNIT_ASSERT_EQ(test, 0, send(bed, &req, 3, 3, &bad));
	KUNIT_EXPECT_EQ(test, 0, bad);
	KUNIT_ASSERT_EQ(test, 3, bed->fake->num_posts);

	KUNIT_EXPECT_EQ(test, 11, post[0].send.wr_id);
	KUNIT_EXPECT_EQ(test, 2, post[0].send.num_sge);
	KUNIT_EXPECT_EQ(test, IB_SEND_SIGNALED, post[0].send.send_flags);
	KUNIT_EXPECT_EQ(test, 0x1234, be32_to_cpu(post[0].send.imm_data));
	KUNIT_EXPECT_EQ(test, 0xabc, post[0].send.remote_addr);
	KUNIT_EXPECT_EQ(test, 0xdef, post[0].send.rkey);
	KUNIT_EXPECT_EQ(test, 0x2000, post[0].sge[1].addr);
	KUNIT_EXPECT_EQ(test, 20, post[0].sge[1].length);
	KUNIT_EXPECT_EQ(test, 2, post[0].sge[1].lkey);
	KUNIT_EXPECT_EQ(test, 2, post[1].send.compare_add);
	KUNIT_EXPECT_EQ(test, 3, post[1].send.swap);
	KUNIT_EXPECT_EQ(test, 4, post[1].send.rkey);
	KUNIT_EXPECT_EQ(test, 0x3000, post[1].sge[0].addr);
	KUNIT_EXPECT_EQ(test, 0x55, post[2].send.invalidate_rkey);
	KUNIT_EXPECT_EQ(test, 0, post[2].send.num_sge);
}

static void sends(struct kunit *test)
{
	struct bed bed = make_bed(test, IB_UVERBS_QPT_RC);

	check_sends(test, &bed);
	bed.user->invoke = true;
	check_sends(test, &bed);
}

static void the_bad_one_is_named(struct kunit *test)
{
	struct bed bed = make_bed(test, IB_UVERBS_QPT_RC);
	struct send_request req = new_send(&bed, 5, 0);
	u32 bad = 0, i;

	for (i = 0; i < 5; i++)
		req.wr[i].opcode = IB_UVERBS_WR_SEND;
	KUNIT_EXPECT_EQ(test, -ENOMEM, send(&bed, &req, 5, 0, &bad));
	KUNIT_EXPECT_EQ(test, 5, bad);
	KUNIT_EXPECT_EQ(test, FAKE_POSTS, bed.fake->num_posts);
}

static void tables_do_not_fit(struct kunit *test)
{
	struct bed bed = make_bed(test, IB_UVERBS_QPT_RC);
	struct send_request req = new_send(&bed, 2, 1);
	u32 bad;

	req.wr[0].opcode = IB_UVERBS_WR_SEND;
	req.wr[1].opcode = IB_UVERBS_WR_SEND;
	KUNIT_EXPECT_EQ(test, -ENOSPC, send(&bed, &req, 1, 1, &bad));
	KUNIT_EXPECT_EQ(test, -ENOSPC, send(&bed, &req, 2, 0, &bad));
	req.cmd.wr_count = U32_MAX;
	req.cmd.wqe_size = U32_MAX;
	req.cmd.sge_count = U32_MAX;
	KUNIT_EXPECT_EQ(test, -ENOSPC, send(&bed, &req, 2, 1, &bad));
	req = new_send(&bed, 2, 1);
	req.sge[1].addr = 1;
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP, send(&bed, &req, 2, 2, &bad));
	req.cmd.wqe_size = sizeof(struct ib_uverbs_send_wr) - 1;
	req.sge[1].addr = 0;
	KUNIT_EXPECT_EQ(test, -EINVAL, send(&bed, &req, 2, 1, &bad));
	KUNIT_EXPECT_EQ(test, 0, bed.fake->num_posts);
}

static void requests_make_no_sense(struct kunit *test)
{
	struct bed bed = make_bed(test, IB_UVERBS_QPT_RC);
	struct send_request req = new_send(&bed, 1, 1);
	u32 bad;

	req.wr[0].opcode = IB_UVERBS_WR_LOCAL_INV;
	KUNIT_EXPECT_EQ(test, -EINVAL, send(&bed, &req, 1, 1, &bad));
	req.wr[0].opcode = IB_UVERBS_WR_SEND;
	req.wr[0].num_sge = 2;
	KUNIT_EXPECT_EQ(test, -EINVAL, send(&bed, &req, 1, 1, &bad));
	req.wr[0].num_sge = U32_MAX;
	KUNIT_EXPECT_EQ(test, -EINVAL, send(&bed, &req, 1, 1, &bad));
	KUNIT_EXPECT_STREQ(test,
			   "4294967295 pieces of memory, only 1 are left",
			   fake_user_why(bed.user));
	req.wr[0].num_sge = 1;
	req.wr[0].send_flags = IB_SEND_INLINE;
	KUNIT_EXPECT_EQ(test, -EINVAL, send(&bed, &req, 1, 1, &bad));
	req.wr[0].send_flags = BIT(5) | IB_SEND_SIGNALED;
	KUNIT_EXPECT_EQ(test, -EINVAL, send(&bed, &req, 1, 1, &bad));
	KUNIT_EXPECT_STREQ(test, "work request 0 with flags 0x22",
			   fake_user_why(bed.user));
	req.wr[0].send_flags = 0;
	req.cmd.qp_handle = 1000;
	KUNIT_EXPECT_EQ(test, -ENOENT, send(&bed, &req, 1, 1, &bad));
	KUNIT_EXPECT_EQ(test, 0, bed.fake->num_posts);
}

static int create_ah(struct bed *bed, u32 *handle)
{
	struct ib_uverbs_create_ah cmd = {
		.pd_handle = bed->pd,
		.attr = { .dlid = 7, .port_num = 1 },
	};
	struct ib_uverbs_create_ah_resp resp = {};
	int ret;

	ret = fake_user_command(bed->user, IB_USER_VERBS_CMD_CREATE_AH, &cmd,
				sizeof(cmd), &resp, sizeof(resp));
	*handle = resp.ah_handle;
	return ret;
}

static int destroy_ah(struct bed *bed, u32 handle)
{
	return fake_user_destroy(bed->user, UVERBS_OBJECT_AH,
				 UVERBS_METHOD_AH_DESTROY,
				 UVERBS_ATTR_DESTROY_AH_HANDLE, handle);
}

static void datagrams(struct kunit *test)
{
	struct bed bed = make_bed(test, IB_UVERBS_QPT_UD);
	struct send_request req = new_send(&bed, 2, 0);
	u32 ah, bad, i;

	KUNIT_ASSERT_EQ(test, 0, create_ah(&bed, &ah));
	for (i = 0; i < 2; i++) {
		req.wr[i].opcode = IB_UVERBS_WR_SEND;
		req.wr[i].wr.ud.ah = ah;
		req.wr[i].wr.ud.remote_qpn = 20 + i;
		req.wr[i].wr.ud.remote_qkey = 30 + i;
	}
	KUNIT_ASSERT_EQ(test, 0, send(&bed, &req, 2, 0, &bad));
	KUNIT_EXPECT_NOT_NULL(test, bed.fake->posts[0].send.ah);
	KUNIT_EXPECT_EQ(test, 21, bed.fake->posts[1].send.remote_qpn);
	KUNIT_EXPECT_EQ(test, 31, bed.fake->posts[1].send.remote_qkey);

	req.wr[1].wr.ud.ah = 1000;
	KUNIT_EXPECT_EQ(test, -ENOENT, send(&bed, &req, 2, 0, &bad));
	req.wr[1].opcode = IB_UVERBS_WR_RDMA_WRITE;
	KUNIT_EXPECT_EQ(test, -EINVAL, send(&bed, &req, 2, 0, &bad));
	/* the calls hold it no more, whether they worked or not */
	KUNIT_EXPECT_EQ(test, 0, destroy_ah(&bed, ah));
}

struct recv_request {
	struct ib_uverbs_post_recv	cmd;
	struct ib_uverbs_recv_wr	wr[2];
	struct ib_uverbs_sge		sge[2];
};

static void check_recv(struct kunit *test, struct bed *bed, u32 command,
		       u32 queue)
{
	struct recv_request req = {
		.cmd = {
			.qp_handle = queue,
			.wr_count = 2,
			.sge_count = 2,
			.wqe_size = sizeof(struct ib_uverbs_recv_wr),
		},
		.wr = { { .wr_id = 5, .num_sge = 1 },
			{ .wr_id = 6, .num_sge = 1 } },
		.sge = { { 0x10, 1, 2 }, { 0x20, 3, 4 } },
	};
	struct ib_uverbs_post_recv_resp resp = { .bad_wr = 99 };
	struct fake_user *user = bed->user;

	bed->fake->num_posts = 0;
	memset(bed->fake->posts, 0, sizeof(bed->fake->posts));
	KUNIT_ASSERT_EQ(test, 0,
			fake_user_command(user, command, &req, sizeof(req),
					  &resp, sizeof(resp)));
	KUNIT_EXPECT_EQ(test, 0, resp.bad_wr);
	KUNIT_ASSERT_EQ(test, 2, bed->fake->num_posts);
	KUNIT_EXPECT_EQ(test, 6, bed->fake->posts[1].recv.wr_id);
	KUNIT_EXPECT_EQ(test, 0x20, bed->fake->posts[1].sge[0].addr);
	KUNIT_EXPECT_EQ(test, 4, bed->fake->posts[1].sge[0].lkey);

	req.cmd.wqe_size--;
	KUNIT_EXPECT_EQ(test, -EINVAL,
			fake_user_command(user, command, &req, sizeof(req),
					  &resp, sizeof(resp)));
	req.cmd.wqe_size++;
	req.wr[1].num_sge = 2;
	KUNIT_EXPECT_EQ(test, -EINVAL,
			fake_user_command(user, command, &req, sizeof(req),
					  &resp, sizeof(resp)));
	req.cmd.qp_handle = 1000;
	req.wr[1].num_sge = 1;
	KUNIT_EXPECT_EQ(test, -ENOENT,
			fake_user_command(user, command, &req, sizeof(req),
					  &resp, sizeof(resp)));
}

static void receives(struct kunit *test)
{
	struct bed bed = make_bed(test, IB_UVERBS_QPT_RC);
	struct ib_uverbs_create_srq cmd = {
		.pd_handle = bed.pd,
		.max_wr = 4,
		.max_sge = 1,
	};
	struct ib_uverbs_create_srq_resp srq = {};

	KUNIT_ASSERT_EQ(test, 0,
			fake_user_command(bed.user,
					  IB_USER_VERBS_CMD_CREATE_SRQ, &cmd,
					  sizeof(cmd), &srq, sizeof(srq)));
	check_recv(test, &bed, IB_USER_VERBS_CMD_POST_RECV, bed.qp);
	check_recv(test, &bed, IB_USER_VERBS_CMD_POST_SRQ_RECV,
		   srq.srq_handle);
	bed.user->invoke = true;
	check_recv(test, &bed, IB_USER_VERBS_CMD_POST_RECV, bed.qp);
}

struct poll_response {
	struct ib_uverbs_poll_cq_resp	head;
	struct ib_uverbs_wc		wc[3];
};

static void check_poll(struct kunit *test, struct bed *bed, u32 ne,
		       u32 expected)
{
	struct ib_uverbs_poll_cq cmd = { .cq_handle = bed->cq, .ne = ne };
	struct poll_response resp = {};

	KUNIT_ASSERT_EQ(test, 0,
			fake_user_command(bed->user,
					  IB_USER_VERBS_CMD_POLL_CQ, &cmd,
					  sizeof(cmd), &resp, sizeof(resp)));
	KUNIT_ASSERT_EQ(test, expected, resp.head.count);
	if (!expected)
		return;
	KUNIT_EXPECT_EQ(test, FAKE_QPN, resp.wc[0].qp_num);
	KUNIT_EXPECT_EQ(test, 99, resp.wc[0].byte_len);
	KUNIT_EXPECT_EQ(test, 7, resp.wc[0].slid);
	KUNIT_EXPECT_EQ(test, bed->fake->completions,
			resp.wc[expected - 1].wr_id);
}

static void polls(struct kunit *test)
{
	struct bed bed = make_bed(test, IB_UVERBS_QPT_RC);
	int i;

	for (i = 0; i < 2; i++) {
		bed.user->invoke = i;
		bed.fake->completions = 5;
		check_poll(test, &bed, 2, 2);
		/* no more than there is room for */
		check_poll(test, &bed, 100, 3);
		check_poll(test, &bed, 1, 0);
	}
}

static void arms(struct kunit *test)
{
	struct bed bed = make_bed(test, IB_UVERBS_QPT_RC);
	struct ib_uverbs_req_notify_cq cmd = { .cq_handle = bed.cq };

	KUNIT_EXPECT_EQ(test, 0,
			fake_user_command(bed.user,
					  IB_USER_VERBS_CMD_REQ_NOTIFY_CQ,
					  &cmd, sizeof(cmd), NULL, 0));
	KUNIT_EXPECT_EQ(test, IB_CQ_NEXT_COMP, bed.fake->notify);
	cmd.solicited_only = 1;
	KUNIT_EXPECT_EQ(test, 0,
			fake_user_command(bed.user,
					  IB_USER_VERBS_CMD_REQ_NOTIFY_CQ,
					  &cmd, sizeof(cmd), NULL, 0));
	KUNIT_EXPECT_EQ(test, IB_CQ_SOLICITED, bed.fake->notify);
}

static struct kunit_case post_cases[] = {
	KUNIT_CASE(sends),
	KUNIT_CASE(the_bad_one_is_named),
	KUNIT_CASE(tables_do_not_fit),
	KUNIT_CASE(requests_make_no_sense),
	KUNIT_CASE(datagrams),
	KUNIT_CASE(receives),
	KUNIT_CASE(polls),
	KUNIT_CASE(arms),
	{}
};

static struct kunit_suite post_suite = {
	.name		= "ib_uverbs_post",
	.test_cases	= post_cases,
};
kunit_test_suite(post_suite);

MODULE_DESCRIPTION("KUnit: the data path by write()");
MODULE_IMPORT_NS(IB_NS);
MODULE_LICENSE("GPL");
