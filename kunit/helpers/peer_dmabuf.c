// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/peer-dmabuf: the memory of a PCI function as a DMA buffer, as drivers of
 * GPUs export theirs. The function is QEMU's ivshmem-plain, whose BAR 2 is a
 * file of the host. No page of the system is behind the buffer: an importer
 * that has not said that it can reach other functions gets nothing.
 */
#include <linux/dma-buf.h>
#include <linux/dma-mapping.h>
#include <linux/ioctl.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <compat.h>

#define PEER_EXPORT	_IO('p', 1)	/* argument: bytes; returns the fd */

#define MEMORY_BAR	2

/**
 * struct peer - a function
 * @pdev: the function
 * @misc: its device for programs
 * @pins: how often its memory is pinned, under the buffers' locks
 */
struct peer {
	struct pci_dev		*pdev;
	struct miscdevice	misc;
	atomic_t		pins;
};

static int peer_attach(struct dma_buf *buf, struct dma_buf_attachment *attach)
{
	return attach->peer2peer ? 0 : -EOPNOTSUPP;
}

/* It never moves; the driver only looks whether each pin is undone. */
static int peer_pin(struct dma_buf_attachment *attach)
{
	struct peer *p = attach->dmabuf->priv;

	atomic_inc(&p->pins);
	return 0;
}

static void peer_unpin(struct dma_buf_attachment *attach)
{
	struct peer *p = attach->dmabuf->priv;

	atomic_dec(&p->pins);
}

static struct sg_table *peer_map(struct dma_buf_attachment *attach,
				 enum dma_data_direction dir)
{
	struct peer *p = attach->dmabuf->priv;
	size_t size = attach->dmabuf->size;
	struct sg_table *sgt;
	dma_addr_t dma;

	sgt = kzalloc(sizeof(*sgt), GFP_KERNEL);
	if (!sgt)
		return ERR_PTR(-ENOMEM);
	if (sg_alloc_table(sgt, 1, GFP_KERNEL))
		goto err_free;
	dma = dma_map_resource(attach->dev,
			       pci_resource_start(p->pdev, MEMORY_BAR), size,
			       dir, DMA_ATTR_SKIP_CPU_SYNC);
	if (dma_mapping_error(attach->dev, dma))
		goto err_table;
	sg_set_page(sgt->sgl, NULL, size, 0);
	sg_dma_address(sgt->sgl) = dma;
	sg_dma_len(sgt->sgl) = size;
	return sgt;

err_table:
	sg_free_table(sgt);
err_free:
	kfree(sgt);
	return ERR_PTR(-ENOMEM);
}

static void peer_unmap(struct dma_buf_attachment *attach, struct sg_table *sgt,
		       enum dma_data_direction dir)
{
	dma_unmap_resource(attach->dev, sg_dma_address(sgt->sgl),
			   sg_dma_len(sgt->sgl), dir, DMA_ATTR_SKIP_CPU_SYNC);
	sg_free_table(sgt);
	kfree(sgt);
}

static void peer_release(struct dma_buf *buf)
{
}

static const struct dma_buf_ops peer_buf_ops = {
	.attach = peer_attach,
	.pin = peer_pin,
	.unpin = peer_unpin,
	.map_dma_buf = peer_map,
	.unmap_dma_buf = peer_unmap,
	.release = peer_release,
};

/* The buffer holds the module, and with it the function's driver. */
static long peer_export(struct peer *p, size_t size)
{
	DEFINE_DMA_BUF_EXPORT_INFO(info);
	struct dma_buf *buf;
	int fd;

	if (!size || !PAGE_ALIGNED(size) ||
	    size > pci_resource_len(p->pdev, MEMORY_BAR))
		return -EINVAL;
	info.ops = &peer_buf_ops;
	info.size = size;
	info.flags = O_RDWR | O_CLOEXEC;
	info.priv = p;
	buf = dma_buf_export(&info);
	if (IS_ERR(buf))
		return PTR_ERR(buf);
	fd = dma_buf_fd(buf, O_CLOEXEC);
	if (fd < 0)
		dma_buf_put(buf);
	return fd;
}

static long peer_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct miscdevice *misc = file->private_data;

	if (cmd != PEER_EXPORT)
		return -ENOTTY;
	return peer_export(container_of(misc, struct peer, misc), arg);
}

static const struct file_operations peer_fops = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = peer_ioctl,
};

static int peer_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct peer *p;
	int ret;

	p = devm_kzalloc(&pdev->dev, sizeof(*p), GFP_KERNEL);
	if (!p)
		return -ENOMEM;
	ret = pcim_enable_device(pdev);
	if (ret)
		return ret;
	if (!pci_resource_len(pdev, MEMORY_BAR))
		return -ENODEV;
	p->pdev = pdev;
	p->misc.minor = MISC_DYNAMIC_MINOR;
	p->misc.name = "peer-dmabuf";
	p->misc.fops = &peer_fops;
	p->misc.parent = &pdev->dev;
	pci_set_drvdata(pdev, p);
	return misc_register(&p->misc);
}

static void peer_remove(struct pci_dev *pdev)
{
	struct peer *p = pci_get_drvdata(pdev);

	misc_deregister(&p->misc);
	WARN_ON(atomic_read(&p->pins));
}

static const struct pci_device_id peer_ids[] = {
	{ PCI_DEVICE(PCI_VENDOR_ID_REDHAT_QUMRANET, 0x1110) },
	{ }
};

static struct pci_driver peer_driver = {
	.name = "peer_dmabuf",
	.id_table = peer_ids,
	.probe = peer_probe,
	.remove = peer_remove,
	/* a buffer keeps the module, not the binding */
	.driver.suppress_bind_attrs = true,
};
module_pci_driver(peer_driver);

MODULE_DESCRIPTION("A PCI function's memory as DMA buffers, for tests in the guest");
MODULE_IMPORT_NS(IB_DMA_BUF_NS);
MODULE_LICENSE("GPL");
