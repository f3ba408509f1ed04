// SPDX-License-Identifier: GPL-2.0-only
/*
 * Receive work queues and tables of them in the user ABI, by system calls:
 * what arrives at the driver, what is refused and why, what holds what.
 */
#include <kunit/test.h>
#include <linux/fdtable.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/uaccess.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <ib/event.h>
#include <ib/export.h>
#include "kunit/helpers/fake_device.h"
#include "kunit/helpers/fake_user.h"
#include "kunit/helpers/fake_verbs.h"

#define USER_HANDLE	0x1122334455667788ULL

struct bed {
	struct kunit		*test;
	struct fake_device	*fake;
	struct fake_user	*user;
	u32			pd;
	u32			cq;
};

static struct bed make_bed(struct kunit *test)
{
	struct bed bed = { test, fake_device_register(test) };

	bed.user = fake_user_open(test, bed.fake);
	bed.pd = fake_user_pd(bed.user);
	bed.cq = fake_user_cq(bed.user);
	return bed;
}

static int create_wq(struct bed *bed, const struct ib_uverbs_ex_create_wq *cmd,
		     struct ib_uverbs_ex_create_wq_resp *resp)
{
	return fake_verbs_extended(bed->user, IB_USER_VERBS_EX_CMD_CREATE_WQ,
				   cmd, sizeof(*cmd), resp, sizeof(*resp));
}

static struct ib_uverbs_ex_create_wq good_wq(const struct bed *bed)
{
	return (struct ib_uverbs_ex_create_wq) {
		.wq_type = IB_UVERBS_WQT_RQ,
		.user_handle = USER_HANDLE,
		.pd_handle = bed->pd,
		.cq_handle = bed->cq,
		.max_wr = 100,
		.max_sge = 3,
		.create_flags = IB_UVERBS_WQ_FLAGS_SCATTER_FCS,
	};
}

static u32 new_wq(struct bed *bed)
{
	struct ib_uverbs_ex_create_wq cmd = good_wq(bed);
	struct ib_uverbs_ex_create_wq_resp resp = {};

	KUNIT_ASSERT_EQ(bed->test, 0, create_wq(bed, &cmd, &resp));
	return resp.wq_handle;
}

static int modify_wq(struct bed *bed, u32 wq, u32 mask, u32 state, u32 cur)
{
	struct ib_uverbs_ex_modify_wq cmd = {
		.attr_mask = mask,
		.wq_handle = wq,
		.wq_state = state,
		.curr_wq_state = cur,
		.flags = 2,
		.flags_mask = 6,
	};

	return fake_verbs_extended(bed->user, IB_USER_VERBS_EX_CMD_MODIFY_WQ,
				   &cmd, sizeof(cmd), NULL, 0);
}

static int destroy_wq(struct bed *bed, u32 wq,
		      struct ib_uverbs_ex_destroy_wq_resp *resp)
{
	struct ib_uverbs_ex_destroy_wq cmd = { .wq_handle = wq };

	return fake_verbs_extended(bed->user, IB_USER_VERBS_EX_CMD_DESTROY_WQ,
				   &cmd, sizeof(cmd), resp, sizeof(*resp));
}

