// SPDX-License-Identifier: GPL-2.0-only
/*
 * Device memory: pieces of it, and what the host sees of them.
 *
 * A piece lies at the end of the pages that software gave it, as far as its
 * alignment allows: it need not start where a page does, and drivers have to
 * listen to the answer. The rest of its pages is nobody's.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "memic.h"
#include "model.h"
#include "trace.h"
#include <connectx/prm_memic.h>

#define CXM_MEMIC_LOG_ALIGN	8	/* of 64 bytes */

/**
 * cxm_memic_offer() - say what there is
 * @cap: to fill
 */
void cxm_memic_offer(struct cx_device_mem_cap *cap)
{
	cx_device_mem_cap_set_memic(cap, 1);
	cx_device_mem_cap_set_log_min_memic_alloc_size(cap,
						       CX_MEMIC_UNIT_SHIFT);
	cx_device_mem_cap_set_log_max_memic_addr_alignment(cap,
							   CXM_MEMIC_LOG_ALIGN);
	cx_device_mem_cap_set_memic_bar_start_addr(cap, CXM_MEMIC_START);
	cx_device_mem_cap_set_memic_bar_size(cap, CXM_MEMIC_BAR_BYTES);
	cx_device_mem_cap_set_max_memic_size(cap, CXM_MEMIC_MAX);
}

/* What an ALLOC_MEMIC asks for */
struct cxm_memic_want {
	u64	range;		/* in the BAR */
	u32	range_bytes;
	u32	len;
	u64	align;
};

static bool cxm_memic_parse(const struct cx_alloc_memic_in *in,
			    struct cxm_memic_want *w)
{
	u32 log = cx_alloc_memic_in_get_log_memic_addr_alignment(in);
	u64 from;

	if (log > CXM_MEMIC_LOG_ALIGN)
		return false;
	w->range = cx_alloc_memic_in_get_range_start_addr(in);
	w->range_bytes = cx_alloc_memic_in_get_range_size(in);
	w->len = cx_alloc_memic_in_get_memic_size(in);
	w->align = (u64)CX_MEMIC_UNIT << log;
	from = w->range - CXM_MEMIC_START;
	return w->len && w->len % CX_MEMIC_UNIT == 0 &&
	       w->range_bytes >= w->len &&
	       w->range >= CXM_MEMIC_START &&
	       (w->range | w->range_bytes) % CX_UAR_PAGE_BYTES == 0 &&
	       w->range_bytes <= CXM_MEMIC_BAR_BYTES &&
	       from <= CXM_MEMIC_BAR_BYTES - w->range_bytes;
}

/* Where in its range: as late as may be, but in the first page. 0: nowhere. */
static u64 cxm_memic_place(const struct cxm_memic_want *w)
{
	u64 spare = min_u64(w->range_bytes - w->len, CX_UAR_PAGE_BYTES - 1);
	u64 start = (w->range + spare) & ~(w->align - 1);

	return start >= w->range ? start : 0;
}

static bool cxm_memic_is_free(const struct cxm *m, u32 first, u32 pages)
{
	u32 i;

	for (i = first; i < first + pages; i++)
		if (m->memic.page[i])
			return false;
	return true;
}

static void cxm_memic_own(struct cxm *m, const struct cxm_memic *a,
			  struct cxm_memic *owner)
{
	u32 i;

	for (i = a->first; i < a->first + a->pages; i++)
		m->memic.page[i] = owner;
}

static int cxm_memic_add(struct cxm *m, const struct cxm_memic *what,
			 struct cxm_cmd *c)
{
	struct cxm_memic *a = calloc(1, sizeof(*a) + what->len);
	int status;

	if (!a)
		return CX_STATUS_LIM_ERR;
	*a = *what;
	status = cxm_obj_add(m, CXM_MEMIC, &a->obj);
	if (status) {
		free(a);
		return status;
	}
	cxm_memic_own(m, a, a);
	m->memic.used += a->len;
	cxm_trace(m, "memic 0x%x: 0x%llx+0x%x", a->obj.num, a->start, a->len);
	cx_alloc_memic_out_set_memic_start_addr(c->out, a->start);
	return CX_STATUS_OK;
}

