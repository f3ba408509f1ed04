/* SPDX-License-Identifier: GPL-2.0-only */
/* Commands of on-demand paging, as those in cmd.h. */
#ifndef CX_CMD_ODP_H
#define CX_CMD_ODP_H

#include <linux/types.h>

#include <connectx/prm_mkc.h>

#define CX_INDIRECT_MAX	16

struct cx_caps;
struct cx_dev;
struct cx_hca_cap;

/**
 * struct cx_indirect - a key whose entries are pieces of other keys
 * @start: its first address
 * @count: entries of @pieces
 * @pieces: the entries, big-endian
 */
struct cx_indirect {
	u64 start;
	unsigned int count;
	struct cx_klm pieces[CX_INDIRECT_MAX];
};

void cx_odp_caps_decode(struct cx_caps *c, const struct cx_hca_cap *general);
int cx_cmd_set_odp_caps(struct cx_dev *cx, void *buf);
int cx_cmd_query_odp_caps(struct cx_dev *cx, void *buf);
int cx_cmd_query_indirect(struct cx_dev *cx, u32 mkey, struct cx_indirect *i);
int cx_cmd_resume_fault(struct cx_dev *cx, u8 type, u32 number, u32 token,
			bool error);

#endif /* CX_CMD_ODP_H */
