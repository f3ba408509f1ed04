// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/udmabuf.h>

#include <rdma/mlx5-abi.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>

#include "abi_memory.h"
#include "abi_world.h"

/* Handles between those of slots and the stale one, for what gets lost */
#define SPACE		64
#define SMALL		16
#define FOREIGN		150	/* no file here has so many handles */
#define DMABUF_PAGES	4
#define NO_OBJECT	0xffff	/* nobody destroys it by its handle */

static int make_pd(struct abi_world *w, int64_t *id)
{
	uint32_t pd;
	int ret = pd_alloc(&w->x, &pd);

	*id = pd;
	return ret;
}

static int make_channel(struct abi_world *w, int64_t *id)
{
	int fd, ret = channel_create(&w->x, &fd);

	*id = fd;
	return ret;
}

static int make_async(struct abi_world *w, int64_t *id)
{
	*id = w->x.async_fd;
	return 0;
}

static int make_cq(struct abi_world *w, int64_t *id)
{
	uint32_t cq;
	int ret = cq_create(&w->x, -1, 0, &cq);

	*id = cq;
	return ret;
}

static int make_srq(struct abi_world *w, int64_t *id)
{
	uint32_t srq;
	int ret = srq_create(&w->x, abi_world_need(w, SLOT_PD), &srq);

	*id = srq;
	return ret;
}

static int make_qp(struct abi_world *w, int64_t *id)
{
	uint32_t qp, qpn;
	int ret = qp_create(&w->x, abi_world_need(w, SLOT_PD),
			    abi_world_need(w, SLOT_CQ), &qp, &qpn);

	*id = qp;
	return ret;
}

static int make_qp_init(struct abi_world *w, int64_t *id)
{
	int ret = make_qp(w, id);

	return ret ? ret : qp_to_init(&w->x, *id);
}

/* State, address, MTU, peer, PSN, reads, RNR timer */
#define TO_RTR	(1 | 1 << 7 | 1 << 8 | 1 << 12 | 1 << 15 | 1 << 17 | 1 << 20)

static int make_qp_rtr(struct abi_world *w, int64_t *id)
{
	struct ib_uverbs_modify_qp in = {
		.attr_mask = TO_RTR, .qp_state = 2, .path_mtu = 3,
		.dest = { .dlid = 1, .port_num = 1 }, .dest_qp_num = 1,
		.max_dest_rd_atomic = 1, .min_rnr_timer = 12,
	};
	int ret = make_qp_init(w, id);

	if (ret)
		return ret;
	in.qp_handle = *id;
	return invoke_write(w->x.fd, IB_USER_VERBS_CMD_MODIFY_QP, &in,
			    sizeof(in), NULL, 0, NULL, 0, NULL, 0);
}

static int make_mr(struct abi_world *w, int64_t *id)
{
	uint32_t mr;
	int ret = mr_reg(&w->x, abi_world_need(w, SLOT_PD),
			 abi_region(REGION_QUEUES), PAGE, 1, &mr);

	*id = mr;
	return ret;
}

static int ah_create(struct uctx *x, uint32_t pd, int64_t *id)
{
	struct ib_uverbs_create_ah in = {
		.pd_handle = pd, .attr = { .dlid = 1, .port_num = 1 },
	};
	struct ib_uverbs_create_ah_resp out = { };
	int ret = invoke_write(x->fd, IB_USER_VERBS_CMD_CREATE_AH, &in,
			       sizeof(in), &out, sizeof(out), NULL, 0, NULL,
			       0);

	*id = out.ah_handle;
	return ret;
}

static int make_ah(struct abi_world *w, int64_t *id)
{
	return ah_create(&w->x, abi_world_need(w, SLOT_PD), id);
}

