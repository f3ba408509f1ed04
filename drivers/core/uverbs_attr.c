// SPDX-License-Identifier: GPL-2.0-only
/*
 * How handlers of the user ABI reach the attributes of their call. Here and
 * not in ib_uverbs, so that a driver with attribute tables loads without it.
 */
#include <linux/string.h>
#include <linux/uaccess.h>
#include <ib/export.h>
#include <ib/refuse.h>
#include <ib/uverbs_bundle.h>

static int refuse_absent(u16 id)
{
	return ib_refuse_attr(IB_LAYER_UVERBS, id, -ENOENT,
			      "attribute is missing", 0, 0);
}

/**
 * uverbs_attr_present() - did user space send an attribute?
 * @b: the call
 * @id: attribute id
 *
 * Context: Any context.
 * Return: true when it did.
 */
bool uverbs_attr_present(const struct uverbs_bundle *b, u16 id)
{
	return uverbs_attr_find(b, id);
}
EXPORT_SYMBOL_IB(uverbs_attr_present);

/**
 * uverbs_attr_uobject() - the handle that an attribute names
 * @b: the call
 * @id: attribute id
 *
 * Context: Any context. Valid until the handler returns.
 * Return: the handle, or NULL when the attribute is absent.
 */
struct ib_uobject *uverbs_attr_uobject(const struct uverbs_bundle *b, u16 id)
{
	const struct uverbs_attr *attr = uverbs_attr_find(b, id);

	return attr ? attr->uobj : NULL;
}
EXPORT_SYMBOL_IB(uverbs_attr_uobject);

/**
 * uverbs_attr_object() - the object behind the handle that an attribute names
 * @b: the call
 * @id: attribute id
 *
 * Context: Any context. Valid until the handler returns.
 * Return: the object, or NULL when the attribute is absent.
 */
void *uverbs_attr_object(const struct uverbs_bundle *b, u16 id)
{
	const struct uverbs_attr *attr = uverbs_attr_find(b, id);

	return attr ? attr->uobj->object : NULL;
}
EXPORT_SYMBOL_IB(uverbs_attr_object);

/**
 * uverbs_attr_num_objects() - how many handles an array has
 * @b: the call
 * @id: attribute id, of kind UVERBS_KIND_IDRS_ARRAY
 *
 * Context: Any context.
 * Return: the number, 0 when the attribute is absent.
 */
unsigned int uverbs_attr_num_objects(const struct uverbs_bundle *b, u16 id)
{
	return uverbs_attr_len(b, id) / sizeof(u32);
}
EXPORT_SYMBOL_IB(uverbs_attr_num_objects);

/**
 * uverbs_attr_object_at() - the object behind a handle of an array
 * @b: the call
 * @id: attribute id, of kind UVERBS_KIND_IDRS_ARRAY
 * @i: place, below uverbs_attr_num_objects()
 *
 * Context: Any context. Valid until the handler returns.
 * Return: the object.
 */
void *uverbs_attr_object_at(const struct uverbs_bundle *b, u16 id,
			    unsigned int i)
{
	return uverbs_attr_find(b, id)->uobjs[i]->object;
}
EXPORT_SYMBOL_IB(uverbs_attr_object_at);

/**
 * uverbs_attr_choice() - which shape an attribute has
 * @b: the call
 * @id: attribute id, of kind UVERBS_KIND_ENUM_IN
 *
 * Context: Any context.
 * Return: the shape's number, or -ENOENT.
 */
int uverbs_attr_choice(const struct uverbs_bundle *b, u16 id)
{
	const struct uverbs_attr *attr = uverbs_attr_find(b, id);

	return attr ? attr->choice : refuse_absent(id);
}
EXPORT_SYMBOL_IB(uverbs_attr_choice);

/**
 * uverbs_attr_len() - bytes of an attribute
 * @b: the call
 * @id: attribute id
 *
 * Context: Any context.
 * Return: the length that user space gave, 0 when the attribute is absent.
 */
size_t uverbs_attr_len(const struct uverbs_bundle *b, u16 id)
{
	const struct uverbs_attr *attr = uverbs_attr_find(b, id);

	return attr ? attr->len : 0;
}
EXPORT_SYMBOL_IB(uverbs_attr_len);

/**
 * uverbs_attr_copied() - kernel copy of an attribute's data
 * @b: the call
 * @id: an attribute declared with UVERBS_ATTR_COPY_IN
 *
 * Context: Any context. Freed when the handler returns.
 * Return: the data, uverbs_attr_len() bytes; NULL when it is absent.
 */
void *uverbs_attr_copied(const struct uverbs_bundle *b, u16 id)
{
	const struct uverbs_attr *attr = uverbs_attr_find(b, id);

	if (!attr)
		return NULL;
	return uverbs_attr_is_inline(attr) ? (void *)&attr->data : attr->copy;
}
EXPORT_SYMBOL_IB(uverbs_attr_copied);

/**
 * uverbs_attr_copy_in() - read an attribute's data
 * @b: the call
 * @id: attribute id
 * @dst: gets @len bytes; zero-filled where user space sent less
 * @len: bytes that the handler knows
 *
 * Context: May sleep.
 * Return: 0, -ENOENT or -EFAULT.
 */
