/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef UVERBS_OBJ_WQ_H
#define UVERBS_OBJ_WQ_H

#include <ib/uverbs_bundle.h>

struct ib_pd;
struct ib_wq_init_attr;

int uverbs_make_wq(struct uverbs_bundle *b, struct ib_uobject *uobj,
		   struct ib_pd *pd, struct ib_wq_init_attr *attr,
		   u64 user_handle, struct ib_uobject *async);

#endif /* UVERBS_OBJ_WQ_H */
