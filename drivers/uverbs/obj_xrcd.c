// SPDX-License-Identifier: GPL-2.0-only
/*
 * XRC domains in the user ABI. Processes share one by opening it with
 * descriptors of the same file: the inode stands for the domain, and the
 * domain goes with the last handle on it.
 */
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/slab.h>
#include <ib/ops.h>
#include <ib/xrcd.h>
#include "bundle.h"
#include "obj_table.h"
#include "obj_xrcd.h"
#include "uverbs_priv.h"
#include "write.h"

/**
 * struct uverbs_shared_xrcd - the domain of an inode
 * @xrcd: the domain
 * @inode: referenced
 * @handles: on the domain, under uverbs_device::xrcd_lock
 */
struct uverbs_shared_xrcd {
	struct ib_xrcd	*xrcd;
	struct inode	*inode;
	unsigned int	handles;
};

static unsigned long inode_key(const struct inode *inode)
{
	return (unsigned long)inode;
}

static int __share(struct uverbs_device *udev, struct uverbs_xrcd *handle,
		   struct ib_xrcd *xrcd, struct inode *inode)
{
	struct uverbs_shared_xrcd *shared;
	int ret;

	lockdep_assert_held(&udev->xrcd_lock);
	shared = kzalloc(sizeof(*shared), GFP_KERNEL_ACCOUNT);
	if (!shared)
		return uverbs_refuse(-ENOMEM, "no memory");
	shared->xrcd = xrcd;
	shared->inode = inode;
	shared->handles = 1;
	ret = xa_insert(&udev->xrcds, inode_key(inode), shared,
			GFP_KERNEL_ACCOUNT);
	if (ret) {
		kfree(shared);
		return uverbs_refuse(ret, "no memory");
	}
	ihold(inode);
	handle->shared = shared;
	return 0;
}

static void __unshare(struct uverbs_device *udev,
		      struct uverbs_shared_xrcd *shared)
{
	lockdep_assert_held(&udev->xrcd_lock);
	xa_erase(&udev->xrcds, inode_key(shared->inode));
	iput(shared->inode);
	kfree(shared);
}

static int __dealloc(struct uverbs_device *udev, struct ib_uobject *uobj,
		     struct ib_udata *udata)
{
	struct uverbs_shared_xrcd *shared = to_uverbs_xrcd(uobj)->shared;
	int ret;

	lockdep_assert_held(&udev->xrcd_lock);
	if (shared && --shared->handles)
		return 0;
	ret = ib_dealloc_xrcd(uobj->object, udata);
	if (!shared)
		return ret;
	if (ret)
		shared->handles++;
	else
		__unshare(udev, shared);
	return ret;
}

static int xrcd_destroy(struct ib_uobject *uobj, enum ib_remove_reason why,
			struct uverbs_bundle *b)
{
	struct uverbs_device *udev = b->file->udev;
	int users = atomic_read(&to_uverbs_xrcd(uobj)->users);
	int ret;

	if (users)
		return ib_refuse(IB_LAYER_UVERBS, -EBUSY,
				 "%llu queues of this handle still use it",
				 users, 0);
	mutex_lock(&udev->xrcd_lock);
	ret = __dealloc(udev, uobj, uverbs_udata(b));
	mutex_unlock(&udev->xrcd_lock);
	return ret;
}

/**
 * uverbs_get_xrcd() - look up an XRC domain for a command of write()
 * @b: the call
 * @id: handle
 *
 * Context: May sleep.
 * Return: the handle, or an ERR_PTR: -EINVAL whatever is wrong with it.
 */
struct ib_uobject *uverbs_get_xrcd(struct uverbs_bundle *b, u32 id)
{
	struct ib_uobject *uobj = uverbs_get(b, UVERBS_OBJECT_XRCD, id,
					     UVERBS_ACC_READ);

	if (!IS_ERR(uobj))
		return uobj;
	return ERR_PTR(ib_refuse(IB_LAYER_UVERBS, -EINVAL,
				 "handle %llu is no XRC domain to use", id,
				 0));
}

/* The handle is new, the domain may be one that is there. */
static int __open_new(struct uverbs_bundle *b, struct ib_uobject *uobj,
		      struct inode *inode)
{
	struct uverbs_device *udev = b->file->udev;
	struct ib_xrcd *xrcd;
	int ret;

