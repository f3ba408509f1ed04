// SPDX-License-Identifier: GPL-2.0-only
/* Devices, ports, the whole system and character devices in messages. */
#include "core_priv.h"
#include "nldev.h"

int nldev_put_handle(struct sk_buff *msg, const struct ib_device *device)
{
	char name[IB_DEVICE_NAME_MAX];

	ib_device_name(device, name);
	return nla_put_u32(msg, RDMA_NLDEV_ATTR_DEV_INDEX, device->index) ?:
	       nla_put_string(msg, RDMA_NLDEV_ATTR_DEV_NAME, name);
}

static bool is_ib(struct ib_device *device, u32 port)
{
	return device->ops->get_link_layer(device, port) == IB_LINK_INFINIBAND;
}

int nldev_fill_device(struct sk_buff *msg, const struct nldev_question *q)
{
	struct ib_device *device = q->device;
	u64 node_guid = be64_to_cpu(device->node_guid);
	u64 image_guid = be64_to_cpu(device->attr.sys_image_guid);
	int ret;

	ret = nldev_put_handle(msg, device) ?:
	      nla_put_u32(msg, RDMA_NLDEV_ATTR_PORT_INDEX,
			  device->phys_port_cnt) ?:
	      nldev_put_u64(msg, RDMA_NLDEV_ATTR_CAP_FLAGS,
			    device->attr.device_cap_flags) ?:
	      nldev_put_u64(msg, RDMA_NLDEV_ATTR_NODE_GUID, node_guid) ?:
	      nldev_put_u64(msg, RDMA_NLDEV_ATTR_SYS_IMAGE_GUID, image_guid) ?:
	      nla_put_u8(msg, RDMA_NLDEV_ATTR_DEV_NODE_TYPE,
			 device->node_type) ?:
	      nla_put_u8(msg, RDMA_NLDEV_ATTR_DEV_DIM,
			 READ_ONCE(device->use_dim)) ?:
	      nla_put_u8(msg, RDMA_NLDEV_ATTR_NAME_ASSIGN_TYPE,
			 RDMA_NAME_ASSIGN_TYPE_UNKNOWN) ?:
	      nla_put_string(msg, RDMA_NLDEV_ATTR_DEV_PROTOCOL,
			     is_ib(device, 1) ? "ib" : "roce");
	if (!ret && device->fw_str[0])
		ret = nla_put_string(msg, RDMA_NLDEV_ATTR_FW_VERSION,
				     device->fw_str);
	return ret;
}

static int fill_ib_port(struct sk_buff *msg, const struct nldev_question *q,
			const struct ib_port_attr *attr)
{
	u64 caps = attr->port_cap_flags | (u64)attr->port_cap_flags2 << 32;
	union ib_gid gid;
	int ret;

	ret = ib_query_gid(q->device, q->port, 0, &gid);
	if (ret)
		return ret;
	return nldev_put_u64(msg, RDMA_NLDEV_ATTR_CAP_FLAGS, caps) ?:
	       nldev_put_u64(msg, RDMA_NLDEV_ATTR_SUBNET_PREFIX,
			     be64_to_cpu(gid.global.subnet_prefix)) ?:
	       nla_put_u32(msg, RDMA_NLDEV_ATTR_LID, attr->lid) ?:
	       nla_put_u32(msg, RDMA_NLDEV_ATTR_SM_LID, attr->sm_lid) ?:
	       nla_put_u8(msg, RDMA_NLDEV_ATTR_LMC, attr->lmc);
}

int nldev_fill_port(struct sk_buff *msg, const struct nldev_question *q)
{
	struct ib_port_attr attr;
	int ret;

	ret = ib_query_port(q->device, q->port, &attr);
	if (ret)
		return ret;
	ret = nldev_put_handle(msg, q->device) ?:
	      nla_put_u32(msg, RDMA_NLDEV_ATTR_PORT_INDEX, q->port);
	if (!ret && is_ib(q->device, q->port))
		ret = fill_ib_port(msg, q, &attr);
	if (ret)
		return ret;
	return nla_put_u8(msg, RDMA_NLDEV_ATTR_PORT_STATE, attr.state) ?:
	       nla_put_u8(msg, RDMA_NLDEV_ATTR_PORT_PHYS_STATE,
			  attr.phys_state);
}

/* Copy on fork: this kernel copies pinned pages when a process forks. */
int nldev_fill_system(struct sk_buff *msg, const struct nldev_question *q)
{
	return nla_put_u8(msg, RDMA_NLDEV_SYS_ATTR_NETNS_MODE,
			  ib_netns_shared()) ?:
	       nla_put_u8(msg, RDMA_NLDEV_SYS_ATTR_PRIVILEGED_QKEY_MODE,
			  READ_ONCE(ib_privileged_qkey)) ?:
	       nla_put_u8(msg, RDMA_NLDEV_SYS_ATTR_COPY_ON_FORK, 1);
}

int nldev_fill_chardev(struct sk_buff *msg, const struct nldev_question *q)
{
	char name[IB_DEVICE_NAME_MAX];
	u64 devt, abi;
	int ret;

	if (!q->device)
		return ib_refuse(IB_LAYER_CORE, -EOPNOTSUPP,
				 "no character device stands for all devices",
				 0, 0);
	ret = ib_client_chardev(q->device, q->chardev, &devt, &abi, name,
				sizeof(name));
	if (ret)
		return ret;
	if (!strcmp(q->chardev, "uverbs")) {
		ret = nla_put_u32(msg, RDMA_NLDEV_ATTR_UVERBS_DRIVER_ID,
				  q->device->ops->driver_id);
		if (ret)
			return ret;
	}
	return nldev_put_u64(msg, RDMA_NLDEV_ATTR_CHARDEV, devt) ?:
	       nldev_put_u64(msg, RDMA_NLDEV_ATTR_CHARDEV_ABI, abi) ?:
	       nla_put_string(msg, RDMA_NLDEV_ATTR_CHARDEV_NAME, name);
}

