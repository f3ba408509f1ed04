// SPDX-License-Identifier: GPL-2.0-only
/*
 * UAR pages: what a write to which offset means.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "eq.h"
#include "model.h"
#include "trace.h"
#include "uar.h"

#define CXM_SQ_DB_STRIDE	0x100

int cxm_cmd_alloc_uar(struct cxm *m, struct cxm_cmd *c)
{
	struct cx_alloc_uar_out *out = c->out;
	struct cxm_uar *uar = calloc(1, sizeof(*uar));
	int status;

	if (!uar)
		return CX_STATUS_NO_RES;
	status = cxm_obj_add(m, CXM_UAR, &uar->obj);
	if (status) {
		free(uar);
		return status;
	}
	cx_alloc_uar_out_set_uar(out, uar->obj.num);
	return CX_STATUS_OK;
}

int cxm_cmd_dealloc_uar(struct cxm *m, struct cxm_cmd *c)
{
	const struct cx_dealloc_uar_in *in = c->in;
	struct cxm_obj *obj;
	int status;

	obj = cxm_obj_named(m, CXM_UAR, cx_dealloc_uar_in_get_uar(in),
			    c->desc->name);
	if (!obj)
		return CX_STATUS_BAD_RES;
	status = cxm_obj_remove(m, obj);
	if (!status)
		free(container_of(obj, struct cxm_uar, obj));
	return status;
}

static u32 cxm_load_be32(const u8 *data)
{
	__be32 v;

	memcpy(&v, data, sizeof(v));
	return be32_to_cpu(v);
}

/*
 * An eight-byte doorbell at @at, of which @high holds the first half if it came
 * alone. True if it is complete, then in @value.
 */
static bool cxm_uar_join(u32 off, u32 at, const u8 *data, u32 len, u32 *high,
			 u64 *value)
{
	if (off == at && len >= 8) {
		*value = (u64)cxm_load_be32(data) << 32 |
			 cxm_load_be32(data + 4);
		return true;
	}
	if (off == at && len == 4) {
		*high = cxm_load_be32(data);
	} else if (off == at + 4 && len == 4) {
		*value = (u64)*high << 32 | cxm_load_be32(data);
		return true;
	}
	return false;
}

/*
 * Doorbells lie at multiples of 0x100. What is written behind one is the rest of
 * a WQE (BlueFlame), which is in memory as well.
 */
static void cxm_uar_sq(struct cxm *m, struct cxm_uar *uar, u32 off,
		       const u8 *data, u32 len)
{
	u32 slot = (off - CX_UAR_SQ_DB) / CXM_SQ_DB_STRIDE;
	u32 at = CX_UAR_SQ_DB + slot * CXM_SQ_DB_STRIDE;
	u64 value;

	if (cxm_uar_join(off, at, data, len, &uar->sq_high[slot], &value))
		cxm_sq_doorbell(m, uar->obj.num, value);
}

/**
 * cxm_uar_write() - software writes to a UAR page
 * @m: the model
 * @index: of the page in BAR 0
 * @off: in the page
 * @data: as on the bus
 * @len: in bytes
 */
void cxm_uar_write(struct cxm *m, u32 index, u32 off, const u8 *data, u32 len)
{
	struct cxm_obj *obj = cxm_obj_find(m, CXM_UAR, index);
	struct cxm_uar *uar;
	u64 value;

	if (!obj) {
		if (cxm_obj_gone(m, CXM_UAR, index))
			cxm_violation(m, "doorbell 0x%x in UAR 0x%x, which is freed",
				      off, index);
		else
			cxm_warn(m, "doorbell 0x%x in UAR 0x%x, which is not allocated",
				 off, index);
		return;
	}
	uar = container_of(obj, struct cxm_uar, obj);
	if (off >= CX_UAR_SQ_DB) {
		cxm_uar_sq(m, uar, off, data, len);
	} else if ((off & ~4u) == CX_UAR_CQ_ARM) {
		if (cxm_uar_join(off, CX_UAR_CQ_ARM, data, len, &uar->cq_high,
				 &value))
			cxm_cq_arm(m, index, value);
	} else if ((off == CX_UAR_EQ_ARM || off == CX_UAR_EQ_CI) && len == 4) {
		cxm_eq_doorbell(m, index, cxm_load_be32(data),
				off == CX_UAR_EQ_ARM);
	} else {
		cxm_warn(m, "write of %u bytes at 0x%x of UAR 0x%x", len, off,
			 index);
	}
}
