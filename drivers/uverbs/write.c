// SPDX-License-Identifier: GPL-2.0-only
/*
 * The older call of the user ABI: a header with word counts, a request, a
 * response somewhere else. Plain commands have the core's and the driver's
 * part one behind the other, extended ones count them separately.
 */
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/uaccess.h>
#include "bundle.h"
#include "tree.h"
#include "uverbs_priv.h"
#include "write.h"

/**
 * uverbs_request() - read the core's part of a request
 * @b: the call
 * @req: filled; zero where user space sent less
 * @len: bytes known; user space may send more when it is zero
 *
 * Context: May sleep.
 * Return: 0, -EFAULT or -EOPNOTSUPP.
 */
int uverbs_request(struct uverbs_bundle *b, void *req, size_t len)
{
	size_t n = min(len, b->core.inlen);

	if (copy_from_user(req, b->core.in, n))
		return uverbs_refuse(-EFAULT, "cannot read the request");
	memset(req + n, 0, len - n);
	if (b->core.inlen > len &&
	    check_zeroed_user(b->core.in + len, b->core.inlen - len) <= 0)
		return ib_refuse(IB_LAYER_UVERBS, -EOPNOTSUPP,
				 "unknown fields behind byte %llu of the request",
				 len, 0);
	return 0;
}

static int refuse_small(u64 have, u64 need)
{
	return ib_refuse(IB_LAYER_UVERBS, -ENOSPC,
			 "command has %llu bytes, needs %llu", have, need);
}

/**
 * uverbs_request_head() - read the fixed part of a request with tables
 * @b: the call
 * @req: filled
 * @len: its bytes, which user space must send
 *
 * Context: May sleep.
 * Return: 0, -ENOSPC or -EFAULT.
 */
int uverbs_request_head(struct uverbs_bundle *b, void *req, size_t len)
{
	if (b->core.inlen < len)
		return refuse_small(b->core.inlen, len);
	if (copy_from_user(req, b->core.in, len))
		return uverbs_refuse(-EFAULT, "cannot read the request");
	return 0;
}

/**
 * uverbs_request_tail() - read the list at the end of a request
 * @b: the call
 * @offset: where it starts; uverbs_request_head() has read up to here
 * @list: filled
 * @len: bytes of the list; user space may send more when it is zero
 *
 * Context: May sleep.
 * Return: 0, -ENOSPC, -EFAULT or -EOPNOTSUPP.
 */
int uverbs_request_tail(struct uverbs_bundle *b, size_t offset, void *list,
			size_t len)
{
	size_t left = b->core.inlen - offset;

	if (left < len)
		return refuse_small(b->core.inlen, offset + len);
	if (copy_from_user(list, b->core.in + offset, len))
		return uverbs_refuse(-EFAULT, "cannot read the request");
	if (left > len &&
	    check_zeroed_user(b->core.in + offset + len, left - len) <= 0)
		return ib_refuse(IB_LAYER_UVERBS, -EOPNOTSUPP,
				 "unknown fields behind byte %llu of the request",
				 offset + len, 0);
	return 0;
}

/**
 * uverbs_respond_head() - write the fixed part of a response with a table
 * @b: the call; the table behind is written already
 * @resp: the answer
 * @len: its bytes, for which there is room
 *
 * Context: May sleep.
 * Return: 0 or -EFAULT.
 */
int uverbs_respond_head(struct uverbs_bundle *b, const void *resp, size_t len)
{
	const struct uverbs_attr *attr;

	if (copy_to_user(b->core.out, resp, len))
		return uverbs_refuse(-EFAULT, "cannot write the response");
	attr = uverbs_attr_find(b, UVERBS_ATTR_CORE_OUT);
	if (attr && put_user(attr->flags | UVERBS_ATTR_F_VALID_OUTPUT,
			     &b->user_attrs[attr->index].flags))
		return uverbs_refuse(-EFAULT, "cannot mark the response");
	return 0;
}

/**
 * uverbs_respond() - write the core's part of the response
 * @b: the call
 * @resp: the answer; cut to the user's room, which is zeroed beyond
 * @len: bytes of the answer
 *
 * Context: May sleep.
 * Return: 0 or -EFAULT.
 */
int uverbs_respond(struct uverbs_bundle *b, const void *resp, size_t len)
{
	size_t n = min(len, b->core.outlen);

	if (uverbs_attr_find(b, UVERBS_ATTR_CORE_OUT))
		return uverbs_attr_copy_out(b, UVERBS_ATTR_CORE_OUT, resp,
					    len);
	if (copy_to_user(b->core.out, resp, n) ||
	    clear_user(b->core.out + n, b->core.outlen - n))
		return uverbs_refuse(-EFAULT, "cannot write the response");
	return 0;
}

