// SPDX-License-Identifier: GPL-2.0-only
/*
 * Capabilities. A profile is a table of rows "this field, this value"; all the
 * rest is zero. What software sets is cut, row by row, to what is offered.
 */
#include <string.h>

#include "cmd.h"
#include "memic.h"
#include "model.h"
#include "trace.h"

struct cxm_cap_row {
	u32	(*get)(const struct cx_hca_cap *cap);
	void	(*set)(struct cx_hca_cap *cap, u32 value);
	u32	value;
};

/* Rows of @base, and then its own, which may say otherwise. */
struct cxm_profile {
	const char *name;
	const struct cxm_profile *base;
	const struct cxm_cap_row *rows;
	u32	count;
};

#define CXM_CAP(field, v)	{ cx_hca_cap_get_##field,	\
				  cx_hca_cap_set_##field, v }

/*
 * Enough for verbs over one InfiniBand port, with as few commands as possible:
 * no pages for firmware, no memory keys changed by work requests, no paging.
 */
static const struct cxm_cap_row cxm_bringup[] = {
	CXM_CAP(apm, 1),
	CXM_CAP(atomic, 1),
	CXM_CAP(block_lb_mc, 1),
	CXM_CAP(cq_moderation, 1),
	CXM_CAP(cq_oi, 1),
	CXM_CAP(cq_resize, 1),
	CXM_CAP(cqe_version, 1),
	CXM_CAP(ib_virt, 1),
	CXM_CAP(imaicl, 1),
	CXM_CAP(local_ca_ack_delay, 0x10),
	CXM_CAP(log_bf_reg_size, 9),
	CXM_CAP(log_max_cq, 17),
	CXM_CAP(log_max_cq_sz, 22),
	CXM_CAP(log_max_eq, 6),
	CXM_CAP(log_max_eq_sz, 22),
	CXM_CAP(log_max_klm_list_size, 20),
	CXM_CAP(log_max_mcg, 16),
	CXM_CAP(log_max_mkey, 20),
	CXM_CAP(log_max_mrw_sz, 63),
	CXM_CAP(log_max_msg, 30),
	CXM_CAP(log_max_pd, 16),
	CXM_CAP(log_max_qp, 18),
	CXM_CAP(log_max_qp_sz, 15),
	CXM_CAP(log_max_ra_req_qp, 4),
	CXM_CAP(log_max_ra_res_qp, 4),
	CXM_CAP(log_max_rmp, 16),
	CXM_CAP(log_max_srq, 16),
	CXM_CAP(log_max_srq_sz, 15),
	CXM_CAP(log_max_xrcd, 16),
	CXM_CAP(log_pg_sz, 12),
	CXM_CAP(max_num_eqs, 63),
	CXM_CAP(max_qp_mcg, 240),
	CXM_CAP(max_wqe_sz_rq, 512),
	CXM_CAP(max_wqe_sz_sq, 1024),
	CXM_CAP(num_ports, 1),
	CXM_CAP(page_request_disable, 1),
	CXM_CAP(pkv, 1),
	CXM_CAP(qkv, 1),
	CXM_CAP(rc, 1),
	CXM_CAP(stat_rate_support, 0xffff),
	CXM_CAP(uc, 1),
	CXM_CAP(ud, 1),
	CXM_CAP(umr_modify_entity_size_disabled, 1),
	CXM_CAP(vport_counters, 1),
	CXM_CAP(xrc, 1),
};

/* Memory keys are changed by work requests; there is no paging. */
static const struct cxm_cap_row cxm_pinned[] = {
	CXM_CAP(device_memory, 1),
	CXM_CAP(umr_extended_translation_offset, 1),
	CXM_CAP(umr_modify_entity_size_disabled, 0),
};

/* What the real adapter offers, as far as the model has it: on-demand paging */
static const struct cxm_cap_row cxm_full[] = {
	CXM_CAP(fixed_buffer_size, 1),
	CXM_CAP(max_indirection, 1),
	CXM_CAP(null_mkey, 1),
	CXM_CAP(pg, 1),
};

static const struct cxm_profile cxm_profiles[] = {
	{ "bringup", NULL, cxm_bringup, ARRAY_SIZE(cxm_bringup) },
	{ "pinned", &cxm_profiles[0], cxm_pinned, ARRAY_SIZE(cxm_pinned) },
	{ "full", &cxm_profiles[1], cxm_full, ARRAY_SIZE(cxm_full) },
};

/* atomic_cap.atomic_operations and .atomic_size_qp */
#define CXM_ATOMIC_CMP_SWAP	BIT(0)
#define CXM_ATOMIC_FETCH_ADD	BIT(1)
#define CXM_ATOMIC_8_BYTES	BIT(3)

/**
 * cxm_profile_find() - look a profile up
 * @name: its name
 *
 * Return: the profile, or NULL.
 */
const struct cxm_profile *cxm_profile_find(const char *name)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cxm_profiles); i++)
		if (!strcmp(cxm_profiles[i].name, name))
			return &cxm_profiles[i];
	return NULL;
}

