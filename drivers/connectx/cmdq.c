// SPDX-License-Identifier: GPL-2.0-only
/*
 * The command queue.
 *
 * A slot is an entry of the queue, a bit in the doorbell and in the event. The
 * last slot belongs to MANAGE_PAGES: the firmware may need pages to finish a
 * command, so serving them must never wait for a command to finish.
 *
 * A slot is the caller's until he has read the answer, and in between the
 * device's. When no answer comes in time, the firmware may still work on memory
 * that the caller is going to free: so the device is declared dead, which
 * stops its DMA, and the caller gets -ETIMEDOUT. That is for the health watch
 * to find (cx_cmdq_watch()): callers just wait, for a timer for each command
 * costs more than to post it.
 *
 * Each slot has a mailbox. No command that destroys something, or moves a queue
 * pair from state to state, needs more, so those cannot fail for want of memory:
 * at close and unload nobody would be there to try again, and in reclaim nobody
 * may wait for memory. Other mailboxes are there before a slot is taken, for
 * their memory may have to be reclaimed by somebody who needs a slot.
 *
 * Until the command event queue exists, completion is polled; from then until
 * it is destroyed at unload, every completion comes by event.
 */
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/dmapool.h>
#include <linux/jiffies.h>
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
 * struct cx_cmd - a slot
 * @done: the answer is there, or @ret says why it never will be
 * @box: its mailbox
 * @posted: when, in jiffies
 * @opcode: which command
 * @ret: 0, or the errno of a command that has no answer
 */
struct cx_cmd {
	struct completion done;
	struct cx_mbox box;
	unsigned long posted;
	u16 opcode;
	int ret;
};

/**
 * struct cx_cmdq - the queue
 * @entries: the page shared with the device
 * @dma: its address
 * @pool: mailboxes
 * @room: counts free slots but the last
 * @pages_room: counts the last slot
 * @used: slots that callers have, but the last
 * @lock: owns @flying and the taking over of answers. Leaf lock, taken in hard
 *	interrupt.
 * @flying: slots that the device works on
 * @cmds: the slots
 * @tokens: how many tokens were given
 * @events: completions come by event; changes only while nothing is in flight
 */
struct cx_cmdq {
	struct cx_cmdq_entry *entries;
	dma_addr_t dma;
	struct dma_pool *pool;
	struct semaphore room;
	struct semaphore pages_room;
	unsigned long used;
	spinlock_t lock;
	unsigned long flying;
	struct cx_cmd cmds[CX_CMDQ_SLOTS];
	atomic_t tokens;
	bool events;
};

/* 0 would be none. */
static u8 cx_cmdq_next_token(struct cx_cmdq *q)
{
	return (unsigned int)atomic_inc_return(&q->tokens) % U8_MAX + 1;
}

static unsigned int cx_cmd_slot(const struct cx_cmdq *q,
				const struct cx_cmd *cmd)
{
	return cmd - q->cmds;
}

static struct cx_cmd *cx_cmd_get(struct cx_cmdq *q, u16 opcode)
{
	unsigned int slot = CX_CMDQ_PAGES_SLOT;
	struct cx_cmd *cmd;

	if (opcode == CX_CMD_MANAGE_PAGES) {
		down(&q->pages_room);
	} else {
		/* there is one, but others may be faster */
		down(&q->room);
		do
			slot = find_first_zero_bit(&q->used, CX_CMDQ_PAGES_SLOT);
		while (test_and_set_bit_lock(slot, &q->used));
	}
	cmd = &q->cmds[slot];
	cmd->opcode = opcode;
	reinit_completion(&cmd->done);
	return cmd;
}

static void cx_cmd_put(struct cx_cmdq *q, struct cx_cmd *cmd)
{
	unsigned int slot = cx_cmd_slot(q, cmd);

	if (slot == CX_CMDQ_PAGES_SLOT) {
		up(&q->pages_room);
		return;
	}
	clear_bit_unlock(slot, &q->used);
	up(&q->room);
}

