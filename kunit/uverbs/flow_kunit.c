// SPDX-License-Identifier: GPL-2.0-only
/*
 * Flows, their actions and counters in the user ABI, by system calls. The
 * lists of specifications come from hostile users.
 */
#include <kunit/test.h>
#include <linux/cred.h>
#include <linux/module.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <ib/export.h>
#include <ib/flow.h>
#include <ib/qp.h>
#include "flow_spec.h"
#include "kunit/helpers/fake_device.h"
#include "kunit/helpers/fake_user.h"
#include "kunit/helpers/fake_verbs.h"

/**
 * struct filter_case - a header to match; all bytes are 0 but two
 * @name: of the case
 * @type: of the specification
 * @len: bytes of values, and of mask
 * @val_at: offset of a byte of the values that is @byte
 * @mask_at: offset of a byte of the mask that is @byte
 * @byte: what they are
 * @want: errno
 */
struct filter_case {
	const char	*name;
	u32		type;
	u8		len;
	u8		val_at;
	u8		mask_at;
	u8		byte;
	int		want;
};

static const struct filter_case filter_cases[] = {
	{ "Ethernet", IB_FLOW_SPEC_ETH, 16, 0, 15, 0xff, 0 },
	{ "Ethernet, older", IB_FLOW_SPEC_ETH, 12, 0, 11, 0xff, 0 },
	{ "Ethernet, newer", IB_FLOW_SPEC_ETH, 32, 0, 15, 0xff, 0 },
	{ "Ethernet, newer mask", IB_FLOW_SPEC_ETH, 32, 0, 16, 1, -EINVAL },
	{ "Ethernet, newer value", IB_FLOW_SPEC_ETH, 32, 16, 0, 1, 0 },
	{ "Ethernet, empty", IB_FLOW_SPEC_ETH, 0, 0, 0, 0, -EINVAL },
	{ "Ethernet, odd", IB_FLOW_SPEC_ETH, 14, 0, 0, 0, -EINVAL },
	{ "inner Ethernet", IB_FLOW_SPEC_ETH | IB_FLOW_SPEC_INNER, 16, 0, 0,
	  1, 0 },
	{ "IPv4", IB_FLOW_SPEC_IPV4, 12, 4, 4, 0xff, 0 },
	{ "IPv6", IB_FLOW_SPEC_IPV6, 40, 0, 0, 0xff, 0 },
	{ "IPv6, flow label", IB_FLOW_SPEC_IPV6, 40, 33, 33, 0x0f, 0 },
	{ "IPv6, flow label too large", IB_FLOW_SPEC_IPV6, 40, 33, 0, 0x10,
	  -EINVAL },
	{ "IPv6, flow mask too large", IB_FLOW_SPEC_IPV6, 40, 0, 32, 1,
	  -EINVAL },
	{ "IPv6, without flow label", IB_FLOW_SPEC_IPV6, 32, 31, 31, 0xff, 0 },
	{ "IPv6, reserved mask", IB_FLOW_SPEC_IPV6, 40, 0, 39, 1, -EINVAL },
	{ "IPv6, reserved value", IB_FLOW_SPEC_IPV6, 40, 39, 0, 1, 0 },
	{ "ESP", IB_FLOW_SPEC_ESP, 8, 0, 7, 1, 0 },
	{ "TCP", IB_FLOW_SPEC_TCP, 4, 0, 3, 1, 0 },
	{ "UDP", IB_FLOW_SPEC_UDP, 4, 0, 3, 1, 0 },
	{ "VXLAN", IB_FLOW_SPEC_VXLAN, 4, 1, 1, 0xff, 0 },
	{ "VXLAN, too large", IB_FLOW_SPEC_VXLAN, 4, 0, 1, 1, -EINVAL },
	{ "VXLAN, mask too large", IB_FLOW_SPEC_VXLAN, 4, 1, 0, 1, -EINVAL },
	{ "inner VXLAN", IB_FLOW_SPEC_VXLAN | IB_FLOW_SPEC_INNER, 4, 1, 1, 1,
	  -EINVAL },
	{ "GRE", IB_FLOW_SPEC_GRE, 8, 0, 7, 1, 0 },
	{ "MPLS", IB_FLOW_SPEC_MPLS, 4, 0, 3, 1, 0 },
	{ "InfiniBand", 0x22, 4, 0, 0, 1, -EINVAL },
	{ "none", 0, 4, 0, 0, 1, -EINVAL },
	{ "inner none", IB_FLOW_SPEC_INNER, 4, 0, 0, 1, -EINVAL },
	{ "another bit", IB_FLOW_SPEC_ETH | 0x200, 16, 0, 0, 1, -EINVAL },
};

