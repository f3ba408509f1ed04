// SPDX-License-Identifier: GPL-2.0-only
/*
 * Why a call was refused. The record waits in a slot that the task hashes to,
 * for the system call that is failing. Two tasks in one slot: the later record
 * wins and the earlier call has an errno without a reason, which is why the
 * table need not grow, and why nobody has to clean up after a task. The record
 * holds the finished text, because the module that wrote it may be unloaded
 * before it is read.
 */
#include <linux/hash.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/sprintf.h>
#include <ib/export.h>
#include <ib/refuse.h>

#define CREATE_TRACE_POINTS
#include "trace.h"

#define SLOT_BITS	8

/**
 * struct refuse_slot - last refusal of a task, under slots_lock
 * @task: never dereferenced, only compared
 * @start: when the task was made, for a task at the address of a dead one
 * @refusal: the record
 */
struct refuse_slot {
	const struct task_struct	*task;
	u64				start;
	struct ib_refusal		refusal;
};

/* Refusals also happen with interrupts off. */
static DEFINE_SPINLOCK(slots_lock);
static struct refuse_slot slots[1 << SLOT_BITS];

static struct refuse_slot *own_slot(void)
{
	return &slots[hash_ptr(current, SLOT_BITS)];
}

/**
 * ib_refuse_record() - record why a call is refused
 * @layer: who says no
 * @attr: attribute id that it is about, or IB_REFUSE_NO_ATTR
 * @err: negative errno
 * @why: text with up to two %llu
 * @a: first number
 * @b: second number
 *
 * Context: Any context; in an interrupt only the tracepoint fires.
 * Return: @err.
 */
int ib_refuse_record(enum ib_layer layer, u16 attr, int err, const char *why,
		     u64 a, u64 b)
{
	struct ib_refusal r = { .layer = layer, .attr = attr, .err = err,
				.a = a, .b = b };
	struct refuse_slot *slot = own_slot();
	unsigned long flags;

	snprintf(r.why, sizeof(r.why), why, a, b);
	trace_ib_refuse(&r);
	if (!in_task())
		return err;

	spin_lock_irqsave(&slots_lock, flags);
	slot->task = current;
	slot->start = current->start_boottime;
	slot->refusal = r;
	spin_unlock_irqrestore(&slots_lock, flags);
	return err;
}
EXPORT_SYMBOL_IB(ib_refuse_record);

/**
 * ib_refusal_take() - fetch the reason for a failure of the running task
 * @err: the errno that the call is going to return; a record for another one
 *       is of an earlier call
 * @out: filled in on success
 *
 * Context: Process context.
 * Return: true when there was a record, which is gone now.
 */
bool ib_refusal_take(int err, struct ib_refusal *out)
{
	struct refuse_slot *slot = own_slot();
	unsigned long flags;
	bool found;

	spin_lock_irqsave(&slots_lock, flags);
	found = slot->task == current &&
		slot->start == current->start_boottime &&
		slot->refusal.err == err;
	if (found) {
		*out = slot->refusal;
		slot->task = NULL;
	}
	spin_unlock_irqrestore(&slots_lock, flags);
	return found;
}
EXPORT_SYMBOL_IB(ib_refusal_take);
