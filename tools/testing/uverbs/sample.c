// SPDX-License-Identifier: GPL-2.0-only
/*
 * sample MODULES - the sample driver, samples/nullib, beside the driver that is
 * loaded: it comes and goes under ib_core alone and under ib_uverbs, makes
 * objects, and is taken away from an open file. TAP; root.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <rdma/rdma_user_ioctl_cmds.h>

#include "../../../uapi/ib/refusal.h"
#include "calls.h"
#include "tap.h"

#define DEVICE		"nullib0"
#define BIND		"/sys/bus/platform/drivers/nullib"
#define MAX_CQE		4096
#define REGION		(64 * PAGE)
#define WRITES		IB_UVERBS_ACCESS_LOCAL_WRITE

/* enum ibv_qp_attr_mask and states, as libibverbs has them */
#define TO_INIT		(1 << 0 | 1 << 3 | 1 << 4 | 1 << 5)
#define TO_RTR		(1 << 0 | 1 << 7 | 1 << 8 | 1 << 12 | 1 << 15 | 1 << 17 | \
			 1 << 20)
#define TO_RTS		(1 << 0 | 1 << 9 | 1 << 10 | 1 << 11 | 1 << 13 | 1 << 16)
#define ALT_PATH	(1 << 14)
enum { RESET, INIT, RTR, RTS };

enum { UVERBS, CORE, UMEM, DRIVER };

static const char *modules;
static struct uctx x;
static uint32_t pd, mr, cq, qp, qpn;

static int shell(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static int shell(const char *fmt, ...)
{
	char command[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(command, sizeof(command), fmt, args);
	va_end(args);
	return system(command);
}

static int load(void)
{
	return shell("insmod %s/samples/nullib/nullib.ko", modules);
}

/* The last refusal was this one; 1 if not. */
static int refused(int err, unsigned int layer, const char *text)
{
	struct uverbs_last_refusal why;

	if (ioctl(x.fd, UVERBS_IOCTL_LAST_REFUSAL, &why))
		return 1;
	tap_note("%s", why.text);
	return (int)why.error != err || why.layer != layer ||
		!strstr(why.text, text);
}

/* What "rdma resource show" says of the sample's device; 1 if not that. */
static int resources(const char *counts)
{
	return !!shell("rdma resource show " DEVICE " | tr -s ' \\n' ' ' |"
		       "grep -q ' %s $'", counts);
}

/* Pages that this process has pinned */
static int pinned_kb(void)
{
	char line[128];
	int kb = -1;
	FILE *f = fopen("/proc/self/status", "r");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "VmPin: %d", &kb) == 1)
			break;
	if (f)
		fclose(f);
	return kb;
}

static int open_device(void)
{
	char path[64];
	struct call c;
	FILE *f = popen("grep -lx " DEVICE " /sys/class/infiniband_verbs/*/ibdev |"
			"cut -d/ -f5", "r");
	int ok = f && fscanf(f, "%40s", path + sprintf(path, "/dev/infiniband/"));

	if (f)
		pclose(f);
	if (ok != 1)
		return ENODEV;
	x.fd = open(path, O_RDWR | O_CLOEXEC);
	if (x.fd < 0)
		return errno;
	call_init(&c, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_GET_CONTEXT);
	call_add_ptr(&c, UVERBS_ATTR_GET_CONTEXT_NUM_COMP_VECTORS, 4,
		     &x.num_comp_vectors);
	return call_run(x.fd, &c);
}

static int create_cq(unsigned int cqe, uint32_t *handle)
{
	struct ib_uverbs_create_cq in = { .cqe = cqe, .comp_channel = -1 };
	struct ib_uverbs_create_cq_resp out = { };
	int ret = invoke_write(x.fd, IB_USER_VERBS_CMD_CREATE_CQ, &in,
			       sizeof(in), &out, sizeof(out), NULL, 0, NULL, 0);

	*handle = out.cq_handle;
	return ret;
}

