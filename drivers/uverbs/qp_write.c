// SPDX-License-Identifier: GPL-2.0-only
/* Queue pairs in the user ABI: write commands that make and destroy. */
#include <ib/qp.h>
#include <ib/srq.h>
#include "bundle.h"
#include "event_fd.h"
#include "obj_qp.h"
#include "obj_xrcd.h"
#include "uverbs_priv.h"
#include "write.h"

/* Bits that only this ABI lets through to the driver, beside the native's */
#define QP_CREATE_WRITE_FLAGS \
	(IB_UVERBS_QP_CREATE_BLOCK_MULTICAST_LOOPBACK | \
	 IB_UVERBS_QP_CREATE_SCATTER_FCS | \
	 IB_UVERBS_QP_CREATE_CVLAN_STRIPPING | \
	 IB_UVERBS_QP_CREATE_PCI_WRITE_END_PADDING | \
	 QP_CREATE_CROSS_CHANNEL | QP_CREATE_SOURCE_QPN)
#define QP_CREATE_CROSS_CHANNEL		GENMASK(4, 2)
#define QP_CREATE_SOURCE_QPN		BIT(10)

static int get_receive_side(struct uverbs_bundle *b,
			    const struct ib_uverbs_ex_create_qp *cmd,
			    struct ib_qp_init_attr *attr)
{
	if (cmd->is_srq) {
		attr->srq = uverbs_get_object(b, UVERBS_OBJECT_SRQ,
					      cmd->srq_handle);
		if (IS_ERR(attr->srq))
			return PTR_ERR(attr->srq);
		if (attr->srq->type == IB_UVERBS_SRQT_XRC)
			return uverbs_refuse(-EINVAL,
					     "XRC receive queues belong to XRC targets");
	}
	if (attr->rwq_ind_tbl)
		return 0;
	if (cmd->recv_cq_handle != cmd->send_cq_handle) {
		attr->recv_cq = uverbs_get_object(b, UVERBS_OBJECT_CQ,
						  cmd->recv_cq_handle);
		if (IS_ERR(attr->recv_cq))
			return PTR_ERR(attr->recv_cq);
	}
	return 0;
}

/* What comes in may go to work queues instead of one of its own. */
static int get_table(struct uverbs_bundle *b,
		     const struct ib_uverbs_ex_create_qp *cmd,
		     struct ib_qp_init_attr *attr)
{
	if (!(cmd->comp_mask & IB_UVERBS_CREATE_QP_MASK_IND_TABLE))
		return 0;
	attr->rwq_ind_tbl = uverbs_get_object(b, UVERBS_OBJECT_RWQ_IND_TBL,
					      cmd->rwq_ind_tbl_handle);
	if (IS_ERR(attr->rwq_ind_tbl))
		return PTR_ERR(attr->rwq_ind_tbl);
	if (cmd->max_recv_wr || cmd->max_recv_sge || cmd->is_srq)
		return uverbs_refuse(-EINVAL,
				     "receives of its own beside an indirection table");
	return 0;
}

/* An XRC target has a domain where others have a PD, and nothing else. */
static int get_target(struct uverbs_bundle *b, struct ib_uobject *uobj,
		      u32 handle, struct ib_qp_init_attr *attr)
{
	struct ib_uobject *xrcd = uverbs_get_xrcd(b, handle);

	if (IS_ERR(xrcd))
		return PTR_ERR(xrcd);
	attr->xrcd = xrcd->object;
	attr->opener = uverbs_qp_opener(uobj, xrcd);
	return 0;
}

static int get_handles(struct uverbs_bundle *b, struct ib_uobject *uobj,
		       const struct ib_uverbs_ex_create_qp *cmd,
		       struct ib_pd **pd, struct ib_qp_init_attr *attr)
{
	int ret;

	*pd = NULL;
	ret = get_table(b, cmd, attr);
	if (ret)
		return ret;
	if (cmd->qp_type == IB_UVERBS_QPT_XRC_TGT)
		return get_target(b, uobj, cmd->pd_handle, attr);
	if (cmd->qp_type != IB_UVERBS_QPT_XRC_INI) {
		ret = get_receive_side(b, cmd, attr);
		if (ret)
			return ret;
	}
	/* With a table it may also not send. */
	if (!attr->rwq_ind_tbl || cmd->max_send_wr) {
		attr->send_cq = uverbs_get_object(b, UVERBS_OBJECT_CQ,
						  cmd->send_cq_handle);
		if (IS_ERR(attr->send_cq))
			return PTR_ERR(attr->send_cq);
	}
	if (!attr->recv_cq && !attr->rwq_ind_tbl &&
	    cmd->qp_type != IB_UVERBS_QPT_XRC_INI)
		attr->recv_cq = attr->send_cq;
	*pd = uverbs_get_object(b, UVERBS_OBJECT_PD, cmd->pd_handle);
	return PTR_ERR_OR_ZERO(*pd);
}

static void decode_attr(const struct ib_uverbs_ex_create_qp *cmd,
			struct ib_qp_init_attr *attr)
{
	bool receives = cmd->qp_type != IB_UVERBS_QPT_XRC_INI;

	attr->qp_type = cmd->qp_type;
	attr->sq_sig_all = cmd->sq_sig_all;
	attr->create_flags = cmd->create_flags;
	attr->cap.max_send_wr = cmd->max_send_wr;
	attr->cap.max_recv_wr = receives ? cmd->max_recv_wr : 0;
	attr->cap.max_send_sge = cmd->max_send_sge;
	attr->cap.max_recv_sge = receives ? cmd->max_recv_sge : 0;
	attr->cap.max_inline_data = cmd->max_inline_data;
}

