/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The InfiniBand port: vport context, GID and P_Key tables, port registers.
 */
#ifndef CONNECTX_PRM_PORT_H
#define CONNECTX_PRM_PORT_H

#include <connectx/prm_bits.h>

/* ifc: hca_vport_context */
CX_STRUCT(hca_vport_context, 0x200);
CX_FIELD(hca_vport_context, field_select, 0x0, 32);
CX_FIELD(hca_vport_context, has_smi, 0x101, 1);
CX_FIELD(hca_vport_context, grh_required, 0x103, 1);
CX_FIELD(hca_vport_context, port_physical_state, 0x110, 4);
CX_FIELD(hca_vport_context, vport_state, 0x11c, 4);
CX_FIELD64(hca_vport_context, system_image_guid, 0x140);
CX_FIELD64(hca_vport_context, port_guid, 0x180);
CX_FIELD64(hca_vport_context, node_guid, 0x1c0);
CX_FIELD(hca_vport_context, cap_mask1, 0x200, 32);
CX_FIELD(hca_vport_context, cap_mask1_field_select, 0x220, 32);
CX_FIELD(hca_vport_context, cap_mask2, 0x240, 32);
CX_FIELD(hca_vport_context, cap_mask2_field_select, 0x260, 32);
CX_FIELD(hca_vport_context, lid, 0x300, 16);
CX_FIELD(hca_vport_context, init_type_reply, 0x314, 4);
CX_FIELD(hca_vport_context, lmc, 0x318, 3);
CX_FIELD(hca_vport_context, subnet_timeout, 0x31b, 5);
CX_FIELD(hca_vport_context, sm_lid, 0x320, 16);
CX_FIELD(hca_vport_context, sm_sl, 0x330, 4);
CX_FIELD(hca_vport_context, qkey_violation_counter, 0x340, 16);
CX_FIELD(hca_vport_context, pkey_violation_counter, 0x350, 16);

/* ifc: query_hca_vport_context_in */
CX_STRUCT(query_vport_in, 0x10);
CX_FIELD(query_vport_in, other_vport, 0x40, 1);
CX_FIELD(query_vport_in, port_num, 0x4c, 4);
CX_FIELD(query_vport_in, vport_number, 0x50, 16);

/* ifc: query_hca_vport_context_out */
CX_STRUCT(query_vport_out, 0x210);
CX_SUB(query_vport_out, hca_vport_context, 0x10, hca_vport_context);

/* ifc: modify_hca_vport_context_in */
CX_STRUCT(modify_vport_in, 0x210);
CX_FIELD(modify_vport_in, other_vport, 0x40, 1);
CX_FIELD(modify_vport_in, port_num, 0x4c, 4);
CX_FIELD(modify_vport_in, vport_number, 0x50, 16);
CX_SUB(modify_vport_in, hca_vport_context, 0x10, hca_vport_context);

/* ifc: query_hca_vport_gid_in */
CX_STRUCT(query_vport_gid_in, 0x10);
CX_FIELD(query_vport_gid_in, other_vport, 0x40, 1);
CX_FIELD(query_vport_gid_in, port_num, 0x4c, 4);
CX_FIELD(query_vport_gid_in, vport_number, 0x50, 16);
CX_FIELD(query_vport_gid_in, gid_index, 0x70, 16);

/* ifc: query_hca_vport_gid_out */
CX_STRUCT(query_vport_gid_out, 0x10);
CX_FIELD(query_vport_gid_out, gids_num, 0x60, 16);

/* ifc: query_hca_vport_pkey_in */
CX_STRUCT(query_vport_pkey_in, 0x10);
CX_FIELD(query_vport_pkey_in, other_vport, 0x40, 1);
CX_FIELD(query_vport_pkey_in, port_num, 0x4c, 4);
CX_FIELD(query_vport_pkey_in, vport_number, 0x50, 16);
CX_FIELD(query_vport_pkey_in, pkey_index, 0x70, 16);