static void commands_reach_the_driver(struct bed *bed)
{
	struct ib_uverbs_ex_create_wq cmd = good_wq(bed);
	struct ib_uverbs_ex_create_wq_resp resp = {};
	struct ib_uverbs_ex_destroy_wq_resp bye = {};
	struct fake_raw *raw = &bed->fake->raw;
	struct kunit *test = bed->test;

	KUNIT_ASSERT_EQ(test, 0, create_wq(bed, &cmd, &resp));
	KUNIT_EXPECT_EQ(test, FAKE_WQ_NUM, resp.wqn);
	KUNIT_EXPECT_EQ(test, 101, resp.max_wr);
	KUNIT_EXPECT_EQ(test, 5, resp.max_sge);
	KUNIT_EXPECT_EQ(test, sizeof(resp), resp.response_length);
	KUNIT_EXPECT_EQ(test, 100, raw->wq_init.max_wr);
	KUNIT_EXPECT_EQ(test, 3, raw->wq_init.max_sge);
	KUNIT_EXPECT_EQ(test, IB_UVERBS_WQ_FLAGS_SCATTER_FCS,
			raw->wq_init.create_flags);

	/* states that are not given: the last known one */
	KUNIT_EXPECT_EQ(test, 0, modify_wq(bed, resp.wq_handle, IB_WQ_STATE,
					   IB_WQS_RDY, 77));
	KUNIT_EXPECT_EQ(test, IB_WQS_RESET, raw->wq_attr.cur_state);
	KUNIT_EXPECT_EQ(test, IB_WQS_RDY, raw->wq_attr.state);
	KUNIT_EXPECT_EQ(test, 0, raw->wq_attr.flags);
	KUNIT_EXPECT_EQ(test, 0, modify_wq(bed, resp.wq_handle, IB_WQ_FLAGS,
					   0, 0));
	KUNIT_EXPECT_EQ(test, IB_WQS_RDY, raw->wq_attr.cur_state);
	KUNIT_EXPECT_EQ(test, IB_WQS_RDY, raw->wq_attr.state);
	KUNIT_EXPECT_EQ(test, 2, raw->wq_attr.flags);
	KUNIT_EXPECT_EQ(test, 6, raw->wq_attr.flags_mask);
	bed->fake->fail = -EBUSY;
	KUNIT_EXPECT_EQ(test, -EBUSY, modify_wq(bed, resp.wq_handle,
						IB_WQ_STATE, IB_WQS_ERR, 0));
	KUNIT_EXPECT_EQ(test, IB_WQS_RDY, raw->wq->state);

	KUNIT_EXPECT_EQ(test, 0, destroy_wq(bed, resp.wq_handle, &bye));
	KUNIT_EXPECT_EQ(test, sizeof(bye), bye.response_length);
	KUNIT_EXPECT_EQ(test, 0, bye.events_reported);
	KUNIT_EXPECT_EQ(test, -ENOENT, destroy_wq(bed, resp.wq_handle, &bye));
}

static void commands(struct kunit *test)
{
	struct bed bed = make_bed(test);

	commands_reach_the_driver(&bed);
	bed.user->invoke = true;
	commands_reach_the_driver(&bed);
	KUNIT_EXPECT_EQ(test, 3, bed.fake->made);
}

static void bad_commands(struct kunit *test)
{
	struct bed bed = make_bed(test);
	struct ib_uverbs_ex_create_wq_resp resp;
	struct ib_uverbs_ex_create_wq cmd = good_wq(&bed);
	struct ib_uverbs_ex_destroy_wq_resp bye;
	u32 wq;

	cmd.comp_mask = 1;
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP, create_wq(&bed, &cmd, &resp));
	cmd = good_wq(&bed);
	cmd.wq_type = 1;
	KUNIT_EXPECT_EQ(test, -EINVAL, create_wq(&bed, &cmd, &resp));
	KUNIT_EXPECT_STREQ(test, "no work queues of type 1",
			   fake_user_why(bed.user));
	cmd = good_wq(&bed);
	cmd.cq_handle = bed.pd;
	KUNIT_EXPECT_EQ(test, -EINVAL, create_wq(&bed, &cmd, &resp));
	cmd.cq_handle = 77;
	KUNIT_EXPECT_EQ(test, -ENOENT, create_wq(&bed, &cmd, &resp));
	cmd = good_wq(&bed);
	bed.fake->fail = -ENOSPC;
	KUNIT_EXPECT_EQ(test, -ENOSPC, create_wq(&bed, &cmd, &resp));
	KUNIT_EXPECT_EQ(test, 3, bed.fake->made);

	wq = new_wq(&bed);
	KUNIT_EXPECT_EQ(test, -EINVAL, modify_wq(&bed, wq, 0, 0, 0));
	KUNIT_EXPECT_EQ(test, -EINVAL, modify_wq(&bed, wq, 8, 0, 0));
	KUNIT_EXPECT_STREQ(test, "attribute mask 0x8, known are 0x7",
			   fake_user_why(bed.user));
	KUNIT_EXPECT_EQ(test, -EINVAL, modify_wq(&bed, wq, IB_WQ_STATE, 3, 0));
	KUNIT_EXPECT_EQ(test, -EINVAL,
			modify_wq(&bed, wq, IB_WQ_CUR_STATE, 0, 3));
	/* a refused change lets the queue go */
	KUNIT_EXPECT_EQ(test, 0, destroy_wq(&bed, wq, &bye));
}

struct native_wq {
	u32	wr;
	u32	sge;
	u32	num;
};

