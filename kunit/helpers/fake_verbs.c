// SPDX-License-Identifier: GPL-2.0-only
#include <kunit/test.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/uaccess.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <ib/export.h>
#include "fake_user.h"
#include "fake_verbs.h"

u32 fake_verbs_qp(struct fake_user *user, u32 pd, u32 cq, u8 type)
{
	struct ib_uverbs_create_qp cmd = {
		.pd_handle = pd,
		.send_cq_handle = cq,
		.recv_cq_handle = cq,
		.qp_type = type,
	};
	struct ib_uverbs_create_qp_resp resp = {};

	KUNIT_ASSERT_EQ(user->test, 0,
			fake_user_command(user, IB_USER_VERBS_CMD_CREATE_QP,
					  &cmd, sizeof(cmd), &resp,
					  sizeof(resp)));
	return resp.qp_handle;
}
EXPORT_SYMBOL_IB(fake_verbs_qp);

/**
 * fake_verbs_destroy() - a native method that destroys, and answers nothing
 * @user: the user
 * @object: object id
 * @method: method id
 * @attr: attribute of the handle
 * @handle: the handle
 *
 * Context: Process context, in the test's thread.
 * Return: 0 or a negative errno.
 */
int fake_verbs_destroy(struct fake_user *user, u16 object, u16 method,
		       u16 attr, u32 handle)
{
	struct fake_attr attrs[] = { { .id = attr, .data = handle } };

	return fake_user_call(user, object, method, attrs, 1);
}
EXPORT_SYMBOL_IB(fake_verbs_destroy);

static int by_write(struct fake_user *user, u32 command, const void *req,
		    size_t len, void *resp, size_t resp_len)
{
	struct ib_uverbs_cmd_hdr hdr = {
		.command = command,
		.in_words = DIV_ROUND_UP(len, 8),
		.out_words = DIV_ROUND_UP(resp_len, 8),
	};
	struct ib_uverbs_ex_cmd_hdr ex = {};
	size_t count = sizeof(hdr) + sizeof(ex) + hdr.in_words * 8;
	loff_t pos = 0;
	ssize_t ret;
	u64 addr, in;

	if (resp_len)
		ex.response = fake_user_copy(user, NULL, hdr.out_words * 8);
	addr = fake_user_copy(user, &hdr, sizeof(hdr));
	fake_user_copy(user, &ex, sizeof(ex));
	/* the last word may be longer than the request */
	in = fake_user_copy(user, NULL, hdr.in_words * 8);
	KUNIT_ASSERT_EQ(user->test, 0,
			copy_to_user(u64_to_user_ptr(in), req, len));
	ret = user->filp->f_op->write(user->filp, u64_to_user_ptr(addr),
				      count, &pos);
	user->used = 0;
	if (resp_len)
		KUNIT_ASSERT_EQ(user->test, 0,
				copy_from_user(resp,
					       u64_to_user_ptr(ex.response),
					       resp_len));
	if (ret >= 0)
		KUNIT_EXPECT_EQ(user->test, count, ret);
	return ret < 0 ? ret : 0;
}

/**
 * fake_verbs_extended() - an extended command of write(), by either way
 * @user: the user
 * @command: its number, without the flag
 * @req: request; user memory behind it is zero
 * @len: its bytes
 * @resp: gets the response
 * @resp_len: its bytes, 0 for none
 *
 * Context: Process context, in the test's thread.
 * Return: 0 or a negative errno.
 */
int fake_verbs_extended(struct fake_user *user, u32 command, const void *req,
			size_t len, void *resp, size_t resp_len)
{
	command |= IB_USER_VERBS_CMD_FLAG_EXTENDED;
	if (user->invoke)
		return fake_user_command(user, command, req, len, resp,
					 resp_len);
	return by_write(user, command, req, len, resp, resp_len);
}
EXPORT_SYMBOL_IB(fake_verbs_extended);

MODULE_DESCRIPTION("Verbs of a program that uses a fake device, for KUnit");
MODULE_IMPORT_NS(IB_NS);
MODULE_LICENSE("GPL");
