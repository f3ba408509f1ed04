/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Receive work queues of their own, and tables that spread packets over them:
 * a QP with such a table has no receive queue.
 */
#ifndef IB_WQ_H
#define IB_WQ_H

#include <linux/mutex.h>
#include <ib/object.h>
#include <ib/types.h>

struct ib_event;

enum ib_wq_state {
	IB_WQS_RESET,
	IB_WQS_RDY,
	IB_WQS_ERR,
};

/* Which fields of struct ib_wq_attr count; the bits are user ABI. */
enum ib_wq_attr_mask {
	IB_WQ_STATE = BIT(0),
	IB_WQ_CUR_STATE = BIT(1),
	IB_WQ_FLAGS = BIT(2),
};

/**
 * struct ib_wq_init_attr - what a new work queue shall be
 * @event_handler: called for IB_EVENT_WQ_FATAL
 * @context: for the handler
 * @cq: completions
 * @type: IB_UVERBS_WQT_RQ
 * @max_wr: receives wanted; the driver writes what it gave
 * @max_sge: scatter entries wanted; the driver writes what it gave
 * @create_flags: IB_UVERBS_WQ_FLAGS_*
 */
struct ib_wq_init_attr {
	void		(*event_handler)(struct ib_event *event, void *context);
	void		*context;
	struct ib_cq	*cq;
	u32		type;
	u32		max_wr;
	u32		max_sge;
	u32		create_flags;
};

/**
 * struct ib_wq_attr - what a work queue shall become
 * @state: wanted, enum ib_wq_state
 * @cur_state: that it is in
 * @flags: IB_UVERBS_WQ_FLAGS_*
 * @flags_mask: which of them change
 */
struct ib_wq_attr {
	u32	state;
	u32	cur_state;
	u32	flags;
	u32	flags_mask;
};

/**
 * struct ib_wq - receive work queue
 * @obj: base
 * @pd: its protection domain
 * @cq: completions
 * @event_handler: called for IB_EVENT_WQ_FATAL
 * @context: for the handler
 * @type: IB_UVERBS_WQT_RQ
 * @wq_num: number, set by the driver
 * @lock: serialises modify and destroy
 * @state: that modify has left it in, under @lock
 */
struct ib_wq {
	struct ib_object	obj;
	struct ib_pd		*pd;
	struct ib_cq		*cq;
	void			(*event_handler)(struct ib_event *event,
						 void *context);
	void			*context;
	u32			type;
	u32			wq_num;
	struct mutex		lock;	/* modify, destroy */
	enum ib_wq_state	state;
};

/**
 * struct ib_rwq_ind_table - receive indirection table
 * @obj: base
 * @ind_tbl_num: number, set by the driver
 * @log_size: it has 1 << @log_size entries
 * @wqs: the entries; a work queue may have several
 */
struct ib_rwq_ind_table {
	struct ib_object	obj;
	u32			ind_tbl_num;
	u32			log_size;
	struct ib_wq		**wqs;
};

struct ib_wq *ib_create_wq(struct ib_pd *pd, struct ib_wq_init_attr *attr,
			   struct ib_udata *udata);
int ib_modify_wq(struct ib_wq *wq, struct ib_wq_attr *attr, int mask,
		 struct ib_udata *udata);
int ib_destroy_wq(struct ib_wq *wq, struct ib_udata *udata);

struct ib_rwq_ind_table *
ib_create_rwq_ind_table(struct ib_device *device, struct ib_wq **wqs,
			u32 log_size, struct ib_udata *udata);
int ib_destroy_rwq_ind_table(struct ib_rwq_ind_table *table);

#endif /* IB_WQ_H */
