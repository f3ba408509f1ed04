/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Firmware commands: the queue entry, the mailbox, opcodes, status codes, and
 * the commands that belong to no object (start and stop of the function, pages,
 * access to registers). Object commands live in the header of their object.
 */
#ifndef CONNECTX_PRM_CMD_H
#define CONNECTX_PRM_CMD_H

#include <connectx/prm_bits.h>

/* The first bytes of every command and of every answer */
CX_STRUCT(cmd_in, 0x10);
CX_FIELD(cmd_in, opcode, 0x0, 16);
CX_FIELD(cmd_in, uid, 0x10, 16);
CX_FIELD(cmd_in, op_mod, 0x30, 16);

CX_STRUCT(cmd_out, 0x10);
CX_FIELD(cmd_out, status, 0x0, 8);
CX_FIELD(cmd_out, syndrome, 0x20, 32);

/* Command queue: one 4 KiB page of entries, a bit per entry in the doorbell */
#define CX_CMDQ_LOG_SIZE	5
#define CX_CMDQ_LOG_STRIDE	6
#define CX_CMDQ_SLOTS		(1 << CX_CMDQ_LOG_SIZE)
#define CX_CMDQ_PAGES_SLOT	(CX_CMDQ_SLOTS - 1)	/* MANAGE_PAGES only */
#define CX_CMD_TYPE_PCI		7
#define CX_CMD_INLINE_BYTES	16
#define CX_CMD_OWNER_HW		0x01
#define CX_CMD_DELIVERY_SHIFT	1

struct cx_cmdq_entry {
	__u8	type;
	__u8	rsvd0[3];
	__be32	inlen;		/* bytes, the 16 in the entry included */
	__be64	in_ptr;		/* mailbox chain with the rest, or 0 */
	__u8	in[CX_CMD_INLINE_BYTES];
	__u8	out[CX_CMD_INLINE_BYTES];
	__be64	out_ptr;
	__be32	outlen;
	__u8	token;
	__u8	sig;
	__u8	rsvd1;
	__u8	status_own;	/* 7:1 delivery status, 0 owned by hardware */
} __attribute__((packed));

#define CX_MAILBOX_DATA_BYTES	512
#define CX_MAILBOX_ALIGN	1024

struct cx_mailbox {
	__u8	data[CX_MAILBOX_DATA_BYTES];
	__u8	rsvd0[48];
	__be64	next;		/* DMA address, 0 ends the chain */
	__be32	block_num;
	__u8	rsvd1;
	__u8	token;
	__u8	ctrl_sig;
	__u8	sig;
} __attribute__((packed));

_Static_assert(sizeof(struct cx_cmdq_entry) == 64, "entry is 64 bytes");
_Static_assert(sizeof(struct cx_mailbox) == 576, "mailbox is 576 bytes");

/* Delivery status of the entry: not zero means not executed */
enum cx_cmd_delivery {
	CX_DELIVERY_OK = 0x0,
	CX_DELIVERY_SIGNATURE = 0x1,
	CX_DELIVERY_TOKEN = 0x2,
	CX_DELIVERY_BLOCK_NUM = 0x3,
	CX_DELIVERY_OUT_PTR = 0x4,
	CX_DELIVERY_IN_PTR = 0x5,
	CX_DELIVERY_FW = 0x6,
	CX_DELIVERY_IN_LEN = 0x7,
	CX_DELIVERY_OUT_LEN = 0x8,
	CX_DELIVERY_RESERVED = 0x9,
	CX_DELIVERY_DESCRIPTOR = 0x10,
};

/* cmd_out.status */
enum cx_cmd_status {
	CX_STATUS_OK = 0x0,
	CX_STATUS_INT_ERR = 0x1,
	CX_STATUS_BAD_OP = 0x2,
	CX_STATUS_BAD_PARAM = 0x3,
	CX_STATUS_BAD_SYS_STATE = 0x4,
	CX_STATUS_BAD_RES = 0x5,
	CX_STATUS_RES_BUSY = 0x6,
	CX_STATUS_NOT_READY = 0x7,
	CX_STATUS_LIM_ERR = 0x8,
	CX_STATUS_BAD_RES_STATE = 0x9,
	CX_STATUS_BAD_INDEX = 0xa,
	CX_STATUS_NO_RES = 0xf,
	CX_STATUS_BAD_QP_STATE = 0x10,
	CX_STATUS_BAD_PKT = 0x30,
	CX_STATUS_BAD_SIZE_OUTS_CQES = 0x40,
	CX_STATUS_BAD_IN_LEN = 0x50,
	CX_STATUS_BAD_OUT_LEN = 0x51,
};

