// SPDX-License-Identifier: GPL-2.0-only
/* What is spoilt around the parts of a call: headers, counts, placement. */
#include <string.h>

#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>

#include "abi_envelope.h"
#include "abi_memory.h"
#include "abi_request.h"

/* Stop the rows from being written more than once. */
#define IOCTL_OP(fn, statement) \
	static void fn(struct abi_request *q) \
	{ \
		struct call *c = q->data; \
		\
		statement; \
	}

IOCTL_OP(length_plus_1, c->hdr.length++)
IOCTL_OP(length_minus_1, c->hdr.length--)
IOCTL_OP(length_plus_16, c->hdr.length += 16)
IOCTL_OP(length_minus_16, c->hdr.length -= 16)
IOCTL_OP(length_0, c->hdr.length = 0)
IOCTL_OP(length_max, c->hdr.length = 0xffff)
IOCTL_OP(count_plus_1, c->hdr.num_attrs++)
IOCTL_OP(count_minus_1, c->hdr.num_attrs--)
IOCTL_OP(count_0, c->hdr.num_attrs = 0)
IOCTL_OP(count_max, c->hdr.num_attrs = 0xffff)
IOCTL_OP(none, (c->hdr.num_attrs = 0, c->hdr.length = sizeof(c->hdr)))
IOCTL_OP(fewer, (c->hdr.num_attrs--, c->hdr.length -= sizeof(c->attrs[0])))
IOCTL_OP(reserved1, c->hdr.reserved1 = 1)
IOCTL_OP(reserved1_high, c->hdr.reserved1 = 1ull << 63)
IOCTL_OP(reserved2, c->hdr.reserved2 = 1)
IOCTL_OP(driver_0, c->hdr.driver_id = 0)
IOCTL_OP(driver_next, c->hdr.driver_id++)
IOCTL_OP(driver_max, c->hdr.driver_id = 0xffffffff)
IOCTL_OP(object_next, c->hdr.object_id++)
IOCTL_OP(object_unknown, c->hdr.object_id = 0x1e)
IOCTL_OP(object_max, c->hdr.object_id = 0xffff)
IOCTL_OP(object_driver, c->hdr.object_id ^= ABI_DRIVER_NS)
IOCTL_OP(object_bit13, c->hdr.object_id |= 0x2000)
IOCTL_OP(method_next, c->hdr.method_id++)
IOCTL_OP(method_unknown, c->hdr.method_id = 0x1d)
IOCTL_OP(method_write, c->hdr.method_id = 0x1e)
IOCTL_OP(method_max, c->hdr.method_id = 0xffff)
IOCTL_OP(method_driver, c->hdr.method_id ^= ABI_DRIVER_NS)
IOCTL_OP(method_bit13, c->hdr.method_id |= 0x2000)
IOCTL_OP(readonly, q->data = abi_readonly(c, c->hdr.length))
IOCTL_OP(null, (void)c; q->data = NULL)
IOCTL_OP(nowhere, (void)c; q->data = (void *)ABI_NOWHERE)
IOCTL_OP(in_kernel, (void)c; q->data = (void *)ABI_KERNEL)
IOCTL_OP(command_next, (void)c; q->ioctl = _IOWR(RDMA_IOCTL_MAGIC, 2, char))
IOCTL_OP(command_size, (void)c; q->ioctl = _IOWR(RDMA_IOCTL_MAGIC, 1, char))

/* All but the last byte is mapped. */
static void over_edge(struct abi_request *q)
{
	struct call *c = q->data;
	unsigned int len = c->hdr.length;

	q->data = memmove((char *)abi_edge(REGION_CALL) + 2 - len, c, len - 1);
}

static void swap_attrs(struct abi_request *q)
{
	struct call *c = q->data;
	struct ib_uverbs_attr first = c->attrs[0];
	unsigned int last = c->hdr.num_attrs - 1;

	if (!c->hdr.num_attrs)
		return;
	c->attrs[0] = c->attrs[last];
	c->attrs[last] = first;
}

const struct abi_envelope abi_ioctl_envelopes[] = {
	{ "hdr.length", "+1", length_plus_1 },
	{ "hdr.length", "-1", length_minus_1 },
	{ "hdr.length", "+16", length_plus_16 },
	{ "hdr.length", "-16", length_minus_16 },
	{ "hdr.length", "0", length_0 },
	{ "hdr.length", "max", length_max },
	{ "hdr.num_attrs", "+1", count_plus_1 },
	{ "hdr.num_attrs", "-1", count_minus_1 },
	{ "hdr.num_attrs", "0", count_0 },
	{ "hdr.num_attrs", "max", count_max },
	{ "hdr.num_attrs", "none", none },
	{ "hdr.num_attrs", "fewer", fewer, true },
	{ "hdr.reserved1", "1", reserved1 },
	{ "hdr.reserved1", "bit63", reserved1_high },
	{ "hdr.reserved2", "1", reserved2 },
	{ "hdr.driver_id", "0", driver_0 },
	{ "hdr.driver_id", "+1", driver_next },
	{ "hdr.driver_id", "max", driver_max },
	{ "hdr.object_id", "+1", object_next, true },
	{ "hdr.object_id", "unknown", object_unknown, true },
	{ "hdr.object_id", "max", object_max, true },
	{ "hdr.object_id", "driver", object_driver, true },
	{ "hdr.object_id", "bit13", object_bit13, true },
	{ "hdr.method_id", "+1", method_next, true },
	{ "hdr.method_id", "unknown", method_unknown, true },
	{ "hdr.method_id", "write", method_write, true },
	{ "hdr.method_id", "max", method_max, true },
	{ "hdr.method_id", "driver", method_driver, true },
	{ "hdr.method_id", "bit13", method_bit13, true },
	{ "call", "read-only", readonly },
	{ "call", "over-edge", over_edge },
	{ "call", "null", null },
	{ "call", "nowhere", nowhere },
	{ "call", "kernel", in_kernel },
	{ "call", "swapped", swap_attrs },
	{ "ioctl", "next", command_next },
	{ "ioctl", "size", command_size },
};

