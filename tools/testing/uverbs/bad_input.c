// SPDX-License-Identifier: GPL-2.0-only
/*
 * bad_input - malformed calls to a uverbs device, and the errno of each
 *
 * A case is a good call that is spoilt in one place. Good calls are in the
 * list as well: a device that refuses everything would look right otherwise.
 * The output, a line per case, is compared between two kernels; which errno
 * is right is not this program's business.
 */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>
#include <rdma/rdma_user_ioctl.h>
#include <rdma/rdma_user_ioctl_cmds.h>

#include "bad_objects.h"

#define MAX_ATTRS	16
#define PAGE		4096
#define DEAD		0x7ffffff0	/* a handle that nobody has */
#define NOWHERE		0x10		/* an address that is not mapped */

struct call {
	struct ib_uverbs_ioctl_hdr hdr;
	struct ib_uverbs_attr attrs[MAX_ATTRS];
};

/* What the cases share: an open device with a context, a PD, some memory */
static struct {
	int fd;
	uint32_t pd;
	uint8_t *memory;
	uint64_t scratch[64];
} ctx;

static void call_init(struct call *c, unsigned int object, unsigned int method)
{
	memset(c, 0, sizeof(*c));
	c->hdr.object_id = object;
	c->hdr.method_id = method;
	c->hdr.driver_id = RDMA_DRIVER_MLX5;
}

static struct ib_uverbs_attr *add(struct call *c, unsigned int id,
				  unsigned int len, uint64_t data)
{
	struct ib_uverbs_attr *attr = &c->attrs[c->hdr.num_attrs++];

	attr->attr_id = id;
	attr->len = len;
	attr->flags = UVERBS_ATTR_F_MANDATORY;
	attr->data = data;
	return attr;
}

static struct ib_uverbs_attr *add_ptr(struct call *c, unsigned int id,
				      unsigned int len, void *data)
{
	return add(c, id, len, (uintptr_t)data);
}

static int call_run(int fd, struct call *c)
{
	if (!c->hdr.length)
		c->hdr.length = sizeof(c->hdr) +
				c->hdr.num_attrs * sizeof(c->attrs[0]);
	return ioctl(fd, RDMA_VERBS_IOCTL, c) ? errno : 0;
}

/* --- the good calls ------------------------------------------------------ */

static void get_context(struct call *c)
{
	static struct mlx5_ib_alloc_ucontext_req_v2 req;
	static struct mlx5_ib_alloc_ucontext_resp resp;

	memset(&req, 0, sizeof(req));
	req.total_num_bfregs = 16;
	req.num_low_latency_bfregs = 4;
	req.max_cqe_version = 1;
	req.lib_caps = MLX5_LIB_CAP_4K_UAR;
	call_init(c, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_GET_CONTEXT);
	add_ptr(c, UVERBS_ATTR_GET_CONTEXT_NUM_COMP_VECTORS, 4, ctx.scratch);
	add_ptr(c, UVERBS_ATTR_GET_CONTEXT_CORE_SUPPORT, 8, ctx.scratch + 1);
	add_ptr(c, UVERBS_ATTR_UHW_IN, sizeof(req), &req);
	add_ptr(c, UVERBS_ATTR_UHW_OUT, sizeof(resp), &resp);
}

static void query_port(struct call *c)
{
	call_init(c, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_PORT);
	add(c, UVERBS_ATTR_QUERY_PORT_PORT_NUM, 8, 1);
	add_ptr(c, UVERBS_ATTR_QUERY_PORT_RESP,
		sizeof(struct ib_uverbs_query_port_resp_ex), ctx.scratch);
}

static void write_call(struct call *c, unsigned int cmd, void *in,
		       unsigned int in_len, unsigned int out_len)
{
	call_init(c, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE);
	add_ptr(c, UVERBS_ATTR_CORE_IN, in_len, in);
	add_ptr(c, UVERBS_ATTR_CORE_OUT, out_len, ctx.scratch);
	add(c, UVERBS_ATTR_WRITE_CMD, 8, cmd);
}

