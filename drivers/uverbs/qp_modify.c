// SPDX-License-Identifier: GPL-2.0-only
/* Queue pairs in the user ABI: modify and query, which only write() has. */
#include <linux/slab.h>
#include <linux/string.h>
#include <ib/qp.h>
#include "bundle.h"
#include "uverbs_priv.h"
#include "write.h"

static int check_path(const struct uverbs_bundle *b, const struct ib_qp *qp,
		      struct ib_uverbs_modify_qp *cmd)
{
	u32 both = IB_QP_AV | IB_QP_PORT;

	if (!uverbs_port_valid(b, cmd->dest.port_num))
		return uverbs_refuse(-EINVAL, "no such port in the path");

	if (cmd->attr_mask & IB_QP_STATE && cmd->qp_state == IB_QPS_RTR) {
		if (cmd->dest.port_num != qp->port)
			return ib_refuse(IB_LAYER_UVERBS, -EINVAL,
					 "path from port %llu, QP is on %llu",
					 cmd->dest.port_num, qp->port);
		return 0;
	}

	/* A drained QP that gets another path moves to that path's port. */
	if ((cmd->attr_mask & both) == IB_QP_AV) {
		cmd->attr_mask |= IB_QP_PORT;
		cmd->port_num = cmd->dest.port_num;
	} else if (cmd->port_num != cmd->dest.port_num) {
		return ib_refuse(IB_LAYER_UVERBS, -EINVAL,
				 "path from port %llu, QP moves to %llu",
				 cmd->dest.port_num, cmd->port_num);
	}
	return 0;
}

static int check_modify(const struct uverbs_bundle *b, const struct ib_qp *qp,
			struct ib_uverbs_modify_qp *cmd)
{
	u32 mask = cmd->attr_mask;
	int ret;

	if (mask & IB_QP_PORT && !uverbs_port_valid(b, cmd->port_num))
		return uverbs_refuse(-EINVAL, "no such port");
	if (mask & IB_QP_AV) {
		ret = check_path(b, qp, cmd);
		if (ret)
			return ret;
	}
	if (mask & IB_QP_ALT_PATH &&
	    (!uverbs_port_valid(b, cmd->alt_port_num) ||
	     cmd->alt_port_num != cmd->alt_dest.port_num))
		return uverbs_refuse(-EINVAL, "no such port in the alternate path");
	if ((mask & IB_QP_CUR_STATE && cmd->cur_qp_state > IB_QPS_ERR) ||
	    (mask & IB_QP_STATE && cmd->qp_state > IB_QPS_ERR))
		return uverbs_refuse(-EINVAL, "no such QP state");
	if (mask & IB_QP_QKEY && !ib_may_use_qkey(b->device, cmd->qkey))
		return uverbs_refuse(-EPERM, "this Q_Key needs CAP_NET_RAW");
	return 0;
}

static void decode_path(struct ib_ah_attr *attr,
			const struct ib_uverbs_qp_dest *dest)
{
	attr->dlid = dest->dlid;
	attr->sl = dest->sl;
	attr->src_path_bits = dest->src_path_bits;
	attr->static_rate = dest->static_rate;
	attr->port_num = dest->port_num;
	attr->grh = dest->is_global;
	if (!attr->grh)
		return;
	memcpy(attr->dgid.raw, dest->dgid, sizeof(attr->dgid.raw));
	attr->flow_label = dest->flow_label;
	attr->sgid_index = dest->sgid_index;
	attr->hop_limit = dest->hop_limit;
	attr->traffic_class = dest->traffic_class;
}

/* Fields whose bit is not in the mask are not looked at by anybody. */
static void decode_attr(struct ib_qp_attr *attr,
			const struct ib_uverbs_ex_modify_qp *ex)
{
	const struct ib_uverbs_modify_qp *cmd = &ex->base;

	attr->qp_state = cmd->qp_state;
	attr->cur_qp_state = cmd->cur_qp_state;
	attr->en_sqd_async_notify = cmd->en_sqd_async_notify;
	attr->qp_access_flags = cmd->qp_access_flags;
	attr->pkey_index = cmd->pkey_index;
	attr->port_num = cmd->port_num;
	attr->qkey = cmd->qkey;
	attr->path_mtu = cmd->path_mtu;
	attr->timeout = cmd->timeout;
	attr->retry_cnt = cmd->retry_cnt;
	attr->rnr_retry = cmd->rnr_retry;
	attr->rq_psn = cmd->rq_psn;
	attr->max_rd_atomic = cmd->max_rd_atomic;
	attr->alt_pkey_index = cmd->alt_pkey_index;
	attr->alt_port_num = cmd->alt_port_num;
	attr->alt_timeout = cmd->alt_timeout;
	attr->min_rnr_timer = cmd->min_rnr_timer;
	attr->sq_psn = cmd->sq_psn;
	attr->max_dest_rd_atomic = cmd->max_dest_rd_atomic;
	attr->path_mig_state = cmd->path_mig_state;
	attr->dest_qp_num = cmd->dest_qp_num;
	attr->rate_limit = ex->rate_limit;
	decode_path(&attr->ah_attr, &cmd->dest);
	decode_path(&attr->alt_ah_attr, &cmd->alt_dest);
}

/* One end of XRC does not have the attributes of the other. */
static u32 qp_mask(enum ib_qp_type type, u32 mask)
{
	if (type == IB_QPT_XRC_INI)
		mask &= ~(IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER);
	else if (type == IB_QPT_XRC_TGT)
		mask &= ~(IB_QP_MAX_QP_RD_ATOMIC | IB_QP_RETRY_CNT |
			  IB_QP_RNR_RETRY);
	return mask;
}

