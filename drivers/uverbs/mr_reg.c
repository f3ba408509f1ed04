// SPDX-License-Identifier: GPL-2.0-only
/*
 * Native methods that make memory regions. Those of device memory and of DMA
 * buffers are there for devices without the operation as well, and answer
 * EOPNOTSUPP: that is the errno by which libraries tell "this adapter cannot"
 * from "this kernel cannot". REG_MR of later kernels answers it for a
 * descriptor only; what it does with an address every device can.
 */
#include <linux/mm.h>
#include <ib/dm.h>
#include <ib/mr.h>
#include <ib/ops.h>
#include <uapi/ib/newer.h>
#include "bundle.h"
#include "mr_reg.h"
#include "uverbs_priv.h"

/* Rights that memory of another device can have */
#define DMABUF_ACCESS	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_READ | \
			 IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_ATOMIC | \
			 IB_ACCESS_RELAXED_ORDERING)

/* What all of them end with */
static int answer(struct uverbs_bundle *b, struct ib_uobject *uobj,
		  struct ib_mr *mr, u16 lkey, u16 rkey)
{
	int ret;

	if (IS_ERR(mr))
		return PTR_ERR(mr);
	uverbs_bind(uobj, &mr->obj);
	ret = uverbs_attr_copy_out(b, lkey, &mr->lkey, sizeof(mr->lkey));
	if (ret)
		return ret;
	return uverbs_attr_copy_out(b, rkey, &mr->rkey, sizeof(mr->rkey));
}

static int lacks(const void *op, const char *why)
{
	return op ? 0 : uverbs_refuse(-EOPNOTSUPP, why);
}

static int get_u64(struct uverbs_bundle *b, u16 id, u64 *val, int earlier)
{
	return earlier ?: uverbs_attr_u64(b, id, val);
}

static int check_range(const struct ib_dm *dm, const struct ib_dm_mr_attr *attr)
{
	if (attr->offset > dm->length ||
	    attr->length > dm->length - attr->offset)
		return ib_refuse(IB_LAYER_UVERBS, -EINVAL,
				 "%llu bytes from %llu do not fit the memory",
				 attr->length, attr->offset);
	return 0;
}

/**
 * uverbs_dm_mr_reg() - method: a region on memory of the adapter
 * @b: the call
 *
 * Context: May sleep.
 * Return: 0 or a negative errno.
 */
int uverbs_dm_mr_reg(struct uverbs_bundle *b)
{
	struct ib_pd *pd = uverbs_attr_object(b,
					      UVERBS_ATTR_REG_DM_MR_PD_HANDLE);
	struct ib_dm *dm = uverbs_attr_object(b,
					      UVERBS_ATTR_REG_DM_MR_DM_HANDLE);
	struct ib_dm_mr_attr attr = {};
	int ret;

	ret = lacks(b->device->ops->reg_dm_mr,
		    "the device cannot register its own memory");
	ret = get_u64(b, UVERBS_ATTR_REG_DM_MR_OFFSET, &attr.offset, ret);
	ret = get_u64(b, UVERBS_ATTR_REG_DM_MR_LENGTH, &attr.length, ret);
	if (!ret)
		ret = uverbs_attr_flags(b, UVERBS_ATTR_REG_DM_MR_ACCESS_FLAGS,
					IB_ACCESS_KNOWN, &attr.access);
	if (ret)
		return ret;
	if (!(attr.access & IB_ACCESS_ZERO_BASED))
		return uverbs_refuse_attr(UVERBS_ATTR_REG_DM_MR_ACCESS_FLAGS,
					  -EINVAL,
					  "access 0x%llx must be zero-based",
					  attr.access, 0);
	ret = ib_check_mr_access(b->device, attr.access);
	if (!ret)
		ret = check_range(dm, &attr);
	if (ret)
		return ret;
	return answer(b, uverbs_attr_uobject(b, UVERBS_ATTR_REG_DM_MR_HANDLE),
		      ib_reg_dm_mr(pd, dm, &attr, b),
		      UVERBS_ATTR_REG_DM_MR_RESP_LKEY,
		      UVERBS_ATTR_REG_DM_MR_RESP_RKEY);
}

