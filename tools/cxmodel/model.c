// SPDX-License-Identifier: GPL-2.0-only
/*
 * The function as a whole: made, reset, gone.
 */
#include "model.h"
#include "trace.h"
#include "transport.h"

/**
 * cxm_reset() - bring the function to its state after power-on
 * @m: the model
 *
 * Software hears nothing: it asked for it. Planned faults stay planned.
 */
void cxm_reset(struct cxm *m)
{
	cxm_trace(m, "reset");
	cxm_obj_forget_all(m);
	m->odp = (struct cxm_odp){ 0 };
	cxm_wire_reset(m);
	cxm_cmdq_reset(m);
	cxm_caps_reset(m);
	cxm_port_reset(m);
	cxm_pci_reset(m);
	m->enabled = false;
	m->initialised = false;
	m->issi = 0;
}

/**
 * cxm_init() - make the function
 * @m: the model, zero but for its configuration
 *
 * Return: 0, or -1 if out of memory; then cxm_exit() is not called.
 */
int cxm_init(struct cxm *m)
{
	if (cxm_obj_init(m))
		goto err_obj;
	if (cxm_wire_init(m))
		goto err_obj;
	cxm_pci_init(m);
	cxm_reset(m);
	return 0;

err_obj:
	cxm_obj_exit(m);
	return -1;
}

/**
 * cxm_exit() - free all
 * @m: the model
 */
void cxm_exit(struct cxm *m)
{
	cxm_obj_exit(m);
	cxm_wire_exit(m);
	cxm_timers_exit(m);
	if (m->transport)
		m->transport->ops->destroy(m->transport);
}
