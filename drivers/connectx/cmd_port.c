// SPDX-License-Identifier: GPL-2.0-only
/* Commands of the InfiniBand port: its context, its tables, its link. */
#include <linux/string.h>

#include <connectx/prm_cmd.h>
#include <connectx/prm_port.h>

#include "cmd.h"
#include "cmd_wire.h"
#include "cmdq.h"
#include "cx.h"

#define CX_GID_BYTES	16

static void cx_vport_read(struct cx_hca_vport_context *v,
			  struct cx_port_context *c)
{
	c->state = cx_hca_vport_context_get_vport_state(v);
	c->phys_state = cx_hca_vport_context_get_port_physical_state(v);
	c->lid = cx_hca_vport_context_get_lid(v);
	c->lmc = cx_hca_vport_context_get_lmc(v);
	c->sm_lid = cx_hca_vport_context_get_sm_lid(v);
	c->sm_sl = cx_hca_vport_context_get_sm_sl(v);
	c->subnet_timeout = cx_hca_vport_context_get_subnet_timeout(v);
	c->init_type_reply = cx_hca_vport_context_get_init_type_reply(v);
	c->grh_required = cx_hca_vport_context_get_grh_required(v);
	c->cap_mask1 = cx_hca_vport_context_get_cap_mask1(v);
	c->cap_mask2 = cx_hca_vport_context_get_cap_mask2(v);
	c->qkey_violations =
		cx_hca_vport_context_get_qkey_violation_counter(v);
	c->pkey_violations =
		cx_hca_vport_context_get_pkey_violation_counter(v);
	c->system_guid = cx_hca_vport_context_get_system_image_guid(v);
	c->port_guid = cx_hca_vport_context_get_port_guid(v);
	c->node_guid = cx_hca_vport_context_get_node_guid(v);
}

/* The only port of a single-port function is not named. */
static u8 cx_port_name(const struct cx_dev *cx, u8 port)
{
	return cx->caps.num_ports > 1 ? port : 0;
}

