// SPDX-License-Identifier: GPL-2.0-only
/* What the device can do, from its capabilities. */
#include <linux/kernel.h>
#include <linux/pci.h>

#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>

#include <ib/refuse.h>

#include <connectx/prm_wqe.h>

#include "cx.h"
#include "verbs.h"

#define CX_MAX_SQ_DESC		512
#define CX_MAX_SGE_RD		30
#define CX_MAX_CQ_COUNT		0xffff
#define CX_MAX_CQ_PERIOD	0xfff
/* the largest request but for its data, and one data segment, in ring units */
#define CX_SQ_WQE_BYTES		256

#define CX_ATOMIC_OPS		0x3	/* compare and swap, fetch and add */
#define CX_ATOMIC_8_BYTES	BIT(3)

static u64 cx_device_flags(const struct cx_caps *c)
{
	u64 flags = IB_UVERBS_DEVICE_CHANGE_PHY_PORT |
		    IB_UVERBS_DEVICE_PORT_ACTIVE_EVENT |
		    IB_UVERBS_DEVICE_SYS_IMAGE_GUID |
		    IB_UVERBS_DEVICE_RC_RNR_NAK_GEN;

	if (c->pkv)
		flags |= IB_UVERBS_DEVICE_BAD_PKEY_CNTR;
	if (c->qkv)
		flags |= IB_UVERBS_DEVICE_BAD_QKEY_CNTR;
	if (c->xrc)
		flags |= IB_UVERBS_DEVICE_XRC;
	if (c->imaicl)
		flags |= IB_UVERBS_DEVICE_MEM_WINDOW |
			 IB_UVERBS_DEVICE_MEM_WINDOW_TYPE_2B;
	if (c->apm)
		flags |= IB_UVERBS_DEVICE_AUTO_PATH_MIG;
	return flags;
}

static enum ib_atomic_cap cx_atomic_cap(const struct cx_caps *c)
{
	if ((c->atomic_operations & CX_ATOMIC_OPS) == CX_ATOMIC_OPS &&
	    c->atomic_size_qp & CX_ATOMIC_8_BYTES && c->atomic_host_endian)
		return IB_ATOMIC_HCA;
	return IB_ATOMIC_NONE;
}

static void cx_fill_queue_limits(const struct cx_caps *c,
				 struct ib_device_attr *a)
{
	u32 sq_desc = min_t(u32, c->max_wqe_sz_sq, CX_MAX_SQ_DESC);
	u32 rq_sge = c->max_wqe_sz_rq / sizeof(struct cx_wqe_data);

	a->max_qp = BIT(c->log_max_qp);
	a->max_qp_wr = (BIT(c->log_max_qp_sz) * CX_WQE_BB) / CX_SQ_WQE_BYTES;
	a->max_send_sge = (sq_desc - sizeof(struct cx_wqe_ctrl) -
			   sizeof(struct cx_wqe_raddr)) /
			  sizeof(struct cx_wqe_data);
	a->max_recv_sge = rq_sge;
	a->max_sge_rd = CX_MAX_SGE_RD;
	a->max_cq = BIT(c->log_max_cq);
	a->max_cqe = BIT(c->log_max_cq_sz) - 1;
	a->max_srq = BIT(c->log_max_srq);
	a->max_srq_wr = BIT(c->log_max_srq_sz) - 1;
	a->max_srq_sge = rq_sge - 1;
	a->max_qp_rd_atom = BIT(c->log_max_ra_req_qp);
	a->max_qp_init_rd_atom = BIT(c->log_max_ra_res_qp);
	a->max_res_rd_atom = a->max_qp_rd_atom * a->max_qp;
	if (c->cq_moderation) {
		a->cq_max_count = CX_MAX_CQ_COUNT;
		a->cq_max_period = CX_MAX_CQ_PERIOD;
	}
}