/**
 * uverbs_advise_mr() - method: memory will be used soon
 * @b: the call
 *
 * Context: May sleep.
 * Return: 0 or a negative errno.
 */
int uverbs_advise_mr(struct uverbs_bundle *b)
{
	struct ib_pd *pd = uverbs_attr_object(b,
					      UVERBS_ATTR_ADVISE_MR_PD_HANDLE);
	size_t len = uverbs_attr_len(b, UVERBS_ATTR_ADVISE_MR_SGE_LIST);
	u64 advice = 0;
	u32 flags = 0;
	int ret;

	ret = lacks(b->device->ops->advise_mr,
		    "the device does not take advice about memory");
	ret = get_u64(b, UVERBS_ATTR_ADVISE_MR_ADVICE, &advice, ret);
	if (!ret && advice > U32_MAX)
		ret = uverbs_refuse_attr(UVERBS_ATTR_ADVISE_MR_ADVICE, -EINVAL,
					 "no advice 0x%llx", advice, 0);
	if (!ret)
		ret = uverbs_attr_flags(b, UVERBS_ATTR_ADVISE_MR_FLAGS,
					IB_UVERBS_ADVISE_MR_FLAG_FLUSH,
					&flags);
	if (ret)
		return ret;
	if (len % sizeof(struct ib_uverbs_sge))
		return uverbs_refuse_attr(UVERBS_ATTR_ADVISE_MR_SGE_LIST,
					  -EINVAL,
					  "%llu bytes are no list of pieces",
					  len, 0);
	return ib_advise_mr(pd, advice, flags,
			    uverbs_attr_copied(b,
					       UVERBS_ATTR_ADVISE_MR_SGE_LIST),
			    len / sizeof(struct ib_uverbs_sge), b);
}

/**
 * uverbs_reg_dmabuf_mr() - method: a region on memory of another device
 * @b: the call
 *
 * Context: May sleep.
 * Return: 0 or a negative errno.
 */
int uverbs_reg_dmabuf_mr(struct uverbs_bundle *b)
{
	struct ib_pd *pd =
		uverbs_attr_object(b, UVERBS_ATTR_REG_DMABUF_MR_PD_HANDLE);
	struct ib_dmabuf_mr_attr attr = {};
	int ret;

	ret = lacks(b->device->ops->reg_user_mr_dmabuf,
		    "the device cannot register DMA buffers");
	ret = get_u64(b, UVERBS_ATTR_REG_DMABUF_MR_OFFSET, &attr.offset, ret);
	ret = get_u64(b, UVERBS_ATTR_REG_DMABUF_MR_LENGTH, &attr.length, ret);
	ret = get_u64(b, UVERBS_ATTR_REG_DMABUF_MR_IOVA, &attr.iova, ret);
	if (!ret)
		ret = ib_check_mr_offset(attr.offset, attr.iova);
	if (!ret)
		ret = uverbs_attr_copy_in(b, UVERBS_ATTR_REG_DMABUF_MR_FD,
					  &attr.fd, sizeof(attr.fd));
	if (!ret)
		ret = uverbs_attr_flags(b,
					UVERBS_ATTR_REG_DMABUF_MR_ACCESS_FLAGS,
					DMABUF_ACCESS, &attr.access);
	if (ret)
		return ret;
	return answer(b,
		      uverbs_attr_uobject(b, UVERBS_ATTR_REG_DMABUF_MR_HANDLE),
		      ib_reg_dmabuf_mr(pd, &attr, b),
		      UVERBS_ATTR_REG_DMABUF_MR_RESP_LKEY,
		      UVERBS_ATTR_REG_DMABUF_MR_RESP_RKEY);
}

