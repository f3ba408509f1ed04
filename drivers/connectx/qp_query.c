// SPDX-License-Identifier: GPL-2.0-only
/* Queue pairs: what the device says they are doing. */
#include <linux/kernel.h>

#include <ib/refuse.h>

#include <connectx/prm_qpc.h>

#include "cx.h"
#include "verbs.h"

#define CX_RATE_SHIFT	5

static const enum ib_qp_state cx_qp_states[] = {
	[CX_QP_RST] = IB_QPS_RESET,
	[CX_QP_INIT] = IB_QPS_INIT,
	[CX_QP_RTR] = IB_QPS_RTR,
	[CX_QP_RTS] = IB_QPS_RTS,
	[CX_QP_SQER] = IB_QPS_SQE,
	[CX_QP_SQD] = IB_QPS_SQD,
	[CX_QP_ERR] = IB_QPS_ERR,
	[CX_QP_SQ_DRAINING] = IB_QPS_SQD,
};

static enum ib_mig_state cx_mig_state(u8 pm_state)
{
	switch (pm_state) {
	case CX_QP_PM_ARMED:
		return IB_MIG_ARMED;
	case CX_QP_PM_REARM:
		return IB_MIG_REARM;
	default:
		return IB_MIG_MIGRATED;
	}
}

static void cx_path_read(const struct cx_path *p, struct ib_ah_attr *ah)
{
	ah->port_num = p->port;
	ah->dlid = p->rlid;
	ah->src_path_bits = p->path_bits;
	ah->sl = p->sl;
	ah->static_rate = p->stat_rate ? p->stat_rate - CX_RATE_SHIFT : 0;
	ah->grh = p->grh;
	if (!p->grh)
		return;
	ah->sgid_index = p->sgid_index;
	ah->hop_limit = p->hop_limit;
	ah->traffic_class = p->tclass;
	ah->flow_label = p->flow_label;
	memcpy(ah->dgid.raw, p->rgid, sizeof(ah->dgid.raw));
}

static void cx_qp_attr_read(const struct cx_qp_context *c,
			    struct ib_qp_attr *a)
{
	a->qp_state = cx_qp_states[c->state];
	a->cur_qp_state = a->qp_state;
	a->sq_draining = c->state == CX_QP_SQ_DRAINING;
	a->path_mtu = c->mtu;
	a->path_mig_state = cx_mig_state(c->pm_state);
	a->qkey = c->q_key;
	a->rq_psn = c->next_rcv_psn;
	a->sq_psn = c->next_send_psn;
	a->dest_qp_num = c->remote_qpn;
	a->qp_access_flags = (c->rre ? IB_ACCESS_REMOTE_READ : 0) |
			     (c->rwe ? IB_ACCESS_REMOTE_WRITE : 0) |
			     (c->rae ? IB_ACCESS_REMOTE_ATOMIC : 0);
	a->max_rd_atomic = BIT(c->log_sra_max);
	a->max_dest_rd_atomic = BIT(c->log_rra_max);
	a->min_rnr_timer = c->min_rnr_nak;
	a->retry_cnt = c->retry_count;
	a->rnr_retry = c->rnr_retry;
	a->pkey_index = c->path.pkey_index;
	a->port_num = c->path.port;
	a->timeout = c->path.ack_timeout;
	a->alt_timeout = c->alt_path.ack_timeout;
	if (c->st == CX_QP_ST_UD)
		return;
	cx_path_read(&c->path, &a->ah_attr);
	cx_path_read(&c->alt_path, &a->alt_ah_attr);
	a->alt_pkey_index = c->alt_path.pkey_index;
	a->alt_port_num = c->alt_path.port;
}

/**
 * cx_query_qp - ib_device_ops.query_qp
 * @ibqp: the queue pair
 * @attr: result
 * @mask: ignored: everything is read
 * @init: result: what it was made with
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		struct ib_qp_init_attr *init)
{
	struct cx_dev *cx = to_cx(ibqp->obj.device);
	struct cx_qp *qp = to_cx_qp(ibqp);
	struct cx_qp_context c;
	int ret;

	ret = cx_cmd_query_qp(cx, ibqp->qp_num, &c);
	if (ret)
		return ret;
	if (c.state >= ARRAY_SIZE(cx_qp_states))
		return ib_refuse(IB_LAYER_FIRMWARE, -EINVAL,
				 "firmware says that the state is %llu",
				 c.state, 0);
	c.st = qp->st;
	memset(attr, 0, sizeof(*attr));
	memset(init, 0, sizeof(*init));
	cx_qp_attr_read(&c, attr);
	attr->cap = qp->cap;
	init->cap = qp->cap;
	init->event_handler = ibqp->event_handler;
	init->context = ibqp->context;
	init->send_cq = ibqp->send_cq;
	init->recv_cq = ibqp->recv_cq;
	init->srq = ibqp->srq;
	init->qp_type = ibqp->qp_type;
	init->sq_sig_all = qp->signal_all;
	return 0;
}
