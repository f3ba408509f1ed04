// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory regions on DMA buffers of other devices.
 *
 * Where the adapter's page faults are served, the memory may move: the key has
 * room for all pages; a move clears its entries, and the next use faults and
 * brings them back. Pages of the key are those of the processor then, since no
 * larger one is sure to fit the next place. Else the memory is pinned, and the
 * key is made for the place where it is.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>

#include <ib/refuse.h>
#include <ib/umem.h>
#include <ib/umem_dmabuf.h>
#include <ib/uverbs_def.h>

#include <connectx/prm_mkc.h>

#include "cx.h"
#include "verbs.h"

/* Stock's limit where entries far in are not reached: 2^16 pages */
#define CX_DMABUF_NEAR	((u64)PAGE_SIZE << 16)

/* Entries of a list in order */
struct cx_dmabuf_walk {
	struct ib_block_iter it;
	u64 low_bits;
};

static void cx_dmabuf_walk_start(struct cx_dmabuf_walk *w,
				 const struct cx_dev *cx,
				 const struct ib_dmabuf_list *list, u64 pgsz)
{
	ib_block_start(&w->it, list->sg, list->nents, pgsz);
	w->low_bits = cx->caps.pg ? CX_MTT_PRESENT : 0;
}

static void cx_dmabuf_fill(void *arg, __be64 *entries, u64 at, u32 n)
{
	struct cx_dmabuf_walk *w = arg;
	u32 i;

	for (i = 0; i < n; i++)
		entries[i] = ib_block_next(&w->it) ?
			     cpu_to_be64(w->it.dma | w->low_bits) : 0;
}

/* The addresses of work requests do not wrap. */
static int cx_dmabuf_check_iova(const struct cx_mr *m)
{
	if (m->base.iova + (m->base.length - 1) < m->base.iova)
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "0x%llx bytes at iova 0x%llx are no range",
				 m->base.length, m->base.iova);
	return 0;
}

static int cx_dmabuf_pgsz(const struct cx_mr *m,
			  const struct ib_dmabuf_list *list, u64 sizes,
			  u64 *pgsz)
{
	*pgsz = ib_best_pgsz(list->sg, list->nents, m->base.iova,
			     m->base.length, sizes);
	if (!*pgsz)
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "no page size of 0x%llx fits the DMA buffer with iova 0x%llx",
				 sizes, m->base.iova);
	return 0;
}

static struct cx_mkey_params cx_dmabuf_params(const struct cx_mr *m)
{
	struct ib_device *dev = m->base.obj.device;
	struct cx_mkey_params p = {
		.pdn = to_cx_pd(m->base.pd)->pdn,
		.variant = cx_mkey_variant(dev),
		.relaxed_order = cx_may_relax(to_cx(dev), m->base.access),
		.start = m->base.iova,
		.len = m->base.length,
	};

	cx_mkey_rights(&p, m->base.access);
	return p;
}

static int cx_dmabuf_describe(const struct cx_mr *m,
			      const struct ib_dmabuf_list *list,
			      struct cx_pas *pas)
{
	struct cx_dmabuf_walk w;
	__be64 *pages;
	u64 pgsz, n;
	int ret;

	ret = cx_dmabuf_pgsz(m, list, CX_MKEY_PAGE_SIZES, &pgsz);
	if (ret)
		return ret;
	n = ib_num_blocks(m->base.iova, m->base.length, pgsz);
	pages = kvmalloc_array(n + 1, sizeof(*pages),
			       GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!pages)
		return ib_refuse(IB_LAYER_DRIVER, -ENOMEM,
				 "no memory for a list of %llu pages", n, 0);
	cx_dmabuf_walk_start(&w, to_cx(m->base.obj.device), list, pgsz);
	cx_dmabuf_fill(&w, pages, 0, n);
	pages[n] = 0;
	pas->page_shift = ilog2(pgsz);
	pas->count = n;
	pas->pages = pages;
	return 0;
}

/* The pages of pinned memory, for a key */
static int cx_dmabuf_pages(const struct cx_mr *m,
			   const struct ib_umem_dmabuf *d, struct cx_pas *pas)
{
	struct ib_dmabuf_list list;
	int ret;

	ret = ib_umem_dmabuf_list(d, &list);
	if (ret)
		return ret;
	ret = cx_dmabuf_describe(m, &list, pas);
	ib_dmabuf_list_free(&list);
	return ret;
}

