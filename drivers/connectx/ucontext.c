// SPDX-License-Identifier: GPL-2.0-only
/*
 * User contexts, and the doorbell pages their queues use.
 *
 * A library that says so (MLX5_LIB_CAP_DYN_UAR) allocates doorbell pages one
 * by one as UAR objects and names them when it makes a queue. An older one
 * gets a fixed number of pages with two doorbell registers each, and we choose
 * the register of each queue pair: register 0 is shared by all who find
 * nothing better, the last ones have one user, those between are shared.
 */
#include <linux/cache.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include <rdma/mlx5-abi.h>
#include <rdma/mlx5_user_ioctl_cmds.h>

#include <ib/refuse.h>
#include <ib/uverbs_def.h>

#include <connectx/prm_initseg.h>

#include "bfreg.h"
#include "cx.h"
#include "uar.h"
#include "verbs.h"

/* The library has four registers in a page and uses the first two. */
#define CX_USER_BFREGS_PER_PAGE	4

static u32 cx_num_pages(const struct cx_ucontext *c)
{
	return c->num_bfregs / CX_BFREGS_PER_PAGE;
}

static int cx_ucontext_read(struct ib_udata *udata,
			    struct mlx5_ib_alloc_ucontext_req_v2 *req)
{
	size_t v1 = sizeof(struct mlx5_ib_alloc_ucontext_req);
	size_t v2 = offsetof(struct mlx5_ib_alloc_ucontext_req_v2,
			     max_cqe_version);
	struct ib_udata known = *udata;
	int ret;

	if (udata->inlen != v1 && udata->inlen < v2)
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "request of %llu bytes, need %llu",
				 udata->inlen, v2);
	/* a newer library may say more than we know: its own affair */
	known.inlen = min(udata->inlen, sizeof(*req));
	ret = ib_udata_read(&known, req, v1, sizeof(*req));
	if (ret)
		return ret;
	if (req->flags & ~MLX5_IB_ALLOC_UCTX_DEVX || req->comp_mask ||
	    req->reserved0 || req->reserved1 || req->reserved2)
		return ib_refuse(IB_LAYER_DRIVER, -EOPNOTSUPP,
				 "unknown flags 0x%llx or mask 0x%llx",
				 req->flags, req->comp_mask);
	req->total_num_bfregs = ALIGN(req->total_num_bfregs,
				      CX_BFREGS_PER_PAGE);
	if (req->num_low_latency_bfregs > req->total_num_bfregs - 1)
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "%llu of %llu doorbell registers for one user",
				 req->num_low_latency_bfregs,
				 req->total_num_bfregs);
	/* the library tries again without it */
	if (req->flags & MLX5_IB_ALLOC_UCTX_DEVX)
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "raw firmware commands are not offered", 0, 0);
	return 0;
}

static void cx_ucontext_free_pages(struct cx_dev *cx, struct cx_ucontext *c,
				   u32 n)
{
	while (n--)
		cx_uar_free(cx, c->pages[n]);
	kfree(c->pages);
	kfree(c->bfregs);
}

static int cx_ucontext_alloc_pages(struct cx_dev *cx, struct cx_ucontext *c,
				   const struct mlx5_ib_alloc_ucontext_req_v2 *r)
{
	u32 i;
	int ret;

	if (!r->total_num_bfregs)
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "no doorbell registers asked for", 0, 0);
	if (r->total_num_bfregs > CX_MAX_BFREGS)
		return ib_refuse(IB_LAYER_DRIVER, -ENOMEM,
				 "%llu doorbell registers, at most %llu",
				 r->total_num_bfregs, CX_MAX_BFREGS);
	c->num_bfregs = r->total_num_bfregs;
	c->num_low_latency = r->num_low_latency_bfregs;
	c->bfregs = kcalloc(c->num_bfregs, sizeof(*c->bfregs), GFP_KERNEL);
	c->pages = kcalloc(cx_num_pages(c), sizeof(*c->pages), GFP_KERNEL);
	if (!c->bfregs || !c->pages) {
		ret = ib_refuse(IB_LAYER_DRIVER, -ENOMEM,
				"no memory for %llu doorbell registers",
				c->num_bfregs, 0);
		i = 0;
		goto err_pages;
	}
	for (i = 0; i < cx_num_pages(c); i++) {
		ret = cx_uar_alloc(cx, &c->pages[i]);
		if (ret)
			goto err_pages;
	}
	return 0;

