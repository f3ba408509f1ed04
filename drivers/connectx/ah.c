// SPDX-License-Identifier: GPL-2.0-only
/* Address handles, pure software on InfiniBand; and the rates of a path. */
#include <ib/refuse.h>

#include "cx.h"
#include "verbs.h"

#define CX_RATE_PORT		0	/* IB: as fast as the port */
#define CX_RATE_FIRST		2	/* IB: 2.5 Gb/s */
#define CX_RATE_LAST		23	/* IB: 800 Gb/s */
#define CX_RATE_SHIFT		5	/* what has no code of its own */

/* IB rate code -> the adapter's, for those that have one of their own */
static const u8 cx_rates[CX_RATE_LAST + 1] = {
	[12] = 1,	/* 56 Gb/s */
	[15] = 2,	/* 25 */
	[16] = 3,	/* 100 */
	[17] = 4,	/* 200 */
	[20] = 5,	/* 50 */
	[21] = 6,	/* 400 */
};

/**
 * cx_stat_rate - rate limit of a path, as the adapter has it
 * @cx: the device
 * @ib_rate: IB rate code
 *
 * A rate that the adapter does not have becomes the next lower code it has.
 *
 * Context: Any context.
 * Return: the adapter's code, or -EINVAL.
 */
int cx_stat_rate(const struct cx_dev *cx, u8 ib_rate)
{
	u8 rate, code;

	if (ib_rate == CX_RATE_PORT || ib_rate == CX_RATE_LAST)
		return 0;
	if (ib_rate < CX_RATE_FIRST || ib_rate > CX_RATE_LAST)
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "rate code %llu does not exist", ib_rate, 0);
	for (rate = ib_rate; rate != CX_RATE_PORT; rate--) {
		code = cx_rates[rate] ?: rate + CX_RATE_SHIFT;
		if (code < 16 && cx->caps.stat_rate_support & BIT(code))
			return code;
	}
	return 0;
}

/**
 * cx_create_ah - ib_device_ops.create_ah
 * @ah: the handle to fill
 * @attr: the path
 * @udata: the call of user space, or NULL
 *
 * Context: Process context. Sleeps.
 * Return: 0 or -EINVAL.
 */
int cx_create_ah(struct ib_ah *ah, const struct ib_ah_attr *attr,
		 struct ib_udata *udata)
{
	struct cx_dev *cx = to_cx(ah->obj.device);
	int ret;

	if (attr->grh && attr->sgid_index >= cx->caps.gid_table_len)
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "source GID index %llu, table has %llu",
				 attr->sgid_index, cx->caps.gid_table_len);
	ret = cx_stat_rate(cx, attr->static_rate);
	return ret < 0 ? ret : 0;
}

/**
 * cx_destroy_ah - ib_device_ops.destroy_ah
 * @ah: the handle
 *
 * Context: Any context.
 * Return: 0.
 */
int cx_destroy_ah(struct ib_ah *ah)
{
	return 0;
}
