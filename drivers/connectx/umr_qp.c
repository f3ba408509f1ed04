// SPDX-License-Identifier: GPL-2.0-only
/*
 * The queue pair that changes memory keys: one request at a time. One that the
 * adapter refuses leaves the key as it was and the queue pair in error; the
 * next takes it through RESET. One that gets no answer means that the device
 * is dead, as with a command.
 */
#include <linux/jiffies.h>
#include <linux/string.h>

#include <kunit/static_stub.h>
#include <kunit/visibility.h>

#include <ib/qp.h>
#include <ib/refuse.h>

#include <connectx/prm_cmd.h>
#include <connectx/prm_qpc.h>

#include "cq_ring.h"
#include "cx.h"
#include "umr.h"
#include "verbs.h"

#define CX_UMR_LOG_CQ		1
#define CX_UMR_LOG_SQ		2	/* units: a request, and one more */
#define CX_UMR_LOG_MSG_MAX	12
#define CX_UMR_TIMEOUT		(60 * HZ)

static struct cx_cqe *cx_umr_cqe(const struct cx_umr *u)
{
	u32 slot = u->ci & (BIT(CX_UMR_LOG_CQ) - 1);

	return u->cq_ring.mem + slot * sizeof(struct cx_cqe);
}

static bool cx_umr_done(const struct cx_umr *u)
{
	return cx_cqe_ready(cx_umr_cqe(u), u->ci, BIT(CX_UMR_LOG_CQ));
}

static void cx_umr_comp(struct cx_cq_handler *h)
{
	struct cx_umr *u = container_of(h, struct cx_umr, events);

	u->arm_sn++;
	wake_up(&u->wait);
}

/* Its ring is larger than what is ever posted: it cannot overrun. */
static void cx_umr_cq_error(struct cx_cq_handler *h, u8 syndrome)
{
	struct cx_umr *u = container_of(h, struct cx_umr, events);
	struct cx_verbs *v = container_of(u, struct cx_verbs, umr);

	dev_err(v->cx->dev, "completion queue of key changes: error 0x%x\n",
		syndrome);
}

/* What went wrong is in the completion. */
static void cx_umr_qp_event(struct cx_event_handler *h, u8 type)
{
}

static int cx_umr_make_cq(struct cx_dev *cx, struct cx_umr *u)
{
	struct cx_cq_params p = { .log_size = CX_UMR_LOG_CQ };
	int ret;

	ret = cx_kbuf_alloc(cx, sizeof(struct cx_cqe) << CX_UMR_LOG_CQ,
			    &u->cq_ring);
	if (ret)
		return ret;
	ret = cx_db_alloc(cx, &u->cq_db);
	if (ret)
		goto err_ring;
	cx_cq_ring_init(u->cq_ring.mem, BIT(CX_UMR_LOG_CQ),
			sizeof(struct cx_cqe), &u->cq_db);
	u->ci = 0;
	u->arm_sn = 0;
	p.uar = cx->uar.index;
	p.eqn = cx_eq_comp_number(cx, 0);
	p.dbr = u->cq_db.dma;
	p.pas = u->cq_ring.pas;
	ret = cx_cmd_create_cq(cx, &p, &u->cqn);
	if (ret)
		goto err_db;
	u->events.comp = cx_umr_comp;
	u->events.error = cx_umr_cq_error;
	ret = cx_cq_handler_add(cx, u->cqn, &u->events);
	if (ret)
		goto err_cq;
	cx_kbuf_drop_list(&u->cq_ring);
	return 0;

err_cq:
	if (cx_kept(cx, u->cqn, cx_cmd_destroy_cq(cx, u->cqn)))
		return ret;
err_db:
	cx_db_free(cx, &u->cq_db);
err_ring:
	cx_kbuf_free(cx, &u->cq_ring);
	return ret;
}

static void cx_umr_free_cq(struct cx_dev *cx, struct cx_umr *u)
{
	cx_cq_handler_del(cx, u->cqn, &u->events);
	if (cx_kept(cx, u->cqn, cx_cmd_destroy_cq(cx, u->cqn)))
		return;
	cx_db_free(cx, &u->cq_db);
	cx_kbuf_free(cx, &u->cq_ring);
}

