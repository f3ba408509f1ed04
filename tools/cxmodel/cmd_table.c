// SPDX-License-Identifier: GPL-2.0-only
/*
 * All commands, sorted by opcode: shortest input and output, who executes it.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

static const struct cxm_cmd_desc cxm_cmds[] = {
	{ CX_CMD_QUERY_HCA_CAP, "QUERY_HCA_CAP", 0x10, 0x10,
	  cxm_cmd_query_hca_cap },
	{ CX_CMD_QUERY_ADAPTER, "QUERY_ADAPTER", 0x10, 0x110,
	  cxm_cmd_query_adapter },
	{ CX_CMD_INIT_HCA, "INIT_HCA", 0x20, 0x10,
	  cxm_cmd_init_hca },
	{ CX_CMD_TEARDOWN_HCA, "TEARDOWN_HCA", 0x10, 0x10,
	  cxm_cmd_teardown_hca },
	{ CX_CMD_ENABLE_HCA, "ENABLE_HCA", 0x10, 0xc,
	  cxm_cmd_enable_hca },
	{ CX_CMD_DISABLE_HCA, "DISABLE_HCA", 0x10, 0xc,
	  cxm_cmd_disable_hca },
	{ CX_CMD_QUERY_PAGES, "QUERY_PAGES", 0x10, 0x10,
	  cxm_cmd_query_pages },
	{ CX_CMD_MANAGE_PAGES, "MANAGE_PAGES", 0x10, 0x10,
	  cxm_cmd_manage_pages },
	{ CX_CMD_SET_HCA_CAP, "SET_HCA_CAP", 0x10, 0x10,
	  cxm_cmd_set_hca_cap },
	{ CX_CMD_QUERY_ISSI, "QUERY_ISSI", 0x10, 0x70,
	  cxm_cmd_query_issi },
	{ CX_CMD_SET_ISSI, "SET_ISSI", 0x10, 0x10,
	  cxm_cmd_set_issi },
	{ CX_CMD_CREATE_MKEY, "CREATE_MKEY", 0x110, 0x10,
	  cxm_cmd_create_mkey },
	{ CX_CMD_QUERY_MKEY, "QUERY_MKEY", 0x10, 0x130,
	  cxm_cmd_query_mkey },
	{ CX_CMD_DESTROY_MKEY, "DESTROY_MKEY", 0x10, 0x10,
	  cxm_cmd_destroy_mkey },
	{ CX_CMD_QUERY_SPECIAL_CONTEXTS, "QUERY_SPECIAL_CONTEXTS",
	  0x10, 0x20, cxm_cmd_query_special_contexts },
	{ CX_CMD_PAGE_FAULT_RESUME, "PAGE_FAULT_RESUME", 0x10, 0x10,
	  cxm_cmd_page_fault_resume },
	{ CX_CMD_ALLOC_MEMIC, "ALLOC_MEMIC", 0x20, 0x10,
	  cxm_cmd_alloc_memic },
	{ CX_CMD_DEALLOC_MEMIC, "DEALLOC_MEMIC", 0x20, 0x10,
	  cxm_cmd_dealloc_memic },
	{ CX_CMD_CREATE_EQ, "CREATE_EQ", 0x110, 0x10,
	  cxm_cmd_create_eq },
	{ CX_CMD_DESTROY_EQ, "DESTROY_EQ", 0x10, 0x10,
	  cxm_cmd_destroy_eq },
	{ CX_CMD_QUERY_EQ, "QUERY_EQ", 0x10, 0x110,
	  cxm_cmd_query_eq },
	{ CX_CMD_CREATE_CQ, "CREATE_CQ", 0x110, 0x10,
	  cxm_cmd_create_cq },
	{ CX_CMD_DESTROY_CQ, "DESTROY_CQ", 0x10, 0x10,
	  cxm_cmd_destroy_cq },
	{ CX_CMD_QUERY_CQ, "QUERY_CQ", 0x10, 0x110,
	  cxm_cmd_query_cq },
	{ CX_CMD_MODIFY_CQ, "MODIFY_CQ", 0x110, 0x10,
	  cxm_cmd_modify_cq },
	{ CX_CMD_CREATE_QP, "CREATE_QP", 0x110, 0x10,
	  cxm_cmd_create_qp },
	{ CX_CMD_DESTROY_QP, "DESTROY_QP", 0x10, 0x10,
	  cxm_cmd_destroy_qp },
	{ CX_CMD_RST2INIT_QP, "RST2INIT_QP", 0x110, 0x10,
	  cxm_cmd_modify_qp },
	{ CX_CMD_INIT2RTR_QP, "INIT2RTR_QP", 0x110, 0x10,
	  cxm_cmd_modify_qp },
	{ CX_CMD_RTR2RTS_QP, "RTR2RTS_QP", 0x110, 0x10,
	  cxm_cmd_modify_qp },
	{ CX_CMD_RTS2RTS_QP, "RTS2RTS_QP", 0x110, 0x10,
	  cxm_cmd_modify_qp },
	{ CX_CMD_SQERR2RTS_QP, "SQERR2RTS_QP", 0x110, 0x10,
	  cxm_cmd_modify_qp },
	{ CX_CMD_2ERR_QP, "2ERR_QP", 0x10, 0x10,
	  cxm_cmd_modify_qp },
	{ CX_CMD_2RST_QP, "2RST_QP", 0x10, 0x10,
	  cxm_cmd_modify_qp },
	{ CX_CMD_QUERY_QP, "QUERY_QP", 0x10, 0x1d0,
	  cxm_cmd_query_qp },
	{ CX_CMD_SQD2RTS_QP, "SQD2RTS_QP", 0x110, 0x10,
	  cxm_cmd_modify_qp },
	{ CX_CMD_INIT2INIT_QP, "INIT2INIT_QP", 0x110, 0x10,
	  cxm_cmd_modify_qp },
	{ CX_CMD_CREATE_SRQ, "CREATE_SRQ", 0x110, 0x10,
	  cxm_cmd_create_srq },
	{ CX_CMD_DESTROY_SRQ, "DESTROY_SRQ", 0x10, 0x10,
	  cxm_cmd_destroy_srq },
	{ CX_CMD_QUERY_SRQ, "QUERY_SRQ", 0x10, 0x110,
	  cxm_cmd_query_srq },
	{ CX_CMD_ARM_RQ, "ARM_RQ", 0x10, 0x10,
	  cxm_cmd_arm_rq },
	{ CX_CMD_CREATE_XRC_SRQ, "CREATE_XRC_SRQ", 0x110, 0x10,
	  cxm_cmd_create_xrc_srq },
	{ CX_CMD_DESTROY_XRC_SRQ, "DESTROY_XRC_SRQ", 0x10, 0x10,
	  cxm_cmd_destroy_xrc_srq },
	{ CX_CMD_QUERY_XRC_SRQ, "QUERY_XRC_SRQ", 0x10, 0x110,
	  cxm_cmd_query_xrc_srq },
	{ CX_CMD_ARM_XRC_SRQ, "ARM_XRC_SRQ", 0x10, 0x10,
	  cxm_cmd_arm_xrc_srq },
	{ CX_CMD_QUERY_VPORT_STATE, "QUERY_VPORT_STATE", 0x10, 0x10,
	  cxm_cmd_query_vport_state },
	{ CX_CMD_QUERY_HCA_VPORT_CONTEXT, "QUERY_HCA_VPORT_CONTEXT",
	  0x10, 0x210, cxm_cmd_query_hca_vport_context },
	{ CX_CMD_MODIFY_HCA_VPORT_CONTEXT, "MODIFY_HCA_VPORT_CONTEXT",
	  0x210, 0x10, cxm_cmd_modify_hca_vport_context },
	{ CX_CMD_QUERY_HCA_VPORT_GID, "QUERY_HCA_VPORT_GID", 0x10, 0x10,
	  cxm_cmd_query_hca_vport_gid },
	{ CX_CMD_QUERY_HCA_VPORT_PKEY, "QUERY_HCA_VPORT_PKEY", 0x10, 0x10,
	  cxm_cmd_query_hca_vport_pkey },
	{ CX_CMD_QUERY_VPORT_COUNTER, "QUERY_VPORT_COUNTER", 0x20, 0x210,
	  cxm_cmd_query_vport_counter },
	{ CX_CMD_ALLOC_PD, "ALLOC_PD", 0x10, 0x10,
	  cxm_cmd_alloc_pd },
	{ CX_CMD_DEALLOC_PD, "DEALLOC_PD", 0x10, 0x10,
	  cxm_cmd_dealloc_pd },
	{ CX_CMD_ALLOC_UAR, "ALLOC_UAR", 0x10, 0x10,
	  cxm_cmd_alloc_uar },
	{ CX_CMD_DEALLOC_UAR, "DEALLOC_UAR", 0x10, 0x10,
	  cxm_cmd_dealloc_uar },
	{ CX_CMD_ACCESS_REG, "ACCESS_REG", 0x10, 0x10,
	  cxm_cmd_access_reg },
	{ CX_CMD_ATTACH_TO_MCG, "ATTACH_TO_MCG", 0x20, 0x10,
	  cxm_cmd_attach_mcg },
	{ CX_CMD_DETACH_FROM_MCG, "DETACH_FROM_MCG", 0x20, 0x10,
	  cxm_cmd_detach_mcg },
	{ CX_CMD_ALLOC_XRCD, "ALLOC_XRCD", 0x10, 0x10,
	  cxm_cmd_alloc_xrcd },
	{ CX_CMD_DEALLOC_XRCD, "DEALLOC_XRCD", 0x10, 0x10,
	  cxm_cmd_dealloc_xrcd },
	{ CX_CMD_ALLOC_TRANSPORT_DOMAIN, "ALLOC_TRANSPORT_DOMAIN",
	  0x10, 0x10, cxm_cmd_alloc_td },
	{ CX_CMD_DEALLOC_TRANSPORT_DOMAIN, "DEALLOC_TRANSPORT_DOMAIN",
	  0x10, 0x10, cxm_cmd_dealloc_td },
	{ CX_CMD_CREATE_RMP, "CREATE_RMP", 0x110, 0x10,
	  cxm_cmd_create_rmp },
	{ CX_CMD_MODIFY_RMP, "MODIFY_RMP", 0x110, 0x10,
	  cxm_cmd_modify_rmp },
	{ CX_CMD_DESTROY_RMP, "DESTROY_RMP", 0x10, 0x10,
	  cxm_cmd_destroy_rmp },
	{ CX_CMD_QUERY_RMP, "QUERY_RMP", 0x10, 0x110,
	  cxm_cmd_query_rmp },
};

static int cxm_cmd_compare(const void *key, const void *elem)
{
	const struct cxm_cmd_desc *d = elem;

	return *(const u16 *)key - d->opcode;
}

/**
 * cxm_cmd_find() - look a command up
 * @opcode: its number
 *
 * Return: its row of the table, NULL if the model does not know it.
 */
const struct cxm_cmd_desc *cxm_cmd_find(u16 opcode)
{
	return bsearch(&opcode, cxm_cmds, ARRAY_SIZE(cxm_cmds),
		       sizeof(cxm_cmds[0]), cxm_cmd_compare);
}

/**
 * cxm_cmd_find_name() - look a command up by its name
 * @name: as in the table
 *
 * Return: its row of the table, NULL if there is none.
 */
const struct cxm_cmd_desc *cxm_cmd_find_name(const char *name)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cxm_cmds); i++)
		if (!strcmp(cxm_cmds[i].name, name))
			return &cxm_cmds[i];
	return NULL;
}
