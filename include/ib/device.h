/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef IB_DEVICE_H
#define IB_DEVICE_H

#include <linux/device.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rwsem.h>
#include <linux/xarray.h>
#include <rdma/rdma_netlink.h>
#include <ib/object.h>
#include <ib/ops.h>
#include <ib/types.h>

#define IB_DEVICE_NAME_MAX	64
#define IB_NODE_DESC_MAX	64

/*
 * Limits and abilities; each field as ibv_device_attr of user space has it.
 * Core holds users to max_cqe, max_srq_wr and the reads in flight, and a
 * kernel's queue pair to max_qp_wr and the pieces; the rest is told to users.
 */
struct ib_device_attr {
	u32			vendor_id;
	u32			vendor_part_id;
	u32			hw_ver;
	u64			fw_ver;
	__be64			sys_image_guid;
	u64			device_cap_flags;
	int			max_mr;
	u64			max_mr_size;
	u64			page_size_cap;
	int			max_mw;
	int			max_pd;
	int			max_ah;
	int			max_cq;
	int			max_cqe;
	u32			cq_max_count;		/* moderation */
	u16			cq_max_period;
	int			max_qp;
	int			max_qp_wr;
	int			max_send_sge;
	int			max_recv_sge;
	int			max_sge_rd;
	u32			max_wq_type_rq;
	u32			raw_packet_caps;
	int			max_srq;
	int			max_srq_wr;
	int			max_srq_sge;
	enum ib_atomic_cap	atomic_cap;
	int			max_qp_rd_atom;
	int			max_qp_init_rd_atom;
	int			max_res_rd_atom;
	int			max_mcast_grp;
	int			max_mcast_qp_attach;
	int			max_total_mcast_qp_attach;
	u16			max_pkeys;
	u8			local_ca_ack_delay;
	u64			odp_general;		/* on-demand paging */
	u32			odp_rc;			/* per transport */
	u32			odp_uc;
	u32			odp_ud;
	u32			odp_xrc;
	u64			hca_core_clock;		/* kHz */
	u64			timestamp_mask;
	u64			max_dm_size;
};

/* Fields of PortInfo; speeds and widths are codes, max_vl_num is one as well */
struct ib_port_attr {
	enum ib_link_layer	link_layer;	/* core's, from get_link_layer */
	enum ib_port_state	state;
	u8			phys_state;	/* 5: link is up */
	u8			active_width;	/* enum ib_port_width */
	u16			active_speed;	/* enum ib_port_speed */
	enum ib_mtu		active_mtu;
	enum ib_mtu		max_mtu;
	u32			max_msg_sz;
	u8			max_vl_num;
	u32			lid;
	u8			lmc;
	u32			sm_lid;
	u8			sm_sl;
	u8			subnet_timeout;
	u8			init_type_reply;
	int			gid_tbl_len;
	bool			ip_gids;
	bool			grh_required;
	u16			pkey_tbl_len;
	u32			bad_pkey_cntr;
	u32			qkey_viol_cntr;
	u32			port_cap_flags;
	u16			port_cap_flags2;
};

struct ib_port;
struct net;
struct rdmacg_device;

