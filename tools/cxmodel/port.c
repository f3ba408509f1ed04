// SPDX-License-Identifier: GPL-2.0-only
/*
 * The InfiniBand port: context, GIDs and P_Keys, registers, counters.
 */
#include <string.h>

#include "cmd.h"
#include "eq.h"
#include "model.h"
#include "trace.h"

#define CXM_GID_PREFIX		0xfe80000000000000ull
#define CXM_PKEY_DEFAULT	0xffff
#define CXM_SUBNET_TIMEOUT	18
#define CXM_MTU_BYTES		4096
#define CXM_VLS			4
#define CXM_PORT		1
#define CXM_ALL_ENTRIES		0xffff
#define CXM_PHYS_POLLING	2	/* PortInfo: looks for a link partner */
#define CXM_NODE_DESC		"Verbena cxmodel"

/* PortInfo:CapabilityMask: automatic path migration, system image GUID */
#define CXM_CAP_MASK1		(BIT(8) | BIT(11))

static void cxm_store_be64(u8 *to, u64 v)
{
	__be64 be = cpu_to_be64(v);

	memcpy(to, &be, sizeof(be));
}

/**
 * cxm_port_reset() - an active port with its addresses
 * @m: the model
 */
void cxm_port_reset(struct cxm *m)
{
	struct cxm_port *p = &m->port;

	memset(p, 0, sizeof(*p));
	p->state = CX_PORT_STATE_ACTIVE;
	p->lid = m->cfg.lid;
	p->sm_lid = m->cfg.lid;
	p->cap_mask1 = CXM_CAP_MASK1;
	p->node_guid = m->cfg.guid;
	p->port_guid = m->cfg.guid + 1;
	cxm_store_be64(p->gid[0], CXM_GID_PREFIX);
	cxm_store_be64(p->gid[0] + 8, p->port_guid);
	p->pkey[0] = CXM_PKEY_DEFAULT;
	memcpy(p->node_desc, CXM_NODE_DESC, sizeof(CXM_NODE_DESC));
}

/**
 * cxm_port_set() - change the link
 * @m: the model
 * @up: to active, or down
 */
void cxm_port_set(struct cxm *m, bool up)
{
	enum cx_port_state state = up ? CX_PORT_STATE_ACTIVE :
					CX_PORT_STATE_DOWN;

	if (m->port.state == state)
		return;
	m->port.state = state;
	cxm_trace(m, "port %s", up ? "active" : "down");
	cxm_event_port(m, up ? CX_PORT_ACTIVE : CX_PORT_DOWN);
}

int cxm_cmd_query_vport_state(struct cxm *m, struct cxm_cmd *c)
{
	bool up = m->port.state == CX_PORT_STATE_ACTIVE;

	cx_query_vport_state_out_set_admin_state(c->out, 1);
	cx_query_vport_state_out_set_state(c->out, up);
	return CX_STATUS_OK;
}

int cxm_cmd_query_hca_vport_context(struct cxm *m, struct cxm_cmd *c)
{
	struct cx_hca_vport_context *ctx =
		cx_query_vport_out_hca_vport_context(c->out);
	const struct cxm_port *p = &m->port;
	bool up = p->state == CX_PORT_STATE_ACTIVE;

	if (cx_query_vport_in_get_other_vport(c->in) ||
	    cx_query_vport_in_get_port_num(c->in) > CXM_PORT)
		return CX_STATUS_BAD_PARAM;
	cx_hca_vport_context_set_vport_state(ctx, p->state);
	cx_hca_vport_context_set_port_physical_state
		(ctx, up ? CX_PORT_PHYS_LINK_UP : CXM_PHYS_POLLING);
	cx_hca_vport_context_set_system_image_guid(ctx, p->node_guid);
	cx_hca_vport_context_set_node_guid(ctx, p->node_guid);
	cx_hca_vport_context_set_port_guid(ctx, p->port_guid);
	cx_hca_vport_context_set_cap_mask1(ctx, p->cap_mask1);
	cx_hca_vport_context_set_lid(ctx, p->lid);
	cx_hca_vport_context_set_sm_lid(ctx, p->sm_lid);
	cx_hca_vport_context_set_subnet_timeout(ctx, CXM_SUBNET_TIMEOUT);
	return CX_STATUS_OK;
}

