/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rdma controller of cgroups: how many contexts and objects the processes
 * of a group may have on a device. Nothing is charged when the kernel has no
 * such controller.
 */
#ifndef IB_CGROUP_H
#define IB_CGROUP_H

struct ib_device;
struct rdma_cgroup;

enum ib_cgroup_resource {
	IB_CGROUP_CONTEXT,	/* hca_handle */
	IB_CGROUP_OBJECT,	/* hca_object */
};

int ib_cgroup_charge(struct ib_device *device, enum ib_cgroup_resource what,
		     struct rdma_cgroup **group);
void ib_cgroup_uncharge(struct ib_device *device, enum ib_cgroup_resource what,
			struct rdma_cgroup **group);

#endif /* IB_CGROUP_H */
