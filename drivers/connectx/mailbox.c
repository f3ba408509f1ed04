// SPDX-License-Identifier: GPL-2.0-only
/*
 * Mailbox chains and the layout of a command queue entry. The first 16 bytes
 * of a message live in the entry, the rest in 512-byte mailboxes.
 */
#include <linux/dmapool.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/unaligned.h>

#include <kunit/visibility.h>

#include <connectx/prm_cmd.h>

#include "mailbox.h"
#include "refuse.h"

/**
 * cx_mbox_count - mailboxes that a message needs
 * @len: bytes of the message, those in the queue entry included
 *
 * Context: Any context.
 * Return: number of mailboxes.
 */
unsigned int cx_mbox_count(size_t len)
{
	if (len <= CX_CMD_INLINE_BYTES)
		return 0;
	return DIV_ROUND_UP(len - CX_CMD_INLINE_BYTES, CX_MAILBOX_DATA_BYTES);
}
EXPORT_SYMBOL_IF_KUNIT(cx_mbox_count);

/**
 * cx_mbox_format - write everything in a mailbox but its data
 * @box: the mailbox
 * @block: its place in the chain, from 0
 * @next: DMA address of the next one, 0 for the last
 * @token: token of the command
 *
 * Context: Any context.
 */
void cx_mbox_format(struct cx_mailbox *box, u32 block, dma_addr_t next,
		    u8 token)
{
	memset_after(box, 0, data);
	box->next = cpu_to_be64(next);
	box->block_num = cpu_to_be32(block);
	box->token = token;
}
EXPORT_SYMBOL_IF_KUNIT(cx_mbox_format);

/**
 * cx_cmd_signature - the signature that makes an entry's XOR all ones
 * @e: the entry; its own signature byte is left out
 *
 * Context: Any context.
 * Return: the signature.
 */
u8 cx_cmd_signature(const struct cx_cmdq_entry *e)
{
	const u64 *p = (const u64 *)e;
	u64 sum = 0;
	size_t i;

	/* byte by byte would be a third of what it takes to post a command */
	for (i = 0; i < sizeof(*e) / sizeof(*p); i++)
		sum ^= get_unaligned(p + i);
	sum ^= sum >> 32;
	sum ^= sum >> 16;
	sum ^= sum >> 8;
	return ~(sum ^ e->sig);
}
EXPORT_SYMBOL_IF_KUNIT(cx_cmd_signature);

/**
 * cx_cmd_format - write the fixed part of a queue entry
 * @e: the entry, zeroed
 * @inlen: bytes of the command
 * @outlen: bytes of the answer
 * @token: token of the command
 *
 * Ownership, data and pointers are the caller's.
 *
 * Context: Any context.
 */
void cx_cmd_format(struct cx_cmdq_entry *e, size_t inlen, size_t outlen,
		   u8 token)
{
	e->type = CX_CMD_TYPE_PCI;
	e->inlen = cpu_to_be32(inlen);
	e->outlen = cpu_to_be32(outlen);
	e->token = token;
}
EXPORT_SYMBOL_IF_KUNIT(cx_cmd_format);

/**
 * cx_bytes_copy - take the next bytes of a message made of pieces
 * @dst: where to
 * @room: how many at most
 * @b: the pieces; advanced by what was taken
 * @n: number of pieces
 *
 * Context: Any context.
 * Return: bytes taken, less than @room only at the end of the message.
 */
size_t cx_bytes_copy(void *dst, size_t room, struct cx_bytes *b,
		     unsigned int n)
{
	size_t done = 0;

	for (; n && done < room; b++, n--) {
		size_t len = min(b->len, room - done);

		memcpy(dst + done, b->p, len);
		b->p += len;
		b->len -= len;
		done += len;
	}
	return done;
}
EXPORT_SYMBOL_IF_KUNIT(cx_bytes_copy);

static void cx_mbox_free_one(struct dma_pool *pool, struct cx_mbox *m)
{
	list_del(&m->next);
	dma_pool_free(pool, m->box, m->dma);
	kfree(m);
}

/**
 * cx_mbox_free - free a chain
 * @pool: pool it came from
 * @chain: the chain, empty afterwards
 *
 * Context: Any context.
 */
