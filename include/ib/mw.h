/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef IB_MW_H
#define IB_MW_H

#include <ib/object.h>
#include <ib/types.h>

struct ib_pd;
struct ib_udata;

/* How a window is bound; numbers are user ABI. */
enum ib_mw_type {
	IB_MW_TYPE_1 = 1,	/* by a verb, to any queue pair of its PD */
	IB_MW_TYPE_2 = 2,	/* by a work request, to one queue pair */
};

/* Memory window: a remote key that is bound to a part of a region later on */
struct ib_mw {
	struct ib_object	obj;
	struct ib_pd		*pd;
	enum ib_mw_type		type;
	u32			rkey;
};

struct ib_mw *ib_alloc_mw(struct ib_pd *pd, u8 type, struct ib_udata *udata);
int ib_dealloc_mw(struct ib_mw *mw);

#endif /* IB_MW_H */