static int check_words(const struct ib_uverbs_cmd_hdr *hdr, size_t count)
{
	if (hdr->in_words * 4 != count)
		return ib_refuse(IB_LAYER_UVERBS, -EINVAL,
				 "header says %llu words, %llu bytes came",
				 hdr->in_words, count);
	return 0;
}

/*
 * rdma-core 18 and 19 send DESTROY_CQ with the length of something else; what
 * belongs to it stands behind.
 */
static bool is_short_destroy_cq(const struct ib_uverbs_cmd_hdr *hdr,
				size_t count)
{
	return hdr->command == IB_USER_VERBS_CMD_DESTROY_CQ && count == 16;
}

static int check_plain(const struct uverbs_write_def *def,
		       struct ib_uverbs_cmd_hdr *hdr, size_t count)
{
	int ret = check_words(hdr, count);

	if (ret)
		return ret;
	if (is_short_destroy_cq(hdr, count)) {
		hdr->in_words = (sizeof(*hdr) + def->req_size) / 4;
		return 0;
	}
	if (count < sizeof(*hdr) + def->req_size)
		return refuse_small(count, sizeof(*hdr) + def->req_size);
	if (hdr->out_words * 4 < def->resp_size)
		return refuse_small(hdr->out_words * 4, def->resp_size);
	return 0;
}

static int check_extended(const struct ib_uverbs_cmd_hdr *hdr,
			  const struct ib_uverbs_ex_cmd_hdr *ex, size_t count)
{
	size_t out = (hdr->out_words + ex->provider_out_words) * 8;

	count -= sizeof(*hdr) + sizeof(*ex);
	if ((hdr->in_words + ex->provider_in_words) * 8 != count)
		return ib_refuse(IB_LAYER_UVERBS, -EINVAL,
				 "header says %llu words, %llu bytes came",
				 hdr->in_words + ex->provider_in_words, count);
	if (ex->cmd_hdr_reserved)
		return uverbs_refuse(-EINVAL, "reserved header field is set");
	if (!ex->response != !out)
		return uverbs_refuse(-EINVAL,
				     "response address and length disagree");
	if (ex->response && !access_ok(u64_to_user_ptr(ex->response), out))
		return uverbs_refuse(-EFAULT, "bad response address");
	return 0;
}

static void set_udata(struct ib_udata *udata, const void __user *in,
		      size_t inlen, void __user *out, size_t outlen)
{
	udata->in = inlen ? in : NULL;
	udata->inlen = inlen;
	udata->out = outlen ? out : NULL;
	udata->outlen = outlen;
}

static int plain_buffers(struct uverbs_bundle *b,
			 const struct uverbs_write_def *def,
			 const struct ib_uverbs_cmd_hdr *hdr,
			 const char __user *req)
{
	size_t in = hdr->in_words * 4 - sizeof(*hdr);
	size_t out = hdr->out_words * 4;
	bool udata = def->flags & UVERBS_WRITE_UDATA;
	size_t core_in = udata ? def->req_size : in;
	size_t core_out = udata ? def->resp_size : out;
	char __user *resp;
	u64 addr = 0;

	/* Commands that respond start with the address. */
	if (def->flags & UVERBS_WRITE_RESP &&
	    get_user(addr, (const u64 __user *)req))
		return uverbs_refuse(-EFAULT, "cannot read the request");
	if (!(def->flags & UVERBS_WRITE_RESP)) {
		core_out = 0;
		out = 0;
	}

	resp = u64_to_user_ptr(addr);
	set_udata(&b->core, req, core_in, resp, core_out);
	set_udata(&b->udata, req + core_in, in - core_in, resp + core_out,
		  out - core_out);
	return 0;
}

static void extended_buffers(struct uverbs_bundle *b,
			     const struct ib_uverbs_cmd_hdr *hdr,
			     const struct ib_uverbs_ex_cmd_hdr *ex,
			     const char __user *req)
{
	size_t core_in = hdr->in_words * 8;
	size_t core_out = hdr->out_words * 8;
	char __user *resp = u64_to_user_ptr(ex->response);

	set_udata(&b->core, req, core_in, resp, core_out);
	set_udata(&b->udata, req + core_in, ex->provider_in_words * 8,
		  resp + core_out, ex->provider_out_words * 8);
}

/* Only what is gone already may be destroyed on a device that is gone. */
static int invoke(struct uverbs_bundle *b, const struct uverbs_write_def *def)
{
	if (!b->device && !(def->flags & UVERBS_WRITE_DESTROY))
		return uverbs_refuse(-EIO, "device is gone");
	return def->handler(b);
}