static int native_create(struct bed *bed, bool with_cq, u64 type,
			 struct native_wq *answer, u32 *handle)
{
	struct fake_attr attrs[] = {
		{ .id = UVERBS_ATTR_CREATE_WQ_HANDLE },
		{ .id = UVERBS_ATTR_CREATE_WQ_PD_HANDLE, .data = bed->pd },
		{ .id = UVERBS_ATTR_CREATE_WQ_TYPE, .len = 8, .data = type },
		{ .id = UVERBS_ATTR_CREATE_WQ_USER_HANDLE, .len = 8,
		  .data = USER_HANDLE },
		{ .id = UVERBS_ATTR_CREATE_WQ_MAX_WR, .len = 4, .data = 7 },
		{ .id = UVERBS_ATTR_CREATE_WQ_MAX_SGE, .len = 4, .data = 2 },
		{ .id = UVERBS_ATTR_CREATE_WQ_FLAGS, .len = 4,
		  .data = IB_UVERBS_WQ_FLAGS_DELAY_DROP },
		{ .id = UVERBS_ATTR_CREATE_WQ_RESP_MAX_WR, .len = 4,
		  .out = &answer->wr },
		{ .id = UVERBS_ATTR_CREATE_WQ_RESP_MAX_SGE, .len = 4,
		  .out = &answer->sge },
		{ .id = UVERBS_ATTR_CREATE_WQ_RESP_WQ_NUM, .len = 4,
		  .out = &answer->num },
		{ .id = UVERBS_ATTR_CREATE_WQ_CQ_HANDLE, .data = bed->cq },
	};
	int ret;

	ret = fake_user_call(bed->user, UVERBS_OBJECT_WQ,
			     UVERBS_METHOD_WQ_CREATE, attrs,
			     ARRAY_SIZE(attrs) - !with_cq);
	*handle = attrs[0].data;
	return ret;
}

static int native_destroy(struct bed *bed, u32 handle, u32 *reported)
{
	struct fake_attr attrs[] = {
		{ .id = UVERBS_ATTR_DESTROY_WQ_HANDLE, .data = handle },
		{ .id = UVERBS_ATTR_DESTROY_WQ_RESP, .len = 4,
		  .out = reported },
	};

	return fake_user_call(bed->user, UVERBS_OBJECT_WQ,
			      UVERBS_METHOD_WQ_DESTROY, attrs, 2);
}

static void native(struct kunit *test)
{
	struct bed bed = make_bed(test);
	struct native_wq answer = {};
	u32 handle, reported = 77;

	KUNIT_ASSERT_EQ(test, 0, native_create(&bed, true, IB_UVERBS_WQT_RQ,
					       &answer, &handle));
	KUNIT_EXPECT_EQ(test, 8, answer.wr);
	KUNIT_EXPECT_EQ(test, 4, answer.sge);
	KUNIT_EXPECT_EQ(test, FAKE_WQ_NUM, answer.num);
	KUNIT_EXPECT_EQ(test, IB_UVERBS_WQ_FLAGS_DELAY_DROP,
			bed.fake->raw.wq_init.create_flags);
	KUNIT_EXPECT_EQ(test, 0, native_destroy(&bed, handle, &reported));
	KUNIT_EXPECT_EQ(test, 0, reported);
	KUNIT_EXPECT_EQ(test, -EINVAL,
			native_create(&bed, true, 1, &answer, &handle));
	KUNIT_EXPECT_EQ(test, -ENOENT,
			native_create(&bed, false, IB_UVERBS_WQT_RQ, &answer,
				      &handle));
	KUNIT_EXPECT_EQ(test, 3, bed.fake->made);
}

/* Takes an event off an async file; its element, or 0 when there is none. */
static u64 read_event(struct bed *bed, int fd)
{
	struct ib_uverbs_async_event_desc desc = {};
	u64 addr = fake_user_copy(bed->user, NULL, sizeof(desc));
	struct file *filp = fget(fd);
	loff_t pos = 0;
	ssize_t ret;

	KUNIT_ASSERT_NOT_NULL(bed->test, filp);
	filp->f_flags |= O_NONBLOCK;
	ret = filp->f_op->read(filp, u64_to_user_ptr(addr), sizeof(desc),
			       &pos);
	fput(filp);
	bed->user->used = 0;
	if (ret != sizeof(desc))
		return 0;
	KUNIT_ASSERT_EQ(bed->test, 0,
			copy_from_user(&desc, u64_to_user_ptr(addr),
				       sizeof(desc)));
	KUNIT_EXPECT_EQ(bed->test, IB_EVENT_WQ_FATAL, desc.event_type);
	return desc.element;
}

