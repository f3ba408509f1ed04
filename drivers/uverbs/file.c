// SPDX-License-Identifier: GPL-2.0-only
/*
 * The life of an open device file, and its end: every object it made is
 * destroyed, leaves first. No order is written down. The newest is tried
 * first, what is still in use is refused by the core and tried again after
 * the others, and each round must get rid of something.
 */
#include <linux/slab.h>
#include <ib/cgroup.h>
#include <ib/ucontext.h>
#include "bundle.h"
#include "event_fd.h"
#include "uverbs_priv.h"

/**
 * uverbs_file_alloc() - state of a file that is being opened
 * @udev: the device, whose reference the file takes over
 *
 * Context: May sleep.
 * Return: the file with one reference, or NULL.
 */
struct uverbs_file *uverbs_file_alloc(struct uverbs_device *udev)
{
	struct uverbs_file *file = kzalloc(sizeof(*file), GFP_KERNEL_ACCOUNT);

	if (!file)
		return NULL;
	if (uverbs_table_init(&file->table)) {
		kfree(file);
		return NULL;
	}
	kref_init(&file->ref);
	file->udev = udev;
	mutex_init(&file->context_lock);
	mutex_init(&file->teardown_lock);
	spin_lock_init(&file->failure.lock);
	INIT_LIST_HEAD(&file->entry);
	return file;
}

static void free_file(struct kref *ref)
{
	struct uverbs_file *file = container_of(ref, struct uverbs_file, ref);

	WARN_ON_ONCE(!list_empty(&file->table.objects));
	uverbs_table_destroy(&file->table);
	if (file->async)
		uverbs_uobj_put(&file->async->uobj);
	put_device(&file->udev->dev);
	kfree(file);
}

void uverbs_file_get(struct uverbs_file *file)
{
	kref_get(&file->ref);
}

void uverbs_file_put(struct uverbs_file *file)
{
	kref_put(&file->ref, free_file);
}

/* The next object behind @after, newest first, with a reference */
static struct ib_uobject *next_object(struct uverbs_table *table,
				      struct ib_uobject *after)
{
	struct ib_uobject *uobj = NULL;
	struct list_head *pos;

	xa_lock(&table->ids);
	pos = after ? after->entry.next : table->objects.next;
	if (pos != &table->objects) {
		uobj = list_entry(pos, struct ib_uobject, entry);
		uverbs_uobj_get(uobj);
	}
	xa_unlock(&table->ids);
	return uobj;
}

/*
 * One round. The next object is found before the current one leaves the
 * list; nobody else takes objects off while teardown_lock is held.
 */
static unsigned int end_objects(struct uverbs_file *file,
				enum ib_remove_reason why)
{
	struct ib_uobject *uobj, *next;
	unsigned int ended = 0;

	lockdep_assert_held(&file->teardown_lock);
	uobj = next_object(&file->table, NULL);
	while (uobj) {
		next = next_object(&file->table, uobj);
		if (!uverbs_uobj_end(uobj, why))
			ended++;
		uverbs_uobj_put(uobj);
		uobj = next;
	}
	return ended;
}

/*
 * The driver insists: better lose memory than free what hardware may use. The
 * handle is lost as well, the object's events still come to it.
 */
static void leak_objects(struct uverbs_file *file)
{
	struct ib_uobject *uobj;

	while ((uobj = next_object(&file->table, NULL))) {
		WARN(1, "uverbs%d: object of handle %d cannot be destroyed\n",
		     file->udev->number, uobj->id);
		uobj->object = NULL;
		ib_cgroup_uncharge(file->context->obj.device, IB_CGROUP_OBJECT,
				   &uobj->cgroup);
		uverbs_table_unlink(&file->table, uobj);
	}
}

/**
 * uverbs_file_teardown() - destroy all that a file has
 * @file: the file
 * @why: IB_REMOVE_CLOSE or IB_REMOVE_DEVICE
 *
 * Context: May sleep. No system call on the file runs, or it is one that
 * takes teardown_lock. May be called again.
 */
void uverbs_file_teardown(struct uverbs_file *file, enum ib_remove_reason why)
{
	struct ib_ucontext *context;

	mutex_lock(&file->teardown_lock);
	context = file->context;
	if (!context)
		goto out;

	if (why == IB_REMOVE_DEVICE)
		ib_mmap_zap(context);
	context->cleanup_retryable = true;
	while (end_objects(file, why))
		;
	context->cleanup_retryable = false;
	end_objects(file, why);
	leak_objects(file);

	file->context = NULL;
	ib_dealloc_ucontext(context);
out:
	mutex_unlock(&file->teardown_lock);
}
