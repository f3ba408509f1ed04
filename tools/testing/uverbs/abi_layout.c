// SPDX-License-Identifier: GPL-2.0-only
/* Structures that the native methods point to, field by field. */
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>

#include "abi_layout.h"

#define CONTEXT(f, value) \
	FIELD(mlx5_ib_alloc_ucontext_req_v2, f, ABI_NUMBER, value)

static const struct abi_field context_fields[] = {
	CONTEXT(total_num_bfregs, 16),
	CONTEXT(num_low_latency_bfregs, 4),
	CONTEXT(flags, 0),
	CONTEXT(comp_mask, 0),
	CONTEXT(max_cqe_version, 1),
	CONTEXT(reserved0, 0),
	CONTEXT(reserved1, 0),
	CONTEXT(reserved2, 0),
	CONTEXT(lib_caps, MLX5_LIB_CAP_4K_UAR),
};

const struct abi_layout layout_context =
	LAYOUT(mlx5_ib_alloc_ucontext_req_v2, context_fields);

#define CQ(f, kind, value)	FIELD(mlx5_ib_create_cq, f, kind, value)

static const struct abi_field cq_fields[] = {
	CQ(buf_addr, ABI_ADDRESS, 1),
	CQ(db_addr, ABI_ADDRESS, 1),
	CQ(cqe_size, ABI_NUMBER, 64),
	CQ(cqe_comp_en, ABI_NUMBER, 0),
	CQ(cqe_comp_res_format, ABI_NUMBER, 0),
	CQ(flags, ABI_NUMBER, 0),
	CQ(uar_page_index, ABI_NUMBER, 0),
	CQ(reserved0, ABI_RESERVED, 0),
	CQ(reserved1, ABI_RESERVED, 0),
};

const struct abi_layout layout_cq_driver =
	LAYOUT(mlx5_ib_create_cq, cq_fields);

#define QP(f, kind, value)	FIELD(mlx5_ib_create_qp, f, kind, value)

static const struct abi_field qp_fields[] = {
	QP(buf_addr, ABI_ADDRESS, 2),
	QP(db_addr, ABI_ADDRESS, 1),
	QP(sq_wqe_count, ABI_NUMBER, 16),
	QP(rq_wqe_count, ABI_NUMBER, 16),
	QP(rq_wqe_shift, ABI_NUMBER, 6),
	QP(flags, ABI_NUMBER, 0),
	QP(uidx, ABI_NUMBER, 0x20),
	QP(bfreg_index, ABI_NUMBER, 0),
	QP(sq_buf_addr, ABI_NUMBER, 0),
	QP(ece_options, ABI_NUMBER, 0),
};

const struct abi_layout layout_qp_driver =
	LAYOUT(mlx5_ib_create_qp, qp_fields);

#define SRQ(f, kind, value)	FIELD(mlx5_ib_create_srq, f, kind, value)

static const struct abi_field srq_fields[] = {
	SRQ(buf_addr, ABI_ADDRESS, 1),
	SRQ(db_addr, ABI_ADDRESS, 1),
	SRQ(flags, ABI_NUMBER, 0),
	SRQ(reserved0, ABI_RESERVED, 0),
	SRQ(uidx, ABI_NUMBER, 0x21),
	SRQ(reserved1, ABI_RESERVED, 0),
};

const struct abi_layout layout_srq_driver =
	LAYOUT(mlx5_ib_create_srq, srq_fields);

#define CAP(f, value)	FIELD(ib_uverbs_qp_cap, f, ABI_NUMBER, value)

static const struct abi_field cap_fields[] = {
	CAP(max_send_wr, 8),
	CAP(max_recv_wr, 8),
	CAP(max_send_sge, 1),
	CAP(max_recv_sge, 1),
	CAP(max_inline_data, 0),
};

const struct abi_layout layout_qp_cap = LAYOUT(ib_uverbs_qp_cap, cap_fields);

static const struct abi_field sge_fields[] = {
	FIELD(ib_uverbs_sge, addr, ABI_ADDRESS, 1),
	FIELD(ib_uverbs_sge, length, ABI_NUMBER, 4096),
	FIELD(ib_uverbs_sge, lkey, ABI_HANDLE, SLOT_PAGED_KEY),
};

const struct abi_layout layout_sge = LAYOUT(ib_uverbs_sge, sge_fields);