static int new_async_file(struct bed *bed)
{
	struct fake_attr attr = { .id = UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE };

	KUNIT_ASSERT_EQ(bed->test, 0,
			fake_user_call(bed->user, UVERBS_OBJECT_ASYNC_EVENT,
				       UVERBS_METHOD_ASYNC_EVENT_ALLOC, &attr,
				       1));
	return attr.data;
}

static void fatal(struct bed *bed)
{
	struct ib_wq *wq = bed->fake->raw.wq;
	struct ib_event event = {
		.event = IB_EVENT_WQ_FATAL,
		.device = &bed->fake->ib,
		.element.wq = wq,
	};

	wq->event_handler(&event, wq->context);
}

static void events(struct kunit *test)
{
	struct bed bed = make_bed(test);
	struct ib_uverbs_ex_destroy_wq_resp bye = {};
	int fd = new_async_file(&bed);
	u32 wq = new_wq(&bed);

	fatal(&bed);
	fatal(&bed);
	KUNIT_EXPECT_EQ(test, USER_HANDLE, read_event(&bed, fd));
	/* one was read, the other is taken back */
	KUNIT_EXPECT_EQ(test, 0, destroy_wq(&bed, wq, &bye));
	KUNIT_EXPECT_EQ(test, 1, bye.events_reported);
	KUNIT_EXPECT_EQ(test, 0, read_event(&bed, fd));
	close_fd(fd);
	flush_delayed_fput();
}

struct table_cmd {
	struct ib_uverbs_ex_create_rwq_ind_table	head;
	u32						wqs[32];
};

static int create_table(struct bed *bed, struct table_cmd *cmd, u32 log_size,
			struct ib_uverbs_ex_create_rwq_ind_table_resp *resp)
{
	cmd->head.log_ind_tbl_size = log_size;
	return fake_verbs_extended(bed->user,
				   IB_USER_VERBS_EX_CMD_CREATE_RWQ_IND_TBL,
				   cmd, sizeof(cmd->head) + (4U << log_size),
				   resp, sizeof(*resp));
}

static int destroy_table(struct bed *bed, u32 handle)
{
	struct ib_uverbs_ex_destroy_rwq_ind_table cmd = {
		.ind_tbl_handle = handle,
	};

	return fake_verbs_extended(bed->user,
				   IB_USER_VERBS_EX_CMD_DESTROY_RWQ_IND_TBL,
				   &cmd, sizeof(cmd), NULL, 0);
}

static void table_life(struct bed *bed)
{
	struct ib_uverbs_ex_create_rwq_ind_table_resp resp = {};
	struct ib_uverbs_ex_destroy_wq_resp bye;
	struct kunit *test = bed->test;
	struct table_cmd cmd = {};
	u32 a = new_wq(bed), b;
	int i;

	b = new_wq(bed);
	/* more than a call holds without memory of its own */
	for (i = 0; i < 32; i++)
		cmd.wqs[i] = i % 2 ? a : b;
	KUNIT_ASSERT_EQ(test, 0, create_table(bed, &cmd, 5, &resp));
	KUNIT_EXPECT_EQ(test, FAKE_IND_TBL_NUM, resp.ind_tbl_num);
	KUNIT_EXPECT_EQ(test, 5, bed->fake->raw.table->log_size);
	KUNIT_EXPECT_PTR_EQ(test, bed->fake->raw.wq,
			    bed->fake->raw.table->wqs[0]);
	KUNIT_EXPECT_EQ(test, 16,
			atomic_read(&bed->fake->raw.wq->obj.usecnt));
	KUNIT_EXPECT_EQ(test, -EBUSY, destroy_wq(bed, a, &bye));
	KUNIT_EXPECT_EQ(test, 0, destroy_table(bed, resp.ind_tbl_handle));
	KUNIT_EXPECT_EQ(test, 0, destroy_wq(bed, a, &bye));

	/* one entry; and a handle that is gone */
	KUNIT_ASSERT_EQ(test, 0, create_table(bed, &cmd, 0, &resp));
	KUNIT_EXPECT_EQ(test, 0,
			fake_verbs_destroy(bed->user, UVERBS_OBJECT_RWQ_IND_TBL,
					   UVERBS_METHOD_RWQ_IND_TBL_DESTROY,
					   UVERBS_ATTR_DESTROY_RWQ_IND_TBL_HANDLE,
					   resp.ind_tbl_handle));
	KUNIT_EXPECT_EQ(test, -ENOENT, create_table(bed, &cmd, 1, &resp));
	bed->fake->fail = -ENOSPC;
	KUNIT_EXPECT_EQ(test, -ENOSPC, create_table(bed, &cmd, 0, &resp));
	KUNIT_EXPECT_EQ(test, 0, destroy_wq(bed, b, &bye));
}

