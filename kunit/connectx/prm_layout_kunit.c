// SPDX-License-Identifier: GPL-2.0-only
/*
 * Golden words of contexts. They were computed from the field offsets of the
 * kernel's mlx5_ifc.h, not with our accessors, so that an error in a row of
 * <connectx/prm_*.h> shows here.
 */
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <compat.h>
#include <connectx/prm_cqc.h>
#include <connectx/prm_eqc.h>
#include <connectx/prm_mkc.h>
#include <connectx/prm_qpc.h>
#include <connectx/prm_wqe.h>
#include "drivers/connectx/cmd.h"
#include "drivers/connectx/cmd_wire.h"

struct golden {
	u16 off;
	u32 word;
};

/* All words that are not listed are zero. */
static void expect_words(struct kunit *test, const void *mem, size_t bytes,
			 const struct golden *g, size_t n)
{
	const __be32 *word = mem;
	size_t i, k;

	for (i = 0; i < bytes / 4; i++) {
		u32 want = 0;

		for (k = 0; k < n; k++)
			if (g[k].off == i * 4)
				want = g[k].word;
		KUNIT_EXPECT_EQ_MSG(test, be32_to_cpu(word[i]), want,
				    "word at 0x%zx", i * 4);
	}
}

static const struct golden mkc_mtt[] = {
	{ 0x00, 0x0000fd00 },
	{ 0x04, 0xffffffa5 },
	{ 0x0c, 0x00123456 },
	{ 0x10, 0x11223344 },
	{ 0x14, 0x55667788 },
	{ 0x18, 0x000099aa },
	{ 0x1c, 0xbbccddee },
	{ 0x34, 0x0000001f },
	{ 0x38, 0x00000015 },
};

static void mkey_of_pages(struct kunit *test)
{
	const struct cx_mkey_params p = {
		.pdn = 0x123456,
		.variant = 0xa5,
		.local_read = true,
		.local_write = true,
		.remote_read = true,
		.remote_write = true,
		.atomic = true,
		.start = 0x1122334455667788,
		.len = 0x99aabbccddee,
		.pas = { .page_shift = 21, .count = 61 },
	};
	struct cx_mkc mkc = {};

	cx_mkc_fill(&mkc, &p);
	expect_words(test, &mkc, sizeof(mkc), mkc_mtt, ARRAY_SIZE(mkc_mtt));
}

static const struct golden mkc_pa[] = {
	{ 0x00, 0x00000c00 },
	{ 0x04, 0xffffff01 },
	{ 0x0c, 0x80000007 },
};

static void mkey_of_everything(struct kunit *test)
{
	const struct cx_mkey_params p = {
		.pdn = 7,
		.variant = 1,
		.whole = true,
		.local_read = true,
		.local_write = true,
	};
	struct cx_mkc mkc = {};

	cx_mkc_fill(&mkc, &p);
	expect_words(test, &mkc, sizeof(mkc), mkc_pa, ARRAY_SIZE(mkc_pa));
}

/* Free until bound: scatter entries, no address, no rights but local read. */
static void mkey_of_window(struct kunit *test)
{
	const struct cx_mkey_params p = {
		.pdn = 7,
		.variant = 1,
		.window = true,
		.klms = 4,
		.remote_invalidate = true,
		.remote_write = true,
	};
	struct cx_mkc mkc = {};

	cx_mkc_fill(&mkc, &p);
	KUNIT_EXPECT_EQ(test, 1, cx_mkc_get_free(&mkc));
	KUNIT_EXPECT_EQ(test, 1, cx_mkc_get_umr_en(&mkc));
	KUNIT_EXPECT_EQ(test, 1, cx_mkc_get_lr(&mkc));
	KUNIT_EXPECT_EQ(test, 0, cx_mkc_get_rw(&mkc));
	KUNIT_EXPECT_EQ(test, CX_MKC_KLM, cx_mkc_get_access_mode_1_0(&mkc));
	KUNIT_EXPECT_EQ(test, 1, cx_mkc_get_en_rinval(&mkc));
	KUNIT_EXPECT_EQ(test, 4, cx_mkc_get_translations_octword_size(&mkc));
	KUNIT_EXPECT_EQ(test, CX_MKC_ANY_QPN, cx_mkc_get_qpn(&mkc));
	KUNIT_EXPECT_EQ(test, 7, cx_mkc_get_pd(&mkc));
	KUNIT_EXPECT_EQ(test, 1, cx_mkc_get_mkey_7_0(&mkc));
	KUNIT_EXPECT_EQ(test, 0, cx_mkc_get_len(&mkc));
}

