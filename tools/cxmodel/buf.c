// SPDX-License-Identifier: GPL-2.0-only
/*
 * Buffers of queues: from an offset in the queue to guest memory.
 */
#include <stdlib.h>

#include "buf.h"
#include "cmd.h"
#include "dma.h"
#include "trace.h"

#define CXM_PAGE_SHIFT		12
#define CXM_PAGE_OFFSET_UNITS	64
#define CXM_MAX_LOG_PAGE_SIZE	19	/* 31 - 12: a field of 5 bits */

/**
 * cxm_buf_init() - take the list of pages of a create command
 * @m: the model
 * @b: filled in
 * @c: the command
 * @pas_off: where in it the list starts
 * @log_page_size: relative to 4 KiB
 * @page_offset: of the first byte, in units of page size / 64
 * @size: of the buffer, in bytes
 *
 * Return: CX_STATUS_OK; CX_STATUS_BAD_PARAM for bad sizes and addresses with
 * low bits set; CX_STATUS_BAD_IN_LEN if the list is too short.
 */
int cxm_buf_init(struct cxm *m, struct cxm_buf *b, const struct cxm_cmd *c,
		 size_t pas_off, u32 log_page_size, u32 page_offset, u64 size)
{
	const __be64 *pas = (const __be64 *)((const char *)c->in + pas_off);
	u64 page, i;

	*b = (struct cxm_buf){ .size = size };
	if (!size)
		return CX_STATUS_OK;
	if (log_page_size > CXM_MAX_LOG_PAGE_SIZE)
		return CX_STATUS_BAD_PARAM;
	b->page_shift = CXM_PAGE_SHIFT + log_page_size;
	page = 1ull << b->page_shift;
	b->offset = page / CXM_PAGE_OFFSET_UNITS * page_offset;
	b->npages = (b->offset + size + page - 1) >> b->page_shift;
	if (c->in_len < pas_off ||
	    (c->in_len - pas_off) / sizeof(*pas) < b->npages)
		return CX_STATUS_BAD_IN_LEN;
	b->pas = calloc(b->npages, sizeof(*b->pas));
	if (!b->pas)
		return CX_STATUS_NO_RES;
	for (i = 0; i < b->npages; i++) {
		b->pas[i] = be64_to_cpu(pas[i]);
		if (!(b->pas[i] & ((1ull << CXM_PAGE_SHIFT) - 1)))
			continue;
		cxm_warn(m, "%s: page %llu has low bits set (0x%llx)",
			 c->desc->name, i, b->pas[i]);
		cxm_buf_exit(b);
		return CX_STATUS_BAD_PARAM;
	}
	return CX_STATUS_OK;
}

/**
 * cxm_buf_exit() - forget the list
 * @b: the buffer, also a zeroed one
 */
void cxm_buf_exit(struct cxm_buf *b)
{
	free(b->pas);
	*b = (struct cxm_buf){ 0 };
}

/* Bus address of an offset, and how far its page reaches. */
static u64 cxm_buf_addr(const struct cxm_buf *b, u64 off, u64 *run)
{
	u64 in_page;

	off += b->offset;
	in_page = off & ((1ull << b->page_shift) - 1);
	*run = (1ull << b->page_shift) - in_page;
	return b->pas[off >> b->page_shift] + in_page;
}

static bool cxm_buf_within(const struct cxm_buf *b, u64 off, size_t len)
{
	return len <= b->size && off <= b->size - len;
}

/**
 * cxm_buf_read() - copy from a queue's buffer
 * @m: the model
 * @b: the buffer
 * @off: in bytes from its start
 * @data: where to
 * @len: in bytes
 *
 * Return: false if out of bounds or not accessible.
 */
bool cxm_buf_read(struct cxm *m, const struct cxm_buf *b, u64 off, void *data,
		  size_t len)
{
	if (!cxm_buf_within(b, off, len))
		return false;
	while (len) {
		u64 run, addr = cxm_buf_addr(b, off, &run);

		run = min_u64(run, len);
		if (!cxm_dma_read(m, addr, data, run))
			return false;
		data = (char *)data + run;
		off += run;
		len -= run;
	}
	return true;
}

/**
 * cxm_buf_write() - copy to a queue's buffer
 * @m: the model
 * @b: the buffer
 * @off: in bytes from its start
 * @data: where from
 * @len: in bytes
 *
 * Return: false if out of bounds or not accessible.
 */
bool cxm_buf_write(struct cxm *m, const struct cxm_buf *b, u64 off,
		   const void *data, size_t len)
{
	if (!cxm_buf_within(b, off, len))
		return false;
	while (len) {
		u64 run, addr = cxm_buf_addr(b, off, &run);

		run = min_u64(run, len);
		if (!cxm_dma_write(m, addr, data, run))
			return false;
		data = (const char *)data + run;
		off += run;
		len -= run;
	}
	return true;
}

/**
 * cxm_buf_publish() - write an entry of a queue, its last byte last
 * @m: the model
 * @b: the buffer
 * @off: in bytes from its start
 * @entry: what to write
 * @len: in bytes; the entry lies within one page
 *
 * Return: false if out of bounds or not accessible.
 */
bool cxm_buf_publish(struct cxm *m, const struct cxm_buf *b, u64 off,
		     const void *entry, size_t len)
{
	u64 run, addr;

	if (!cxm_buf_within(b, off, len))
		return false;
	addr = cxm_buf_addr(b, off, &run);
	return run >= len && cxm_dma_publish(m, addr, entry, len);
}
