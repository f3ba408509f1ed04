/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Devices and open files of ib_uverbs.
 *
 * Lock order: uverbs_device::files_lock is never held while another lock is
 * taken. uverbs_file::context_lock -> uverbs_file::teardown_lock ->
 * uverbs_device::xrcd_lock; teardown_lock -> mmap_lock ->
 * ib_ucontext::vma_lock. Spinlocks of tables and event queues
 * are innermost.
 *
 * Liveness: a system call runs under uverbs_device::srcu and looks at @live
 * first. Whoever ends the device clears @live, waits for SRCU, and has the
 * objects for itself. The srcu read side may be taken inside mmap_lock and
 * the other way round, which is why it is not a lock.
 */
#ifndef UVERBS_PRIV_H
#define UVERBS_PRIV_H

#include <linux/cdev.h>
#include <linux/device.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/srcu.h>
#include <linux/xarray.h>
#include <ib/device.h>
#include <ib/refuse.h>
#include <ib/uverbs_bundle.h>
#include <uapi/ib/refusal.h>
#include "handle.h"

struct uverbs_async_file;
struct uverbs_tree;

/**
 * struct uverbs_device - /dev/infiniband/uverbsN
 * @dev: in class infiniband_verbs; its reference is the structure's
 * @cdev: the node
 * @number: N
 * @ib_dev: the device, valid while @live in an SRCU section
 * @tree: the user ABI of the device, frozen
 * @num_comp_vectors: kept for files that outlive @ib_dev
 * @srcu: read side around every system call
 * @live: calls may reach @ib_dev
 * @xrcd_lock: guards @xrcds and the handles on what is in it
 * @xrcds: inode -> XRC domain that processes share
 * @files_lock: guards @files
 * @files: open files that have not been torn down
 */
struct uverbs_device {
	struct device		dev;
	struct cdev		cdev;
	int			number;
	struct ib_device	*ib_dev;
	struct uverbs_tree	*tree;
	u32			num_comp_vectors;
	struct srcu_struct	srcu;
	bool			live;
	struct mutex		xrcd_lock;	/* xrcds */
	struct xarray		xrcds;
	struct mutex		files_lock;
	struct list_head	files;
};

/**
 * struct uverbs_failure - why the last failing call of a file failed
 * @lock: guards the rest
 * @count: failed calls since open
 * @call: UVERBS_CALL_*
 * @object: object id of an ioctl
 * @method: method id, or number of the write command
 * @refusal: the reason
 * @kept: the reason as text, when it is a driver's; else empty
 */
struct uverbs_failure {
	spinlock_t		lock;
	u32			count;
	u16			call;
	u16			object;
	u16			method;
	struct ib_refusal	refusal;
	char			kept[IB_REFUSE_TEXT];
};

/**
 * struct uverbs_file - one open file of a device
 * @ref: the struct file, each event fd made by it, teardown in progress
 * @udev: the device, referenced
 * @context_lock: serialises making @context
 * @context: set once, with release semantics; NULL again after teardown
 * @table: handles
 * @teardown_lock: held to destroy objects outside of a live system call
 * @async: first async event file, gets the events of objects that name none
 * @entry: in uverbs_device::files
 * @failure: of the last call that failed
 */
struct uverbs_file {
	struct kref			ref;
	struct uverbs_device		*udev;
	struct mutex			context_lock;
	struct ib_ucontext		*context;
	struct uverbs_table		table;
	struct mutex			teardown_lock;
	struct uverbs_async_file	*async;
	struct list_head		entry;
	struct uverbs_failure		failure;
};

/* Refusals of this module */
static inline int uverbs_refuse(int err, const char *why)
{
	return ib_refuse(IB_LAYER_UVERBS, err, why, 0, 0);
}

static inline int uverbs_refuse_attr(u16 attr, int err, const char *why,
				     u64 a, u64 b)
{
	return ib_refuse_attr(IB_LAYER_UVERBS, attr, err, why, a, b);
}

static inline bool uverbs_port_valid(const struct uverbs_bundle *b, u32 port)
{
	return port >= 1 && port <= b->device->phys_port_cnt;
}

/* file.c */
struct uverbs_file *uverbs_file_alloc(struct uverbs_device *udev);
void uverbs_file_get(struct uverbs_file *file);
void uverbs_file_put(struct uverbs_file *file);
void uverbs_file_teardown(struct uverbs_file *file, enum ib_remove_reason why);

/* refusal.c */
void uverbs_file_record(struct uverbs_file *file, int err, u16 call,
			u16 object, u16 method);
int uverbs_file_last_refusal(struct uverbs_file *file, void __user *out);

/* chardev.c, disassociate.c */
struct uverbs_device *uverbs_device_add(struct ib_device *ib_dev);
void uverbs_device_remove(struct uverbs_device *udev);
void uverbs_device_disassociate(struct uverbs_device *udev);
int uverbs_chardev_init(void);
void uverbs_chardev_exit(void);

/* ioctl.c, write.c, mmap.c */
long uverbs_ioctl(struct file *filp, unsigned int cmd, unsigned long arg);
ssize_t uverbs_write(struct file *filp, const char __user *buf, size_t count,
		     loff_t *pos);
int uverbs_mmap(struct file *filp, struct vm_area_struct *vma);

#endif /* UVERBS_PRIV_H */
