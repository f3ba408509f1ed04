// SPDX-License-Identifier: GPL-2.0-only
/*
 * A small user of the kernel's verbs: two connected queue pairs on one port
 * of the first adapter, which send, write and read memory. Skipped where there
 * is no adapter.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <ib/client.h>
#include <ib/cq.h>
#include <ib/device.h>
#include <ib/export.h>
#include <ib/mr.h>
#include <ib/pd.h>
#include <ib/qp.h>

#define BUF_SIZE	SZ_8K
#define PATIENCE	(10 * HZ)
#define PSN		0x1234

/**
 * struct bed - all that a test needs
 * @device: the adapter
 * @pd: protection domain
 * @mr: all memory
 * @cq: of both queue pairs
 * @qp: two ends of a connection
 * @buf: a buffer for each end
 * @dma: their addresses
 * @notified: @cq had a completion after it was armed
 */
struct bed {
	struct ib_device	*device;
	struct ib_pd		*pd;
	struct ib_mr		*mr;
	struct ib_cq		*cq;
	struct ib_qp		*qp[2];
	u8			*buf[2];
	dma_addr_t		dma[2];
	struct completion	notified;
};

static struct ib_device *found;

static int client_add(struct ib_device *device)
{
	if (found || !device->ops->post_send)
		return -EOPNOTSUPP;
	found = device;
	return 0;
}

static void client_remove(struct ib_device *device, void *data)
{
	found = NULL;
}

static struct ib_client client = {
	.name	= "kunit",
	.add	= client_add,
	.remove	= client_remove,
};

static void on_completion(struct ib_cq *cq, void *context)
{
	struct bed *bed = context;

	complete(&bed->notified);
}

static void make_buffers(struct kunit *test, struct bed *bed)
{
	int i;

	for (i = 0; i < 2; i++) {
		bed->buf[i] = kunit_kzalloc(test, BUF_SIZE, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, bed->buf[i]);
		bed->dma[i] = dma_map_single(bed->device->dma_device,
					     bed->buf[i], BUF_SIZE,
					     DMA_BIDIRECTIONAL);
		KUNIT_ASSERT_FALSE(test,
				   dma_mapping_error(bed->device->dma_device,
						     bed->dma[i]));
	}
}

static void make_queues(struct kunit *test, struct bed *bed)
{
	struct ib_cq_init_attr cq_attr = { .cqe = 63 };
	struct ib_qp_init_attr qp_attr = {
		.qp_type = IB_QPT_RC,
		.sq_sig_all = true,
		.cap = { .max_send_wr = 16, .max_recv_wr = 16,
			 .max_send_sge = 1, .max_recv_sge = 1 },
	};
	int i;

	bed->cq = ib_create_cq(bed->device, &cq_attr, on_completion, NULL, bed,
			       NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, bed->cq);
	for (i = 0; i < 2; i++) {
		qp_attr.send_cq = bed->cq;
		qp_attr.recv_cq = bed->cq;
		bed->qp[i] = ib_create_qp(bed->pd, &qp_attr, NULL);
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, bed->qp[i]);
	}
}

static void to_init(struct kunit *test, struct ib_qp *qp)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_INIT,
		.port_num = 1,
		.qp_access_flags = IB_ACCESS_LOCAL_WRITE |
				   IB_ACCESS_REMOTE_WRITE |
				   IB_ACCESS_REMOTE_READ,
	};

	KUNIT_ASSERT_EQ(test, 0,
			ib_modify_qp(qp, &attr,
				     IB_QP_STATE | IB_QP_PKEY_INDEX |
				     IB_QP_PORT | IB_QP_ACCESS_FLAGS, NULL));
}

static void connect(struct kunit *test, struct ib_qp *qp, u32 peer, u32 lid)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_RTR,
		.ah_attr = { .dlid = lid, .port_num = 1 },
		.path_mtu = IB_MTU_1024,
		.dest_qp_num = peer,
		.rq_psn = PSN,
		.max_dest_rd_atomic = 1,
		.min_rnr_timer = 12,
		.timeout = 14,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.sq_psn = PSN,
		.max_rd_atomic = 1,
	};

	KUNIT_ASSERT_EQ(test, 0,
			ib_modify_qp(qp, &attr,
				     IB_QP_STATE | IB_QP_AV | IB_QP_PATH_MTU |
				     IB_QP_DEST_QPN | IB_QP_RQ_PSN |
				     IB_QP_MAX_DEST_RD_ATOMIC |
				     IB_QP_MIN_RNR_TIMER, NULL));
	attr.qp_state = IB_QPS_RTS;
	KUNIT_ASSERT_EQ(test, 0,
			ib_modify_qp(qp, &attr,
				     IB_QP_STATE | IB_QP_TIMEOUT |
				     IB_QP_RETRY_CNT | IB_QP_RNR_RETRY |
				     IB_QP_SQ_PSN | IB_QP_MAX_QP_RD_ATOMIC,
				     NULL));
}