	lockdep_assert_held(&udev->xrcd_lock);
	xrcd = ib_alloc_xrcd(b->device, uverbs_udata(b));
	if (IS_ERR(xrcd))
		return PTR_ERR(xrcd);
	if (inode) {
		ret = __share(udev, to_uverbs_xrcd(uobj), xrcd, inode);
		if (ret) {
			WARN_ON_ONCE(ib_dealloc_xrcd(xrcd, NULL));
			return ret;
		}
	}
	uobj->object = xrcd;
	return 0;
}

static struct ib_uobject *__open_xrcd(struct uverbs_bundle *b, u32 oflags,
				      struct inode *inode)
{
	struct uverbs_device *udev = b->file->udev;
	struct uverbs_shared_xrcd *shared = NULL;
	struct ib_uobject *uobj;
	int ret;

	lockdep_assert_held(&udev->xrcd_lock);
	if (inode) {
		shared = xa_load(&udev->xrcds, inode_key(inode));
		if (!shared && !(oflags & O_CREAT))
			return ERR_PTR(uverbs_refuse(-EAGAIN,
						     "file has no XRC domain"));
		if (shared && oflags & O_EXCL)
			return ERR_PTR(uverbs_refuse(-EINVAL,
						     "file has an XRC domain already"));
	}
	uobj = uverbs_new(b, UVERBS_OBJECT_XRCD);
	if (IS_ERR(uobj))
		return uobj;
	if (!shared) {
		ret = __open_new(b, uobj, inode);
		return ret ? ERR_PTR(ret) : uobj;
	}
	shared->handles++;
	to_uverbs_xrcd(uobj)->shared = shared;
	uobj->object = shared->xrcd;
	return uobj;
}

static struct ib_uobject *open_xrcd(struct uverbs_bundle *b, u32 oflags,
				    struct inode *inode)
{
	struct uverbs_device *udev = b->file->udev;
	struct ib_uobject *uobj;

	mutex_lock(&udev->xrcd_lock);
	uobj = __open_xrcd(b, oflags, inode);
	mutex_unlock(&udev->xrcd_lock);
	return uobj;
}

int uverbs_write_open_xrcd(struct uverbs_bundle *b)
{
	struct ib_uverbs_open_xrcd_resp resp = {};
	struct ib_uverbs_open_xrcd cmd;
	struct ib_uobject *uobj;
	struct file *file = NULL;
	int ret;

	ret = uverbs_request(b, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	if (cmd.fd != (u32)-1) {
		file = fget(cmd.fd);
		if (!file)
			return ib_refuse(IB_LAYER_UVERBS, -EBADF,
					 "no open file with descriptor %llu",
					 cmd.fd, 0);
	}
	uobj = open_xrcd(b, cmd.oflags, file ? file_inode(file) : NULL);
	if (file)
		fput(file);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);

	resp.xrcd_handle = uobj->id;
	return uverbs_respond(b, &resp, sizeof(resp));
}

int uverbs_write_close_xrcd(struct uverbs_bundle *b)
{
	struct ib_uverbs_close_xrcd cmd;
	int ret;

	ret = uverbs_request(b, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	return PTR_ERR_OR_ZERO(uverbs_destroy_handle(b, UVERBS_OBJECT_XRCD,
						     cmd.xrcd_handle));
}

static const struct uverbs_attr_def destroy_attrs[] = {
	UVERBS_ATTR_HANDLE(UVERBS_ATTR_DESTROY_XRCD_HANDLE, UVERBS_KIND_IDR,
			   UVERBS_OBJECT_XRCD, UVERBS_ACC_DESTROY,
			   UVERBS_ATTR_REQUIRED),
};

static const struct uverbs_method_def methods[] = {
	{ .id = UVERBS_METHOD_XRCD_DESTROY,
	  .attrs = destroy_attrs, .num_attrs = ARRAY_SIZE(destroy_attrs) },
};

static const struct uverbs_obj_type xrcd_type = {
	.size = sizeof(struct uverbs_xrcd),
	.destroy = xrcd_destroy,
};

const struct uverbs_object_def uverbs_object_xrcd = {
	.id = UVERBS_OBJECT_XRCD,
	.type = &xrcd_type,
	.needs = offsetof(struct ib_device_ops, dealloc_xrcd),
	.methods = methods,
	.num_methods = ARRAY_SIZE(methods),
};
