/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Mailbox chains: the part of a command or answer that does not fit in the
 * queue entry. The functions on plain memory are pure and tested by KUnit.
 */
#ifndef CX_MAILBOX_H
#define CX_MAILBOX_H

#include <linux/list.h>
#include <linux/types.h>

struct cx_cmdq_entry;
struct cx_mailbox;
struct dma_pool;

/**
 * struct cx_mbox - one mailbox in a chain
 * @next: links the chain, in order
 * @box: the memory the device sees
 * @dma: its address
 */
struct cx_mbox {
	struct list_head next;
	struct cx_mailbox *box;
	dma_addr_t dma;
};

/**
 * struct cx_bytes - a piece of a message
 * @p: start
 * @len: bytes
 */
struct cx_bytes {
	const void *p;
	size_t len;
};

unsigned int cx_mbox_count(size_t len);
void cx_mbox_format(struct cx_mailbox *box, u32 block, dma_addr_t next,
		    u8 token);
u8 cx_cmd_signature(const struct cx_cmdq_entry *e);
void cx_cmd_format(struct cx_cmdq_entry *e, size_t inlen, size_t outlen,
		   u8 token);
size_t cx_bytes_copy(void *dst, size_t room, struct cx_bytes *b,
		     unsigned int n);

int cx_mbox_alloc(struct dma_pool *pool, struct list_head *chain,
		  unsigned int first, size_t len, u8 token);
void cx_mbox_free(struct dma_pool *pool, struct list_head *chain);
dma_addr_t cx_mbox_first(struct list_head *chain);
void cx_mbox_scatter(struct list_head *chain, struct cx_bytes *b,
		     unsigned int n);
void cx_mbox_gather(const struct list_head *chain, void *dst, size_t len);

#endif /* CX_MAILBOX_H */
