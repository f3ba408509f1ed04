// SPDX-License-Identifier: GPL-2.0-only
/*
 * The command queue. Software fills an entry and as many mailboxes as the
 * command needs, and rings. We fetch, execute, write the answer into the entry
 * and the output mailboxes, and give the entry back as the very last thing.
 *
 * Two layers of errors: the delivery status says that the command did not reach
 * its handler (bad pointers, lengths); the command's own status is part of the
 * answer.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "dma.h"
#include "eq.h"
#include "model.h"
#include "trace.h"

/* The largest: an mkey of a huge region in 4 KiB pages */
#define CXM_CMD_MAX_BYTES	(64u << 20)
#define CXM_CMDQ_PAGE		4096
#define CXM_CMD_MIN_OUT		8	/* status and syndrome */

void cxm_cmdq_reset(struct cxm *m)
{
	m->cmdq = (struct cxm_cmdq){ 0 };
}

void cxm_cmdq_write_addr_h(struct cxm *m, u32 value)
{
	m->cmdq.addr_h = value;
}

/* The low 12 bits are no address: a write with some set is a state change. */
void cxm_cmdq_write_addr_l(struct cxm *m, u32 value)
{
	struct cxm_cmdq *q = &m->cmdq;

	if (value % CXM_CMDQ_PAGE) {
		q->nic_ifc = value >> CX_NIC_IFC_SHIFT & CX_NIC_IFC_MASK;
		cxm_trace(m, "interface state %u", q->nic_ifc);
		return;
	}
	q->addr = (u64)q->addr_h << 32 | value;
	q->nic_ifc = CX_NIC_IFC_FULL;
	cxm_trace(m, "command queue at 0x%llx", q->addr);
}

u32 cxm_cmdq_read_addr_l(struct cxm *m)
{
	return (u32)m->cmdq.addr | m->cmdq.nic_ifc << CX_NIC_IFC_SHIFT |
	       CX_CMDQ_LOG_SIZE << CX_CMDQ_L_SIZE_SHIFT |
	       CX_CMDQ_LOG_STRIDE << CX_CMDQ_L_STRIDE_SHIFT;
}

/* Collect the input: 16 bytes from the entry, the rest from the mailboxes. */
static int cxm_cmdq_fetch(struct cxm *m, const struct cx_cmdq_entry *e,
			  u8 *in, u32 len)
{
	u32 done = sizeof(e->in) < len ? sizeof(e->in) : len;
	u64 addr = be64_to_cpu(e->in_ptr);
	struct cx_mailbox mb;
	u32 block;

	memcpy(in, e->in, done);
	for (block = 0; done < len; block++) {
		u32 n = min_u64(len - done, sizeof(mb.data));

		if (!addr || addr % CX_MAILBOX_ALIGN ||
		    !cxm_dma_read(m, addr, &mb, sizeof(mb)))
			return CX_DELIVERY_IN_PTR;
		if (be32_to_cpu(mb.block_num) != block)
			return CX_DELIVERY_BLOCK_NUM;
		if (mb.token != e->token)
			return CX_DELIVERY_TOKEN;
		memcpy(in + done, mb.data, n);
		done += n;
		addr = be64_to_cpu(mb.next);
	}
	return CX_DELIVERY_OK;
}

/* The reverse. A bad pointer is found when the command is already executed. */
static int cxm_cmdq_store(struct cxm *m, struct cx_cmdq_entry *e,
			  const u8 *out, u32 len)
{
	u32 done = sizeof(e->out) < len ? sizeof(e->out) : len;
	u64 addr = be64_to_cpu(e->out_ptr);
	struct cx_mailbox mb;

	memcpy(e->out, out, done);
	while (done < len) {
		u32 n = min_u64(len - done, sizeof(mb.data));

		if (!addr || addr % CX_MAILBOX_ALIGN ||
		    !cxm_dma_read(m, addr, &mb, sizeof(mb)))
			return CX_DELIVERY_OUT_PTR;
		memset(mb.data, 0, sizeof(mb.data));
		memcpy(mb.data, out + done, n);
		mb.token = e->token;
		if (!cxm_dma_write(m, addr, &mb, sizeof(mb)))
			return CX_DELIVERY_OUT_PTR;
		done += n;
		addr = be64_to_cpu(mb.next);
	}
	return CX_DELIVERY_OK;
}

