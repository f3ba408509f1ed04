// SPDX-License-Identifier: GPL-2.0-only
/* Work requests of kernel queue pairs in their rings, byte by byte. */
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/string.h>
#include <compat.h>
#include <ib/qp.h>
#include <connectx/prm_mkc.h>
#include <connectx/prm_wqe.h>
#include "drivers/connectx/cmd.h"
#include "drivers/connectx/umr.h"
#include "drivers/connectx/wqe.h"

#define UNITS	4
#define FILL	0xee

struct wqe_test {
	u8 mem[UNITS * CX_WQE_BB];
	struct cx_ring ring;
	struct ib_sge sge[4];
	struct ib_send_wr wr;
	struct cx_wqe_opts opts;
};

static int wqe_init(struct kunit *test)
{
	struct wqe_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, t);
	memset(t->mem, FILL, sizeof(t->mem));
	t->ring.mem = t->mem;
	t->ring.log_units = 2;
	t->ring.log_unit = 6;
	t->ring.max_sge = 4;
	t->ring.max_inline = 64;
	t->sge[0] = (struct ib_sge){ 0x1122334455667788, 0x100, 0xabcd01 };
	t->sge[1] = (struct ib_sge){ 0x1000, 0, 0xabcd02 };
	t->sge[2] = (struct ib_sge){ 0x2000, 0x20, 0xabcd03 };
	t->wr.sg_list = t->sge;
	t->wr.num_sge = 1;
	t->wr.opcode = IB_WR_SEND;
	t->opts.qpn = 0x123456;
	test->priv = t;
	return 0;
}

static void send(struct kunit *test)
{
	static const u8 want[] = {
		0x00, 0x00, 0x00, 0x0a, 0x12, 0x34, 0x56, 0x02,
		0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x01, 0x00, 0x00, 0xab, 0xcd, 0x01,
		0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,
		FILL,
	};
	struct wqe_test *t = test->priv;

	t->wr.send_flags = IB_SEND_SIGNALED;
	KUNIT_EXPECT_EQ(test, cx_wqe_check_send(&t->ring, &t->wr), 0);
	KUNIT_EXPECT_EQ(test,
			cx_wqe_write_send(&t->ring, 0, &t->wr, &t->opts), 1);
	KUNIT_EXPECT_MEMEQ(test, t->mem, want, sizeof(want));
}

/* An empty piece would mean 2 GiB. */
static void send_empty_piece(struct kunit *test)
{
	struct wqe_test *t = test->priv;
	struct cx_wqe_data *data = (void *)t->mem + 2 * CX_WQE_SEG;

	t->wr.num_sge = 3;
	cx_wqe_write_send(&t->ring, 0, &t->wr, &t->opts);
	KUNIT_EXPECT_EQ(test, t->mem[7], 3);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(data->lkey), 0xabcd03);
}

static void send_nothing(struct kunit *test)
{
	struct wqe_test *t = test->priv;

	t->wr.num_sge = 0;
	KUNIT_EXPECT_EQ(test, cx_wqe_check_send(&t->ring, &t->wr), 0);
	KUNIT_EXPECT_EQ(test,
			cx_wqe_write_send(&t->ring, 0, &t->wr, &t->opts), 1);
	KUNIT_EXPECT_EQ(test, t->mem[7], 1);
	KUNIT_EXPECT_EQ(test, t->mem[CX_WQE_SEG], FILL);
}

static const struct {
	enum ib_wr_opcode op;
	u8 opcode;
	u8 segments;
	bool imm;
} opcodes[] = {
	{ IB_WR_RDMA_WRITE, 0x08, 3 },
	{ IB_WR_RDMA_WRITE_WITH_IMM, 0x09, 3, true },
	{ IB_WR_SEND, 0x0a, 2 },
	{ IB_WR_SEND_WITH_IMM, 0x0b, 2, true },
	{ IB_WR_RDMA_READ, 0x10, 3 },
	{ IB_WR_ATOMIC_CMP_AND_SWP, 0x11, 4 },
	{ IB_WR_ATOMIC_FETCH_AND_ADD, 0x12, 4 },
};

