/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The requests of write() commands, field by field, by number; for abi_write.c
 * alone.
 */
#ifndef UVERBS_ABI_WRITE_FIELDS_H
#define UVERBS_ABI_WRITE_FIELDS_H

#include "abi.h"
#include "abi_layout.h"

#define N(f, value)	FIELD(STRUCT, f, ABI_NUMBER, value)
#define R(f)		FIELD(STRUCT, f, ABI_RESERVED, 0)
#define H(f, slot)	FIELD(STRUCT, f, ABI_HANDLE, slot)
#define D(f, slot)	FIELD(STRUCT, f, ABI_FD, slot)
#define A(f, pages)	FIELD(STRUCT, f, ABI_ADDRESS, pages)
#define RESPONSE	FIELD(STRUCT, response, ABI_RESPONSE, 0)

/* attr_mask of MODIFY_QP */
#define QP_STATE		(1 << 0)
#define QP_ACCESS		(1 << 3)
#define QP_PKEY			(1 << 4)
#define QP_PORT			(1 << 5)
#define QP_AV			(1 << 7)
#define QP_PATH_MTU		(1 << 8)
#define QP_TIMEOUT		(1 << 9)
#define QP_RETRY		(1 << 10)
#define QP_RNR_RETRY		(1 << 11)
#define QP_RQ_PSN		(1 << 12)
#define QP_MAX_RD		(1 << 13)
#define QP_MIN_RNR		(1 << 15)
#define QP_SQ_PSN		(1 << 16)
#define QP_MAX_DEST_RD		(1 << 17)
#define QP_DEST			(1 << 20)
#define TO_INIT	(QP_STATE | QP_ACCESS | QP_PKEY | QP_PORT)
#define TO_RTR	(QP_STATE | QP_AV | QP_PATH_MTU | QP_RQ_PSN | QP_MAX_DEST_RD | \
		 QP_MIN_RNR | QP_DEST)
#define TO_RTS	(QP_STATE | QP_TIMEOUT | QP_RETRY | QP_RNR_RETRY | QP_SQ_PSN | \
		 QP_MAX_RD)

#define STRUCT ib_uverbs_alloc_pd

static const struct abi_field alloc_pd[] = { RESPONSE };

#undef STRUCT

#define STRUCT ib_uverbs_dealloc_pd

static const struct abi_field dealloc_pd[] = { H(pd_handle, SLOT_PD_SPARE) };

#undef STRUCT

#define STRUCT ib_uverbs_query_port

static const struct abi_field query_port[] = {
	RESPONSE, N(port_num, 1), R(reserved),
};

#undef STRUCT

#define STRUCT ib_uverbs_create_ah

static const struct abi_field create_ah[] = {
	RESPONSE, N(user_handle, 0), H(pd_handle, SLOT_PD), R(reserved),
	N(attr.grh.flow_label, 0), N(attr.grh.sgid_index, 0),
	N(attr.grh.hop_limit, 0), N(attr.grh.traffic_class, 0),
	R(attr.grh.reserved), N(attr.dlid, 1), N(attr.sl, 0),
	N(attr.src_path_bits, 0), N(attr.static_rate, 0),
	N(attr.is_global, 0), N(attr.port_num, 1), R(attr.reserved),
};

#undef STRUCT

#define STRUCT ib_uverbs_destroy_ah

static const struct abi_field destroy_ah[] = { H(ah_handle, SLOT_AH_SPARE) };

#undef STRUCT

#define STRUCT ib_uverbs_reg_mr

static const struct abi_field reg_mr[] = {
	RESPONSE, A(start, 1), N(length, 4096), A(hca_va, 1),
	H(pd_handle, SLOT_PD), N(access_flags, 1),
};

#undef STRUCT

#define STRUCT ib_uverbs_rereg_mr

static const struct abi_field rereg_mr[] = {
	RESPONSE, H(mr_handle, SLOT_MR_SPARE), N(flags, 4), A(start, 1),
	N(length, 4096), A(hca_va, 1), H(pd_handle, SLOT_PD),
	N(access_flags, 1),
};

#undef STRUCT

#define STRUCT ib_uverbs_dereg_mr

static const struct abi_field dereg_mr[] = { H(mr_handle, SLOT_MR_SPARE) };

#undef STRUCT

#define STRUCT ib_uverbs_alloc_mw

