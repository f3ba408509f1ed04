/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An exporter of DMA buffers that moves its memory when it is told to: also
 * while somebody maps it.
 */
#ifndef KUNIT_FAKE_DMABUF_H
#define KUNIT_FAKE_DMABUF_H

#include <linux/dma-fence.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct dma_buf;
struct kunit;

#define FAKE_DMABUF_PLACES	2

/**
 * struct fake_dmabuf - what a test sees of the exporter
 * @buf: the buffer
 * @fd: a descriptor of it
 * @places: where the memory can be, an address each
 * @place: where it is
 * @fail_attach: errno of the next attach, then 0 again
 * @fail_pin: errno of the next pin, then 0 again
 * @fail_map: errno of the next map, then 0 again
 * @piece: bytes in a piece of the mapping
 * @scattered: the pieces lie in reverse order
 * @misplaced: bytes by which the mapping is off a page
 * @short_by: bytes at the end that are not mapped
 * @move_in_map: it moves while it is mapped
 * @attached: attachments
 * @pinned: pins
 * @mapped: mappings
 * @fence: of the copy that a move began
 * @copied: ends the copy
 * @copies: that have ended
 */
struct fake_dmabuf {
	struct dma_buf		*buf;
	int			fd;
	void			*places[FAKE_DMABUF_PLACES];
	unsigned int		place;
	int			fail_attach;
	int			fail_pin;
	int			fail_map;
	size_t			piece;
	bool			scattered;
	unsigned int		misplaced;
	size_t			short_by;
	bool			move_in_map;
	int			attached;
	int			pinned;
	int			mapped;
	struct dma_fence	*fence;
	struct delayed_work	copied;
	unsigned int		copies;
};

/* It is given back at the end of the test, when nobody must use it. */
struct fake_dmabuf *fake_dmabuf_export(struct kunit *test, size_t size);

/* Move to the other place; the copy takes so long. */
void fake_dmabuf_move(struct fake_dmabuf *fake, unsigned int copy_ms);

/* Bus address of a byte of the buffer where it is now */
u64 fake_dmabuf_dma(const struct fake_dmabuf *fake, size_t offset);

#endif /* KUNIT_FAKE_DMABUF_H */
