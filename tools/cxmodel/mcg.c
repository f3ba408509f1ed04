// SPDX-License-Identifier: GPL-2.0-only
/*
 * Multicast groups: which QPs get a copy of a datagram.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "engine.h"
#include "model.h"
#include "trace.h"

#define CXM_GID_BYTES	16

/* One QP in one group. */
struct cxm_mcg {
	struct cxm_mcg	*next;
	u32		qpn;
	u8		gid[CXM_GID_BYTES];
};

static struct cxm_mcg **cxm_mcg_find(struct cxm *m, u32 qpn, const u8 *gid)
{
	struct cxm_mcg **at;

	for (at = &m->wire->mcg; *at; at = &(*at)->next)
		if ((*at)->qpn == qpn &&
		    !memcmp((*at)->gid, gid, CXM_GID_BYTES))
			return at;
	return NULL;
}

/**
 * cxm_cmd_attach_mcg() - ATTACH_TO_MCG; attaching twice is attaching once
 * @m: model
 * @c: command
 *
 * Context: from the loop.
 * Return: CX_STATUS_*.
 */
int cxm_cmd_attach_mcg(struct cxm *m, struct cxm_cmd *c)
{
	struct cx_attach_mcg_in *in = (void *)c->in;
	u32 qpn = cx_attach_mcg_in_get_qpn(in);
	const u8 *gid = cx_attach_mcg_in_multicast_gid(in);
	struct cxm_obj *obj = cxm_obj_named(m, CXM_QP, qpn, c->desc->name);
	struct cxm_mcg *mcg;

	if (!obj)
		return CX_STATUS_BAD_RES;
	if (!cxm_qp_is_datagram(container_of(obj, struct cxm_qp, obj)))
		return CX_STATUS_BAD_PARAM;
	if (cxm_mcg_find(m, qpn, gid))
		return CX_STATUS_OK;
	mcg = calloc(1, sizeof(*mcg));
	if (!mcg)
		return CX_STATUS_NO_RES;
	mcg->qpn = qpn;
	memcpy(mcg->gid, gid, CXM_GID_BYTES);
	mcg->next = m->wire->mcg;
	m->wire->mcg = mcg;
	return CX_STATUS_OK;
}

/**
 * cxm_cmd_detach_mcg() - DETACH_FROM_MCG
 * @m: model
 * @c: command
 *
 * Context: from the loop.
 * Return: CX_STATUS_*; BAD_RES if the QP is not in the group.
 */
int cxm_cmd_detach_mcg(struct cxm *m, struct cxm_cmd *c)
{
	struct cx_attach_mcg_in *in = (void *)c->in;
	struct cxm_mcg **at, *mcg;

	at = cxm_mcg_find(m, cx_attach_mcg_in_get_qpn(in),
			  cx_attach_mcg_in_multicast_gid(in));
	if (!at)
		return CX_STATUS_BAD_RES;
	mcg = *at;
	*at = mcg->next;
	free(mcg);
	return CX_STATUS_OK;
}

void cxm_mcg_forget(struct cxm *m, u32 qpn)
{
	struct cxm_mcg **at = &m->wire->mcg, *mcg;

	while ((mcg = *at)) {
		if (mcg->qpn != qpn) {
			at = &mcg->next;
			continue;
		}
		*at = mcg->next;
		free(mcg);
	}
}

void cxm_mcg_clear(struct cxm *m)
{
	struct cxm_mcg *mcg;

	while ((mcg = m->wire->mcg)) {
		m->wire->mcg = mcg->next;
		free(mcg);
	}
}

/* A sender may ask not to hear itself. */
void cxm_mcg_deliver(struct cxm *m, struct cxm_packet *p)
{
	const u8 *gid = p->grh + CXM_GRH_BYTES - CXM_GID_BYTES;
	struct cxm_mcg *mcg;
	struct cxm_qp *qp;

	if (!p->has_grh)
		return;
	for (mcg = m->wire->mcg; mcg; mcg = mcg->next) {
		if (memcmp(mcg->gid, gid, CXM_GID_BYTES))
			continue;
		qp = cxm_qp_find(m, mcg->qpn);
		if (!qp || (p->sqpn == mcg->qpn &&
			    cx_qpc_get_block_lb_mc(&qp->ctx)))
			continue;
		cxm_ud_receive(m, qp, p);
	}
}
