/* SPDX-License-Identifier: GPL-2.0-only */
/* In-kernel users of RDMA devices: told when a device comes, fails, goes. */
#ifndef IB_CLIENT_H
#define IB_CLIENT_H

#include <linux/list.h>
#include <linux/types.h>

struct ib_device;
struct sk_buff;

/**
 * struct ib_client - somebody who wants every device
 * @name: for messages
 * @add: a device is there; an error means that the client does without
 * @fatal: the adapter is dead: wake whoever waits; @remove still comes
 * @remove: the device goes; on return the client has let go of everything
 * @chardev: fill in the client's character device for netlink, or NULL
 * @id: index of the client's data in each device
 * @entry: in the list of clients
 *
 * Context: all callbacks may sleep and are serialised per device.
 */
struct ib_client {
	const char		*name;
	int			(*add)(struct ib_device *device);
	void			(*fatal)(struct ib_device *device, void *data);
	void			(*remove)(struct ib_device *device, void *data);
	int			(*chardev)(struct ib_device *device, void *data,
					   u64 *devt, u64 *abi,
					   const char **name);
	u32			id;
	struct list_head	entry;
};

int ib_register_client(struct ib_client *client);
void ib_unregister_client(struct ib_client *client);
void ib_set_client_data(struct ib_device *device, struct ib_client *client,
			void *data);
void *ib_get_client_data(struct ib_device *device, struct ib_client *client);

#endif /* IB_CLIENT_H */
