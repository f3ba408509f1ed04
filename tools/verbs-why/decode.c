// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which call was it? The program's memory is read through the kernel: an
 * address that gave it EFAULT must not kill the program here.
 */
#include <sys/uio.h>
#include <unistd.h>

#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>
#include <rdma/rdma_user_ioctl_cmds.h>

#include "why.h"

#define MAX_ATTRS	64

static bool peek(void *to, const void *from, size_t size)
{
	struct iovec here = { to, size };
	struct iovec there = { (void *)from, size };

	return process_vm_readv(getpid(), &here, 1, &there, 1, 0) ==
		(ssize_t)size;
}

static void decode_invoke_write(struct why_call *c,
				const struct ib_uverbs_attr *attrs,
				unsigned int num)
{
	unsigned int i;

	for (i = 0; i < num; i++) {
		if (attrs[i].attr_id == UVERBS_ATTR_WRITE_CMD) {
			c->command = attrs[i].data;
			c->has_command = true;
		}
		if (attrs[i].attr_id == UVERBS_ATTR_CORE_OUT)
			c->room = attrs[i].len;
	}
}

/* libmlx5 asks for DEVX first, and does without. */
static void decode_get_context(struct why_call *c,
			       const struct ib_uverbs_attr *attrs,
			       unsigned int num)
{
	const size_t upto_flags =
		offsetof(struct mlx5_ib_alloc_ucontext_req_v2, flags) +
		sizeof(__u32);
	struct mlx5_ib_alloc_ucontext_req_v2 req;
	unsigned int i;

	for (i = 0; i < num; i++)
		if (attrs[i].attr_id == UVERBS_ATTR_UHW_IN &&
		    attrs[i].len >= upto_flags &&
		    peek(&req, (void *)(uintptr_t)attrs[i].data, upto_flags))
			c->wants_devx = req.flags & MLX5_IB_ALLOC_UCTX_DEVX;
}

void why_decode_ioctl(struct why_call *c, const void *header)
{
	struct ib_uverbs_attr attrs[MAX_ATTRS];
	struct ib_uverbs_ioctl_hdr hdr;
	unsigned int num;

	if (!peek(&hdr, header, sizeof(hdr))) {
		c->what = "ioctl";
		c->argument = "a header that cannot be read";
		return;
	}
	c->object = hdr.object_id;
	c->method = hdr.method_id;
	num = hdr.num_attrs < MAX_ATTRS ? hdr.num_attrs : MAX_ATTRS;
	if (c->object != UVERBS_OBJECT_DEVICE ||
	    !peek(attrs, (const char *)header + sizeof(hdr),
		  num * sizeof(attrs[0])))
		return;
	if (c->method == UVERBS_METHOD_INVOKE_WRITE)
		decode_invoke_write(c, attrs, num);
	else if (c->method == UVERBS_METHOD_GET_CONTEXT &&
		 hdr.driver_id == RDMA_DRIVER_MLX5)
		decode_get_context(c, attrs, num);
}

void why_decode_write(struct why_call *c, const void *buf, size_t count)
{
	struct ib_uverbs_cmd_hdr hdr;

	if (count < sizeof(hdr) || !peek(&hdr, buf, sizeof(hdr)))
		return;
	c->command = hdr.command;
	c->has_command = true;
}
