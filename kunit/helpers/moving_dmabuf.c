// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/moving-dmabuf: memory that moves, for programs. An open file has one
 * buffer: MAKE gives a descriptor of it, pread() and pwrite() reach it where
 * it is, MOVE takes it elsewhere and spoils the old place, so that whoever
 * still reads there, or writes, is found out.
 */
#include <linux/cleanup.h>
#include <linux/dma-buf.h>
#include <linux/dma-mapping.h>
#include <linux/dma-resv.h>
#include <linux/fs.h>
#include <linux/ioctl.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/rwsem.h>
#include <linux/scatterlist.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <compat.h>

#define MOVING_MAKE	_IO('m', 1)	/* argument: bytes; returns the fd */
#define MOVING_MOVE	_IO('m', 2)	/* EBUSY while it is pinned */

#define MAX_SIZE	SZ_64M
#define SPOILT		0xdd

/**
 * struct moving - a buffer
 * @lock: held for writing to move; pread() and pwrite() hold it for reading,
 *	since no user memory may be touched under a reservation lock
 * @buf: the buffer, which owns this
 * @places: where it can be; what counts is @place, under either lock
 * @place: where it is
 * @mapped: mappings, under the reservation lock
 * @pinned: pins, under the reservation lock
 */
struct moving {
	struct rw_semaphore	lock;
	struct dma_buf		*buf;
	void			*places[2];
	unsigned int		place;
	int			mapped;
	int			pinned;
};

static int moving_pin(struct dma_buf_attachment *attach)
{
	struct moving *m = attach->dmabuf->priv;

	m->pinned++;
	return 0;
}

static void moving_unpin(struct dma_buf_attachment *attach)
{
	struct moving *m = attach->dmabuf->priv;

	m->pinned--;
}

/* Kernels without the option pin what they map, importers that can move too. */
static bool must_stay(const struct moving *m)
{
	return m->pinned > (IS_ENABLED(CONFIG_DMABUF_MOVE_NOTIFY) ? 0 :
			    m->mapped);
}

static struct sg_table *moving_map(struct dma_buf_attachment *attach,
				   enum dma_data_direction dir)
{
	struct moving *m = attach->dmabuf->priv;
	unsigned int i, n = m->buf->size >> PAGE_SHIFT;
	struct scatterlist *sg;
	struct sg_table *sgt;
	int ret = -ENOMEM;

	sgt = kzalloc(sizeof(*sgt), GFP_KERNEL);
	if (!sgt || sg_alloc_table(sgt, n, GFP_KERNEL))
		goto err_table;
	for_each_sgtable_sg(sgt, sg, i)
		sg_set_page(sg, vmalloc_to_page(m->places[m->place] +
						(size_t)i * PAGE_SIZE),
			    PAGE_SIZE, 0);
	ret = dma_map_sgtable(attach->dev, sgt, dir, DMA_ATTR_SKIP_CPU_SYNC);
	if (ret)
		goto err_list;
	m->mapped++;
	return sgt;

err_list:
	sg_free_table(sgt);
err_table:
	kfree(sgt);
	return ERR_PTR(ret);
}

static void moving_unmap(struct dma_buf_attachment *attach,
			 struct sg_table *sgt, enum dma_data_direction dir)
{
	struct moving *m = attach->dmabuf->priv;

	m->mapped--;
	dma_unmap_sgtable(attach->dev, sgt, dir, DMA_ATTR_SKIP_CPU_SYNC);
	sg_free_table(sgt);
	kfree(sgt);
}

static void moving_free(struct moving *m)
{
	vfree(m->places[0]);
	vfree(m->places[1]);
	kfree(m);
}

static void moving_release(struct dma_buf *buf)
{
	moving_free(buf->priv);
}

static const struct dma_buf_ops moving_buf_ops = {
	.pin = moving_pin,
	.unpin = moving_unpin,
	.map_dma_buf = moving_map,
	.unmap_dma_buf = moving_unmap,
	.release = moving_release,
};

