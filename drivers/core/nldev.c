// SPDX-License-Identifier: GPL-2.0-only
/*
 * The questions of libibverbs and of iproute2's rdma(8). A command is a
 * function that fills one message; the table says what it is about, and one
 * function each answers single questions and dumps.
 */
#include <net/netlink.h>
#include <net/sock.h>
#include <rdma/rdma_netlink.h>
#include "core_priv.h"
#include "nldev.h"

/**
 * struct question - what a message is to be filled for
 * @device: the device, or NULL
 * @port: number of the port, 0 for none
 * @chardev: type of character device that is asked for
 */
struct question {
	struct ib_device	*device;
	u32			port;
	char			chardev[RDMA_NLDEV_ATTR_CHARDEV_TYPE_SIZE];
};

enum subject {
	SUBJECT_SYSTEM,
	SUBJECT_DEVICE,
	SUBJECT_PORT,
};

struct command {
	int		(*fill)(struct sk_buff *msg, const struct question *q);
	enum subject	subject;
	bool		dumps;
};

static const struct nla_policy policy[RDMA_NLDEV_ATTR_MAX] = {
	[RDMA_NLDEV_ATTR_DEV_INDEX]	= { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_PORT_INDEX]	= { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_CHARDEV_TYPE]	= {
		.type = NLA_NUL_STRING,
		.len = RDMA_NLDEV_ATTR_CHARDEV_TYPE_SIZE,
	},
};

static int put_u64(struct sk_buff *msg, int attr, u64 value)
{
	return nla_put_u64_64bit(msg, attr, value, RDMA_NLDEV_ATTR_PAD);
}

static int put_handle(struct sk_buff *msg, const struct ib_device *device)
{
	return nla_put_u32(msg, RDMA_NLDEV_ATTR_DEV_INDEX, device->index) ?:
	       nla_put_string(msg, RDMA_NLDEV_ATTR_DEV_NAME, device->name);
}

static bool is_ib(struct ib_device *device, u32 port)
{
	return device->ops->get_link_layer(device, port) == IB_LINK_INFINIBAND;
}

static int fill_device(struct sk_buff *msg, const struct question *q)
{
	struct ib_device *device = q->device;
	u64 node_guid = be64_to_cpu(device->node_guid);
	u64 image_guid = be64_to_cpu(device->attr.sys_image_guid);
	int ret;

	ret = put_handle(msg, device) ?:
	      nla_put_u32(msg, RDMA_NLDEV_ATTR_PORT_INDEX,
			  device->phys_port_cnt) ?:
	      put_u64(msg, RDMA_NLDEV_ATTR_CAP_FLAGS,
		      device->attr.device_cap_flags) ?:
	      put_u64(msg, RDMA_NLDEV_ATTR_NODE_GUID, node_guid) ?:
	      put_u64(msg, RDMA_NLDEV_ATTR_SYS_IMAGE_GUID, image_guid) ?:
	      nla_put_u8(msg, RDMA_NLDEV_ATTR_DEV_NODE_TYPE,
			 device->node_type) ?:
	      nla_put_u8(msg, RDMA_NLDEV_ATTR_DEV_DIM, 0) ?:
	      nla_put_string(msg, RDMA_NLDEV_ATTR_DEV_PROTOCOL,
			     is_ib(device, 1) ? "ib" : "roce");
	if (!ret && device->fw_str[0])
		ret = nla_put_string(msg, RDMA_NLDEV_ATTR_FW_VERSION,
				     device->fw_str);
	return ret;
}

static int fill_ib_port(struct sk_buff *msg, const struct question *q,
			const struct ib_port_attr *attr)
{
	u64 caps = attr->port_cap_flags | (u64)attr->port_cap_flags2 << 32;
	union ib_gid gid;
	int ret;

	ret = ib_query_gid(q->device, q->port, 0, &gid);
	if (ret)
		return ret;
	return put_u64(msg, RDMA_NLDEV_ATTR_CAP_FLAGS, caps) ?:
	       put_u64(msg, RDMA_NLDEV_ATTR_SUBNET_PREFIX,
		       be64_to_cpu(gid.global.subnet_prefix)) ?:
	       nla_put_u32(msg, RDMA_NLDEV_ATTR_LID, attr->lid) ?:
	       nla_put_u32(msg, RDMA_NLDEV_ATTR_SM_LID, attr->sm_lid) ?:
	       nla_put_u8(msg, RDMA_NLDEV_ATTR_LMC, attr->lmc);
}

