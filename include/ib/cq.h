/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef IB_CQ_H
#define IB_CQ_H

#include <ib/object.h>
#include <ib/types.h>

struct ib_event;
struct ib_udata;

/**
 * struct ib_cq_init_attr - what a new CQ shall be
 * @cqe: entries wanted, at least 1
 * @comp_vector: completion vector, below the device's num_comp_vectors
 * @flags: IB_UVERBS_CQ_FLAGS_*
 */
struct ib_cq_init_attr {
	unsigned int	cqe;
	u32		comp_vector;
	u32		flags;
};

struct ib_cq;
typedef void (*ib_comp_handler)(struct ib_cq *cq, void *context);

/**
 * struct ib_cq - completion queue
 * @obj: base
 * @comp_handler: called once for each arm, in interrupt context
 * @event_handler: called for IB_EVENT_CQ_ERR
 * @context: for the handlers
 * @cqe: entries that can wait in it, set by the driver; at least those wanted
 */
struct ib_cq {
	struct ib_object	obj;
	ib_comp_handler		comp_handler;
	void			(*event_handler)(struct ib_event *event,
						 void *context);
	void			*context;
	unsigned int		cqe;
};

enum ib_wc_flags {
	IB_WC_GRH = BIT(0),
	IB_WC_WITH_IMM = BIT(1),
	IB_WC_WITH_INVALIDATE = BIT(2),
};

enum ib_wc_opcode {
	IB_WC_SEND = IB_UVERBS_WC_SEND,
	IB_WC_RDMA_READ = IB_UVERBS_WC_RDMA_READ,
	IB_WC_RDMA_WRITE = IB_UVERBS_WC_RDMA_WRITE,
	IB_WC_FETCH_ADD = IB_UVERBS_WC_FETCH_ADD,
	IB_WC_COMP_SWAP = IB_UVERBS_WC_COMP_SWAP,
	IB_WC_RECV = BIT(7),
	IB_WC_RECV_RDMA_WITH_IMM,
};

/**
 * struct ib_wc - one work completion
 * @wr_id: from the work request
 * @status: success or why not; all fields below but @qp hold only on success
 * @opcode: what was done
 * @vendor_err: the adapter's own code
 * @byte_len: bytes received or read
 * @qp: which queue pair
 * @ex: immediate data (wire order) or invalidated key, by @wc_flags
 * @src_qp: sender of a datagram
 * @wc_flags: enum ib_wc_flags
 * @slid: sender's LID of a datagram
 * @sl: its service level
 * @pkey_index: its P_Key
 * @dlid_path_bits: low bits of the LID it was sent to
 * @port_num: port that it came in by, of a switch
 */
struct ib_wc {
	u64			wr_id;
	struct ib_qp		*qp;
	enum ib_wc_status	status;
	u32			vendor_err;
	enum ib_wc_opcode	opcode;
	u32			wc_flags;
	u32			byte_len;
	union {
		u32		invalidate_rkey;
		__be32		imm_data;
	} ex;
	u32			src_qp;
	u16			slid;
	u16			pkey_index;
	u8			sl;
	u8			dlid_path_bits;
	u8			port_num;
};

enum ib_cq_notify {
	IB_CQ_SOLICITED = BIT(0),
	IB_CQ_NEXT_COMP = BIT(1),
};

struct ib_cq *ib_create_cq_for(struct ib_device *device,
			       const struct ib_cq_init_attr *attr,
			       ib_comp_handler comp_handler,
			       void (*event_handler)(struct ib_event *, void *),
			       void *context, struct ib_udata *udata,
			       const char *owner);
#define ib_create_cq(device, attr, comp_handler, event_handler, context, udata) \
	ib_create_cq_for(device, attr, comp_handler, event_handler, context, \
			 udata, KBUILD_MODNAME)
int ib_destroy_cq(struct ib_cq *cq, struct ib_udata *udata);
int ib_resize_cq(struct ib_cq *cq, unsigned int cqe, struct ib_udata *udata);
int ib_modify_cq(struct ib_cq *cq, u16 count, u16 period_us);
int ib_poll_cq(struct ib_cq *cq, int num, struct ib_wc *wc);
int ib_req_notify_cq(struct ib_cq *cq, enum ib_cq_notify flags);

#endif /* IB_CQ_H */
