/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One function per firmware command: host structs in and out. The big-endian
 * structs of the wire are born zeroed and die inside these functions.
 *
 * All sleep, and return 0 or the errno of cx_cmd_exec().
 */
#ifndef CX_CMD_H
#define CX_CMD_H

#include <linux/types.h>

struct cx_dev;

/**
 * struct cx_pas - the memory of a queue, as the device sees it
 * @pages: addresses of its pages, big-endian
 * @count: number of pages
 * @page_shift: log2 of the page size
 * @offset: first byte in the first page, in units of page size / 64
 */
struct cx_pas {
	const __be64 *pages;
	unsigned int count;
	u8 page_shift;
	u8 offset;
};

/* cmd_hca.c: the function as a whole */
int cx_cmd_enable_hca(struct cx_dev *cx);
int cx_cmd_disable_hca(struct cx_dev *cx);
int cx_cmd_set_issi(struct cx_dev *cx);
int cx_cmd_set_host_endianness(struct cx_dev *cx);
int cx_cmd_set_caps(struct cx_dev *cx);
int cx_cmd_query_caps(struct cx_dev *cx);
int cx_cmd_query_cap(struct cx_dev *cx, u16 group, u16 mode, void *out);
int cx_cmd_set_cap(struct cx_dev *cx, u16 group, const void *caps);
int cx_cmd_init_hca(struct cx_dev *cx);
int cx_cmd_teardown_hca(struct cx_dev *cx);
int cx_cmd_query_adapter(struct cx_dev *cx);
int cx_cmd_query_pages(struct cx_dev *cx, u16 stage, u16 *function, s32 *n);
int cx_cmd_give_pages(struct cx_dev *cx, u16 function, const __be64 *pages,
		      u32 n);
int cx_cmd_cannot_give_pages(struct cx_dev *cx, u16 function);
int cx_cmd_take_pages(struct cx_dev *cx, u16 function, __be64 *pages, u32 *n);
int cx_cmd_access_reg(struct cx_dev *cx, u16 reg, u16 op, void *data,
		      size_t len);

/* cmd_obj.c: objects that are little more than a number */
int cx_cmd_alloc_pd(struct cx_dev *cx, u32 *pdn);
int cx_cmd_dealloc_pd(struct cx_dev *cx, u32 pdn);
int cx_cmd_alloc_xrcd(struct cx_dev *cx, u32 *xrcdn);
int cx_cmd_dealloc_xrcd(struct cx_dev *cx, u32 xrcdn);
int cx_cmd_alloc_uar(struct cx_dev *cx, u32 *index);
int cx_cmd_dealloc_uar(struct cx_dev *cx, u32 index);

/**
 * struct cx_eq_params - a new event queue
 * @log_size: log2 of its entries
 * @uar: doorbell page
 * @vector: interrupt vector
 * @events: bit per event type
 * @addr: the ring, contiguous and aligned to its size
 */
struct cx_eq_params {
	u8 log_size;
	u32 uar;
	u16 vector;
	u64 events;
	dma_addr_t addr;
};

int cx_cmd_create_eq(struct cx_dev *cx, const struct cx_eq_params *p,
		     u8 *number);
int cx_cmd_destroy_eq(struct cx_dev *cx, u8 number);

/**
 * struct cx_mkey_params - a new memory key
 * @pdn: protection domain
 * @variant: low byte of the key
 * @whole: key for all DMA addresses; @start, @len and @pas do not count
 * @window: free key for a memory window of @klms entries; only @pdn, @variant
 *	and @remote_invalidate count
 * @device_memory: key for memory of the adapter: @start is an address in the
 *	BAR, and users count from 0; @pas does not count
 * @klms: room for scatter entries, a multiple of 4
 * @keys: its entries are not pages but other keys, two words each, of
 *	@pas.page_shift as well
 * @free: of no use before a work request says otherwise
 * @room: entries that work requests may write; @pas has fewer, or none
 * @remote_invalidate: the other side may invalidate it
 * @local_read: the local side may read (implied for user memory)
 * @local_write: … may write
 * @remote_read: RDMA READ allowed
 * @remote_write: RDMA WRITE allowed
 * @atomic: atomics allowed
 * @relaxed_order: PCI writes and reads may overtake each other
 * @start: first address in the key's own space
 * @len: bytes
 * @pas: the memory; its page size is that of the key
 */
struct cx_mkey_params {
	u32 pdn;
	u8 variant;
	bool whole;
	bool window;
	bool device_memory;
	u32 klms;
	bool keys;
	bool free;
	u32 room;
	bool remote_invalidate;
	bool local_read, local_write;
	bool remote_read, remote_write;
	bool atomic;
	bool relaxed_order;
	u64 start;
	u64 len;
	struct cx_pas pas;
};

int cx_cmd_create_mkey(struct cx_dev *cx, const struct cx_mkey_params *p,
		       u32 *mkey);
int cx_cmd_destroy_mkey(struct cx_dev *cx, u32 mkey);

/* cmd_cq.c */

/**
 * struct cx_cq_params - a new completion queue
 * @log_size: log2 of its entries
 * @cqe_128: entries of 128 bytes
 * @ignore_overrun: the device may write over unread entries
 * @uar: doorbell page
 * @eqn: completion event queue
 * @dbr: doorbell record
 * @pas: the ring
 */
struct cx_cq_params {
	u8 log_size;
	bool cqe_128;
	bool ignore_overrun;
	u32 uar;
	u8 eqn;
	u64 dbr;
	struct cx_pas pas;
};