err_pages:
	cx_ucontext_free_pages(cx, c, i);
	return ret;
}

static void cx_ucontext_answer(const struct cx_dev *cx,
			       const struct cx_ucontext *c,
			       struct mlx5_ib_alloc_ucontext_resp *r)
{
	const struct cx_caps *caps = &cx->caps;

	r->qp_tab_size = BIT(caps->log_max_qp);
	r->bf_reg_size = 0;	/* no requests through the doorbell */
	r->tot_bfregs = c->dynamic ? 0 : c->num_bfregs;
	r->cache_line_size = cache_line_size();
	r->max_sq_desc_sz = caps->max_wqe_sz_sq;
	r->max_rq_desc_sz = caps->max_wqe_sz_rq;
	r->max_send_wqebb = BIT(caps->log_max_qp_sz);
	r->max_recv_wr = BIT(caps->log_max_qp_sz);
	r->max_srq_recv_wr = BIT(caps->log_max_srq_sz);
	r->num_ports = caps->num_ports;
	r->cqe_version = c->cqe_version;
	r->cmds_supp_uhw = MLX5_USER_CMDS_SUPP_UHW_QUERY_DEVICE |
			   MLX5_USER_CMDS_SUPP_UHW_CREATE_AH;
	r->log_uar_size = PAGE_SHIFT;
	r->num_uars_per_page = 1;
	if (PAGE_SIZE == CX_UAR_PAGE_BYTES) {
		r->comp_mask =
			MLX5_IB_ALLOC_UCONTEXT_RESP_MASK_CORE_CLOCK_OFFSET;
		r->hca_core_clock_offset = CX_ISEG_TIMER_H % PAGE_SIZE;
	}
}

static int cx_ucontext_respond(struct cx_dev *cx, struct cx_ucontext *c,
			       struct ib_udata *udata)
{
	struct mlx5_ib_alloc_ucontext_resp resp = {};

	cx_ucontext_answer(cx, c, &resp);
	resp.response_length = min(udata->outlen, sizeof(resp));
	return ib_udata_write(udata, &resp, sizeof(resp));
}

/**
 * cx_alloc_ucontext - ib_device_ops.alloc_ucontext
 * @uctx: the context to fill
 * @udata: the call of user space
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_alloc_ucontext(struct ib_ucontext *uctx, struct ib_udata *udata)
{
	struct cx_dev *cx = to_cx(uctx->obj.device);
	struct mlx5_ib_alloc_ucontext_req_v2 req = {};
	struct cx_ucontext *c = to_cx_ucontext(uctx);
	int ret;

	ret = cx_ucontext_read(udata, &req);
	if (ret)
		return ret;
	xa_init(&c->uars);
	mutex_init(&c->db_lock);
	INIT_LIST_HEAD(&c->db_pages);
	mutex_init(&c->bfreg_lock);
	c->dynamic = req.lib_caps & MLX5_LIB_CAP_DYN_UAR;
	c->shared_only = udata->inlen ==
			 sizeof(struct mlx5_ib_alloc_ucontext_req);
	c->cqe_version = min(cx->caps.cqe_version, req.max_cqe_version);
	if (!c->dynamic) {
		ret = cx_ucontext_alloc_pages(cx, c, &req);
		if (ret)
			return ret;
	}
	ret = cx_ucontext_respond(cx, c, udata);
	if (ret)
		cx_ucontext_free_pages(cx, c, cx_num_pages(c));
	return ret;
}

/**
 * cx_dealloc_ucontext - ib_device_ops.dealloc_ucontext
 * @uctx: the context, with no object left
 *
 * Context: Process context. Sleeps.
 */
void cx_dealloc_ucontext(struct ib_ucontext *uctx)
{
	struct cx_ucontext *c = to_cx_ucontext(uctx);

	WARN_ON(!list_empty(&c->db_pages));
	WARN_ON(!xa_empty(&c->uars));
	cx_ucontext_free_pages(to_cx(uctx->obj.device), c, cx_num_pages(c));
	mutex_destroy(&c->db_lock);
	mutex_destroy(&c->bfreg_lock);
	xa_destroy(&c->uars);
}

