/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Configuration space and interrupts of the function.
 */
#ifndef CXM_PCI_H
#define CXM_PCI_H

#include "types.h"

#define CXM_PCI_CFG_BYTES	4096
#define CXM_MSIX_VECTORS	64
#define CXM_BAR2_BYTES		0x2000	/* MSI-X table, then pending bits */

struct cxm_pci {
	u8	cfg[CXM_PCI_CFG_BYTES];
	u8	wmask[CXM_PCI_CFG_BYTES];	/* bits software may change */
};

void cxm_pci_init(struct cxm *m);
void cxm_pci_reset(struct cxm *m);
void cxm_pci_read(struct cxm *m, u64 off, void *buf, u32 len);
void cxm_pci_write(struct cxm *m, u64 off, const void *buf, u32 len);
bool cxm_pci_bus_master(const struct cxm *m);

/* BAR 0 */
void cxm_bar0_read(struct cxm *m, u64 off, void *buf, u32 len);
void cxm_bar0_write(struct cxm *m, u64 off, const void *buf, u32 len);

/* Raise an MSI-X vector (edge). */
void cxm_irq_raise(struct cxm *m, u32 vector);

#endif /* CXM_PCI_H */
