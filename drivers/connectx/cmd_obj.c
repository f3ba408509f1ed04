// SPDX-License-Identifier: GPL-2.0-only
/*
 * Commands of objects that are little more than a number: protection domains,
 * doorbell pages, event queues, memory keys.
 */
#include <linux/log2.h>
#include <linux/math.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <kunit/static_stub.h>
#include <kunit/visibility.h>

#include <connectx/prm_cmd.h>
#include <connectx/prm_eqc.h>
#include <connectx/prm_mkc.h>

#include "cmd.h"
#include "cmd_wire.h"
#include "cmdq.h"
#include "cx.h"
#include "refuse.h"

/**
 * cx_cmd_alloc_pd - make a protection domain
 * @cx: the device
 * @pdn: result
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_cmd_alloc_pd(struct cx_dev *cx, u32 *pdn)
{
	struct cx_alloc_pd_out out = {};
	struct cx_cmd_in in = {};
	int ret;

	cx_cmd_in_set_opcode(&in, CX_CMD_ALLOC_PD);
	ret = cx_cmd_exec(cx, &in, sizeof(in), &out, sizeof(out));
	if (!ret)
		*pdn = cx_alloc_pd_out_get_pd(&out);
	return ret;
}

/**
 * cx_cmd_dealloc_pd - undo cx_cmd_alloc_pd()
 * @cx: the device
 * @pdn: its number
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_cmd_dealloc_pd(struct cx_dev *cx, u32 pdn)
{
	struct cx_dealloc_pd_in in = {};
	struct cx_cmd_out out = {};

	cx_cmd_set_op(&in, CX_CMD_DEALLOC_PD);
	cx_dealloc_pd_in_set_pd(&in, pdn);
	return cx_cmd_exec(cx, &in, sizeof(in), &out, sizeof(out));
}

/**
 * cx_cmd_alloc_xrcd - make an XRC domain
 * @cx: the device
 * @xrcdn: result
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_cmd_alloc_xrcd(struct cx_dev *cx, u32 *xrcdn)
{
	struct cx_alloc_xrcd_out out = {};
	struct cx_cmd_in in = {};
	int ret;

	cx_cmd_in_set_opcode(&in, CX_CMD_ALLOC_XRCD);
	ret = cx_cmd_exec(cx, &in, sizeof(in), &out, sizeof(out));
	if (!ret)
		*xrcdn = cx_alloc_xrcd_out_get_xrcd(&out);
	return ret;
}

/**
 * cx_cmd_dealloc_xrcd - undo cx_cmd_alloc_xrcd()
 * @cx: the device
 * @xrcdn: its number
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_cmd_dealloc_xrcd(struct cx_dev *cx, u32 xrcdn)
{
	struct cx_dealloc_xrcd_in in = {};
	struct cx_cmd_out out = {};

	cx_cmd_set_op(&in, CX_CMD_DEALLOC_XRCD);
	cx_dealloc_xrcd_in_set_xrcd(&in, xrcdn);
	return cx_cmd_exec(cx, &in, sizeof(in), &out, sizeof(out));
}

/**
 * cx_cmd_alloc_uar - get a doorbell page
 * @cx: the device
 * @index: result
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_cmd_alloc_uar(struct cx_dev *cx, u32 *index)
{
	struct cx_alloc_uar_out out = {};
	struct cx_cmd_in in = {};
	int ret;

	cx_cmd_in_set_opcode(&in, CX_CMD_ALLOC_UAR);
	ret = cx_cmd_exec(cx, &in, sizeof(in), &out, sizeof(out));
	if (!ret)
		*index = cx_alloc_uar_out_get_uar(&out);
	return ret;
}

/**
 * cx_cmd_dealloc_uar - undo cx_cmd_alloc_uar()
 * @cx: the device
 * @index: number of the page
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_cmd_dealloc_uar(struct cx_dev *cx, u32 index)
{
	struct cx_dealloc_uar_in in = {};
	struct cx_cmd_out out = {};

	cx_cmd_set_op(&in, CX_CMD_DEALLOC_UAR);
	cx_dealloc_uar_in_set_uar(&in, index);
	return cx_cmd_exec(cx, &in, sizeof(in), &out, sizeof(out));
}

/**
 * cx_cmd_create_eq - make an event queue
 * @cx: the device
 * @p: what it shall be
 * @number: result
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_cmd_create_eq(struct cx_dev *cx, const struct cx_eq_params *p,
		     u8 *number)
{
	const unsigned int page_shift = PAGE_SHIFT;
	size_t bytes = sizeof(struct cx_eqe) << p->log_size;
	unsigned int i, n = DIV_ROUND_UP(bytes, 1u << page_shift);
	struct cx_create_eq_in in = {};
	struct cx_create_eq_out out = {};
	__be64 events = cpu_to_be64(p->events);
	struct cx_eqc *eqc;
	__be64 *pages;
	int ret;

	pages = kcalloc(n, sizeof(*pages), GFP_KERNEL);
	if (!pages)
		return cx_refuse(-ENOMEM, "no memory to list %llu pages of an event queue",
				 n, 0);
	for (i = 0; i < n; i++)
		pages[i] = cpu_to_be64(p->addr + ((u64)i << page_shift));

	cx_cmd_set_op(&in, CX_CMD_CREATE_EQ);
	eqc = cx_create_eq_in_eq_context_entry(&in);
	cx_eqc_set_log_eq_size(eqc, p->log_size);
	cx_eqc_set_uar_page(eqc, p->uar);
	cx_eqc_set_intr(eqc, p->vector);
	cx_eqc_set_log_page_size(eqc, page_shift - CX_PAS_SHIFT_BASE);
	memcpy(cx_create_eq_in_event_bitmask(&in), &events, sizeof(events));
	ret = cx_cmd_exec_tail(cx, &in, sizeof(in), pages, n * sizeof(*pages),
			       &out, sizeof(out));
	if (!ret)
		*number = cx_create_eq_out_get_eq_number(&out);
	kfree(pages);
	return ret;
}

/**
 * cx_cmd_destroy_eq - undo cx_cmd_create_eq()
 * @cx: the device
 * @number: its number
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_cmd_destroy_eq(struct cx_dev *cx, u8 number)
{
	struct cx_eq_number_in in = {};
	struct cx_cmd_out out = {};

	cx_cmd_set_op(&in, CX_CMD_DESTROY_EQ);
	cx_eq_number_in_set_eq_number(&in, number);
	return cx_cmd_exec(cx, &in, sizeof(in), &out, sizeof(out));
}

/* The adapter wants local read of a key that work requests will fill. */
static void cx_mkc_fill_window(struct cx_mkc *mkc,
			       const struct cx_mkey_params *p)
{
	cx_mkc_set_free(mkc, 1);
	cx_mkc_set_umr_en(mkc, 1);
	cx_mkc_set_lr(mkc, 1);
	cx_mkc_set_access_mode_1_0(mkc, CX_MKC_KLM);
	cx_mkc_set_en_rinval(mkc, p->remote_invalidate);
	cx_mkc_set_translations_octword_size(mkc, p->klms);
	cx_mkc_set_qpn(mkc, CX_MKC_ANY_QPN);
	cx_mkc_set_mkey_7_0(mkc, p->variant);
	cx_mkc_set_pd(mkc, p->pdn);
}

