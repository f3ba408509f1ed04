/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef IB_PD_H
#define IB_PD_H

#include <ib/object.h>

struct ib_device;
struct ib_udata;

/* Protection domain: keys and queues of different domains never meet. */
struct ib_pd {
	struct ib_object	obj;
};

struct ib_pd *ib_alloc_pd_for(struct ib_device *device, struct ib_udata *udata,
			      const char *owner);
#define ib_alloc_pd(device, udata) \
	ib_alloc_pd_for(device, udata, KBUILD_MODNAME)
int ib_dealloc_pd(struct ib_pd *pd, struct ib_udata *udata);

#endif /* IB_PD_H */
