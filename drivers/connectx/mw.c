// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory windows: a key that is free until a work request binds it to a part
 * of a region.
 */
#include <linux/math.h>

#include <ib/mw.h>
#include <ib/refuse.h>

#include <rdma/mlx5-abi.h>

#include "cmd_odp.h"
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

/* Page faults have to find it. */
static int cx_mw_publish(struct ib_mw *mw)
{
	int ret;

	ret = xa_err(xa_store(&to_verbs(mw->obj.device)->odp.windows,
			      mw->rkey >> CX_MKEY_INDEX_SHIFT, mw,
			      GFP_KERNEL));
	if (ret)
		return ib_refuse(IB_LAYER_DRIVER, ret,
				 "no memory to find window 0x%llx", mw->rkey,
				 0);
	return 0;
}

static void cx_mw_forget(struct ib_mw *mw)
{
	/* its number is free already: somebody else may stand in its place */
	xa_cmpxchg(&to_verbs(mw->obj.device)->odp.windows,
		   mw->rkey >> CX_MKEY_INDEX_SHIFT, mw, NULL, 0);
}

/**
 * cx_mw_pieces - what a window is bound to
 * @v: the device
 * @key: its key, with any low byte
 * @i: result
 *
 * Peers name keys as they like: only of a window that is there the adapter is
 * asked, and it stays until the adapter has answered.
 *
 * Context: Process context. Sleeps.
 * Return: 0; -ENOENT it is of no window; errnos of the command.
 */
int cx_mw_pieces(struct cx_verbs *v, u32 key, struct cx_indirect *i)
{
	int ret;

	down_read(&v->odp.windows_lock);
	if (xa_load(&v->odp.windows, key >> CX_MKEY_INDEX_SHIFT))
		ret = cx_cmd_query_indirect(v->cx, key, i);
	else
		ret = ib_refuse(IB_LAYER_DRIVER, -ENOENT,
				"key 0x%llx is of no memory window", key, 0);
	up_read(&v->odp.windows_lock);
	return ret;
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
	ret = cx_mw_publish(mw);
	if (ret)
		goto err_key;
	ret = udata ? cx_mw_respond(udata) : 0;
	if (ret)
		goto err_window;
	return 0;

err_window:
	if (cx_dealloc_mw(mw))
		cx_mw_forget(mw);
	return ret;
err_key:
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
	struct cx_verbs *v = to_verbs(mw->obj.device);
	int ret;

	down_write(&v->odp.windows_lock);
	ret = cx_destroyed(v->cx, cx_cmd_destroy_mkey(v->cx, mw->rkey));
	if (!ret)
		cx_mw_forget(mw);
	up_write(&v->odp.windows_lock);
	return ret;
}
