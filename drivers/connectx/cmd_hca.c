// SPDX-License-Identifier: GPL-2.0-only
/*
 * Commands that concern the function as a whole: start and stop, interface
 * step, capabilities, identity, memory of the firmware, registers.
 */
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <connectx/prm_cap.h>
#include <connectx/prm_cmd.h>
#include <connectx/prm_port.h>

#include "cmd.h"
#include "cmd_odp.h"
#include "cmdq.h"
#include "cx.h"
#include "memic.h"
#include "refuse.h"

#define CX_ISSI			1
#define CX_MAX_LOG_QP		18	/* memory the firmware sets aside */
#define CX_GID_TABLE_UNIT	8
#define CX_PKEY_TABLE_UNIT	128
#define CX_HOST_ENDIANNESS_LEN	16

/* A command that is nothing but its opcode and op_mod */
static int cx_cmd_plain(struct cx_dev *cx, u16 opcode, u16 op_mod)
{
	struct cx_cmd_out out = {};
	struct cx_cmd_in in = {};

	cx_cmd_in_set_opcode(&in, opcode);
	cx_cmd_in_set_op_mod(&in, op_mod);
	return cx_cmd_exec(cx, &in, sizeof(in), &out, sizeof(out));
}

/**
 * cx_cmd_enable_hca - wake the function
 * @cx: the device
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_cmd_enable_hca(struct cx_dev *cx)
{
	return cx_cmd_plain(cx, CX_CMD_ENABLE_HCA, 0);
}

/**
 * cx_cmd_disable_hca - undo cx_cmd_enable_hca()
 * @cx: the device
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_cmd_disable_hca(struct cx_dev *cx)
{
	return cx_cmd_plain(cx, CX_CMD_DISABLE_HCA, 0);
}

/**
 * cx_cmd_init_hca - start the function
 * @cx: the device
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_cmd_init_hca(struct cx_dev *cx)
{
	struct cx_init_hca_in in = {};
	struct cx_cmd_out out = {};

	cx_cmd_in_set_opcode((struct cx_cmd_in *)&in, CX_CMD_INIT_HCA);
	return cx_cmd_exec(cx, &in, sizeof(in), &out, sizeof(out));
}

/**
 * cx_cmd_teardown_hca - stop the function, in order
 * @cx: the device
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_cmd_teardown_hca(struct cx_dev *cx)
{
	return cx_cmd_plain(cx, CX_CMD_TEARDOWN_HCA, 0);
}

/**
 * cx_cmd_set_issi - agree on the interface step
 * @cx: the device
 *
 * Firmware that does not know the question speaks step 0, which we do not:
 * its shared receive queues are made by other commands.
 *
 * Context: Process context. Sleeps.
 * Return: 0, -ENODEV if step 1 is not supported, or a negative errno.
 */
int cx_cmd_set_issi(struct cx_dev *cx)
{
	struct cx_query_issi_out query = {};
	struct cx_set_issi_in set = {};
	struct cx_cmd_in in = {};
	struct cx_cmd_out out = {};
	int ret;

	cx_cmd_in_set_opcode(&in, CX_CMD_QUERY_ISSI);
	ret = cx_cmd_exec(cx, &in, sizeof(in), &query, sizeof(query));
	if (ret)
		return ret;
	if (!(cx_query_issi_out_get_supported_issi_dw0(&query) &
	      BIT(CX_ISSI)))
		return cx_refuse(-ENODEV, "firmware lacks interface step %llu",
				 CX_ISSI, 0);

	cx_cmd_in_set_opcode((struct cx_cmd_in *)&set, CX_CMD_SET_ISSI);
	cx_set_issi_in_set_current_issi(&set, CX_ISSI);
	ret = cx_cmd_exec(cx, &set, sizeof(set), &out, sizeof(out));
	if (!ret)
		cx->issi = CX_ISSI;
	return ret;
}

