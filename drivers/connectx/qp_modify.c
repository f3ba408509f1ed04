// SPDX-License-Identifier: GPL-2.0-only
/*
 * Queue pairs: their state machine and what it carries. One table says which
 * command moves along an edge and which optional fields it may carry; another
 * which optional fields an attribute of verbs stands for.
 */
#include <linux/bitops.h>
#include <linux/kernel.h>

#include <rdma/mlx5-abi.h>

#include <ib/refuse.h>

#include <connectx/prm_cmd.h>
#include <connectx/prm_qpc.h>

#include "cx.h"
#include "verbs.h"

#define CX_OPT_ACCESS	(CX_QP_OPT_RRE | CX_QP_OPT_RAE | CX_QP_OPT_RWE)
#define CX_OPT_RC_LIVE	(CX_OPT_ACCESS | CX_QP_OPT_ALT_PATH | \
			 CX_QP_OPT_PM_STATE | CX_QP_OPT_RNR_TIMEOUT)
#define CX_OPT_UC_LIVE	(CX_QP_OPT_RWE | CX_QP_OPT_ALT_PATH | \
			 CX_QP_OPT_PM_STATE)

#define CX_ATOMIC_MODE_IB	1
#define CX_ACK_REQ_FREQ		8
#define CX_UD_LOG_MSG_MAX	12
#define CX_MODIFY_BITS		(IB_QP_ATTR_STANDARD_BITS | IB_QP_RATE_LIMIT)

/**
 * struct cx_qp_edge - an edge of the state machine
 * @cur: from
 * @next: to
 * @opcode: the command
 * @opt: optional fields by service type: RC, UC, UD
 */
struct cx_qp_edge {
	enum ib_qp_state cur;
	enum ib_qp_state next;
	u16 opcode;
	u32 opt[CX_QP_ST_UD + 1];
};

/* Edges to RESET and ERR have one command each, whatever the state before. */
static const struct cx_qp_edge cx_qp_edges[] = {
	{
		.cur = IB_QPS_RESET, .next = IB_QPS_INIT,
		.opcode = CX_CMD_RST2INIT_QP,
	}, {
		.cur = IB_QPS_INIT, .next = IB_QPS_INIT,
		.opcode = CX_CMD_INIT2INIT_QP,
		.opt = {
			CX_OPT_ACCESS | CX_QP_OPT_PKEY_INDEX |
			CX_QP_OPT_PRI_PORT,
			CX_QP_OPT_RWE | CX_QP_OPT_PKEY_INDEX |
			CX_QP_OPT_PRI_PORT,
			CX_QP_OPT_PKEY_INDEX | CX_QP_OPT_Q_KEY |
			CX_QP_OPT_PRI_PORT,
		},
	}, {
		.cur = IB_QPS_INIT, .next = IB_QPS_RTR,
		.opcode = CX_CMD_INIT2RTR_QP,
		.opt = {
			CX_OPT_ACCESS | CX_QP_OPT_ALT_PATH |
			CX_QP_OPT_PKEY_INDEX,
			CX_QP_OPT_RWE | CX_QP_OPT_ALT_PATH |
			CX_QP_OPT_PKEY_INDEX,
			CX_QP_OPT_PKEY_INDEX | CX_QP_OPT_Q_KEY,
		},
	}, {
		.cur = IB_QPS_RTR, .next = IB_QPS_RTS,
		.opcode = CX_CMD_RTR2RTS_QP,
		.opt = { CX_OPT_RC_LIVE, CX_OPT_UC_LIVE, CX_QP_OPT_Q_KEY },
	}, {
		.cur = IB_QPS_RTS, .next = IB_QPS_RTS,
		.opcode = CX_CMD_RTS2RTS_QP,
		.opt = { CX_OPT_RC_LIVE, CX_OPT_UC_LIVE, CX_QP_OPT_Q_KEY },
	}, {
		.cur = IB_QPS_SQE, .next = IB_QPS_RTS,
		.opcode = CX_CMD_SQERR2RTS_QP,
		.opt = {
			CX_OPT_ACCESS | CX_QP_OPT_RNR_TIMEOUT,
			CX_QP_OPT_RWE,
			CX_QP_OPT_Q_KEY,
		},
	}, {
		.cur = IB_QPS_SQD, .next = IB_QPS_RTS,
		.opcode = CX_CMD_SQD2RTS_QP,
		.opt = {
			CX_OPT_ACCESS | CX_QP_OPT_RNR_TIMEOUT,
			CX_QP_OPT_RWE,
			CX_QP_OPT_Q_KEY,
		},
	},
};