static int fill_port(struct sk_buff *msg, const struct question *q)
{
	struct ib_port_attr attr;
	int ret;

	ret = ib_query_port(q->device, q->port, &attr);
	if (ret)
		return ret;
	ret = put_handle(msg, q->device) ?:
	      nla_put_u32(msg, RDMA_NLDEV_ATTR_PORT_INDEX, q->port);
	if (!ret && is_ib(q->device, q->port))
		ret = fill_ib_port(msg, q, &attr);
	if (ret)
		return ret;
	return nla_put_u8(msg, RDMA_NLDEV_ATTR_PORT_STATE, attr.state) ?:
	       nla_put_u8(msg, RDMA_NLDEV_ATTR_PORT_PHYS_STATE,
			  attr.phys_state);
}

/* Names as rdma(8) prints them */
static const struct {
	enum ib_object_type	type;
	const char		*name;
} resources[] = {
	{ IB_OBJ_PD,		"pd" },
	{ IB_OBJ_CQ,		"cq" },
	{ IB_OBJ_QP,		"qp" },
	{ IB_OBJ_MR,		"mr" },
	{ IB_OBJ_UCONTEXT,	"ctx" },
	{ IB_OBJ_SRQ,		"srq" },
};

static int put_resource(struct sk_buff *msg, const char *name, u64 count)
{
	struct nlattr *entry;
	int ret;

	entry = nla_nest_start_noflag(msg, RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY);
	if (!entry)
		return -EMSGSIZE;
	ret = nla_put_string(msg, RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_NAME,
			     name) ?:
	      put_u64(msg, RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_CURR, count);
	if (!ret)
		nla_nest_end(msg, entry);
	return ret;
}

static int fill_resources(struct sk_buff *msg, const struct question *q)
{
	struct nlattr *table;
	size_t i;
	int ret;

	ret = put_handle(msg, q->device);
	if (ret)
		return ret;
	table = nla_nest_start_noflag(msg, RDMA_NLDEV_ATTR_RES_SUMMARY);
	if (!table)
		return -EMSGSIZE;
	for (i = 0; i < ARRAY_SIZE(resources) && !ret; i++)
		ret = put_resource(msg, resources[i].name,
				   ib_objects_count(q->device,
						    resources[i].type));
	if (!ret)
		nla_nest_end(msg, table);
	return ret;
}

/* Copy on fork: this kernel copies pinned pages when a process forks. */
static int fill_system(struct sk_buff *msg, const struct question *q)
{
	return nla_put_u8(msg, RDMA_NLDEV_SYS_ATTR_NETNS_MODE, 1) ?:
	       nla_put_u8(msg, RDMA_NLDEV_SYS_ATTR_COPY_ON_FORK, 1);
}

static int fill_chardev(struct sk_buff *msg, const struct question *q)
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
	return put_u64(msg, RDMA_NLDEV_ATTR_CHARDEV, devt) ?:
	       put_u64(msg, RDMA_NLDEV_ATTR_CHARDEV_ABI, abi) ?:
	       nla_put_string(msg, RDMA_NLDEV_ATTR_CHARDEV_NAME, name);
}

static const struct command commands[RDMA_NLDEV_NUM_OPS] = {
	[RDMA_NLDEV_CMD_GET] = { fill_device, SUBJECT_DEVICE, true },
	[RDMA_NLDEV_CMD_PORT_GET] = { fill_port, SUBJECT_PORT, true },
	[RDMA_NLDEV_CMD_RES_GET] = { fill_resources, SUBJECT_DEVICE, true },
	[RDMA_NLDEV_CMD_SYS_GET] = { fill_system, SUBJECT_SYSTEM, false },
	[RDMA_NLDEV_CMD_GET_CHARDEV] = { fill_chardev, SUBJECT_SYSTEM, false },
};

static int fill_message(struct sk_buff *msg, u32 portid,
			const struct nlmsghdr *request, int flags,
			const struct command *command,
			const struct question *q)
{
	struct nlmsghdr *nlh;
	int ret;

	nlh = nlmsg_put(msg, portid, request->nlmsg_seq, request->nlmsg_type,
			0, flags);
	if (!nlh)
		return -EMSGSIZE;
	ret = command->fill(msg, q);
	if (ret)
		nlmsg_cancel(msg, nlh);
	else
		nlmsg_end(msg, nlh);
	return ret;
}

/* Say why to whoever asked, and to the tracepoint. */
#define refuse(extack, err, why) ({					\
	NL_SET_ERR_MSG(extack, why);					\
	ib_refuse(IB_LAYER_CORE, err, why, 0, 0);			\
})

