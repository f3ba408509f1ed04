// SPDX-License-Identifier: GPL-2.0-only
#include <kunit/device.h>
#include <kunit/test.h>
#include <linux/dma-mapping.h>
#include <linux/module.h>
#include <ib/counters.h>
#include <ib/cq.h>
#include <ib/export.h>
#include <ib/dm.h>
#include <ib/mr.h>
#include <ib/mw.h>
#include <ib/pd.h>
#include <ib/qp.h>
#include <ib/srq.h>
#include <ib/udata.h>
#include <ib/ucontext.h>
#include <ib/xrcd.h>
#include "fake_device.h"
#include "fake_priv.h"

/* Devices on KUnit's bus need different names. */
static atomic_t made_parents = ATOMIC_INIT(0);

static int may_fail(struct ib_device *device)
{
	struct fake_device *fake = to_fake(device);
	int ret = fake->fail;

	if (!ret)
		return 0;
	if (fake->fail_after) {
		fake->fail_after--;
		return 0;
	}
	fake->fail = 0;
	return ret;
}

static int make(struct ib_object *obj)
{
	int ret = may_fail(obj->device);

	if (!ret)
		to_fake(obj->device)->made++;
	return ret;
}

static int destroy(struct ib_object *obj)
{
	int ret = may_fail(obj->device);

	if (obj->listed)
		to_fake(obj->device)->destroyed_listed++;
	if (!ret)
		to_fake(obj->device)->made--;
	return ret;
}

/**
 * fake_pause_init() - for an operation that shall wait
 * @pause: as long as the device has it
 *
 * Context: Any context.
 */
void fake_pause_init(struct fake_pause *pause)
{
	init_completion(&pause->began);
	init_completion(&pause->go);
}
EXPORT_SYMBOL_IB(fake_pause_init);

/* Only one waits: others come while it does. */
static void may_pause(struct ib_device *device)
{
	struct fake_pause *pause = xchg(&to_fake(device)->pause, NULL);

	if (!pause)
		return;
	complete(&pause->began);
	wait_for_completion(&pause->go);
}

int fake_may_fail(struct ib_device *device)
{
	return may_fail(device);
}

int fake_make(struct ib_object *obj)
{
	return make(obj);
}

int fake_destroy(struct ib_object *obj)
{
	return destroy(obj);
}

static int fake_query_device(struct ib_device *device,
			     struct ib_device_attr *attr,
			     struct ib_udata *udata)
{
	*attr = (struct ib_device_attr) {
		.sys_image_guid = cpu_to_be64(0x0002c90300000001),
		.max_qp = 16,
		.max_qp_wr = 128,
		.max_send_sge = 4,
		.max_recv_sge = 4,
		.max_cq = 16,
		.max_cqe = 255,
		.max_mr = 16,
		.max_pd = 16,
		.max_srq_wr = 63,
		.max_qp_rd_atom = 8,
		.max_qp_init_rd_atom = 4,
		.max_pkeys = FAKE_PKEYS,
	};
	return may_fail(device);
}

static int fake_query_port(struct ib_device *device, u32 port,
			   struct ib_port_attr *attr)
{
	may_pause(device);
	attr->state = IB_PORT_ACTIVE;
	attr->gid_tbl_len = FAKE_GIDS;
	attr->pkey_tbl_len = FAKE_PKEYS;
	attr->lid = 7;
	attr->active_width = IB_WIDTH_4X;
	attr->active_speed = IB_SPEED_EDR;
	attr->phys_state = 5;
	return may_fail(device);
}

static enum ib_link_layer fake_get_link_layer(struct ib_device *device,
					      u32 port)
{
	return to_fake(device)->link;
}

static int fake_query_gid(struct ib_device *device, u32 port, int index,
			  union ib_gid *gid)
{
	*gid = to_fake(device)->gids[index];
	return may_fail(device);
}