/**
 * cx_mkc_fill_rights - write what may be done with a memory key
 * @mkc: its context
 * @p: what the key shall be
 *
 * Context: Any context.
 */
void cx_mkc_fill_rights(struct cx_mkc *mkc, const struct cx_mkey_params *p)
{
	cx_mkc_set_a(mkc, p->atomic);
	cx_mkc_set_rw(mkc, p->remote_write);
	cx_mkc_set_rr(mkc, p->remote_read);
	cx_mkc_set_lw(mkc, p->local_write);
	cx_mkc_set_lr(mkc, p->local_read);
	cx_mkc_set_relaxed_ordering_write(mkc, p->relaxed_order);
	cx_mkc_set_relaxed_ordering_read(mkc, p->relaxed_order);
}

/**
 * cx_mkc_fill - write the context of a memory key
 * @mkc: the context, zeroed
 * @p: what the key shall be
 *
 * Context: Any context.
 */
void cx_mkc_fill(struct cx_mkc *mkc, const struct cx_mkey_params *p)
{
	if (p->window) {
		cx_mkc_fill_window(mkc, p);
		return;
	}
	cx_mkc_fill_rights(mkc, p);
	cx_mkc_set_free(mkc, p->free);
	cx_mkc_set_qpn(mkc, CX_MKC_ANY_QPN);
	cx_mkc_set_mkey_7_0(mkc, p->variant);
	cx_mkc_set_pd(mkc, p->pdn);
	if (p->whole) {
		cx_mkc_set_access_mode_1_0(mkc, CX_MKC_PA);
		cx_mkc_set_length64(mkc, 1);
		return;
	}
	if (p->device_memory) {
		cx_mkc_set_access_mode_1_0(mkc, CX_MKC_MEMIC &
						CX_MKC_MODE_LOW_MASK);
		cx_mkc_set_access_mode_4_2(mkc, CX_MKC_MEMIC >>
						CX_MKC_MODE_LOW_BITS);
		cx_mkc_set_start_addr(mkc, p->start);
		cx_mkc_set_len(mkc, p->len);
		return;
	}
	cx_mkc_set_access_mode_1_0(mkc, p->keys ? CX_MKC_KSM : CX_MKC_MTT);
	cx_mkc_set_umr_en(mkc, 1);
	cx_mkc_set_start_addr(mkc, p->start);
	cx_mkc_set_len(mkc, p->len);
	cx_mkc_set_log_page_size(mkc, p->pas.page_shift);
	cx_mkc_set_translations_octword_size(mkc,
					     cx_mtt_octwords(max(p->pas.count,
								 p->room)));
}
EXPORT_SYMBOL_IF_KUNIT(cx_mkc_fill);

