/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One firmware command on its way through the model, and the table of all.
 *
 * A handler gets @in at least as long as the table's min_in, and @out zeroed
 * and at least as long as the table's min_out, whatever software claimed: it
 * needs no length check for its fixed part. What follows the fixed part (lists
 * of pages) is checked by cxm_buf_init(). The header of the answer (status,
 * syndrome) is written by the caller.
 */
#ifndef CXM_CMD_H
#define CXM_CMD_H

#include "types.h"
#include <connectx/prm_cmd.h>

struct cxm_cmd {
	const struct cxm_cmd_desc *desc;
	u16		opcode;
	u16		op_mod;
	u16		uid;
	const void	*in;
	u32		in_len;		/* as software gave it */
	void		*out;
	u32		out_len;	/* as software gave it */
	u32		syndrome;	/* a hint, any number, printed by drivers */
};

struct cxm_cmd_desc {
	u16		opcode;
	const char	*name;
	u32		min_in;
	u32		min_out;
	int		(*handler)(struct cxm *m, struct cxm_cmd *c);
};

const struct cxm_cmd_desc *cxm_cmd_find(u16 opcode);
const struct cxm_cmd_desc *cxm_cmd_find_name(const char *name);

/* Handlers: each returns a CX_STATUS_*. hca.c, caps.c, port.c … */
int cxm_cmd_query_hca_cap(struct cxm *m, struct cxm_cmd *c);
int cxm_cmd_set_hca_cap(struct cxm *m, struct cxm_cmd *c);
int cxm_cmd_query_adapter(struct cxm *m, struct cxm_cmd *c);
int cxm_cmd_init_hca(struct cxm *m, struct cxm_cmd *c);
int cxm_cmd_teardown_hca(struct cxm *m, struct cxm_cmd *c);
int cxm_cmd_enable_hca(struct cxm *m, struct cxm_cmd *c);
int cxm_cmd_disable_hca(struct cxm *m, struct cxm_cmd *c);
int cxm_cmd_query_pages(struct cxm *m, struct cxm_cmd *c);
int cxm_cmd_manage_pages(struct cxm *m, struct cxm_cmd *c);
int cxm_cmd_query_issi(struct cxm *m, struct cxm_cmd *c);
int cxm_cmd_set_issi(struct cxm *m, struct cxm_cmd *c);
int cxm_cmd_query_special_contexts(struct cxm *m, struct cxm_cmd *c);
int cxm_cmd_access_reg(struct cxm *m, struct cxm_cmd *c);
int cxm_cmd_query_vport_state(struct cxm *m, struct cxm_cmd *c);
int cxm_cmd_query_hca_vport_context(struct cxm *m, struct cxm_cmd *c);
int cxm_cmd_modify_hca_vport_context(struct cxm *m, struct cxm_cmd *c);
int cxm_cmd_query_hca_vport_gid(struct cxm *m, struct cxm_cmd *c);
int cxm_cmd_query_hca_vport_pkey(struct cxm *m, struct cxm_cmd *c);
int cxm_cmd_query_vport_counter(struct cxm *m, struct cxm_cmd *c);
int cxm_cmd_create_mkey(struct cxm *m, struct cxm_cmd *c);
int cxm_cmd_query_mkey(struct cxm *m, struct cxm_cmd *c);
int cxm_cmd_destroy_mkey(struct cxm *m, struct cxm_cmd *c);
int cxm_cmd_page_fault_resume(struct cxm *m, struct cxm_cmd *c);
int cxm_cmd_alloc_memic(struct cxm *m, struct cxm_cmd *c);
int cxm_cmd_dealloc_memic(struct cxm *m, struct cxm_cmd *c);
int cxm_cmd_create_eq(struct cxm *m, struct cxm_cmd *c);
int cxm_cmd_destroy_eq(struct cxm *m, struct cxm_cmd *c);
int cxm_cmd_query_eq(struct cxm *m, struct cxm_cmd *c);
int cxm_cmd_alloc_pd(struct cxm *m, struct cxm_cmd *c);
int cxm_cmd_dealloc_pd(struct cxm *m, struct cxm_cmd *c);
int cxm_cmd_alloc_uar(struct cxm *m, struct cxm_cmd *c);
int cxm_cmd_dealloc_uar(struct cxm *m, struct cxm_cmd *c);
int cxm_cmd_alloc_xrcd(struct cxm *m, struct cxm_cmd *c);
int cxm_cmd_dealloc_xrcd(struct cxm *m, struct cxm_cmd *c);
int cxm_cmd_alloc_td(struct cxm *m, struct cxm_cmd *c);
int cxm_cmd_dealloc_td(struct cxm *m, struct cxm_cmd *c);

/* cq.c */
int cxm_cmd_create_cq(struct cxm *m, struct cxm_cmd *c);
int cxm_cmd_destroy_cq(struct cxm *m, struct cxm_cmd *c);
int cxm_cmd_query_cq(struct cxm *m, struct cxm_cmd *c);
int cxm_cmd_modify_cq(struct cxm *m, struct cxm_cmd *c);

/* qp.c; every transition of the state is one handler, told apart by opcode */
int cxm_cmd_create_qp(struct cxm *m, struct cxm_cmd *c);
int cxm_cmd_destroy_qp(struct cxm *m, struct cxm_cmd *c);
int cxm_cmd_modify_qp(struct cxm *m, struct cxm_cmd *c);
int cxm_cmd_query_qp(struct cxm *m, struct cxm_cmd *c);
int cxm_cmd_attach_mcg(struct cxm *m, struct cxm_cmd *c);
int cxm_cmd_detach_mcg(struct cxm *m, struct cxm_cmd *c);

/* srq.c */
int cxm_cmd_create_srq(struct cxm *m, struct cxm_cmd *c);
int cxm_cmd_destroy_srq(struct cxm *m, struct cxm_cmd *c);
int cxm_cmd_query_srq(struct cxm *m, struct cxm_cmd *c);
int cxm_cmd_arm_rq(struct cxm *m, struct cxm_cmd *c);
int cxm_cmd_create_xrc_srq(struct cxm *m, struct cxm_cmd *c);
int cxm_cmd_destroy_xrc_srq(struct cxm *m, struct cxm_cmd *c);
int cxm_cmd_query_xrc_srq(struct cxm *m, struct cxm_cmd *c);
int cxm_cmd_arm_xrc_srq(struct cxm *m, struct cxm_cmd *c);
int cxm_cmd_create_rmp(struct cxm *m, struct cxm_cmd *c);
int cxm_cmd_destroy_rmp(struct cxm *m, struct cxm_cmd *c);
int cxm_cmd_query_rmp(struct cxm *m, struct cxm_cmd *c);
int cxm_cmd_modify_rmp(struct cxm *m, struct cxm_cmd *c);

#endif /* CXM_CMD_H */
