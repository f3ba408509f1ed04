// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory in the user ABI, by system calls: regions of all kinds, windows, the
 * adapter's own memory. What arrives at the driver, what is refused and why,
 * and what holds what.
 */
#include <kunit/test.h>
#include <linux/bits.h>
#include <linux/module.h>
#include <rdma/ib_user_verbs.h>
#include <ib/export.h>
#include <ib/mw.h>
#include <uapi/ib/newer.h>
#include "kunit/helpers/fake_device.h"
#include "kunit/helpers/fake_user.h"

#define ACCESS	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_READ)

struct bed {
	struct fake_device	*fake;
	struct fake_user	*user;
	u32			pd;
};

static int free_pd(struct fake_user *user, u32 handle)
{
	struct ib_uverbs_dealloc_pd cmd = { .pd_handle = handle };

	return fake_user_command(user, IB_USER_VERBS_CMD_DEALLOC_PD, &cmd,
				 sizeof(cmd), NULL, 0);
}

static struct bed make_bed(struct kunit *test)
{
	struct bed bed = { .fake = fake_device_register(test) };

	bed.user = fake_user_open(test, bed.fake);
	bed.pd = fake_user_pd(bed.user);
	return bed;
}

static int alloc_mw(struct bed *bed, u8 type,
		    struct ib_uverbs_alloc_mw_resp *resp)
{
	struct ib_uverbs_alloc_mw cmd = {
		.pd_handle = bed->pd,
		.mw_type = type,
	};

	return fake_user_command(bed->user, IB_USER_VERBS_CMD_ALLOC_MW, &cmd,
				 sizeof(cmd), resp, sizeof(*resp));
}

static int destroy_mw(struct bed *bed, u32 handle)
{
	return fake_user_destroy(bed->user, UVERBS_OBJECT_MW,
				 UVERBS_METHOD_MW_DESTROY,
				 UVERBS_ATTR_DESTROY_MW_HANDLE, handle);
}

static int destroy_mr(struct bed *bed, u32 handle)
{
	return fake_user_destroy(bed->user, UVERBS_OBJECT_MR,
				 UVERBS_METHOD_MR_DESTROY,
				 UVERBS_ATTR_DESTROY_MR_HANDLE, handle);
}

static int free_dm(struct bed *bed, u32 handle)
{
	return fake_user_destroy(bed->user, UVERBS_OBJECT_DM,
				 UVERBS_METHOD_DM_FREE,
				 UVERBS_ATTR_FREE_DM_HANDLE, handle);
}

static void window_life(struct kunit *test, struct bed *bed)
{
	struct ib_uverbs_alloc_mw_resp resp = {};
	struct ib_uverbs_dealloc_mw cmd;

	KUNIT_ASSERT_EQ(test, 0, alloc_mw(bed, IB_MW_TYPE_1, &resp));
	KUNIT_EXPECT_EQ(test, FAKE_MW_RKEY, resp.rkey);
	KUNIT_EXPECT_EQ(test, -EBUSY, free_pd(bed->user, bed->pd));
	cmd.mw_handle = resp.mw_handle;
	KUNIT_EXPECT_EQ(test, 0,
			fake_user_command(bed->user,
					  IB_USER_VERBS_CMD_DEALLOC_MW, &cmd,
					  sizeof(cmd), NULL, 0));
	KUNIT_EXPECT_EQ(test, -ENOENT, destroy_mw(bed, resp.mw_handle));

	KUNIT_ASSERT_EQ(test, 0, alloc_mw(bed, IB_MW_TYPE_2, &resp));
	KUNIT_EXPECT_EQ(test, 0, destroy_mw(bed, resp.mw_handle));
	KUNIT_EXPECT_EQ(test, -EINVAL, alloc_mw(bed, 0, &resp));
	KUNIT_EXPECT_STREQ(test, "no memory windows of type 0",
			   fake_user_why(bed->user));
	KUNIT_EXPECT_EQ(test, -EINVAL, alloc_mw(bed, 3, &resp));
	bed->fake->fail = -ENOSPC;
	KUNIT_EXPECT_EQ(test, -ENOSPC, alloc_mw(bed, IB_MW_TYPE_1, &resp));
}

static void windows(struct kunit *test)
{
	struct bed bed = make_bed(test);

	window_life(test, &bed);
	bed.user->invoke = true;
	window_life(test, &bed);
	KUNIT_EXPECT_EQ(test, 0, free_pd(bed.user, bed.pd));
	KUNIT_EXPECT_EQ(test, 1, bed.fake->made);
}