static void alloc_pd(struct call *c)
{
	static struct ib_uverbs_alloc_pd in;
	static struct mlx5_ib_alloc_pd_resp out;

	write_call(c, IB_USER_VERBS_CMD_ALLOC_PD, &in, sizeof(in),
		   sizeof(struct ib_uverbs_alloc_pd_resp));
	add_ptr(c, UVERBS_ATTR_UHW_OUT, sizeof(out), &out);
}

static struct ib_uverbs_reg_mr reg_in;

static void reg_mr(struct call *c)
{
	memset(&reg_in, 0, sizeof(reg_in));
	reg_in.start = (uintptr_t)ctx.memory;
	reg_in.hca_va = reg_in.start;
	reg_in.length = PAGE;
	reg_in.pd_handle = ctx.pd;
	reg_in.access_flags = IB_UVERBS_ACCESS_LOCAL_WRITE;
	write_call(c, IB_USER_VERBS_CMD_REG_MR, &reg_in, sizeof(reg_in),
		   sizeof(struct ib_uverbs_reg_mr_resp));
}

static void destroy_pd(struct call *c)
{
	call_init(c, UVERBS_OBJECT_PD, UVERBS_METHOD_PD_DESTROY);
	add(c, UVERBS_ATTR_DESTROY_PD_HANDLE, 0, DEAD);
}

static struct mlx5_ib_create_cq cq_in;

static void create_cq(struct call *c)
{
	memset(&cq_in, 0, sizeof(cq_in));
	cq_in.buf_addr = (uintptr_t)ctx.memory;
	cq_in.db_addr = (uintptr_t)ctx.memory + 16 * PAGE;
	cq_in.cqe_size = 64;
	call_init(c, UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_CREATE);
	add(c, UVERBS_ATTR_CREATE_CQ_HANDLE, 0, 0);
	add(c, UVERBS_ATTR_CREATE_CQ_CQE, 4, 63);
	add(c, UVERBS_ATTR_CREATE_CQ_USER_HANDLE, 8, 0);
	add(c, UVERBS_ATTR_CREATE_CQ_COMP_VECTOR, 4, 0);
	add(c, UVERBS_ATTR_CREATE_CQ_FLAGS, 4, 0);
	add_ptr(c, UVERBS_ATTR_CREATE_CQ_RESP_CQE, 4, ctx.scratch);
	add_ptr(c, UVERBS_ATTR_UHW_IN, sizeof(cq_in), &cq_in);
	add_ptr(c, UVERBS_ATTR_UHW_OUT, sizeof(struct mlx5_ib_create_cq_resp),
		ctx.scratch + 8);
}

/* --- how they are spoilt ------------------------------------------------- */

static void short_length(struct call *c)
{
	c->hdr.length = sizeof(c->hdr) - 8;
}

static void length_not_of_attrs(struct call *c)
{
	c->hdr.length = sizeof(c->hdr) + sizeof(c->attrs[0]) / 2;
}

static void length_of_more(struct call *c)
{
	c->hdr.length = sizeof(c->hdr) +
			(c->hdr.num_attrs + 1) * sizeof(c->attrs[0]);
}

static void count_of_many(struct call *c)
{
	c->hdr.num_attrs = 0xffff;
	c->hdr.length = sizeof(*c);
}

static void length_over_page(struct call *c)
{
	c->hdr.length = 0xffff;
}

static void reserved1(struct call *c)
{
	c->hdr.reserved1 = 1;
}

static void reserved2(struct call *c)
{
	c->hdr.reserved2 = 1;
}

static void other_driver(struct call *c)
{
	c->hdr.driver_id = RDMA_DRIVER_RXE;
}

static void unknown_object(struct call *c)
{
	c->hdr.object_id = 0xfff;
}

static void unknown_driver_object(struct call *c)
{
	c->hdr.object_id = 0x1fff;
}

static void unknown_method(struct call *c)
{
	c->hdr.method_id = 0xfff;
}

static void no_attrs(struct call *c)
{
	c->hdr.num_attrs = 0;
}

