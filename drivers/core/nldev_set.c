// SPDX-License-Identifier: GPL-2.0-only
/* What an administrator may change: names, namespaces, modes. */
#include <net/net_namespace.h>
#include <net/sock.h>
#include "core_priv.h"
#include "nldev.h"

static int set_name(struct ib_device *device, const struct nlattr *attr)
{
	char name[IB_DEVICE_NAME_MAX];

	nla_strscpy(name, attr, sizeof(name));
	return ib_device_rename(device, name);
}

static int set_net(struct sk_buff *skb, struct ib_device *device,
		   const struct nlattr *attr)
{
	struct net *net = get_net_ns_by_fd(nla_get_u32(attr));
	int ret;

	if (IS_ERR(net))
		return ib_refuse(IB_LAYER_CORE, PTR_ERR(net),
				 "descriptor %llu is no network namespace",
				 nla_get_u32(attr), 0);
	if (!netlink_ns_capable(skb, net->user_ns, CAP_NET_ADMIN))
		ret = ib_refuse(IB_LAYER_CORE, -EPERM,
				"no CAP_NET_ADMIN in the new namespace", 0, 0);
	else
		ret = ib_device_set_net(device, sock_net(skb->sk), net);
	put_net(net);
	return ret;
}

/*
 * Adaptive moderation is that of kernel queues which core polls. There are none
 * yet: the wish is kept, as the stock kernel keeps it for queues to come.
 */
static int set_dim(struct ib_device *device, const struct nlattr *attr)
{
	u8 on = nla_get_u8(attr);

	if (on > 1)
		return ib_refuse(IB_LAYER_CORE, -EINVAL,
				 "mode %llu is not 0 or 1", on, 0);
	WRITE_ONCE(device->use_dim, on);
	return 0;
}

static int __set_device(struct sk_buff *skb, struct ib_device *device,
			struct nlattr *const *tb)
{
	lockdep_assert_held(&ib_registration_lock);
	if (tb[RDMA_NLDEV_ATTR_DEV_NAME])
		return set_name(device, tb[RDMA_NLDEV_ATTR_DEV_NAME]);
	if (tb[RDMA_NLDEV_NET_NS_FD])
		return set_net(skb, device, tb[RDMA_NLDEV_NET_NS_FD]);
	if (tb[RDMA_NLDEV_ATTR_DEV_DIM])
		return set_dim(device, tb[RDMA_NLDEV_ATTR_DEV_DIM]);
	return 0;
}

int nldev_set_device(struct sk_buff *skb, struct nlattr *const *tb)
{
	const struct nlattr *index = tb[RDMA_NLDEV_ATTR_DEV_INDEX];
	struct ib_device *device;
	int ret;

	if (!index)
		return ib_refuse(IB_LAYER_CORE, -EINVAL, "which device?", 0, 0);
	mutex_lock(&ib_registration_lock);
	down_read(&ib_devices_lock);
	device = __ib_device_by_index(sock_net(skb->sk), nla_get_u32(index));
	up_read(&ib_devices_lock);
	/* ib_registration_lock keeps it */
	if (device)
		ret = __set_device(skb, device, tb);
	else
		ret = ib_refuse(IB_LAYER_CORE, -EINVAL,
				"no RDMA device has this index", 0, 0);
	mutex_unlock(&ib_registration_lock);
	return ret;
}

int nldev_set_system(struct sk_buff *skb, struct nlattr *const *tb)
{
	const struct nlattr *mode = tb[RDMA_NLDEV_SYS_ATTR_NETNS_MODE];
	const struct nlattr *qkey = tb[RDMA_NLDEV_SYS_ATTR_PRIVILEGED_QKEY_MODE];

	if (mode && nla_get_u8(mode) <= 1)
		return ib_netns_set_shared(nla_get_u8(mode));
	if (!mode && qkey && nla_get_u8(qkey) <= 1) {
		WRITE_ONCE(ib_privileged_qkey, nla_get_u8(qkey));
		return 0;
	}
	return ib_refuse(IB_LAYER_CORE, -EINVAL,
			 "no mode that is 0 or 1", 0, 0);
}
