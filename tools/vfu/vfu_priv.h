/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by the files of the library, by nobody else.
 */
#ifndef VFU_PRIV_H
#define VFU_PRIV_H

#include <linux/vfio.h>
#include <stddef.h>
#include <sys/types.h>

#include "vfu.h"
#include "vfu_proto.h"

#define VFU_MAX_VECTORS	256
#define VFU_MAX_FILES	16

struct vfu_msg {
	struct vfu_header h;
	uint8_t		*body;		/* VFU_MAX_BODY bytes */
	uint32_t	len;		/* of what arrived in it */
	int		fd[VFU_MAX_FDS];
	unsigned int	nfds;
};

/* One per distinct file of guest memory, mapped once and as a whole. */
struct vfu_dma_file {
	dev_t		dev;
	ino_t		ino;
	uint8_t		*base;
	uint64_t	len;
	unsigned int	refs;
	bool		writable;
};

struct vfu_dma_map {
	uint64_t	iova;
	uint64_t	size;
	uint8_t		*ptr;		/* NULL: the client gave no file */
	struct vfu_dma_file *file;
	uint32_t	flags;
};

struct vfu_dma {
	struct vfu_dma_file file[VFU_MAX_FILES];
	struct vfu_dma_map *map;	/* sorted, not overlapping */
	unsigned int	count;
	unsigned int	room;
};

struct vfu_ctx {
	const struct vfu_ops *ops;
	void		*priv;
	char		*path;
	int		listen_fd;
	int		client_fd;
	bool		bound;		/* the path is ours to remove */
	uint64_t	region_size[VFIO_PCI_NUM_REGIONS];
	unsigned int	vectors;
	int		irq_fd[VFU_MAX_VECTORS];
	struct vfu_dma	dma;
	struct vfu_msg	msg;
};

/* vfu_sock.c */
int vfu_sock_listen(const char *path);
int vfu_sock_recv(int sock, struct vfu_msg *m);
/* @error is 0 or a negative errno */
int vfu_sock_reply(int sock, const struct vfu_msg *m, int error,
		   const void *body, uint32_t len);

/* vfu_dma.c: 0 or a negative errno */
int vfu_dma_add(struct vfu_dma *d, const struct vfu_dma_map_msg *r, int fd);
void vfu_dma_del(struct vfu_dma *d, uint64_t addr, uint64_t size);
void vfu_dma_del_all(struct vfu_dma *d);
void *vfu_dma_find(struct vfu_dma *d, uint64_t iova, uint64_t *len, bool write);

#endif /* VFU_PRIV_H */
