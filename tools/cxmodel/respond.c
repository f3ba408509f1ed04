// SPDX-License-Identifier: GPL-2.0-only
/*
 * The responder: its responses, in order of the requests. Acknowledgments
 * behind one another melt into the last; the data of a READ is fetched when
 * its packets are made.
 */
#include "engine.h"
#include "model.h"
#include "trace.h"

static struct cxm_job *cxm_job_at(struct cxm_responder *resp, u32 n)
{
	return &resp->job[(resp->first_job + n) % CXM_JOBS];
}

bool cxm_respond_job(struct cxm_qp *qp, const struct cxm_job *job)
{
	struct cxm_responder *resp = &qp->resp;

	if (resp->jobs == CXM_JOBS)
		return false;
	*cxm_job_at(resp, resp->jobs++) = *job;
	if (job->fresh)
		resp->reads++;
	return true;
}

void cxm_respond_ack(struct cxm_qp *qp, u32 psn, u8 syndrome)
{
	struct cxm_responder *resp = &qp->resp;
	struct cxm_job job = {
		.kind = CXM_JOB_ACK,
		.psn = psn,
		.msn = resp->msn,
		.syndrome = syndrome,
	};
	struct cxm_job *last;

	if (resp->jobs) {
		last = cxm_job_at(resp, resp->jobs - 1);
		/* An error has to get out even if the list is full. */
		if (last->kind == CXM_JOB_ACK &&
		    last->syndrome == CXM_AETH_ACK &&
		    (syndrome == CXM_AETH_ACK || resp->jobs == CXM_JOBS)) {
			*last = job;
			return;
		}
	}
	cxm_respond_job(qp, &job);
}

static void cxm_job_pop(struct cxm_responder *resp)
{
	if (cxm_job_at(resp, 0)->fresh)
		resp->reads--;
	resp->first_job = (resp->first_job + 1) % CXM_JOBS;
	resp->jobs--;
}

void cxm_respond_error(struct cxm *m, struct cxm_qp *qp, u32 psn,
		       enum cxm_aeth nak)
{
	cxm_trace(m, "qp 0x%x refuses psn=0x%x: nak 0x%x", qp->obj.num, psn,
		  nak);
	cxm_respond_ack(qp, psn, nak);
	if (nak == CXM_AETH_NAK_ACCESS)
		cxm_event_qp_srq(m, CX_EVENT_WQ_ACCESS_ERROR, 0, qp->obj.num);
	else if (nak == CXM_AETH_NAK_INVALID)
		cxm_event_qp_srq(m, CX_EVENT_WQ_INVAL_REQ_ERROR, 0,
				 qp->obj.num);
	cxm_qp_error(m, qp, false);
}

/* The key went away since the request was accepted. */
static void cxm_respond_read_failed(struct cxm *m, struct cxm_qp *qp, u32 psn)
{
	qp->resp.jobs = 0;
	qp->resp.reads = 0;
	cxm_respond_error(m, qp, psn, CXM_AETH_NAK_ACCESS);
	cxm_qp_schedule(m, qp);
}

/* The job is gone when this returns true. */
static bool cxm_respond_page_missing(struct cxm *m, struct cxm_qp *qp,
				     const struct cxm_job *job, u32 psn,
				     u32 done, u32 len)
{
	struct cxm_odp_access a = {
		.kind = CXM_PKT_READ,
		.psn = psn,
		.rkey = job->rkey,
		.va = job->va,
		.len = job->len,
		.done = done,
		.packet_len = len,
	};

	return cxm_odp_remote(m, qp, &a);
}

/* One packet of a READ response; true if it was the last. */
static bool cxm_respond_read(struct cxm *m, struct cxm_qp *qp,
			     struct cxm_job *job)
{
	bool last = job->sent + 1 == job->npsn;
	u32 done = job->sent * qp->mtu;
	u32 len = min_u64(job->len - done, qp->mtu);
	u32 psn = cxm_psn_add(job->psn, job->sent);
	enum cxm_mkey_result r = CXM_MKEY_OK;
	struct cxm_packet *p;

	p = cxm_packet_to_peer(m, qp, CXM_PKT_READ_RESP,
			       (job->sent ? 0 : CXM_PKT_FIRST) |
			       (last ? CXM_PKT_LAST : 0), psn);
	if (!p)
		return false;
	if (len)
		r = cxm_mkey_read(m, job->rkey, job->pdn, qp->obj.num,
				  job->va + done, p->data, len,
				  CXM_REMOTE_READ);
	if (r) {
		cxm_packet_free(m, p);
		if (r != CXM_MKEY_FAULT ||
		    !cxm_respond_page_missing(m, qp, job, psn, done, len))
			cxm_respond_read_failed(m, qp, psn);
		return false;
	}
	p->len = len;
	p->syndrome = CXM_AETH_ACK;
	p->msn = job->msn;
	cxm_wire_send(m, p);
	job->sent++;
	return last;
}

static bool cxm_respond_short(struct cxm *m, struct cxm_qp *qp,
			      const struct cxm_job *job)
{
	bool atomic = job->kind == CXM_JOB_ATOMIC;
	struct cxm_packet *p;

	p = cxm_packet_to_peer(m, qp, atomic ? CXM_PKT_ATOMIC_ACK : CXM_PKT_ACK,
			       CXM_PKT_FIRST | CXM_PKT_LAST, job->psn);
	if (!p)
		return false;
	p->syndrome = job->syndrome;
	p->msn = job->msn;
	p->original = job->original;
	cxm_wire_send(m, p);
	return true;
}

bool cxm_respond_run(struct cxm *m, struct cxm_qp *qp, u32 *budget)
{
	struct cxm_responder *resp = &qp->resp;
	struct cxm_job *job;
	bool done;

	for (; resp->jobs && *budget; --*budget) {
		if (cxm_wire_full(m->wire))
			return true;
		job = cxm_job_at(resp, 0);
		if (job->kind == CXM_JOB_READ)
			done = cxm_respond_read(m, qp, job);
		else
			done = cxm_respond_short(m, qp, job);
		if (done)
			cxm_job_pop(resp);
	}
	return resp->jobs;
}
