// SPDX-License-Identifier: GPL-2.0-only
/*
 * Arithmetic on the DMA mapping of pinned memory. Pure.
 *
 * The adapter translates an address by table: entry n of the table is the DMA
 * address of the n-th block, and the low bits of the address pass through.
 * Memory can be described with blocks of one size when
 *  - in every run the address and the DMA address agree in the low bits,
 *  - all runs but the first begin, and all but the last end, on a block
 *    boundary.
 * The first and the last block may stick out: the adapter checks the bounds of
 * the region.
 *
 * A run is what lies side by side on the bus. A piece of a mapping has 32 bits
 * of length, so a long run comes in several of them, cut anywhere.
 *
 * The mapping begins with the whole page that holds the first byte. Sums of
 * addresses may wrap at the top of the address space; only their low bits
 * count then.
 */
#include <linux/bitops.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/scatterlist.h>
#include <linux/sched.h>
#include <ib/export.h>
#include <ib/refuse.h>
#include <ib/umem.h>
#include "umem_runs.h"

#define LIST_PAUSE	BIT_ULL(16)	/* entries, and others may run */

/* Of a list of pages */
static void take_run_of_pages(struct ib_block_iter *it)
{
	u64 run = it->chunk->run[it->at];
	u64 pfn = ib_run_pfn(run);

	it->run = pfn << PAGE_SHIFT;
	it->run_len = 0;
	do {
		it->run_len += ib_run_pages(run) << PAGE_SHIFT;
		pfn += ib_run_pages(run);
		it->sg_left--;
		ib_run_step(&it->chunk, &it->at);
		if (!it->sg_left)
			return;
		run = it->chunk->run[it->at];
	} while (ib_run_pfn(run) == pfn);
}

/* Take a run off the front of a mapping. */
static void take_run(struct ib_block_iter *it)
{
	if (it->chunk) {
		take_run_of_pages(it);
		return;
	}
	it->run = sg_dma_address(it->sg);
	it->run_len = 0;
	do {
		it->run_len += sg_dma_len(it->sg);
		it->sg = sg_next(it->sg);
		it->sg_left--;
	} while (it->sg_left &&
		 sg_dma_address(it->sg) == it->run + it->run_len);
}

/*
 * Address bits that must be zero in "block size - 1". Of whole pages none is
 * lower than a page: where that is found, the rest need not be looked at.
 */
static u64 obstacles(struct ib_block_iter *it, u64 iova)
{
	u64 va = iova & PAGE_MASK;
	u64 bits = 0;

	while (it->sg_left && !(it->chunk && bits & PAGE_SIZE)) {
		take_run(it);
		bits |= va ^ it->run;
		va += it->run_len;
		if (it->sg_left)
			bits |= va;
	}
	return bits;
}

/*
 * A block that holds the whole range describes it with one entry; a larger
 * one gains nothing and sticks out further.
 */
static u64 without_excess(u64 bitmap, u64 iova, u64 length)
{
	unsigned int differ = fls64(iova ^ (iova + length - 1));
	u64 enough;

	if (differ == 64)
		return bitmap;
	enough = bitmap & GENMASK_ULL(63, differ);
	return enough ? bitmap & (enough ^ (enough - 1)) : bitmap;
}

static u64 best_pgsz(struct ib_block_iter *it, u64 iova, u64 length, u64 bitmap)
{
	u64 bits = obstacles(it, iova);

	bitmap = without_excess(bitmap, iova, length);
	if (bits)
		bitmap &= GENMASK_ULL(__ffs64(bits), 0);
	return bitmap ? BIT_ULL(fls64(bitmap) - 1) : 0;
}

/**
 * ib_best_pgsz() - largest block size that describes a DMA mapping
 * @sg: the mapping; begins with the page of the first byte
 * @nents: its pieces
 * @iova: address of the first byte as work requests see it
 * @length: bytes, not 0
 * @bitmap: sizes that the adapter has, a bit each
 *
 * Context: Any context. Pure.
 * Return: the size in bytes, 0 when none fits.
 */