int cx_cmd_create_cq(struct cx_dev *cx, const struct cx_cq_params *p,
		     u32 *cqn);
int cx_cmd_destroy_cq(struct cx_dev *cx, u32 cqn);
int cx_cmd_modify_cq_moderation(struct cx_dev *cx, u32 cqn, u16 count,
				u16 period);
int cx_cmd_resize_cq(struct cx_dev *cx, u32 cqn, u8 log_size, bool cqe_128,
		     const struct cx_pas *pas);

/* cmd_qp.c */

/**
 * struct cx_qp_params - a new queue pair
 * @st: service type, enum cx_qp_st
 * @pdn: protection domain
 * @uar: doorbell page
 * @user_index: comes back in completions
 * @send_cqn: completions of sends
 * @recv_cqn: completions of receives
 * @rq_type: enum cx_rq_type
 * @xrcdn: XRC domain
 * @srqn: shared receive queue
 * @log_rq_size: log2 of receive entries
 * @log_rq_stride: log2 of their bytes
 * @no_sq: there is no send queue
 * @log_sq_size: log2 of send units of 64 bytes
 * @dbr: doorbell record
 * @pas: the rings, receive first
 */
struct cx_qp_params {
	u8 st;
	u32 pdn;
	u32 uar;
	u32 user_index;
	u32 send_cqn, recv_cqn;
	u8 rq_type;
	u32 xrcdn;
	u32 srqn;
	u8 log_rq_size, log_rq_stride;
	bool no_sq;
	u8 log_sq_size;
	u64 dbr;
	struct cx_pas pas;
};

/**
 * struct cx_path - the way to a peer
 * @pkey_index: P_Key table index
 * @port: local port
 * @grh: with a global route header
 * @rlid: peer's LID
 * @path_bits: low bits of our LID
 * @sl: service level
 * @stat_rate: rate limit code
 * @sgid_index: source GID
 * @hop_limit: of the GRH
 * @tclass: of the GRH
 * @flow_label: of the GRH
 * @rgid: peer's GID
 * @ack_timeout: IBTA code
 */
struct cx_path {
	u16 pkey_index;
	u8 port;
	bool grh;
	u16 rlid;
	u8 path_bits;
	u8 sl;
	u8 stat_rate;
	u8 sgid_index;
	u8 hop_limit;
	u8 tclass;
	u32 flow_label;
	u8 rgid[16];
	u8 ack_timeout;
};

/*
 * struct cx_qp_context - what a queue pair does on the wire
 *
 * Names are those of struct cx_qpc. What a command takes of it depends on the
 * edge and on opt_mask.
 */
struct cx_qp_context {
	u8 st;
	u8 state;
	u8 pm_state;
	u8 mtu;
	u8 log_msg_max;
	u32 remote_qpn;
	u32 q_key;
	u32 next_send_psn, next_rcv_psn;
	u8 log_sra_max, log_rra_max;
	u8 retry_count, rnr_retry, min_rnr_nak;
	u8 log_ack_req_freq;
	bool rre, rwe, rae;
	u8 atomic_mode;
	struct cx_path path;
	struct cx_path alt_path;
	/* repeated in each modify */
	u32 pdn, send_cqn, recv_cqn, user_index, uar;
	u64 dbr;
};

int cx_cmd_create_qp(struct cx_dev *cx, const struct cx_qp_params *p,
		     u32 *qpn);
int cx_cmd_modify_qp(struct cx_dev *cx, u16 opcode, u32 qpn, u32 opt_mask,
		     const struct cx_qp_context *c);
int cx_cmd_query_qp(struct cx_dev *cx, u32 qpn, struct cx_qp_context *c);
int cx_cmd_destroy_qp(struct cx_dev *cx, u32 qpn);
int cx_cmd_attach_mcg(struct cx_dev *cx, u32 qpn, const u8 gid[16]);
int cx_cmd_detach_mcg(struct cx_dev *cx, u32 qpn, const u8 gid[16]);

/* cmd_port.c */

/*
 * struct cx_port_context - an InfiniBand port
 *
 * Names are those of struct cx_hca_vport_context.
 */
struct cx_port_context {
	u8 state, phys_state;
	u16 lid, sm_lid;
	u8 lmc, sm_sl;
	u8 subnet_timeout, init_type_reply;
	bool grh_required;
	u32 cap_mask1, cap_mask2;
	u16 qkey_violations, pkey_violations;
	u64 system_guid, port_guid, node_guid;
};

/**
 * struct cx_port_link - the physical link
 * @width: PTYS link width code
 * @proto: PTYS protocol bit
 * @max_mtu: bytes
 * @oper_mtu: bytes
 * @vl_cap: PVLC code of virtual lanes
 */
struct cx_port_link {
	u16 width, proto;
	u16 max_mtu, oper_mtu;
	u8 vl_cap;
};

int cx_cmd_query_port(struct cx_dev *cx, u8 port, struct cx_port_context *c);
int cx_cmd_query_link(struct cx_dev *cx, u8 port, struct cx_port_link *l);
int cx_cmd_modify_port_caps(struct cx_dev *cx, u8 port, u32 caps, u32 mask);
int cx_cmd_query_gid(struct cx_dev *cx, u8 port, u16 index, u8 gid[16]);
int cx_cmd_query_pkey(struct cx_dev *cx, u8 port, u16 index, u16 *pkey);
int cx_cmd_query_node_desc(struct cx_dev *cx, char *desc);

#endif /* CX_CMD_H */