/* Bit of enum ib_qp_attr_mask -> optional fields */
static const struct {
	int attr;
	u32 opt;
} cx_qp_opts[] = {
	{ IB_QP_ACCESS_FLAGS, CX_OPT_ACCESS },
	{ IB_QP_PKEY_INDEX, CX_QP_OPT_PKEY_INDEX },
	{ IB_QP_PORT, CX_QP_OPT_PRI_PORT },
	{ IB_QP_QKEY, CX_QP_OPT_Q_KEY },
	{ IB_QP_AV, CX_QP_OPT_PRIMARY_PATH | CX_QP_OPT_PRI_PORT },
	{ IB_QP_TIMEOUT, CX_QP_OPT_ACK_TIMEOUT },
	{ IB_QP_RETRY_CNT, CX_QP_OPT_RETRY_COUNT },
	{ IB_QP_RNR_RETRY, CX_QP_OPT_RNR_RETRY },
	{ IB_QP_MAX_QP_RD_ATOMIC, CX_QP_OPT_SRA_MAX },
	{ IB_QP_ALT_PATH, CX_QP_OPT_ALT_PATH },
	{ IB_QP_MIN_RNR_TIMER, CX_QP_OPT_RNR_TIMEOUT },
	{ IB_QP_MAX_DEST_RD_ATOMIC, CX_QP_OPT_RRA_MAX | CX_OPT_ACCESS },
	{ IB_QP_PATH_MIG_STATE, CX_QP_OPT_PM_STATE },
};

static u32 cx_qp_opt_mask(int mask)
{
	u32 opt = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cx_qp_opts); i++)
		if (mask & cx_qp_opts[i].attr)
			opt |= cx_qp_opts[i].opt;
	return opt;
}

static int cx_qp_edge(u8 st, enum ib_qp_state cur, enum ib_qp_state next,
		      int mask, u16 *opcode, u32 *opt)
{
	size_t i;

	*opt = 0;
	if (next == IB_QPS_RESET || next == IB_QPS_ERR) {
		*opcode = next == IB_QPS_ERR ? CX_CMD_2ERR_QP : CX_CMD_2RST_QP;
		return 0;
	}
	for (i = 0; i < ARRAY_SIZE(cx_qp_edges); i++) {
		const struct cx_qp_edge *e = &cx_qp_edges[i];

		if (e->cur != cur || e->next != next)
			continue;
		*opcode = e->opcode;
		/* both ends of XRC have the fields of RC */
		*opt = e->opt[st == CX_QP_ST_XRC ? CX_QP_ST_RC : st] &
		       cx_qp_opt_mask(mask);
		return 0;
	}
	return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
			 "no command moves a queue pair from state %llu to %llu",
			 cur, next);
}

static int cx_qp_check_attr(const struct cx_dev *cx,
			    const struct ib_qp_attr *a, int mask)
{
	const struct cx_caps *caps = &cx->caps;

	if (mask & ~CX_MODIFY_BITS)
		return ib_refuse(IB_LAYER_DRIVER, -EOPNOTSUPP,
				 "attributes 0x%llx are not supported",
				 mask & ~CX_MODIFY_BITS, 0);
	if (mask & IB_QP_PORT &&
	    (!a->port_num || a->port_num > caps->num_ports))
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "port %llu of %llu", a->port_num,
				 caps->num_ports);
	if (mask & IB_QP_PKEY_INDEX && a->pkey_index >= caps->pkey_table_len)
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "P_Key index %llu, table has %llu",
				 a->pkey_index, caps->pkey_table_len);
	if (mask & IB_QP_MAX_QP_RD_ATOMIC &&
	    a->max_rd_atomic > BIT(caps->log_max_ra_res_qp))
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "%llu reads and atomics at once, at most %llu",
				 a->max_rd_atomic,
				 BIT(caps->log_max_ra_res_qp));
	if (mask & IB_QP_MAX_DEST_RD_ATOMIC &&
	    a->max_dest_rd_atomic > BIT(caps->log_max_ra_req_qp))
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "%llu reads and atomics of the peer, at most %llu",
				 a->max_dest_rd_atomic,
				 BIT(caps->log_max_ra_req_qp));
	if (mask & IB_QP_PATH_MTU &&
	    (a->path_mtu < IB_MTU_256 || a->path_mtu > IB_MTU_4096))
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "path MTU code %llu", a->path_mtu, 0);
	return 0;
}

static int cx_path_fill(const struct cx_dev *cx, const struct ib_ah_attr *ah,
			struct cx_path *p)
{
	int rate;

