// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory keys: the objects and their commands. What they grant is decided in
 * mkey_access.c.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "mkey.h"
#include "model.h"
#include "trace.h"

#define CXM_OCTWORD		16
#define CXM_MIN_PAGE_SHIFT	12
#define CXM_MAX_PAGE_SHIFT	52
#define CXM_MAX_OCTWORDS	BIT(24)
#define CXM_XLT_PAD		4		/* octwords */

/**
 * cxm_mkey_find() - look a key up
 * @m: the model
 * @key: index and variant
 *
 * Return: the key's object, enabled or not; NULL if there is none.
 */
struct cxm_mkey *cxm_mkey_find(struct cxm *m, u32 key)
{
	struct cxm_obj *obj = cxm_obj_find(m, CXM_MKEY,
					   key >> CX_MKEY_INDEX_SHIFT);
	struct cxm_mkey *k;

	if (!obj)
		return NULL;
	k = container_of(obj, struct cxm_mkey, obj);
	return k->variant == (key & 0xff) ? k : NULL;
}

static u32 cxm_mkey_rights(const struct cx_mkc *ctx)
{
	return (cx_mkc_get_lr(ctx) ? CXM_LOCAL_READ : 0) |
	       (cx_mkc_get_lw(ctx) ? CXM_LOCAL_WRITE : 0) |
	       (cx_mkc_get_rr(ctx) ? CXM_REMOTE_READ : 0) |
	       (cx_mkc_get_rw(ctx) ? CXM_REMOTE_WRITE : 0) |
	       (cx_mkc_get_a(ctx) ? CXM_REMOTE_ATOMIC : 0);
}

static u32 cxm_mkey_mode(const struct cx_mkc *ctx)
{
	return cx_mkc_get_access_mode_4_2(ctx) << CX_MKC_MODE_LOW_BITS |
	       cx_mkc_get_access_mode_1_0(ctx);
}

static bool cxm_mkey_ctx_valid(const struct cx_mkc *ctx)
{
	u32 mode = cxm_mkey_mode(ctx);
	u32 shift = cx_mkc_get_log_page_size(ctx);

	if ((mode > CX_MKC_KSM && mode != CX_MKC_MEMIC) ||
	    cx_mkc_get_bsf_en(ctx))
		return false;
	/* pieces end somewhere; the others go as far as their list */
	if (cx_mkc_get_length64(ctx) &&
	    (mode == CX_MKC_KLM || mode == CX_MKC_MEMIC))
		return false;
	if (mode != CX_MKC_MTT && mode != CX_MKC_KSM)
		return true;
	/* a free key gets its page size when a work request enables it */
	return (shift >= CXM_MIN_PAGE_SHIFT && shift <= CXM_MAX_PAGE_SHIFT) ||
	       (!shift && cx_mkc_get_free(ctx));
}

/* Let go of what the key refers to. */
static void cxm_mkey_put(struct cxm_mkey *k)
{
	if (k->pd)
		cxm_obj_put(k->pd);
	if (k->memic)
		cxm_obj_put(&k->memic->obj);
}

/**
 * cxm_mkey_set_ctx() - take over a new context
 * @m: the model
 * @k: the key; its translation and index stay
 * @ctx: what create or a UMR work request says
 *
 * Return: CX_STATUS_OK; CX_STATUS_BAD_PARAM or CX_STATUS_BAD_RES and nothing
 * changed.
 */
int cxm_mkey_set_ctx(struct cxm *m, struct cxm_mkey *k,
		     const struct cx_mkc *ctx)
{
	u32 pdn = cx_mkc_get_pd(ctx);
	struct cxm_obj *pd = cxm_obj_named(m, CXM_PD, pdn, "mkey");
	struct cxm_memic *memic = NULL;

	if (!cxm_mkey_ctx_valid(ctx))
		return CX_STATUS_BAD_PARAM;
	if (!pd)
		return CX_STATUS_BAD_RES;
	if (cxm_mkey_mode(ctx) == CX_MKC_MEMIC) {
		memic = cxm_memic_find(m, cx_mkc_get_start_addr(ctx),
				       cx_mkc_get_len(ctx));
		if (!memic)
			return CX_STATUS_BAD_PARAM;
		cxm_obj_get(&memic->obj);
	}
	cxm_obj_get(pd);
	cxm_mkey_put(k);
	k->pd = pd;
	k->memic = memic;
	k->ctx = *ctx;
	k->variant = cx_mkc_get_mkey_7_0(ctx);
	k->free = cx_mkc_get_free(ctx);
	k->umr_en = cx_mkc_get_umr_en(ctx);
	k->en_rinval = cx_mkc_get_en_rinval(ctx);
	k->length64 = cx_mkc_get_length64(ctx);
	k->paged = cx_hca_cap_get_pg(&m->caps.cur.general);
	k->mode = cxm_mkey_mode(ctx);
	k->access = cxm_mkey_rights(ctx);
	k->pdn = pdn;
	k->qpn = cx_mkc_get_qpn(ctx);
	k->page_shift = cx_mkc_get_log_page_size(ctx);
	k->start = cx_mkc_get_start_addr(ctx);
	k->len = cx_mkc_get_len(ctx);
	return CX_STATUS_OK;
}

