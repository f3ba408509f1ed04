/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Faults on demand.
 */
#ifndef CXM_FAULT_H
#define CXM_FAULT_H

#include "types.h"

#define CXM_FAULT_MAX	16

struct cxm_fault {
	u64	countdown;	/* commands until it strikes, 0 = free slot */
	u16	opcode;		/* only those count, 0 = all do */
	u8	status;
	u32	syndrome;
};

struct cxm_faults {
	struct cxm_fault cmd[CXM_FAULT_MAX];
	u64	umr;		/* UMR requests until one is refused, 0 = none */
	u64	lose_umr;	/* ... until one is never completed */
};

/*
 * Plan: the countdown-th command from now (1 = next) fails. False: too many
 * planned.
 */
bool cxm_fault_plan_cmd(struct cxm *m, struct cxm_fault fault);

/* Called once per command: the status to fail with, or CX_STATUS_OK. */
int cxm_fault_cmd(struct cxm *m, u16 opcode, u32 *syndrome);

/* Called once per UMR request: shall it be refused? */
bool cxm_fault_umr(struct cxm *m);

/* Called once per UMR request: shall nothing ever come of it? */
bool cxm_fault_lose_umr(struct cxm *m);

/* From now on: all-ones, no DMA, no interrupts, until the process ends. */
void cxm_kill(struct cxm *m);

#endif /* CXM_FAULT_H */
