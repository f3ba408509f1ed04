/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls of device memory; all return 0 or a positive errno. */
#ifndef UVERBS_DM_CALLS_H
#define UVERBS_DM_CALLS_H

#include <stdbool.h>

#include "calls.h"

/* Device memory, or a request for it */
struct dm {
	uint64_t length;
	uint32_t alignment;
	uint64_t type;		/* enum mlx5_ib_uapi_dm_type */
	bool no_page;		/* do not ask for @page */
	uint32_t handle;
	uint16_t page;		/* of the offset to map it by */
	uint64_t offset;	/* in that page */
};

int dm_alloc(struct uctx *x, struct dm *d);
int dm_query(struct uctx *x, struct dm *d);
int dm_map_op(struct uctx *x, uint32_t handle, uint8_t op);
int dm_free(struct uctx *x, uint32_t handle);
int dm_max(struct uctx *x, uint64_t *length);
int dm_reg(struct uctx *x, uint32_t pd, const struct dm *d, uint64_t offset,
	   uint64_t length, uint32_t access, uint32_t *mr);

/* All of its pages, or MAP_FAILED and errno */
void *dm_map(struct uctx *x, const struct dm *d, int prot);
void dm_unmap(const struct dm *d, void *pages);
size_t dm_pages(const struct dm *d);
uint64_t dm_pgoff(uint32_t page);

#endif /* UVERBS_DM_CALLS_H */
