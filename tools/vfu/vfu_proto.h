/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The vfio-user protocol on the wire: messages from client (QEMU) to server and
 * their answers. Everything is in the byte order of the host.
 */
#ifndef VFU_PROTO_H
#define VFU_PROTO_H

#include <assert.h>
#include <stdint.h>

enum vfu_command {
	VFU_VERSION = 1,
	VFU_DMA_MAP = 2,
	VFU_DMA_UNMAP = 3,
	VFU_DEVICE_GET_INFO = 4,
	VFU_DEVICE_GET_REGION_INFO = 5,
	VFU_DEVICE_GET_REGION_IO_FDS = 6,
	VFU_DEVICE_GET_IRQ_INFO = 7,
	VFU_DEVICE_SET_IRQS = 8,
	VFU_REGION_READ = 9,
	VFU_REGION_WRITE = 10,
	VFU_DMA_READ = 11,
	VFU_DMA_WRITE = 12,
	VFU_DEVICE_RESET = 13,
	VFU_DIRTY_PAGES = 14,
	VFU_REGION_WRITE_MULTI = 15,
	VFU_DEVICE_FEATURE = 16,
	VFU_COMMANDS
};

/* vfu_header.flags */
#define VFU_FLAG_TYPE		0x0f	/* 0 command, 1 reply */
#define VFU_FLAG_REPLY		0x01
#define VFU_FLAG_NO_REPLY	0x10	/* posted: do not answer */
#define VFU_FLAG_ERROR		0x20

struct vfu_header {
	uint16_t id;
	uint16_t command;
	uint32_t size;		/* of the whole message, header included */
	uint32_t flags;
	uint32_t error;		/* errno, with VFU_FLAG_ERROR */
};

struct vfu_version_msg {
	uint16_t major;
	uint16_t minor;
	char	 json[];
};

#define VFU_DMA_READABLE	0x1
#define VFU_DMA_WRITABLE	0x2

struct vfu_dma_map_msg {
	uint32_t argsz;
	uint32_t flags;
	uint64_t offset;	/* in the file that came along */
	uint64_t addr;
	uint64_t size;
};

#define VFU_DMA_UNMAP_ALL	0x2

struct vfu_dma_unmap_msg {
	uint32_t argsz;
	uint32_t flags;
	uint64_t addr;
	uint64_t size;
};

struct vfu_device_info {
	uint32_t argsz;
	uint32_t flags;
	uint32_t num_regions;
	uint32_t num_irqs;
};

struct vfu_irq_set {
	uint32_t argsz;
	uint32_t flags;
	uint32_t index;
	uint32_t start;
	uint32_t count;
};

struct vfu_region_rw {
	uint64_t offset;
	uint32_t region;
	uint32_t count;
	uint8_t	 data[];
};

struct vfu_region_write_one {
	uint64_t offset;
	uint32_t region;
	uint32_t count;		/* at most 8 */
	uint8_t	 data[8];
};

struct vfu_region_write_multi {
	uint64_t count;
	struct vfu_region_write_one write[];
};

static_assert(sizeof(struct vfu_header) == 16, "header");
static_assert(sizeof(struct vfu_version_msg) == 4, "version");
static_assert(sizeof(struct vfu_dma_map_msg) == 32, "DMA map");
static_assert(sizeof(struct vfu_dma_unmap_msg) == 24, "DMA unmap");
static_assert(sizeof(struct vfu_device_info) == 16, "device info");
static_assert(sizeof(struct vfu_irq_set) == 20, "IRQ set");
static_assert(sizeof(struct vfu_region_rw) == 16, "region access");
static_assert(sizeof(struct vfu_region_write_one) == 24, "one of many writes");

#define VFU_MAX_FDS	16		/* QEMU refuses a larger max_msg_fds */
#define VFU_MAX_XFER	(1u << 20)
#define VFU_MAX_BODY	(VFU_MAX_XFER + 4096)

#endif /* VFU_PROTO_H */
