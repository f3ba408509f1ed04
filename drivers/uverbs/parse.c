// SPDX-License-Identifier: GPL-2.0-only
/*
 * From the bytes of an ioctl to a parsed call. User space depends on each
 * errno here: EPROTONOSUPPORT means "this kernel cannot invoke that, try the
 * older way", and nothing else may use it.
 */
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <kunit/visibility.h>
#include "bundle.h"
#include "tree.h"
#include "uverbs_priv.h"

/**
 * uverbs_check_header() - is the fixed part of an ioctl well-formed?
 * @hdr: copied from user space
 *
 * Context: Any context.
 * Return: 0; -EINVAL for a length that does not match the number of
 * attributes or is more than a page, -EPROTONOSUPPORT for reserved fields.
 */
int uverbs_check_header(const struct ib_uverbs_ioctl_hdr *hdr)
{
	if (hdr->length > PAGE_SIZE ||
	    hdr->length != struct_size(hdr, attrs, hdr->num_attrs))
		return ib_refuse(IB_LAYER_UVERBS, -EINVAL,
				 "length %llu does not hold %llu attributes",
				 hdr->length, hdr->num_attrs);
	if (hdr->reserved1 || hdr->reserved2)
		return uverbs_refuse(-EPROTONOSUPPORT,
				     "reserved header field is set");
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(uverbs_check_header);

static int check_ptr(const struct uverbs_attr_def *def,
		     const struct ib_uverbs_attr *ua)
{
	if (ua->len < def->min_len)
		return uverbs_refuse_attr(def->id, -EINVAL,
					  "%llu bytes, need %llu", ua->len,
					  def->min_len);
	if (ua->len > def->max_len && !(def->flags & UVERBS_ATTR_ZERO_TAIL))
		return uverbs_refuse_attr(def->id, -EINVAL,
					  "%llu bytes, at most %llu", ua->len,
					  def->max_len);
	return 0;
}

/* Which of its shapes does an attribute have? */
static int check_choice(const struct uverbs_attr_def *def,
			const struct ib_uverbs_attr *ua)
{
	u8 choice = ua->attr_data.enum_data.elem_id;

	if (choice >= def->num_elems)
		return uverbs_refuse_attr(def->id, -EOPNOTSUPP,
					  "shape %llu, known are %llu", choice,
					  def->num_elems);
	if (ua->attr_data.enum_data.reserved)
		return uverbs_refuse_attr(def->id, -EINVAL,
					  "reserved field is set", 0, 0);
	if (def->elems[choice].kind != UVERBS_KIND_PTR_IN)
		return uverbs_refuse_attr(def->id, -EOPNOTSUPP,
					  "shape %llu is not there", choice,
					  0);
	return 0;
}

static int check_array(const struct uverbs_attr_def *def,
		       const struct ib_uverbs_attr *ua)
{
	unsigned int num = ua->len / sizeof(u32);

	if (ua->len % sizeof(u32))
		return uverbs_refuse_attr(def->id, -EINVAL,
					  "%llu bytes are no array of handles",
					  ua->len, 0);
	if (num < def->min_len)
		return uverbs_refuse_attr(def->id, -EINVAL,
					  "%llu handles, need %llu", num,
					  def->min_len);
	if (num > def->max_len)
		return uverbs_refuse_attr(def->id, -EINVAL,
					  "%llu handles, at most %llu", num,
					  def->max_len);
	return 0;
}

static int check_size(const struct uverbs_attr_def *def,
		      const struct ib_uverbs_attr *ua)
{
	switch (def->kind) {
	case UVERBS_KIND_PTR_IN:
	case UVERBS_KIND_PTR_OUT:
		return check_ptr(def, ua);
	case UVERBS_KIND_IDRS_ARRAY:
		return check_array(def, ua);
	default:
		if (!ua->len)
			return 0;
		return uverbs_refuse_attr(def->id, -EINVAL,
					  "handle with length %llu", ua->len,
					  0);
	}
}

/**
 * uverbs_check_attr() - is an attribute what its declaration says?
 * @def: the declaration
 * @ua: as user space sent it
 *
 * Pure: what needs user memory or the handle table comes later.
 *
 * Context: Any context.
 * Return: 0 or -EINVAL; -EOPNOTSUPP for a shape that is not there.
 */
int uverbs_check_attr(const struct uverbs_attr_def *def,
		      const struct ib_uverbs_attr *ua)
{
	int ret;

	if (def->kind == UVERBS_KIND_ENUM_IN) {
		ret = check_choice(def, ua);
		return ret ?: check_ptr(&def->elems[ua->attr_data.enum_data.elem_id],
					ua);
	}
	ret = check_size(def, ua);
	if (ret)
		return ret;
	if (ua->attr_data.reserved)
		return uverbs_refuse_attr(def->id, -EINVAL,
					  "reserved field is set", 0, 0);
	if (def->kind == UVERBS_KIND_RAW_FD &&
	    ua->data_s64 != (int)ua->data_s64)
		return uverbs_refuse_attr(def->id, -EINVAL,
					  "0x%llx is no file descriptor",
					  ua->data, 0);
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(uverbs_check_attr);

/*
 * A newer library may send a longer structure; what we do not know of it must
 * be off.
 */
static int check_tail(const struct uverbs_attr_def *def,
		      const struct ib_uverbs_attr *ua)
{
	size_t known = def->max_len;
	bool zero;

	if (!(def->flags & UVERBS_ATTR_ZERO_TAIL) || ua->len <= known)
		return 0;
	if (ua->len <= sizeof(ua->data))
		zero = !memchr_inv((const u8 *)&ua->data + known, 0,
				   ua->len - known);
	else
		zero = check_zeroed_user(u64_to_user_ptr(ua->data) + known,
					 ua->len - known) > 0;
	if (!zero)
		return uverbs_refuse_attr(def->id, -EOPNOTSUPP,
					  "unknown fields behind byte %llu",
					  known, 0);
	return 0;
}

static int parse_handle(struct uverbs_bundle *b, struct uverbs_attr *attr)
{
	const struct uverbs_attr_def *def = attr->def;

	if (def->access == UVERBS_ACC_NEW)
		attr->uobj = uverbs_new(b, def->object);
	else
		attr->uobj = uverbs_get(b, def->object, (s64)attr->data,
					def->access);
	if (IS_ERR(attr->uobj))
		return PTR_ERR(attr->uobj);

	/* User space learns the handle now, and may use it on success. */
	if (def->access == UVERBS_ACC_NEW &&
	    put_user((s64)attr->uobj->id,
		     &b->user_attrs[attr->index].data_s64))
		return uverbs_refuse_attr(def->id, -EFAULT,
					  "cannot write the handle", 0, 0);
	return 0;
}

/* The ids are read behind the pointers that they are going to become. */
static noinline int parse_array(struct uverbs_bundle *b, struct uverbs_attr *attr)
{
	const struct uverbs_attr_def *def = attr->def;
	unsigned int i, num = attr->len / sizeof(u32);
	struct ib_uobject **uobjs, *uobj;
	u32 *ids;

	uobjs = kmalloc_array(num, sizeof(*uobjs) + sizeof(*ids), GFP_KERNEL);
	if (!uobjs)
		return uverbs_refuse_attr(def->id, -ENOMEM, "no memory", 0, 0);
	ids = (u32 *)(uobjs + num);
	if (uverbs_attr_is_inline(attr)) {
		memcpy(ids, &attr->data, attr->len);
	} else if (copy_from_user(ids, u64_to_user_ptr(attr->data),
				  attr->len)) {
		kfree(uobjs);
		return uverbs_refuse_attr(def->id, -EFAULT,
					  "cannot read %llu handles", num, 0);
	}

	for (i = 0; i < num; i++) {
		uobj = uverbs_get(b, def->object, ids[i], def->access);
		if (IS_ERR(uobj)) {
			kfree(uobjs);
			return PTR_ERR(uobj);
		}
		uobjs[i] = uobj;
	}
	attr->uobjs = uobjs;
	attr->allocated = true;
	b->allocated = true;
	return 0;
}

static noinline int parse_copy(struct uverbs_bundle *b, struct uverbs_attr *attr)
{
	void *copy = vmemdup_user(u64_to_user_ptr(attr->data), attr->len);

	if (IS_ERR(copy))
		return uverbs_refuse_attr(attr->def->id, PTR_ERR(copy),
					  "cannot read %llu bytes at 0x%llx",
					  attr->len, attr->data);
	attr->copy = copy;
	attr->allocated = true;
	b->allocated = true;
	return 0;
}

/* For the data of a choice, its shape is what counts from here on. */
static int parse_choice(struct uverbs_attr *attr,
			const struct ib_uverbs_attr *ua)
{
	int ret;

	if (attr->def->kind != UVERBS_KIND_ENUM_IN)
		return 0;
	ret = check_choice(attr->def, ua);
	if (ret)
		return ret;
	attr->choice = ua->attr_data.enum_data.elem_id;
	attr->def = &attr->def->elems[attr->choice];
	return 0;
}

static noinline int look_closely(struct uverbs_attr *attr,
				 const struct ib_uverbs_attr *ua)
{
	const struct uverbs_attr_def *def = attr->def;
	int ret = parse_choice(attr, ua);

	if (!ret && attr->def->kind == UVERBS_KIND_PTR_IN)
		ret = check_tail(attr->def, ua);
	return ret ?: uverbs_check_attr(def, ua);
}

/*
 * Nearly every attribute is what it should be at the first look. What this
 * lets pass, look_closely() would too.
 */
static bool at_first_look(const struct uverbs_attr_def *def,
			  const struct ib_uverbs_attr *ua)
{
	if (ua->attr_data.reserved)
		return false;
	if (def->kind == UVERBS_KIND_PTR_IN || def->kind == UVERBS_KIND_PTR_OUT)
		return ua->len >= def->min_len && ua->len <= def->max_len;
	return (def->kind == UVERBS_KIND_IDR || def->kind == UVERBS_KIND_FD) &&
	       !ua->len;
}

static int parse_one(struct uverbs_bundle *b, struct uverbs_attr *attr,
		     const struct ib_uverbs_attr *ua)
{
	const struct uverbs_attr_def *def = attr->def;
	int ret;

	attr->data = ua->data;
	attr->len = ua->len;
	attr->flags = ua->flags;
	attr->allocated = false;
	if (!at_first_look(def, ua)) {
		ret = look_closely(attr, ua);
		if (ret)
			return ret;
	}

	if (def->kind == UVERBS_KIND_IDR || def->kind == UVERBS_KIND_FD)
		return parse_handle(b, attr);
	if (def->kind == UVERBS_KIND_IDRS_ARRAY)
		return parse_array(b, attr);
	if (attr->def->flags & UVERBS_ATTR_COPY_IN &&
	    !uverbs_attr_is_inline(attr))
		return parse_copy(b, attr);
	return 0;
}

/**
 * uverbs_parse() - parse all attributes of a call
 * @b: the call
 * @m: the method
 * @ua: attributes as user space sent them, kernel copy
 * @num: number of attributes
 *
 * Context: In an SRCU section of the device. May sleep.
 * Return: 0 or a negative errno; objects taken so far are in the bundle.
 */
int uverbs_parse(struct uverbs_bundle *b, const struct uverbs_tree_method *m,
		 const struct ib_uverbs_attr *ua, unsigned int num)
{
	struct uverbs_attr *attr = b->attrs;
	unsigned int i, key;
	u64 present = 0;
	int ret;

	for (i = 0; i < num; i++, ua++) {
		key = uverbs_attr_key(ua->attr_id);
		attr->def = uverbs_tree_attr_of_key(m, key);
		if (!attr->def) {
			if (!(ua->flags & UVERBS_ATTR_F_MANDATORY))
				continue;
			return uverbs_refuse_attr(ua->attr_id,
						  -EPROTONOSUPPORT,
						  "unknown attribute", 0, 0);
		}
		if (present & BIT_ULL(key))
			return uverbs_refuse_attr(ua->attr_id, -EINVAL,
						  "attribute comes twice",
						  0, 0);
		attr->index = i;
		ret = parse_one(b, attr, ua);
		if (ret)
			return ret;
		present |= BIT_ULL(key);
		b->by_key[key] = attr++;
		b->num_attrs++;
	}

	b->present = present;
	if (m->required & ~present)
		return ib_refuse(IB_LAYER_UVERBS, -EINVAL,
				 "required attributes are missing, keys 0x%llx",
				 m->required & ~present, 0);
	return 0;
}

/**
 * uverbs_fill_udata() - a request and a response out of two attributes
 * @b: the call
 * @udata: of the call; its halves are filled where the attributes are there
 * @in: attribute id of the request
 * @out: attribute id of the response
 *
 * Context: Any context.
 */
void uverbs_fill_udata(struct uverbs_bundle *b, struct ib_udata *udata,
		       u16 in, u16 out)
{
	const struct uverbs_attr *attr = uverbs_attr_find(b, in);

	if (attr) {
		udata->inlen = attr->len;
		udata->in = uverbs_attr_is_inline(attr) ?
			(void __user *)&b->user_attrs[attr->index].data :
			u64_to_user_ptr(attr->data);
	}
	attr = uverbs_attr_find(b, out);
	if (attr) {
		udata->outlen = attr->len;
		udata->out = u64_to_user_ptr(attr->data);
	}
}
