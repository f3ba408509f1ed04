/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared receive queues: the work queue context, and its three containers
 * (RMP, XRC SRQ, plain SRQ of ISSI 0). All three share one number space.
 */
#ifndef CONNECTX_PRM_SRQ_H
#define CONNECTX_PRM_SRQ_H

#include <connectx/prm_bits.h>

/* ifc: wq */
CX_STRUCT(wq, 0xc0);
CX_FIELD(wq, wq_type, 0x0, 4);
CX_FIELD(wq, wq_signature, 0x4, 1);
CX_FIELD(wq, page_offset, 0x2b, 5);
CX_FIELD(wq, lwm, 0x30, 16);
CX_FIELD(wq, pd, 0x48, 24);
CX_FIELD(wq, uar_page, 0x68, 24);
CX_FIELD64(wq, dbr_addr, 0x80);
CX_FIELD(wq, hw_counter, 0xc0, 32);
CX_FIELD(wq, sw_counter, 0xe0, 32);
CX_FIELD(wq, log_wq_stride, 0x10c, 4);
CX_FIELD(wq, log_wq_pg_sz, 0x113, 5);
CX_FIELD(wq, log_wq_sz, 0x11b, 5);
CX_FIELD(wq, dbr_umem_valid, 0x120, 1);
CX_FIELD(wq, wq_umem_valid, 0x121, 1);

/* ifc: rmpc */
CX_STRUCT(rmpc, 0xf0);
CX_FIELD(rmpc, state, 0x8, 4);
CX_FIELD(rmpc, basic_cyclic_rcv_wqe, 0x20, 1);
CX_SUB(rmpc, wq, 0x30, wq);

/* ifc: create_rmp_in */
CX_STRUCT(create_rmp_in, 0x110);
CX_SUB(create_rmp_in, ctx, 0x20, rmpc);

/* ifc: create_rmp_out */
CX_STRUCT(create_rmp_out, 0x10);
CX_FIELD(create_rmp_out, rmpn, 0x48, 24);

/* ifc: rmp_bitmask */
CX_STRUCT(rmp_bitmask, 0x8);
CX_FIELD(rmp_bitmask, lwm, 0x3f, 1);

/* ifc: modify_rmp_in */
CX_STRUCT(modify_rmp_in, 0x110);
CX_FIELD(modify_rmp_in, rmp_state, 0x40, 4);
CX_FIELD(modify_rmp_in, rmpn, 0x48, 24);
CX_SUB(modify_rmp_in, bitmask, 0x10, rmp_bitmask);
CX_SUB(modify_rmp_in, ctx, 0x20, rmpc);

/* ifc: destroy_rmp_in */
CX_STRUCT(rmp_number_in, 0x10);
CX_FIELD(rmp_number_in, rmpn, 0x48, 24);

/* ifc: query_rmp_out */
CX_STRUCT(query_rmp_out, 0x110);
CX_SUB(query_rmp_out, rmp_context, 0x20, rmpc);

/* ifc: xrc_srqc */
CX_STRUCT(xrc_srqc, 0x40);
CX_FIELD(xrc_srqc, state, 0x0, 4);
CX_FIELD(xrc_srqc, log_xrc_srq_size, 0x4, 4);
CX_FIELD(xrc_srqc, rlky, 0x23, 1);
CX_FIELD(xrc_srqc, basic_cyclic_rcv_wqe, 0x24, 1);
CX_FIELD(xrc_srqc, log_rq_stride, 0x25, 3);
CX_FIELD(xrc_srqc, xrcd, 0x28, 24);
CX_FIELD(xrc_srqc, page_offset, 0x40, 6);
CX_FIELD(xrc_srqc, cqn, 0x48, 24);
CX_FIELD(xrc_srqc, user_index_equal_xrc_srqn, 0x80, 1);
CX_FIELD(xrc_srqc, log_page_size, 0x82, 6);
CX_FIELD(xrc_srqc, user_index, 0x88, 24);
CX_FIELD(xrc_srqc, pd, 0xc8, 24);
CX_FIELD(xrc_srqc, lwm, 0xe0, 16);
CX_FIELD(xrc_srqc, wqe_cnt, 0xf0, 16);
CX_FIELD(xrc_srqc, db_record_addr_h, 0x140, 32);
CX_FIELD(xrc_srqc, db_record_addr_l, 0x160, 30);

