// SPDX-License-Identifier: GPL-2.0-only
/*
 * A driver for a device that is not there: the least that ib_core asks of one.
 * It makes what a program needs to get going, pins memory, lets queue pairs
 * walk through their states, and moves no data.
 *
 * Documentation/writing-a-driver.rst walks through it.
 */
#include <linux/dma-mapping.h>
#include <linux/idr.h>
#include <linux/platform_device.h>
#include <ib/ah.h>
#include <ib/cq.h>
#include <ib/device.h>
#include <ib/export.h>
#include <ib/mr.h>
#include <ib/pd.h>
#include <ib/qp.h>
#include <ib/refuse.h>
#include <ib/ucontext.h>
#include <ib/udata.h>
#include <ib/umem.h>

#define NULL_GUID	0x0200000000000001ULL
#define NULL_MAX_WR	1024
#define NULL_MAX_SGE	4
#define NULL_MAX_QPN	0xffffff	/* they have 24 bits */

struct null_dev {
	struct ib_device	ib;
	struct ida		qpns;
};

struct null_mr {
	struct ib_mr		mr;
	struct ib_umem		*umem;
};

struct null_qp {
	struct ib_qp		qp;
	struct ib_qp_cap	cap;
	bool			sq_sig_all;
};

static struct null_dev *to_null(struct ib_device *device)
{
	return container_of(device, struct null_dev, ib);
}

static int null_refuse(int err, const char *why, u64 a, u64 b)
{
	return ib_refuse(IB_LAYER_DRIVER, err, why, a, b);
}

static int null_query_device(struct ib_device *device,
			     struct ib_device_attr *attr,
			     struct ib_udata *udata)
{
	attr->sys_image_guid = device->node_guid;
	attr->max_mr_size = U32_MAX;
	attr->page_size_cap = PAGE_SIZE;
	attr->max_mr = INT_MAX;
	attr->max_pd = INT_MAX;
	attr->max_ah = INT_MAX;
	attr->max_cq = INT_MAX;
	attr->max_cqe = 4096;
	attr->max_qp = NULL_MAX_QPN - 1;
	attr->max_qp_wr = NULL_MAX_WR;
	attr->max_send_sge = NULL_MAX_SGE;
	attr->max_recv_sge = NULL_MAX_SGE;
	attr->max_pkeys = 1;
	return ib_udata_none(udata);
}

static enum ib_link_layer null_get_link_layer(struct ib_device *device,
					      u32 port)
{
	return IB_LINK_INFINIBAND;
}

static int null_query_port(struct ib_device *device, u32 port,
			   struct ib_port_attr *attr)
{
	attr->state = IB_PORT_ACTIVE;
	attr->phys_state = 5;	/* the link is up */
	attr->active_width = IB_WIDTH_1X;
	attr->active_speed = IB_SPEED_SDR;
	attr->max_mtu = IB_MTU_4096;
	attr->active_mtu = IB_MTU_4096;
	attr->max_msg_sz = SZ_1G;
	attr->max_vl_num = 1;
	attr->lid = 1;
	attr->gid_tbl_len = 1;
	attr->pkey_tbl_len = 1;
	return 0;
}

static int null_query_gid(struct ib_device *device, u32 port, int index,
			  union ib_gid *gid)
{
	gid->global.subnet_prefix = cpu_to_be64(0xfe80000000000000ULL);
	gid->global.interface_id = device->node_guid;
	return 0;
}

static int null_query_pkey(struct ib_device *device, u32 port, u16 index,
			   u16 *pkey)
{
	*pkey = 0xffff;
	return 0;
}

static int null_alloc_ucontext(struct ib_ucontext *uctx, struct ib_udata *udata)
{
	return ib_udata_none(udata);
}

static void null_dealloc_ucontext(struct ib_ucontext *uctx)
{
}

static int null_alloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	return ib_udata_none(udata);
}

static int null_dealloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	return ib_udata_none(udata);
}

static int null_reg_user_mr(struct ib_mr *mr, u64 start, u64 length, u64 iova,
			    int access, struct ib_udata *udata)
{
	struct null_mr *nmr = container_of(mr, struct null_mr, mr);
	int ret = ib_udata_none(udata);

	if (ret)
		return ret;
	nmr->umem = ib_umem_get(mr->obj.device, start, length, access);
	if (IS_ERR(nmr->umem))
		return PTR_ERR(nmr->umem);
	/* an adapter would be told the pages here, and would give the keys */
	mr->lkey = mr->obj.id;
	mr->rkey = mr->obj.id;
	return 0;
}

