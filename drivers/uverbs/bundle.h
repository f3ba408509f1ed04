/* SPDX-License-Identifier: GPL-2.0-only */
/* What a call holds while it runs, and how it ends. */
#ifndef UVERBS_BUNDLE_H
#define UVERBS_BUNDLE_H

#include <ib/object.h>
#include <ib/uverbs_bundle.h>

struct ib_uverbs_ioctl_hdr;
struct uverbs_tree_method;

void uverbs_bundle_init(struct uverbs_bundle *b, struct uverbs_file *file);
void uverbs_bundle_give_back(struct uverbs_bundle *b, bool success);

/**
 * uverbs_bundle_finish() - end a call
 * @b: the call; its memory stays the caller's
 * @success: publish what is new
 *
 * Context: May sleep.
 */
static inline void uverbs_bundle_finish(struct uverbs_bundle *b, bool success)
{
	if (b->num_held || b->allocated)
		uverbs_bundle_give_back(b, success);
}

struct ib_uobject *uverbs_new(struct uverbs_bundle *b, u16 object);
struct ib_uobject *uverbs_new_early(struct uverbs_bundle *b, u16 object);
struct ib_uobject *uverbs_get(struct uverbs_bundle *b, u16 object, s64 id,
			      enum uverbs_access access);
void *uverbs_get_object(struct uverbs_bundle *b, u16 object, u32 id);
int uverbs_destroy(struct uverbs_bundle *b, struct ib_uobject *uobj);
struct ib_uobject *uverbs_destroy_handle(struct uverbs_bundle *b, u16 object,
					 u32 id);
int uverbs_uobj_end(struct ib_uobject *uobj, enum ib_remove_reason why);

/* Tie a verbs object and its handle together: the object lives now. */
static inline void uverbs_bind(struct ib_uobject *uobj, struct ib_object *obj)
{
	obj->uobject = uobj;
	uobj->object = obj;
}

/* parse.c */
int uverbs_check_header(const struct ib_uverbs_ioctl_hdr *hdr);
int uverbs_check_attr(const struct uverbs_attr_def *def,
		      const struct ib_uverbs_attr *ua);
int uverbs_parse(struct uverbs_bundle *b, const struct uverbs_tree_method *m,
		 const struct ib_uverbs_attr *ua, unsigned int num);
void uverbs_fill_udata(struct uverbs_bundle *b, struct ib_udata *udata,
		       u16 in, u16 out);

#endif /* UVERBS_BUNDLE_H */
