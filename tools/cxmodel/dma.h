/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Guest memory. The model touches only what the guest mapped for this function
 * and only while bus mastering is on; after kill nothing at all.
 */
#ifndef CXM_DMA_H
#define CXM_DMA_H

#include "types.h"

/*
 * A pointer to guest memory at @iova for up to *@len bytes; *@len is cut to the
 * contiguous run. NULL if nothing is mapped there. Do not keep it beyond the
 * current call from the loop: the guest may unmap it.
 */
void *cxm_dma_ptr(struct cxm *m, u64 iova, u64 *len, bool write);

/* Copy; false if any byte is not accessible (then part may be copied). */
bool cxm_dma_read(struct cxm *m, u64 iova, void *buf, size_t len);
bool cxm_dma_write(struct cxm *m, u64 iova, const void *buf, size_t len);

/*
 * Write an entry whose last byte hands it to software (CQE, EQE, command):
 * that byte becomes visible after all others.
 */
bool cxm_dma_publish(struct cxm *m, u64 iova, const void *entry, size_t len);

#endif /* CXM_DMA_H */
