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

#endif /* CX_BUF_H */
