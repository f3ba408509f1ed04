// SPDX-License-Identifier: GPL-2.0-only
/* The driver's and the firmware's refusals, recorded with their reasons. */
#include <linux/kernel.h>

#include <ib/refuse.h>

#include "cmd_status.h"
#include "refuse.h"

/**
 * cx_refuse - record why the driver fails
 * @err: negative errno
 * @why: string constant with up to two %llu
 * @a: first number
 * @b: second number
 *
 * Context: Any context.
 * Return: @err.
 */
int cx_refuse(int err, const char *why, u64 a, u64 b)
{
	return ib_refuse(IB_LAYER_DRIVER, err, why, a, b);
}

/**
 * cx_refuse_status - record that the firmware refused a command
 * @opcode: the command
 * @status: what it answered, not 0
 * @syndrome: its own number for the reason
 *
 * Context: Process context.
 * Return: the errno of @status.
 */
int cx_refuse_status(u16 opcode, u8 status, u32 syndrome)
{
	return ib_refuse_detail(IB_LAYER_FIRMWARE, cx_cmd_status_errno(status),
				"command 0x%llx, syndrome 0x%llx", opcode,
				syndrome, cx_cmd_status_text(status));
}
