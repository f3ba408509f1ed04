/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One adapter: struct cx_dev, what its parts look like, and the life of the
 * device. This is the lower half (PCI function, firmware, queues of events);
 * it knows nothing of verbs. The upper half hangs on cx_dev.verbs and sees
 * the lower one through this header, cmd.h, eq.h and uar.h.
 */
#ifndef CX_H
#define CX_H

#include <linux/bitops.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/rwsem.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

struct cx_cmdq;
struct cx_eq;
struct cx_eqe;
struct cx_verbs;

#define CX_DRV_NAME		"connectx"
#define CX_MAX_COMP_VECTORS	64
#define CX_PSID_BYTES		16

/*
 * struct cx_caps - what the firmware said it can do
 *
 * Decoded once at load by cx_cmd_query_caps(); constant afterwards. Names are
 * those of the capability structures in <connectx/prm_cap.h>.
 */
struct cx_caps {
	u8 port_type;			/* 0 InfiniBand, 1 Ethernet */
	u8 num_ports;
	u8 cqe_version;
	u8 log_max_qp, log_max_qp_sz;
	u8 log_max_cq, log_max_cq_sz;
	u8 log_max_srq, log_max_srq_sz;
	u8 log_max_eq, log_max_eq_sz;
	u8 log_max_mkey, log_max_pd, log_max_xrcd, log_max_mcg;
	u8 log_max_msg, log_pg_sz, log_max_klm_list_size, log_max_mrw_sz;
	u8 log_max_ra_req_qp, log_max_ra_res_qp;
	u8 log_bf_reg_size;
	u8 local_ca_ack_delay;
	u16 gid_table_len, pkey_table_len;
	u16 stat_rate_support;
	u16 max_wqe_sz_sq, max_wqe_sz_rq;
	u16 max_num_eqs;
	u32 max_qp_mcg;
	u32 device_frequency_khz;
	u16 atomic_operations, atomic_size_qp;
	bool atomic_host_endian;
	bool page_request_disable;
	bool ib_virt, roce, xrc, imaicl, pg;
	bool apm, qkv, pkv, block_lb_mc, cd, sho;
	bool cq_resize, cq_moderation;
	bool bf, uar_4k;
	bool sctr_data_cqe;
	bool relaxed_ordering_write, relaxed_ordering_read;
	bool umr_modify_atomic_disabled;
	bool umr_sizes;		/* page sizes of a key can be changed */
	bool umr_far;		/* entries from 2^16 octowords on */
	/* a request may change how writes or reads are ordered */
	bool umr_order_write, umr_order_read;
	u64 memic_start;		/* device memory, in BAR 0 */
	u32 memic_bytes;		/* 0: there is none */
	u16 memic_pages;		/* of the BAR */
	u8 memic_log_align;		/* of 64 bytes */
	bool odp, odp_implicit;
	u8 odp_rc, odp_ud, odp_xrc;	/* bits of enum cx_odp_service */
	u32 null_mkey;
};

/* What a transport can do with memory that is not there */
enum cx_odp_service {
	CX_ODP_SEND = BIT(0),
	CX_ODP_RECEIVE = BIT(1),
	CX_ODP_WRITE = BIT(2),
	CX_ODP_READ = BIT(3),
	CX_ODP_ATOMIC = BIT(4),
	CX_ODP_SRQ_RECEIVE = BIT(5),
};

/**
 * struct cx_board - who made this board and what runs on it
 * @fw_major: firmware version, first number
 * @fw_minor: second number
 * @fw_sub: third number
 * @vendor_id: IEEE OUI
 * @psid: parameter set id, a string
 */
struct cx_board {
	u16 fw_major, fw_minor, fw_sub;
	u32 vendor_id;
	char psid[CX_PSID_BYTES + 1];
};

/**
 * struct cx_health - the watch over a device that may die at any time
 * @timer: next look at the health words
 * @last_counter: health counter at the last look
 * @stuck: looks in a row that saw the counter stand still
 * @death: tells the upper half, in process context
 * @reason: why it died; set once, before the flag CX_DEAD
 */
struct cx_health {
	struct timer_list timer;
	u32 last_counter;
	unsigned int stuck;
	struct work_struct death;
	const char *reason;
};

