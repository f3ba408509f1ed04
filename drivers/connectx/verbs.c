// SPDX-License-Identifier: GPL-2.0-only
/* The table of operations, and the life of the device in ib_core. */
#include <linux/module.h>
#include <linux/pci.h>

#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/mlx5-abi.h>

#include <ib/event.h>
#include <ib/mw.h>
#include <ib/ops.h>
#include <ib/refuse.h>

#include <connectx/prm_port.h>

#include "compat.h"
#include "cx.h"
#include "verbs.h"
#include "verbs_if.h"

static const struct ib_device_ops cx_ops = {
	.driver_id = RDMA_DRIVER_MLX5,
	.uverbs_abi_ver = MLX5_IB_UVERBS_ABI_VERSION,
	.uverbs_objects = cx_uverbs_objects,

	.advise_mr = cx_advise_mr,
	.alloc_dm = cx_alloc_dm,
	.alloc_mw = cx_alloc_mw,
	.alloc_pd = cx_alloc_pd,
	.alloc_ucontext = cx_alloc_ucontext,
	.alloc_xrcd = cx_alloc_xrcd,
	.attach_mcast = cx_attach_mcast,
	.create_ah = cx_create_ah,
	.create_cq = cx_create_cq,
	.create_qp = cx_create_qp,
	.create_srq = cx_create_srq,
	.dealloc_dm = cx_dealloc_dm,
	.dealloc_mw = cx_dealloc_mw,
	.dealloc_pd = cx_dealloc_pd,
	.dealloc_ucontext = cx_dealloc_ucontext,
	.dealloc_xrcd = cx_dealloc_xrcd,
	.dereg_mr = cx_dereg_mr,
	.destroy_ah = cx_destroy_ah,
	.destroy_cq = cx_destroy_cq,
	.destroy_qp = cx_destroy_qp,
	.destroy_srq = cx_destroy_srq,
	.detach_mcast = cx_detach_mcast,
	.get_dma_mr = cx_get_dma_mr,
	.get_link_layer = cx_get_link_layer,
	.mmap = cx_mmap,
	.mmap_free = cx_mmap_free,
	.modify_cq = cx_modify_cq,
	.modify_port_caps = cx_modify_port_caps,
	.modify_qp = cx_modify_qp,
	.modify_srq = cx_modify_srq,
	.poll_cq = cx_poll_cq,
	.post_recv = cx_post_recv,
	.post_send = cx_post_send,
	.query_device = cx_query_device,
	.query_gid = cx_query_gid,
	.query_pkey = cx_query_pkey,
	.query_port = cx_query_port,
	.query_qp = cx_query_qp,
	.query_srq = cx_query_srq,
	.query_ucontext = cx_query_ucontext,
	.reg_dm_mr = cx_reg_dm_mr,
	.reg_user_mr = cx_reg_user_mr,
	.reg_user_mr_dmabuf = cx_reg_user_mr_dmabuf,
	.req_notify_cq = cx_req_notify_cq,
	.rereg_user_mr = cx_rereg_user_mr,
	.resize_cq = cx_resize_cq,

	.size_ah = sizeof(struct cx_ah),
	.size_cq = sizeof(struct cx_cq),
	.size_dm = sizeof(struct cx_dm),
	.size_mr = sizeof(struct cx_mr),
	.size_mw = sizeof(struct ib_mw),
	.size_pd = sizeof(struct cx_pd),
	.size_qp = sizeof(struct cx_qp),
	.size_srq = sizeof(struct cx_srq),
	.size_ucontext = sizeof(struct cx_ucontext),
	.size_xrcd = sizeof(struct cx_xrcd),
};

/* User space asks by the methods that are there what an adapter can do. */
static void cx_verbs_choose_ops(struct cx_verbs *v)
{
	v->ops = cx_ops;
	v->paging = v->cx->caps.odp;
	if (!v->paging)
		v->ops.advise_mr = NULL;
	if (!v->cx->caps.memic_bytes) {
		v->ops.alloc_dm = NULL;
		v->ops.dealloc_dm = NULL;
		v->ops.reg_dm_mr = NULL;
	}
	v->base.ops = &v->ops;
}

