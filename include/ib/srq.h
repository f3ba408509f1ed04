/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef IB_SRQ_H
#define IB_SRQ_H

#include <ib/object.h>
#include <ib/types.h>

struct ib_event;
struct ib_pd;
struct ib_recv_wr;
struct ib_udata;
struct ib_xrcd;

enum ib_srq_attr_mask {
	IB_SRQ_MAX_WR = BIT(0),
	IB_SRQ_LIMIT = BIT(1),
};

struct ib_srq_attr {
	u32	max_wr;
	u32	max_sge;
	u32	srq_limit;
};

struct ib_srq_init_attr {
	void			(*event_handler)(struct ib_event *event,
						 void *context);
	void			*context;
	struct ib_srq_attr	attr;
	enum ib_uverbs_srq_type	type;
	struct ib_xrcd		*xrcd;		/* XRC */
	struct ib_cq		*cq;		/* XRC and tag matching */
	u32			max_num_tags;	/* tag matching */
};

struct ib_srq {
	struct ib_object	obj;
	struct ib_pd		*pd;
	struct ib_xrcd		*xrcd;		/* XRC, else NULL */
	struct ib_cq		*cq;		/* XRC and tag matching */
	u32			srq_num;	/* XRC; the driver sets it */
	enum ib_uverbs_srq_type	type;
	void			(*event_handler)(struct ib_event *event,
						 void *context);
	void			*context;
};

/* Do completions go to a queue of the SRQ, and not to that of the QP? */
static inline bool ib_srq_has_cq(enum ib_uverbs_srq_type type)
{
	return type == IB_UVERBS_SRQT_XRC || type == IB_UVERBS_SRQT_TM;
}

struct ib_srq *ib_create_srq(struct ib_pd *pd, struct ib_srq_init_attr *attr,
			     struct ib_udata *udata);
int ib_modify_srq(struct ib_srq *srq, const struct ib_srq_attr *attr, int mask,
		  struct ib_udata *udata);
int ib_query_srq(struct ib_srq *srq, struct ib_srq_attr *attr);
int ib_post_srq_recv(struct ib_srq *srq, const struct ib_recv_wr *wr,
		     const struct ib_recv_wr **bad_wr);
int ib_destroy_srq(struct ib_srq *srq, struct ib_udata *udata);

#endif /* IB_SRQ_H */