/**
 * struct cx_pages - ledger of the memory lent to the firmware
 * @lent: DMA address >> 12 -> struct page
 * @count: entries of @lent
 * @lock: serialises giving and taking
 * @wq: serves requests the firmware makes by event
 */
struct cx_pages {
	struct xarray lent;
	unsigned long count;
	struct mutex lock;
	struct workqueue_struct *wq;
};

/**
 * struct cx_uar - one page of doorbells
 * @index: number of the page, as commands name it
 * @map: kernel mapping; NULL for pages that only user space uses
 */
struct cx_uar {
	u32 index;
	void __iomem *map;
};

/**
 * struct cx_db_pool - doorbell records of kernel queues
 * @lock: owns @pages and the bitmaps in them
 * @pages: list of struct cx_db_page
 */
struct cx_db_pool {
	struct mutex lock;
	struct list_head pages;
};

/**
 * struct cx_handlers - who hears which event
 * @cqs: CQ number -> struct cx_cq_handler
 * @qps: QP number -> struct cx_event_handler
 * @srqs: SRQ, RMP or XRC SRQ number -> struct cx_event_handler
 * @readers: held for reading by who looks a queue up in process context
 *
 * Handlers run in hard interrupt only. Removing one is xa_erase(), then
 * synchronize_irq() and a moment of @readers; see eq.h.
 */
struct cx_handlers {
	struct xarray cqs;
	struct xarray qps;
	struct xarray srqs;
	struct rw_semaphore readers;
};

enum cx_dev_flag {
	CX_DEAD,		/* set once by cx_dev_kill(), never cleared */
};

/**
 * struct cx_dev - one PCI function
 * @pdev: the function
 * @dev: its device, for messages and DMA
 * @flags: enum cx_dev_flag
 * @bar: bus address of BAR 0
 * @bar_len: its length
 * @iseg: mapping of the initialisation segment
 * @cmdq: command queue
 * @caps: capabilities
 * @board: identity
 * @issi: interface step both sides agreed on
 * @health: death watch
 * @pages: firmware's memory
 * @uar: the kernel's doorbell page
 * @dbs: the kernel's doorbell records
 * @num_vectors: MSI-X vectors we own
 * @num_comp: completion event queues
 * @cmd_eq: events of the command queue
 * @async_eq: everything else but completions
 * @fault_eq: page faults; NULL without on-demand paging
 * @comp_eq: completion event queues, one per vector
 * @handlers: event dispatch
 * @verbs: the upper half; NULL until it is registered
 */
struct cx_dev {
	struct pci_dev *pdev;
	struct device *dev;
	unsigned long flags;
	phys_addr_t bar;
	resource_size_t bar_len;
	void __iomem *iseg;
	struct cx_cmdq *cmdq;
	struct cx_caps caps;
	struct cx_board board;
	u8 issi;
	struct cx_health health;
	struct cx_pages pages;
	struct cx_uar uar;
	struct cx_db_pool dbs;
	unsigned int num_vectors;
	unsigned int num_comp;
	struct cx_eq *cmd_eq;
	struct cx_eq *async_eq;
	struct cx_eq *fault_eq;
	struct cx_eq *comp_eq[CX_MAX_COMP_VECTORS];
	struct cx_handlers handlers;
	struct cx_verbs *verbs;
};

static inline bool cx_dev_dead(const struct cx_dev *cx)
{
	return test_bit(CX_DEAD, &cx->flags);
}

/* health.c */
int cx_health_init(struct cx_dev *cx);
void cx_health_exit(struct cx_dev *cx);
void cx_dev_kill(struct cx_dev *cx, const char *reason);
bool cx_health_check(struct cx_dev *cx);

/* pages.c */
int cx_pages_init(struct cx_dev *cx);
void cx_pages_exit(struct cx_dev *cx);
int cx_pages_satisfy(struct cx_dev *cx, u16 stage);
int cx_pages_reclaim(struct cx_dev *cx);
void cx_pages_flush(struct cx_dev *cx);
void cx_pages_request(struct cx_dev *cx, u16 function, s32 npages);

/* irq.c */
int cx_irq_init(struct cx_dev *cx);
void cx_irq_exit(struct cx_dev *cx);

#endif /* CX_H */