enum cx_opcode {
	CX_CMD_QUERY_HCA_CAP = 0x100,
	CX_CMD_QUERY_ADAPTER = 0x101,
	CX_CMD_INIT_HCA = 0x102,
	CX_CMD_TEARDOWN_HCA = 0x103,
	CX_CMD_ENABLE_HCA = 0x104,
	CX_CMD_DISABLE_HCA = 0x105,
	CX_CMD_QUERY_PAGES = 0x107,
	CX_CMD_MANAGE_PAGES = 0x108,
	CX_CMD_SET_HCA_CAP = 0x109,
	CX_CMD_QUERY_ISSI = 0x10a,
	CX_CMD_SET_ISSI = 0x10b,
	CX_CMD_SET_DRIVER_VERSION = 0x10d,
	CX_CMD_CREATE_MKEY = 0x200,
	CX_CMD_QUERY_MKEY = 0x201,
	CX_CMD_DESTROY_MKEY = 0x202,
	CX_CMD_QUERY_SPECIAL_CONTEXTS = 0x203,
	CX_CMD_PAGE_FAULT_RESUME = 0x204,
	CX_CMD_ALLOC_MEMIC = 0x205,
	CX_CMD_DEALLOC_MEMIC = 0x206,
	CX_CMD_CREATE_EQ = 0x301,
	CX_CMD_DESTROY_EQ = 0x302,
	CX_CMD_QUERY_EQ = 0x303,
	CX_CMD_CREATE_CQ = 0x400,
	CX_CMD_DESTROY_CQ = 0x401,
	CX_CMD_QUERY_CQ = 0x402,
	CX_CMD_MODIFY_CQ = 0x403,
	CX_CMD_CREATE_QP = 0x500,
	CX_CMD_DESTROY_QP = 0x501,
	CX_CMD_RST2INIT_QP = 0x502,
	CX_CMD_INIT2RTR_QP = 0x503,
	CX_CMD_RTR2RTS_QP = 0x504,
	CX_CMD_RTS2RTS_QP = 0x505,
	CX_CMD_SQERR2RTS_QP = 0x506,
	CX_CMD_2ERR_QP = 0x507,
	CX_CMD_2RST_QP = 0x50a,
	CX_CMD_QUERY_QP = 0x50b,
	CX_CMD_SQD2RTS_QP = 0x50c,
	CX_CMD_MAD_IFC = 0x50d,
	CX_CMD_INIT2INIT_QP = 0x50e,
	CX_CMD_CREATE_SRQ = 0x700,
	CX_CMD_DESTROY_SRQ = 0x701,
	CX_CMD_QUERY_SRQ = 0x702,
	CX_CMD_ARM_RQ = 0x703,
	CX_CMD_CREATE_XRC_SRQ = 0x705,
	CX_CMD_DESTROY_XRC_SRQ = 0x706,
	CX_CMD_QUERY_XRC_SRQ = 0x707,
	CX_CMD_ARM_XRC_SRQ = 0x708,
	CX_CMD_QUERY_VPORT_STATE = 0x750,
	CX_CMD_QUERY_HCA_VPORT_CONTEXT = 0x762,
	CX_CMD_MODIFY_HCA_VPORT_CONTEXT = 0x763,
	CX_CMD_QUERY_HCA_VPORT_GID = 0x764,
	CX_CMD_QUERY_HCA_VPORT_PKEY = 0x765,
	CX_CMD_QUERY_VPORT_COUNTER = 0x770,
	CX_CMD_ALLOC_Q_COUNTER = 0x771,
	CX_CMD_ALLOC_PD = 0x800,
	CX_CMD_DEALLOC_PD = 0x801,
	CX_CMD_ALLOC_UAR = 0x802,
	CX_CMD_DEALLOC_UAR = 0x803,
	CX_CMD_ACCESS_REG = 0x805,
	CX_CMD_ATTACH_TO_MCG = 0x806,
	CX_CMD_DETACH_FROM_MCG = 0x807,
	CX_CMD_ALLOC_XRCD = 0x80e,
	CX_CMD_DEALLOC_XRCD = 0x80f,
	CX_CMD_ALLOC_TRANSPORT_DOMAIN = 0x816,
	CX_CMD_DEALLOC_TRANSPORT_DOMAIN = 0x817,
	CX_CMD_CREATE_RMP = 0x90c,
	CX_CMD_MODIFY_RMP = 0x90d,
	CX_CMD_DESTROY_RMP = 0x90e,
	CX_CMD_QUERY_RMP = 0x90f,
	CX_CMD_CREATE_UCTX = 0xa04,
};

/* op_mod of QUERY_PAGES and MANAGE_PAGES */
enum cx_query_pages_op {
	CX_PAGES_BOOT = 1,
	CX_PAGES_INIT = 2,
	CX_PAGES_REGULAR = 3,
};