	if (ah->grh && ah->sgid_index >= cx->caps.gid_table_len)
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "source GID index %llu, table has %llu",
				 ah->sgid_index, cx->caps.gid_table_len);
	rate = cx_stat_rate(cx, ah->static_rate);
	if (rate < 0)
		return rate;
	p->stat_rate = rate;
	p->grh = ah->grh;
	p->rlid = ah->dlid;
	p->path_bits = ah->src_path_bits;
	p->sl = ah->sl & 0xf;	/* user space never knew of a limit */
	p->sgid_index = ah->sgid_index;
	p->hop_limit = ah->hop_limit;
	p->tclass = ah->traffic_class;
	p->flow_label = ah->flow_label;
	memcpy(p->rgid, ah->dgid.raw, sizeof(p->rgid));
	return 0;
}

/* Rights count only with a depth to serve them; both may come in any order. */
static int cx_qp_fill_access(const struct cx_dev *cx, const struct cx_qp *qp,
			     const struct ib_qp_attr *a, int mask,
			     struct cx_qp_context *c)
{
	int access = mask & IB_QP_ACCESS_FLAGS ? a->qp_access_flags :
						 qp->access;
	u8 depth = mask & IB_QP_MAX_DEST_RD_ATOMIC ? a->max_dest_rd_atomic :
						     qp->resp_depth;

	if (!depth)
		access &= IB_ACCESS_REMOTE_WRITE;
	c->rre = access & IB_ACCESS_REMOTE_READ;
	c->rwe = access & IB_ACCESS_REMOTE_WRITE;
	c->rae = access & IB_ACCESS_REMOTE_ATOMIC;
	if (!c->rae)
		return 0;
	if (!cx->caps.atomic_operations)
		return ib_refuse(IB_LAYER_DRIVER, -EOPNOTSUPP,
				 "the adapter has no atomics", 0, 0);
	c->atomic_mode = CX_ATOMIC_MODE_IB;
	return 0;
}

static u8 cx_pm_state(const struct ib_qp_attr *a, int mask)
{
	if (!(mask & IB_QP_PATH_MIG_STATE))
		return CX_QP_PM_MIGRATED;
	switch (a->path_mig_state) {
	case IB_MIG_REARM:
		return CX_QP_PM_REARM;
	case IB_MIG_ARMED:
		return CX_QP_PM_ARMED;
	default:
		return CX_QP_PM_MIGRATED;
	}
}

static void cx_qp_fill_fixed(const struct cx_qp *qp, struct cx_qp_context *c)
{
	const struct ib_qp *ibqp = &qp->base;

	c->st = qp->st;
	/* an XRC target was made with what stays as long as the device */
	c->pdn = ibqp->pd ? to_cx_pd(ibqp->pd)->pdn :
			    to_verbs(ibqp->obj.device)->xrc.pdn;
	if (ibqp->send_cq)
		c->send_cqn = to_cx_cq(ibqp->send_cq)->cqn;
	if (ibqp->recv_cq)
		c->recv_cqn = to_cx_cq(ibqp->recv_cq)->cqn;
	c->user_index = qp->user_index;
	c->log_ack_req_freq = CX_ACK_REQ_FREQ;
	c->uar = qp->uar.index;
	c->dbr = qp->udb.page ? qp->udb.dma : qp->db.dma;
}

static void cx_qp_fill_numbers(const struct cx_dev *cx, const struct cx_qp *qp,
			       const struct ib_qp_attr *a, int mask,
			       struct cx_qp_context *c)
{
	if (qp->st == CX_QP_ST_UD) {
		c->mtu = IB_MTU_4096;
		c->log_msg_max = CX_UD_LOG_MSG_MAX;
	} else if (mask & IB_QP_PATH_MTU) {
		c->mtu = a->path_mtu;
		c->log_msg_max = cx->caps.log_max_msg;
	}
	if (mask & IB_QP_DEST_QPN)
		c->remote_qpn = a->dest_qp_num;
	if (mask & IB_QP_QKEY)
		c->q_key = a->qkey;
	if (mask & IB_QP_SQ_PSN)
		c->next_send_psn = a->sq_psn;
	if (mask & IB_QP_RQ_PSN)
		c->next_rcv_psn = a->rq_psn;
	if (mask & IB_QP_RETRY_CNT)
		c->retry_count = a->retry_cnt;
	if (mask & IB_QP_RNR_RETRY)
		c->rnr_retry = a->rnr_retry;
	if (mask & IB_QP_MIN_RNR_TIMER)
		c->min_rnr_nak = a->min_rnr_timer;
	if (mask & IB_QP_MAX_QP_RD_ATOMIC && a->max_rd_atomic)
		c->log_sra_max = order_base_2(a->max_rd_atomic);
	if (mask & IB_QP_MAX_DEST_RD_ATOMIC && a->max_dest_rd_atomic)
		c->log_rra_max = order_base_2(a->max_dest_rd_atomic);
}