static void all_opcodes(struct kunit *test)
{
	struct wqe_test *t = test->priv;
	struct cx_wqe_ctrl *ctrl = (void *)t->mem;
	size_t i;

	t->sge[0].length = 8;
	t->wr.imm_data = cpu_to_be32(0x11223344);
	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		t->wr.opcode = opcodes[i].op;
		KUNIT_EXPECT_EQ(test, cx_wqe_check_send(&t->ring, &t->wr), 0);
		cx_wqe_write_send(&t->ring, 0, &t->wr, &t->opts);
		KUNIT_EXPECT_EQ(test, t->mem[3], opcodes[i].opcode);
		KUNIT_EXPECT_EQ(test, t->mem[7], opcodes[i].segments);
		KUNIT_EXPECT_EQ(test, be32_to_cpu(ctrl->imm),
				opcodes[i].imm ? 0x11223344 : 0);
	}
}

static void remote_address(struct kunit *test)
{
	static const u8 want[] = {
		0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08,
		0xca, 0xfe, 0xba, 0xbe, 0x00, 0x00, 0x00, 0x00,
	};
	struct wqe_test *t = test->priv;

	t->wr.opcode = IB_WR_RDMA_READ;
	t->wr.remote_addr = 0x0102030405060708;
	t->wr.rkey = 0xcafebabe;
	cx_wqe_write_send(&t->ring, 0, &t->wr, &t->opts);
	KUNIT_EXPECT_MEMEQ(test, t->mem + CX_WQE_SEG, want, sizeof(want));
}

static void operands(struct kunit *test)
{
	struct wqe_test *t = test->priv;
	struct cx_wqe_atomic *a = (void *)t->mem + 2 * CX_WQE_SEG;

	t->sge[0].length = 8;
	t->wr.compare_add = 0x1111;
	t->wr.swap = 0x2222;
	t->wr.opcode = IB_WR_ATOMIC_CMP_AND_SWP;
	cx_wqe_write_send(&t->ring, 0, &t->wr, &t->opts);
	KUNIT_EXPECT_EQ(test, be64_to_cpu(a->swap_add), 0x2222);
	KUNIT_EXPECT_EQ(test, be64_to_cpu(a->compare), 0x1111);
	t->wr.opcode = IB_WR_ATOMIC_FETCH_AND_ADD;
	cx_wqe_write_send(&t->ring, 0, &t->wr, &t->opts);
	KUNIT_EXPECT_EQ(test, be64_to_cpu(a->swap_add), 0x1111);
	KUNIT_EXPECT_EQ(test, be64_to_cpu(a->compare), 0);
}

/* Inline data of 40 bytes from two pieces: header of 4, three segments. */
static void inline_data(struct kunit *test)
{
	struct wqe_test *t = test->priv;
	u8 data[40];
	size_t i;

	for (i = 0; i < sizeof(data); i++)
		data[i] = i + 1;
	t->sge[0] = (struct ib_sge){ (uintptr_t)data, 13, 0 };
	t->sge[1] = (struct ib_sge){ (uintptr_t)data + 13, 27, 0 };
	t->wr.num_sge = 2;
	t->wr.send_flags = IB_SEND_INLINE;
	KUNIT_EXPECT_EQ(test, cx_wqe_check_send(&t->ring, &t->wr), 0);
	KUNIT_EXPECT_EQ(test,
			cx_wqe_write_send(&t->ring, 0, &t->wr, &t->opts), 1);
	KUNIT_EXPECT_EQ(test, t->mem[7], 4);
	KUNIT_EXPECT_EQ(test, t->mem[16], 0x80);
	KUNIT_EXPECT_EQ(test, t->mem[19], 40);
	KUNIT_EXPECT_MEMEQ(test, t->mem + 20, data, sizeof(data));
	KUNIT_EXPECT_EQ(test, t->mem[64], FILL);
}

/* The last unit and two segments more: the request goes on at the start. */
static void wrap(struct kunit *test)
{
	struct wqe_test *t = test->priv;
	u8 data[64];
	size_t i;

	for (i = 0; i < sizeof(data); i++)
		data[i] = i + 1;
	t->sge[0] = (struct ib_sge){ (uintptr_t)data, sizeof(data), 0 };
	t->wr.send_flags = IB_SEND_INLINE;
	KUNIT_EXPECT_EQ(test,
			cx_wqe_write_send(&t->ring, 7, &t->wr, &t->opts), 2);
	KUNIT_EXPECT_EQ(test, t->mem[3 * 64 + 2], 7);
	KUNIT_EXPECT_EQ(test, t->mem[3 * 64 + 7], 6);
	KUNIT_EXPECT_MEMEQ(test, t->mem + 3 * 64 + 20, data, 44);
	KUNIT_EXPECT_MEMEQ(test, t->mem, data + 44, 20);
	KUNIT_EXPECT_EQ(test, t->mem[32], FILL);
	KUNIT_EXPECT_EQ(test, t->mem[3 * 64 - 1], FILL);
}

