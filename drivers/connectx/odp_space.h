/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A region of all addresses of a process: a key whose entries are other keys,
 * each for a piece of it. A piece gets its key with the first page fault in
 * it; until then its entry is the adapter's null key, which always faults.
 */
#ifndef CX_ODP_SPACE_H
#define CX_ODP_SPACE_H

#include <linux/types.h>

struct cx_odp_mr;

int cx_odp_space_make(struct cx_odp_mr *o, u32 pdn, int access);
int cx_odp_space_destroy(struct cx_odp_mr *o);
bool cx_odp_space_is_callers(const struct cx_odp_mr *o);
void cx_odp_space_give_up(struct cx_odp_mr *o);
int cx_odp_space_page_in(struct cx_odp_mr *o, u64 addr, u64 bytes,
			 unsigned int flags);

#endif /* CX_ODP_SPACE_H */