/* ifc: query_hca_vport_pkey_out */
CX_STRUCT(query_vport_pkey_out, 0x10);

/* ifc: traffic_counter */
CX_STRUCT(traffic_counter, 0x10);
CX_FIELD64(traffic_counter, packets, 0x0);
CX_FIELD64(traffic_counter, octets, 0x40);

/* ifc: query_vport_counter_out */
CX_STRUCT(query_vport_counter_out, 0x210);
CX_SUB(query_vport_counter_out, received_ib_unicast, 0x30, traffic_counter);
CX_SUB(query_vport_counter_out, transmitted_ib_unicast, 0x40, traffic_counter);

/* ifc: query_vport_state_out */
CX_STRUCT(query_vport_state_out, 0x10);
CX_FIELD(query_vport_state_out, admin_state, 0x78, 4);
CX_FIELD(query_vport_state_out, state, 0x7c, 4);

/* ifc: pkey */
CX_STRUCT(pkey, 0x4);
CX_FIELD(pkey, pkey, 0x10, 16);

/* ifc: ptys_reg */
CX_STRUCT(ptys_reg, 0x40);
CX_FIELD(ptys_reg, local_port, 0x8, 8);
CX_FIELD(ptys_reg, proto_mask, 0x1d, 3);
CX_FIELD(ptys_reg, ib_link_width_capability, 0x80, 16);
CX_FIELD(ptys_reg, ib_proto_capability, 0x90, 16);
CX_FIELD(ptys_reg, ib_link_width_admin, 0xe0, 16);
CX_FIELD(ptys_reg, ib_proto_admin, 0xf0, 16);
CX_FIELD(ptys_reg, ib_link_width_oper, 0x140, 16);
CX_FIELD(ptys_reg, ib_proto_oper, 0x150, 16);

/* ifc: pmtu_reg */
CX_STRUCT(pmtu_reg, 0x10);
CX_FIELD(pmtu_reg, local_port, 0x8, 8);
CX_FIELD(pmtu_reg, max_mtu, 0x20, 16);
CX_FIELD(pmtu_reg, admin_mtu, 0x40, 16);
CX_FIELD(pmtu_reg, oper_mtu, 0x60, 16);

/* ifc: pvlc_reg */
CX_STRUCT(pvlc_reg, 0x10);
CX_FIELD(pvlc_reg, local_port, 0x8, 8);
CX_FIELD(pvlc_reg, vl_hw_cap, 0x3c, 4);
CX_FIELD(pvlc_reg, vl_admin, 0x5c, 4);
CX_FIELD(pvlc_reg, vl_operational, 0x7c, 4);

/* access_register_in.register_id */
enum cx_register {
	CX_REG_PMTU = 0x5003,
	CX_REG_PTYS = 0x5004,
	CX_REG_PVLC = 0x500f,
	CX_REG_NODE_DESC = 0x6001,
	CX_REG_HOST_ENDIANNESS = 0x7004,
};

/* op_mod of ACCESS_REG */
enum cx_register_op {
	CX_REG_WRITE = 0,
	CX_REG_READ = 1,
};

#define CX_PTYS_IB		(1 << 0)
#define CX_PTYS_IB_WIDTH_1X	(1 << 0)
#define CX_PTYS_IB_WIDTH_4X	(1 << 2)
#define CX_PTYS_IB_SDR		(1 << 0)
#define CX_PTYS_IB_EDR		(1 << 5)
#define CX_NODE_DESC_BYTES	64

/* IB port states (IBTA vol. 1, PortInfo) */
enum cx_port_state {
	CX_PORT_STATE_DOWN = 1,
	CX_PORT_STATE_INIT = 2,
	CX_PORT_STATE_ARMED = 3,
	CX_PORT_STATE_ACTIVE = 4,
};

#define CX_PORT_PHYS_LINK_UP	5

/* hca_vport_context.field_select */
#define CX_VPORT_SEL_CAP_MASK1	(1 << 12)

#endif /* CONNECTX_PRM_PORT_H */
