// SPDX-License-Identifier: GPL-2.0-only
/*
 * Building work requests of kernel queue pairs. A send request is a control
 * segment, a remote address for RDMA, two operands for an atomic, then its
 * data; each is 16 bytes or a multiple, and the ring may wrap between any two
 * of these 16 bytes, even inside inline data.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include <kunit/visibility.h>

#include <ib/qp.h>
#include <ib/refuse.h>

#include <connectx/prm_mkc.h>
#include <connectx/prm_wqe.h>

#include "wqe.h"

/**
 * struct cx_wqe_kind - how an opcode of verbs looks on the wire
 * @opcode: enum cx_wqe_opcode
 * @remote: has a remote address
 * @atomic: has operands
 * @imm: has immediate data
 */
struct cx_wqe_kind {
	u8 opcode;
	bool remote;
	bool atomic;
	bool imm;
};

static const struct cx_wqe_kind cx_wqe_kinds[] = {
	[IB_WR_RDMA_WRITE] = { CX_WQE_RDMA_WRITE, .remote = true },
	[IB_WR_RDMA_WRITE_WITH_IMM] = { CX_WQE_RDMA_WRITE_IMM, .remote = true,
					.imm = true },
	[IB_WR_SEND] = { CX_WQE_SEND },
	[IB_WR_SEND_WITH_IMM] = { CX_WQE_SEND_IMM, .imm = true },
	[IB_WR_RDMA_READ] = { CX_WQE_RDMA_READ, .remote = true },
	[IB_WR_ATOMIC_CMP_AND_SWP] = { CX_WQE_ATOMIC_CS, .remote = true,
				       .atomic = true },
	[IB_WR_ATOMIC_FETCH_AND_ADD] = { CX_WQE_ATOMIC_FA, .remote = true,
					 .atomic = true },
};

#define CX_ATOMIC_BYTES		8
#define CX_WQE_FENCE		(4 << 5)	/* after all reads and atomics */

/**
 * struct cx_wqe_pos - where in a ring the next segment goes
 * @r: the ring
 * @off: offset in bytes, below the ring's size
 * @segments: segments so far
 */
struct cx_wqe_pos {
	const struct cx_ring *r;
	size_t off;
	unsigned int segments;
};

static size_t cx_ring_bytes(const struct cx_ring *r)
{
	return (size_t)1 << (r->log_units + r->log_unit);
}

/* The next segment, zeroed; the ring is a multiple of its size. */
static void *cx_wqe_next(struct cx_wqe_pos *pos)
{
	void *seg = pos->r->mem + pos->off;

	memset(seg, 0, CX_WQE_SEG);
	pos->off = (pos->off + CX_WQE_SEG) & (cx_ring_bytes(pos->r) - 1);
	pos->segments++;
	return seg;
}

/**
 * cx_wqe_send_segments - segments of the largest send request
 * @max_sge: pieces of memory it may have
 * @max_inline: or bytes of data inside it
 *
 * Context: Any context.
 * Return: number of segments.
 */
unsigned int cx_wqe_send_segments(unsigned int max_sge,
				  unsigned int max_inline)
{
	unsigned int data = max_sge;

	if (max_inline)
		data = max(data, DIV_ROUND_UP(sizeof(struct cx_wqe_inline) +
					      max_inline, CX_WQE_SEG));
	return 3 + data;	/* control, remote address, operands */
}
EXPORT_SYMBOL_IF_KUNIT(cx_wqe_send_segments);

static u64 cx_sge_bytes(const struct ib_sge *sge, int n)
{
	u64 sum = 0;

	while (n-- > 0)
		sum += sge[n].length;
	return sum;
}

/**
 * cx_wqe_check_send - may this request be posted?
 * @r: the ring
 * @wr: the request
 *
 * Context: Any context.
 * Return: 0 or -EINVAL.
 */
int cx_wqe_check_send(const struct cx_ring *r, const struct ib_send_wr *wr)
{
	const struct cx_wqe_kind *k;
	u64 bytes;

	if (wr->opcode >= ARRAY_SIZE(cx_wqe_kinds))
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "no such operation: %llu", wr->opcode, 0);
	if (wr->num_sge < 0 || wr->num_sge > r->max_sge)
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "%llu pieces in a request, at most %llu",
				 wr->num_sge, r->max_sge);
	k = &cx_wqe_kinds[wr->opcode];
	bytes = cx_sge_bytes(wr->sg_list, wr->num_sge);
	if (k->atomic && (wr->num_sge != 1 || bytes != CX_ATOMIC_BYTES))
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "atomic on %llu bytes in %llu pieces, must be 8 in 1",
				 bytes, wr->num_sge);
	if (!(wr->send_flags & IB_SEND_INLINE))
		return 0;
	if (k->atomic || wr->opcode == IB_WR_RDMA_READ)
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "operation %llu sends no data inline",
				 wr->opcode, 0);
	if (bytes > r->max_inline)
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "%llu bytes inline, at most %llu", bytes,
				 r->max_inline);
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(cx_wqe_check_send);

static void cx_wqe_put_remote(struct cx_wqe_pos *pos,
			      const struct ib_send_wr *wr)
{
	struct cx_wqe_raddr *seg = cx_wqe_next(pos);

	seg->raddr = cpu_to_be64(wr->remote_addr);
	seg->rkey = cpu_to_be32(wr->rkey);
}