static void flags(struct kunit *test)
{
	static const struct {
		int flags;
		bool all;
		u8 byte;
	} cases[] = {
		{ 0, false, 0 },
		{ 0, true, 0x08 },
		{ IB_SEND_SIGNALED, false, 0x08 },
		{ IB_SEND_SOLICITED, false, 0x02 },
		{ IB_SEND_FENCE, false, 0x80 },
	};
	struct wqe_test *t = test->priv;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		t->wr.send_flags = cases[i].flags;
		t->opts.signal = cases[i].all;
		cx_wqe_write_send(&t->ring, 0, &t->wr, &t->opts);
		KUNIT_EXPECT_EQ(test, t->mem[11], cases[i].byte);
	}
}

static void refused(struct kunit *test)
{
	struct wqe_test *t = test->priv;

	t->wr.num_sge = 5;
	KUNIT_EXPECT_EQ(test, cx_wqe_check_send(&t->ring, &t->wr), -EINVAL);
	t->wr.num_sge = -1;
	KUNIT_EXPECT_EQ(test, cx_wqe_check_send(&t->ring, &t->wr), -EINVAL);
	t->wr.num_sge = 1;
	t->wr.opcode = 77;
	KUNIT_EXPECT_EQ(test, cx_wqe_check_send(&t->ring, &t->wr), -EINVAL);
	t->wr.opcode = IB_WR_ATOMIC_FETCH_AND_ADD;
	KUNIT_EXPECT_EQ(test, cx_wqe_check_send(&t->ring, &t->wr), -EINVAL);
	t->wr.opcode = IB_WR_SEND;
	t->wr.send_flags = IB_SEND_INLINE;
	t->sge[0].length = 65;
	KUNIT_EXPECT_EQ(test, cx_wqe_check_send(&t->ring, &t->wr), -EINVAL);
	t->sge[0].length = 64;
	KUNIT_EXPECT_EQ(test, cx_wqe_check_send(&t->ring, &t->wr), 0);
	t->wr.opcode = IB_WR_RDMA_READ;
	KUNIT_EXPECT_EQ(test, cx_wqe_check_send(&t->ring, &t->wr), -EINVAL);
}

static void segments(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, cx_wqe_send_segments(0, 0), 3);
	KUNIT_EXPECT_EQ(test, cx_wqe_send_segments(4, 0), 7);
	KUNIT_EXPECT_EQ(test, cx_wqe_send_segments(1, 12), 4);
	KUNIT_EXPECT_EQ(test, cx_wqe_send_segments(1, 13), 5);
}

static void receive(struct kunit *test)
{
	struct wqe_test *t = test->priv;
	struct ib_recv_wr wr = { .sg_list = t->sge, .num_sge = 3 };
	struct cx_wqe_data *seg = (void *)t->mem + CX_WQE_BB;

	cx_wqe_write_recv(&t->ring, 5, &wr);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(seg[0].lkey), 0xabcd01);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(seg[1].lkey), 0xabcd03);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(seg[2].lkey), CX_LKEY_TERMINATE);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(seg[2].byte_count), 0);
	KUNIT_EXPECT_EQ(test, t->mem[CX_WQE_BB - 1], FILL);
}

/* A full entry needs no end, and must not write one into its neighbour. */
static void receive_full(struct kunit *test)
{
	struct wqe_test *t = test->priv;
	struct ib_recv_wr wr = { .sg_list = t->sge, .num_sge = 4 };

	t->sge[1].length = 1;
	t->sge[3] = (struct ib_sge){ 0x3000, 1, 0xabcd04 };
	cx_wqe_write_recv(&t->ring, 0, &wr);
	KUNIT_EXPECT_EQ(test, t->mem[CX_WQE_BB - 9], 0x04);
	KUNIT_EXPECT_EQ(test, t->mem[CX_WQE_BB], FILL);
}

