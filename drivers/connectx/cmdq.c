// SPDX-License-Identifier: GPL-2.0-only
/*
 * The command queue.
 *
 * A slot is an entry of the queue, a bit in the doorbell and in the event. The
 * last slot belongs to MANAGE_PAGES: the firmware may need pages to finish a
 * command, so serving them must never wait for a command to finish.
 *
 * A command in flight (struct cx_cmd) has two owners, the caller and the
 * device. When no answer comes in time, the firmware may still work on memory
 * that the caller is going to free: so the device is declared dead, which
 * stops its DMA, and the caller gets -ETIMEDOUT. That is for the health watch
 * to find (cx_cmdq_watch()): callers just wait, for a timer for each command
 * costs more than to post it.
 *
 * Until the command event queue exists, completion is polled; from then until
 * it is destroyed at unload, every completion comes by event.
 */
#include <linux/bitmap.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/dmapool.h>
#include <linux/jiffies.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/semaphore.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include <connectx/prm_cmd.h>
#include <connectx/prm_initseg.h>

#include "cmd_status.h"
#include "cmdq.h"
#include "cx.h"
#include "initseg.h"
#include "mailbox.h"
#include "refuse.h"

#define CREATE_TRACE_POINTS
#include "trace.h"

#define CX_CMDQ_PAGE_BYTES	4096
#define CX_CMD_TIMEOUT		(60 * HZ)
#define CX_CMD_READY_MS		2000

/**
 * struct cx_cmd - a command in flight
 * @refs: the caller's and the device's
 * @done: the answer is there, or @ret says why it never will be
 * @in: mailboxes of the command
 * @out: mailboxes of the answer
 * @slot: its slot
 * @opcode: which command
 * @token: its token
 * @spare: it has the spare mailbox of the queue
 * @posted: when, in jiffies
 * @ret: 0, or the errno of a command that has no answer
 * @delivery: delivery status, from the entry
 * @answer: the 16 bytes of the answer in the entry
 */
struct cx_cmd {
	refcount_t refs;
	struct completion done;
	struct list_head in;
	struct list_head out;
	unsigned int slot;
	u16 opcode;
	u8 token;
	bool spare;
	unsigned long posted;
	int ret;
	u8 delivery;
	u8 answer[CX_CMD_INLINE_BYTES];
};

/**
 * struct cx_cmdq - the queue
 * @entries: the page shared with the device
 * @dma: its address
 * @pool: mailboxes
 * @spare: a mailbox for who must not fail and gets none from @pool
 * @spare_room: owns @spare
 * @room: counts free slots but the last
 * @pages_room: counts the last slot
 * @lock: owns @used, @cmds and the taking over of answers. Leaf lock, taken in
 *	hard interrupt.
 * @used: slots in use
 * @cmds: command in each slot
 * @tokens: how many tokens were given
 * @events: completions come by event; changes only while nothing is in flight
 */
struct cx_cmdq {
	struct cx_cmdq_entry *entries;
	dma_addr_t dma;
	struct dma_pool *pool;
	struct cx_mbox spare;
	struct semaphore spare_room;
	struct semaphore room;
	struct semaphore pages_room;
	spinlock_t lock;
	DECLARE_BITMAP(used, CX_CMDQ_SLOTS);
	struct cx_cmd *cmds[CX_CMDQ_SLOTS];
	atomic_t tokens;
	bool events;
};

static struct semaphore *cx_cmdq_room(struct cx_cmdq *q, bool pages)
{
	return pages ? &q->pages_room : &q->room;
}

static void cx_cmd_put(struct cx_cmdq *q, struct cx_cmd *cmd)
{
	if (!refcount_dec_and_test(&cmd->refs))
		return;
	if (cmd->spare) {
		list_del(&q->spare.next);
		up(&q->spare_room);
	}
	cx_mbox_free(q->pool, &cmd->in);
	cx_mbox_free(q->pool, &cmd->out);
	kfree(cmd);
}

/* 0 would be none. */
static u8 cx_cmdq_next_token(struct cx_cmdq *q)
{
	return (unsigned int)atomic_inc_return(&q->tokens) % U8_MAX + 1;
}

static void cx_cmd_use_spare(struct cx_cmdq *q, struct cx_cmd *cmd)
{
	down(&q->spare_room);
	cx_mbox_format(q->spare.box, 0, 0, cmd->token);
	list_add(&q->spare.next, &cmd->in);
	cmd->spare = true;
}