static const struct abi_field alloc_mw[] = {
	RESPONSE, H(pd_handle, SLOT_PD), N(mw_type, 1), R(reserved),
};

#undef STRUCT

#define STRUCT ib_uverbs_dealloc_mw

static const struct abi_field dealloc_mw[] = { H(mw_handle, SLOT_MW_SPARE) };

#undef STRUCT

#define STRUCT ib_uverbs_create_comp_channel

static const struct abi_field create_comp_channel[] = { RESPONSE };

#undef STRUCT

#define STRUCT ib_uverbs_create_cq

static const struct abi_field create_cq[] = {
	RESPONSE, N(user_handle, 0x1234), N(cqe, 63), N(comp_vector, 0),
	D(comp_channel, SLOT_CHANNEL), R(reserved),
};

#undef STRUCT

#define STRUCT ib_uverbs_resize_cq

static const struct abi_field resize_cq[] = {
	RESPONSE, H(cq_handle, SLOT_CQ_SPARE), N(cqe, 31),
};

#undef STRUCT

#define STRUCT mlx5_ib_resize_cq

static const struct abi_field resize_cq_driver[] = {
	A(buf_addr, 1), N(cqe_size, 64), R(reserved0), R(reserved1),
};

#undef STRUCT

#define STRUCT ib_uverbs_destroy_cq

static const struct abi_field destroy_cq[] = {
	RESPONSE, H(cq_handle, SLOT_CQ_SPARE), R(reserved),
};

#undef STRUCT

#define STRUCT ib_uverbs_poll_cq

static const struct abi_field poll_cq[] = {
	RESPONSE, H(cq_handle, SLOT_CQ), N(ne, 1),
};

#undef STRUCT

#define STRUCT ib_uverbs_req_notify_cq

static const struct abi_field req_notify_cq[] = {
	H(cq_handle, SLOT_CQ), N(solicited_only, 0),
};

#undef STRUCT

#define STRUCT ib_uverbs_create_qp

static const struct abi_field create_qp[] = {
	RESPONSE, N(user_handle, 0x1234), H(pd_handle, SLOT_PD),
	H(send_cq_handle, SLOT_CQ), H(recv_cq_handle, SLOT_CQ),
	N(srq_handle, 0), N(max_send_wr, 8), N(max_recv_wr, 8),
	N(max_send_sge, 1), N(max_recv_sge, 1), N(max_inline_data, 0),
	N(sq_sig_all, 0), N(qp_type, IB_UVERBS_QPT_RC), N(is_srq, 0),
	R(reserved),
};

static const struct abi_field create_qp_srq[] = {
	RESPONSE, N(user_handle, 0), H(pd_handle, SLOT_PD),
	H(send_cq_handle, SLOT_CQ), H(recv_cq_handle, SLOT_CQ),
	H(srq_handle, SLOT_SRQ), N(max_send_wr, 8), N(max_recv_wr, 0),
	N(max_send_sge, 1), N(max_recv_sge, 0), N(max_inline_data, 0),
	N(sq_sig_all, 0), N(qp_type, IB_UVERBS_QPT_RC), N(is_srq, 1),
	R(reserved),
};

#undef STRUCT

#define STRUCT ib_uverbs_query_qp

static const struct abi_field query_qp[] = {
	RESPONSE, H(qp_handle, SLOT_QP), N(attr_mask, QP_STATE),
};

#undef STRUCT

#define STRUCT ib_uverbs_modify_qp
/* The first three are different in each step. */
static const struct abi_field modify_qp[] = {
	H(qp_handle, SLOT_QP_SPARE), N(attr_mask, TO_INIT), N(qp_state, 1),
	N(port_num, 1), N(dest.dlid, 1), N(dest.port_num, 1),
	N(path_mtu, 3), N(dest_qp_num, 1), N(timeout, 14), N(retry_cnt, 7),
	N(rnr_retry, 7), N(max_rd_atomic, 1), N(max_dest_rd_atomic, 1),
	N(min_rnr_timer, 12), N(qkey, 0), N(rq_psn, 0), N(sq_psn, 0),
	N(qp_access_flags, 0), N(pkey_index, 0), N(alt_pkey_index, 0),
	N(cur_qp_state, 0), N(path_mig_state, 0), N(en_sqd_async_notify, 0),
	N(alt_port_num, 0), N(alt_timeout, 0), R(reserved),
	N(dest.flow_label, 0), R(dest.reserved), N(dest.sgid_index, 0),
	N(dest.hop_limit, 0), N(dest.traffic_class, 0), N(dest.sl, 0),
	N(dest.src_path_bits, 0), N(dest.static_rate, 0),
	N(dest.is_global, 0), N(alt_dest.port_num, 0),
	N(alt_dest.is_global, 0), N(alt_dest.sgid_index, 0),
};

