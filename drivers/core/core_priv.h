/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Private to ib_core.
 *
 * Lock order: ib_registration_lock -> client_lock of a device -> xrcd->lock ->
 * qp->lock -> lock of a table of objects. mmap_lock -> vma_lock of a user
 * context. ib_devices_lock comes after the first and is held for a moment only,
 * not while a driver or a client works. Destroying an object waits for its
 * readers (restrack.c): a reader takes none of the first three. Unregistering a
 * device waits for who uses it (ib_device_use()): he does not take the first.
 */
#ifndef IB_CORE_PRIV_H
#define IB_CORE_PRIV_H

#include <linux/mutex.h>
#include <linux/rwsem.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <ib/client.h>
#include <ib/device.h>
#include <ib/export.h>
#include <ib/refuse.h>

struct ib_qp_opener;
struct net;
struct netlink_callback;
struct netlink_ext_ack;
struct nlmsghdr;
struct sk_buff;

/* Serialises coming and going of devices and of clients. */
extern struct mutex ib_registration_lock;
/* Guards the list of devices and their names. */
extern struct rw_semaphore ib_devices_lock;
extern struct list_head ib_devices;
/* Ordered, so that a port's tables are read again before its event goes out */
extern struct workqueue_struct *ib_event_wq;
extern const struct class ib_class;

/**
 * struct ib_port - what core knows of a port
 * @device: owner
 * @num: number, from 1
 * @lock: guards the contents of @gids
 * @gids: cached GID table, @gid_len entries
 * @pkeys: cached P_Key table, @pkey_len entries
 * @gid_len: fixed at registration
 * @pkey_len: fixed at registration
 * @refresh: reads the tables again
 * @sysfs: its files
 */
struct ib_port {
	struct ib_device	*device;
	u32			num;
	spinlock_t		lock;	/* of gids */
	union ib_gid		*gids;
	u16			*pkeys;
	int			gid_len;
	u16			pkey_len;
	struct work_struct	refresh;
	struct ib_port_sysfs	*sysfs;
};

/* main.c: module pieces, each with a mirror */
int ib_event_init(void);
void ib_event_exit(void);
int ib_netlink_init(void);
void ib_netlink_exit(void);
int ib_sysfs_init(void);
void ib_sysfs_exit(void);

/* ah.c */
int ib_check_ah_attr(struct ib_device *device, const struct ib_ah_attr *attr);

/* cgroup.c */
int ib_cgroup_add(struct ib_device *device);
void ib_cgroup_del(struct ib_device *device);

/* client.c */
void ib_clients_add(struct ib_device *device);
void ib_clients_fatal(struct ib_device *device);
void ib_clients_remove(struct ib_device *device);
int ib_client_chardev(struct ib_device *device, const char *type, u64 *devt,
		      u64 *abi, char *name, size_t size);

/* device.c */
struct ib_device *__ib_device_by_index(const struct net *net, u32 index);
struct ib_device *ib_device_use(const struct net *net, u32 index);
struct ib_device *ib_device_use_next(const struct net *net, long *n);
void ib_device_unuse(struct ib_device *device);
int ib_device_rename(struct ib_device *device, const char *name);

/* event.c */
void ib_event_flush(void);

/* gid.c */
int ib_gid_init(struct ib_port *port, int gid_len, u16 pkey_len);
void ib_gid_free(struct ib_port *port);
int ib_gid_refresh(struct ib_port *port);

/* netns.c */
bool ib_netns_shared(void);
int ib_netns_set_shared(bool share);
int ib_device_set_net(struct ib_device *device, const struct net *from,
		      struct net *to);
void ib_netns_enter(struct net *net);
void ib_netns_leave(struct net *net);

/* object.c */
int ib_object_check(struct ib_device *device, bool has_op,
		    const char *lacking);

/* ops.c */
int ib_check_ops(const struct ib_device_ops *ops);

/* port.c */
int ib_ports_init(struct ib_device *device);
void ib_ports_stop(struct ib_device *device);
void ib_ports_free(struct ib_device *device);
struct ib_port *ib_port_of(struct ib_device *device, u32 num);
int ib_port_check(struct ib_device *device, u32 num);

/* restrack.c: the live objects of a device */
void ib_restrack_init(struct ib_device *device);
void ib_restrack_free(struct ib_device *device);
int ib_restrack_reserve(struct ib_object *obj);
void ib_restrack_release(struct ib_object *obj);
void ib_restrack_list(struct ib_object *obj);
void ib_restrack_unlist(struct ib_object *obj);
unsigned int ib_objects_count(struct ib_device *device,
			      enum ib_object_type type);
unsigned int ib_objects_leaked(struct ib_device *device);
struct ib_object *ib_object_read(struct ib_device *device,
				 enum ib_object_type type, u32 id);
struct ib_object *ib_object_read_next(struct ib_device *device,
				      enum ib_object_type type,
				      unsigned long *id);
void ib_object_read_end(struct ib_object *obj);

/* rights.c */
extern bool ib_privileged_qkey;

/* sysfs.c */
int ib_sysfs_add_ports(struct ib_device *device);
void ib_sysfs_del_ports(struct ib_device *device);

/* ucontext.c */
void ib_ucontext_put(struct ib_ucontext *uctx);

/* qp.c */
int ib_peek_qp(struct ib_qp *qp, struct ib_qp_attr *attr, int mask,
	       struct ib_qp_init_attr *init);

/* qp_open.c */
void ib_qp_shared_event(struct ib_event *event, void *context);
void ib_qp_share(struct ib_qp *qp, struct ib_qp_opener *opener);

#if IS_ENABLED(CONFIG_KUNIT)
/* umem.c, for a test to stand in */
struct page;
int ib_umem_pin_pages(unsigned long addr, int npages, unsigned int flags,
		      struct page **pages);
#endif

/* umem_why.c */
int ib_umem_refuse_pin(const struct ib_umem *umem, unsigned long addr, int err,
		       unsigned int attempts);

/* refuse.c: for a creating function that returns a pointer */
#define ib_refuse_ptr(err, why, a, b) \
	ERR_PTR(ib_refuse(IB_LAYER_CORE, err, why, a, b))

#endif /* IB_CORE_PRIV_H */
