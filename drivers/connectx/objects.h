/* SPDX-License-Identifier: GPL-2.0-only */
/* The upper half's objects: those of ib_core, and what we add to each. */
#ifndef CX_OBJECTS_H
#define CX_OBJECTS_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/xarray.h>

#include <ib/ah.h>
#include <ib/cq.h>
#include <ib/device.h>
#include <ib/mr.h>
#include <ib/ops.h>
#include <ib/pd.h>
#include <ib/qp.h>
#include <ib/srq.h>
#include <ib/ucontext.h>
#include <ib/udata.h>
#include <ib/uverbs_def.h>
#include <ib/xrcd.h>

#include "buf.h"
#include "cmd_srq.h"
#include "cx.h"
#include "db.h"
#include "dm.h"
#include "eq.h"
#include "mkey_pool.h"
#include "odp.h"
#include "umr.h"
#include "wqe.h"
#include "xrc.h"

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
 * struct cx_udb - a doorbell record in user space
 * @page: the pinned page it lies in
 * @dma: its address
 */
struct cx_udb {
	struct cx_udb_page *page;
	dma_addr_t dma;
};

/**
 * struct cx_verbs - the adapter as ib_core sees it
 * @base: ib_core's part
 * @cx: the adapter
 * @variant: low byte of the next memory key
 * @registered: ib_core knows it
 * @xrc: made with the first queue pair of XRC
 * @umr: changes memory keys
 * @pool: free memory keys
 * @paging: page faults of the adapter are served: memory may be taken away
 *	from a key, the next use brings it back
 * @dm: device memory
 * @ops: what this adapter does
 * @odp: on-demand paging
 */
struct cx_verbs {
	struct ib_device base;
	struct cx_dev *cx;
	atomic_t variant;
	bool registered;
	struct cx_xrc xrc;
	struct cx_umr umr;
	struct cx_mkey_pool pool;
	bool paging;
	struct cx_dm_space dm;
	struct ib_device_ops ops;
	struct cx_odp odp;
};

struct cx_xrcd {
	struct ib_xrcd base;
	u32 xrcdn;
};

struct cx_pd {
	struct ib_pd base;
	u32 pdn;
};

struct cx_mr {
	struct ib_mr base;
	struct ib_umem *umem;		/* pinned memory of a program */
	struct ib_umem_dmabuf *dmabuf;	/* or of a device */
	struct cx_odp_mr *odp;		/* or paged in; or none of them */
	u32 mkey;
	u32 room;			/* entries, if the pool takes it */
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
 * @resize_lock: user: owns @ubuf and @cqe_bytes once the queue is made
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
	struct mutex resize_lock;
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
 * @rings: user: what the rings look like
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
	struct cx_user_rings rings;
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
	u8 shift;		/* log2 of their bytes */
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
#define to_cx_xrcd(p)		container_of(p, struct cx_xrcd, base)

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

/*
 * The same for an object that is given up before anybody knows it: when the
 * device insists on it, nobody is there to try again. Better lose the memory
 * than free what the device may still write to.
 */
static inline bool cx_kept(const struct cx_dev *cx, u32 number, int ret)
{
	if (!cx_destroyed(cx, ret))
		return false;
	dev_err(cx->dev, "object 0x%x cannot be destroyed, its memory is lost\n",
		number);
	return true;
}

#endif /* CX_OBJECTS_H */
