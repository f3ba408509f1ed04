// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <rdma/mlx5-abi.h>

#include "calls.h"

#define QUEUE_WQES	16
#define WQE_SHIFT	6
#define USER_INDEX	0x10

unsigned int call_driver = RDMA_DRIVER_MLX5;

void call_init(struct call *c, unsigned int object, unsigned int method)
{
	memset(c, 0, sizeof(*c));
	c->hdr.object_id = object;
	c->hdr.method_id = method;
	c->hdr.driver_id = call_driver;
}

struct ib_uverbs_attr *call_add(struct call *c, unsigned int id,
				unsigned int len, uint64_t data)
{
	struct ib_uverbs_attr *attr = &c->attrs[c->hdr.num_attrs++];

	attr->attr_id = id;
	attr->len = len;
	attr->flags = UVERBS_ATTR_F_MANDATORY;
	attr->data = data;
	return attr;
}

struct ib_uverbs_attr *call_add_ptr(struct call *c, unsigned int id,
				    unsigned int len, const void *data)
{
	return call_add(c, id, len, (uintptr_t)data);
}

int call_run(int fd, struct call *c)
{
	c->hdr.length = sizeof(c->hdr) +
			c->hdr.num_attrs * sizeof(c->attrs[0]);
	return ioctl(fd, RDMA_VERBS_IOCTL, c) ? errno : 0;
}

static int get_context(struct uctx *x)
{
	struct mlx5_ib_alloc_ucontext_req_v2 req = {
		.total_num_bfregs = 16,
		.num_low_latency_bfregs = 4,
		.max_cqe_version = 1,
		.lib_caps = MLX5_LIB_CAP_4K_UAR,
	};
	struct mlx5_ib_alloc_ucontext_resp resp = { };
	struct call c;

	call_init(&c, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_GET_CONTEXT);
	call_add_ptr(&c, UVERBS_ATTR_GET_CONTEXT_NUM_COMP_VECTORS, 4,
		     &x->num_comp_vectors);
	call_add_ptr(&c, UVERBS_ATTR_UHW_IN, sizeof(req), &req);
	call_add_ptr(&c, UVERBS_ATTR_UHW_OUT, sizeof(resp), &resp);
	return call_run(x->fd, &c);
}

static int alloc_async(struct uctx *x)
{
	struct call c;
	int ret;

	call_init(&c, UVERBS_OBJECT_ASYNC_EVENT,
		  UVERBS_METHOD_ASYNC_EVENT_ALLOC);
	call_add(&c, UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE, 0, 0);
	ret = call_run(x->fd, &c);
	x->async_fd = ret ? -1 : (int)c.attrs[0].data_s64;
	return ret;
}

