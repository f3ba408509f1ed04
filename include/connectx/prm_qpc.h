/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Queue pairs: context, address path, commands, states and transitions.
 */
#ifndef CONNECTX_PRM_QPC_H
#define CONNECTX_PRM_QPC_H

#include <connectx/prm_bits.h>

/* ifc: ads */
CX_STRUCT(ads, 0x2c);
CX_FIELD(ads, fl, 0x0, 1);
CX_FIELD(ads, pkey_index, 0x10, 16);
CX_FIELD(ads, grh, 0x28, 1);
CX_FIELD(ads, mlid, 0x29, 7);
CX_FIELD(ads, rlid, 0x30, 16);
CX_FIELD(ads, ack_timeout, 0x40, 5);
CX_FIELD(ads, src_addr_index, 0x48, 8);
CX_FIELD(ads, stat_rate, 0x54, 4);
CX_FIELD(ads, hop_limit, 0x58, 8);
CX_FIELD(ads, tclass, 0x64, 8);
CX_FIELD(ads, flow_label, 0x6c, 20);
CX_BYTES(ads, rgid_rip, 0x10, 16);
CX_FIELD(ads, dscp, 0x10a, 6);
CX_FIELD(ads, udp_sport, 0x110, 16);
CX_FIELD(ads, eth_prio, 0x121, 3);
CX_FIELD(ads, sl, 0x124, 4);
CX_FIELD(ads, vhca_port_num, 0x128, 8);
CX_FIELD(ads, rmac_47_32, 0x130, 16);
CX_FIELD(ads, rmac_31_0, 0x140, 32);

/* ifc: qpc */
CX_STRUCT(qpc, 0xe8);
CX_FIELD(qpc, state, 0x0, 4);
CX_FIELD(qpc, st, 0x8, 8);
CX_FIELD(qpc, pm_state, 0x13, 2);
CX_FIELD(qpc, end_padding_mode, 0x1c, 2);
CX_FIELD(qpc, wq_signature, 0x20, 1);
CX_FIELD(qpc, block_lb_mc, 0x21, 1);
CX_FIELD(qpc, latency_sensitive, 0x23, 1);
CX_FIELD(qpc, pd, 0x28, 24);
CX_FIELD(qpc, mtu, 0x40, 3);
CX_FIELD(qpc, log_msg_max, 0x43, 5);
CX_FIELD(qpc, log_rq_size, 0x49, 4);
CX_FIELD(qpc, log_rq_stride, 0x4d, 3);
CX_FIELD(qpc, no_sq, 0x50, 1);
CX_FIELD(qpc, log_sq_size, 0x51, 4);
CX_FIELD(qpc, ts_format, 0x58, 2);
CX_FIELD(qpc, rlky, 0x5b, 1);
CX_FIELD(qpc, counter_set_id, 0x60, 8);
CX_FIELD(qpc, uar_page, 0x68, 24);
CX_FIELD(qpc, user_index, 0x88, 24);
CX_FIELD(qpc, log_page_size, 0xa3, 5);
CX_FIELD(qpc, remote_qpn, 0xa8, 24);
CX_SUB(qpc, primary_address_path, 0x18, ads);
CX_SUB(qpc, secondary_address_path, 0x44, ads);
CX_FIELD(qpc, log_ack_req_freq, 0x380, 4);
CX_FIELD(qpc, log_sra_max, 0x388, 3);
CX_FIELD(qpc, retry_count, 0x38d, 3);
CX_FIELD(qpc, rnr_retry, 0x390, 3);
CX_FIELD(qpc, fre, 0x394, 1);
CX_FIELD(qpc, next_send_psn, 0x3c8, 24);
CX_FIELD(qpc, cqn_snd, 0x3e8, 24);
CX_FIELD(qpc, deth_sqpn, 0x408, 24);
CX_FIELD(qpc, last_acked_psn, 0x448, 24);
CX_FIELD(qpc, ssn, 0x468, 24);
CX_FIELD(qpc, log_rra_max, 0x488, 3);
CX_FIELD(qpc, atomic_mode, 0x48c, 4);
CX_FIELD(qpc, rre, 0x490, 1);
CX_FIELD(qpc, rwe, 0x491, 1);
CX_FIELD(qpc, rae, 0x492, 1);
CX_FIELD(qpc, page_offset, 0x494, 6);
CX_FIELD(qpc, min_rnr_nak, 0x4a3, 5);
CX_FIELD(qpc, next_rcv_psn, 0x4a8, 24);
CX_FIELD(qpc, xrcd, 0x4c8, 24);
CX_FIELD(qpc, cqn_rcv, 0x4e8, 24);
CX_FIELD64(qpc, dbr_addr, 0x500);
CX_FIELD(qpc, q_key, 0x540, 32);
CX_FIELD(qpc, rq_type, 0x565, 3);
CX_FIELD(qpc, srqn_rmpn_xrqn, 0x568, 24);
CX_FIELD(qpc, rmsn, 0x588, 24);
CX_FIELD(qpc, hw_sq_wqebb_counter, 0x5a0, 16);
CX_FIELD(qpc, sw_sq_wqebb_counter, 0x5b0, 16);
CX_FIELD(qpc, hw_rq_counter, 0x5c0, 32);
CX_FIELD(qpc, sw_rq_counter, 0x5e0, 32);
CX_FIELD(qpc, cs_req, 0x630, 8);
CX_FIELD(qpc, cs_res, 0x638, 8);
CX_FIELD(qpc, dbr_umem_valid, 0x683, 1);

