/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ring of a kernel completion queue, whoever owns the queue: its entries
 * are read by a counting index whose lap the owner bit of each entry tells.
 */
#ifndef CX_CQ_RING_H
#define CX_CQ_RING_H

#include <linux/io.h>
#include <linux/types.h>

#include <connectx/prm_cqc.h>
#include <connectx/prm_initseg.h>
#include <connectx/prm_wqe.h>

#include "cx.h"
#include "db.h"
#include "uar.h"

#define CX_ARM_SN_MASK		0x3
#define CX_ARM_SN_NEVER		2	/* an arm with it is stale at first */

/**
 * cx_cqe_ready - did the device write this entry?
 * @cqe: the entry
 * @index: its counting index
 * @entries: of the ring, a power of two
 *
 * The rest of the entry is read after a dma_rmb().
 *
 * Context: Any context.
 * Return: true if it did.
 */
static inline bool cx_cqe_ready(const struct cx_cqe *cqe, u32 index,
				u32 entries)
{
	u8 op_own = READ_ONCE(cqe->op_own);
	bool odd_lap = index & entries;

	return op_own >> 4 != CX_CQE_INVALID &&
	       !!(op_own & CX_CQE_OWNER) == odd_lap;
}

/**
 * cx_cq_ring_init - make a new ring and its doorbell record
 * @mem: the ring
 * @entries: its length, a power of two
 * @bytes: of an entry
 * @db: the record
 *
 * The device also reads arms from the record, and takes one with the sequence
 * number it expects, which is 0 at first; so an untouched record would arm.
 *
 * Context: Any context.
 */
static inline void cx_cq_ring_init(void *mem, u32 entries, size_t bytes,
				   const struct cx_db *db)
{
	struct cx_cqe *cqe;
	u32 i;

	for (i = 0; i < entries; i++) {
		cqe = mem + i * bytes;
		cqe->op_own = CX_CQE_INVALID << 4 | CX_CQE_OWNER;
	}
	db->rec[CX_DBR_CQ_ARM] =
		cpu_to_be32(CX_ARM_SN_NEVER << CX_CQ_ARM_SN_SHIFT);
}

/**
 * cx_cq_ring_read - entries were read, the device may write over them
 * @db: the record
 * @ci: index of the next one
 *
 * Context: Any context; whoever owns the ring.
 */
static inline void cx_cq_ring_read(const struct cx_db *db, u32 ci)
{
	mb();	/* they are read before */
	WRITE_ONCE(db->rec[CX_DBR_CQ_CI], cpu_to_be32(ci & CX_CQ_CI_MASK));
}

/**
 * cx_cq_ring_arm - ask for an event
 * @cx: the device
 * @cqn: number of the queue
 * @db: the record
 * @ci: index of the next entry to read; an event comes at once if it is there
 * @sn: events heard so far
 * @flags: 0, or CX_CQ_ARM_SOLICITED
 *
 * Context: Any context; whoever owns the ring.
 */
static inline void cx_cq_ring_arm(struct cx_dev *cx, u32 cqn,
				  const struct cx_db *db, u32 ci, u32 sn,
				  u32 flags)
{
	u32 arm = (sn & CX_ARM_SN_MASK) << CX_CQ_ARM_SN_SHIFT | flags |
		  (ci & CX_CQ_CI_MASK);

	WRITE_ONCE(db->rec[CX_DBR_CQ_ARM], cpu_to_be32(arm));
	wmb();	/* the record is in memory before the doorbell */
	cx_uar_write64(cpu_to_be64((u64)arm << 32 | cqn),
		       cx->uar.map + CX_UAR_CQ_ARM);
}

#endif /* CX_CQ_RING_H */
