// SPDX-License-Identifier: GPL-2.0-only
/*
 * Interrupts. The vector's address, data and mask are the bus's affair.
 */
#include "model.h"
#include "trace.h"
#include "transport.h"

/**
 * cxm_irq_raise() - raise an MSI-X vector
 * @m: the model
 * @vector: index in the MSI-X table
 */
void cxm_irq_raise(struct cxm *m, u32 vector)
{
	if (m->dead || !cxm_pci_bus_master(m))
		return;
	cxm_trace(m, "irq %u", vector);
	m->transport->ops->irq(m->transport, vector);
}
