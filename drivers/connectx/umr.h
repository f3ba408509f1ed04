/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Changing a memory key while it is in use: a work request on a queue pair
 * that the driver keeps for this (UMR, "user-mode memory registration").
 */
#ifndef CX_UMR_H
#define CX_UMR_H

#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/wait.h>

#include "buf.h"
#include "db.h"
#include "eq.h"

struct cx_dev;
struct cx_mkey_params;

/**
 * struct cx_umr - the queue pair that changes keys, made with the first change
 * @lock: one change at a time; owns everything else but @arm_sn
 * @made: what follows is there, and stays
 * @broken: the queue pair refused something and has to begin anew
 * @pdn: protection domain
 * @cqn: completion queue
 * @qpn: queue pair
 * @events: hears the completion queue
 * @qp_events: hears the queue pair
 * @wait: the one who waits for a completion
 * @cq_ring: ring of completions
 * @sq_ring: ring of requests
 * @cq_db: doorbell record of the completion queue
 * @qp_db: doorbell record of the queue pair
 * @ci: next completion to look at
 * @arm_sn: events heard
 * @head: units posted, counting on
 */
struct cx_umr {
	struct mutex lock;
	bool made;
	bool broken;
	u32 pdn, cqn, qpn;
	struct cx_cq_handler events;
	struct cx_event_handler qp_events;
	wait_queue_head_t wait;
	struct cx_kbuf cq_ring, sq_ring;
	struct cx_db cq_db, qp_db;
	u32 ci;
	u32 arm_sn;
	u32 head;
};

void cx_umr_init(struct cx_umr *u);
void cx_umr_exit(struct cx_dev *cx, struct cx_umr *u);
void cx_umr_dead(struct cx_umr *u);
int cx_umr_change(struct cx_dev *cx, struct cx_umr *u, u32 mkey,
		  const struct cx_mkey_params *p, u64 fields);

/* umr_wqe.c: pure */
#define CX_UMR_UNITS	2	/* of CX_WQE_BB bytes */

void cx_umr_write(void *wqe, u32 index, u32 qpn, u32 mkey,
		  const struct cx_mkey_params *p, u64 fields);

#endif /* CX_UMR_H */
