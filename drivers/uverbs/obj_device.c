// SPDX-License-Identifier: GPL-2.0-only
/* The device in the user ABI: contexts, handles, and what query.c tells. */
#include <linux/slab.h>
#include <ib/ops.h>
#include <ib/ucontext.h>
#include <uapi/ib/newer.h>
#include "bundle.h"
#include "event_fd.h"
#include "obj_table.h"
#include "query.h"
#include "uverbs_priv.h"
#include "write.h"

static int copy_out_optional(struct uverbs_bundle *b, u16 id, const void *src,
			     size_t len)
{
	if (!uverbs_attr_find(b, id))
		return 0;
	return uverbs_attr_copy_out(b, id, src, len);
}

static u64 core_support(const struct ib_device *device)
{
	u64 support = IB_UVERBS_CORE_SUPPORT_OPTIONAL_MR_ACCESS;

	if (device->ops->robust_udata)
		support |= UVERBS_NEW_CORE_SUPPORT_ROBUST_UDATA;
	return support;
}

/* One context per file; the caller holds context_lock and publishes it. */
static struct ib_ucontext *__new_context(struct uverbs_bundle *b)
{
	lockdep_assert_held(&b->file->context_lock);
	if (b->file->context)
		return ERR_PTR(uverbs_refuse(-EINVAL,
					     "file has a context already"));
	return ib_alloc_ucontext(b->device, uverbs_udata(b));
}

static int get_context(struct uverbs_bundle *b)
{
	u64 support = core_support(b->device);
	struct uverbs_file *file = b->file;
	struct ib_ucontext *context;
	int ret;

	ret = copy_out_optional(b, UVERBS_ATTR_GET_CONTEXT_NUM_COMP_VECTORS,
				&file->udev->num_comp_vectors, sizeof(u32));
	if (!ret)
		ret = copy_out_optional(b, UVERBS_ATTR_GET_CONTEXT_CORE_SUPPORT,
					&support, sizeof(support));
	if (ret)
		return ret;

	mutex_lock(&file->context_lock);
	context = __new_context(b);
	if (IS_ERR(context))
		ret = PTR_ERR(context);
	else
		/* Pairs with the acquire of other calls. */
		smp_store_release(&file->context, context);
	mutex_unlock(&file->context_lock);
	return ret;
}

static int open_context(struct uverbs_bundle *b, struct ib_uobject *uobj)
{
	struct ib_ucontext *context;

	lockdep_assert_held(&b->file->context_lock);
	context = __new_context(b);
	if (IS_ERR(context))
		return PTR_ERR(context);
	b->context = context;
	uobj->context = context;
	uverbs_async_open(container_of(uobj, struct uverbs_async_file, uobj));
	/* Pairs with the acquire of other calls. */
	smp_store_release(&b->file->context, context);
	return 0;
}

/*
 * The older way: an async event file comes with the context. The core's half
 * is answered first: when that fails, nothing has to be taken back.
 */
