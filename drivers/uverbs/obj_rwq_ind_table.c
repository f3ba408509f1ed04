// SPDX-License-Identifier: GPL-2.0-only
/* Receive indirection tables in the user ABI. */
#include <linux/slab.h>
#include <ib/ops.h>
#include <ib/wq.h>
#include "bundle.h"
#include "obj_table.h"
#include "uverbs_priv.h"
#include "write.h"

static int table_destroy(struct ib_uobject *uobj, enum ib_remove_reason why,
			 struct uverbs_bundle *b)
{
	return ib_destroy_rwq_ind_table(uobj->object);
}

/* Handles become work queues, which the call holds. */
static int get_wqs(struct uverbs_bundle *b, struct ib_wq **wqs,
		   const u32 *handles, u32 num)
{
	u32 i;

	for (i = 0; i < num; i++) {
		wqs[i] = uverbs_get_object(b, UVERBS_OBJECT_WQ, handles[i]);
		if (IS_ERR(wqs[i]))
			return PTR_ERR(wqs[i]);
	}
	return 0;
}

static struct ib_wq **read_wqs(struct uverbs_bundle *b, size_t offset, u32 num)
{
	struct ib_wq **wqs;
	u32 *handles;
	int ret;

	wqs = kvmalloc_array(num, sizeof(*wqs) + sizeof(*handles),
			     GFP_KERNEL_ACCOUNT);
	if (!wqs)
		return ERR_PTR(uverbs_refuse(-ENOMEM, "no memory"));
	handles = (u32 *)(wqs + num);
	ret = uverbs_request_tail(b, offset, handles, num * sizeof(*handles));
	if (!ret)
		ret = get_wqs(b, wqs, handles, num);
	if (ret) {
		kvfree(wqs);
		return ERR_PTR(ret);
	}
	return wqs;
}

static struct ib_uobject *make_table(struct uverbs_bundle *b,
				     struct ib_wq **wqs, u32 log_size)
{
	struct ib_rwq_ind_table *table;
	struct ib_uobject *uobj;

	uobj = uverbs_new(b, UVERBS_OBJECT_RWQ_IND_TBL);
	if (IS_ERR(uobj))
		return uobj;
	table = ib_create_rwq_ind_table(b->device, wqs, log_size,
					uverbs_udata(b));
	if (IS_ERR(table))
		return ERR_CAST(table);
	uverbs_bind(uobj, &table->obj);
	return uobj;
}

int uverbs_write_ex_create_rwq_ind_table(struct uverbs_bundle *b)
{
	struct ib_uverbs_ex_create_rwq_ind_table_resp resp = {};
	struct ib_uverbs_ex_create_rwq_ind_table cmd;
	struct ib_uobject *uobj;
	struct ib_wq **wqs;
	int ret;

	ret = uverbs_request_head(b, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	if (cmd.comp_mask)
		return uverbs_refuse(-EOPNOTSUPP, "unknown fields in comp_mask");
	if (cmd.log_ind_tbl_size > IB_USER_VERBS_MAX_LOG_IND_TBL_SIZE)
		return ib_refuse(IB_LAYER_UVERBS, -EINVAL,
				 "table of 2^%llu entries, at most 2^%llu",
				 cmd.log_ind_tbl_size,
				 IB_USER_VERBS_MAX_LOG_IND_TBL_SIZE);
	wqs = read_wqs(b, sizeof(cmd), 1U << cmd.log_ind_tbl_size);
	if (IS_ERR(wqs))
		return PTR_ERR(wqs);
	uobj = make_table(b, wqs, cmd.log_ind_tbl_size);
	if (IS_ERR(uobj)) {
		kvfree(wqs);
		return PTR_ERR(uobj);
	}

	resp.ind_tbl_handle = uobj->id;
	resp.ind_tbl_num =
		((struct ib_rwq_ind_table *)uobj->object)->ind_tbl_num;
	resp.response_length = uverbs_resp_len(b, sizeof(resp));
	return uverbs_respond(b, &resp, sizeof(resp));
}

int uverbs_write_ex_destroy_rwq_ind_table(struct uverbs_bundle *b)
{
	struct ib_uverbs_ex_destroy_rwq_ind_table cmd;
	int ret;

	ret = uverbs_request(b, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	if (cmd.comp_mask)
		return uverbs_refuse(-EOPNOTSUPP, "unknown fields in comp_mask");
	return PTR_ERR_OR_ZERO(uverbs_destroy_handle(b,
						     UVERBS_OBJECT_RWQ_IND_TBL,
						     cmd.ind_tbl_handle));
}

static const struct uverbs_attr_def destroy_attrs[] = {
	UVERBS_ATTR_HANDLE(UVERBS_ATTR_DESTROY_RWQ_IND_TBL_HANDLE,
			   UVERBS_KIND_IDR, UVERBS_OBJECT_RWQ_IND_TBL,
			   UVERBS_ACC_DESTROY, UVERBS_ATTR_REQUIRED),
};

static const struct uverbs_method_def methods[] = {
	{ .id = UVERBS_METHOD_RWQ_IND_TBL_DESTROY,
	  .attrs = destroy_attrs, .num_attrs = ARRAY_SIZE(destroy_attrs) },
};

static const struct uverbs_obj_type table_type = {
	.size = sizeof(struct ib_uobject),
	.destroy = table_destroy,
};

const struct uverbs_object_def uverbs_object_rwq_ind_table = {
	.id = UVERBS_OBJECT_RWQ_IND_TBL,
	.type = &table_type,
	.needs = offsetof(struct ib_device_ops, destroy_rwq_ind_table),
	.methods = methods,
	.num_methods = ARRAY_SIZE(methods),
};
