/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * User memory that is not pinned (on-demand paging): pages are looked up when
 * the device needs them, and taken away from it when the process unmaps,
 * copies or moves them.
 */
#ifndef IB_UMEM_ODP_H
#define IB_UMEM_ODP_H

#include <linux/bits.h>
#include <linux/mmu_notifier.h>
#include <linux/mutex.h>
#include <linux/types.h>

struct ib_device;
struct ib_umem_odp;

/*
 * An entry of the list of pages: a DMA address and what the device may do
 * there. Zero: not mapped. The bits are those of the adapters' own tables.
 */
#define IB_ODP_READ	1ULL
#define IB_ODP_WRITE	2ULL
#define IB_ODP_RIGHTS	(IB_ODP_READ | IB_ODP_WRITE)

enum ib_umem_odp_flags {
	IB_ODP_MAP_WRITE = BIT(0),	/* to be written; else only to be read */
	IB_ODP_MAP_PRESENT = BIT(1),	/* only what the process has mapped */
};

/**
 * struct ib_umem_odp_ops - what the driver does with the device's table
 * @fill: pages @first to @first + @n - 1 of the list have changed: tell the
 *	device. An error is handed to who mapped; the pages stay in the list.
 * @zap: take these pages away. When it returns the device uses none of them,
 *	and waits for none: it must not fail, and must not allocate memory that
 *	is not at hand, for it may be called to free some.
 *
 * Both run under the lock of the region.
 */
struct ib_umem_odp_ops {
	int (*fill)(struct ib_umem_odp *odp, size_t first, size_t n);
	void (*zap)(struct ib_umem_odp *odp, size_t first, size_t n);
};

/**
 * struct ib_umem_odp - a range of a process that a device may page in
 * @device: pages are mapped for it
 * @ops: of its driver
 * @priv: the driver's, set before anything is mapped
 * @notifier: hears changes of the range; has the mm
 * @address: as asked for
 * @length: as asked for
 * @start: first address of the first page
 * @count: number of pages, of @page_shift
 * @page_shift: log2 of their size
 * @writable: the device may be let write
 * @lock: owns what follows. Taken inside mmap_lock and inside memory reclaim:
 *	who holds it allocates nothing that could wait for reclaim.
 * @attached: the device may use it
 * @mapped: entries of @pages that are not zero
 * @pages: DMA addresses and rights
 */
struct ib_umem_odp {
	struct ib_device		*device;
	const struct ib_umem_odp_ops	*ops;
	void				*priv;
	struct mmu_interval_notifier	notifier;
	u64				address;
	size_t				length;
	unsigned long			start;
	size_t				count;
	unsigned int			page_shift;
	bool				writable;
	struct mutex			lock;	/* of the table */
	bool				attached;
	size_t				mapped;
	u64				*pages;
};

struct ib_umem_odp *ib_umem_odp_get(struct ib_device *device,
				    struct mm_struct *mm, u64 addr,
				    size_t size, int access,
				    const struct ib_umem_odp_ops *ops);
void ib_umem_odp_release(struct ib_umem_odp *odp);
int ib_umem_odp_map(struct ib_umem_odp *odp, u64 addr, size_t size,
		    unsigned int flags);
void ib_umem_odp_detach(struct ib_umem_odp *odp);
void ib_umem_odp_attach(struct ib_umem_odp *odp);

#endif /* IB_UMEM_ODP_H */
