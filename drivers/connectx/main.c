// SPDX-License-Identifier: GPL-2.0-only
/*
 * The PCI function: bring-up is a table of stages, run forward at probe and
 * backward at remove or when a stage fails.
 */
#include <linux/kernel.h>
#include <linux/dma-mapping.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/slab.h>

#include <ib/refuse.h>

#include <connectx/prm_cmd.h>
#include <connectx/prm_initseg.h>

#include "cmd.h"
#include "cmdq.h"
#include "cx.h"
#include "db.h"
#include "eq.h"
#include "initseg.h"
#include "mkey_pool.h"
#include "refuse.h"
#include "uar.h"
#include "verbs_if.h"

#define CX_BAR	0

/**
 * struct cx_stage - a step of bring-up
 * @name: for messages
 * @init: does it
 * @exit: undoes it, or NULL
 */
struct cx_stage {
	const char *name;
	int (*init)(struct cx_dev *cx);
	void (*exit)(struct cx_dev *cx);
};

static int cx_pci_init(struct cx_dev *cx)
{
	struct pci_dev *pdev = cx->pdev;
	int ret;

	ret = pci_enable_device_mem(pdev);
	if (ret)
		return cx_refuse(ret, "the function cannot be enabled", 0, 0);
	if (!(pci_resource_flags(pdev, CX_BAR) & IORESOURCE_MEM)) {
		ret = cx_refuse(-ENODEV, "BAR 0 is not memory", 0, 0);
		goto err_enable;
	}
	ret = pci_request_regions(pdev, CX_DRV_NAME);
	if (ret) {
		cx_refuse(ret, "the BARs belong to somebody else", 0, 0);
		goto err_enable;
	}
	/* memory has no address beyond, and ib_core lists none of an IOMMU */
	ret = dma_set_mask_and_coherent(cx->dev, DMA_BIT_MASK(52));
	if (ret)
		ret = dma_set_mask_and_coherent(cx->dev, DMA_BIT_MASK(32));
	if (ret) {
		cx_refuse(ret, "no DMA with 32 bits of address", 0, 0);
		goto err_regions;
	}
	dma_set_max_seg_size(cx->dev, U32_MAX);
	pci_set_master(pdev);
	cx->bar = pci_resource_start(pdev, CX_BAR);
	cx->bar_len = pci_resource_len(pdev, CX_BAR);
	return 0;

err_regions:
	pci_release_regions(pdev);
err_enable:
	pci_disable_device(pdev);
	return ret;
}

static void cx_pci_exit(struct cx_dev *cx)
{
	pci_release_regions(cx->pdev);
	pci_disable_device(cx->pdev);
}

/* From here down nothing is lent to the device: it must not reach memory. */
static void cx_master_exit(struct cx_dev *cx)
{
	pci_clear_master(cx->pdev);
}

static int cx_nothing_init(struct cx_dev *cx)
{
	return 0;
}

static void cx_disable_exit(struct cx_dev *cx)
{
	cx_cmd_disable_hca(cx);
}

static int cx_boot_pages_init(struct cx_dev *cx)
{
	return cx_pages_satisfy(cx, CX_PAGES_BOOT);
}

static void cx_boot_pages_exit(struct cx_dev *cx)
{
	cx_pages_reclaim(cx);
}

static int cx_init_pages_init(struct cx_dev *cx)
{
	return cx_pages_satisfy(cx, CX_PAGES_INIT);
}

static void cx_teardown_exit(struct cx_dev *cx)
{
	cx_cmd_teardown_hca(cx);
}