static int null_dereg_mr(struct ib_mr *mr, struct ib_udata *udata)
{
	int ret = ib_udata_none(udata);

	if (!ret)
		ib_umem_release(container_of(mr, struct null_mr, mr)->umem);
	return ret;
}

static int null_create_cq(struct ib_cq *cq, const struct ib_cq_init_attr *attr,
			  struct ib_udata *udata)
{
	if (attr->flags)
		return null_refuse(-EOPNOTSUPP,
				   "flags 0x%llx of a completion queue",
				   attr->flags, 0);
	cq->cqe = attr->cqe;
	return ib_udata_none(udata);
}

static int null_destroy_cq(struct ib_cq *cq, struct ib_udata *udata)
{
	return ib_udata_none(udata);
}

static int null_poll_cq(struct ib_cq *cq, int num, struct ib_wc *wc)
{
	return 0;
}

static int null_req_notify_cq(struct ib_cq *cq, enum ib_cq_notify flags)
{
	return 0;
}

static int null_check_qp(const struct ib_qp_init_attr *attr)
{
	const struct ib_qp_cap *cap = &attr->cap;
	u32 wr = max(cap->max_send_wr, cap->max_recv_wr);
	u32 sge = max(cap->max_send_sge, cap->max_recv_sge);

	if (attr->qp_type != IB_QPT_RC && attr->qp_type != IB_QPT_UD)
		return null_refuse(-EOPNOTSUPP, "queue pairs of type %llu",
				   attr->qp_type, 0);
	if (attr->create_flags)
		return null_refuse(-EOPNOTSUPP, "flags 0x%llx of a queue pair",
				   attr->create_flags, 0);
	if (wr > NULL_MAX_WR)
		return null_refuse(-EINVAL, "%llu work requests, at most %llu",
				   wr, NULL_MAX_WR);
	if (sge > NULL_MAX_SGE)
		return null_refuse(-EINVAL, "%llu pieces, at most %llu", sge,
				   NULL_MAX_SGE);
	if (cap->max_inline_data)
		return null_refuse(-EINVAL, "%llu bytes inline, at most 0",
				   cap->max_inline_data, 0);
	return 0;
}

static int null_create_qp(struct ib_qp *qp, struct ib_qp_init_attr *attr,
			  struct ib_udata *udata)
{
	struct null_qp *nqp = container_of(qp, struct null_qp, qp);
	int ret = null_check_qp(attr);

	if (!ret)
		ret = ib_udata_none(udata);
	if (ret)
		return ret;
	ret = ida_alloc_range(&to_null(qp->obj.device)->qpns, 2, NULL_MAX_QPN,
			      GFP_KERNEL);
	if (ret < 0)
		return null_refuse(ret, "no queue pair number is left", 0, 0);
	qp->qp_num = ret;
	nqp->cap = attr->cap;
	nqp->sq_sig_all = attr->sq_sig_all;
	return 0;
}

/* Core has checked the step and the values; it notes the new state. */
static int null_modify_qp(struct ib_qp *qp, struct ib_qp_attr *attr, int mask,
			  enum ib_qp_state cur, enum ib_qp_state next,
			  struct ib_udata *udata)
{
	mask &= IB_QP_ALT_PATH | IB_QP_CAP | IB_QP_RATE_LIMIT;
	if (mask)
		return null_refuse(-EOPNOTSUPP,
				   "attributes 0x%llx of a queue pair", mask, 0);
	return ib_udata_none(udata);
}

/* An adapter would be asked for the rest of it. */
static int null_query_qp(struct ib_qp *qp, struct ib_qp_attr *attr, int mask,
			 struct ib_qp_init_attr *init)
{
	struct null_qp *nqp = container_of(qp, struct null_qp, qp);

	attr->qp_state = qp->state;
	attr->cur_qp_state = qp->state;
	attr->port_num = qp->port;
	attr->cap = nqp->cap;
	init->cap = nqp->cap;
	init->sq_sig_all = nqp->sq_sig_all;
	return 0;
}

static int null_destroy_qp(struct ib_qp *qp, struct ib_udata *udata)
{
	int ret = ib_udata_none(udata);

	if (!ret)
		ida_free(&to_null(qp->obj.device)->qpns, qp->qp_num);
	return ret;
}

