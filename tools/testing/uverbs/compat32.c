// SPDX-License-Identifier: GPL-2.0-only
/*
 * The user ABI as a 32-bit process sees it; TAP. Built without a C library,
 * because few machines have a 32-bit one.
 */
#include <linux/fcntl.h>
#include <asm/unistd_32.h>
#include <asm-generic/errno-base.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>
#include <rdma/rdma_user_ioctl_cmds.h>

#include "../../../uapi/ib/refusal.h"

#ifndef __i386__
#error "not a 32-bit program"
#endif

static int fd;
static int number, failed;

static int syscall3(int nr, unsigned long a, unsigned long b, unsigned long c)
{
	int ret;

	asm volatile("int $0x80" : "=a" (ret)
		     : "a" (nr), "b" (a), "c" (b), "d" (c) : "memory");
	return ret;
}

static void put(const char *text)
{
	unsigned int len = 0;

	while (text[len])
		len++;
	syscall3(__NR_write, 1, (unsigned long)text, len);
}

static void check(int good, const char *name)
{
	char digit[] = "0 ";

	digit[0] += ++number;
	failed += !good;
	put(good ? "ok " : "not ok ");
	put(digit);
	put(name);
	put("\n");
}

struct call {
	struct ib_uverbs_ioctl_hdr hdr;
	struct ib_uverbs_attr attrs[4];
};

static void start(struct call *c, int object, int method)
{
	*c = (struct call){ .hdr = {
		.object_id = object, .method_id = method,
		.driver_id = RDMA_DRIVER_MLX5,
	} };
}

static struct ib_uverbs_attr *add(struct call *c, int id, int len,
				  __u64 data)
{
	struct ib_uverbs_attr *attr = &c->attrs[c->hdr.num_attrs++];

	attr->attr_id = id;
	attr->len = len;
	attr->flags = UVERBS_ATTR_F_MANDATORY;
	attr->data = data;
	return attr;
}

static __u64 address(const void *p)
{
	return (unsigned long)p;
}

static int run(struct call *c)
{
	c->hdr.length = sizeof(c->hdr) +
			c->hdr.num_attrs * sizeof(c->attrs[0]);
	return syscall3(__NR_ioctl, fd, RDMA_VERBS_IOCTL, (unsigned long)c);
}

static int get_context(void)
{
	static struct mlx5_ib_alloc_ucontext_req_v2 req = {
		.total_num_bfregs = 16, .num_low_latency_bfregs = 4,
		.max_cqe_version = 1, .lib_caps = MLX5_LIB_CAP_4K_UAR,
	};
	static struct mlx5_ib_alloc_ucontext_resp resp;
	struct call c;

	start(&c, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_GET_CONTEXT);
	add(&c, UVERBS_ATTR_UHW_IN, sizeof(req), address(&req));
	add(&c, UVERBS_ATTR_UHW_OUT, sizeof(resp), address(&resp));
	return run(&c);
}

static int alloc_pd_by_ioctl(__u32 *handle)
{
	struct mlx5_ib_alloc_pd_resp out = {};
	struct ib_uverbs_alloc_pd_resp resp = {};
	struct ib_uverbs_alloc_pd req = {};
	struct call c;
	int ret;

	start(&c, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE);
	add(&c, UVERBS_ATTR_WRITE_CMD, 8, IB_USER_VERBS_CMD_ALLOC_PD);
	add(&c, UVERBS_ATTR_CORE_IN, sizeof(req), address(&req));
	add(&c, UVERBS_ATTR_CORE_OUT, sizeof(resp), address(&resp));
	add(&c, UVERBS_ATTR_UHW_OUT, sizeof(out), address(&out));
	ret = run(&c);
	*handle = resp.pd_handle;
	return ret;
}

static int destroy_pd(__u32 handle)
{
	struct call c;

	start(&c, UVERBS_OBJECT_PD, UVERBS_METHOD_PD_DESTROY);
	add(&c, UVERBS_ATTR_DESTROY_PD_HANDLE, 0, handle);
	return run(&c);
}

static int alloc_pd_by_write(__u32 *handle)
{
	struct {
		struct ib_uverbs_alloc_pd_resp resp;
		struct mlx5_ib_alloc_pd_resp driver;
	} out = {};
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_alloc_pd cmd;
	} in = { .hdr = {
		.command = IB_USER_VERBS_CMD_ALLOC_PD,
		.in_words = sizeof(in) / 4, .out_words = sizeof(out) / 4,
	}, .cmd.response = address(&out) };
	int ret;

	ret = syscall3(__NR_write, fd, (unsigned long)&in, sizeof(in));
	*handle = out.resp.pd_handle;
	return ret == sizeof(in) ? 0 : ret;
}

static int run_all(void)
{
	struct uverbs_last_refusal why = {};
	__u32 pd = ~0;
	int ret;

	put("TAP version 13\n1..6\n");
	fd = syscall3(__NR_open, (unsigned long)"/dev/infiniband/uverbs0",
		      O_RDWR, 0);
	check(fd >= 0, "open");
	check(!get_context(), "a context");
	ret = alloc_pd_by_ioctl(&pd);
	check(!ret && !destroy_pd(pd), "a domain by ioctl");
	ret = alloc_pd_by_write(&pd);
	check(!ret && !destroy_pd(pd), "a domain by write");
	check(destroy_pd(pd) == -ENOENT, "no domain any more");
	ret = syscall3(__NR_ioctl, fd, UVERBS_IOCTL_LAST_REFUSAL,
		       (unsigned long)&why);
	check(!ret && why.error == ENOENT, "the reason");
	return !!failed;
}

__attribute__((force_align_arg_pointer)) void _start(void)
{
	syscall3(__NR_exit, run_all(), 0, 0);
	__builtin_unreachable();
}