static int cx_verbs_describe(struct cx_verbs *v)
{
	char desc[CX_NODE_DESC_BYTES + 1] = {};
	struct ib_device *dev = &v->base;
	struct cx_dev *cx = v->cx;
	struct cx_port_context port;
	int ret;

	ret = cx_cmd_query_port(cx, 1, &port);
	if (ret)
		return ret;
	ret = cx_cmd_query_node_desc(cx, desc);
	if (ret)
		return ret;

	dev->dma_device = cx->dev;
	dev->node_type = IB_NODE_CA;
	dev->node_guid = cpu_to_be64(port.node_guid);
	dev->phys_port_cnt = cx->caps.num_ports;
	dev->num_comp_vectors = cx->num_comp;
	dev->max_sg_bytes = U32_MAX;
	strscpy(dev->node_desc, desc, sizeof(dev->node_desc));
	strscpy(dev->board_id, cx->board.psid, sizeof(dev->board_id));
	snprintf(dev->fw_str, sizeof(dev->fw_str), "%u.%u.%04u",
		 cx->board.fw_major, cx->board.fw_minor, cx->board.fw_sub);
	return 0;
}

/* Those who still deliver news have read the pointer before this. */
static void cx_verbs_hide(struct cx_dev *cx)
{
	WRITE_ONCE(cx->verbs, NULL);
	cx_eq_sync_async(cx);
	cx_eq_sync_fault(cx);
	flush_work(&cx->health.death);
}

/**
 * cx_verbs_init - show the device to ib_core
 * @cx: the device
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_verbs_init(struct cx_dev *cx)
{
	struct ib_device *dev;
	struct cx_verbs *v;
	int ret;

	if (cx->caps.port_type || !cx->caps.ib_virt)
		return ib_refuse(IB_LAYER_DRIVER, -EOPNOTSUPP,
				 "only InfiniBand ports with vport commands are supported",
				 0, 0);
	dev = ib_alloc_device(sizeof(*v), &cx_ops, cx->dev);
	if (!dev)
		return ib_refuse(IB_LAYER_DRIVER, -ENOMEM, "no memory", 0, 0);
	v = to_verbs(dev);
	v->cx = cx;
	cx_verbs_choose_ops(v);
	mutex_init(&v->dm.lock);
	mutex_init(&v->xrc.lock);
	cx_umr_init(&v->umr);
	ret = cx_odp_init(v);
	if (ret)
		goto err_device;
	ret = cx_verbs_describe(v);
	if (ret)
		goto err_odp;
	ret = cx_mkey_pool_init(&v->pool);
	if (ret)
		goto err_odp;
	/* its first user may be there, and need pages, before this returns */
	WRITE_ONCE(cx->verbs, v);
	ret = ib_register_device(dev, "mlx5_%d");
	if (ret)
		goto err_pool;
	/* before a look at its death: who kills it looks the other way round */
	smp_store_mb(v->registered, true);
	if (cx_dev_dead(cx))
		ib_device_set_dead(dev);
	return 0;

err_pool:
	cx_verbs_hide(cx);
	cx_mkey_pool_exit(cx, &v->pool);
err_odp:
	cx_odp_exit(v);
err_device:
	cx_umr_exit(cx, &v->umr);
	mutex_destroy(&v->xrc.lock);
	mutex_destroy(&v->dm.lock);
	ib_dealloc_device(dev);
	return ret;
}

/**
 * cx_verbs_exit - take the device away from ib_core
 * @cx: the device
 *
 * Context: Process context. Sleeps.
 */
void cx_verbs_exit(struct cx_dev *cx)
{
	struct cx_verbs *v = cx->verbs;

	ib_unregister_device(&v->base);
	cx_verbs_hide(cx);
	cx_odp_exit(v);
	cx_mkey_pool_exit(cx, &v->pool);
	cx_umr_exit(cx, &v->umr);
	cx_xrc_exit(v);
	mutex_destroy(&v->dm.lock);
	ib_dealloc_device(&v->base);
}

/**
 * cx_verbs_dead - the device is dead: tell ib_core
 * @cx: the device
 *
 * Context: Process context. Sleeps.
 */
void cx_verbs_dead(struct cx_dev *cx)
{
	struct cx_verbs *v = READ_ONCE(cx->verbs);

	if (!v)
		return;
	cx_umr_dead(&v->umr);
	if (READ_ONCE(v->registered))
		ib_device_set_dead(&v->base);
}

MODULE_IMPORT_NS(IB_NS);
