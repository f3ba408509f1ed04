/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters that flows count on */
#ifndef IB_COUNTERS_H
#define IB_COUNTERS_H

#include <ib/object.h>

struct uverbs_bundle;

/* obj.usecnt is the number of flows that count here. */
struct ib_counters {
	struct ib_object	obj;
};

/**
 * struct ib_counters_read - a reading
 * @values: filled by the driver, zero before
 * @num: how many there is room for
 * @flags: IB_UVERBS_READ_COUNTERS_*
 */
struct ib_counters_read {
	u64	*values;
	u32	num;
	u32	flags;
};

struct ib_counters *ib_create_counters(struct ib_device *device,
				       struct uverbs_bundle *b);
int ib_read_counters(struct ib_counters *counters,
		     const struct ib_counters_read *read,
		     struct uverbs_bundle *b);
int ib_destroy_counters(struct ib_counters *counters);

#endif /* IB_COUNTERS_H */
