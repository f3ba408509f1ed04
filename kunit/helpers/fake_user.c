// SPDX-License-Identifier: GPL-2.0-only
/*
 * A user of a fake device: real system calls of ib_uverbs from user memory
 * that belongs to the test's thread. Nothing is faked above the driver.
 */
#include <kunit/test.h>
#include <linux/anon_inodes.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mman.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_user_ioctl.h>
#include <ib/export.h>
#include <uapi/ib/refusal.h>
#include "drivers/uverbs/uverbs_priv.h"
#include "fake_device.h"
#include "fake_user.h"

#define FAKE_USER_MEM	SZ_64K
#define FAKE_ATTRS	16

static int is_uverbs(struct device *dev, void *data)
{
	return dev->class && !strcmp(dev->class->name, "infiniband_verbs");
}

/* As open() of the node would do, but the thread has no /dev. */
static struct file *open_node(struct kunit *test, struct ib_device *ib)
{
	struct uverbs_device *udev;
	struct device *dev;
	struct inode *inode;
	struct file *filp;

	dev = device_find_child(ib->dev.parent, NULL, is_uverbs);
	KUNIT_ASSERT_NOT_NULL_MSG(test, dev, "is ib_uverbs loaded?");
	udev = container_of(dev, struct uverbs_device, dev);
	inode = kunit_kzalloc(test, sizeof(*inode), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, inode);
	inode->i_cdev = &udev->cdev;

	filp = anon_inode_getfile("[fake user]", udev->cdev.ops, NULL, O_RDWR);
	KUNIT_ASSERT_FALSE(test, IS_ERR(filp));
	KUNIT_EXPECT_EQ(test, 0, udev->cdev.ops->open(inode, filp));
	put_device(dev);
	return filp;
}

static void close_user(void *data)
{
	fake_user_close(data);
}

/**
 * fake_user_open() - open the file of a device and make a context
 * @test: closes the file at its end
 * @fake: a registered device
 *
 * Context: Process context, in the test's thread.
 * Return: the user; the test is aborted when it cannot be had.
 */
struct fake_user *fake_user_open(struct kunit *test, struct fake_device *fake)
{
	struct fake_user *user;
	unsigned long mem;

	user = kunit_kzalloc(test, sizeof(*user), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, user);
	user->test = test;
	mem = kunit_vm_mmap(test, NULL, 0, FAKE_USER_MEM,
			    PROT_READ | PROT_WRITE,
			    MAP_ANONYMOUS | MAP_PRIVATE, 0);
	KUNIT_ASSERT_NE(test, 0, mem);
	KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(mem));
	user->mem = (u8 __user *)mem;
	user->filp = open_node(test, &fake->ib);
	KUNIT_ASSERT_EQ(test, 0,
			kunit_add_action_or_reset(test, close_user, user));
	KUNIT_ASSERT_EQ(test, 0,
			fake_user_call(user, UVERBS_OBJECT_DEVICE,
				       UVERBS_METHOD_GET_CONTEXT, NULL, 0));
	return user;
}
EXPORT_SYMBOL_IB(fake_user_open);

/**
 * fake_user_close() - close the file; what it made is destroyed
 * @user: the user
 *
 * Context: Process context.
 */
void fake_user_close(struct fake_user *user)
{
	if (user->filp)
		__fput_sync(user->filp);
	user->filp = NULL;
}
EXPORT_SYMBOL_IB(fake_user_close);

/**
 * fake_user_copy() - put something into user memory
 * @user: the user
 * @src: what, or NULL for zeroes
 * @len: its bytes
 *
 * Context: Process context, in the test's thread.
 * Return: the user address, good until the end of the next call.
 */
u64 fake_user_copy(struct fake_user *user, const void *src, size_t len)
{
	u8 __user *dst = user->mem + user->used;
	unsigned long left;

	KUNIT_ASSERT_LE(user->test, user->used + len, FAKE_USER_MEM);
	left = src ? copy_to_user(dst, src, len) : clear_user(dst, len);
	KUNIT_ASSERT_EQ(user->test, 0, left);
	user->used += ALIGN(len, sizeof(u64));
	return (uintptr_t)dst;
}
EXPORT_SYMBOL_IB(fake_user_copy);

