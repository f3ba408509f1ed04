// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a call holds. Handlers take objects with uverbs_new() and uverbs_get()
 * and never give them back: the end of the call does, in one place. A new
 * handle is published when the call succeeds; when it fails, the object that
 * may already be behind it is destroyed.
 */
#include <linux/file.h>
#include <linux/log2.h>
#include <linux/slab.h>
#include <ib/cgroup.h>
#include <ib/ucontext.h>
#include "bundle.h"
#include "tree.h"
#include "uverbs_priv.h"

/**
 * uverbs_bundle_init() - start a call without attributes
 * @b: the call
 * @file: the open file
 *
 * Context: In an SRCU section of the device, or as the only user of the file.
 */
void uverbs_bundle_init(struct uverbs_bundle *b, struct uverbs_file *file)
{
	memset(b, 0, offsetof(struct uverbs_bundle, held));
	b->file = file;
	if (!READ_ONCE(file->udev->live))
		return;
	b->device = file->udev->ib_dev;
	/* Pairs with the release in obj_device.c: the context is complete. */
	b->context = smp_load_acquire(&file->context);
	b->udata.ucontext = b->context;
}

static struct uverbs_held *held_at(struct uverbs_bundle *b, unsigned int i)
{
	return i < UVERBS_HELD ? &b->held[i] : &b->more_held[i - UVERBS_HELD];
}

/* Called at each power of two from UVERBS_HELD on: twice the room. */
static int grow_held(struct uverbs_bundle *b)
{
	unsigned int old = b->num_held - UVERBS_HELD;
	struct uverbs_held *more;

	more = kvmalloc_array(b->num_held * 2 - UVERBS_HELD, sizeof(*more),
			      GFP_KERNEL_ACCOUNT);
	if (!more)
		return uverbs_refuse(-ENOMEM, "no memory");
	if (old)
		memcpy(more, b->more_held, old * sizeof(*more));
	kvfree(b->more_held);
	b->more_held = more;
	return 0;
}

static noinline int hold_more(struct uverbs_bundle *b)
{
	if (!is_power_of_2(b->num_held))
		return 0;
	return grow_held(b);
}

static int hold(struct uverbs_bundle *b, struct ib_uobject *uobj,
		enum uverbs_access access)
{
	int ret;

	if (b->num_held >= UVERBS_HELD) {
		ret = hold_more(b);
		if (ret)
			return ret;
	}
	*held_at(b, b->num_held++) = (struct uverbs_held){
		.uobj = uobj, .access = access,
	};
	return 0;
}

static void put_found(struct ib_uobject *uobj)
{
	/* May be the last reference of the file, and end the object. */
	if (uobj->type->fops)
		fput(uobj->filp);
	uverbs_uobj_put(uobj);
}

/* The object is gone, or never was. */
static void uncharge(struct ib_uobject *uobj)
{
	if (uobj->cgroup)
		ib_cgroup_uncharge(uobj->context->obj.device, IB_CGROUP_OBJECT,
				   &uobj->cgroup);
}

static void abort_new(struct ib_uobject *uobj)
{
	uncharge(uobj);
	if (uobj->type->fops)
		uverbs_fd_abort(uobj);
	else
		uverbs_handle_remove(&uobj->file->table, uobj);
}

static void publish_new(struct ib_uobject *uobj)
{
	if (uobj->type->fops)
		uverbs_fd_publish(uobj);
	else
		uverbs_handle_publish(uobj);
}

static const struct uverbs_tree_object *find_object(struct uverbs_bundle *b,
						    u16 object)
{
	const struct uverbs_tree_object *node;

	node = uverbs_tree_object(b->file->udev->tree, object);
	if (!node || !node->has_handles)
		return ERR_PTR(ib_refuse(IB_LAYER_UVERBS, -EINVAL,
					 "device has no handles of object %llu",
					 object, 0));
	return node;
}

/* Event channels are charged as files are, not as objects of the device. */
static int reserve(struct uverbs_bundle *b, struct ib_uobject *uobj)
{
	int ret;

	if (uobj->type->fops)
		return uverbs_fd_reserve(uobj);
	ret = ib_cgroup_charge(b->device, IB_CGROUP_OBJECT, &uobj->cgroup);
	if (ret)
		return ret;
	ret = uverbs_handle_reserve(&b->file->table, uobj);
	if (ret)
		uncharge(uobj);
	return ret;
}

