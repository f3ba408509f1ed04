/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef IB_QP_H
#define IB_QP_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rbtree_types.h>
#include <linux/spinlock.h>
#include <ib/ah.h>
#include <ib/object.h>
#include <ib/types.h>

struct ib_event;
struct ib_udata;
struct ib_xrcd;

struct ib_qp_cap {
	u32	max_send_wr;
	u32	max_send_sge;
	u32	max_recv_wr;
	u32	max_recv_sge;
	u32	max_inline_data;
};

/**
 * struct ib_qp_opener - one of those who share an XRC target queue pair
 * @entry: in ib_qp::openers
 * @event_handler: called for its asynchronous events
 * @context: for the handler
 */
struct ib_qp_opener {
	struct list_head	entry;
	void			(*event_handler)(struct ib_event *event,
						 void *context);
	void			*context;
};

/**
 * struct ib_qp_init_attr - what a new QP shall be
 * @event_handler: called for asynchronous events of the QP
 * @context: for the handler
 * @send_cq: completions of sends
 * @recv_cq: completions of receives
 * @srq: shared receive queue, or NULL
 * @rwq_ind_tbl: spreads what comes in over work queues, instead of receives
 *               of its own, or NULL
 * @xrcd: XRC target: its domain
 * @opener: XRC target: the first to have it open, instead of @event_handler
 * @cap: sizes wanted; the driver writes what it gave
 * @sq_sig_all: every send makes a completion
 * @qp_type: transport
 * @create_flags: IB_UVERBS_QP_CREATE_*
 */
struct ib_qp_init_attr {
	void			(*event_handler)(struct ib_event *event,
						 void *context);
	void			*context;
	struct ib_cq		*send_cq;
	struct ib_cq		*recv_cq;
	struct ib_srq		*srq;
	struct ib_rwq_ind_table	*rwq_ind_tbl;
	struct ib_xrcd		*xrcd;
	struct ib_qp_opener	*opener;
	struct ib_qp_cap	cap;
	bool			sq_sig_all;
	enum ib_qp_type		qp_type;
	u32			create_flags;
};

/**
 * struct ib_qp - queue pair
 * @obj: base
 * @pd: its protection domain; an XRC target has none, nor queues
 * @send_cq: completions of sends
 * @recv_cq: completions of receives
 * @srq: shared receive queue, or NULL
 * @rwq_ind_tbl: receive indirection table, or NULL
 * @xrcd: XRC target: its domain
 * @target: XRC target: in ib_xrcd::targets
 * @openers_lock: guards @openers; taken in any context
 * @openers: XRC target: who has it open; changes under xrcd->lock
 * @event_handler: called for asynchronous events
 * @context: for the handler
 * @qp_type: transport
 * @qp_num: 24-bit number
 * @lock: serialises modify, query and destroy
 * @state: last state that modify or query saw, under @lock
 * @sq_psn: PSN of the next request, as last seen, under @lock
 * @port: port it was moved to INIT with, under @lock
 */
struct ib_qp {
	struct ib_object	obj;
	struct ib_pd		*pd;
	struct ib_cq		*send_cq;
	struct ib_cq		*recv_cq;
	struct ib_srq		*srq;
	struct ib_rwq_ind_table	*rwq_ind_tbl;
	struct ib_xrcd		*xrcd;
	struct rb_node		target;
	spinlock_t		openers_lock;	/* openers */
	struct list_head	openers;
	void			(*event_handler)(struct ib_event *event,
						 void *context);
	void			*context;
	enum ib_qp_type		qp_type;
	u32			qp_num;
	struct mutex		lock;	/* modify, query, destroy */
	enum ib_qp_state	state;
	u32			sq_psn;
	u8			port;
};

/* Fields in the order of enum ib_qp_attr_mask, units as in the IBTA spec */
struct ib_qp_attr {
	enum ib_qp_state	qp_state;
	enum ib_qp_state	cur_qp_state;
	u8			en_sqd_async_notify;
	int			qp_access_flags;
	u16			pkey_index;
	u8			port_num;
	u32			qkey;
	struct ib_ah_attr	ah_attr;
	enum ib_mtu		path_mtu;
	u8			timeout;	/* 4.096 us * 2^timeout */
	u8			retry_cnt;
	u8			rnr_retry;	/* 7: for ever */
	u32			rq_psn;
	u8			max_rd_atomic;
	struct ib_ah_attr	alt_ah_attr;
	u16			alt_pkey_index;
	u8			alt_port_num;
	u8			alt_timeout;
	u8			min_rnr_timer;	/* IBTA code, 5 bits */
	u32			sq_psn;
	u8			max_dest_rd_atomic;
	enum ib_mig_state	path_mig_state;
	struct ib_qp_cap	cap;
	u32			dest_qp_num;
	u8			sq_draining;
	u32			rate_limit;
};

