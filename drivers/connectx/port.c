// SPDX-License-Identifier: GPL-2.0-only
/* The InfiniBand port: attributes, tables, events. */
#include <linux/kernel.h>
#include <linux/log2.h>

#include <ib/event.h>
#include <ib/refuse.h>

#include <connectx/prm_eqc.h>
#include <connectx/prm_port.h>

#include "cx.h"
#include "verbs.h"
#include "verbs_if.h"

#define CX_PORT_CAP_MASK2_SUP	BIT(15)
#define CX_MTU_MIN_SHIFT	8	/* 256 bytes is IB_MTU_256 */

/* PTYS has a bit per width, PortInfo has others */
static const struct {
	u16 ptys;
	u8 active;
} cx_widths[] = {
	{ CX_PTYS_IB_WIDTH_1X, IB_WIDTH_1X },
	{ CX_PTYS_IB_WIDTH_4X, IB_WIDTH_4X },
	{ BIT(3), IB_WIDTH_8X },
	{ BIT(4), IB_WIDTH_12X },
};

static u8 cx_active_width(u16 ptys)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cx_widths); i++)
		if (cx_widths[i].ptys & ptys)
			return cx_widths[i].active;
	return IB_WIDTH_4X;
}

static enum ib_mtu cx_mtu(u16 bytes)
{
	unsigned int shift = bytes ? ilog2(bytes) : CX_MTU_MIN_SHIFT;

	return clamp_t(int, (int)shift - CX_MTU_MIN_SHIFT + 1, IB_MTU_256,
		       IB_MTU_4096);
}

/* PVLC counts lanes, PortInfo has a code: 1, 2, 4, 8, 15 lanes are 1..5 */
static const struct {
	u8 lanes;
	u8 code;
} cx_vls[] = {
	{ 1, 1 },
	{ 2, 2 },
	{ 4, 3 },
	{ 8, 4 },
	{ 15, 5 },
};

static int cx_max_vl(u8 lanes, u8 *code)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cx_vls); i++) {
		if (cx_vls[i].lanes == lanes) {
			*code = cx_vls[i].code;
			return 0;
		}
	}
	return ib_refuse(IB_LAYER_FIRMWARE, -EINVAL,
			 "port has %llu virtual lanes", lanes, 0);
}

static void cx_fill_port(const struct cx_caps *caps,
			 const struct cx_port_context *c,
			 const struct cx_port_link *l, struct ib_port_attr *a)
{
	a->state = c->state;
	a->phys_state = c->phys_state;
	a->lid = c->lid;
	a->lmc = c->lmc;
	a->sm_lid = c->sm_lid;
	a->sm_sl = c->sm_sl;
	a->subnet_timeout = c->subnet_timeout;
	a->init_type_reply = c->init_type_reply;
	a->grh_required = c->grh_required;
	a->port_cap_flags = c->cap_mask1;
	if (c->cap_mask1 & CX_PORT_CAP_MASK2_SUP)
		a->port_cap_flags2 = c->cap_mask2;
	a->bad_pkey_cntr = c->pkey_violations;
	a->qkey_viol_cntr = c->qkey_violations;
	a->gid_tbl_len = caps->gid_table_len;
	a->pkey_tbl_len = caps->pkey_table_len;
	a->max_msg_sz = BIT(caps->log_max_msg);
	a->max_mtu = cx_mtu(l->max_mtu);
	a->active_mtu = cx_mtu(l->oper_mtu);
	a->active_width = cx_active_width(l->width);
	a->active_speed = l->proto;
}