/**
 * struct ib_device - an RDMA device; drivers embed it
 * @ops: the driver's operations and constants, set by ib_alloc_device()
 * @dev: in class infiniband; its reference is the device's
 * @dma_device: does DMA; the parent, unless the driver says otherwise
 * @index: unique number, RDMA_NLDEV_ATTR_DEV_INDEX
 * @name: mlx5_0 …; may change, under ib_devices_lock
 * @net: network namespace that has it, in exclusive mode
 * @cgroup: the device in the rdma controller (core's)
 * @node_type: always IB_NODE_CA (core's)
 * @node_guid: EUI-64
 * @node_desc: text
 * @fw_str: firmware version as text, or empty
 * @board_id: PSID as text, or empty
 * @attr: read by query_device at registration (core's)
 * @phys_port_cnt: ports, numbered from 1; 1 to 255
 * @num_comp_vectors: completion vectors; without one there are no CQs
 * @max_sg_bytes: longest piece of a DMA mapping; 0: what @dma_device can do
 * @ports: @phys_port_cnt of them, from port 1 at index 0 (core's)
 * @ports_dir: folder of the ports in sysfs (core's)
 * @unreg_lock: taken for reading around every use, for writing to go
 * @registered: under @unreg_lock
 * @users: who asks it just now; it is not unregistered meanwhile (core's)
 * @use_dim: adaptive moderation is wanted, for queues that core polls (none)
 * @dead: the adapter does not answer any more; set once
 * @objects: live objects by type (core's)
 * @event_lock: guards @event_handlers
 * @event_handlers: struct ib_event_handler
 * @client_lock: serialises the clients' callbacks for this device
 * @client_data: client id -> what core keeps for it, under @client_lock
 * @entry: in the list of devices
 */
struct ib_device {
	const struct ib_device_ops	*ops;
	struct device			dev;
	struct device			*dma_device;
	u32				index;
	char				name[IB_DEVICE_NAME_MAX];
	struct net			*net;
	struct rdmacg_device		*cgroup;
	enum ib_node_type		node_type;
	__be64				node_guid;
	char				node_desc[IB_NODE_DESC_MAX];
	char				fw_str[32];
	char				board_id[32];
	struct ib_device_attr		attr;
	u32				phys_port_cnt;
	int				num_comp_vectors;
	unsigned int			max_sg_bytes;
	struct ib_port			*ports;
	struct kobject			*ports_dir;
	struct rw_semaphore		unreg_lock;
	bool				registered;
	atomic_t			users;
	bool				use_dim;
	bool				dead;
	struct ib_object_table		objects[IB_OBJ_TYPES];
	struct rw_semaphore		event_lock;
	struct list_head		event_handlers;
	struct mutex			client_lock;	/* callbacks */
	struct xarray			client_data;
	struct list_head		entry;
};

/*
 * Life of a device: alloc (@size is of the driver's structure, which begins
 * with struct ib_device; zeroed, or NULL) -> the driver fills those fields
 * above that are not core's -> register, once (name pattern with %d) -> … ->
 * unregister (clients let go, users are cut off, all objects are destroyed; no
 * operation is called any more) -> dealloc. All in process context. If
 * registering fails: dealloc.
 */
struct ib_device *ib_alloc_device(size_t size, const struct ib_device_ops *ops,
				  struct device *parent);
int ib_register_device(struct ib_device *device, const char *name_pattern);
void ib_unregister_device(struct ib_device *device);
void ib_dealloc_device(struct ib_device *device);

void ib_device_name(const struct ib_device *device,
		    char name[IB_DEVICE_NAME_MAX]);

/* The adapter is dead. Process context; returns after clients know. */
void ib_device_set_dead(struct ib_device *device);

/**
 * ib_device_dead() - does the adapter still answer?
 * @device: a device
 *
 * Context: Any context.
 * Return: true when every command would fail with -EIO.
 */
static inline bool ib_device_dead(const struct ib_device *device)
{
	return READ_ONCE(device->dead);
}

/* rights.c */
bool ib_may_send_raw(const struct ib_device *device);
bool ib_may_use_qkey(const struct ib_device *device, u32 qkey);
bool ib_device_visible(const struct ib_device *device, const struct net *net);

int ib_query_port(struct ib_device *device, u32 port, struct ib_port_attr *attr);
int ib_query_gid(struct ib_device *device, u32 port, int index,
		 union ib_gid *gid);
int ib_query_pkey(struct ib_device *device, u32 port, u16 index, u16 *pkey);
/* The driver saw the port change: read its tables again. Any context. */
void ib_refresh_port(struct ib_device *device, u32 port);

#endif /* IB_DEVICE_H */
