/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Let the n-th allocation, or copy from or to user memory, of this thread's
 * next system calls fail. Needs CONFIG_FAULT_INJECTION.
 */
#ifndef UVERBS_INJECT_H
#define UVERBS_INJECT_H

#include <stdbool.h>

#define INJECT_MAX	500	/* more places than any call has */

bool inject_init(void);		/* false: this kernel cannot */
void inject_arm(int n);
/* Did it happen? Disarms. */
bool inject_was_hit(void);
/* An errno that is honest about a failed allocation or copy */
bool inject_expected(int error);

#endif /* UVERBS_INJECT_H */
