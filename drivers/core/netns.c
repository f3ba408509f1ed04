// SPDX-License-Identifier: GPL-2.0-only
/*
 * Devices and network namespaces. In shared mode each namespace may use each
 * device; in exclusive mode a device belongs to one, the initial namespace at
 * first. A device that moves is taken from its clients and given back to them,
 * so that no file that was opened in the old namespace still reaches it.
 */
#include <linux/module.h>
#include <net/net_namespace.h>
#include "core_priv.h"

static bool shared = true;
module_param_named(netns_mode, shared, bool, 0444);
MODULE_PARM_DESC(netns_mode,
		 "share devices among network namespaces; default: 1 (shared)");

/* Namespaces besides the initial one */
static atomic_t others = ATOMIC_INIT(0);

bool ib_netns_shared(void)
{
	return READ_ONCE(shared);
}

/**
 * ib_device_visible() - may a network namespace use a device?
 * @device: the device
 * @net: the namespace
 *
 * Context: Any context.
 * Return: true in shared mode, or when the device is the namespace's.
 */
bool ib_device_visible(const struct ib_device *device, const struct net *net)
{
	return ib_netns_shared() || READ_ONCE(device->net) == net;
}
EXPORT_SYMBOL_IB(ib_device_visible);

/**
 * ib_netns_set_shared() - switch between shared and exclusive mode
 * @share: the new mode
 *
 * Context: Process context.
 * Return: 0, or -EBUSY while there are other namespaces than the initial one.
 */
int ib_netns_set_shared(bool share)
{
	int ret = 0;

	mutex_lock(&ib_registration_lock);
	if (share != shared) {
		if (atomic_read(&others))
			ret = ib_refuse(IB_LAYER_CORE, -EBUSY,
					"there are %llu more network namespaces",
					atomic_read(&others), 0);
		else
			WRITE_ONCE(shared, share);
	}
	mutex_unlock(&ib_registration_lock);
	return ret;
}

static void move(struct ib_device *device, struct net *net)
{
	lockdep_assert_held(&ib_registration_lock);
	ib_clients_remove(device);
	down_write(&ib_devices_lock);
	WRITE_ONCE(device->net, net);
	up_write(&ib_devices_lock);
	ib_clients_add(device);
}

/**
 * ib_device_set_net() - move a device to another network namespace
 * @device: a registered device
 * @from: where the caller found it
 * @to: where it goes; the device keeps no reference, ib_netns_leave() takes
 *      it back
 *
 * Context: Process context. Caller holds ib_registration_lock. Calls the
 * clients.
 * Return: 0 or a negative errno.
 */
int ib_device_set_net(struct ib_device *device, const struct net *from,
		      struct net *to)
{
	lockdep_assert_held(&ib_registration_lock);
	if (shared)
		return ib_refuse(IB_LAYER_CORE, -EOPNOTSUPP,
				 "in shared mode a device has no namespace",
				 0, 0);
	if (device->net != from)
		return ib_refuse(IB_LAYER_CORE, -ENODEV,
				 "device %llu is in another namespace",
				 device->index, 0);
	move(device, to);
	return 0;
}

void ib_netns_enter(struct net *net)
{
	if (net != &init_net)
		atomic_inc(&others);
}

/* The namespace ends: its devices go back to the initial one. */
void ib_netns_leave(struct net *net)
{
	struct ib_device *device;

	if (net == &init_net)
		return;
	mutex_lock(&ib_registration_lock);
	list_for_each_entry(device, &ib_devices, entry)
		if (device->net == net)
			move(device, &init_net);
	mutex_unlock(&ib_registration_lock);
	atomic_dec(&others);
}
