// SPDX-License-Identifier: GPL-2.0-only
/*
 * The specifications of a flow: a list of headers with lengths, from user
 * space. A header to match has two halves of one size, values and mask; a
 * half may be shorter than ours, then the rest does not count, or longer,
 * when the mask is zero there.
 */
#include <linux/string.h>
#include <linux/unaligned.h>
#include <kunit/visibility.h>
#include <ib/flow.h>
#include "bundle.h"
#include "flow_spec.h"
#include "uverbs_priv.h"

#define HDR_SIZE	sizeof(struct ib_uverbs_flow_spec_hdr)

/**
 * struct filter_kind - a header that can be matched
 * @type: enum ib_flow_spec_type
 * @size: bytes of values and of mask that we know
 * @no_inner: makes no sense inside of a tunnel
 * @num_at: offset of a big-endian number that has less than 32 bits
 * @num_bits: its bits, 0 for none
 */
struct filter_kind {
	u32	type;
	u8	size;
	bool	no_inner;
	u8	num_at;
	u8	num_bits;
};

static const struct filter_kind filter_kinds[] = {
	{ IB_FLOW_SPEC_ETH, sizeof(struct ib_uverbs_flow_eth_filter) },
	{ IB_FLOW_SPEC_IPV4, sizeof(struct ib_uverbs_flow_ipv4_filter) },
	{ IB_FLOW_SPEC_IPV6,
	  offsetof(struct ib_uverbs_flow_ipv6_filter, reserved),
	  .num_at = offsetof(struct ib_uverbs_flow_ipv6_filter, flow_label),
	  .num_bits = 20 },
	{ IB_FLOW_SPEC_ESP, sizeof(struct ib_uverbs_flow_spec_esp_filter) },
	{ IB_FLOW_SPEC_TCP, sizeof(struct ib_uverbs_flow_tcp_udp_filter) },
	{ IB_FLOW_SPEC_UDP, sizeof(struct ib_uverbs_flow_tcp_udp_filter) },
	{ IB_FLOW_SPEC_VXLAN, sizeof(struct ib_uverbs_flow_tunnel_filter),
	  .no_inner = true, .num_bits = 24 },
	{ IB_FLOW_SPEC_GRE, sizeof(struct ib_uverbs_flow_gre_filter) },
	{ IB_FLOW_SPEC_MPLS, sizeof(struct ib_uverbs_flow_mpls_filter) },
};

static const struct filter_kind *find_kind(u32 type)
{
	bool inner = type & IB_FLOW_SPEC_INNER;
	const struct filter_kind *kind = filter_kinds;

	for (; kind < filter_kinds + ARRAY_SIZE(filter_kinds); kind++) {
		if (kind->type == (type & ~IB_FLOW_SPEC_INNER))
			return inner && kind->no_inner ? NULL : kind;
	}
	return NULL;
}

static bool number_fits(const struct filter_kind *kind,
			const union ib_flow_filter *filter)
{
	const u8 *bytes = (const u8 *)filter;

	return !kind->num_bits ||
		!(get_unaligned_be32(bytes + kind->num_at) >> kind->num_bits);
}

/**
 * uverbs_flow_filter() - decode a header that packets are matched with
 * @spec: zeroed; filled in
 * @type: as user space has it
 * @data: values and mask, in two halves
 * @len: bytes of one half
 *
 * Context: Any context.
 * Return: 0 or -EINVAL.
 */