static int by_ioctl(struct fake_user *user, u32 command, const void *req,
		    size_t len, void *resp, size_t resp_len)
{
	struct fake_attr attrs[] = {
		{ .id = UVERBS_ATTR_WRITE_CMD, .len = sizeof(u64),
		  .data = command },
		{ .id = UVERBS_ATTR_CORE_IN, .len = len, .in = req },
		{ .id = UVERBS_ATTR_CORE_OUT, .len = resp_len, .out = resp },
	};

	return fake_user_call(user, UVERBS_OBJECT_DEVICE,
			      UVERBS_METHOD_INVOKE_WRITE, attrs,
			      resp_len ? 3 : 2);
}

static int by_write(struct fake_user *user, u32 command, const void *req,
		    size_t len, void *resp, size_t resp_len)
{
	struct ib_uverbs_cmd_hdr hdr = {
		.command = command,
		.in_words = (sizeof(hdr) + len) / 4,
		.out_words = resp_len / 4,
	};
	u64 answer = 0, addr;
	loff_t pos = 0;
	ssize_t ret;

	if (resp_len)
		answer = fake_user_copy(user, NULL, resp_len);
	addr = fake_user_copy(user, &hdr, sizeof(hdr));
	fake_user_copy(user, req, len);
	if (resp_len)
		KUNIT_ASSERT_EQ(user->test, 0,
				put_user(answer, (u64 __user *)
					 u64_to_user_ptr(addr + sizeof(hdr))));
	ret = user->filp->f_op->write(user->filp, u64_to_user_ptr(addr),
				      sizeof(hdr) + len, &pos);
	user->used = 0;
	if (resp_len)
		KUNIT_ASSERT_EQ(user->test, 0,
				copy_from_user(resp, u64_to_user_ptr(answer),
					       resp_len));
	if (ret >= 0)
		KUNIT_EXPECT_EQ(user->test, sizeof(hdr) + len, ret);
	return ret < 0 ? ret : 0;
}

/**
 * fake_user_command() - a plain command of write(), by either way
 * @user: the user
 * @command: its number
 * @req: request
 * @len: its bytes
 * @resp: gets the response, whose address the request starts with
 * @resp_len: its bytes, 0 for none
 *
 * Context: Process context, in the test's thread.
 * Return: 0 or a negative errno.
 */
int fake_user_command(struct fake_user *user, u32 command, const void *req,
		      size_t len, void *resp, size_t resp_len)
{
	return (user->invoke ? by_ioctl : by_write)(user, command, req, len,
						    resp, resp_len);
}
EXPORT_SYMBOL_IB(fake_user_command);

static void fill(struct fake_user *user, struct ib_uverbs_attr *ua,
		 const struct fake_attr *attr)
{
	ua->attr_id = attr->id;
	ua->len = attr->len;
	ua->flags = UVERBS_ATTR_F_MANDATORY;
	ua->attr_data.enum_data.elem_id = attr->choice;
	ua->data = attr->data;
	if (attr->out)
		ua->data = fake_user_copy(user, NULL, attr->len);
	else if (attr->in && attr->len > sizeof(ua->data))
		ua->data = fake_user_copy(user, attr->in, attr->len);
	else if (attr->in)
		memcpy(&ua->data, attr->in, attr->len);
}

static int read_back(struct ib_uverbs_attr __user *ua, struct fake_attr *attr)
{
	u64 data;

	if (get_user(data, &ua->data))
		return -EFAULT;
	if (!attr->len)
		attr->data = data;
	return attr->out ? copy_from_user(attr->out, u64_to_user_ptr(data),
					  attr->len) : 0;
}

/**
 * fake_user_call() - an ioctl
 * @user: the user
 * @object: object id
 * @method: method id
 * @attrs: @num attributes; handles and answers are written back
 * @num: number of attributes
 *
 * Context: Process context, in the test's thread.
 * Return: 0 or a negative errno.
 */
