/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Event queues: context, commands, event types, and the event queue entry.
 */
#ifndef CONNECTX_PRM_EQC_H
#define CONNECTX_PRM_EQC_H

#include <connectx/prm_bits.h>

/* ifc: eqc */
CX_STRUCT(eqc, 0x40);
CX_FIELD(eqc, status, 0x0, 4);
CX_FIELD(eqc, ec, 0xd, 1);
CX_FIELD(eqc, oi, 0xe, 1);
CX_FIELD(eqc, st, 0x14, 4);
CX_FIELD(eqc, page_offset, 0x54, 6);
CX_FIELD(eqc, log_eq_size, 0x63, 5);
CX_FIELD(eqc, uar_page, 0x68, 24);
CX_FIELD(eqc, intr, 0xb4, 12);
CX_FIELD(eqc, log_page_size, 0xc3, 5);
CX_FIELD(eqc, consumer_counter, 0x148, 24);
CX_FIELD(eqc, producer_counter, 0x168, 24);

/* ifc: create_eq_in */
CX_STRUCT(create_eq_in, 0x110);
CX_SUB(create_eq_in, eq_context_entry, 0x10, eqc);
CX_BYTES(create_eq_in, event_bitmask, 0x58, 32);

/* ifc: create_eq_out */
CX_STRUCT(create_eq_out, 0x10);
CX_FIELD(create_eq_out, eq_number, 0x58, 8);

/* ifc: destroy_eq_in */
CX_STRUCT(eq_number_in, 0x10);
CX_FIELD(eq_number_in, eq_number, 0x58, 8);

/* ifc: query_eq_out */
CX_STRUCT(query_eq_out, 0x110);
CX_SUB(query_eq_out, eq_context_entry, 0x10, eqc);

enum cx_eq_st {
	CX_EQ_ARMED = 0x9,
	CX_EQ_FIRED = 0xa,
};

enum cx_event_type {
	CX_EVENT_COMP = 0x00,
	CX_EVENT_PATH_MIG = 0x01,
	CX_EVENT_COMM_EST = 0x02,
	CX_EVENT_SQ_DRAINED = 0x03,
	CX_EVENT_CQ_ERROR = 0x04,
	CX_EVENT_WQ_CATAS_ERROR = 0x05,
	CX_EVENT_PATH_MIG_FAILED = 0x07,
	CX_EVENT_INTERNAL_ERROR = 0x08,
	CX_EVENT_PORT_CHANGE = 0x09,
	CX_EVENT_CMD = 0x0a,
	CX_EVENT_PAGE_REQUEST = 0x0b,
	CX_EVENT_PAGE_FAULT = 0x0c,
	CX_EVENT_WQ_INVAL_REQ_ERROR = 0x10,
	CX_EVENT_WQ_ACCESS_ERROR = 0x11,
	CX_EVENT_SRQ_CATAS_ERROR = 0x12,
	CX_EVENT_SRQ_LAST_WQE = 0x13,
	CX_EVENT_SRQ_LIMIT = 0x14,
};

/* sub_type of a port change event */
enum cx_port_change {
	CX_PORT_DOWN = 1,
	CX_PORT_ACTIVE = 4,
	CX_PORT_INITIALIZED = 5,
	CX_PORT_LID = 6,
	CX_PORT_PKEY = 7,
	CX_PORT_GUID = 8,
	CX_PORT_CLIENT_REREG = 9,
};

/* sub_type of a page fault event */
enum cx_page_fault {
	CX_PFAULT_WQE = 0,	/* of a work request's own data */
	CX_PFAULT_RDMA = 1,	/* of what the peer names by key and address */
};

/* Bits of the type in a page fault event; type 0 in a WQE's is an SRQ */
enum cx_pfault_type {
	CX_PFAULT_REQUESTOR = 1 << 0,
	CX_PFAULT_WRITE = 1 << 1,
	CX_PFAULT_IS_RDMA = 1 << 2,
};

#define CX_PFAULT_TYPE_SHIFT	24	/* above a number of 24 bits */
#define CX_PFAULT_TYPE_MASK	0x7
#define CX_PFAULT_NUMBER_MASK	0xffffff

/* Event queue entry. Valid when its owner bit equals the parity of the lap. */
struct cx_eqe {
	__u8	rsvd0;
	__u8	type;
	__u8	rsvd1;
	__u8	sub_type;
	__u8	rsvd2[28];
	union {
		__be32	raw[7];
		struct {
			__be32	rsvd[6];
			__be32	cqn;
		} comp;
		struct {
			__be32	vector;		/* one bit per finished slot */
			__be32	rsvd[6];
		} cmd;
		struct {
			__be32	rsvd0[5];
			__u8	type;		/* 0 QP, 1 RQ, 2 SQ */
			__u8	rsvd1[3];
			__be32	number;
		} qp_srq;
		struct {
			__be32	cqn;
			__u8	rsvd[7];
			__u8	syndrome;
		} cq_err;
		struct {
			__u8	rsvd[8];
			__u8	port;		/* 7:4 port number */
		} port;
		struct {
			__be16	ec_function;
			__be16	func_id;
			__be32	num_pages;
			__be32	rsvd[5];
		} page_req;
		struct {
			__be32	bytes_committed;
			__u8	rsvd0[2];
			__be16	wqe_index;
			__u8	rsvd1[2];
			__be16	packet_length;
			__be32	token;
			__u8	rsvd2[8];
			__be32	pftype_wq;
		} __attribute__((packed)) fault_wqe;
		struct {
			__be32	bytes_committed;
			__be32	r_key;
			__u8	rsvd0[2];
			__be16	packet_length;
			__be32	rdma_op_len;
			__be64	rdma_va;
			__be32	pftype_token;
		} __attribute__((packed)) fault_rdma;
	} data;
	__be16	rsvd3;
	__u8	signature;
	__u8	owner;
} __attribute__((packed));

_Static_assert(sizeof(struct cx_eqe) == 64, "EQE is 64 bytes");

#define CX_EQE_OWNER		0x01

/* EQ doorbells: 4 bytes, eqn << 24 | consumer index */
#define CX_EQ_DB_ARM		0x40	/* set the consumer index and arm */
#define CX_EQ_DB_CI		0x48	/* set the consumer index only */
#define CX_EQ_CI_MASK		0xffffff

#endif /* CONNECTX_PRM_EQC_H */