static const struct cx_stage cx_stages[] = {
	{ "PCI function", cx_pci_init, cx_pci_exit },
	{ "initialisation segment", cx_iseg_init, cx_iseg_exit },
	{ "page ledger", cx_pages_init, cx_pages_exit },
	{ "command queue", cx_cmdq_init, cx_cmdq_exit },
	{ "bus master", cx_nothing_init, cx_master_exit },
	{ "health watch", cx_health_init, cx_health_exit },
	{ "ENABLE_HCA", cx_cmd_enable_hca, cx_disable_exit },
	{ "interface step", cx_cmd_set_issi },
	{ "boot pages", cx_boot_pages_init, cx_boot_pages_exit },
	{ "host endianness", cx_cmd_set_host_endianness },
	{ "choice of capabilities", cx_cmd_set_caps },
	{ "init pages", cx_init_pages_init },
	{ "INIT_HCA", cx_cmd_init_hca, cx_teardown_exit },
	{ "capabilities", cx_cmd_query_caps },
	{ "adapter identity", cx_cmd_query_adapter },
	{ "interrupts", cx_irq_init, cx_irq_exit },
	{ "doorbell page", cx_uar_init, cx_uar_exit },
	{ "command events", cx_eq_cmd_init, cx_eq_cmd_exit },
	{ "asynchronous events", cx_eq_async_init, cx_eq_async_exit },
	{ "page faults", cx_eq_fault_init, cx_eq_fault_exit },
	{ "completion events", cx_eq_comp_init, cx_eq_comp_exit },
	{ "doorbell records", cx_db_init, cx_db_exit },
	{ "verbs", cx_verbs_init, cx_verbs_exit },
};

static void cx_stages_exit(struct cx_dev *cx, unsigned int done)
{
	while (done--)
		if (cx_stages[done].exit)
			cx_stages[done].exit(cx);
}

static void cx_stage_failed(struct cx_dev *cx, unsigned int stage, int err)
{
	struct ib_refusal why = { .why = "no reason recorded" };
	char text[IB_REFUSE_TEXT];

	ib_refusal_take(err, &why);
	ib_refusal_text(&why, text, sizeof(text));
	dev_err(cx->dev, "%s failed (%d): %s\n", cx_stages[stage].name, err,
		text);
}

static int cx_stages_init(struct cx_dev *cx)
{
	unsigned int i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(cx_stages); i++) {
		ret = cx_stages[i].init(cx);
		if (ret) {
			cx_stage_failed(cx, i, ret);
			cx_stages_exit(cx, i);
			return ret;
		}
	}
	return 0;
}

static int cx_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct cx_dev *cx;
	int ret;

	cx = kzalloc(sizeof(*cx), GFP_KERNEL);
	if (!cx)
		return cx_refuse(-ENOMEM, "no memory", 0, 0);
	cx->pdev = pdev;
	cx->dev = &pdev->dev;
	pci_set_drvdata(pdev, cx);
	ret = cx_stages_init(cx);
	if (ret) {
		kfree(cx);
		return ret;
	}
	dev_info(cx->dev, "firmware %u.%u.%04u, board %s, %u completion vectors\n",
		 cx->board.fw_major, cx->board.fw_minor, cx->board.fw_sub,
		 cx->board.psid, cx->num_comp);
	return 0;
}

static void cx_remove(struct pci_dev *pdev)
{
	struct cx_dev *cx = pci_get_drvdata(pdev);

	/* if it is gone, know it before the first command of the teardown */
	cx_health_check(cx);
	cx_stages_exit(cx, ARRAY_SIZE(cx_stages));
	kfree(cx);
}

/* Stop DMA before another kernel takes over. */
static void cx_shutdown(struct pci_dev *pdev)
{
	pci_clear_master(pdev);
}

static const struct pci_device_id cx_pci_ids[] = {
	{ PCI_VDEVICE(MELLANOX, 0x1017) },	/* ConnectX-5 */
	{ PCI_VDEVICE(MELLANOX, 0x1019) },	/* ConnectX-5 Ex */
	{ PCI_VDEVICE(MELLANOX, 0x101b) },	/* ConnectX-6 */
	{ PCI_VDEVICE(MELLANOX, 0x101d) },	/* ConnectX-6 Dx */
	{ }
};
MODULE_DEVICE_TABLE(pci, cx_pci_ids);

static struct pci_driver cx_pci_driver = {
	.name = CX_DRV_NAME,
	.id_table = cx_pci_ids,
	.probe = cx_probe,
	.remove = cx_remove,
	.shutdown = cx_shutdown,
	.dev_groups = cx_mkey_pool_sysfs,
};

static int __init cx_init(void)
{
	return pci_register_driver(&cx_pci_driver);
}
module_init(cx_init);

static void __exit cx_exit(void)
{
	pci_unregister_driver(&cx_pci_driver);
	ib_refusals_forget();
}
module_exit(cx_exit);

MODULE_DESCRIPTION("ConnectX adapters for the Verbena RDMA stack");
MODULE_LICENSE("GPL");