static int cx_qp_fill_paths(const struct cx_dev *cx, const struct cx_qp *qp,
			    const struct ib_qp_attr *a, int mask,
			    struct cx_qp_context *c)
{
	int ret;

	if (mask & IB_QP_AV) {
		ret = cx_path_fill(cx, &a->ah_attr, &c->path);
		if (ret)
			return ret;
		c->path.port = qp->base.port;
	}
	if (mask & IB_QP_PORT)
		c->path.port = a->port_num;
	if (mask & IB_QP_PKEY_INDEX)
		c->path.pkey_index = a->pkey_index;
	if (mask & IB_QP_TIMEOUT)
		c->path.ack_timeout = a->timeout;
	if (!(mask & IB_QP_ALT_PATH))
		return 0;
	ret = cx_path_fill(cx, &a->alt_ah_attr, &c->alt_path);
	if (ret)
		return ret;
	c->alt_path.port = a->alt_port_num;
	c->alt_path.pkey_index = a->alt_pkey_index;
	c->alt_path.ack_timeout = a->alt_timeout;
	return 0;
}

static int cx_qp_fill(const struct cx_dev *cx, const struct cx_qp *qp,
		      const struct ib_qp_attr *a, int mask,
		      struct cx_qp_context *c)
{
	int ret;

	cx_qp_fill_fixed(qp, c);
	c->pm_state = cx_pm_state(a, mask);
	cx_qp_fill_numbers(cx, qp, a, mask, c);
	ret = cx_qp_fill_paths(cx, qp, a, mask, c);
	if (ret || !(mask & (IB_QP_ACCESS_FLAGS | IB_QP_MAX_DEST_RD_ATOMIC)))
		return ret;
	return cx_qp_fill_access(cx, qp, a, mask, c);
}

static int cx_qp_modify_read(struct ib_udata *udata)
{
	struct mlx5_ib_modify_qp cmd = {};
	int ret;

	if (!udata->inlen)
		return 0;
	ret = ib_udata_read(udata, &cmd,
			    offsetofend(struct mlx5_ib_modify_qp, ece_options),
			    sizeof(cmd));
	if (ret)
		return ret;
	if (cmd.comp_mask || cmd.burst_info.reserved)
		return ib_refuse(IB_LAYER_DRIVER, -EOPNOTSUPP,
				 "unknown parts 0x%llx of a request",
				 cmd.comp_mask, 0);
	return 0;
}

static int cx_qp_modify_answer(struct ib_udata *udata)
{
	struct mlx5_ib_modify_qp_resp resp = {
		.response_length = sizeof(resp),
	};

	if (udata->outlen < sizeof(resp))
		return 0;
	return ib_udata_write(udata, &resp, sizeof(resp));
}

/**
 * cx_modify_qp - ib_device_ops.modify_qp
 * @ibqp: the queue pair; ibqp->lock is held
 * @attr: attributes
 * @mask: which of them count
 * @cur: state before
 * @next: state after
 * @udata: the call of user space, or NULL
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		 enum ib_qp_state cur, enum ib_qp_state next,
		 struct ib_udata *udata)
{
	struct cx_dev *cx = to_cx(ibqp->obj.device);
	struct cx_qp *qp = to_cx_qp(ibqp);
	struct cx_qp_context c = {};
	u16 opcode;
	u32 opt;
	int ret;

	if (udata) {
		ret = cx_qp_modify_read(udata);
		if (ret)
			return ret;
	}
	ret = cx_qp_check_attr(cx, attr, mask);
	if (ret)
		return ret;
	if (cur == IB_QPS_RESET && next == IB_QPS_RESET)
		return 0;
	ret = cx_qp_edge(qp->st, cur, next, mask, &opcode, &opt);
	if (ret)
		return ret;
	ret = cx_qp_fill(cx, qp, attr, mask, &c);
	if (ret)
		return ret;
	ret = cx_cmd_modify_qp(cx, opcode, ibqp->qp_num, opt, &c);
	if (ret)
		return ret;

	if (mask & IB_QP_ACCESS_FLAGS)
		qp->access = attr->qp_access_flags;
	if (mask & IB_QP_MAX_DEST_RD_ATOMIC)
		qp->resp_depth = attr->max_dest_rd_atomic;
	if (next == IB_QPS_RESET && !ibqp->obj.uobject && ibqp->send_cq)
		cx_qp_kernel_reset(qp);
	return udata ? cx_qp_modify_answer(udata) : 0;
}
