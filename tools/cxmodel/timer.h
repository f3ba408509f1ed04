/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Timers of the single-threaded loop. A delay of 0 means "as soon as the loop
 * is reached again", after what the transport has to say: the way to cut long
 * work into pieces.
 */
#ifndef CXM_TIMER_H
#define CXM_TIMER_H

#include "types.h"

struct cxm_timer {
	void	(*fn)(struct cxm *m, struct cxm_timer *t);
	u64	expires;	/* ns of CLOCK_MONOTONIC */
	u32	index;		/* in the heap, from 1; 0 = not armed */
};

struct cxm_timers {
	struct cxm_timer **heap;
	u32		count;
	u32		room;
};

u64 cxm_now_ns(void);

static inline void cxm_timer_init(struct cxm_timer *t,
				  void (*fn)(struct cxm *m,
					     struct cxm_timer *t))
{
	t->fn = fn;
	t->index = 0;
}

static inline bool cxm_timer_armed(const struct cxm_timer *t)
{
	return t->index != 0;
}

/* Arm, or move if armed. One shot. */
void cxm_timer_arm(struct cxm *m, struct cxm_timer *t, u64 ns);
void cxm_timer_cancel(struct cxm *m, struct cxm_timer *t);

/* For the loop: run what is due; how long until the next (-1: none). */
void cxm_timers_run(struct cxm *m);
int cxm_timers_wait_ms(struct cxm *m);
void cxm_timers_exit(struct cxm *m);

#endif /* CXM_TIMER_H */
