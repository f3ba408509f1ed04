// SPDX-License-Identifier: GPL-2.0-only
/*
 * The life of a completion queue between create and destroy.
 *
 * An event goes out once per arm. Arming says up to which index software has
 * looked (ci): if a CQE that matches the arm is there already, the event goes
 * out at once, because software will not look again before it sleeps. The
 * sequence number of an arm is ignored: a stale one costs a spurious event,
 * refusing it could lose one. The arm word in the doorbell record is never
 * read (its initial zero would be a legal arm).
 */
#include <string.h>

#include "cq.h"
#include "dma.h"
#include "qp.h"
#include "trace.h"
#include "uar.h"
#include <connectx/prm_wqe.h>

struct cxm_cq *cxm_cq_find(struct cxm *m, u32 cqn)
{
	struct cxm_obj *obj = cxm_obj_find(m, CXM_CQ, cqn);

	return obj ? container_of(obj, struct cxm_cq, obj) : NULL;
}

u32 cxm_cq_unread(struct cxm *m, struct cxm_cq *cq)
{
	__be32 ci;

	if (cxm_dma_read(m, cq->dbr, &ci, sizeof(ci)))
		cq->consumer = be32_to_cpu(ci) & CX_CQ_CI_MASK;
	return (cq->producer - cq->consumer) & CX_CQ_CI_MASK;
}

/* Bytes of the entry and of its 24-bit index, xor-ed, shall give 0xff. */
static u8 cxm_cqe_signature(const struct cx_cqe *cqe, u32 index)
{
	u64 words[sizeof(*cqe) / sizeof(u64)];
	u64 x = index & CX_CQ_CI_MASK;
	size_t i;

	memcpy(words, cqe, sizeof(words));
	for (i = 0; i < ARRAY_SIZE(words); i++)
		x ^= words[i];
	x ^= x >> 32;
	x ^= x >> 16;
	x ^= x >> 8;
	return ~x & 0xff;
}

bool cxm_cq_write(struct cxm *m, struct cxm_cq *cq, struct cx_cqe *cqe)
{
	u32 slot = cq->producer & ((1u << cq->log_size) - 1);
	u64 off = (u64)slot << cq->cqe_shift;

	/* A 128-byte CQE has its first half for data: none here. */
	off += (1u << cq->cqe_shift) - sizeof(*cqe);
	cqe->op_own &= ~CX_CQE_OWNER;
	if (cq->producer >> cq->log_size & 1)
		cqe->op_own |= CX_CQE_OWNER;
	cqe->signature = 0;
	cqe->signature = cxm_cqe_signature(cqe, cq->producer);
	cq->producer++;
	return cxm_buf_publish(m, &cq->buf, off, cqe, sizeof(*cqe));
}

static void cxm_cq_fire(struct cxm *m, struct cxm_cq *cq)
{
	cq->st = CX_CQ_FIRED;
	cq->last_notified = cq->producer;
	cxm_event_comp(m, cq->eq->obj.num, cq->obj.num);
}

static void cxm_cq_fail_qp(struct cxm *m, struct cxm_obj *obj, void *arg)
{
	struct cxm_qp *qp = container_of(obj, struct cxm_qp, obj);

	if (qp->send_cq == arg || qp->recv_cq == arg)
		cxm_qp_condemn(m, qp);
}

static void cxm_cq_fail(struct cxm *m, struct cxm_cq *cq, u8 status)
{
	cq->status = status;
	cxm_warn(m, "CQ 0x%x in error: %s", cq->obj.num,
		 status == CX_CQ_STATUS_OVERFLOW ? "overrun" : "not writable");
	cxm_event_cq_error(m, cq->obj.num, 1);
	cxm_obj_each(m, CXM_QP, cxm_cq_fail_qp, cq);
}

static bool cxm_cq_full(struct cxm *m, struct cxm_cq *cq)
{
	u32 size = 1u << cq->log_size;

	if (cq->ignore_overrun)
		return false;
	/* Ask memory only when what it said last time leaves no room. */
	if (((cq->producer - cq->consumer) & CX_CQ_CI_MASK) < size)
		return false;
	return cxm_cq_unread(m, cq) >= size;
}

void cxm_cq_add(struct cxm *m, struct cxm_cq *cq, struct cx_cqe *cqe)
{
	bool solicited = cqe->op_own & CX_CQE_SOLICITED;

	if (cq->status)
		return;
	if (cxm_cq_full(m, cq)) {
		cxm_cq_fail(m, cq, CX_CQ_STATUS_OVERFLOW);
		return;
	}
	cxm_trace(m, "cqe cq=0x%x index=%u opcode=0x%x qpn=0x%x counter=%u",
		  cq->obj.num, cq->producer, cqe->op_own >> 4,
		  be32_to_cpu(cqe->sop_qpn) & 0xffffff,
		  be16_to_cpu(cqe->wqe_counter));
	if (!cxm_cq_write(m, cq, cqe)) {
		cxm_cq_fail(m, cq, CX_CQ_STATUS_WRITE_FAIL);
		return;
	}
	if (solicited) {
		cq->solicited = cq->producer;
		cq->any_solicited = true;
	}
	if (cq->st == CX_CQ_ARMED ||
	    (cq->st == CX_CQ_SOLICITED_ARMED && solicited))
		cxm_cq_fire(m, cq);
}

/* Is the 24-bit index @a behind (after) @ci? */
static bool cxm_cq_beyond(u32 a, u32 ci)
{
	u32 dist = (a - ci) & CX_CQ_CI_MASK;

	return dist && dist <= CX_CQ_CI_MASK / 2;
}

/**
 * cxm_cq_arm() - act on a CQ doorbell
 * @m: model
 * @uar: page it was written to; must be the CQ's
 * @value: sn << 60 | solicited only << 56 | ci << 32 | cqn
 *
 * Context: from the loop.
 */
void cxm_cq_arm(struct cxm *m, u32 uar, u64 value)
{
	u32 cqn = value & 0xffffff;
	u32 ci = value >> 32 & CX_CQ_CI_MASK;
	bool solicited = value >> 32 & CX_CQ_ARM_SOLICITED;
	struct cxm_cq *cq = cxm_cq_find(m, cqn);

	if (!cq || cq->uar->num != uar) {
		cxm_warn(m, "arm of CQ 0x%x in UAR 0x%x: %s", cqn, uar,
			 cq ? "not its UAR" :
			 cxm_obj_gone(m, CXM_CQ, cqn) ? "destroyed" :
			 "never created");
		return;
	}
	cxm_trace(m, "arm cq=0x%x ci=%u%s", cqn, ci,
		  solicited ? " solicited" : "");
	/* An arm for any completion is not weakened by a later one. */
	if (!solicited)
		cq->st = CX_CQ_ARMED;
	else if (cq->st != CX_CQ_ARMED)
		cq->st = CX_CQ_SOLICITED_ARMED;

	if (cq->st == CX_CQ_ARMED ? cxm_cq_beyond(cq->producer, ci) :
	    cq->any_solicited && cxm_cq_beyond(cq->solicited, ci))
		cxm_cq_fire(m, cq);
}
