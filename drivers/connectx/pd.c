// SPDX-License-Identifier: GPL-2.0-only
/* Protection domains. */
#include <rdma/mlx5-abi.h>

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
	struct mlx5_ib_alloc_pd_resp resp = {};
	struct cx_pd *p = to_cx_pd(pd);
	int ret;

	ret = cx_cmd_alloc_pd(cx, &p->pdn);
	if (ret || !udata)
		return ret;
	resp.pdn = p->pdn;
	ret = ib_udata_write(udata, &resp, sizeof(resp));
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