static struct ib_uobject *new_handle(struct uverbs_bundle *b, u16 object,
				     bool early)
{
	const struct uverbs_tree_object *node = find_object(b, object);
	struct ib_uobject *uobj;
	int ret;

	if (IS_ERR(node))
		return ERR_CAST(node);
	if (!b->device)
		return ERR_PTR(uverbs_refuse(-EIO, "device is gone"));
	if (!b->context && !early)
		return ERR_PTR(uverbs_refuse(-EINVAL, "file has no context"));

	uobj = uverbs_uobj_alloc(&node->type);
	if (!uobj)
		return ERR_PTR(uverbs_refuse(-ENOMEM, "no memory"));
	uobj->file = b->file;
	uobj->context = b->context;
	ret = reserve(b, uobj);
	if (ret) {
		uverbs_uobj_put(uobj);
		return ERR_PTR(ret);
	}

	ret = hold(b, uobj, UVERBS_ACC_NEW);
	if (ret) {
		abort_new(uobj);
		return ERR_PTR(ret);
	}
	return uobj;
}

/**
 * uverbs_new() - reserve a handle for an object that the call will make
 * @b: the call
 * @object: object id
 *
 * The caller sets uobj->object when the object lives.
 *
 * Context: May sleep.
 * Return: the handle, or an ERR_PTR.
 */
struct ib_uobject *uverbs_new(struct uverbs_bundle *b, u16 object)
{
	return new_handle(b, object, false);
}

/**
 * uverbs_new_early() - the same, before the file has a context
 * @b: the call
 * @object: object id, of a class of descriptors: others are charged
 *
 * The caller also sets uobj->context.
 *
 * Context: May sleep.
 * Return: the handle, or an ERR_PTR.
 */
struct ib_uobject *uverbs_new_early(struct uverbs_bundle *b, u16 object)
{
	return new_handle(b, object, true);
}

/**
 * uverbs_get() - look up an object for the time of the call
 * @b: the call
 * @object: object id
 * @id: handle or file descriptor
 * @access: what the call does with it
 *
 * Context: May sleep.
 * Return: the handle, or an ERR_PTR.
 */
struct ib_uobject *uverbs_get(struct uverbs_bundle *b, u16 object, s64 id,
			      enum uverbs_access access)
{
	const struct uverbs_tree_object *node = find_object(b, object);
	struct ib_uobject *uobj;
	int ret;

	if (IS_ERR(node))
		return ERR_CAST(node);
	if (!node->type.fops)
		uobj = uverbs_handle_find(&b->file->table, &node->type, id);
	else if (access == UVERBS_ACC_READ)
		uobj = uverbs_fd_find(b->file, &node->type, id);
	else
		uobj = ERR_PTR(uverbs_refuse(-EOPNOTSUPP,
					     "file descriptors are closed"));
	if (IS_ERR(uobj))
		return uobj;

	if (access != UVERBS_ACC_DESTROY && !b->device)
		ret = uverbs_refuse(-EIO, "device is gone");
	else
		ret = uverbs_uobj_lock(uobj, access);
	if (ret)
		goto err_put;
	ret = hold(b, uobj, access);
	if (ret)
		goto err_unlock;
	return uobj;

err_unlock:
	uverbs_uobj_unlock(uobj, access);
err_put:
	put_found(uobj);
	return ERR_PTR(ret);
}

/**
 * uverbs_get_object() - look up an object to use it
 * @b: the call
 * @object: object id
 * @id: handle
 *
 * Context: May sleep.
 * Return: the object behind the handle, or an ERR_PTR.
 */
void *uverbs_get_object(struct uverbs_bundle *b, u16 object, u32 id)
{
	struct ib_uobject *uobj = uverbs_get(b, object, id, UVERBS_ACC_READ);

	return IS_ERR(uobj) ? ERR_CAST(uobj) : uobj->object;
}

