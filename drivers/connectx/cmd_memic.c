// SPDX-License-Identifier: GPL-2.0-only
/* Commands of device memory, which the firmware calls MEMIC. */
#include <connectx/prm_memic.h>

#include "cmd_wire.h"
#include "cmdq.h"
#include "memic.h"

/**
 * cx_cmd_alloc_memic - put device memory behind pages of BAR 0
 * @cx: the device
 * @p: which pages, how much memory
 * @addr: result: where it starts, in the BAR
 *
 * Context: Process context. Sleeps.
 * Return: 0; -EAGAIN if it might go elsewhere; or a negative errno.
 */
int cx_cmd_alloc_memic(struct cx_dev *cx, const struct cx_memic_params *p,
		       u64 *addr)
{
	struct cx_alloc_memic_out out = {};
	struct cx_alloc_memic_in in = {};
	int ret;

	cx_cmd_set_op(&in, CX_CMD_ALLOC_MEMIC);
	cx_alloc_memic_in_set_log_memic_addr_alignment(&in, p->log_align);
	cx_alloc_memic_in_set_range_start_addr(&in, p->range);
	cx_alloc_memic_in_set_range_size(&in, p->range_bytes);
	cx_alloc_memic_in_set_memic_size(&in, p->len);
	ret = cx_cmd_exec(cx, &in, sizeof(in), &out, sizeof(out));
	if (!ret)
		*addr = cx_alloc_memic_out_get_memic_start_addr(&out);
	return ret;
}

/**
 * cx_cmd_dealloc_memic - undo cx_cmd_alloc_memic()
 * @cx: the device
 * @addr: where it starts, in the BAR
 * @len: its bytes
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_cmd_dealloc_memic(struct cx_dev *cx, u64 addr, u32 len)
{
	struct cx_dealloc_memic_in in = {};
	struct cx_cmd_out out = {};

	cx_cmd_set_op(&in, CX_CMD_DEALLOC_MEMIC);
	cx_dealloc_memic_in_set_memic_start_addr(&in, addr);
	cx_dealloc_memic_in_set_memic_size(&in, len);
	return cx_cmd_exec(cx, &in, sizeof(in), &out, sizeof(out));
}
