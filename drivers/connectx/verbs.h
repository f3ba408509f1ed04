/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The upper half: what its files call in each other, and the operations that
 * verbs.c gives to ib_core.
 */
#ifndef CX_VERBS_H
#define CX_VERBS_H

#include "objects.h"

/* query.c */
int cx_query_device(struct ib_device *dev, struct ib_device_attr *attr,
		    struct ib_udata *udata);

/* port.c */
int cx_query_port(struct ib_device *dev, u32 port, struct ib_port_attr *attr);
enum ib_link_layer cx_get_link_layer(struct ib_device *dev, u32 port);
int cx_query_gid(struct ib_device *dev, u32 port, int index,
		 union ib_gid *gid);
int cx_query_pkey(struct ib_device *dev, u32 port, u16 index, u16 *pkey);
int cx_modify_port_caps(struct ib_device *dev, u32 port, u32 set, u32 clear);

/* ucontext.c */
int cx_alloc_ucontext(struct ib_ucontext *uctx, struct ib_udata *udata);
void cx_dealloc_ucontext(struct ib_ucontext *uctx);
int cx_query_ucontext(struct ib_ucontext *uctx, struct uverbs_bundle *b);
int cx_queue_uar_get(struct cx_ucontext *c, u32 index, struct cx_queue_uar *u);
int cx_queue_uar_first(struct cx_ucontext *c, struct cx_queue_uar *u);
int cx_queue_uar_bfreg(struct cx_ucontext *c, struct cx_queue_uar *u,
		       u32 *user_bfreg);
void cx_queue_uar_put(struct cx_ucontext *c, struct cx_queue_uar *u);

/* mmap.c */
int cx_mmap(struct ib_ucontext *uctx, struct vm_area_struct *vma);
void cx_mmap_free(struct ib_mmap_entry *entry);
struct cx_uar_entry *cx_uar_entry_alloc(struct cx_ucontext *c);

/* uapi.c */
extern const struct uverbs_object_def *const cx_uverbs_objects[];

/* udata.c */
int cx_udata_read(struct ib_udata *udata, void *dst, size_t min, size_t len,
		  int tail_err);
int cx_udata_number(struct ib_udata *udata, u32 number);
int cx_user_index(const struct cx_ucontext *c, bool given, u32 value,
		  u32 *index);

/* buf.c */
int cx_ubuf_get(struct ib_device *dev, u64 addr, size_t bytes, int access,
		bool may_offset, struct cx_ubuf *b);
void cx_ubuf_drop_list(struct cx_ubuf *b);
void cx_ubuf_put(struct cx_ubuf *b);
int cx_kbuf_alloc(struct cx_dev *cx, size_t bytes, struct cx_kbuf *b);
void cx_kbuf_drop_list(struct cx_kbuf *b);
void cx_kbuf_free(struct cx_dev *cx, struct cx_kbuf *b);
void cx_umem_list(struct ib_umem *umem, u64 pgsz, u64 n, u64 low_bits,
		  __be64 *list);
__be64 *cx_umem_pages(struct ib_umem *umem, u64 pgsz, unsigned int *count,
		      u64 low_bits);

/* udb.c */
int cx_udb_get(struct cx_ucontext *c, u64 addr, struct cx_udb *db);
void cx_udb_put(struct cx_ucontext *c, struct cx_udb *db);

/* pd.c */
int cx_alloc_pd(struct ib_pd *pd, struct ib_udata *udata);
int cx_dealloc_pd(struct ib_pd *pd, struct ib_udata *udata);

/* mr.c */
int cx_reg_user_mr(struct ib_mr *mr, u64 start, u64 length, u64 iova,
		   int access, struct ib_udata *udata);
int cx_get_dma_mr(struct ib_mr *mr, int access);
int cx_dereg_mr(struct ib_mr *mr, struct ib_udata *udata);
u8 cx_mkey_variant(struct ib_device *dev);
void cx_mkey_rights(struct cx_mkey_params *p, int access);
bool cx_may_relax(const struct cx_dev *cx, int access);
void cx_mr_publish(struct ib_mr *mr, u32 mkey);

#define CX_MKEY_PAGE_SIZES	GENMASK_ULL(31, 12)

/* What a key covers, and for whom */
struct cx_mr_range {
	struct ib_pd *pd;
	struct ib_umem *umem;
	u64 iova;
	u64 length;
	int access;
};

int cx_mr_key(struct ib_device *dev, const struct cx_mr_range *r,
	      struct cx_pool_key *key);

/* mr_dmabuf.c */
int cx_reg_user_mr_dmabuf(struct ib_mr *mr,
			  const struct ib_dmabuf_mr_attr *attr,
			  struct uverbs_bundle *b);
int cx_dmabuf_fault(struct cx_mr *m);
int cx_dmabuf_dereg(struct cx_mr *m);
int cx_mr_make_key(struct ib_mr *mr, const struct cx_mkey_params *p);