static const struct golden mkc_free[] = {
	{ 0x00, 0x40008100 },
	{ 0x04, 0xffffff02 },
	{ 0x0c, 0x00000007 },
	{ 0x34, 0x00000804 },
};

/* Entries come later, by work request. */
static void mkey_with_room(struct kunit *test)
{
	const struct cx_mkey_params p = {
		.pdn = 7,
		.variant = 2,
		.free = true,
		.room = 0x1008,
	};
	struct cx_mkc mkc = {};

	cx_mkc_fill(&mkc, &p);
	expect_words(test, &mkc, sizeof(mkc), mkc_free, ARRAY_SIZE(mkc_free));
}

static const struct golden mkc_memic[] = {
	{ 0x00, 0x04000d00 },
	{ 0x04, 0xffffff01 },
	{ 0x0c, 0x00000007 },
	{ 0x10, 0x00000012 },
	{ 0x14, 0x34567880 },
	{ 0x1c, 0x00000100 },
};

/* The mode's bits are in two places; no pages, and no change by requests. */
static void mkey_of_device_memory(struct kunit *test)
{
	const struct cx_mkey_params p = {
		.pdn = 7,
		.variant = 1,
		.device_memory = true,
		.local_read = true,
		.local_write = true,
		.start = 0x1234567880,
		.len = 0x100,
	};
	struct cx_mkc mkc = {};

	cx_mkc_fill(&mkc, &p);
	expect_words(test, &mkc, sizeof(mkc), mkc_memic, ARRAY_SIZE(mkc_memic));
}

static void mkey_of_keys(struct kunit *test)
{
	const struct cx_mkey_params p = {
		.pdn = 7,
		.variant = 2,
		.free = true,
		.keys = true,
		.room = 0x40000,
		.len = 0x800000000000,
		.pas.page_shift = 30,
	};
	struct cx_mkc mkc = {};

	cx_mkc_fill(&mkc, &p);
	KUNIT_EXPECT_EQ(test, CX_MKC_KSM, cx_mkc_get_access_mode_1_0(&mkc));
	KUNIT_EXPECT_EQ(test, 1, cx_mkc_get_free(&mkc));
	KUNIT_EXPECT_EQ(test, 1, cx_mkc_get_umr_en(&mkc));
	KUNIT_EXPECT_EQ(test, 30, cx_mkc_get_log_page_size(&mkc));
	KUNIT_EXPECT_EQ(test, 0x20000,
			cx_mkc_get_translations_octword_size(&mkc));
	KUNIT_EXPECT_EQ(test, 0x800000000000, cx_mkc_get_len(&mkc));
}

/* Each right alone sets its own bit. */
static void mkey_rights(struct kunit *test)
{
	static const struct {
		struct cx_mkey_params p;
		u32 word;
	} rights[] = {
		{ { .atomic = true }, 0x4000 },
		{ { .remote_write = true }, 0x2000 },
		{ { .remote_read = true }, 0x1000 },
		{ { .local_write = true }, 0x0800 },
		{ { .local_read = true }, 0x0400 },
	};
	struct cx_mkey_params p;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rights); i++) {
		struct cx_mkc mkc = {};

		p = rights[i].p;
		p.whole = true;
		cx_mkc_fill(&mkc, &p);
		KUNIT_EXPECT_EQ(test, be32_to_cpu(mkc.dw[0]), rights[i].word);
	}
}

static void mkey_number(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, cx_mkey(0x123456, 0x78), 0x12345678);
	KUNIT_EXPECT_EQ(test, cx_mkey(1, 0), CX_LKEY_TERMINATE);
	KUNIT_EXPECT_EQ(test, cx_mtt_octwords(0), 0);
	KUNIT_EXPECT_EQ(test, cx_mtt_octwords(1), 1);
	KUNIT_EXPECT_EQ(test, cx_mtt_octwords(2), 1);
	KUNIT_EXPECT_EQ(test, cx_mtt_octwords(3), 2);
}

