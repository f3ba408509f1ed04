// SPDX-License-Identifier: GPL-2.0-only
/*
 * The questions of libibverbs and of iproute2's rdma(8). A command is a row:
 * what it is about, which attribute it needs, and who fills the message. One
 * function each answers single questions and dumps.
 */
#include <net/sock.h>
#include "core_priv.h"
#include "nldev.h"

enum subject {
	SUBJECT_NONE,		/* nobody answers */
	SUBJECT_SYSTEM,
	SUBJECT_DEVICE,
	SUBJECT_PORT,
	SUBJECT_RESOURCE,	/* objects of a type; none exist without a row */
	SUBJECT_STATISTIC,	/* as RESOURCE, the type is in the message */
};

/**
 * struct command - how a command is answered
 * @set: does what the message says, for commands that change something
 * @subject: what it is about
 * @fill: fills the message, unless it is about objects
 * @resource: which objects; NULL for a type that never has any
 * @needs: attribute that a single question must have, or 0
 * @dumps: there is a list
 * @admin: needs CAP_NET_ADMIN
 */
struct command {
	int				(*set)(struct sk_buff *skb,
					       struct nlattr *const *tb);
	enum subject			subject;
	int				(*fill)(struct sk_buff *msg,
						const struct nldev_question *q);
	const struct nldev_resource	*resource;
	u16				needs;
	bool				dumps;
	bool				admin;
};

const struct nla_policy nldev_policy[RDMA_NLDEV_ATTR_MAX] = {
	[RDMA_NLDEV_ATTR_DEV_INDEX]	= { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_DEV_NAME]	= {
		.type = NLA_NUL_STRING, .len = IB_DEVICE_NAME_MAX,
	},
	[RDMA_NLDEV_ATTR_DEV_DIM]	= { .type = NLA_U8 },
	[RDMA_NLDEV_ATTR_PORT_INDEX]	= { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_CHARDEV_TYPE]	= {
		.type = NLA_NUL_STRING,
		.len = RDMA_NLDEV_ATTR_CHARDEV_TYPE_SIZE,
	},
	[RDMA_NLDEV_ATTR_RES_LQPN]	= { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_RES_CM_IDN]	= { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_RES_CQN]	= { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_RES_MRN]	= { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_RES_PDN]	= { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_RES_CTXN]	= { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_RES_SRQN]	= { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_STAT_RES]	= { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_STAT_COUNTER_ID] = { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_DRIVER_DETAILS] = { .type = NLA_U8 },
	[RDMA_NLDEV_NET_NS_FD]		= { .type = NLA_U32 },
	[RDMA_NLDEV_SYS_ATTR_NETNS_MODE] = { .type = NLA_U8 },
	[RDMA_NLDEV_SYS_ATTR_PRIVILEGED_QKEY_MODE] = { .type = NLA_U8 },
};

#define RESOURCE(_resource, _id) { \
	.subject = SUBJECT_RESOURCE, .resource = (_resource), \
	.needs = (_id), .dumps = true }

