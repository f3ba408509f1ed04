// SPDX-License-Identifier: GPL-2.0-only
/*
 * Protection domains and their like: objects that are nothing but a number.
 */
#include <stdlib.h>

#include "cmd.h"
#include "model.h"

static int cxm_number_alloc(struct cxm *m, enum cxm_kind kind, u32 *num)
{
	struct cxm_obj *obj = calloc(1, sizeof(*obj));
	int status;

	if (!obj)
		return CX_STATUS_NO_RES;
	status = cxm_obj_add(m, kind, obj);
	if (status)
		free(obj);
	else
		*num = obj->num;
	return status;
}

static int cxm_number_free(struct cxm *m, struct cxm_cmd *c,
			   enum cxm_kind kind, u32 num)
{
	struct cxm_obj *obj = cxm_obj_named(m, kind, num, c->desc->name);
	int status;

	if (!obj)
		return CX_STATUS_BAD_RES;
	status = cxm_obj_remove(m, obj);
	if (!status)
		free(obj);
	return status;
}

int cxm_cmd_alloc_pd(struct cxm *m, struct cxm_cmd *c)
{
	u32 num = 0;
	int status = cxm_number_alloc(m, CXM_PD, &num);

	cx_alloc_pd_out_set_pd(c->out, num);
	return status;
}

int cxm_cmd_dealloc_pd(struct cxm *m, struct cxm_cmd *c)
{
	return cxm_number_free(m, c, CXM_PD, cx_dealloc_pd_in_get_pd(c->in));
}

int cxm_cmd_alloc_xrcd(struct cxm *m, struct cxm_cmd *c)
{
	u32 num = 0;
	int status = cxm_number_alloc(m, CXM_XRCD, &num);

	cx_alloc_xrcd_out_set_xrcd(c->out, num);
	return status;
}

int cxm_cmd_dealloc_xrcd(struct cxm *m, struct cxm_cmd *c)
{
	return cxm_number_free(m, c, CXM_XRCD,
			       cx_dealloc_xrcd_in_get_xrcd(c->in));
}

int cxm_cmd_alloc_td(struct cxm *m, struct cxm_cmd *c)
{
	u32 num = 0;
	int status = cxm_number_alloc(m, CXM_TD, &num);

	cx_alloc_transport_domain_out_set_transport_domain(c->out, num);
	return status;
}

int cxm_cmd_dealloc_td(struct cxm *m, struct cxm_cmd *c)
{
	const struct cx_dealloc_transport_domain_in *in = c->in;

	return cxm_number_free(m, c, CXM_TD,
		cx_dealloc_transport_domain_in_get_transport_domain(in));
}
