// SPDX-License-Identifier: GPL-2.0-only
/* The commands of write() and INVOKE_WRITE: good calls, as tables. */
#include <string.h>

#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>

#include "abi.h"
#include "abi_layout.h"
#include "abi_write_fields.h"

struct command {
	const char *object_name;
	const char *name;
	uint32_t number;
	bool extended;
	uint8_t flags;
	uint8_t makes;
	uint8_t spends;
	uint16_t out;
	uint16_t driver_out;
	struct abi_layout in;
	const struct abi_layout *driver_in;
	uint64_t step[3];	/* values of the first fields, if not their own */
};

#define CMD(obj, cmd, type, fields, ...) \
	{ .object_name = #obj, .name = #cmd, \
	  .number = IB_USER_VERBS_CMD_##cmd, \
	  .in = LAYOUT(type, fields), ##__VA_ARGS__ }
#define EX_CMD(obj, cmd, type, fields, ...) \
	{ .object_name = #obj, .name = "EX_" #cmd, .extended = true, \
	  .number = IB_USER_VERBS_EX_CMD_##cmd | \
		    IB_USER_VERBS_CMD_FLAG_EXTENDED, \
	  .in = LAYOUT(type, fields), ##__VA_ARGS__ }
#define RESP(type)	.out = sizeof(struct type)
#define UHW(in_layout, out_type) \
	.driver_in = &(in_layout), .driver_out = sizeof(struct out_type)

static const struct command commands[] = {
	CMD(DEVICE, GET_CONTEXT, ib_uverbs_get_context, alloc_pd,
	    RESP(ib_uverbs_get_context_resp), .flags = ABI_FRESH | ABI_RARE,
	    UHW(layout_context, mlx5_ib_alloc_ucontext_resp)),
	CMD(DEVICE, QUERY_DEVICE, ib_uverbs_query_device, alloc_pd,
	    RESP(ib_uverbs_query_device_resp)),
	CMD(DEVICE, QUERY_PORT, ib_uverbs_query_port, query_port,
	    RESP(ib_uverbs_query_port_resp)),
	CMD(PD, ALLOC_PD, ib_uverbs_alloc_pd, alloc_pd,
	    RESP(ib_uverbs_alloc_pd_resp), .makes = SLOT_PD,
	    .driver_out = sizeof(struct mlx5_ib_alloc_pd_resp)),
	CMD(PD, DEALLOC_PD, ib_uverbs_dealloc_pd, dealloc_pd,
	    .spends = SLOT_PD_SPARE),
	CMD(AH, CREATE_AH, ib_uverbs_create_ah, create_ah,
	    RESP(ib_uverbs_create_ah_resp), .makes = SLOT_AH_SPARE,
	    .driver_out = sizeof(struct mlx5_ib_create_ah_resp)),
	CMD(AH, DESTROY_AH, ib_uverbs_destroy_ah, destroy_ah,
	    .spends = SLOT_AH_SPARE),
	CMD(MR, REG_MR, ib_uverbs_reg_mr, reg_mr, RESP(ib_uverbs_reg_mr_resp),
	    .makes = SLOT_MR),
	CMD(MR, REREG_MR, ib_uverbs_rereg_mr, rereg_mr,
	    RESP(ib_uverbs_rereg_mr_resp), .spends = SLOT_MR_SPARE),
	CMD(MR, DEREG_MR, ib_uverbs_dereg_mr, dereg_mr,
	    .spends = SLOT_MR_SPARE),
	CMD(MW, ALLOC_MW, ib_uverbs_alloc_mw, alloc_mw,
	    RESP(ib_uverbs_alloc_mw_resp), .makes = SLOT_MW_SPARE),
	CMD(MW, DEALLOC_MW, ib_uverbs_dealloc_mw, dealloc_mw,
	    .spends = SLOT_MW_SPARE),
	CMD(COMP_CHANNEL, CREATE_COMP_CHANNEL, ib_uverbs_create_comp_channel,
	    create_comp_channel, RESP(ib_uverbs_create_comp_channel_resp),
	    .makes = SLOT_CHANNEL),
	CMD(CQ, CREATE_CQ, ib_uverbs_create_cq, create_cq,
	    RESP(ib_uverbs_create_cq_resp), .makes = SLOT_CQ,
	    UHW(layout_cq_driver, mlx5_ib_create_cq_resp)),
	CMD(CQ, RESIZE_CQ, ib_uverbs_resize_cq, resize_cq,
	    RESP(ib_uverbs_resize_cq_resp), .spends = SLOT_CQ_SPARE,
	    .driver_in = &resize_driver),
	CMD(CQ, DESTROY_CQ, ib_uverbs_destroy_cq, destroy_cq,
	    RESP(ib_uverbs_destroy_cq_resp), .spends = SLOT_CQ_SPARE),
	CMD(CQ, POLL_CQ, ib_uverbs_poll_cq, poll_cq,
	    RESP(ib_uverbs_poll_cq_resp)),
	CMD(CQ, REQ_NOTIFY_CQ, ib_uverbs_req_notify_cq, req_notify_cq),
	CMD(QP, CREATE_QP, ib_uverbs_create_qp, create_qp,
	    RESP(ib_uverbs_create_qp_resp), .makes = SLOT_QP,
	    UHW(layout_qp_driver, mlx5_ib_create_qp_resp)),
	CMD(QP, CREATE_QP, ib_uverbs_create_qp, create_qp_srq,
	    RESP(ib_uverbs_create_qp_resp), .makes = SLOT_QP,
	    UHW(layout_qp_driver, mlx5_ib_create_qp_resp)),
	CMD(QP, QUERY_QP, ib_uverbs_query_qp, query_qp,
	    RESP(ib_uverbs_query_qp_resp)),
	CMD(QP, MODIFY_QP, ib_uverbs_modify_qp, modify_qp,
	    .spends = SLOT_QP_SPARE),
	CMD(QP, MODIFY_QP, ib_uverbs_modify_qp, modify_qp,
	    .spends = SLOT_QP_INIT,
	    .step = { SLOT_QP_INIT, TO_RTR, 2 }),
	CMD(QP, MODIFY_QP, ib_uverbs_modify_qp, modify_qp,
	    .spends = SLOT_QP_RTR,
	    .step = { SLOT_QP_RTR, TO_RTS, 3 }),
	CMD(QP, DESTROY_QP, ib_uverbs_destroy_qp, destroy_qp,
	    RESP(ib_uverbs_destroy_qp_resp), .spends = SLOT_QP_SPARE),
	CMD(QP, POST_SEND, ib_uverbs_post_send, post_send,
	    RESP(ib_uverbs_post_send_resp)),
	CMD(QP, POST_RECV, ib_uverbs_post_recv, post_recv,
	    RESP(ib_uverbs_post_recv_resp)),
	CMD(QP, ATTACH_MCAST, ib_uverbs_attach_mcast, attach_mcast),
	CMD(QP, DETACH_MCAST, ib_uverbs_detach_mcast, attach_mcast),
	CMD(SRQ, CREATE_SRQ, ib_uverbs_create_srq, create_srq,
	    RESP(ib_uverbs_create_srq_resp), .makes = SLOT_SRQ,
	    UHW(layout_srq_driver, mlx5_ib_create_srq_resp)),
	CMD(SRQ, MODIFY_SRQ, ib_uverbs_modify_srq, modify_srq,
	    .spends = SLOT_SRQ),
	CMD(SRQ, QUERY_SRQ, ib_uverbs_query_srq, query_srq,
	    RESP(ib_uverbs_query_srq_resp)),
	CMD(SRQ, DESTROY_SRQ, ib_uverbs_destroy_srq, destroy_srq,
	    RESP(ib_uverbs_destroy_srq_resp), .spends = SLOT_SRQ_SPARE),
	CMD(SRQ, POST_SRQ_RECV, ib_uverbs_post_srq_recv, post_srq_recv,
	    RESP(ib_uverbs_post_srq_recv_resp)),
	CMD(XRCD, OPEN_XRCD, ib_uverbs_open_xrcd, open_xrcd,
	    RESP(ib_uverbs_open_xrcd_resp), .makes = SLOT_XRCD),
	CMD(XRCD, CLOSE_XRCD, ib_uverbs_close_xrcd, close_xrcd,
	    .spends = SLOT_XRCD_SPARE),
	CMD(SRQ, CREATE_XSRQ, ib_uverbs_create_xsrq, create_xsrq,
	    RESP(ib_uverbs_create_srq_resp), .makes = SLOT_SRQ,
	    UHW(layout_srq_driver, mlx5_ib_create_srq_resp)),
	CMD(SRQ, CREATE_XSRQ, ib_uverbs_create_xsrq, create_xsrq_xrc,
	    RESP(ib_uverbs_create_srq_resp), .makes = SLOT_SRQ,
	    UHW(layout_srq_driver, mlx5_ib_create_srq_resp)),
	CMD(XRCD, OPEN_QP, ib_uverbs_open_qp, open_qp,
	    RESP(ib_uverbs_create_qp_resp), .makes = SLOT_QP),
	EX_CMD(DEVICE, QUERY_DEVICE, ib_uverbs_ex_query_device,
	       ex_query_device, RESP(ib_uverbs_ex_query_device_resp)),
	EX_CMD(CQ, CREATE_CQ, ib_uverbs_ex_create_cq, ex_create_cq,
	       RESP(ib_uverbs_ex_create_cq_resp), .makes = SLOT_CQ,
	       UHW(layout_cq_driver, mlx5_ib_create_cq_resp)),
	EX_CMD(QP, CREATE_QP, ib_uverbs_ex_create_qp, ex_create_qp,
	       RESP(ib_uverbs_ex_create_qp_resp), .makes = SLOT_QP,
	       UHW(layout_qp_driver, mlx5_ib_create_qp_resp)),
	EX_CMD(QP, MODIFY_QP, ib_uverbs_ex_modify_qp, ex_modify_qp,
	       RESP(ib_uverbs_ex_modify_qp_resp), .spends = SLOT_QP_SPARE),
	EX_CMD(FLOW, CREATE_FLOW, ib_uverbs_create_flow, create_flow,
	       RESP(ib_uverbs_create_flow_resp), .flags = ABI_RARE),
	EX_CMD(FLOW, DESTROY_FLOW, ib_uverbs_destroy_flow, destroy_flow,
	       .flags = ABI_RARE),
	EX_CMD(WQ, CREATE_WQ, ib_uverbs_ex_create_wq, create_wq,
	       RESP(ib_uverbs_ex_create_wq_resp), .flags = ABI_RARE),
	EX_CMD(WQ, MODIFY_WQ, ib_uverbs_ex_modify_wq, modify_wq,
	       .flags = ABI_RARE),
	EX_CMD(WQ, DESTROY_WQ, ib_uverbs_ex_destroy_wq, destroy_wq,
	       RESP(ib_uverbs_ex_destroy_wq_resp), .flags = ABI_RARE),
	EX_CMD(RWQ_IND_TBL, CREATE_RWQ_IND_TBL,
	       ib_uverbs_ex_create_rwq_ind_table, create_ind_table,
	       RESP(ib_uverbs_ex_create_rwq_ind_table_resp),
	       .flags = ABI_RARE),
	EX_CMD(RWQ_IND_TBL, DESTROY_RWQ_IND_TBL,
	       ib_uverbs_ex_destroy_rwq_ind_table, destroy_ind_table,
	       .flags = ABI_RARE),
	EX_CMD(CQ, MODIFY_CQ, ib_uverbs_ex_modify_cq, modify_cq),
};

/* The layout of a step: a copy with other values. */
static const struct abi_layout *take_step(const struct command *c)
{
	static struct abi_layout layouts[4];
	static struct abi_field fields[4][LENGTH(modify_qp)];
	static unsigned int used;
	struct abi_layout *layout = &layouts[used];
	unsigned int i;

	if (!c->step[0])
		return &c->in;
	memcpy(fields[used], c->in.fields, sizeof(fields[used]));
	for (i = 0; i < LENGTH(c->step); i++)
		fields[used][i].value = c->step[i];
	*layout = c->in;
	layout->fields = fields[used++];
	return layout;
}

/* Attributes of INVOKE_WRITE for a command; the number is the first. */
static unsigned int fill_attrs(struct abi_attr *attrs, const struct command *c)
{
	unsigned int n = 0;

	attrs[n++] = (struct abi_attr){ "WRITE_CMD", UVERBS_ATTR_WRITE_CMD,
		ABI_NUMBER, 8, c->number };
	attrs[n++] = (struct abi_attr){ "CORE_IN", UVERBS_ATTR_CORE_IN, ABI_IN,
		0, 0, take_step(c) };
	if (c->out)
		attrs[n++] = (struct abi_attr){ "CORE_OUT",
			UVERBS_ATTR_CORE_OUT, ABI_OUT, c->out };
	if (c->driver_in)
		attrs[n++] = (struct abi_attr){ "UHW_IN", UVERBS_ATTR_UHW_IN,
			ABI_IN, 0, 0, c->driver_in };
	if (c->driver_out)
		attrs[n++] = (struct abi_attr){ "UHW_OUT", UVERBS_ATTR_UHW_OUT,
			ABI_OUT, c->driver_out };
	return n;
}

/* The commands as methods; made once. */
const struct abi_method *abi_writes(unsigned int *count)
{
	static struct abi_method methods[LENGTH(commands)];
	static struct abi_attr attrs[LENGTH(commands)][5];
	unsigned int i;

	for (i = 0; i < LENGTH(commands) && !methods[i].name; i++) {
		const struct command *c = &commands[i];

		methods[i] = (struct abi_method){
			.object_name = c->object_name,
			.name = c->name,
			.object = UVERBS_OBJECT_DEVICE,
			.method = UVERBS_METHOD_INVOKE_WRITE,
			.is_write = true,
			.extended = c->extended,
			.flags = c->flags,
			.makes = c->makes,
			.spends = c->spends,
			.command = c->number,
			.attrs = attrs[i],
			.num = fill_attrs(attrs[i], c),
		};
	}
	*count = LENGTH(commands);
	return methods;
}