static int make_uar(struct abi_world *w, int64_t *id)
{
	uint64_t offset;
	uint32_t length, page;
	struct call c;
	int ret;

	call_init(&c, MLX5_IB_OBJECT_UAR, MLX5_IB_METHOD_UAR_OBJ_ALLOC);
	call_add(&c, MLX5_IB_ATTR_UAR_OBJ_ALLOC_HANDLE, 0, 0);
	call_add(&c, MLX5_IB_ATTR_UAR_OBJ_ALLOC_TYPE, 8,
		 MLX5_IB_UAPI_UAR_ALLOC_TYPE_NC);
	call_add_ptr(&c, MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_OFFSET, 8, &offset);
	call_add_ptr(&c, MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_LENGTH, 4, &length);
	call_add_ptr(&c, MLX5_IB_ATTR_UAR_OBJ_ALLOC_PAGE_ID, 4, &page);
	ret = call_run(w->x.fd, &c);
	*id = c.attrs[0].data;
	return ret;
}

static int make_xrcd(struct abi_world *w, int64_t *id)
{
	struct ib_uverbs_open_xrcd in = { .fd = -1, .oflags = O_CREAT };
	struct ib_uverbs_open_xrcd_resp out = { };
	int ret = invoke_write(w->x.fd, IB_USER_VERBS_CMD_OPEN_XRCD, &in,
			       sizeof(in), &out, sizeof(out), NULL, 0, NULL,
			       0);

	*id = out.xrcd_handle;
	return ret;
}

/* A region that is paged on demand; it lives as long as the context. */
static int make_paged_key(struct abi_world *w, int64_t *id)
{
	struct ib_uverbs_reg_mr in = {
		.start = (uintptr_t)abi_region(REGION_QUEUES),
		.hca_va = (uintptr_t)abi_region(REGION_QUEUES),
		.length = PAGE,
		.pd_handle = abi_world_need(w, SLOT_PD),
		.access_flags = IB_UVERBS_ACCESS_LOCAL_WRITE |
				IB_UVERBS_ACCESS_ON_DEMAND,
	};
	struct ib_uverbs_reg_mr_resp out = { };
	int ret = invoke_write(w->x.fd, IB_USER_VERBS_CMD_REG_MR, &in,
			       sizeof(in), &out, sizeof(out), NULL, 0, NULL,
			       0);

	*id = out.lkey;
	return ret;
}

static int make_mw(struct abi_world *w, int64_t *id)
{
	struct ib_uverbs_alloc_mw in = {
		.pd_handle = abi_world_need(w, SLOT_PD), .mw_type = 1,
	};
	struct ib_uverbs_alloc_mw_resp out = { };
	int ret = invoke_write(w->x.fd, IB_USER_VERBS_CMD_ALLOC_MW, &in,
			       sizeof(in), &out, sizeof(out), NULL, 0, NULL,
			       0);

	*id = out.mw_handle;
	return ret;
}

static int make_dm(struct abi_world *w, int64_t *id)
{
	uint64_t offset;
	uint16_t page;
	struct call c;
	int ret;

	call_init(&c, UVERBS_OBJECT_DM, UVERBS_METHOD_DM_ALLOC);
	call_add(&c, UVERBS_ATTR_ALLOC_DM_HANDLE, 0, 0);
	call_add(&c, UVERBS_ATTR_ALLOC_DM_LENGTH, 8, 64);
	call_add(&c, UVERBS_ATTR_ALLOC_DM_ALIGNMENT, 4, 0);
	call_add_ptr(&c, MLX5_IB_ATTR_ALLOC_DM_RESP_START_OFFSET, 8, &offset);
	call_add_ptr(&c, MLX5_IB_ATTR_ALLOC_DM_RESP_PAGE_INDEX, 2, &page);
	ret = call_run(w->x.fd, &c);
	*id = c.attrs[0].data;
	return ret;
}

static int make_dmabuf(struct abi_world *w, int64_t *id)
{
	struct udmabuf_create in = {
		.flags = UDMABUF_FLAGS_CLOEXEC, .size = DMABUF_PAGES * PAGE,
	};
	int device = open("/dev/udmabuf", O_RDWR | O_CLOEXEC);
	int memory = memfd_create("dmabuf", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	int ret = 0;

	(void)w;
	in.memfd = memory;
	*id = -1;
	if (!ftruncate(memory, in.size) &&
	    !fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK))
		*id = ioctl(device, UDMABUF_CREATE, &in);
	if (*id < 0)
		ret = errno;
	close(memory);
	close(device);
	return ret;
}

/*
 * How an object of a slot is made, and destroyed: all destroying methods have
 * the handle as first attribute and the response as second.
 */