/**
 * uverbs_destroy() - destroy an object because the user asked for it
 * @b: the call
 * @uobj: from uverbs_get() with UVERBS_ACC_DESTROY
 *
 * On success the handle is gone, and stays locked: another call that found
 * it before must not use it.
 *
 * Context: May sleep.
 * Return: 0; -EBUSY when the object is in use, or the driver's errno.
 */
int uverbs_destroy(struct uverbs_bundle *b, struct ib_uobject *uobj)
{
	struct uverbs_file *file = b->file;
	bool gone = !b->device;
	int ret;

	/* Nothing but teardown runs beside a call on a device that is gone. */
	if (gone)
		mutex_lock(&file->teardown_lock);
	ret = uverbs_uobj_lock(uobj, UVERBS_ACC_WRITE);
	if (ret)
		goto out;
	if (uobj->object) {
		ret = uobj->type->destroy(uobj, IB_REMOVE_DESTROY, b);
		if (ret) {
			uverbs_uobj_unlock(uobj, UVERBS_ACC_WRITE);
			goto out;
		}
		uobj->object = NULL;
	}
	uncharge(uobj);
	uverbs_handle_remove(&file->table, uobj);
out:
	if (gone)
		mutex_unlock(&file->teardown_lock);
	return ret;
}

/**
 * uverbs_destroy_handle() - look up an object and destroy it
 * @b: the call
 * @object: object id
 * @id: handle
 *
 * Context: May sleep.
 * Return: the handle, for what it counted; or an ERR_PTR.
 */
struct ib_uobject *uverbs_destroy_handle(struct uverbs_bundle *b, u16 object,
					 u32 id)
{
	struct ib_uobject *uobj = uverbs_get(b, object, id, UVERBS_ACC_DESTROY);
	int ret;

	if (IS_ERR(uobj))
		return uobj;
	ret = uverbs_destroy(b, uobj);
	return ret ? ERR_PTR(ret) : uobj;
}

/**
 * uverbs_uobj_end() - destroy an object because its file or device goes
 * @uobj: the handle; it stays, without an object
 * @why: IB_REMOVE_CLOSE or IB_REMOVE_DEVICE
 *
 * Context: May sleep. Caller holds the file's teardown_lock and a reference,
 * and knows that no call uses the object.
 * Return: 0, or a negative errno when the object lives on.
 */
int uverbs_uobj_end(struct ib_uobject *uobj, enum ib_remove_reason why)
{
	struct uverbs_file *file = uobj->file;
	struct uverbs_bundle b;
	int ret;

	lockdep_assert_held(&file->teardown_lock);
	if (uobj->object) {
		memset(&b, 0, sizeof(b));
		b.file = file;
		b.context = uobj->context;
		b.device = file->udev->ib_dev;
		b.udata.ucontext = uobj->context;
		ret = uobj->type->destroy(uobj, why, &b);
		if (ret)
			return ret;
		uobj->object = NULL;
	}
	uncharge(uobj);
	uobj->context = NULL;
	uverbs_table_unlink(&file->table, uobj);
	return 0;
}

static void finish_new(struct uverbs_bundle *b, struct ib_uobject *uobj,
		       bool success)
{
	/* The driver must not answer to a call that has failed. */
	if (!success && uobj->object) {
		b->udata = (struct ib_udata){ .ucontext = b->context };
		if (!uobj->type->destroy(uobj, IB_REMOVE_ABORT, b))
			uobj->object = NULL;
	}

	/* What cannot be destroyed now is, with the file. */
	if (success || uobj->object)
		publish_new(uobj);
	else
		abort_new(uobj);
}

/* See uverbs_bundle_finish(). */
void uverbs_bundle_give_back(struct uverbs_bundle *b, bool success)
{
	struct uverbs_attr *attr;
	struct uverbs_held *held;

	while (b->num_held) {
		held = held_at(b, --b->num_held);
		if (held->access == UVERBS_ACC_NEW) {
			finish_new(b, held->uobj, success);
			continue;
		}
		uverbs_uobj_unlock(held->uobj, held->access);
		put_found(held->uobj);
	}

	if (b->more_held)
		kvfree(b->more_held);
	if (!b->allocated)
		return;
	for (attr = b->attrs; attr < &b->attrs[b->num_attrs]; attr++) {
		if (attr->allocated)
			kvfree(attr->copy);
	}
}
