/* SPDX-License-Identifier: GPL-2.0-only */
/* Commands of shared receive queues; see cmd.h. */
#ifndef CX_CMD_SRQ_H
#define CX_CMD_SRQ_H

#include "cmd.h"

/**
 * struct cx_srq_params - a new shared receive queue
 * @pdn: protection domain
 * @xrcdn: XRC: domain
 * @cqn: XRC: completion queue
 * @user_index: XRC: comes back in completions
 * @log_size: log2 of its entries
 * @log_stride: log2 of the bytes of an entry
 * @dbr: doorbell record
 * @pas: the ring
 */
struct cx_srq_params {
	u32 pdn;
	u32 xrcdn;
	u32 cqn;
	u32 user_index;
	u8 log_size;
	u8 log_stride;
	u64 dbr;
	struct cx_pas pas;
};

int cx_cmd_create_srq(struct cx_dev *cx, const struct cx_srq_params *p,
		      u32 *srqn);
int cx_cmd_arm_srq(struct cx_dev *cx, u32 srqn, u16 limit);
int cx_cmd_query_srq(struct cx_dev *cx, u32 srqn, u16 *limit, bool *error);
int cx_cmd_destroy_srq(struct cx_dev *cx, u32 srqn);
int cx_cmd_create_xrc_srq(struct cx_dev *cx, const struct cx_srq_params *p,
			  u32 *srqn);
int cx_cmd_arm_xrc_srq(struct cx_dev *cx, u32 srqn, u16 limit);
int cx_cmd_query_xrc_srq(struct cx_dev *cx, u32 srqn, u16 *limit,
			 bool *error);
int cx_cmd_destroy_xrc_srq(struct cx_dev *cx, u32 srqn);

#endif /* CX_CMD_SRQ_H */
