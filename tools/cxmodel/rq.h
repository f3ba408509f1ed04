/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Receive work requests and the scatter/gather lists of both directions.
 */
#ifndef CXM_RQ_H
#define CXM_RQ_H

#include "mkey.h"

#define CXM_RQ_STRIDE_MAX	1024
#define CXM_RQ_SGES		(CXM_RQ_STRIDE_MAX / 16)

struct cxm_qp;
struct cxm_srq;

struct cxm_sge {
	u64	addr;
	u32	len;
	u32	key;
};

/* A receive WQE that was taken from its queue and is being filled. */
struct cxm_rwqe {
	bool	active;
	u16	index;		/* what its CQE says */
	u32	nsge;
	u64	total;		/* bytes of all entries */
	struct cxm_sge sge[CXM_RQ_SGES];
};

enum cxm_take {
	CXM_TAKE_OK,
	CXM_TAKE_EMPTY,
	CXM_TAKE_BAD,		/* taken, but not readable or a broken list */
	CXM_TAKE_NO_QUEUE,	/* the packet names an SRQ it must not */
};

/* Decode the @bytes of data segments at @seg; false if the list is broken. */
bool cxm_rwqe_parse(struct cxm_rwqe *w, const void *seg, u32 bytes);

/* Software's receive counter, from the doorbell record; @old if unreadable. */
u16 cxm_rq_counter(struct cxm *m, u64 dbr, u16 old);

/* Next receive WQE of the QP's own queue. */
enum cxm_take cxm_rq_take(struct cxm *m, struct cxm_qp *qp,
			  struct cxm_rwqe *w);

/*
 * Copy @len bytes to (from) the list, starting @skip bytes into it. The list
 * must be long enough: the caller has compared the totals.
 */
enum cxm_mkey_result cxm_scatter(struct cxm *m, const struct cxm_sge *sge,
				 u32 nsge, u64 skip, const void *data, u32 len,
				 u32 pdn, u32 qpn);
enum cxm_mkey_result cxm_gather(struct cxm *m, const struct cxm_sge *sge,
				u32 nsge, u64 skip, void *data, u32 len,
				u32 pdn, u32 qpn);

#endif /* CXM_RQ_H */