static void filter_desc(const struct filter_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(filter, filter_cases, filter_desc);

static void filters(struct kunit *test)
{
	const struct filter_case *c = test->param_value;
	struct ib_flow_spec spec = {};
	u8 data[96] = {};
	size_t known = min_t(size_t, c->len, sizeof(spec.val));

	data[c->val_at] = c->byte;
	data[c->len + c->mask_at] = c->byte;
	KUNIT_EXPECT_EQ(test, c->want,
			uverbs_flow_filter(&spec, c->type, data, c->len));
	if (c->want)
		return;
	KUNIT_EXPECT_EQ(test, c->type, spec.type);
	KUNIT_EXPECT_MEMEQ(test, (u8 *)&spec.mask, data + c->len,
			   min(known, 39));
	if (c->val_at < known && c->val_at != 16 && c->val_at != 39)
		KUNIT_EXPECT_EQ(test, c->byte, ((u8 *)&spec.val)[c->val_at]);
}

struct bed {
	struct kunit		*test;
	struct fake_device	*fake;
	struct fake_user	*user;
	u32			qp;
};

static struct bed make_bed(struct kunit *test, u8 qp_type)
{
	struct bed bed = { test, fake_device_register(test) };
	u32 pd, cq;

	bed.user = fake_user_open(test, bed.fake);
	pd = fake_user_pd(bed.user);
	cq = fake_user_cq(bed.user);
	bed.qp = fake_verbs_qp(bed.user, pd, cq, qp_type);
	return bed;
}

/* A request and its list, as bytes */
struct flow_cmd {
	struct ib_uverbs_create_flow	head;
	u8				specs[256];
};

static struct flow_cmd flow(const struct bed *bed)
{
	return (struct flow_cmd) {
		.head.qp_handle = bed->qp,
		.head.flow_attr.port = 1,
	};
}

static void add_bytes(struct flow_cmd *cmd, u32 type, u16 size, u16 reserved,
		      const void *data, size_t len)
{
	u8 *pos = cmd->specs + cmd->head.flow_attr.size;
	struct ib_uverbs_flow_spec_hdr hdr = {
		.type = type, .size = size, .reserved = reserved,
	};

	memcpy(pos, &hdr, sizeof(hdr));
	memcpy(pos + sizeof(hdr), data, len);
	cmd->head.flow_attr.size += sizeof(hdr) + len;
	cmd->head.flow_attr.num_of_specs++;
}

static void add_spec(struct flow_cmd *cmd, u32 type, const void *data,
		     size_t len)
{
	add_bytes(cmd, type, sizeof(struct ib_uverbs_flow_spec_hdr) + len, 0,
		  data, len);
}

static void add_number(struct flow_cmd *cmd, u32 type, u32 num)
{
	u32 data[2] = { num };

	add_spec(cmd, type, data, sizeof(data));
}

static int create(struct bed *bed, const struct flow_cmd *cmd, u32 *handle)
{
	struct ib_uverbs_create_flow_resp resp = {};
	int ret;

	ret = fake_verbs_extended(bed->user, IB_USER_VERBS_EX_CMD_CREATE_FLOW,
				  cmd, sizeof(cmd->head) +
				  ALIGN(cmd->head.flow_attr.size, 8),
				  &resp, sizeof(resp));
	*handle = resp.flow_handle;
	return ret;
}

static int destroy(struct bed *bed, u32 handle)
{
	struct ib_uverbs_destroy_flow cmd = { .flow_handle = handle };

	return fake_verbs_extended(bed->user, IB_USER_VERBS_EX_CMD_DESTROY_FLOW,
				   &cmd, sizeof(cmd), NULL, 0);
}

static u32 new_counters(struct bed *bed)
{
	struct fake_attr attr = { .id = UVERBS_ATTR_CREATE_COUNTERS_HANDLE };

	KUNIT_ASSERT_EQ(bed->test, 0,
			fake_user_call(bed->user, UVERBS_OBJECT_COUNTERS,
				       UVERBS_METHOD_COUNTERS_CREATE, &attr,
				       1));
	return attr.data;
}

static int destroy_counters(struct bed *bed, u32 handle)
{
	return fake_verbs_destroy(bed->user, UVERBS_OBJECT_COUNTERS,
				  UVERBS_METHOD_COUNTERS_DESTROY,
				  UVERBS_ATTR_DESTROY_COUNTERS_HANDLE, handle);
}

static int destroy_action(struct bed *bed, u32 handle)
{
	return fake_verbs_destroy(bed->user, UVERBS_OBJECT_FLOW_ACTION,
				  UVERBS_METHOD_FLOW_ACTION_DESTROY,
				  UVERBS_ATTR_DESTROY_FLOW_ACTION_HANDLE,
				  handle);
}

/* The driver's method; @counters: handles, @num of them */
static int make_action(struct bed *bed, u8 shape, u16 len, const void *data,
		       const u32 *counters, unsigned int num, u32 *handle)
{
	struct fake_attr attrs[] = {
		{ .id = FAKE_ATTR_ACTION_HANDLE },
		{ .id = FAKE_ATTR_ACTION_SHAPE, .len = len, .in = data,
		  .choice = shape },
		{ .id = FAKE_ATTR_ACTION_COUNTERS, .len = num * sizeof(u32),
		  .in = counters },
	};
	int ret;

	ret = fake_user_call(bed->user, UVERBS_OBJECT_FLOW_ACTION,
			     FAKE_METHOD_MAKE_ACTION, attrs, num ? 3 : 2);
	*handle = attrs[0].data;
	return ret;
}

static u32 new_action(struct bed *bed)
{
	u32 data = 5, handle;

	KUNIT_ASSERT_EQ(bed->test, 0,
			make_action(bed, 0, sizeof(data), &data, NULL, 0,
				    &handle));
	return handle;
}

static void flow_life(struct bed *bed)
{
	struct ib_uverbs_flow_tcp_udp_filter tcp[2] = {
		{ .dst_port = cpu_to_be16(80) },
		{ .dst_port = cpu_to_be16(0xffff) },
	};
	u32 counters = new_counters(bed), action = new_action(bed), handle;
	struct ib_flow_spec *specs = bed->fake->raw.specs;
	struct flow_cmd cmd = flow(bed);
	struct kunit *test = bed->test;

	add_spec(&cmd, IB_FLOW_SPEC_TCP, tcp, sizeof(tcp));
	add_number(&cmd, IB_FLOW_SPEC_TAG, 0x1234);
	add_number(&cmd, IB_FLOW_SPEC_ACTION, action);
	add_number(&cmd, IB_FLOW_SPEC_COUNT, counters);
	add_spec(&cmd, IB_FLOW_SPEC_DROP, tcp, 0);
	KUNIT_ASSERT_EQ(test, 0, create(bed, &cmd, &handle));
	KUNIT_EXPECT_EQ(test, 5, bed->fake->raw.num_specs);
	KUNIT_EXPECT_MEMEQ(test, &specs[0].val.tcp_udp, &tcp[0], 4);
	KUNIT_EXPECT_MEMEQ(test, &specs[0].mask.tcp_udp, &tcp[1], 4);
	KUNIT_EXPECT_EQ(test, 0x1234, specs[1].tag);
	KUNIT_EXPECT_EQ(test, IB_FLOW_SPEC_DROP, specs[4].type);
	KUNIT_EXPECT_EQ(test, 2, bed->fake->raw.flow->num_used);

	KUNIT_EXPECT_EQ(test, -EBUSY, destroy_counters(bed, counters));
	KUNIT_EXPECT_EQ(test, -EBUSY, destroy_action(bed, action));
	KUNIT_EXPECT_EQ(test, 1,
			atomic_read(&bed->fake->raw.flow->qp->obj.usecnt));
	bed->fake->fail = -EAGAIN;
	KUNIT_EXPECT_EQ(test, -EAGAIN, destroy(bed, handle));
	KUNIT_EXPECT_EQ(test, 0, destroy(bed, handle));
	KUNIT_EXPECT_EQ(test, -ENOENT, destroy(bed, handle));
	KUNIT_EXPECT_EQ(test, 0, destroy_counters(bed, counters));
	KUNIT_EXPECT_EQ(test, 0, destroy_action(bed, action));

	/* without specifications, and gone by the native method */
	cmd = flow(bed);
	cmd.head.flow_attr.type = IB_FLOW_ALL_DEFAULT;
	KUNIT_ASSERT_EQ(test, 0, create(bed, &cmd, &handle));
	KUNIT_EXPECT_EQ(test, 0,
			fake_verbs_destroy(bed->user, UVERBS_OBJECT_FLOW,
					   UVERBS_METHOD_FLOW_DESTROY,
					   UVERBS_ATTR_DESTROY_FLOW_HANDLE,
					   handle));
	bed->fake->fail = -ENOSPC;
	KUNIT_EXPECT_EQ(test, -ENOSPC, create(bed, &cmd, &handle));
}

static void flows(struct kunit *test)
{
	struct bed bed = make_bed(test, IB_UVERBS_QPT_UD);

	flow_life(&bed);
	bed.user->invoke = true;
	flow_life(&bed);
	/* context, PD, CQ, QP */
	KUNIT_EXPECT_EQ(test, 4, bed.fake->made);
}

static void expect_refused(struct bed *bed, const struct flow_cmd *cmd,
			   int err)
{
	u32 handle;

	KUNIT_EXPECT_EQ_MSG(bed->test, err, create(bed, cmd, &handle), "%s",
			    fake_user_why(bed->user));
	KUNIT_EXPECT_EQ(bed->test, 4, bed->fake->made);
}

static void hostile_lists(struct kunit *test)
{
	struct bed bed = make_bed(test, IB_UVERBS_QPT_UD);
	struct flow_cmd cmd, none = flow(&bed);
	u8 zero[64] = {};
	u16 size;

	/* sizes that are no sizes: nothing may be read before or behind */
	for (size = 0; size < 8; size++) {
		cmd = none;
		add_bytes(&cmd, IB_FLOW_SPEC_ETH, size, 0, zero, 32);
		expect_refused(&bed, &cmd, -EINVAL);
		cmd = none;
		add_bytes(&cmd, IB_FLOW_SPEC_TAG, size, 0, zero, 8);
		expect_refused(&bed, &cmd, -EINVAL);
	}
	cmd = none;
	add_bytes(&cmd, IB_FLOW_SPEC_ETH, 48, 0, zero, 32);
	expect_refused(&bed, &cmd, -EINVAL);
	cmd = none;
	add_bytes(&cmd, IB_FLOW_SPEC_ETH, U16_MAX, 0, zero, 32);
	expect_refused(&bed, &cmd, -EINVAL);
	cmd = none;
	add_bytes(&cmd, IB_FLOW_SPEC_ETH, 40, 1, zero, 32);
	expect_refused(&bed, &cmd, -EINVAL);

	/* more announced than there, and less */
	cmd = none;
	add_spec(&cmd, IB_FLOW_SPEC_ETH, zero, 32);
	cmd.head.flow_attr.num_of_specs = 2;
	expect_refused(&bed, &cmd, -EINVAL);
	cmd = none;
	add_spec(&cmd, IB_FLOW_SPEC_ETH, zero, 32);
	add_spec(&cmd, IB_FLOW_SPEC_DROP, zero, 0);
	cmd.head.flow_attr.num_of_specs = 1;
	expect_refused(&bed, &cmd, -EINVAL);
	cmd = none;
	add_spec(&cmd, IB_FLOW_SPEC_DROP, zero, 0);
	cmd.head.flow_attr.size += 4;
	expect_refused(&bed, &cmd, -EINVAL);

	/* actions of another size, handles of nothing */
	cmd = none;
	add_spec(&cmd, IB_FLOW_SPEC_DROP, zero, 8);
	expect_refused(&bed, &cmd, -EINVAL);
	cmd = none;
	add_spec(&cmd, IB_FLOW_SPEC_ACTION, zero, 4);
	expect_refused(&bed, &cmd, -EOPNOTSUPP);
	cmd = none;
	add_spec(&cmd, IB_FLOW_SPEC_COUNT, zero, 4);
	expect_refused(&bed, &cmd, -EINVAL);
	cmd = none;
	add_number(&cmd, IB_FLOW_SPEC_COUNT, 77);
	expect_refused(&bed, &cmd, -ENOENT);
	cmd = none;
	add_number(&cmd, IB_FLOW_SPEC_ACTION, bed.qp);
	expect_refused(&bed, &cmd, -EINVAL);
	cmd = none;
	add_number(&cmd, 0x1004, 0);
	expect_refused(&bed, &cmd, -EINVAL);
}

static void bad_flows(struct kunit *test)
{
	struct bed bed = make_bed(test, IB_UVERBS_QPT_UD);
	struct flow_cmd cmd, none = flow(&bed);

	cmd = none;
	cmd.head.comp_mask = 1;
	expect_refused(&bed, &cmd, -EINVAL);
	cmd = none;
	cmd.head.flow_attr.flags = IB_FLOW_FLAGS_END;
	expect_refused(&bed, &cmd, -EINVAL);
	cmd = none;
	cmd.head.flow_attr.flags = IB_FLOW_DONT_TRAP;
	cmd.head.flow_attr.type = IB_FLOW_MC_DEFAULT;
	expect_refused(&bed, &cmd, -EINVAL);
	cmd = none;
	cmd.head.flow_attr.num_of_specs = IB_FLOW_MAX_SPECS + 1;
	expect_refused(&bed, &cmd, -EINVAL);
	cmd = none;
	cmd.head.flow_attr.num_of_specs = 1;
	cmd.head.flow_attr.size = sizeof(struct ib_uverbs_flow_spec_ipv6) + 8;
	expect_refused(&bed, &cmd, -EINVAL);
	cmd = none;
	cmd.head.flow_attr.reserved[1] = 1;
	expect_refused(&bed, &cmd, -EINVAL);
	cmd = none;
	cmd.head.flow_attr.port = 2;
	expect_refused(&bed, &cmd, -EINVAL);
	cmd = none;
	cmd.head.qp_handle = 77;
	expect_refused(&bed, &cmd, -ENOENT);

	bed = make_bed(test, IB_UVERBS_QPT_RC);
	cmd = flow(&bed);
	expect_refused(&bed, &cmd, -EINVAL);
	KUNIT_EXPECT_STREQ(test, "flows do not lead to a QP of type 2",
			   fake_user_why(bed.user));
}

static void flows_need_a_right(struct kunit *test)
{
	struct bed bed = make_bed(test, IB_UVERBS_QPT_UD);
	struct cred *weak = prepare_creds();
	struct flow_cmd cmd = flow(&bed);
	const struct cred *old;
	u32 handle;
	int ret;

	KUNIT_ASSERT_NOT_NULL(test, weak);
	cap_lower(weak->cap_effective, CAP_NET_RAW);
	/* write() is for the credentials of open() */
	bed.user->invoke = true;
	old = override_creds(weak);
	ret = create(&bed, &cmd, &handle);
	revert_creds(old);
	put_cred(weak);
	KUNIT_EXPECT_EQ(test, -EPERM, ret);
	KUNIT_EXPECT_STREQ(test, "flows need CAP_NET_RAW",
			   fake_user_why(bed.user));
	KUNIT_EXPECT_EQ(test, 0, create(&bed, &cmd, &handle));
}

static int read_counters(struct bed *bed, u32 handle, u64 flags, u64 *values,
			 u16 len)
{
	struct fake_attr attrs[] = {
		{ .id = UVERBS_ATTR_READ_COUNTERS_HANDLE, .data = handle },
		{ .id = UVERBS_ATTR_READ_COUNTERS_FLAGS, .len = 8,
		  .data = flags },
		{ .id = UVERBS_ATTR_READ_COUNTERS_BUFF, .len = len,
		  .out = values },
	};

	return fake_user_call(bed->user, UVERBS_OBJECT_COUNTERS,
			      UVERBS_METHOD_COUNTERS_READ, attrs, 3);
}

static void counters(struct kunit *test)
{
	struct bed bed = make_bed(test, IB_UVERBS_QPT_UD);
	u32 handle = new_counters(&bed), flow_handle;
	struct flow_cmd cmd = flow(&bed);
	u64 values[4] = {};

	KUNIT_EXPECT_EQ(test, -EINVAL,
			read_counters(&bed, handle, 0, values, 32));
	KUNIT_EXPECT_STREQ(test, "no flow counts here",
			   fake_user_why(bed.user));
	add_number(&cmd, IB_FLOW_SPEC_COUNT, handle);
	KUNIT_ASSERT_EQ(test, 0, create(&bed, &cmd, &flow_handle));
	KUNIT_EXPECT_EQ(test, 0,
			read_counters(&bed, handle, 1, values, 32));
	KUNIT_EXPECT_EQ(test, 1, bed.fake->raw.read_flags);
	KUNIT_EXPECT_EQ(test, 12, values[2]);
	KUNIT_EXPECT_EQ(test, 0, values[3]);
	/* less room, and room for less than one */
	memset(values, 0xff, sizeof(values));
	KUNIT_EXPECT_EQ(test, 0, read_counters(&bed, handle, 0, values, 15));
	KUNIT_EXPECT_EQ(test, 10, values[0]);
	KUNIT_EXPECT_EQ(test, 0, read_counters(&bed, handle, 0, values, 4));
	KUNIT_EXPECT_EQ(test, -EINVAL,
			read_counters(&bed, handle, 2, values, 32));
	bed.fake->fail = -EIO;
	KUNIT_EXPECT_EQ(test, -EIO,
			read_counters(&bed, handle, 0, values, 32));

	/* whatever the order of the handles, the flow goes first */
	fake_user_close(bed.user);
	KUNIT_EXPECT_EQ(test, 0, bed.fake->made);
}

static void shapes(struct kunit *test)
{
	struct bed bed = make_bed(test, IB_UVERBS_QPT_UD);
	struct fake_raw *raw = &bed.fake->raw;
	u64 data[3] = { 11, 12 };
	u32 handle;

	KUNIT_EXPECT_EQ(test, 0,
			make_action(&bed, 0, 4, data, NULL, 0, &handle));
	KUNIT_EXPECT_EQ(test, 0, raw->shape);
	KUNIT_EXPECT_EQ(test, 11, raw->shape_data[0]);
	KUNIT_EXPECT_EQ(test, 0, raw->shape_data[1]);
	KUNIT_EXPECT_EQ(test, 0,
			make_action(&bed, 2, 24, data, NULL, 0, &handle));
	KUNIT_EXPECT_EQ(test, 2, raw->shape);
	KUNIT_EXPECT_EQ(test, 12, raw->shape_data[1]);
	data[2] = 1;
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP,
			make_action(&bed, 2, 24, data, NULL, 0, &handle));
	KUNIT_EXPECT_EQ(test, -EINVAL,
			make_action(&bed, 2, 8, data, NULL, 0, &handle));
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP,
			make_action(&bed, 1, 4, data, NULL, 0, &handle));
	KUNIT_EXPECT_STREQ(test, "shape 1 is not there",
			   fake_user_why(bed.user));
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP,
			make_action(&bed, 3, 4, data, NULL, 0, &handle));
	bed.fake->fail = -ENOSPC;
	KUNIT_EXPECT_EQ(test, -ENOSPC,
			make_action(&bed, 0, 4, data, NULL, 0, &handle));
	KUNIT_EXPECT_EQ(test, 6, bed.fake->made);
}

