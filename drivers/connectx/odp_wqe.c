// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which memory a work request uses. It was read from memory that its user can
 * change at any time: nothing in it is believed, and nothing read twice.
 */
#include <linux/align.h>
#include <linux/array_size.h>
#include <linux/bits.h>
#include <linux/errno.h>

#include <kunit/visibility.h>

#include <connectx/prm_mkc.h>
#include <connectx/prm_qpc.h>
#include <connectx/prm_wqe.h>

#include "odp.h"
#include "refuse.h"

#define CX_WQE_OPCODE_MASK	0xff
#define CX_INLINE_BYTES_MASK	0x3ff
#define CX_WHOLE_KEY		BIT_ULL(31)	/* what 0 bytes mean */
#define CX_AV_SHORT_BYTES	16

/* What stands between the control segment and the pieces */
static const struct {
	u8 opcode;
	u8 bytes;
} cx_wqe_prefixes[] = {
	{ CX_WQE_SEND, 0 },
	{ CX_WQE_SEND_IMM, 0 },
	{ CX_WQE_SEND_INVAL, 0 },
	{ CX_WQE_RDMA_WRITE, sizeof(struct cx_wqe_raddr) },
	{ CX_WQE_RDMA_WRITE_IMM, sizeof(struct cx_wqe_raddr) },
	{ CX_WQE_RDMA_READ, sizeof(struct cx_wqe_raddr) },
	{ CX_WQE_ATOMIC_CS, sizeof(struct cx_wqe_raddr) +
			    sizeof(struct cx_wqe_atomic) },
	{ CX_WQE_ATOMIC_FA, sizeof(struct cx_wqe_raddr) +
			    sizeof(struct cx_wqe_atomic) },
};

static int cx_wqe_prefix(u8 opcode)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cx_wqe_prefixes); i++)
		if (cx_wqe_prefixes[i].opcode == opcode)
			return cx_wqe_prefixes[i].bytes;
	return cx_refuse(-EINVAL, "a request with opcode 0x%llx has no memory",
			 opcode, 0);
}

/* @pos points behind the control segment, and at least one segment follows. */
static size_t cx_wqe_address_bytes(const void *pos, u8 st)
{
	const struct cx_wqe_av *av = pos;

	switch (st) {
	case CX_QP_ST_XRC:
		return sizeof(struct cx_wqe_xrc);
	case CX_QP_ST_UD:
		return av->dqp_dct & cpu_to_be32(CX_AV_EXTENDED) ?
		       sizeof(*av) : CX_AV_SHORT_BYTES;
	default:
		return 0;
	}
}

/**
 * cx_wqe_walk_send - begin with the pieces of a send request
 * @w: result
 * @wqe: copy of the request, of the kernel
 * @len: bytes copied
 * @st: service type of its queue pair, enum cx_qp_st
 *
 * Context: Any context.
 * Return: 0 or -EINVAL: it is none.
 */
int cx_wqe_walk_send(struct cx_wqe_walk *w, const void *wqe, size_t len, u8 st)
{
	const struct cx_wqe_ctrl *ctrl = wqe;
	size_t bytes, skip = sizeof(*ctrl);
	int prefix;

	if (len < sizeof(*ctrl))
		return cx_refuse(-EINVAL, "%llu bytes are no request", len, 0);
	bytes = (be32_to_cpu(ctrl->qpn_ds) & CX_WQE_DS_MASK) * CX_WQE_SEG;
	if (bytes < skip + CX_WQE_SEG || bytes > len)
		return cx_refuse(-EINVAL, "a request of %llu bytes, %llu there",
				 bytes, len);
	prefix = cx_wqe_prefix(be32_to_cpu(ctrl->opmod_idx_opcode) &
			       CX_WQE_OPCODE_MASK);
	if (prefix < 0)
		return prefix;
	skip += cx_wqe_address_bytes(wqe + skip, st) + prefix;
	w->receive = false;
	w->pos = wqe + min(skip, bytes);
	w->end = wqe + bytes;
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(cx_wqe_walk_send);

/**
 * cx_wqe_walk_receive - begin with the pieces of a receive request
 * @w: result
 * @wqe: copy of the request, of the kernel
 * @len: its length
 * @shared: of a shared receive queue
 *
 * Context: Any context.
 */
void cx_wqe_walk_receive(struct cx_wqe_walk *w, const void *wqe, size_t len,
			 bool shared)
{
	size_t skip = shared ? sizeof(struct cx_wqe_srq_next) : 0;

	w->receive = true;
	w->pos = wqe + min(skip, len);
	w->end = wqe + len;
}
EXPORT_SYMBOL_IF_KUNIT(cx_wqe_walk_receive);

static void cx_wqe_walk_inline(struct cx_wqe_walk *w, u32 count,
			       struct cx_wqe_piece *p)
{
	size_t room = w->end - w->pos;
	size_t bytes;

	p->has_key = false;
	p->bytes = count & CX_INLINE_BYTES_MASK;
	bytes = ALIGN(sizeof(struct cx_wqe_inline) + p->bytes, CX_WQE_SEG);
	w->pos += min(bytes, room);
}

/**
 * cx_wqe_walk_next - the next piece
 * @w: the walk
 * @p: result
 *
 * Context: Any context.
 * Return: true; false at the end.
 */
bool cx_wqe_walk_next(struct cx_wqe_walk *w, struct cx_wqe_piece *p)
{
	const struct cx_wqe_data *data = w->pos;
	u32 count;

	if (w->end - w->pos < (ptrdiff_t)sizeof(*data))
		return false;
	count = be32_to_cpu(data->byte_count);
	if (count & CX_WQE_INLINE) {
		cx_wqe_walk_inline(w, count, p);
		return true;
	}
	p->has_key = true;
	p->key = be32_to_cpu(data->lkey);
	p->addr = be64_to_cpu(data->addr);
	p->bytes = count ?: CX_WHOLE_KEY;
	if (w->receive && !count && !p->addr && p->key == CX_LKEY_TERMINATE)
		return false;
	w->pos += sizeof(*data);
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(cx_wqe_walk_next);
