/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the driver says no to, for files that know nothing of verbs: the lower
 * half, and all that runs at probe. The upper half calls ib_refuse().
 */
#ifndef CX_REFUSE_H
#define CX_REFUSE_H

#include <linux/types.h>

int cx_refuse(int err, const char *why, u64 a, u64 b);
int cx_refuse_status(u16 opcode, u8 status, u32 syndrome);

#endif /* CX_REFUSE_H */
