/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a driver does. Objects are allocated by ib_core with the size given
 * here and handed to the driver to fill; a pointer that is NULL switches the
 * verb off, for the kernel and in the user ABI.
 *
 * Context: unless said otherwise an operation may sleep, and is not called
 * twice at once for the same object. It returns 0 or a negative errno and has
 * undone what it did; the reason is recorded with ib_refuse().
 */
#ifndef IB_OPS_H
#define IB_OPS_H

#include <ib/types.h>
#include <ib/cq.h>

struct ib_ah_attr;
struct ib_cq_init_attr;
struct ib_device_attr;
struct ib_mmap_entry;
struct ib_qp_attr;
struct ib_qp_init_attr;
struct ib_recv_wr;
struct ib_send_wr;
struct ib_srq_attr;
struct ib_srq_init_attr;
struct module;
struct uverbs_bundle;
struct uverbs_object_def;
struct vm_area_struct;

struct ib_device_ops {
	struct module		*owner;
	u32			driver_id;	/* enum rdma_driver_id */
	u32			uverbs_abi_ver;

	/* Sizes of the driver's objects; struct ib_* is the first member. */
	size_t			size_ucontext;
	size_t			size_pd;
	size_t			size_cq;
	size_t			size_qp;
	size_t			size_srq;
	size_t			size_mr;
	size_t			size_ah;

	/* Driver's additions to the uapi tree, ended by NULL */
	const struct uverbs_object_def *const *uverbs_objects;

	/* Device and port. query_device may also answer to udata. */
	int (*query_device)(struct ib_device *device,
			    struct ib_device_attr *attr,
			    struct ib_udata *udata);
	int (*query_port)(struct ib_device *device, u32 port,
			  struct ib_port_attr *attr);
	enum ib_link_layer (*get_link_layer)(struct ib_device *device,
					     u32 port);
	int (*query_gid)(struct ib_device *device, u32 port, int index,
			 union ib_gid *gid);
	int (*query_pkey)(struct ib_device *device, u32 port, u16 index,
			  u16 *pkey);
	int (*modify_port_caps)(struct ib_device *device, u32 port, u32 set,
				u32 clear);

	/* User context and mappings */
	int (*alloc_ucontext)(struct ib_ucontext *uctx, struct ib_udata *udata);
	void (*dealloc_ucontext)(struct ib_ucontext *uctx);
	int (*query_ucontext)(struct ib_ucontext *uctx,
			      struct uverbs_bundle *b);
	int (*mmap)(struct ib_ucontext *uctx, struct vm_area_struct *vma);
	void (*mmap_free)(struct ib_mmap_entry *entry);

	int (*alloc_pd)(struct ib_pd *pd, struct ib_udata *udata);
	int (*dealloc_pd)(struct ib_pd *pd, struct ib_udata *udata);

	/* The driver sets lkey and rkey. */
	int (*reg_user_mr)(struct ib_mr *mr, u64 start, u64 length, u64 iova,
			   int access, struct ib_udata *udata);
	int (*get_dma_mr)(struct ib_mr *mr, int access);
	int (*dereg_mr)(struct ib_mr *mr, struct ib_udata *udata);

	int (*create_cq)(struct ib_cq *cq, const struct ib_cq_init_attr *attr,
			 struct ib_udata *udata);
	int (*destroy_cq)(struct ib_cq *cq, struct ib_udata *udata);
	int (*resize_cq)(struct ib_cq *cq, unsigned int cqe,
			 struct ib_udata *udata);
	int (*modify_cq)(struct ib_cq *cq, u16 count, u16 period_us);
	/* Any context */
	int (*poll_cq)(struct ib_cq *cq, int num, struct ib_wc *wc);
	int (*req_notify_cq)(struct ib_cq *cq, enum ib_cq_notify flags);

	/* qp->pd, CQs, SRQ, type are set; the driver sets qp_num. */
	int (*create_qp)(struct ib_qp *qp, struct ib_qp_init_attr *attr,
			 struct ib_udata *udata);
	/* Called under qp->lock; cur and next are the edge, checked by core. */
	int (*modify_qp)(struct ib_qp *qp, struct ib_qp_attr *attr, int mask,
			 enum ib_qp_state cur, enum ib_qp_state next,
			 struct ib_udata *udata);
	int (*query_qp)(struct ib_qp *qp, struct ib_qp_attr *attr, int mask,
			struct ib_qp_init_attr *init);
	int (*destroy_qp)(struct ib_qp *qp, struct ib_udata *udata);
	/* Any context */
	int (*post_send)(struct ib_qp *qp, const struct ib_send_wr *wr,
			 const struct ib_send_wr **bad_wr);
	int (*post_recv)(struct ib_qp *qp, const struct ib_recv_wr *wr,
			 const struct ib_recv_wr **bad_wr);

	int (*create_srq)(struct ib_srq *srq, struct ib_srq_init_attr *attr,
			  struct ib_udata *udata);
	int (*modify_srq)(struct ib_srq *srq, const struct ib_srq_attr *attr,
			  int mask, struct ib_udata *udata);
	int (*query_srq)(struct ib_srq *srq, struct ib_srq_attr *attr);
	int (*destroy_srq)(struct ib_srq *srq, struct ib_udata *udata);

	int (*create_ah)(struct ib_ah *ah, const struct ib_ah_attr *attr,
			 struct ib_udata *udata);
	int (*destroy_ah)(struct ib_ah *ah);
};

#endif /* IB_OPS_H */