static int create_qp(unsigned int type, uint32_t *handle, uint32_t *num)
{
	struct ib_uverbs_create_qp in = {
		.pd_handle = pd, .send_cq_handle = cq, .recv_cq_handle = cq,
		.max_send_wr = 8, .max_recv_wr = 8,
		.max_send_sge = 1, .max_recv_sge = 1, .qp_type = type,
	};
	struct ib_uverbs_create_qp_resp out = { };
	int ret = invoke_write(x.fd, IB_USER_VERBS_CMD_CREATE_QP, &in,
			       sizeof(in), &out, sizeof(out), NULL, 0, NULL, 0);

	*handle = out.qp_handle;
	*num = out.qpn;
	return ret;
}

static int modify_qp(unsigned int state, unsigned int mask)
{
	struct ib_uverbs_modify_qp in = {
		.qp_handle = qp, .attr_mask = mask, .qp_state = state,
		.port_num = 1, .path_mtu = 5, .dest_qp_num = qpn,
		.rq_psn = 7, .sq_psn = 9, .min_rnr_timer = 12,
		.dest = { .dlid = 1, .port_num = 1 },
		.alt_dest = { .dlid = 1, .port_num = 1 }, .alt_port_num = 1,
	};

	return invoke_write(x.fd, IB_USER_VERBS_CMD_MODIFY_QP, &in, sizeof(in),
			    NULL, 0, NULL, 0, NULL, 0);
}

static void core_alone(void)
{
	want(!shell("rmmod ib_uverbs"));
	want(!load());
	want(!shell("rdma dev | grep -q " DEVICE));
	want(!shell("rdma link | grep -q '" DEVICE "/1 .*ACTIVE'"));
	want(!shell("rmmod nullib"));
	want(shell("rdma dev | grep " DEVICE));
	want(!load());
	want(!shell("insmod %s/drivers/uverbs/ib_uverbs.ko", modules));
}

