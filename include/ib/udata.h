/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Driver data of a user's call: what the provider library sent behind the
 * core's request, and where it wants the driver's answer. A kernel caller has
 * no udata (NULL).
 */
#ifndef IB_UDATA_H
#define IB_UDATA_H

#include <linux/types.h>

struct ib_ucontext;

/**
 * struct ib_udata - driver part of a request and of its response
 * @in: user address of the request, @inlen bytes
 * @out: user address of the response, @outlen bytes
 * @inlen: bytes that user space sent
 * @outlen: bytes that user space has room for
 * @ucontext: context of the calling file, NULL while it is being made
 */
struct ib_udata {
	const void __user	*in;
	void __user		*out;
	size_t			inlen;
	size_t			outlen;
	struct ib_ucontext	*ucontext;
};

/*
 * ib_udata_read(): a request shorter than @len is zero-filled, a longer one
 * must be zero beyond it (else -EOPNOTSUPP); shorter than @min is -EINVAL.
 * ib_udata_write(): the answer is cut to what fits. ib_udata_respond(): and
 * the rest of the user's room is zeroed. ib_udata_none(): for an operation
 * without driver data: nothing known and nothing to say. All take NULL, for a
 * call of the kernel: it sends zeroes and wants no answer. All return 0 or a
 * negative errno, reason recorded.
 */
int ib_udata_read(struct ib_udata *udata, void *dst, size_t min, size_t len);
int ib_udata_write(struct ib_udata *udata, const void *src, size_t len);
int ib_udata_respond(struct ib_udata *udata, const void *src, size_t len);
int ib_udata_none(struct ib_udata *udata);

#endif /* IB_UDATA_H */
