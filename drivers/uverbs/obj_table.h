/* SPDX-License-Identifier: GPL-2.0-only */
/* Everything that ib_uverbs itself declares, one object per obj_*.c. */
#ifndef UVERBS_OBJ_TABLE_H
#define UVERBS_OBJ_TABLE_H

#include "tree.h"

extern const struct uverbs_object_def uverbs_object_device;
extern const struct uverbs_object_def uverbs_object_pd;
extern const struct uverbs_object_def uverbs_object_mr;
extern const struct uverbs_object_def uverbs_object_mw;
extern const struct uverbs_object_def uverbs_object_xrcd;
extern const struct uverbs_object_def uverbs_object_dm;
extern const struct uverbs_object_def uverbs_object_comp_channel;
extern const struct uverbs_object_def uverbs_object_cq;
extern const struct uverbs_object_def uverbs_object_qp;
extern const struct uverbs_object_def uverbs_object_srq;
extern const struct uverbs_object_def uverbs_object_ah;
extern const struct uverbs_object_def uverbs_object_flow;
extern const struct uverbs_object_def uverbs_object_rwq_ind_table;
extern const struct uverbs_object_def uverbs_object_wq;
extern const struct uverbs_object_def uverbs_object_flow_action;
extern const struct uverbs_object_def uverbs_object_counters;
extern const struct uverbs_object_def uverbs_object_async_event;

extern const struct uverbs_tables uverbs_core_tables;

#endif /* UVERBS_OBJ_TABLE_H */
