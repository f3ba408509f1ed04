// SPDX-License-Identifier: GPL-2.0-only
/*
 * Doorbell pages. UAR n is page n of BAR 0, so the first numbers lie under the
 * initialisation segment and must never be handed out.
 */
#include <linux/io.h>
#include <linux/mm.h>

#include <connectx/prm_initseg.h>

#include "cmd.h"
#include "cx.h"
#include "refuse.h"
#include "uar.h"

/**
 * cx_uar_addr - bus address of a doorbell page
 * @cx: the device
 * @index: number of the page
 *
 * Context: Any context.
 * Return: address of its first byte.
 */
phys_addr_t cx_uar_addr(const struct cx_dev *cx, u32 index)
{
	return cx->bar + ((phys_addr_t)index << PAGE_SHIFT);
}

static bool cx_uar_in_bar(const struct cx_dev *cx, u32 index)
{
	u64 off = (u64)index << PAGE_SHIFT;

	return off >= CX_ISEG_BYTES && off + PAGE_SIZE <= cx->bar_len;
}

/**
 * cx_uar_alloc - get a doorbell page
 * @cx: the device
 * @index: result
 *
 * The page's number is checked: user space will map what it names.
 *
 * Context: Process context. Sleeps.
 * Return: 0, -EIO if the firmware hands out a page that cannot be one, or the
 * errno of the command.
 */
int cx_uar_alloc(struct cx_dev *cx, u32 *index)
{
	int ret;

	ret = cx_cmd_alloc_uar(cx, index);
	if (ret)
		return ret;
	if (cx_uar_in_bar(cx, *index))
		return 0;
	dev_err(cx->dev, "firmware gave doorbell page %u: not in the BAR\n",
		*index);
	cx_cmd_dealloc_uar(cx, *index);
	return cx_refuse(-EIO, "firmware gave doorbell page %llu: not in the BAR",
			 *index, 0);
}

/**
 * cx_uar_free - give a doorbell page back
 * @cx: the device
 * @index: number of the page
 *
 * Context: Process context. Sleeps.
 */
void cx_uar_free(struct cx_dev *cx, u32 index)
{
	cx_cmd_dealloc_uar(cx, index);
}

/**
 * cx_uar_init - get and map the kernel's doorbell page
 * @cx: the device
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_uar_init(struct cx_dev *cx)
{
	int ret;

	ret = cx_uar_alloc(cx, &cx->uar.index);
	if (ret)
		return ret;
	cx->uar.map = ioremap(cx_uar_addr(cx, cx->uar.index), PAGE_SIZE);
	if (!cx->uar.map) {
		cx_uar_free(cx, cx->uar.index);
		return cx_refuse(-ENOMEM, "doorbell page %llu cannot be mapped",
				 cx->uar.index, 0);
	}
	return 0;
}

/**
 * cx_uar_exit - undo cx_uar_init()
 * @cx: the device
 *
 * Context: Process context. Sleeps.
 */
void cx_uar_exit(struct cx_dev *cx)
{
	iounmap(cx->uar.map);
	cx_uar_free(cx, cx->uar.index);
}
