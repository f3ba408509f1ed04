/* SPDX-License-Identifier: GPL-2.0-only */
/* Structures of requests that more than one table names. */
#ifndef UVERBS_ABI_LAYOUT_H
#define UVERBS_ABI_LAYOUT_H

#include "abi.h"

extern const struct abi_layout layout_context;
extern const struct abi_layout layout_cq_driver;
extern const struct abi_layout layout_qp_driver;
extern const struct abi_layout layout_srq_driver;
extern const struct abi_layout layout_qp_cap;
extern const struct abi_layout layout_sge;

/* A row of a table of fields; "type" is the structure */
#define FIELD(type, f, kind, value) \
	{ #f, offsetof(struct type, f), sizeof(((struct type *)0)->f), kind, \
	  value }
#define LAYOUT(type, table)	{ table, LENGTH(table), sizeof(struct type) }

#endif /* UVERBS_ABI_LAYOUT_H */
