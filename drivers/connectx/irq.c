// SPDX-License-Identifier: GPL-2.0-only
/*
 * Interrupt vectors. Vector 0 is for commands and asynchronous events, the
 * others for completions; with one vector alone all share it.
 */
#include <linux/cpumask.h>
#include <linux/minmax.h>
#include <linux/pci.h>

#include "cx.h"
#include "refuse.h"

#define CX_ASYNC_EQS	2	/* commands, everything else but page faults */

/**
 * cx_irq_init - get interrupt vectors
 * @cx: the device
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_irq_init(struct cx_dev *cx)
{
	unsigned int max_eqs = cx->caps.max_num_eqs ?: 1u << cx->caps.log_max_eq;
	unsigned int others = CX_ASYNC_EQS + cx->caps.odp;
	unsigned int comp;
	int n;

	if (max_eqs <= others)
		return cx_refuse(-ENODEV,
				 "%llu event queues, need more than %llu",
				 max_eqs, others);
	comp = min3(num_online_cpus(), max_eqs - others,
		    (unsigned int)CX_MAX_COMP_VECTORS);
	n = pci_alloc_irq_vectors(cx->pdev, 1, comp + 1, PCI_IRQ_MSIX);
	if (n < 0)
		return cx_refuse(n, "no MSI-X vectors, wanted %llu", comp + 1,
				 0);
	cx->num_vectors = n;
	cx->num_comp = max(n - 1, 1);
	return 0;
}

/**
 * cx_irq_exit - give the vectors back
 * @cx: the device
 *
 * Context: Process context. Sleeps.
 */
void cx_irq_exit(struct cx_dev *cx)
{
	pci_free_irq_vectors(cx->pdev);
	cx->num_vectors = 0;
}