static const struct golden qpc_create[] = {
	{ 0x00, 0x00011800 },
	{ 0x04, 0x00010203 },
	{ 0x08, 0x004ac000 },
	{ 0x0c, 0x00000011 },
	{ 0x10, 0x00abcdef },
	{ 0x14, 0x04000000 },
	{ 0x7c, 0x00111111 },
	{ 0x90, 0x00000140 },
	{ 0x9c, 0x00222222 },
	{ 0xa0, 0x12345678 },
	{ 0xa4, 0x9abcdef8 },
	{ 0xac, 0x00333333 },
};

static void qp_create(struct kunit *test)
{
	const struct cx_qp_params p = {
		.st = CX_QP_ST_UC,
		.pdn = 0x10203,
		.uar = 0x11,
		.user_index = 0xabcdef,
		.send_cqn = 0x111111,
		.recv_cqn = 0x222222,
		.rq_type = CX_RQ_OWN,
		.srqn = 0x333333,
		.log_rq_size = 9,
		.log_rq_stride = 6,
		.no_sq = true,
		.log_sq_size = 8,
		.dbr = 0x123456789abcdef8,
		.pas = { .page_shift = 16, .offset = 5 },
	};
	struct cx_qpc qpc = {};

	cx_qpc_fill_create(&qpc, &p);
	expect_words(test, &qpc, sizeof(qpc), qpc_create,
		     ARRAY_SIZE(qpc_create));
}

/* Without a receive ring of its own, its size must not leak in. */
static void qp_create_srq(struct kunit *test)
{
	const struct cx_qp_params p = {
		.rq_type = CX_RQ_SRQ,
		.srqn = 0x42,
		.log_rq_size = 9,
		.log_rq_stride = 6,
		.pas = { .page_shift = 12 },
	};
	struct cx_qpc qpc = {};

	cx_qpc_fill_create(&qpc, &p);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(qpc.dw[2]), 0);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(qpc.dw[0xac / 4]), 0x01000042);
}

static const struct golden qpc_modify[] = {
	{ 0x00, 0x00001800 },
	{ 0x04, 0x00010203 },
	{ 0x08, 0xbe000000 },
	{ 0x0c, 0x00000011 },
	{ 0x10, 0x00000042 },
	{ 0x14, 0x00fedcba },
	{ 0x18, 0x00000003 },
	{ 0x1c, 0x0095beef },
	{ 0x20, 0x70020740 },
	{ 0x24, 0x05a98765 },
	{ 0x28, 0xf0f1f2f3 },
	{ 0x2c, 0xf4f5f6f7 },
	{ 0x30, 0xf8f9fafb },
	{ 0x34, 0xfcfdfeff },
	{ 0x3c, 0x09010000 },
	{ 0x70, 0x8087c000 },
	{ 0x78, 0x00765432 },
	{ 0x7c, 0x00111111 },
	{ 0x90, 0x0061e000 },
	{ 0x94, 0x0c234567 },
	{ 0x9c, 0x00222222 },
	{ 0xa4, 0x00001000 },
	{ 0xa8, 0x11223344 },
};

static const struct cx_qp_context context = {
	.pm_state = CX_QP_PM_MIGRATED,
	.mtu = 5,
	.log_msg_max = 30,
	.remote_qpn = 0xfedcba,
	.q_key = 0x11223344,
	.next_send_psn = 0x765432,
	.next_rcv_psn = 0x234567,
	.log_sra_max = 4,
	.log_rra_max = 3,
	.retry_count = 7,
	.rnr_retry = 6,
	.min_rnr_nak = 12,
	.log_ack_req_freq = 8,
	.rre = true,
	.rwe = true,
	.rae = true,
	.atomic_mode = 1,
	.path = {
		.pkey_index = 3,
		.port = 1,
		.grh = true,
		.rlid = 0xbeef,
		.path_bits = 0x15,
		.sl = 9,
		.stat_rate = 7,
		.sgid_index = 2,
		.hop_limit = 64,
		.tclass = 0x5a,
		.flow_label = 0x98765,
		.rgid = { 0xf0, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7,
			  0xf8, 0xf9, 0xfa, 0xfb, 0xfc, 0xfd, 0xfe, 0xff },
		.ack_timeout = 14,
	},
	.pdn = 0x10203,
	.send_cqn = 0x111111,
	.recv_cqn = 0x222222,
	.user_index = 0x42,
	.uar = 0x11,
	.dbr = 0x1000,
};

static void qp_modify(struct kunit *test)
{
	struct cx_qpc qpc = {};

	cx_qpc_fill_modify(&qpc, &context);
	expect_words(test, &qpc, sizeof(qpc), qpc_modify,
		     ARRAY_SIZE(qpc_modify));
}