static void cx_fill_attr(struct cx_dev *cx, struct ib_device_attr *a)
{
	const struct cx_caps *c = &cx->caps;

	a->fw_ver = (u64)cx->board.fw_major << 32 |
		    (u64)cx->board.fw_minor << 16 | cx->board.fw_sub;
	a->vendor_id = cx->board.vendor_id;
	a->vendor_part_id = cx->pdev->device;
	a->hw_ver = cx->pdev->revision;
	a->device_cap_flags = cx_device_flags(c);
	a->atomic_cap = cx_atomic_cap(c);
	a->max_mr_size = U64_MAX;
	a->page_size_cap = ~(BIT_ULL(c->log_pg_sz) - 1);
	a->max_mr = BIT(c->log_max_mkey);
	a->max_mw = c->imaicl ? BIT(c->log_max_mkey) : 0;
	a->max_pd = BIT(c->log_max_pd);
	a->max_ah = INT_MAX;
	a->max_mcast_grp = BIT(c->log_max_mcg);
	a->max_mcast_qp_attach = c->max_qp_mcg;
	a->max_total_mcast_qp_attach = a->max_mcast_qp_attach *
				       a->max_mcast_grp;
	a->max_pkeys = c->pkey_table_len;
	a->local_ca_ack_delay = c->local_ca_ack_delay;
	a->hca_core_clock = c->device_frequency_khz;
	a->timestamp_mask = S64_MAX;
	a->max_dm_size = c->memic_bytes;
	cx_fill_queue_limits(c, a);
}

/* Ends of the fields of the answer: it has as many as user space has room for */
static const size_t cx_query_resp_ends[] = {
	offsetofend(struct mlx5_ib_query_device_resp, response_length),
	offsetofend(struct mlx5_ib_query_device_resp, tso_caps),
	offsetofend(struct mlx5_ib_query_device_resp, rss_caps),
	offsetofend(struct mlx5_ib_query_device_resp, cqe_comp_caps),
	offsetofend(struct mlx5_ib_query_device_resp, packet_pacing_caps),
	offsetofend(struct mlx5_ib_query_device_resp,
		    mlx5_ib_support_multi_pkt_send_wqes),
	offsetofend(struct mlx5_ib_query_device_resp, flags),
	offsetofend(struct mlx5_ib_query_device_resp, sw_parsing_caps),
	offsetofend(struct mlx5_ib_query_device_resp, striding_rq_caps),
	offsetofend(struct mlx5_ib_query_device_resp, tunnel_offloads_caps),
	offsetofend(struct mlx5_ib_query_device_resp, dci_streams_caps),
	offsetofend(struct mlx5_ib_query_device_resp, reserved),
	offsetofend(struct mlx5_ib_query_device_resp, reg_c0),
};

static int cx_query_answer(struct ib_udata *udata)
{
	struct mlx5_ib_query_device_resp resp = {};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cx_query_resp_ends); i++)
		if (cx_query_resp_ends[i] <= udata->outlen)
			resp.response_length = cx_query_resp_ends[i];
	/* none of the extensions it speaks of is there: all are zero */
	return ib_udata_write(udata, &resp, resp.response_length);
}

static int cx_query_check(struct ib_udata *udata)
{
	char none;

	if (udata->outlen && udata->outlen < cx_query_resp_ends[0])
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "room of %llu bytes for the answer, need %llu",
				 udata->outlen, cx_query_resp_ends[0]);
	if (!udata->inlen)
		return 0;
	return cx_udata_read(udata, &none, 0, 0, -EINVAL);
}

/**
 * cx_query_device - ib_device_ops.query_device
 * @dev: the device
 * @attr: result
 * @udata: the call of user space, or NULL
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_query_device(struct ib_device *dev, struct ib_device_attr *attr,
		    struct ib_udata *udata)
{
	struct cx_dev *cx = to_cx(dev);
	struct cx_port_context port;
	int ret;

	if (udata) {
		ret = cx_query_check(udata);
		if (ret)
			return ret;
	}
	ret = cx_cmd_query_port(cx, 1, &port);
	if (ret)
		return ret;
	memset(attr, 0, sizeof(*attr));
	attr->sys_image_guid = cpu_to_be64(port.system_guid);
	cx_fill_attr(cx, attr);
	cx_odp_fill_attr(to_verbs(dev), attr);
	return udata && udata->outlen ? cx_query_answer(udata) : 0;
}
