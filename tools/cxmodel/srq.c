// SPDX-License-Identifier: GPL-2.0-only
/*
 * How a shared receive queue is consumed.
 *
 * The WQEs are a linked list in an array: consumption starts at index 0 and
 * follows the next_wqe_index of each WQE taken. Software appends behind the
 * last, and counts in the doorbell record how many it ever posted: the link of
 * a WQE is valid from the moment the WQE behind it counts.
 */
#include <string.h>

#include "model.h"
#include "srq.h"
#include "trace.h"
#include <connectx/prm_wqe.h>

struct cxm_srq *cxm_srq_find(struct cxm *m, u32 num)
{
	struct cxm_obj *obj = cxm_obj_find(m, CXM_SRQ, num);

	return obj ? container_of(obj, struct cxm_srq, obj) : NULL;
}

static u16 cxm_srq_available(struct cxm *m, struct cxm_srq *srq)
{
	return cxm_rq_counter(m, srq->dbr, srq->taken) - srq->taken;
}

static void cxm_srq_check_limit(struct cxm *m, struct cxm_srq *srq, u16 left)
{
	if (!srq->lwm || left >= srq->lwm)
		return;
	srq->lwm = 0;
	cxm_event_qp_srq(m, CX_EVENT_SRQ_LIMIT, 0, srq->obj.num);
}

void cxm_srq_arm(struct cxm *m, struct cxm_srq *srq, u16 lwm)
{
	srq->lwm = lwm;
	cxm_srq_check_limit(m, srq, cxm_srq_available(m, srq));
}

enum cxm_take cxm_srq_take(struct cxm *m, struct cxm_srq *srq,
			   struct cxm_rwqe *w)
{
	u16 mask = (1u << srq->log_size) - 1;
	u16 left = cxm_srq_available(m, srq);
	u8 raw[CXM_RQ_STRIDE_MAX];
	struct cx_wqe_srq_next link;

	if (!left)
		return CXM_TAKE_EMPTY;
	if (left > 1u << srq->log_size)
		cxm_warn(m, "SRQ 0x%x: %u WQEs posted, room for %u",
			 srq->obj.num, left, 1u << srq->log_size);
	w->index = srq->next;
	w->active = true;
	if (!cxm_buf_read(m, &srq->buf, (u64)srq->next * srq->stride, raw,
			  srq->stride))
		return CXM_TAKE_BAD;
	memcpy(&link, raw, sizeof(link));
	srq->taken++;
	srq->next = (srq->cyclic ? srq->next + 1 :
		     be16_to_cpu(link.next_wqe_index)) & mask;
	cxm_srq_check_limit(m, srq, left - 1);
	if (!cxm_rwqe_parse(w, raw + sizeof(link), srq->stride - sizeof(link)))
		return CXM_TAKE_BAD;
	return CXM_TAKE_OK;
}
