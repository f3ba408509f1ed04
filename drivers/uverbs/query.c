// SPDX-License-Identifier: GPL-2.0-only
/* Device and port attributes for user space. */
#include <linux/kernel.h>
#include <ib/device.h>
#include <ib/ops.h>
#include <uapi/ib/newer.h>
#include "bundle.h"
#include "query.h"
#include "uverbs_priv.h"
#include "write.h"

/* The one field of a port that has no room for what came after NDR */
#define SPEED_NDR	128

static int need_context(const struct uverbs_bundle *b)
{
	return b->context ? 0 : uverbs_refuse(-EINVAL, "file has no context");
}

static void encode_device(struct ib_uverbs_query_device_resp *resp,
			  const struct ib_device *device,
			  const struct ib_device_attr *attr)
{
	resp->node_guid = device->node_guid;
	resp->phys_port_cnt = min_t(u32, device->phys_port_cnt, U8_MAX);
	resp->vendor_id = attr->vendor_id;
	resp->vendor_part_id = attr->vendor_part_id;
	resp->hw_ver = attr->hw_ver;
	resp->fw_ver = attr->fw_ver;
	resp->sys_image_guid = attr->sys_image_guid;
	resp->device_cap_flags = lower_32_bits(attr->device_cap_flags);
	resp->max_mr = attr->max_mr;
	resp->max_mr_size = attr->max_mr_size;
	resp->page_size_cap = attr->page_size_cap;
	resp->max_mw = attr->max_mw;
	resp->max_pd = attr->max_pd;
	resp->max_ah = attr->max_ah;
	resp->max_cq = attr->max_cq;
	resp->max_cqe = attr->max_cqe;
	resp->max_qp = attr->max_qp;
	resp->max_qp_wr = attr->max_qp_wr;
	resp->max_sge = min(attr->max_send_sge, attr->max_recv_sge);
	resp->max_sge_rd = attr->max_sge_rd;
	resp->max_srq = attr->max_srq;
	resp->max_srq_wr = attr->max_srq_wr;
	resp->max_srq_sge = attr->max_srq_sge;
	resp->atomic_cap = attr->atomic_cap;
	resp->max_qp_rd_atom = attr->max_qp_rd_atom;
	resp->max_qp_init_rd_atom = attr->max_qp_init_rd_atom;
	resp->max_res_rd_atom = attr->max_res_rd_atom;
	resp->max_mcast_grp = attr->max_mcast_grp;
	resp->max_mcast_qp_attach = attr->max_mcast_qp_attach;
	resp->max_total_mcast_qp_attach = attr->max_total_mcast_qp_attach;
	resp->max_pkeys = attr->max_pkeys;
	resp->local_ca_ack_delay = attr->local_ca_ack_delay;
}