/**
 * cx_query_port - ib_device_ops.query_port
 * @dev: the device
 * @port: from 1
 * @attr: result
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_query_port(struct ib_device *dev, u32 port, struct ib_port_attr *attr)
{
	struct cx_dev *cx = to_cx(dev);
	struct cx_port_context c;
	struct cx_port_link l;
	int ret;

	ret = cx_cmd_query_port(cx, port, &c);
	if (ret)
		return ret;
	ret = cx_cmd_query_link(cx, port, &l);
	if (ret)
		return ret;
	memset(attr, 0, sizeof(*attr));
	cx_fill_port(&cx->caps, &c, &l, attr);
	return cx_max_vl(l.vl_cap, &attr->max_vl_num);
}

/**
 * cx_get_link_layer - ib_device_ops.get_link_layer
 * @dev: the device
 * @port: from 1
 *
 * Context: Any context.
 * Return: the link layer.
 */
enum ib_link_layer cx_get_link_layer(struct ib_device *dev, u32 port)
{
	return IB_LINK_INFINIBAND;
}

/**
 * cx_query_gid - ib_device_ops.query_gid
 * @dev: the device
 * @port: from 1
 * @index: entry of the table
 * @gid: result
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_query_gid(struct ib_device *dev, u32 port, int index,
		 union ib_gid *gid)
{
	struct cx_dev *cx = to_cx(dev);

	if (index < 0 || index >= cx->caps.gid_table_len)
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "GID index %llu, table has %llu", index,
				 cx->caps.gid_table_len);
	return cx_cmd_query_gid(cx, port, index, gid->raw);
}

/**
 * cx_query_pkey - ib_device_ops.query_pkey
 * @dev: the device
 * @port: from 1
 * @index: entry of the table
 * @pkey: result
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_query_pkey(struct ib_device *dev, u32 port, u16 index, u16 *pkey)
{
	struct cx_dev *cx = to_cx(dev);

	if (index >= cx->caps.pkey_table_len)
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "P_Key index %llu, table has %llu", index,
				 cx->caps.pkey_table_len);
	return cx_cmd_query_pkey(cx, port, index, pkey);
}

/**
 * cx_modify_port_caps - ib_device_ops.modify_port_caps
 * @dev: the device
 * @port: from 1
 * @set: bits to set
 * @clear: bits to clear
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_modify_port_caps(struct ib_device *dev, u32 port, u32 set, u32 clear)
{
	return cx_cmd_modify_port_caps(to_cx(dev), port, set, set | clear);
}

struct cx_port_news {
	u8 sub_type;
	enum ib_event_type event;
};

static const struct cx_port_news cx_port_news[] = {
	{ CX_PORT_DOWN, IB_EVENT_PORT_ERR },
	{ CX_PORT_ACTIVE, IB_EVENT_PORT_ACTIVE },
	{ CX_PORT_INITIALIZED, IB_EVENT_PORT_ERR },
	{ CX_PORT_LID, IB_EVENT_LID_CHANGE },
	{ CX_PORT_PKEY, IB_EVENT_PKEY_CHANGE },
	{ CX_PORT_GUID, IB_EVENT_GID_CHANGE },
	{ CX_PORT_CLIENT_REREG, IB_EVENT_CLIENT_REREGISTER },
};

/**
 * cx_verbs_port_event - a port changed: tell ib_core
 * @cx: the device
 * @port: from 1
 * @sub_type: enum cx_port_change
 *
 * Context: Hard interrupt.
 */
void cx_verbs_port_event(struct cx_dev *cx, u8 port, u8 sub_type)
{
	struct cx_verbs *v = READ_ONCE(cx->verbs);
	struct ib_event event = {};
	size_t i;

	if (!v || !READ_ONCE(v->registered) || !port || port > cx->caps.num_ports)
		return;
	for (i = 0; i < ARRAY_SIZE(cx_port_news); i++)
		if (cx_port_news[i].sub_type == sub_type)
			break;
	if (i == ARRAY_SIZE(cx_port_news))
		return;
	event.device = &v->base;
	event.element.port_num = port;
	event.event = cx_port_news[i].event;
	ib_refresh_port(&v->base, port);
	ib_dispatch_event(&event);
}
