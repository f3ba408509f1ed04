// SPDX-License-Identifier: GPL-2.0-only
/*
 * Firmware commands on shared receive queues of all three types.
 */
#include <stdlib.h>

#include "cmd.h"
#include "model.h"
#include "srq.h"
#include "trace.h"
#include <connectx/prm_qpc.h>

/* What the three contexts have in common. */
struct cxm_srq_attr {
	enum cxm_srq_type type;
	u32	pdn;
	u32	log_size;
	u32	stride;
	u32	log_page_size;
	u32	page_offset;
	u64	dbr;
	u16	lwm;
	bool	cyclic;
};

static void cxm_srq_free(struct cxm_srq *srq)
{
	cxm_buf_exit(&srq->buf);
	free(srq);
}

void cxm_srq_forget(struct cxm *m, struct cxm_obj *obj)
{
	(void)m;
	cxm_srq_free(container_of(obj, struct cxm_srq, obj));
}

static struct cxm_srq *cxm_srq_alloc(struct cxm *m, struct cxm_cmd *c,
				     const struct cxm_srq_attr *a, int *status)
{
	struct cxm_srq *srq;
	struct cxm_obj *pd;

	*status = CX_STATUS_BAD_PARAM;
	if (a->log_size > 15 || a->stride < 32 ||
	    a->stride > CXM_RQ_STRIDE_MAX || (a->dbr & 3))
		return NULL;
	*status = CX_STATUS_BAD_RES;
	pd = cxm_obj_named(m, CXM_PD, a->pdn, c->desc->name);
	if (!pd)
		return NULL;
	*status = CX_STATUS_NO_RES;
	srq = calloc(1, sizeof(*srq));
	if (!srq)
		return NULL;
	srq->type = a->type;
	srq->pd = pd;
	srq->dbr = a->dbr;
	srq->log_size = a->log_size;
	srq->stride = a->stride;
	srq->cyclic = a->cyclic;
	srq->lwm = a->lwm;
	srq->user_index = CX_NO_USER_INDEX;
	*status = cxm_buf_init(m, &srq->buf, c, sizeof(struct cx_create_rmp_in),
			       a->log_page_size, a->page_offset,
			       (u64)a->stride << a->log_size);
	if (*status) {
		free(srq);
		return NULL;
	}
	return srq;
}

static int cxm_srq_publish(struct cxm *m, struct cxm_srq *srq)
{
	int status = cxm_obj_add(m, CXM_SRQ, &srq->obj);

	if (status) {
		cxm_srq_free(srq);
		return status;
	}
	cxm_obj_get(srq->pd);
	if (srq->xrcd)
		cxm_obj_get(srq->xrcd);
	if (srq->cq)
		cxm_obj_get(&srq->cq->obj);
	return CX_STATUS_OK;
}

static struct cxm_srq *cxm_srq_named(struct cxm *m, struct cxm_cmd *c, u32 num,
				     enum cxm_srq_type type)
{
	struct cxm_obj *obj = cxm_obj_named(m, CXM_SRQ, num, c->desc->name);
	struct cxm_srq *srq;

	if (!obj)
		return NULL;
	srq = container_of(obj, struct cxm_srq, obj);
	if (srq->type == type)
		return srq;
	cxm_warn(m, "%s: SRQ 0x%x is of another type", c->desc->name, num);
	return NULL;
}

static int cxm_srq_destroy(struct cxm *m, struct cxm_srq *srq)
{
	int status;

	if (!srq)
		return CX_STATUS_BAD_RES;
	status = cxm_obj_remove(m, &srq->obj);
	if (status)
		return status;
	cxm_responder_forget_srq(m, srq);
	cxm_obj_put(srq->pd);
	if (srq->xrcd)
		cxm_obj_put(srq->xrcd);
	if (srq->cq)
		cxm_obj_put(&srq->cq->obj);
	cxm_srq_free(srq);
	return CX_STATUS_OK;
}

