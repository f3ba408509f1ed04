// SPDX-License-Identifier: GPL-2.0-only
#include <linux/cgroup.h>
#include <linux/cgroup_rdma.h>
#include <linux/slab.h>
#include <ib/cgroup.h>
#include "core_priv.h"

#ifdef CONFIG_CGROUP_RDMA

static const enum rdmacg_resource_type resources[] = {
	[IB_CGROUP_CONTEXT]	= RDMACG_RESOURCE_HCA_HANDLE,
	[IB_CGROUP_OBJECT]	= RDMACG_RESOURCE_HCA_OBJECT,
};

int ib_cgroup_add(struct ib_device *device)
{
	device->cgroup = kzalloc(sizeof(*device->cgroup), GFP_KERNEL);
	if (!device->cgroup)
		return ib_refuse(IB_LAYER_CORE, -ENOMEM,
				 "no memory for the device in cgroups", 0, 0);
	device->cgroup->name = device->name;
	rdmacg_register_device(device->cgroup);
	return 0;
}

/* Everything has been uncharged: contexts and objects are gone. */
void ib_cgroup_del(struct ib_device *device)
{
	rdmacg_unregister_device(device->cgroup);
	kfree(device->cgroup);
	device->cgroup = NULL;
}

/*
 * The root group has no limit and no file that says what it has, so nothing is
 * counted there; where no group was made, that is everybody.
 */
static bool in_root_group(void)
{
	bool root;

	rcu_read_lock();
	root = !task_css(current, rdma_cgrp_id)->parent;
	rcu_read_unlock();
	return root;
}

/**
 * ib_cgroup_charge() - count something for the running process's group
 * @device: where it will be
 * @what: what it is
 * @group: NULL; filled in when somebody is to be uncharged
 *
 * Context: Process context.
 * Return: 0; -EAGAIN when a limit is reached, or another negative errno.
 */
int ib_cgroup_charge(struct ib_device *device, enum ib_cgroup_resource what,
		     struct rdma_cgroup **group)
{
	int ret;

	if (!device->cgroup || in_root_group())
		return 0;
	ret = rdmacg_try_charge(group, device->cgroup, resources[what]);
	if (ret) {
		*group = NULL;
		return ib_refuse(IB_LAYER_CORE, ret, what == IB_CGROUP_CONTEXT ?
				 "hca_handle of the rdma cgroup is used up" :
				 "hca_object of the rdma cgroup is used up",
				 0, 0);
	}
	return 0;
}
EXPORT_SYMBOL_IB(ib_cgroup_charge);

/**
 * ib_cgroup_uncharge() - what was charged is gone
 * @device: where it was
 * @what: what it was
 * @group: as ib_cgroup_charge() filled it in; NULL afterwards
 *
 * Context: Process context. Nothing happens for what was not charged.
 */
void ib_cgroup_uncharge(struct ib_device *device, enum ib_cgroup_resource what,
			struct rdma_cgroup **group)
{
	if (*group)
		rdmacg_uncharge(*group, device->cgroup, resources[what]);
	*group = NULL;
}
EXPORT_SYMBOL_IB(ib_cgroup_uncharge);

#else

int ib_cgroup_add(struct ib_device *device)
{
	return 0;
}

void ib_cgroup_del(struct ib_device *device)
{
}

int ib_cgroup_charge(struct ib_device *device, enum ib_cgroup_resource what,
		     struct rdma_cgroup **group)
{
	return 0;
}
EXPORT_SYMBOL_IB(ib_cgroup_charge);

void ib_cgroup_uncharge(struct ib_device *device, enum ib_cgroup_resource what,
			struct rdma_cgroup **group)
{
}
EXPORT_SYMBOL_IB(ib_cgroup_uncharge);

#endif /* CONFIG_CGROUP_RDMA */