static void tables(struct kunit *test)
{
	struct bed bed = make_bed(test);

	table_life(&bed);
	bed.user->invoke = true;
	table_life(&bed);
	KUNIT_EXPECT_EQ(test, 3, bed.fake->made);
}

static void bad_tables(struct kunit *test)
{
	struct bed bed = make_bed(test);
	struct ib_uverbs_ex_create_rwq_ind_table_resp resp;
	struct table_cmd cmd = { .wqs = { new_wq(&bed) } };
	u32 number = IB_USER_VERBS_EX_CMD_CREATE_RWQ_IND_TBL;

	cmd.head.log_ind_tbl_size = 14;
	KUNIT_EXPECT_EQ(test, -EINVAL,
			fake_verbs_extended(bed.user, number, &cmd,
					    sizeof(cmd), &resp, sizeof(resp)));
	cmd.head.log_ind_tbl_size = 13;
	KUNIT_EXPECT_EQ(test, -ENOSPC,
			fake_verbs_extended(bed.user, number, &cmd,
					    sizeof(cmd), &resp, sizeof(resp)));
	/* more handles than the size says: unknown fields */
	cmd.head.log_ind_tbl_size = 0;
	cmd.wqs[3] = 1;
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP,
			fake_verbs_extended(bed.user, number, &cmd, 24, &resp,
					    sizeof(resp)));
	cmd.wqs[3] = 0;
	KUNIT_EXPECT_EQ(test, 0,
			fake_verbs_extended(bed.user, number, &cmd, 24, &resp,
					    sizeof(resp)));
	bed.user->invoke = true;
	KUNIT_EXPECT_EQ(test, -ENOSPC,
			fake_verbs_extended(bed.user, number, &cmd, 4, &resp,
					    sizeof(resp)));
	cmd.head.comp_mask = 1;
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP, create_table(&bed, &cmd, 0, &resp));
	/* whatever is left goes with the file, the table before its queue */
	fake_user_close(bed.user);
	KUNIT_EXPECT_EQ(test, 0, bed.fake->made);
}

static struct ib_uverbs_ex_create_qp table_qp(const struct bed *bed, u32 table)
{
	return (struct ib_uverbs_ex_create_qp) {
		.pd_handle = bed->pd,
		/* not looked at by a queue pair that only receives */
		.send_cq_handle = 77,
		.recv_cq_handle = 78,
		.qp_type = IB_UVERBS_QPT_RAW_PACKET,
		.comp_mask = IB_UVERBS_CREATE_QP_MASK_IND_TABLE,
		.rwq_ind_tbl_handle = table,
	};
}

static int create_qp(struct bed *bed, const struct ib_uverbs_ex_create_qp *cmd,
		     u32 *handle)
{
	struct ib_uverbs_ex_create_qp_resp resp = {};
	int ret;

	ret = fake_verbs_extended(bed->user, IB_USER_VERBS_EX_CMD_CREATE_QP,
				  cmd, sizeof(*cmd), &resp, sizeof(resp));
	*handle = resp.base.qp_handle;
	return ret;
}

static int destroy_qp(struct bed *bed, u32 handle)
{
	struct ib_uverbs_destroy_qp_resp resp;
	struct fake_attr attrs[] = {
		{ .id = UVERBS_ATTR_DESTROY_QP_HANDLE, .data = handle },
		{ .id = UVERBS_ATTR_DESTROY_QP_RESP, .len = sizeof(resp),
		  .out = &resp },
	};

	return fake_user_call(bed->user, UVERBS_OBJECT_QP,
			      UVERBS_METHOD_QP_DESTROY, attrs, 2);
}

