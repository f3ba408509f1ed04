// SPDX-License-Identifier: GPL-2.0-only
/* Pieces of memory found in work requests of users, honest and other ones. */
#include <kunit/test.h>
#include <linux/module.h>

#include <connectx/prm_mkc.h>
#include <connectx/prm_qpc.h>
#include <connectx/prm_wqe.h>

#include "drivers/connectx/odp.h"
#include "compat.h"

#define SEGS	12

union seg {
	struct cx_wqe_ctrl ctrl;
	struct cx_wqe_data data;
	struct cx_wqe_inline inl;
	u8 raw[CX_WQE_SEG];
};

static void put_ctrl(union seg *s, u8 opcode, u8 segs)
{
	s->ctrl.opmod_idx_opcode = cpu_to_be32(0x1200 | opcode);
	s->ctrl.qpn_ds = cpu_to_be32(0x42 << 8 | segs);
}

static void put_data(union seg *s, u32 bytes, u32 key, u64 addr)
{
	s->data.byte_count = cpu_to_be32(bytes);
	s->data.lkey = cpu_to_be32(key);
	s->data.addr = cpu_to_be64(addr);
}

static void expect_piece(struct kunit *test, struct cx_wqe_walk *w, u32 key,
			 u64 addr, u64 bytes)
{
	struct cx_wqe_piece p;

	KUNIT_ASSERT_TRUE(test, cx_wqe_walk_next(w, &p));
	KUNIT_EXPECT_TRUE(test, p.has_key);
	KUNIT_EXPECT_EQ(test, key, p.key);
	KUNIT_EXPECT_EQ(test, addr, p.addr);
	KUNIT_EXPECT_EQ(test, bytes, p.bytes);
}

static void expect_end(struct kunit *test, struct cx_wqe_walk *w)
{
	struct cx_wqe_piece p;

	KUNIT_EXPECT_FALSE(test, cx_wqe_walk_next(w, &p));
}

static void start_send(struct kunit *test, struct cx_wqe_walk *w,
		       const union seg *s, u8 st)
{
	KUNIT_ASSERT_EQ(test, 0, cx_wqe_walk_send(w, s, SEGS * sizeof(*s),
						  st));
}

/* What stands before the pieces of each opcode, in segments */
static const struct {
	u8 opcode;
	u8 st;
	u8 before;
} prefixes[] = {
	{ CX_WQE_SEND, CX_QP_ST_RC, 0 },
	{ CX_WQE_SEND_IMM, CX_QP_ST_UC, 0 },
	{ CX_WQE_SEND_INVAL, CX_QP_ST_RC, 0 },
	{ CX_WQE_RDMA_WRITE, CX_QP_ST_RC, 1 },
	{ CX_WQE_RDMA_WRITE_IMM, CX_QP_ST_RC, 1 },
	{ CX_WQE_RDMA_READ, CX_QP_ST_RC, 1 },
	{ CX_WQE_ATOMIC_CS, CX_QP_ST_RC, 2 },
	{ CX_WQE_ATOMIC_FA, CX_QP_ST_RC, 2 },
	{ CX_WQE_SEND, CX_QP_ST_XRC, 1 },
	{ CX_WQE_RDMA_READ, CX_QP_ST_XRC, 2 },
	{ CX_WQE_SEND, CX_QP_ST_UD, 1 },
};

static void pieces_of_each_opcode(struct kunit *test)
{
	struct cx_wqe_walk w;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(prefixes); i++) {
		union seg s[SEGS] = {};
		u8 at = 1 + prefixes[i].before;

		put_ctrl(&s[0], prefixes[i].opcode, at + 2);
		put_data(&s[at], 100, 0x1100 + i, 0x10000);
		put_data(&s[at + 1], 0x7fffffff, 0x2200, U64_MAX);
		put_data(&s[at + 2], 1, 0x3300, 0);
		start_send(test, &w, s, prefixes[i].st);
		expect_piece(test, &w, 0x1100 + i, 0x10000, 100);
		expect_piece(test, &w, 0x2200, U64_MAX, 0x7fffffff);
		expect_end(test, &w);
	}
}

static void datagram_with_long_address(struct kunit *test)
{
	union seg s[SEGS] = {};
	struct cx_wqe_walk w;

	put_ctrl(&s[0], CX_WQE_SEND, 5);
	((struct cx_wqe_av *)&s[1])->dqp_dct = cpu_to_be32(CX_AV_EXTENDED);
	put_data(&s[4], 7, 0x1100, 0x2000);
	start_send(test, &w, s, CX_QP_ST_UD);
	expect_piece(test, &w, 0x1100, 0x2000, 7);
	expect_end(test, &w);
}

