// SPDX-License-Identifier: GPL-2.0-only
/*
 * Devices: made by a driver, registered, found by clients and by netlink.
 *
 * A device that is registered answers; a device that is dead (the adapter
 * fell off the bus, its firmware stopped) stays registered until the driver
 * unregisters it, but refuses all that would need the adapter.
 */
#include <kunit/visibility.h>
#include <linux/idr.h>
#include <linux/slab.h>
#include <linux/wait_bit.h>
#include <net/net_namespace.h>
#include "core_priv.h"

/* serialises registration; see core_priv.h */
DEFINE_MUTEX(ib_registration_lock);
EXPORT_SYMBOL_IF_KUNIT(ib_registration_lock);
DECLARE_RWSEM(ib_devices_lock);
LIST_HEAD(ib_devices);

static DEFINE_IDA(indexes);

static void device_release(struct device *dev)
{
	struct ib_device *device = container_of(dev, struct ib_device, dev);

	ib_ports_free(device);
	ib_restrack_free(device);
	xa_destroy(&device->client_data);
	kfree(device);
}

/**
 * ib_alloc_device() - memory for a device
 * @size: of the driver's structure, struct ib_device is its first member
 * @ops: what the driver does; lives as long as the device
 * @parent: device on the bus, also assumed to do the DMA
 *
 * Context: Process context.
 * Return: the device, to be filled and registered, or NULL.
 */
struct ib_device *ib_alloc_device(size_t size, const struct ib_device_ops *ops,
				  struct device *parent)
{
	struct ib_device *device;

	if (size < sizeof(*device))
		return NULL;
	device = kzalloc(size, GFP_KERNEL);
	if (!device)
		return NULL;

	device->ops = ops;
	device->dma_device = parent;
	device->node_type = IB_NODE_CA;
	device->net = &init_net;
	init_rwsem(&device->unreg_lock);
	init_rwsem(&device->event_lock);
	mutex_init(&device->client_lock);
	xa_init(&device->client_data);
	INIT_LIST_HEAD(&device->event_handlers);
	INIT_LIST_HEAD(&device->entry);
	ib_restrack_init(device);

	device_initialize(&device->dev);
	device->dev.class = &ib_class;
	device->dev.parent = parent;
	device->dev.release = device_release;
	return device;
}
EXPORT_SYMBOL_IB(ib_alloc_device);

/**
 * ib_dealloc_device() - give back a device that is not registered
 * @device: the device
 *
 * Context: Process context.
 */
void ib_dealloc_device(struct ib_device *device)
{
	put_device(&device->dev);
}
EXPORT_SYMBOL_IB(ib_dealloc_device);

struct ib_device *__ib_device_by_index(const struct net *net, u32 index)
{
	struct ib_device *device;

	lockdep_assert_held(&ib_devices_lock);
	list_for_each_entry(device, &ib_devices, entry)
		if (device->index == index)
			return ib_device_visible(device, net) ? device : NULL;
	return NULL;
}

/**
 * ib_device_use() - find a device in order to ask it
 * @net: namespace of the asker
 * @index: of the device
 *
 * The list is not locked meanwhile: the adapter may take its time to answer.
 * The device's unregistration waits.
 *
 * Context: Process context. Takes and releases ib_devices_lock.
 * Return: the device, until ib_device_unuse(); or NULL.
 */
struct ib_device *ib_device_use(const struct net *net, u32 index)
{
	struct ib_device *device;

	down_read(&ib_devices_lock);
	device = __ib_device_by_index(net, index);
	if (device)
		atomic_inc(&device->users);
	up_read(&ib_devices_lock);
	return device;
}

/**
 * ib_device_use_next() - the same, one after the other
 * @net: namespace of the asker
 * @n: how many of the list to skip; set to how many there are up to the result
 *
 * Context: as ib_device_use().
 * Return: the device, until ib_device_unuse(); or NULL.
 */
struct ib_device *ib_device_use_next(const struct net *net, long *n)
{
	struct ib_device *device, *found = NULL;
	long at = 0;

	down_read(&ib_devices_lock);
	list_for_each_entry(device, &ib_devices, entry) {
		if (at++ < *n || !ib_device_visible(device, net))
			continue;
		*n = at;
		found = device;
		atomic_inc(&found->users);
		break;
	}
	up_read(&ib_devices_lock);
	return found;
}

/* The device may be gone when this returns: only its address is used. */
void ib_device_unuse(struct ib_device *device)
{
	if (atomic_dec_and_test(&device->users))
		wake_up_var(&device->users);
}

/**
 * ib_device_name() - the name that a device has now
 * @device: the device
 * @name: gets it
 *
 * Context: Process context. Takes and releases ib_devices_lock.
 */
void ib_device_name(const struct ib_device *device,
		    char name[IB_DEVICE_NAME_MAX])
{
	down_read(&ib_devices_lock);
	strscpy(name, device->name, IB_DEVICE_NAME_MAX);
	up_read(&ib_devices_lock);
}
EXPORT_SYMBOL_IB(ib_device_name);

static bool name_taken(const char *name)
{
	struct ib_device *device;

	lockdep_assert_held(&ib_registration_lock);
	list_for_each_entry(device, &ib_devices, entry)
		if (!strcmp(device->name, name))
			return true;
	return false;
}

/* The pattern is the driver's: mlx5_%d. The lowest free number wins. */
static int choose_name(struct ib_device *device, const char *pattern)
{
	int i;

	if (!strstr(pattern, "%d"))
		return ib_refuse(IB_LAYER_CORE, -EINVAL,
				 "the name pattern has no %%d", 0, 0);
	for (i = 0; ; i++) {
		int n = snprintf(device->name, sizeof(device->name), pattern,
				 i);

		if (n >= (int)sizeof(device->name))
			return ib_refuse(IB_LAYER_CORE, -ENAMETOOLONG,
					 "device name of %llu characters", n,
					 0);
		if (!name_taken(device->name))
			return 0;
	}
}

