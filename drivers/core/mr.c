// SPDX-License-Identifier: GPL-2.0-only
#include <linux/err.h>
#include <linux/mm.h>
#include <ib/dm.h>
#include <ib/mr.h>
#include <ib/pd.h>
#include "core_priv.h"

#define REMOTE_WRITES	(IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_ATOMIC)

#define FLUSH_ACCESS	(IB_UVERBS_ACCESS_FLUSH_GLOBAL | \
			 IB_UVERBS_ACCESS_FLUSH_PERSISTENT)

/**
 * ib_check_mr_access() - can memory have these rights?
 * @device: device
 * @access: IB_ACCESS_*; the rights of the optional range need not be known
 *
 * Context: Any context.
 * Return: 0 or a negative errno.
 */
int ib_check_mr_access(struct ib_device *device, int access)
{
	if ((access & REMOTE_WRITES) && !(access & IB_ACCESS_LOCAL_WRITE))
		return ib_refuse(IB_LAYER_CORE, -EINVAL,
				 "access 0x%llx: remote write or atomic needs local write",
				 access, 0);
	if (access & ~IB_ACCESS_KNOWN)
		return ib_refuse(IB_LAYER_CORE, -EINVAL,
				 "unknown access rights 0x%llx",
				 access & ~IB_ACCESS_KNOWN, 0);
	if (access & IB_ACCESS_ON_DEMAND &&
	    !(device->attr.odp_general & IB_ODP_SUPPORT))
		return ib_refuse(IB_LAYER_CORE, -EOPNOTSUPP,
				 "access 0x%llx: the device cannot page on demand",
				 access, 0);
	if (access & FLUSH_ACCESS)
		return ib_refuse(IB_LAYER_CORE, -EOPNOTSUPP,
				 "access 0x%llx: flush is not supported",
				 access, 0);
	return 0;
}
EXPORT_SYMBOL_IB(ib_check_mr_access);

/**
 * ib_check_mr_offset() - do an address and an iova lie alike in their pages?
 * @start: address, or offset in a buffer
 * @iova: address that work requests use
 *
 * Context: Any context.
 * Return: 0 or -EINVAL.
 */
int ib_check_mr_offset(u64 start, u64 iova)
{
	if ((start ^ iova) & ~PAGE_MASK)
		return ib_refuse(IB_LAYER_CORE, -EINVAL,
				 "0x%llx and iova 0x%llx differ in the page offset",
				 start, iova);
	return 0;
}
EXPORT_SYMBOL_IB(ib_check_mr_offset);

static struct ib_mr *new_mr(struct ib_pd *pd, enum ib_mr_type type, int access)
{
	struct ib_device *device = pd->obj.device;
	struct ib_mr *mr;

	mr = ib_object_alloc(device, IB_OBJ_MR, device->ops->size_mr);
	if (!mr)
		return NULL;
	ib_object_own(&mr->obj, pd->obj.context, pd->obj.owner);
	mr->pd = pd;
	mr->type = type;
	mr->access = access;
	return mr;
}

static struct ib_mr *finish_mr(struct ib_mr *mr, int ret)
{
	if (ret) {
		ib_object_free(&mr->obj);
		return ERR_PTR(ret);
	}
	ib_object_get(&mr->pd->obj);
	if (mr->dm)
		ib_object_get(&mr->dm->obj);
	ib_object_add(&mr->obj);
	return mr;
}

/**
 * ib_reg_user_mr() - register memory of the running process
 * @pd: protection domain
 * @start: user address
 * @length: bytes
 * @iova: address that work requests will use, same offset in its page
 * @access: IB_ACCESS_*
 * @udata: of the user's call
 *
 * Context: Process context of the process whose memory it is.
 * Return: the region or an ERR_PTR().
 */
