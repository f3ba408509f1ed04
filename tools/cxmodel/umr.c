// SPDX-License-Identifier: GPL-2.0-only
/*
 * UMR work requests: change a memory key from the data path. They enable and
 * revoke keys, rewrite their translation, bind windows; the driver's own QP
 * type for them may touch every key, others those of their PD.
 */
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "mkey.h"
#include "model.h"
#include "trace.h"
#include <connectx/prm_cmd.h>

#define CXM_OCTWORD		16
#define CXM_XLT_MAX		(16u << 20)	/* bytes in one request */

static const struct cxm_umr_field {
	u8	bit;
	u32	(*get)(const struct cx_mkc *ctx);
	void	(*set)(struct cx_mkc *ctx, u32 value);
} cxm_umr_fields[] = {
	{ CX_UMR_PAGE_SIZE, cx_mkc_get_log_page_size,
	  cx_mkc_set_log_page_size },
	{ CX_UMR_PD, cx_mkc_get_pd, cx_mkc_set_pd },
	{ CX_UMR_EN_RINVAL, cx_mkc_get_en_rinval, cx_mkc_set_en_rinval },
	{ CX_UMR_KEY, cx_mkc_get_mkey_7_0, cx_mkc_set_mkey_7_0 },
	{ CX_UMR_QPN, cx_mkc_get_qpn, cx_mkc_set_qpn },
	{ CX_UMR_LR, cx_mkc_get_lr, cx_mkc_set_lr },
	{ CX_UMR_LW, cx_mkc_get_lw, cx_mkc_set_lw },
	{ CX_UMR_RR, cx_mkc_get_rr, cx_mkc_set_rr },
	{ CX_UMR_RW, cx_mkc_get_rw, cx_mkc_set_rw },
	{ CX_UMR_A, cx_mkc_get_a, cx_mkc_set_a },
	{ CX_UMR_ORDER_WRITE, cx_mkc_get_relaxed_ordering_write,
	  cx_mkc_set_relaxed_ordering_write },
	{ CX_UMR_ORDER_READ, cx_mkc_get_relaxed_ordering_read,
	  cx_mkc_set_relaxed_ordering_read },
	{ CX_UMR_FREE, cx_mkc_get_free, cx_mkc_set_free },
};

/* The parts of the WQE, in order. */
struct cxm_umr {
	struct cx_wqe_umr_ctrl	ctrl;
	struct cx_mkc		mkc;
	const u8		*xlt;	/* inline entries, or data segments */
	u32			xlt_bytes;
};

static bool cxm_umr_parse(const struct cxm_swqe *w, struct cxm_umr *u)
{
	u32 head = sizeof(struct cx_wqe_ctrl) + sizeof(u->ctrl) +
		   sizeof(u->mkc);
	const u8 *at = w->raw + sizeof(struct cx_wqe_ctrl);

	if (w->ds * CX_WQE_SEG < head)
		return false;
	memcpy(&u->ctrl, at, sizeof(u->ctrl));
	memcpy(&u->mkc, at + sizeof(u->ctrl), sizeof(u->mkc));
	u->xlt = w->raw + head;
	u->xlt_bytes = w->ds * CX_WQE_SEG - head;
	return true;
}

/* These return what is wrong, or NULL. */
static const char *cxm_umr_is_free(struct cxm *m, const struct cxm_qp *qp,
				   const struct cxm_mkey *k)
{
	if (qp->st == CX_QP_ST_REG_UMR && k->revoked)
		cxm_violation(m, "UMR of QP 0x%x takes key 0x%x for in use, which was revoked",
			      qp->obj.num,
			      k->obj.num << CX_MKEY_INDEX_SHIFT | k->variant);
	return "the key is free";
}

static const char *cxm_umr_check(struct cxm *m, const struct cxm_qp *qp,
				 const struct cxm_mkey *k,
				 const struct cxm_umr *u)
{
	u64 mask = be64_to_cpu(u->ctrl.mkey_mask);

	if (!k->umr_en)
		return "the key is not for UMR";
	if ((u->ctrl.flags & CX_UMR_IF_FREE) && !k->free)
		return "the key is in use";
	if ((u->ctrl.flags & CX_UMR_IF_IN_USE) && k->free)
		return cxm_umr_is_free(m, qp, k);
	if ((u->ctrl.flags & CX_UMR_IF_OWN_QPN) && k->qpn != qp->obj.num)
		return "the key is bound to another queue pair";
	if (qp->st == CX_QP_ST_REG_UMR)
		return NULL;
	if (k->pdn != qp->pdn || (mask >> CX_UMR_PD & 1 &&
				  cx_mkc_get_pd(&u->mkc) != qp->pdn))
		return "the key is of another domain";
	return NULL;
}

/*
 * Translation entries go in place only when all were read: a key with half of
 * a new list would lead to memory software never meant.
 */
static const char *cxm_umr_load(struct cxm *m, struct cxm_qp *qp,
				struct cxm_mkey *k, const struct cxm_umr *u)
{
	u64 bytes = (u64)be16_to_cpu(u->ctrl.xlt_octowords) * CXM_OCTWORD;
	const struct cx_wqe_data *d = (const void *)u->xlt;
	u64 to = 0;
	u8 *list;
	bool ok;

