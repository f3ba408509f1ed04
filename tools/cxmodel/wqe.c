// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fetch and decode send WQEs. The ring may wrap within a WQE, at any 16-byte
 * boundary; only the segments the control segment counts are read.
 */
#include <stdlib.h>
#include <string.h>

#include "qp.h"
#include "trace.h"
#include "wqe.h"

#define CXM_SEGS_PER_BLOCK	(CX_WQE_BB / CX_WQE_SEG)
#define CXM_WQE_SEGS_MAX	(CX_WQE_DS_MASK + 1)

/* Which services may post it */
enum cxm_service {
	CXM_ON_RC = BIT(0),	/* and XRC */
	CXM_ON_UC = BIT(1),
	CXM_ON_UD = BIT(2),
	CXM_ON_UMR = BIT(3),
	CXM_ON_CONN = CXM_ON_RC | CXM_ON_UC,
	CXM_ON_ALL = CXM_ON_CONN | CXM_ON_UD | CXM_ON_UMR,
};

static const struct cxm_wqe_op {
	u8	kind;
	u8	flags;
	u8	on;	/* 0: no such opcode */
} cxm_wqe_ops[] = {
	[CX_WQE_NOP] = { CXM_PKT_RESERVED, 0, CXM_ON_ALL },
	[CX_WQE_SEND_INVAL] = { CXM_PKT_SEND, CXM_PKT_INV, CXM_ON_RC },
	[CX_WQE_RDMA_WRITE] = { CXM_PKT_WRITE, 0, CXM_ON_CONN },
	[CX_WQE_RDMA_WRITE_IMM] = { CXM_PKT_WRITE, CXM_PKT_IMM,
				    CXM_ON_CONN },
	[CX_WQE_SEND] = { CXM_PKT_SEND, 0, CXM_ON_CONN | CXM_ON_UD },
	[CX_WQE_SEND_IMM] = { CXM_PKT_SEND, CXM_PKT_IMM,
			      CXM_ON_CONN | CXM_ON_UD },
	[CX_WQE_RDMA_READ] = { CXM_PKT_READ, 0, CXM_ON_RC },
	[CX_WQE_ATOMIC_CS] = { CXM_PKT_CMP_SWAP, 0, CXM_ON_RC },
	[CX_WQE_ATOMIC_FA] = { CXM_PKT_FETCH_ADD, 0, CXM_ON_RC },
	[CX_WQE_UMR] = { CXM_PKT_RESERVED, 0,
			 CXM_ON_CONN | CXM_ON_UMR },
};

static u8 cxm_service_of(const struct cxm_qp *qp)
{
	switch (qp->st) {
	case CX_QP_ST_RC:
	case CX_QP_ST_XRC:
		return CXM_ON_RC;
	case CX_QP_ST_UC:
		return CXM_ON_UC;
	case CX_QP_ST_REG_UMR:
		return CXM_ON_UMR;
	default:
		return CXM_ON_UD;
	}
}

static bool cxm_sq_read(struct cxm *m, struct cxm_qp *qp, u16 counter,
			void *data, u32 len)
{
	u32 ring = qp->sq.count * CX_WQE_BB;
	u32 off = (counter & (qp->sq.count - 1)) * CX_WQE_BB;
	u32 first = min_u64(len, ring - off);

	if (len > ring)
		return false;
	return cxm_buf_read(m, &qp->buf, qp->sq.offset + off, data, first) &&
	       cxm_buf_read(m, &qp->buf, qp->sq.offset, (u8 *)data + first,
			    len - first);
}

static u16 cxm_ctrl_blocks(const struct cx_wqe_ctrl *ctrl)
{
	u32 ds = be32_to_cpu(ctrl->qpn_ds) & CX_WQE_DS_MASK;

	return ds ? (ds + CXM_SEGS_PER_BLOCK - 1) / CXM_SEGS_PER_BLOCK : 1;
}

bool cxm_wqe_peek(struct cxm *m, struct cxm_qp *qp, u16 counter, u16 *blocks,
		  u8 *opcode)
{
	struct cx_wqe_ctrl ctrl;

	if (!cxm_sq_read(m, qp, counter, &ctrl, sizeof(ctrl)))
		return false;
	*blocks = cxm_ctrl_blocks(&ctrl);
	*opcode = be32_to_cpu(ctrl.opmod_idx_opcode) & 0xff;
	return true;
}