/*
 * Who lives on the reserves, for memory is freed behind him (umr.h), must not
 * insist on it: the allocator could only wait for others.
 */
static gfp_t cx_cmd_gfp(void)
{
	return GFP_KERNEL | (current->flags & PF_MEMALLOC ? 0 : __GFP_NOFAIL);
}

/* The input of these, and of no other that destroys, does not fit the entry. */
static bool cx_cmd_destroys_by_mailbox(u16 opcode)
{
	return opcode == CX_CMD_DETACH_FROM_MCG ||
	       opcode == CX_CMD_DEALLOC_MEMIC;
}

/*
 * Commands that destroy something cannot fail here: at close and unload nobody
 * would be there to try again, and the object would stay in the adapter.
 */
static struct cx_cmd *cx_cmd_alloc(struct cx_cmdq *q, u16 opcode, size_t inlen,
				   size_t outlen)
{
	struct cx_cmd *cmd;

	cmd = kzalloc(sizeof(*cmd), cx_cmd_gfp());
	if (!cmd)
		return NULL;
	cmd->opcode = opcode;
	refcount_set(&cmd->refs, 1);
	init_completion(&cmd->done);
	INIT_LIST_HEAD(&cmd->in);
	INIT_LIST_HEAD(&cmd->out);
	cmd->token = cx_cmdq_next_token(q);
	if (!cx_mbox_alloc(q->pool, &cmd->in, inlen, cmd->token) &&
	    !cx_mbox_alloc(q->pool, &cmd->out, outlen, cmd->token))
		return cmd;
	if (cx_cmd_destroys_by_mailbox(opcode)) {
		cx_cmd_use_spare(q, cmd);
		return cmd;
	}
	cx_cmd_put(q, cmd);
	return NULL;
}

static bool cx_cmdq_hw_owns(struct cx_cmdq *q, unsigned int slot)
{
	/* what follows reads the answer: not before the owner bit */
	return smp_load_acquire(&q->entries[slot].status_own) &
	       CX_CMD_OWNER_HW;
}

/*
 * If the device has done with a slot, or never will: take over its answer, free
 * the slot, wake the caller. The slot is free before the caller runs, so that a
 * caller who sends the next command finds room.
 */
static struct cx_cmd *__cx_cmdq_finish(struct cx_cmdq *q, unsigned int slot,
				       int ret)
{
	struct cx_cmdq_entry *e = &q->entries[slot];
	struct cx_cmd *cmd = q->cmds[slot];

	lockdep_assert_held(&q->lock);
	if (!cmd || (!ret && cx_cmdq_hw_owns(q, slot)))
		return NULL;
	cmd->ret = ret;
	if (!ret) {
		cmd->delivery = e->status_own >> CX_CMD_DELIVERY_SHIFT;
		memcpy(cmd->answer, e->out, sizeof(cmd->answer));
	}
	q->cmds[slot] = NULL;
	clear_bit(slot, q->used);
	complete(&cmd->done);
	return cmd;
}

static void cx_cmdq_finish(struct cx_cmdq *q, unsigned int slot, int ret)
{
	struct cx_cmd *cmd;
	unsigned long irqs;

	spin_lock_irqsave(&q->lock, irqs);
	cmd = __cx_cmdq_finish(q, slot, ret);
	spin_unlock_irqrestore(&q->lock, irqs);
	if (!cmd)
		return;
	up(cx_cmdq_room(q, slot == CX_CMDQ_PAGES_SLOT));
	cx_cmd_put(q, cmd);
}

/**
 * cx_cmdq_event - the device reports finished commands
 * @cx: the device
 * @slots: one bit per slot
 *
 * A bit for a slot that is not in use, or whose command is not finished, is
 * ignored: the command was finished by somebody else, or the bit is a lie.
 *
 * Context: Any context.
 */
void cx_cmdq_event(struct cx_dev *cx, u32 slots)
{
	struct cx_cmdq *q = cx->cmdq;
	unsigned long todo = slots;
	unsigned int slot;

	for_each_set_bit(slot, &todo, CX_CMDQ_SLOTS)
		cx_cmdq_finish(q, slot, 0);
}

