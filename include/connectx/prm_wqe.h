/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Work queue entries. A send WQE is made of 16-byte segments and starts at a
 * 64-byte boundary of the ring; it may wrap at the ring's end. A receive WQE
 * is a list of data segments, in an SRQ behind a next segment.
 */
#ifndef CONNECTX_PRM_WQE_H
#define CONNECTX_PRM_WQE_H

#include <linux/types.h>
#include <asm/byteorder.h>

#define CX_WQE_BB		64	/* unit of SQ size and of its counter */
#define CX_WQE_SEG		16

struct cx_wqe_ctrl {
	__be32	opmod_idx_opcode;	/* 31:24 opmod, 23:8 index, 7:0 opcode */
	__be32	qpn_ds;			/* 31:8 QPN, 5:0 size in segments */
	__u8	signature;
	__u8	rsvd[2];
	__u8	fm_ce_se;
	__be32	imm;			/* immediate, rkey to invalidate, mkey */
};

#define CX_WQE_SOLICITED	0x02
#define CX_WQE_CQ_UPDATE	0x08
#define CX_WQE_FENCE_MASK	0xe0
#define CX_WQE_DS_MASK		0x3f

struct cx_wqe_raddr {
	__be64	raddr;
	__be32	rkey;
	__be32	rsvd;
};

struct cx_wqe_atomic {
	__be64	swap_add;
	__be64	compare;
};

struct cx_wqe_xrc {
	__be32	xrc_srqn;
	__u8	rsvd[12];
};

/* Address vector; bit 31 of dqp_dct tells the long form from the 16-byte one */
struct cx_wqe_av {
	__be32	qkey;
	__be32	rsvd0;
	__be32	dqp_dct;
	__u8	stat_rate_sl;
	__u8	fl_mlid;
	__be16	rlid_udp_sport;
	__u8	rsvd1[4];
	__u8	rmac[6];
	__u8	tclass;
	__u8	hop_limit;
	__be32	grh_gid_fl;	/* 30 GRH, 27:20 source GID index, 19:0 label */
	__u8	rgid[16];
};

#define CX_AV_EXTENDED		(1u << 31)
#define CX_AV_GRH		(1u << 30)

struct cx_wqe_data {
	__be32	byte_count;
	__be32	lkey;
	__be64	addr;
};

struct cx_wqe_inline {
	__be32	byte_count;
};

#define CX_WQE_INLINE		(1u << 31)
#define CX_WQE_BYTES_MASK	0x7fffffff

struct cx_wqe_srq_next {
	__u8	rsvd0[2];
	__be16	next_wqe_index;
	__u8	signature;
	__u8	rsvd1[11];
};

struct cx_wqe_umr_ctrl {
	__u8	flags;
	__u8	rsvd0[3];
	__be16	xlt_octowords;
	__be16	xlt_offset;	/* or BSF octowords */
	__be64	mkey_mask;
	__be32	xlt_offset_47_16;
	__u8	rsvd1[28];
};

#define CX_UMR_INLINE		(1 << 7)
/* Refuse unless the key is in use, is free, or bound to the posting QP. */
#define CX_UMR_IF_IN_USE	(1 << 6)
#define CX_UMR_IF_FREE		(1 << 5)
#define CX_UMR_OFFSET_EN	(1 << 4)
#define CX_UMR_IF_OWN_QPN	(1 << 3)

/* Bits of mkey_mask: which fields of the key change */
enum cx_umr_field {
	CX_UMR_LEN = 0,
	CX_UMR_PAGE_SIZE = 1,
	CX_UMR_START_ADDR = 6,
	CX_UMR_PD = 7,
	CX_UMR_EN_RINVAL = 8,
	CX_UMR_KEY = 13,
	CX_UMR_QPN = 14,
	CX_UMR_LR = 17,
	CX_UMR_LW = 18,
	CX_UMR_RR = 19,
	CX_UMR_RW = 20,
	CX_UMR_A = 21,
	CX_UMR_ORDER_WRITE = 25,
	CX_UMR_FREE = 29,
	CX_UMR_ORDER_READ = 47,
};

struct cx_wqe_mkey {
	__u8	status;		/* bit 6: free */
	__u8	pcie_control;
	__u8	flags;		/* access rights, access mode */
	__u8	version;
	__be32	qpn_mkey7_0;
	__u8	rsvd0[4];
	__be32	flags_pd;
	__be64	start_addr;
	__be64	len;
	__be32	bsf_octwords;
	__u8	rsvd1[16];
	__be32	xlt_oct_size;
	__u8	rsvd2[3];
	__u8	log2_page_size;
	__u8	rsvd3[4];
};

_Static_assert(sizeof(struct cx_wqe_ctrl) == 16, "segment");
_Static_assert(sizeof(struct cx_wqe_raddr) == 16, "segment");
_Static_assert(sizeof(struct cx_wqe_atomic) == 16, "segment");
_Static_assert(sizeof(struct cx_wqe_xrc) == 16, "segment");
_Static_assert(sizeof(struct cx_wqe_av) == 48, "three segments");
_Static_assert(sizeof(struct cx_wqe_data) == 16, "segment");
_Static_assert(sizeof(struct cx_wqe_srq_next) == 16, "segment");
_Static_assert(sizeof(struct cx_wqe_umr_ctrl) == 48, "three segments");
_Static_assert(sizeof(struct cx_wqe_mkey) == 64, "four segments");

enum cx_wqe_opcode {
	CX_WQE_NOP = 0x00,
	CX_WQE_SEND_INVAL = 0x01,
	CX_WQE_RDMA_WRITE = 0x08,
	CX_WQE_RDMA_WRITE_IMM = 0x09,
	CX_WQE_SEND = 0x0a,
	CX_WQE_SEND_IMM = 0x0b,
	CX_WQE_RDMA_READ = 0x10,
	CX_WQE_ATOMIC_CS = 0x11,
	CX_WQE_ATOMIC_FA = 0x12,
	CX_WQE_ATOMIC_MASKED_CS = 0x14,
	CX_WQE_ATOMIC_MASKED_FA = 0x15,
	CX_WQE_UMR = 0x25,
};

/* Doorbell record of a QP: two 16-bit counters in big-endian words */
enum cx_qp_dbr {
	CX_DBR_RCV = 0,
	CX_DBR_SND = 1,
};

/* Doorbell record of a CQ: consumer index, arm word */
enum cx_cq_dbr {
	CX_DBR_CQ_CI = 0,
	CX_DBR_CQ_ARM = 1,
};

#endif /* CONNECTX_PRM_WQE_H */
