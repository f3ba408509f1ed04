// SPDX-License-Identifier: GPL-2.0-only
/*
 * Start and stop of the function, and what it says about itself.
 */
#include <string.h>

#include <connectx/prm_mkc.h>

#include "cmd.h"
#include "mkey.h"
#include "model.h"
#include "trace.h"

#define CXM_ISSI		1
#define CXM_SUPPORTED_ISSI	(BIT(0) | BIT(CXM_ISSI))
#define CXM_IEEE_VENDOR		0x0002c9
#define CXM_PSID		"CXM_0000000001"
#define CXM_RESERVED_LKEY	0x200		/* index 2: never handed out */

int cxm_cmd_enable_hca(struct cxm *m, struct cxm_cmd *c)
{
	(void)c;
	m->enabled = true;
	return CX_STATUS_OK;
}

int cxm_cmd_disable_hca(struct cxm *m, struct cxm_cmd *c)
{
	(void)c;
	m->enabled = false;
	m->initialised = false;
	return CX_STATUS_OK;
}

int cxm_cmd_init_hca(struct cxm *m, struct cxm_cmd *c)
{
	(void)c;
	if (!m->enabled)
		return CX_STATUS_BAD_SYS_STATE;
	m->initialised = true;
	return CX_STATUS_OK;
}

/* Objects that software forgot are gone, but not without a word. */
int cxm_cmd_teardown_hca(struct cxm *m, struct cxm_cmd *c)
{
	int kind;

	(void)c;
	for (kind = 0; kind < CXM_KINDS; kind++)
		if (m->table[kind].live)
			cxm_warn(m, "teardown leaves %u %s", m->table[kind].live,
				 cxm_kind_name(kind));
	m->initialised = false;
	return CX_STATUS_OK;
}

int cxm_cmd_query_issi(struct cxm *m, struct cxm_cmd *c)
{
	struct cx_query_issi_out *out = c->out;

	cx_query_issi_out_set_current_issi(out, m->issi);
	cx_query_issi_out_set_supported_issi_dw0(out, CXM_SUPPORTED_ISSI);
	return CX_STATUS_OK;
}

int cxm_cmd_set_issi(struct cxm *m, struct cxm_cmd *c)
{
	u32 issi = cx_set_issi_in_get_current_issi(c->in);

	if (issi > CXM_ISSI)
		return CX_STATUS_BAD_PARAM;
	m->issi = issi;
	return CX_STATUS_OK;
}

/* We need no memory of the host. */
int cxm_cmd_query_pages(struct cxm *m, struct cxm_cmd *c)
{
	(void)m;
	if (c->op_mod < CX_PAGES_BOOT || c->op_mod > CX_PAGES_REGULAR)
		return CX_STATUS_BAD_PARAM;
	cx_query_pages_out_set_num_pages(c->out, 0);
	return CX_STATUS_OK;
}

int cxm_cmd_manage_pages(struct cxm *m, struct cxm_cmd *c)
{
	u32 n = cx_manage_pages_in_get_input_num_entries(c->in);

	switch (c->op_mod) {
	case CX_PAGES_GIVE:
		cxm_warn(m, "%u pages given that nobody asked for", n);
		return CX_STATUS_BAD_PARAM;
	case CX_PAGES_CANT_GIVE:
	case CX_PAGES_TAKE:
		cx_manage_pages_out_set_output_num_entries(c->out, 0);
		return CX_STATUS_OK;
	default:
		return CX_STATUS_BAD_PARAM;
	}
}

int cxm_cmd_query_adapter(struct cxm *m, struct cxm_cmd *c)
{
	struct cx_adapter_block *b =
		cx_query_adapter_out_query_adapter_struct(c->out);

	(void)m;
	cx_adapter_block_set_ieee_vendor_id(b, CXM_IEEE_VENDOR);
	memcpy(cx_adapter_block_vsd_contd_psid(b), CXM_PSID, sizeof(CXM_PSID));
	return CX_STATUS_OK;
}

int cxm_cmd_query_special_contexts(struct cxm *m, struct cxm_cmd *c)
{
	struct cx_query_special_contexts_out *out = c->out;

	(void)m;
	cx_query_special_contexts_out_set_resd_lkey(out, CXM_RESERVED_LKEY);
	cx_query_special_contexts_out_set_null_mkey(out, CXM_NULL_MKEY);
	cx_query_special_contexts_out_set_terminate_scatter_list_mkey
		(out, CX_LKEY_TERMINATE);
	return CX_STATUS_OK;
}
