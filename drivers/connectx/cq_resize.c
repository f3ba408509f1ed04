// SPDX-License-Identifier: GPL-2.0-only
/*
 * Completion queues: another ring. The device ends the old ring with an entry
 * that says so and goes on in the new one; the library, which sees both,
 * copies what it had not read.
 */
#include <linux/kernel.h>
#include <linux/log2.h>

#include <rdma/mlx5-abi.h>

#include <ib/refuse.h>
#include <ib/umem.h>

#include "cx.h"
#include "verbs.h"

static int cx_resize_check(const struct cx_dev *cx, unsigned int cqe,
			   const struct ib_udata *udata)
{
	u32 max = BIT(cx->caps.log_max_cq_sz);

	if (!cx->caps.cq_resize)
		return ib_refuse(IB_LAYER_DRIVER, -ENOSYS,
				 "the adapter cannot resize completion queues",
				 0, 0);
	if (!udata)
		return ib_refuse(IB_LAYER_DRIVER, -EOPNOTSUPP,
				 "queues of the kernel are not resized", 0, 0);
	/* one entry of the ring stays free */
	if (!cqe || cqe >= max)
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "%llu completions, at most %llu", cqe,
				 max - 1);
	return 0;
}

static int cx_resize_read(struct ib_udata *udata,
			  struct mlx5_ib_resize_cq *cmd)
{
	struct ib_udata known = *udata;
	int ret;

	if (!udata->in)
		return ib_refuse(IB_LAYER_DRIVER, -EFAULT,
				 "no address of another ring", 0, 0);
	/* the library sends less than the whole structure if it is old */
	known.inlen = min(udata->inlen, sizeof(*cmd));
	ret = ib_udata_read(&known, cmd, sizeof(cmd->buf_addr), sizeof(*cmd));
	if (ret)
		return ret;
	if (cmd->reserved0 || cmd->reserved1)
		return ib_refuse(IB_LAYER_DRIVER, -EINVAL,
				 "a reserved field is set", 0, 0);
	return 0;
}

/* Asked behind the memory: where there is none is another errno. */
static int cx_resize_check_entries(const struct mlx5_ib_resize_cq *cmd)
{
	if (cmd->cqe_size == 64 || cmd->cqe_size == 128)
		return 0;
	return ib_refuse(IB_LAYER_DRIVER, -EINVAL, "entries of %llu bytes",
			 cmd->cqe_size, 0);
}

/*
 * Entries of no size are refused behind the memory: an address within a page
 * names that page, as with stock, an aligned one names nothing.
 */
static size_t cx_resize_bytes(u32 entries, const struct mlx5_ib_resize_cq *cmd)
{
	if (!cmd->cqe_size)
		return offset_in_page(cmd->buf_addr) ? 1 : 0;
	return (size_t)entries * cmd->cqe_size;
}

static int __cx_cq_move(struct cx_cq *cq, u32 entries,
			const struct mlx5_ib_resize_cq *cmd)
{
	struct ib_device *dev = cq->base.obj.device;
	struct cx_ubuf ring = {};
	int ret;

	lockdep_assert_held(&cq->resize_lock);
	ret = cx_ubuf_get(dev, cmd->buf_addr, cx_resize_bytes(entries, cmd),
			  IB_ACCESS_LOCAL_WRITE, false, &ring);
	if (ret)
		return ret;
	ret = cx_resize_check_entries(cmd);
	if (!ret)
		ret = cx_cmd_resize_cq(to_cx(dev), cq->cqn, ilog2(entries),
				       cmd->cqe_size == 128, &ring.pas);
	if (ret) {
		cx_ubuf_put(&ring);
		return ret;
	}
	cx_ubuf_drop_list(&ring);
	cx_ubuf_put(&cq->ubuf);
	cq->ubuf = ring;
	cq->cqe_bytes = cmd->cqe_size;
	cq->base.cqe = entries - 1;
	return 0;
}

/**
 * cx_resize_cq - ib_device_ops.resize_cq
 * @ibcq: a queue of user space
 * @cqe: completions it shall hold
 * @udata: the call of user space
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno: the queue is as it was.
 */
int cx_resize_cq(struct ib_cq *ibcq, unsigned int cqe, struct ib_udata *udata)
{
	struct cx_dev *cx = to_cx(ibcq->obj.device);
	struct cx_cq *cq = to_cx_cq(ibcq);
	struct mlx5_ib_resize_cq cmd = {};
	u32 entries;
	int ret;

	ret = cx_resize_check(cx, cqe, udata);
	if (ret)
		return ret;
	entries = roundup_pow_of_two(cqe + 1);
	mutex_lock(&cq->resize_lock);
	/* the library's request does not matter when nothing is to be done */
	if (entries != cq->base.cqe + 1) {
		ret = cx_resize_read(udata, &cmd);
		if (!ret)
			ret = __cx_cq_move(cq, entries, &cmd);
	}
	mutex_unlock(&cq->resize_lock);
	return ret;
}
