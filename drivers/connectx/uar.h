/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CX_UAR_H
#define CX_UAR_H

#include <linux/io.h>
#include <linux/types.h>

#include <asm/byteorder.h>

struct cx_dev;
struct cx_uar;

int cx_uar_init(struct cx_dev *cx);
void cx_uar_exit(struct cx_dev *cx);
int cx_uar_alloc(struct cx_dev *cx, u32 *index);
void cx_uar_free(struct cx_dev *cx, u32 index);
phys_addr_t cx_uar_addr(const struct cx_dev *cx, u32 index);

/**
 * cx_uar_write64 - ring an 8-byte doorbell
 * @v: the doorbell, as it lies in memory
 * @to: register
 *
 * One store, so that the device never sees half a doorbell.
 *
 * Context: Any context.
 */
static inline void cx_uar_write64(__be64 v, void __iomem *to)
{
	__raw_writeq((__force u64)v, to);
}

#endif /* CX_UAR_H */