struct ib_mr *ib_reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 iova,
			     int access, struct ib_udata *udata)
{
	const struct ib_device_ops *ops = pd->obj.device->ops;
	struct ib_mr *mr;
	int ret;

	ret = ib_object_check(pd->obj.device, ops->reg_user_mr,
			      "the device cannot register user memory");
	if (ret)
		return ERR_PTR(ret);
	ret = ib_check_mr_offset(start, iova);
	if (!ret)
		ret = ib_check_mr_access(pd->obj.device, access);
	if (ret)
		return ERR_PTR(ret);

	mr = new_mr(pd, IB_MR_USER, access);
	if (!mr)
		return ib_refuse_ptr(-ENOMEM, "no memory for a memory region", 0,
				     0);
	mr->iova = iova;
	mr->length = length;
	return finish_mr(mr, ops->reg_user_mr(mr, start, length, iova, access,
					      udata));
}
EXPORT_SYMBOL_IB(ib_reg_user_mr);

/**
 * ib_get_dma_mr() - a key for all DMA addresses
 * @pd: protection domain, of the kernel
 * @access: IB_ACCESS_*
 *
 * Context: Process context.
 * Return: the region or an ERR_PTR().
 */
struct ib_mr *ib_get_dma_mr(struct ib_pd *pd, int access)
{
	const struct ib_device_ops *ops = pd->obj.device->ops;
	struct ib_mr *mr;
	int ret;

	ret = ib_object_check(pd->obj.device, ops->get_dma_mr,
			      "the device has no key for all memory");
	if (ret)
		return ERR_PTR(ret);
	ret = ib_check_mr_access(pd->obj.device, access);
	if (ret)
		return ERR_PTR(ret);

	mr = new_mr(pd, IB_MR_DMA, access);
	if (!mr)
		return ib_refuse_ptr(-ENOMEM, "no memory for a memory region", 0,
				     0);
	mr->length = U64_MAX;
	return finish_mr(mr, ops->get_dma_mr(mr, access));
}
EXPORT_SYMBOL_IB(ib_get_dma_mr);

/**
 * ib_reg_dm_mr() - register memory of the adapter
 * @pd: protection domain
 * @dm: the memory
 * @attr: which piece of it, inside its bounds, and the rights
 * @b: the user's call, for attributes of the driver
 *
 * Context: Process context.
 * Return: the region or an ERR_PTR().
 */
struct ib_mr *ib_reg_dm_mr(struct ib_pd *pd, struct ib_dm *dm,
			   const struct ib_dm_mr_attr *attr,
			   struct uverbs_bundle *b)
{
	const struct ib_device_ops *ops = pd->obj.device->ops;
	struct ib_mr *mr;
	int ret;

	ret = ib_object_check(pd->obj.device, ops->reg_dm_mr,
			      "the device cannot register its own memory");
	if (ret)
		return ERR_PTR(ret);
	mr = new_mr(pd, IB_MR_DM, attr->access);
	if (!mr)
		return ib_refuse_ptr(-ENOMEM, "no memory for a region", 0, 0);
	mr->dm = dm;
	mr->length = attr->length;
	return finish_mr(mr, ops->reg_dm_mr(mr, dm, attr, b));
}
EXPORT_SYMBOL_IB(ib_reg_dm_mr);

/**
 * ib_reg_dmabuf_mr() - register memory that another device exports
 * @pd: protection domain
 * @attr: descriptor, piece and rights
 * @b: the user's call, for attributes of the driver
 *
 * Context: Process context of the process whose descriptor it is.
 * Return: the region or an ERR_PTR().
 */
struct ib_mr *ib_reg_dmabuf_mr(struct ib_pd *pd,
			       const struct ib_dmabuf_mr_attr *attr,
			       struct uverbs_bundle *b)
{
	const struct ib_device_ops *ops = pd->obj.device->ops;
	struct ib_mr *mr;
	int ret;