int uverbs_write_query_device(struct uverbs_bundle *b)
{
	struct ib_uverbs_query_device_resp resp = {};
	struct ib_uverbs_query_device cmd;
	int ret;

	ret = need_context(b);
	if (!ret)
		ret = uverbs_request(b, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	encode_device(&resp, b->device, &b->device->attr);
	return uverbs_respond(b, &resp, sizeof(resp));
}

int uverbs_write_ex_query_device(struct uverbs_bundle *b)
{
	struct ib_uverbs_ex_query_device_resp resp = {};
	struct ib_uverbs_ex_query_device cmd;
	struct ib_device_attr attr = {};
	int ret;

	ret = need_context(b);
	if (!ret)
		ret = uverbs_request(b, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	if (cmd.comp_mask || cmd.reserved)
		return uverbs_refuse(-EINVAL, "reserved field is set");
	ret = b->device->ops->query_device(b->device, &attr, uverbs_udata(b));
	if (ret)
		return ret;

	encode_device(&resp.base, b->device, &attr);
	resp.device_cap_flags_ex = attr.device_cap_flags;
	resp.raw_packet_caps = attr.raw_packet_caps;
	resp.max_wq_type_rq = attr.max_wq_type_rq;
	resp.hca_core_clock = attr.hca_core_clock;
	resp.timestamp_mask = attr.timestamp_mask;
	resp.max_dm_size = attr.max_dm_size;
	resp.odp_caps.general_caps = attr.odp_general;
	resp.odp_caps.per_transport_caps.rc_odp_caps = attr.odp_rc;
	resp.odp_caps.per_transport_caps.uc_odp_caps = attr.odp_uc;
	resp.odp_caps.per_transport_caps.ud_odp_caps = attr.odp_ud;
	resp.xrc_odp_caps = attr.odp_xrc;
	resp.cq_moderation_caps.max_cq_moderation_count = attr.cq_max_count;
	resp.cq_moderation_caps.max_cq_moderation_period = attr.cq_max_period;
	resp.response_length = uverbs_resp_len(b, sizeof(resp));
	return uverbs_respond(b, &resp, sizeof(resp));
}

static void encode_port(struct ib_uverbs_query_port_resp *resp,
			const struct ib_port_attr *attr)
{
	resp->port_cap_flags = attr->port_cap_flags &
		~(u32)IB_UVERBS_PCF_IP_BASED_GIDS;
	if (attr->ip_gids)
		resp->port_cap_flags |= IB_UVERBS_PCF_IP_BASED_GIDS;
	if (attr->grh_required)
		resp->flags |= IB_UVERBS_QPF_GRH_REQUIRED;
	resp->link_layer = attr->link_layer;
	resp->state = attr->state;
	resp->phys_state = attr->phys_state;
	resp->active_width = attr->active_width;
	resp->active_speed = min_t(u16, attr->active_speed, SPEED_NDR);
	resp->active_mtu = attr->active_mtu;
	resp->max_mtu = attr->max_mtu;
	resp->max_msg_sz = attr->max_msg_sz;
	resp->max_vl_num = attr->max_vl_num;
	resp->lid = attr->lid;
	resp->lmc = attr->lmc;
	resp->sm_lid = attr->sm_lid;
	resp->sm_sl = attr->sm_sl;
	resp->subnet_timeout = attr->subnet_timeout;
	resp->init_type_reply = attr->init_type_reply;
	resp->gid_tbl_len = attr->gid_tbl_len;
	resp->pkey_tbl_len = attr->pkey_tbl_len;
	resp->bad_pkey_cntr = attr->bad_pkey_cntr;
	resp->qkey_viol_cntr = attr->qkey_viol_cntr;
}

int uverbs_write_query_port(struct uverbs_bundle *b)
{
	struct ib_uverbs_query_port_resp resp = {};
	struct ib_port_attr attr = {};
	struct ib_uverbs_query_port cmd;
	int ret;

	ret = need_context(b);
	if (!ret)
		ret = uverbs_request(b, &cmd, sizeof(cmd));
	if (!ret)
		ret = ib_query_port(b->device, cmd.port_num, &attr);
	if (ret)
		return ret;
	encode_port(&resp, &attr);
	return uverbs_respond(b, &resp, sizeof(resp));
}

int uverbs_query_port(struct uverbs_bundle *b)
{
	struct ib_uverbs_query_port_resp_ex resp = {};
	struct ib_port_attr attr = {};
	u64 port;
	int ret;

	ret = need_context(b);
	if (!ret)
		ret = uverbs_attr_u64(b, UVERBS_ATTR_QUERY_PORT_PORT_NUM,
				      &port);
	if (ret)
		return ret;
	if (port > U8_MAX)
		return uverbs_refuse_attr(UVERBS_ATTR_QUERY_PORT_PORT_NUM,
					  -EINVAL, "port %llu", port, 0);
	ret = ib_query_port(b->device, port, &attr);
	if (ret)
		return ret;
	encode_port(&resp.legacy_resp, &attr);
	resp.port_cap_flags2 = attr.port_cap_flags2;
	resp.active_speed_ex = attr.active_speed;
	return uverbs_attr_copy_out(b, UVERBS_ATTR_QUERY_PORT_RESP, &resp,
				    sizeof(resp));
}

int uverbs_query_port_speed(struct uverbs_bundle *b)
{
	u64 port, speed = 0;
	int ret;

	ret = need_context(b);
	if (!ret)
		ret = uverbs_attr_u64(b, UVERBS_NEW_ATTR_QUERY_PORT_SPEED_PORT,
				      &port);
	if (ret)
		return ret;
	if (port > U32_MAX || !uverbs_port_valid(b, port))
		return uverbs_refuse_attr(UVERBS_NEW_ATTR_QUERY_PORT_SPEED_PORT,
					  -EINVAL, "no port %llu", port, 0);
	ret = b->device->ops->query_port_speed(b->device, port, &speed);
	if (ret)
		return ret;
	return uverbs_attr_copy_out(b, UVERBS_NEW_ATTR_QUERY_PORT_SPEED_RESP,
				    &speed, sizeof(speed));
}

static bool is_zero_gid(const union ib_gid *gid)
{
	return !memchr_inv(gid->raw, 0, sizeof(gid->raw));
}

static void encode_gid(struct ib_uverbs_gid_entry *entry,
		       const union ib_gid *gid, u32 port, u32 index)
{
	memcpy(entry->gid, gid->raw, sizeof(entry->gid));
	entry->gid_index = index;
	entry->port_num = port;
	entry->gid_type = IB_UVERBS_GID_TYPE_IB;
	entry->netdev_ifindex = 0;
}

/* A GID that is there: 0, -ENODATA for an empty place, or another errno */
static int read_gid(struct ib_device *device, u32 port, u32 index,
		    struct ib_uverbs_gid_entry *entry)
{
	union ib_gid gid;
	int ret;

	ret = ib_query_gid(device, port, index, &gid);
	if (ret)
		return ret;
	if (is_zero_gid(&gid))
		return ib_refuse(IB_LAYER_UVERBS, -ENODATA,
				 "no GID %llu on port %llu", index, port);
	encode_gid(entry, &gid, port, index);
	return 0;
}

int uverbs_query_gid_entry(struct uverbs_bundle *b)
{
	struct ib_uverbs_gid_entry entry = {};
	u64 port, index;
	u32 flags;
	int ret;

	ret = uverbs_attr_flags(b, UVERBS_ATTR_QUERY_GID_ENTRY_FLAGS, 0,
				&flags);
	if (!ret)
		ret = uverbs_attr_u64(b, UVERBS_ATTR_QUERY_GID_ENTRY_PORT,
				      &port);
	if (!ret)
		ret = uverbs_attr_u64(b, UVERBS_ATTR_QUERY_GID_ENTRY_GID_INDEX,
				      &index);
	if (!ret)
		ret = need_context(b);
	if (ret)
		return ret;
	if (port > U32_MAX || !uverbs_port_valid(b, port) || index > INT_MAX)
		return uverbs_refuse(-EINVAL, "no such port or GID index");
	ret = read_gid(b->device, port, index, &entry);
	if (ret)
		return ret;
	return uverbs_attr_copy_out(b, UVERBS_ATTR_QUERY_GID_ENTRY_RESP_ENTRY,
				    &entry, sizeof(entry));
}

/*
 * Write one entry into the user's table, whose entries may be shorter or
 * longer than ours.
 */
static int put_entry(void __user *dst, const struct ib_uverbs_gid_entry *entry,
		     size_t size)
{
	size_t n = min(size, sizeof(*entry));

	if (copy_to_user(dst, entry, n) || clear_user(dst + n, size - n))
		return uverbs_refuse(-EFAULT, "cannot write the GID table");
	return 0;
}

static int put_table(struct uverbs_bundle *b, void __user *dst, size_t size,
		     size_t max, u64 *num)
{
	struct ib_uverbs_gid_entry entry;
	struct ib_port_attr attr = {};
	u32 port;
	int i, ret;

	for (port = 1; port <= b->device->phys_port_cnt; port++) {
		ret = ib_query_port(b->device, port, &attr);
		if (ret)
			return ret;
		for (i = 0; i < attr.gid_tbl_len; i++) {
			ret = read_gid(b->device, port, i, &entry);
			if (ret == -ENODATA)
				continue;
			if (!ret && *num == max)
				ret = ib_refuse(IB_LAYER_UVERBS, -EINVAL,
						"more than %llu GIDs", max, 0);
			if (!ret)
				ret = put_entry(dst + *num * size, &entry,
						size);
			if (ret)
				return ret;
			++*num;
		}
	}
	return 0;
}

int uverbs_query_gid_table(struct uverbs_bundle *b)
{
	u16 id = UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES;
	size_t len = uverbs_attr_len(b, id);
	u64 size, num = 0;
	u32 flags;
	int ret;

	ret = uverbs_attr_flags(b, UVERBS_ATTR_QUERY_GID_TABLE_FLAGS, 0,
				&flags);
	if (!ret)
		ret = uverbs_attr_u64(b, UVERBS_ATTR_QUERY_GID_TABLE_ENTRY_SIZE,
				      &size);
	if (ret)
		return ret;
	if (!size || !len || len % size)
		return uverbs_refuse_attr(id, -EINVAL,
					  "table of %llu bytes, entry of %llu",
					  len, size);
	ret = need_context(b);
	if (ret)
		return ret;

	ret = put_table(b, u64_to_user_ptr(uverbs_attr_find(b, id)->data),
			size, len / size, &num);
	/* Marks the table as written */
	if (!ret)
		ret = uverbs_attr_copy_out(b, id, NULL, 0);
	if (ret)
		return ret;
	return uverbs_attr_copy_out(b,
				    UVERBS_ATTR_QUERY_GID_TABLE_RESP_NUM_ENTRIES,
				    &num, sizeof(num));
}