/* 20 bytes take two segments, with the count before them. */
static void inline_data_has_no_key(struct kunit *test)
{
	union seg s[SEGS] = {};
	struct cx_wqe_piece p;
	struct cx_wqe_walk w;

	put_ctrl(&s[0], CX_WQE_SEND, 4);
	s[1].inl.byte_count = cpu_to_be32(CX_WQE_INLINE | 20);
	put_data(&s[3], 5, 0x1100, 0x3000);
	start_send(test, &w, s, CX_QP_ST_RC);
	KUNIT_ASSERT_TRUE(test, cx_wqe_walk_next(&w, &p));
	KUNIT_EXPECT_FALSE(test, p.has_key);
	KUNIT_EXPECT_EQ(test, 20, p.bytes);
	expect_piece(test, &w, 0x1100, 0x3000, 5);
	expect_end(test, &w);

	/* more than there is */
	s[1].inl.byte_count = cpu_to_be32(CX_WQE_INLINE | 0x3ff);
	start_send(test, &w, s, CX_QP_ST_RC);
	KUNIT_ASSERT_TRUE(test, cx_wqe_walk_next(&w, &p));
	expect_end(test, &w);
}

static void no_bytes_are_two_gigabytes(struct kunit *test)
{
	union seg s[SEGS] = {};
	struct cx_wqe_walk w;

	put_ctrl(&s[0], CX_WQE_SEND, 2);
	put_data(&s[1], 0, 0x1100, 0);
	start_send(test, &w, s, CX_QP_ST_RC);
	expect_piece(test, &w, 0x1100, 0, 1ULL << 31);
	expect_end(test, &w);
}

static void requests_that_are_none(struct kunit *test)
{
	union seg s[SEGS] = {};
	struct cx_wqe_walk w;

	put_ctrl(&s[0], CX_WQE_SEND, 0);
	KUNIT_EXPECT_EQ(test, -EINVAL, cx_wqe_walk_send(&w, s, sizeof(s),
							CX_QP_ST_RC));
	put_ctrl(&s[0], CX_WQE_SEND, 1);
	KUNIT_EXPECT_EQ(test, -EINVAL, cx_wqe_walk_send(&w, s, sizeof(s),
							CX_QP_ST_RC));
	put_ctrl(&s[0], CX_WQE_SEND, SEGS + 1);
	KUNIT_EXPECT_EQ(test, -EINVAL, cx_wqe_walk_send(&w, s, sizeof(s),
							CX_QP_ST_RC));
	put_ctrl(&s[0], CX_WQE_UMR, 4);
	KUNIT_EXPECT_EQ(test, -EINVAL, cx_wqe_walk_send(&w, s, sizeof(s),
							CX_QP_ST_RC));
	KUNIT_EXPECT_EQ(test, -EINVAL, cx_wqe_walk_send(&w, s, 8,
							CX_QP_ST_RC));
	/* the address alone fills it */
	put_ctrl(&s[0], CX_WQE_ATOMIC_CS, 2);
	start_send(test, &w, s, CX_QP_ST_RC);
	expect_end(test, &w);
}

static void receive_list_ends_early(struct kunit *test)
{
	union seg s[4] = {};
	struct cx_wqe_walk w;

	put_data(&s[0], 64, 0x1100, 0x4000);
	put_data(&s[1], 0, CX_LKEY_TERMINATE, 0);
	put_data(&s[2], 64, 0x2200, 0x5000);
	cx_wqe_walk_receive(&w, s, sizeof(s), false);
	expect_piece(test, &w, 0x1100, 0x4000, 64);
	expect_end(test, &w);

	/* behind the link to the next one */
	cx_wqe_walk_receive(&w, s, sizeof(s), true);
	expect_end(test, &w);
	put_data(&s[1], 32, 0x3300, 0x6000);
	cx_wqe_walk_receive(&w, s, 3 * sizeof(*s), true);
	expect_piece(test, &w, 0x3300, 0x6000, 32);
	expect_piece(test, &w, 0x2200, 0x5000, 64);
	expect_end(test, &w);
}

static struct kunit_case odp_wqe_cases[] = {
	KUNIT_CASE(pieces_of_each_opcode),
	KUNIT_CASE(datagram_with_long_address),
	KUNIT_CASE(inline_data_has_no_key),
	KUNIT_CASE(no_bytes_are_two_gigabytes),
	KUNIT_CASE(requests_that_are_none),
	KUNIT_CASE(receive_list_ends_early),
	{}
};

static struct kunit_suite odp_wqe_suite = {
	.name		= "connectx_odp_wqe",
	.test_cases	= odp_wqe_cases,
};

kunit_test_suite(odp_wqe_suite);

MODULE_DESCRIPTION("KUnit: memory of work requests");
MODULE_IMPORT_NS(IB_NS);
MODULE_IMPORT_NS(IB_KUNIT_NS);
MODULE_LICENSE("GPL");