/**
 * cx_query_ucontext - ib_device_ops.query_ucontext
 * @uctx: the context
 * @b: the call, with our attribute for the answer
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_query_ucontext(struct ib_ucontext *uctx, struct uverbs_bundle *b)
{
	size_t room = uverbs_attr_len(b, MLX5_IB_ATTR_QUERY_CONTEXT_RESP_UCTX);
	struct mlx5_ib_alloc_ucontext_resp resp = {};

	cx_ucontext_answer(to_cx(uctx->obj.device), to_cx_ucontext(uctx),
			   &resp);
	resp.response_length = min(room, sizeof(resp));
	return uverbs_attr_copy_out(b, MLX5_IB_ATTR_QUERY_CONTEXT_RESP_UCTX,
				    &resp, sizeof(resp));
}

/**
 * cx_queue_uar_get - use the doorbell page that user space names
 * @c: the context
 * @index: number of a page of one of its UAR objects
 * @u: result
 *
 * The page is not given back while the queue uses it. A page of somebody else
 * cannot be named.
 *
 * Context: Process context.
 * Return: 0 or -EINVAL.
 */
int cx_queue_uar_get(struct cx_ucontext *c, u32 index, struct cx_queue_uar *u)
{
	struct cx_uar_entry *entry;

	xa_lock(&c->uars);
	entry = xa_load(&c->uars, index);
	if (entry && !kref_get_unless_zero(&entry->base.ref))
		entry = NULL;
	xa_unlock(&c->uars);
	if (!entry)
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "doorbell page %llu is not of this context",
				 index, 0);
	u->index = index;
	u->entry = entry;
	u->bfreg = CX_NO_BFREG;
	return 0;
}

/**
 * cx_queue_uar_first - use the first page of a legacy context
 * @c: the context
 * @u: result
 *
 * Context: Any context.
 * Return: 0, or -EINVAL if the context is not one.
 */
int cx_queue_uar_first(struct cx_ucontext *c, struct cx_queue_uar *u)
{
	if (c->dynamic)
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "the request names no doorbell page", 0, 0);
	u->index = c->pages[0];
	u->entry = NULL;
	u->bfreg = CX_NO_BFREG;
	return 0;
}

/**
 * cx_queue_uar_bfreg - choose a doorbell register for a queue pair
 * @c: the context
 * @u: result
 * @user_bfreg: result: the register as the library counts them
 *
 * Context: Process context. Sleeps.
 * Return: 0, or -EINVAL if the context is not a legacy one.
 */
int cx_queue_uar_bfreg(struct cx_ucontext *c, struct cx_queue_uar *u,
		       u32 *user_bfreg)
{
	u32 n = 0;
	int ret;

	ret = cx_queue_uar_first(c, u);
	if (ret)
		return ret;
	mutex_lock(&c->bfreg_lock);
	if (!c->shared_only)
		n = cx_bfreg_choose(c->bfregs, c->num_bfregs,
				    c->num_low_latency);
	c->bfregs[n]++;
	mutex_unlock(&c->bfreg_lock);
	u->bfreg = n;
	u->index = c->pages[n / CX_BFREGS_PER_PAGE];
	*user_bfreg = n / CX_BFREGS_PER_PAGE * CX_USER_BFREGS_PER_PAGE +
		      n % CX_BFREGS_PER_PAGE;
	return 0;
}

/**
 * cx_queue_uar_put - the queue is gone
 * @c: the context
 * @u: the page it used
 *
 * Context: Process context. Sleeps.
 */
void cx_queue_uar_put(struct cx_ucontext *c, struct cx_queue_uar *u)
{
	if (u->entry)
		ib_mmap_entry_put(&u->entry->base);
	if (u->bfreg == CX_NO_BFREG)
		return;
	mutex_lock(&c->bfreg_lock);
	c->bfregs[u->bfreg]--;
	mutex_unlock(&c->bfreg_lock);
}
