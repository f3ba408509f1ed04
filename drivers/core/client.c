// SPDX-License-Identifier: GPL-2.0-only
/*
 * In-kernel users of devices. Each pair of a client and a device is made when
 * the later one of the two comes, under ib_registration_lock, and has a
 * context while the client has the device.
 */
#include <linux/idr.h>
#include <linux/slab.h>
#include "core_priv.h"

/**
 * struct client_ctx - a client that has a device
 * @client: the client
 * @data: its own
 * @told: it knows that the device is dead
 */
struct client_ctx {
	struct ib_client	*client;
	void			*data;
	bool			told;
};

/* Both under ib_registration_lock */
static LIST_HEAD(clients);
static DEFINE_IDA(client_ids);

static void tell_fatal(struct ib_device *device, struct client_ctx *ctx)
{
	lockdep_assert_held(&device->client_lock);
	if (ctx->told)
		return;
	ctx->told = true;
	if (ctx->client->fatal)
		ctx->client->fatal(device, ctx->data);
}

static void add_client(struct ib_device *device, struct ib_client *client)
{
	struct client_ctx *ctx;
	int ret;

	ctx = kzalloc(sizeof(*ctx), GFP_KERNEL);
	if (!ctx)
		return;
	ctx->client = client;

	mutex_lock(&device->client_lock);
	ret = xa_insert(&device->client_data, client->id, ctx, GFP_KERNEL);
	if (ret)
		goto err_free;
	ret = client->add(device);
	if (ret)
		goto err_erase;
	if (ib_device_dead(device))
		tell_fatal(device, ctx);
	mutex_unlock(&device->client_lock);
	return;

err_erase:
	xa_erase(&device->client_data, client->id);
err_free:
	mutex_unlock(&device->client_lock);
	kfree(ctx);
	if (ret != -EOPNOTSUPP)
		dev_warn(&device->dev, "%s does not use the device: %d\n",
			 client->name, ret);
}

static void remove_client(struct ib_device *device, struct ib_client *client)
{
	struct client_ctx *ctx;

	mutex_lock(&device->client_lock);
	ctx = xa_load(&device->client_data, client->id);
	if (ctx) {
		client->remove(device, ctx->data);
		xa_erase(&device->client_data, client->id);
		kfree(ctx);
	}
	mutex_unlock(&device->client_lock);
}

/**
 * ib_register_client() - offer every device, present and future, to a client
 * @client: with name, add and remove set
 *
 * Context: Process context. Calls the client for the devices that are there.
 * Return: 0 or a negative errno.
 */
int ib_register_client(struct ib_client *client)
{
	struct ib_device *device;
	int ret;

	mutex_lock(&ib_registration_lock);
	ret = ida_alloc(&client_ids, GFP_KERNEL);
	if (ret >= 0) {
		client->id = ret;
		list_add_tail(&client->entry, &clients);
		list_for_each_entry(device, &ib_devices, entry)
			add_client(device, client);
		ret = 0;
	}
	mutex_unlock(&ib_registration_lock);
	return ret;
}
EXPORT_SYMBOL_IB(ib_register_client);

/**
 * ib_unregister_client() - take all devices from a client
 * @client: a registered client
 *
 * Context: Process context. Calls the client.
 */
void ib_unregister_client(struct ib_client *client)
{
	struct ib_device *device;

	mutex_lock(&ib_registration_lock);
	list_for_each_entry(device, &ib_devices, entry)
		remove_client(device, client);
	list_del(&client->entry);
	ida_free(&client_ids, client->id);
	mutex_unlock(&ib_registration_lock);
}
EXPORT_SYMBOL_IB(ib_unregister_client);

/**
 * ib_set_client_data() - remember something of a client's for a device
 * @device: the device
 * @client: the client, between the start of its add() and the end of remove()
 * @data: given to its callbacks
 *
 * Context: Process context.
 */
void ib_set_client_data(struct ib_device *device, struct ib_client *client,
			void *data)
{
	struct client_ctx *ctx = xa_load(&device->client_data, client->id);

	if (ctx)
		ctx->data = data;
}
EXPORT_SYMBOL_IB(ib_set_client_data);

/**
 * ib_get_client_data() - what ib_set_client_data() remembered
 * @device: the device
 * @client: the client
 *
 * Context: Process context, while the client has the device.
 * Return: the data or NULL.
 */
void *ib_get_client_data(struct ib_device *device, struct ib_client *client)
{
	struct client_ctx *ctx = xa_load(&device->client_data, client->id);

	return ctx ? ctx->data : NULL;
}
EXPORT_SYMBOL_IB(ib_get_client_data);

void ib_clients_add(struct ib_device *device)
{
	struct ib_client *client;

	lockdep_assert_held(&ib_registration_lock);
	list_for_each_entry(client, &clients, entry)
		add_client(device, client);
}

/* The last client to come may build on earlier ones: it goes first. */
void ib_clients_remove(struct ib_device *device)
{
	struct ib_client *client;

	lockdep_assert_held(&ib_registration_lock);
	list_for_each_entry_reverse(client, &clients, entry)
		remove_client(device, client);
}

void ib_clients_fatal(struct ib_device *device)
{
	struct client_ctx *ctx;
	unsigned long id;

	mutex_lock(&device->client_lock);
	xa_for_each(&device->client_data, id, ctx)
		tell_fatal(device, ctx);
	mutex_unlock(&device->client_lock);
}

/* The character device that the client called @type has for @device */
int ib_client_chardev(struct ib_device *device, const char *type, u64 *devt,
		      u64 *abi, char *name, size_t size)
{
	struct client_ctx *ctx;
	const char *node;
	unsigned long id;
	bool found = false;
	int ret = 0;

	mutex_lock(&device->client_lock);
	xa_for_each(&device->client_data, id, ctx) {
		if (strcmp(ctx->client->name, type) || !ctx->client->chardev)
			continue;
		found = true;
		ret = ctx->client->chardev(device, ctx->data, devt, abi,
					   &node);
		if (!ret)
			strscpy(name, node, size);
		break;
	}
	mutex_unlock(&device->client_lock);
	if (!found)
		return ib_refuse(IB_LAYER_CORE, -EOPNOTSUPP,
				 "the device has no such character device", 0,
				 0);
	return ret;
}