static void key_change(struct kunit *test)
{
	static const u8 want[CX_UMR_UNITS * CX_WQE_BB] = {
		0x00, 0x00, 0x02, 0x25, 0x12, 0x34, 0x56, 0x08,
		0x00, 0x00, 0x00, 0x08, 0x00, 0xab, 0xcd, 0x01,
		/* only if the key is in use; its rights and domain */
		0x40, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x3e, 0x00, 0x80,
		[64] = 0x00, 0x00, 0x2c, 0x00, 0xff, 0xff, 0xff, 0x01,
		[77] = 0x77, 0x88, 0x99,
	};
	const struct cx_mkey_params p = {
		.pdn = 0x778899,
		.local_read = true,
		.local_write = true,
		.remote_write = true,
	};
	const struct cx_umr_req r = {
		.mkey = 0xabcd01,
		.cond = CX_UMR_IF_IN_USE,
		.p = &p,
		.fields = 0x3e0080,
	};
	struct wqe_test *t = test->priv;

	KUNIT_EXPECT_EQ(test, cx_umr_write(t->mem, 2, 0x123456, &r),
			CX_UMR_UNITS);
	KUNIT_EXPECT_MEMEQ(test, t->mem, want, sizeof(want));
	KUNIT_EXPECT_EQ(test, t->mem[CX_UMR_UNITS_MAX * CX_WQE_BB], FILL);
}

/* A key is put into use, under a new name, with the last of its entries. */
static void key_entries(struct kunit *test)
{
	static const u8 want[CX_UMR_UNITS_MAX * CX_WQE_BB] = {
		0x00, 0x00, 0x01, 0x25, 0x12, 0x34, 0x56, 0x09,
		0x00, 0x00, 0x00, 0x08, 0x00, 0xab, 0xcd, 0x01,
		/* only if free, with an offset; 12 octwords at 0x123454 */
		0x30, 0x00, 0x00, 0x00, 0x00, 0x0c, 0x34, 0x54,
		0x00, 0x00, 0x00, 0x00, 0x20, 0x00, 0x20, 0x43,
		0x00, 0x00, 0x00, 0x12,
		[64] = 0x00, 0x00, 0x04, 0x00, 0xff, 0xff, 0xff, 0x77,
		[80] = 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,
		[90] = 0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc,
		[123] = 0x15,
		[128] = 0x00, 0x00, 0x00, 0xc0, 0x00, 0x00, 0xfe, 0x00,
		0x00, 0x00, 0x00, 0x01, 0x23, 0x45, 0x60, 0x00,
	};
	const struct cx_mkey_params p = {
		.variant = 0x77,
		.local_read = true,
		.start = 0x1122334455667788,
		.len = 0x123456789abc,
		.pas.page_shift = 21,
	};
	const struct cx_umr_req r = {
		.mkey = 0xabcd01,
		.cond = CX_UMR_IF_FREE,
		.p = &p,
		.fields = CX_UMR_RANGE | BIT_ULL(CX_UMR_KEY) |
			  BIT_ULL(CX_UMR_FREE),
		.xlt = 0x123456000,
		.xlt_lkey = 0xfe00,
		.first = 0x2468a8,
		.count = 24,
	};
	struct wqe_test *t = test->priv;

	KUNIT_EXPECT_EQ(test, cx_umr_write(t->mem, 1, 0x123456, &r),
			CX_UMR_UNITS_MAX);
	KUNIT_EXPECT_MEMEQ(test, t->mem, want, sizeof(want));
}

static struct kunit_case wqe_cases[] = {
	KUNIT_CASE(send),
	KUNIT_CASE(send_empty_piece),
	KUNIT_CASE(send_nothing),
	KUNIT_CASE(all_opcodes),
	KUNIT_CASE(remote_address),
	KUNIT_CASE(operands),
	KUNIT_CASE(inline_data),
	KUNIT_CASE(wrap),
	KUNIT_CASE(flags),
	KUNIT_CASE(refused),
	KUNIT_CASE(segments),
	KUNIT_CASE(receive),
	KUNIT_CASE(receive_full),
	KUNIT_CASE(key_change),
	KUNIT_CASE(key_entries),
	{}
};

static struct kunit_suite wqe_suite = {
	.name = "connectx_wqe",
	.init = wqe_init,
	.test_cases = wqe_cases,
};

kunit_test_suite(wqe_suite);

MODULE_DESCRIPTION("KUnit: work requests");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(IB_KUNIT_NS);