static void cxm_caps_offer(const struct cxm_profile *p, struct cx_hca_cap *cap)
{
	u32 i;

	if (p->base)
		cxm_caps_offer(p->base, cap);
	for (i = 0; i < p->count; i++)
		p->rows[i].set(cap, p->rows[i].value);
}

/**
 * cxm_caps_reset() - what the profile offers, nothing negotiated
 * @m: the model
 */
void cxm_caps_reset(struct cxm *m)
{
	struct cxm_caps_set *max = &m->caps.max;

	memset(&m->caps, 0, sizeof(m->caps));
	cxm_caps_offer(m->cfg.profile, &max->general);
	cx_hca_cap_set_vhca_id(&max->general, m->cfg.index);
	cx_atomic_cap_set_supported_req_8b_endianness_mode_1(&max->atomic, 1);
	cx_atomic_cap_set_req_8b_endianness_mode(&max->atomic, 1);
	cx_atomic_cap_set_atomic_operations(&max->atomic, CXM_ATOMIC_CMP_SWAP |
					    CXM_ATOMIC_FETCH_ADD);
	cx_atomic_cap_set_atomic_size_qp(&max->atomic, CXM_ATOMIC_8_BYTES);
	if (cx_hca_cap_get_pg(&max->general))
		cxm_odp_caps_offer(&max->odp);
	cxm_memic_offer(&max->device_mem);
	m->caps.cur = *max;
	if (cx_hca_cap_get_pg(&max->general))
		cxm_odp_caps_start(&m->caps.cur.odp);
	/* big-endian results until software asks for the host's order */
	cx_atomic_cap_set_req_8b_endianness_mode(&m->caps.cur.atomic, 0);
}

/* NULL: the group is not supported. */
static void *cxm_caps_group(struct cxm_caps_set *set, u32 group)
{
	switch (group) {
	case CX_CAP_GENERAL:
		return &set->general;
	case CX_CAP_ODP:
		return cx_hca_cap_get_pg(&set->general) ? &set->odp : NULL;
	case CX_CAP_ATOMIC:
		return &set->atomic;
	case CX_CAP_ROCE:
		return &set->roce;
	case CX_CAP_DEV_MEM:
		return cx_hca_cap_get_device_memory(&set->general) ?
		       &set->device_mem : NULL;
	default:
		return NULL;
	}
}

int cxm_cmd_query_hca_cap(struct cxm *m, struct cxm_cmd *c)
{
	bool cur = c->op_mod & 1;
	u32 room = c->out_len - sizeof(struct cx_cmd_out);
	const void *cap;

	cap = cxm_caps_group(cur ? &m->caps.cur : &m->caps.max, c->op_mod >> 1);
	if (!cap) {
		cxm_trace(m, "capability group 0x%x is not offered",
			  c->op_mod >> 1);
		return CX_STATUS_BAD_PARAM;
	}
	memcpy((u8 *)c->out + sizeof(struct cx_cmd_out), cap,
	       min_u64(room, sizeof(struct cx_hca_cap)));
	return CX_STATUS_OK;
}

/* The least of what is wanted and what is offered, of every row */
static void cxm_caps_set_general(struct cxm *m, const struct cx_hca_cap *want)
{
	const struct cx_hca_cap *max = &m->caps.max.general;
	const struct cxm_profile *p;
	u32 i;

	for (p = m->cfg.profile; p; p = p->base) {
		for (i = 0; i < p->count; i++) {
			const struct cxm_cap_row *row = &p->rows[i];

			row->set(&m->caps.cur.general,
				 min_u64(row->get(want), row->get(max)));
		}
	}
}

int cxm_cmd_set_hca_cap(struct cxm *m, struct cxm_cmd *c)
{
	const void *want = (const u8 *)c->in + sizeof(struct cx_cmd_in);
	u32 mode;

	if (m->initialised)
		return CX_STATUS_BAD_SYS_STATE;
	if (c->in_len < sizeof(struct cx_cmd_in) + sizeof(struct cx_hca_cap))
		return CX_STATUS_BAD_IN_LEN;
	switch (c->op_mod >> 1) {
	case CX_CAP_GENERAL:
		cxm_caps_set_general(m, want);
		return CX_STATUS_OK;
	case CX_CAP_ODP:
		if (!cxm_caps_group(&m->caps.max, CX_CAP_ODP))
			return CX_STATUS_BAD_PARAM;
		cxm_odp_caps_set(&m->caps.cur.odp, &m->caps.max.odp, want);
		return CX_STATUS_OK;
	case CX_CAP_ATOMIC:
		mode = cx_atomic_cap_get_req_8b_endianness_mode(want);
		cx_atomic_cap_set_req_8b_endianness_mode(&m->caps.cur.atomic,
							 mode & 1);
		return CX_STATUS_OK;
	default:
		return CX_STATUS_BAD_PARAM;
	}
}