/**
 * cx_cmd_create_mkey - make a memory key
 * @cx: the device
 * @p: what it shall be; p->pas.pages must have room for an even count, the
 *	last of them zero if the count is odd
 * @mkey: result: the 32-bit key
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_cmd_create_mkey(struct cx_dev *cx, const struct cx_mkey_params *p,
		       u32 *mkey)
{
	bool mtt = !p->whole && !p->window && !p->device_memory;
	u32 octwords = mtt ? cx_mtt_octwords(p->pas.count) : 0;
	struct cx_create_mkey_out out = {};
	struct cx_create_mkey_in in = {};
	int ret;

	cx_cmd_set_op(&in, CX_CMD_CREATE_MKEY);
	cx_mkc_fill(cx_create_mkey_in_memory_key_mkey_entry(&in), p);
	cx_create_mkey_in_set_translations_octword_actual_size(&in, octwords);
	if (mtt)
		cx_create_mkey_in_set_pg_access(&in, cx->caps.pg);
	ret = cx_cmd_exec_tail(cx, &in, sizeof(in), p->pas.pages,
			       octwords * CX_MTT_PER_OCTWORD * sizeof(__be64),
			       &out, sizeof(out));
	if (!ret)
		*mkey = cx_mkey(cx_create_mkey_out_get_mkey_index(&out),
				p->variant);
	return ret;
}

/**
 * cx_cmd_destroy_mkey - undo cx_cmd_create_mkey()
 * @cx: the device
 * @mkey: the key
 *
 * Nobody reaches memory by the key any more when this returns.
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_cmd_destroy_mkey(struct cx_dev *cx, u32 mkey)
{
	struct cx_mkey_number_in in = {};
	struct cx_cmd_out out = {};

	KUNIT_STATIC_STUB_REDIRECT(cx_cmd_destroy_mkey, cx, mkey);
	cx_cmd_set_op(&in, CX_CMD_DESTROY_MKEY);
	cx_mkey_number_in_set_mkey_index(&in, mkey >> CX_MKEY_INDEX_SHIFT);
	return cx_cmd_exec(cx, &in, sizeof(in), &out, sizeof(out));
}
EXPORT_SYMBOL_IF_KUNIT(cx_cmd_destroy_mkey);
