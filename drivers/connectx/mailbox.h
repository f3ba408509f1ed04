/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages, and their mailboxes: the part of a command or answer that does not
 * fit in the queue entry. The functions on plain memory are pure and tested by
 * KUnit.
 */
#ifndef CX_MAILBOX_H
#define CX_MAILBOX_H

#include <linux/list.h>
#include <linux/types.h>

#include <connectx/prm_cmd.h>

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

/* A command of no more than that, with a short answer, allocates nothing. */
#define CX_CMD_SLOT_BYTES	(CX_CMD_INLINE_BYTES + CX_MAILBOX_DATA_BYTES)

/**
 * struct cx_message - what is to be sent, and room for the answer
 * @b: the command in pieces
 * @inlen: its length
 * @outlen: that of the answer
 * @in: mailboxes of the command; first, while it has a slot, that of the slot
 * @out: mailboxes of the answer
 * @token: all mailboxes have it
 */
struct cx_message {
	struct cx_bytes b[2];
	size_t inlen;
	size_t outlen;
	struct list_head in;
	struct list_head out;
	u8 token;
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

void cx_message_write(struct cx_message *m, struct cx_cmdq_entry *e);

/**
 * cx_message_free - undo cx_message_alloc()
 * @pool: pool the mailboxes came from
 * @m: the message, without the mailbox of a slot
 *
 * Context: Any context.
 */
static inline void cx_message_free(struct dma_pool *pool,
				   struct cx_message *m)
{
	if (!list_empty(&m->in))
		cx_mbox_free(pool, &m->in);
	if (!list_empty(&m->out))
		cx_mbox_free(pool, &m->out);
}

/**
 * cx_message_alloc - mailboxes for a message, but the first of the command
 * @pool: pool of struct cx_mailbox
 * @m: the message; its lengths and its token are set
 *
 * The first is that of a slot. Few messages have others.
 *
 * Context: Process context. Sleeps.
 * Return: 0 or -ENOMEM.
 */
static inline int cx_message_alloc(struct dma_pool *pool,
				   struct cx_message *m)
{
	int ret = 0;

	INIT_LIST_HEAD(&m->in);
	INIT_LIST_HEAD(&m->out);
	if (m->inlen > CX_CMD_SLOT_BYTES)
		ret = cx_mbox_alloc(pool, &m->in, 1, m->inlen, m->token);
	if (!ret && m->outlen > CX_CMD_INLINE_BYTES)
		ret = cx_mbox_alloc(pool, &m->out, 0, m->outlen, m->token);
	if (ret)
		cx_message_free(pool, m);
	return ret;
}

#endif /* CX_MAILBOX_H */
