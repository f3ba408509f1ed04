// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>
#include <sys/mman.h>

#include <rdma/mlx5-abi.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>

#include "dm_calls.h"

#define DEVICE_MEMORY	8	/* what to map, bits 8 to 15 of the page offset */

int dm_alloc(struct uctx *x, struct dm *d)
{
	struct call c;
	int ret;

	call_init(&c, UVERBS_OBJECT_DM, UVERBS_METHOD_DM_ALLOC);
	call_add(&c, UVERBS_ATTR_ALLOC_DM_HANDLE, 0, 0);
	call_add(&c, UVERBS_ATTR_ALLOC_DM_LENGTH, 8, d->length);
	call_add(&c, UVERBS_ATTR_ALLOC_DM_ALIGNMENT, 4, d->alignment);
	call_add_ptr(&c, MLX5_IB_ATTR_ALLOC_DM_RESP_START_OFFSET, 8,
		     &d->offset);
	if (!d->no_page)
		call_add_ptr(&c, MLX5_IB_ATTR_ALLOC_DM_RESP_PAGE_INDEX, 2,
			     &d->page);
	if (d->type)
		call_add(&c, MLX5_IB_ATTR_ALLOC_DM_REQ_TYPE, 8, d->type);
	ret = call_run(x->fd, &c);
	d->handle = c.attrs[0].data;
	return ret;
}

int dm_query(struct uctx *x, struct dm *d)
{
	struct call c;

	call_init(&c, UVERBS_OBJECT_DM, MLX5_IB_METHOD_DM_QUERY);
	call_add(&c, MLX5_IB_ATTR_QUERY_DM_REQ_HANDLE, 0, d->handle);
	call_add_ptr(&c, MLX5_IB_ATTR_QUERY_DM_RESP_START_OFFSET, 8,
		     &d->offset);
	call_add_ptr(&c, MLX5_IB_ATTR_QUERY_DM_RESP_PAGE_INDEX, 2, &d->page);
	call_add_ptr(&c, MLX5_IB_ATTR_QUERY_DM_RESP_LENGTH, 8, &d->length);
	return call_run(x->fd, &c);
}

int dm_map_op(struct uctx *x, uint32_t handle, uint8_t op)
{
	uint64_t offset;
	struct call c;

	call_init(&c, UVERBS_OBJECT_DM, MLX5_IB_METHOD_DM_MAP_OP_ADDR);
	call_add(&c, MLX5_IB_ATTR_DM_MAP_OP_ADDR_REQ_HANDLE, 0, handle);
	call_add(&c, MLX5_IB_ATTR_DM_MAP_OP_ADDR_REQ_OP, 1, op);
	call_add_ptr(&c, MLX5_IB_ATTR_DM_MAP_OP_ADDR_RESP_START_OFFSET, 8,
		     &offset);
	return call_run(x->fd, &c);
}

int dm_free(struct uctx *x, uint32_t handle)
{
	struct call c;

	call_init(&c, UVERBS_OBJECT_DM, UVERBS_METHOD_DM_FREE);
	call_add(&c, UVERBS_ATTR_FREE_DM_HANDLE, 0, handle);
	return call_run(x->fd, &c);
}

int dm_max(struct uctx *x, uint64_t *length)
{
	struct ib_uverbs_ex_query_device_resp resp = { };
	struct ib_uverbs_ex_query_device req = { };
	int ret;

	ret = invoke_write(x->fd, IB_USER_VERBS_CMD_FLAG_EXTENDED |
			   IB_USER_VERBS_EX_CMD_QUERY_DEVICE, &req, sizeof(req),
			   &resp, sizeof(resp), NULL, 0, NULL, 0);
	*length = resp.max_dm_size;
	return ret;
}

int dm_reg(struct uctx *x, uint32_t pd, const struct dm *d, uint64_t offset,
	   uint64_t length, uint32_t access, uint32_t *mr)
{
	uint32_t lkey, rkey;
	struct call c;
	int ret;

	call_init(&c, UVERBS_OBJECT_MR, UVERBS_METHOD_DM_MR_REG);
	call_add(&c, UVERBS_ATTR_REG_DM_MR_HANDLE, 0, 0);
	call_add(&c, UVERBS_ATTR_REG_DM_MR_OFFSET, 8, offset);
	call_add(&c, UVERBS_ATTR_REG_DM_MR_LENGTH, 8, length);
	call_add(&c, UVERBS_ATTR_REG_DM_MR_PD_HANDLE, 0, pd);
	call_add(&c, UVERBS_ATTR_REG_DM_MR_ACCESS_FLAGS, 4, access);
	call_add(&c, UVERBS_ATTR_REG_DM_MR_DM_HANDLE, 0, d->handle);
	call_add_ptr(&c, UVERBS_ATTR_REG_DM_MR_RESP_LKEY, 4, &lkey);
	call_add_ptr(&c, UVERBS_ATTR_REG_DM_MR_RESP_RKEY, 4, &rkey);
	ret = call_run(x->fd, &c);
	*mr = c.attrs[0].data;
	return ret;
}

size_t dm_pages(const struct dm *d)
{
	return (d->length + PAGE - 1) / PAGE;
}

uint64_t dm_pgoff(uint32_t page)
{
	return (page >> 8) << 16 | DEVICE_MEMORY << 8 | (page & 0xff);
}

void *dm_map(struct uctx *x, const struct dm *d, int prot)
{
	return mmap(NULL, dm_pages(d) * PAGE, prot, MAP_SHARED, x->fd,
		    dm_pgoff(d->page) * PAGE);
}

void dm_unmap(const struct dm *d, void *pages)
{
	munmap(pages, dm_pages(d) * PAGE);
}
