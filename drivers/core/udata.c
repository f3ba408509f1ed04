// SPDX-License-Identifier: GPL-2.0-only
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <ib/export.h>
#include <ib/refuse.h>
#include <ib/udata.h>

static int check_tail(const void __user *tail, size_t len)
{
	int zero = check_zeroed_user(tail, len);

	if (zero < 0)
		return ib_refuse(IB_LAYER_CORE, -EFAULT,
				 "driver data cannot be read", 0, 0);
	if (!zero)
		return ib_refuse(IB_LAYER_CORE, -EOPNOTSUPP,
				 "driver data has %llu more bytes, and not all are zero",
				 len, 0);
	return 0;
}

/**
 * ib_udata_read() - copy the driver's part of a request
 * @udata: of the call; NULL for a call of the kernel, which reads zeros
 * @dst: filled with @len bytes; what user space did not send is zero
 * @min: bytes that user space must send
 * @len: bytes that the driver knows
 *
 * Context: Process context.
 * Return: 0; -EINVAL when too short, -EOPNOTSUPP when longer and not zero
 * there, -EFAULT.
 */
int ib_udata_read(struct ib_udata *udata, void *dst, size_t min, size_t len)
{
	size_t n;

	memset(dst, 0, len);
	if (!udata)
		return 0;
	if (udata->inlen < min)
		return ib_refuse(IB_LAYER_CORE, -EINVAL,
				 "%llu bytes of driver data, need %llu",
				 udata->inlen, min);

	n = min(udata->inlen, len);
	if (copy_from_user(dst, udata->in, n))
		return ib_refuse(IB_LAYER_CORE, -EFAULT,
				 "driver data cannot be read", 0, 0);
	if (udata->inlen > len)
		return check_tail(udata->in + len, udata->inlen - len);
	return 0;
}
EXPORT_SYMBOL_IB(ib_udata_read);

/**
 * ib_udata_write() - copy the driver's part of an answer
 * @udata: of the call, or NULL
 * @src: the answer
 * @len: bytes; cut to what user space has room for
 *
 * Room behind the answer stays as it is: the answer says how long it is, or
 * the library knows.
 *
 * Context: Process context.
 * Return: 0 or -EFAULT.
 */
int ib_udata_write(struct ib_udata *udata, const void *src, size_t len)
{
	if (!udata)
		return 0;
	if (copy_to_user(udata->out, src, min(udata->outlen, len)))
		return ib_refuse(IB_LAYER_CORE, -EFAULT,
				 "the answer for the driver's library cannot be written",
				 0, 0);
	return 0;
}
EXPORT_SYMBOL_IB(ib_udata_write);

/**
 * ib_udata_respond() - the same, and room behind the answer is zeroed
 * @udata: of the call, or NULL
 * @src: the answer
 * @len: bytes; cut to what user space has room for
 *
 * For drivers with robust_udata: a newer library sees zeroes in the fields
 * that this kernel does not know.
 *
 * Context: Process context.
 * Return: 0 or -EFAULT.
 */
int ib_udata_respond(struct ib_udata *udata, const void *src, size_t len)
{
	int ret = ib_udata_write(udata, src, len);

	if (ret || !udata || udata->outlen <= len)
		return ret;
	if (clear_user(udata->out + len, udata->outlen - len))
		return ib_refuse(IB_LAYER_CORE, -EFAULT,
				 "the room behind the driver's answer cannot be written",
				 0, 0);
	return 0;
}
EXPORT_SYMBOL_IB(ib_udata_respond);

/**
 * ib_udata_none() - the driver has neither a request nor an answer here
 * @udata: of the call, or NULL
 *
 * A newer library may send fields that are off, and may have room for an
 * answer, which is zeroed.
 *
 * Context: Process context.
 * Return: 0; -EOPNOTSUPP for a request that is not zero, -EFAULT.
 */
int ib_udata_none(struct ib_udata *udata)
{
	int ret;

	if (!udata)
		return 0;
	ret = udata->inlen ? check_tail(udata->in, udata->inlen) : 0;
	return ret ?: ib_udata_respond(udata, NULL, 0);
}
EXPORT_SYMBOL_IB(ib_udata_none);