static int null_post_send(struct ib_qp *qp, const struct ib_send_wr *wr,
			  const struct ib_send_wr **bad_wr)
{
	*bad_wr = wr;
	return null_refuse(-EOPNOTSUPP, "a null device sends nothing", 0, 0);
}

static int null_post_recv(struct ib_qp *qp, const struct ib_recv_wr *wr,
			  const struct ib_recv_wr **bad_wr)
{
	*bad_wr = wr;
	return null_refuse(-EOPNOTSUPP, "a null device receives nothing", 0, 0);
}

static int null_create_ah(struct ib_ah *ah, const struct ib_ah_attr *attr,
			  struct ib_udata *udata)
{
	return ib_udata_none(udata);
}

static int null_destroy_ah(struct ib_ah *ah)
{
	return 0;
}

static const struct ib_device_ops null_ops = {
	.driver_id = RDMA_DRIVER_UNKNOWN,
	.uverbs_abi_ver = 1,
	.kernel_data_path = true,
	.robust_udata = true,

	.size_ucontext = sizeof(struct ib_ucontext),
	.size_pd = sizeof(struct ib_pd),
	.size_mr = sizeof(struct null_mr),
	.size_cq = sizeof(struct ib_cq),
	.size_qp = sizeof(struct null_qp),
	.size_ah = sizeof(struct ib_ah),

	.query_device = null_query_device,
	.get_link_layer = null_get_link_layer,
	.query_port = null_query_port,
	.query_gid = null_query_gid,
	.query_pkey = null_query_pkey,
	.alloc_ucontext = null_alloc_ucontext,
	.dealloc_ucontext = null_dealloc_ucontext,
	.alloc_pd = null_alloc_pd,
	.dealloc_pd = null_dealloc_pd,
	.reg_user_mr = null_reg_user_mr,
	.dereg_mr = null_dereg_mr,
	.create_cq = null_create_cq,
	.destroy_cq = null_destroy_cq,
	.poll_cq = null_poll_cq,
	.req_notify_cq = null_req_notify_cq,
	.create_qp = null_create_qp,
	.modify_qp = null_modify_qp,
	.query_qp = null_query_qp,
	.destroy_qp = null_destroy_qp,
	.post_send = null_post_send,
	.post_recv = null_post_recv,
	.create_ah = null_create_ah,
	.destroy_ah = null_destroy_ah,
};

static int null_probe(struct platform_device *pdev)
{
	struct ib_device *device;
	int ret = dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(64));

	if (ret)
		return null_refuse(ret, "no DMA with 64 bits of address", 0, 0);
	device = ib_alloc_device(sizeof(struct null_dev), &null_ops, &pdev->dev);
	if (!device)
		return null_refuse(-ENOMEM, "no memory for a device", 0, 0);
	device->node_guid = cpu_to_be64(NULL_GUID);
	device->phys_port_cnt = 1;
	device->num_comp_vectors = 1;
	ida_init(&to_null(device)->qpns);
	platform_set_drvdata(pdev, device);
	ret = ib_register_device(device, "nullib%d");
	if (ret)
		ib_dealloc_device(device);
	return ret;
}

static void null_remove(struct platform_device *pdev)
{
	struct ib_device *device = platform_get_drvdata(pdev);

	ib_unregister_device(device);
	ida_destroy(&to_null(device)->qpns);
	ib_dealloc_device(device);
}

static struct platform_driver null_driver = {
	.driver.name = "nullib",
	.probe = null_probe,
	.remove = null_remove,
};

static struct platform_device *null_pdev;

static int __init null_init(void)
{
	int ret = platform_driver_register(&null_driver);

	if (ret)
		return ret;
	null_pdev = platform_device_register_simple("nullib", -1, NULL, 0);
	if (IS_ERR(null_pdev))
		platform_driver_unregister(&null_driver);
	return PTR_ERR_OR_ZERO(null_pdev);
}
module_init(null_init);

static void __exit null_exit(void)
{
	platform_device_unregister(null_pdev);
	platform_driver_unregister(&null_driver);
	ib_refusals_forget();
}
module_exit(null_exit);

MODULE_DESCRIPTION("RDMA device without hardware, a sample");
MODULE_IMPORT_NS(IB_NS);
MODULE_LICENSE("GPL");
