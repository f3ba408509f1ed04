/* SPDX-License-Identifier: GPL-2.0-only */
/* What many tests of the user ABI need before they can begin. */
#ifndef KUNIT_FAKE_VERBS_H
#define KUNIT_FAKE_VERBS_H

#include <linux/types.h>

struct fake_user;

/* The handle of the new object; the test is aborted when it cannot be had. */
u32 fake_verbs_qp(struct fake_user *user, u32 pd, u32 cq, u8 type);

/* 0 or a negative errno */
int fake_verbs_destroy(struct fake_user *user, u16 object, u16 method,
		       u16 attr, u32 handle);
int fake_verbs_extended(struct fake_user *user, u32 command, const void *req,
			size_t len, void *resp, size_t resp_len);

#endif /* KUNIT_FAKE_VERBS_H */
