/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbered objects. Each kind has its own number space; an object embeds
 * struct cxm_obj. A destroyed number is not handed out again before the whole
 * space was used, so that a late use of it is seen (--reuse turns that off).
 */
#ifndef CXM_OBJ_H
#define CXM_OBJ_H

#include "types.h"

/* RMP, SRQ and XRC SRQ share the SRQ space: the driver keeps them together. */
enum cxm_kind {
	CXM_PD,
	CXM_UAR,
	CXM_XRCD,
	CXM_TD,
	CXM_MKEY,
	CXM_MEMIC,
	CXM_EQ,
	CXM_CQ,
	CXM_QP,
	CXM_SRQ,
	CXM_KINDS
};

struct cxm_obj {
	u32		num;
	u32		users;	/* other objects that name this one */
	enum cxm_kind	kind;
};

struct cxm_table {
	struct cxm_obj	**slot;	/* NULL never used, CXM_OBJ_GONE destroyed */
	u32		size;
	u32		next;	/* where the search for a free slot starts */
	u32		top;	/* slots from here on were never used */
	u32		live;
};

int cxm_obj_init(struct cxm *m);
void cxm_obj_exit(struct cxm *m);

/* Give the object a number and make it visible. Returns a CX_STATUS_*. */
int cxm_obj_add(struct cxm *m, enum cxm_kind kind, struct cxm_obj *obj);

/* CX_STATUS_RES_BUSY while there are users. The caller frees the memory. */
int cxm_obj_remove(struct cxm *m, struct cxm_obj *obj);

/* NULL if there is none. */
struct cxm_obj *cxm_obj_find(struct cxm *m, enum cxm_kind kind, u32 num);

/* The same on behalf of command @what: warns if the number was destroyed. */
struct cxm_obj *cxm_obj_named(struct cxm *m, enum cxm_kind kind, u32 num,
			      const char *what);

/* True if the number once was an object, and is none now. */
bool cxm_obj_gone(struct cxm *m, enum cxm_kind kind, u32 num);

static inline void cxm_obj_get(struct cxm_obj *obj)
{
	obj->users++;
}

static inline void cxm_obj_put(struct cxm_obj *obj)
{
	obj->users--;
}

/* Call @fn on each live object; it may remove the object it is called on. */
void cxm_obj_each(struct cxm *m, enum cxm_kind kind,
		  void (*fn)(struct cxm *m, struct cxm_obj *obj, void *arg),
		  void *arg);

const char *cxm_kind_name(enum cxm_kind kind);

/* Forget all objects without a word to software, leaves first (reset). */
void cxm_obj_forget_all(struct cxm *m);

/*
 * Called by cxm_obj_forget_all() and nobody else: free the memory and cancel
 * the timers of one object. Users and numbers are no longer of interest.
 */
void cxm_eq_forget(struct cxm *m, struct cxm_obj *obj);
void cxm_mkey_forget(struct cxm *m, struct cxm_obj *obj);
void cxm_memic_forget(struct cxm *m, struct cxm_obj *obj);
void cxm_cq_forget(struct cxm *m, struct cxm_obj *obj);		/* cq.c */
void cxm_qp_forget(struct cxm *m, struct cxm_obj *obj);		/* qp.c */
void cxm_srq_forget(struct cxm *m, struct cxm_obj *obj);	/* srq.c */

#endif /* CXM_OBJ_H */
