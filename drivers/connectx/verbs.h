/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The upper half: verbs objects as this driver keeps them, and what its files
 * call in each other.
 */
#ifndef CX_VERBS_H
#define CX_VERBS_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/xarray.h>

#include <ib/ah.h>
#include <ib/cq.h>
#include <ib/device.h>
#include <ib/mr.h>
#include <ib/pd.h>
#include <ib/qp.h>
#include <ib/srq.h>
#include <ib/ucontext.h>
#include <ib/udata.h>
#include <ib/uverbs_def.h>

#include "cmd.h"
#include "cx.h"
#include "db.h"
#include "eq.h"
#include "wqe.h"

struct ib_umem;

/**
 * struct cx_verbs - the adapter as ib_core sees it
 * @base: ib_core's part
 * @cx: the adapter
 * @variant: low byte of the next memory key
 */
struct cx_verbs {
	struct ib_device base;
	struct cx_dev *cx;
	atomic_t variant;
};

#define CX_MAX_BFREGS		512	/* in a legacy context */
#define CX_BFREGS_PER_PAGE	2
#define CX_NO_BFREG		(-1)

/**
 * struct cx_ucontext - an open file
 * @base: ib_core's part
 * @cqe_version: 0 or 1: what user space finds its queue pairs by
 * @dynamic: it allocates its doorbell pages one by one, as UAR objects
 * @uars: page number -> struct cx_uar_entry, pages of UAR objects
 * @db_lock: owns @db_pages
 * @db_pages: pinned pages of doorbell records
 * @bfreg_lock: owns @bfregs
 * @bfregs: legacy: users of each doorbell register
 * @num_bfregs: legacy: how many there are; two in a page
 * @num_low_latency: legacy: how many of them, at the end, have one user only
 * @shared_only: legacy: an old library that knows register 0 only
 * @pages: legacy: numbers of the doorbell pages
 */
struct cx_ucontext {
	struct ib_ucontext base;
	u8 cqe_version;
	bool dynamic;
	struct xarray uars;
	struct mutex db_lock;
	struct list_head db_pages;
	struct mutex bfreg_lock;
	u32 *bfregs;
	u32 num_bfregs;
	u32 num_low_latency;
	bool shared_only;
	u32 *pages;
};

/**
 * struct cx_uar_entry - a doorbell page of a UAR object
 * @base: ib_core's part; queues that use the page hold references
 * @index: its number
 */
struct cx_uar_entry {
	struct ib_mmap_entry base;
	u32 index;
};

/**
 * struct cx_queue_uar - the doorbell page that a queue uses
 * @index: its number
 * @entry: reference on it, or NULL if it lives as long as the context
 * @bfreg: legacy: doorbell register to give back, or CX_NO_BFREG
 */
struct cx_queue_uar {
	u32 index;
	struct cx_uar_entry *entry;
	int bfreg;
};

/**
 * struct cx_ubuf - memory of a queue, in user space
 * @umem: pinned
 * @pas: for the command; its list lives until cx_ubuf_drop_list()
 */
struct cx_ubuf {
	struct ib_umem *umem;
	struct cx_pas pas;
};

/**
 * struct cx_kbuf - memory of a queue, in the kernel
 * @mem: its start
 * @dma: its address
 * @bytes: its length
 * @pas: for the command; its list lives until cx_kbuf_drop_list()
 */
struct cx_kbuf {
	void *mem;
	dma_addr_t dma;
	size_t bytes;
	struct cx_pas pas;
};

/**
 * struct cx_udb - a doorbell record in user space
 * @page: the pinned page it lies in
 * @dma: its address
 */
struct cx_udb {
	struct cx_udb_page *page;
	dma_addr_t dma;
};

struct cx_pd {
	struct ib_pd base;
	u32 pdn;
};

struct cx_mr {
	struct ib_mr base;
	struct ib_umem *umem;	/* NULL for IB_MR_DMA */
	u32 mkey;
};

/**
 * struct cx_cq - completion queue
 * @base: ib_core's part
 * @events: hears it
 * @cqn: its number
 * @cqe_bytes: bytes of an entry
 * @uar: user: doorbell page
 * @ubuf: user: the ring
 * @udb: user: doorbell record
 * @kbuf: kernel: the ring
 * @db: kernel: doorbell record
 * @lock: kernel: owns @ci and the ring; taken in any context
 * @ci: kernel: next entry to look at
 * @arm_sn: events heard; the device ignores an arm with an old one
 */