static const struct {
	const char *name;
	int (*make)(struct abi_world *w, int64_t *id);
	uint16_t object;
	uint8_t method;
	uint8_t resp;
} slots[SLOTS] = {
	[SLOT_PD] = { "pd", make_pd, UVERBS_OBJECT_PD },
	[SLOT_PD_SPARE] = { "pd", make_pd, UVERBS_OBJECT_PD },
	[SLOT_CHANNEL] = { "channel", make_channel,
			   UVERBS_OBJECT_COMP_CHANNEL },
	[SLOT_ASYNC] = { "async", make_async, UVERBS_OBJECT_ASYNC_EVENT },
	[SLOT_CQ] = { "cq", make_cq, UVERBS_OBJECT_CQ, 1, 8 },
	[SLOT_CQ_SPARE] = { "cq", make_cq, UVERBS_OBJECT_CQ, 1, 8 },
	[SLOT_SRQ] = { "srq", make_srq, UVERBS_OBJECT_SRQ, 1, 4 },
	[SLOT_SRQ_SPARE] = { "srq", make_srq, UVERBS_OBJECT_SRQ, 1, 4 },
	[SLOT_QP] = { "qp", make_qp, UVERBS_OBJECT_QP, 1, 4 },
	[SLOT_QP_SPARE] = { "qp", make_qp, UVERBS_OBJECT_QP, 1, 4 },
	[SLOT_QP_INIT] = { "qp", make_qp_init, UVERBS_OBJECT_QP, 1, 4 },
	[SLOT_QP_RTR] = { "qp", make_qp_rtr, UVERBS_OBJECT_QP, 1, 4 },
	[SLOT_MR] = { "mr", make_mr, UVERBS_OBJECT_MR, 1 },
	[SLOT_MR_SPARE] = { "mr", make_mr, UVERBS_OBJECT_MR, 1 },
	[SLOT_AH_SPARE] = { "ah", make_ah, UVERBS_OBJECT_AH },
	[SLOT_UAR_SPARE] = { "uar", make_uar, MLX5_IB_OBJECT_UAR, 1 },
	[SLOT_XRCD] = { "xrcd", make_xrcd, UVERBS_OBJECT_XRCD },
	[SLOT_XRCD_SPARE] = { "xrcd", make_xrcd, UVERBS_OBJECT_XRCD },
	[SLOT_MW_SPARE] = { "mw", make_mw, UVERBS_OBJECT_MW },
	[SLOT_DM] = { "dm", make_dm, UVERBS_OBJECT_DM, 1 },
	[SLOT_DM_SPARE] = { "dm", make_dm, UVERBS_OBJECT_DM, 1 },
	[SLOT_DMABUF] = { "dmabuf", make_dmabuf, NO_OBJECT },
	[SLOT_PAGED_KEY] = { "key", make_paged_key, NO_OBJECT },
	[SLOT_FLOW] = { "flow", NULL, UVERBS_OBJECT_FLOW },
	[SLOT_WQ] = { "wq", NULL, UVERBS_OBJECT_WQ, 1, 4 },
	[SLOT_IND_TABLE] = { "table", NULL, UVERBS_OBJECT_RWQ_IND_TBL },
	[SLOT_FLOW_ACTION] = { "action", NULL, UVERBS_OBJECT_FLOW_ACTION, 1 },
	[SLOT_COUNTERS] = { "counters", NULL, UVERBS_OBJECT_COUNTERS, 1 },
};

bool abi_slot_same(enum abi_slot a, enum abi_slot b)
{
	return slots[a].object == slots[b].object;
}

bool abi_slot_has(enum abi_slot slot)
{
	return slots[slot].make;
}

bool abi_slot_is_fd(enum abi_slot slot)
{
	return slot == SLOT_CHANNEL || slot == SLOT_ASYNC ||
	       slot == SLOT_DMABUF;
}

const char *abi_slot_name(enum abi_slot slot)
{
	return slots[slot].name;
}

