// SPDX-License-Identifier: GPL-2.0-only
/*
 * Commands of on-demand paging: what the firmware offers, and the answer to a
 * page fault. Of its two schemes this is the one by transport: a fault tells
 * of a work request or of what a peer names, and stops its queue pair alone.
 */
#include <linux/array_size.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <connectx/prm_cap.h>
#include <connectx/prm_cmd.h>
#include <connectx/prm_mkc.h>

#include "cmd.h"
#include "cmd_odp.h"
#include "cmd_wire.h"
#include "cmdq.h"
#include "cx.h"
#include "refuse.h"

static const struct cx_odp_row {
	u32 (*get)(const struct cx_odp_service_cap *cap);
	void (*set)(struct cx_odp_service_cap *cap, u32 value);
	enum cx_odp_service bit;
} cx_odp_rows[] = {
	{ cx_odp_service_cap_get_send, cx_odp_service_cap_set_send,
	  CX_ODP_SEND },
	{ cx_odp_service_cap_get_receive, cx_odp_service_cap_set_receive,
	  CX_ODP_RECEIVE },
	{ cx_odp_service_cap_get_write, cx_odp_service_cap_set_write,
	  CX_ODP_WRITE },
	{ cx_odp_service_cap_get_read, cx_odp_service_cap_set_read,
	  CX_ODP_READ },
	{ cx_odp_service_cap_get_atomic, cx_odp_service_cap_set_atomic,
	  CX_ODP_ATOMIC },
	{ cx_odp_service_cap_get_srq_receive,
	  cx_odp_service_cap_set_srq_receive, CX_ODP_SRQ_RECEIVE },
};

/* What is off unless software says that it knows of it */
static const struct {
	struct cx_odp_service_cap *(*of)(struct cx_odp_scheme_cap *scheme);
	u8 bits;
} cx_odp_choices[] = {
	{ cx_odp_scheme_cap_rc_odp_caps, CX_ODP_SRQ_RECEIVE },
	{ cx_odp_scheme_cap_ud_odp_caps, CX_ODP_SRQ_RECEIVE },
	{ cx_odp_scheme_cap_xrc_odp_caps,
	  CX_ODP_SEND | CX_ODP_RECEIVE | CX_ODP_WRITE | CX_ODP_READ |
	  CX_ODP_ATOMIC | CX_ODP_SRQ_RECEIVE },
};

static u8 cx_odp_services(const struct cx_odp_service_cap *cap)
{
	size_t i;
	u8 bits = 0;

	for (i = 0; i < ARRAY_SIZE(cx_odp_rows); i++)
		if (cx_odp_rows[i].get(cap))
			bits |= cx_odp_rows[i].bit;
	return bits;
}

static void cx_odp_choose(struct cx_odp_service_cap *cur, u8 bits)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cx_odp_rows); i++)
		if (bits & cx_odp_rows[i].bit)
			cx_odp_rows[i].set(cur, 1);
}

/**
 * cx_cmd_set_odp_caps - ask for all on-demand paging that is offered
 * @cx: the device, before INIT_HCA, with capability pg
 * @buf: CX_QUERY_HCA_CAP_OUT bytes to work with
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_cmd_set_odp_caps(struct cx_dev *cx, void *buf)
{
	struct cx_odp_cap *cap = buf + sizeof(struct cx_cmd_out);
	struct cx_odp_scheme_cap *scheme =
		cx_odp_cap_transport_page_fault_scheme_cap(cap);
	u8 offered[ARRAY_SIZE(cx_odp_choices)];
	bool any = false;
	size_t i;
	int ret;

	ret = cx_cmd_query_cap(cx, CX_CAP_ODP, CX_CAP_MAX, buf);
	if (ret)
		return ret;
	for (i = 0; i < ARRAY_SIZE(offered); i++) {
		offered[i] = cx_odp_choices[i].bits &
			     cx_odp_services(cx_odp_choices[i].of(scheme));
		any |= offered[i];
	}
	if (!any)
		return 0;
	ret = cx_cmd_query_cap(cx, CX_CAP_ODP, CX_CAP_CUR, buf);
	if (ret)
		return ret;
	for (i = 0; i < ARRAY_SIZE(offered); i++)
		cx_odp_choose(cx_odp_choices[i].of(scheme), offered[i]);
	cx_odp_cap_set_mem_page_fault(cap, 0);
	return cx_cmd_set_cap(cx, CX_CAP_ODP, cap);
}

static int cx_cmd_query_null_mkey(struct cx_dev *cx)
{
	struct cx_query_special_contexts_out out = {};
	struct cx_cmd_in in = {};
	int ret;

	cx_cmd_set_op(&in, CX_CMD_QUERY_SPECIAL_CONTEXTS);
	ret = cx_cmd_exec(cx, &in, sizeof(in), &out, sizeof(out));
	if (!ret)
		cx->caps.null_mkey =
			cx_query_special_contexts_out_get_null_mkey(&out);
	return ret;
}

/**
 * cx_odp_caps_decode - is there on-demand paging?
 * @c: result
 * @general: the general group of capabilities
 *
 * Translation entries are changed by work requests: without those of any size
 * there is no paging.
 *
 * Context: Any context.
 */