/**
 * cx_cmdq_abort - the device is dead: no command will ever finish
 * @cx: the device, marked dead
 *
 * Context: Any context.
 */
void cx_cmdq_abort(struct cx_dev *cx)
{
	unsigned int slot;

	if (!cx->cmdq)
		return;
	for (slot = 0; slot < CX_CMDQ_SLOTS; slot++)
		cx_cmdq_finish(cx->cmdq, slot, -EIO);
}

static bool cx_cmd_is_late(const struct cx_cmd *cmd)
{
	return time_after_eq(jiffies, cmd->posted + CX_CMD_TIMEOUT);
}

/* The command that is in a slot for too long, 0 if there is none. */
static u16 cx_cmdq_late(struct cx_cmdq *q, unsigned int slot)
{
	unsigned long irqs;
	u16 opcode = 0;

	spin_lock_irqsave(&q->lock, irqs);
	if (q->cmds[slot] && cx_cmd_is_late(q->cmds[slot]))
		opcode = q->cmds[slot]->opcode;
	spin_unlock_irqrestore(&q->lock, irqs);
	return opcode;
}

/**
 * cx_cmdq_watch - look for commands that take too long
 * @cx: the device
 *
 * It has to be called every second or so for as long as there are commands: who
 * sent one waits without a limit of his own.
 *
 * Context: Any context.
 * Return: false if one got no answer: the device has to be killed.
 */
bool cx_cmdq_watch(struct cx_dev *cx)
{
	struct cx_cmdq *q = cx->cmdq;
	unsigned int slot;
	u16 opcode;

	for (slot = 0; slot < CX_CMDQ_SLOTS; slot++) {
		opcode = cx_cmdq_late(q, slot);
		if (!opcode)
			continue;
		if (cx_cmdq_hw_owns(q, slot)) {
			dev_err(cx->dev, "command 0x%x: no answer in %u s\n",
				opcode, CX_CMD_TIMEOUT / HZ);
			return false;
		}
		dev_warn(cx->dev, "command 0x%x: its event was lost\n",
			 opcode);
		cx_cmdq_finish(q, slot, 0);
	}
	return true;
}

static void cx_cmd_write_entry(struct cx_cmdq *q, struct cx_cmd *cmd,
			       struct cx_bytes *b, size_t inlen, size_t outlen)
{
	struct cx_cmdq_entry *e = &q->entries[cmd->slot];

	memset(e, 0, sizeof(*e));
	cx_cmd_format(e, inlen, outlen, cmd->token);
	cx_bytes_copy(e->in, CX_CMD_INLINE_BYTES, b, 2);
	cx_mbox_scatter(&cmd->in, b, 2);
	cx_mbox_scatter(&cmd->out, NULL, 0);
	e->in_ptr = cpu_to_be64(cx_mbox_first(&cmd->in));
	e->out_ptr = cpu_to_be64(cx_mbox_first(&cmd->out));
	e->status_own = CX_CMD_OWNER_HW;
	e->sig = cx_cmd_signature(e);
}

/*
 * Take a slot and give the command to the device. The look at CX_DEAD under
 * the lock pairs with cx_cmdq_abort(): either it sees our command, or we see
 * the flag.
 */
static int cx_cmd_post(struct cx_dev *cx, struct cx_cmd *cmd, bool pages,
		       struct cx_bytes *b, size_t inlen, size_t outlen)
{
	struct cx_cmdq *q = cx->cmdq;
	unsigned long irqs;

	down(cx_cmdq_room(q, pages));
	spin_lock_irqsave(&q->lock, irqs);
	cmd->slot = pages ? CX_CMDQ_PAGES_SLOT :
			    find_first_zero_bit(q->used, CX_CMDQ_PAGES_SLOT);
	set_bit(cmd->slot, q->used);
	spin_unlock_irqrestore(&q->lock, irqs);

	/* nobody else looks at the entry until it stands in q->cmds */
	cx_cmd_write_entry(q, cmd, b, inlen, outlen);

	spin_lock_irqsave(&q->lock, irqs);
	if (cx_dev_dead(cx)) {
		clear_bit(cmd->slot, q->used);
		spin_unlock_irqrestore(&q->lock, irqs);
		up(cx_cmdq_room(q, pages));
		return cx_refuse(-EIO, "the adapter is dead", 0, 0);
	}
	refcount_inc(&cmd->refs);
	cmd->posted = jiffies;
	q->cmds[cmd->slot] = cmd;
	spin_unlock_irqrestore(&q->lock, irqs);
	cx_iseg_ring(cx, BIT(cmd->slot));
	return 0;
}

