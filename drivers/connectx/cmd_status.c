// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the firmware's status and delivery codes mean: one table each.
 */
#include <linux/kernel.h>
#include <linux/errno.h>

#include <kunit/visibility.h>

#include <connectx/prm_cmd.h>

#include "cmd_status.h"

struct cx_code {
	u8 code;
	int err;
	const char *text;
};

static const struct cx_code cx_statuses[] = {
	{ CX_STATUS_OK, 0, "in order" },
	{ CX_STATUS_INT_ERR, -EIO, "internal error" },
	{ CX_STATUS_BAD_OP, -EINVAL, "unknown command" },
	{ CX_STATUS_BAD_PARAM, -EINVAL, "bad parameter" },
	{ CX_STATUS_BAD_SYS_STATE, -EIO, "not allowed in this system state" },
	{ CX_STATUS_BAD_RES, -EINVAL, "no such resource" },
	{ CX_STATUS_RES_BUSY, -EBUSY, "resource still in use" },
	{ CX_STATUS_NOT_READY, -EAGAIN, "not ready" },
	{ CX_STATUS_LIM_ERR, -ENOMEM, "limit exceeded" },
	{ CX_STATUS_BAD_RES_STATE, -EINVAL, "resource in a wrong state" },
	{ CX_STATUS_BAD_INDEX, -EINVAL, "bad index" },
	{ CX_STATUS_NO_RES, -EAGAIN, "out of resources" },
	{ CX_STATUS_BAD_QP_STATE, -EINVAL, "queue pair in a wrong state" },
	{ CX_STATUS_BAD_PKT, -EINVAL, "bad management packet" },
	{ CX_STATUS_BAD_SIZE_OUTS_CQES, -EINVAL, "too many outstanding CQEs" },
	{ CX_STATUS_BAD_IN_LEN, -EIO, "bad command length" },
	{ CX_STATUS_BAD_OUT_LEN, -EIO, "bad answer length" },
};

static const struct cx_code cx_deliveries[] = {
	{ CX_DELIVERY_OK, 0, "delivered" },
	{ CX_DELIVERY_SIGNATURE, -EIO, "bad signature" },
	{ CX_DELIVERY_TOKEN, -EIO, "bad token" },
	{ CX_DELIVERY_BLOCK_NUM, -EIO, "bad block number" },
	{ CX_DELIVERY_OUT_PTR, -EIO, "bad output address" },
	{ CX_DELIVERY_IN_PTR, -EIO, "bad input address" },
	{ CX_DELIVERY_FW, -EIO, "internal error" },
	{ CX_DELIVERY_IN_LEN, -EIO, "bad input length" },
	{ CX_DELIVERY_OUT_LEN, -EIO, "bad output length" },
	{ CX_DELIVERY_RESERVED, -EIO, "reserved field not clear" },
	{ CX_DELIVERY_DESCRIPTOR, -EIO, "bad descriptor" },
};

static const struct cx_code cx_unknown = { 0, -EIO, "unknown status" };

static const struct cx_code *cx_code_find(const struct cx_code *tab, size_t n,
					  u8 code)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (tab[i].code == code)
			return &tab[i];
	return &cx_unknown;
}

/**
 * cx_cmd_status_errno - errno of a command status
 * @status: first byte of an answer
 *
 * Context: Any context.
 * Return: 0 or a negative errno, -EIO for a status nobody knows.
 */
int cx_cmd_status_errno(u8 status)
{
	return cx_code_find(cx_statuses, ARRAY_SIZE(cx_statuses), status)->err;
}
EXPORT_SYMBOL_IF_KUNIT(cx_cmd_status_errno);

/**
 * cx_cmd_status_text - a command status in words
 * @status: first byte of an answer
 *
 * Context: Any context.
 * Return: a constant string.
 */
const char *cx_cmd_status_text(u8 status)
{
	return cx_code_find(cx_statuses, ARRAY_SIZE(cx_statuses), status)->text;
}
EXPORT_SYMBOL_IF_KUNIT(cx_cmd_status_text);

/**
 * cx_cmd_delivery_errno - errno of a delivery status
 * @delivery: delivery status of a queue entry
 *
 * Context: Any context.
 * Return: 0 or -EIO: the command was not executed.
 */
int cx_cmd_delivery_errno(u8 delivery)
{
	return cx_code_find(cx_deliveries, ARRAY_SIZE(cx_deliveries),
			    delivery)->err;
}
EXPORT_SYMBOL_IF_KUNIT(cx_cmd_delivery_errno);

/**
 * cx_cmd_delivery_text - a delivery status in words
 * @delivery: delivery status of a queue entry
 *
 * Context: Any context.
 * Return: a constant string.
 */
const char *cx_cmd_delivery_text(u8 delivery)
{
	return cx_code_find(cx_deliveries, ARRAY_SIZE(cx_deliveries),
			    delivery)->text;
}