static void closing_destroys_windows(struct kunit *test)
{
	struct bed bed = make_bed(test);
	struct ib_uverbs_alloc_mw_resp resp;

	KUNIT_ASSERT_EQ(test, 0, alloc_mw(&bed, IB_MW_TYPE_1, &resp));
	KUNIT_EXPECT_EQ(test, 3, bed.fake->made);
	fake_user_close(bed.user);
	KUNIT_EXPECT_EQ(test, 0, bed.fake->made);
}

static u32 alloc_dm(struct kunit *test, struct bed *bed)
{
	struct fake_attr attrs[] = {
		{ .id = UVERBS_ATTR_ALLOC_DM_HANDLE },
		{ .id = UVERBS_ATTR_ALLOC_DM_LENGTH, .len = 8, .data = 4096 },
		{ .id = UVERBS_ATTR_ALLOC_DM_ALIGNMENT, .len = 4, .data = 6 },
	};

	KUNIT_ASSERT_EQ(test, 0,
			fake_user_call(bed->user, UVERBS_OBJECT_DM,
				       UVERBS_METHOD_DM_ALLOC, attrs,
				       ARRAY_SIZE(attrs)));
	KUNIT_EXPECT_EQ(test, 4096, bed->fake->dm_attr.length);
	KUNIT_EXPECT_EQ(test, 6, bed->fake->dm_attr.alignment);
	return attrs[0].data;
}

static int reg_dm(struct bed *bed, u32 dm, u64 offset, u64 length, u32 access,
		  u32 *handle)
{
	u32 lkey = 0, rkey = 0;
	struct fake_attr attrs[] = {
		{ .id = UVERBS_ATTR_REG_DM_MR_HANDLE },
		{ .id = UVERBS_ATTR_REG_DM_MR_OFFSET, .len = 8,
		  .data = offset },
		{ .id = UVERBS_ATTR_REG_DM_MR_LENGTH, .len = 8,
		  .data = length },
		{ .id = UVERBS_ATTR_REG_DM_MR_PD_HANDLE, .data = bed->pd },
		{ .id = UVERBS_ATTR_REG_DM_MR_ACCESS_FLAGS, .len = 4,
		  .data = access },
		{ .id = UVERBS_ATTR_REG_DM_MR_DM_HANDLE, .data = dm },
		{ .id = UVERBS_ATTR_REG_DM_MR_RESP_LKEY, .len = 4,
		  .out = &lkey },
		{ .id = UVERBS_ATTR_REG_DM_MR_RESP_RKEY, .len = 4,
		  .out = &rkey },
	};
	int ret;

	ret = fake_user_call(bed->user, UVERBS_OBJECT_MR,
			     UVERBS_METHOD_DM_MR_REG, attrs,
			     ARRAY_SIZE(attrs));
	*handle = attrs[0].data;
	if (!ret && (lkey != FAKE_LKEY || rkey != FAKE_LKEY + 1))
		return -ERANGE;
	return ret;
}

static void device_memory(struct kunit *test)
{
	u32 zero = ACCESS | IB_ACCESS_ZERO_BASED;
	struct bed bed = make_bed(test);
	u32 dm = alloc_dm(test, &bed);
	u32 mr;

	KUNIT_EXPECT_EQ(test, -EINVAL, reg_dm(&bed, dm, 0, 64, ACCESS, &mr));
	KUNIT_EXPECT_EQ(test, -EINVAL, reg_dm(&bed, dm, 4097, 0, zero, &mr));
	KUNIT_EXPECT_EQ(test, -EINVAL, reg_dm(&bed, dm, 64, 4096, zero, &mr));
	KUNIT_EXPECT_STREQ(test, "4096 bytes from 64 do not fit the memory",
			   fake_user_why(bed.user));
	KUNIT_EXPECT_EQ(test, -EINVAL, reg_dm(&bed, dm, 64, ~0ull, zero, &mr));
	KUNIT_ASSERT_EQ(test, 0, reg_dm(&bed, dm, 64, 4032, zero, &mr));
	KUNIT_EXPECT_EQ(test, 64, bed.fake->dm_mr_attr.offset);
	KUNIT_EXPECT_EQ(test, 4032, bed.fake->dm_mr_attr.length);
	KUNIT_EXPECT_EQ(test, zero, bed.fake->dm_mr_attr.access);

	KUNIT_EXPECT_EQ(test, -EBUSY, free_dm(&bed, dm));
	KUNIT_EXPECT_EQ(test, -EBUSY, free_pd(bed.user, bed.pd));
	KUNIT_EXPECT_EQ(test, 0, destroy_mr(&bed, mr));
	KUNIT_EXPECT_EQ(test, 0, free_dm(&bed, dm));
	KUNIT_EXPECT_EQ(test, 0, free_pd(bed.user, bed.pd));
	KUNIT_EXPECT_EQ(test, 1, bed.fake->made);
}