/* Where the decoder stands in w->raw. */
struct cxm_cursor {
	const u8	*at;
	u32		left;
};

static const void *cxm_next(struct cxm_cursor *c, u32 bytes)
{
	const u8 *at = c->at;

	if (bytes > c->left)
		return NULL;
	c->at += bytes;
	c->left -= bytes;
	return at;
}

/* The address vector has 48 bytes or, without its extension, the first 16. */
static bool cxm_decode_av(struct cxm_swqe *w, struct cxm_cursor *c)
{
	const struct cx_wqe_av *av = (const void *)c->at;
	u32 bytes = CX_WQE_SEG;

	if (c->left < CX_WQE_SEG)
		return false;
	if (be32_to_cpu(av->dqp_dct) & CX_AV_EXTENDED)
		bytes = sizeof(*av);
	if (bytes > c->left)
		return false;
	memset(&w->av, 0, sizeof(w->av));
	memcpy(&w->av, cxm_next(c, bytes), bytes);
	return true;
}

static bool cxm_decode_remote(struct cxm_swqe *w, struct cxm_cursor *c)
{
	const struct cx_wqe_raddr *r = cxm_next(c, sizeof(*r));
	const struct cx_wqe_atomic *a;

	if (!r)
		return false;
	w->raddr = be64_to_cpu(r->raddr);
	w->rkey = be32_to_cpu(r->rkey);
	if (w->kind != CXM_PKT_CMP_SWAP && w->kind != CXM_PKT_FETCH_ADD)
		return true;
	a = cxm_next(c, sizeof(*a));
	if (!a)
		return false;
	w->swap_add = be64_to_cpu(a->swap_add);
	w->compare = be64_to_cpu(a->compare);
	return true;
}

/* One data segment, pointer or inline. False if it is cut off. */
static bool cxm_decode_data(struct cxm_swqe *w, struct cxm_cursor *c,
			    u64 *total)
{
	const struct cx_wqe_data *d = (const void *)c->at;
	u32 count = be32_to_cpu(d->byte_count);
	u32 len = count & CX_WQE_BYTES_MASK;
	struct cxm_sge *sge = &w->sge[w->nsge];

	sge->len = len;
	if (count & CX_WQE_INLINE) {
		u32 head = sizeof(struct cx_wqe_inline);

		if (len > c->left - head)
			return false;
		sge->addr = c->at + head - w->raw;
		sge->key = CXM_KEY_INLINE;
		len = (head + len + CX_WQE_SEG - 1) & ~(CX_WQE_SEG - 1);
		cxm_next(c, min_u64(len, c->left));
	} else {
		sge->addr = be64_to_cpu(d->addr);
		sge->key = be32_to_cpu(d->lkey);
		if (sge->key == CXM_KEY_INLINE)
			sge->key = ~CXM_KEY_INLINE & 0xff;
		cxm_next(c, sizeof(*d));
	}
	if (sge->len)
		w->nsge++;
	*total += sge->len;
	return true;
}

static struct cxm_why cxm_bad_wqe(void)
{
	return cxm_why(CX_SYND_LOCAL_QP_OP, CXM_VENDOR_BAD_WQE);
}

static struct cxm_why cxm_decode(struct cxm_qp *qp, struct cxm_swqe *w)
{
	struct cxm_cursor c = { w->raw, w->ds * CX_WQE_SEG };
	u8 service = cxm_service_of(qp);
	const struct cx_wqe_xrc *xrc;
	const struct cxm_wqe_op *op;
	u64 limit, total = 0;