/**
 * ib_device_rename() - give a device another name
 * @device: a registered device
 * @name: the new name; a name of a file
 *
 * Context: Process context. Caller holds ib_registration_lock.
 * Return: 0 or a negative errno.
 */
int ib_device_rename(struct ib_device *device, const char *name)
{
	int ret;

	lockdep_assert_held(&ib_registration_lock);
	if (!name[0] || strchr(name, '/') || !strcmp(name, ".") ||
	    !strcmp(name, ".."))
		return ib_refuse(IB_LAYER_CORE, -EINVAL,
				 "this is no name for device %llu",
				 device->index, 0);
	if (!strcmp(device->name, name))
		return 0;
	if (name_taken(name))
		return ib_refuse(IB_LAYER_CORE, -EEXIST,
				 "another device has that name", 0, 0);
	ret = device_rename(&device->dev, name);
	if (ret)
		return ib_refuse(IB_LAYER_CORE, ret,
				 "the kernel does not rename device %llu",
				 device->index, 0);
	down_write(&ib_devices_lock);
	strscpy(device->name, name);
	up_write(&ib_devices_lock);
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(ib_device_rename);

static int check_driver(const struct ib_device *device)
{
	int ret = ib_check_ops(device->ops);

	if (ret)
		return ret;
	if (!device->phys_port_cnt || device->phys_port_cnt > U8_MAX)
		return ib_refuse(IB_LAYER_CORE, -EINVAL,
				 "a device with %llu ports",
				 device->phys_port_cnt, 0);
	return 0;
}

static int add_to_system(struct ib_device *device, const char *name_pattern)
{
	int ret;

	ret = choose_name(device, name_pattern);
	if (ret)
		return ret;
	ret = dev_set_name(&device->dev, "%s", device->name);
	if (ret)
		return ib_refuse(IB_LAYER_CORE, ret, "no memory for a name", 0,
				 0);
	ret = ida_alloc(&indexes, GFP_KERNEL);
	if (ret < 0)
		return ib_refuse(IB_LAYER_CORE, ret, "no index left", 0, 0);
	device->index = ret;

	ret = device_add(&device->dev);
	if (ret) {
		ib_refuse(IB_LAYER_CORE, ret, "sysfs refuses the device", 0, 0);
		goto err_index;
	}
	ret = ib_sysfs_add_ports(device);
	if (ret)
		goto err_device;
	ret = ib_cgroup_add(device);
	if (ret)
		goto err_ports;
	return 0;

err_ports:
	ib_sysfs_del_ports(device);
err_device:
	device_del(&device->dev);
err_index:
	ida_free(&indexes, device->index);
	return ret;
}

static void set_registered(struct ib_device *device, bool registered)
{
	down_write(&device->unreg_lock);
	device->registered = registered;
	up_write(&device->unreg_lock);

	down_write(&ib_devices_lock);
	if (registered)
		list_add_tail(&device->entry, &ib_devices);
	else
		list_del_init(&device->entry);
	up_write(&ib_devices_lock);
	wait_var_event(&device->users, !atomic_read(&device->users));
}

/**
 * ib_register_device() - show a device to clients and to user space
 * @device: with all fields of the driver filled in
 * @name_pattern: name with a %d for the number
 *
 * A device is registered at most once in its life.
 *
 * Context: Process context. Calls the clients.
 * Return: 0 or a negative errno.
 */
int ib_register_device(struct ib_device *device, const char *name_pattern)
{
	int ret;

	ret = check_driver(device);
	if (ret)
		return ret;
	ret = device->ops->query_device(device, &device->attr, NULL);
	if (ret)
		return ret;
	ret = ib_ports_init(device);
	if (ret)
		return ret;

	mutex_lock(&ib_registration_lock);
	ret = add_to_system(device, name_pattern);
	if (!ret) {
		set_registered(device, true);
		ib_clients_add(device);
	}
	mutex_unlock(&ib_registration_lock);
	if (ret)
		ib_ports_stop(device);
	return ret;
}
EXPORT_SYMBOL_IB(ib_register_device);

/**
 * ib_unregister_device() - take a device back
 * @device: a registered device
 *
 * On return no client, no event handler and no file of sysfs calls the driver
 * any more.
 *
 * Context: Process context. Calls the clients.
 */
void ib_unregister_device(struct ib_device *device)
{
	unsigned int leaked;

	mutex_lock(&ib_registration_lock);
	ib_clients_remove(device);
	set_registered(device, false);
	ib_ports_stop(device);
	ib_event_flush();
	ib_sysfs_del_ports(device);
	leaked = ib_objects_leaked(device);
	WARN(leaked, "%s: %u objects left\n", device->name, leaked);
	ib_cgroup_del(device);
	device_del(&device->dev);
	ida_free(&indexes, device->index);
	mutex_unlock(&ib_registration_lock);
}
EXPORT_SYMBOL_IB(ib_unregister_device);

/**
 * ib_device_set_dead() - the adapter does not answer any more
 * @device: the device; commands in flight have been given up by the driver
 *
 * Context: Process context. Calls the clients; waits while one is just being
 * added or removed.
 */
void ib_device_set_dead(struct ib_device *device)
{
	if (xchg(&device->dead, true))
		return;
	ib_clients_fatal(device);
}
EXPORT_SYMBOL_IB(ib_device_set_dead);