static void unknown_mandatory(struct call *c)
{
	add(c, 0x3ff, 8, 0);
}

static void unknown_optional(struct call *c)
{
	add(c, 0x3ff, 8, 0)->flags = 0;
}

static void twice(struct call *c)
{
	c->attrs[c->hdr.num_attrs++] = c->attrs[0];
}

static void attr_flags(struct call *c)
{
	c->attrs[0].flags |= 0x80;
}

static void attr_reserved(struct call *c)
{
	c->attrs[0].attr_data.reserved = 1;
}

static void attr0_missing(struct call *c)
{
	c->hdr.num_attrs--;
	memmove(c->attrs, c->attrs + 1,
		c->hdr.num_attrs * sizeof(c->attrs[0]));
}

static void attr0_empty(struct call *c)
{
	c->attrs[0].len = 0;
}

static void attr0_long(struct call *c)
{
	c->attrs[0].len = 0x1000;
}

static void attr0_nowhere(struct call *c)
{
	c->attrs[0].data = NOWHERE;
}

static void attr1_nowhere(struct call *c)
{
	c->attrs[1].data = NOWHERE;
}

static void attr1_short(struct call *c)
{
	c->attrs[1].len = 1;
}

static void attr0_high(struct call *c)
{
	c->attrs[0].data |= 1ull << 40;
}

static void port_0(struct call *c)
{
	c->attrs[0].data = 0;
}

static void port_9(struct call *c)
{
	c->attrs[0].data = 9;
}

static void cmd_unknown(struct call *c)
{
	c->attrs[2].data = 0x3f;
}

static void cmd_huge(struct call *c)
{
	c->attrs[2].data = 0xffffffff;
}

static void live_pd(struct call *c)
{
	c->attrs[0].data = ctx.pd;
}

static void pd_as_mr(struct call *c)
{
	call_init(c, UVERBS_OBJECT_MR, UVERBS_METHOD_MR_DESTROY);
	add(c, UVERBS_ATTR_DESTROY_MR_HANDLE, 0, ctx.pd);
}

static void mr_dead_pd(struct call *c)
{
	(void)c;
	reg_in.pd_handle = DEAD;
}

static void mr_no_length(struct call *c)
{
	(void)c;
	reg_in.length = 0;
}

static void mr_wraps(struct call *c)
{
	(void)c;
	reg_in.length = ~0ull;
}

static void mr_other_offset(struct call *c)
{
	(void)c;
	reg_in.hca_va = reg_in.start + 8;
}

static void mr_unmapped(struct call *c)
{
	(void)c;
	reg_in.start = 0x1000;
	reg_in.hca_va = 0x1000;
}

static void mr_bad_access(struct call *c)
{
	(void)c;
	reg_in.access_flags = 1u << 31;
}

static void mr_remote_without_local(struct call *c)
{
	(void)c;
	reg_in.access_flags = IB_UVERBS_ACCESS_REMOTE_WRITE;
}

static void cq_no_entries(struct call *c)
{
	c->attrs[1].data = 0;
}

static void cq_many_entries(struct call *c)
{
	c->attrs[1].data = 0x7fffffff;
}

static void cq_vector(struct call *c)
{
	c->attrs[3].data = 0xffff;
}

static void cq_flags(struct call *c)
{
	c->attrs[4].data = 1u << 30;
}

static void cq_bad_buffer(struct call *c)
{
	(void)c;
	cq_in.buf_addr = NOWHERE;
}

static void cq_bad_doorbell(struct call *c)
{
	(void)c;
	cq_in.db_addr = 0x1000;
}

static void cq_size(struct call *c)
{
	(void)c;
	cq_in.cqe_size = 100;
}

static void cq_reserved(struct call *c)
{
	(void)c;
	cq_in.reserved0 = 1;
}

static void good(struct call *c)
{
	(void)c;
}

struct bad {
	const char *name;
	void (*make)(struct call *c);
	void (*spoil)(struct call *c);
};

