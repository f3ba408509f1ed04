/* SPDX-License-Identifier: GPL-2.0-only */
/* What a program of the bench wants to know of the guest's kernel. */
#ifndef BENCH_KERNEL_H
#define BENCH_KERNEL_H

#include <stdint.h>

/* The address of a function, also of one that gcc made a variant of; or 0 */
uint64_t kernel_symbol(const char *name);

/* A line of /proc/meminfo, such as "Slab", in bytes */
long kernel_memory(const char *what);

/*
 * Bytes that nobody has, also those that processors keep for themselves, of
 * which MemFree does not know
 */
long kernel_free_memory(void);

/* A line or a number into a file of /proc or /sys; 0 or a positive errno */
int kernel_write(const char *path, const char *text);
int kernel_set(const char *path, long value);

#endif /* BENCH_KERNEL_H */
