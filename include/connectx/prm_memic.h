/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Device memory (MEMIC): memory on the adapter behind BAR 0. Software chooses
 * the pages of the BAR, the firmware what lies behind them and where in the
 * first page it starts. All addresses count from the start of the BAR.
 */
#ifndef CONNECTX_PRM_MEMIC_H
#define CONNECTX_PRM_MEMIC_H

#include <connectx/prm_bits.h>

/* ifc: alloc_memic_in */
CX_STRUCT(alloc_memic_in, 0x20);
CX_FIELD(alloc_memic_in, log_memic_addr_alignment, 0x78, 8);
CX_FIELD64(alloc_memic_in, range_start_addr, 0x80);
CX_FIELD(alloc_memic_in, range_size, 0xc0, 32);
CX_FIELD(alloc_memic_in, memic_size, 0xe0, 32);

/* ifc: alloc_memic_out */
CX_STRUCT(alloc_memic_out, 0x10);
CX_FIELD64(alloc_memic_out, memic_start_addr, 0x40);

/* ifc: dealloc_memic_in */
CX_STRUCT(dealloc_memic_in, 0x20);
CX_FIELD64(dealloc_memic_in, memic_start_addr, 0x80);
CX_FIELD(dealloc_memic_in, memic_size, 0xc0, 32);

/* Sizes and addresses are multiples of it; alignments are in powers of it. */
#define CX_MEMIC_UNIT_SHIFT	6
#define CX_MEMIC_UNIT		64

#endif /* CONNECTX_PRM_MEMIC_H */
