// SPDX-License-Identifier: GPL-2.0-only
/*
 * Malformed calls about XRC domains and what is in them, multicast groups,
 * and commands of the data path, which this adapter does not have.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <rdma/mlx5-abi.h>

#include "bad_objects.h"
#include "calls.h"

#define DEAD		0x7ffffff0	/* a handle that nobody has */
#define NO_FD		((uint32_t)-1)

/* What the cases share */
static struct uctx x;
static uint32_t pd, cq;
static uint64_t scratch[64];

static void say(const char *name, int error)
{
	printf("%s: %s\n", name, error ? strerrorname_np(error) : "0");
	fflush(stdout);
}

static int command(unsigned int nr, const void *in, unsigned int len,
		   unsigned int out_len)
{
	return invoke_write(x.fd, nr, in, len, out_len ? scratch : NULL,
			    out_len, NULL, 0, NULL, 0);
}

static int destroy(unsigned int object, unsigned int method, unsigned int attr,
		   uint32_t handle)
{
	struct call c;

	call_init(&c, object, method);
	call_add(&c, attr, 0, handle);
	return call_run(x.fd, &c);
}

/* --- domains ------------------------------------------------------------- */

static int open_xrcd(uint32_t fd, uint32_t oflags, uint32_t *handle)
{
	struct ib_uverbs_open_xrcd in = { .fd = fd, .oflags = oflags };
	int error = command(IB_USER_VERBS_CMD_OPEN_XRCD, &in, sizeof(in),
			    sizeof(struct ib_uverbs_open_xrcd_resp));

	if (!error && handle)
		memcpy(handle, scratch, sizeof(*handle));
	return error;
}

static int close_xrcd(uint32_t handle)
{
	return destroy(UVERBS_OBJECT_XRCD, UVERBS_METHOD_XRCD_DESTROY,
		       UVERBS_ATTR_DESTROY_XRCD_HANDLE, handle);
}

static void domains(int file, uint32_t *xrcd)
{
	struct ib_uverbs_open_xrcd in = {};
	uint32_t second = DEAD;

	say("xrcd: closed descriptor", open_xrcd(999, O_CREAT, NULL));
	say("xrcd: none, do not make one", open_xrcd(file, 0, NULL));
	say("xrcd: make one", open_xrcd(file, O_CREAT, xrcd));
	say("xrcd: exclusive", open_xrcd(file, O_CREAT | O_EXCL, NULL));
	say("xrcd: the same", open_xrcd(file, 0, &second));
	say("xrcd: short", command(IB_USER_VERBS_CMD_OPEN_XRCD, &in, 12, 4));
	say("xrcd: answer short",
	    command(IB_USER_VERBS_CMD_OPEN_XRCD, &in, sizeof(in), 2));
	say("close xrcd: dead", close_xrcd(DEAD));
	say("close xrcd: a pd", close_xrcd(pd));
	say("close xrcd: one of two", close_xrcd(second));
	say("close xrcd: again", close_xrcd(second));
	say("xrcd: without a file", open_xrcd(NO_FD, 0, &second));
	say("close xrcd: without a file", close_xrcd(second));
}

/* --- queue pairs --------------------------------------------------------- */

static int create_qp(struct ib_uverbs_create_qp *in, uint32_t *handle,
		     uint32_t *number)
{
	struct ib_uverbs_create_qp_resp *out = (void *)scratch;
	struct mlx5_ib_create_qp_resp uhw_out;
	struct mlx5_ib_create_qp uhw = {
		.buf_addr = (uintptr_t)uctx_pages(&x, 2),
		.db_addr = (uintptr_t)uctx_pages(&x, 1),
		.sq_wqe_count = 16,
		.rq_wqe_count = 16,
		.rq_wqe_shift = 6,
		.uidx = 0x30,
	};
	int error;

	in->max_send_wr = 8;
	in->max_recv_wr = 8;
	in->max_send_sge = 1;
	in->max_recv_sge = 1;
	error = invoke_write(x.fd, IB_USER_VERBS_CMD_CREATE_QP, in,
			     sizeof(*in), out, sizeof(*out), &uhw, sizeof(uhw),
			     &uhw_out, sizeof(uhw_out));
	if (!error) {
		*handle = out->qp_handle;
		*number = out->qpn;
	}
	return error;
}

static int create_target(uint32_t xrcd, uint32_t *handle, uint32_t *number)
{
	struct ib_uverbs_create_qp in = {
		.pd_handle = xrcd,
		.qp_type = IB_UVERBS_QPT_XRC_TGT,
	};

	return create_qp(&in, handle, number);
}