static int fake_query_pkey(struct ib_device *device, u32 port, u16 index,
			   u16 *pkey)
{
	*pkey = index ? 0 : 0xffff;
	return may_fail(device);
}

static int fake_alloc_ucontext(struct ib_ucontext *uctx, struct ib_udata *udata)
{
	return make(&uctx->obj);
}

static void fake_dealloc_ucontext(struct ib_ucontext *uctx)
{
	to_fake(uctx->obj.device)->made--;
}

static int fake_query_ucontext(struct ib_ucontext *uctx,
			       struct uverbs_bundle *b)
{
	return may_fail(uctx->obj.device);
}

static int fake_alloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	return make(&pd->obj);
}

static int fake_dealloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	return destroy(&pd->obj);
}

static int make_mr(struct ib_mr *mr)
{
	mr->lkey = FAKE_LKEY;
	mr->rkey = FAKE_LKEY + 1;
	to_fake(mr->obj.device)->mr = mr;
	return make(&mr->obj);
}

static int fake_reg_user_mr(struct ib_mr *mr, u64 start, u64 length, u64 iova,
			    int access, struct ib_udata *udata)
{
	return make_mr(mr);
}

static int fake_reg_user_mr_dmabuf(struct ib_mr *mr,
				   const struct ib_dmabuf_mr_attr *attr,
				   struct uverbs_bundle *b)
{
	to_fake(mr->obj.device)->dmabuf_attr = *attr;
	return make_mr(mr);
}

static int fake_reg_dm_mr(struct ib_mr *mr, struct ib_dm *dm,
			  const struct ib_dm_mr_attr *attr,
			  struct uverbs_bundle *b)
{
	to_fake(mr->obj.device)->dm_mr_attr = *attr;
	return make_mr(mr);
}

static int fake_rereg_user_mr(struct ib_mr *mr,
			      const struct ib_rereg_attr *attr,
			      struct ib_udata *udata)
{
	int ret = may_fail(mr->obj.device);

	to_fake(mr->obj.device)->rereg = *attr;
	if (!ret)
		mr->lkey += 0x10;
	may_pause(mr->obj.device);
	return ret;
}

static int fake_advise_mr(struct ib_pd *pd, u32 advice, u32 flags,
			  const struct ib_uverbs_sge *sg_list, u32 num,
			  struct uverbs_bundle *b)
{
	struct fake_device *fake = to_fake(pd->obj.device);

	fake->advice[0] = advice;
	fake->advice[1] = flags;
	fake->sge = sg_list[0];
	fake->num_sge = num;
	return may_fail(&fake->ib);
}

static int fake_alloc_mw(struct ib_mw *mw, struct ib_udata *udata)
{
	mw->rkey = FAKE_MW_RKEY;
	return make(&mw->obj);
}

static int fake_dealloc_mw(struct ib_mw *mw)
{
	return destroy(&mw->obj);
}

static int fake_alloc_dm(struct ib_dm *dm, const struct ib_dm_alloc_attr *attr,
			 struct uverbs_bundle *b)
{
	to_fake(dm->obj.device)->dm_attr = *attr;
	return make(&dm->obj);
}

static int fake_dealloc_dm(struct ib_dm *dm, struct uverbs_bundle *b)
{
	return destroy(&dm->obj);
}

static int fake_get_dma_mr(struct ib_mr *mr, int access)
{
	return make_mr(mr);
}

static int fake_dereg_mr(struct ib_mr *mr, struct ib_udata *udata)
{
	return destroy(&mr->obj);
}

static int fake_create_cq(struct ib_cq *cq, const struct ib_cq_init_attr *attr,
			  struct ib_udata *udata)
{
	cq->cqe = attr->cqe;
	return make(&cq->obj);
}

static int fake_destroy_cq(struct ib_cq *cq, struct ib_udata *udata)
{
	return destroy(&cq->obj);
}