static int cx_umr_make_qp(struct cx_dev *cx, struct cx_umr *u)
{
	struct cx_qp_params p = {
		.st = CX_QP_ST_REG_UMR,
		.pdn = u->pdn,
		.uar = cx->uar.index,
		.user_index = CX_NO_USER_INDEX,
		.send_cqn = u->cqn,
		.recv_cqn = u->cqn,
		.rq_type = CX_RQ_NONE,
		.log_sq_size = CX_UMR_LOG_SQ,
	};
	int ret;

	ret = cx_kbuf_alloc(cx, CX_WQE_BB << CX_UMR_LOG_SQ, &u->sq_ring);
	if (ret)
		return ret;
	ret = cx_db_alloc(cx, &u->qp_db);
	if (ret)
		goto err_ring;
	p.dbr = u->qp_db.dma;
	p.pas = u->sq_ring.pas;
	ret = cx_cmd_create_qp(cx, &p, &u->qpn);
	if (ret)
		goto err_db;
	u->qp_events.event = cx_umr_qp_event;
	ret = cx_qp_handler_add(cx, u->qpn, &u->qp_events);
	if (ret)
		goto err_qp;
	cx_kbuf_drop_list(&u->sq_ring);
	return 0;

err_qp:
	if (cx_kept(cx, u->qpn, cx_cmd_destroy_qp(cx, u->qpn)))
		return ret;
err_db:
	cx_db_free(cx, &u->qp_db);
err_ring:
	cx_kbuf_free(cx, &u->sq_ring);
	return ret;
}

static void cx_umr_free_qp(struct cx_dev *cx, struct cx_umr *u)
{
	cx_qp_handler_del(cx, u->qpn);
	if (cx_kept(cx, u->qpn, cx_cmd_destroy_qp(cx, u->qpn)))
		return;
	cx_db_free(cx, &u->qp_db);
	cx_kbuf_free(cx, &u->sq_ring);
}

/*
 * From any state to one that works. No completion of before is left. None of
 * these commands needs memory (cmdq.c).
 */
static int __cx_umr_start(struct cx_dev *cx, struct cx_umr *u)
{
	static const u16 edges[] = {
		CX_CMD_2RST_QP, CX_CMD_RST2INIT_QP, CX_CMD_INIT2RTR_QP,
		CX_CMD_RTR2RTS_QP,
	};
	const struct cx_qp_context c = {
		.st = CX_QP_ST_REG_UMR,
		.pm_state = CX_QP_PM_MIGRATED,
		.pdn = u->pdn,
		.send_cqn = u->cqn,
		.recv_cqn = u->cqn,
		.user_index = CX_NO_USER_INDEX,
		.uar = cx->uar.index,
		.dbr = u->qp_db.dma,
		.mtu = IB_MTU_4096,
		.log_msg_max = CX_UMR_LOG_MSG_MAX,
		.path.port = 1,
	};
	size_t i;
	int ret;

	lockdep_assert_held(&u->lock);
	for (i = 0; i < ARRAY_SIZE(edges); i++) {
		ret = cx_cmd_modify_qp(cx, edges[i], u->qpn, 0, &c);
		if (ret)
			return ret;
		if (!i) {
			u->head = 0;
			u->qp_db.rec[CX_DBR_SND] = 0;
		}
	}
	u->broken = false;
	return 0;
}

static int cx_umr_make_xlt(struct cx_dev *cx, struct cx_umr *u)
{
	struct cx_mkey_params p = {
		.pdn = u->pdn,
		.whole = true,
		.local_read = true,
	};
	int ret;

	ret = cx_kbuf_alloc(cx, CX_UMR_CHUNK * sizeof(__be64), &u->xlt);
	if (ret)
		return ret;
	cx_kbuf_drop_list(&u->xlt);
	ret = cx_cmd_create_mkey(cx, &p, &u->lkey);
	if (ret)
		cx_kbuf_free(cx, &u->xlt);
	return ret;
}

static void cx_umr_free_xlt(struct cx_dev *cx, struct cx_umr *u)
{
	if (cx_kept(cx, u->lkey, cx_cmd_destroy_mkey(cx, u->lkey)))
		return;
	cx_kbuf_free(cx, &u->xlt);
}

/**
 * cx_umr_qp_make - make the queue pair, its completion queue and its buffer
 * @cx: the device
 * @u: nothing of it is there
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_umr_qp_make(struct cx_dev *cx, struct cx_umr *u)
{
	int ret;

	ret = cx_cmd_alloc_pd(cx, &u->pdn);
	if (ret)
		return ret;
	ret = cx_umr_make_xlt(cx, u);
	if (ret)
		goto err_pd;
	ret = cx_umr_make_cq(cx, u);
	if (ret)
		goto err_xlt;
	ret = cx_umr_make_qp(cx, u);
	if (ret)
		goto err_cq;
	u->broken = true;	/* until it is started */
	return 0;

