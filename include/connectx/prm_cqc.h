/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Completion queues: context, commands, and the completion queue entry.
 */
#ifndef CONNECTX_PRM_CQC_H
#define CONNECTX_PRM_CQC_H

#include <connectx/prm_bits.h>

/* ifc: cqc */
CX_STRUCT(cqc, 0x40);
CX_FIELD(cqc, status, 0x0, 4);
CX_FIELD(cqc, cqe_sz, 0x8, 3);
CX_FIELD(cqc, cc, 0xb, 1);
CX_FIELD(cqc, oi, 0xe, 1);
CX_FIELD(cqc, cqe_comp_en, 0x11, 1);
CX_FIELD(cqc, st, 0x14, 4);
CX_FIELD(cqc, page_offset, 0x54, 6);
CX_FIELD(cqc, log_cq_size, 0x63, 5);
CX_FIELD(cqc, uar_page, 0x68, 24);
CX_FIELD(cqc, cq_period, 0x84, 12);
CX_FIELD(cqc, cq_max_count, 0x90, 16);
CX_FIELD(cqc, c_eqn, 0xa0, 32);	/* ifc: c_eqn_or_apu_element */
CX_FIELD(cqc, log_page_size, 0xc3, 5);
CX_FIELD(cqc, last_notified_index, 0x108, 24);
CX_FIELD(cqc, last_solicit_index, 0x128, 24);
CX_FIELD(cqc, consumer_counter, 0x148, 24);
CX_FIELD(cqc, producer_counter, 0x168, 24);
CX_FIELD64(cqc, dbr_addr, 0x1c0);

/* ifc: create_cq_in */
CX_STRUCT(create_cq_in, 0x110);
CX_SUB(create_cq_in, cq_context, 0x10, cqc);
CX_FIELD(create_cq_in, cq_umem_valid, 0x2e0, 1);

/* ifc: create_cq_out */
CX_STRUCT(create_cq_out, 0x10);
CX_FIELD(create_cq_out, cqn, 0x48, 24);

/* ifc: destroy_cq_in */
CX_STRUCT(cq_number_in, 0x10);
CX_FIELD(cq_number_in, cqn, 0x48, 24);

/* ifc: query_cq_out */
CX_STRUCT(query_cq_out, 0x110);
CX_SUB(query_cq_out, cq_context, 0x10, cqc);

/* ifc: modify_field_select */
CX_STRUCT(field_select, 0x4);
CX_FIELD(field_select, mask, 0x0, 32);	/* ifc: modify_field_select */

/* ifc: modify_cq_in */
CX_STRUCT(modify_cq_in, 0x110);
CX_FIELD(modify_cq_in, cqn, 0x48, 24);
CX_SUB(modify_cq_in, field_select, 0xc, field_select);	/* ifc: modify_field_select_resize_field_select */
CX_SUB(modify_cq_in, cq_context, 0x10, cqc);

/* op_mod of MODIFY_CQ, and the field masks of each */
enum cx_modify_cq_op {
	CX_MODIFY_CQ_MODERATION = 0,
	CX_MODIFY_CQ_RESIZE = 1,
};

#define CX_CQ_MODIFY_PERIOD		(1 << 0)
#define CX_CQ_MODIFY_COUNT		(1 << 1)
#define CX_CQ_RESIZE_LOG_SIZE		(1 << 0)
#define CX_CQ_RESIZE_PAGE_OFFSET	(1 << 1)
#define CX_CQ_RESIZE_PAGE_SIZE		(1 << 2)

enum cx_cqe_sz {
	CX_CQE_64 = 0,
	CX_CQE_128 = 1,
	CX_CQE_128_PAD = 2,
};

/* cqc.st and cqc.status */
enum cx_cq_st {
	CX_CQ_SOLICITED_ARMED = 0x6,
	CX_CQ_ARMED = 0x9,
	CX_CQ_FIRED = 0xa,
};

#define CX_CQ_STATUS_OVERFLOW		0x9
#define CX_CQ_STATUS_WRITE_FAIL		0xa

/* Completion queue entry, 64 bytes; a 128-byte CQE has it in its second half. */
struct cx_cqe {
	__u8	rsvd0[17];
	__u8	ml_path;
	__u8	rsvd1[4];
	__be16	slid;
	__be32	flags_rqpn;	/* 29:28 GRH, 27:24 SL, 23:0 source QPN (UD) */
	__u8	hds_ip_ext;
	__u8	l4_l3_hdr_type;
	__be16	vlan_info;
	__be32	srqn_uidx;	/* user index (v1) or SRQ number (v0), 24 bits */
	__be32	imm_inval_pkey;
	__u8	rsvd2[4];
	__be32	byte_cnt;
	__be64	timestamp;
	__be32	sop_qpn;	/* 31:24 send opcode, 23:0 QPN */
	__be16	wqe_counter;
	__u8	signature;
	__u8	op_own;		/* 7:4 opcode, 1 solicited, 0 owner */
} __attribute__((packed));

/* What stands in the last bytes of a CQE with opcode 13 or 14 */
struct cx_err_cqe {
	__u8	rsvd0[32];
	__be32	srqn_uidx;
	__u8	rsvd1[16];
	__u8	hw_synd;
	__u8	hw_synd_type;
	__u8	vendor_synd;
	__u8	syndrome;
	__be32	opcode_qpn;	/* 31:24 opcode of the failed WQE, 23:0 QPN */
	__be16	wqe_counter;
	__u8	signature;
	__u8	op_own;
} __attribute__((packed));

_Static_assert(sizeof(struct cx_cqe) == 64, "CQE is 64 bytes");
_Static_assert(sizeof(struct cx_err_cqe) == 64, "CQE is 64 bytes");

enum cx_cqe_opcode {
	CX_CQE_REQ = 0x0,
	CX_CQE_RESP_WRITE_IMM = 0x1,
	CX_CQE_RESP_SEND = 0x2,
	CX_CQE_RESP_SEND_IMM = 0x3,
	CX_CQE_RESP_SEND_INV = 0x4,
	CX_CQE_RESIZE = 0x5,
	CX_CQE_REQ_ERR = 0xd,
	CX_CQE_RESP_ERR = 0xe,
	CX_CQE_INVALID = 0xf,
};

#define CX_CQE_OWNER		0x01
#define CX_CQE_SOLICITED	0x02

enum cx_cqe_syndrome {
	CX_SYND_LOCAL_LENGTH = 0x01,
	CX_SYND_LOCAL_QP_OP = 0x02,
	CX_SYND_LOCAL_PROT = 0x04,
	CX_SYND_WR_FLUSH = 0x05,
	CX_SYND_MW_BIND = 0x06,
	CX_SYND_BAD_RESP = 0x10,
	CX_SYND_LOCAL_ACCESS = 0x11,
	CX_SYND_REMOTE_INVAL_REQ = 0x12,
	CX_SYND_REMOTE_ACCESS = 0x13,
	CX_SYND_REMOTE_OP = 0x14,
	CX_SYND_RETRY_EXC = 0x15,
	CX_SYND_RNR_RETRY_EXC = 0x16,
	CX_SYND_REMOTE_ABORT = 0x22,
};

/* CQ arm doorbell: 8 bytes at UAR + 0x20, dword 0 as in the doorbell record */
#define CX_CQ_ARM_SN_SHIFT	28
#define CX_CQ_ARM_SOLICITED	(1 << 24)
#define CX_CQ_CI_MASK		0xffffff

#endif /* CONNECTX_PRM_CQC_H */
