/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One PCI function of the modelled adapter: all of its state hangs off
 * struct cxm. Everything runs in one thread, in the loop; nothing blocks.
 */
#ifndef CXM_MODEL_H
#define CXM_MODEL_H

#include <stdio.h>

#include "caps.h"
#include "cmdq.h"
#include "fault.h"
#include "memic.h"
#include "obj.h"
#include "odp.h"
#include "pci.h"
#include "port.h"
#include "timer.h"
#include "types.h"

struct cxm_wire;

struct cxm_config {
	const char	*socket;
	const char	*control;
	const char	*trace;		/* file, "-" standard error */
	const char	*mem;		/* guest memory of the test transport */
	u64		guid;		/* of the node; the port's is one more */
	u16		lid;
	u16		index;		/* of this function, 0-based */
	const struct cxm_profile *profile;
	bool		check;		/* look for what real adapters do not */
	bool		reuse;		/* hand destroyed numbers out at once */
	bool		stay;		/* serve the next client */
	u64		max_timeout_ns;	/* cap of a QP's ack timeout, 0 = none */
};

struct cxm {
	struct cxm_config	cfg;
	struct cxm_transport	*transport;
	FILE			*trace_file;	/* NULL: tracing is off */
	u64			warnings;
	u64			violations;	/* cfg.check */
	bool			stop;		/* leave the loop */
	bool			dead;		/* killed */
	bool			enabled;	/* ENABLE_HCA */
	bool			initialised;	/* INIT_HCA */
	u16			issi;
	struct cxm_pci		pci;
	struct cxm_cmdq		cmdq;
	struct cxm_caps		caps;
	struct cxm_port		port;
	struct cxm_faults	faults;
	struct cxm_timers	timers;
	struct cxm_table	table[CXM_KINDS];
	struct cxm_odp		odp;
	struct cxm_memic_bar	memic;
	struct cxm_wire		*wire;		/* wire.c's own state */
};

int cxm_init(struct cxm *m);
void cxm_exit(struct cxm *m);

/* Everything a reset of the function forgets: all but cfg and the transport. */
void cxm_reset(struct cxm *m);

/* Serve transport, control socket and timers until ->stop. 0 or an errno. */
struct cxm_control;
int cxm_loop(struct cxm *m, struct cxm_control *control);

/* wire.c: private state (multicast groups, packets on their way) */
int cxm_wire_init(struct cxm *m);
void cxm_wire_reset(struct cxm *m);
void cxm_wire_exit(struct cxm *m);

#endif /* CXM_MODEL_H */
