/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory keys: every access of a work request goes through one.
 */
#ifndef CXM_MKEY_H
#define CXM_MKEY_H

/* What a list of keys says where it has none. */
#define CXM_NULL_MKEY	0x300

#include "obj.h"
#include <connectx/prm_mkc.h>

/* What an access needs; the same bits say what a key grants. */
enum cxm_access {
	CXM_LOCAL_READ = BIT(0),
	CXM_LOCAL_WRITE = BIT(1),
	CXM_REMOTE_READ = BIT(2),
	CXM_REMOTE_WRITE = BIT(3),
	CXM_REMOTE_ATOMIC = BIT(4),
};

/* Why an access was refused. */
enum cxm_mkey_result {
	CXM_MKEY_OK,
	CXM_MKEY_NO_KEY,	/* no such index, or another variant byte */
	CXM_MKEY_FREE,		/* exists, not (or no longer) enabled */
	CXM_MKEY_PD,		/* belongs to another PD */
	CXM_MKEY_QP,		/* bound to another QP */
	CXM_MKEY_RANGE,		/* not within [start, start + len) */
	CXM_MKEY_PERM,		/* right missing */
	CXM_MKEY_DMA,		/* translation leads to unmapped memory */
	CXM_MKEY_NESTED,	/* a KLM entry refers to an unusable key */
	CXM_MKEY_FAULT,		/* allowed, but a page is missing: odp.h */
};

struct cxm_mkey {
	struct cxm_obj	obj;		/* .num is the index, key >> 8 */
	struct cxm_obj	*pd;		/* reference held */
	struct cxm_memic *memic;	/* of a key for device memory; held */
	struct cx_mkc	ctx;		/* as software wrote it, kept current */
	u8		variant;	/* key & 0xff */
	bool		free;
	bool		revoked;	/* by the driver, which had it in use */
	bool		umr_en;
	bool		en_rinval;
	bool		length64;
	bool		paged;		/* entries say which pages are there */
	enum cx_mkc_access_mode mode;
	u32		access;		/* enum cxm_access */
	u32		pdn;
	u32		qpn;		/* CX_MKC_ANY_QPN: any */
	u32		page_shift;	/* MTT, KSM: log2 of the entry's bytes */
	u64		start;		/* of device memory: in the BAR */
	u64		len;
	u32		octwords;	/* length of the translation, 16 B units */
	u32		room;		/* memory for it: drivers pad lists to 64 B */
	union {
		__be64		*mtt;	/* 2 * octwords */
		struct cx_klm	*klm;	/* octwords */
		void		*xlt;
	};
};

/* The key's object whatever its state; NULL if index or variant is unknown. */
struct cxm_mkey *cxm_mkey_find(struct cxm *m, u32 key);

/*
 * Take over a new context (create and UMR): the fields above follow from it, and
 * the reference moves to its PD. CX_STATUS_OK, or why not and nothing changed.
 */
int cxm_mkey_set_ctx(struct cxm *m, struct cxm_mkey *k,
		     const struct cx_mkc *ctx);

/*
 * May @pdn and @qpn use @key for @len bytes at @iova? No guest memory is
 * touched. A @len of 0 checks key, PD and right, not the range.
 */
enum cxm_mkey_result cxm_mkey_check(struct cxm *m, u32 key, u32 pdn, u32 qpn,
				    u64 iova, u64 len, u32 need);

/*
 * Check, then copy. On a refusal nothing was copied, but for CXM_MKEY_DMA and
 * CXM_MKEY_FAULT: there, what is before the page.
 */
enum cxm_mkey_result cxm_mkey_read(struct cxm *m, u32 key, u32 pdn, u32 qpn,
				   u64 iova, void *buf, u64 len, u32 need);
enum cxm_mkey_result cxm_mkey_write(struct cxm *m, u32 key, u32 pdn, u32 qpn,
				    u64 iova, const void *buf, u64 len,
				    u32 need);

/*
 * Check, then give a pointer to the first run of at most *@len bytes (cut to
 * what is contiguous): for atomics and for copies without a bounce.
 */
enum cxm_mkey_result cxm_mkey_ptr(struct cxm *m, u32 key, u32 pdn, u32 qpn,
				  u64 iova, u64 *len, u32 need, void **ptr);

const char *cxm_mkey_result_name(enum cxm_mkey_result r);

#endif /* CXM_MKEY_H */
