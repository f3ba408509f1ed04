// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lists of objects in messages: how many there are, one of them, all of them.
 * An object that is looked at cannot be destroyed meanwhile (restrack.c).
 */
#include <kunit/visibility.h>
#include "core_priv.h"
#include "nldev.h"

/* Names and order as rdma(8) has them; nobody here has a CM. */
static const struct {
	enum ib_object_type	type;
	const char		*name;
} summary[] = {
	{ IB_OBJ_PD,		"pd" },
	{ IB_OBJ_CQ,		"cq" },
	{ IB_OBJ_QP,		"qp" },
	{ IB_OBJ_TYPES,		"cm_id" },
	{ IB_OBJ_MR,		"mr" },
	{ IB_OBJ_UCONTEXT,	"ctx" },
	{ IB_OBJ_SRQ,		"srq" },
};

static int put_count(struct sk_buff *msg, const char *name, u64 count)
{
	struct nlattr *entry;
	int ret;

	entry = nla_nest_start_noflag(msg, RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY);
	if (!entry)
		return -EMSGSIZE;
	ret = nla_put_string(msg, RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_NAME,
			     name) ?:
	      nldev_put_u64(msg, RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_CURR,
			    count);
	if (!ret)
		nla_nest_end(msg, entry);
	return ret;
}

int nldev_fill_summary(struct sk_buff *msg, const struct nldev_question *q)
{
	struct nlattr *table;
	size_t i;
	int ret;

	ret = nldev_put_handle(msg, q->device);
	if (ret)
		return ret;
	table = nla_nest_start_noflag(msg, RDMA_NLDEV_ATTR_RES_SUMMARY);
	if (!table)
		return -EMSGSIZE;
	for (i = 0; i < ARRAY_SIZE(summary) && !ret; i++) {
		enum ib_object_type type = summary[i].type;

		ret = put_count(msg, summary[i].name, type == IB_OBJ_TYPES ?
				0 : ib_objects_count(q->device, type));
	}
	if (!ret)
		nla_nest_end(msg, table);
	return ret;
}

/* One object, asked for by its number */
int nldev_fill_object(struct sk_buff *msg, const struct nldev_resource *res,
		      const struct nldev_question *q)
{
	struct ib_object *obj;
	int ret;

	if (!q->port != !res->per_port)
		return ib_refuse(IB_LAYER_CORE, -EINVAL,
				 "a port and type %llu: queue pairs need one, others have none",
				 res->type, 0);
	obj = res->find ? res->find(q->device, q->id) :
			  ib_object_read(q->device, res->type, q->id);
	if (!obj)
		return ib_refuse(IB_LAYER_CORE, -ENOENT,
				 "no object of type %llu has number %llu",
				 res->type, q->id);
	ret = nldev_put_handle(msg, q->device) ?: res->fill(msg, q, obj);
	ib_object_read_end(obj);
	return ret;
}

static int put_entry(struct sk_buff *msg, const struct nldev_resource *res,
		     const struct nldev_question *q, struct ib_object *obj)
{
	struct nlattr *entry;
	int ret;

	entry = nla_nest_start_noflag(msg, res->entry);
	if (!entry)
		return -EMSGSIZE;
	ret = res->fill(msg, q, obj);
	if (ret)
		nla_nest_cancel(msg, entry);
	else
		nla_nest_end(msg, entry);
	return ret;
}

/*
 * As many objects as there is room for. @next is the number to go on with.
 * An object that cannot be asked is left out, as are those of other ports.
 * Returns how many were put, or -EMSGSIZE when not one has room.
 */
int nldev_fill_objects(struct sk_buff *msg, const struct nldev_resource *res,
		       const struct nldev_question *q, unsigned long *next)
{
	struct nlattr *table;
	struct ib_object *obj;
	int ret, n = 0;

	ret = nldev_put_handle(msg, q->device);
	if (ret)
		return ret;
	table = nla_nest_start_noflag(msg, res->table);
	if (!table)
		return -EMSGSIZE;
	while ((obj = ib_object_read_next(q->device, res->type, next))) {
		ret = put_entry(msg, res, q, obj);
		ib_object_read_end(obj);
		if (ret == -EMSGSIZE)
			break;
		if (!ret)
			n++;
		(*next)++;
	}
	nla_nest_end(msg, table);
	return n || ret != -EMSGSIZE ? n : -EMSGSIZE;
}
EXPORT_SYMBOL_IF_KUNIT(nldev_fill_objects);