/* On a file without a context */
static const struct bad before[] = {
	{ "no context: query port", query_port, good },
	{ "no context: alloc pd", alloc_pd, good },
	{ "no context: destroy pd", destroy_pd, good },
	{ "context: other driver", get_context, other_driver },
	{ "context: no attributes", get_context, no_attrs },
	{ "context: first attribute empty", get_context, attr0_empty },
	{ "context: first attribute nowhere", get_context, attr0_nowhere },
	{ "context: unknown mandatory", get_context, unknown_mandatory },
	{ "context: good", get_context, good },
	{ "context: a second one", get_context, good },
};

static const struct bad after[] = {
	{ "port: good", query_port, good },
	{ "port: short length", query_port, short_length },
	{ "port: length of half an attribute", query_port, length_not_of_attrs },
	{ "port: length of one more", query_port, length_of_more },
	{ "port: 65535 attributes", query_port, count_of_many },
	{ "port: length over a page", query_port, length_over_page },
	{ "port: reserved1", query_port, reserved1 },
	{ "port: reserved2", query_port, reserved2 },
	{ "port: other driver", query_port, other_driver },
	{ "port: unknown object", query_port, unknown_object },
	{ "port: unknown driver object", query_port, unknown_driver_object },
	{ "port: unknown method", query_port, unknown_method },
	{ "port: no attributes", query_port, no_attrs },
	{ "port: unknown mandatory attribute", query_port, unknown_mandatory },
	{ "port: unknown optional attribute", query_port, unknown_optional },
	{ "port: attribute twice", query_port, twice },
	{ "port: attribute flags", query_port, attr_flags },
	{ "port: attribute reserved", query_port, attr_reserved },
	{ "port: number missing", query_port, attr0_missing },
	{ "port: number of no bytes", query_port, attr0_empty },
	{ "port: number of many bytes", query_port, attr0_long },
	{ "port: number with high bits", query_port, attr0_high },
	{ "port: answer nowhere", query_port, attr1_nowhere },
	{ "port: answer too short", query_port, attr1_short },
	{ "port: 0", query_port, port_0 },
	{ "port: 9", query_port, port_9 },
	{ "pd: in nowhere", alloc_pd, attr0_nowhere },
	{ "pd: in empty", alloc_pd, attr0_empty },
	{ "pd: out nowhere", alloc_pd, attr1_nowhere },
	{ "pd: out short", alloc_pd, attr1_short },
	{ "pd: unknown command", alloc_pd, cmd_unknown },
	{ "pd: huge command", alloc_pd, cmd_huge },
	{ "destroy pd: dead handle", destroy_pd, good },
	{ "destroy pd: handle with high bits", destroy_pd, attr0_high },
	{ "destroy pd: no handle", destroy_pd, no_attrs },
	{ "destroy pd: handle with a length", destroy_pd, attr0_long },
	{ "destroy mr: a pd", destroy_pd, pd_as_mr },
	{ "mr: dead pd", reg_mr, mr_dead_pd },
	{ "mr: no length", reg_mr, mr_no_length },
	{ "mr: length wraps", reg_mr, mr_wraps },
	{ "mr: other offset in page", reg_mr, mr_other_offset },
	{ "mr: not mapped", reg_mr, mr_unmapped },
	{ "mr: unknown access", reg_mr, mr_bad_access },
	{ "mr: remote write without local", reg_mr, mr_remote_without_local },
	{ "mr: out nowhere", reg_mr, attr1_nowhere },
	{ "mr: good", reg_mr, good },
	{ "destroy pd: in use", destroy_pd, live_pd },
	{ "cq: no entries", create_cq, cq_no_entries },
	{ "cq: many entries", create_cq, cq_many_entries },
	{ "cq: vector", create_cq, cq_vector },
	{ "cq: flags", create_cq, cq_flags },
	{ "cq: buffer nowhere", create_cq, cq_bad_buffer },
	{ "cq: doorbell nowhere", create_cq, cq_bad_doorbell },
	{ "cq: size of entries", create_cq, cq_size },
	{ "cq: reserved field", create_cq, cq_reserved },
	{ "cq: handle missing", create_cq, attr0_missing },
	{ "cq: unknown mandatory attribute", create_cq, unknown_mandatory },
	{ "cq: good", create_cq, good },
};

