// SPDX-License-Identifier: GPL-2.0-only
/*
 * BAR 0: the initialisation segment, the UAR pages behind it, and device memory
 * at the end. All words but those of memory are big-endian on the bus.
 */
#include <string.h>

#include "memic.h"
#include "model.h"
#include "trace.h"
#include "uar.h"

#define CXM_FW_MAJOR	16
#define CXM_FW_MINOR	35
#define CXM_FW_SUB	4000
#define CXM_FW_REV	(CXM_FW_MINOR << 16 | CXM_FW_MAJOR)

static u32 cxm_iseg_read(struct cxm *m, u64 off)
{
	switch (off) {
	case CX_ISEG_FW_REV:
	case CX_ISEG_HEALTH_FW_VER:
		return CXM_FW_REV;
	case CX_ISEG_CMDIF_REV:
		return CX_CMDIF_REV << 16 | CXM_FW_SUB;
	case CX_ISEG_CMDQ_ADDR_H:
		return m->cmdq.addr_h;
	case CX_ISEG_CMDQ_ADDR_L:
		return cxm_cmdq_read_addr_l(m);
	case CX_ISEG_TIMER_H:
		return cxm_now_ns() >> 32;
	case CX_ISEG_TIMER_L:
		return cxm_now_ns() & 0xffffffff;
	case CX_ISEG_HEALTH_COUNTER:	/* alive: ten times a second */
		return cxm_now_ns() / 100000000;
	default:			/* initialised, healthy, no timeouts */
		return 0;
	}
}

static void cxm_iseg_write(struct cxm *m, u64 off, u32 v)
{
	switch (off) {
	case CX_ISEG_CMDQ_ADDR_H:
		cxm_cmdq_write_addr_h(m, v);
		break;
	case CX_ISEG_CMDQ_ADDR_L:
		cxm_cmdq_write_addr_l(m, v);
		break;
	case CX_ISEG_CMD_DBELL:
		cxm_cmdq_doorbell(m, v);
		break;
	default:
		cxm_warn(m, "write of 0x%x to read-only segment offset 0x%llx",
			 v, off);
	}
}

/**
 * cxm_bar0_read() - software reads registers
 * @m: the model
 * @off: in bytes, within the BAR
 * @buf: where to
 * @len: in bytes
 */
void cxm_bar0_read(struct cxm *m, u64 off, void *buf, u32 len)
{
	u8 *d = buf;
	u32 i;

	if (m->dead) {
		memset(buf, 0xff, len);
		return;
	}
	if (cxm_memic_is_at(off)) {
		cxm_memic_host_read(m, off, buf, len);
		return;
	}
	if (off >= CX_UAR_FIRST * CX_UAR_PAGE_BYTES)
		cxm_trace(m, "read of UAR 0x%llx", off);
	for (i = 0; i < len; i++) {
		u64 at = off + i;
		u32 v = at < CX_ISEG_BYTES ? cxm_iseg_read(m, at & ~3ull) : 0;

		d[i] = v >> (24 - 8 * (at & 3));
	}
}

/**
 * cxm_bar0_write() - software writes registers
 * @m: the model
 * @off: in bytes, within the BAR
 * @buf: what
 * @len: in bytes
 */
void cxm_bar0_write(struct cxm *m, u64 off, const void *buf, u32 len)
{
	const u8 *d = buf;
	__be32 v;
	u32 i;

	if (m->dead)
		return;
	if (cxm_memic_is_at(off)) {
		cxm_memic_host_write(m, off, d, len);
		return;
	}
	if (off >= CX_ISEG_BYTES) {
		cxm_uar_write(m, off / CX_UAR_PAGE_BYTES,
			      off % CX_UAR_PAGE_BYTES, d, len);
		return;
	}
	if (off % 4 || len % 4) {
		cxm_warn(m, "segment write of %u bytes at 0x%llx", len, off);
		return;
	}
	for (i = 0; i < len; i += 4) {
		memcpy(&v, d + i, sizeof(v));
		cxm_iseg_write(m, off + i, be32_to_cpu(v));
	}
}