	ret = ib_object_check(pd->obj.device, ops->reg_user_mr_dmabuf,
			      "the device cannot register DMA buffers");
	if (!ret)
		ret = ib_check_mr_access(pd->obj.device, attr->access);
	if (ret)
		return ERR_PTR(ret);
	mr = new_mr(pd, IB_MR_USER, attr->access);
	if (!mr)
		return ib_refuse_ptr(-ENOMEM, "no memory for a region", 0, 0);
	mr->iova = attr->iova;
	mr->length = attr->length;
	return finish_mr(mr, ops->reg_user_mr_dmabuf(mr, attr, b));
}
EXPORT_SYMBOL_IB(ib_reg_dmabuf_mr);

/**
 * ib_rereg_user_mr() - change a region of user memory
 * @mr: the region; the caller keeps others away from it
 * @attr: what shall change
 * @udata: of the user's call
 *
 * The keys may change as well.
 *
 * Context: Process context of the process whose memory it is.
 * Return: 0, or a negative errno and the region is as before.
 */
int ib_rereg_user_mr(struct ib_mr *mr, const struct ib_rereg_attr *attr,
		     struct ib_udata *udata)
{
	struct ib_device *device = mr->obj.device;
	struct ib_pd *old = mr->pd;
	int ret;

	ret = ib_object_check(device, device->ops->rereg_user_mr,
			      "the device cannot change a memory region");
	if (ret)
		return ret;
	ret = device->ops->rereg_user_mr(mr, attr, udata);
	if (ret)
		return ret;
	if (attr->flags & IB_MR_REREG_PD) {
		ib_object_get(&attr->pd->obj);
		WRITE_ONCE(mr->pd, attr->pd);
		ib_object_sync(&mr->obj);
		ib_object_put(&old->obj);
	}
	if (attr->flags & IB_MR_REREG_TRANS) {
		mr->iova = attr->iova;
		mr->length = attr->length;
	}
	if (attr->flags & IB_MR_REREG_ACCESS)
		mr->access = attr->access;
	return 0;
}
EXPORT_SYMBOL_IB(ib_rereg_user_mr);

/**
 * ib_advise_mr() - tell the device which memory will be used soon
 * @pd: protection domain of the regions
 * @advice: enum ib_uverbs_advise_mr_advice, not checked
 * @flags: enum ib_uverbs_advise_mr_flag
 * @sg_list: @num pieces of memory, by local keys
 * @num: number of pieces
 * @b: the user's call, for attributes of the driver
 *
 * Context: Process context.
 * Return: 0 or a negative errno.
 */
int ib_advise_mr(struct ib_pd *pd, u32 advice, u32 flags,
		 const struct ib_uverbs_sge *sg_list, u32 num,
		 struct uverbs_bundle *b)
{
	struct ib_device *device = pd->obj.device;
	int ret;

	ret = ib_object_check(device, device->ops->advise_mr,
			      "the device does not take advice about memory");
	if (ret)
		return ret;
	return device->ops->advise_mr(pd, advice, flags, sg_list, num, b);
}
EXPORT_SYMBOL_IB(ib_advise_mr);

/**
 * ib_dereg_mr() - destroy a memory region
 * @mr: the region; on success its memory is unpinned
 * @udata: of the user's call, or NULL
 *
 * Context: Process context, of any process.
 * Return: 0, or a negative errno and the region lives on.
 */
int ib_dereg_mr(struct ib_mr *mr, struct ib_udata *udata)
{
	struct ib_pd *pd = mr->pd;
	struct ib_dm *dm = mr->dm;
	const struct ib_device_ops *ops = mr->obj.device->ops;
	int ret;

	ret = ib_object_begin_destroy(&mr->obj);
	if (ret)
		return ret;
	ret = ib_object_end_destroy(&mr->obj, ops->dereg_mr(mr, udata));
	if (ret)
		return ret;
	ib_object_free(&mr->obj);
	if (dm)
		ib_object_put(&dm->obj);
	ib_object_put(&pd->obj);
	return 0;
}
EXPORT_SYMBOL_IB(ib_dereg_mr);
