// SPDX-License-Identifier: GPL-2.0-only
/*
 * The opcode space of the base transport header.
 */
#include "packet.h"

#define CXM_PKT_OPS	0x20

#define FIRST	CXM_PKT_FIRST
#define LAST	CXM_PKT_LAST
#define ONLY	(CXM_PKT_FIRST | CXM_PKT_LAST)
#define IMM	CXM_PKT_IMM
#define INV	CXM_PKT_INV

/* Bits 4:0 of the opcode; the services share the numbers. */
static const struct cxm_pkt_op {
	const char	*name;
	u8		kind;
	u8		flags;
} cxm_pkt_ops[CXM_PKT_OPS] = {
	[0x00] = { "SEND_FIRST", CXM_PKT_SEND, FIRST },
	[0x01] = { "SEND_MIDDLE", CXM_PKT_SEND, 0 },
	[0x02] = { "SEND_LAST", CXM_PKT_SEND, LAST },
	[0x03] = { "SEND_LAST_IMM", CXM_PKT_SEND, LAST | IMM },
	[0x04] = { "SEND_ONLY", CXM_PKT_SEND, ONLY },
	[0x05] = { "SEND_ONLY_IMM", CXM_PKT_SEND, ONLY | IMM },
	[0x06] = { "WRITE_FIRST", CXM_PKT_WRITE, FIRST },
	[0x07] = { "WRITE_MIDDLE", CXM_PKT_WRITE, 0 },
	[0x08] = { "WRITE_LAST", CXM_PKT_WRITE, LAST },
	[0x09] = { "WRITE_LAST_IMM", CXM_PKT_WRITE, LAST | IMM },
	[0x0a] = { "WRITE_ONLY", CXM_PKT_WRITE, ONLY },
	[0x0b] = { "WRITE_ONLY_IMM", CXM_PKT_WRITE, ONLY | IMM },
	[0x0c] = { "READ_REQUEST", CXM_PKT_READ, ONLY },
	[0x0d] = { "READ_RESP_FIRST", CXM_PKT_READ_RESP, FIRST },
	[0x0e] = { "READ_RESP_MIDDLE", CXM_PKT_READ_RESP, 0 },
	[0x0f] = { "READ_RESP_LAST", CXM_PKT_READ_RESP, LAST },
	[0x10] = { "READ_RESP_ONLY", CXM_PKT_READ_RESP, ONLY },
	[0x11] = { "ACK", CXM_PKT_ACK, ONLY },
	[0x12] = { "ATOMIC_ACK", CXM_PKT_ATOMIC_ACK, ONLY },
	[0x13] = { "CMP_SWAP", CXM_PKT_CMP_SWAP, ONLY },
	[0x14] = { "FETCH_ADD", CXM_PKT_FETCH_ADD, ONLY },
	[0x16] = { "SEND_LAST_INV", CXM_PKT_SEND, LAST | INV },
	[0x17] = { "SEND_ONLY_INV", CXM_PKT_SEND, ONLY | INV },
};

static const struct cxm_pkt_op *cxm_pkt_op(u8 opcode)
{
	return &cxm_pkt_ops[opcode & (CXM_PKT_OPS - 1)];
}

enum cxm_pkt_kind cxm_pkt_kind(u8 opcode)
{
	return cxm_pkt_op(opcode)->kind;
}

u8 cxm_pkt_flags(u8 opcode)
{
	return cxm_pkt_op(opcode)->flags;
}

u8 cxm_pkt_opcode(enum cxm_pkt_service service, enum cxm_pkt_kind kind,
		  u8 flags)
{
	u8 i;

	for (i = 0; i < CXM_PKT_OPS; i++)
		if (cxm_pkt_ops[i].kind == kind &&
		    cxm_pkt_ops[i].flags == flags)
			return service | i;
	__builtin_trap();
}

const char *cxm_pkt_name(u8 opcode)
{
	const char *name = cxm_pkt_op(opcode)->name;

	return name ? name : "RESERVED";
}
