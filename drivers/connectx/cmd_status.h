/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CX_CMD_STATUS_H
#define CX_CMD_STATUS_H

#include <linux/types.h>

int cx_cmd_status_errno(u8 status);
const char *cx_cmd_status_text(u8 status);
int cx_cmd_delivery_errno(u8 delivery);
const char *cx_cmd_delivery_text(u8 delivery);

#endif /* CX_CMD_STATUS_H */