static int open_qp(uint32_t xrcd, uint8_t type, uint32_t number,
		   uint32_t *handle)
{
	struct ib_uverbs_open_qp in = {
		.pd_handle = xrcd,
		.qp_type = type,
		.qpn = number,
	};
	int error = command(IB_USER_VERBS_CMD_OPEN_QP, &in, sizeof(in),
			    sizeof(struct ib_uverbs_create_qp_resp));

	if (!error)
		memcpy(handle, scratch, sizeof(*handle));
	return error;
}

static void native_target(struct call *c, uint32_t xrcd)
{
	static struct ib_uverbs_qp_cap cap;

	call_init(c, UVERBS_OBJECT_QP, UVERBS_METHOD_QP_CREATE);
	call_add(c, UVERBS_ATTR_CREATE_QP_HANDLE, 0, 0);
	call_add(c, UVERBS_ATTR_CREATE_QP_TYPE, 8, IB_UVERBS_QPT_XRC_TGT);
	call_add_ptr(c, UVERBS_ATTR_CREATE_QP_CAP, sizeof(cap), &cap);
	call_add(c, UVERBS_ATTR_CREATE_QP_USER_HANDLE, 8, 0);
	call_add_ptr(c, UVERBS_ATTR_CREATE_QP_RESP_CAP, sizeof(cap), scratch);
	call_add_ptr(c, UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, 4, scratch + 8);
	if (xrcd)
		call_add(c, UVERBS_ATTR_CREATE_QP_XRCD_HANDLE, 0, xrcd);
}

static void targets(uint32_t xrcd)
{
	uint8_t tgt = IB_UVERBS_QPT_XRC_TGT;
	uint32_t qp = DEAD, other = DEAD, number = 0;
	struct call c;

	say("target: dead domain", create_target(DEAD, &qp, &number));
	say("target: a pd as domain", create_target(pd, &qp, &number));
	say("target: good", create_target(xrcd, &qp, &number));
	native_target(&c, 0);
	say("target: native, no domain", call_run(x.fd, &c));
	native_target(&c, xrcd);
	call_add(&c, UVERBS_ATTR_CREATE_QP_PD_HANDLE, 0, pd);
	say("target: native, with a pd", call_run(x.fd, &c));
	native_target(&c, xrcd);
	call_add(&c, UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE, 0, cq);
	say("target: native, with a cq", call_run(x.fd, &c));
	native_target(&c, DEAD);
	say("target: native, dead domain", call_run(x.fd, &c));

	say("open qp: of type rc",
	    open_qp(xrcd, IB_UVERBS_QPT_RC, number, &other));
	say("open qp: dead domain", open_qp(DEAD, tgt, number, &other));
	say("open qp: number of nobody", open_qp(xrcd, tgt, 0xfffff, &other));
	say("open qp: good", open_qp(xrcd, tgt, number, &other));
	say("close xrcd: in use", close_xrcd(xrcd));
	say("destroy target: the first handle", qp_destroy(&x, qp));
	say("destroy target: the second handle", qp_destroy(&x, other));
	say("open qp: gone", open_qp(xrcd, tgt, number, &other));
}

/* --- receive queues ------------------------------------------------------ */

static int create_xsrq(uint32_t type, uint32_t xrcd, uint32_t of_cq,
		       uint32_t of_pd, uint32_t *handle)
{
	struct ib_uverbs_create_xsrq in = {
		.srq_type = type,
		.pd_handle = of_pd,
		.xrcd_handle = xrcd,
		.cq_handle = of_cq,
		.max_wr = 15,
		.max_sge = 1,
		.max_num_tags = 8,
	};
	struct mlx5_ib_create_srq uhw = {
		.buf_addr = (uintptr_t)uctx_pages(&x, 1),
		.db_addr = (uintptr_t)uctx_pages(&x, 1),
		.uidx = 0x31,
	};
	struct mlx5_ib_create_srq_resp uhw_out;
	int error;

	error = invoke_write(x.fd, IB_USER_VERBS_CMD_CREATE_XSRQ, &in,
			     sizeof(in), scratch,
			     sizeof(struct ib_uverbs_create_srq_resp), &uhw,
			     sizeof(uhw), &uhw_out, sizeof(uhw_out));
	if (!error)
		memcpy(handle, scratch, sizeof(*handle));
	return error;
}