u64 ib_best_pgsz(struct scatterlist *sg, unsigned int nents, u64 iova,
		 u64 length, u64 bitmap)
{
	struct ib_block_iter it = { .sg = sg, .sg_left = nents };

	return best_pgsz(&it, iova, length, bitmap);
}
EXPORT_SYMBOL_IB(ib_best_pgsz);

/**
 * ib_num_blocks() - how many blocks hold a range
 * @iova: first address
 * @length: bytes, not 0
 * @pgsz: size of a block, a power of two
 *
 * Context: Any context. Pure.
 * Return: the number of blocks.
 */
u64 ib_num_blocks(u64 iova, u64 length, u64 pgsz)
{
	unsigned int bit = __ffs64(pgsz);

	return ((iova + (length - 1)) >> bit) - (iova >> bit) + 1;
}
EXPORT_SYMBOL_IB(ib_num_blocks);

/**
 * ib_block_start() - begin to walk a DMA mapping in blocks
 * @it: the walk
 * @sg: the mapping
 * @nents: its pieces
 * @pgsz: size of a block, a power of two
 *
 * Context: Any context. Pure.
 */
void ib_block_start(struct ib_block_iter *it, struct scatterlist *sg,
		    unsigned int nents, u64 pgsz)
{
	*it = (struct ib_block_iter) {
		.sg = sg,
		.sg_left = nents,
		.left = U64_MAX,
		.pgbit = __ffs64(pgsz),
	};
	if (nents)
		take_run(it);
}
EXPORT_SYMBOL_IB(ib_block_start);

static __always_inline bool next_block(struct ib_block_iter *it)
{
	u64 size = BIT_ULL(it->pgbit);
	u64 lead = it->run & (size - 1);

	if (it->pos >= lead + it->run_len) {
		if (!it->sg_left)
			return false;
		take_run(it);
		lead = it->run & (size - 1);
		it->pos = 0;
	}
	if (!it->left)
		return false;
	it->dma = it->run - lead + it->pos;
	it->pos += size;
	it->left--;
	return true;
}

/**
 * ib_block_next() - the next block
 * @it: a walk that was begun
 *
 * Context: Any context. Pure.
 * Return: true and @it->dma is the block's address, or false at the end.
 */
bool ib_block_next(struct ib_block_iter *it)
{
	return next_block(it);
}
EXPORT_SYMBOL_IB(ib_block_next);

/* Pages that lie alone at the front of some runs, as entries */
static u64 list_singles(const u64 *run, u64 n, u64 low_bits, __be64 *list)
{
	u64 i;

	for (i = 0; i < n && ib_run_is_single(run[i]); i++)
		list[i] = cpu_to_be64(ib_run_pfn(run[i]) << PAGE_SHIFT |
				      low_bits);
	return i;
}

static u64 list_run(u64 run, u64 low_bits, __be64 *list)
{
	u64 i, n = ib_run_pages(run);
	u64 addr = ib_run_pfn(run) << PAGE_SHIFT | low_bits;

	for (i = 0; i < n; i++, addr += PAGE_SIZE)
		list[i] = cpu_to_be64(addr);
	return n;
}

/*
 * Blocks of one page each, of runs that have room as a whole: nothing to
 * merge, nothing to cut. It is the way of memory that lies nowhere side by
 * side, whose entries are as many as its pages.
 */
static u64 list_runs(struct ib_block_iter *it, u64 max, u64 low_bits,
		     __be64 *list)
{
	u64 n = 0, got;

	max = min(max, it->left);
	while (it->sg_left && n < max) {
		const u64 *run = it->chunk->run + it->at;

		got = min3(max - n, (u64)it->sg_left,
			   (u64)it->chunk->room - it->at);
		got = list_singles(run, got, low_bits, list + n);
		n += got;
		if (!got) {
			if (ib_run_pages(*run) > max - n)
				break;
			n += list_run(*run, low_bits, list + n);
			got = 1;
		}
		it->sg_left -= got;
		ib_run_skip(&it->chunk, &it->at, got);
	}
	it->left -= n;
	it->run_len = 0;	/* nothing is left of the current run */
	it->pos = 0;
	return n;
}

