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
#include <ib/export.h>
#include <ib/refuse.h>
#include <ib/umem.h>

/* Take a run off the front of a mapping. */
static void take_run(struct ib_block_iter *it)
{
	it->run = sg_dma_address(it->sg);
	it->run_len = 0;
	do {
		it->run_len += sg_dma_len(it->sg);
		it->sg = sg_next(it->sg);
		it->sg_left--;
	} while (it->sg_left &&
		 sg_dma_address(it->sg) == it->run + it->run_len);
}

/* Address bits that must be zero in "block size - 1" */
static u64 obstacles(struct scatterlist *sg, unsigned int nents, u64 iova)
{
	struct ib_block_iter it = { .sg = sg, .sg_left = nents };
	u64 va = iova & PAGE_MASK;
	u64 bits = 0;

	while (it.sg_left) {
		take_run(&it);
		bits |= va ^ it.run;
		va += it.run_len;
		if (it.sg_left)
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
	u64 bits = obstacles(sg, nents, iova);

	bitmap = without_excess(bitmap, iova, length);
	if (bits)
		bitmap &= GENMASK_ULL(__ffs64(bits), 0);
	return bitmap ? BIT_ULL(fls64(bitmap) - 1) : 0;
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

/**
 * ib_block_next() - the next block
 * @it: a walk that was begun
 *
 * Context: Any context. Pure.
 * Return: true and @it->dma is the block's address, or false at the end.
 */
bool ib_block_next(struct ib_block_iter *it)
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
EXPORT_SYMBOL_IB(ib_block_next);

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
	u64 last, pgsz = 0;

	umem->iova = iova;
	if (check_add_overflow(iova, umem->length - 1, &last)) {
		ib_refuse(IB_LAYER_UMEM, -EINVAL,
			  "0x%llx bytes at iova 0x%llx pass the last address",
			  umem->length, iova);
		return 0;
	}
	if (!((umem->address ^ iova) & ~PAGE_MASK))
		pgsz = ib_best_pgsz(umem->sgt.sgt.sgl, umem->sgt.sgt.nents,
				    iova, umem->length, bitmap);
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
	ib_block_start(it, umem->sgt.sgt.sgl, umem->sgt.sgt.nents, pgsz);
	it->left = ib_num_blocks(umem->iova, umem->length, pgsz);
	it->pos = round_down(umem->address & ~PAGE_MASK, pgsz);
}
EXPORT_SYMBOL_IB(ib_umem_block_start);