static int modify_qp(struct uverbs_bundle *b,
		     struct ib_uverbs_ex_modify_qp *cmd)
{
	struct ib_qp_attr *attr;
	struct ib_qp *qp;
	int ret;

	qp = uverbs_get_object(b, UVERBS_OBJECT_QP, cmd->base.qp_handle);
	if (IS_ERR(qp))
		return PTR_ERR(qp);
	ret = check_modify(b, qp, &cmd->base);
	if (ret)
		return ret;

	attr = kzalloc(sizeof(*attr), GFP_KERNEL);
	if (!attr)
		return uverbs_refuse(-ENOMEM, "no memory");
	decode_attr(attr, cmd);
	ret = ib_modify_qp(qp, attr, qp_mask(qp->qp_type, cmd->base.attr_mask),
			   uverbs_udata(b));
	kfree(attr);
	return ret;
}

static int check_mask(u32 mask, u32 known)
{
	if (mask & ~known)
		return ib_refuse(IB_LAYER_UVERBS, -EOPNOTSUPP,
				 "attribute mask 0x%llx, known are 0x%llx",
				 mask, known);
	return 0;
}

int uverbs_write_modify_qp(struct uverbs_bundle *b)
{
	struct ib_uverbs_ex_modify_qp cmd = {};
	int ret;

	ret = uverbs_request(b, &cmd.base, sizeof(cmd.base));
	if (!ret)
		ret = check_mask(cmd.base.attr_mask, IB_QP_ATTR_STANDARD_BITS);
	return ret ?: modify_qp(b, &cmd);
}

int uverbs_write_ex_modify_qp(struct uverbs_bundle *b)
{
	struct ib_uverbs_ex_modify_qp_resp resp = {
		.response_length = uverbs_resp_len(b, sizeof(resp)),
	};
	struct ib_uverbs_ex_modify_qp cmd;
	int ret;

	ret = uverbs_request(b, &cmd, sizeof(cmd));
	if (!ret)
		ret = check_mask(cmd.base.attr_mask, IB_QP_RATE_LIMIT |
				 IB_QP_ATTR_STANDARD_BITS);
	if (!ret)
		ret = modify_qp(b, &cmd);
	return ret ?: uverbs_respond(b, &resp, sizeof(resp));
}

static void encode_path(struct ib_uverbs_qp_dest *dest,
			const struct ib_ah_attr *attr)
{
	dest->dlid = attr->dlid;
	dest->sl = attr->sl;
	dest->src_path_bits = attr->src_path_bits;
	dest->static_rate = attr->static_rate;
	dest->port_num = attr->port_num;
	dest->is_global = attr->grh;
	if (!attr->grh)
		return;
	memcpy(dest->dgid, attr->dgid.raw, sizeof(dest->dgid));
	dest->flow_label = attr->flow_label;
	dest->sgid_index = attr->sgid_index;
	dest->hop_limit = attr->hop_limit;
	dest->traffic_class = attr->traffic_class;
}

static void encode_attr(struct ib_uverbs_query_qp_resp *resp,
			const struct ib_qp_attr *attr,
			const struct ib_qp_init_attr *init)
{
	encode_path(&resp->dest, &attr->ah_attr);
	encode_path(&resp->alt_dest, &attr->alt_ah_attr);
	resp->max_send_wr = init->cap.max_send_wr;
	resp->max_recv_wr = init->cap.max_recv_wr;
	resp->max_send_sge = init->cap.max_send_sge;
	resp->max_recv_sge = init->cap.max_recv_sge;
	resp->max_inline_data = init->cap.max_inline_data;
	resp->sq_sig_all = init->sq_sig_all;
	resp->qkey = attr->qkey;
	resp->rq_psn = attr->rq_psn;
	resp->sq_psn = attr->sq_psn;
	resp->dest_qp_num = attr->dest_qp_num;
	resp->qp_access_flags = attr->qp_access_flags;
	resp->pkey_index = attr->pkey_index;
	resp->alt_pkey_index = attr->alt_pkey_index;
	resp->qp_state = attr->qp_state;
	resp->cur_qp_state = attr->cur_qp_state;
	resp->path_mtu = attr->path_mtu;
	resp->path_mig_state = attr->path_mig_state;
	resp->sq_draining = attr->sq_draining;
	resp->max_rd_atomic = attr->max_rd_atomic;
	resp->max_dest_rd_atomic = attr->max_dest_rd_atomic;
	resp->min_rnr_timer = attr->min_rnr_timer;
	resp->port_num = attr->port_num;
	resp->timeout = attr->timeout;
	resp->retry_cnt = attr->retry_cnt;
	resp->rnr_retry = attr->rnr_retry;
	resp->alt_port_num = attr->alt_port_num;
	resp->alt_timeout = attr->alt_timeout;
}

int uverbs_write_query_qp(struct uverbs_bundle *b)
{
	struct ib_uverbs_query_qp_resp resp = {};
	struct ib_qp_init_attr init = {};
	struct ib_uverbs_query_qp cmd;
	struct ib_qp_attr *attr;
	struct ib_qp *qp;
	int ret;

	ret = uverbs_request(b, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	qp = uverbs_get_object(b, UVERBS_OBJECT_QP, cmd.qp_handle);
	if (IS_ERR(qp))
		return PTR_ERR(qp);
	attr = kzalloc(sizeof(*attr), GFP_KERNEL);
	if (!attr)
		return uverbs_refuse(-ENOMEM, "no memory");

	ret = ib_query_qp(qp, attr, cmd.attr_mask, &init);
	if (!ret)
		encode_attr(&resp, attr, &init);
	kfree(attr);
	return ret ?: uverbs_respond(b, &resp, sizeof(resp));
}
