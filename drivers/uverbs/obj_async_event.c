// SPDX-License-Identifier: GPL-2.0-only
/* Async event files in the user ABI. */
#include <linux/fs.h>
#include "bundle.h"
#include "event_fd.h"
#include "obj_table.h"

static int async_destroy(struct ib_uobject *uobj, enum ib_remove_reason why,
			 struct uverbs_bundle *b)
{
	uverbs_async_close(uobj->object, why == IB_REMOVE_DEVICE);
	return 0;
}

static int async_alloc(struct uverbs_bundle *b)
{
	struct ib_uobject *uobj =
		uverbs_attr_uobject(b, UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE);

	uverbs_async_open(container_of(uobj, struct uverbs_async_file, uobj));
	return 0;
}

static const struct uverbs_attr_def alloc_attrs[] = {
	UVERBS_ATTR_HANDLE(UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE,
			   UVERBS_KIND_FD, UVERBS_OBJECT_ASYNC_EVENT,
			   UVERBS_ACC_NEW, UVERBS_ATTR_REQUIRED),
};

static const struct uverbs_method_def methods[] = {
	{ .id = UVERBS_METHOD_ASYNC_EVENT_ALLOC, .handler = async_alloc,
	  .attrs = alloc_attrs, .num_attrs = ARRAY_SIZE(alloc_attrs) },
};

static const struct uverbs_obj_type async_type = {
	.size = sizeof(struct uverbs_async_file),
	.destroy = async_destroy,
	.fops = &uverbs_async_fops,
	.fd_name = "[infinibandevent]",
	.fd_flags = O_RDONLY,
};

const struct uverbs_object_def uverbs_object_async_event = {
	.id = UVERBS_OBJECT_ASYNC_EVENT,
	.type = &async_type,
	.methods = methods,
	.num_methods = ARRAY_SIZE(methods),
};