/**
 * uverbs_invoke_write() - method that runs a command of write()
 * @b: the call
 *
 * A library probes for this method with a request that is too short, and
 * takes any errno but EPROTONOSUPPORT for a yes.
 *
 * Context: May sleep.
 * Return: 0 or a negative errno.
 */
int uverbs_invoke_write(struct uverbs_bundle *b)
{
	const struct uverbs_write_def *def;
	u64 command;
	int ret;

	ret = uverbs_attr_u64(b, UVERBS_ATTR_WRITE_CMD, &command);
	if (ret)
		return ret;
	if (command > U32_MAX)
		return uverbs_refuse_attr(UVERBS_ATTR_WRITE_CMD, -EINVAL,
					  "command 0x%llx", command, 0);
	def = uverbs_tree_write(b->file->udev->tree, command);
	if (IS_ERR(def))
		return PTR_ERR(def);

	uverbs_fill_udata(b, &b->core, UVERBS_ATTR_CORE_IN,
			  UVERBS_ATTR_CORE_OUT);
	if (b->core.inlen < def->req_size)
		return refuse_small(b->core.inlen, def->req_size);
	if (b->core.outlen < def->resp_size)
		return refuse_small(b->core.outlen, def->resp_size);
	return invoke(b, def);
}

static int run(struct uverbs_file *file, const struct uverbs_write_def *def,
	       struct ib_uverbs_cmd_hdr *hdr, const char __user *req,
	       size_t count)
{
	struct ib_uverbs_ex_cmd_hdr ex;
	struct uverbs_bundle b;
	int ret;

	uverbs_bundle_init(&b, file);
	if (def->flags & UVERBS_WRITE_EX) {
		if (count < sizeof(*hdr) + sizeof(ex))
			return ib_refuse(IB_LAYER_UVERBS, -EINVAL,
					 "%llu bytes are no command", count, 0);
		if (copy_from_user(&ex, req, sizeof(ex)))
			return uverbs_refuse(-EFAULT, "cannot read the header");
		ret = check_extended(hdr, &ex, count);
		if (!ret)
			extended_buffers(&b, hdr, &ex, req + sizeof(ex));
	} else {
		ret = check_plain(def, hdr, count);
		if (!ret)
			ret = plain_buffers(&b, def, hdr, req);
	}
	if (ret)
		return ret;

	ret = invoke(&b, def);
	uverbs_bundle_finish(&b, !ret);
	return ret;
}

/* Numbers that some device has a command for */
static bool is_known(u32 command)
{
	if (command & IB_USER_VERBS_CMD_FLAG_EXTENDED)
		return (command & IB_USER_VERBS_CMD_COMMAND_MASK) <=
			IB_USER_VERBS_EX_CMD_MODIFY_CQ;
	return command <= IB_USER_VERBS_CMD_OPEN_QP;
}

static int decode(struct uverbs_file *file, const char __user *buf,
		  size_t count, u32 *command)
{
	const struct uverbs_write_def *def;
	struct ib_uverbs_cmd_hdr hdr;
	int ret;

	if (count < sizeof(hdr))
		return ib_refuse(IB_LAYER_UVERBS, -EINVAL,
				 "%llu bytes are no command", count, 0);
	if (copy_from_user(&hdr, buf, sizeof(hdr)))
		return uverbs_refuse(-EFAULT, "cannot read the header");
	*command = hdr.command;
	def = uverbs_tree_write(file->udev->tree, hdr.command);
	if (IS_ERR(def)) {
		/* what is malformed is that, also for what is not there */
		ret = is_known(hdr.command) ? check_words(&hdr, count) : 0;
		return ret ?: PTR_ERR(def);
	}
	return run(file, def, &hdr, buf + sizeof(hdr), count);
}

/**
 * uverbs_write() - write operation of the device file
 * @filp: the file
 * @buf: the command
 * @count: its bytes
 * @pos: unused
 *
 * A write() may be done by a program that was tricked into it with a foreign
 * file as its standard output, so it must be the one that opened the file.
 *
 * Context: May sleep.
 * Return: @count, or a negative errno.
 */
ssize_t uverbs_write(struct file *filp, const char __user *buf, size_t count,
		     loff_t *pos)
{
	struct uverbs_file *file = filp->private_data;
	u32 command = 0;
	int ret, idx;

	idx = srcu_read_lock(&file->udev->srcu);
	if (filp->f_cred != current_cred())
		ret = uverbs_refuse(-EACCES, "credentials changed since open");
	else
		ret = decode(file, buf, count, &command);
	if (ret)
		uverbs_file_record(file, ret, UVERBS_CALL_WRITE, 0, command);
	srcu_read_unlock(&file->udev->srcu, idx);
	return ret ?: count;
}
