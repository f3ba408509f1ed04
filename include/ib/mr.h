/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef IB_MR_H
#define IB_MR_H

#include <linux/bits.h>
#include <ib/object.h>

struct ib_dm;
struct ib_pd;
struct ib_udata;
struct ib_uverbs_sge;
struct uverbs_bundle;

enum ib_mr_type {
	IB_MR_USER,	/* pinned user memory */
	IB_MR_DMA,	/* all DMA addresses, kernel only */
	IB_MR_DM,	/* memory of the adapter */
};

/* What ib_rereg_user_mr() changes; the bits are user ABI. */
enum ib_mr_rereg_flags {
	IB_MR_REREG_TRANS = BIT(0),	/* the memory behind it */
	IB_MR_REREG_PD = BIT(1),
	IB_MR_REREG_ACCESS = BIT(2),
};

#define IB_MR_REREG_KNOWN	(IB_MR_REREG_TRANS | IB_MR_REREG_PD | \
				 IB_MR_REREG_ACCESS)

/**
 * struct ib_mr - memory region
 * @obj: base
 * @pd: its protection domain; under the handle's lock, it may change
 * @dm: memory of the adapter that it is on, or NULL
 * @type: which memory
 * @lkey: key for local access
 * @rkey: key for remote access, 0 when none was asked for
 * @iova: first address that work requests use
 * @length: bytes
 * @access: IB_ACCESS_*
 */
struct ib_mr {
	struct ib_object	obj;
	struct ib_pd		*pd;
	struct ib_dm		*dm;
	enum ib_mr_type		type;
	u32			lkey;
	u32			rkey;
	u64			iova;
	u64			length;
	int			access;
};

/* A region on a piece of struct ib_dm, in bytes from its start */
struct ib_dm_mr_attr {
	u64	offset;
	u64	length;
	u32	access;
};

/* A region on a piece of what another device exports as a DMA buffer */
struct ib_dmabuf_mr_attr {
	u64	offset;
	u64	length;
	u64	iova;
	int	fd;
	u32	access;
};

/* What shall change; flags says which of the others count */
struct ib_rereg_attr {
	u32		flags;		/* enum ib_mr_rereg_flags */
	int		access;
	u64		start;
	u64		length;
	u64		iova;
	struct ib_pd	*pd;
};

struct ib_mr *ib_reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 iova,
			     int access, struct ib_udata *udata);
struct ib_mr *ib_get_dma_mr(struct ib_pd *pd, int access);
struct ib_mr *ib_reg_dm_mr(struct ib_pd *pd, struct ib_dm *dm,
			   const struct ib_dm_mr_attr *attr,
			   struct uverbs_bundle *b);
struct ib_mr *ib_reg_dmabuf_mr(struct ib_pd *pd,
			       const struct ib_dmabuf_mr_attr *attr,
			       struct uverbs_bundle *b);
int ib_rereg_user_mr(struct ib_mr *mr, const struct ib_rereg_attr *attr,
		     struct ib_udata *udata);
int ib_advise_mr(struct ib_pd *pd, u32 advice, u32 flags,
		 const struct ib_uverbs_sge *sg_list, u32 num,
		 struct uverbs_bundle *b);
int ib_dereg_mr(struct ib_mr *mr, struct ib_udata *udata);
int ib_check_mr_offset(u64 start, u64 iova);
int ib_check_mr_access(struct ib_device *device, int access);

#endif /* IB_MR_H */
