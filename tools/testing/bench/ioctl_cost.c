// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioctl_cost RUNS LIVE - make calls between the marks of kcount
 *
 * Each call is made RUNS times. After that address handles are made, up to
 * LIVE of them, and what one more costs is counted at each power of ten. The
 * output is "row NUMBER NAME" for what was counted and "memory LIVE BYTES" for
 * what the kernel needed for so many handles; what was counted is in the file
 * of kcount.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <rdma/mlx5-abi.h>
#include <rdma/mlx5_user_ioctl_cmds.h>

#include "calls.h"
#include "kernel.h"
#include "marks.h"

#define SERIES_RUNS	200
#define WARM_UP		10

static struct uctx ctx;
static uint32_t pd, ah;
static unsigned int rows;

static void die(const char *what, int err)
{
	printf("ioctl_cost: %s: %s\n", what, strerror(err));
	exit(1);
}

/* Where firmware commands are posted and waited for, in either driver */
static void set_firmware_apart(void)
{
	static const char * const names[] = {
		"cx_cmd_exec_tail", "mlx5_cmd_exec", "mlx5_cmd_do",
		"mlx5_cmd_exec_polling", "mlx5_cmd_exec_cb",
	};
	unsigned int i, found = 0;
	uint64_t address;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		address = kernel_symbol(names[i]);
		if (address) {
			mark(MARK_APART, address);
			found++;
		}
	}
	if (!found)
		die("no function of firmware commands in /proc/kallsyms", 0);
}

static int null_syscall(void)
{
	getppid();
	return 0;
}

static int null_ioctl(void)
{
	return ioctl(ctx.fd, 0) ? 0 : EINVAL;
}

static int refused_method(void)
{
	struct call c;

	call_init(&c, UVERBS_OBJECT_DEVICE, 17);
	return call_run(ctx.fd, &c) == EPROTONOSUPPORT ? 0 : EINVAL;
}

static int refused_handle(void)
{
	return pd_destroy(&ctx, 0x7fffff) == ENOENT ? 0 : EINVAL;
}

static int query_context(void)
{
	struct mlx5_ib_alloc_ucontext_resp resp = { };
	uint64_t core_support;
	uint32_t vectors;
	struct call c;

	call_init(&c, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_CONTEXT);
	call_add_ptr(&c, UVERBS_ATTR_QUERY_CONTEXT_NUM_COMP_VECTORS, 4,
		     &vectors);
	call_add_ptr(&c, UVERBS_ATTR_QUERY_CONTEXT_CORE_SUPPORT, 8,
		     &core_support);
	call_add_ptr(&c, MLX5_IB_ATTR_QUERY_CONTEXT_RESP_UCTX, sizeof(resp),
		     &resp);
	return call_run(ctx.fd, &c);
}

static uint32_t made;

static int create_pd(void)
{
	return pd_alloc(&ctx, &made);
}

static int destroy_pd(void)
{
	return pd_destroy(&ctx, made);
}

static int create_cq(void)
{
	return cq_create(&ctx, -1, 0, &made);
}

static int destroy_cq(void)
{
	return cq_destroy(&ctx, made, NULL);
}

static int create_ah(void)
{
	struct ib_uverbs_create_ah in = {
		.pd_handle = pd, .attr = { .dlid = 1, .port_num = 1 },
	};
	struct ib_uverbs_create_ah_resp out = { };
	int ret;

	ret = invoke_write(ctx.fd, IB_USER_VERBS_CMD_CREATE_AH, &in,
			   sizeof(in), &out, sizeof(out), NULL, 0, NULL, 0);
	ah = out.ah_handle;
	return ret;
}

static int destroy_ah(void)
{
	struct call c;

	call_init(&c, UVERBS_OBJECT_AH, UVERBS_METHOD_AH_DESTROY);
	call_add(&c, UVERBS_ATTR_DESTROY_AH_HANDLE, 0, ah);
	return call_run(ctx.fd, &c);
}

/* A call, and the one that undoes it */
static const struct pair {
	const char *name;
	int (*run)(void);
	const char *undo_name;
	int (*undo)(void);
} pairs[] = {
	{ "getppid", null_syscall, NULL, NULL },
	{ "unknown ioctl", null_ioctl, NULL, NULL },
	{ "refused: no such method", refused_method, NULL, NULL },
	{ "refused: no such handle", refused_handle, NULL, NULL },
	{ "QUERY_CONTEXT", query_context, NULL, NULL },
	{ "PD alloc", create_pd, "PD dealloc", destroy_pd },
	{ "CQ create", create_cq, "CQ destroy", destroy_cq },
	{ "AH create", create_ah, "AH destroy", destroy_ah },
};

#define CREATE_AH	(&pairs[sizeof(pairs) / sizeof(pairs[0]) - 1])

static void count(unsigned int row, const char *name, int (*run)(void))
{
	int err;

	mark(MARK_START, row);
	err = run();
	mark(MARK_END, 0);
	if (err)
		die(name, err);
}

static void warm_up(const struct pair *p)
{
	int i, err = 0;

	for (i = 0; i < WARM_UP && !err; i++) {
		err = p->run();
		if (!err && p->undo)
			err = p->undo();
	}
	if (err)
		die(p->name, err);
}

static void count_pair(const struct pair *p, unsigned int runs,
		       const char *suffix)
{
	unsigned int i;

	warm_up(p);
	printf("row %u %s%s\n", rows, p->name, suffix);
	if (p->undo)
		printf("row %u %s%s\n", rows + 1, p->undo_name, suffix);
	for (i = 0; i < runs; i++) {
		count(rows, p->name, p->run);
		if (p->undo)
			count(rows + 1, p->undo_name, p->undo);
	}
	rows += p->undo ? 2 : 1;
	fflush(stdout);
}

static void ah_series(unsigned long most)
{
	unsigned long live = 0, next;
	long before = kernel_memory("Slab");
	char suffix[32];
	int err;

	for (next = 1; next <= most; next *= 10) {
		for (; live < next; live++) {
			err = create_ah();
			if (err)
				die("AH create", err);
		}
		/* what it has taken for itself in small pieces */
		printf("memory %lu %ld\n", live,
		       kernel_memory("Slab") - before);
		snprintf(suffix, sizeof(suffix), ", %lu live", live);
		count_pair(CREATE_AH, SERIES_RUNS, suffix);
	}
}

int main(int argc, char **argv)
{
	unsigned int i, runs;
	unsigned long live;
	int err;

	if (argc != 3) {
		printf("usage: ioctl_cost RUNS LIVE\n");
		return 2;
	}
	runs = strtoul(argv[1], NULL, 0);
	live = strtoul(argv[2], NULL, 0);
	err = uctx_open(&ctx);
	if (err)
		die("cannot open the device", err);
	err = pd_alloc(&ctx, &pd);
	if (err)
		die("no protection domain", err);
	/* no page faults when the queues' memory is pinned */
	memset(ctx.memory, 0, MEMORY_PAGES * PAGE);
	set_firmware_apart();
	mark(MARK_THREAD, 0);
	for (i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		count_pair(&pairs[i], runs, "");
	ah_series(live);
	uctx_close(&ctx);
	return 0;
}