/* SRQ and XRC SRQ: the contexts agree in what is read here. */
static struct cxm_srq *cxm_srq_alloc_srqc(struct cxm *m, struct cxm_cmd *c,
					  const struct cx_srqc *ctx,
					  enum cxm_srq_type type, int *status)
{
	struct cxm_srq_attr a = {
		.type = type,
		.pdn = cx_srqc_get_pd(ctx),
		.log_size = cx_srqc_get_log_srq_size(ctx),
		.stride = 16u << cx_srqc_get_log_rq_stride(ctx),
		.log_page_size = cx_srqc_get_log_page_size(ctx),
		.page_offset = cx_srqc_get_page_offset(ctx),
		.dbr = cx_srqc_get_dbr_addr(ctx),
		.lwm = cx_srqc_get_lwm(ctx),
	};
	struct cxm_srq *srq = cxm_srq_alloc(m, c, &a, status);

	if (srq)
		srq->ctx.srq = *ctx;
	return srq;
}

/**
 * cxm_cmd_create_srq() - CREATE_SRQ, the only SRQ of ISSI 0
 * @m: model
 * @c: command
 *
 * Context: from the loop.
 * Return: CX_STATUS_*.
 */
int cxm_cmd_create_srq(struct cxm *m, struct cxm_cmd *c)
{
	struct cx_create_srq_in *in = (void *)c->in;
	struct cxm_srq *srq;
	int status;

	srq = cxm_srq_alloc_srqc(m, c, cx_create_srq_in_srq_context_entry(in),
				 CXM_SRQ_BASIC, &status);
	if (!srq)
		return status;
	status = cxm_srq_publish(m, srq);
	if (!status)
		cx_create_srq_out_set_srqn(c->out, srq->obj.num);
	return status;
}

/**
 * cxm_cmd_destroy_srq() - DESTROY_SRQ
 * @m: model
 * @c: command
 *
 * Context: from the loop.
 * Return: CX_STATUS_*.
 */
int cxm_cmd_destroy_srq(struct cxm *m, struct cxm_cmd *c)
{
	u32 num = cx_srq_number_in_get_srqn(c->in);

	return cxm_srq_destroy(m, cxm_srq_named(m, c, num, CXM_SRQ_BASIC));
}

/**
 * cxm_cmd_query_srq() - QUERY_SRQ
 * @m: model
 * @c: command
 *
 * Context: from the loop.
 * Return: CX_STATUS_*.
 */
int cxm_cmd_query_srq(struct cxm *m, struct cxm_cmd *c)
{
	struct cx_srqc *ctx = cx_query_srq_out_srq_context_entry(c->out);
	struct cxm_srq *srq;

	srq = cxm_srq_named(m, c, cx_srq_number_in_get_srqn(c->in),
			    CXM_SRQ_BASIC);
	if (!srq)
		return CX_STATUS_BAD_RES;
	*ctx = srq->ctx.srq;
	cx_srqc_set_lwm(ctx, srq->lwm);
	return CX_STATUS_OK;
}

/**
 * cxm_cmd_arm_rq() - ARM_RQ: set the limit of an SRQ
 * @m: model
 * @c: command
 *
 * Context: from the loop.
 * Return: CX_STATUS_*.
 */
int cxm_cmd_arm_rq(struct cxm *m, struct cxm_cmd *c)
{
	struct cxm_srq *srq;

	srq = cxm_srq_named(m, c, cx_arm_rq_in_get_srq_number(c->in),
			    CXM_SRQ_BASIC);
	if (!srq)
		return CX_STATUS_BAD_RES;
	cxm_srq_arm(m, srq, cx_arm_rq_in_get_lwm(c->in));
	return CX_STATUS_OK;
}

/**
 * cxm_cmd_create_xrc_srq() - CREATE_XRC_SRQ
 * @m: model
 * @c: command
 *
 * Context: from the loop.
 * Return: CX_STATUS_*.
 */
