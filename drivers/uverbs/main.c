// SPDX-License-Identifier: GPL-2.0-only
/* ib_uverbs: gives every RDMA device to user space. */
#include <linux/module.h>
#include <ib/client.h>
#include <ib/export.h>
#include "uverbs_priv.h"

static struct ib_client uverbs_client;

static int client_add(struct ib_device *device)
{
	struct uverbs_device *udev;

	/* Without contexts there is nothing that user space could do. */
	if (!device->ops->alloc_ucontext)
		return uverbs_refuse(-EOPNOTSUPP,
				     "the device has no user contexts");
	udev = uverbs_device_add(device);
	if (IS_ERR(udev))
		return PTR_ERR(udev);
	ib_set_client_data(device, &uverbs_client, udev);
	return 0;
}

static void client_fatal(struct ib_device *device, void *data)
{
	uverbs_device_disassociate(data);
}

static void client_remove(struct ib_device *device, void *data)
{
	uverbs_device_remove(data);
}

static int client_chardev(struct ib_device *device, void *data, u64 *devt,
			  u64 *abi, const char **name)
{
	struct uverbs_device *udev = data;

	*devt = huge_encode_dev(udev->dev.devt);
	*abi = device->ops->uverbs_abi_ver;
	*name = dev_name(&udev->dev);
	return 0;
}

static struct ib_client uverbs_client = {
	.name = "uverbs",
	.add = client_add,
	.fatal = client_fatal,
	.remove = client_remove,
	.chardev = client_chardev,
};

static int __init uverbs_init(void)
{
	int ret;

	ret = uverbs_chardev_init();
	if (ret)
		return ret;
	ret = ib_register_client(&uverbs_client);
	if (ret)
		uverbs_chardev_exit();
	return ret;
}

static void __exit uverbs_exit(void)
{
	ib_unregister_client(&uverbs_client);
	uverbs_chardev_exit();
	ib_refusals_forget();
}

module_init(uverbs_init);
module_exit(uverbs_exit);

MODULE_DESCRIPTION("RDMA devices for user space");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(IB_NS);
