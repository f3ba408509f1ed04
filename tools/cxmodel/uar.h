/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * UAR pages: doorbells by number of page and offset in it. A doorbell is eight
 * bytes, written at once or as two halves in order; it acts on the second.
 */
#ifndef CXM_UAR_H
#define CXM_UAR_H

#include "obj.h"

struct cxm_uar {
	struct cxm_obj	obj;
	/* First halves that wait for their second, per doorbell kind. */
	u32		sq_high[8];	/* per 0x100 bytes from 0x800 */
	u32		cq_high;
};

/* A write to @off in UAR page @index; @data as on the bus. */
void cxm_uar_write(struct cxm *m, u32 index, u32 off, const u8 *data, u32 len);

/*
 * What the doorbells say, in host order.
 * qp.c: @value is the first 8 bytes of the last WQE, the QPN in bits 31:8.
 * cq.c: @value is sn << 60 | cmd << 56 | ci << 32 | cqn.
 */
void cxm_sq_doorbell(struct cxm *m, u32 uar, u64 value);
void cxm_cq_arm(struct cxm *m, u32 uar, u64 value);

#endif /* CXM_UAR_H */