static int cx_dmabuf_reg_pinned(struct cx_mr *m,
				const struct ib_dmabuf_mr_attr *attr)
{
	struct cx_mkey_params p = cx_dmabuf_params(m);
	struct ib_device *dev = m->base.obj.device;
	struct ib_umem_dmabuf *d;
	u32 mkey;
	int ret;

	d = ib_umem_dmabuf_get_pinned(dev, attr);
	if (IS_ERR(d))
		return PTR_ERR(d);
	ret = cx_dmabuf_check_iova(m);
	if (!ret)
		ret = cx_dmabuf_pages(m, d, &p.pas);
	if (ret)
		goto err_release;
	ret = cx_cmd_create_mkey(to_cx(dev), &p, &mkey);
	kvfree(p.pas.pages);
	if (ret)
		goto err_release;
	m->dmabuf = d;
	cx_mr_publish(&m->base, mkey);
	return 0;

err_release:
	ib_umem_dmabuf_release(d);
	return ret;
}

static u64 cx_dmabuf_entries(const struct cx_mr *m)
{
	return ib_num_blocks(m->base.iova, m->base.length, PAGE_SIZE);
}

/* The exporter wants its memory back. */
static void cx_dmabuf_gone(void *arg)
{
	struct cx_mr *m = arg;
	struct cx_verbs *v = to_verbs(m->base.obj.device);

	cx_umr_zap(v->cx, &v->umr, m->mkey, 0, cx_dmabuf_entries(m));
}

/*
 * Write all entries. After a failure some may be there: nothing may be
 * reached by them once the mapping is gone.
 */
static int cx_dmabuf_write(struct cx_mr *m, const struct ib_dmabuf_list *list,
			   bool enable)
{
	struct cx_verbs *v = to_verbs(m->base.obj.device);
	const struct cx_mkey_params used = {};
	struct cx_dmabuf_walk w;
	const struct cx_umr_xlt x = {
		.mkey = m->mkey,
		.count = cx_dmabuf_entries(m),
		.fill = cx_dmabuf_fill,
		.arg = &w,
		.cond = enable ? CX_UMR_IF_FREE : CX_UMR_IF_IN_USE,
		.p = &used,
		.fields = enable ? BIT_ULL(CX_UMR_FREE) : 0,
	};
	u64 pgsz;
	int ret;

	ret = cx_dmabuf_pgsz(m, list, PAGE_SIZE, &pgsz);
	if (ret)
		return ret;
	cx_dmabuf_walk_start(&w, v->cx, list, PAGE_SIZE);
	ret = cx_umr_translate(v->cx, &v->umr, &x);
	if (ret)
		cx_dmabuf_gone(m);
	return ret;
}

/* Of several faults the first does it. */
static int __cx_dmabuf_load(struct cx_mr *m, bool enable)
{
	struct ib_umem_dmabuf *d = m->dmabuf;
	struct ib_dmabuf_list list;
	int ret;

	if (d->sgt)
		return 0;
	ret = ib_umem_dmabuf_map(d);
	if (ret)
		return ret;
	ret = ib_umem_dmabuf_list(d, &list);
	if (!ret) {
		ret = cx_dmabuf_write(m, &list, enable);
		ib_dmabuf_list_free(&list);
	}
	if (ret)
		ib_umem_dmabuf_unmap(d);
	return ret;
}

static int cx_dmabuf_load(struct cx_mr *m, bool enable)
{
	int ret;

	ib_umem_dmabuf_lock(m->dmabuf);
	ret = __cx_dmabuf_load(m, enable);
	ib_umem_dmabuf_unlock(m->dmabuf);
	return ret;
}

/* No move meets the key after this. */
static void cx_dmabuf_unload(struct cx_mr *m)
{
	ib_umem_dmabuf_lock(m->dmabuf);
	if (m->dmabuf->sgt)
		cx_dmabuf_gone(m);
	ib_umem_dmabuf_unmap(m->dmabuf);
	ib_umem_dmabuf_unlock(m->dmabuf);
}

/**
 * cx_dmabuf_fault - the adapter met entries that a move has cleared
 * @m: region on a DMA buffer that may move; it is not destroyed meanwhile
 *
 * Brings all of them back.
 *
 * Context: Process context. Takes and releases the reservation lock.
 * Return: 0, or a negative errno and the adapter reaches nothing.
 */
int cx_dmabuf_fault(struct cx_mr *m)
{
	return cx_dmabuf_load(m, false);
}