/* What a failed assertion leaves behind goes in exit, so it is kept in priv. */
static int bed_init(struct kunit *test)
{
	struct bed *bed;
	int ret;

	ret = ib_register_client(&client);
	if (ret)
		return ret;
	bed = kunit_kzalloc(test, sizeof(*bed), GFP_KERNEL);
	if (!bed)
		return -ENOMEM;
	init_completion(&bed->notified);
	bed->device = found;
	test->priv = bed;
	return 0;
}

static void bed_exit(struct kunit *test)
{
	struct bed *bed = test->priv;
	int i;

	for (i = 0; bed && i < 2; i++)
		if (!IS_ERR_OR_NULL(bed->qp[i]))
			KUNIT_EXPECT_EQ(test, 0,
					ib_destroy_qp(bed->qp[i], NULL));
	if (bed && !IS_ERR_OR_NULL(bed->cq))
		KUNIT_EXPECT_EQ(test, 0, ib_destroy_cq(bed->cq, NULL));
	for (i = 0; bed && i < 2; i++)
		if (bed->buf[i])
			dma_unmap_single(bed->device->dma_device, bed->dma[i],
					 BUF_SIZE, DMA_BIDIRECTIONAL);
	if (bed && !IS_ERR_OR_NULL(bed->mr))
		KUNIT_EXPECT_EQ(test, 0, ib_dereg_mr(bed->mr, NULL));
	if (bed && !IS_ERR_OR_NULL(bed->pd))
		KUNIT_EXPECT_EQ(test, 0, ib_dealloc_pd(bed->pd, NULL));
	ib_unregister_client(&client);
}

static struct bed *make_bed(struct kunit *test)
{
	struct bed *bed = test->priv;
	struct ib_port_attr port;
	int i;

	if (!bed->device)
		kunit_skip(test, "no adapter");
	KUNIT_ASSERT_EQ(test, 0, ib_query_port(bed->device, 1, &port));
	bed->pd = ib_alloc_pd(bed->device, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, bed->pd);
	bed->mr = ib_get_dma_mr(bed->pd, IB_ACCESS_LOCAL_WRITE |
				IB_ACCESS_REMOTE_WRITE |
				IB_ACCESS_REMOTE_READ);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, bed->mr);
	make_buffers(test, bed);
	make_queues(test, bed);
	for (i = 0; i < 2; i++)
		to_init(test, bed->qp[i]);
	for (i = 0; i < 2; i++)
		connect(test, bed->qp[i], bed->qp[!i]->qp_num, port.lid);
	return bed;
}

static struct ib_wc poll_one(struct kunit *test, struct bed *bed)
{
	unsigned long end = jiffies + PATIENCE;
	struct ib_wc wc = {};
	int n;

	do {
		n = ib_poll_cq(bed->cq, 1, &wc);
		KUNIT_ASSERT_GE(test, n, 0);
		if (!n)
			usleep_range(500, 2000);
	} while (!n && time_before(jiffies, end));
	KUNIT_ASSERT_EQ_MSG(test, 1, n, "no completion came");
	return wc;
}

static void post(struct kunit *test, struct bed *bed, int end,
		 enum ib_wr_opcode opcode, u32 length)
{
	struct ib_sge sge = { .addr = bed->dma[end], .length = length,
			      .lkey = bed->mr->lkey };
	struct ib_send_wr wr = {
		.wr_id = opcode,
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = opcode,
		.send_flags = IB_SEND_SIGNALED,
		.remote_addr = bed->dma[!end],
		.rkey = bed->mr->rkey,
	};
	const struct ib_send_wr *bad;

	dma_sync_single_for_device(bed->device->dma_device, bed->dma[end],
				   BUF_SIZE, DMA_BIDIRECTIONAL);
	KUNIT_ASSERT_EQ(test, 0, ib_post_send(bed->qp[end], &wr, &bad));
}

static void post_receive(struct kunit *test, struct bed *bed, int end)
{
	struct ib_sge sge = { .addr = bed->dma[end], .length = BUF_SIZE,
			      .lkey = bed->mr->lkey };
	struct ib_recv_wr wr = { .wr_id = 77, .sg_list = &sge, .num_sge = 1 };
	const struct ib_recv_wr *bad;

	KUNIT_ASSERT_EQ(test, 0, ib_post_recv(bed->qp[end], &wr, &bad));
}