#undef STRUCT

#define STRUCT ib_uverbs_destroy_qp

static const struct abi_field destroy_qp[] = {
	RESPONSE, H(qp_handle, SLOT_QP_SPARE), R(reserved),
};

#undef STRUCT

#define STRUCT ib_uverbs_post_send

static const struct abi_field post_send[] = {
	RESPONSE, H(qp_handle, SLOT_QP), N(wr_count, 0), N(sge_count, 0),
	N(wqe_size, sizeof(struct ib_uverbs_send_wr)),
};

#undef STRUCT

#define STRUCT ib_uverbs_post_recv

static const struct abi_field post_recv[] = {
	RESPONSE, H(qp_handle, SLOT_QP), N(wr_count, 0), N(sge_count, 0),
	N(wqe_size, sizeof(struct ib_uverbs_recv_wr)),
};

#undef STRUCT

#define STRUCT ib_uverbs_attach_mcast

static const struct abi_field attach_mcast[] = {
	H(qp_handle, SLOT_QP), N(mlid, 0xc000), R(reserved),
};

#undef STRUCT

#define STRUCT ib_uverbs_create_srq

static const struct abi_field create_srq[] = {
	RESPONSE, N(user_handle, 0x1234), H(pd_handle, SLOT_PD), N(max_wr, 15),
	N(max_sge, 1), N(srq_limit, 0),
};

#undef STRUCT

#define STRUCT ib_uverbs_create_xsrq

static const struct abi_field create_xsrq[] = {
	RESPONSE, N(user_handle, 0), N(srq_type, IB_UVERBS_SRQT_BASIC),
	H(pd_handle, SLOT_PD), N(max_wr, 15), N(max_sge, 1), N(srq_limit, 0),
	N(max_num_tags, 0), N(xrcd_handle, 0), N(cq_handle, 0),
};

static const struct abi_field create_xsrq_xrc[] = {
	RESPONSE, N(user_handle, 0), N(srq_type, IB_UVERBS_SRQT_XRC),
	H(pd_handle, SLOT_PD), N(max_wr, 15), N(max_sge, 1), N(srq_limit, 0),
	N(max_num_tags, 0), H(xrcd_handle, SLOT_XRCD), H(cq_handle, SLOT_CQ),
};

#undef STRUCT

#define STRUCT ib_uverbs_modify_srq

static const struct abi_field modify_srq[] = {
	H(srq_handle, SLOT_SRQ), N(attr_mask, 2), N(max_wr, 0),
	N(srq_limit, 1),
};

#undef STRUCT

#define STRUCT ib_uverbs_query_srq

static const struct abi_field query_srq[] = {
	RESPONSE, H(srq_handle, SLOT_SRQ), R(reserved),
};

#undef STRUCT

#define STRUCT ib_uverbs_destroy_srq

static const struct abi_field destroy_srq[] = {
	RESPONSE, H(srq_handle, SLOT_SRQ_SPARE), R(reserved),
};

#undef STRUCT

#define STRUCT ib_uverbs_post_srq_recv

static const struct abi_field post_srq_recv[] = {
	RESPONSE, H(srq_handle, SLOT_SRQ), N(wr_count, 0), N(sge_count, 0),
	N(wqe_size, sizeof(struct ib_uverbs_recv_wr)),
};

#undef STRUCT

#define STRUCT ib_uverbs_open_xrcd

static const struct abi_field open_xrcd[] = {
	RESPONSE, N(fd, 0xffffffff), N(oflags, 0100),
};

#undef STRUCT

#define STRUCT ib_uverbs_close_xrcd

static const struct abi_field close_xrcd[] = {
	H(xrcd_handle, SLOT_XRCD_SPARE),
};

#undef STRUCT

#define STRUCT ib_uverbs_open_qp

static const struct abi_field open_qp[] = {
	RESPONSE, N(user_handle, 0), H(pd_handle, SLOT_XRCD), N(qpn, 1),
	N(qp_type, IB_UVERBS_QPT_XRC_TGT), R(reserved),
};

