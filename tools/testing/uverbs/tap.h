/* SPDX-License-Identifier: GPL-2.0-only */
/* Test results as TAP. A test is a function that returns when it has failed. */
#ifndef UVERBS_TAP_H
#define UVERBS_TAP_H

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct tap_test {
	const char *name;
	void (*run)(void);
};

static int tap_failed;

#define tap_note(fmt, ...) \
	printf("# %s:%d: " fmt "\n", __func__, __LINE__, ##__VA_ARGS__)

/* Leave the test when something is not as it should be. */
#define want(cond) do { \
	if (!(cond)) { \
		tap_note("not so: %s (errno %s)", #cond, \
			 strerrorname_np(errno)); \
		tap_failed = 1; \
		return; \
	} \
} while (0)

#define want_err(expr, err) do { \
	int got_ = (expr); \
	\
	if (got_ != (err)) { \
		tap_note("%s gives %s, not %s", #expr, \
			 got_ ? strerrorname_np(got_) : "0", \
			 (err) ? strerrorname_np(err) : "0"); \
		tap_failed = 1; \
		return; \
	} \
} while (0)

static inline int tap_run(const struct tap_test *tests, unsigned int count)
{
	unsigned int i, failures = 0;

	printf("TAP version 13\n1..%u\n", count);
	for (i = 0; i < count; i++) {
		tap_failed = 0;
		tests[i].run();
		printf("%sok %u %s\n", tap_failed ? "not " : "", i + 1,
		       tests[i].name);
		fflush(stdout);
		failures += tap_failed;
	}
	return failures ? 1 : 0;
}

#endif /* UVERBS_TAP_H */