static int with_counters(struct bed *bed, const u32 *counters,
			 unsigned int num)
{
	u32 data = 0, handle;

	return make_action(bed, 0, sizeof(data), &data, counters, num,
			   &handle);
}

static void arrays(struct kunit *test)
{
	struct bed bed = make_bed(test, IB_UVERBS_QPT_UD);
	u32 all[FAKE_MAX_COUNTERS + 1];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(all); i++)
		all[i] = i < 3 ? new_counters(&bed) : all[i - 3];
	/* in the attribute itself, behind it, more than a call has room for */
	for (i = 1; i <= FAKE_MAX_COUNTERS; i++) {
		KUNIT_EXPECT_EQ(test, 0, with_counters(&bed, all, i));
		KUNIT_EXPECT_EQ(test, i, bed.fake->raw.num_counters);
	}
	KUNIT_EXPECT_EQ(test, -EINVAL,
			with_counters(&bed, all, FAKE_MAX_COUNTERS + 1));
	all[15] = 77;
	KUNIT_EXPECT_EQ(test, -ENOENT,
			with_counters(&bed, all, FAKE_MAX_COUNTERS));
	all[15] = bed.qp;
	KUNIT_EXPECT_EQ(test, -EINVAL,
			with_counters(&bed, all, FAKE_MAX_COUNTERS));
	/* those in front of the bad one were given back */
	KUNIT_EXPECT_EQ(test, 0, destroy_counters(&bed, all[0]));
	KUNIT_EXPECT_EQ(test, -ENOENT, with_counters(&bed, all, 1));
}

static struct kunit_case flow_cases[] = {
	KUNIT_CASE_PARAM(filters, filter_gen_params),
	KUNIT_CASE(flows),
	KUNIT_CASE(hostile_lists),
	KUNIT_CASE(bad_flows),
	KUNIT_CASE(flows_need_a_right),
	KUNIT_CASE(counters),
	KUNIT_CASE(shapes),
	KUNIT_CASE(arrays),
	{}
};

static struct kunit_suite flow_suite = {
	.name		= "ib_uverbs_flow",
	.test_cases	= flow_cases,
};
kunit_test_suite(flow_suite);

MODULE_DESCRIPTION("KUnit: flows in the user ABI");
MODULE_IMPORT_NS(IB_NS);
MODULE_IMPORT_NS(IB_KUNIT_NS);
MODULE_LICENSE("GPL");
