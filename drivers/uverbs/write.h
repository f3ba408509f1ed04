/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Commands of write(), also invoked through UVERBS_METHOD_INVOKE_WRITE. Each
 * decodes its request and calls what the native method of the object calls.
 */
#ifndef UVERBS_WRITE_H
#define UVERBS_WRITE_H

#include <linux/minmax.h>
#include <rdma/ib_user_verbs.h>
#include <ib/uverbs_bundle.h>
#include "tree.h"

int uverbs_request(struct uverbs_bundle *b, void *req, size_t len);
int uverbs_request_head(struct uverbs_bundle *b, void *req, size_t len);
int uverbs_respond_head(struct uverbs_bundle *b, const void *resp, size_t len);
int uverbs_request_tail(struct uverbs_bundle *b, size_t offset, void *list,
			size_t len);
int uverbs_respond(struct uverbs_bundle *b, const void *resp, size_t len);
int uverbs_invoke_write(struct uverbs_bundle *b);

/* What extended responses say about their own length */
static inline u32 uverbs_resp_len(const struct uverbs_bundle *b, size_t len)
{
	return min_t(size_t, b->core.outlen, len);
}

extern const struct uverbs_write_def uverbs_write_table[];

int uverbs_write_get_context(struct uverbs_bundle *b);
int uverbs_write_query_device(struct uverbs_bundle *b);
int uverbs_write_ex_query_device(struct uverbs_bundle *b);
int uverbs_write_query_port(struct uverbs_bundle *b);
int uverbs_write_alloc_pd(struct uverbs_bundle *b);
int uverbs_write_dealloc_pd(struct uverbs_bundle *b);
int uverbs_write_reg_mr(struct uverbs_bundle *b);
int uverbs_write_rereg_mr(struct uverbs_bundle *b);
int uverbs_write_dereg_mr(struct uverbs_bundle *b);
int uverbs_write_alloc_mw(struct uverbs_bundle *b);
int uverbs_write_dealloc_mw(struct uverbs_bundle *b);
int uverbs_write_create_comp_channel(struct uverbs_bundle *b);
int uverbs_write_create_cq(struct uverbs_bundle *b);
int uverbs_write_ex_create_cq(struct uverbs_bundle *b);
int uverbs_write_resize_cq(struct uverbs_bundle *b);
int uverbs_write_ex_modify_cq(struct uverbs_bundle *b);
int uverbs_write_destroy_cq(struct uverbs_bundle *b);
int uverbs_write_poll_cq(struct uverbs_bundle *b);
int uverbs_write_req_notify_cq(struct uverbs_bundle *b);
int uverbs_write_create_qp(struct uverbs_bundle *b);
int uverbs_write_ex_create_qp(struct uverbs_bundle *b);
int uverbs_write_modify_qp(struct uverbs_bundle *b);
int uverbs_write_ex_modify_qp(struct uverbs_bundle *b);
int uverbs_write_query_qp(struct uverbs_bundle *b);
int uverbs_write_destroy_qp(struct uverbs_bundle *b);
int uverbs_write_open_qp(struct uverbs_bundle *b);
int uverbs_write_post_send(struct uverbs_bundle *b);
int uverbs_write_post_recv(struct uverbs_bundle *b);
int uverbs_write_attach_mcast(struct uverbs_bundle *b);
int uverbs_write_detach_mcast(struct uverbs_bundle *b);
int uverbs_write_create_srq(struct uverbs_bundle *b);
int uverbs_write_create_xsrq(struct uverbs_bundle *b);
int uverbs_write_modify_srq(struct uverbs_bundle *b);
int uverbs_write_query_srq(struct uverbs_bundle *b);
int uverbs_write_destroy_srq(struct uverbs_bundle *b);
int uverbs_write_post_srq_recv(struct uverbs_bundle *b);
int uverbs_write_open_xrcd(struct uverbs_bundle *b);
int uverbs_write_close_xrcd(struct uverbs_bundle *b);
int uverbs_write_create_ah(struct uverbs_bundle *b);
int uverbs_write_destroy_ah(struct uverbs_bundle *b);
int uverbs_write_ex_create_flow(struct uverbs_bundle *b);
int uverbs_write_ex_destroy_flow(struct uverbs_bundle *b);
int uverbs_write_ex_create_wq(struct uverbs_bundle *b);
int uverbs_write_ex_modify_wq(struct uverbs_bundle *b);
int uverbs_write_ex_destroy_wq(struct uverbs_bundle *b);
int uverbs_write_ex_create_rwq_ind_table(struct uverbs_bundle *b);
int uverbs_write_ex_destroy_rwq_ind_table(struct uverbs_bundle *b);

#endif /* UVERBS_WRITE_H */
