/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef IB_MR_H
#define IB_MR_H

#include <ib/object.h>

struct ib_pd;
struct ib_udata;

enum ib_mr_type {
	IB_MR_USER,	/* pinned user memory */
	IB_MR_DMA,	/* all DMA addresses, kernel only */
};

/**
 * struct ib_mr - memory region
 * @obj: base
 * @pd: its protection domain
 * @type: user memory or DMA addresses
 * @lkey: key for local access
 * @rkey: key for remote access, 0 when none was asked for
 * @iova: first address that work requests use
 * @length: bytes
 * @access: IB_ACCESS_*
 */
struct ib_mr {
	struct ib_object	obj;
	struct ib_pd		*pd;
	enum ib_mr_type		type;
	u32			lkey;
	u32			rkey;
	u64			iova;
	u64			length;
	int			access;
};

struct ib_mr *ib_reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 iova,
			     int access, struct ib_udata *udata);
struct ib_mr *ib_get_dma_mr(struct ib_pd *pd, int access);
int ib_dereg_mr(struct ib_mr *mr, struct ib_udata *udata);
int ib_check_mr_access(struct ib_device *device, int access);

#endif /* IB_MR_H */
