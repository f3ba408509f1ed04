// SPDX-License-Identifier: GPL-2.0-only
/*
 * Faults on demand: firmware commands that fail, a device that dies.
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

/**
 * cxm_fault_umr() - is this the request that shall be refused?
 * @m: the model
 *
 * Context: once for every UMR request, before it is executed.
 * Return: true if so.
 */
bool cxm_fault_umr(struct cxm *m)
{
	if (!m->faults.umr || --m->faults.umr)
		return false;
	cxm_trace(m, "fault: umr is refused");
	return true;
}

/**
 * cxm_fault_lose_umr() - is this the request that nothing comes of?
 * @m: the model
 *
 * Context: once for every UMR request, before it is executed.
 * Return: true if so: it is not executed, and its queue pair is stuck.
 */
bool cxm_fault_lose_umr(struct cxm *m)
{
	if (!m->faults.lose_umr || --m->faults.lose_umr)
		return false;
	cxm_trace(m, "fault: umr is lost");
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
