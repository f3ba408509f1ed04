// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/infiniband/uverbsN: one node per device, in class infiniband_verbs
 * with the attributes that libibverbs reads.
 */
#include <linux/fs.h>
#include <linux/idr.h>
#include <linux/module.h>
#include <linux/nsproxy.h>
#include <linux/slab.h>
#include <linux/stringify.h>
#include <linux/sysfs.h>
#include "obj_table.h"
#include "tree.h"
#include "uverbs_priv.h"

#define UVERBS_MAX_DEVICES	1024

static dev_t uverbs_base;
static DEFINE_IDA(uverbs_numbers);

static int uverbs_open(struct inode *inode, struct file *filp)
{
	struct uverbs_device *udev = container_of(inode->i_cdev,
						  struct uverbs_device, cdev);
	struct uverbs_file *file;
	int ret = 0;

	file = uverbs_file_alloc(udev);
	if (!file)
		return uverbs_refuse(-ENOMEM, "no memory for an open file");
	get_device(&udev->dev);

	mutex_lock(&udev->files_lock);
	if (!udev->live)
		ret = uverbs_refuse(-EIO, "device is gone");
	else if (!ib_device_visible(udev->ib_dev, current->nsproxy->net_ns))
		ret = uverbs_refuse(-EPERM,
				    "device is in another network namespace");
	else
		list_add(&file->entry, &udev->files);
	mutex_unlock(&udev->files_lock);
	if (ret) {
		uverbs_file_put(file);
		return ret;
	}
	filp->private_data = file;
	return stream_open(inode, filp);
}

static int uverbs_release(struct inode *inode, struct file *filp)
{
	struct uverbs_file *file = filp->private_data;
	struct uverbs_device *udev = file->udev;

	uverbs_file_teardown(file, IB_REMOVE_CLOSE);
	mutex_lock(&udev->files_lock);
	list_del_init(&file->entry);
	mutex_unlock(&udev->files_lock);
	uverbs_file_put(file);
	return 0;
}

static const struct file_operations uverbs_fops = {
	.owner = THIS_MODULE,
	.open = uverbs_open,
	.release = uverbs_release,
	.unlocked_ioctl = uverbs_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.write = uverbs_write,
	.mmap = uverbs_mmap,
};

static struct uverbs_device *to_udev(struct device *dev)
{
	return container_of(dev, struct uverbs_device, dev);
}

static ssize_t ibdev_show(struct device *dev, struct device_attribute *attr,
			  char *buf)
{
	struct uverbs_device *udev = to_udev(dev);
	char name[IB_DEVICE_NAME_MAX];
	ssize_t ret = -ENODEV;
	int idx;

	idx = srcu_read_lock(&udev->srcu);
	if (READ_ONCE(udev->live)) {
		ib_device_name(udev->ib_dev, name);
		ret = sysfs_emit(buf, "%s\n", name);
	}
	srcu_read_unlock(&udev->srcu, idx);
	return ret;
}
static DEVICE_ATTR_RO(ibdev);

static ssize_t abi_version_show(struct device *dev,
				struct device_attribute *attr, char *buf)
{
	struct uverbs_device *udev = to_udev(dev);
	ssize_t ret = -ENODEV;
	int idx;

	idx = srcu_read_lock(&udev->srcu);
	if (READ_ONCE(udev->live))
		ret = sysfs_emit(buf, "%u\n",
				 udev->ib_dev->ops->uverbs_abi_ver);
	srcu_read_unlock(&udev->srcu, idx);
	return ret;
}
static DEVICE_ATTR_RO(abi_version);

static struct attribute *uverbs_dev_attrs[] = {
	&dev_attr_abi_version.attr,
	&dev_attr_ibdev.attr,
	NULL,
};
ATTRIBUTE_GROUPS(uverbs_dev);

static char *uverbs_devnode(const struct device *dev, umode_t *mode)
{
	if (mode)
		*mode = 0666;
	return kasprintf(GFP_KERNEL, "infiniband/%s", dev_name(dev));
}

static CLASS_ATTR_STRING(abi_version, 0444,
			 __stringify(IB_USER_VERBS_ABI_VERSION));

static struct attribute *uverbs_class_attrs[] = {
	&class_attr_abi_version.attr.attr,
	NULL,
};
ATTRIBUTE_GROUPS(uverbs_class);

