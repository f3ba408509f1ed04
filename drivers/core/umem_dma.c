// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pinned memory as the device sees it. A device without an IOMMU that reaches
 * all memory sees the pages where they are: their list is the mapping, and
 * nothing else is stored. For all others the DMA API is asked.
 *
 * It wants a scatter list, four times as large as a list of pages, and wants
 * it back when the mapping goes. So the pages are mapped in parts, through one
 * scatter list that has room for one of them: what it said before is written
 * down in it again, from the list of pages and from that of DMA addresses. The
 * room is made when the memory is mapped, since unmapping must not fail.
 *
 * The program and the adapter use the memory at the same time, so there is no
 * moment to hand it over: it is mapped without. That is also why the same page
 * may be mapped many times. It takes memory that both see as it is; a mapping
 * that has to be synced, through bounce buffers, is refused.
 */
#include <linux/dma-direct.h>
#include <linux/dma-map-ops.h>
#include <linux/dma-mapping.h>
#include <linux/iommu-dma.h>
#include <linux/log2.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/swiotlb.h>
#include <ib/umem.h>
#include "core_priv.h"
#include "umem_runs.h"

/* Few parts, for an IOMMU makes one block of each; but none that is too large */
#define PARTS		16
#define PART_MIN	(PAGE_SIZE / sizeof(struct scatterlist))
#define PART_MAX	(256 * PART_MIN)

/*
 * Is a DMA address the address of the memory, for all memory and without
 * anything to be done? That is what the direct mapping of the DMA API does for
 * a coherent device that reaches all memory at offset 0 and whose memory is
 * not bounced for other reasons. Where the DMA API checks its users, it is
 * asked.
 */
static bool sees_memory(struct device *dev)
{
	return !IS_ENABLED(CONFIG_DMA_API_DEBUG) && !get_dma_ops(dev) &&
	       !use_dma_iommu(dev) && !is_swiotlb_force_bounce(dev) &&
	       dev_is_dma_coherent(dev) && !phys_to_dma(dev, 0) &&
	       !dma_addressing_limited(dev);
}

/*
 * A power of two: where a run of pages is longer and has to be cut, the cut
 * must not spoil the alignment of what follows.
 */
static u64 max_piece(const struct ib_device *device)
{
	unsigned int max = dma_get_max_seg_size(device->dma_device);

	if (device->max_sg_bytes)
		max = min(max, device->max_sg_bytes);
	return rounddown_pow_of_two(max) >> PAGE_SHIFT;
}

static u64 count_pieces(const struct ib_runs *runs, u64 max)
{
	const struct ib_run_chunk *chunk = runs->first;
	unsigned int at = 0;
	u64 pieces = 0;
	size_t i;

	for (i = 0; i < runs->num; i++) {
		pieces += DIV_ROUND_UP_ULL(ib_run_pages(chunk->run[at]), max);
		ib_run_step(&chunk, &at);
	}
	return pieces;
}

/* Cuts the pages of a list into pieces, from the first to the last. */
struct pieces {
	const struct ib_run_chunk	*chunk;
	unsigned int			at;
	size_t				runs;	/* that were not begun yet */
	u64				pfn;	/* of the run that was */
	u64				pages;	/* that are left of it */
	u64				max;	/* pages of a piece */
};

static struct pieces first_piece(const struct ib_umem *umem)
{
	return (struct pieces) {
		.chunk = umem->runs.first,
		.runs = umem->runs.num,
		.max = max_piece(umem->device),
	};
}

/* A part of the scatter list. Return: how many pieces it has, of how many pages. */
static unsigned int list_part(struct pieces *p, const struct ib_umem *umem,
			      u64 *npages)
{
	unsigned int n;
	u64 len;

	sg_init_table(umem->part, umem->part_room);
	for (n = 0, *npages = 0; n < umem->part_room; n++) {
		if (!p->pages && !p->runs)
			break;
		if (!p->pages) {
			p->pfn = ib_run_pfn(p->chunk->run[p->at]);
			p->pages = ib_run_pages(p->chunk->run[p->at]);
			p->runs--;
			ib_run_step(&p->chunk, &p->at);
		}
		len = min(p->pages, p->max);
		sg_set_page(&umem->part[n], pfn_to_page(p->pfn),
			    len << PAGE_SHIFT, 0);
		p->pfn += len;
		p->pages -= len;
		*npages += len;
	}
	if (n)
		sg_mark_end(&umem->part[n - 1]);
	return n;
}

static void unmap_part(struct ib_umem *umem, unsigned int pieces)
{
	struct sg_table table = { .sgl = umem->part, .orig_nents = pieces };

	dma_unmap_sgtable(umem->device->dma_device, &table, DMA_BIDIRECTIONAL,
			  DMA_ATTR_SKIP_CPU_SYNC);
}