int uctx_open(struct uctx *x)
{
	int ret;

	memset(x, 0, sizeof(*x));
	x->async_fd = -1;
	x->fd = open("/dev/infiniband/uverbs0", O_RDWR | O_CLOEXEC);
	if (x->fd < 0)
		return errno;
	x->memory = mmap(NULL, MEMORY_PAGES * PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (x->memory == MAP_FAILED)
		return errno;
	ret = get_context(x);
	return ret ? ret : alloc_async(x);
}

void uctx_close(struct uctx *x)
{
	if (x->async_fd >= 0)
		close(x->async_fd);
	if (x->fd >= 0)
		close(x->fd);
	munmap(x->memory, MEMORY_PAGES * PAGE);
}

void *uctx_pages(struct uctx *x, unsigned int count)
{
	void *pages = x->memory + x->next * PAGE;

	if (x->next + count > MEMORY_PAGES) {
		x->next = 0;
		pages = x->memory;
	}
	x->next += count;
	return pages;
}

int invoke_write(int fd, unsigned int cmd, const void *in, unsigned int in_len,
		 void *out, unsigned int out_len, const void *uhw_in,
		 unsigned int uhw_in_len, void *uhw_out,
		 unsigned int uhw_out_len)
{
	struct call c;

	call_init(&c, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE);
	call_add(&c, UVERBS_ATTR_WRITE_CMD, 8, cmd);
	if (in_len <= 8) {
		uint64_t data = 0;

		memcpy(&data, in, in_len);
		call_add(&c, UVERBS_ATTR_CORE_IN, in_len, data);
	} else {
		call_add_ptr(&c, UVERBS_ATTR_CORE_IN, in_len, in);
	}
	if (out)
		call_add_ptr(&c, UVERBS_ATTR_CORE_OUT, out_len, out);
	if (uhw_in)
		call_add_ptr(&c, UVERBS_ATTR_UHW_IN, uhw_in_len, uhw_in);
	if (uhw_out)
		call_add_ptr(&c, UVERBS_ATTR_UHW_OUT, uhw_out_len, uhw_out);
	return call_run(fd, &c);
}

int pd_alloc(struct uctx *x, uint32_t *pd)
{
	struct ib_uverbs_alloc_pd in = { };
	struct ib_uverbs_alloc_pd_resp out = { };
	struct mlx5_ib_alloc_pd_resp uhw = { };
	int ret;

	ret = invoke_write(x->fd, IB_USER_VERBS_CMD_ALLOC_PD, &in, sizeof(in),
			   &out, sizeof(out), NULL, 0, &uhw, sizeof(uhw));
	*pd = out.pd_handle;
	return ret;
}

static int destroy(struct uctx *x, unsigned int object, unsigned int method,
		   uint32_t handle, unsigned int resp_id, void *resp,
		   unsigned int resp_len)
{
	struct call c;

	call_init(&c, object, method);
	call_add(&c, 0, 0, handle);
	if (resp)
		call_add_ptr(&c, resp_id, resp_len, resp);
	return call_run(x->fd, &c);
}

int pd_destroy(struct uctx *x, uint32_t pd)
{
	return destroy(x, UVERBS_OBJECT_PD, UVERBS_METHOD_PD_DESTROY, pd, 0,
		       NULL, 0);
}

int mr_reg(struct uctx *x, uint32_t pd, void *addr, uint64_t len,
	   uint32_t access, uint32_t *mr)
{
	struct ib_uverbs_reg_mr in = {
		.start = (uintptr_t)addr,
		.length = len,
		.hca_va = (uintptr_t)addr,
		.pd_handle = pd,
		.access_flags = access,
	};
	struct ib_uverbs_reg_mr_resp out = { };
	int ret;

	ret = invoke_write(x->fd, IB_USER_VERBS_CMD_REG_MR, &in, sizeof(in),
			   &out, sizeof(out), NULL, 0, NULL, 0);
	*mr = out.mr_handle;
	return ret;
}

int mr_destroy(struct uctx *x, uint32_t mr)
{
	return destroy(x, UVERBS_OBJECT_MR, UVERBS_METHOD_MR_DESTROY, mr, 0,
		       NULL, 0);
}

int mr_query(struct uctx *x, uint32_t mr, uint64_t *length)
{
	uint32_t lkey, rkey;
	struct call c;

	call_init(&c, UVERBS_OBJECT_MR, UVERBS_METHOD_QUERY_MR);
	call_add(&c, UVERBS_ATTR_QUERY_MR_HANDLE, 0, mr);
	call_add_ptr(&c, UVERBS_ATTR_QUERY_MR_RESP_LKEY, 4, &lkey);
	call_add_ptr(&c, UVERBS_ATTR_QUERY_MR_RESP_RKEY, 4, &rkey);
	call_add_ptr(&c, UVERBS_ATTR_QUERY_MR_RESP_LENGTH, 8, length);
	return call_run(x->fd, &c);
}

int channel_create(struct uctx *x, int *fd)
{
	struct ib_uverbs_create_comp_channel in = { };
	struct ib_uverbs_create_comp_channel_resp out = { };
	int ret;

	ret = invoke_write(x->fd, IB_USER_VERBS_CMD_CREATE_COMP_CHANNEL, &in,
			   sizeof(in), &out, sizeof(out), NULL, 0, NULL, 0);
	*fd = ret ? -1 : (int)out.fd;
	return ret;
}

int cq_create(struct uctx *x, int channel, uint64_t user_handle, uint32_t *cq)
{
	struct mlx5_ib_create_cq uhw = {
		.buf_addr = (uintptr_t)uctx_pages(x, 1),
		.db_addr = (uintptr_t)uctx_pages(x, 1),
		.cqe_size = 64,
	};
	struct mlx5_ib_create_cq_resp uhw_out = { };
	uint32_t cqe;
	struct call c;
	int ret;

	call_init(&c, UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_CREATE);
	call_add(&c, UVERBS_ATTR_CREATE_CQ_HANDLE, 0, 0);
	call_add(&c, UVERBS_ATTR_CREATE_CQ_CQE, 4, PAGE / 64 - 1);
	call_add(&c, UVERBS_ATTR_CREATE_CQ_USER_HANDLE, 8, user_handle);
	call_add(&c, UVERBS_ATTR_CREATE_CQ_COMP_VECTOR, 4, 0);
	call_add_ptr(&c, UVERBS_ATTR_CREATE_CQ_RESP_CQE, 4, &cqe);
	call_add_ptr(&c, UVERBS_ATTR_UHW_IN, sizeof(uhw), &uhw);
	call_add_ptr(&c, UVERBS_ATTR_UHW_OUT, sizeof(uhw_out), &uhw_out);
	if (channel >= 0)
		call_add(&c, UVERBS_ATTR_CREATE_CQ_COMP_CHANNEL, 0, channel);
	ret = call_run(x->fd, &c);
	*cq = c.attrs[0].data;
	return ret;
}

int cq_destroy(struct uctx *x, uint32_t cq,
	       struct ib_uverbs_destroy_cq_resp *resp)
{
	struct ib_uverbs_destroy_cq_resp own;

	return destroy(x, UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_DESTROY, cq,
		       UVERBS_ATTR_DESTROY_CQ_RESP, resp ? resp : &own,
		       sizeof(own));
}

int qp_create(struct uctx *x, uint32_t pd, uint32_t cq, uint32_t *qp,
	      uint32_t *qpn)
{
	struct mlx5_ib_create_qp uhw = {
		.buf_addr = (uintptr_t)uctx_pages(x, 2),
		.db_addr = (uintptr_t)uctx_pages(x, 1),
		.sq_wqe_count = QUEUE_WQES,
		.rq_wqe_count = QUEUE_WQES,
		.rq_wqe_shift = WQE_SHIFT,
		.uidx = USER_INDEX,
	};
	struct mlx5_ib_create_qp_resp uhw_out = { };
	struct ib_uverbs_qp_cap cap = {
		.max_send_wr = 8, .max_recv_wr = 8,
		.max_send_sge = 1, .max_recv_sge = 1,
	};
	struct ib_uverbs_qp_cap cap_out;
	struct call c;
	int ret;

	call_init(&c, UVERBS_OBJECT_QP, UVERBS_METHOD_QP_CREATE);
	call_add(&c, UVERBS_ATTR_CREATE_QP_HANDLE, 0, 0);
	call_add(&c, UVERBS_ATTR_CREATE_QP_PD_HANDLE, 0, pd);
	call_add(&c, UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE, 0, cq);
	call_add(&c, UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE, 0, cq);
	call_add(&c, UVERBS_ATTR_CREATE_QP_USER_HANDLE, 8, 0x1234);
	call_add(&c, UVERBS_ATTR_CREATE_QP_TYPE, 8, IB_UVERBS_QPT_RC);
	call_add_ptr(&c, UVERBS_ATTR_CREATE_QP_CAP, sizeof(cap), &cap);
	call_add_ptr(&c, UVERBS_ATTR_CREATE_QP_RESP_CAP, sizeof(cap_out),
		     &cap_out);
	call_add_ptr(&c, UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, 4, qpn);
	call_add_ptr(&c, UVERBS_ATTR_UHW_IN, sizeof(uhw), &uhw);
	call_add_ptr(&c, UVERBS_ATTR_UHW_OUT, sizeof(uhw_out), &uhw_out);
	ret = call_run(x->fd, &c);
	*qp = c.attrs[0].data;
	return ret;
}

#define QP_STATE	(1 << 0)
#define QP_ACCESS	(1 << 3)
#define QP_PKEY		(1 << 4)
#define QP_PORT		(1 << 5)
#define STATE_INIT	1

int qp_to_init(struct uctx *x, uint32_t qp)
{
	struct ib_uverbs_modify_qp in = {
		.qp_handle = qp,
		.attr_mask = QP_STATE | QP_ACCESS | QP_PKEY | QP_PORT,
		.qp_state = STATE_INIT,
		.port_num = 1,
	};

	return invoke_write(x->fd, IB_USER_VERBS_CMD_MODIFY_QP, &in,
			    sizeof(in), NULL, 0, NULL, 0, NULL, 0);
}

int qp_state(struct uctx *x, uint32_t qp, unsigned int *state)
{
	struct ib_uverbs_query_qp in = {
		.qp_handle = qp, .attr_mask = QP_STATE,
	};
	struct ib_uverbs_query_qp_resp out = { };
	int ret;

	ret = invoke_write(x->fd, IB_USER_VERBS_CMD_QUERY_QP, &in, sizeof(in),
			   &out, sizeof(out), NULL, 0, NULL, 0);
	*state = out.qp_state;
	return ret;
}

int qp_destroy(struct uctx *x, uint32_t qp)
{
	struct ib_uverbs_destroy_qp_resp resp;

	return destroy(x, UVERBS_OBJECT_QP, UVERBS_METHOD_QP_DESTROY, qp,
		       UVERBS_ATTR_DESTROY_QP_RESP, &resp, sizeof(resp));
}

int srq_create(struct uctx *x, uint32_t pd, uint32_t *srq)
{
	struct mlx5_ib_create_srq uhw = {
		.buf_addr = (uintptr_t)uctx_pages(x, 1),
		.db_addr = (uintptr_t)uctx_pages(x, 1),
		.uidx = USER_INDEX + 1,
	};
	struct mlx5_ib_create_srq_resp uhw_out = { };
	uint32_t max_wr, max_sge;
	struct call c;
	int ret;

	call_init(&c, UVERBS_OBJECT_SRQ, UVERBS_METHOD_SRQ_CREATE);
	call_add(&c, UVERBS_ATTR_CREATE_SRQ_HANDLE, 0, 0);
	call_add(&c, UVERBS_ATTR_CREATE_SRQ_PD_HANDLE, 0, pd);
	call_add(&c, UVERBS_ATTR_CREATE_SRQ_TYPE, 8, IB_UVERBS_SRQT_BASIC);
	call_add(&c, UVERBS_ATTR_CREATE_SRQ_USER_HANDLE, 8, 0);
	call_add(&c, UVERBS_ATTR_CREATE_SRQ_MAX_WR, 4, 15);
	call_add(&c, UVERBS_ATTR_CREATE_SRQ_MAX_SGE, 4, 1);
	call_add(&c, UVERBS_ATTR_CREATE_SRQ_LIMIT, 4, 0);
	call_add_ptr(&c, UVERBS_ATTR_CREATE_SRQ_RESP_MAX_WR, 4, &max_wr);
	call_add_ptr(&c, UVERBS_ATTR_CREATE_SRQ_RESP_MAX_SGE, 4, &max_sge);
	call_add_ptr(&c, UVERBS_ATTR_UHW_IN, sizeof(uhw), &uhw);
	call_add_ptr(&c, UVERBS_ATTR_UHW_OUT, sizeof(uhw_out), &uhw_out);
	ret = call_run(x->fd, &c);
	*srq = c.attrs[0].data;
	return ret;
}

int srq_destroy(struct uctx *x, uint32_t srq)
{
	struct ib_uverbs_destroy_srq_resp resp;

	return destroy(x, UVERBS_OBJECT_SRQ, UVERBS_METHOD_SRQ_DESTROY, srq,
		       UVERBS_ATTR_DESTROY_SRQ_RESP, &resp, sizeof(resp));
}

int handles_of(struct uctx *x, unsigned int object, uint32_t *count)
{
	uint32_t ids[64];
	struct call c;

	call_init(&c, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INFO_HANDLES);
	call_add(&c, UVERBS_ATTR_INFO_OBJECT_ID, 8, object);
	call_add_ptr(&c, UVERBS_ATTR_INFO_TOTAL_HANDLES, 4, count);
	call_add_ptr(&c, UVERBS_ATTR_INFO_HANDLES_LIST, sizeof(ids), ids);
	return call_run(x->fd, &c);
}
