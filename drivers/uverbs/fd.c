// SPDX-License-Identifier: GPL-2.0-only
/*
 * Handles that are file descriptors: event channels. The struct file owns the
 * handle's first reference and keeps the uverbs_file, because it may be closed
 * long after the device file.
 */
#include <linux/anon_inodes.h>
#include <linux/file.h>
#include <linux/fs.h>
#include "bundle.h"
#include "uverbs_priv.h"

/**
 * uverbs_fd_reserve() - make a descriptor that is not installed yet
 * @uobj: fresh from uverbs_uobj_alloc()
 *
 * Context: May sleep.
 * Return: 0 or a negative errno.
 */
int uverbs_fd_reserve(struct ib_uobject *uobj)
{
	const struct uverbs_obj_type *type = uobj->type;
	struct file *filp;
	int fd;

	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0)
		return uverbs_refuse(fd, "no file descriptor left");

	filp = anon_inode_getfile(type->fd_name, type->fops, NULL,
				  type->fd_flags);
	if (IS_ERR(filp)) {
		put_unused_fd(fd);
		return uverbs_refuse(PTR_ERR(filp), "no open file left");
	}
	uobj->id = fd;
	uobj->filp = filp;
	return 0;
}

/**
 * uverbs_fd_publish() - install the descriptor
 * @uobj: reserved; the caller's reference becomes the struct file's
 *
 * Context: May sleep. From here on user space may close it at any time.
 */
void uverbs_fd_publish(struct ib_uobject *uobj)
{
	struct file *filp = uobj->filp;
	int fd = uobj->id;

	uverbs_file_get(uobj->file);
	/* before it is in the list, whose readers look at it */
	uobj->published = true;
	uverbs_table_link(&uobj->file->table, uobj);
	uverbs_uobj_unlock(uobj, UVERBS_ACC_NEW);
	filp->private_data = uobj;
	fd_install(fd, filp);
}

/**
 * uverbs_fd_abort() - undo a reservation
 * @uobj: reserved; the caller's reference is dropped
 *
 * Context: May sleep.
 */
void uverbs_fd_abort(struct ib_uobject *uobj)
{
	put_unused_fd(uobj->id);
	fput(uobj->filp);
	uverbs_uobj_put(uobj);
}

/**
 * uverbs_fd_find() - look up a descriptor
 * @file: device file that must have made it
 * @type: class that it must have
 * @id: number from user space
 *
 * Context: May sleep.
 * Return: a reference, which includes one on uobj->filp; -EINVAL for what is
 * no int, -EBADF for any other file.
 */
struct ib_uobject *uverbs_fd_find(struct uverbs_file *file,
				  const struct uverbs_obj_type *type, s64 id)
{
	struct ib_uobject *uobj;
	struct file *filp;
	int fd = id;

	if (fd != id)
		return ERR_PTR(uverbs_refuse(-EINVAL,
					     "not a file descriptor"));
	filp = fget(fd);
	if (!filp)
		return ERR_PTR(uverbs_refuse(-EBADF,
					     "file descriptor is closed"));
	uobj = filp->private_data;
	if (filp->f_op != type->fops || uobj->file != file) {
		fput(filp);
		return ERR_PTR(uverbs_refuse(-EBADF,
					     "no event channel of this file"));
	}
	uverbs_uobj_get(uobj);
	return uobj;
}

/**
 * uverbs_fd_release() - release operation of event channels
 * @inode: unused
 * @filp: the channel's file; without a handle when its creation failed
 *
 * Context: May sleep.
 * Return: 0.
 */
int uverbs_fd_release(struct inode *inode, struct file *filp)
{
	struct ib_uobject *uobj = filp->private_data;
	struct uverbs_file *file;
	int ret;

	if (!uobj)
		return 0;

	file = uobj->file;
	mutex_lock(&file->teardown_lock);
	ret = uverbs_uobj_end(uobj, IB_REMOVE_CLOSE);
	mutex_unlock(&file->teardown_lock);
	uverbs_file_put(file);
	/* Channels always end; one that did not would still be listed. */
	if (!WARN_ON_ONCE(ret))
		uverbs_uobj_put(uobj);
	return 0;
}