static void expect_data(struct kunit *test, struct bed *bed, int end, u8 byte,
			u32 length)
{
	dma_sync_single_for_cpu(bed->device->dma_device, bed->dma[end],
				BUF_SIZE, DMA_BIDIRECTIONAL);
	KUNIT_EXPECT_NULL(test, memchr_inv(bed->buf[end], byte, length));
	if (length < BUF_SIZE)
		KUNIT_EXPECT_EQ(test, 0, bed->buf[end][length]);
}

static void send_and_receive(struct kunit *test)
{
	struct bed *bed = make_bed(test);
	int i;

	memset(bed->buf[0], 0x5a, BUF_SIZE);
	post_receive(test, bed, 1);
	post(test, bed, 0, IB_WR_SEND, 5000);
	for (i = 0; i < 2; i++) {
		struct ib_wc wc = poll_one(test, bed);

		KUNIT_EXPECT_EQ(test, IB_WC_SUCCESS, wc.status);
		if (wc.opcode == IB_WC_RECV) {
			KUNIT_EXPECT_EQ(test, 77, wc.wr_id);
			KUNIT_EXPECT_EQ(test, 5000, wc.byte_len);
			KUNIT_EXPECT_PTR_EQ(test, bed->qp[1], wc.qp);
		} else {
			KUNIT_EXPECT_EQ(test, IB_WC_SEND, wc.opcode);
			KUNIT_EXPECT_PTR_EQ(test, bed->qp[0], wc.qp);
		}
	}
	expect_data(test, bed, 1, 0x5a, 5000);
}

static void write_and_read(struct kunit *test)
{
	struct bed *bed = make_bed(test);
	struct ib_wc wc;

	memset(bed->buf[0], 0x11, BUF_SIZE);
	post(test, bed, 0, IB_WR_RDMA_WRITE, 3000);
	wc = poll_one(test, bed);
	KUNIT_EXPECT_EQ(test, IB_WC_SUCCESS, wc.status);
	KUNIT_EXPECT_EQ(test, IB_WC_RDMA_WRITE, wc.opcode);
	expect_data(test, bed, 1, 0x11, 3000);

	memset(bed->buf[0], 0, BUF_SIZE);
	post(test, bed, 0, IB_WR_RDMA_READ, 2000);
	wc = poll_one(test, bed);
	KUNIT_EXPECT_EQ(test, IB_WC_SUCCESS, wc.status);
	KUNIT_EXPECT_EQ(test, IB_WC_RDMA_READ, wc.opcode);
	expect_data(test, bed, 0, 0x11, 2000);
}

static void armed_queue_calls(struct kunit *test)
{
	struct bed *bed = make_bed(test);
	struct ib_wc wc;

	KUNIT_ASSERT_EQ(test, 0, ib_req_notify_cq(bed->cq, IB_CQ_NEXT_COMP));
	post(test, bed, 0, IB_WR_RDMA_WRITE, 16);
	KUNIT_EXPECT_NE(test, 0,
			wait_for_completion_timeout(&bed->notified, PATIENCE));
	wc = poll_one(test, bed);
	KUNIT_EXPECT_EQ(test, IB_WC_SUCCESS, wc.status);
	KUNIT_EXPECT_FALSE(test, completion_done(&bed->notified));
}

/* A key that nobody gave out: the peer says no, both ends break. */
static void wrong_key_is_refused(struct kunit *test)
{
	struct bed *bed = make_bed(test);
	u32 rkey = bed->mr->rkey;
	struct ib_wc wc;

	bed->mr->rkey = rkey ^ 0x55;
	post(test, bed, 0, IB_WR_RDMA_WRITE, 16);
	bed->mr->rkey = rkey;
	wc = poll_one(test, bed);
	KUNIT_EXPECT_EQ(test, IB_WC_REM_ACCESS_ERR, wc.status);
	post(test, bed, 0, IB_WR_RDMA_WRITE, 16);
	wc = poll_one(test, bed);
	KUNIT_EXPECT_EQ(test, IB_WC_WR_FLUSH_ERR, wc.status);
	expect_data(test, bed, 1, 0, 16);
}

static struct kunit_case client_cases[] = {
	KUNIT_CASE(send_and_receive),
	KUNIT_CASE(write_and_read),
	KUNIT_CASE(armed_queue_calls),
	KUNIT_CASE(wrong_key_is_refused),
	{}
};

static struct kunit_suite client_suite = {
	.name		= "ib_client",
	.init		= bed_init,
	.exit		= bed_exit,
	.test_cases	= client_cases,
};

kunit_test_suite(client_suite);

MODULE_DESCRIPTION("KUnit: a kernel client on an adapter");
MODULE_IMPORT_NS(IB_NS);
MODULE_LICENSE("GPL");