/* mr_rereg.c */
int cx_rereg_user_mr(struct ib_mr *mr, const struct ib_rereg_attr *attr,
		     struct ib_udata *udata);

/* mw.c */
int cx_alloc_mw(struct ib_mw *mw, struct ib_udata *udata);
int cx_dealloc_mw(struct ib_mw *mw);

/* dm.c */
int cx_alloc_dm(struct ib_dm *dm, const struct ib_dm_alloc_attr *attr,
		struct uverbs_bundle *b);
int cx_dealloc_dm(struct ib_dm *dm, struct uverbs_bundle *b);
int cx_reg_dm_mr(struct ib_mr *mr, struct ib_dm *dm,
		 const struct ib_dm_mr_attr *attr, struct uverbs_bundle *b);
bool cx_dm_is_entry(const struct ib_mmap_entry *base);
phys_addr_t cx_dm_addr(const struct ib_mmap_entry *base);
void cx_dm_free(struct ib_mmap_entry *base);

/* dm_uapi.c */
extern const struct uverbs_object_def cx_dm_object;
int cx_dm_answer(struct uverbs_bundle *b, const struct cx_dm_entry *entry,
		 u16 page_attr, u16 offset_attr);

/* cq.c */
int cx_create_cq(struct ib_cq *cq, const struct ib_cq_init_attr *attr,
		 struct ib_udata *udata);
int cx_destroy_cq(struct ib_cq *cq, struct ib_udata *udata);
int cx_modify_cq(struct ib_cq *cq, u16 count, u16 period_us);

/* cq_resize.c */
int cx_resize_cq(struct ib_cq *cq, unsigned int cqe, struct ib_udata *udata);

/* cq_poll.c */
int cx_poll_cq(struct ib_cq *cq, int num, struct ib_wc *wc);
int cx_req_notify_cq(struct ib_cq *cq, enum ib_cq_notify flags);
void cx_cq_forget_qp(struct cx_cq *cq, u32 qpn);

/* qp.c, qp_modify.c */
int cx_create_qp(struct ib_qp *qp, struct ib_qp_init_attr *attr,
		 struct ib_udata *udata);
int cx_destroy_qp(struct ib_qp *qp, struct ib_udata *udata);
int cx_modify_qp(struct ib_qp *qp, struct ib_qp_attr *attr, int mask,
		 enum ib_qp_state cur, enum ib_qp_state next,
		 struct ib_udata *udata);
int cx_query_qp(struct ib_qp *qp, struct ib_qp_attr *attr, int mask,
		struct ib_qp_init_attr *init);

/* qp_kernel.c */
int cx_qp_kernel_init(struct cx_qp *qp, struct ib_qp_init_attr *attr,
		      struct cx_qp_params *p);
void cx_qp_kernel_exit(struct cx_qp *qp);
void cx_qp_kernel_reset(struct cx_qp *qp);

/* post.c */
int cx_post_send(struct ib_qp *qp, const struct ib_send_wr *wr,
		 const struct ib_send_wr **bad_wr);
int cx_post_recv(struct ib_qp *qp, const struct ib_recv_wr *wr,
		 const struct ib_recv_wr **bad_wr);

/* srq.c */
int cx_create_srq(struct ib_srq *srq, struct ib_srq_init_attr *attr,
		  struct ib_udata *udata);
int cx_modify_srq(struct ib_srq *srq, const struct ib_srq_attr *attr, int mask,
		  struct ib_udata *udata);
int cx_query_srq(struct ib_srq *srq, struct ib_srq_attr *attr);
int cx_destroy_srq(struct ib_srq *srq, struct ib_udata *udata);

/* xrc.c */
int cx_alloc_xrcd(struct ib_xrcd *xrcd, struct ib_udata *udata);
int cx_dealloc_xrcd(struct ib_xrcd *xrcd, struct ib_udata *udata);
const struct cx_xrc *cx_xrc_get(struct cx_verbs *v);
void cx_xrc_exit(struct cx_verbs *v);

/* mcast.c */
int cx_attach_mcast(struct ib_qp *qp, const union ib_gid *gid, u16 lid);
int cx_detach_mcast(struct ib_qp *qp, const union ib_gid *gid, u16 lid);

/* ah.c */
int cx_create_ah(struct ib_ah *ah, const struct ib_ah_attr *attr,
		 struct ib_udata *udata);
int cx_destroy_ah(struct ib_ah *ah);
int cx_stat_rate(const struct cx_dev *cx, u8 ib_rate);

/* event.c */
void cx_qp_event(struct cx_event_handler *h, u8 type);
void cx_srq_event(struct cx_event_handler *h, u8 type);
void cx_cq_error(struct cx_cq_handler *h, u8 syndrome);

#endif /* CX_VERBS_H */