static int fake_create_qp(struct ib_qp *qp, struct ib_qp_init_attr *attr,
			  struct ib_udata *udata)
{
	struct fake_device *fake = to_fake(qp->obj.device);

	qp->qp_num = FAKE_QPN + fake->qps++;
	fake->qp = qp;
	return make(&qp->obj);
}

static int fake_modify_qp(struct ib_qp *qp, struct ib_qp_attr *attr, int mask,
			  enum ib_qp_state cur, enum ib_qp_state next,
			  struct ib_udata *udata)
{
	to_fake(qp->obj.device)->modified = mask;
	return may_fail(qp->obj.device);
}

static int fake_query_qp(struct ib_qp *qp, struct ib_qp_attr *attr, int mask,
			 struct ib_qp_init_attr *init)
{
	attr->qp_state = IB_QPS_ERR;
	return may_fail(qp->obj.device);
}

static int fake_destroy_qp(struct ib_qp *qp, struct ib_udata *udata)
{
	return destroy(&qp->obj);
}

static int fake_attach_mcast(struct ib_qp *qp, const union ib_gid *gid, u16 lid)
{
	struct fake_device *fake = to_fake(qp->obj.device);
	int ret = may_fail(&fake->ib);

	if (ret)
		return ret;
	/* as adapters do: they go by the GID, and twice is once */
	if (!fake->groups || memcmp(&fake->mgid, gid, sizeof(*gid)))
		fake->groups++;
	fake->mgid = *gid;
	fake->mlid = lid;
	return 0;
}

static int fake_detach_mcast(struct ib_qp *qp, const union ib_gid *gid, u16 lid)
{
	struct fake_device *fake = to_fake(qp->obj.device);
	int ret = may_fail(&fake->ib);

	if (!ret && !fake->groups)
		ret = -EINVAL;
	if (!ret)
		fake->groups--;
	return ret;
}

static int note_post(struct fake_device *fake, const struct ib_sge *sg_list,
		     int num_sge, struct fake_post **post)
{
	if (fake->num_posts == FAKE_POSTS)
		return -ENOMEM;
	*post = &fake->posts[fake->num_posts++];
	memcpy((*post)->sge, sg_list,
	       min(num_sge, FAKE_SGES) * sizeof(*sg_list));
	return 0;
}

static int fake_post_send(struct ib_qp *qp, const struct ib_send_wr *wr,
			  const struct ib_send_wr **bad_wr)
{
	struct fake_device *fake = to_fake(qp->obj.device);
	struct fake_post *post;
	int ret = 0;

	fake->num_posts = 0;
	for (; wr && !ret; wr = ret ? wr : wr->next) {
		*bad_wr = wr;
		ret = note_post(fake, wr->sg_list, wr->num_sge, &post);
		if (!ret)
			post->send = *wr;
	}
	return ret;
}

static int post_recvs(struct fake_device *fake, const struct ib_recv_wr *wr,
		      const struct ib_recv_wr **bad_wr)
{
	struct fake_post *post;
	int ret = 0;

	fake->num_posts = 0;
	for (; wr && !ret; wr = ret ? wr : wr->next) {
		*bad_wr = wr;
		ret = note_post(fake, wr->sg_list, wr->num_sge, &post);
		if (!ret)
			post->recv = *wr;
	}
	return ret;
}

static int fake_post_recv(struct ib_qp *qp, const struct ib_recv_wr *wr,
			  const struct ib_recv_wr **bad_wr)
{
	return post_recvs(to_fake(qp->obj.device), wr, bad_wr);
}

static int fake_post_srq_recv(struct ib_srq *srq, const struct ib_recv_wr *wr,
			      const struct ib_recv_wr **bad_wr)
{
	return post_recvs(to_fake(srq->obj.device), wr, bad_wr);
}