/* Between two runs of pages that are blocks? */
static bool may_list_runs(const struct ib_block_iter *it)
{
	return it->chunk && it->pgbit == PAGE_SHIFT && it->pos >= it->run_len;
}

/**
 * ib_block_list() - write down the next blocks
 * @it: a walk that was begun
 * @max: how many at most
 * @low_bits: set in each entry
 * @list: result: their addresses
 *
 * Context: Process context. Sleeps when others want to run.
 * Return: the number of entries.
 */
u64 ib_block_list(struct ib_block_iter *it, u64 max, u64 low_bits,
		  __be64 *list)
{
	u64 n = 0;

	while (n < max) {
		if (may_list_runs(it)) {
			n += list_runs(it, min(max - n, LIST_PAUSE), low_bits,
				       list + n);
			if (n == max)
				break;
			cond_resched();
		}
		if (!next_block(it))
			break;
		list[n++] = cpu_to_be64(it->dma | low_bits);
		if (!(n % LIST_PAUSE))
			cond_resched();
	}
	return n;
}
EXPORT_SYMBOL_IB(ib_block_list);

/* The whole mapping, nothing taken off it */
static struct ib_block_iter umem_start(const struct ib_umem *umem)
{
	const struct ib_runs *runs = umem->part ? &umem->dma : &umem->runs;

	return (struct ib_block_iter) {
		.chunk = runs->first,
		.sg_left = runs->num,
	};
}

/**
 * ib_umem_best_pgsz() - largest page size that can describe the memory
 * @umem: pinned memory; its iova is set
 * @bitmap: page sizes the adapter has, a bit each
 * @iova: address that work requests will use
 *
 * Context: Process context.
 * Return: the page size in bytes; 0 when none fits, reason recorded.
 */
u64 ib_umem_best_pgsz(struct ib_umem *umem, u64 bitmap, u64 iova)
{
	struct ib_block_iter it = umem_start(umem);
	u64 last, pgsz = 0;

	umem->iova = iova;
	if (check_add_overflow(iova, umem->length - 1, &last)) {
		ib_refuse(IB_LAYER_UMEM, -EINVAL,
			  "0x%llx bytes at iova 0x%llx pass the last address",
			  umem->length, iova);
		return 0;
	}
	if (!((umem->address ^ iova) & ~PAGE_MASK))
		pgsz = best_pgsz(&it, iova, umem->length, bitmap);
	if (!pgsz)
		ib_refuse(IB_LAYER_UMEM, -EINVAL,
			  "no page size of the adapter (0x%llx) fits iova 0x%llx",
			  bitmap, iova);
	return pgsz;
}
EXPORT_SYMBOL_IB(ib_umem_best_pgsz);

/**
 * ib_umem_block_start() - begin to walk pinned memory in blocks
 * @it: the walk
 * @umem: pinned memory, whose iova is set
 * @pgsz: size of a block, from ib_umem_best_pgsz()
 *
 * Walks exactly ib_num_blocks() blocks, also when a block is smaller than a
 * page and the memory begins or ends within one.
 *
 * Context: Any context.
 */
void ib_umem_block_start(struct ib_block_iter *it, struct ib_umem *umem,
			 u64 pgsz)
{
	*it = umem_start(umem);
	it->pgbit = __ffs64(pgsz);
	it->left = ib_num_blocks(umem->iova, umem->length, pgsz);
	it->pos = round_down(umem->address & ~PAGE_MASK, pgsz);
	take_run(it);
}
EXPORT_SYMBOL_IB(ib_umem_block_start);

/**
 * ib_umem_first_dma() - where the device sees the page of the first byte
 * @umem: pinned memory
 *
 * Context: Any context.
 * Return: its DMA address.
 */
dma_addr_t ib_umem_first_dma(struct ib_umem *umem)
{
	struct ib_block_iter it = umem_start(umem);

	take_run(&it);
	return it.run;
}
EXPORT_SYMBOL_IB(ib_umem_first_dma);
