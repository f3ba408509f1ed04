// SPDX-License-Identifier: GPL-2.0-only
/* mmap of the device file: which pages are behind an offset, drivers know. */
#include <linux/fs.h>
#include <linux/mm.h>
#include "bundle.h"
#include "uverbs_priv.h"

static int map(struct uverbs_file *file, struct vm_area_struct *vma)
{
	struct ib_device *ib_dev = file->udev->ib_dev;
	struct ib_ucontext *context;

	if (!READ_ONCE(file->udev->live))
		return uverbs_refuse(-EIO, "device is gone");
	/* Pairs with the release in obj_device.c: the context is complete. */
	context = smp_load_acquire(&file->context);
	if (!context)
		return uverbs_refuse(-EINVAL, "file has no context");
	if (!ib_dev->ops->mmap)
		return uverbs_refuse(-ENODEV, "device maps nothing");
	return ib_dev->ops->mmap(context, vma);
}

/**
 * uverbs_mmap() - mmap operation of the device file
 * @filp: the file
 * @vma: the new mapping
 *
 * Context: Caller holds the mmap_lock for writing.
 * Return: 0 or a negative errno.
 */
int uverbs_mmap(struct file *filp, struct vm_area_struct *vma)
{
	struct uverbs_file *file = filp->private_data;
	int ret, idx;

	idx = srcu_read_lock(&file->udev->srcu);
	ret = map(file, vma);
	if (ret)
		uverbs_file_record(file, ret, UVERBS_CALL_MMAP, 0, 0);
	srcu_read_unlock(&file->udev->srcu, idx);
	return ret;
}