static void context(void)
{
	want_err(open_device(), 0);
	want(x.num_comp_vectors == 1);
	x.memory = mmap(NULL, REGION, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	want(x.memory != MAP_FAILED);
}

static void objects(void)
{
	uint64_t length;

	want_err(pd_alloc(&x, &pd), 0);
	want_err(mr_reg(&x, pd, x.memory, REGION, WRITES, &mr), 0);
	want_err(mr_query(&x, mr, &length), 0);
	want(length == REGION);
	want(pinned_kb() == REGION / 1024);
	want_err(create_cq(16, &cq), 0);
	want_err(create_qp(IB_UVERBS_QPT_RC, &qp, &qpn), 0);
	want(qpn > 1);
	want(!resources("pd 1 cq 1 qp 1 cm_id 0 mr 1 ctx 1 srq 0"));
}

static void path(void)
{
	struct ib_uverbs_create_ah in = {
		.pd_handle = pd, .attr = { .dlid = 1, .port_num = 1 },
	};
	struct ib_uverbs_create_ah_resp out = { };
	struct ib_uverbs_destroy_ah end = { };

	want_err(invoke_write(x.fd, IB_USER_VERBS_CMD_CREATE_AH, &in,
			      sizeof(in), &out, sizeof(out), NULL, 0, NULL, 0), 0);
	want_err(pd_destroy(&x, pd), EBUSY);
	end.ah_handle = out.ah_handle;
	want_err(invoke_write(x.fd, IB_USER_VERBS_CMD_DESTROY_AH, &end,
			      sizeof(end), NULL, 0, NULL, 0, NULL, 0), 0);
}

static void states(void)
{
	unsigned int state;

	want_err(modify_qp(RTS, TO_RTS), EINVAL);
	want_err(modify_qp(INIT, TO_INIT), 0);
	want_err(modify_qp(RTR, TO_RTR | ALT_PATH), EOPNOTSUPP);
	want(!refused(EOPNOTSUPP, DRIVER, "attributes 0x4000"));
	want_err(qp_state(&x, qp, &state), 0);
	want(state == INIT);
	want_err(modify_qp(RTR, TO_RTR), 0);
	want_err(modify_qp(RTS, TO_RTS), 0);
	want_err(qp_state(&x, qp, &state), 0);
	want(state == RTS);
	want(!shell("rdma -d resource show qp lqpn %u |"
		    "grep -q '" DEVICE ".*state RTS'", qpn));
}

static void limits(void)
{
	uint32_t other, num;

	want_err(create_cq(MAX_CQE + 1, &other), EINVAL);
	want(!refused(EINVAL, CORE, "4097 completion entries"));
	want_err(create_qp(IB_UVERBS_QPT_UC, &other, &num), EOPNOTSUPP);
	want(!refused(EOPNOTSUPP, DRIVER, "queue pairs of type 3"));
	want_err(create_qp(IB_UVERBS_QPT_UD, &other, &num), 0);
	want(num != qpn);
	want_err(qp_destroy(&x, other), 0);
	want_err(mr_reg(&x, pd, x.memory, PAGE, IB_UVERBS_ACCESS_ON_DEMAND,
			&other), EOPNOTSUPP);
}

/* Data of some provider: the driver says that it knows none. */
static void foreign_data(void)
{
	uint64_t data = 1;
	struct ib_uverbs_alloc_pd in = { };
	struct ib_uverbs_alloc_pd_resp out = { };

	want_err(invoke_write(x.fd, IB_USER_VERBS_CMD_ALLOC_PD, &in, sizeof(in),
			      &out, sizeof(out), &data, sizeof(data),
			      NULL, 0), EOPNOTSUPP);
	want(!resources("pd 1 cq 1 qp 1 cm_id 0 mr 1 ctx 1 srq 0"));
}

static void nothing_moves(void)
{
	struct {
		struct ib_uverbs_post_send head;
		struct ib_uverbs_send_wr wr;
	} in = {
		.head = { .qp_handle = qp, .wr_count = 1,
			  .wqe_size = sizeof(in.wr) },
		.wr = { .opcode = IB_UVERBS_WR_SEND },
	};
	struct ib_uverbs_post_send_resp out = { };
	struct ib_uverbs_poll_cq poll = { .cq_handle = cq, .ne = 1 };
	struct ib_uverbs_poll_cq_resp polled = { .count = 7 };

	want_err(invoke_write(x.fd, IB_USER_VERBS_CMD_POST_SEND, &in,
			      sizeof(in), &out, sizeof(out), NULL, 0, NULL, 0),
		 EOPNOTSUPP);
	want(!refused(EOPNOTSUPP, DRIVER, "a null device sends nothing"));
	want_err(invoke_write(x.fd, IB_USER_VERBS_CMD_POLL_CQ, &poll,
			      sizeof(poll), &polled, sizeof(polled),
			      NULL, 0, NULL, 0), 0);
	want(polled.count == 0);
}

/* What the file of a device that is gone still does */
static void file_without_device(void)
{
	uint32_t other;

	want_err(pd_alloc(&x, &other), EIO);
	want(pinned_kb() == 0);
	want_err(qp_destroy(&x, qp), 0);
	want_err(pd_destroy(&x, pd), 0);
	close(x.fd);
}

static void unbound(void)
{
	want(!shell("echo nullib > " BIND "/unbind"));
	want(shell("rdma dev | grep " DEVICE));
	file_without_device();
	want(!tap_failed);
	want(!shell("echo nullib > " BIND "/bind"));
	want_err(open_device(), 0);
	want(!resources("pd 0 cq 0 qp 0 cm_id 0 mr 0 ctx 1 srq 0"));
}

static void unloaded(void)
{
	objects();
	want(!tap_failed);
	want(!shell("rmmod nullib"));
	file_without_device();
	/* the other driver's is there */
	want(!shell("rdma dev | grep -qv " DEVICE));
}

static const struct tap_test tests[] = {
	{ "ib_core alone", core_alone },
	{ "context", context },
	{ "objects are made, and listed", objects },
	{ "an address handle", path },
	{ "states of a queue pair", states },
	{ "limits, with their reasons", limits },
	{ "data of a provider", foreign_data },
	{ "nothing moves", nothing_moves },
	{ "unbound under an open file", unbound },
	{ "unloaded under an open file", unloaded },
};

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: sample MODULES\n");
		return 2;
	}
	modules = argv[1];
	call_driver = RDMA_DRIVER_UNKNOWN;
	return tap_run(tests, sizeof(tests) / sizeof(tests[0]));
}
