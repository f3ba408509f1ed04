// SPDX-License-Identifier: GPL-2.0-only
/* The one list of what ib_uverbs declares, by object id. */
#include <linux/export.h>
#include <linux/stddef.h>
#include <kunit/visibility.h>
#include "obj_table.h"
#include "write.h"

static const struct uverbs_object_def *const core_objects[] = {
	&uverbs_object_device,
	&uverbs_object_pd,
	&uverbs_object_comp_channel,
	&uverbs_object_cq,
	&uverbs_object_qp,
	&uverbs_object_srq,
	&uverbs_object_ah,
	&uverbs_object_mr,
	&uverbs_object_mw,
	&uverbs_object_flow,
	&uverbs_object_xrcd,
	&uverbs_object_rwq_ind_table,
	&uverbs_object_wq,
	&uverbs_object_flow_action,
	&uverbs_object_dm,
	&uverbs_object_counters,
	&uverbs_object_async_event,
	NULL
};

const struct uverbs_tables uverbs_core_tables = {
	.objects = core_objects,
	.writes = uverbs_write_table,
};
EXPORT_SYMBOL_IF_KUNIT(uverbs_core_tables);