static void cx_wqe_put_operands(struct cx_wqe_pos *pos,
				const struct ib_send_wr *wr)
{
	struct cx_wqe_atomic *seg = cx_wqe_next(pos);

	if (wr->opcode == IB_WR_ATOMIC_CMP_AND_SWP) {
		seg->swap_add = cpu_to_be64(wr->swap);
		seg->compare = cpu_to_be64(wr->compare_add);
	} else {
		seg->swap_add = cpu_to_be64(wr->compare_add);
	}
}

static void cx_wqe_put_data(void *mem, const struct ib_sge *sge)
{
	struct cx_wqe_data *seg = mem;

	seg->byte_count = cpu_to_be32(sge->length);
	seg->lkey = cpu_to_be32(sge->lkey);
	seg->addr = cpu_to_be64(sge->addr);
}

/* An empty piece is left out: on the wire its length means 2 GiB. */
static void cx_wqe_put_pieces(struct cx_wqe_pos *pos,
			      const struct ib_send_wr *wr)
{
	int i;

	for (i = 0; i < wr->num_sge; i++)
		if (wr->sg_list[i].length)
			cx_wqe_put_data(cx_wqe_next(pos), &wr->sg_list[i]);
}

/*
 * Copy data into the request behind a header of four bytes. In a request with
 * inline data the address of a piece is that of kernel memory.
 */
static void cx_wqe_put_inline(struct cx_wqe_pos *pos,
			      const struct ib_send_wr *wr)
{
	u64 bytes = cx_sge_bytes(wr->sg_list, wr->num_sge);
	size_t used = sizeof(struct cx_wqe_inline);
	struct cx_wqe_inline *head;
	void *seg;
	int i;

	if (!bytes)
		return;
	head = cx_wqe_next(pos);
	head->byte_count = cpu_to_be32(bytes | CX_WQE_INLINE);
	seg = head;
	for (i = 0; i < wr->num_sge; i++) {
		const void *src = (void *)(uintptr_t)wr->sg_list[i].addr;
		size_t left = wr->sg_list[i].length;

		while (left) {
			size_t part;

			if (used == CX_WQE_SEG) {
				seg = cx_wqe_next(pos);
				used = 0;
			}
			part = min(left, CX_WQE_SEG - used);
			memcpy(seg + used, src, part);
			src += part;
			used += part;
			left -= part;
		}
	}
}

static u8 cx_wqe_flags(const struct ib_send_wr *wr,
		       const struct cx_wqe_opts *o)
{
	u8 flags = 0;

	if (o->signal || wr->send_flags & IB_SEND_SIGNALED)
		flags |= CX_WQE_CQ_UPDATE;
	if (wr->send_flags & IB_SEND_SOLICITED)
		flags |= CX_WQE_SOLICITED;
	if (wr->send_flags & IB_SEND_FENCE)
		flags |= CX_WQE_FENCE;
	return flags;
}

/**
 * cx_wqe_write_send - write a send request into its ring
 * @r: the ring
 * @index: counting index of the unit it begins at
 * @wr: the request, checked
 * @o: what it does not say
 *
 * Context: Any context.
 * Return: units it takes.
 */
unsigned int cx_wqe_write_send(const struct cx_ring *r, u32 index,
			       const struct ib_send_wr *wr,
			       const struct cx_wqe_opts *o)
{
	const struct cx_wqe_kind *k = &cx_wqe_kinds[wr->opcode];
	struct cx_wqe_pos pos = {
		.r = r,
		.off = ((size_t)index << r->log_unit) &
		       (cx_ring_bytes(r) - 1),
	};
	struct cx_wqe_ctrl *ctrl = cx_wqe_next(&pos);

	if (k->remote)
		cx_wqe_put_remote(&pos, wr);
	if (k->atomic)
		cx_wqe_put_operands(&pos, wr);
	if (wr->send_flags & IB_SEND_INLINE)
		cx_wqe_put_inline(&pos, wr);
	else
		cx_wqe_put_pieces(&pos, wr);

	ctrl->opmod_idx_opcode = cpu_to_be32((index & 0xffff) << 8 |
					     k->opcode);
	ctrl->qpn_ds = cpu_to_be32(o->qpn << 8 | pos.segments);
	ctrl->fm_ce_se = cx_wqe_flags(wr, o);
	if (k->imm)
		ctrl->imm = wr->imm_data;
	return DIV_ROUND_UP(pos.segments * CX_WQE_SEG, CX_WQE_BB);
}
EXPORT_SYMBOL_IF_KUNIT(cx_wqe_write_send);

/**
 * cx_wqe_write_recv - write a receive request into its ring
 * @r: the ring
 * @index: counting index of its entry
 * @wr: the request; no more pieces than the ring has room for
 *
 * Context: Any context.
 */
void cx_wqe_write_recv(const struct cx_ring *r, u32 index,
		       const struct ib_recv_wr *wr)
{
	u32 slot = index & ((1u << r->log_units) - 1);
	struct cx_wqe_data *seg = r->mem + ((size_t)slot << r->log_unit);
	struct cx_wqe_data *end = (void *)seg + ((size_t)1 << r->log_unit);
	int i;

	for (i = 0; i < wr->num_sge; i++)
		if (wr->sg_list[i].length)
			cx_wqe_put_data(seg++, &wr->sg_list[i]);
	if (seg == end)
		return;
	seg->byte_count = 0;
	seg->lkey = cpu_to_be32(CX_LKEY_TERMINATE);
	seg->addr = 0;
}
EXPORT_SYMBOL_IF_KUNIT(cx_wqe_write_recv);
