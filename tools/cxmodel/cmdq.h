/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The command queue: entries in guest memory, a doorbell bit for each.
 */
#ifndef CXM_CMDQ_H
#define CXM_CMDQ_H

#include "types.h"
#include <connectx/prm_initseg.h>

struct cxm_cmdq {
	u64	addr;		/* of the page with the entries */
	u32	addr_h;		/* latched until the low half is written */
	u8	nic_ifc;	/* interface state, as software wrote it */
	u64	count;		/* commands executed, for the trace */
};

void cxm_cmdq_reset(struct cxm *m);
void cxm_cmdq_write_addr_h(struct cxm *m, u32 value);
void cxm_cmdq_write_addr_l(struct cxm *m, u32 value);
u32 cxm_cmdq_read_addr_l(struct cxm *m);
void cxm_cmdq_doorbell(struct cxm *m, u32 slots);

#endif /* CXM_CMDQ_H */