static int check_flags(const struct uverbs_bundle *b, u32 flags)
{
	if (flags & ~QP_CREATE_WRITE_FLAGS)
		return ib_refuse(IB_LAYER_UVERBS, -EINVAL,
				 "flags 0x%llx, known are 0x%llx", flags,
				 QP_CREATE_WRITE_FLAGS);
	if (flags & QP_CREATE_SOURCE_QPN && !ib_may_send_raw(b->device))
		return uverbs_refuse(-EPERM,
				     "source QP number needs CAP_NET_RAW");
	return 0;
}

static int create_qp(struct uverbs_bundle *b,
		     const struct ib_uverbs_ex_create_qp *cmd)
{
	struct ib_uverbs_ex_create_qp_resp resp = {};
	struct ib_qp_init_attr attr = {};
	struct ib_uobject *uobj;
	struct ib_pd *pd;
	struct ib_qp *qp;
	int ret;

	ret = uverbs_check_qp_type(b, cmd->qp_type);
	if (ret)
		return ret;
	uobj = uverbs_new(b, UVERBS_OBJECT_QP);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	ret = get_handles(b, uobj, cmd, &pd, &attr);
	if (!ret)
		ret = check_flags(b, cmd->create_flags);
	if (ret)
		return ret;
	decode_attr(cmd, &attr);
	ret = uverbs_make_qp(b, uobj, pd, &attr, cmd->user_handle, NULL);
	if (ret)
		return ret;

	qp = uobj->object;
	resp.base.qp_handle = uobj->id;
	resp.base.qpn = qp->qp_num;
	resp.base.max_send_wr = attr.cap.max_send_wr;
	resp.base.max_recv_wr = attr.cap.max_recv_wr;
	resp.base.max_send_sge = attr.cap.max_send_sge;
	resp.base.max_recv_sge = attr.cap.max_recv_sge;
	resp.base.max_inline_data = attr.cap.max_inline_data;
	resp.response_length = uverbs_resp_len(b, sizeof(resp));
	return uverbs_respond(b, &resp, sizeof(resp));
}

int uverbs_write_create_qp(struct uverbs_bundle *b)
{
	struct ib_uverbs_ex_create_qp ex = {};
	struct ib_uverbs_create_qp cmd;
	int ret;

	ret = uverbs_request(b, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	ex.user_handle = cmd.user_handle;
	ex.pd_handle = cmd.pd_handle;
	ex.send_cq_handle = cmd.send_cq_handle;
	ex.recv_cq_handle = cmd.recv_cq_handle;
	ex.srq_handle = cmd.srq_handle;
	ex.max_send_wr = cmd.max_send_wr;
	ex.max_recv_wr = cmd.max_recv_wr;
	ex.max_send_sge = cmd.max_send_sge;
	ex.max_recv_sge = cmd.max_recv_sge;
	ex.max_inline_data = cmd.max_inline_data;
	ex.sq_sig_all = cmd.sq_sig_all;
	ex.qp_type = cmd.qp_type;
	ex.is_srq = cmd.is_srq;
	return create_qp(b, &ex);
}

int uverbs_write_ex_create_qp(struct uverbs_bundle *b)
{
	struct ib_uverbs_ex_create_qp cmd;
	int ret;

	ret = uverbs_request(b, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	if (cmd.comp_mask & ~IB_UVERBS_CREATE_QP_SUP_COMP_MASK || cmd.reserved)
		return uverbs_refuse(-EINVAL, "reserved field is set");
	return create_qp(b, &cmd);
}

int uverbs_write_open_qp(struct uverbs_bundle *b)
{
	struct ib_uverbs_create_qp_resp resp = {};
	struct ib_uobject *uobj, *xrcd;
	struct ib_uverbs_open_qp cmd;
	struct uverbs_qp *uqp;
	struct ib_qp *qp;
	int ret;

	ret = uverbs_request(b, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	uobj = uverbs_new(b, UVERBS_OBJECT_QP);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	xrcd = uverbs_get_xrcd(b, cmd.pd_handle);
	if (IS_ERR(xrcd))
		return PTR_ERR(xrcd);

	uqp = to_uverbs_qp(uobj);
	uverbs_qp_init(b, uqp, cmd.user_handle, NULL);
	qp = ib_open_qp(xrcd->object, cmd.qp_type, cmd.qpn,
			uverbs_qp_opener(uobj, xrcd));
	if (IS_ERR(qp)) {
		uverbs_event_uobj_drop(&uqp->ev);
		return PTR_ERR(qp);
	}
	uverbs_qp_opened(uobj, qp);

	resp.qp_handle = uobj->id;
	resp.qpn = qp->qp_num;
	return uverbs_respond(b, &resp, sizeof(resp));
}

int uverbs_write_destroy_qp(struct uverbs_bundle *b)
{
	struct ib_uverbs_destroy_qp_resp resp = {};
	struct ib_uverbs_destroy_qp cmd;
	struct ib_uobject *uobj;
	int ret;

	ret = uverbs_request(b, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	uobj = uverbs_destroy_handle(b, UVERBS_OBJECT_QP, cmd.qp_handle);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	resp.events_reported = to_uverbs_qp(uobj)->ev.reported;
	return uverbs_respond(b, &resp, sizeof(resp));
}