/**
 * cx_cmd_access_reg - read or write a register of the adapter
 * @cx: the device
 * @reg: enum cx_register
 * @op: enum cx_register_op
 * @data: the register, in wire order; on success what the device answered
 * @len: its length
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_cmd_access_reg(struct cx_dev *cx, u16 reg, u16 op, void *data,
		      size_t len)
{
	struct cx_access_register_in in = {};
	size_t outlen = sizeof(struct cx_access_register_out) + len;
	void *out;
	int ret;

	out = kzalloc(outlen, GFP_KERNEL);
	if (!out)
		return cx_refuse(-ENOMEM, "no memory to read register 0x%llx",
				 reg, 0);
	cx_cmd_in_set_opcode((struct cx_cmd_in *)&in, CX_CMD_ACCESS_REG);
	cx_cmd_in_set_op_mod((struct cx_cmd_in *)&in, op);
	cx_access_register_in_set_register_id(&in, reg);
	ret = cx_cmd_exec_tail(cx, &in, sizeof(in), data, len, out, outlen);
	if (!ret)
		memcpy(data, out + sizeof(struct cx_access_register_out), len);
	kfree(out);
	return ret;
}

/**
 * cx_cmd_set_host_endianness - say that the host is little-endian
 * @cx: the device
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_cmd_set_host_endianness(struct cx_dev *cx)
{
	u8 reg[CX_HOST_ENDIANNESS_LEN] = {};

#ifdef __BIG_ENDIAN
	reg[0] = 0x80;
#endif
	return cx_cmd_access_reg(cx, CX_REG_HOST_ENDIANNESS, CX_REG_WRITE, reg,
				 sizeof(reg));
}

/**
 * cx_cmd_query_cap - read a group of capabilities
 * @cx: the device
 * @group: enum cx_cap_group
 * @mode: enum cx_cap_mode
 * @out: CX_QUERY_HCA_CAP_OUT bytes; the group follows a struct cx_cmd_out
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_cmd_query_cap(struct cx_dev *cx, u16 group, u16 mode, void *out)
{
	struct cx_query_hca_cap_in in = {};

	memset(out, 0, CX_QUERY_HCA_CAP_OUT);
	cx_cmd_in_set_opcode((struct cx_cmd_in *)&in, CX_CMD_QUERY_HCA_CAP);
	cx_cmd_in_set_op_mod((struct cx_cmd_in *)&in, group << 1 | mode);
	return cx_cmd_exec(cx, &in, sizeof(in), out, CX_QUERY_HCA_CAP_OUT);
}

/**
 * cx_cmd_set_cap - choose in a group of capabilities
 * @cx: the device, before INIT_HCA
 * @group: enum cx_cap_group
 * @caps: the group, CX_CAP_BYTES
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_cmd_set_cap(struct cx_dev *cx, u16 group, const void *caps)
{
	struct cx_cmd_in in = {};
	struct cx_cmd_out out = {};

	cx_cmd_in_set_opcode(&in, CX_CMD_SET_HCA_CAP);
	cx_cmd_in_set_op_mod(&in, group << 1);
	return cx_cmd_exec_tail(cx, &in, sizeof(in), caps, CX_CAP_BYTES, &out,
				sizeof(out));
}

/* What we change in the capabilities that are in force */
static void cx_caps_choose(struct cx_hca_cap *cur,
			   const struct cx_hca_cap *max)
{
	cx_hca_cap_set_log_max_qp(cur, min_t(u32, CX_MAX_LOG_QP,
					     cx_hca_cap_get_log_max_qp(max)));
	cx_hca_cap_set_pkey_table_size(cur, 0);
	cx_hca_cap_set_cmdif_checksum(cur, 0);
	cx_hca_cap_set_log_uar_page_sz(cur, PAGE_SHIFT - 12);
	if (cx_hca_cap_get_roce(max))
		cx_hca_cap_set_roce(cur, 1);
}

static int cx_cmd_set_general_caps(struct cx_dev *cx, void *buf)
{
	struct cx_hca_cap *cap = buf + sizeof(struct cx_cmd_out);
	struct cx_hca_cap max;
	int ret;

	ret = cx_cmd_query_cap(cx, CX_CAP_GENERAL, CX_CAP_MAX, buf);
	if (ret)
		return ret;
	max = *cap;
	ret = cx_cmd_query_cap(cx, CX_CAP_GENERAL, CX_CAP_CUR, buf);
	if (ret)
		return ret;
	cx_caps_choose(cap, &max);
	return cx_cmd_set_cap(cx, CX_CAP_GENERAL, cap);
}

static int cx_cmd_set_atomic_caps(struct cx_dev *cx, void *buf)
{
	struct cx_atomic_cap *cap = buf + sizeof(struct cx_cmd_out);
	int ret;

	ret = cx_cmd_query_cap(cx, CX_CAP_ATOMIC, CX_CAP_CUR, buf);
	if (ret)
		return ret;
	if (!cx_atomic_cap_get_supported_req_8b_endianness_mode_1(cap))
		return 0;
	cx_atomic_cap_set_req_8b_endianness_mode(cap, 1);
	return cx_cmd_set_cap(cx, CX_CAP_ATOMIC, cap);
}