int uverbs_write_get_context(struct uverbs_bundle *b)
{
	struct ib_uverbs_get_context_resp resp = {
		.num_comp_vectors = b->file->udev->num_comp_vectors,
	};
	struct ib_uverbs_get_context cmd;
	struct ib_uobject *uobj;
	int ret;

	ret = uverbs_request(b, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	uobj = uverbs_new_early(b, UVERBS_OBJECT_ASYNC_EVENT);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	resp.async_fd = uobj->id;
	ret = uverbs_respond(b, &resp, sizeof(resp));
	if (ret)
		return ret;

	mutex_lock(&b->file->context_lock);
	ret = open_context(b, uobj);
	mutex_unlock(&b->file->context_lock);
	return ret;
}

static int query_context(struct uverbs_bundle *b)
{
	u64 support = core_support(b->device);
	struct uverbs_device *udev = b->file->udev;
	int ret;

	if (!b->context)
		return uverbs_refuse(-EINVAL, "file has no context");
	if (!b->device->ops->query_ucontext)
		return uverbs_refuse(-EOPNOTSUPP, "device has no query");
	ret = copy_out_optional(b, UVERBS_ATTR_QUERY_CONTEXT_NUM_COMP_VECTORS,
				&udev->num_comp_vectors, sizeof(u32));
	if (!ret)
		ret = copy_out_optional(b,
					UVERBS_ATTR_QUERY_CONTEXT_CORE_SUPPORT,
					&support, sizeof(support));
	if (ret)
		return ret;
	return b->device->ops->query_ucontext(b->context, b);
}

static u32 list_handles(struct uverbs_table *table,
			const struct uverbs_obj_type *type, u32 *ids, u32 max)
{
	struct ib_uobject *uobj;
	u32 num = 0;

	xa_lock(&table->ids);
	list_for_each_entry(uobj, &table->objects, entry) {
		if (uobj->type == type && num < max &&
		    READ_ONCE(uobj->published))
			ids[num++] = uobj->id;
	}
	xa_unlock(&table->ids);
	return num;
}

static int info_handles(struct uverbs_bundle *b)
{
	size_t len = uverbs_attr_len(b, UVERBS_ATTR_INFO_HANDLES_LIST);
	const struct uverbs_tree_object *object;
	u32 *ids, num;
	u64 id;
	int ret;

	if (!len || len % sizeof(u32))
		return uverbs_refuse_attr(UVERBS_ATTR_INFO_HANDLES_LIST,
					  -EINVAL, "list of %llu bytes", len,
					  0);
	ret = uverbs_attr_u64(b, UVERBS_ATTR_INFO_OBJECT_ID, &id);
	if (ret)
		return ret;
	if (id > U16_MAX)
		return uverbs_refuse_attr(UVERBS_ATTR_INFO_OBJECT_ID, -EINVAL,
					  "object id 0x%llx", id, 0);
	/* the last number stands for any kind */
	if (id == U16_MAX)
		return uverbs_refuse_attr(UVERBS_ATTR_INFO_OBJECT_ID, -ENOMSG,
					  "a list is of objects of one kind",
					  0, 0);
	object = uverbs_tree_object(b->file->udev->tree, id);
	if (!object)
		return uverbs_refuse_attr(UVERBS_ATTR_INFO_OBJECT_ID, -ENOENT,
					  "no object %llu", id, 0);

	ids = kvcalloc(len / sizeof(u32), sizeof(u32), GFP_KERNEL_ACCOUNT);
	if (!ids)
		return uverbs_refuse(-ENOMEM, "no memory");
	num = list_handles(&b->file->table, &object->type, ids,
			   len / sizeof(u32));
	ret = uverbs_attr_copy_out(b, UVERBS_ATTR_INFO_HANDLES_LIST, ids,
				   num * sizeof(u32));
	if (!ret)
		ret = uverbs_attr_copy_out(b, UVERBS_ATTR_INFO_TOTAL_HANDLES,
					   &num, sizeof(num));
	kvfree(ids);
	return ret;
}

static const struct uverbs_attr_def invoke_write_attrs[] = {
	{ .id = UVERBS_ATTR_CORE_IN, .kind = UVERBS_KIND_PTR_IN,
	  .min_len = sizeof(u32), .max_len = U16_MAX },
	{ .id = UVERBS_ATTR_CORE_OUT, .kind = UVERBS_KIND_PTR_OUT,
	  .flags = UVERBS_ATTR_ZERO_TAIL, .max_len = U16_MAX },
	UVERBS_ATTR_IN(UVERBS_ATTR_WRITE_CMD, sizeof(u64),
		       UVERBS_ATTR_REQUIRED),
};

static const struct uverbs_attr_def info_handles_attrs[] = {
	UVERBS_ATTR_IN(UVERBS_ATTR_INFO_OBJECT_ID, sizeof(u64),
		       UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_OUT(UVERBS_ATTR_INFO_TOTAL_HANDLES, sizeof(u32), 0),
	{ .id = UVERBS_ATTR_INFO_HANDLES_LIST, .kind = UVERBS_KIND_PTR_OUT,
	  .min_len = sizeof(u32), .max_len = U16_MAX },
};

static const struct uverbs_attr_def query_port_attrs[] = {
	UVERBS_ATTR_IN(UVERBS_ATTR_QUERY_PORT_PORT_NUM, sizeof(u64),
		       UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_OUT(UVERBS_ATTR_QUERY_PORT_RESP,
			sizeof(struct ib_uverbs_query_port_resp_ex),
			UVERBS_ATTR_REQUIRED | UVERBS_ATTR_ZERO_TAIL),
};

static const struct uverbs_attr_def query_port_speed_attrs[] = {
	UVERBS_ATTR_IN(UVERBS_NEW_ATTR_QUERY_PORT_SPEED_PORT, sizeof(u64),
		       UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_OUT(UVERBS_NEW_ATTR_QUERY_PORT_SPEED_RESP, sizeof(u64),
			UVERBS_ATTR_REQUIRED),
};

static const struct uverbs_attr_def get_context_attrs[] = {
	UVERBS_ATTR_OUT(UVERBS_ATTR_GET_CONTEXT_NUM_COMP_VECTORS, sizeof(u32),
			0),
	UVERBS_ATTR_OUT(UVERBS_ATTR_GET_CONTEXT_CORE_SUPPORT, sizeof(u64), 0),
};

static const struct uverbs_attr_def query_context_attrs[] = {
	UVERBS_ATTR_OUT(UVERBS_ATTR_QUERY_CONTEXT_NUM_COMP_VECTORS,
			sizeof(u32), 0),
	UVERBS_ATTR_OUT(UVERBS_ATTR_QUERY_CONTEXT_CORE_SUPPORT, sizeof(u64),
			0),
};

static const struct uverbs_attr_def query_gid_table_attrs[] = {
	UVERBS_ATTR_IN(UVERBS_ATTR_QUERY_GID_TABLE_ENTRY_SIZE, sizeof(u64),
		       UVERBS_ATTR_REQUIRED),
	{ .id = UVERBS_ATTR_QUERY_GID_TABLE_FLAGS, .kind = UVERBS_KIND_PTR_IN,
	  .min_len = sizeof(u32), .max_len = sizeof(u64) },
	{ .id = UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES,
	  .kind = UVERBS_KIND_PTR_OUT, .flags = UVERBS_ATTR_REQUIRED,
	  .max_len = U16_MAX },
	UVERBS_ATTR_OUT(UVERBS_ATTR_QUERY_GID_TABLE_RESP_NUM_ENTRIES,
			sizeof(u64), UVERBS_ATTR_REQUIRED),
};

static const struct uverbs_attr_def query_gid_entry_attrs[] = {
	UVERBS_ATTR_IN(UVERBS_ATTR_QUERY_GID_ENTRY_PORT, sizeof(u64),
		       UVERBS_ATTR_REQUIRED),
	UVERBS_ATTR_IN(UVERBS_ATTR_QUERY_GID_ENTRY_GID_INDEX, sizeof(u64),
		       UVERBS_ATTR_REQUIRED),
	{ .id = UVERBS_ATTR_QUERY_GID_ENTRY_FLAGS, .kind = UVERBS_KIND_PTR_IN,
	  .flags = UVERBS_ATTR_REQUIRED,
	  .min_len = sizeof(u32), .max_len = sizeof(u64) },
	UVERBS_ATTR_OUT(UVERBS_ATTR_QUERY_GID_ENTRY_RESP_ENTRY,
			sizeof(struct ib_uverbs_gid_entry),
			UVERBS_ATTR_REQUIRED | UVERBS_ATTR_ZERO_TAIL),
};

static const struct uverbs_method_def methods[] = {
	{ .id = UVERBS_METHOD_INVOKE_WRITE, .handler = uverbs_invoke_write,
	  .has_udata = true, .attrs = invoke_write_attrs,
	  .num_attrs = ARRAY_SIZE(invoke_write_attrs) },
	{ .id = UVERBS_METHOD_INFO_HANDLES, .handler = info_handles,
	  .attrs = info_handles_attrs,
	  .num_attrs = ARRAY_SIZE(info_handles_attrs) },
	{ .id = UVERBS_METHOD_QUERY_PORT, .handler = uverbs_query_port,
	  .attrs = query_port_attrs,
	  .num_attrs = ARRAY_SIZE(query_port_attrs) },
	{ .id = UVERBS_METHOD_GET_CONTEXT, .handler = get_context,
	  .has_udata = true, .attrs = get_context_attrs,
	  .num_attrs = ARRAY_SIZE(get_context_attrs) },
	{ .id = UVERBS_METHOD_QUERY_CONTEXT, .handler = query_context,
	  .attrs = query_context_attrs,
	  .num_attrs = ARRAY_SIZE(query_context_attrs) },
	{ .id = UVERBS_METHOD_QUERY_GID_TABLE,
	  .handler = uverbs_query_gid_table, .attrs = query_gid_table_attrs,
	  .num_attrs = ARRAY_SIZE(query_gid_table_attrs) },
	{ .id = UVERBS_METHOD_QUERY_GID_ENTRY,
	  .handler = uverbs_query_gid_entry, .attrs = query_gid_entry_attrs,
	  .num_attrs = ARRAY_SIZE(query_gid_entry_attrs) },
	{ .id = UVERBS_NEW_METHOD_QUERY_PORT_SPEED,
	  .handler = uverbs_query_port_speed,
	  .needs = offsetof(struct ib_device_ops, query_port_speed),
	  .attrs = query_port_speed_attrs,
	  .num_attrs = ARRAY_SIZE(query_port_speed_attrs) },
};

const struct uverbs_object_def uverbs_object_device = {
	.id = UVERBS_OBJECT_DEVICE,
	.needs = offsetof(struct ib_device_ops, alloc_ucontext),
	.methods = methods,
	.num_methods = ARRAY_SIZE(methods),
};