static const struct command commands[RDMA_NLDEV_NUM_OPS] = {
	[RDMA_NLDEV_CMD_GET] = {
		.subject = SUBJECT_DEVICE, .fill = nldev_fill_device,
		.dumps = true,
	},
	[RDMA_NLDEV_CMD_PORT_GET] = {
		.subject = SUBJECT_PORT, .fill = nldev_fill_port,
		.dumps = true,
	},
	[RDMA_NLDEV_CMD_SYS_GET] = {
		.subject = SUBJECT_SYSTEM, .fill = nldev_fill_system,
	},
	[RDMA_NLDEV_CMD_GET_CHARDEV] = {
		.subject = SUBJECT_SYSTEM, .fill = nldev_fill_chardev,
		.needs = RDMA_NLDEV_ATTR_CHARDEV_TYPE,
	},
	[RDMA_NLDEV_CMD_RES_GET] = {
		.subject = SUBJECT_DEVICE, .fill = nldev_fill_summary,
		.dumps = true,
	},
	[RDMA_NLDEV_CMD_RES_QP_GET] =
		RESOURCE(&nldev_qp, RDMA_NLDEV_ATTR_RES_LQPN),
	[RDMA_NLDEV_CMD_RES_CM_ID_GET] =
		RESOURCE(NULL, RDMA_NLDEV_ATTR_RES_CM_IDN),
	[RDMA_NLDEV_CMD_RES_CQ_GET] =
		RESOURCE(&nldev_cq, RDMA_NLDEV_ATTR_RES_CQN),
	[RDMA_NLDEV_CMD_RES_MR_GET] =
		RESOURCE(&nldev_mr, RDMA_NLDEV_ATTR_RES_MRN),
	[RDMA_NLDEV_CMD_RES_PD_GET] =
		RESOURCE(&nldev_pd, RDMA_NLDEV_ATTR_RES_PDN),
	[RDMA_NLDEV_CMD_RES_CTX_GET] =
		RESOURCE(&nldev_ctx, RDMA_NLDEV_ATTR_RES_CTXN),
	[RDMA_NLDEV_CMD_RES_SRQ_GET] =
		RESOURCE(&nldev_srq, RDMA_NLDEV_ATTR_RES_SRQN),
	[RDMA_NLDEV_CMD_SET] = { .set = nldev_set_device, .admin = true },
	[RDMA_NLDEV_CMD_SYS_SET] = { .set = nldev_set_system, .admin = true },
	/* nobody answers, but others are not even told that */
	[RDMA_NLDEV_CMD_NEWLINK] = { .admin = true },
	[RDMA_NLDEV_CMD_DELLINK] = { .admin = true },
	[RDMA_NLDEV_CMD_STAT_SET] = { .admin = true },
	[RDMA_NLDEV_CMD_STAT_DEL] = { .admin = true },
	[RDMA_NLDEV_CMD_RES_QP_GET_RAW] = { .admin = true },
	[RDMA_NLDEV_CMD_RES_CQ_GET_RAW] = { .admin = true },
	[RDMA_NLDEV_CMD_RES_MR_GET_RAW] = { .admin = true },
	[RDMA_NLDEV_CMD_RES_SRQ_GET_RAW] = { .admin = true },
	[RDMA_NLDEV_CMD_STAT_GET] = {
		.subject = SUBJECT_STATISTIC, .dumps = true,
		.needs = RDMA_NLDEV_ATTR_STAT_RES,
	},
};

/* Say why to whoever asked, and to the tracepoint. */
#define refuse(extack, err, why) ({					\
	NL_SET_ERR_MSG(extack, why);					\
	ib_refuse(IB_LAYER_CORE, err, why, 0, 0);			\
})

/* Which objects a question is about, NULL for none that can exist */
static int find_resource(const struct command *command,
			 struct nlattr *const *tb,
			 const struct nldev_resource **resource,
			 struct netlink_ext_ack *extack)
{
	*resource = command->resource;
	if (command->subject != SUBJECT_STATISTIC)
		return 0;
	if (!tb[RDMA_NLDEV_ATTR_STAT_RES])
		return refuse(extack, -EINVAL, "statistic of what?");
	switch (nla_get_u32(tb[RDMA_NLDEV_ATTR_STAT_RES])) {
	case RDMA_NLDEV_ATTR_RES_MR:
		*resource = &nldev_mr_stat;
		return 0;
	case RDMA_NLDEV_ATTR_RES_QP:
		/* counters that are bound to queue pairs */
		*resource = NULL;
		return 0;
	default:
		return refuse(extack, -EINVAL, "no statistic of this type");
	}
}

static int parse_port(struct nldev_question *q, struct nlattr *const *tb,
		      enum subject subject, struct netlink_ext_ack *extack)
{
	const struct nlattr *port = tb[RDMA_NLDEV_ATTR_PORT_INDEX];

	if (!port && subject != SUBJECT_PORT)
		return 0;
	if (!port || !q->device)
		return refuse(extack, -EINVAL, "which port of which device?");
	q->port = nla_get_u32(port);
	if (!ib_port_of(q->device, q->port))
		return refuse(extack, -EINVAL, "the device has no such port");
	return 0;
}

/* The device, if there is one, is in use then, whatever is returned. */
static int parse_question(struct nldev_question *q, struct nlattr *const *tb,
			  enum subject subject, struct netlink_ext_ack *extack)
{
	const struct nlattr *index = tb[RDMA_NLDEV_ATTR_DEV_INDEX];

