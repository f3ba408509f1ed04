/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CX_XRC_H
#define CX_XRC_H

#include <linux/mutex.h>
#include <linux/types.h>

#include "buf.h"
#include "db.h"

/**
 * struct cx_xrc - what queue pairs of XRC have to name but do not use
 * @lock: owns @made
 * @made: what follows is there, and stays
 * @pdn: protection domain of targets
 * @xrcdn: XRC domain of initiators
 * @cqn: completion queue
 * @srqn: shared receive queue of targets
 * @cq_ring: of the completion queue
 * @srq_ring: of the shared receive queue
 * @cq_db: doorbell record of the one
 * @srq_db: … of the other
 */
struct cx_xrc {
	struct mutex lock;
	bool made;
	u32 pdn;
	u32 xrcdn;
	u32 cqn;
	u32 srqn;
	struct cx_kbuf cq_ring;
	struct cx_kbuf srq_ring;
	struct cx_db cq_db;
	struct cx_db srq_db;
};

#endif /* CX_XRC_H */
