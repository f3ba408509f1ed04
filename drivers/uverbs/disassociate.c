// SPDX-License-Identifier: GPL-2.0-only
/*
 * A device goes while files are open: unplugged, driver unloaded, or dead.
 * System calls get EIO from now on, readers wake, mappings lose their pages,
 * objects are destroyed. The files stay, empty, until they are closed.
 */
#include <linux/slab.h>
#include "uverbs_priv.h"

static struct uverbs_file *take_file(struct uverbs_device *udev)
{
	struct uverbs_file *file;

	mutex_lock(&udev->files_lock);
	file = list_first_entry_or_null(&udev->files, struct uverbs_file,
					entry);
	if (file) {
		list_del_init(&file->entry);
		uverbs_file_get(file);
	}
	mutex_unlock(&udev->files_lock);
	return file;
}

/**
 * uverbs_device_disassociate() - cut all files off from the device
 * @udev: the device
 *
 * Context: May sleep. May be called again, but not at the same time. On
 * return nothing of this module touches the device or its driver any more.
 */
void uverbs_device_disassociate(struct uverbs_device *udev)
{
	struct uverbs_file *file;

	/* Under the lock: a file that is being opened is in the list or out. */
	mutex_lock(&udev->files_lock);
	WRITE_ONCE(udev->live, false);
	mutex_unlock(&udev->files_lock);
	synchronize_srcu(&udev->srcu);

	while ((file = take_file(udev))) {
		uverbs_file_teardown(file, IB_REMOVE_DEVICE);
		uverbs_file_put(file);
	}
}
