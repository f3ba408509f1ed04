/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a driver does. Objects are allocated by ib_core with the size given
 * here, zeroed, with core's fields set, and handed to the driver to fill; core
 * frees them. A pointer that is NULL switches the verb off, for the kernel and
 * in the user ABI. A driver has query_device, query_port and get_link_layer,
 * and for whatever it makes the size and the operation that destroys it.
 *
 * Context: unless said otherwise an operation may sleep, and is not called
 * twice at once for the same object. It returns 0 or a negative errno and has
 * undone what it did; the reason is recorded with ib_refuse(). One that
 * destroys may fail when a user asks, and the object lives on; when the device
 * is dead or goes it succeeds.
 *
 * udata is NULL when the kernel calls, and empty when an object is destroyed
 * because the file or the device goes, or the call that made it failed. The
 * functions of <ib/udata.h> know that.
 */
#ifndef IB_OPS_H
#define IB_OPS_H

#include <ib/types.h>
#include <ib/cq.h>

struct ib_ah_attr;
struct ib_counters;
struct ib_counters_read;
struct ib_cq_init_attr;
struct ib_device_attr;
struct ib_dm_alloc_attr;
struct ib_dm_mr_attr;
struct ib_dmabuf_mr_attr;
struct ib_flow;
struct ib_flow_action;
struct ib_flow_attr;
struct ib_mmap_entry;
struct ib_qp_attr;
struct ib_qp_init_attr;
struct ib_recv_wr;
struct ib_rereg_attr;
struct ib_rwq_ind_table;
struct ib_send_wr;
struct ib_srq_attr;
struct ib_srq_init_attr;
struct ib_uverbs_sge;
struct ib_wq;
struct ib_wq_attr;
struct ib_wq_init_attr;
struct uverbs_bundle;
struct uverbs_object_def;
struct vm_area_struct;

struct ib_device_ops {
	/* enum rdma_driver_id: user space's calls carry it, or are refused */
	u32			driver_id;
	/* Of the provider's structures; libibverbs finds one that knows it */
	u32			uverbs_abi_ver;
	/* User queues have no rings in user space: post, poll, arm by write() */
	bool			kernel_data_path;
	/*
	 * Every operation reads its udata with ib_udata_read() and answers
	 * with ib_udata_respond(), or calls ib_udata_none(): user space is told
	 * that it may send newer requests.
	 */
	bool			robust_udata;

	/* Sizes of the driver's objects; struct ib_* is the first member. */
	size_t			size_ucontext;
	size_t			size_pd;
	size_t			size_cq;
	size_t			size_qp;
	size_t			size_srq;
	size_t			size_mr;
	size_t			size_ah;
	size_t			size_mw;
	size_t			size_dm;
	size_t			size_xrcd;
	size_t			size_flow;
	size_t			size_rwq_ind_table;
	size_t			size_wq;
	size_t			size_flow_action;
	size_t			size_counters;

	/* Driver's additions to the uapi tree, ended by NULL */
	const struct uverbs_object_def *const *uverbs_objects;

	/*
	 * Device and port; attr is zeroed. query_device is called at
	 * registration, without udata, and when a user asks.
	 */
	int (*query_device)(struct ib_device *device,
			    struct ib_device_attr *attr,
			    struct ib_udata *udata);
	int (*query_port)(struct ib_device *device, u32 port,
			  struct ib_port_attr *attr);
	/* In 100 Mbit/s, for links that are no multiple of a lane's speed */
	int (*query_port_speed)(struct ib_device *device, u32 port,
				u64 *speed);
	/* ib_port_attr.link_layer comes from here. */
	enum ib_link_layer (*get_link_layer)(struct ib_device *device,
					     u32 port);
	/*
	 * Called for each entry that query_port announced, at registration and
	 * after ib_refresh_port(); readers get what core keeps.
	 */
	int (*query_gid)(struct ib_device *device, u32 port, int index,
			 union ib_gid *gid);
	int (*query_pkey)(struct ib_device *device, u32 port, u16 index,
			  u16 *pkey);
	int (*modify_port_caps)(struct ib_device *device, u32 port, u32 set,
				u32 clear);