static int fake_poll_cq(struct ib_cq *cq, int num, struct ib_wc *wc)
{
	struct fake_device *fake = to_fake(cq->obj.device);
	int n;

	for (n = 0; n < num && fake->completions; n++)
		wc[n] = (struct ib_wc) {
			.wr_id = --fake->completions,
			.qp = fake->qp,
			.opcode = IB_WC_RECV,
			.byte_len = 99,
			.slid = 7,
		};
	return n;
}

static int fake_req_notify_cq(struct ib_cq *cq, enum ib_cq_notify flags)
{
	to_fake(cq->obj.device)->notify = flags;
	return 0;
}

static int fake_alloc_xrcd(struct ib_xrcd *xrcd, struct ib_udata *udata)
{
	return make(&xrcd->obj);
}

static int fake_dealloc_xrcd(struct ib_xrcd *xrcd, struct ib_udata *udata)
{
	return destroy(&xrcd->obj);
}

static int fake_create_srq(struct ib_srq *srq, struct ib_srq_init_attr *attr,
			   struct ib_udata *udata)
{
	to_fake(srq->obj.device)->srq_attr = *attr;
	if (srq->type == IB_UVERBS_SRQT_XRC)
		srq->srq_num = FAKE_SRQN;
	return make(&srq->obj);
}

static int fake_destroy_srq(struct ib_srq *srq, struct ib_udata *udata)
{
	return destroy(&srq->obj);
}

static int fake_create_ah(struct ib_ah *ah, const struct ib_ah_attr *attr,
			  struct ib_udata *udata)
{
	return make(&ah->obj);
}

static int fake_destroy_ah(struct ib_ah *ah)
{
	return destroy(&ah->obj);
}

static const struct ib_device_ops fake_ops = {
	.kernel_data_path = true,

	.size_ucontext	= sizeof(struct ib_ucontext),
	.size_pd	= sizeof(struct ib_pd),
	.size_cq	= sizeof(struct ib_cq),
	.size_qp	= sizeof(struct ib_qp),
	.size_srq	= sizeof(struct ib_srq),
	.size_mr	= sizeof(struct ib_mr),
	.size_ah	= sizeof(struct ib_ah),
	.size_mw	= sizeof(struct ib_mw),
	.size_dm	= sizeof(struct ib_dm),
	.size_xrcd	= sizeof(struct ib_xrcd),
	.size_flow	= sizeof(struct ib_flow),
	.size_rwq_ind_table = sizeof(struct ib_rwq_ind_table),
	.size_wq	= sizeof(struct ib_wq),
	.size_flow_action = sizeof(struct ib_flow_action),
	.size_counters	= sizeof(struct ib_counters),
	.uverbs_objects	= fake_raw_objects,
	.robust_udata	= true,

	.advise_mr	= fake_advise_mr,
	.alloc_dm	= fake_alloc_dm,
	.alloc_mw	= fake_alloc_mw,
	.alloc_pd	= fake_alloc_pd,
	.alloc_ucontext	= fake_alloc_ucontext,
	.alloc_xrcd	= fake_alloc_xrcd,
	.attach_mcast	= fake_attach_mcast,
	.create_ah	= fake_create_ah,
	.create_counters = fake_create_counters,
	.create_cq	= fake_create_cq,
	.create_flow	= fake_create_flow,
	.create_qp	= fake_create_qp,
	.create_rwq_ind_table = fake_create_rwq_ind_table,
	.create_srq	= fake_create_srq,
	.create_wq	= fake_create_wq,
	.dealloc_dm	= fake_dealloc_dm,
	.dealloc_mw	= fake_dealloc_mw,
	.dealloc_pd	= fake_dealloc_pd,
	.dealloc_ucontext = fake_dealloc_ucontext,
	.dealloc_xrcd	= fake_dealloc_xrcd,
	.dereg_mr	= fake_dereg_mr,
	.destroy_ah	= fake_destroy_ah,
	.destroy_counters = fake_destroy_counters,
	.destroy_cq	= fake_destroy_cq,
	.destroy_flow	= fake_destroy_flow,
	.destroy_flow_action = fake_destroy_flow_action,
	.destroy_qp	= fake_destroy_qp,
	.destroy_rwq_ind_table = fake_destroy_rwq_ind_table,
	.destroy_srq	= fake_destroy_srq,
	.destroy_wq	= fake_destroy_wq,
	.detach_mcast	= fake_detach_mcast,
	.get_dma_mr	= fake_get_dma_mr,
	.get_link_layer	= fake_get_link_layer,
	.modify_qp	= fake_modify_qp,
	.modify_wq	= fake_modify_wq,
	.poll_cq	= fake_poll_cq,
	.post_recv	= fake_post_recv,
	.post_send	= fake_post_send,
	.post_srq_recv	= fake_post_srq_recv,
	.query_device	= fake_query_device,
	.query_gid	= fake_query_gid,
	.query_pkey	= fake_query_pkey,
	.query_port	= fake_query_port,
	.query_port_speed = fake_query_port_speed,
	.query_qp	= fake_query_qp,
	.query_ucontext	= fake_query_ucontext,
	.read_counters	= fake_read_counters,
	.reg_dm_mr	= fake_reg_dm_mr,
	.reg_user_mr	= fake_reg_user_mr,
	.reg_user_mr_dmabuf = fake_reg_user_mr_dmabuf,
	.req_notify_cq	= fake_req_notify_cq,
	.rereg_user_mr	= fake_rereg_user_mr,
};