int64_t abi_world_need(struct abi_world *w, enum abi_slot slot)
{
	int error;

	if (!w->made[slot] && slots[slot].make) {
		error = slots[slot].make(w, &w->ids[slot]);
		w->made[slot] = !error;
		/* worth a look, but it may be what a kernel does not have */
		if (error)
			fprintf(stderr, "no %s: %s\n", slots[slot].name,
				strerrorname_np(error));
	}
	return w->made[slot] ? w->ids[slot] : w->stale;
}

void abi_world_drop(struct abi_world *w, enum abi_slot slot, int64_t id)
{
	unsigned int ns = slots[slot].object & ABI_DRIVER_NS;
	uint64_t resp;
	struct call c;

	if (abi_slot_is_fd(slot)) {
		close(id);
		return;
	}
	call_init(&c, slots[slot].object, ns | slots[slot].method);
	call_add(&c, ns, 0, id);
	if (slots[slot].resp)
		call_add_ptr(&c, 1, slots[slot].resp, &resp);
	call_run(w->x.fd, &c);
}

void abi_world_spend(struct abi_world *w, enum abi_slot slot)
{
	if (w->made[slot])
		abi_world_drop(w, slot, w->ids[slot]);
	w->made[slot] = false;
}

/* Who used it up did not mean this one, so it may be any. */
void abi_world_spend_class(struct abi_world *w, enum abi_slot slot)
{
	unsigned int i;

	for (i = SLOT_PD; i < SLOTS; i++) {
		if (abi_slot_same(i, slot))
			abi_world_spend(w, i);
	}
}

/* A handle that only the other file has */
static int make_foreign(struct abi_world *w)
{
	uint32_t pd;
	int fd, ret;

	ret = uctx_open(&w->other);
	if (!ret)
		ret = pd_alloc(&w->other, &pd);
	if (!ret)
		ret = channel_create(&w->other, &fd);
	w->foreign_fd = fd;
	do {
		if (!ret)
			ret = ah_create(&w->other, pd, &w->foreign);
	} while (!ret && w->foreign < FOREIGN);
	return ret;
}

/* A handle that was, so high that no slot gets it again */
static int make_stale(struct abi_world *w)
{
	int64_t ids[SPACE];
	unsigned int i;
	int ret = 0;

	for (i = 0; i < SPACE && !ret; i++)
		ret = make_ah(w, &ids[i]);
	while (i--)
		abi_world_drop(w, SLOT_AH_SPARE, ids[i]);
	w->stale = ids[SPACE - 1];
	return ret;
}

/*
 * A command that takes a handle for a descriptor finds an open one, whatever
 * the handle is.
 */
static void fill_fds(void)
{
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	while (fd >= 0 && fd < FOREIGN + SPACE)
		fd = dup(fd);
}

int abi_world_init(struct abi_world *w)
{
	int ret;

	memset(w, 0, sizeof(*w));
	fill_fds();
	w->fresh = -1;
	ret = make_foreign(w);
	w->first_fd = dup(0);
	close(w->first_fd);
	return ret;
}

/*
 * What kernels refuse differs, and with it, which handles are free. A number
 * that is taken for a handle is small: those are never free.
 */
static int take_small_handles(struct abi_world *w)
{
	int64_t id = 0;
	uint32_t pd;
	int ret;

	ret = pd_alloc(&w->x, &pd);
	while (!ret && id < SMALL)
		ret = ah_create(&w->x, pd, &id);
	return ret;
}

int abi_world_make(struct abi_world *w)
{
	unsigned int slot;
	int ret;

	memset(w->made, 0, sizeof(w->made));
	ret = uctx_open(&w->x);
	if (!ret)
		ret = take_small_handles(w);
	if (ret)
		return ret;
	for (slot = SLOT_PD; slot < SLOTS; slot++)
		abi_world_need(w, slot);
	return make_stale(w);
}

void abi_world_end(struct abi_world *w)
{
	uctx_close(&w->x);
	/* and the descriptors of calls whose answer was nowhere to be seen */
	close_range(w->first_fd, ~0u, 0);
}

int abi_world_fresh(struct abi_world *w)
{
	w->fresh = open("/dev/infiniband/uverbs0", O_RDWR | O_CLOEXEC);
	return w->fresh;
}

void abi_world_fresh_end(struct abi_world *w)
{
	close(w->fresh);
	w->fresh = -1;
}
