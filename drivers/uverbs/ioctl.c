// SPDX-License-Identifier: GPL-2.0-only
/* RDMA_VERBS_IOCTL: parse, find, get objects, call, finish. */
#include <linux/fs.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "bundle.h"
#include "tree.h"
#include "uverbs_priv.h"
#include "write.h"

/* The driver answers through UHW_OUT without telling us how much. */
static int mark_udata(struct uverbs_bundle *b)
{
	const struct uverbs_attr *attr;

	attr = uverbs_attr_find(b, UVERBS_ATTR_UHW_OUT);
	if (attr && put_user(attr->flags | UVERBS_ATTR_F_VALID_OUTPUT,
			     &b->user_attrs[attr->index].flags))
		return uverbs_refuse_attr(UVERBS_ATTR_UHW_OUT, -EFAULT,
					  "cannot mark the output", 0, 0);
	return 0;
}

/* User space takes it for "this framework cannot invoke that". */
static int never_protonosupport(int err)
{
	return err == -EPROTONOSUPPORT ?
	       uverbs_refuse(-EINVAL, "the handler does not support that") :
	       err;
}

static int run(struct uverbs_bundle *b, const struct uverbs_tree_method *m,
	       unsigned int num)
{
	struct ib_uverbs_attr *ua = (void *)&b->attrs[num];
	int ret;

	if (copy_from_user(ua, b->user_attrs, num * sizeof(*ua)))
		return uverbs_refuse(-EFAULT, "cannot read the attributes");
	ret = uverbs_parse(b, m, ua, num);
	if (ret)
		return ret;

	if (m->has_udata)
		uverbs_fill_udata(b, &b->udata, UVERBS_ATTR_UHW_IN,
				  UVERBS_ATTR_UHW_OUT);
	if (m->destroys) {
		ret = uverbs_destroy(b, b->by_key[m->destroys]->uobj);
		if (ret)
			return ret;
	}
	if (m->handler) {
		ret = m->handler(b);
		if (ret)
			return never_protonosupport(ret);
	}
	return m->has_udata ? mark_udata(b) : 0;
}

/* A call with more attributes than this is rare, and pays an allocation. */
#define SMALL_ATTRS	12

/* The call, its attributes, and behind them the array that user space sent */
#define CALL_BYTES(n)	(sizeof(struct uverbs_bundle) + \
			 (n) * (sizeof(struct uverbs_attr) + \
				sizeof(struct ib_uverbs_attr)))

static int call_method(struct uverbs_bundle *b,
		       const struct uverbs_tree_method *m, unsigned int num)
{
	int ret;

	/* invoke_write looks at the command */
	if (b->device || m->destroys || m->handler == uverbs_invoke_write)
		ret = run(b, m, num);
	else
		ret = uverbs_refuse(-EIO, "device is gone");
	uverbs_bundle_finish(b, !ret);
	return ret;
}

static int call(struct uverbs_file *file, const struct ib_uverbs_ioctl_hdr *hdr,
		struct ib_uverbs_attr __user *user_attrs)
{
	u8 small[CALL_BYTES(SMALL_ATTRS)] __aligned(8) __uninitialized;
	struct uverbs_tree *tree = file->udev->tree;
	struct uverbs_bundle *b = (void *)small;
	const struct uverbs_tree_method *m;
	int ret;

	if (hdr->driver_id != tree->driver_id)
		return ib_refuse(IB_LAYER_UVERBS, -EINVAL,
				 "driver id %llu, this device has %llu",
				 hdr->driver_id, tree->driver_id);
	m = uverbs_tree_method(tree, hdr->object_id, hdr->method_id);
	if (!m)
		return ib_refuse(IB_LAYER_UVERBS, -EPROTONOSUPPORT,
				 "device has no method %llu of object %llu",
				 hdr->method_id, hdr->object_id);

	if (hdr->num_attrs > SMALL_ATTRS)
		b = kmalloc(CALL_BYTES(hdr->num_attrs), GFP_KERNEL);
	if (!b)
		return uverbs_refuse(-ENOMEM, "no memory");
	uverbs_bundle_init(b, file);
	b->user_attrs = user_attrs;
	ret = call_method(b, m, hdr->num_attrs);
	if (hdr->num_attrs > SMALL_ATTRS)
		kfree(b);
	return ret;
}

static int read_header(struct ib_uverbs_ioctl_hdr *hdr,
		       const struct ib_uverbs_ioctl_hdr __user *from)
{
	if (copy_from_user(hdr, from, sizeof(*hdr)))
		return uverbs_refuse(-EFAULT, "cannot read the header");
	return uverbs_check_header(hdr);
}

/**
 * uverbs_ioctl() - ioctl operation of the device file
 * @filp: the file
 * @cmd: RDMA_VERBS_IOCTL or UVERBS_IOCTL_LAST_REFUSAL
 * @arg: user address
 *
 * Context: May sleep.
 * Return: 0 or a negative errno.
 */
long uverbs_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	struct ib_uverbs_ioctl_hdr __user *user_hdr = (void __user *)arg;
	struct uverbs_file *file = filp->private_data;
	struct ib_uverbs_ioctl_hdr hdr;
	int ret, idx;

	if (cmd == UVERBS_IOCTL_LAST_REFUSAL)
		return uverbs_file_last_refusal(file, user_hdr);
	if (cmd != RDMA_VERBS_IOCTL)
		return -ENOIOCTLCMD;

	idx = srcu_read_lock(&file->udev->srcu);
	ret = read_header(&hdr, user_hdr) ?: call(file, &hdr, user_hdr->attrs);
	if (ret)
		uverbs_file_record(file, ret, UVERBS_CALL_IOCTL,
				   hdr.object_id, hdr.method_id);
	srcu_read_unlock(&file->udev->srcu, idx);
	return ret;
}
