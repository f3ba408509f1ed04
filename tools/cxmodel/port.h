/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The InfiniBand port, active and with a LID from the start: no subnet manager.
 */
#ifndef CXM_PORT_H
#define CXM_PORT_H

#include "types.h"
#include <connectx/prm_port.h>

#define CXM_PORT_GIDS	8
#define CXM_PORT_PKEYS	128

struct cxm_port {
	enum cx_port_state state;
	u16	lid;
	u16	sm_lid;
	u32	cap_mask1;
	u64	node_guid;
	u64	port_guid;
	u8	gid[CXM_PORT_GIDS][16];
	u16	pkey[CXM_PORT_PKEYS];
	u8	node_desc[CX_NODE_DESC_BYTES];
	u64	tx_packets;	/* counted by wire.c */
	u64	rx_packets;
	u64	tx_bytes;
	u64	rx_bytes;
};

void cxm_port_reset(struct cxm *m);

/* Link up or down, with the event software expects. */
void cxm_port_set(struct cxm *m, bool up);

#endif /* CXM_PORT_H */
