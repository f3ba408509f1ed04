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

enum cxm_fault_once {
	CXM_FAULT_UMR_REFUSED,
	CXM_FAULT_UMR_LOST,		/* not executed, its queue pair is stuck */
	CXM_FAULT_CMD_LOST,		/* taken, and that was all */
	CXM_FAULT_CMD_EVENT_LOST,	/* executed and answered */
	CXM_FAULT_ONCE_KINDS
};

struct cxm_faults {
	struct cxm_fault cmd[CXM_FAULT_MAX];
	u64	once[CXM_FAULT_ONCE_KINDS];	/* until it strikes, 0 = never */
};

/*
 * Plan: the countdown-th command from now (1 = next) fails. False: too many
 * planned.
 */
bool cxm_fault_plan_cmd(struct cxm *m, struct cxm_fault fault);

/* Called once per command: the status to fail with, or CX_STATUS_OK. */
int cxm_fault_cmd(struct cxm *m, u16 opcode, u32 *syndrome);

/* Called once for everything that may have such a fault: does it strike now? */
bool cxm_fault_once(struct cxm *m, enum cxm_fault_once kind);

/* From now on: all-ones, no DMA, no interrupts, until the process ends. */
void cxm_kill(struct cxm *m);

#endif /* CXM_FAULT_H */
