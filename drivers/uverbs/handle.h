/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The handles of one open file. Life of a handle: reserve (an id that nobody
 * can look up) -> publish (cannot fail) -> remove; or reserve -> remove.
 */
#ifndef UVERBS_HANDLE_H
#define UVERBS_HANDLE_H

#include <linux/list.h>
#include <linux/xarray.h>
#include <ib/uverbs_def.h>

/* A number that no handle gets, in the first node of uverbs_table::ids */
#define UVERBS_ID_UNUSED	(XA_CHUNK_SIZE - 1)

/**
 * struct uverbs_table - handles of a file
 * @ids: id -> struct ib_uobject, which says whether it is published; its lock
 *       guards @objects as well
 * @objects: handles that are reserved or whose object lives, the newest first;
 *           they leave before the reference of @ids or of the struct file does
 */
struct uverbs_table {
	struct xarray		ids;
	struct list_head	objects;
};

int uverbs_table_init(struct uverbs_table *table);
void uverbs_table_destroy(struct uverbs_table *table);
void uverbs_table_link(struct uverbs_table *table, struct ib_uobject *uobj);
void uverbs_table_unlink(struct uverbs_table *table, struct ib_uobject *uobj);

struct ib_uobject *uverbs_uobj_alloc(const struct uverbs_obj_type *type);
void uverbs_uobj_get(struct ib_uobject *uobj);
void uverbs_uobj_put(struct ib_uobject *uobj);
int uverbs_uobj_lock(struct ib_uobject *uobj, enum uverbs_access access);
void uverbs_uobj_unlock(struct ib_uobject *uobj, enum uverbs_access access);

int uverbs_handle_reserve(struct uverbs_table *table, struct ib_uobject *uobj);
void uverbs_handle_publish(struct ib_uobject *uobj);
struct ib_uobject *uverbs_handle_find(struct uverbs_table *table,
				      const struct uverbs_obj_type *type,
				      s64 id);
void uverbs_handle_remove(struct uverbs_table *table, struct ib_uobject *uobj);

/* fd.c: the same for handles that are file descriptors */
int uverbs_fd_reserve(struct ib_uobject *uobj);
void uverbs_fd_publish(struct ib_uobject *uobj);
void uverbs_fd_abort(struct ib_uobject *uobj);
struct ib_uobject *uverbs_fd_find(struct uverbs_file *file,
				  const struct uverbs_obj_type *type, s64 id);
int uverbs_fd_release(struct inode *inode, struct file *filp);

#endif /* UVERBS_HANDLE_H */