/* Every enabled page needs an entry, now: later nobody could tell software. */
static int cxm_mkey_check_list(const struct cxm_mkey *k, u32 actual)
{
	u64 first, last;

	if (k->mode != CX_MKC_MTT || k->free || !k->len || k->length64)
		return CX_STATUS_OK;
	if (k->start + k->len - 1 < k->start)
		return CX_STATUS_BAD_PARAM;
	first = k->start >> k->page_shift;
	last = (k->start + k->len - 1) >> k->page_shift;
	return last - first < (u64)actual * CX_MTT_PER_OCTWORD ?
	       CX_STATUS_OK : CX_STATUS_BAD_PARAM;
}

/* Unless software says that its entries have the bits: all are present. */
static void cxm_mkey_set_present(struct cxm_mkey *k, u32 octwords)
{
	u32 i;

	for (i = 0; i < octwords * CX_MTT_PER_OCTWORD; i++)
		k->mtt[i] |= cpu_to_be64(CX_MTT_PRESENT);
}

static int cxm_mkey_load(struct cxm_mkey *k, const struct cxm_cmd *c)
{
	const struct cx_create_mkey_in *in = c->in;
	u32 actual = cx_create_mkey_in_get_translations_octword_actual_size(in);
	u64 bytes = (u64)actual * CXM_OCTWORD;

	k->octwords = cx_mkc_get_translations_octword_size(&k->ctx);
	if (k->octwords > CXM_MAX_OCTWORDS || actual > k->octwords ||
	    ((k->mode == CX_MKC_PA || k->mode == CX_MKC_MEMIC) && actual))
		return CX_STATUS_BAD_PARAM;
	if (c->in_len < sizeof(*in) + bytes)
		return CX_STATUS_BAD_IN_LEN;
	if (k->octwords) {
		k->room = (k->octwords + CXM_XLT_PAD - 1) / CXM_XLT_PAD *
			  CXM_XLT_PAD;
		k->xlt = calloc(k->room, CXM_OCTWORD);
		if (!k->xlt)
			return CX_STATUS_NO_RES;
		memcpy(k->xlt, in + 1, bytes);
		if (k->mode == CX_MKC_MTT && !cx_create_mkey_in_get_pg_access(in))
			cxm_mkey_set_present(k, actual);
	}
	return cxm_mkey_check_list(k, actual);
}

/**
 * cxm_mkey_forget() - free a key's memory
 * @m: the model
 * @obj: the key
 */
void cxm_mkey_forget(struct cxm *m, struct cxm_obj *obj)
{
	struct cxm_mkey *k = container_of(obj, struct cxm_mkey, obj);

	(void)m;
	free(k->xlt);
	free(k);
}

static void cxm_mkey_drop(struct cxm *m, struct cxm_mkey *k)
{
	cxm_mkey_put(k);
	cxm_mkey_forget(m, &k->obj);
}

int cxm_cmd_create_mkey(struct cxm *m, struct cxm_cmd *c)
{
	struct cx_create_mkey_in *in = (void *)c->in;
	struct cx_mkc *ctx = cx_create_mkey_in_memory_key_mkey_entry(in);
	struct cxm_mkey *k = calloc(1, sizeof(*k));
	int status;

	if (!k)
		return CX_STATUS_NO_RES;
	status = cxm_mkey_set_ctx(m, k, ctx);
	if (!status)
		status = cxm_mkey_load(k, c);
	if (!status)
		status = cxm_obj_add(m, CXM_MKEY, &k->obj);
	if (status) {
		cxm_mkey_drop(m, k);
		return status;
	}
	cxm_trace(m, "mkey 0x%x: mode %u pd 0x%x start 0x%llx len 0x%llx",
		  k->obj.num << CX_MKEY_INDEX_SHIFT | k->variant, k->mode,
		  k->pdn, k->start, k->len);
	cx_create_mkey_out_set_mkey_index(c->out, k->obj.num);
	return CX_STATUS_OK;
}

int cxm_cmd_destroy_mkey(struct cxm *m, struct cxm_cmd *c)
{
	struct cxm_obj *obj;
	int status;

	obj = cxm_obj_named(m, CXM_MKEY,
			    cx_mkey_number_in_get_mkey_index(c->in),
			    c->desc->name);
	if (!obj)
		return CX_STATUS_BAD_RES;
	status = cxm_obj_remove(m, obj);
	if (!status)
		cxm_mkey_drop(m, container_of(obj, struct cxm_mkey, obj));
	return status;
}

/*
 * The context, and as much of the translation as there is room for: software
 * looks there which keys a window leads to.
 */
int cxm_cmd_query_mkey(struct cxm *m, struct cxm_cmd *c)
{
	struct cx_query_mkey_out *out = c->out;
	struct cxm_mkey *k;
	struct cxm_obj *obj;

	obj = cxm_obj_named(m, CXM_MKEY,
			    cx_mkey_number_in_get_mkey_index(c->in),
			    c->desc->name);
	if (!obj)
		return CX_STATUS_BAD_RES;
	k = container_of(obj, struct cxm_mkey, obj);
	*cx_query_mkey_out_memory_key_mkey_entry(out) = k->ctx;
	if (k->xlt)
		memcpy((u8 *)out + CX_QUERY_MKEY_XLT, k->xlt,
		       min_u64(c->out_len - CX_QUERY_MKEY_XLT,
			       (u64)k->octwords * CXM_OCTWORD));
	return CX_STATUS_OK;
}
