/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A queue's buffer in guest memory: a list of pages that came with the create
 * command, all of one size, the first byte possibly not at a page's start.
 */
#ifndef CXM_BUF_H
#define CXM_BUF_H

#include "types.h"

struct cxm_cmd;

struct cxm_buf {
	u64	*pas;
	u32	npages;
	u32	page_shift;
	u64	offset;		/* of byte 0 in the first page */
	u64	size;
};

/*
 * Take the list that starts @pas_off bytes into the command. @log_page_size is
 * relative to 4 KiB and @page_offset in page_size / 64, as in the contexts.
 * Returns CX_STATUS_OK, BAD_PARAM or BAD_IN_LEN. A @size of 0 takes no list.
 */
int cxm_buf_init(struct cxm *m, struct cxm_buf *b, const struct cxm_cmd *c,
		 size_t pas_off, u32 log_page_size, u32 page_offset, u64 size);
void cxm_buf_exit(struct cxm_buf *b);

/* False if outside of the buffer or not accessible. No wrap at the end. */
bool cxm_buf_read(struct cxm *m, const struct cxm_buf *b, u64 off, void *data,
		  size_t len);
bool cxm_buf_write(struct cxm *m, const struct cxm_buf *b, u64 off,
		   const void *data, size_t len);

/* As cxm_dma_publish(); the entry must not cross a page. */
bool cxm_buf_publish(struct cxm *m, const struct cxm_buf *b, u64 off,
		     const void *entry, size_t len);

#endif /* CXM_BUF_H */
