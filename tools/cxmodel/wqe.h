/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Send work requests, decoded.
 */
#ifndef CXM_WQE_H
#define CXM_WQE_H

#include "packet.h"
#include "rq.h"
#include <connectx/prm_cqc.h>
#include <connectx/prm_wqe.h>

/* Bounds what one QP can have in work, and so its memory. */
#define CXM_SQ_INFLIGHT	128

/* Why a work request failed: what its CQE will say. */
struct cxm_why {
	u8	syndrome;	/* enum cx_cqe_syndrome, 0: it did not fail */
	u8	vendor;
};

static inline struct cxm_why cxm_why(u8 syndrome, u8 vendor)
{
	return (struct cxm_why){ syndrome, vendor };
}

/*
 * A send WQE from fetch to completion. It occupies PSNs @psn to
 * @psn + @npsn - 1 once it was started; what never leaves (NOP, UMR) and
 * what is not numbered before sent has none.
 */
struct cxm_swqe {
	struct cxm_swqe	*next;
	u16		counter;	/* index of its first block */
	u16		blocks;
	u8		opcode;		/* enum cx_wqe_opcode */
	u8		opmod;
	u8		fm_ce_se;
	u8		flags;		/* CXM_PKT_IMM, CXM_PKT_INV */
	enum cxm_pkt_kind kind;		/* CXM_PKT_RESERVED: local operation */
	struct cxm_why	why;		/* reported when it is the oldest */
	bool		started;
	bool		lost;		/* a planned fault: it never ends */
	u32		psn;
	u32		npsn;
	u32		answered;	/* response packets received */
	u32		len;
	__be32		imm;
	u64		raddr;
	u32		rkey;
	u64		swap_add;
	u64		compare;
	u32		srqn;
	struct cx_wqe_av av;
	u32		ds;		/* segments at @raw */
	u8		*raw;		/* the WQE, unwrapped; inline data too */
	u32		nsge;
	struct cxm_sge	sge[];		/* key CXM_KEY_INLINE: addr is in raw */
};

/* No key has index 0; software's zero is turned into another bad one. */
#define CXM_KEY_INLINE	0

/* What real devices say in err_cqe.vendor_synd */
enum cxm_vendor_synd {
	CXM_VENDOR_GATHER = 0x51,
	CXM_VENDOR_READ_SCATTER = 0x33,
	CXM_VENDOR_RECV_SCATTER = 0x56,
	CXM_VENDOR_BAD_WQE = 0x68,
	CXM_VENDOR_UMR = 0x78,
	CXM_VENDOR_RETRY = 0x81,
	CXM_VENDOR_RNR = 0x87,
	CXM_VENDOR_NAK_ACCESS = 0x88,
	CXM_VENDOR_NAK_OP = 0x89,
	CXM_VENDOR_NAK_INVALID = 0x8a,
	CXM_VENDOR_FLUSH_FIRST = 0xf5,
	CXM_VENDOR_FLUSH = 0xf9,
};

/* Size in blocks and opcode of the WQE at @counter; false if unreadable. */
bool cxm_wqe_peek(struct cxm *m, struct cxm_qp *qp, u16 counter, u16 *blocks,
		  u8 *opcode);

/* Fetch and decode; a bad WQE has ->why set. NULL: out of memory. */
struct cxm_swqe *cxm_wqe_fetch(struct cxm *m, struct cxm_qp *qp, u16 counter);

/* Copy @len bytes of its data, from @skip on, to @data. */
enum cxm_mkey_result cxm_wqe_gather(struct cxm *m, struct cxm_qp *qp,
				    const struct cxm_swqe *w, u32 skip,
				    void *data, u32 len);

static inline bool cxm_wqe_has_response(const struct cxm_swqe *w)
{
	return w->kind == CXM_PKT_READ || w->kind == CXM_PKT_CMP_SWAP ||
	       w->kind == CXM_PKT_FETCH_ADD;
}

#endif /* CXM_WQE_H */
