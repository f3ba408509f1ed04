/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Between the dispatcher of the nldev family (nldev.c) and the functions that
 * fill its messages.
 */
#ifndef IB_CORE_NLDEV_H
#define IB_CORE_NLDEV_H

#include <net/netlink.h>
#include <rdma/rdma_netlink.h>
#include <ib/object.h>

struct ib_device;
struct net;

/**
 * struct nldev_question - what a message is to be filled for
 * @net: namespace of the asker's socket
 * @device: the device, or NULL; in use (ib_device_use())
 * @port: number of the port, 0 for none
 * @id: number of the object that is asked for
 * @chardev: type of character device that is asked for
 * @admin: the asker may see keys
 */
struct nldev_question {
	const struct net	*net;
	struct ib_device	*device;
	u32			port;
	u32			id;
	char			chardev[RDMA_NLDEV_ATTR_CHARDEV_TYPE_SIZE];
	bool			admin;
};

/**
 * struct nldev_resource - how objects of a type are shown
 * @type: which objects
 * @table: attribute of the list
 * @entry: attribute of an object in the list
 * @id: attribute of an object's number
 * @per_port: an object is asked for by port and number
 * @find: the object with a number, to be read; NULL for its number in core
 * @fill: put the attributes of an object; -EAGAIN: it is of another port
 */
struct nldev_resource {
	enum ib_object_type	type;
	u16			table;
	u16			entry;
	u16			id;
	bool			per_port;
	struct ib_object	*(*find)(struct ib_device *device, u32 id);
	int			(*fill)(struct sk_buff *msg,
					const struct nldev_question *q,
					struct ib_object *obj);
};

static inline int nldev_put_u64(struct sk_buff *msg, int attr, u64 value)
{
	return nla_put_u64_64bit(msg, attr, value, RDMA_NLDEV_ATTR_PAD);
}

/* nldev.c */
extern const struct nla_policy nldev_policy[RDMA_NLDEV_ATTR_MAX];
int ib_nldev_receive(struct sk_buff *skb, struct nlmsghdr *nlh,
		     struct netlink_ext_ack *extack, unsigned int op);

/* nldev_dev.c */
int nldev_put_handle(struct sk_buff *msg, const struct ib_device *device);
int nldev_fill_device(struct sk_buff *msg, const struct nldev_question *q);
int nldev_fill_port(struct sk_buff *msg, const struct nldev_question *q);
int nldev_fill_system(struct sk_buff *msg, const struct nldev_question *q);
int nldev_fill_chardev(struct sk_buff *msg, const struct nldev_question *q);

/* nldev_res.c */
int nldev_fill_summary(struct sk_buff *msg, const struct nldev_question *q);
int nldev_fill_object(struct sk_buff *msg, const struct nldev_resource *res,
		      const struct nldev_question *q);
int nldev_fill_objects(struct sk_buff *msg, const struct nldev_resource *res,
		       const struct nldev_question *q, unsigned long *next);

/* nldev_set.c */
int nldev_set_device(struct sk_buff *skb, struct nlattr *const *tb);
int nldev_set_system(struct sk_buff *skb, struct nlattr *const *tb);

/* nldev_resource.c */
extern const struct nldev_resource nldev_ctx;
extern const struct nldev_resource nldev_pd;
extern const struct nldev_resource nldev_cq;
extern const struct nldev_resource nldev_qp;
extern const struct nldev_resource nldev_srq;
extern const struct nldev_resource nldev_mr;
extern const struct nldev_resource nldev_mr_stat;

#endif /* IB_CORE_NLDEV_H */