static void say(const char *name, int error)
{
	printf("%s: %s\n", name, error ? strerrorname_np(error) : "0");
	fflush(stdout);
}

static void run(const struct bad *bad, size_t count)
{
	struct call c;

	for (; count; count--, bad++) {
		bad->make(&c);
		bad->spoil(&c);
		say(bad->name, call_run(ctx.fd, &c));
	}
}

/* write() and mmap() with what nobody would send */
static void run_others(void)
{
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_alloc_pd pd;
	} cmd = { };
	void *page;

	say("write: one byte", write(ctx.fd, &cmd, 1) < 0 ? errno : 0);
	cmd.hdr.command = 0x3f;
	cmd.hdr.in_words = sizeof(cmd) / 4;
	say("write: unknown command",
	    write(ctx.fd, &cmd, sizeof(cmd)) < 0 ? errno : 0);
	cmd.hdr.command = IB_USER_VERBS_CMD_ALLOC_PD;
	cmd.hdr.in_words = 1;
	say("write: words do not fit",
	    write(ctx.fd, &cmd, sizeof(cmd)) < 0 ? errno : 0);
	cmd.hdr.in_words = sizeof(cmd) / 4;
	cmd.hdr.out_words = 0;
	say("write: no room for the answer",
	    write(ctx.fd, &cmd, sizeof(cmd)) < 0 ? errno : 0);
	cmd.hdr.out_words = sizeof(struct ib_uverbs_alloc_pd_resp) / 4;
	cmd.pd.response = NOWHERE;
	say("write: answer nowhere",
	    write(ctx.fd, &cmd, sizeof(cmd)) < 0 ? errno : 0);

	page = mmap(NULL, PAGE, PROT_WRITE, MAP_SHARED, ctx.fd, 255ll * PAGE);
	say("mmap: offset of nothing", page == MAP_FAILED ? errno : 0);
	page = mmap(NULL, PAGE, PROT_WRITE, MAP_SHARED, ctx.fd, 0xfffll << 20);
	say("mmap: unknown command", page == MAP_FAILED ? errno : 0);
	page = mmap(NULL, 2 * PAGE, PROT_WRITE, MAP_SHARED, ctx.fd, 0);
	say("mmap: two pages of one", page == MAP_FAILED ? errno : 0);
	page = mmap(NULL, PAGE, PROT_WRITE, MAP_PRIVATE, ctx.fd, 0);
	say("mmap: private", page == MAP_FAILED ? errno : 0);
	page = mmap(NULL, PAGE, PROT_EXEC | PROT_WRITE, MAP_SHARED, ctx.fd, 0);
	say("mmap: executable", page == MAP_FAILED ? errno : 0);

	say("ioctl: unknown", ioctl(ctx.fd, 0x1b02, NULL) ? errno : 0);
	say("ioctl: nowhere",
	    ioctl(ctx.fd, RDMA_VERBS_IOCTL, (void *)NOWHERE) ? errno : 0);
}

int main(int argc, char **argv)
{
	const char *device = argc > 1 ? argv[1] : "/dev/infiniband/uverbs0";
	struct ib_uverbs_alloc_pd_resp *resp = (void *)ctx.scratch;
	struct call c;
	int error;

	ctx.fd = open(device, O_RDWR | O_CLOEXEC);
	if (ctx.fd < 0) {
		fprintf(stderr, "bad_input: %s: %s\n", device,
			strerror(errno));
		return 1;
	}
	ctx.memory = mmap(NULL, 32 * PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (ctx.memory == MAP_FAILED) {
		perror("bad_input: memory");
		return 1;
	}
	run(before, sizeof(before) / sizeof(before[0]));
	alloc_pd(&c);
	error = call_run(ctx.fd, &c);
	say("pd: good", error);
	ctx.pd = error ? DEAD : resp->pd_handle;
	run(after, sizeof(after) / sizeof(after[0]));
	run_others();
	bad_objects();
	bad_shared();
	return 0;
}
