/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CX_BFREG_H
#define CX_BFREG_H

#include <linux/types.h>

/**
 * cx_bfreg_choose - the best doorbell register for one more queue pair
 * @users: users of each register
 * @n: number of registers, at least 1
 * @exclusive: how many of them, at the end, have one user only; less than @n
 *
 * An unused exclusive one; else the least used of those in between; else the
 * first, which all share.
 *
 * Context: Any context.
 * Return: its number.
 */
static inline u32 cx_bfreg_choose(const u32 *users, u32 n, u32 exclusive)
{
	u32 i, best = 0, first = n - exclusive;

	for (i = first > 1 ? first : 1; i < n; i++)
		if (!users[i])
			return i;
	for (i = 1; i < first; i++)
		if (!best || users[i] < users[best])
			best = i;
	return best;
}

#endif /* CX_BFREG_H */