static int cx_dmabuf_reg_movable(struct cx_mr *m,
				 const struct ib_dmabuf_mr_attr *attr)
{
	struct cx_verbs *v = to_verbs(m->base.obj.device);
	struct cx_mkey_params p = cx_dmabuf_params(m);
	int ret;

	ret = cx_umr_prepare(v->cx, &v->umr);
	if (ret)
		return ret;
	m->dmabuf = ib_umem_dmabuf_get(&v->base, attr, cx_dmabuf_gone, m);
	if (IS_ERR(m->dmabuf))
		return PTR_ERR(m->dmabuf);
	ret = cx_dmabuf_check_iova(m);
	if (ret)
		goto err_release;
	p.free = true;
	p.pas.page_shift = PAGE_SHIFT;
	p.room = round_up(cx_dmabuf_entries(m), CX_UMR_GROUP);
	ret = cx_cmd_create_mkey(v->cx, &p, &m->mkey);
	if (ret)
		goto err_release;
	ret = cx_dmabuf_load(m, true);
	if (ret)
		goto err_mkey;
	m->odp = cx_odp_watch(&m->base, m->mkey, m->dmabuf->writable);
	if (IS_ERR(m->odp)) {
		ret = PTR_ERR(m->odp);
		m->odp = NULL;
		cx_dmabuf_unload(m);
		goto err_mkey;
	}
	cx_mr_publish(&m->base, m->mkey);
	return 0;

err_mkey:
	/* free or without entries: whether it goes or stays, it hurts nobody */
	cx_cmd_destroy_mkey(v->cx, m->mkey);
err_release:
	ib_umem_dmabuf_release(m->dmabuf);
	return ret;
}

/*
 * What libraries know of an adapter, from the stock driver: whether a request
 * can write the translation of a region.
 */
static int cx_dmabuf_check_length(const struct cx_dev *cx, u64 length)
{
	if (!cx->caps.umr_sizes)
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "no DMA buffers: the adapter cannot change translations",
				 0, 0);
	if (!cx->caps.umr_far && length >= CX_DMABUF_NEAR)
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "0x%llx bytes of a DMA buffer, the adapter takes less than 0x%llx",
				 length, CX_DMABUF_NEAR);
	return 0;
}

/**
 * cx_reg_user_mr_dmabuf - ib_device_ops.reg_user_mr_dmabuf
 * @mr: the region to fill
 * @attr: which piece of which buffer
 * @b: the call of user space, or NULL
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_reg_user_mr_dmabuf(struct ib_mr *mr,
			  const struct ib_dmabuf_mr_attr *attr,
			  struct uverbs_bundle *b)
{
	u32 flags = 0;
	int ret = 0;

	if (b)
		ret = uverbs_attr_flags(b,
					MLX5_IB_ATTR_REG_DMABUF_MR_ACCESS_FLAGS,
					MLX5_IB_UAPI_REG_DMABUF_ACCESS_DATA_DIRECT,
					&flags);
	if (!ret)
		ret = cx_dmabuf_check_length(to_cx(mr->obj.device),
					     attr->length);
	if (ret)
		return ret;
	/* through a second PCI function */
	if (flags)
		return ib_refuse(IB_LAYER_DRIVER, PAGE_ALIGNED(attr->iova) ?
				 -EINVAL : -EOPNOTSUPP,
				 "no second PCI function for data, iova 0x%llx",
				 attr->iova, 0);
	if (to_verbs(mr->obj.device)->paging)
		return cx_dmabuf_reg_movable(to_cx_mr(mr), attr);
	return cx_dmabuf_reg_pinned(to_cx_mr(mr), attr);
}

/**
 * cx_dmabuf_dereg - destroy the key of a region on a DMA buffer
 * @m: the region
 *
 * Under the lock, so that no move meets a key that is gone.
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno: the key still works.
 */
int cx_dmabuf_dereg(struct cx_mr *m)
{
	struct cx_dev *cx = to_cx(m->base.obj.device);
	struct ib_umem_dmabuf *d = m->dmabuf;
	int ret;

	if (m->odp)
		cx_odp_hide(m->odp);
	ib_umem_dmabuf_lock(d);
	ret = cx_destroyed(cx, cx_cmd_destroy_mkey(cx, m->mkey));
	if (!ret)
		ib_umem_dmabuf_unmap(d);
	ib_umem_dmabuf_unlock(d);
	if (ret) {
		if (m->odp)
			cx_odp_show(m->odp);
		return ret;
	}
	ib_umem_dmabuf_release(d);
	if (m->odp)
		cx_odp_forget(m->odp);
	m->odp = NULL;
	return 0;
}
