/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef IB_DM_H
#define IB_DM_H

#include <ib/object.h>

struct uverbs_bundle;

struct ib_dm_alloc_attr {
	u64	length;
	u32	alignment;	/* log2 of bytes */
};

/* Memory on the adapter; regions are made on parts of it. */
struct ib_dm {
	struct ib_object	obj;
	u64			length;
};

struct ib_dm *ib_alloc_dm(struct ib_device *device,
			  const struct ib_dm_alloc_attr *attr,
			  struct uverbs_bundle *b);
int ib_dealloc_dm(struct ib_dm *dm, struct uverbs_bundle *b);

#endif /* IB_DM_H */
