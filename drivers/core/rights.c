// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who may do what to a network. A right over a device is one in the user
 * namespace of the network namespace that the device belongs to; a device that
 * all network namespaces share belongs to the initial one.
 */
#include <linux/capability.h>
#include <net/net_namespace.h>
#include "core_priv.h"

/* Q_Keys with the top bit set are for privileged users (IBTA 10.2.5). */
#define PRIVILEGED_QKEY		BIT(31)

/* The administrator lets everybody use such Q_Keys; written by netlink. */
bool ib_privileged_qkey;

static const struct net *net_of(const struct ib_device *device)
{
	return ib_netns_shared() ? &init_net : READ_ONCE(device->net);
}

/**
 * ib_may_send_raw() - may the caller send packets of any content?
 * @device: from where
 *
 * Context: Process context.
 * Return: true with CAP_NET_RAW.
 */
bool ib_may_send_raw(const struct ib_device *device)
{
	return ns_capable(net_of(device)->user_ns, CAP_NET_RAW);
}
EXPORT_SYMBOL_IB(ib_may_send_raw);

/**
 * ib_may_use_qkey() - may the caller give a queue pair this Q_Key?
 * @device: of the queue pair
 * @qkey: the key
 *
 * Context: Process context.
 * Return: true for a key of the lower half, with CAP_NET_RAW, or when the
 * administrator lets everybody.
 */
bool ib_may_use_qkey(const struct ib_device *device, u32 qkey)
{
	return !(qkey & PRIVILEGED_QKEY) || READ_ONCE(ib_privileged_qkey) ||
		ib_may_send_raw(device);
}
EXPORT_SYMBOL_IB(ib_may_use_qkey);