static struct ib_mr *reg_fd(struct uverbs_bundle *b, struct ib_pd *pd,
			    u64 length, u64 iova)
{
	struct ib_dmabuf_mr_attr attr = { .length = length, .iova = iova };
	u64 fd = 0;
	int ret;

	ret = lacks(b->device->ops->reg_user_mr_dmabuf,
		    "the device cannot register DMA buffers");
	if (!ret && (!uverbs_attr_present(b, UVERBS_NEW_ATTR_REG_MR_FD_OFFSET) ||
		     uverbs_attr_present(b, UVERBS_NEW_ATTR_REG_MR_ADDR)))
		ret = uverbs_refuse(-EINVAL,
				    "a descriptor needs an offset and no address");
	ret = get_u64(b, UVERBS_NEW_ATTR_REG_MR_FD_OFFSET, &attr.offset, ret);
	if (!ret)
		ret = ib_check_mr_offset(attr.offset, iova);
	ret = get_u64(b, UVERBS_NEW_ATTR_REG_MR_FD, &fd, ret);
	if (!ret)
		ret = uverbs_attr_flags(b, UVERBS_NEW_ATTR_REG_MR_ACCESS_FLAGS,
					DMABUF_ACCESS, &attr.access);
	if (ret)
		return ERR_PTR(ret);
	attr.fd = fd;
	return ib_reg_dmabuf_mr(pd, &attr, b);
}

static struct ib_mr *reg_addr(struct uverbs_bundle *b, struct ib_pd *pd,
			      u64 length, u64 iova)
{
	u64 addr = 0;
	u32 access;
	int ret = 0;

	if (!uverbs_attr_present(b, UVERBS_NEW_ATTR_REG_MR_ADDR) ||
	    uverbs_attr_present(b, UVERBS_NEW_ATTR_REG_MR_FD_OFFSET))
		ret = uverbs_refuse(-EINVAL,
				    "needs an address, or a descriptor with an offset");
	ret = get_u64(b, UVERBS_NEW_ATTR_REG_MR_ADDR, &addr, ret);
	if (!ret)
		ret = ib_check_mr_offset(addr, iova);
	if (!ret)
		ret = uverbs_attr_flags(b, UVERBS_NEW_ATTR_REG_MR_ACCESS_FLAGS,
					IB_ACCESS_KNOWN, &access);
	if (ret)
		return ERR_PTR(ret);
	return ib_reg_user_mr(pd, addr, length, iova, access, uverbs_udata(b));
}

/**
 * uverbs_reg_mr() - method of later kernels: a region on memory of any kind
 * @b: the call
 *
 * Context: May sleep.
 * Return: 0 or a negative errno.
 */
int uverbs_reg_mr(struct uverbs_bundle *b)
{
	struct ib_uobject *uobj =
		uverbs_attr_uobject(b, UVERBS_NEW_ATTR_REG_MR_HANDLE);
	struct ib_pd *pd =
		uverbs_attr_object(b, UVERBS_NEW_ATTR_REG_MR_PD_HANDLE);
	u64 iova = 0, length = 0;
	struct ib_mr *mr;
	int ret;

	ret = get_u64(b, UVERBS_NEW_ATTR_REG_MR_IOVA, &iova, 0);
	ret = get_u64(b, UVERBS_NEW_ATTR_REG_MR_LENGTH, &length, ret);
	if (ret)
		return ret;
	if (uverbs_attr_present(b, UVERBS_NEW_ATTR_REG_MR_FD))
		mr = reg_fd(b, pd, length, iova);
	else
		mr = reg_addr(b, pd, length, iova);
	return answer(b, uobj, mr, UVERBS_NEW_ATTR_REG_MR_RESP_LKEY,
		      UVERBS_NEW_ATTR_REG_MR_RESP_RKEY);
}