static void qp_read(struct kunit *test)
{
	struct cx_qp_context got = {};
	struct cx_qpc qpc = {};

	cx_qpc_fill_modify(&qpc, &context);
	cx_qpc_set_state(&qpc, CX_QP_RTS);
	cx_qpc_read(&qpc, &got);
	KUNIT_EXPECT_EQ(test, got.state, CX_QP_RTS);
	KUNIT_EXPECT_EQ(test, got.remote_qpn, context.remote_qpn);
	KUNIT_EXPECT_EQ(test, got.next_send_psn, context.next_send_psn);
	KUNIT_EXPECT_EQ(test, got.next_rcv_psn, context.next_rcv_psn);
	KUNIT_EXPECT_EQ(test, got.retry_count, context.retry_count);
	KUNIT_EXPECT_EQ(test, got.rnr_retry, context.rnr_retry);
	KUNIT_EXPECT_EQ(test, got.min_rnr_nak, context.min_rnr_nak);
	KUNIT_EXPECT_EQ(test, got.log_sra_max, context.log_sra_max);
	KUNIT_EXPECT_EQ(test, got.log_rra_max, context.log_rra_max);
	KUNIT_EXPECT_TRUE(test, got.rre && got.rwe && got.rae);
	KUNIT_EXPECT_MEMEQ(test, &got.path, &context.path,
			   sizeof(context.path));
}

/* A path without a route header leaves no trace of one. */
static void path_without_grh(struct kunit *test)
{
	struct cx_qp_context c = context;
	struct cx_qpc qpc = {};
	size_t i;

	c.path.grh = false;
	cx_qpc_fill_modify(&qpc, &c);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(qpc.dw[0x1c / 4]), 0x0015beef);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(qpc.dw[0x20 / 4]), 0x70000700);
	for (i = 0x24; i < 0x38; i += 4)
		KUNIT_EXPECT_EQ(test, be32_to_cpu(qpc.dw[i / 4]), 0);
}

static void entry_offsets(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, offsetof(struct cx_cqe, srqn_uidx), 32);
	KUNIT_EXPECT_EQ(test, offsetof(struct cx_cqe, imm_inval_pkey), 36);
	KUNIT_EXPECT_EQ(test, offsetof(struct cx_cqe, byte_cnt), 44);
	KUNIT_EXPECT_EQ(test, offsetof(struct cx_cqe, sop_qpn), 56);
	KUNIT_EXPECT_EQ(test, offsetof(struct cx_cqe, wqe_counter), 60);
	KUNIT_EXPECT_EQ(test, offsetof(struct cx_cqe, op_own), 63);
	KUNIT_EXPECT_EQ(test, offsetof(struct cx_err_cqe, vendor_synd), 54);
	KUNIT_EXPECT_EQ(test, offsetof(struct cx_err_cqe, syndrome), 55);
	KUNIT_EXPECT_EQ(test, offsetof(struct cx_eqe, type), 1);
	KUNIT_EXPECT_EQ(test, offsetof(struct cx_eqe, sub_type), 3);
	KUNIT_EXPECT_EQ(test, offsetof(struct cx_eqe, data), 32);
	KUNIT_EXPECT_EQ(test, offsetof(struct cx_eqe, owner), 63);
}

static struct kunit_case prm_cases[] = {
	KUNIT_CASE(mkey_of_pages),
	KUNIT_CASE(mkey_of_everything),
	KUNIT_CASE(mkey_of_window),
	KUNIT_CASE(mkey_with_room),
	KUNIT_CASE(mkey_of_device_memory),
	KUNIT_CASE(mkey_of_keys),
	KUNIT_CASE(mkey_rights),
	KUNIT_CASE(mkey_number),
	KUNIT_CASE(qp_create),
	KUNIT_CASE(qp_create_srq),
	KUNIT_CASE(qp_modify),
	KUNIT_CASE(qp_read),
	KUNIT_CASE(path_without_grh),
	KUNIT_CASE(entry_offsets),
	{}
};

static struct kunit_suite prm_suite = {
	.name = "connectx_prm_layout",
	.test_cases = prm_cases,
};

kunit_test_suite(prm_suite);

MODULE_DESCRIPTION("KUnit: wire layout");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(IB_KUNIT_NS);
