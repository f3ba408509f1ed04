// SPDX-License-Identifier: GPL-2.0-only
/* Multicast groups: the adapter keeps them, by GID. */
#include "cx.h"
#include "verbs.h"

/**
 * cx_attach_mcast - ib_device_ops.attach_mcast
 * @qp: the queue pair
 * @gid: of the group
 * @lid: of the group; the adapter goes by the GID
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_attach_mcast(struct ib_qp *qp, const union ib_gid *gid, u16 lid)
{
	return cx_cmd_attach_mcg(to_cx(qp->obj.device), qp->qp_num, gid->raw);
}

/**
 * cx_detach_mcast - ib_device_ops.detach_mcast
 * @qp: the queue pair
 * @gid: of the group
 * @lid: of the group
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_detach_mcast(struct ib_qp *qp, const union ib_gid *gid, u16 lid)
{
	struct cx_dev *cx = to_cx(qp->obj.device);

	return cx_destroyed(cx, cx_cmd_detach_mcg(cx, qp->qp_num, gid->raw));
}
