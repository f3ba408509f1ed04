/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef UVERBS_FLOW_SPEC_H
#define UVERBS_FLOW_SPEC_H

#include <linux/types.h>

struct ib_flow_attr;
struct ib_flow_spec;
struct uverbs_bundle;

int uverbs_flow_filter(struct ib_flow_spec *spec, u32 type, const u8 *data,
		       size_t len);
int uverbs_flow_specs(struct uverbs_bundle *b, struct ib_flow_attr *attr,
		      const u8 *pos, size_t left);

#endif /* UVERBS_FLOW_SPEC_H */
