// SPDX-License-Identifier: GPL-2.0-only
/*
 * PCI configuration space: a ConnectX-5 physical function with power
 * management, PCI Express, MSI-X and a serial number.
 */
#include <linux/pci_regs.h>
#include <string.h>

#include "model.h"
#include "trace.h"

#define CXM_CAP_PM	0x40
#define CXM_CAP_EXP	0x60
#define CXM_CAP_MSIX	0x9c
#define CXM_CAP_DSN	0x100
#define CXM_PCI_CLASS	0x0207		/* network, InfiniBand */
#define CXM_PCI_SUBSYS	0x0008

static void cxm_put16(u8 *cfg, u32 off, u16 v)
{
	cfg[off] = v & 0xff;
	cfg[off + 1] = v >> 8;
}

static void cxm_put32(u8 *cfg, u32 off, u32 v)
{
	cxm_put16(cfg, off, v & 0xffff);
	cxm_put16(cfg, off + 2, v >> 16);
}

static void cxm_pci_header(u8 *c, u8 *w)
{
	cxm_put16(c, PCI_VENDOR_ID, CX_PCI_VENDOR);
	cxm_put16(c, PCI_DEVICE_ID, CX_PCI_DEVICE);
	cxm_put16(c, PCI_STATUS, PCI_STATUS_CAP_LIST);
	cxm_put16(c, PCI_CLASS_DEVICE, CXM_PCI_CLASS);
	cxm_put16(c, PCI_SUBSYSTEM_VENDOR_ID, CX_PCI_VENDOR);
	cxm_put16(c, PCI_SUBSYSTEM_ID, CXM_PCI_SUBSYS);
	cxm_put32(c, PCI_BASE_ADDRESS_0, PCI_BASE_ADDRESS_MEM_TYPE_64 |
		  PCI_BASE_ADDRESS_MEM_PREFETCH);
	cxm_put32(c, PCI_BASE_ADDRESS_2, PCI_BASE_ADDRESS_MEM_TYPE_64 |
		  PCI_BASE_ADDRESS_MEM_PREFETCH);
	c[PCI_CAPABILITY_LIST] = CXM_CAP_PM;
	cxm_put16(w, PCI_COMMAND, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER |
		  PCI_COMMAND_INTX_DISABLE | PCI_COMMAND_SERR);
}

static void cxm_pci_cap_pm(u8 *c)
{
	c[CXM_CAP_PM] = PCI_CAP_ID_PM;
	c[CXM_CAP_PM + 1] = CXM_CAP_EXP;
	cxm_put16(c, CXM_CAP_PM + PCI_PM_PMC, 3);
	cxm_put16(c, CXM_CAP_PM + PCI_PM_CTRL, PCI_PM_CTRL_NO_SOFT_RESET);
}

static void cxm_pci_cap_exp(u8 *c, u8 *w)
{
	u8 *e = c + CXM_CAP_EXP;

	e[0] = PCI_CAP_ID_EXP;
	e[1] = CXM_CAP_MSIX;
	cxm_put16(e, PCI_EXP_FLAGS, 2 | PCI_EXP_TYPE_ENDPOINT << 4);
	/* 512 bytes of payload, role-based errors, function level reset */
	cxm_put32(e, PCI_EXP_DEVCAP, PCI_EXP_DEVCAP_FLR |
		  PCI_EXP_DEVCAP_RBER | 2);
	/* 8 GT/s, 16 lanes; the second version lists 2.5, 5 and 8 */
	cxm_put32(e, PCI_EXP_LNKCAP, PCI_EXP_LNKCAP_SLS_8_0GB | 16 << 4);
	cxm_put16(e, PCI_EXP_LNKSTA, PCI_EXP_LNKSTA_CLS_8_0GB | 16 << 4);
	cxm_put32(e, PCI_EXP_LNKCAP2, 0x0e);
	cxm_put16(w, CXM_CAP_EXP + PCI_EXP_DEVCTL, 0x7fff);
}

static void cxm_pci_cap_msix(u8 *c, u8 *w)
{
	u8 *x = c + CXM_CAP_MSIX;

	x[0] = PCI_CAP_ID_MSIX;
	x[1] = 0;
	cxm_put16(x, PCI_MSIX_FLAGS, CXM_MSIX_VECTORS - 1);
	cxm_put32(x, PCI_MSIX_TABLE, 2);
	cxm_put32(x, PCI_MSIX_PBA, CXM_BAR2_BYTES / 2 | 2);
	cxm_put16(w, CXM_CAP_MSIX + PCI_MSIX_FLAGS,
		  PCI_MSIX_FLAGS_ENABLE | PCI_MSIX_FLAGS_MASKALL);
}

/**
 * cxm_pci_init() - build configuration space
 * @m: the model
 */
void cxm_pci_init(struct cxm *m)
{
	u8 *c = m->pci.cfg, *w = m->pci.wmask;

	cxm_pci_header(c, w);
	cxm_pci_cap_pm(c);
	cxm_pci_cap_exp(c, w);
	cxm_pci_cap_msix(c, w);
	cxm_put32(c, CXM_CAP_DSN, PCI_EXT_CAP_ID_DSN | 1 << 16);
	cxm_put32(c, CXM_CAP_DSN + 4, m->cfg.guid & 0xffffffff);
	cxm_put32(c, CXM_CAP_DSN + 8, m->cfg.guid >> 32);
}

/**
 * cxm_pci_reset() - bring writable bits to their state after reset
 * @m: the model
 */
void cxm_pci_reset(struct cxm *m)
{
	u32 i;

	for (i = 0; i < CXM_PCI_CFG_BYTES; i++)
		m->pci.cfg[i] &= ~m->pci.wmask[i];
}

/**
 * cxm_pci_read() - read from configuration space
 * @m: the model
 * @off: in bytes, within the space
 * @buf: where to
 * @len: in bytes
 */
void cxm_pci_read(struct cxm *m, u64 off, void *buf, u32 len)
{
	if (m->dead)
		memset(buf, 0xff, len);
	else
		memcpy(buf, m->pci.cfg + off, len);
}

/* A guest's function level reset comes as nothing but this bit. */
static bool cxm_pci_is_flr(u64 off, const u8 *d, u32 len)
{
	u64 at = CXM_CAP_EXP + PCI_EXP_DEVCTL + 1;

	return off <= at && off + len > at &&
	       (d[at - off] & (PCI_EXP_DEVCTL_BCR_FLR >> 8));
}

/**
 * cxm_pci_write() - write to configuration space
 * @m: the model
 * @off: in bytes, within the space
 * @buf: what
 * @len: in bytes
 */
void cxm_pci_write(struct cxm *m, u64 off, const void *buf, u32 len)
{
	const u8 *d = buf;
	u8 *c = m->pci.cfg, *w = m->pci.wmask;
	u32 i;

	if (m->dead)
		return;
	for (i = 0; i < len; i++)
		c[off + i] = (c[off + i] & ~w[off + i]) | (d[i] & w[off + i]);
	if (cxm_pci_is_flr(off, d, len)) {
		cxm_trace(m, "function level reset");
		cxm_reset(m);
	}
}

/**
 * cxm_pci_bus_master() - may the function access memory and send interrupts?
 * @m: the model
 *
 * Return: true if software has enabled it.
 */
bool cxm_pci_bus_master(const struct cxm *m)
{
	return m->pci.cfg[PCI_COMMAND] & PCI_COMMAND_MASTER;
}
