/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef UVERBS_ABI_MUTATE_H
#define UVERBS_ABI_MUTATE_H

#include <stdint.h>

struct abi_random;
struct abi_request;
struct abi_world;

/* Spoil a good request in one place, or leave it good; its name is in q. */
void abi_mutate(struct abi_request *q, struct abi_world *w,
		struct abi_random *r);
/* Give a number another value: 1, or 0 when there is no such target. */
int abi_set(struct abi_request *q, const char *target, uint64_t value);

#endif /* UVERBS_ABI_MUTATE_H */