/* What the device sees of a part, as it was when it was mapped */
static void recall_part(struct ib_umem *umem, u64 npages,
			const struct ib_run_chunk **chunk, unsigned int *at)
{
	struct scatterlist *sg = umem->part;
	u64 run;

	for (; npages; npages -= ib_run_pages(run), sg++) {
		run = (*chunk)->run[*at];
		sg_dma_address(sg) = ib_run_pfn(run) << PAGE_SHIFT;
		sg_dma_len(sg) = ib_run_pages(run) << PAGE_SHIFT;
		ib_run_step(chunk, at);
	}
}

/* The parts that are mapped, from the first one on */
static void unmap_parts(struct ib_umem *umem)
{
	const struct ib_run_chunk *chunk = umem->dma.first;
	struct pieces p = first_piece(umem);
	size_t left = umem->dma_pages;
	unsigned int at = 0, n;
	u64 npages;

	for (; left; left -= npages) {
		n = list_part(&p, umem, &npages);
		recall_part(umem, npages, &chunk, &at);
		unmap_part(umem, n);
		cond_resched();
	}
	ib_runs_free(&umem->dma);
	umem->dma_pages = 0;
}

/* Bounce buffers also show by an address within a page, as no IOMMU has. */
static int keep_address(struct ib_umem *umem, struct scatterlist *sg)
{
	dma_addr_t dma = sg_dma_address(sg);
	int ret;

	if (dma_need_sync(umem->device->dma_device, dma) ||
	    !PAGE_ALIGNED(dma | sg_dma_len(sg)))
		return ib_refuse(IB_LAYER_UMEM, -EOPNOTSUPP,
				 "the adapter reaches memory only through bounce buffers",
				 0, 0);
	ret = ib_runs_put(&umem->dma, dma >> PAGE_SHIFT,
			  sg_dma_len(sg) >> PAGE_SHIFT);
	if (ret == -ENOMEM)
		ib_refuse(IB_LAYER_UMEM, ret,
			  "no memory to list DMA addresses of %llu pages",
			  umem->npages, 0);
	return ret;
}

static int map_part(struct ib_umem *umem, struct pieces *p,
		    unsigned long attrs)
{
	struct sg_table table = { .sgl = umem->part };
	struct scatterlist *sg;
	unsigned int i;
	u64 npages;
	int ret;

	table.orig_nents = list_part(p, umem, &npages);
	ret = dma_map_sgtable(umem->device->dma_device, &table,
			      DMA_BIDIRECTIONAL,
			      attrs | DMA_ATTR_SKIP_CPU_SYNC);
	if (ret)
		return ib_refuse(IB_LAYER_UMEM, ret,
				 "%llu pages cannot be mapped for DMA",
				 umem->npages, 0);
	for_each_sgtable_dma_sg(&table, sg, i) {
		ret = keep_address(umem, sg);
		if (ret) {
			unmap_part(umem, table.orig_nents);
			return ret;
		}
	}
	umem->dma_pages += npages;
	return 0;
}

static int map_parts(struct ib_umem *umem, unsigned long attrs)
{
	struct pieces p = first_piece(umem);
	int ret = 0;

	while (umem->dma_pages < umem->npages && !ret) {
		ret = map_part(umem, &p, attrs);
		cond_resched();
	}
	if (ret)
		unmap_parts(umem);
	return ret;
}

/**
 * ib_umem_map() - let the device see pinned pages
 * @umem: its runs are complete
 * @attrs: of the DMA API, besides the one that nothing is synced
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno, reason recorded.
 */
int ib_umem_map(struct ib_umem *umem, unsigned long attrs)
{
	u64 pieces;
	int ret;

	if (sees_memory(umem->device->dma_device))
		return 0;
	pieces = count_pieces(&umem->runs, max_piece(umem->device));
	umem->part_room = min(pieces, clamp(DIV_ROUND_UP_ULL(pieces, PARTS),
					    PART_MIN, PART_MAX));
	umem->part = kvmalloc_array(umem->part_room, sizeof(*umem->part),
				    GFP_KERNEL_ACCOUNT);
	if (!umem->part)
		return ib_refuse(IB_LAYER_UMEM, -ENOMEM,
				 "no memory to map %llu pages in %llu pieces",
				 umem->npages, pieces);
	ret = map_parts(umem, attrs);
	if (ret) {
		kvfree(umem->part);
		umem->part = NULL;
	}
	return ret;
}

/**
 * ib_umem_unmap() - undo ib_umem_map()
 * @umem: not used by the device any more
 *
 * Context: Process context.
 */
void ib_umem_unmap(struct ib_umem *umem)
{
	if (!umem->part)
		return;
	unmap_parts(umem);
	kvfree(umem->part);
}