/* ifc: create_xrc_srq_in */
CX_STRUCT(create_xrc_srq_in, 0x110);
CX_SUB(create_xrc_srq_in, xrc_srq_context_entry, 0x10, xrc_srqc);

/* ifc: create_xrc_srq_out */
CX_STRUCT(create_xrc_srq_out, 0x10);
CX_FIELD(create_xrc_srq_out, xrc_srqn, 0x48, 24);

/* ifc: destroy_xrc_srq_in */
CX_STRUCT(xrc_srq_number_in, 0x10);
CX_FIELD(xrc_srq_number_in, xrc_srqn, 0x48, 24);

/* ifc: query_xrc_srq_out */
CX_STRUCT(query_xrc_srq_out, 0x110);
CX_SUB(query_xrc_srq_out, xrc_srq_context_entry, 0x10, xrc_srqc);

/* ifc: arm_xrc_srq_in */
CX_STRUCT(arm_xrc_srq_in, 0x10);
CX_FIELD(arm_xrc_srq_in, xrc_srqn, 0x48, 24);
CX_FIELD(arm_xrc_srq_in, lwm, 0x70, 16);

/* ifc: srqc */
CX_STRUCT(srqc, 0x40);
CX_FIELD(srqc, state, 0x0, 4);
CX_FIELD(srqc, log_srq_size, 0x4, 4);
CX_FIELD(srqc, log_rq_stride, 0x25, 3);
CX_FIELD(srqc, xrcd, 0x28, 24);
CX_FIELD(srqc, page_offset, 0x40, 6);
CX_FIELD(srqc, cqn, 0x48, 24);
CX_FIELD(srqc, log_page_size, 0x82, 6);
CX_FIELD(srqc, pd, 0xc8, 24);
CX_FIELD(srqc, lwm, 0xe0, 16);
CX_FIELD(srqc, wqe_cnt, 0xf0, 16);
CX_FIELD64(srqc, dbr_addr, 0x140);

/* ifc: create_srq_in */
CX_STRUCT(create_srq_in, 0x110);
CX_SUB(create_srq_in, srq_context_entry, 0x10, srqc);

/* ifc: create_srq_out */
CX_STRUCT(create_srq_out, 0x10);
CX_FIELD(create_srq_out, srqn, 0x48, 24);

/* ifc: destroy_srq_in */
CX_STRUCT(srq_number_in, 0x10);
CX_FIELD(srq_number_in, srqn, 0x48, 24);

/* ifc: query_srq_out */
CX_STRUCT(query_srq_out, 0x110);
CX_SUB(query_srq_out, srq_context_entry, 0x10, srqc);

/* ifc: arm_rq_in */
CX_STRUCT(arm_rq_in, 0x10);
CX_FIELD(arm_rq_in, srq_number, 0x48, 24);
CX_FIELD(arm_rq_in, lwm, 0x70, 16);

enum cx_wq_type {
	CX_WQ_LINKED_LIST = 0,
	CX_WQ_CYCLIC = 1,
};

/* xrc_srqc.state */
enum cx_xrc_srq_state {
	CX_XRC_SRQ_GOOD = 0,
	CX_XRC_SRQ_ERROR = 1,
};

/* op_mod of ARM_XRC_SRQ */
enum cx_arm_xrc_srq_op {
	CX_ARM_XRC_SRQ = 1,
};

enum cx_rmp_state {
	CX_RMP_RDY = 1,
	CX_RMP_ERR = 3,
};

#endif /* CONNECTX_PRM_SRQ_H */
