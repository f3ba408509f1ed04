// SPDX-License-Identifier: GPL-2.0-only
/*
 * Number spaces of the adapter's objects.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "memic.h"
#include "model.h"
#include "trace.h"

/* Marks a number whose object was destroyed. */
static struct cxm_obj cxm_obj_gone_mark;
#define CXM_OBJ_GONE	(&cxm_obj_gone_mark)

struct cxm_kind_desc {
	const char *name;
	u32	first;
	u32	count;
	void	(*forget)(struct cxm *m, struct cxm_obj *obj);
};

static void cxm_obj_free(struct cxm *m, struct cxm_obj *obj)
{
	(void)m;
	free(obj);
}

/*
 * Where numbers start: software gives a meaning to PD 0 and CQ 0 when it prints,
 * UARs may not overlay the initialisation segment, key index 0 and 1 hold the
 * reserved keys, SRQ 0 in a CQE means "no SRQ", QP 0 and 1 are the special ones.
 */
static const struct cxm_kind_desc cxm_kinds[CXM_KINDS] = {
	[CXM_PD]   = { "pd",   1, (1 << 16) - 1, cxm_obj_free },
	[CXM_UAR]  = { "uar",  CX_UAR_FIRST,
		       CXM_MEMIC_START / CX_UAR_PAGE_BYTES - CX_UAR_FIRST,
		       cxm_obj_free },
	[CXM_XRCD] = { "xrcd", 1, (1 << 16) - 1, cxm_obj_free },
	[CXM_TD]   = { "td",   1, (1 << 10) - 1, cxm_obj_free },
	[CXM_MKEY] = { "mkey", 0x100, (1 << 20) - 0x100, cxm_mkey_forget },
	[CXM_MEMIC] = { "memic", 1, CXM_MEMIC_PAGES, cxm_memic_forget },
	[CXM_EQ]   = { "eq",   1, 63, cxm_eq_forget },
	[CXM_CQ]   = { "cq",   1, (1 << 17) - 1, cxm_cq_forget },
	[CXM_QP]   = { "qp",   0x40, (1 << 18) - 0x40, cxm_qp_forget },
	[CXM_SRQ]  = { "srq",  1, (1 << 16) - 1, cxm_srq_forget },
};

/* Users before what they use. */
static const enum cxm_kind cxm_forget_order[CXM_KINDS] = {
	CXM_QP, CXM_SRQ, CXM_CQ, CXM_EQ, CXM_MKEY, CXM_MEMIC,
	CXM_XRCD, CXM_TD, CXM_UAR, CXM_PD,
};

/**
 * cxm_kind_name() - the name of a kind, as in the census
 * @kind: the kind
 *
 * Return: a constant string.
 */
const char *cxm_kind_name(enum cxm_kind kind)
{
	return cxm_kinds[kind].name;
}

/**
 * cxm_obj_init() - make the empty tables
 * @m: the model
 *
 * Return: 0, or -1 if out of memory.
 */
int cxm_obj_init(struct cxm *m)
{
	int kind;

	for (kind = 0; kind < CXM_KINDS; kind++) {
		struct cxm_table *t = &m->table[kind];

		t->size = cxm_kinds[kind].count;
		t->slot = calloc(t->size, sizeof(*t->slot));
		if (!t->slot)
			return -1;
	}
	return 0;
}

/**
 * cxm_obj_exit() - free objects and tables
 * @m: the model
 */
void cxm_obj_exit(struct cxm *m)
{
	int kind;

	cxm_obj_forget_all(m);
	for (kind = 0; kind < CXM_KINDS; kind++)
		free(m->table[kind].slot);
}

static bool cxm_slot_live(const struct cxm_table *t, u32 i)
{
	return t->slot[i] && t->slot[i] != CXM_OBJ_GONE;
}

/**
 * cxm_obj_add() - give an object its number
 * @m: the model
 * @kind: whose number space
 * @obj: the object, which becomes visible
 *
 * Return: CX_STATUS_OK, or CX_STATUS_LIM_ERR if all numbers are taken.
 */
int cxm_obj_add(struct cxm *m, enum cxm_kind kind, struct cxm_obj *obj)
{
	struct cxm_table *t = &m->table[kind];
	u32 i;

	if (t->live == t->size)
		return CX_STATUS_LIM_ERR;
	i = m->cfg.reuse ? 0 : t->next;
	while (cxm_slot_live(t, i))
		i = i + 1 == t->size ? 0 : i + 1;
	t->next = i + 1 == t->size ? 0 : i + 1;
	if (i >= t->top)
		t->top = i + 1;
	t->live++;
	t->slot[i] = obj;
	obj->kind = kind;
	obj->num = cxm_kinds[kind].first + i;
	obj->users = 0;
	return CX_STATUS_OK;
}

