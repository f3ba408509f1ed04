/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory of each kind to register, and the raw cost of pinning it */
#ifndef BENCH_MR_MEMORY_H
#define BENCH_MR_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#define KIB		1024ul
#define MIB		(KIB * KIB)
#define GIB		(KIB * MIB)

/* Larger memory is so much of it, mapped again and again. */
#define MR_FILE_BYTES	GIB

struct kind {
	const char *name;
	void *(*map)(size_t bytes);	/* touched; NULL: not to be had */
	void (*unmap)(void *memory, size_t bytes);
};

#define NUM_KINDS	3
extern const struct kind kinds[NUM_KINDS];

/* Pin for long and for writing, unpin; through the kernel's gup_test */
int gup_open(void);		/* a file, or a negative errno */
int gup_pin(int fd, void *memory, size_t bytes);	/* 0 or an errno */

#endif /* BENCH_MR_MEMORY_H */