static void cx_cmd_wait_poll(struct cx_cmdq *q, struct cx_cmd *cmd)
{
	for (;;) {
		cx_cmdq_finish(q, cmd->slot, 0);
		if (completion_done(&cmd->done))
			return;
		usleep_range(20, 100);
	}
}

static int cx_cmd_wait(struct cx_dev *cx, struct cx_cmd *cmd)
{
	struct cx_cmdq *q = cx->cmdq;

	if (q->events)
		wait_for_completion(&cmd->done);
	else
		cx_cmd_wait_poll(q, cmd);
	if (!cmd->ret)
		return 0;
	if (cx_cmd_is_late(cmd))
		return cx_refuse(-ETIMEDOUT,
				 "command 0x%llx got no answer in %llu s",
				 cmd->opcode, CX_CMD_TIMEOUT / HZ);
	return cx_refuse(cmd->ret, "the adapter died during command 0x%llx",
			 cmd->opcode, 0);
}

static int cx_cmd_verdict(struct cx_dev *cx, struct cx_cmd *cmd,
			  const void *out)
{
	u8 status = cx_cmd_out_get_status(out);
	u32 syndrome = cx_cmd_out_get_syndrome(out);

	if (cmd->delivery) {
		dev_err(cx->dev, "command 0x%x not delivered: %s\n",
			cmd->opcode, cx_cmd_delivery_text(cmd->delivery));
		return cx_refuse(cx_cmd_delivery_errno(cmd->delivery),
				 "command 0x%llx not delivered (code 0x%llx)",
				 cmd->opcode, cmd->delivery);
	}
	if (!status)
		return 0;
	dev_dbg(cx->dev, "command 0x%x refused: %s (0x%x, 0x%x)\n",
		cmd->opcode, cx_cmd_status_text(status), status, syndrome);
	return cx_refuse_status(cmd->opcode, status, syndrome);
}

static void cx_cmd_read_answer(struct cx_cmd *cmd, void *out, size_t outlen)
{
	size_t part = min_t(size_t, outlen, CX_CMD_INLINE_BYTES);

	memcpy(out, cmd->answer, part);
	cx_mbox_gather(&cmd->out, out + part, outlen - part);
}

/**
 * cx_cmd_exec_tail - run one firmware command
 * @cx: the device
 * @in: the command, beginning with its opcode; at least 16 bytes
 * @inlen: its length
 * @tail: what follows the command on the wire, such as a list of pages
 * @taillen: its length
 * @out: the answer; at least 16 bytes
 * @outlen: its length
 *
 * Context: Process context. Sleeps; not interruptible, since the device works
 * on memory of the command. Ends within a second or so when the device dies.
 * Return: 0; the errno of the firmware's status (@out holds the answer); -EIO
 * if the device is dead; -ENOMEM if it needs mailboxes (more than 16 bytes
 * either way) or the caller is on the reserves, it does not destroy, and there
 * is no memory; -ETIMEDOUT if it does not answer.
 */
int cx_cmd_exec_tail(struct cx_dev *cx, const void *in, size_t inlen,
		     const void *tail, size_t taillen,
		     void *out, size_t outlen)
{
	struct cx_bytes b[] = { { in, inlen }, { tail, taillen } };
	u16 opcode = cx_cmd_in_get_opcode(in);
	bool pages = opcode == CX_CMD_MANAGE_PAGES;
	struct cx_cmdq *q = cx->cmdq;
	struct cx_cmd *cmd;
	int ret;

	if (cx_dev_dead(cx))
		return cx_refuse(-EIO, "the adapter is dead", 0, 0);
	cmd = cx_cmd_alloc(q, opcode, inlen + taillen, outlen);
	if (!cmd)
		return cx_refuse(-ENOMEM, "no memory for command 0x%llx or its mailboxes",
				 opcode, 0);

	trace_cx_cmd_begin(cx->dev, opcode, inlen + taillen, cmd->token);
	ret = cx_cmd_post(cx, cmd, pages, b, inlen + taillen, outlen);
	if (ret)
		goto out_put;
	ret = cx_cmd_wait(cx, cmd);
	if (ret)
		goto out_put;
	cx_cmd_read_answer(cmd, out, outlen);
	ret = cx_cmd_verdict(cx, cmd, out);

out_put:
	trace_cx_cmd_end(cx->dev, opcode, cmd->token, ret);
	cx_cmd_put(q, cmd);
	return ret;
}