#undef STRUCT

/* --- extended ------------------------------------------------------------ */

#define STRUCT ib_uverbs_ex_query_device

static const struct abi_field ex_query_device[] = {
	N(comp_mask, 0), R(reserved),
};

#undef STRUCT

#define STRUCT ib_uverbs_ex_create_cq

static const struct abi_field ex_create_cq[] = {
	N(user_handle, 0x1234), N(cqe, 63), N(comp_vector, 0),
	D(comp_channel, SLOT_CHANNEL), N(comp_mask, 0), N(flags, 0),
	R(reserved),
};

#undef STRUCT

#define STRUCT ib_uverbs_ex_create_qp

static const struct abi_field ex_create_qp[] = {
	N(user_handle, 0x1234), H(pd_handle, SLOT_PD),
	H(send_cq_handle, SLOT_CQ), H(recv_cq_handle, SLOT_CQ),
	N(srq_handle, 0), N(max_send_wr, 8), N(max_recv_wr, 8),
	N(max_send_sge, 1), N(max_recv_sge, 1), N(max_inline_data, 0),
	N(sq_sig_all, 0), N(qp_type, IB_UVERBS_QPT_RC), N(is_srq, 0),
	R(reserved), N(comp_mask, 0), N(create_flags, 0),
	N(rwq_ind_tbl_handle, 0), N(source_qpn, 0),
};

#undef STRUCT

#define STRUCT ib_uverbs_ex_modify_qp

static const struct abi_field ex_modify_qp[] = {
	H(base.qp_handle, SLOT_QP_SPARE), N(base.attr_mask, TO_INIT),
	N(base.qp_state, 1), N(base.port_num, 1), N(base.qp_access_flags, 0),
	N(base.pkey_index, 0), N(rate_limit, 0), R(reserved),
};

#undef STRUCT

#define STRUCT ib_uverbs_create_flow

static const struct abi_field create_flow[] = {
	N(comp_mask, 0), H(qp_handle, SLOT_QP), N(flow_attr.type, 0),
	N(flow_attr.size, 0), N(flow_attr.priority, 0),
	N(flow_attr.num_of_specs, 0), R(flow_attr.reserved),
	N(flow_attr.port, 1), N(flow_attr.flags, 0),
};

#undef STRUCT

#define STRUCT ib_uverbs_destroy_flow

static const struct abi_field destroy_flow[] = {
	N(comp_mask, 0), H(flow_handle, SLOT_FLOW),
};

#undef STRUCT

#define STRUCT ib_uverbs_ex_create_wq

static const struct abi_field create_wq[] = {
	N(comp_mask, 0), N(wq_type, 0), N(user_handle, 0),
	H(pd_handle, SLOT_PD), H(cq_handle, SLOT_CQ), N(max_wr, 16),
	N(max_sge, 1), N(create_flags, 0), R(reserved),
};

#undef STRUCT

#define STRUCT ib_uverbs_ex_modify_wq

static const struct abi_field modify_wq[] = {
	N(attr_mask, 1), H(wq_handle, SLOT_WQ), N(wq_state, 1),
	N(curr_wq_state, 0), N(flags, 0), N(flags_mask, 0),
};

#undef STRUCT

#define STRUCT ib_uverbs_ex_destroy_wq

static const struct abi_field destroy_wq[] = {
	N(comp_mask, 0), H(wq_handle, SLOT_WQ),
};

#undef STRUCT

#define STRUCT ib_uverbs_ex_create_rwq_ind_table

static const struct abi_field create_ind_table[] = {
	N(comp_mask, 0), N(log_ind_tbl_size, 0),
};

#undef STRUCT

#define STRUCT ib_uverbs_ex_destroy_rwq_ind_table

static const struct abi_field destroy_ind_table[] = {
	N(comp_mask, 0), H(ind_tbl_handle, SLOT_IND_TABLE),
};

#undef STRUCT

#define STRUCT ib_uverbs_ex_modify_cq

static const struct abi_field modify_cq[] = {
	H(cq_handle, SLOT_CQ), N(attr_mask, 1), N(attr.cq_count, 1),
	N(attr.cq_period, 1), R(reserved),
};

#undef STRUCT

static const struct abi_layout resize_driver =
	LAYOUT(mlx5_ib_resize_cq, resize_cq_driver);

#endif /* UVERBS_ABI_WRITE_FIELDS_H */