enum cx_manage_pages_op {
	CX_PAGES_CANT_GIVE = 0,
	CX_PAGES_GIVE = 1,
	CX_PAGES_TAKE = 2,
};

/* ifc: enable_hca_in */
CX_STRUCT(enable_hca_in, 0x10);
CX_FIELD(enable_hca_in, function_id, 0x50, 16);

/* ifc: query_issi_out */
CX_STRUCT(query_issi_out, 0x70);
CX_FIELD(query_issi_out, current_issi, 0x50, 16);
CX_FIELD(query_issi_out, supported_issi_dw0, 0x360, 32);

/* ifc: set_issi_in */
CX_STRUCT(set_issi_in, 0x10);
CX_FIELD(set_issi_in, current_issi, 0x50, 16);

/* ifc: query_pages_out */
CX_STRUCT(query_pages_out, 0x10);
CX_FIELD(query_pages_out, function_id, 0x50, 16);
CX_FIELD(query_pages_out, num_pages, 0x60, 32);

/* ifc: manage_pages_in */
CX_STRUCT(manage_pages_in, 0x10);
CX_FIELD(manage_pages_in, function_id, 0x50, 16);
CX_FIELD(manage_pages_in, input_num_entries, 0x60, 32);

/* ifc: manage_pages_out */
CX_STRUCT(manage_pages_out, 0x10);
CX_FIELD(manage_pages_out, output_num_entries, 0x40, 32);

/* ifc: access_register_in */
CX_STRUCT(access_register_in, 0x10);
CX_FIELD(access_register_in, register_id, 0x50, 16);
CX_FIELD(access_register_in, argument, 0x60, 32);

/* ifc: access_register_out */
CX_STRUCT(access_register_out, 0x10);

/* ifc: query_special_contexts_out */
CX_STRUCT(query_special_contexts_out, 0x20);
CX_FIELD(query_special_contexts_out, dump_fill_mkey, 0x40, 32);
CX_FIELD(query_special_contexts_out, resd_lkey, 0x60, 32);
CX_FIELD(query_special_contexts_out, null_mkey, 0x80, 32);
CX_FIELD(query_special_contexts_out, terminate_scatter_list_mkey, 0xa0, 32);

/* ifc: query_adapter_param_block */
CX_STRUCT(adapter_block, 0x100);
CX_FIELD(adapter_block, ieee_vendor_id, 0xc8, 24);
CX_BYTES(adapter_block, vsd_contd_psid, 0xf0, 16);

/* ifc: query_adapter_out */
CX_STRUCT(query_adapter_out, 0x110);
CX_SUB(query_adapter_out, query_adapter_struct, 0x10, adapter_block);

/* ifc: alloc_uar_out */
CX_STRUCT(alloc_uar_out, 0x10);
CX_FIELD(alloc_uar_out, uar, 0x48, 24);

/* ifc: dealloc_uar_in */
CX_STRUCT(dealloc_uar_in, 0x10);
CX_FIELD(dealloc_uar_in, uar, 0x48, 24);

/* ifc: alloc_pd_out */
CX_STRUCT(alloc_pd_out, 0x10);
CX_FIELD(alloc_pd_out, pd, 0x48, 24);

/* ifc: dealloc_pd_in */
CX_STRUCT(dealloc_pd_in, 0x10);
CX_FIELD(dealloc_pd_in, pd, 0x48, 24);

/* ifc: alloc_xrcd_out */
CX_STRUCT(alloc_xrcd_out, 0x10);
CX_FIELD(alloc_xrcd_out, xrcd, 0x48, 24);

/* ifc: dealloc_xrcd_in */
CX_STRUCT(dealloc_xrcd_in, 0x10);
CX_FIELD(dealloc_xrcd_in, xrcd, 0x48, 24);

/* ifc: alloc_transport_domain_out */
CX_STRUCT(alloc_transport_domain_out, 0x10);
CX_FIELD(alloc_transport_domain_out, transport_domain, 0x48, 24);

/* ifc: dealloc_transport_domain_in */
CX_STRUCT(dealloc_transport_domain_in, 0x10);
CX_FIELD(dealloc_transport_domain_in, transport_domain, 0x48, 24);

/* ifc: init_hca_in */
CX_STRUCT(init_hca_in, 0x20);
CX_FIELD(init_hca_in, sw_vhca_id, 0x62, 14);

/* ifc: teardown_hca_in */
CX_STRUCT(teardown_hca_in, 0x10);
CX_FIELD(teardown_hca_in, profile, 0x50, 16);

#endif /* CONNECTX_PRM_CMD_H */