int cxm_cmd_create_xrc_srq(struct cxm *m, struct cxm_cmd *c)
{
	struct cx_create_xrc_srq_in *in = (void *)c->in;
	struct cx_xrc_srqc *ctx =
		cx_create_xrc_srq_in_xrc_srq_context_entry(in);
	struct cxm_obj *xrcd, *cq;
	struct cxm_srq *srq;
	int status;

	xrcd = cxm_obj_named(m, CXM_XRCD, cx_xrc_srqc_get_xrcd(ctx),
			     c->desc->name);
	cq = cxm_obj_named(m, CXM_CQ, cx_xrc_srqc_get_cqn(ctx), c->desc->name);
	if (!xrcd || !cq)
		return CX_STATUS_BAD_RES;
	srq = cxm_srq_alloc_srqc(m, c, (const struct cx_srqc *)ctx,
				 CXM_SRQ_XRC, &status);
	if (!srq)
		return status;
	srq->xrcd = xrcd;
	srq->cq = container_of(cq, struct cxm_cq, obj);
	srq->user_index = cx_xrc_srqc_get_user_index(ctx);
	srq->cyclic = cx_xrc_srqc_get_basic_cyclic_rcv_wqe(ctx);
	status = cxm_srq_publish(m, srq);
	if (!status)
		cx_create_xrc_srq_out_set_xrc_srqn(c->out, srq->obj.num);
	return status;
}

/**
 * cxm_cmd_destroy_xrc_srq() - DESTROY_XRC_SRQ
 * @m: model
 * @c: command
 *
 * Context: from the loop.
 * Return: CX_STATUS_*.
 */
int cxm_cmd_destroy_xrc_srq(struct cxm *m, struct cxm_cmd *c)
{
	u32 num = cx_xrc_srq_number_in_get_xrc_srqn(c->in);

	return cxm_srq_destroy(m, cxm_srq_named(m, c, num, CXM_SRQ_XRC));
}

/**
 * cxm_cmd_query_xrc_srq() - QUERY_XRC_SRQ
 * @m: model
 * @c: command
 *
 * Context: from the loop.
 * Return: CX_STATUS_*.
 */
int cxm_cmd_query_xrc_srq(struct cxm *m, struct cxm_cmd *c)
{
	struct cx_xrc_srqc *ctx =
		cx_query_xrc_srq_out_xrc_srq_context_entry(c->out);
	struct cxm_srq *srq;

	srq = cxm_srq_named(m, c, cx_xrc_srq_number_in_get_xrc_srqn(c->in),
			    CXM_SRQ_XRC);
	if (!srq)
		return CX_STATUS_BAD_RES;
	*ctx = srq->ctx.xrc;
	cx_xrc_srqc_set_lwm(ctx, srq->lwm);
	return CX_STATUS_OK;
}

/**
 * cxm_cmd_arm_xrc_srq() - ARM_XRC_SRQ: set the limit of an XRC SRQ
 * @m: model
 * @c: command
 *
 * Context: from the loop.
 * Return: CX_STATUS_*.
 */
int cxm_cmd_arm_xrc_srq(struct cxm *m, struct cxm_cmd *c)
{
	struct cxm_srq *srq;

	srq = cxm_srq_named(m, c, cx_arm_xrc_srq_in_get_xrc_srqn(c->in),
			    CXM_SRQ_XRC);
	if (!srq)
		return CX_STATUS_BAD_RES;
	cxm_srq_arm(m, srq, cx_arm_xrc_srq_in_get_lwm(c->in));
	return CX_STATUS_OK;
}

/**
 * cxm_cmd_create_rmp() - CREATE_RMP: the plain SRQ of ISSI 1 and later
 * @m: model
 * @c: command
 *
 * Context: from the loop.
 * Return: CX_STATUS_*.
 */
