// SPDX-License-Identifier: GPL-2.0-only
/* The ports of a device: there from registration until the device is freed. */
#include <linux/slab.h>
#include <linux/workqueue.h>
#include "core_priv.h"

static void refresh_port(struct work_struct *work)
{
	struct ib_port *port = container_of(work, struct ib_port, refresh);
	int ret = ib_gid_refresh(port);

	if (ret && !ib_device_dead(port->device))
		dev_warn(&port->device->dev,
			 "port %u: tables not read again: %d\n", port->num,
			 ret);
}

static struct ib_port *alloc_ports(struct ib_device *device)
{
	struct ib_port *ports;
	u32 i;

	ports = kcalloc(device->phys_port_cnt, sizeof(*ports), GFP_KERNEL);
	for (i = 0; ports && i < device->phys_port_cnt; i++) {
		ports[i].device = device;
		ports[i].num = i + 1;
		spin_lock_init(&ports[i].lock);
		INIT_WORK(&ports[i].refresh, refresh_port);
	}
	return ports;
}

static int read_port(struct ib_port *port)
{
	struct ib_port_attr attr = {};
	int ret;

	ret = port->device->ops->query_port(port->device, port->num, &attr);
	if (ret)
		return ret;
	return ib_gid_init(port, attr.gid_tbl_len, attr.pkey_tbl_len);
}

/* What was made stays until the device's release frees it. */
int ib_ports_init(struct ib_device *device)
{
	u32 i;
	int ret = 0;

	if (device->ports)
		return ib_refuse(IB_LAYER_CORE, -EINVAL,
				 "a device is registered only once", 0, 0);
	device->ports = alloc_ports(device);
	if (!device->ports)
		return ib_refuse(IB_LAYER_CORE, -ENOMEM,
				 "no memory for %llu ports",
				 device->phys_port_cnt, 0);
	for (i = 0; i < device->phys_port_cnt && !ret; i++)
		ret = read_port(&device->ports[i]);
	if (ret)
		ib_ports_stop(device);
	return ret;
}

/* No refresh runs or starts any more. */
void ib_ports_stop(struct ib_device *device)
{
	u32 i;

	for (i = 0; i < device->phys_port_cnt; i++)
		disable_work_sync(&device->ports[i].refresh);
}

void ib_ports_free(struct ib_device *device)
{
	u32 i;

	for (i = 0; device->ports && i < device->phys_port_cnt; i++)
		ib_gid_free(&device->ports[i]);
	kfree(device->ports);
}

struct ib_port *ib_port_of(struct ib_device *device, u32 num)
{
	if (!device->ports || num < 1 || num > device->phys_port_cnt)
		return NULL;
	return &device->ports[num - 1];
}

int ib_port_check(struct ib_device *device, u32 num)
{
	if (!ib_port_of(device, num))
		return ib_refuse(IB_LAYER_CORE, -EINVAL,
				 "port %llu, the device has ports 1 to %llu",
				 num, device->phys_port_cnt);
	return 0;
}

/**
 * ib_query_port() - ask the adapter for the state of a port
 * @device: the device
 * @port: number of the port, from 1
 * @attr: filled in
 *
 * Context: Process context.
 * Return: 0 or a negative errno.
 */
int ib_query_port(struct ib_device *device, u32 port, struct ib_port_attr *attr)
{
	int ret;

	ret = ib_port_check(device, port);
	if (ret)
		return ret;
	ret = ib_object_check(device, true, NULL);
	if (ret)
		return ret;
	memset(attr, 0, sizeof(*attr));
	ret = device->ops->query_port(device, port, attr);
	if (!ret)
		attr->link_layer = device->ops->get_link_layer(device, port);
	return ret;
}
EXPORT_SYMBOL_IB(ib_query_port);

/**
 * ib_refresh_port() - the port changed: read its tables again
 * @device: the device
 * @port: number of the port, from 1
 *
 * An event that is dispatched afterwards finds the new tables.
 *
 * Context: Any context. Nothing happens when the device is not registered.
 */
void ib_refresh_port(struct ib_device *device, u32 port)
{
	struct ib_port *p = ib_port_of(device, port);

	if (p)
		queue_work(ib_event_wq, &p->refresh);
}
EXPORT_SYMBOL_IB(ib_refresh_port);
