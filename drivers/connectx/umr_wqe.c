// SPDX-License-Identifier: GPL-2.0-only
/*
 * The work request that changes a memory key: a control segment, one that
 * says which fields and entries change, and a key with their new values; then
 * where the new entries are.
 */
#include <linux/string.h>

#include <kunit/visibility.h>

#include <connectx/prm_mkc.h>
#include <connectx/prm_wqe.h>

#include "cmd.h"
#include "cmd_wire.h"
#include "umr.h"

static void cx_umr_fill_key(struct cx_mkc *mkc, const struct cx_umr_req *r)
{
	const struct cx_mkey_params *p = r->p;
	bool renamed = r->fields & BIT_ULL(CX_UMR_KEY);

	cx_mkc_set_qpn(mkc, CX_MKC_ANY_QPN);
	cx_mkc_set_mkey_7_0(mkc, renamed ? p->variant :
			    r->mkey & GENMASK(CX_MKEY_INDEX_SHIFT - 1, 0));
	if (!p)
		return;
	cx_mkc_set_free(mkc, p->free);
	cx_mkc_set_pd(mkc, p->pdn);
	cx_mkc_fill_rights(mkc, p);
	cx_mkc_set_start_addr(mkc, p->start);
	cx_mkc_set_len(mkc, p->len);
	cx_mkc_set_log_page_size(mkc, p->pas.page_shift);
}

static void cx_umr_fill_entries(struct cx_wqe_umr_ctrl *umr,
				struct cx_wqe_data *data,
				const struct cx_umr_req *r)
{
	u64 at = r->first / CX_MTT_PER_OCTWORD;

	umr->flags |= CX_UMR_OFFSET_EN;
	umr->xlt_octowords = cpu_to_be16(cx_mtt_octwords(r->count));
	umr->xlt_offset = cpu_to_be16(at & 0xffff);
	umr->xlt_offset_47_16 = cpu_to_be32(at >> 16);
	data->byte_count = cpu_to_be32(r->count * sizeof(__be64));
	data->lkey = cpu_to_be32(r->xlt_lkey);
	data->addr = cpu_to_be64(r->xlt);
}

/**
 * cx_umr_write - write a request that changes a key
 * @wqe: where, room for CX_UMR_UNITS_MAX units
 * @index: counting index of its first unit
 * @qpn: the queue pair it is posted to
 * @r: what it changes
 *
 * Context: Any context.
 * Return: the units it takes.
 */
unsigned int cx_umr_write(void *wqe, u32 index, u32 qpn,
			  const struct cx_umr_req *r)
{
	struct cx_wqe_ctrl *ctrl = wqe;
	struct cx_wqe_umr_ctrl *umr = wqe + sizeof(*ctrl);
	struct cx_mkc *mkc = wqe + sizeof(*ctrl) + sizeof(*umr);
	u32 bytes = sizeof(*ctrl) + sizeof(*umr) + sizeof(*mkc);

	memset(wqe, 0, CX_UMR_UNITS_MAX * CX_WQE_BB);
	umr->flags = r->cond;
	umr->mkey_mask = cpu_to_be64(r->fields);
	cx_umr_fill_key(mkc, r);
	if (r->count) {
		cx_umr_fill_entries(umr, wqe + bytes, r);
		bytes += sizeof(struct cx_wqe_data);
	}
	ctrl->opmod_idx_opcode = cpu_to_be32((index & 0xffff) << 8 |
					     CX_WQE_UMR);
	ctrl->qpn_ds = cpu_to_be32(qpn << 8 | bytes / CX_WQE_SEG);
	ctrl->fm_ce_se = CX_WQE_CQ_UPDATE;
	ctrl->imm = cpu_to_be32(r->mkey);
	return DIV_ROUND_UP(bytes, CX_WQE_BB);
}
EXPORT_SYMBOL_IF_KUNIT(cx_umr_write);
