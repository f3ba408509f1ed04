// SPDX-License-Identifier: GPL-2.0-only
/*
 * Guest memory. Each file is mapped once and as a whole; a DMA map is then only
 * an offset into it. With a virtual IOMMU the client sends one map, with the
 * file, for every 4 KiB page.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "vfu_priv.h"

#define VFU_MAX_MAPS	65535

static bool vfu_dma_file_open(struct vfu_dma_file *f, const struct stat *st,
			      int fd)
{
	f->writable = true;
	f->base = mmap(NULL, st->st_size, PROT_READ | PROT_WRITE, MAP_SHARED,
		       fd, 0);
	if (f->base == MAP_FAILED) {
		f->writable = false;
		f->base = mmap(NULL, st->st_size, PROT_READ, MAP_SHARED, fd, 0);
	}
	if (f->base == MAP_FAILED)
		return false;
	f->dev = st->st_dev;
	f->ino = st->st_ino;
	f->len = st->st_size;
	f->refs = 1;
	return true;
}

static struct vfu_dma_file *vfu_dma_file_get(struct vfu_dma *d, int fd)
{
	struct vfu_dma_file *f, *spare = NULL;
	struct stat st;

	if (fstat(fd, &st))
		return NULL;
	for (f = d->file; f < d->file + VFU_MAX_FILES; f++) {
		if (!f->refs) {
			spare = f;
		} else if (f->dev == st.st_dev && f->ino == st.st_ino) {
			f->refs++;
			return f;
		}
	}
	return spare && vfu_dma_file_open(spare, &st, fd) ? spare : NULL;
}

static void vfu_dma_file_put(struct vfu_dma_file *f)
{
	if (f && !--f->refs)
		munmap(f->base, f->len);
}

/* Index of the first map at or above the address. */
static unsigned int vfu_dma_lower(const struct vfu_dma *d, uint64_t addr)
{
	unsigned int lo = 0, hi = d->count;

	while (lo < hi) {
		unsigned int mid = (lo + hi) / 2;

		if (d->map[mid].iova < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static bool vfu_dma_grow(struct vfu_dma *d)
{
	unsigned int room = d->room ? d->room * 2 : 64;
	struct vfu_dma_map *map;

	if (d->count < d->room)
		return true;
	map = realloc(d->map, room * sizeof(*map));
	if (!map)
		return false;
	d->map = map;
	d->room = room;
	return true;
}

int vfu_dma_add(struct vfu_dma *d, const struct vfu_dma_map_msg *r, int fd)
{
	unsigned int i = vfu_dma_lower(d, r->addr);
	struct vfu_dma_file *f = NULL;

	if (!r->size || r->addr + r->size < r->addr)
		return -EINVAL;
	if ((i < d->count && d->map[i].iova < r->addr + r->size) ||
	    (i && d->map[i - 1].iova + d->map[i - 1].size > r->addr))
		return -EEXIST;
	if (d->count == VFU_MAX_MAPS || !vfu_dma_grow(d))
		return -ENOSPC;
	if (fd >= 0) {
		f = vfu_dma_file_get(d, fd);
		if (!f)
			return -ENOMEM;
		if (r->offset > f->len || r->size > f->len - r->offset) {
			vfu_dma_file_put(f);
			return -EINVAL;
		}
	}
	memmove(d->map + i + 1, d->map + i, (d->count - i) * sizeof(*d->map));
	d->map[i] = (struct vfu_dma_map){
		.iova = r->addr,
		.size = r->size,
		.ptr = f ? f->base + r->offset : NULL,
		.file = f,
		.flags = r->flags,
	};
	d->count++;
	return 0;
}

/* Remove every map that lies within the range. */
void vfu_dma_del(struct vfu_dma *d, uint64_t addr, uint64_t size)
{
	unsigned int i, out = 0;

	for (i = 0; i < d->count; i++) {
		struct vfu_dma_map *x = &d->map[i];

		if (x->iova >= addr && x->iova - addr < size &&
		    x->size <= size - (x->iova - addr))
			vfu_dma_file_put(x->file);
		else
			d->map[out++] = *x;
	}
	d->count = out;
}

void vfu_dma_del_all(struct vfu_dma *d)
{
	unsigned int i;

	for (i = 0; i < d->count; i++)
		vfu_dma_file_put(d->map[i].file);
	d->count = 0;
}

void *vfu_dma_find(struct vfu_dma *d, uint64_t iova, uint64_t *len, bool write)
{
	unsigned int i = vfu_dma_lower(d, iova);
	struct vfu_dma_map *x;

	if (i == d->count || d->map[i].iova != iova) {
		if (!i)
			return NULL;
		i--;
	}
	x = &d->map[i];
	if (iova - x->iova >= x->size || !x->ptr)
		return NULL;
	if (!(x->flags & (write ? VFU_DMA_WRITABLE : VFU_DMA_READABLE)) ||
	    (write && !x->file->writable))
		return NULL;
	if (*len > x->size - (iova - x->iova))
		*len = x->size - (iova - x->iova);
	return x->ptr + (iova - x->iova);
}