struct ib_sge {
	u64	addr;
	u32	length;
	u32	lkey;
};

enum ib_wr_opcode {
	IB_WR_SEND = IB_UVERBS_WR_SEND,
	IB_WR_SEND_WITH_IMM = IB_UVERBS_WR_SEND_WITH_IMM,
	IB_WR_RDMA_WRITE = IB_UVERBS_WR_RDMA_WRITE,
	IB_WR_RDMA_WRITE_WITH_IMM = IB_UVERBS_WR_RDMA_WRITE_WITH_IMM,
	IB_WR_RDMA_READ = IB_UVERBS_WR_RDMA_READ,
	IB_WR_ATOMIC_CMP_AND_SWP = IB_UVERBS_WR_ATOMIC_CMP_AND_SWP,
	IB_WR_ATOMIC_FETCH_AND_ADD = IB_UVERBS_WR_ATOMIC_FETCH_AND_ADD,
	IB_WR_SEND_WITH_INV = IB_UVERBS_WR_SEND_WITH_INV,
};

enum ib_send_flags {
	IB_SEND_FENCE = BIT(0),
	IB_SEND_SIGNALED = BIT(1),
	IB_SEND_SOLICITED = BIT(2),
	IB_SEND_INLINE = BIT(3),
};

/**
 * struct ib_send_wr - a send work request of a QP whose rings the kernel has
 * @next: next in the list, or NULL
 * @wr_id: comes back in the completion
 * @sg_list: @num_sge pieces of local memory (DMA addresses)
 * @num_sge: number of pieces
 * @opcode: what to do
 * @send_flags: enum ib_send_flags
 * @imm_data: immediate data, wire order
 * @remote_addr: RDMA and atomic: address at the peer
 * @rkey: RDMA and atomic: key at the peer
 * @compare_add: atomic: compare or add operand
 * @swap: atomic: swap operand
 * @invalidate_rkey: send with invalidate: key at the peer
 * @ah: datagram: the way to the peer
 * @remote_qpn: datagram: queue pair of the peer
 * @remote_qkey: datagram: its Q_Key
 */
struct ib_send_wr {
	const struct ib_send_wr	*next;
	u64			wr_id;
	const struct ib_sge	*sg_list;
	int			num_sge;
	enum ib_wr_opcode	opcode;
	int			send_flags;
	__be32			imm_data;
	u64			remote_addr;
	u32			rkey;
	u64			compare_add;
	u64			swap;
	u32			invalidate_rkey;
	struct ib_ah		*ah;
	u32			remote_qpn;
	u32			remote_qkey;
};

struct ib_recv_wr {
	const struct ib_recv_wr	*next;
	u64			wr_id;
	const struct ib_sge	*sg_list;
	int			num_sge;
};

struct ib_qp *ib_create_qp(struct ib_pd *pd, struct ib_qp_init_attr *attr,
			   struct ib_udata *udata);
int ib_modify_qp(struct ib_qp *qp, struct ib_qp_attr *attr, int mask,
		 struct ib_udata *udata);
int ib_query_qp(struct ib_qp *qp, struct ib_qp_attr *attr, int mask,
		struct ib_qp_init_attr *init);
int ib_destroy_qp(struct ib_qp *qp, struct ib_udata *udata);
struct ib_qp *ib_open_qp(struct ib_xrcd *xrcd, enum ib_qp_type type,
			 u32 qp_num, struct ib_qp_opener *opener);
int ib_close_qp(struct ib_qp *qp, struct ib_qp_opener *opener);
int ib_attach_mcast(struct ib_qp *qp, const union ib_gid *gid, u16 lid);
int ib_detach_mcast(struct ib_qp *qp, const union ib_gid *gid, u16 lid);
int ib_post_send(struct ib_qp *qp, const struct ib_send_wr *wr,
		 const struct ib_send_wr **bad_wr);
int ib_post_recv(struct ib_qp *qp, const struct ib_recv_wr *wr,
		 const struct ib_recv_wr **bad_wr);

/* core/qp_state.c, pure: is this edge with these attributes legal? */
bool ib_modify_qp_is_ok(enum ib_qp_state cur, enum ib_qp_state next,
			enum ib_qp_type type, int mask);

#endif /* IB_QP_H */