	/* User context and mappings; udata->ucontext is NULL at allocation */
	int (*alloc_ucontext)(struct ib_ucontext *uctx, struct ib_udata *udata);
	void (*dealloc_ucontext)(struct ib_ucontext *uctx);
	int (*query_ucontext)(struct ib_ucontext *uctx,
			      struct uverbs_bundle *b);
	int (*mmap)(struct ib_ucontext *uctx, struct vm_area_struct *vma);
	void (*mmap_free)(struct ib_mmap_entry *entry);

	int (*alloc_pd)(struct ib_pd *pd, struct ib_udata *udata);
	int (*dealloc_pd)(struct ib_pd *pd, struct ib_udata *udata);

	/*
	 * The rights are checked, address and iova lie alike in their pages;
	 * the driver pins (<ib/umem.h>), and sets lkey and rkey.
	 */
	int (*reg_user_mr)(struct ib_mr *mr, u64 start, u64 length, u64 iova,
			   int access, struct ib_udata *udata);
	int (*get_dma_mr)(struct ib_mr *mr, int access);
	int (*dereg_mr)(struct ib_mr *mr, struct ib_udata *udata);
	/* Core takes over what changed; the driver may set other keys. */
	int (*rereg_user_mr)(struct ib_mr *mr,
			     const struct ib_rereg_attr *attr,
			     struct ib_udata *udata);
	/* b: attributes of the driver (<ib/uverbs_def.h>), NULL for a kernel */
	int (*reg_user_mr_dmabuf)(struct ib_mr *mr,
				  const struct ib_dmabuf_mr_attr *attr,
				  struct uverbs_bundle *b);
	int (*reg_dm_mr)(struct ib_mr *mr, struct ib_dm *dm,
			 const struct ib_dm_mr_attr *attr,
			 struct uverbs_bundle *b);
	int (*advise_mr)(struct ib_pd *pd, u32 advice, u32 flags,
			 const struct ib_uverbs_sge *sg_list, u32 num,
			 struct uverbs_bundle *b);

	/* The driver sets rkey. */
	int (*alloc_mw)(struct ib_mw *mw, struct ib_udata *udata);
	int (*dealloc_mw)(struct ib_mw *mw);

	int (*alloc_dm)(struct ib_dm *dm, const struct ib_dm_alloc_attr *attr,
			struct uverbs_bundle *b);
	int (*dealloc_dm)(struct ib_dm *dm, struct uverbs_bundle *b);

	/*
	 * The size is at most max_cqe, the vector exists; the driver sets
	 * cq->cqe to what it gave and looks at the flags.
	 */
	int (*create_cq)(struct ib_cq *cq, const struct ib_cq_init_attr *attr,
			 struct ib_udata *udata);
	int (*destroy_cq)(struct ib_cq *cq, struct ib_udata *udata);
	int (*resize_cq)(struct ib_cq *cq, unsigned int cqe,
			 struct ib_udata *udata);
	int (*modify_cq)(struct ib_cq *cq, u16 count, u16 period_us);
	/* Any context. Returns the number of completions. */
	int (*poll_cq)(struct ib_cq *cq, int num, struct ib_wc *wc);
	int (*req_notify_cq)(struct ib_cq *cq, enum ib_cq_notify flags);

