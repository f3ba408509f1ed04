/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Flows: which packets of a port go to a queue pair, and what is done to
 * them on the way.
 */
#ifndef IB_FLOW_H
#define IB_FLOW_H

#include <ib/object.h>
#include <ib/types.h>

struct ib_counters;
struct ib_flow_action;

#define IB_FLOW_MAX_SPECS	10

enum ib_flow_type {
	IB_FLOW_NORMAL = 0,
	IB_FLOW_ALL_DEFAULT = 1,	/* what no flow wants */
	IB_FLOW_MC_DEFAULT = 2,		/* multicasts that no flow wants */
	IB_FLOW_SNIFFER = 3,		/* a copy of everything */
};

enum ib_flow_flags {
	IB_FLOW_DONT_TRAP = BIT(1),	/* go on with other flows */
	IB_FLOW_EGRESS = BIT(2),
};

#define IB_FLOW_FLAGS_END	BIT(3)

/* The numbers are user ABI (libibverbs: enum ibv_flow_spec_type). */
enum ib_flow_spec_type {
	IB_FLOW_SPEC_ETH = 0x20,
	IB_FLOW_SPEC_IPV4 = 0x30,
	IB_FLOW_SPEC_IPV6 = 0x31,
	IB_FLOW_SPEC_ESP = 0x34,
	IB_FLOW_SPEC_TCP = 0x40,
	IB_FLOW_SPEC_UDP = 0x41,
	IB_FLOW_SPEC_VXLAN = 0x50,
	IB_FLOW_SPEC_GRE = 0x51,
	IB_FLOW_SPEC_MPLS = 0x60,
	IB_FLOW_SPEC_INNER = 0x100,	/* a bit: inside of a tunnel */
	IB_FLOW_SPEC_TAG = 0x1000,	/* from here on: what to do */
	IB_FLOW_SPEC_DROP = 0x1001,
	IB_FLOW_SPEC_ACTION = 0x1002,
	IB_FLOW_SPEC_COUNT = 0x1003,
};

union ib_flow_filter {
	struct ib_uverbs_flow_eth_filter	eth;
	struct ib_uverbs_flow_ipv4_filter	ipv4;
	struct ib_uverbs_flow_ipv6_filter	ipv6;
	struct ib_uverbs_flow_spec_esp_filter	esp;
	struct ib_uverbs_flow_tcp_udp_filter	tcp_udp;
	struct ib_uverbs_flow_tunnel_filter	tunnel;
	struct ib_uverbs_flow_gre_filter	gre;
	struct ib_uverbs_flow_mpls_filter	mpls;
};

/**
 * struct ib_flow_spec - a header to match, or something to do
 * @type: enum ib_flow_spec_type, headers perhaps with IB_FLOW_SPEC_INNER
 * @val: headers: what the fields must be
 * @mask: headers: which bits of them count
 * @tag: IB_FLOW_SPEC_TAG: number for the completion
 * @action: IB_FLOW_SPEC_ACTION
 * @counters: IB_FLOW_SPEC_COUNT
 */
struct ib_flow_spec {
	u32	type;
	union {
		struct {
			union ib_flow_filter	val;
			union ib_flow_filter	mask;
		};
		u32			tag;
		struct ib_flow_action	*action;
		struct ib_counters	*counters;
	};
};

/**
 * struct ib_flow_attr - what a new flow shall be
 * @type: enum ib_flow_type
 * @priority: lower numbers are asked first
 * @flags: enum ib_flow_flags
 * @port: where packets come in
 * @num_specs: entries of @specs
 * @specs: from the outer header to the inner ones
 */
struct ib_flow_attr {
	u32			type;
	u16			priority;
	u32			flags;
	u32			port;
	unsigned int		num_specs;
	struct ib_flow_spec	specs[] __counted_by(num_specs);
};

/**
 * struct ib_flow - flow
 * @obj: base
 * @qp: gets the packets
 * @used: actions and counters of its specs
 * @num_used: how many there are
 */
struct ib_flow {
	struct ib_object	obj;
	struct ib_qp		*qp;
	struct ib_object	*used[IB_FLOW_MAX_SPECS];
	unsigned int		num_used;
};

/* Something to do to a packet; made by methods of the driver only. */
struct ib_flow_action {
	struct ib_object	obj;
};

struct ib_flow *ib_create_flow(struct ib_qp *qp,
			       const struct ib_flow_attr *attr,
			       struct ib_udata *udata);
int ib_destroy_flow(struct ib_flow *flow);

struct ib_flow_action *ib_alloc_flow_action(struct ib_device *device);
int ib_destroy_flow_action(struct ib_flow_action *action);

#endif /* IB_FLOW_H */
