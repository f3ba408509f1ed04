/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CX_INITSEG_H
#define CX_INITSEG_H

#include <linux/types.h>

struct cx_dev;

/**
 * struct cx_health_words - one look at the health words
 * @gone: the segment reads all ones: nobody answers on the bus
 * @nic_interface: state of the interface, 0 is in order
 * @synd: firmware's own complaint, 0 is none
 * @rfr: the firmware asks for a reset
 * @counter: moves while the firmware lives
 */
struct cx_health_words {
	bool gone;
	u8 nic_interface;
	u8 synd;
	bool rfr;
	u32 counter;
};

int cx_iseg_init(struct cx_dev *cx);
void cx_iseg_exit(struct cx_dev *cx);
int cx_iseg_wait_ready(struct cx_dev *cx, unsigned int timeout_ms);
u32 cx_iseg_queue_sizes(struct cx_dev *cx);
void cx_iseg_set_queue(struct cx_dev *cx, dma_addr_t addr);
void cx_iseg_ring(struct cx_dev *cx, u32 slots);
void cx_iseg_health(struct cx_dev *cx, struct cx_health_words *w);
u64 cx_iseg_timer(struct cx_dev *cx);

#endif /* CX_INITSEG_H */
