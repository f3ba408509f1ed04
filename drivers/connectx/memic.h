/* SPDX-License-Identifier: GPL-2.0-only */
/* Device memory, which the firmware calls MEMIC: its commands, and arithmetic. */
#ifndef CX_MEMIC_H
#define CX_MEMIC_H

#include <linux/align.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/types.h>

#include <connectx/prm_memic.h>

struct cx_dev;

/* cmd_memic.c */

/**
 * struct cx_memic_params - new device memory; addresses are those in the BAR
 * @range: first page that it may lie in
 * @range_bytes: how many bytes of pages
 * @len: bytes of memory
 * @log_align: log2 of its alignment in units of 64 bytes
 */
struct cx_memic_params {
	u64 range;
	u32 range_bytes;
	u32 len;
	u8 log_align;
};

int cx_cmd_alloc_memic(struct cx_dev *cx, const struct cx_memic_params *p,
		       u64 *addr);
int cx_cmd_dealloc_memic(struct cx_dev *cx, u64 addr, u32 len);

/* As many as the byte of a mapping's offset that names them can tell apart */
#define CX_MEMIC_MAX_PAGES	256

/**
 * cx_memic_bytes - memory that a request takes
 * @length: as user space wants it
 *
 * Context: Any context.
 * Return: bytes, or 0 for what cannot be: nothing, or more pages than a number
 * of 32 bits counts.
 */
static inline u64 cx_memic_bytes(u64 length)
{
	if (length > (u64)U32_MAX << PAGE_SHIFT)
		return 0;
	return ALIGN(length, CX_MEMIC_UNIT);
}

/**
 * cx_memic_page_count - pages of the BAR for device memory
 * @start: where they start, as the firmware says
 * @bytes: and how long they are
 * @bar_len: of BAR 0
 *
 * What it says is not trusted: user space maps these pages.
 *
 * Context: Any context.
 * Return: how many can be used.
 */
static inline unsigned int cx_memic_page_count(u64 start, u64 bytes, u64 bar_len)
{
	if (!start || start & ~PAGE_MASK || start >= bar_len)
		return 0;
	bytes = min(bytes, bar_len - start);
	return min_t(u64, bytes >> PAGE_SHIFT, CX_MEMIC_MAX_PAGES);
}

/**
 * cx_memic_fits - is this answer of the firmware one that can be?
 * @addr: where it put the memory
 * @bytes: its length
 * @range: the first page that it was offered
 * @range_bytes: and how many bytes of pages
 *
 * Context: Any context.
 * Return: true if the memory starts in the first page and ends in the last.
 */
static inline bool cx_memic_fits(u64 addr, u32 bytes, u64 range, u64 range_bytes)
{
	return addr >= range && addr - range < PAGE_SIZE &&
	       addr - range + bytes <= range_bytes;
}

#endif /* CX_MEMIC_H */