int uverbs_flow_filter(struct ib_flow_spec *spec, u32 type, const u8 *data,
		       size_t len)
{
	const struct filter_kind *kind = find_kind(type);
	size_t known;

	if (!kind)
		return ib_refuse(IB_LAYER_UVERBS, -EINVAL,
				 "no flow specification of type 0x%llx", type,
				 0);
	if (!len || len % 4)
		return ib_refuse(IB_LAYER_UVERBS, -EINVAL,
				 "flow specification 0x%llx with %llu bytes of mask",
				 type, len);
	known = min(len, kind->size);
	if (memchr_inv(data + len + known, 0, len - known))
		return ib_refuse(IB_LAYER_UVERBS, -EINVAL,
				 "unknown fields behind byte %llu of flow specification 0x%llx",
				 known, type);

	spec->type = type;
	memcpy(&spec->val, data, known);
	memcpy(&spec->mask, data + len, known);
	if (!number_fits(kind, &spec->val) || !number_fits(kind, &spec->mask))
		return ib_refuse(IB_LAYER_UVERBS, -EINVAL,
				 "flow specification 0x%llx: a number has more than %llu bits",
				 type, kind->num_bits);
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(uverbs_flow_filter);

/* What is done to packets: one number, a handle or a tag */
static int decode_number(struct ib_uverbs_flow_spec_hdr *hdr, const u8 *pos,
			 u32 *num)
{
	if (hdr->size != sizeof(struct ib_uverbs_flow_spec_action_handle))
		return ib_refuse(IB_LAYER_UVERBS,
				 hdr->type == IB_FLOW_SPEC_ACTION ?
				 -EOPNOTSUPP : -EINVAL,
				 "flow specification 0x%llx of %llu bytes",
				 hdr->type, hdr->size);
	memcpy(num, pos + HDR_SIZE, sizeof(*num));
	return 0;
}

static int decode_action(struct uverbs_bundle *b, struct ib_flow_spec *spec,
			 struct ib_uverbs_flow_spec_hdr *hdr, const u8 *pos)
{
	u32 handle;
	int ret;

	spec->type = hdr->type;
	switch (hdr->type) {
	case IB_FLOW_SPEC_TAG:
		return decode_number(hdr, pos, &spec->tag);
	case IB_FLOW_SPEC_DROP:
		if (hdr->size == HDR_SIZE)
			return 0;
		return uverbs_refuse(-EINVAL, "dropping takes no data");
	case IB_FLOW_SPEC_ACTION:
		ret = decode_number(hdr, pos, &handle);
		if (ret)
			return ret;
		spec->action = uverbs_get_object(b, UVERBS_OBJECT_FLOW_ACTION,
						 handle);
		return PTR_ERR_OR_ZERO(spec->action);
	case IB_FLOW_SPEC_COUNT:
		ret = decode_number(hdr, pos, &handle);
		if (ret)
			return ret;
		spec->counters = uverbs_get_object(b, UVERBS_OBJECT_COUNTERS,
						   handle);
		return PTR_ERR_OR_ZERO(spec->counters);
	}
	return ib_refuse(IB_LAYER_UVERBS, -EINVAL,
			 "no flow specification of type 0x%llx", hdr->type, 0);
}

static int decode_spec(struct uverbs_bundle *b, struct ib_flow_spec *spec,
		       struct ib_uverbs_flow_spec_hdr *hdr, const u8 *pos)
{
	if (hdr->reserved)
		return uverbs_refuse(-EINVAL,
				     "reserved field of a flow specification is set");
	if (hdr->type >= IB_FLOW_SPEC_TAG)
		return decode_action(b, spec, hdr, pos);
	if (hdr->size < HDR_SIZE)
		return ib_refuse(IB_LAYER_UVERBS, -EINVAL,
				 "flow specification of %llu bytes", hdr->size,
				 0);
	return uverbs_flow_filter(spec, hdr->type, pos + HDR_SIZE,
				  (hdr->size - HDR_SIZE) / 2);
}

/**
 * uverbs_flow_specs() - decode the specifications of a flow
 * @b: the call; it holds the objects that are named
 * @attr: zeroed but for num_specs; the specifications are filled in
 * @pos: the list, kernel copy
 * @left: its bytes
 *
 * Context: May sleep.
 * Return: 0 or a negative errno.
 */
int uverbs_flow_specs(struct uverbs_bundle *b, struct ib_flow_attr *attr,
		      const u8 *pos, size_t left)
{
	struct ib_uverbs_flow_spec_hdr hdr;
	unsigned int i;
	int ret;

	for (i = 0; i < attr->num_specs; i++) {
		if (left < HDR_SIZE)
			break;
		memcpy(&hdr, pos, HDR_SIZE);
		if (left < hdr.size)
			break;
		ret = decode_spec(b, &attr->specs[i], &hdr, pos);
		if (ret)
			return ret;
		pos += hdr.size;
		left -= hdr.size;
	}
	if (left || i != attr->num_specs)
		return ib_refuse(IB_LAYER_UVERBS, -EINVAL,
				 "%llu flow specifications found, %llu bytes left",
				 i, left);
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(uverbs_flow_specs);
