/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * BAR 0: the initialisation segment at its start, and the layout of a UAR
 * page. UAR n lies at n pages from the start of the BAR, so the first numbers
 * are taken by the segment itself.
 */
#ifndef CONNECTX_PRM_INITSEG_H
#define CONNECTX_PRM_INITSEG_H

#include <connectx/prm_bits.h>

/* Offsets in the segment. All words are big-endian. */
#define CX_ISEG_FW_REV		0x000	/* 31:16 minor, 15:0 major */
#define CX_ISEG_CMDIF_REV	0x004	/* 31:16 command interface, 15:0 sub */
#define CX_ISEG_CMDQ_ADDR_H	0x010
#define CX_ISEG_CMDQ_ADDR_L	0x014	/* read: sizes; write: address */
#define CX_ISEG_CMD_DBELL	0x018	/* a bit per queue entry */
#define CX_ISEG_INITIALIZING	0x1fc
#define CX_ISEG_HEALTH		0x200
#define CX_ISEG_HEALTH_FW_VER	0x230
#define CX_ISEG_HEALTH_RFR	0x238	/* 31:24 severity, bit 7 of it: rfr */
#define CX_ISEG_HEALTH_SYND	0x23c	/* 31:24 irisc, 23:16 syndrome */
#define CX_ISEG_CMD_EXEC_TO	0xff8
#define CX_ISEG_CMD_Q_INIT_TO	0xffc
#define CX_ISEG_TIMER_H		0x1000
#define CX_ISEG_TIMER_L		0x1004
#define CX_ISEG_HEALTH_COUNTER	0x1010
#define CX_ISEG_BYTES		0x2010

#define CX_CMDIF_REV		5
#define CX_ISEG_INITIALIZING_BIT	(1u << 31)

/* CX_ISEG_CMDQ_ADDR_L when read */
#define CX_CMDQ_L_STRIDE_SHIFT	0	/* 3:0 log2 of the entry stride */
#define CX_CMDQ_L_SIZE_SHIFT	4	/* 7:4 log2 of the number of entries */
#define CX_NIC_IFC_SHIFT	8	/* 10:8 interface state */
#define CX_NIC_IFC_MASK		0x7
#define CX_NIC_IFC_FULL		0
#define CX_NIC_IFC_DISABLED	1
#define CX_NIC_IFC_SW_RESET	7

/* A UAR page */
#define CX_UAR_PAGE_SHIFT	12
#define CX_UAR_PAGE_BYTES	(1 << CX_UAR_PAGE_SHIFT)
#define CX_UAR_FIRST		16	/* ours; at least 3 (the segment) */
#define CX_UAR_CQ_ARM		0x20
#define CX_UAR_EQ_ARM		0x40
#define CX_UAR_EQ_CI		0x48
#define CX_UAR_SQ_DB		0x800
#define CX_UAR_SQ_DB_END	0x1000

/* PCI identity of the adapter we model: ConnectX-5, physical function */
#define CX_PCI_VENDOR		0x15b3
#define CX_PCI_DEVICE		0x1017
#define CX_BAR0_BYTES		(32u << 20)

#endif /* CONNECTX_PRM_INITSEG_H */