/* Only the capability mask: which services run on this port. */
int cxm_cmd_modify_hca_vport_context(struct cxm *m, struct cxm_cmd *c)
{
	struct cx_hca_vport_context *ctx =
		cx_modify_vport_in_hca_vport_context((void *)c->in);
	u32 select = cx_hca_vport_context_get_field_select(ctx);
	u32 mask = cx_hca_vport_context_get_cap_mask1_field_select(ctx);

	if (select & ~CX_VPORT_SEL_CAP_MASK1)
		return CX_STATUS_BAD_PARAM;
	if (select & CX_VPORT_SEL_CAP_MASK1)
		m->port.cap_mask1 = (m->port.cap_mask1 & ~mask) |
			(cx_hca_vport_context_get_cap_mask1(ctx) & mask);
	return CX_STATUS_OK;
}

/* One entry of a table, or all of it. */
static int cxm_port_table(struct cxm_cmd *c, u32 index, const void *table,
			  u32 count, u32 bytes)
{
	u32 n = index == CXM_ALL_ENTRIES ? count : 1;
	u32 first = index == CXM_ALL_ENTRIES ? 0 : index;

	if (first >= count)
		return CX_STATUS_BAD_INDEX;
	if (c->out_len < sizeof(struct cx_cmd_out) + n * bytes)
		return CX_STATUS_BAD_OUT_LEN;
	memcpy((u8 *)c->out + sizeof(struct cx_cmd_out),
	       (const u8 *)table + first * bytes, n * bytes);
	return CX_STATUS_OK;
}

int cxm_cmd_query_hca_vport_gid(struct cxm *m, struct cxm_cmd *c)
{
	u32 index = cx_query_vport_gid_in_get_gid_index(c->in);

	cx_query_vport_gid_out_set_gids_num(c->out, index == CXM_ALL_ENTRIES ?
					    CXM_PORT_GIDS : 1);
	return cxm_port_table(c, index, m->port.gid, CXM_PORT_GIDS,
			      sizeof(m->port.gid[0]));
}

int cxm_cmd_query_hca_vport_pkey(struct cxm *m, struct cxm_cmd *c)
{
	struct cx_pkey table[CXM_PORT_PKEYS] = { 0 };
	u32 i;

	for (i = 0; i < CXM_PORT_PKEYS; i++)
		cx_pkey_set_pkey(&table[i], m->port.pkey[i]);
	return cxm_port_table(c, cx_query_vport_pkey_in_get_pkey_index(c->in),
			      table, CXM_PORT_PKEYS, sizeof(table[0]));
}

int cxm_cmd_query_vport_counter(struct cxm *m, struct cxm_cmd *c)
{
	struct cx_query_vport_counter_out *out = c->out;
	struct cx_traffic_counter *rx, *tx;

	rx = cx_query_vport_counter_out_received_ib_unicast(out);
	tx = cx_query_vport_counter_out_transmitted_ib_unicast(out);
	cx_traffic_counter_set_packets(rx, m->port.rx_packets);
	cx_traffic_counter_set_octets(rx, m->port.rx_bytes);
	cx_traffic_counter_set_packets(tx, m->port.tx_packets);
	cx_traffic_counter_set_octets(tx, m->port.tx_bytes);
	return CX_STATUS_OK;
}

static void cxm_reg_pmtu(struct cxm *m, const void *in, void *out)
{
	struct cx_pmtu_reg *r = out;

	(void)m;
	(void)in;
	cx_pmtu_reg_set_local_port(r, CXM_PORT);
	cx_pmtu_reg_set_max_mtu(r, CXM_MTU_BYTES);
	cx_pmtu_reg_set_admin_mtu(r, CXM_MTU_BYTES);
	cx_pmtu_reg_set_oper_mtu(r, CXM_MTU_BYTES);
}

