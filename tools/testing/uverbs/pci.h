/* SPDX-License-Identifier: GPL-2.0-only */
/* The PCI function behind the first RDMA device; 0 or a positive errno. */
#ifndef UVERBS_PCI_H
#define UVERBS_PCI_H

int pci_find(void);	/* first of all, while the driver is bound */
int pci_unbind(void);
int pci_reset(void);	/* power-on state, whatever was done to the adapter */
int pci_bind(void);	/* returns when the device file is there again */

#endif /* UVERBS_PCI_H */
