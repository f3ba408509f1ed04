// SPDX-License-Identifier: GPL-2.0-only
/*
 * The initialisation segment: the few registers at the start of BAR 0 that
 * work before there is a command queue, and after it has died.
 */
#include <linux/delay.h>
#include <linux/io.h>
#include <linux/jiffies.h>

#include <connectx/prm_initseg.h>

#include "cx.h"
#include "initseg.h"
#include "refuse.h"

#define CX_READY_STEP_US	2000
#define CX_READY_PRE_MS		120000

static u32 cx_iseg_read(struct cx_dev *cx, unsigned int off)
{
	return ioread32be(cx->iseg + off);
}

static void cx_iseg_write(struct cx_dev *cx, unsigned int off, u32 v)
{
	iowrite32be(v, cx->iseg + off);
}

/**
 * cx_iseg_wait_ready - wait until the firmware has left its initialisation
 * @cx: the device
 * @timeout_ms: how long to wait
 *
 * Context: Process context. Sleeps.
 * Return: 0; -ENODEV when nobody answers on the bus; -ETIMEDOUT.
 */
int cx_iseg_wait_ready(struct cx_dev *cx, unsigned int timeout_ms)
{
	unsigned long end = jiffies + msecs_to_jiffies(timeout_ms);
	bool last = false;
	u32 v;

	for (;;) {
		v = cx_iseg_read(cx, CX_ISEG_INITIALIZING);
		if (v == ~0u && cx_iseg_read(cx, CX_ISEG_FW_REV) == ~0u)
			return cx_refuse(-ENODEV, "nobody answers on the bus",
					 0, 0);
		if (!(v & CX_ISEG_INITIALIZING_BIT))
			return 0;
		if (last)
			return cx_refuse(-ETIMEDOUT,
					 "firmware is not ready after %llu ms",
					 timeout_ms, 0);
		usleep_range(CX_READY_STEP_US, 2 * CX_READY_STEP_US);
		/* look once more after the end: we may have slept long */
		last = time_after(jiffies, end);
	}
}

static void cx_iseg_read_version(struct cx_dev *cx)
{
	u32 rev = cx_iseg_read(cx, CX_ISEG_FW_REV);
	u32 sub = cx_iseg_read(cx, CX_ISEG_CMDIF_REV);

	cx->board.fw_major = rev & 0xffff;
	cx->board.fw_minor = rev >> 16;
	cx->board.fw_sub = sub & 0xffff;
}

/**
 * cx_iseg_init - map the segment and wait until there is somebody behind it
 * @cx: the device
 *
 * Context: Process context. Sleeps, up to two minutes on a booting adapter.
 * Return: 0 or a negative errno.
 */
int cx_iseg_init(struct cx_dev *cx)
{
	u32 rev;
	int ret;

	if (cx->bar_len < CX_ISEG_BYTES)
		return cx_refuse(-ENODEV, "BAR 0 has %llu bytes, need %llu",
				 cx->bar_len, CX_ISEG_BYTES);
	cx->iseg = ioremap(cx->bar, CX_ISEG_BYTES);
	if (!cx->iseg)
		return cx_refuse(-ENOMEM, "BAR 0 cannot be mapped", 0, 0);

	ret = cx_iseg_wait_ready(cx, CX_READY_PRE_MS);
	if (ret)
		goto err_unmap;
	rev = cx_iseg_read(cx, CX_ISEG_CMDIF_REV) >> 16;
	if (rev != CX_CMDIF_REV) {
		ret = cx_refuse(-ENODEV,
				"command interface revision %llu, need %llu",
				rev, CX_CMDIF_REV);
		goto err_unmap;
	}
	cx_iseg_read_version(cx);
	return 0;

err_unmap:
	cx_iseg_exit(cx);
	return ret;
}

/**
 * cx_iseg_exit - undo cx_iseg_init()
 * @cx: the device
 *
 * Context: Process context.
 */
void cx_iseg_exit(struct cx_dev *cx)
{
	iounmap(cx->iseg);
	cx->iseg = NULL;
}

/**
 * cx_iseg_queue_sizes - what the firmware says about its command queue
 * @cx: the device
 *
 * Context: Any context.
 * Return: the word at CX_ISEG_CMDQ_ADDR_L, sizes in its low byte.
 */
u32 cx_iseg_queue_sizes(struct cx_dev *cx)
{
	return cx_iseg_read(cx, CX_ISEG_CMDQ_ADDR_L);
}

/**
 * cx_iseg_set_queue - tell the firmware where the command queue is
 * @cx: the device
 * @addr: DMA address, aligned to 4 KiB
 *
 * Context: Any context.
 */
void cx_iseg_set_queue(struct cx_dev *cx, dma_addr_t addr)
{
	cx_iseg_write(cx, CX_ISEG_CMDQ_ADDR_H, upper_32_bits(addr));
	cx_iseg_write(cx, CX_ISEG_CMDQ_ADDR_L, lower_32_bits(addr));
}

/**
 * cx_iseg_ring - ring the command doorbell
 * @cx: the device
 * @slots: one bit per queue entry
 *
 * The entries must be visible to the device: iowrite32be() orders them.
 *
 * Context: Any context.
 */
void cx_iseg_ring(struct cx_dev *cx, u32 slots)
{
	cx_iseg_write(cx, CX_ISEG_CMD_DBELL, slots);
}

/**
 * cx_iseg_health - read the health words
 * @cx: the device
 * @w: result
 *
 * Context: Any context.
 */
void cx_iseg_health(struct cx_dev *cx, struct cx_health_words *w)
{
	u32 queue = cx_iseg_queue_sizes(cx);
	u32 synd = cx_iseg_read(cx, CX_ISEG_HEALTH_SYND);
	u32 rfr = cx_iseg_read(cx, CX_ISEG_HEALTH_RFR);

	w->counter = cx_iseg_read(cx, CX_ISEG_HEALTH_COUNTER);
	w->gone = cx_iseg_read(cx, CX_ISEG_HEALTH_FW_VER) == ~0u &&
		  queue == ~0u;
	w->nic_interface = queue >> CX_NIC_IFC_SHIFT & CX_NIC_IFC_MASK;
	w->synd = synd >> 16 & 0xff;
	w->rfr = rfr >> 31;
}

/**
 * cx_iseg_timer - read the free-running cycle counter
 * @cx: the device
 *
 * Context: Any context.
 * Return: cycles.
 */
u64 cx_iseg_timer(struct cx_dev *cx)
{
	u32 high, low, again;

	do {
		high = cx_iseg_read(cx, CX_ISEG_TIMER_H);
		low = cx_iseg_read(cx, CX_ISEG_TIMER_L);
		again = cx_iseg_read(cx, CX_ISEG_TIMER_H);
	} while (high != again && !cx_dev_dead(cx));
	return (u64)high << 32 | low;
}
