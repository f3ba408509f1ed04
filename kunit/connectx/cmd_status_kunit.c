// SPDX-License-Identifier: GPL-2.0-only
/* What the firmware's status codes mean to a caller. */
#include <kunit/test.h>
#include <linux/module.h>
#include <compat.h>
#include <connectx/prm_cmd.h>
#include "drivers/connectx/cmd_status.h"

static const struct {
	u8 status;
	int err;
} known[] = {
	{ CX_STATUS_OK, 0 },
	{ CX_STATUS_INT_ERR, -EIO },
	{ CX_STATUS_BAD_OP, -EINVAL },
	{ CX_STATUS_BAD_PARAM, -EINVAL },
	{ CX_STATUS_BAD_SYS_STATE, -EIO },
	{ CX_STATUS_BAD_RES, -EINVAL },
	{ CX_STATUS_RES_BUSY, -EBUSY },
	{ CX_STATUS_NOT_READY, -EAGAIN },
	{ CX_STATUS_LIM_ERR, -ENOMEM },
	{ CX_STATUS_BAD_RES_STATE, -EINVAL },
	{ CX_STATUS_BAD_INDEX, -EINVAL },
	{ CX_STATUS_NO_RES, -EAGAIN },
	{ CX_STATUS_BAD_QP_STATE, -EINVAL },
	{ CX_STATUS_BAD_PKT, -EINVAL },
	{ CX_STATUS_BAD_SIZE_OUTS_CQES, -EINVAL },
	{ CX_STATUS_BAD_IN_LEN, -EIO },
	{ CX_STATUS_BAD_OUT_LEN, -EIO },
};

static void status_errno(struct kunit *test)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		KUNIT_EXPECT_EQ_MSG(test, cx_cmd_status_errno(known[i].status),
				    known[i].err, "status 0x%x",
				    known[i].status);
}

/* A code nobody knows must never read as success. */
static void status_unknown(struct kunit *test)
{
	unsigned int status, i;

	for (status = 0; status < 256; status++) {
		for (i = 0; i < ARRAY_SIZE(known); i++)
			if (known[i].status == status)
				break;
		if (i < ARRAY_SIZE(known))
			continue;
		KUNIT_EXPECT_EQ(test, cx_cmd_status_errno(status), -EIO);
		KUNIT_EXPECT_STREQ(test, cx_cmd_status_text(status),
				   "unknown status");
	}
}

static void status_text(struct kunit *test)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		KUNIT_EXPECT_STRNEQ(test, cx_cmd_status_text(known[i].status),
				    "unknown status");
}

static void delivery_errno(struct kunit *test)
{
	unsigned int delivery;

	KUNIT_EXPECT_EQ(test, cx_cmd_delivery_errno(CX_DELIVERY_OK), 0);
	for (delivery = 1; delivery < 128; delivery++)
		KUNIT_EXPECT_EQ(test, cx_cmd_delivery_errno(delivery), -EIO);
}

static struct kunit_case cmd_status_cases[] = {
	KUNIT_CASE(status_errno),
	KUNIT_CASE(status_unknown),
	KUNIT_CASE(status_text),
	KUNIT_CASE(delivery_errno),
	{}
};

static struct kunit_suite cmd_status_suite = {
	.name = "connectx_cmd_status",
	.test_cases = cmd_status_cases,
};

kunit_test_suite(cmd_status_suite);

MODULE_DESCRIPTION("KUnit: firmware status codes");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(IB_KUNIT_NS);