static u32 reg_mr(struct kunit *test, struct bed *bed)
{
	struct ib_uverbs_reg_mr cmd = {
		.start = 0x10000,
		.length = 0x2000,
		.hca_va = 0x50000,
		.pd_handle = bed->pd,
		.access_flags = ACCESS,
	};
	struct ib_uverbs_reg_mr_resp resp;

	KUNIT_ASSERT_EQ(test, 0,
			fake_user_command(bed->user, IB_USER_VERBS_CMD_REG_MR,
					  &cmd, sizeof(cmd), &resp,
					  sizeof(resp)));
	return resp.mr_handle;
}

static int rereg(struct bed *bed, struct ib_uverbs_rereg_mr *cmd)
{
	struct ib_uverbs_rereg_mr_resp resp = {};
	u32 lkey = bed->fake->mr->lkey;
	int ret;

	ret = fake_user_command(bed->user, IB_USER_VERBS_CMD_REREG_MR, cmd,
				sizeof(*cmd), &resp, sizeof(resp));
	if (!ret && resp.lkey != lkey + 0x10)
		return -ERANGE;
	return ret;
}

static void rereg_all(struct kunit *test, struct bed *bed)
{
	u32 pd = fake_user_pd(bed->user);
	struct ib_uverbs_rereg_mr cmd = {
		.mr_handle = reg_mr(test, bed),
		.flags = IB_MR_REREG_KNOWN,
		.start = 0x20010,
		.length = 0x100,
		.hca_va = 0x10,
		.pd_handle = pd,
		.access_flags = IB_ACCESS_LOCAL_WRITE,
	};
	struct ib_mr *mr = bed->fake->mr;

	bed->fake->fail = -EIO;
	KUNIT_EXPECT_EQ(test, -EIO, rereg(bed, &cmd));
	KUNIT_EXPECT_EQ(test, 0x50000, mr->iova);
	KUNIT_EXPECT_EQ(test, -EBUSY, free_pd(bed->user, bed->pd));

	KUNIT_EXPECT_EQ(test, 0, rereg(bed, &cmd));
	KUNIT_EXPECT_EQ(test, 0x20010, bed->fake->rereg.start);
	KUNIT_EXPECT_EQ(test, 0x10, mr->iova);
	KUNIT_EXPECT_EQ(test, 0x100, mr->length);
	KUNIT_EXPECT_EQ(test, IB_ACCESS_LOCAL_WRITE, mr->access);
	KUNIT_EXPECT_EQ(test, -EBUSY, free_pd(bed->user, pd));
	/* the PD it has already is no change */
	KUNIT_EXPECT_EQ(test, 0, rereg(bed, &cmd));
	KUNIT_EXPECT_EQ(test, IB_MR_REREG_TRANS | IB_MR_REREG_ACCESS,
			bed->fake->rereg.flags);
	KUNIT_EXPECT_EQ(test, 0, free_pd(bed->user, bed->pd));
	KUNIT_EXPECT_EQ(test, 0, destroy_mr(bed, cmd.mr_handle));
	bed->pd = pd;
}

static void regions_change(struct kunit *test)
{
	struct bed bed = make_bed(test);

	rereg_all(test, &bed);
	bed.user->invoke = true;
	rereg_all(test, &bed);
	KUNIT_EXPECT_EQ(test, 2, bed.fake->made);
}

