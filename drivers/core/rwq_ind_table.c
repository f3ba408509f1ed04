// SPDX-License-Identifier: GPL-2.0-only
#include <linux/err.h>
#include <linux/slab.h>
#include <ib/wq.h>
#include "core_priv.h"

static int check_new(struct ib_device *device, struct ib_wq **wqs,
		     u32 log_size)
{
	u32 i;
	int ret;

	ret = ib_object_check(device, device->ops->create_rwq_ind_table,
			      "the device has no receive indirection tables");
	if (ret)
		return ret;
	for (i = 0; i < 1U << log_size; i++)
		if (wqs[i]->obj.device != device)
			return ib_refuse(IB_LAYER_CORE, -EINVAL,
					 "work queue %llu is of another device",
					 i, 0);
	return 0;
}

/**
 * ib_create_rwq_ind_table() - make a receive indirection table
 * @device: where
 * @wqs: its entries, from kvmalloc(); the table's on success
 * @log_size: there are 1 << @log_size of them
 * @udata: of the user's call, NULL for the kernel
 *
 * Context: Process context.
 * Return: the table or an ERR_PTR().
 */
struct ib_rwq_ind_table *
ib_create_rwq_ind_table(struct ib_device *device, struct ib_wq **wqs,
			u32 log_size, struct ib_udata *udata)
{
	struct ib_rwq_ind_table *table;
	u32 i;
	int ret;

	ret = check_new(device, wqs, log_size);
	if (ret)
		return ERR_PTR(ret);
	table = ib_object_alloc(device, IB_OBJ_RWQ_IND_TABLE,
				device->ops->size_rwq_ind_table);
	if (!table)
		return ib_refuse_ptr(-ENOMEM, "no memory for a receive indirection table",
				     0, 0);
	ib_object_own(&table->obj, wqs[0]->obj.context, wqs[0]->obj.owner);
	table->wqs = wqs;
	table->log_size = log_size;

	ret = device->ops->create_rwq_ind_table(table, udata);
	if (ret) {
		ib_object_free(&table->obj);
		return ERR_PTR(ret);
	}
	for (i = 0; i < 1U << log_size; i++)
		ib_object_get(&wqs[i]->obj);
	ib_object_add(&table->obj);
	return table;
}
EXPORT_SYMBOL_IB(ib_create_rwq_ind_table);

/**
 * ib_destroy_rwq_ind_table() - destroy a receive indirection table
 * @table: the table
 *
 * Context: Process context.
 * Return: 0, or a negative errno and the table lives on.
 */
int ib_destroy_rwq_ind_table(struct ib_rwq_ind_table *table)
{
	u32 i;
	int ret;

	ret = ib_object_begin_destroy(&table->obj);
	if (ret)
		return ret;
	ret = table->obj.device->ops->destroy_rwq_ind_table(table);
	ret = ib_object_end_destroy(&table->obj, ret);
	if (ret)
		return ret;
	for (i = 0; i < 1U << table->log_size; i++)
		ib_object_put(&table->wqs[i]->obj);
	kvfree(table->wqs);
	ib_object_free(&table->obj);
	return 0;
}
EXPORT_SYMBOL_IB(ib_destroy_rwq_ind_table);