struct cx_cq {
	struct ib_cq base;
	struct cx_cq_handler events;
	u32 cqn;
	unsigned int cqe_bytes;
	struct cx_queue_uar uar;
	struct cx_ubuf ubuf;
	struct cx_udb udb;
	struct cx_kbuf kbuf;
	struct cx_db db;
	spinlock_t lock;
	u32 ci;
	u32 arm_sn;
};

/**
 * struct cx_wq - one direction of a kernel queue pair
 * @lock: owns what follows; taken in any context
 * @ring: its entries
 * @wr_ids: what to report for each
 * @ends: send: index behind the request that starts at each unit
 * @head: units (send) or entries (receive) posted, counting on
 * @tail: those that are done
 */
struct cx_wq {
	spinlock_t lock;
	struct cx_ring ring;
	u64 *wr_ids;
	u32 *ends;
	u32 head;
	u32 tail;
};

/**
 * struct cx_qp - queue pair
 * @base: ib_core's part; base.lock also owns @access and @resp_depth
 * @events: hears it
 * @st: service type, enum cx_qp_st
 * @user_index: comes back in completions
 * @access: rights granted to the peer
 * @resp_depth: reads and atomics of the peer at once
 * @cap: sizes, as query reports them
 * @signal_all: every send makes a completion
 * @uar: doorbell page
 * @ubuf: user: the rings
 * @udb: user: doorbell record
 * @kbuf: kernel: the rings
 * @db: kernel: doorbell record
 * @sq: kernel: sends
 * @rq: kernel: receives
 */
struct cx_qp {
	struct ib_qp base;
	struct cx_event_handler events;
	u8 st;
	u32 user_index;
	int access;
	u8 resp_depth;
	struct ib_qp_cap cap;
	bool signal_all;
	struct cx_queue_uar uar;
	struct cx_ubuf ubuf;
	struct cx_udb udb;
	struct cx_kbuf kbuf;
	struct cx_db db;
	struct cx_wq sq;
	struct cx_wq rq;
};

struct cx_srq {
	struct ib_srq base;
	struct cx_event_handler events;
	u32 srqn;
	u32 count;		/* entries of the ring */
	u32 max_sge;
	struct cx_ubuf ubuf;
	struct cx_udb udb;
};

struct cx_ah {
	struct ib_ah base;
};

static inline struct cx_verbs *to_verbs(struct ib_device *dev)
{
	return container_of(dev, struct cx_verbs, base);
}

static inline struct cx_dev *to_cx(struct ib_device *dev)
{
	return to_verbs(dev)->cx;
}

#define to_cx_ucontext(p)	container_of(p, struct cx_ucontext, base)
#define to_cx_pd(p)		container_of(p, struct cx_pd, base)
#define to_cx_mr(p)		container_of(p, struct cx_mr, base)
#define to_cx_cq(p)		container_of(p, struct cx_cq, base)
#define to_cx_qp(p)		container_of(p, struct cx_qp, base)
#define to_cx_srq(p)		container_of(p, struct cx_srq, base)

/* The context of a user's object, NULL for one of the kernel */
static inline struct cx_ucontext *cx_object_context(const struct ib_object *obj)
{
	return obj->uobject ? to_cx_ucontext(obj->uobject->context) : NULL;
}

/*
 * A destroy command that failed because the device is dead did its work: the
 * device reaches nothing any more, and what is ours must be freed.
 */
static inline int cx_destroyed(const struct cx_dev *cx, int ret)
{
	return cx_dev_dead(cx) ? 0 : ret;
}

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
int cx_query_ucontext(struct ib_ucontext *uctx, struct ib_udata *udata);
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

/* cq.c */
int cx_create_cq(struct ib_cq *cq, const struct ib_cq_init_attr *attr,
		 struct ib_udata *udata);
int cx_destroy_cq(struct ib_cq *cq, struct ib_udata *udata);
int cx_modify_cq(struct ib_cq *cq, u16 count, u16 period_us);

/* cq_poll.c */
int cx_poll_cq(struct ib_cq *cq, int num, struct ib_wc *wc);
int cx_req_notify_cq(struct ib_cq *cq, enum ib_cq_notify flags);
void cx_cq_forget_qp(struct cx_cq *cq, u32 qpn);
void cx_cq_init_ring(struct cx_cq *cq);

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
