// SPDX-License-Identifier: GPL-2.0-only
#include <linux/err.h>
#include <linux/mm.h>
#include <ib/mr.h>
#include <ib/pd.h>
#include "core_priv.h"

#define REMOTE_WRITES	(IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_ATOMIC)

/* All that the user ABI defines, known to us or not */
#define KNOWN_ACCESS	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | \
			 IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC | \
			 IB_ACCESS_MW_BIND | IB_ACCESS_ZERO_BASED | \
			 IB_ACCESS_ON_DEMAND | IB_ACCESS_HUGETLB | \
			 IB_UVERBS_ACCESS_FLUSH_GLOBAL | \
			 IB_UVERBS_ACCESS_FLUSH_PERSISTENT | \
			 IB_UVERBS_ACCESS_OPTIONAL_RANGE)

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
	if (access & ~KNOWN_ACCESS)
		return ib_refuse(IB_LAYER_CORE, -EINVAL,
				 "unknown access rights 0x%llx",
				 access & ~KNOWN_ACCESS, 0);
	if (access & (IB_ACCESS_ON_DEMAND | FLUSH_ACCESS))
		return ib_refuse(IB_LAYER_CORE, -EOPNOTSUPP,
				 "access 0x%llx: on-demand paging and flush are not supported",
				 access, 0);
	return 0;
}
EXPORT_SYMBOL_IB(ib_check_mr_access);

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
	if ((start ^ iova) & ~PAGE_MASK)
		return ib_refuse_ptr(-EINVAL,
				     "0x%llx and iova 0x%llx differ in the page offset",
				     start, iova);
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
	const struct ib_device_ops *ops = mr->obj.device->ops;
	int ret;

	ret = ib_object_begin_destroy(&mr->obj);
	if (ret)
		return ret;
	ret = ib_object_end_destroy(&mr->obj, ops->dereg_mr(mr, udata));
	if (ret)
		return ret;
	ib_object_free(&mr->obj);
	ib_object_put(&pd->obj);
	return 0;
}
EXPORT_SYMBOL_IB(ib_dereg_mr);