/**
 * cx_cmdq_use_events - the command event queue is there
 * @cx: the device, with no command in flight
 *
 * Context: Process context.
 */
void cx_cmdq_use_events(struct cx_dev *cx)
{
	cx->cmdq->events = true;
}

/**
 * cx_cmdq_use_polling - the command event queue is about to go
 * @cx: the device, with no command in flight
 *
 * Context: Process context.
 */
void cx_cmdq_use_polling(struct cx_dev *cx)
{
	cx->cmdq->events = false;
}

static int cx_cmdq_check_sizes(struct cx_dev *cx)
{
	u32 sizes = cx_iseg_queue_sizes(cx);
	u32 stride = sizes >> CX_CMDQ_L_STRIDE_SHIFT & 0xf;
	u32 size = sizes >> CX_CMDQ_L_SIZE_SHIFT & 0xf;

	if (size == CX_CMDQ_LOG_SIZE && stride == CX_CMDQ_LOG_STRIDE)
		return 0;
	return cx_refuse(-ENODEV,
			 "command queue of 2^%llu entries of 2^%llu bytes is not supported",
			 size, stride);
}

/**
 * cx_cmdq_init - create the queue and show it to the device
 * @cx: the device
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_cmdq_init(struct cx_dev *cx)
{
	struct cx_cmdq *q;
	int ret;

	ret = cx_cmdq_check_sizes(cx);
	if (ret)
		return ret;
	q = kzalloc(sizeof(*q), GFP_KERNEL);
	if (!q)
		return cx_refuse(-ENOMEM, "no memory", 0, 0);
	spin_lock_init(&q->lock);
	sema_init(&q->room, CX_CMDQ_PAGES_SLOT);
	sema_init(&q->pages_room, 1);
	sema_init(&q->spare_room, 1);
	q->pool = dma_pool_create("connectx mailboxes", cx->dev,
				  sizeof(struct cx_mailbox), CX_MAILBOX_ALIGN,
				  0);
	if (!q->pool) {
		ret = cx_refuse(-ENOMEM, "no pool of mailboxes", 0, 0);
		goto err_queue;
	}
	q->spare.box = dma_pool_alloc(q->pool, GFP_KERNEL, &q->spare.dma);
	if (!q->spare.box) {
		ret = cx_refuse(-ENOMEM, "no memory for a mailbox", 0, 0);
		goto err_pool;
	}
	q->entries = dma_alloc_coherent(cx->dev, CX_CMDQ_PAGE_BYTES, &q->dma,
					GFP_KERNEL);
	if (!q->entries) {
		ret = cx_refuse(-ENOMEM, "no memory for the command queue", 0,
				0);
		goto err_spare;
	}

	cx_iseg_set_queue(cx, q->dma);
	ret = cx_iseg_wait_ready(cx, CX_CMD_READY_MS);
	if (ret) {
		dev_err(cx->dev, "firmware does not take the command queue (%d)\n",
			ret);
		goto err_entries;
	}
	cx->cmdq = q;
	return 0;

err_entries:
	dma_free_coherent(cx->dev, CX_CMDQ_PAGE_BYTES, q->entries, q->dma);
err_spare:
	dma_pool_free(q->pool, q->spare.box, q->spare.dma);
err_pool:
	dma_pool_destroy(q->pool);
err_queue:
	kfree(q);
	return ret;
}

/**
 * cx_cmdq_exit - undo cx_cmdq_init()
 * @cx: the device, no longer a bus master or disabled: it must not write here
 *
 * Context: Process context. Sleeps.
 */
void cx_cmdq_exit(struct cx_dev *cx)
{
	struct cx_cmdq *q = cx->cmdq;

	cx->cmdq = NULL;
	dma_free_coherent(cx->dev, CX_CMDQ_PAGE_BYTES, q->entries, q->dma);
	dma_pool_free(q->pool, q->spare.box, q->spare.dma);
	dma_pool_destroy(q->pool);
	kfree(q);
}
