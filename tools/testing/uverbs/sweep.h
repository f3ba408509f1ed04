/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fail the n-th allocation or user copy of a call, for n = 1, 2, ... until
 * none is hit. A call that fails must leave nothing, one that succeeds in
 * spite of it must work.
 */
#ifndef UVERBS_SWEEP_H
#define UVERBS_SWEEP_H

#include "calls.h"
#include "inject.h"
#include "tap.h"

/* @object: what is counted before and after, or 0 */
struct sweep {
	int (*make)(uint32_t *handle);
	int (*end)(uint32_t handle);
	unsigned int object;
};

static void sweep(struct uctx *x, const struct sweep *s)
{
	uint32_t handle, before = 0, after = 0;
	int n, error, hit, failed = 0;

	if (s->object)
		want_err(handles_of(x, s->object, &before), 0);
	for (n = 1; n < INJECT_MAX; n++) {
		inject_arm(n);
		error = s->make(&handle);
		hit = inject_was_hit();
		if (error) {
			failed++;
			want(hit);
			if (!inject_expected(error))
				tap_note("allocation %d gives %s", n,
					 strerrorname_np(error));
			want(inject_expected(error));
		} else {
			want_err(s->end(handle), 0);
		}
		if (!hit)
			break;
	}
	want(n < INJECT_MAX);
	want(failed > 0);
	if (s->object)
		want_err(handles_of(x, s->object, &after), 0);
	want(before == after);
	tap_note("%d places, %d of them end the call", n - 1, failed);
}

/* The program: prepare() gives 0 or an errno. */
static int sweep_main(int (*prepare)(void), const struct tap_test *tests,
		      unsigned int num)
{
	int error;

	if (!inject_init()) {
		printf("1..0 # SKIP no fault injection in this kernel\n");
		return 4;
	}
	error = prepare();
	if (error) {
		printf("Bail out! cannot set up: %s\n", strerrorname_np(error));
		return 1;
	}
	return tap_run(tests, num);
}

#endif /* UVERBS_SWEEP_H */
