/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Capabilities: what the model offers (max) and what software settled for (cur).
 */
#ifndef CXM_CAPS_H
#define CXM_CAPS_H

#include "types.h"
#include <connectx/prm_cap.h>

struct cxm_profile;

struct cxm_caps_set {
	struct cx_hca_cap	general;
	struct cx_atomic_cap	atomic;
	struct cx_roce_cap	roce;
	struct cx_odp_cap	odp;
	struct cx_device_mem_cap device_mem;
};

struct cxm_caps {
	struct cxm_caps_set	max;
	struct cxm_caps_set	cur;
};

/* NULL if there is none of that name. */
const struct cxm_profile *cxm_profile_find(const char *name);

/* Max from the profile; cur = max but for what only software switches on. */
void cxm_caps_reset(struct cxm *m);

#endif /* CXM_CAPS_H */
