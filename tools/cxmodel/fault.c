// SPDX-License-Identifier: GPL-2.0-only
/*
 * Faults on demand: firmware commands that fail, answers that never come, a
 * device that dies.
 */
#include "cmd.h"
#include "fault.h"
#include "model.h"
#include "trace.h"

/**
 * cxm_fault_plan_cmd() - let a command fail
 * @m: the model
 * @fault: which, counted from now, and what it fails with
 *
 * Return: false if too many are planned already.
 */
bool cxm_fault_plan_cmd(struct cxm *m, struct cxm_fault fault)
{
	struct cxm_fault *f;

	for (f = m->faults.cmd; f < m->faults.cmd + CXM_FAULT_MAX; f++) {
		if (f->countdown)
			continue;
		*f = fault;
		return true;
	}
	return false;
}

/**
 * cxm_fault_cmd() - is this the command that shall fail?
 * @m: the model
 * @opcode: the command
 * @syndrome: set if so
 *
 * Context: once for every command, before it is executed.
 * Return: the status to fail with, CX_STATUS_OK for "go on".
 */
int cxm_fault_cmd(struct cxm *m, u16 opcode, u32 *syndrome)
{
	int status = CX_STATUS_OK;
	struct cxm_fault *f;

	for (f = m->faults.cmd; f < m->faults.cmd + CXM_FAULT_MAX; f++) {
		if (f->opcode && f->opcode != opcode)
			continue;
		if (!f->countdown || --f->countdown)
			continue;
		status = f->status;
		*syndrome = f->syndrome;
		cxm_trace(m, "fault: command fails with 0x%x", status);
	}
	return status;
}

static const char *const cxm_fault_names[CXM_FAULT_ONCE_KINDS] = {
	[CXM_FAULT_UMR_REFUSED] = "umr is refused",
	[CXM_FAULT_UMR_LOST] = "umr is lost",
	[CXM_FAULT_CMD_LOST] = "command is lost",
	[CXM_FAULT_CMD_EVENT_LOST] = "event of a command is lost",
};

/**
 * cxm_fault_once() - is this the one that a fault was planned for?
 * @m: the model
 * @kind: of the fault
 *
 * Context: once for everything that may have a fault of this kind.
 * Return: true if so.
 */
bool cxm_fault_once(struct cxm *m, enum cxm_fault_once kind)
{
	if (!m->faults.once[kind] || --m->faults.once[kind])
		return false;
	cxm_trace(m, "fault: %s", cxm_fault_names[kind]);
	return true;
}

/**
 * cxm_kill() - the device is gone: all-ones, no DMA, no interrupts
 * @m: the model
 */
void cxm_kill(struct cxm *m)
{
	cxm_trace(m, "killed");
	m->dead = true;
}