static void regions_do_not_change(struct kunit *test)
{
	struct bed bed = make_bed(test);
	struct ib_uverbs_rereg_mr cmd = { .mr_handle = reg_mr(test, &bed) };
	u32 dm = alloc_dm(test, &bed);

	KUNIT_EXPECT_EQ(test, -EINVAL, rereg(&bed, &cmd));
	cmd.flags = 8;
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP, rereg(&bed, &cmd));
	cmd.flags = IB_MR_REREG_TRANS;
	cmd.start = 1;
	KUNIT_EXPECT_EQ(test, -EINVAL, rereg(&bed, &cmd));
	cmd.flags = IB_MR_REREG_ACCESS;
	cmd.access_flags = IB_ACCESS_REMOTE_WRITE;
	KUNIT_EXPECT_EQ(test, -EINVAL, rereg(&bed, &cmd));
	cmd.flags = IB_MR_REREG_PD;
	cmd.pd_handle = 1000;
	KUNIT_EXPECT_EQ(test, -ENOENT, rereg(&bed, &cmd));
	cmd.flags = IB_MR_REREG_ACCESS;
	cmd.access_flags = 0;
	cmd.mr_handle = 1000;
	KUNIT_EXPECT_EQ(test, -ENOENT, rereg(&bed, &cmd));

	KUNIT_ASSERT_EQ(test, 0,
			reg_dm(&bed, dm, 0, 64, IB_ACCESS_ZERO_BASED,
			       &cmd.mr_handle));
	KUNIT_EXPECT_EQ(test, -EINVAL, rereg(&bed, &cmd));
}

static int reg_dmabuf(struct bed *bed, u64 offset, u64 iova, u32 access)
{
	u32 lkey, rkey;
	struct fake_attr attrs[] = {
		{ .id = UVERBS_ATTR_REG_DMABUF_MR_HANDLE },
		{ .id = UVERBS_ATTR_REG_DMABUF_MR_PD_HANDLE, .data = bed->pd },
		{ .id = UVERBS_ATTR_REG_DMABUF_MR_OFFSET, .len = 8,
		  .data = offset },
		{ .id = UVERBS_ATTR_REG_DMABUF_MR_LENGTH, .len = 8,
		  .data = 0x300 },
		{ .id = UVERBS_ATTR_REG_DMABUF_MR_IOVA, .len = 8,
		  .data = iova },
		{ .id = UVERBS_ATTR_REG_DMABUF_MR_FD, .len = 4, .data = 77 },
		{ .id = UVERBS_ATTR_REG_DMABUF_MR_ACCESS_FLAGS, .len = 4,
		  .data = access },
		{ .id = UVERBS_ATTR_REG_DMABUF_MR_RESP_LKEY, .len = 4,
		  .out = &lkey },
		{ .id = UVERBS_ATTR_REG_DMABUF_MR_RESP_RKEY, .len = 4,
		  .out = &rkey },
	};

	return fake_user_call(bed->user, UVERBS_OBJECT_MR,
			      UVERBS_METHOD_REG_DMABUF_MR, attrs,
			      ARRAY_SIZE(attrs));
}

static void dma_buffers(struct kunit *test)
{
	struct bed bed = make_bed(test);

	KUNIT_EXPECT_EQ(test, -EINVAL, reg_dmabuf(&bed, 0x10, 0x20, ACCESS));
	KUNIT_EXPECT_EQ(test, -EINVAL,
			reg_dmabuf(&bed, 0, 0, IB_ACCESS_ZERO_BASED));
	KUNIT_EXPECT_EQ(test, -EINVAL,
			reg_dmabuf(&bed, 0, 0, IB_ACCESS_REMOTE_WRITE));
	bed.fake->fail = -EBADF;
	KUNIT_EXPECT_EQ(test, -EBADF, reg_dmabuf(&bed, 0, 0, ACCESS));
	KUNIT_ASSERT_EQ(test, 0, reg_dmabuf(&bed, 0x1010, 0x40010, ACCESS));
	KUNIT_EXPECT_EQ(test, 0x1010, bed.fake->dmabuf_attr.offset);
	KUNIT_EXPECT_EQ(test, 0x300, bed.fake->dmabuf_attr.length);
	KUNIT_EXPECT_EQ(test, 0x40010, bed.fake->dmabuf_attr.iova);
	KUNIT_EXPECT_EQ(test, 77, bed.fake->dmabuf_attr.fd);
	KUNIT_EXPECT_EQ(test, ACCESS, bed.fake->dmabuf_attr.access);
	KUNIT_EXPECT_EQ(test, 0x40010, bed.fake->mr->iova);
	KUNIT_EXPECT_EQ(test, -EBUSY, free_pd(bed.user, bed.pd));
}

