// SPDX-License-Identifier: GPL-2.0-only
/* Protection domains. */
#include "cx.h"
#include "verbs.h"

/**
 * cx_alloc_pd - ib_device_ops.alloc_pd
 * @pd: the domain to fill
 * @udata: the call of user space, or NULL
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_alloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	struct cx_dev *cx = to_cx(pd->obj.device);
	struct cx_pd *p = to_cx_pd(pd);
	int ret;

	ret = cx_cmd_alloc_pd(cx, &p->pdn);
	if (ret || !udata)
		return ret;
	ret = cx_udata_number(udata, p->pdn);
	if (ret)
		cx_cmd_dealloc_pd(cx, p->pdn);
	return ret;
}

/**
 * cx_dealloc_pd - ib_device_ops.dealloc_pd
 * @pd: the domain
 * @udata: the call of user space, or NULL
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno: the firmware still uses it.
 */
int cx_dealloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	return cx_destroyed(to_cx(pd->obj.device),
			    cx_cmd_dealloc_pd(to_cx(pd->obj.device),
					      to_cx_pd(pd)->pdn));
}