static void cxm_reg_ptys(struct cxm *m, const void *in, void *out)
{
	struct cx_ptys_reg *r = out;
	u32 width = CX_PTYS_IB_WIDTH_1X | CX_PTYS_IB_WIDTH_4X;
	u32 speed = CX_PTYS_IB_SDR | CX_PTYS_IB_EDR;

	(void)m;
	cx_ptys_reg_set_local_port(r, CXM_PORT);
	cx_ptys_reg_set_proto_mask(r, cx_ptys_reg_get_proto_mask(in));
	cx_ptys_reg_set_ib_link_width_capability(r, width);
	cx_ptys_reg_set_ib_proto_capability(r, speed);
	cx_ptys_reg_set_ib_link_width_admin(r, width);
	cx_ptys_reg_set_ib_proto_admin(r, speed);
	cx_ptys_reg_set_ib_link_width_oper(r, CX_PTYS_IB_WIDTH_4X);
	cx_ptys_reg_set_ib_proto_oper(r, CX_PTYS_IB_EDR);
}

static void cxm_reg_pvlc(struct cxm *m, const void *in, void *out)
{
	struct cx_pvlc_reg *r = out;

	(void)m;
	(void)in;
	cx_pvlc_reg_set_local_port(r, CXM_PORT);
	cx_pvlc_reg_set_vl_hw_cap(r, CXM_VLS);
	cx_pvlc_reg_set_vl_admin(r, CXM_VLS);
	cx_pvlc_reg_set_vl_operational(r, CXM_VLS);
}

static void cxm_reg_read_node_desc(struct cxm *m, const void *in, void *out)
{
	(void)in;
	memcpy(out, m->port.node_desc, sizeof(m->port.node_desc));
}

static void cxm_reg_write_node_desc(struct cxm *m, const void *in, void *out)
{
	memcpy(m->port.node_desc, in, sizeof(m->port.node_desc));
	memcpy(out, in, sizeof(m->port.node_desc));
}

/* Software tells its byte order; everything of ours is big-endian anyway. */
static void cxm_reg_host_endianness(struct cxm *m, const void *in, void *out)
{
	(void)m;
	memcpy(out, in, 16);
}

struct cxm_reg {
	u16	id;
	u32	bytes;
	void	(*read)(struct cxm *m, const void *in, void *out);
	void	(*write)(struct cxm *m, const void *in, void *out);
};

static const struct cxm_reg cxm_regs[] = {
	{ CX_REG_PMTU, sizeof(struct cx_pmtu_reg), cxm_reg_pmtu, NULL },
	{ CX_REG_PTYS, sizeof(struct cx_ptys_reg), cxm_reg_ptys, NULL },
	{ CX_REG_PVLC, sizeof(struct cx_pvlc_reg), cxm_reg_pvlc, NULL },
	{ CX_REG_NODE_DESC, CX_NODE_DESC_BYTES, cxm_reg_read_node_desc,
	  cxm_reg_write_node_desc },
	{ CX_REG_HOST_ENDIANNESS, 16, NULL, cxm_reg_host_endianness },
};

int cxm_cmd_access_reg(struct cxm *m, struct cxm_cmd *c)
{
	u32 id = cx_access_register_in_get_register_id(c->in);
	const u8 *in = (const u8 *)c->in + sizeof(struct cx_access_register_in);
	u8 *out = (u8 *)c->out + sizeof(struct cx_access_register_out);
	const struct cxm_reg *r;
	void (*fn)(struct cxm *m, const void *in, void *out);

	for (r = cxm_regs; r < cxm_regs + ARRAY_SIZE(cxm_regs); r++)
		if (r->id == id)
			break;
	if (r == cxm_regs + ARRAY_SIZE(cxm_regs)) {
		cxm_warn(m, "unknown register 0x%x", id);
		return CX_STATUS_BAD_PARAM;
	}
	fn = c->op_mod == CX_REG_READ ? r->read : r->write;
	if (!fn)
		return CX_STATUS_BAD_PARAM;
	if (c->in_len < sizeof(struct cx_access_register_in) + r->bytes)
		return CX_STATUS_BAD_IN_LEN;
	if (c->out_len < sizeof(struct cx_access_register_out) + r->bytes)
		return CX_STATUS_BAD_OUT_LEN;
	fn(m, in, out);
	return CX_STATUS_OK;
}