int uverbs_attr_copy_in(const struct uverbs_bundle *b, u16 id, void *dst,
			size_t len)
{
	const struct uverbs_attr *attr = uverbs_attr_find(b, id);
	size_t n;

	if (!attr)
		return refuse_absent(id);

	n = min_t(size_t, len, attr->len);
	if (uverbs_attr_is_inline(attr))
		memcpy(dst, &attr->data, n);
	else if (attr->def->flags & UVERBS_ATTR_COPY_IN)
		memcpy(dst, attr->copy, n);
	else if (copy_from_user(dst, u64_to_user_ptr(attr->data), n))
		return ib_refuse_attr(IB_LAYER_UVERBS, id, -EFAULT,
				      "cannot read %llu bytes at 0x%llx", n,
				      attr->data);
	memset(dst + n, 0, len - n);
	return 0;
}
EXPORT_SYMBOL_IB(uverbs_attr_copy_in);

/**
 * uverbs_attr_copy_out() - write an attribute's data and mark it as written
 * @b: the call
 * @id: attribute id
 * @src: the answer; cut to what user space has room for
 * @len: bytes of the answer
 *
 * Where the declaration says UVERBS_ATTR_ZERO_TAIL, room beyond @len is
 * zeroed.
 *
 * Context: May sleep.
 * Return: 0, -ENOENT or -EFAULT.
 */
int uverbs_attr_copy_out(const struct uverbs_bundle *b, u16 id,
			 const void *src, size_t len)
{
	const struct uverbs_attr *attr = uverbs_attr_find(b, id);
	void __user *dst;
	size_t n;

	if (!attr)
		return refuse_absent(id);

	dst = u64_to_user_ptr(attr->data);
	n = min_t(size_t, len, attr->len);
	if (copy_to_user(dst, src, n))
		goto fault;
	if (attr->def->flags & UVERBS_ATTR_ZERO_TAIL && n < attr->len &&
	    clear_user(dst + n, attr->len - n))
		goto fault;
	if (put_user(attr->flags | UVERBS_ATTR_F_VALID_OUTPUT,
		     &b->user_attrs[attr->index].flags))
		goto fault;
	return 0;

fault:
	return ib_refuse_attr(IB_LAYER_UVERBS, id, -EFAULT,
			      "cannot write %llu bytes at 0x%llx", attr->len,
			      attr->data);
}
EXPORT_SYMBOL_IB(uverbs_attr_copy_out);

/**
 * uverbs_attr_u64() - a number that user space passes in 8 bytes
 * @b: the call
 * @id: attribute id
 * @val: gets the number
 *
 * Context: Any context.
 * Return: 0 or -ENOENT.
 */
int uverbs_attr_u64(const struct uverbs_bundle *b, u16 id, u64 *val)
{
	const struct uverbs_attr *attr = uverbs_attr_find(b, id);

	if (!attr)
		return refuse_absent(id);
	*val = attr->data;
	return 0;
}
EXPORT_SYMBOL_IB(uverbs_attr_u64);

/**
 * uverbs_attr_flags() - a set of flags, in 4 or in 8 bytes
 * @b: the call
 * @id: attribute id
 * @allowed: flags that the handler knows
 * @val: gets the flags, 0 when the attribute is absent
 *
 * Context: Any context.
 * Return: 0, or -EINVAL for unknown flags or another size.
 */
int uverbs_attr_flags(const struct uverbs_bundle *b, u16 id, u32 allowed,
		      u32 *val)
{
	const struct uverbs_attr *attr = uverbs_attr_find(b, id);
	u64 flags;

	*val = 0;
	if (!attr)
		return 0;

	if (attr->len == sizeof(u64))
		flags = attr->data;
	else if (attr->len == sizeof(u32))
		flags = *(const u32 *)&attr->data;
	else
		return ib_refuse_attr(IB_LAYER_UVERBS, id, -EINVAL,
				      "flags of %llu bytes", attr->len, 0);

	if (flags & ~(u64)allowed)
		return ib_refuse_attr(IB_LAYER_UVERBS, id, -EINVAL,
				      "flags 0x%llx, known are 0x%llx", flags,
				      allowed);
	*val = flags;
	return 0;
}
EXPORT_SYMBOL_IB(uverbs_attr_flags);

/**
 * uverbs_udata() - the driver's part of the call
 * @b: the call
 *
 * Context: Any context.
 * Return: never NULL; empty where user space sent none.
 */
struct ib_udata *uverbs_udata(struct uverbs_bundle *b)
{
	return &b->udata;
}
EXPORT_SYMBOL_IB(uverbs_udata);

/**
 * uverbs_udata_bundle() - the call that driver data came with
 * @udata: as the driver's operation got it, and no copy of it
 *
 * For attributes that a driver adds to a method of the core. A command of
 * write() has none of them.
 *
 * Context: Any context.
 * Return: the call.
 */
const struct uverbs_bundle *uverbs_udata_bundle(const struct ib_udata *udata)
{
	return container_of(udata, struct uverbs_bundle, udata);
}
EXPORT_SYMBOL_IB(uverbs_udata_bundle);

/**
 * uverbs_context() - the calling file's context
 * @b: the call
 *
 * Context: Any context.
 * Return: the context, or NULL before GET_CONTEXT.
 */
struct ib_ucontext *uverbs_context(const struct uverbs_bundle *b)
{
	return b->context;
}
EXPORT_SYMBOL_IB(uverbs_context);

/**
 * uverbs_device() - the device of the call
 * @b: the call
 *
 * Context: Any context.
 * Return: the device; never NULL in a handler that does not destroy.
 */
struct ib_device *uverbs_device(const struct uverbs_bundle *b)
{
	return b->device;
}
EXPORT_SYMBOL_IB(uverbs_device);
