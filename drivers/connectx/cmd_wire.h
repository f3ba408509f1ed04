/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by the cmd_*.c files and their tests: small pure pieces of the wire.
 */
#ifndef CX_CMD_WIRE_H
#define CX_CMD_WIRE_H

#include <linux/math.h>
#include <linux/types.h>

#include <connectx/prm_cmd.h>
#include <connectx/prm_mkc.h>
#include <connectx/prm_qpc.h>

struct cx_mkey_params;
struct cx_qp_context;
struct cx_qp_params;

/* log_page_size fields of queues count from 4 KiB */
#define CX_PAS_SHIFT_BASE	12
#define CX_RQ_STRIDE_BASE	4	/* log_rq_stride counts from 16 bytes */

/* Every command begins with its opcode, whatever its structure */
#define cx_cmd_set_op(in, op) \
	cx_cmd_in_set_opcode((struct cx_cmd_in *)(in), op)

/* Units of two entries that a list of @n pages takes */
static inline u32 cx_mtt_octwords(u32 n)
{
	return DIV_ROUND_UP(n, CX_MTT_PER_OCTWORD);
}

static inline u32 cx_mkey(u32 index, u8 variant)
{
	return index << CX_MKEY_INDEX_SHIFT | variant;
}

void cx_mkc_fill(struct cx_mkc *mkc, const struct cx_mkey_params *p);
void cx_mkc_fill_rights(struct cx_mkc *mkc, const struct cx_mkey_params *p);
void cx_qpc_fill_create(struct cx_qpc *qpc, const struct cx_qp_params *p);
void cx_qpc_fill_modify(struct cx_qpc *qpc, const struct cx_qp_context *c);
void cx_qpc_read(struct cx_qpc *qpc, struct cx_qp_context *c);

#endif /* CX_CMD_WIRE_H */