static int parse_port(struct question *q, struct nlattr *const *tb,
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

static int parse_question(struct question *q, struct nlattr *const *tb,
			  enum subject subject, struct netlink_ext_ack *extack)
{
	const struct nlattr *index = tb[RDMA_NLDEV_ATTR_DEV_INDEX];

	lockdep_assert_held(&ib_devices_lock);
	if (index) {
		q->device = __ib_device_by_index(nla_get_u32(index));
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

static int answer(struct sk_buff *skb, const struct nlmsghdr *nlh,
		  const struct command *command, struct nlattr *const *tb,
		  struct netlink_ext_ack *extack)
{
	u32 portid = NETLINK_CB(skb).portid;
	struct question q = {};
	struct sk_buff *msg;
	int ret;

	if (command->fill == fill_chardev && !tb[RDMA_NLDEV_ATTR_CHARDEV_TYPE])
		return refuse(extack, -EINVAL, "which character device?");
	msg = nlmsg_new(NLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!msg)
		return refuse(extack, -ENOMEM, "no memory for the answer");

	down_read(&ib_devices_lock);
	ret = parse_question(&q, tb, command->subject, extack);
	if (!ret)
		ret = fill_message(msg, portid, nlh, 0, command, &q);
	up_read(&ib_devices_lock);
	if (ret) {
		nlmsg_free(msg);
		return ret;
	}
	return nlmsg_unicast(skb->sk, msg, portid);
}

/* cb->args[0] counts what went out: devices, or ports of one device. */
static int dump_one(struct sk_buff *skb, struct netlink_callback *cb,
		    const struct question *q)
{
	return fill_message(skb, NETLINK_CB(cb->skb).portid, cb->nlh,
			    NLM_F_MULTI, cb->data, q);
}

static int dump_devices(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct question q = {};
	long n = 0;
	int ret;

	list_for_each_entry(q.device, &ib_devices, entry) {
		if (n++ < cb->args[0])
			continue;
		ret = dump_one(skb, cb, &q);
		if (ret)
			return ret;
		cb->args[0] = n;
	}
	return 0;
}

/* A port that cannot be asked is left out. */
static int dump_ports(struct sk_buff *skb, struct netlink_callback *cb,
		      struct ib_device *device)
{
	struct question q = { .device = device };

	while (cb->args[0] < device->phys_port_cnt) {
		q.port = cb->args[0] + 1;
		if (dump_one(skb, cb, &q) == -EMSGSIZE)
			return -EMSGSIZE;
		cb->args[0]++;
	}
	return 0;
}

static int dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	const struct command *command = cb->data;
	struct nlattr *tb[RDMA_NLDEV_ATTR_MAX];
	struct question q = {};
	int ret;

	ret = nlmsg_parse_deprecated(cb->nlh, 0, tb, RDMA_NLDEV_ATTR_MAX - 1,
				     policy, cb->extack);
	if (ret)
		return ib_refuse(IB_LAYER_CORE, -EINVAL,
				 "malformed netlink request", 0, 0);

	down_read(&ib_devices_lock);
	if (command->subject == SUBJECT_PORT) {
		tb[RDMA_NLDEV_ATTR_PORT_INDEX] = NULL;
		ret = parse_question(&q, tb, SUBJECT_DEVICE, cb->extack);
		if (!ret)
			ret = dump_ports(skb, cb, q.device);
	} else {
		ret = dump_devices(skb, cb);
	}
	up_read(&ib_devices_lock);
	return skb->len ? skb->len : ret;
}

/**
 * ib_nldev_receive() - a request of the nldev family
 * @skb: the request
 * @nlh: its header
 * @extack: for a message to the user
 * @command: enum rdma_nldev_command
 *
 * Context: Process context.
 * Return: 0 or a negative errno, -EOPNOTSUPP for what is not served.
 */
int ib_nldev_receive(struct sk_buff *skb, struct nlmsghdr *nlh,
		     struct netlink_ext_ack *extack, unsigned int command)
{
	struct nlattr *tb[RDMA_NLDEV_ATTR_MAX];
	int ret;

	if (command >= RDMA_NLDEV_NUM_OPS)
		return refuse(extack, -EINVAL, "no such command");
	if (!commands[command].fill)
		return refuse(extack, -EOPNOTSUPP, "command not supported");
	if (nlh->nlmsg_flags & NLM_F_DUMP) {
		struct netlink_dump_control c = {
			.dump = dump,
			.data = (void *)&commands[command],
		};

		if (!commands[command].dumps)
			return refuse(extack, -EINVAL,
				      "this command lists nothing");
		return netlink_dump_start(skb->sk, skb, nlh, &c);
	}
	ret = nlmsg_parse_deprecated(nlh, 0, tb, RDMA_NLDEV_ATTR_MAX - 1,
				     policy, extack);
	if (ret)
		return ib_refuse(IB_LAYER_CORE, -EINVAL,
				 "malformed netlink request", 0, 0);
	return answer(skb, nlh, &commands[command], tb, extack);
}
