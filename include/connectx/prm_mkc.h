/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory keys: context, commands, translation entries.
 */
#ifndef CONNECTX_PRM_MKC_H
#define CONNECTX_PRM_MKC_H

#include <connectx/prm_bits.h>

/* ifc: mkc */
CX_STRUCT(mkc, 0x40);
CX_FIELD(mkc, free, 0x1, 1);
CX_FIELD(mkc, access_mode_4_2, 0x3, 3);
CX_FIELD(mkc, relaxed_ordering_write, 0xd, 1);
CX_FIELD(mkc, umr_en, 0x10, 1);
CX_FIELD(mkc, a, 0x11, 1);
CX_FIELD(mkc, rw, 0x12, 1);
CX_FIELD(mkc, rr, 0x13, 1);
CX_FIELD(mkc, lw, 0x14, 1);
CX_FIELD(mkc, lr, 0x15, 1);
CX_FIELD(mkc, access_mode_1_0, 0x16, 2);
CX_FIELD(mkc, qpn, 0x20, 24);
CX_FIELD(mkc, mkey_7_0, 0x38, 8);
CX_FIELD(mkc, length64, 0x60, 1);
CX_FIELD(mkc, bsf_en, 0x61, 1);
CX_FIELD(mkc, en_rinval, 0x67, 1);
CX_FIELD(mkc, pd, 0x68, 24);
CX_FIELD64(mkc, start_addr, 0x80);
CX_FIELD64(mkc, len, 0xc0);
CX_FIELD(mkc, bsf_octword_size, 0x100, 32);
CX_FIELD(mkc, translations_octword_size, 0x1a0, 32);
CX_FIELD(mkc, relaxed_ordering_read, 0x1d9, 1);
CX_FIELD(mkc, log_page_size, 0x1da, 6);

/* ifc: create_mkey_in */
CX_STRUCT(create_mkey_in, 0x110);
CX_FIELD(create_mkey_in, pg_access, 0x60, 1);
CX_FIELD(create_mkey_in, mkey_umem_valid, 0x61, 1);
CX_SUB(create_mkey_in, memory_key_mkey_entry, 0x10, mkc);
CX_FIELD(create_mkey_in, translations_octword_actual_size, 0x300, 32);

/* ifc: create_mkey_out */
CX_STRUCT(create_mkey_out, 0x10);
CX_FIELD(create_mkey_out, mkey_index, 0x48, 24);

/* ifc: destroy_mkey_in */
CX_STRUCT(mkey_number_in, 0x10);
CX_FIELD(mkey_number_in, mkey_index, 0x48, 24);

/* ifc: query_mkey_out */
CX_STRUCT(query_mkey_out, 0x130);
CX_SUB(query_mkey_out, memory_key_mkey_entry, 0x10, mkc);
CX_BYTES(query_mkey_out, bsf0_klm0_pas_mtt0_1, 0x110, 16);

/* The translation starts here and goes on behind the structure. */
#define CX_QUERY_MKEY_XLT	0x110

/* ifc: trans_page_fault_info */
CX_STRUCT(trans_page_fault_info, 0x8);
CX_FIELD(trans_page_fault_info, error, 0x0, 1);
CX_FIELD(trans_page_fault_info, page_fault_type, 0x5, 3);
CX_FIELD(trans_page_fault_info, wq_number, 0x8, 24);
CX_FIELD(trans_page_fault_info, fault_token, 0x28, 24);

/* ifc: page_fault_resume_in */
CX_STRUCT(page_fault_resume_in, 0x10);
CX_SUB(page_fault_resume_in, page_fault_info, 0x8, trans_page_fault_info);

/*
 * mkc.access_mode_1_0, and from CX_MKC_MEMIC on the bits of access_mode_4_2
 * above them. The start of such a key is an address in the BAR; its users
 * count from 0.
 */
enum cx_mkc_access_mode {
	CX_MKC_PA = 0,
	CX_MKC_MTT = 1,
	CX_MKC_KLM = 2,
	CX_MKC_KSM = 3,
	CX_MKC_MEMIC = 5,
};

#define CX_MKC_MODE_LOW_BITS	2
#define CX_MKC_MODE_LOW_MASK	0x3

#define CX_MKC_ANY_QPN		0xffffff
#define CX_MKEY_INDEX_SHIFT	8

/* Ends a receive scatter list; never a key of a memory region. */
#define CX_LKEY_TERMINATE	0x100

/* Translation entries: two MTTs make the 16-byte unit the commands count in. */
#define CX_MTT_READ		0x1	/* with capability pg: the page is there */
#define CX_MTT_WRITE		0x2	/* ... and may be written */
#define CX_MTT_PRESENT		(CX_MTT_READ | CX_MTT_WRITE)
#define CX_MTT_ADDR_MASK	(~0xfffULL)
#define CX_MTT_PER_OCTWORD	2

struct cx_klm {
	__be32	bcount;
	__be32	key;
	__be64	va;
};

#endif /* CONNECTX_PRM_MKC_H */