static int advise(struct bed *bed, u64 advice, u32 flags, const void *sge,
		  u16 len)
{
	struct fake_attr attrs[] = {
		{ .id = UVERBS_ATTR_ADVISE_MR_PD_HANDLE, .data = bed->pd },
		{ .id = UVERBS_ATTR_ADVISE_MR_ADVICE, .len = 8,
		  .data = advice },
		{ .id = UVERBS_ATTR_ADVISE_MR_FLAGS, .len = 4,
		  .data = flags },
		{ .id = UVERBS_ATTR_ADVISE_MR_SGE_LIST, .len = len,
		  .in = sge },
	};

	return fake_user_call(bed->user, UVERBS_OBJECT_MR,
			      UVERBS_METHOD_ADVISE_MR, attrs,
			      ARRAY_SIZE(attrs));
}

static void advice(struct kunit *test)
{
	static const struct ib_uverbs_sge sge[] = {
		{ .addr = 0x1234, .length = 56, .lkey = 78 },
		{ .addr = 0x5678, .length = 90, .lkey = 12 },
	};
	u32 write = IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_WRITE;
	u32 flush = IB_UVERBS_ADVISE_MR_FLAG_FLUSH;
	struct bed bed = make_bed(test);

	KUNIT_EXPECT_EQ(test, 0, advise(&bed, write, flush, sge, sizeof(sge)));
	KUNIT_EXPECT_EQ(test, write, bed.fake->advice[0]);
	KUNIT_EXPECT_EQ(test, flush, bed.fake->advice[1]);
	KUNIT_EXPECT_EQ(test, 2, bed.fake->num_sge);
	KUNIT_EXPECT_EQ(test, 0x1234, bed.fake->sge.addr);
	KUNIT_EXPECT_EQ(test, 56, bed.fake->sge.length);
	KUNIT_EXPECT_EQ(test, 78, bed.fake->sge.lkey);

	KUNIT_EXPECT_EQ(test, -EINVAL, advise(&bed, write, 2, sge, 16));
	KUNIT_EXPECT_EQ(test, -EINVAL, advise(&bed, write, 0, sge, 17));
	KUNIT_EXPECT_EQ(test, -EINVAL, advise(&bed, write, 0, sge, 15));
	KUNIT_EXPECT_EQ(test, -EINVAL, advise(&bed, 1ull << 32, 0, sge, 16));
	bed.fake->fail = -ENOENT;
	KUNIT_EXPECT_EQ(test, -ENOENT, advise(&bed, write, 0, sge, 16));
}

#define WITH_ADDR	BIT(0)
#define WITH_OFFSET	BIT(1)
#define WITH_FD		BIT(2)

/* The newer method that makes regions of any memory */
static int reg_any(struct bed *bed, unsigned int with, u64 value)
{
	u32 lkey, rkey;
	struct fake_attr attrs[10] = {
		{ .id = UVERBS_NEW_ATTR_REG_MR_HANDLE },
		{ .id = UVERBS_NEW_ATTR_REG_MR_PD_HANDLE, .data = bed->pd },
		{ .id = UVERBS_NEW_ATTR_REG_MR_IOVA, .len = 8,
		  .data = 0x7008 },
		{ .id = UVERBS_NEW_ATTR_REG_MR_LENGTH, .len = 8,
		  .data = 0x900 },
		{ .id = UVERBS_NEW_ATTR_REG_MR_ACCESS_FLAGS, .len = 4,
		  .data = ACCESS },
		{ .id = UVERBS_NEW_ATTR_REG_MR_RESP_LKEY, .len = 4,
		  .out = &lkey },
		{ .id = UVERBS_NEW_ATTR_REG_MR_RESP_RKEY, .len = 4,
		  .out = &rkey },
	};
	unsigned int num = 7;

	if (with & WITH_ADDR)
		attrs[num++] = (struct fake_attr) {
			.id = UVERBS_NEW_ATTR_REG_MR_ADDR, .len = 8,
			.data = value };
	if (with & WITH_OFFSET)
		attrs[num++] = (struct fake_attr) {
			.id = UVERBS_NEW_ATTR_REG_MR_FD_OFFSET, .len = 8,
			.data = value };
	if (with & WITH_FD)
		attrs[num++] = (struct fake_attr) {
			.id = UVERBS_NEW_ATTR_REG_MR_FD, .data = 5 };
	return fake_user_call(bed->user, UVERBS_OBJECT_MR,
			      UVERBS_NEW_METHOD_REG_MR, attrs, num);
}

