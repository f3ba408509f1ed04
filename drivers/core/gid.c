// SPDX-License-Identifier: GPL-2.0-only
/*
 * A port's GID and P_Key tables, kept so that reading them costs no command.
 * They have the size that the port had at registration.
 */
#include <linux/slab.h>
#include "core_priv.h"

int ib_gid_init(struct ib_port *port, int gid_len, u16 pkey_len)
{
	port->gids = kcalloc(gid_len, sizeof(*port->gids), GFP_KERNEL);
	port->pkeys = kcalloc(pkey_len, sizeof(*port->pkeys), GFP_KERNEL);
	if (!port->gids || !port->pkeys)
		return ib_refuse(IB_LAYER_CORE, -ENOMEM,
				 "no memory for %llu GIDs and %llu P_Keys",
				 gid_len, pkey_len);
	port->gid_len = gid_len;
	port->pkey_len = pkey_len;
	return ib_gid_refresh(port);
}

void ib_gid_free(struct ib_port *port)
{
	kfree(port->gids);
	kfree(port->pkeys);
}

static int refresh_gids(struct ib_port *port)
{
	const struct ib_device_ops *ops = port->device->ops;
	union ib_gid gid;
	int i, ret;

	for (i = 0; ops->query_gid && i < port->gid_len; i++) {
		ret = ops->query_gid(port->device, port->num, i, &gid);
		if (ret)
			return ret;
		spin_lock_irq(&port->lock);
		port->gids[i] = gid;
		spin_unlock_irq(&port->lock);
	}
	return 0;
}

static int refresh_pkeys(struct ib_port *port)
{
	const struct ib_device_ops *ops = port->device->ops;
	u16 pkey;
	int i, ret;

	for (i = 0; ops->query_pkey && i < port->pkey_len; i++) {
		ret = ops->query_pkey(port->device, port->num, i, &pkey);
		if (ret)
			return ret;
		WRITE_ONCE(port->pkeys[i], pkey);
	}
	return 0;
}

/* What cannot be read keeps its old value. */
int ib_gid_refresh(struct ib_port *port)
{
	int gid_ret = refresh_gids(port);
	int pkey_ret = refresh_pkeys(port);

	return gid_ret ?: pkey_ret;
}

/**
 * ib_query_gid() - an entry of a port's GID table
 * @device: the device
 * @port: number of the port, from 1
 * @index: which entry
 * @gid: filled in; zero for an empty entry
 *
 * Context: Any context. Takes and releases the port's lock.
 * Return: 0 or -EINVAL.
 */
int ib_query_gid(struct ib_device *device, u32 port, int index,
		 union ib_gid *gid)
{
	struct ib_port *p = ib_port_of(device, port);
	unsigned long flags;

	if (!p)
		return ib_port_check(device, port);
	if (index < 0 || index >= p->gid_len)
		return ib_refuse(IB_LAYER_CORE, -EINVAL,
				 "GID index %llu of %llu", index, p->gid_len);
	spin_lock_irqsave(&p->lock, flags);
	*gid = p->gids[index];
	spin_unlock_irqrestore(&p->lock, flags);
	return 0;
}
EXPORT_SYMBOL_IB(ib_query_gid);

/**
 * ib_query_pkey() - an entry of a port's P_Key table
 * @device: the device
 * @port: number of the port, from 1
 * @index: which entry
 * @pkey: filled in; zero for an empty entry
 *
 * Context: Any context.
 * Return: 0 or -EINVAL.
 */
int ib_query_pkey(struct ib_device *device, u32 port, u16 index, u16 *pkey)
{
	struct ib_port *p = ib_port_of(device, port);

	if (!p)
		return ib_port_check(device, port);
	if (index >= p->pkey_len)
		return ib_refuse(IB_LAYER_CORE, -EINVAL,
				 "P_Key index %llu of %llu", index,
				 p->pkey_len);
	*pkey = READ_ONCE(p->pkeys[index]);
	return 0;
}
EXPORT_SYMBOL_IB(ib_query_pkey);
