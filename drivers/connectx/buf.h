/* SPDX-License-Identifier: GPL-2.0-only */
/* Rings of queues: memory of user space or of the kernel. */
#ifndef CX_BUF_H
#define CX_BUF_H

#include "cmd.h"

struct ib_umem;

/**
 * struct cx_ubuf - memory of a queue, in user space
 * @umem: pinned
 * @pas: for the command; its list lives until cx_ubuf_drop_list()
 */
struct cx_ubuf {
	struct ib_umem *umem;
	struct cx_pas pas;
};

/**
 * struct cx_kbuf - memory of a queue, in the kernel
 * @mem: its start
 * @dma: its address
 * @bytes: its length
 * @pas: for the command; its list lives until cx_kbuf_drop_list()
 */
struct cx_kbuf {
	void *mem;
	dma_addr_t dma;
	size_t bytes;
	struct cx_pas pas;
};

/**
 * struct cx_user_rings - rings in user space, receive ring first
 * @rq_bytes: of the receive ring
 * @rq_shift: log2 of the bytes of a receive entry
 * @sq_units: units of the send ring, a power of two or 0
 */
struct cx_user_rings {
	u32 rq_bytes;
	u8 rq_shift;
	u32 sq_units;
};

#endif /* CX_BUF_H */
