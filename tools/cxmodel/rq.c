// SPDX-License-Identifier: GPL-2.0-only
/*
 * Receive work requests of a QP's own queue, and scatter/gather.
 *
 * A receive queue has no doorbell register: the counter in the doorbell record
 * is read when a packet needs a WQE.
 */
#include "dma.h"
#include "qp.h"
#include "rq.h"
#include "trace.h"
#include <connectx/prm_wqe.h>

bool cxm_rwqe_parse(struct cxm_rwqe *w, const void *seg, u32 bytes)
{
	const struct cx_wqe_data *d = seg;
	u32 i, n = bytes / sizeof(*d);

	w->nsge = 0;
	w->total = 0;
	if (n > CXM_RQ_SGES)
		return false;
	for (i = 0; i < n; i++, d++) {
		u32 len = be32_to_cpu(d->byte_count);
		u32 key = be32_to_cpu(d->lkey);

		if (!len && key == CX_LKEY_TERMINATE)
			break;
		if (len & CX_WQE_INLINE)
			return false;
		if (!len)
			continue;
		w->sge[w->nsge].addr = be64_to_cpu(d->addr);
		w->sge[w->nsge].len = len;
		w->sge[w->nsge].key = key;
		w->nsge++;
		w->total += len;
	}
	return true;
}

u16 cxm_rq_counter(struct cxm *m, u64 dbr, u16 old)
{
	__be32 counter;

	if (!cxm_dma_read(m, dbr + 4 * CX_DBR_RCV, &counter, sizeof(counter)))
		return old;
	return be32_to_cpu(counter) & 0xffff;
}

enum cxm_take cxm_rq_take(struct cxm *m, struct cxm_qp *qp,
			  struct cxm_rwqe *w)
{
	u16 left = cxm_rq_counter(m, qp->dbr, qp->rq.done) - qp->rq.done;
	u8 raw[CXM_RQ_STRIDE_MAX];
	u32 slot;

	if (!left || left > qp->rq.count) {
		if (left)
			cxm_warn(m, "QP 0x%x: %u receives posted, room for %u",
				 qp->obj.num, left, qp->rq.count);
		return CXM_TAKE_EMPTY;
	}
	slot = qp->rq.done & (qp->rq.count - 1);
	w->index = qp->rq.done++;
	w->active = true;
	if (!cxm_buf_read(m, &qp->buf, (u64)slot * qp->rq.stride, raw,
			  qp->rq.stride) ||
	    !cxm_rwqe_parse(w, raw, qp->rq.stride))
		return CXM_TAKE_BAD;
	return CXM_TAKE_OK;
}

enum cxm_mkey_result cxm_scatter(struct cxm *m, const struct cxm_sge *sge,
				 u32 nsge, u64 skip, const void *data, u32 len,
				 u32 pdn, u32 qpn)
{
	enum cxm_mkey_result r;
	u32 n;

	for (; len && nsge; sge++, nsge--) {
		if (skip >= sge->len) {
			skip -= sge->len;
			continue;
		}
		n = min_u64(sge->len - skip, len);
		r = cxm_mkey_write(m, sge->key, pdn, qpn, sge->addr + skip,
				   data, n, CXM_LOCAL_WRITE);
		if (r)
			return r;
		data = (const u8 *)data + n;
		len -= n;
		skip = 0;
	}
	return CXM_MKEY_OK;
}

/*
 * Reading needs the right to read locally only, which every enabled key grants
 * unless software cleared it.
 */
enum cxm_mkey_result cxm_gather(struct cxm *m, const struct cxm_sge *sge,
				u32 nsge, u64 skip, void *data, u32 len,
				u32 pdn, u32 qpn)
{
	enum cxm_mkey_result r;
	u32 n;

	for (; len && nsge; sge++, nsge--) {
		if (skip >= sge->len) {
			skip -= sge->len;
			continue;
		}
		n = min_u64(sge->len - skip, len);
		r = cxm_mkey_read(m, sge->key, pdn, qpn, sge->addr + skip,
				  data, n, CXM_LOCAL_READ);
		if (r)
			return r;
		data = (u8 *)data + n;
		len -= n;
		skip = 0;
	}
	return CXM_MKEY_OK;
}
