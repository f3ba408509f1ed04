/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Device memory: pages of BAR 0 with memory of the adapter behind them. Which
 * pages, we choose and keep book of; where in the first of them the memory
 * starts, the firmware says.
 */
#ifndef CX_DM_H
#define CX_DM_H

#include <linux/mutex.h>
#include <linux/types.h>

#include <ib/dm.h>
#include <ib/ucontext.h>

#include "memic.h"

/**
 * struct cx_dm_space - the pages of the BAR that device memory may use
 * @lock: owns @used
 * @used: bit per page
 */
struct cx_dm_space {
	struct mutex lock;
	DECLARE_BITMAP(used, CX_MEMIC_MAX_PAGES);
};

/**
 * struct cx_dm_entry - a piece of device memory, as long as anybody maps it
 * @base: ib_core's part
 * @addr: where it starts, in the BAR
 * @bytes: of memory
 * @first: the first of its pages in struct cx_dm_space; base.npages of them
 */
struct cx_dm_entry {
	struct ib_mmap_entry base;
	u64 addr;
	u32 bytes;
	unsigned int first;
};

/**
 * struct cx_dm - device memory
 * @base: ib_core's part
 * @entry: its pages; the object holds one reference, each mapping another
 */
struct cx_dm {
	struct ib_dm base;
	struct cx_dm_entry *entry;
};

#define to_cx_dm(p)	container_of(p, struct cx_dm, base)

#endif /* CX_DM_H */
