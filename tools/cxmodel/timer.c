// SPDX-License-Identifier: GPL-2.0-only
/*
 * Timers: a binary heap by time of expiry. Index 0 is not used, so that an index
 * of 0 in a timer says "not armed".
 */
#include <stdlib.h>
#include <time.h>

#include "model.h"

/**
 * cxm_now_ns() - the clock of the model
 *
 * Return: monotonic nanoseconds.
 */
u64 cxm_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static void cxm_heap_put(struct cxm_timers *h, u32 i, struct cxm_timer *t)
{
	h->heap[i] = t;
	t->index = i;
}

static void cxm_heap_up(struct cxm_timers *h, u32 i, struct cxm_timer *t)
{
	while (i > 1 && h->heap[i / 2]->expires > t->expires) {
		cxm_heap_put(h, i, h->heap[i / 2]);
		i /= 2;
	}
	cxm_heap_put(h, i, t);
}

static void cxm_heap_down(struct cxm_timers *h, u32 i, struct cxm_timer *t)
{
	u32 child;

	while ((child = 2 * i) <= h->count) {
		if (child < h->count &&
		    h->heap[child + 1]->expires < h->heap[child]->expires)
			child++;
		if (h->heap[child]->expires >= t->expires)
			break;
		cxm_heap_put(h, i, h->heap[child]);
		i = child;
	}
	cxm_heap_put(h, i, t);
}

static void cxm_heap_grow(struct cxm_timers *h)
{
	u32 room = h->room ? h->room * 2 : 64;
	struct cxm_timer **heap;

	heap = realloc(h->heap, (room + 1) * sizeof(struct cxm_timer *));
	if (!heap)
		abort();	/* a lost timer would hang the guest silently */
	h->heap = heap;
	h->room = room;
}

/**
 * cxm_timer_arm() - run the timer's function later
 * @m: the model
 * @t: an initialised timer; moved if it is armed
 * @ns: how much later
 */
void cxm_timer_arm(struct cxm *m, struct cxm_timer *t, u64 ns)
{
	struct cxm_timers *h = &m->timers;

	cxm_timer_cancel(m, t);
	t->expires = cxm_now_ns() + ns;
	if (h->count == h->room)
		cxm_heap_grow(h);
	h->count++;
	cxm_heap_up(h, h->count, t);
}

/**
 * cxm_timer_cancel() - do not run it
 * @m: the model
 * @t: the timer, armed or not
 */
void cxm_timer_cancel(struct cxm *m, struct cxm_timer *t)
{
	struct cxm_timers *h = &m->timers;
	u32 i = t->index;
	struct cxm_timer *last;

	if (!i)
		return;
	t->index = 0;
	last = h->heap[h->count--];
	if (last == t)
		return;
	if (i > 1 && h->heap[i / 2]->expires > last->expires)
		cxm_heap_up(h, i, last);
	else
		cxm_heap_down(h, i, last);
}

/**
 * cxm_timers_run() - run what is due
 * @m: the model
 *
 * A function that arms a timer with no delay is not run again by this call: the
 * transport gets its turn first.
 */
void cxm_timers_run(struct cxm *m)
{
	u64 now = cxm_now_ns();

	while (m->timers.count && m->timers.heap[1]->expires < now) {
		struct cxm_timer *t = m->timers.heap[1];

		cxm_timer_cancel(m, t);
		t->fn(m, t);
	}
}

/**
 * cxm_timers_wait_ms() - how long the loop may sleep
 * @m: the model
 *
 * Return: milliseconds until the next timer, rounded up; -1 if there is none.
 */
int cxm_timers_wait_ms(struct cxm *m)
{
	u64 now = cxm_now_ns(), wait;

	if (!m->timers.count)
		return -1;
	if (m->timers.heap[1]->expires <= now)
		return 0;
	wait = (m->timers.heap[1]->expires - now + 999999) / 1000000;
	return (int)min_u64(wait, 1000);
}

/**
 * cxm_timers_exit() - free the heap
 * @m: the model
 */
void cxm_timers_exit(struct cxm *m)
{
	free(m->timers.heap);
}
