/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef IB_CORE_NLDEV_H
#define IB_CORE_NLDEV_H

struct netlink_ext_ack;
struct nlmsghdr;
struct sk_buff;

int ib_nldev_receive(struct sk_buff *skb, struct nlmsghdr *nlh,
		     struct netlink_ext_ack *extack, unsigned int command);

#endif /* IB_CORE_NLDEV_H */