	if (index) {
		q->device = ib_device_use(q->net, nla_get_u32(index));
		if (!q->device)
			return refuse(extack, -EINVAL,
				      "no RDMA device has this index");
	} else if (subject != SUBJECT_SYSTEM) {
		return refuse(extack, -EINVAL, "which device?");
	}
	if (tb[RDMA_NLDEV_ATTR_CHARDEV_TYPE])
		nla_strscpy(q->chardev, tb[RDMA_NLDEV_ATTR_CHARDEV_TYPE],
			    sizeof(q->chardev));
	return parse_port(q, tb, subject, extack);
}

static void end_question(struct nldev_question *q)
{
	if (q->device)
		ib_device_unuse(q->device);
}

static int fill_answer(struct sk_buff *msg, const struct command *command,
		       struct nldev_question *q, struct nlattr *const *tb,
		       struct netlink_ext_ack *extack)
{
	const struct nldev_resource *resource;
	int ret;

	if (command->fill)
		return command->fill(msg, q);
	ret = find_resource(command, tb, &resource, extack);
	if (ret)
		return ret;
	if (!resource)
		return refuse(extack, -ENOENT, "no object of this type");
	if (!tb[resource->id])
		return refuse(extack, -EINVAL, "which object?");
	q->id = nla_get_u32(tb[resource->id]);
	return nldev_fill_object(msg, resource, q);
}

static int answer(struct sk_buff *skb, const struct nlmsghdr *nlh,
		  const struct command *command, struct nlattr *const *tb,
		  struct netlink_ext_ack *extack)
{
	struct nldev_question q = { .net = sock_net(skb->sk) };
	u32 portid = NETLINK_CB(skb).portid;
	struct nlmsghdr *reply;
	struct sk_buff *msg;
	int ret;

	if (command->needs && !tb[command->needs])
		return refuse(extack, -EINVAL, "which one?");
	msg = nlmsg_new(NLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!msg)
		return refuse(extack, -ENOMEM, "no memory for a reply");
	reply = nlmsg_put(msg, portid, nlh->nlmsg_seq, nlh->nlmsg_type, 0, 0);

	q.admin = netlink_capable(skb, CAP_NET_ADMIN);
	ret = reply ? parse_question(&q, tb, command->subject, extack) :
		      -EMSGSIZE;
	if (!ret)
		ret = fill_answer(msg, command, &q, tb, extack);
	end_question(&q);
	if (ret) {
		nlmsg_free(msg);
		return ret;
	}
	nlmsg_end(msg, reply);
	return nlmsg_unicast(skb->sk, msg, portid);
}

static struct nlmsghdr *begin_message(struct sk_buff *skb,
				      struct netlink_callback *cb)
{
	return nlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
			 cb->nlh->nlmsg_type, 0, NLM_F_MULTI);
}

static int dump_one(struct sk_buff *skb, struct netlink_callback *cb,
		    const struct nldev_question *q)
{
	const struct command *command = cb->data;
	struct nlmsghdr *nlh = begin_message(skb, cb);
	int ret;

	if (!nlh)
		return -EMSGSIZE;
	ret = command->fill(skb, q);
	if (ret)
		nlmsg_cancel(skb, nlh);
	else
		nlmsg_end(skb, nlh);
	return ret;
}

/* cb->args[0] counts what went out: devices, or ports of one device. */
static int dump_devices(struct sk_buff *skb, struct netlink_callback *cb,
			struct nldev_question *q)
{
	long n = cb->args[0];
	int ret;

	while ((q->device = ib_device_use_next(q->net, &n))) {
		ret = dump_one(skb, cb, q);
		end_question(q);
		if (ret)
			return ret;
		cb->args[0] = n;
	}
	return 0;
}

/* A port that cannot be asked is left out. */
static int dump_ports(struct sk_buff *skb, struct netlink_callback *cb,
		      struct nldev_question *q)
{
	while (cb->args[0] < q->device->phys_port_cnt) {
		q->port = cb->args[0] + 1;
		if (dump_one(skb, cb, q) == -EMSGSIZE)
			return -EMSGSIZE;
		cb->args[0]++;
	}
	return 0;
}

/* One message holds many objects; cb->args[0] is the next one's number. */
static int dump_objects(struct sk_buff *skb, struct netlink_callback *cb,
			const struct nldev_question *q,
			struct nlattr *const *tb)
{
	const struct nldev_resource *resource;
	unsigned long next = cb->args[0];
	struct nlmsghdr *nlh;
	int ret;