static bool cx_cmdq_hw_owns(struct cx_cmdq *q, unsigned int slot)
{
	/* what follows reads the answer: not before the owner bit */
	return smp_load_acquire(&q->entries[slot].status_own) &
	       CX_CMD_OWNER_HW;
}

/* If the device has done with a slot, or never will: wake the caller. */
static void cx_cmdq_finish(struct cx_cmdq *q, unsigned int slot, int ret)
{
	struct cx_cmd *cmd = &q->cmds[slot];
	unsigned long irqs;

	spin_lock_irqsave(&q->lock, irqs);
	if (test_bit(slot, &q->flying) &&
	    (ret || !cx_cmdq_hw_owns(q, slot))) {
		__clear_bit(slot, &q->flying);
		cmd->ret = ret;
		complete(&cmd->done);
	}
	spin_unlock_irqrestore(&q->lock, irqs);
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
	if (test_bit(slot, &q->flying) && cx_cmd_is_late(&q->cmds[slot]))
		opcode = q->cmds[slot].opcode;
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

/*
 * Give the command to the device. The look at CX_DEAD under the lock pairs with
 * cx_cmdq_abort(): either it sees our command, or we see the flag.
 */
static int cx_cmd_post(struct cx_dev *cx, struct cx_cmd *cmd,
		       struct cx_message *m)
{
	struct cx_cmdq *q = cx->cmdq;
	unsigned int slot = cx_cmd_slot(q, cmd);
	unsigned long irqs;
	bool dead;

	cx_message_write(m, &q->entries[slot]);
	spin_lock_irqsave(&q->lock, irqs);
	dead = cx_dev_dead(cx);
	if (!dead) {
		cmd->posted = jiffies;
		__set_bit(slot, &q->flying);
	}
	spin_unlock_irqrestore(&q->lock, irqs);
	if (dead)
		return cx_refuse(-EIO, "the adapter is dead", 0, 0);
	cx_iseg_ring(cx, BIT(slot));
	return 0;
}

static void cx_cmd_wait_poll(struct cx_cmdq *q, struct cx_cmd *cmd)
{
	for (;;) {
		cx_cmdq_finish(q, cx_cmd_slot(q, cmd), 0);
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

static int cx_cmd_verdict(struct cx_dev *cx, u16 opcode, u8 delivery,
			  const void *out)
{
	u8 status = cx_cmd_out_get_status(out);
	u32 syndrome = cx_cmd_out_get_syndrome(out);

	if (delivery) {
		dev_err(cx->dev, "command 0x%x not delivered: %s\n", opcode,
			cx_cmd_delivery_text(delivery));
		return cx_refuse(cx_cmd_delivery_errno(delivery),
				 "command 0x%llx not delivered (code 0x%llx)",
				 opcode, delivery);
	}
	if (!status)
		return 0;
	dev_dbg(cx->dev, "command 0x%x refused: %s (0x%x, 0x%x)\n", opcode,
		cx_cmd_status_text(status), status, syndrome);
	return cx_refuse_status(opcode, status, syndrome);
}

static int cx_cmd_read_answer(struct cx_dev *cx, struct cx_cmd *cmd,
			      struct cx_message *m, void *out)
{
	struct cx_cmdq *q = cx->cmdq;
	const struct cx_cmdq_entry *e = &q->entries[cx_cmd_slot(q, cmd)];
	size_t part = min_t(size_t, m->outlen, CX_CMD_INLINE_BYTES);

	memcpy(out, e->out, part);
	if (!list_empty(&m->out))
		cx_mbox_gather(&m->out, out + part, m->outlen - part);
	return cx_cmd_verdict(cx, cmd->opcode,
			      e->status_own >> CX_CMD_DELIVERY_SHIFT, out);
}

/* The slot's mailbox is the message's first meanwhile. */
static int cx_cmd_run(struct cx_dev *cx, struct cx_cmd *cmd,
		      struct cx_message *m, void *out)
{
	bool boxes = m->inlen > CX_CMD_INLINE_BYTES;
	int ret;

	if (boxes) {
		cx_mbox_format(cmd->box.box, 0, cx_mbox_first(&m->in),
			       m->token);
		list_add(&cmd->box.next, &m->in);
	}
	ret = cx_cmd_post(cx, cmd, m);
	if (!ret)
		ret = cx_cmd_wait(cx, cmd);
	if (!ret)
		ret = cx_cmd_read_answer(cx, cmd, m, out);
	if (boxes)
		list_del(&cmd->box.next);
	return ret;
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
 * if the device is dead; -ENOMEM if it needs mailboxes (more than 528 bytes one
 * way, or 16 the other) and there is no memory; -ETIMEDOUT if it does not
 * answer.
 */
int cx_cmd_exec_tail(struct cx_dev *cx, const void *in, size_t inlen,
		     const void *tail, size_t taillen,
		     void *out, size_t outlen)
{
	struct cx_message m = {
		.b = { { in, inlen }, { tail, taillen } },
		.inlen = inlen + taillen,
		.outlen = outlen,
		.token = cx_cmdq_next_token(cx->cmdq),
	};
	u16 opcode = cx_cmd_in_get_opcode(in);
	struct cx_cmdq *q = cx->cmdq;
	struct cx_cmd *cmd;
	int ret;

	if (cx_dev_dead(cx))
		return cx_refuse(-EIO, "the adapter is dead", 0, 0);
	ret = cx_message_alloc(q->pool, &m);
	if (ret)
		return ret;
	trace_cx_cmd_begin(cx->dev, opcode, m.inlen, m.token);
	cmd = cx_cmd_get(q, opcode);
	ret = cx_cmd_run(cx, cmd, &m, out);
	cx_cmd_put(q, cmd);
	trace_cx_cmd_end(cx->dev, opcode, m.token, ret);
	cx_message_free(q->pool, &m);
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

static void cx_cmdq_free_boxes(struct cx_cmdq *q)
{
	struct cx_cmd *cmd;

	for (cmd = q->cmds; cmd < q->cmds + CX_CMDQ_SLOTS; cmd++)
		if (cmd->box.box)
			dma_pool_free(q->pool, cmd->box.box, cmd->box.dma);
	dma_pool_destroy(q->pool);
}

static int cx_cmdq_alloc_boxes(struct cx_dev *cx, struct cx_cmdq *q)
{
	struct cx_cmd *cmd;

	q->pool = dma_pool_create("connectx mailboxes", cx->dev,
				  sizeof(struct cx_mailbox), CX_MAILBOX_ALIGN,
				  0);
	if (!q->pool)
		return cx_refuse(-ENOMEM, "no pool of mailboxes", 0, 0);
	for (cmd = q->cmds; cmd < q->cmds + CX_CMDQ_SLOTS; cmd++) {
		cmd->box.box = dma_pool_alloc(q->pool, GFP_KERNEL,
					      &cmd->box.dma);
		if (!cmd->box.box) {
			cx_cmdq_free_boxes(q);
			return cx_refuse(-ENOMEM, "no memory for a mailbox",
					 0, 0);
		}
		init_completion(&cmd->done);
	}
	return 0;
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
	ret = cx_cmdq_alloc_boxes(cx, q);
	if (ret)
		goto err_queue;
	q->entries = dma_alloc_coherent(cx->dev, CX_CMDQ_PAGE_BYTES, &q->dma,
					GFP_KERNEL);
	if (!q->entries) {
		ret = cx_refuse(-ENOMEM, "no memory for the command queue", 0,
				0);
		goto err_boxes;
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
err_boxes:
	cx_cmdq_free_boxes(q);
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
	cx_cmdq_free_boxes(q);
	kfree(q);
}