const unsigned int abi_num_ioctl_envelopes = LENGTH(abi_ioctl_envelopes);

/* --- write() -------------------------------------------------------------- */

struct write_hdr {
	struct ib_uverbs_cmd_hdr hdr;
	struct ib_uverbs_ex_cmd_hdr ex;
};

#define WRITE_OP(fn, statement) \
	static void fn(struct abi_request *q) \
	{ \
		struct write_hdr *h = q->data; \
		\
		statement; \
	}

WRITE_OP(in_plus_1, h->hdr.in_words++)
WRITE_OP(in_minus_1, h->hdr.in_words--)
WRITE_OP(in_0, h->hdr.in_words = 0)
WRITE_OP(in_max, h->hdr.in_words = 0xffff)
WRITE_OP(out_plus_1, h->hdr.out_words++)
WRITE_OP(out_minus_1, h->hdr.out_words--)
WRITE_OP(out_0, h->hdr.out_words = 0)
WRITE_OP(out_max, h->hdr.out_words = 0xffff)
WRITE_OP(cmd_next, h->hdr.command++)
WRITE_OP(cmd_3f, h->hdr.command |= 0x3f)
WRITE_OP(cmd_ff, h->hdr.command |= 0xff)
WRITE_OP(cmd_bit8, h->hdr.command |= 0x100)
WRITE_OP(cmd_bit30, h->hdr.command |= 1u << 30)
WRITE_OP(cmd_extended, h->hdr.command ^= IB_USER_VERBS_CMD_FLAG_EXTENDED)
WRITE_OP(bytes_minus_1, (void)h; q->len--)
WRITE_OP(bytes_minus_4, (void)h; q->len -= 4)
WRITE_OP(bytes_plus_4, (void)h; q->len += 4)
WRITE_OP(bytes_plus_8, (void)h; q->len += 8)
WRITE_OP(bytes_0, (void)h; q->len = 0)
WRITE_OP(bytes_7, (void)h; q->len = 7)
WRITE_OP(bytes_8, (void)h; q->len = 8)
WRITE_OP(longer_4, h->hdr.in_words++; q->len += 4)
WRITE_OP(longer_8, (h->hdr.in_words += q->m->extended ? 1 : 2, q->len += 8))
WRITE_OP(more_driver_in, h->ex.provider_in_words++)
WRITE_OP(max_driver_in, h->ex.provider_in_words = 0xffff)
WRITE_OP(more_driver_out, h->ex.provider_out_words++)
WRITE_OP(moved_in, h->ex.provider_in_words++; h->hdr.in_words--)
WRITE_OP(ex_reserved, h->ex.cmd_hdr_reserved = 1)
WRITE_OP(ex_response_0, h->ex.response = 0)
WRITE_OP(ex_response_kernel, h->ex.response = ABI_KERNEL)
WRITE_OP(write_null, (void)h; q->data = NULL)
WRITE_OP(write_nowhere, (void)h; q->data = (void *)ABI_NOWHERE)

static void write_over_edge(struct abi_request *q)
{
	q->data = memmove((char *)abi_edge(REGION_CALL) + 2 - q->len, q->data,
			  q->len - 1);
}

/* Extended ones behind the plain ones */
const struct abi_envelope abi_write_envelopes[] = {
	{ "hdr.in_words", "+1", in_plus_1 },
	{ "hdr.in_words", "-1", in_minus_1 },
	{ "hdr.in_words", "0", in_0 },
	{ "hdr.in_words", "max", in_max },
	{ "hdr.out_words", "+1", out_plus_1 },
	{ "hdr.out_words", "-1", out_minus_1 },
	{ "hdr.out_words", "0", out_0 },
	{ "hdr.out_words", "max", out_max },
	{ "hdr.command", "+1", cmd_next, true },
	{ "hdr.command", "3f", cmd_3f, true },
	{ "hdr.command", "ff", cmd_ff, true },
	{ "hdr.command", "bit8", cmd_bit8, true },
	{ "hdr.command", "bit30", cmd_bit30, true },
	{ "hdr.command", "extended", cmd_extended, true },
	{ "bytes", "-1", bytes_minus_1 },
	{ "bytes", "-4", bytes_minus_4 },
	{ "bytes", "+4", bytes_plus_4 },
	{ "bytes", "+8", bytes_plus_8 },
	{ "bytes", "0", bytes_0 },
	{ "bytes", "7", bytes_7 },
	{ "bytes", "8", bytes_8 },
	{ "bytes", "longer-4", longer_4 },
	{ "bytes", "longer-8", longer_8 },
	{ "call", "null", write_null },
	{ "call", "nowhere", write_nowhere },
	{ "call", "over-edge", write_over_edge },
	{ "hdr.provider_in_words", "+1", more_driver_in },
	{ "hdr.provider_in_words", "max", max_driver_in },
	{ "hdr.provider_in_words", "moved", moved_in },
	{ "hdr.provider_out_words", "+1", more_driver_out },
	{ "hdr.cmd_hdr_reserved", "1", ex_reserved },
	{ "hdr.response", "0", ex_response_0 },
	{ "hdr.response", "kernel", ex_response_kernel },
};

const unsigned int abi_num_write_envelopes = LENGTH(abi_write_envelopes);
const unsigned int abi_num_plain_envelopes = LENGTH(abi_write_envelopes) - 7;
