/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Building work requests of kernel queue pairs in their rings: pure functions
 * on plain memory, tested by KUnit.
 */
#ifndef CX_WQE_H
#define CX_WQE_H

#include <linux/types.h>

struct ib_recv_wr;
struct ib_send_wr;

/**
 * struct cx_ring - a ring of work requests
 * @mem: its start
 * @log_units: log2 of the number of units
 * @log_unit: log2 of the bytes of a unit: an entry (receive), or 64 bytes
 * @max_sge: pieces of memory in a request
 * @max_inline: send: bytes of data inside a request
 */
struct cx_ring {
	void *mem;
	unsigned int log_units;
	unsigned int log_unit;
	unsigned int max_sge;
	unsigned int max_inline;
};

/**
 * struct cx_wqe_opts - what a request does not say itself
 * @qpn: its queue pair
 * @signal: make a completion
 */
struct cx_wqe_opts {
	u32 qpn;
	bool signal;
};

unsigned int cx_wqe_send_segments(unsigned int max_sge,
				  unsigned int max_inline);
int cx_wqe_check_send(const struct cx_ring *r, const struct ib_send_wr *wr);
unsigned int cx_wqe_write_send(const struct cx_ring *r, u32 index,
			       const struct ib_send_wr *wr,
			       const struct cx_wqe_opts *o);
void cx_wqe_write_recv(const struct cx_ring *r, u32 index,
		       const struct ib_recv_wr *wr);

#endif /* CX_WQE_H */