/**
 * cx_cmd_query_port - read the context of a port
 * @cx: the device
 * @port: from 1
 * @c: result
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_cmd_query_port(struct cx_dev *cx, u8 port, struct cx_port_context *c)
{
	struct cx_query_vport_out out = {};
	struct cx_query_vport_in in = {};
	int ret;

	cx_cmd_set_op(&in, CX_CMD_QUERY_HCA_VPORT_CONTEXT);
	cx_query_vport_in_set_port_num(&in, cx_port_name(cx, port));
	ret = cx_cmd_exec(cx, &in, sizeof(in), &out, sizeof(out));
	if (!ret)
		cx_vport_read(cx_query_vport_out_hca_vport_context(&out), c);
	return ret;
}

/**
 * cx_cmd_modify_port_caps - set or clear capability bits of a port
 * @cx: the device
 * @port: from 1
 * @caps: new values
 * @mask: which bits
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_cmd_modify_port_caps(struct cx_dev *cx, u8 port, u32 caps, u32 mask)
{
	struct cx_modify_vport_in in = {};
	struct cx_cmd_out out = {};
	struct cx_hca_vport_context *v;

	cx_cmd_set_op(&in, CX_CMD_MODIFY_HCA_VPORT_CONTEXT);
	cx_modify_vport_in_set_port_num(&in, cx_port_name(cx, port));
	v = cx_modify_vport_in_hca_vport_context(&in);
	cx_hca_vport_context_set_field_select(v, CX_VPORT_SEL_CAP_MASK1);
	cx_hca_vport_context_set_cap_mask1(v, caps);
	cx_hca_vport_context_set_cap_mask1_field_select(v, mask);
	return cx_cmd_exec(cx, &in, sizeof(in), &out, sizeof(out));
}

/**
 * cx_cmd_query_gid - read an entry of the GID table
 * @cx: the device
 * @port: from 1
 * @index: which entry
 * @gid: result
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_cmd_query_gid(struct cx_dev *cx, u8 port, u16 index, u8 gid[16])
{
	struct {
		struct cx_query_vport_gid_out head;
		u8 gid[CX_GID_BYTES];
	} out = {};
	struct cx_query_vport_gid_in in = {};
	int ret;

	cx_cmd_set_op(&in, CX_CMD_QUERY_HCA_VPORT_GID);
	cx_query_vport_gid_in_set_port_num(&in, cx_port_name(cx, port));
	cx_query_vport_gid_in_set_gid_index(&in, index);
	ret = cx_cmd_exec(cx, &in, sizeof(in), &out, sizeof(out));
	if (!ret)
		memcpy(gid, out.gid, sizeof(out.gid));
	return ret;
}

/**
 * cx_cmd_query_pkey - read an entry of the P_Key table
 * @cx: the device
 * @port: from 1
 * @index: which entry
 * @pkey: result
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_cmd_query_pkey(struct cx_dev *cx, u8 port, u16 index, u16 *pkey)
{
	struct {
		struct cx_query_vport_pkey_out head;
		struct cx_pkey pkey;
	} out = {};
	struct cx_query_vport_pkey_in in = {};
	int ret;

	cx_cmd_set_op(&in, CX_CMD_QUERY_HCA_VPORT_PKEY);
	cx_query_vport_pkey_in_set_port_num(&in, cx_port_name(cx, port));
	cx_query_vport_pkey_in_set_pkey_index(&in, index);
	ret = cx_cmd_exec(cx, &in, sizeof(in), &out, sizeof(out));
	if (!ret)
		*pkey = cx_pkey_get_pkey(&out.pkey);
	return ret;
}

/**
 * cx_cmd_query_node_desc - read the node's description
 * @cx: the device
 * @desc: result, CX_NODE_DESC_BYTES bytes, not always ended by zero
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_cmd_query_node_desc(struct cx_dev *cx, char *desc)
{
	memset(desc, 0, CX_NODE_DESC_BYTES);
	return cx_cmd_access_reg(cx, CX_REG_NODE_DESC, CX_REG_READ, desc,
				 CX_NODE_DESC_BYTES);
}

/**
 * cx_cmd_query_link - read the registers of the link
 * @cx: the device
 * @port: from 1
 * @l: result
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_cmd_query_link(struct cx_dev *cx, u8 port, struct cx_port_link *l)
{
	struct cx_ptys_reg ptys = {};
	struct cx_pmtu_reg pmtu = {};
	struct cx_pvlc_reg pvlc = {};
	int ret;

	cx_ptys_reg_set_local_port(&ptys, port);
	cx_ptys_reg_set_proto_mask(&ptys, CX_PTYS_IB);
	ret = cx_cmd_access_reg(cx, CX_REG_PTYS, CX_REG_READ, &ptys,
				sizeof(ptys));
	if (ret)
		return ret;
	cx_pmtu_reg_set_local_port(&pmtu, port);
	ret = cx_cmd_access_reg(cx, CX_REG_PMTU, CX_REG_READ, &pmtu,
				sizeof(pmtu));
	if (ret)
		return ret;
	cx_pvlc_reg_set_local_port(&pvlc, port);
	ret = cx_cmd_access_reg(cx, CX_REG_PVLC, CX_REG_READ, &pvlc,
				sizeof(pvlc));
	if (ret)
		return ret;

	l->width = cx_ptys_reg_get_ib_link_width_oper(&ptys);
	l->proto = cx_ptys_reg_get_ib_proto_oper(&ptys);
	l->max_mtu = cx_pmtu_reg_get_max_mtu(&pmtu);
	l->oper_mtu = cx_pmtu_reg_get_oper_mtu(&pmtu);
	l->vl_cap = cx_pvlc_reg_get_vl_hw_cap(&pvlc);
	return 0;
}