/* The native method; with a completion queue and room to send, or without */
static int native_qp(struct bed *bed, u32 table, u32 recv_wr, u32 send_wr,
		     bool with_cq, u32 *handle)
{
	struct ib_uverbs_qp_cap cap = {
		.max_recv_wr = recv_wr, .max_send_wr = send_wr,
	};
	u32 qpn;
	struct fake_attr attrs[] = {
		{ .id = UVERBS_ATTR_CREATE_QP_HANDLE },
		{ .id = UVERBS_ATTR_CREATE_QP_PD_HANDLE, .data = bed->pd },
		{ .id = UVERBS_ATTR_CREATE_QP_IND_TABLE_HANDLE,
		  .data = table },
		{ .id = UVERBS_ATTR_CREATE_QP_USER_HANDLE, .len = 8 },
		{ .id = UVERBS_ATTR_CREATE_QP_CAP, .len = sizeof(cap),
		  .in = &cap },
		{ .id = UVERBS_ATTR_CREATE_QP_TYPE, .len = 8,
		  .data = IB_UVERBS_QPT_RAW_PACKET },
		{ .id = UVERBS_ATTR_CREATE_QP_RESP_CAP, .len = sizeof(cap),
		  .out = &cap },
		{ .id = UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, .len = 4,
		  .out = &qpn },
		{ .id = UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE,
		  .data = bed->cq },
	};
	int ret;

	ret = fake_user_call(bed->user, UVERBS_OBJECT_QP,
			     UVERBS_METHOD_QP_CREATE, attrs,
			     ARRAY_SIZE(attrs) - !with_cq);
	*handle = attrs[0].data;
	return ret;
}

static void queue_pairs_over_tables(struct kunit *test)
{
	struct bed bed = make_bed(test);
	struct ib_uverbs_ex_create_rwq_ind_table_resp resp = {};
	struct table_cmd table = { .wqs = { new_wq(&bed) } };
	struct ib_uverbs_ex_create_qp cmd;
	u32 qp, handle;

	KUNIT_ASSERT_EQ(test, 0, create_table(&bed, &table, 0, &resp));
	handle = resp.ind_tbl_handle;
	cmd = table_qp(&bed, handle);
	KUNIT_ASSERT_EQ(test, 0, create_qp(&bed, &cmd, &qp));
	KUNIT_EXPECT_EQ(test, -EBUSY, destroy_table(&bed, handle));
	KUNIT_EXPECT_EQ(test, 0, destroy_qp(&bed, qp));

	cmd.max_send_wr = 1;
	KUNIT_EXPECT_EQ(test, -ENOENT, create_qp(&bed, &cmd, &qp));
	cmd.send_cq_handle = bed.cq;
	KUNIT_ASSERT_EQ(test, 0, create_qp(&bed, &cmd, &qp));
	KUNIT_EXPECT_EQ(test, 0, destroy_qp(&bed, qp));
	cmd.max_recv_wr = 1;
	KUNIT_EXPECT_EQ(test, -EINVAL, create_qp(&bed, &cmd, &qp));
	KUNIT_EXPECT_STREQ(test,
			   "receives of its own beside an indirection table",
			   fake_user_why(bed.user));
	cmd = table_qp(&bed, 77);
	KUNIT_EXPECT_EQ(test, -ENOENT, create_qp(&bed, &cmd, &qp));

	KUNIT_ASSERT_EQ(test, 0, native_qp(&bed, handle, 0, 0, false, &qp));
	KUNIT_EXPECT_EQ(test, 0, destroy_qp(&bed, qp));
	KUNIT_ASSERT_EQ(test, 0, native_qp(&bed, handle, 0, 4, true, &qp));
	KUNIT_EXPECT_EQ(test, 0, destroy_qp(&bed, qp));
	KUNIT_EXPECT_EQ(test, -ENOENT,
			native_qp(&bed, handle, 0, 4, false, &qp));
	KUNIT_EXPECT_EQ(test, -EINVAL,
			native_qp(&bed, handle, 1, 4, true, &qp));
	KUNIT_EXPECT_EQ(test, 0, destroy_table(&bed, handle));
}

static struct kunit_case wq_cases[] = {
	KUNIT_CASE(commands),
	KUNIT_CASE(bad_commands),
	KUNIT_CASE(native),
	KUNIT_CASE(events),
	KUNIT_CASE(tables),
	KUNIT_CASE(bad_tables),
	KUNIT_CASE(queue_pairs_over_tables),
	{}
};

static struct kunit_suite wq_suite = {
	.name		= "ib_uverbs_wq",
	.test_cases	= wq_cases,
};
kunit_test_suite(wq_suite);

MODULE_DESCRIPTION("KUnit: work queues in the user ABI");
MODULE_IMPORT_NS(IB_NS);
MODULE_LICENSE("GPL");