/**
 * cx_cmd_set_caps - choose among what the firmware offers
 * @cx: the device, before INIT_HCA
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_cmd_set_caps(struct cx_dev *cx)
{
	const struct cx_hca_cap *cap;
	bool atomic, pg;
	void *buf;
	int ret;

	buf = kvzalloc(CX_QUERY_HCA_CAP_OUT, GFP_KERNEL);
	if (!buf)
		return cx_refuse(-ENOMEM, "no memory to set capabilities", 0,
				 0);
	cap = buf + sizeof(struct cx_cmd_out);
	ret = cx_cmd_set_general_caps(cx, buf);
	atomic = cx_hca_cap_get_atomic(cap);
	pg = cx_hca_cap_get_pg(cap);
	if (!ret && atomic)
		ret = cx_cmd_set_atomic_caps(cx, buf);
	if (!ret && pg)
		ret = cx_cmd_set_odp_caps(cx, buf);
	kvfree(buf);
	return ret;
}

static void cx_caps_decode_sizes(struct cx_caps *c, const struct cx_hca_cap *h)
{
	c->log_max_qp = cx_hca_cap_get_log_max_qp(h);
	c->log_max_qp_sz = cx_hca_cap_get_log_max_qp_sz(h);
	c->log_max_cq = cx_hca_cap_get_log_max_cq(h);
	c->log_max_cq_sz = cx_hca_cap_get_log_max_cq_sz(h);
	c->log_max_srq = cx_hca_cap_get_log_max_srq(h);
	c->log_max_srq_sz = cx_hca_cap_get_log_max_srq_sz(h);
	c->log_max_eq = cx_hca_cap_get_log_max_eq(h);
	c->log_max_eq_sz = cx_hca_cap_get_log_max_eq_sz(h);
	c->log_max_mkey = cx_hca_cap_get_log_max_mkey(h);
	c->log_max_pd = cx_hca_cap_get_log_max_pd(h);
	c->log_max_xrcd = cx_hca_cap_get_log_max_xrcd(h);
	c->log_max_mcg = cx_hca_cap_get_log_max_mcg(h);
	c->log_max_msg = cx_hca_cap_get_log_max_msg(h);
	c->log_pg_sz = cx_hca_cap_get_log_pg_sz(h);
	c->log_max_klm_list_size = cx_hca_cap_get_log_max_klm_list_size(h);
	c->log_max_mrw_sz = cx_hca_cap_get_log_max_mrw_sz(h);
	c->log_max_ra_req_qp = cx_hca_cap_get_log_max_ra_req_qp(h);
	c->log_max_ra_res_qp = cx_hca_cap_get_log_max_ra_res_qp(h);
	c->log_bf_reg_size = cx_hca_cap_get_log_bf_reg_size(h);
	c->gid_table_len = CX_GID_TABLE_UNIT <<
			   min(cx_hca_cap_get_gid_table_size(h), 4u);
	c->pkey_table_len = CX_PKEY_TABLE_UNIT <<
			    min(cx_hca_cap_get_pkey_table_size(h), 5u);
	c->max_wqe_sz_sq = cx_hca_cap_get_max_wqe_sz_sq(h);
	c->max_wqe_sz_rq = cx_hca_cap_get_max_wqe_sz_rq(h);
	c->max_num_eqs = cx_hca_cap_get_max_num_eqs(h);
	c->max_qp_mcg = cx_hca_cap_get_max_qp_mcg(h);
}

static void cx_caps_decode_abilities(struct cx_caps *c,
				     const struct cx_hca_cap *h)
{
	c->port_type = cx_hca_cap_get_port_type(h);
	c->num_ports = cx_hca_cap_get_num_ports(h);
	c->cqe_version = cx_hca_cap_get_cqe_version(h);
	c->local_ca_ack_delay = cx_hca_cap_get_local_ca_ack_delay(h);
	c->stat_rate_support = cx_hca_cap_get_stat_rate_support(h);
	c->device_frequency_khz = cx_hca_cap_get_device_frequency_khz(h);
	c->page_request_disable = cx_hca_cap_get_page_request_disable(h);
	c->ib_virt = cx_hca_cap_get_ib_virt(h);
	c->roce = cx_hca_cap_get_roce(h);
	c->xrc = cx_hca_cap_get_xrc(h);
	c->imaicl = cx_hca_cap_get_imaicl(h);
	c->pg = cx_hca_cap_get_pg(h);
	c->apm = cx_hca_cap_get_apm(h);
	c->qkv = cx_hca_cap_get_qkv(h);
	c->pkv = cx_hca_cap_get_pkv(h);
	c->block_lb_mc = cx_hca_cap_get_block_lb_mc(h);
	c->cd = cx_hca_cap_get_cd(h);
	c->sho = cx_hca_cap_get_sho(h);
	c->cq_resize = cx_hca_cap_get_cq_resize(h);
	c->cq_moderation = cx_hca_cap_get_cq_moderation(h);
	c->bf = cx_hca_cap_get_bf(h);
	c->uar_4k = cx_hca_cap_get_uar_4k(h);
	c->sctr_data_cqe = cx_hca_cap_get_sctr_data_cqe(h);
	c->umr_modify_atomic_disabled =
		cx_hca_cap_get_umr_modify_atomic_disabled(h);
	c->umr_sizes = !cx_hca_cap_get_umr_modify_entity_size_disabled(h);
	c->umr_far = cx_hca_cap_get_umr_extended_translation_offset(h);
	c->umr_order_write = cx_hca_cap_get_relaxed_ordering_write_umr(h);
	c->umr_order_read = cx_hca_cap_get_relaxed_ordering_read_umr(h);
	c->relaxed_ordering_write = cx_hca_cap_get_relaxed_ordering_write(h);
	c->relaxed_ordering_read = cx_hca_cap_get_relaxed_ordering_read(h);
}

static void cx_caps_decode_atomic(struct cx_caps *c,
				  const struct cx_atomic_cap *a)
{
	c->atomic_operations = cx_atomic_cap_get_atomic_operations(a);
	c->atomic_size_qp = cx_atomic_cap_get_atomic_size_qp(a);
	c->atomic_host_endian = cx_atomic_cap_get_req_8b_endianness_mode(a);
}

static void cx_caps_decode_memic(struct cx_dev *cx,
				 const struct cx_device_mem_cap *d)
{
	struct cx_caps *c = &cx->caps;
	u64 start = cx_device_mem_cap_get_memic_bar_start_addr(d);
	u32 bytes = cx_device_mem_cap_get_memic_bar_size(d);

	if (!cx_device_mem_cap_get_memic(d))
		return;
	c->memic_pages = cx_memic_page_count(start, bytes, cx->bar_len);
	if (!c->memic_pages) {
		dev_warn(cx->dev, "device memory of 0x%x bytes at 0x%llx is not in the BAR\n",
			 bytes, start);
		return;
	}
	c->memic_start = start;
	c->memic_bytes = cx_device_mem_cap_get_max_memic_size(d);
	c->memic_log_align =
		cx_device_mem_cap_get_log_max_memic_addr_alignment(d);
}

static int cx_cmd_query_more_caps(struct cx_dev *cx, void *buf)
{
	void *cap = buf + sizeof(struct cx_cmd_out);
	bool memory = cx_hca_cap_get_device_memory(cap);
	int ret;

	if (cx_hca_cap_get_atomic(cap)) {
		ret = cx_cmd_query_cap(cx, CX_CAP_ATOMIC, CX_CAP_CUR, buf);
		if (ret)
			return ret;
		cx_caps_decode_atomic(&cx->caps, cap);
	}
	if (memory) {
		ret = cx_cmd_query_cap(cx, CX_CAP_DEV_MEM, CX_CAP_CUR, buf);
		if (ret)
			return ret;
		cx_caps_decode_memic(cx, cap);
	}
	return cx->caps.odp ? cx_cmd_query_odp_caps(cx, buf) : 0;
}

/**
 * cx_cmd_query_caps - learn what the firmware can do
 * @cx: the device, after INIT_HCA; fills cx->caps
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_cmd_query_caps(struct cx_dev *cx)
{
	void *buf, *cap;
	int ret;

	buf = kvzalloc(CX_QUERY_HCA_CAP_OUT, GFP_KERNEL);
	if (!buf)
		return cx_refuse(-ENOMEM, "no memory to read capabilities", 0,
				 0);
	cap = buf + sizeof(struct cx_cmd_out);
	ret = cx_cmd_query_cap(cx, CX_CAP_GENERAL, CX_CAP_CUR, buf);
	if (!ret) {
		cx_caps_decode_sizes(&cx->caps, cap);
		cx_caps_decode_abilities(&cx->caps, cap);
		cx_odp_caps_decode(&cx->caps, cap);
		ret = cx_cmd_query_more_caps(cx, buf);
	}
	kvfree(buf);
	return ret;
}

/**
 * cx_cmd_query_adapter - learn who made the board
 * @cx: the device; fills cx->board
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_cmd_query_adapter(struct cx_dev *cx)
{
	struct cx_query_adapter_out out = {};
	struct cx_cmd_in in = {};
	struct cx_adapter_block *block;
	int ret;

	cx_cmd_in_set_opcode(&in, CX_CMD_QUERY_ADAPTER);
	ret = cx_cmd_exec(cx, &in, sizeof(in), &out, sizeof(out));
	if (ret)
		return ret;
	block = cx_query_adapter_out_query_adapter_struct(&out);
	cx->board.vendor_id = cx_adapter_block_get_ieee_vendor_id(block);
	memcpy(cx->board.psid, cx_adapter_block_vsd_contd_psid(block),
	       CX_PSID_BYTES);
	return 0;
}

/**
 * cx_cmd_query_pages - ask how many pages the firmware wants
 * @cx: the device
 * @stage: enum cx_query_pages_op
 * @function: result: on whose behalf
 * @n: result: how many, negative if it has too many
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_cmd_query_pages(struct cx_dev *cx, u16 stage, u16 *function, s32 *n)
{
	struct cx_query_pages_out out = {};
	struct cx_cmd_in in = {};
	int ret;

	cx_cmd_in_set_opcode(&in, CX_CMD_QUERY_PAGES);
	cx_cmd_in_set_op_mod(&in, stage);
	ret = cx_cmd_exec(cx, &in, sizeof(in), &out, sizeof(out));
	if (ret)
		return ret;
	*function = cx_query_pages_out_get_function_id(&out);
	*n = cx_query_pages_out_get_num_pages(&out);
	return 0;
}

static void cx_manage_pages_begin(struct cx_manage_pages_in *in, u16 op,
				  u16 function, u32 n)
{
	cx_cmd_in_set_opcode((struct cx_cmd_in *)in, CX_CMD_MANAGE_PAGES);
	cx_cmd_in_set_op_mod((struct cx_cmd_in *)in, op);
	cx_manage_pages_in_set_function_id(in, function);
	cx_manage_pages_in_set_input_num_entries(in, n);
}

/**
 * cx_cmd_give_pages - lend pages to the firmware
 * @cx: the device
 * @function: on whose behalf
 * @pages: DMA addresses
 * @n: how many
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_cmd_give_pages(struct cx_dev *cx, u16 function, const __be64 *pages,
		      u32 n)
{
	struct cx_manage_pages_in in = {};
	struct cx_manage_pages_out out = {};

	cx_manage_pages_begin(&in, CX_PAGES_GIVE, function, n);
	return cx_cmd_exec_tail(cx, &in, sizeof(in), pages, n * sizeof(*pages),
				&out, sizeof(out));
}

/**
 * cx_cmd_cannot_give_pages - tell the firmware that there is no memory
 * @cx: the device
 * @function: on whose behalf
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_cmd_cannot_give_pages(struct cx_dev *cx, u16 function)
{
	struct cx_manage_pages_in in = {};
	struct cx_manage_pages_out out = {};

	cx_manage_pages_begin(&in, CX_PAGES_CANT_GIVE, function, 0);
	return cx_cmd_exec(cx, &in, sizeof(in), &out, sizeof(out));
}

/**
 * cx_cmd_take_pages - take pages back from the firmware
 * @cx: the device
 * @function: on whose behalf
 * @pages: room for @n addresses; result
 * @n: how many at most; result: how many came back
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_cmd_take_pages(struct cx_dev *cx, u16 function, __be64 *pages, u32 *n)
{
	struct cx_manage_pages_in in = {};
	struct cx_manage_pages_out *out;
	size_t outlen = sizeof(*out) + *n * sizeof(*pages);
	u32 got;
	int ret;

	out = kvzalloc(outlen, GFP_KERNEL);
	if (!out)
		return cx_refuse(-ENOMEM, "no memory to take %llu pages back",
				 *n, 0);
	cx_manage_pages_begin(&in, CX_PAGES_TAKE, function, *n);
	ret = cx_cmd_exec(cx, &in, sizeof(in), out, outlen);
	if (ret)
		goto out_free;
	got = cx_manage_pages_out_get_output_num_entries(out);
	if (got > *n) {
		ret = cx_refuse(-EIO,
				"firmware gave %llu pages back, asked for %llu",
				got, *n);
		goto out_free;
	}
	memcpy(pages, out + 1, got * sizeof(*pages));
	*n = got;

out_free:
	kvfree(out);
	return ret;
}
