// SPDX-License-Identifier: GPL-2.0-only
/* Small readers of what the provider library sends. */
#include <linux/minmax.h>

#include <ib/refuse.h>
#include <ib/udata.h>

#include <connectx/prm_qpc.h>

#include "verbs.h"

/**
 * cx_udata_read - read the driver's part of a request
 * @udata: the call
 * @dst: result; zero where the request is shorter
 * @min: bytes it must have
 * @len: bytes we know
 * @tail_err: errno for bytes beyond that are not zero
 *
 * Context: Process context. Sleeps.
 * Return: 0, -EINVAL, -EFAULT or @tail_err.
 */
int cx_udata_read(struct ib_udata *udata, void *dst, size_t min, size_t len,
		  int tail_err)
{
	int ret;

	ret = ib_udata_read(udata, dst, min, len);
	if (ret == -EOPNOTSUPP && tail_err != ret)
		ret = ib_refuse(IB_LAYER_DRIVER, tail_err,
				"driver data beyond %llu bytes is not zero",
				len, 0);
	return ret;
}

/**
 * cx_udata_number - answer with the number of a new object
 * @udata: the call
 * @number: what the library writes into its own structures
 *
 * Context: Process context. Sleeps.
 * Return: 0, or -EFAULT also when there is no place for an answer.
 */
int cx_udata_number(struct ib_udata *udata, u32 number)
{
	if (!udata->out)
		return ib_refuse(IB_LAYER_DRIVER, -EFAULT,
				 "no room for the number of the object", 0, 0);
	return ib_udata_write(udata, &number, sizeof(number));
}

/**
 * cx_user_index - the number by which user space finds a queue in completions
 * @c: the context
 * @given: the request had the field
 * @value: the field
 * @index: result
 *
 * Context: Any context.
 * Return: 0 or -EINVAL.
 */
int cx_user_index(const struct cx_ucontext *c, bool given, u32 value,
		  u32 *index)
{
	*index = CX_NO_USER_INDEX;
	if (!c->cqe_version)
		return 0;
	if (!given || value >= CX_NO_USER_INDEX)
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "user index 0x%llx is not below 0x%llx",
				 value, CX_NO_USER_INDEX);
	*index = value;
	return 0;
}
