/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef UVERBS_OBJ_QP_H
#define UVERBS_OBJ_QP_H

#include <ib/uverbs_bundle.h>

struct ib_pd;
struct ib_qp_init_attr;

int uverbs_check_qp_type(u64 type);
int uverbs_make_qp(struct uverbs_bundle *b, struct ib_uobject *uobj,
		   struct ib_pd *pd, struct ib_qp_init_attr *attr,
		   u64 user_handle, struct ib_uobject *async);

#endif /* UVERBS_OBJ_QP_H */
