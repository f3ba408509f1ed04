// SPDX-License-Identifier: GPL-2.0-only
/*
 * Firmware commands on completion queues.
 */
#include <stdlib.h>

#include "cmd.h"
#include "cq.h"
#include "model.h"
#include "trace.h"
#include "uar.h"

#define CXM_CQ_PAS	sizeof(struct cx_create_cq_in)

static u32 cxm_cqe_shift(const struct cx_cqc *ctx)
{
	return cx_cqc_get_cqe_sz(ctx) == CX_CQE_64 ? 6 : 7;
}

static int cxm_cq_check(struct cxm *m, struct cxm_cmd *c,
			const struct cx_cqc *ctx)
{
	if (cx_cqc_get_log_cq_size(ctx) >
	    cx_hca_cap_get_log_max_cq_sz(&m->caps.cur.general) ||
	    cx_cqc_get_cqe_sz(ctx) > CX_CQE_128_PAD ||
	    cx_cqc_get_cqe_comp_en(ctx)) {
		c->syndrome = 0x1;
		return CX_STATUS_BAD_PARAM;
	}
	/* The device has no page offset in a CQ, though there is a field. */
	if (cx_cqc_get_page_offset(ctx)) {
		c->syndrome = 0x2;
		return CX_STATUS_BAD_PARAM;
	}
	return CX_STATUS_OK;
}

static int cxm_cq_init(struct cxm *m, struct cxm_cmd *c, struct cxm_cq *cq)
{
	const struct cx_cqc *ctx = &cq->ctx;
	struct cxm_obj *eq, *uar;
	int status;

	status = cxm_cq_check(m, c, ctx);
	if (status)
		return status;
	eq = cxm_obj_named(m, CXM_EQ, cx_cqc_get_c_eqn(ctx), "CREATE_CQ");
	uar = cxm_obj_named(m, CXM_UAR, cx_cqc_get_uar_page(ctx), "CREATE_CQ");
	if (!eq || !uar)
		return CX_STATUS_BAD_RES;
	cq->dbr = cx_cqc_get_dbr_addr(ctx);
	if (cq->dbr & 7)
		return CX_STATUS_BAD_PARAM;
	cq->log_size = cx_cqc_get_log_cq_size(ctx);
	cq->cqe_shift = cxm_cqe_shift(ctx);
	cq->ignore_overrun = cx_cqc_get_oi(ctx);
	cq->st = CX_CQ_FIRED;
	status = cxm_buf_init(m, &cq->buf, c, CXM_CQ_PAS,
			      cx_cqc_get_log_page_size(ctx), 0,
			      1ULL << (cq->log_size + cq->cqe_shift));
	if (status)
		return status;
	cq->eq = container_of(eq, struct cxm_eq, obj);
	cq->uar = uar;
	return CX_STATUS_OK;
}

/**
 * cxm_cmd_create_cq() - CREATE_CQ
 * @m: model
 * @c: command
 *
 * Context: from the loop.
 * Return: CX_STATUS_*.
 */
int cxm_cmd_create_cq(struct cxm *m, struct cxm_cmd *c)
{
	struct cx_create_cq_in *in = (void *)c->in;
	struct cxm_cq *cq = calloc(1, sizeof(*cq));
	int status;

	if (!cq)
		return CX_STATUS_NO_RES;
	cq->ctx = *cx_create_cq_in_cq_context(in);
	status = cxm_cq_init(m, c, cq);
	if (status)
		goto err_free;
	status = cxm_obj_add(m, CXM_CQ, &cq->obj);
	if (status)
		goto err_buf;
	cxm_obj_get(&cq->eq->obj);
	cxm_obj_get(cq->uar);
	cx_create_cq_out_set_cqn(c->out, cq->obj.num);
	return CX_STATUS_OK;

err_buf:
	cxm_buf_exit(&cq->buf);
err_free:
	free(cq);
	return status;
}

void cxm_cq_forget(struct cxm *m, struct cxm_obj *obj)
{
	struct cxm_cq *cq = container_of(obj, struct cxm_cq, obj);

	(void)m;
	cxm_buf_exit(&cq->buf);
	free(cq);
}

static struct cxm_cq *cxm_cq_named(struct cxm *m, u32 cqn, const char *what)
{
	struct cxm_obj *obj = cxm_obj_named(m, CXM_CQ, cqn, what);

	return obj ? container_of(obj, struct cxm_cq, obj) : NULL;
}

/**
 * cxm_cmd_destroy_cq() - DESTROY_CQ
 * @m: model
 * @c: command
 *
 * Context: from the loop.
 * Return: CX_STATUS_*; RES_BUSY while a QP or SRQ completes to it.
 */
int cxm_cmd_destroy_cq(struct cxm *m, struct cxm_cmd *c)
{
	struct cxm_cq *cq;
	int status;

	cq = cxm_cq_named(m, cx_cq_number_in_get_cqn(c->in), "DESTROY_CQ");
	if (!cq)
		return CX_STATUS_BAD_RES;
	status = cxm_obj_remove(m, &cq->obj);
	if (status)
		return status;
	cxm_obj_put(&cq->eq->obj);
	cxm_obj_put(cq->uar);
	cxm_cq_forget(m, &cq->obj);
	return CX_STATUS_OK;
}

