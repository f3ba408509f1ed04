// SPDX-License-Identifier: GPL-2.0-only
/*
 * On-demand paging: its capabilities and its command.
 */
#include "cmd.h"
#include "model.h"
#include "odp.h"
#include "trace.h"
#include <connectx/prm_mkc.h>

struct cxm_odp_row {
	struct cx_odp_service_cap *(*of)(struct cx_odp_scheme_cap *scheme);
	void	(*set)(struct cx_odp_service_cap *cap, u32 value);
	bool	on;	/* from the start; the others are software's choice */
};

#define CXM_ODP_ROW(service, op, on)	{ cx_odp_scheme_cap_##service,	\
					  cx_odp_service_cap_set_##op, on }

/* What a ConnectX-5 pages: no UC, and datagrams only as they are sent */
static const struct cxm_odp_row cxm_odp_rows[] = {
	CXM_ODP_ROW(rc_odp_caps, send, true),
	CXM_ODP_ROW(rc_odp_caps, receive, true),
	CXM_ODP_ROW(rc_odp_caps, write, true),
	CXM_ODP_ROW(rc_odp_caps, read, true),
	CXM_ODP_ROW(rc_odp_caps, atomic, true),
	CXM_ODP_ROW(rc_odp_caps, srq_receive, false),
	CXM_ODP_ROW(ud_odp_caps, send, true),
	CXM_ODP_ROW(xrc_odp_caps, send, false),
	CXM_ODP_ROW(xrc_odp_caps, receive, false),
	CXM_ODP_ROW(xrc_odp_caps, write, false),
	CXM_ODP_ROW(xrc_odp_caps, read, false),
	CXM_ODP_ROW(xrc_odp_caps, atomic, false),
	CXM_ODP_ROW(xrc_odp_caps, srq_receive, false),
};

static void cxm_odp_caps_fill(struct cx_odp_cap *cap, bool all)
{
	struct cx_odp_scheme_cap *scheme =
		cx_odp_cap_transport_page_fault_scheme_cap(cap);
	u32 i;

	*cap = (struct cx_odp_cap){ 0 };
	for (i = 0; i < ARRAY_SIZE(cxm_odp_rows); i++)
		cxm_odp_rows[i].set(cxm_odp_rows[i].of(scheme),
				    all || cxm_odp_rows[i].on);
}

/**
 * cxm_odp_caps_offer() - all that can be paged
 * @cap: to fill
 */
void cxm_odp_caps_offer(struct cx_odp_cap *cap)
{
	cxm_odp_caps_fill(cap, true);
}

/**
 * cxm_odp_caps_start() - what is paged before software chose
 * @cap: to fill
 */
void cxm_odp_caps_start(struct cx_odp_cap *cap)
{
	cxm_odp_caps_fill(cap, false);
}

/**
 * cxm_odp_caps_set() - software chose
 * @cur: to set
 * @max: what is offered
 * @want: what it wants of that
 */
void cxm_odp_caps_set(struct cx_odp_cap *cur, const struct cx_odp_cap *max,
		      const struct cx_odp_cap *want)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cur->dw); i++)
		cur->dw[i] = want->dw[i] & max->dw[i];
}

/**
 * cxm_cmd_page_fault_resume() - PAGE_FAULT_RESUME: a page came, or will not
 * @m: model
 * @c: command
 *
 * Context: from the loop.
 * Return: CX_STATUS_*; BAD_RES for a token that nobody waits with (any more:
 * its queue pair may have been reset or destroyed while software was at it).
 */
int cxm_cmd_page_fault_resume(struct cxm *m, struct cxm_cmd *c)
{
	struct cx_page_fault_resume_in *in = (void *)c->in;
	const struct cx_trans_page_fault_info *info =
		cx_page_fault_resume_in_page_fault_info(in);
	u32 number = cx_trans_page_fault_info_get_wq_number(info);
	u32 type = cx_trans_page_fault_info_get_page_fault_type(info);
	u32 token = cx_trans_page_fault_info_get_fault_token(info);
	struct cxm_odp_fault *f = cxm_odp_find(m, token);

	if (!f) {
		cxm_trace(m, "page fault resume: stale token 0x%x", token);
		return CX_STATUS_BAD_RES;
	}
	if (number != f->number || type != f->type) {
		cxm_warn(m, "page fault resume: token 0x%x is of 0x%x type %u, not of 0x%x type %u",
			 token, f->number, f->type, number, type);
		return CX_STATUS_BAD_PARAM;
	}
	cxm_odp_resume(m, f, cx_trans_page_fault_info_get_error(info));
	return CX_STATUS_OK;
}