void cx_odp_caps_decode(struct cx_caps *c, const struct cx_hca_cap *general)
{
	c->odp = cx_hca_cap_get_pg(general) &&
		 !cx_hca_cap_get_umr_modify_entity_size_disabled(general);
	c->odp_implicit = c->odp && cx_hca_cap_get_null_mkey(general) &&
		cx_hca_cap_get_fixed_buffer_size(general) &&
		cx_hca_cap_get_umr_extended_translation_offset(general) &&
		!cx_hca_cap_get_umr_indirect_mkey_disabled(general);
}

/**
 * cx_cmd_query_odp_caps - learn what on-demand paging there is
 * @cx: the device, after INIT_HCA, with paging; fills fields of cx->caps
 * @buf: CX_QUERY_HCA_CAP_OUT bytes to work with
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_cmd_query_odp_caps(struct cx_dev *cx, void *buf)
{
	struct cx_odp_cap *cap = buf + sizeof(struct cx_cmd_out);
	struct cx_odp_scheme_cap *scheme =
		cx_odp_cap_transport_page_fault_scheme_cap(cap);
	struct cx_caps *c = &cx->caps;
	int ret;

	ret = cx_cmd_query_cap(cx, CX_CAP_ODP, CX_CAP_CUR, buf);
	if (ret)
		return ret;
	c->odp_rc = cx_odp_services(cx_odp_scheme_cap_rc_odp_caps(scheme));
	c->odp_ud = cx_odp_services(cx_odp_scheme_cap_ud_odp_caps(scheme));
	c->odp_xrc = cx_odp_services(cx_odp_scheme_cap_xrc_odp_caps(scheme));
	return c->odp_implicit ? cx_cmd_query_null_mkey(cx) : 0;
}

/**
 * cx_cmd_query_indirect - what a key that others are behind is made of
 * @cx: the device
 * @mkey: the key: a memory window
 * @i: result; without pieces if it is no such key, or not in use
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_cmd_query_indirect(struct cx_dev *cx, u32 mkey, struct cx_indirect *i)
{
	const size_t len = CX_QUERY_MKEY_XLT + sizeof(i->pieces);
	struct cx_mkey_number_in in = {};
	const struct cx_mkc *mkc;
	void *out;
	int ret;

	out = kzalloc(len, GFP_KERNEL);
	if (!out)
		return cx_refuse(-ENOMEM, "no memory to read key 0x%llx", mkey,
				 0);
	cx_cmd_set_op(&in, CX_CMD_QUERY_MKEY);
	cx_mkey_number_in_set_mkey_index(&in, mkey >> CX_MKEY_INDEX_SHIFT);
	ret = cx_cmd_exec(cx, &in, sizeof(in), out, len);
	if (ret)
		goto out_free;
	mkc = cx_query_mkey_out_memory_key_mkey_entry(out);
	i->start = cx_mkc_get_start_addr(mkc);
	i->count = 0;
	if (cx_mkc_get_access_mode_1_0(mkc) == CX_MKC_KLM &&
	    !cx_mkc_get_free(mkc))
		i->count = min(cx_mkc_get_translations_octword_size(mkc),
			       (u32)CX_INDIRECT_MAX);
	memcpy(i->pieces, out + CX_QUERY_MKEY_XLT, sizeof(i->pieces));

out_free:
	kfree(out);
	return ret;
}

/**
 * cx_cmd_resume_fault - the page fault is over
 * @cx: the device
 * @type: of the fault, bits of enum cx_pfault_type
 * @number: queue that waits
 * @token: of the fault
 * @error: the page is not to be had: the request fails
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno: the queue may be gone.
 */
int cx_cmd_resume_fault(struct cx_dev *cx, u8 type, u32 number, u32 token,
			bool error)
{
	struct cx_page_fault_resume_in in = {};
	struct cx_trans_page_fault_info *info =
		cx_page_fault_resume_in_page_fault_info(&in);
	struct cx_cmd_out out = {};

	cx_cmd_set_op(&in, CX_CMD_PAGE_FAULT_RESUME);
	cx_trans_page_fault_info_set_error(info, error);
	cx_trans_page_fault_info_set_page_fault_type(info, type);
	cx_trans_page_fault_info_set_wq_number(info, number);
	cx_trans_page_fault_info_set_fault_token(info, token);
	return cx_cmd_exec(cx, &in, sizeof(in), &out, sizeof(out));
}