int cxm_cmd_alloc_memic(struct cxm *m, struct cxm_cmd *c)
{
	struct cxm_memic_want w;
	struct cxm_memic a = { 0 };

	if (!cx_hca_cap_get_device_memory(&m->caps.cur.general))
		return CX_STATUS_BAD_OP;
	if (!cxm_memic_parse(c->in, &w))
		return CX_STATUS_BAD_PARAM;
	a.len = w.len;
	a.first = (w.range - CXM_MEMIC_START) / CX_UAR_PAGE_BYTES;
	a.pages = w.range_bytes / CX_UAR_PAGE_BYTES;
	if (!cxm_memic_is_free(m, a.first, a.pages)) {
		cxm_warn(m, "pages at 0x%llx are given twice", w.range);
		return CX_STATUS_BAD_RES_STATE;
	}
	if (a.len > CXM_MEMIC_MAX - m->memic.used)
		return CX_STATUS_LIM_ERR;
	a.start = cxm_memic_place(&w);
	if (!a.start)
		return CX_STATUS_NO_RES;	/* elsewhere it may fit */
	return cxm_memic_add(m, &a, c);
}

/**
 * cxm_memic_forget() - free a piece, whoever uses it
 * @m: the model
 * @obj: the piece
 */
void cxm_memic_forget(struct cxm *m, struct cxm_obj *obj)
{
	struct cxm_memic *a = container_of(obj, struct cxm_memic, obj);

	cxm_memic_own(m, a, NULL);
	m->memic.used -= a->len;
	free(a);
}

static struct cxm_memic *cxm_memic_at(struct cxm *m, u64 off)
{
	if (!cxm_memic_is_at(off))
		return NULL;
	return m->memic.page[(off - CXM_MEMIC_START) / CX_UAR_PAGE_BYTES];
}

int cxm_cmd_dealloc_memic(struct cxm *m, struct cxm_cmd *c)
{
	u64 start = cx_dealloc_memic_in_get_memic_start_addr(c->in);
	u32 len = cx_dealloc_memic_in_get_memic_size(c->in);
	struct cxm_memic *a = cxm_memic_at(m, start);
	int status;

	if (!a) {
		cxm_violation(m, "%s names 0x%llx, which is not allocated",
			      c->desc->name, start);
		return CX_STATUS_BAD_RES;
	}
	if (a->start != start || a->len != len) {
		cxm_warn(m, "%s names 0x%llx+0x%x, memic 0x%x is 0x%llx+0x%x",
			 c->desc->name, start, len, a->obj.num, a->start,
			 a->len);
		return CX_STATUS_BAD_PARAM;
	}
	status = cxm_obj_remove(m, &a->obj);
	if (!status)
		cxm_memic_forget(m, &a->obj);
	return status;
}

/**
 * cxm_memic_find() - the piece behind a range of the BAR
 * @m: the model
 * @start: in the BAR
 * @len: in bytes
 *
 * Return: the piece, or NULL if the range is not all in one.
 */
struct cxm_memic *cxm_memic_find(struct cxm *m, u64 start, u64 len)
{
	struct cxm_memic *a = cxm_memic_at(m, start);

	if (!a || start < a->start || len > a->len ||
	    start - a->start > a->len - len)
		return NULL;
	return a;
}

/* The byte of the piece that lies there; NULL, with a word, if none does. */
static u8 *cxm_memic_byte(struct cxm *m, u64 off)
{
	struct cxm_memic *a = cxm_memic_at(m, off);

	if (!a)
		cxm_violation(m, "the host accesses device memory 0x%llx, which is not allocated",
			      off);
	else if (off < a->start || off - a->start >= a->len)
		cxm_trace(m, "the host accesses 0x%llx, outside of memic 0x%x",
			  off, a->obj.num);
	else
		return a->data + (off - a->start);
	return NULL;
}

/**
 * cxm_memic_host_read() - the host reads device memory
 * @m: the model
 * @off: in the BAR
 * @buf: where to; zeros for what no piece covers
 * @len: in bytes
 */
void cxm_memic_host_read(struct cxm *m, u64 off, u8 *buf, u32 len)
{
	const u8 *byte;
	u32 i;

	for (i = 0; i < len; i++) {
		byte = cxm_memic_byte(m, off + i);
		buf[i] = byte ? *byte : 0;
	}
}

/**
 * cxm_memic_host_write() - the host writes device memory
 * @m: the model
 * @off: in the BAR
 * @buf: what; lost where no piece is
 * @len: in bytes
 */
void cxm_memic_host_write(struct cxm *m, u64 off, const u8 *buf, u32 len)
{
	u8 *byte;
	u32 i;

	for (i = 0; i < len; i++) {
		byte = cxm_memic_byte(m, off + i);
		if (byte)
			*byte = buf[i];
	}
}