static void receive_queues(uint32_t xrcd)
{
	uint32_t xrc = IB_UVERBS_SRQT_XRC, srq = DEAD, qp, number;
	struct ib_uverbs_create_qp rc = {
		.pd_handle = pd,
		.send_cq_handle = cq,
		.recv_cq_handle = cq,
		.qp_type = IB_UVERBS_QPT_RC,
		.is_srq = 1,
	};

	say("xsrq: dead domain", create_xsrq(xrc, DEAD, cq, pd, &srq));
	say("xsrq: dead cq", create_xsrq(xrc, xrcd, DEAD, pd, &srq));
	say("xsrq: dead pd", create_xsrq(xrc, xrcd, cq, DEAD, &srq));
	say("xsrq: type 9", create_xsrq(9, xrcd, cq, pd, &srq));
	say("xsrq: tag matching",
	    create_xsrq(IB_UVERBS_SRQT_TM, xrcd, cq, pd, &srq));
	say("xsrq: good", create_xsrq(xrc, xrcd, cq, pd, &srq));
	rc.srq_handle = srq;
	say("qp: rc with an xrc srq", create_qp(&rc, &qp, &number));
	say("close xrcd: srq in it", close_xrcd(xrcd));
	say("destroy xsrq", srq_destroy(&x, srq));
}

/* --- multicast ----------------------------------------------------------- */

static int mcast(unsigned int nr, uint32_t qp, uint8_t first, uint16_t lid)
{
	struct ib_uverbs_attach_mcast in = {
		.gid = { first, 0x12, [15] = 1 },
		.qp_handle = qp,
		.mlid = lid,
	};

	return command(nr, &in, sizeof(in), 0);
}

static void groups(void)
{
	unsigned int attach = IB_USER_VERBS_CMD_ATTACH_MCAST;
	unsigned int detach = IB_USER_VERBS_CMD_DETACH_MCAST;
	struct ib_uverbs_create_qp in = {
		.pd_handle = pd,
		.send_cq_handle = cq,
		.recv_cq_handle = cq,
		.qp_type = IB_UVERBS_QPT_UD,
	};
	uint32_t ud = DEAD, rc = DEAD, number;

	say("mcast: ud qp", create_qp(&in, &ud, &number));
	in.qp_type = IB_UVERBS_QPT_RC;
	say("mcast: rc qp", create_qp(&in, &rc, &number));
	say("attach: dead qp", mcast(attach, DEAD, 0xff, 0xc001));
	say("attach: rc", mcast(attach, rc, 0xff, 0xc001));
	say("attach: no multicast gid", mcast(attach, ud, 0xfe, 0xc001));
	say("attach: no multicast lid", mcast(attach, ud, 0xff, 0xbfff));
	say("attach: permissive lid", mcast(attach, ud, 0xff, 0xffff));
	say("attach: good", mcast(attach, ud, 0xff, 0xc001));
	say("attach: twice", mcast(attach, ud, 0xff, 0xc001));
	say("destroy qp: attached", qp_destroy(&x, ud));
	say("detach: another lid", mcast(detach, ud, 0xff, 0xc002));
	say("detach: good", mcast(detach, ud, 0xff, 0xc001));
	say("detach: twice", mcast(detach, ud, 0xff, 0xc001));
	say("destroy qp: detached", qp_destroy(&x, ud));
	say("attach: left to the end", mcast(attach, rc, 0xff, 0xc001));
}

/* --- the data path ------------------------------------------------------- */

static void data_path(void)
{
	static const struct {
		const char *name;
		unsigned int nr;
	} commands[] = {
		{ "poll cq", IB_USER_VERBS_CMD_POLL_CQ },
		{ "arm cq", IB_USER_VERBS_CMD_REQ_NOTIFY_CQ },
		{ "post send", IB_USER_VERBS_CMD_POST_SEND },
		{ "post receive", IB_USER_VERBS_CMD_POST_RECV },
		{ "post srq receive", IB_USER_VERBS_CMD_POST_SRQ_RECV },
	};
	uint64_t in[4] = {};
	unsigned int i;

	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		say(commands[i].name,
		    command(commands[i].nr, in, sizeof(in), 8));
}

void bad_shared(void)
{
	int file = open("/tmp/domain", O_CREAT | O_RDWR | O_CLOEXEC, 0600);
	uint32_t xrcd = DEAD;

	say("shared: context", uctx_open(&x));
	say("shared: pd", pd_alloc(&x, &pd));
	say("shared: cq", cq_create(&x, -1, 0, &cq));
	domains(file, &xrcd);
	targets(xrcd);
	receive_queues(xrcd);
	say("close xrcd: at last", close_xrcd(xrcd));
	groups();
	data_path();
	uctx_close(&x);
	close(file);
}
