/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls to a uverbs device, as libibverbs and its mlx5 provider make them but
 * without them. All functions return 0 or a positive errno.
 */
#ifndef UVERBS_CALLS_H
#define UVERBS_CALLS_H

#include <stdint.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>

#define MAX_ATTRS	20
#define PAGE		4096

struct call {
	struct ib_uverbs_ioctl_hdr hdr;
	struct ib_uverbs_attr attrs[MAX_ATTRS];
};

/* An open device with a context, and memory for queues */
struct uctx {
	int fd;
	int async_fd;
	uint8_t *memory;	/* MEMORY_PAGES of them */
	unsigned int next;	/* page that is not in use */
	uint32_t num_comp_vectors;
};

#define MEMORY_PAGES	256

/* Whose device is called, enum rdma_driver_id; mlx5's at first */
extern unsigned int call_driver;

void call_init(struct call *c, unsigned int object, unsigned int method);
struct ib_uverbs_attr *call_add(struct call *c, unsigned int id,
				unsigned int len, uint64_t data);
struct ib_uverbs_attr *call_add_ptr(struct call *c, unsigned int id,
				    unsigned int len, const void *data);
int call_run(int fd, struct call *c);

int uctx_open(struct uctx *x);	/* with context and async event file */
void uctx_close(struct uctx *x);
void *uctx_pages(struct uctx *x, unsigned int count);

int invoke_write(int fd, unsigned int cmd, const void *in, unsigned int in_len,
		 void *out, unsigned int out_len, const void *uhw_in,
		 unsigned int uhw_in_len, void *uhw_out,
		 unsigned int uhw_out_len);

int pd_alloc(struct uctx *x, uint32_t *pd);
int pd_destroy(struct uctx *x, uint32_t pd);
int mr_reg(struct uctx *x, uint32_t pd, void *addr, uint64_t len,
	   uint32_t access, uint32_t *mr);
int mr_destroy(struct uctx *x, uint32_t mr);
int mr_query(struct uctx *x, uint32_t mr, uint64_t *length);
int channel_create(struct uctx *x, int *fd);
int cq_create(struct uctx *x, int channel, uint64_t user_handle, uint32_t *cq);
int cq_destroy(struct uctx *x, uint32_t cq,
	       struct ib_uverbs_destroy_cq_resp *resp);
int qp_create(struct uctx *x, uint32_t pd, uint32_t cq, uint32_t *qp,
	      uint32_t *qpn);
int qp_to_init(struct uctx *x, uint32_t qp);
int qp_state(struct uctx *x, uint32_t qp, unsigned int *state);
int qp_destroy(struct uctx *x, uint32_t qp);
int srq_create(struct uctx *x, uint32_t pd, uint32_t *srq);
int srq_destroy(struct uctx *x, uint32_t srq);
int handles_of(struct uctx *x, unsigned int object, uint32_t *count);

#endif /* UVERBS_CALLS_H */
