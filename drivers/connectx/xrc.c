// SPDX-License-Identifier: GPL-2.0-only
/*
 * XRC domains, and what queue pairs of XRC have to name although they do not
 * use it: an initiator a domain, a target a protection domain, a completion
 * queue and a shared receive queue. These are made with the first such queue
 * pair and stay.
 */
#include <linux/kernel.h>

#include <ib/refuse.h>
#include <ib/xrcd.h>

#include <connectx/prm_cqc.h>
#include <connectx/prm_qpc.h>

#include "cx.h"
#include "verbs.h"

#define CX_DUMMY_LOG_SIZE	1	/* entries of either queue */
#define CX_DUMMY_LOG_STRIDE	5	/* bytes of a receive request */

/**
 * cx_alloc_xrcd - ib_device_ops.alloc_xrcd
 * @xrcd: the domain to fill
 * @udata: the call of user space, or NULL
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_alloc_xrcd(struct ib_xrcd *xrcd, struct ib_udata *udata)
{
	struct cx_dev *cx = to_cx(xrcd->obj.device);

	if (!cx->caps.xrc)
		return ib_refuse(IB_LAYER_DRIVER, -EOPNOTSUPP,
				 "the adapter has no XRC", 0, 0);
	return cx_cmd_alloc_xrcd(cx, &to_cx_xrcd(xrcd)->xrcdn);
}

/**
 * cx_dealloc_xrcd - ib_device_ops.dealloc_xrcd
 * @xrcd: the domain
 * @udata: the call of user space, or NULL
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno: the firmware still uses it.
 */
int cx_dealloc_xrcd(struct ib_xrcd *xrcd, struct ib_udata *udata)
{
	struct cx_dev *cx = to_cx(xrcd->obj.device);

	return cx_destroyed(cx, cx_cmd_dealloc_xrcd(cx,
						    to_cx_xrcd(xrcd)->xrcdn));
}

static int cx_dummy_cq(struct cx_dev *cx, struct cx_xrc *x)
{
	struct cx_cq_params p = { .log_size = CX_DUMMY_LOG_SIZE };
	int ret;

	ret = cx_kbuf_alloc(cx, sizeof(struct cx_cqe) << CX_DUMMY_LOG_SIZE,
			    &x->cq_ring);
	if (ret)
		return ret;
	ret = cx_db_alloc(cx, &x->cq_db);
	if (ret)
		goto err_ring;
	p.uar = cx->uar.index;
	p.eqn = cx_eq_comp_number(cx, 0);
	p.dbr = x->cq_db.dma;
	p.pas = x->cq_ring.pas;
	ret = cx_cmd_create_cq(cx, &p, &x->cqn);
	if (ret)
		goto err_db;
	cx_kbuf_drop_list(&x->cq_ring);
	return 0;

err_db:
	cx_db_free(cx, &x->cq_db);
err_ring:
	cx_kbuf_free(cx, &x->cq_ring);
	return ret;
}

static void cx_dummy_cq_free(struct cx_dev *cx, struct cx_xrc *x)
{
	if (cx_kept(cx, x->cqn, cx_cmd_destroy_cq(cx, x->cqn)))
		return;
	cx_db_free(cx, &x->cq_db);
	cx_kbuf_free(cx, &x->cq_ring);
}

static int cx_dummy_srq(struct cx_dev *cx, struct cx_xrc *x)
{
	struct cx_srq_params p = {
		.pdn = x->pdn,
		.xrcdn = x->xrcdn,
		.cqn = x->cqn,
		.user_index = CX_NO_USER_INDEX,
		.log_size = CX_DUMMY_LOG_SIZE,
		.log_stride = CX_DUMMY_LOG_STRIDE,
	};
	int ret;

	ret = cx_kbuf_alloc(cx, BIT(CX_DUMMY_LOG_SIZE + CX_DUMMY_LOG_STRIDE),
			    &x->srq_ring);
	if (ret)
		return ret;
	ret = cx_db_alloc(cx, &x->srq_db);
	if (ret)
		goto err_ring;
	p.dbr = x->srq_db.dma;
	p.pas = x->srq_ring.pas;
	ret = cx_cmd_create_xrc_srq(cx, &p, &x->srqn);
	if (ret)
		goto err_db;
	cx_kbuf_drop_list(&x->srq_ring);
	return 0;

err_db:
	cx_db_free(cx, &x->srq_db);
err_ring:
	cx_kbuf_free(cx, &x->srq_ring);
	return ret;
}

static void cx_dummy_srq_free(struct cx_dev *cx, struct cx_xrc *x)
{
	if (cx_kept(cx, x->srqn, cx_cmd_destroy_xrc_srq(cx, x->srqn)))
		return;
	cx_db_free(cx, &x->srq_db);
	cx_kbuf_free(cx, &x->srq_ring);
}

static int __cx_xrc_make(struct cx_dev *cx, struct cx_xrc *x)
{
	int ret;

	lockdep_assert_held(&x->lock);
	ret = cx_cmd_alloc_pd(cx, &x->pdn);
	if (ret)
		return ret;
	ret = cx_cmd_alloc_xrcd(cx, &x->xrcdn);
	if (ret)
		goto err_pd;
	ret = cx_dummy_cq(cx, x);
	if (ret)
		goto err_xrcd;
	ret = cx_dummy_srq(cx, x);
	if (ret)
		goto err_cq;
	x->made = true;
	return 0;

err_cq:
	cx_dummy_cq_free(cx, x);
err_xrcd:
	cx_cmd_dealloc_xrcd(cx, x->xrcdn);
err_pd:
	cx_cmd_dealloc_pd(cx, x->pdn);
	return ret;
}

/**
 * cx_xrc_get - what queue pairs of XRC have to name
 * @v: the device
 *
 * Context: Process context. Sleeps.
 * Return: the numbers, or an ERR_PTR().
 */
const struct cx_xrc *cx_xrc_get(struct cx_verbs *v)
{
	struct cx_xrc *x = &v->xrc;
	int ret = 0;

	if (!v->cx->caps.xrc)
		return ERR_PTR(ib_refuse(IB_LAYER_DRIVER, -EOPNOTSUPP,
					 "the adapter has no XRC", 0, 0));
	mutex_lock(&x->lock);
	if (!x->made)
		ret = __cx_xrc_make(v->cx, x);
	mutex_unlock(&x->lock);
	return ret ? ERR_PTR(ret) : x;
}

/**
 * cx_xrc_exit - undo cx_xrc_get(), if it was called at all
 * @v: the device, without queue pairs
 *
 * Context: Process context. Sleeps.
 */
void cx_xrc_exit(struct cx_verbs *v)
{
	struct cx_xrc *x = &v->xrc;

	if (x->made) {
		cx_dummy_srq_free(v->cx, x);
		cx_dummy_cq_free(v->cx, x);
		cx_cmd_dealloc_xrcd(v->cx, x->xrcdn);
		cx_cmd_dealloc_pd(v->cx, x->pdn);
	}
	mutex_destroy(&x->lock);
}