static void dealloc(void *device)
{
	ib_dealloc_device(device);
}

static void unregister(void *device)
{
	ib_unregister_device(device);
}

/**
 * fake_device_alloc() - a device that a test may register
 * @test: frees it at its end
 *
 * Context: Process context.
 * Return: the device; the test is aborted when there is no memory.
 */
struct fake_device *fake_device_alloc(struct kunit *test)
{
	struct fake_device *fake;
	struct ib_device *device;
	struct device *parent;
	char *name;

	name = kunit_kzalloc(test, 24, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, name);
	snprintf(name, 24, "fake_hca%d", atomic_inc_return(&made_parents));
	parent = kunit_device_register(test, name);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, parent);
	parent->dma_mask = &parent->coherent_dma_mask;
	KUNIT_ASSERT_EQ(test, 0, dma_set_mask(parent, DMA_BIT_MASK(64)));

	device = ib_alloc_device(sizeof(*fake), &fake_ops, parent);
	KUNIT_ASSERT_NOT_NULL(test, device);
	KUNIT_ASSERT_EQ(test, 0,
			kunit_add_action_or_reset(test, dealloc, device));
	device->phys_port_cnt = 1;
	device->num_comp_vectors = 2;
	fake = to_fake(device);
	fake->link = IB_LINK_INFINIBAND;
	fake->gids[0].global.subnet_prefix = cpu_to_be64(0xfe80000000000000);
	fake->gids[0].global.interface_id = cpu_to_be64(1);
	return fake;
}
EXPORT_SYMBOL_IB(fake_device_alloc);

/**
 * fake_device_register() - a device that is registered
 * @test: unregisters and frees it at its end
 *
 * Context: Process context.
 * Return: the device; the test is aborted when it cannot be had.
 */
struct fake_device *fake_device_register(struct kunit *test)
{
	struct fake_device *fake = fake_device_alloc(test);

	KUNIT_ASSERT_EQ(test, 0, ib_register_device(&fake->ib, "fake%d"));
	KUNIT_ASSERT_EQ(test, 0,
			kunit_add_action_or_reset(test, unregister, &fake->ib));
	return fake;
}
EXPORT_SYMBOL_IB(fake_device_register);

MODULE_DESCRIPTION("A device without an adapter for KUnit");
MODULE_IMPORT_NS(IB_NS);
MODULE_LICENSE("GPL");