static int cxm_cmd_run(struct cxm *m, struct cxm_cmd *c)
{
	int status = cxm_fault_cmd(m, c->opcode, &c->syndrome);

	if (status)
		return status;
	if (!c->desc) {
		cxm_warn(m, "unknown command 0x%03x op_mod 0x%x", c->opcode,
			 c->op_mod);
		return CX_STATUS_BAD_OP;
	}
	if (c->in_len < c->desc->min_in)
		return CX_STATUS_BAD_IN_LEN;
	if (c->out_len < c->desc->min_out)
		return CX_STATUS_BAD_OUT_LEN;
	return c->desc->handler(m, c);
}

/* Lay out input and answer, both at least as long as the handler relies on. */
static void cxm_cmd_execute(struct cxm *m, struct cxm_cmd *c)
{
	const struct cx_cmd_in *in = c->in;
	struct cx_cmd_out *out = c->out;
	int status;

	c->op_mod = cx_cmd_in_get_op_mod(in);
	c->uid = cx_cmd_in_get_uid(in);
	status = cxm_cmd_run(m, c);
	if (status)	/* nothing of a half-done answer gets out */
		memset(c->out, 0, c->out_len);
	cx_cmd_out_set_status(out, status);
	cx_cmd_out_set_syndrome(out, c->syndrome);
	m->cmdq.count++;
	cxm_trace(m, "cmd %s 0x%03x op_mod 0x%x in %u out %u -> 0x%x",
		  c->desc ? c->desc->name : "?", c->opcode, c->op_mod,
		  c->in_len, c->out_len, status);
}

static int cxm_cmdq_serve(struct cxm *m, struct cx_cmdq_entry *e)
{
	struct cxm_cmd c = {
		.in_len = be32_to_cpu(e->inlen),
		.out_len = be32_to_cpu(e->outlen),
	};
	u8 *in, *out;
	int ret;

	if (e->type != CX_CMD_TYPE_PCI)
		return CX_DELIVERY_DESCRIPTOR;
	if (c.in_len < sizeof(struct cx_cmd_in) || c.in_len > CXM_CMD_MAX_BYTES)
		return CX_DELIVERY_IN_LEN;
	if (c.out_len < CXM_CMD_MIN_OUT || c.out_len > CXM_CMD_MAX_BYTES)
		return CX_DELIVERY_OUT_LEN;
	c.opcode = cx_cmd_in_get_opcode((const void *)e->in);
	c.desc = cxm_cmd_find(c.opcode);
	in = calloc(1, c.in_len);
	out = calloc(1, c.out_len + sizeof(struct cx_cmd_out));
	c.in = in;
	c.out = out;
	ret = in && out ? cxm_cmdq_fetch(m, e, in, c.in_len) : CX_DELIVERY_FW;
	if (!ret) {
		cxm_cmd_execute(m, &c);
		ret = cxm_cmdq_store(m, e, out, c.out_len);
	}
	free(in);
	free(out);
	return ret;
}

/* True if the slot held a command that is finished now. */
static bool cxm_cmdq_slot(struct cxm *m, u32 slot)
{
	u64 addr = m->cmdq.addr + (slot << CX_CMDQ_LOG_STRIDE);
	struct cx_cmdq_entry e;
	int delivery;

	if (!cxm_dma_read(m, addr, &e, sizeof(e))) {
		cxm_warn(m, "command entry %u at 0x%llx is not readable", slot,
			 addr);
		return false;
	}
	if (!(e.status_own & CX_CMD_OWNER_HW)) {
		cxm_warn(m, "doorbell for entry %u, which is software's", slot);
		return false;
	}
	if (cxm_fault_once(m, CXM_FAULT_CMD_LOST))
		return false;
	delivery = cxm_cmdq_serve(m, &e);
	if (m->dead || !m->cmdq.addr)
		return false;
	if (delivery)
		cxm_warn(m, "command entry %u not delivered: 0x%x", slot,
			 delivery);
	e.status_own = delivery << CX_CMD_DELIVERY_SHIFT;
	return cxm_dma_publish(m, addr, &e, sizeof(e));
}

/**
 * cxm_cmdq_doorbell() - software has filled entries
 * @m: the model
 * @slots: a bit for each
 *
 * A command that creates the queue for command events is itself polled for, so
 * whether to send an event is decided before the command runs.
 */
void cxm_cmdq_doorbell(struct cxm *m, u32 slots)
{
	u32 slot;

	if (!m->cmdq.addr) {
		cxm_warn(m, "command doorbell 0x%x without a queue", slots);
		return;
	}
	for (slot = 0; slot < CX_CMDQ_SLOTS; slot++) {
		bool events = cxm_event_subscribed(m, CX_EVENT_CMD);

		if (slots & BIT(slot) && cxm_cmdq_slot(m, slot) && events &&
		    !cxm_fault_once(m, CXM_FAULT_CMD_EVENT_LOST))
			cxm_event_cmd(m, BIT(slot));
	}
}