/**
 * cxm_cmd_query_cq() - QUERY_CQ
 * @m: model
 * @c: command
 *
 * Context: from the loop.
 * Return: CX_STATUS_*.
 */
int cxm_cmd_query_cq(struct cxm *m, struct cxm_cmd *c)
{
	struct cx_cqc *ctx = cx_query_cq_out_cq_context(c->out);
	struct cxm_cq *cq;

	cq = cxm_cq_named(m, cx_cq_number_in_get_cqn(c->in), "QUERY_CQ");
	if (!cq)
		return CX_STATUS_BAD_RES;
	cxm_cq_unread(m, cq);
	*ctx = cq->ctx;
	cx_cqc_set_status(ctx, cq->status);
	cx_cqc_set_st(ctx, cq->st);
	cx_cqc_set_last_notified_index(ctx, cq->last_notified);
	cx_cqc_set_last_solicit_index(ctx, cq->solicited);
	cx_cqc_set_consumer_counter(ctx, cq->consumer);
	cx_cqc_set_producer_counter(ctx, cq->producer);
	return CX_STATUS_OK;
}

/* Moderation is taken and given back by a query; events go out at once. */
static int cxm_cq_moderate(struct cxm_cq *cq, const struct cx_cqc *ctx,
			   u32 mask)
{
	if (mask & ~(CX_CQ_MODIFY_PERIOD | CX_CQ_MODIFY_COUNT))
		return CX_STATUS_BAD_PARAM;
	if (mask & CX_CQ_MODIFY_PERIOD)
		cx_cqc_set_cq_period(&cq->ctx, cx_cqc_get_cq_period(ctx));
	if (mask & CX_CQ_MODIFY_COUNT)
		cx_cqc_set_cq_max_count(&cq->ctx, cx_cqc_get_cq_max_count(ctx));
	return CX_STATUS_OK;
}

/*
 * The old buffer is closed by a CQE of its own kind at index R; from R + 1 on
 * the device writes to the new one. Software moves what it had not read.
 */
static void cxm_cq_switch(struct cxm *m, struct cxm_cq *cq,
			  const struct cxm_buf *buf, u32 log_size)
{
	struct cx_cqe cqe = { .op_own = CX_CQE_RESIZE << 4 };

	if (!cxm_cq_write(m, cq, &cqe))
		cxm_warn(m, "CQ 0x%x: resize mark not writable", cq->obj.num);
	cxm_buf_exit(&cq->buf);
	cq->buf = *buf;
	cq->log_size = log_size;
}

static int cxm_cq_resize(struct cxm *m, struct cxm_cmd *c, struct cxm_cq *cq,
			 const struct cx_cqc *ctx, u32 mask)
{
	struct cx_cqc next = cq->ctx;
	struct cxm_buf buf;
	u32 log_size;
	int status;

	if (mask & ~(CX_CQ_RESIZE_LOG_SIZE | CX_CQ_RESIZE_PAGE_OFFSET |
		     CX_CQ_RESIZE_PAGE_SIZE))
		return CX_STATUS_BAD_PARAM;
	if (mask & CX_CQ_RESIZE_LOG_SIZE)
		cx_cqc_set_log_cq_size(&next, cx_cqc_get_log_cq_size(ctx));
	if (mask & CX_CQ_RESIZE_PAGE_OFFSET)
		cx_cqc_set_page_offset(&next, cx_cqc_get_page_offset(ctx));
	if (mask & CX_CQ_RESIZE_PAGE_SIZE)
		cx_cqc_set_log_page_size(&next, cx_cqc_get_log_page_size(ctx));
	status = cxm_cq_check(m, c, &next);
	if (status)
		return status;
	log_size = cx_cqc_get_log_cq_size(&next);
	if (cxm_cq_unread(m, cq) >= 1u << log_size)
		return CX_STATUS_BAD_SIZE_OUTS_CQES;
	status = cxm_buf_init(m, &buf, c, sizeof(struct cx_modify_cq_in),
			      cx_cqc_get_log_page_size(&next), 0,
			      1ULL << (log_size + cq->cqe_shift));
	if (status)
		return status;
	cq->ctx = next;
	cxm_cq_switch(m, cq, &buf, log_size);
	return CX_STATUS_OK;
}

/**
 * cxm_cmd_modify_cq() - MODIFY_CQ, moderation or resize by op_mod
 * @m: model
 * @c: command
 *
 * Context: from the loop.
 * Return: CX_STATUS_*.
 */
int cxm_cmd_modify_cq(struct cxm *m, struct cxm_cmd *c)
{
	struct cx_modify_cq_in *in = (void *)c->in;
	const struct cx_cqc *ctx = cx_modify_cq_in_cq_context(in);
	struct cxm_cq *cq;
	u32 mask;

	mask = cx_field_select_get_mask(cx_modify_cq_in_field_select(in));
	cq = cxm_cq_named(m, cx_modify_cq_in_get_cqn(in), "MODIFY_CQ");
	if (!cq)
		return CX_STATUS_BAD_RES;
	switch (c->op_mod) {
	case CX_MODIFY_CQ_MODERATION:
		return cxm_cq_moderate(cq, ctx, mask);
	case CX_MODIFY_CQ_RESIZE:
		return cxm_cq_resize(m, c, cq, ctx, mask);
	}
	return CX_STATUS_BAD_PARAM;
}