	if (u->ctrl.flags & CX_UMR_OFFSET_EN)
		to = ((u64)be32_to_cpu(u->ctrl.xlt_offset_47_16) << 16 |
		      be16_to_cpu(u->ctrl.xlt_offset)) * CXM_OCTWORD;
	if (!bytes)
		return NULL;
	if (u->ctrl.flags & CX_UMR_INLINE)
		bytes = min_u64(bytes, u->xlt_bytes);
	else if (u->xlt_bytes >= sizeof(*d))
		bytes = min_u64(bytes, be32_to_cpu(d->byte_count));
	else
		return "no translation follows";
	if (bytes > CXM_XLT_MAX ||
	    to + bytes > (u64)k->room * CXM_OCTWORD)
		return "more translation than the key has room for";
	if (u->ctrl.flags & CX_UMR_INLINE) {
		memcpy((u8 *)k->xlt + to, u->xlt, bytes);
		return NULL;
	}
	list = malloc(bytes);
	if (!list)
		return "no memory for the translation";
	ok = !cxm_mkey_read(m, be32_to_cpu(d->lkey), qp->pdn, qp->obj.num,
			    be64_to_cpu(d->addr), list, bytes, CXM_LOCAL_READ);
	if (ok)
		memcpy((u8 *)k->xlt + to, list, bytes);
	free(list);
	return ok ? NULL : "the translation cannot be read";
}

static const char *cxm_umr_apply(struct cxm *m, const struct cxm_qp *qp,
				 struct cxm_mkey *k, struct cxm_umr *u)
{
	u64 mask = be64_to_cpu(u->ctrl.mkey_mask);
	struct cx_mkc ctx = k->ctx;
	bool was_free = k->free;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cxm_umr_fields); i++)
		if (mask >> cxm_umr_fields[i].bit & 1)
			cxm_umr_fields[i].set(&ctx,
				cxm_umr_fields[i].get(&u->mkc));
	if (mask >> CX_UMR_LEN & 1) {
		cx_mkc_set_len(&ctx, cx_mkc_get_len(&u->mkc));
		cx_mkc_set_length64(&ctx, cx_mkc_get_length64(&u->mkc));
	}
	if (mask >> CX_UMR_START_ADDR & 1)
		cx_mkc_set_start_addr(&ctx, cx_mkc_get_start_addr(&u->mkc));
	if (cxm_mkey_set_ctx(m, k, &ctx) != CX_STATUS_OK)
		return "the key would not be a good one";
	if (k->free != was_free)
		k->revoked = k->free && qp->st == CX_QP_ST_REG_UMR;
	return NULL;
}

/* A program may name any key; the driver's own requests may not. */
static const char *cxm_umr_no_key(struct cxm *m, const struct cxm_qp *qp,
				  u32 key)
{
	if (qp->st == CX_QP_ST_REG_UMR &&
	    cxm_obj_gone(m, CXM_MKEY, key >> CX_MKEY_INDEX_SHIFT))
		cxm_violation(m, "UMR of QP 0x%x names key 0x%x, which was destroyed",
			      qp->obj.num, key);
	return "no such key";
}

struct cxm_why cxm_umr_execute(struct cxm *m, struct cxm_qp *qp,
			       const struct cxm_swqe *w)
{
	u32 key = be32_to_cpu(w->imm);
	struct cxm_obj *obj = cxm_obj_find(m, CXM_MKEY,
					   key >> CX_MKEY_INDEX_SHIFT);
	const char *wrong = NULL;
	struct cxm_mkey *k;
	struct cxm_umr u;

	if (cxm_fault_once(m, CXM_FAULT_UMR_REFUSED))
		wrong = "as planned";
	else if (!obj)
		wrong = cxm_umr_no_key(m, qp, key);
	else if (!cxm_umr_parse(w, &u))
		wrong = "the request is too short";
	if (wrong)
		goto refuse;
	k = container_of(obj, struct cxm_mkey, obj);
	wrong = cxm_umr_check(m, qp, k, &u);
	if (!wrong)
		wrong = cxm_umr_load(m, qp, k, &u);
	if (!wrong)
		wrong = cxm_umr_apply(m, qp, k, &u);
	if (wrong)
		goto refuse;
	cxm_trace(m, "umr qpn=0x%x key=0x%x mask=0x%llx", qp->obj.num, key,
		  (u64)be64_to_cpu(u.ctrl.mkey_mask));
	return cxm_why(0, 0);

refuse:
	cxm_trace(m, "umr qpn=0x%x key=0x%x refused: %s", qp->obj.num, key,
		  wrong);
	return cxm_why(CX_SYND_MW_BIND, CXM_VENDOR_UMR);
}

bool cxm_umr_invalidate(struct cxm *m, struct cxm_qp *qp, u32 key)
{
	struct cxm_mkey *k = cxm_mkey_find(m, key);
	struct cx_mkc ctx;

	if (!k || k->free || !k->en_rinval || k->pdn != qp->pdn ||
	    (k->qpn != CX_MKC_ANY_QPN && k->qpn != qp->obj.num))
		return false;
	ctx = k->ctx;
	cx_mkc_set_free(&ctx, 1);
	return cxm_mkey_set_ctx(m, k, &ctx) == CX_STATUS_OK;
}
