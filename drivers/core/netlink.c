// SPDX-License-Identifier: GPL-2.0-only
/*
 * The socket NETLINK_RDMA of each network namespace; which devices are seen
 * there is netns.c's business.
 */
#include <net/net_namespace.h>
#include <net/netlink.h>
#include <net/netns/generic.h>
#include <net/sock.h>
#include <rdma/rdma_netlink.h>
#include "core_priv.h"
#include "nldev.h"

static unsigned int netns_id;

struct rdma_netns {
	struct sock	*sock;
};

static int receive_message(struct sk_buff *skb, struct nlmsghdr *nlh,
			   struct netlink_ext_ack *extack)
{
	if (RDMA_NL_GET_CLIENT(nlh->nlmsg_type) != RDMA_NL_NLDEV) {
		NL_SET_ERR_MSG(extack, "only the nldev family is served");
		return ib_refuse(IB_LAYER_CORE, -EINVAL,
				 "netlink family %llu is not served",
				 RDMA_NL_GET_CLIENT(nlh->nlmsg_type), 0);
	}
	return ib_nldev_receive(skb, nlh, extack,
				RDMA_NL_GET_OP(nlh->nlmsg_type));
}

static void receive(struct sk_buff *skb)
{
	netlink_rcv_skb(skb, receive_message);
}

static int netns_init(struct net *net)
{
	struct netlink_kernel_cfg cfg = {
		.groups	= 1,
		.input	= receive,
	};
	struct rdma_netns *ns = net_generic(net, netns_id);

	ns->sock = netlink_kernel_create(net, NETLINK_RDMA, &cfg);
	if (!ns->sock)
		return -EADDRINUSE;
	ib_netns_enter(net);
	return 0;
}

static void netns_exit(struct net *net)
{
	struct rdma_netns *ns = net_generic(net, netns_id);

	ib_netns_leave(net);
	netlink_kernel_release(ns->sock);
}

static struct pernet_operations netns_ops = {
	.init	= netns_init,
	.exit	= netns_exit,
	.id	= &netns_id,
	.size	= sizeof(struct rdma_netns),
};

int ib_netlink_init(void)
{
	int ret = register_pernet_subsys(&netns_ops);

	if (ret)
		pr_err("ib_core: NETLINK_RDMA is taken by another RDMA core: %d\n",
		       ret);
	return ret;
}

void ib_netlink_exit(void)
{
	unregister_pernet_subsys(&netns_ops);
}