static const struct class uverbs_class = {
	.name = "infiniband_verbs",
	.class_groups = uverbs_class_groups,
	.dev_groups = uverbs_dev_groups,
	.devnode = uverbs_devnode,
};

static void uverbs_dev_release(struct device *dev)
{
	struct uverbs_device *udev = to_udev(dev);

	WARN_ON_ONCE(!xa_empty(&udev->xrcds));
	uverbs_tree_free(udev->tree);
	cleanup_srcu_struct(&udev->srcu);
	kfree(udev);
}

static struct uverbs_device *alloc_udev(struct ib_device *ib_dev)
{
	struct uverbs_device *udev = kzalloc(sizeof(*udev), GFP_KERNEL);
	struct uverbs_tree *tree;
	int ret;

	if (!udev)
		return ERR_PTR(uverbs_refuse(-ENOMEM, "no memory"));
	tree = uverbs_tree_build(ib_dev->ops, &uverbs_core_tables);
	if (IS_ERR(tree)) {
		ret = PTR_ERR(tree);
		dev_err(&ib_dev->dev, "tables of the user ABI are bad: %d\n",
			ret);
		goto err_free;
	}
	ret = init_srcu_struct(&udev->srcu);
	if (ret) {
		uverbs_refuse(ret, "no memory for SRCU");
		goto err_tree;
	}

	udev->tree = tree;
	udev->ib_dev = ib_dev;
	udev->num_comp_vectors = ib_dev->num_comp_vectors;
	udev->live = true;
	mutex_init(&udev->files_lock);
	mutex_init(&udev->xrcd_lock);
	xa_init(&udev->xrcds);
	INIT_LIST_HEAD(&udev->files);
	device_initialize(&udev->dev);
	udev->dev.class = &uverbs_class;
	udev->dev.parent = ib_dev->dev.parent;
	udev->dev.release = uverbs_dev_release;
	cdev_init(&udev->cdev, &uverbs_fops);
	udev->cdev.owner = THIS_MODULE;
	return udev;

err_tree:
	uverbs_tree_free(tree);
err_free:
	kfree(udev);
	return ERR_PTR(ret);
}

/**
 * uverbs_device_add() - make the node of a device
 * @ib_dev: the device
 *
 * Context: May sleep.
 * Return: the node, or an ERR_PTR.
 */
struct uverbs_device *uverbs_device_add(struct ib_device *ib_dev)
{
	struct uverbs_device *udev = alloc_udev(ib_dev);
	int ret;

	if (IS_ERR(udev))
		return udev;

	ret = ida_alloc_max(&uverbs_numbers, UVERBS_MAX_DEVICES - 1,
			    GFP_KERNEL);
	if (ret < 0) {
		uverbs_refuse(ret, "no number left for a node");
		goto err_put;
	}
	udev->number = ret;
	udev->dev.devt = uverbs_base + ret;
	ret = dev_set_name(&udev->dev, "uverbs%d", udev->number);
	if (!ret)
		ret = cdev_device_add(&udev->cdev, &udev->dev);
	if (ret) {
		uverbs_refuse(ret, "sysfs refuses the node");
		goto err_number;
	}
	return udev;

err_number:
	ida_free(&uverbs_numbers, udev->number);
err_put:
	put_device(&udev->dev);
	return ERR_PTR(ret);
}

/**
 * uverbs_device_remove() - take the node of a device away
 * @udev: the node; freed when the last open file is closed
 *
 * Context: May sleep.
 */
void uverbs_device_remove(struct uverbs_device *udev)
{
	cdev_device_del(&udev->cdev, &udev->dev);
	uverbs_device_disassociate(udev);
	ida_free(&uverbs_numbers, udev->number);
	put_device(&udev->dev);
}

int uverbs_chardev_init(void)
{
	int ret;

	ret = alloc_chrdev_region(&uverbs_base, 0, UVERBS_MAX_DEVICES,
				  "infiniband_verbs");
	if (ret)
		return ret;
	ret = class_register(&uverbs_class);
	if (ret)
		unregister_chrdev_region(uverbs_base, UVERBS_MAX_DEVICES);
	return ret;
}

void uverbs_chardev_exit(void)
{
	class_unregister(&uverbs_class);
	unregister_chrdev_region(uverbs_base, UVERBS_MAX_DEVICES);
}