static struct moving *moving_alloc(size_t size)
{
	DEFINE_DMA_BUF_EXPORT_INFO(info);
	struct moving *m = kzalloc(sizeof(*m), GFP_KERNEL);

	if (!m)
		return ERR_PTR(-ENOMEM);
	init_rwsem(&m->lock);
	m->places[0] = vzalloc(size);
	m->places[1] = vzalloc(size);
	info.ops = &moving_buf_ops;
	info.size = size;
	info.flags = O_RDWR | O_CLOEXEC;
	info.priv = m;
	m->buf = m->places[0] && m->places[1] ? dma_buf_export(&info) :
						ERR_PTR(-ENOMEM);
	if (IS_ERR(m->buf)) {
		struct dma_buf *buf = m->buf;

		moving_free(m);
		return ERR_CAST(buf);
	}
	return m;
}

static long make(struct file *file, size_t size)
{
	struct moving *m;
	int fd;

	if (!size || size > MAX_SIZE || !PAGE_ALIGNED(size))
		return -EINVAL;
	m = moving_alloc(size);
	if (IS_ERR(m))
		return PTR_ERR(m);
	if (cmpxchg(&file->private_data, NULL, m)) {
		dma_buf_put(m->buf);
		return -EBUSY;
	}
	/* the file's reference is the first one */
	get_dma_buf(m->buf);
	fd = dma_buf_fd(m->buf, O_CLOEXEC);
	if (fd < 0)
		dma_buf_put(m->buf);
	return fd;
}

static void go(struct moving *m)
{
	unsigned int next = !m->place;

	dma_buf_move_notify(m->buf);
	memcpy(m->places[next], m->places[m->place], m->buf->size);
	memset(m->places[m->place], SPOILT, m->buf->size);
	m->place = next;
}

static long move(struct moving *m)
{
	long ret = 0;

	guard(rwsem_write)(&m->lock);
	dma_resv_lock(m->buf->resv, NULL);
	if (must_stay(m))
		ret = -EBUSY;
	else
		go(m);
	dma_resv_unlock(m->buf->resv);
	return ret;
}

static long moving_ioctl(struct file *file, unsigned int cmd,
			 unsigned long arg)
{
	struct moving *m = READ_ONCE(file->private_data);

	if (cmd == MOVING_MAKE)
		return make(file, arg);
	if (cmd != MOVING_MOVE)
		return -ENOTTY;
	return m ? move(m) : -ENXIO;
}

static ssize_t moving_read(struct file *file, char __user *to, size_t count,
			   loff_t *pos)
{
	struct moving *m = READ_ONCE(file->private_data);

	if (!m)
		return -ENXIO;
	guard(rwsem_read)(&m->lock);
	return simple_read_from_buffer(to, count, pos, m->places[m->place],
				       m->buf->size);
}

static ssize_t moving_write(struct file *file, const char __user *from,
			    size_t count, loff_t *pos)
{
	struct moving *m = READ_ONCE(file->private_data);

	if (!m)
		return -ENXIO;
	guard(rwsem_read)(&m->lock);
	return simple_write_to_buffer(m->places[m->place], m->buf->size, pos,
				      from, count);
}

static int moving_open(struct inode *inode, struct file *file)
{
	/* misc_open() leaves the device there */
	file->private_data = NULL;
	return 0;
}

static int moving_close(struct inode *inode, struct file *file)
{
	struct moving *m = file->private_data;

	if (m)
		dma_buf_put(m->buf);
	return 0;
}

static const struct file_operations moving_fops = {
	.owner = THIS_MODULE,
	.open = moving_open,
	.release = moving_close,
	.read = moving_read,
	.write = moving_write,
	.unlocked_ioctl = moving_ioctl,
};

static struct miscdevice moving_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "moving-dmabuf",
	.fops = &moving_fops,
};
module_misc_device(moving_device);

MODULE_DESCRIPTION("DMA buffers that move, for tests in the guest");
MODULE_IMPORT_NS(IB_DMA_BUF_NS);
MODULE_LICENSE("GPL");
