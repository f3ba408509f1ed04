// SPDX-License-Identifier: GPL-2.0-only
/* Multicast groups of datagram queue pairs. */
#include <ib/qp.h>
#include "core_priv.h"

#define MGID_PREFIX	0xff	/* first byte of multicast GIDs */
#define MLID_FIRST	0xc000
#define LID_PERMISSIVE	0xffff

/*
 * The LID counts on InfiniBand only. A queue pair in RESET has no port yet,
 * and may go to any.
 */
static bool lid_counts(struct ib_qp *qp)
{
	struct ib_device *device = qp->obj.device;
	u32 port;

	if (qp->state != IB_QPS_RESET && qp->port)
		return ib_port_of(device, qp->port) &&
			device->ops->get_link_layer(device, qp->port) ==
			IB_LINK_INFINIBAND;
	for (port = 1; port <= device->phys_port_cnt; port++)
		if (device->ops->get_link_layer(device, port) !=
		    IB_LINK_INFINIBAND)
			return false;
	return true;
}

static int check_group(struct ib_qp *qp, const union ib_gid *gid, u16 lid)
{
	if (gid->raw[0] != MGID_PREFIX)
		return ib_refuse(IB_LAYER_CORE, -EINVAL,
				 "GID with first byte 0x%llx is no multicast GID",
				 gid->raw[0], 0);
	if (qp->qp_type != IB_QPT_UD)
		return ib_refuse(IB_LAYER_CORE, -EINVAL,
				 "queue pairs of type %llu have no multicast",
				 qp->qp_type, 0);
	if (lid_counts(qp) && (lid < MLID_FIRST || lid == LID_PERMISSIVE))
		return ib_refuse(IB_LAYER_CORE, -EINVAL,
				 "LID 0x%llx is no multicast LID", lid, 0);
	return 0;
}

/**
 * ib_attach_mcast() - let a queue pair receive what goes to a group
 * @qp: a datagram queue pair; not destroyed while it is attached
 * @gid: of the group
 * @lid: of the group
 *
 * Context: Process context.
 * Return: 0 or a negative errno.
 */
int ib_attach_mcast(struct ib_qp *qp, const union ib_gid *gid, u16 lid)
{
	struct ib_device *device = qp->obj.device;
	int ret;

	ret = ib_object_check(device, device->ops->attach_mcast,
			      "the device has no multicast groups");
	if (!ret)
		ret = check_group(qp, gid, lid);
	if (!ret)
		ret = device->ops->attach_mcast(qp, gid, lid);
	if (!ret)
		ib_object_get(&qp->obj);
	return ret;
}
EXPORT_SYMBOL_IB(ib_attach_mcast);

/**
 * ib_detach_mcast() - undo ib_attach_mcast(), in whatever state the queue is
 * @qp: the queue pair
 * @gid: of the group
 * @lid: of the group
 *
 * Context: Process context.
 * Return: 0, or a negative errno and it is still attached.
 */
int ib_detach_mcast(struct ib_qp *qp, const union ib_gid *gid, u16 lid)
{
	struct ib_device *device = qp->obj.device;
	int ret;

	/* a device that is dead has forgotten its groups */
	if (!device->ops->detach_mcast)
		return ib_refuse(IB_LAYER_CORE, -EOPNOTSUPP,
				 "the device has no multicast groups", 0, 0);
	ret = device->ops->detach_mcast(qp, gid, lid);
	if (!ret)
		ib_object_put(&qp->obj);
	return ret;
}
EXPORT_SYMBOL_IB(ib_detach_mcast);