/**
 * cxm_obj_remove() - take the number back
 * @m: the model
 * @obj: the object; its memory stays the caller's
 *
 * Return: CX_STATUS_OK, or CX_STATUS_RES_BUSY while other objects name it.
 */
int cxm_obj_remove(struct cxm *m, struct cxm_obj *obj)
{
	struct cxm_table *t = &m->table[obj->kind];

	if (obj->users) {
		cxm_trace(m, "%s 0x%x: busy, %u users", cxm_kind_name(obj->kind),
			  obj->num, obj->users);
		return CX_STATUS_RES_BUSY;
	}
	t->slot[obj->num - cxm_kinds[obj->kind].first] = CXM_OBJ_GONE;
	t->live--;
	return CX_STATUS_OK;
}

static struct cxm_obj **cxm_obj_slot(struct cxm *m, enum cxm_kind kind, u32 num)
{
	u32 i = num - cxm_kinds[kind].first;

	return i < m->table[kind].top ? &m->table[kind].slot[i] : NULL;
}

/**
 * cxm_obj_find() - look an object up by number
 * @m: the model
 * @kind: the number space
 * @num: the number
 *
 * Return: the object, or NULL.
 */
struct cxm_obj *cxm_obj_find(struct cxm *m, enum cxm_kind kind, u32 num)
{
	struct cxm_obj **slot = cxm_obj_slot(m, kind, num);

	return slot && *slot != CXM_OBJ_GONE ? *slot : NULL;
}

/**
 * cxm_obj_gone() - was there such an object?
 * @m: the model
 * @kind: the number space
 * @num: the number
 *
 * Return: true if an object of this number was destroyed and none came after.
 */
bool cxm_obj_gone(struct cxm *m, enum cxm_kind kind, u32 num)
{
	struct cxm_obj **slot = cxm_obj_slot(m, kind, num);

	return slot && *slot == CXM_OBJ_GONE;
}

/**
 * cxm_obj_named() - look up what software named
 * @m: the model
 * @kind: the number space
 * @num: the number
 * @what: who asks, for the warning
 *
 * Return: the object, or NULL; a destroyed one is worth a warning.
 */
struct cxm_obj *cxm_obj_named(struct cxm *m, enum cxm_kind kind, u32 num,
			      const char *what)
{
	struct cxm_obj *obj = cxm_obj_find(m, kind, num);

	if (obj)
		return obj;
	if (cxm_obj_gone(m, kind, num))
		cxm_violation(m, "%s names %s 0x%x, which was destroyed", what,
			      cxm_kind_name(kind), num);
	else
		cxm_trace(m, "%s names %s 0x%x, which never was", what,
			  cxm_kind_name(kind), num);
	return NULL;
}

/**
 * cxm_obj_each() - visit all live objects of a kind
 * @m: the model
 * @kind: the kind
 * @fn: called on each, in order of numbers; may remove that object
 * @arg: handed to @fn
 */
void cxm_obj_each(struct cxm *m, enum cxm_kind kind,
		  void (*fn)(struct cxm *m, struct cxm_obj *obj, void *arg),
		  void *arg)
{
	struct cxm_table *t = &m->table[kind];
	u32 i;

	for (i = 0; t->live && i < t->top; i++)
		if (cxm_slot_live(t, i))
			fn(m, t->slot[i], arg);
}

/**
 * cxm_obj_forget_all() - drop all objects, as a reset of the function does
 * @m: the model
 */
void cxm_obj_forget_all(struct cxm *m)
{
	u32 i, k;

	for (k = 0; k < CXM_KINDS; k++) {
		enum cxm_kind kind = cxm_forget_order[k];
		struct cxm_table *t = &m->table[kind];

		for (i = 0; t->live && i < t->top; i++) {
			if (!cxm_slot_live(t, i))
				continue;
			cxm_kinds[kind].forget(m, t->slot[i]);
			t->slot[i] = NULL;
			t->live--;
		}
		if (t->top)
			memset(t->slot, 0, t->top * sizeof(*t->slot));
		t->top = 0;
		t->next = 0;
	}
}