static void regions_of_any_memory(struct kunit *test)
{
	static const unsigned int bad[] = {
		0, WITH_OFFSET, WITH_ADDR | WITH_OFFSET, WITH_ADDR | WITH_FD,
		WITH_ADDR | WITH_OFFSET | WITH_FD, WITH_FD,
	};
	struct bed bed = make_bed(test);
	size_t i;

	KUNIT_ASSERT_EQ(test, 0, reg_any(&bed, WITH_ADDR, 0x3008));
	KUNIT_EXPECT_EQ(test, 0x7008, bed.fake->mr->iova);
	KUNIT_EXPECT_EQ(test, 0x900, bed.fake->mr->length);
	KUNIT_ASSERT_EQ(test, 0, reg_any(&bed, WITH_OFFSET | WITH_FD, 0x2008));
	KUNIT_EXPECT_EQ(test, 0x2008, bed.fake->dmabuf_attr.offset);
	KUNIT_EXPECT_EQ(test, 5, bed.fake->dmabuf_attr.fd);

	KUNIT_EXPECT_EQ(test, -EINVAL, reg_any(&bed, WITH_ADDR, 0x3000));
	KUNIT_EXPECT_EQ(test, -EINVAL,
			reg_any(&bed, WITH_OFFSET | WITH_FD, 0x2000));
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL, reg_any(&bed, bad[i], 8),
				    "with 0x%x", bad[i]);
	KUNIT_EXPECT_STREQ(test, "a descriptor needs an offset and no address",
			   fake_user_why(bed.user));
}

/* A driver without the operations */
static void what_is_off(struct kunit *test)
{
	struct ib_device_ops *ops = kunit_kzalloc(test, sizeof(*ops),
						  GFP_KERNEL);
	struct ib_uverbs_alloc_mw_resp mw;
	struct fake_attr dm[] = { { .id = UVERBS_ATTR_ALLOC_DM_HANDLE } };
	struct bed bed = { .fake = fake_device_alloc(test) };
	u8 sge[16] = {};

	KUNIT_ASSERT_NOT_NULL(test, ops);
	*ops = *bed.fake->ib.ops;
	ops->alloc_mw = NULL;
	ops->dealloc_mw = NULL;
	ops->alloc_dm = NULL;
	ops->dealloc_dm = NULL;
	ops->advise_mr = NULL;
	ops->reg_user_mr_dmabuf = NULL;
	bed.fake->ib.ops = ops;
	KUNIT_ASSERT_EQ(test, 0, ib_register_device(&bed.fake->ib, "fake%d"));
	bed.user = fake_user_open(test, bed.fake);
	bed.pd = fake_user_pd(bed.user);

	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP, alloc_mw(&bed, 1, &mw));
	KUNIT_EXPECT_EQ(test, -EPROTONOSUPPORT, destroy_mw(&bed, 0));
	KUNIT_EXPECT_EQ(test, -EPROTONOSUPPORT,
			fake_user_call(bed.user, UVERBS_OBJECT_DM,
				       UVERBS_METHOD_DM_ALLOC, dm, 1));
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP, advise(&bed, 0, 0, sge, 16));
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP, reg_dmabuf(&bed, 0, 0, ACCESS));
	KUNIT_EXPECT_STREQ(test, "the device cannot register DMA buffers",
			   fake_user_why(bed.user));
	fake_user_close(bed.user);
	ib_unregister_device(&bed.fake->ib);
}

static struct kunit_case mr_cases[] = {
	KUNIT_CASE(windows),
	KUNIT_CASE(closing_destroys_windows),
	KUNIT_CASE(device_memory),
	KUNIT_CASE(regions_change),
	KUNIT_CASE(regions_do_not_change),
	KUNIT_CASE(dma_buffers),
	KUNIT_CASE(advice),
	KUNIT_CASE(regions_of_any_memory),
	KUNIT_CASE(what_is_off),
	{}
};

static struct kunit_suite mr_suite = {
	.name		= "ib_uverbs_mr",
	.test_cases	= mr_cases,
};
kunit_test_suite(mr_suite);

MODULE_DESCRIPTION("KUnit: memory in the user ABI");
MODULE_IMPORT_NS(IB_NS);
MODULE_LICENSE("GPL");
