// SPDX-License-Identifier: GPL-2.0-only
/*
 * The work request that changes a memory key: a control segment, one that
 * says which fields change, and a key with their new values.
 */
#include <linux/string.h>

#include <kunit/visibility.h>

#include <connectx/prm_mkc.h>
#include <connectx/prm_wqe.h>

#include "cmd.h"
#include "cmd_wire.h"
#include "umr.h"

/**
 * cx_umr_write - write a request that changes fields of a key
 * @wqe: where, CX_UMR_UNITS units
 * @index: counting index of its first unit
 * @qpn: the queue pair it is posted to
 * @mkey: the key; it must be in use
 * @p: new values: rights, order, protection domain
 * @fields: mask of enum cx_umr_field: which of them change
 *
 * Context: Any context.
 */
void cx_umr_write(void *wqe, u32 index, u32 qpn, u32 mkey,
		  const struct cx_mkey_params *p, u64 fields)
{
	struct cx_wqe_ctrl *ctrl = wqe;
	struct cx_wqe_umr_ctrl *umr = wqe + sizeof(*ctrl);
	struct cx_mkc *mkc = wqe + sizeof(*ctrl) + sizeof(*umr);
	const u32 bytes = sizeof(*ctrl) + sizeof(*umr) + sizeof(*mkc);

	memset(wqe, 0, CX_UMR_UNITS * CX_WQE_BB);
	ctrl->opmod_idx_opcode = cpu_to_be32((index & 0xffff) << 8 |
					     CX_WQE_UMR);
	ctrl->qpn_ds = cpu_to_be32(qpn << 8 | bytes / CX_WQE_SEG);
	ctrl->fm_ce_se = CX_WQE_CQ_UPDATE;
	ctrl->imm = cpu_to_be32(mkey);
	umr->flags = CX_UMR_IF_IN_USE;
	umr->mkey_mask = cpu_to_be64(fields);
	cx_mkc_set_qpn(mkc, CX_MKC_ANY_QPN);
	cx_mkc_set_mkey_7_0(mkc, mkey & GENMASK(CX_MKEY_INDEX_SHIFT - 1, 0));
	cx_mkc_set_pd(mkc, p->pdn);
	cx_mkc_fill_rights(mkc, p);
}
EXPORT_SYMBOL_IF_KUNIT(cx_umr_write);
