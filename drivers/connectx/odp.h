/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * On-demand paging: regions whose pages the adapter asks for by page faults,
 * and which are taken from it when the process changes its mappings.
 */
#ifndef CX_ODP_H
#define CX_ODP_H

#include <linux/completion.h>
#include <linux/refcount.h>
#include <linux/rwsem.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

struct cx_eqe;
struct cx_indirect;
struct cx_mr;
struct cx_mr_range;
struct cx_odp_space;
struct cx_verbs;
struct ib_device_attr;
struct ib_mr;
struct ib_pd;
struct ib_umem_odp;
struct ib_umem_odp_ops;
struct ib_uverbs_sge;
struct uverbs_bundle;

/**
 * struct cx_odp - on-demand paging of a device
 * @keys: index of a memory key -> struct cx_odp_mr
 * @windows: index of a memory window's key -> struct ib_mw
 * @windows_lock: while it is held for reading, no window of @windows goes
 * @wq: handles page faults, many at once
 * @advice_wq: the same for advice, which must not stand in their way
 */
struct cx_odp {
	struct xarray keys;
	struct xarray windows;
	struct rw_semaphore windows_lock;
	struct workqueue_struct *wq;
	struct workqueue_struct *advice_wq;
};

/**
 * struct cx_odp_key - a memory key for a range of a process
 * @v: its device
 * @umem: the range
 * @mkey: the key, in use and with room for all pages of @umem; its entries are
 *	changed under the lock of @umem
 */
struct cx_odp_key {
	struct cx_verbs *v;
	struct ib_umem_odp *umem;
	u32 mkey;
};

/**
 * struct cx_odp_mr - a region whose entries come by page faults
 * @mr: the region
 * @iova: its first address
 * @key: its key, and the range it is of: NULL for all addresses, and for a DMA
 *	buffer
 * @space: all addresses, or NULL
 * @writable: pages are asked for to be written
 * @hidden: on its way out: its key is not found
 * @users: one, and those who found it by its key
 * @idle: there are none any more
 */
struct cx_odp_mr {
	struct ib_mr *mr;
	u64 iova;
	struct cx_odp_key key;
	struct cx_odp_space *space;
	bool writable;
	bool hidden;
	refcount_t users;
	struct completion idle;
};

/* odp.c */
int cx_odp_init(struct cx_verbs *v);
void cx_odp_exit(struct cx_verbs *v);
void cx_odp_fill_attr(const struct cx_verbs *v, struct ib_device_attr *attr);
struct cx_odp_mr *cx_odp_find(struct cx_verbs *v, u32 key);
void cx_odp_put(struct cx_odp_mr *o);
int cx_odp_page_in(struct cx_odp_mr *o, u64 addr, u64 bytes,
		   unsigned int flags);

/* odp_key.c: the key and its entries */
int cx_odp_key_make(struct cx_odp_key *k, u32 pdn, u64 iova, u64 length,
		    int access);
int cx_odp_key_destroy(struct cx_odp_key *k);
void cx_odp_key_give_up(struct cx_odp_key *k);
extern const struct ib_umem_odp_ops cx_odp_ops;

/* odp_mr.c */
int cx_odp_make(struct ib_mr *mr, const struct cx_mr_range *r, u64 start,
		struct cx_odp_mr **result);
int cx_odp_destroy(struct cx_odp_mr *o);
void cx_odp_give_up(struct cx_odp_mr *o);
struct cx_odp_mr *cx_odp_watch(struct ib_mr *mr, u32 mkey, bool writable);
void cx_odp_hide(struct cx_odp_mr *o);
void cx_odp_show(struct cx_odp_mr *o);
void cx_odp_forget(struct cx_odp_mr *o);

/* mw.c: what a window is bound to */
int cx_mw_pieces(struct cx_verbs *v, u32 key, struct cx_indirect *i);

/* odp_advise.c */
int cx_advise_mr(struct ib_pd *pd, u32 advice, u32 flags,
		 const struct ib_uverbs_sge *sg_list, u32 num,
		 struct uverbs_bundle *b);

/* odp_wqe.c: pure */

/**
 * struct cx_wqe_walk - goes through the pieces of memory of a work request
 * @pos: next segment
 * @end: behind the last one
 * @receive: a list may end early
 */
struct cx_wqe_walk {
	const void *pos;
	const void *end;
	bool receive;
};

/* A piece; inline data has no key */
struct cx_wqe_piece {
	bool has_key;
	u32 key;
	u64 addr;
	u64 bytes;
};

int cx_wqe_walk_send(struct cx_wqe_walk *w, const void *wqe, size_t len,
		     u8 st);
void cx_wqe_walk_receive(struct cx_wqe_walk *w, const void *wqe, size_t len,
			 bool shared);
bool cx_wqe_walk_next(struct cx_wqe_walk *w, struct cx_wqe_piece *p);

#endif /* CX_ODP_H */