	/*
	 * qp->pd, CQs, SRQ, type are set; the driver sets qp_num, writes the
	 * sizes that it gave to attr->cap, and refuses types and create_flags
	 * that it does not have. Sizes of a user are not checked before.
	 */
	int (*create_qp)(struct ib_qp *qp, struct ib_qp_init_attr *attr,
			 struct ib_udata *udata);
	/*
	 * Called under qp->lock; cur and next are the edge, checked by core
	 * with the attributes that it needs, ports, paths and limits. Core
	 * sets qp->state afterwards. From RESET to RESET it is not called.
	 */
	int (*modify_qp)(struct ib_qp *qp, struct ib_qp_attr *attr, int mask,
			 enum ib_qp_state cur, enum ib_qp_state next,
			 struct ib_udata *udata);
	/*
	 * Called under qp->lock. qp_state is always answered, for core takes
	 * it over; what else mask does not ask for may be left out.
	 */
	int (*query_qp)(struct ib_qp *qp, struct ib_qp_attr *attr, int mask,
			struct ib_qp_init_attr *init);
	/* Called under qp->lock */
	int (*destroy_qp)(struct ib_qp *qp, struct ib_udata *udata);
	/* Any context. On failure bad_wr is the first one that was not queued. */
	int (*post_send)(struct ib_qp *qp, const struct ib_send_wr *wr,
			 const struct ib_send_wr **bad_wr);
	int (*post_recv)(struct ib_qp *qp, const struct ib_recv_wr *wr,
			 const struct ib_recv_wr **bad_wr);

	/*
	 * The group is checked, and attached once. Detaching may come in any
	 * state; what is not attached is refused.
	 */
	int (*attach_mcast)(struct ib_qp *qp, const union ib_gid *gid,
			    u16 lid);
	int (*detach_mcast)(struct ib_qp *qp, const union ib_gid *gid,
			    u16 lid);

	/* XRC domain */
	int (*alloc_xrcd)(struct ib_xrcd *xrcd, struct ib_udata *udata);
	int (*dealloc_xrcd)(struct ib_xrcd *xrcd, struct ib_udata *udata);

	int (*create_srq)(struct ib_srq *srq, struct ib_srq_init_attr *attr,
			  struct ib_udata *udata);
	int (*modify_srq)(struct ib_srq *srq, const struct ib_srq_attr *attr,
			  int mask, struct ib_udata *udata);
	int (*query_srq)(struct ib_srq *srq, struct ib_srq_attr *attr);
	int (*destroy_srq)(struct ib_srq *srq, struct ib_udata *udata);
	/* Any context */
	int (*post_srq_recv)(struct ib_srq *srq, const struct ib_recv_wr *wr,
			     const struct ib_recv_wr **bad_wr);

	/* Port and source GID exist. ah->attr is set. */
	int (*create_ah)(struct ib_ah *ah, const struct ib_ah_attr *attr,
			 struct ib_udata *udata);
	int (*destroy_ah)(struct ib_ah *ah);

	/* flow->qp is set; the actions and counters of the specs live. */
	int (*create_flow)(struct ib_flow *flow,
			   const struct ib_flow_attr *attr,
			   struct ib_udata *udata);
	int (*destroy_flow)(struct ib_flow *flow);
	/* Made by a method of the driver, with ib_alloc_flow_action() */
	int (*destroy_flow_action)(struct ib_flow_action *action);

	/* wq->pd, CQ, type are set; the driver sets wq_num. */
	int (*create_wq)(struct ib_wq *wq, struct ib_wq_init_attr *attr,
			 struct ib_udata *udata);
	/* Called under wq->lock; both states of attr hold. */
	int (*modify_wq)(struct ib_wq *wq, const struct ib_wq_attr *attr,
			 int mask, struct ib_udata *udata);
	int (*destroy_wq)(struct ib_wq *wq, struct ib_udata *udata);
	/* The entries are set; the driver sets ind_tbl_num. */
	int (*create_rwq_ind_table)(struct ib_rwq_ind_table *table,
				    struct ib_udata *udata);
	int (*destroy_rwq_ind_table)(struct ib_rwq_ind_table *table);

	/* b has the attributes that the driver added to the method. */
	int (*create_counters)(struct ib_counters *counters,
			       struct uverbs_bundle *b);
	int (*destroy_counters)(struct ib_counters *counters);
	int (*read_counters)(struct ib_counters *counters,
			     const struct ib_counters_read *read,
			     struct uverbs_bundle *b);
};

#endif /* IB_OPS_H */
