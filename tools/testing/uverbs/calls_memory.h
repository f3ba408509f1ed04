/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls about memory regions, and what the kernel says about pinned memory.
 * All functions that return an int return 0 or a positive errno.
 */
#ifndef UVERBS_CALLS_MEMORY_H
#define UVERBS_CALLS_MEMORY_H

#include <stddef.h>

#include "calls.h"

#define LOCAL_WRITE	IB_UVERBS_ACCESS_LOCAL_WRITE
#define REMOTE_READ	IB_UVERBS_ACCESS_REMOTE_READ
#define REMOTE_WRITE	IB_UVERBS_ACCESS_REMOTE_WRITE
#define ON_DEMAND	IB_UVERBS_ACCESS_ON_DEMAND
#define PREFETCH	IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH
#define PREFETCH_WRITE	IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_WRITE

/* enum ib_uverbs_rereg flags, which no header of user space has */
#define CHANGE_MEMORY	(1 << 0)
#define CHANGE_PD	(1 << 1)
#define CHANGE_ACCESS	(1 << 2)

/* What of a region can be asked */
struct mr_state {
	uint32_t lkey, rkey;
	uint64_t length, iova;
};

int mr_reg_at(struct uctx *x, uint32_t pd, void *addr, uint64_t len,
	      uint64_t iova, uint32_t access, uint32_t *mr);
int mr_state(struct uctx *x, uint32_t mr, struct mr_state *state);
int mr_rereg(struct uctx *x, struct ib_uverbs_rereg_mr *in, uint32_t *key);

/* To be brought in, of the region with this key; at once if @now */
int mr_advise(struct uctx *x, uint32_t pd, uint64_t advice, int now,
	      uint32_t lkey, void *addr, uint32_t len);
/* A region of all addresses */
int mr_reg_space(struct uctx *x, uint32_t pd, uint32_t access, uint32_t *mr);

/* Memory of another device: a piece of a DMA buffer */
struct dmabuf_piece {
	int fd;
	uint64_t offset, length, iova;
};

/* A buffer of so many bytes, which udmabuf exports */
int udmabuf_make(size_t bytes, int *fd);
int mr_reg_dmabuf(struct uctx *x, uint32_t pd, const struct dmabuf_piece *piece,
		  uint32_t access, uint32_t *mr);

/* The last refusal of the file had this in its text. Notes the text. */
int refused_with(struct uctx *x, const char *text);

/* kB of this process's memory that is pinned */
long pinned_kb(void);
/* Pages of all that are pinned. -1: this process may not know. */
long pages_held(void);
/* 1: so many are pinned, or soon will be; files are closed a little late */
int pages_settle_at(long pages);

/* Free keys that the driver keeps (connectx's mkey_pool) */
int keys_kept(void);
/* Memory keys in the adapter but for those, by what @census prints; -1 */
int keys_in_use(const char *census);

/* Private memory of no file; NULL if there is none */
void *memory_map(size_t bytes, int prot, int flags);

#endif /* UVERBS_CALLS_MEMORY_H */
