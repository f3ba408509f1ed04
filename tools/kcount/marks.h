/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a program in the guest talks to kcount: no-operations of seven bytes,
 * whose displacement says what is meant; the argument is in rdi.
 */
#ifndef KCOUNT_MARKS_H
#define KCOUNT_MARKS_H

#include <stdint.h>

#define MARK_BASE	0xcafe0000
#define MARK_START	1	/* count from here, for row rdi */
#define MARK_END	2	/* to here */
#define MARK_APART	3	/* the kernel function at rdi is counted apart */
#define MARK_LEFT_OUT	5	/* the same, is not counted at all */
#define MARK_THREAD	4	/* the next system call shows the thread's stack */

#define mark(what, arg) do { \
	asm volatile(".byte 0x0f, 0x1f, 0x80; .long %c0" \
		     : : "i" (MARK_BASE | (what)), "D" ((uint64_t)(arg)) \
		     : "memory"); \
} while (0)

#endif /* KCOUNT_MARKS_H */
