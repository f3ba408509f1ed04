/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Changing a memory key that exists: a work request on a queue pair that the
 * driver keeps for this (UMR, "user-mode memory registration").
 *
 * Memory is taken away from the adapter under locks of the memory management,
 * which may be there to free memory. So nothing under cx_umr.lock waits for
 * memory to be freed: the queue pair and the buffer for entries are made
 * before, by cx_umr_prepare(), and a restart of the queue pair allocates
 * nothing.
 */
#ifndef CX_UMR_H
#define CX_UMR_H

#include <linux/mutex.h>
#include <linux/sizes.h>
#include <linux/types.h>
#include <linux/wait.h>

#include <connectx/prm_wqe.h>

#include "buf.h"
#include "db.h"
#include "eq.h"

struct cx_dev;
struct cx_mkey_params;

#define CX_UMR_UNITS	2	/* of CX_WQE_BB bytes: a request */
#define CX_UMR_UNITS_MAX 3	/* one with a list of entries */

/* Entries are read in groups: the room of a key is a number of them. */
#define CX_UMR_GROUP	8
/* Entries in one request, and in the buffer they are read from */
#define CX_UMR_CHUNK	(SZ_32K / sizeof(__be64))

/* Sets of fields, of enum cx_umr_field */
#define CX_UMR_RIGHTS	(BIT_ULL(CX_UMR_LR) | BIT_ULL(CX_UMR_LW) | \
			 BIT_ULL(CX_UMR_RR) | BIT_ULL(CX_UMR_RW) | \
			 BIT_ULL(CX_UMR_A))
#define CX_UMR_RANGE	(BIT_ULL(CX_UMR_START_ADDR) | BIT_ULL(CX_UMR_LEN) | \
			 BIT_ULL(CX_UMR_PAGE_SIZE))

/**
 * struct cx_umr - the queue pair that changes keys, made with the first change
 * @make_lock: owns @made; never taken to take memory from the adapter
 * @lock: one request at a time; owns what follows but @arm_sn
 * @made: what follows is there, and stays
 * @broken: the queue pair refused something and has to begin anew
 * @pdn: protection domain
 * @lkey: key by which the adapter reads @xlt
 * @cqn: completion queue
 * @qpn: queue pair
 * @events: hears the completion queue
 * @qp_events: hears the queue pair
 * @wait: the one who waits for a completion
 * @cq_ring: ring of completions
 * @sq_ring: ring of requests
 * @xlt: entries of the request
 * @cq_db: doorbell record of the completion queue
 * @qp_db: doorbell record of the queue pair
 * @ci: next completion to look at
 * @arm_sn: events heard
 * @head: units posted, counting on
 */
struct cx_umr {
	struct mutex make_lock;
	struct mutex lock;
	bool made;
	bool broken;
	u32 pdn, lkey, cqn, qpn;
	struct cx_cq_handler events;
	struct cx_event_handler qp_events;
	wait_queue_head_t wait;
	struct cx_kbuf cq_ring, sq_ring, xlt;
	struct cx_db cq_db, qp_db;
	u32 ci;
	u32 arm_sn;
	u32 head;
};

/**
 * struct cx_umr_xlt - new translation entries of a key
 * @mkey: the key; it has room for them
 * @first: number of the first, a multiple of CX_UMR_GROUP
 * @count: how many, at least one; the group of the last is filled with zeros
 * @fill: writes @n entries from number @at on, called in order; NULL writes
 *	zeros. It must not wait for memory to be freed
 * @arg: for @fill
 * @cond: CX_UMR_IF_FREE, CX_UMR_IF_IN_USE, or 0: refuse unless the key is so
 * @p: new values of @fields, or NULL
 * @fields: mask of enum cx_umr_field: what changes once all entries are there
 */
struct cx_umr_xlt {
	u32 mkey;
	u64 first;
	u64 count;
	void (*fill)(void *arg, __be64 *entries, u64 at, u32 n);
	void *arg;
	u8 cond;
	const struct cx_mkey_params *p;
	u64 fields;
};

/* umr.c */
void cx_umr_init(struct cx_umr *u);
void cx_umr_exit(struct cx_dev *cx, struct cx_umr *u);
void cx_umr_dead(struct cx_umr *u);
int cx_umr_prepare(struct cx_dev *cx, struct cx_umr *u);
u64 cx_umr_rights(const struct cx_dev *cx);
int cx_umr_change(struct cx_dev *cx, struct cx_umr *u, u32 mkey,
		  const struct cx_mkey_params *p, u64 fields);
int cx_umr_translate(struct cx_dev *cx, struct cx_umr *u,
		     const struct cx_umr_xlt *x);
void cx_umr_zap(struct cx_dev *cx, struct cx_umr *u, u32 mkey, u64 first,
		u64 count);

/**
 * struct cx_umr_req - one request
 * @mkey: the key
 * @cond: CX_UMR_IF_FREE, CX_UMR_IF_IN_USE, or 0
 * @p: new values, or NULL
 * @fields: mask of enum cx_umr_field: which of them count
 * @xlt: where the entries are
 * @xlt_lkey: key for @xlt
 * @first: number of the first entry, a multiple of CX_UMR_GROUP
 * @count: how many, a multiple of CX_UMR_GROUP; 0: entries stay as they are
 */
struct cx_umr_req {
	u32 mkey;
	u8 cond;
	const struct cx_mkey_params *p;
	u64 fields;
	dma_addr_t xlt;
	u32 xlt_lkey;
	u64 first;
	u32 count;
};

/* umr_qp.c: for umr.c */
int cx_umr_qp_make(struct cx_dev *cx, struct cx_umr *u);
void cx_umr_qp_free(struct cx_dev *cx, struct cx_umr *u);
int __cx_umr_exec(struct cx_dev *cx, struct cx_umr *u,
		  const struct cx_umr_req *r);

/* umr_wqe.c: pure */
unsigned int cx_umr_write(void *wqe, u32 index, u32 qpn,
			  const struct cx_umr_req *r);

#endif /* CX_UMR_H */