void cx_mbox_free(struct dma_pool *pool, struct list_head *chain)
{
	struct cx_mbox *m, *tmp;

	list_for_each_entry_safe(m, tmp, chain, next)
		cx_mbox_free_one(pool, m);
}

/**
 * cx_mbox_alloc - allocate a chain for a message, whose data is not set
 * @pool: pool of struct cx_mailbox
 * @chain: an empty list
 * @first: place of its first mailbox in the message, from 0
 * @len: bytes of the message, those in the queue entry included
 * @token: token of the command
 *
 * Context: Process context. Sleeps.
 * Return: 0 or -ENOMEM.
 */
int cx_mbox_alloc(struct dma_pool *pool, struct list_head *chain,
		  unsigned int first, size_t len, u8 token)
{
	unsigned int n = cx_mbox_count(len);
	dma_addr_t after = 0;
	struct cx_mbox *m;

	/* back to front, so that each one knows its successor */
	while (n-- > first) {
		m = kmalloc(sizeof(*m), GFP_KERNEL);
		if (!m)
			goto err_chain;
		m->box = dma_pool_alloc(pool, GFP_KERNEL, &m->dma);
		if (!m->box) {
			kfree(m);
			goto err_chain;
		}
		cx_mbox_format(m->box, n, after, token);
		list_add(&m->next, chain);
		after = m->dma;
	}
	return 0;

err_chain:
	cx_mbox_free(pool, chain);
	return cx_refuse(-ENOMEM, "no memory for mailboxes of %llu bytes", len,
			 0);
}

/**
 * cx_mbox_first - address of a chain
 * @chain: the chain
 *
 * Context: Any context.
 * Return: DMA address of its first mailbox, 0 if it is empty.
 */
dma_addr_t cx_mbox_first(struct list_head *chain)
{
	const struct cx_mbox *m;

	m = list_first_entry_or_null(chain, struct cx_mbox, next);
	return m ? m->dma : 0;
}

/**
 * cx_mbox_scatter - fill a chain, what is left of it with zeros
 * @chain: the chain, long enough
 * @b: pieces of the message
 * @n: number of pieces
 *
 * Context: Any context.
 */
void cx_mbox_scatter(struct list_head *chain, struct cx_bytes *b,
		     unsigned int n)
{
	struct cx_mbox *m;

	list_for_each_entry(m, chain, next) {
		size_t got = cx_bytes_copy(m->box->data, CX_MAILBOX_DATA_BYTES,
					   b, n);

		if (got < CX_MAILBOX_DATA_BYTES)
			memset(m->box->data + got, 0,
			       CX_MAILBOX_DATA_BYTES - got);
	}
}

/**
 * cx_mbox_gather - read a chain
 * @chain: the chain
 * @dst: where to
 * @len: bytes to read
 *
 * Context: Any context.
 */
void cx_mbox_gather(const struct list_head *chain, void *dst, size_t len)
{
	const struct cx_mbox *m;

	list_for_each_entry(m, chain, next) {
		size_t part = min_t(size_t, len, CX_MAILBOX_DATA_BYTES);

		memcpy(dst, m->box->data, part);
		dst += part;
		len -= part;
	}
}

/**
 * cx_message_write - write a message to a queue entry and its mailboxes
 * @m: the message, which has all its mailboxes; its pieces are used up
 * @e: the entry, which is the device's afterwards
 *
 * Context: Any context.
 */
void cx_message_write(struct cx_message *m, struct cx_cmdq_entry *e)
{
	memset(e, 0, sizeof(*e));
	cx_cmd_format(e, m->inlen, m->outlen, m->token);
	cx_bytes_copy(e->in, CX_CMD_INLINE_BYTES, m->b, ARRAY_SIZE(m->b));
	if (!list_empty(&m->in)) {
		cx_mbox_scatter(&m->in, m->b, ARRAY_SIZE(m->b));
		e->in_ptr = cpu_to_be64(cx_mbox_first(&m->in));
	}
	if (!list_empty(&m->out)) {
		cx_mbox_scatter(&m->out, NULL, 0);
		e->out_ptr = cpu_to_be64(cx_mbox_first(&m->out));
	}
	e->status_own = CX_CMD_OWNER_HW;
	e->sig = cx_cmd_signature(e);
}