	if (w->opcode >= ARRAY_SIZE(cxm_wqe_ops) || !w->ds)
		return cxm_bad_wqe();
	op = &cxm_wqe_ops[w->opcode];
	if (!(op->on & service))
		return cxm_bad_wqe();
	w->kind = op->kind;
	w->flags = op->flags;
	cxm_next(&c, sizeof(struct cx_wqe_ctrl));
	if (w->kind == CXM_PKT_RESERVED)
		return cxm_why(0, 0);
	if (service == CXM_ON_UD && !cxm_decode_av(w, &c))
		return cxm_bad_wqe();
	if (qp->st == CX_QP_ST_XRC) {
		xrc = cxm_next(&c, sizeof(*xrc));
		if (!xrc)
			return cxm_bad_wqe();
		w->srqn = be32_to_cpu(xrc->xrc_srqn) & 0xffffff;
	}
	if (w->kind != CXM_PKT_SEND && !cxm_decode_remote(w, &c))
		return cxm_bad_wqe();
	while (c.left)
		if (!cxm_decode_data(w, &c, &total))
			return cxm_bad_wqe();
	if (w->kind == CXM_PKT_CMP_SWAP || w->kind == CXM_PKT_FETCH_ADD)
		if (total != 8)
			return cxm_bad_wqe();
	limit = service == CXM_ON_UD ? CXM_MTU_MAX :
		1ULL << qp->log_msg_max;
	if (total > limit)
		return cxm_why(CX_SYND_LOCAL_LENGTH, 0);
	w->len = total;
	return cxm_why(0, 0);
}

struct cxm_swqe *cxm_wqe_fetch(struct cxm *m, struct cxm_qp *qp, u16 counter)
{
	struct cx_wqe_ctrl ctrl = { 0 };
	struct cxm_swqe *w;
	bool readable;
	u32 ds;

	readable = cxm_sq_read(m, qp, counter, &ctrl, sizeof(ctrl));
	ds = be32_to_cpu(ctrl.qpn_ds) & CX_WQE_DS_MASK;
	w = calloc(1, sizeof(*w) + ds * (sizeof(struct cxm_sge) + CX_WQE_SEG));
	if (!w)
		return NULL;
	w->counter = counter;
	w->blocks = cxm_ctrl_blocks(&ctrl);
	w->opcode = be32_to_cpu(ctrl.opmod_idx_opcode) & 0xff;
	w->opmod = be32_to_cpu(ctrl.opmod_idx_opcode) >> 24;
	w->fm_ce_se = ctrl.fm_ce_se;
	w->imm = ctrl.imm;
	w->ds = ds;
	w->raw = (u8 *)(w->sge + ds);
	if (!readable || !cxm_sq_read(m, qp, counter, w->raw, ds * CX_WQE_SEG))
		w->why = cxm_bad_wqe();
	else
		w->why = cxm_decode(qp, w);
	if (be32_to_cpu(ctrl.qpn_ds) >> 8 != qp->obj.num)
		cxm_warn(m, "QP 0x%x: WQE %u names QP 0x%x", qp->obj.num,
			 counter, be32_to_cpu(ctrl.qpn_ds) >> 8);
	if (w->why.syndrome)
		cxm_trace(m, "bad WQE qpn=0x%x counter=%u opcode=0x%x ds=%u",
			  qp->obj.num, counter, w->opcode, ds);
	return w;
}

enum cxm_mkey_result cxm_wqe_gather(struct cxm *m, struct cxm_qp *qp,
				    const struct cxm_swqe *w, u32 skip,
				    void *data, u32 len)
{
	u8 *to = data;
	u32 i, n;

	/* Pure lists take the short way: one call for the whole packet. */
	for (i = 0; i < w->nsge; i++)
		if (w->sge[i].key == CXM_KEY_INLINE)
			break;
	if (i == w->nsge)
		return cxm_gather(m, w->sge, w->nsge, skip, data, len,
				  qp->pdn, qp->obj.num);
	for (i = 0; i < w->nsge && len; i++) {
		const struct cxm_sge *sge = &w->sge[i];
		enum cxm_mkey_result r;

		if (skip >= sge->len) {
			skip -= sge->len;
			continue;
		}
		n = min_u64(sge->len - skip, len);
		if (sge->key == CXM_KEY_INLINE) {
			memcpy(to, w->raw + sge->addr + skip, n);
		} else {
			r = cxm_gather(m, sge, 1, skip, to, n, qp->pdn,
				       qp->obj.num);
			if (r)
				return r;
		}
		to += n;
		len -= n;
		skip = 0;
	}
	return CXM_MKEY_OK;
}