/* ifc: create_qp_in */
CX_STRUCT(create_qp_in, 0x110);
CX_FIELD(create_qp_in, opt_param_mask, 0x80, 32);
CX_SUB(create_qp_in, qpc, 0x18, qpc);
CX_FIELD(create_qp_in, wq_umem_valid, 0x860, 1);

/* ifc: create_qp_out */
CX_STRUCT(create_qp_out, 0x10);
CX_FIELD(create_qp_out, qpn, 0x48, 24);

/* ifc: rst2init_qp_in */
CX_STRUCT(modify_qp_in, 0x110);
CX_FIELD(modify_qp_in, qpn, 0x48, 24);
CX_FIELD(modify_qp_in, opt_param_mask, 0x80, 32);
CX_SUB(modify_qp_in, qpc, 0x18, qpc);

/* ifc: destroy_qp_in */
CX_STRUCT(qp_number_in, 0x10);
CX_FIELD(qp_number_in, qpn, 0x48, 24);

/* ifc: query_qp_out */
CX_STRUCT(query_qp_out, 0x1d0);
CX_FIELD(query_qp_out, opt_param_mask, 0x80, 32);
CX_SUB(query_qp_out, qpc, 0x18, qpc);

/* ifc: attach_to_mcg_in */
CX_STRUCT(attach_mcg_in, 0x20);
CX_FIELD(attach_mcg_in, qpn, 0x48, 24);
CX_BYTES(attach_mcg_in, multicast_gid, 0x10, 16);

/* qpc.st: the service type */
enum cx_qp_st {
	CX_QP_ST_RC = 0x0,
	CX_QP_ST_UC = 0x1,
	CX_QP_ST_UD = 0x2,
	CX_QP_ST_XRC = 0x3,
	CX_QP_ST_DCI = 0x5,
	CX_QP_ST_QP0 = 0x7,
	CX_QP_ST_QP1 = 0x8,
	CX_QP_ST_RAW_ETHERTYPE = 0x9,
	CX_QP_ST_REG_UMR = 0xc,
};

/* qpc.state */
enum cx_qp_state {
	CX_QP_RST = 0,
	CX_QP_INIT = 1,
	CX_QP_RTR = 2,
	CX_QP_RTS = 3,
	CX_QP_SQER = 4,
	CX_QP_SQD = 5,
	CX_QP_ERR = 6,
	CX_QP_SQ_DRAINING = 7,
};

enum cx_qp_pm_state {
	CX_QP_PM_ARMED = 0,
	CX_QP_PM_REARM = 1,
	CX_QP_PM_MIGRATED = 3,
};

/* qpc.rq_type */
enum cx_rq_type {
	CX_RQ_OWN = 0,
	CX_RQ_SRQ = 1,
	CX_RQ_NONE = 3,
};

/* opt_param_mask of the modify commands */
enum cx_qp_optpar {
	CX_QP_OPT_ALT_PATH = 1 << 0,
	CX_QP_OPT_RRE = 1 << 1,
	CX_QP_OPT_RAE = 1 << 2,
	CX_QP_OPT_RWE = 1 << 3,
	CX_QP_OPT_PKEY_INDEX = 1 << 4,
	CX_QP_OPT_Q_KEY = 1 << 5,
	CX_QP_OPT_RNR_TIMEOUT = 1 << 6,
	CX_QP_OPT_PRIMARY_PATH = 1 << 7,
	CX_QP_OPT_SRA_MAX = 1 << 8,
	CX_QP_OPT_RRA_MAX = 1 << 9,
	CX_QP_OPT_PM_STATE = 1 << 10,
	CX_QP_OPT_RETRY_COUNT = 1 << 12,
	CX_QP_OPT_RNR_RETRY = 1 << 13,
	CX_QP_OPT_ACK_TIMEOUT = 1 << 14,
	CX_QP_OPT_PRI_PORT = 1 << 16,
	CX_QP_OPT_SRQN = 1 << 18,
	CX_QP_OPT_CQN_RCV = 1 << 19,
	CX_QP_OPT_COUNTER_SET = 1 << 25,
};

/* User index of a QP or SRQ that has none: its CQEs carry version 0 fields. */
#define CX_NO_USER_INDEX	0xffffff

#endif /* CONNECTX_PRM_QPC_H */