int fake_user_call(struct fake_user *user, u16 object, u16 method,
		   struct fake_attr *attrs, unsigned int num)
{
	struct ib_uverbs_ioctl_hdr hdr = {
		.length = struct_size(&hdr, attrs, num),
		.object_id = object,
		.method_id = method,
		.num_attrs = num,
	};
	struct ib_uverbs_attr ua[FAKE_ATTRS] = {};
	struct ib_uverbs_attr __user *user_attrs;
	unsigned int i;
	u64 addr;
	long ret;

	KUNIT_ASSERT_LE(user->test, num, FAKE_ATTRS);
	for (i = 0; i < num; i++)
		fill(user, &ua[i], &attrs[i]);
	addr = fake_user_copy(user, &hdr, sizeof(hdr));
	user_attrs = u64_to_user_ptr(fake_user_copy(user, ua,
						    num * sizeof(*ua)));
	ret = user->filp->f_op->unlocked_ioctl(user->filp, RDMA_VERBS_IOCTL,
					       addr);
	for (i = 0; i < num; i++)
		KUNIT_ASSERT_EQ(user->test, 0,
				read_back(&user_attrs[i], &attrs[i]));
	user->used = 0;
	return ret;
}
EXPORT_SYMBOL_IB(fake_user_call);

/**
 * fake_user_destroy() - a native method that takes a handle and nothing else
 * @user: the user
 * @object: object id
 * @method: method id
 * @attr: attribute id of the handle
 * @handle: the handle
 *
 * Context: Process context, in the test's thread.
 * Return: 0 or a negative errno.
 */
int fake_user_destroy(struct fake_user *user, u16 object, u16 method, u16 attr,
		      u32 handle)
{
	struct fake_attr attrs[] = { { .id = attr, .data = handle } };

	return fake_user_call(user, object, method, attrs, 1);
}
EXPORT_SYMBOL_IB(fake_user_destroy);

/**
 * fake_user_pd() - make a protection domain
 * @user: the user
 *
 * Context: Process context, in the test's thread.
 * Return: its handle; the test is aborted when it cannot be had.
 */
u32 fake_user_pd(struct fake_user *user)
{
	struct ib_uverbs_alloc_pd_resp resp = {};
	struct ib_uverbs_alloc_pd cmd = {};

	KUNIT_ASSERT_EQ(user->test, 0,
			fake_user_command(user, IB_USER_VERBS_CMD_ALLOC_PD,
					  &cmd, sizeof(cmd), &resp,
					  sizeof(resp)));
	return resp.pd_handle;
}
EXPORT_SYMBOL_IB(fake_user_pd);

/**
 * fake_user_cq() - make a completion queue
 * @user: the user
 *
 * Context: Process context, in the test's thread.
 * Return: its handle; the test is aborted when it cannot be had.
 */
u32 fake_user_cq(struct fake_user *user)
{
	struct ib_uverbs_create_cq cmd = { .cqe = 16, .comp_channel = -1 };
	struct ib_uverbs_create_cq_resp resp = {};

	KUNIT_ASSERT_EQ(user->test, 0,
			fake_user_command(user, IB_USER_VERBS_CMD_CREATE_CQ,
					  &cmd, sizeof(cmd), &resp,
					  sizeof(resp)));
	return resp.cq_handle;
}
EXPORT_SYMBOL_IB(fake_user_cq);

/**
 * fake_user_why() - the recorded reason of the last failure
 * @user: the user
 *
 * Context: Process context, in the test's thread.
 * Return: the text, freed at the test's end.
 */
const char *fake_user_why(struct fake_user *user)
{
	struct uverbs_last_refusal *why;
	u64 addr = fake_user_copy(user, NULL, sizeof(*why));

	why = kunit_kzalloc(user->test, sizeof(*why), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(user->test, why);
	KUNIT_EXPECT_EQ(user->test, 0,
			user->filp->f_op->unlocked_ioctl(user->filp,
							 UVERBS_IOCTL_LAST_REFUSAL,
							 addr));
	KUNIT_EXPECT_EQ(user->test, 0,
			copy_from_user(why, u64_to_user_ptr(addr),
				       sizeof(*why)));
	user->used = 0;
	return why->text;
}
EXPORT_SYMBOL_IB(fake_user_why);

MODULE_DESCRIPTION("A program that uses a fake device, for KUnit");
MODULE_IMPORT_NS(IB_NS);
MODULE_LICENSE("GPL");