	ret = find_resource(cb->data, tb, &resource, cb->extack);
	if (ret || !resource)
		return ret;
	nlh = begin_message(skb, cb);
	if (!nlh)
		return -EMSGSIZE;
	ret = nldev_fill_objects(skb, resource, q, &next);
	if (ret <= 0) {
		nlmsg_cancel(skb, nlh);
		return ret;
	}
	nlmsg_end(skb, nlh);
	cb->args[0] = next;
	return 0;
}

static int dump_about_device(struct sk_buff *skb, struct netlink_callback *cb,
			     struct nldev_question *q, struct nlattr **tb)
{
	const struct command *command = cb->data;
	int ret;

	if (command->subject == SUBJECT_PORT)
		tb[RDMA_NLDEV_ATTR_PORT_INDEX] = NULL;
	ret = parse_question(q, tb, SUBJECT_DEVICE, cb->extack);
	if (!ret)
		ret = command->subject == SUBJECT_PORT ?
		      dump_ports(skb, cb, q) : dump_objects(skb, cb, q, tb);
	end_question(q);
	return ret;
}

static int dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	const struct command *command = cb->data;
	struct nldev_question q = { .net = sock_net(cb->skb->sk) };
	struct nlattr *tb[RDMA_NLDEV_ATTR_MAX];
	int ret;

	ret = nlmsg_parse_deprecated(cb->nlh, 0, tb, RDMA_NLDEV_ATTR_MAX - 1,
				     nldev_policy, cb->extack);
	if (ret)
		return ib_refuse(IB_LAYER_CORE, -EINVAL,
				 "malformed netlink request", 0, 0);

	q.admin = netlink_capable(cb->skb, CAP_NET_ADMIN);
	if (command->subject == SUBJECT_DEVICE)
		ret = dump_devices(skb, cb, &q);
	else
		ret = dump_about_device(skb, cb, &q, tb);
	return skb->len ? skb->len : ret;
}

static int change(struct sk_buff *skb, const struct nlmsghdr *nlh,
		  struct netlink_ext_ack *extack,
		  const struct command *command)
{
	struct nlattr *tb[RDMA_NLDEV_ATTR_MAX];

	if (nlmsg_parse(nlh, 0, tb, RDMA_NLDEV_ATTR_MAX - 1, nldev_policy,
			extack))
		return ib_refuse(IB_LAYER_CORE, -EINVAL,
				 "malformed netlink request", 0, 0);
	return command->set(skb, tb);
}

/**
 * ib_nldev_receive() - a request of the nldev family
 * @skb: the request
 * @nlh: its header
 * @extack: for a message to the user
 * @op: enum rdma_nldev_command
 *
 * Context: Process context.
 * Return: 0 or a negative errno.
 */
int ib_nldev_receive(struct sk_buff *skb, struct nlmsghdr *nlh,
		     struct netlink_ext_ack *extack, unsigned int op)
{
	struct nlattr *tb[RDMA_NLDEV_ATTR_MAX];
	const struct command *command;
	int ret;

	if (op >= RDMA_NLDEV_NUM_OPS)
		return refuse(extack, -EINVAL, "no such command");
	command = &commands[op];
	if (command->admin && !netlink_capable(skb, CAP_NET_ADMIN))
		return refuse(extack, -EPERM, "needs CAP_NET_ADMIN");
	if (!command->subject && !command->set)
		return refuse(extack, -EINVAL, "command not supported");
	if (nlh->nlmsg_flags & NLM_F_DUMP) {
		struct netlink_dump_control c = {
			.dump = dump,
			.data = (void *)command,
			.module = THIS_MODULE,
		};

		if (!command->dumps)
			return refuse(extack, -EINVAL,
				      "this command lists nothing");
		return netlink_dump_start(skb->sk, skb, nlh, &c);
	}
	if (command->set)
		return change(skb, nlh, extack, command);
	ret = nlmsg_parse_deprecated(nlh, 0, tb, RDMA_NLDEV_ATTR_MAX - 1,
				     nldev_policy, extack);
	if (ret)
		return ib_refuse(IB_LAYER_CORE, -EINVAL,
				 "malformed netlink request", 0, 0);
	return answer(skb, nlh, command, tb, extack);
}
