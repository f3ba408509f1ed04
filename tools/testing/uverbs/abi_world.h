/* SPDX-License-Identifier: GPL-2.0-only */
/* The objects that calls refer to, the same before every call. */
#ifndef UVERBS_ABI_WORLD_H
#define UVERBS_ABI_WORLD_H

#include <stdint.h>

#include "abi.h"
#include "calls.h"

struct abi_world {
	struct uctx x;
	struct uctx other;	/* another open file */
	int first_fd;		/* below it, none is ours to close */
	int fresh;		/* file without a context, or -1 */
	int64_t ids[SLOTS];
	bool made[SLOTS];
	int64_t stale;		/* was a handle, is none */
	int64_t foreign;	/* a handle of the other file only */
	int64_t foreign_fd;	/* a channel of the other file */
};

int abi_world_init(struct abi_world *w);
/* All slots, in a new context */
int abi_world_make(struct abi_world *w);
void abi_world_end(struct abi_world *w);
/* An object for a call; a stale handle when it cannot be made */
int64_t abi_world_need(struct abi_world *w, enum abi_slot slot);
/* The call has used it up. */
void abi_world_spend(struct abi_world *w, enum abi_slot slot);
void abi_world_spend_class(struct abi_world *w, enum abi_slot slot);
/* A call has made an object of the slot's class. */
void abi_world_drop(struct abi_world *w, enum abi_slot slot, int64_t id);
int abi_world_fresh(struct abi_world *w);
void abi_world_fresh_end(struct abi_world *w);
/* Are both slots of one class? */
bool abi_slot_same(enum abi_slot a, enum abi_slot b);
/* Is there a way to make one? */
bool abi_slot_has(enum abi_slot slot);
bool abi_slot_is_fd(enum abi_slot slot);
const char *abi_slot_name(enum abi_slot slot);

#endif /* UVERBS_ABI_WORLD_H */