int cxm_cmd_create_rmp(struct cxm *m, struct cxm_cmd *c)
{
	struct cx_create_rmp_in *in = (void *)c->in;
	struct cx_rmpc *ctx = cx_create_rmp_in_ctx(in);
	const struct cx_wq *wq = cx_rmpc_wq(ctx);
	struct cxm_srq_attr a = {
		.type = CXM_SRQ_RMP,
		.pdn = cx_wq_get_pd(wq),
		.log_size = cx_wq_get_log_wq_sz(wq),
		.stride = 1u << cx_wq_get_log_wq_stride(wq),
		.log_page_size = cx_wq_get_log_wq_pg_sz(wq),
		.page_offset = cx_wq_get_page_offset(wq),
		.dbr = cx_wq_get_dbr_addr(wq),
		.lwm = cx_wq_get_lwm(wq),
		.cyclic = cx_wq_get_wq_type(wq) == CX_WQ_CYCLIC,
	};
	struct cxm_srq *srq;
	int status;

	if (cx_wq_get_wq_type(wq) > CX_WQ_CYCLIC || cx_wq_get_wq_signature(wq))
		return CX_STATUS_BAD_PARAM;
	srq = cxm_srq_alloc(m, c, &a, &status);
	if (!srq)
		return status;
	srq->ctx.rmp = *ctx;
	status = cxm_srq_publish(m, srq);
	if (!status)
		cx_create_rmp_out_set_rmpn(c->out, srq->obj.num);
	return status;
}

/**
 * cxm_cmd_destroy_rmp() - DESTROY_RMP
 * @m: model
 * @c: command
 *
 * Context: from the loop.
 * Return: CX_STATUS_*.
 */
int cxm_cmd_destroy_rmp(struct cxm *m, struct cxm_cmd *c)
{
	u32 num = cx_rmp_number_in_get_rmpn(c->in);

	return cxm_srq_destroy(m, cxm_srq_named(m, c, num, CXM_SRQ_RMP));
}

/**
 * cxm_cmd_query_rmp() - QUERY_RMP
 * @m: model
 * @c: command
 *
 * Context: from the loop.
 * Return: CX_STATUS_*.
 */
int cxm_cmd_query_rmp(struct cxm *m, struct cxm_cmd *c)
{
	struct cx_rmpc *ctx = cx_query_rmp_out_rmp_context(c->out);
	struct cxm_srq *srq;
	struct cx_wq *wq;

	srq = cxm_srq_named(m, c, cx_rmp_number_in_get_rmpn(c->in),
			    CXM_SRQ_RMP);
	if (!srq)
		return CX_STATUS_BAD_RES;
	*ctx = srq->ctx.rmp;
	wq = cx_rmpc_wq(ctx);
	cx_wq_set_lwm(wq, srq->lwm);
	cx_wq_set_hw_counter(wq, srq->taken);
	cx_wq_set_sw_counter(wq, cxm_rq_counter(m, srq->dbr, srq->taken));
	return CX_STATUS_OK;
}

/**
 * cxm_cmd_modify_rmp() - MODIFY_RMP: set the limit
 * @m: model
 * @c: command
 *
 * Context: from the loop.
 * Return: CX_STATUS_*.
 */
int cxm_cmd_modify_rmp(struct cxm *m, struct cxm_cmd *c)
{
	struct cx_modify_rmp_in *in = (void *)c->in;
	const struct cx_wq *wq = cx_rmpc_wq(cx_modify_rmp_in_ctx(in));
	struct cxm_srq *srq;

	srq = cxm_srq_named(m, c, cx_modify_rmp_in_get_rmpn(in), CXM_SRQ_RMP);
	if (!srq)
		return CX_STATUS_BAD_RES;
	if (cx_modify_rmp_in_get_rmp_state(in) != CX_RMP_RDY)
		return CX_STATUS_BAD_RES_STATE;
	if (cx_rmp_bitmask_get_lwm(cx_modify_rmp_in_bitmask(in)))
		cxm_srq_arm(m, srq, cx_wq_get_lwm(wq));
	return CX_STATUS_OK;
}
