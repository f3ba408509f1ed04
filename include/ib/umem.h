/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * User memory that the adapter uses: pinned, accounted, mapped for DMA. From
 * its DMA blocks pure functions pick the page size and walk the pages.
 */
#ifndef IB_UMEM_H
#define IB_UMEM_H

#include <linux/scatterlist.h>
#include <linux/types.h>

struct ib_device;
struct ib_run_chunk;
struct mm_struct;

/**
 * struct ib_runs - a list of runs of pages; umem_runs.c
 * @first: its chunks
 * @last: the last of them
 * @num: number of runs
 * @used: runs in the last chunk
 * @end: number of the page behind the last one; at first 0, nobody's page
 */
struct ib_runs {
	struct ib_run_chunk	*first;
	struct ib_run_chunk	*last;
	size_t			num;
	unsigned int		used;
	u64			end;
};

/**
 * struct ib_umem - pinned user memory
 * @device: mapped for this device
 * @mm: charged for the pages, held by mmgrab
 * @address: first byte, user address
 * @length: bytes
 * @iova: address that the adapter uses for @address
 * @writable: pinned for writing; pages are marked dirty at release
 * @npages: pages pinned and charged
 * @runs: the pages; for a device that sees memory as it is, the mapping too
 * @part: for any other device, room to map a part of them; umem_dma.c
 * @part_room: pieces of memory that it has room for
 * @dma: where such a device sees them: its pages, in the same order
 * @dma_pages: how many
 */
struct ib_umem {
	struct ib_device	*device;
	struct mm_struct	*mm;
	u64			address;
	size_t			length;
	u64			iova;
	bool			writable;
	size_t			npages;
	struct ib_runs		runs;
	struct scatterlist	*part;
	unsigned int		part_room;
	struct ib_runs		dma;
	size_t			dma_pages;
};

/**
 * struct ib_block_iter - walks a DMA mapping in blocks of one size
 * @sg: the piece behind the current run of pieces that lie side by side
 * @chunk: instead of @sg: what is behind is its run @at
 * @at: see @chunk
 * @sg_left: pieces left, from @sg or @chunk on
 * @run: address of the run
 * @run_len: its length; more than a piece can have
 * @pos: offset of the next block from the block that the run starts in
 * @left: blocks left at most
 * @dma: address of the block that ib_block_next() found
 * @pgbit: log2 of the block size
 */
struct ib_block_iter {
	struct scatterlist	*sg;
	const struct ib_run_chunk *chunk;
	unsigned int		at;
	size_t			sg_left;
	u64			run;
	u64			run_len;
	u64			pos;
	u64			left;
	dma_addr_t		dma;
	unsigned int		pgbit;
};

/*
 * ib_umem_get() pins memory of the running process for the device's
 * dma_device, charges it, and gives an ERR_PTR() with the reason recorded:
 * writable for the rights in IB_ACCESS_WRITES; what needs bounce buffers is
 * refused, so the DMA mask must reach all memory. ib_umem_release() may be
 * called by any process, once the adapter does not use the memory any more.
 */
struct ib_umem *ib_umem_get(struct ib_device *device, u64 addr, size_t size,
			    int access);
void ib_umem_release(struct ib_umem *umem);

int ib_umem_copy_from(void *dst, const struct ib_umem *umem, size_t offset,
		      size_t length);

/* umem_pgsz.c: pure */
u64 ib_best_pgsz(struct scatterlist *sg, unsigned int nents, u64 iova,
		 u64 length, u64 bitmap);
u64 ib_num_blocks(u64 iova, u64 length, u64 pgsz);
void ib_block_start(struct ib_block_iter *it, struct scatterlist *sg,
		    unsigned int nents, u64 pgsz);
bool ib_block_next(struct ib_block_iter *it);
u64 ib_block_list(struct ib_block_iter *it, u64 max, u64 low_bits,
		  __be64 *list);

u64 ib_umem_best_pgsz(struct ib_umem *umem, u64 bitmap, u64 iova);
void ib_umem_block_start(struct ib_block_iter *it, struct ib_umem *umem,
			 u64 pgsz);
dma_addr_t ib_umem_first_dma(struct ib_umem *umem);

#endif /* IB_UMEM_H */
