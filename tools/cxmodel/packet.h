/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One InfiniBand packet, in host order: the fields of its headers that the
 * engine needs, and the payload. What a real wire would add or check (LRH
 * lengths, CRCs) belongs to whoever serialises it.
 */
#ifndef CXM_PACKET_H
#define CXM_PACKET_H

#include "types.h"

#define CXM_MTU_MAX	4096
#define CXM_GRH_BYTES	40
#define CXM_PSN_MASK	0xffffff

enum cxm_pkt_kind {
	CXM_PKT_RESERVED,
	CXM_PKT_SEND,
	CXM_PKT_WRITE,
	CXM_PKT_READ,
	CXM_PKT_CMP_SWAP,
	CXM_PKT_FETCH_ADD,
	CXM_PKT_ACK,		/* from here on: responses */
	CXM_PKT_READ_RESP,
	CXM_PKT_ATOMIC_ACK,
};

/* Place in the message and extension headers, implied by the opcode */
enum cxm_pkt_flags {
	CXM_PKT_FIRST = BIT(0),
	CXM_PKT_LAST = BIT(1),	/* with FIRST: an "only" packet */
	CXM_PKT_IMM = BIT(2),
	CXM_PKT_INV = BIT(3),
};

/* Bits 7:5 of the opcode */
enum cxm_pkt_service {
	CXM_PKT_RC = 0x00,
	CXM_PKT_UC = 0x20,
	CXM_PKT_UD = 0x60,
	CXM_PKT_XRC = 0xa0,
	CXM_PKT_SERVICE_MASK = 0xe0,
};

/* AETH syndrome: kind in 6:5, value in 4:0 */
enum cxm_aeth {
	CXM_AETH_ACK = 0x1f,		/* no credit count */
	CXM_AETH_RNR = 0x20,		/* | timer code */
	CXM_AETH_NAK_SEQUENCE = 0x60,
	CXM_AETH_NAK_INVALID = 0x61,
	CXM_AETH_NAK_ACCESS = 0x62,
	CXM_AETH_NAK_OP = 0x63,
	CXM_AETH_KIND_MASK = 0x60,
	CXM_AETH_VALUE_MASK = 0x1f,
};

struct cxm_packet {
	struct cxm_packet *next;
	/* LRH and GRH */
	u16	slid;
	u16	dlid;
	u8	sl;
	bool	force_lb;	/* not on a wire: loop back whatever the LID */
	bool	has_grh;
	u8	grh[CXM_GRH_BYTES];
	/* BTH */
	u8	opcode;
	bool	solicited;
	bool	ack_req;
	u16	pkey;
	u32	dqpn;
	u32	psn;
	/* AETH */
	u8	syndrome;
	u32	msn;
	/* RETH, AtomicETH */
	u64	va;
	u32	rkey;
	u32	dma_len;
	u64	swap_add;
	u64	compare;
	u64	original;	/* AtomicAckETH */
	__be32	imm;		/* ImmDt, IETH */
	/* DETH */
	u32	qkey;
	u32	sqpn;
	u32	srqn;		/* XRCETH */
	u32	len;
	u8	data[CXM_MTU_MAX];
};

/* What a BTH opcode says. CXM_PKT_RESERVED if it says nothing. */
enum cxm_pkt_kind cxm_pkt_kind(u8 opcode);
u8 cxm_pkt_flags(u8 opcode);

/* The opcode for a kind and flags; the combination must exist. */
u8 cxm_pkt_opcode(enum cxm_pkt_service service, enum cxm_pkt_kind kind,
		  u8 flags);

const char *cxm_pkt_name(u8 opcode);

static inline bool cxm_pkt_is_response(enum cxm_pkt_kind kind)
{
	return kind >= CXM_PKT_ACK;
}

static inline u32 cxm_psn_add(u32 psn, u32 n)
{
	return (psn + n) & CXM_PSN_MASK;
}

/* Distance from @b to @a on the circle of 24 bits: negative if before. */
static inline s32 cxm_psn_diff(u32 a, u32 b)
{
	return (s32)((a - b) << 8) >> 8;
}

/* Packets of a message: an empty one has one, too. */
static inline u32 cxm_pkt_count(u32 len, u32 mtu)
{
	return len ? (len - 1) / mtu + 1 : 1;
}

#endif /* CXM_PACKET_H */
