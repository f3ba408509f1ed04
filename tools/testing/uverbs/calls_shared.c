// SPDX-License-Identifier: GPL-2.0-only
#include <stddef.h>

#include <rdma/mlx5-abi.h>

#include "calls_shared.h"

#define QUEUE_WQES	16
#define WQE_SHIFT	6
#define USER_INDEX	0x30

int xrcd_open(struct uctx *x, int fd, uint32_t oflags, uint32_t *xrcd)
{
	struct ib_uverbs_open_xrcd in = { .fd = fd, .oflags = oflags };
	struct ib_uverbs_open_xrcd_resp out = { };
	int ret;

	ret = invoke_write(x->fd, IB_USER_VERBS_CMD_OPEN_XRCD, &in, sizeof(in),
			   &out, sizeof(out), NULL, 0, NULL, 0);
	*xrcd = out.xrcd_handle;
	return ret;
}

int xrcd_close(struct uctx *x, uint32_t xrcd)
{
	struct ib_uverbs_close_xrcd in = { .xrcd_handle = xrcd };

	return invoke_write(x->fd, IB_USER_VERBS_CMD_CLOSE_XRCD, &in,
			    sizeof(in), NULL, 0, NULL, 0, NULL, 0);
}

static int make_qp(struct uctx *x, struct ib_uverbs_create_qp *in,
		   struct ib_uverbs_create_qp_resp *out)
{
	struct mlx5_ib_create_qp uhw = {
		.buf_addr = (uintptr_t)uctx_pages(x, 2),
		.db_addr = (uintptr_t)uctx_pages(x, 1),
		.sq_wqe_count = QUEUE_WQES,
		.rq_wqe_count = QUEUE_WQES,
		.rq_wqe_shift = WQE_SHIFT,
		.uidx = USER_INDEX,
	};
	struct mlx5_ib_create_qp_resp uhw_out = { };

	in->max_send_wr = 8;
	in->max_recv_wr = 8;
	in->max_send_sge = 1;
	in->max_recv_sge = 1;
	return invoke_write(x->fd, IB_USER_VERBS_CMD_CREATE_QP, in,
			    sizeof(*in), out, sizeof(*out), &uhw, sizeof(uhw),
			    &uhw_out, sizeof(uhw_out));
}

int target_create(struct uctx *x, uint32_t xrcd, uint32_t *qp, uint32_t *qpn)
{
	struct ib_uverbs_create_qp in = {
		.pd_handle = xrcd, .qp_type = IB_UVERBS_QPT_XRC_TGT,
	};
	struct ib_uverbs_create_qp_resp out = { };
	int ret = make_qp(x, &in, &out);

	*qp = out.qp_handle;
	*qpn = out.qpn;
	return ret;
}

int target_open(struct uctx *x, uint32_t xrcd, uint32_t qpn, uint32_t *qp)
{
	struct ib_uverbs_open_qp in = {
		.pd_handle = xrcd, .qpn = qpn,
		.qp_type = IB_UVERBS_QPT_XRC_TGT,
	};
	struct ib_uverbs_create_qp_resp out = { };
	int ret;

	ret = invoke_write(x->fd, IB_USER_VERBS_CMD_OPEN_QP, &in, sizeof(in),
			   &out, sizeof(out), NULL, 0, NULL, 0);
	*qp = out.qp_handle;
	return ret;
}

int xsrq_create(struct uctx *x, uint32_t pd, uint32_t xrcd, uint32_t cq,
		uint32_t *srq)
{
	struct ib_uverbs_create_xsrq in = {
		.srq_type = IB_UVERBS_SRQT_XRC, .pd_handle = pd, .max_wr = 15,
		.max_sge = 1, .xrcd_handle = xrcd, .cq_handle = cq,
	};
	struct mlx5_ib_create_srq uhw = {
		.buf_addr = (uintptr_t)uctx_pages(x, 1),
		.db_addr = (uintptr_t)uctx_pages(x, 1),
		.uidx = USER_INDEX + 1,
	};
	struct ib_uverbs_create_srq_resp out = { };
	struct mlx5_ib_create_srq_resp uhw_out = { };
	int ret;

	ret = invoke_write(x->fd, IB_USER_VERBS_CMD_CREATE_XSRQ, &in,
			   sizeof(in), &out, sizeof(out), &uhw, sizeof(uhw),
			   &uhw_out, sizeof(uhw_out));
	*srq = out.srq_handle;
	return ret;
}

int ud_qp_create(struct uctx *x, uint32_t pd, uint32_t cq, uint32_t *qp)
{
	struct ib_uverbs_create_qp in = {
		.pd_handle = pd, .send_cq_handle = cq, .recv_cq_handle = cq,
		.qp_type = IB_UVERBS_QPT_UD,
	};
	struct ib_uverbs_create_qp_resp out = { };
	int ret = make_qp(x, &in, &out);

	*qp = out.qp_handle;
	return ret;
}

static int mcast(struct uctx *x, unsigned int command, uint32_t qp,
		 uint8_t group, uint16_t lid)
{
	struct ib_uverbs_attach_mcast in = {
		.gid = { 0xff, 0x12, [15] = group },
		.qp_handle = qp, .mlid = lid,
	};

	return invoke_write(x->fd, command, &in, sizeof(in), NULL, 0, NULL, 0,
			    NULL, 0);
}

int mcast_attach(struct uctx *x, uint32_t qp, uint8_t group, uint16_t lid)
{
	return mcast(x, IB_USER_VERBS_CMD_ATTACH_MCAST, qp, group, lid);
}

int mcast_detach(struct uctx *x, uint32_t qp, uint8_t group, uint16_t lid)
{
	return mcast(x, IB_USER_VERBS_CMD_DETACH_MCAST, qp, group, lid);
}

int mw_alloc(struct uctx *x, uint32_t pd, uint32_t *mw)
{
	struct ib_uverbs_alloc_mw in = { .pd_handle = pd, .mw_type = 1 };
	struct ib_uverbs_alloc_mw_resp out = { };
	int ret;

	ret = invoke_write(x->fd, IB_USER_VERBS_CMD_ALLOC_MW, &in, sizeof(in),
			   &out, sizeof(out), NULL, 0, NULL, 0);
	*mw = out.mw_handle;
	return ret;
}

int mw_dealloc(struct uctx *x, uint32_t mw)
{
	struct ib_uverbs_dealloc_mw in = { .mw_handle = mw };

	return invoke_write(x->fd, IB_USER_VERBS_CMD_DEALLOC_MW, &in,
			    sizeof(in), NULL, 0, NULL, 0, NULL, 0);
}
