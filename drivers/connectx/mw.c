// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory windows: a key that is free until a work request binds it to a part
 * of a region.
 */
#include <linux/math.h>

#include <ib/mw.h>
#include <ib/refuse.h>

#include <rdma/mlx5-abi.h>

#include "cx.h"
#include "verbs.h"

/* Scatter entries come in blocks of 64 bytes. */
#define CX_KLM_STEP	4

/* What the provider library may read; the uapi headers do not name it. */
struct cx_mw_answer {
	__u32 comp_mask;
	__u32 response_length;
};

static int cx_mw_request(struct ib_udata *udata, struct mlx5_ib_alloc_mw *req)
{
	int ret;

	ret = cx_udata_read(udata, req, 0, sizeof(*req), -EOPNOTSUPP);
	if (ret)
		return ret;
	if (req->comp_mask || req->reserved1 || req->reserved2)
		return ib_refuse(IB_LAYER_DRIVER, -EOPNOTSUPP,
				 "memory window: unknown bits 0x%llx, 0x%llx",
				 req->comp_mask,
				 req->reserved1 | req->reserved2);
	return 0;
}

static int cx_mw_respond(struct ib_udata *udata)
{
	struct cx_mw_answer answer = {};

	answer.response_length = min(sizeof(answer), udata->outlen);
	return ib_udata_write(udata, &answer, answer.response_length);
}

/**
 * cx_alloc_mw - ib_device_ops.alloc_mw
 * @mw: the window to fill
 * @udata: the call of user space, or NULL
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_alloc_mw(struct ib_mw *mw, struct ib_udata *udata)
{
	struct cx_dev *cx = to_cx(mw->obj.device);
	struct mlx5_ib_alloc_mw req = {};
	struct cx_mkey_params p = {
		.pdn = to_cx_pd(mw->pd)->pdn,
		.variant = cx_mkey_variant(mw->obj.device),
		.window = true,
		.remote_invalidate = mw->type == IB_MW_TYPE_2,
	};
	int ret;

	if (!cx->caps.imaicl)
		return ib_refuse(IB_LAYER_DRIVER, -EOPNOTSUPP,
				 "the adapter has no memory windows", 0, 0);
	ret = udata ? cx_mw_request(udata, &req) : 0;
	if (ret)
		return ret;
	p.klms = roundup(max_t(u32, req.num_klms, 1), CX_KLM_STEP);
	ret = cx_cmd_create_mkey(cx, &p, &mw->rkey);
	if (ret)
		return ret;
	ret = udata ? cx_mw_respond(udata) : 0;
	if (ret)
		cx_cmd_destroy_mkey(cx, mw->rkey);
	return ret;
}

/**
 * cx_dealloc_mw - ib_device_ops.dealloc_mw
 * @mw: the window
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno: the key still works.
 */
int cx_dealloc_mw(struct ib_mw *mw)
{
	struct cx_dev *cx = to_cx(mw->obj.device);

	return cx_destroyed(cx, cx_cmd_destroy_mkey(cx, mw->rkey));
}
