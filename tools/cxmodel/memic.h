/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Device memory: the adapter's own, in the last pages of BAR 0. A piece of it
 * is reached by the host through the pages that software chose for it, and by
 * work requests through a key.
 */
#ifndef CXM_MEMIC_H
#define CXM_MEMIC_H

#include "obj.h"
#include <connectx/prm_cap.h>
#include <connectx/prm_initseg.h>

/* As many pages as drivers keep book of, and more than there is memory. */
#define CXM_MEMIC_PAGES		256
#define CXM_MEMIC_BAR_BYTES	(CXM_MEMIC_PAGES * CX_UAR_PAGE_BYTES)
#define CXM_MEMIC_START		(CX_BAR0_BYTES - CXM_MEMIC_BAR_BYTES)
#define CXM_MEMIC_MAX		(128u << 10)

struct cxm_memic {
	struct cxm_obj	obj;
	u64		start;	/* in the BAR */
	u32		len;
	u32		first;	/* of its pages */
	u32		pages;
	u8		data[] __attribute__((aligned(16)));	/* for atomics */
};

struct cxm_memic_bar {
	struct cxm_memic *page[CXM_MEMIC_PAGES];
	u32		used;	/* bytes of CXM_MEMIC_MAX */
};

void cxm_memic_offer(struct cx_device_mem_cap *cap);

static inline bool cxm_memic_is_at(u64 off)
{
	return off >= CXM_MEMIC_START && off < CX_BAR0_BYTES;
}

/* The host's accesses, @off in the BAR. */
void cxm_memic_host_read(struct cxm *m, u64 off, u8 *buf, u32 len);
void cxm_memic_host_write(struct cxm *m, u64 off, const u8 *buf, u32 len);

/* The piece that all of [start, start + len) lies in, or NULL. */
struct cxm_memic *cxm_memic_find(struct cxm *m, u64 start, u64 len);

#endif /* CXM_MEMIC_H */
