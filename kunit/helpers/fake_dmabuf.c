// SPDX-License-Identifier: GPL-2.0-only
#include <kunit/test.h>
#include <linux/dma-buf.h>
#include <linux/dma-resv.h>
#include <linux/fdtable.h>
#include <linux/file.h>
#include <linux/io.h>
#include <linux/module.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <compat.h>
#include <ib/export.h>
#include "fake_dmabuf.h"

static int take(int *err)
{
	int ret = *err;

	*err = 0;
	return ret;
}

static int fake_attach(struct dma_buf *buf, struct dma_buf_attachment *attach)
{
	struct fake_dmabuf *fake = buf->priv;
	int ret = take(&fake->fail_attach);

	if (!ret)
		fake->attached++;
	return ret;
}

static void fake_detach(struct dma_buf *buf, struct dma_buf_attachment *attach)
{
	struct fake_dmabuf *fake = buf->priv;

	fake->attached--;
}

static int fake_pin(struct dma_buf_attachment *attach)
{
	struct fake_dmabuf *fake = attach->dmabuf->priv;
	int ret = take(&fake->fail_pin);

	if (!ret)
		fake->pinned++;
	return ret;
}

static void fake_unpin(struct dma_buf_attachment *attach)
{
	struct fake_dmabuf *fake = attach->dmabuf->priv;

	fake->pinned--;
}

u64 fake_dmabuf_dma(const struct fake_dmabuf *fake, size_t offset)
{
	size_t begin = round_down(offset, fake->piece);

	if (fake->scattered)
		offset += fake->buf->size - fake->piece - 2 * begin;
	return virt_to_phys(fake->places[fake->place]) + fake->misplaced +
	       offset;
}
EXPORT_SYMBOL_IB(fake_dmabuf_dma);

static void move_away(struct fake_dmabuf *fake)
{
	dma_buf_move_notify(fake->buf);
	fake->place = (fake->place + 1) % FAKE_DMABUF_PLACES;
}

/* Addresses alone: nobody reads or writes the memory. */
static struct sg_table *fake_map(struct dma_buf_attachment *attach,
				 enum dma_data_direction dir)
{
	struct fake_dmabuf *fake = attach->dmabuf->priv;
	size_t size = attach->dmabuf->size - fake->short_by;
	int ret = take(&fake->fail_map);
	struct scatterlist *sg;
	struct sg_table *sgt;
	size_t at = 0;
	unsigned int i;

	if (ret)
		return ERR_PTR(ret);
	sgt = kzalloc(sizeof(*sgt), GFP_KERNEL);
	if (!sgt || sg_alloc_table(sgt, DIV_ROUND_UP(size, fake->piece),
				   GFP_KERNEL)) {
		kfree(sgt);
		return ERR_PTR(-ENOMEM);
	}
	if (fake->move_in_map)
		move_away(fake);
	for_each_sgtable_sg(sgt, sg, i) {
		sg_dma_address(sg) = fake_dmabuf_dma(fake, at);
		sg_dma_len(sg) = min(fake->piece, size - at);
		at += fake->piece;
	}
	fake->mapped++;
	return sgt;
}

static void fake_unmap(struct dma_buf_attachment *attach, struct sg_table *sgt,
		       enum dma_data_direction dir)
{
	struct fake_dmabuf *fake = attach->dmabuf->priv;

	fake->mapped--;
	sg_free_table(sgt);
	kfree(sgt);
}

static void fake_release(struct dma_buf *buf)
{
}

static const struct dma_buf_ops fake_ops = {
	.attach = fake_attach,
	.detach = fake_detach,
	.pin = fake_pin,
	.unpin = fake_unpin,
	.map_dma_buf = fake_map,
	.unmap_dma_buf = fake_unmap,
	.release = fake_release,
};

static const char *fence_name(struct dma_fence *fence)
{
	return "fake_dmabuf";
}

static const struct dma_fence_ops fence_ops = {
	.get_driver_name = fence_name,
	.get_timeline_name = fence_name,
};

static DEFINE_SPINLOCK(fence_lock);

static void copied(struct work_struct *work)
{
	struct fake_dmabuf *fake = container_of(to_delayed_work(work),
						struct fake_dmabuf, copied);

	fake->copies++;
	dma_fence_signal(fake->fence);
	dma_fence_put(fake->fence);
	fake->fence = NULL;
}

static void begin_copy(struct fake_dmabuf *fake, unsigned int ms)
{
	struct dma_fence *fence = kzalloc(sizeof(*fence), GFP_KERNEL);

	if (!fence || dma_resv_reserve_fences(fake->buf->resv, 1)) {
		kfree(fence);
		return;
	}
	dma_fence_init(fence, &fence_ops, &fence_lock,
		       dma_fence_context_alloc(1), 1);
	dma_resv_add_fence(fake->buf->resv, fence, DMA_RESV_USAGE_KERNEL);
	fake->fence = fence;
	schedule_delayed_work(&fake->copied, msecs_to_jiffies(ms));
}

void fake_dmabuf_move(struct fake_dmabuf *fake, unsigned int copy_ms)
{
	dma_resv_lock(fake->buf->resv, NULL);
	move_away(fake);
	if (copy_ms)
		begin_copy(fake, copy_ms);
	dma_resv_unlock(fake->buf->resv);
}
EXPORT_SYMBOL_IB(fake_dmabuf_move);

static void give_back(void *data)
{
	struct fake_dmabuf *fake = data;

	flush_delayed_work(&fake->copied);
	/* the file behind it goes at once, not with the thread's work */
	close_fd(fake->fd);
	dma_buf_put(fake->buf);
	flush_delayed_fput();
}

static void init_buffer(struct kunit *test, struct fake_dmabuf *fake,
			size_t size)
{
	DEFINE_DMA_BUF_EXPORT_INFO(info);

	info.ops = &fake_ops;
	info.size = size;
	info.flags = O_RDWR | O_CLOEXEC;
	info.priv = fake;
	fake->buf = dma_buf_export(&info);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, fake->buf);
	get_dma_buf(fake->buf);
	fake->fd = dma_buf_fd(fake->buf, O_CLOEXEC);
	KUNIT_ASSERT_GE(test, fake->fd, 0);
	KUNIT_ASSERT_EQ(test, 0,
			kunit_add_action_or_reset(test, give_back, fake));
}

/**
 * fake_dmabuf_export() - export a buffer
 * @test: it lives as long
 * @size: bytes, whole pages
 *
 * Context: Process context, in the test's thread.
 * Return: the exporter's side.
 */
struct fake_dmabuf *fake_dmabuf_export(struct kunit *test, size_t size)
{
	struct fake_dmabuf *fake = kunit_kzalloc(test, sizeof(*fake),
						 GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, fake);
	INIT_DELAYED_WORK(&fake->copied, copied);
	fake->piece = PAGE_SIZE;
	for (i = 0; i < FAKE_DMABUF_PLACES; i++) {
		fake->places[i] = kunit_kzalloc(test, size, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, fake->places[i]);
	}
	init_buffer(test, fake, size);
	return fake;
}
EXPORT_SYMBOL_IB(fake_dmabuf_export);

MODULE_DESCRIPTION("An exporter of DMA buffers that moves, for KUnit");
MODULE_IMPORT_NS(IB_NS);
MODULE_IMPORT_NS(IB_DMA_BUF_NS);
MODULE_LICENSE("GPL");