err_cq:
	cx_umr_free_cq(cx, u);
err_xlt:
	cx_umr_free_xlt(cx, u);
err_pd:
	cx_cmd_dealloc_pd(cx, u->pdn);
	return ret;
}

/**
 * cx_umr_qp_free - undo cx_umr_qp_make()
 * @cx: the device
 * @u: nobody uses it
 *
 * Context: Process context. Sleeps.
 */
void cx_umr_qp_free(struct cx_dev *cx, struct cx_umr *u)
{
	cx_umr_free_qp(cx, u);
	cx_umr_free_cq(cx, u);
	cx_umr_free_xlt(cx, u);
	cx_cmd_dealloc_pd(cx, u->pdn);
}

/* A request may wrap at the end of the ring. */
static void __cx_umr_post(struct cx_dev *cx, struct cx_umr *u,
			  const struct cx_umr_req *r)
{
	__be64 wqe[CX_UMR_UNITS_MAX * CX_WQE_BB / sizeof(__be64)];
	unsigned int i, units = cx_umr_write(wqe, u->head, u->qpn, r);

	lockdep_assert_held(&u->lock);
	for (i = 0; i < units; i++, u->head++)
		memcpy(u->sq_ring.mem +
		       (u->head & (BIT(CX_UMR_LOG_SQ) - 1)) * CX_WQE_BB,
		       (void *)wqe + i * CX_WQE_BB, CX_WQE_BB);
	dma_wmb();	/* the request is in memory before its count */
	WRITE_ONCE(u->qp_db.rec[CX_DBR_SND], cpu_to_be32(u->head & 0xffff));
	wmb();		/* the count is in memory before the doorbell */
	cx_uar_write64(wqe[0], cx->uar.map + CX_UAR_SQ_DB);
}

static int cx_umr_verdict(const struct cx_cqe *cqe, u32 mkey)
{
	const struct cx_err_cqe *err = (const struct cx_err_cqe *)cqe;

	if (cqe->op_own >> 4 == CX_CQE_REQ)
		return 0;
	return ib_refuse(IB_LAYER_FIRMWARE, -EIO,
			 "adapter refused to change key 0x%llx: syndrome 0x%llx",
			 mkey, (u64)err->syndrome << 8 | err->vendor_synd);
}

static int __cx_umr_wait(struct cx_dev *cx, struct cx_umr *u, u32 mkey)
{
	int ret;

	lockdep_assert_held(&u->lock);
	if (!wait_event_timeout(u->wait, cx_umr_done(u) || cx_dev_dead(cx),
				CX_UMR_TIMEOUT))
		cx_dev_kill(cx, "a change of a memory key got no answer");
	if (cx_dev_dead(cx))
		return ib_refuse(IB_LAYER_DRIVER, -EIO,
				 "the adapter died while key 0x%llx changed",
				 mkey, 0);
	dma_rmb();	/* the entry is read after its owner bit */
	ret = cx_umr_verdict(cx_umr_cqe(u), mkey);
	u->broken = ret;
	u->ci++;
	cx_cq_ring_read(&u->cq_db, u->ci);
	return ret;
}

/**
 * __cx_umr_exec - execute a request
 * @cx: the device
 * @u: its queue pair for this, made
 * @r: what to change
 *
 * Context: Process context. Sleeps, but never until memory is freed.
 * Return: 0, or a negative errno and the key is as before.
 */
int __cx_umr_exec(struct cx_dev *cx, struct cx_umr *u,
		  const struct cx_umr_req *r)
{
	int ret = 0;

	KUNIT_STATIC_STUB_REDIRECT(__cx_umr_exec, cx, u, r);
	lockdep_assert_held(&u->lock);
	if (u->broken)
		ret = __cx_umr_start(cx, u);
	if (ret)
		return ret;
	cx_cq_ring_arm(cx, u->cqn, &u->cq_db, u->ci, READ_ONCE(u->arm_sn), 0);
	__cx_umr_post(cx, u, r);
	return __cx_umr_wait(cx, u, r->mkey);
}
EXPORT_SYMBOL_IF_KUNIT(__cx_umr_exec);
