// SPDX-License-Identifier: GPL-2.0-only
/*
 * Why a call was refused. The record waits in a slot that the task hashes to,
 * for the system call that is failing. Two tasks in one slot: the later record
 * wins and the earlier call has an errno without a reason, which is why the
 * table need not grow, and why nobody has to clean up after a task.
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

/* Interrupts off: calls are refused under locks that interrupts take. */
static DEFINE_SPINLOCK(slots_lock);
static struct refuse_slot slots[1 << SLOT_BITS];

static struct refuse_slot *own_slot(void)
{
	return &slots[hash_ptr(current, SLOT_BITS)];
}

static noinline void trace(struct ib_refusal r)
{
	trace_ib_refuse(&r);
}

/* Inline, so that the parts go from where they are straight into the slot */
static __always_inline int record(struct ib_refusal r)
{
	struct refuse_slot *slot = own_slot();
	unsigned long flags;

	if (trace_ib_refuse_enabled())
		trace(r);
	if (!in_task())
		return r.err;

	spin_lock_irqsave(&slots_lock, flags);
	slot->task = current;
	slot->start = current->start_boottime;
	slot->refusal = r;
	spin_unlock_irqrestore(&slots_lock, flags);
	return r.err;
}

/**
 * ib_refuse_record() - record why a call is refused
 * @layer: who says no
 * @attr: attribute id that it is about, or IB_REFUSE_NO_ATTR
 * @err: negative errno
 * @why: text with up to two %llu, a constant
 * @a: first number
 * @b: second number
 *
 * Context: Any context; in an interrupt only the tracepoint fires.
 * Return: @err.
 */
int ib_refuse_record(enum ib_layer layer, u16 attr, int err, const char *why,
		     u64 a, u64 b)
{
	return record((struct ib_refusal){
		.layer = layer, .attr = attr, .err = err,
		.why = why, .a = a, .b = b,
	});
}
EXPORT_SYMBOL_IB(ib_refuse_record);

/**
 * ib_refuse_detail() - record a refusal that somebody else put into words
 * @layer: who says no
 * @err: negative errno
 * @why: text with up to two %llu, a constant
 * @a: first number
 * @b: second number
 * @detail: follows the text behind a colon, a constant
 *
 * Context: Any context; in an interrupt only the tracepoint fires.
 * Return: @err.
 */
int ib_refuse_detail(enum ib_layer layer, int err, const char *why, u64 a,
		     u64 b, const char *detail)
{
	return ib_refuse_numbers(layer, err, why, a, b, 0, 0, detail);
}
EXPORT_SYMBOL_IB(ib_refuse_detail);

/**
 * ib_refuse_numbers() - record a refusal that takes more than two numbers
 * @layer: who says no
 * @err: negative errno
 * @why: text with up to four %llu, a constant
 * @a: first number
 * @b: second number
 * @c: third number
 * @d: fourth number
 * @detail: NULL, or follows the text behind a colon, a constant
 *
 * Context: Any context; in an interrupt only the tracepoint fires.
 * Return: @err.
 */
int ib_refuse_numbers(enum ib_layer layer, int err, const char *why, u64 a,
		      u64 b, u64 c, u64 d, const char *detail)
{
	return record((struct ib_refusal){
		.layer = layer, .attr = IB_REFUSE_NO_ATTR, .err = err,
		.why = why, .a = a, .b = b, .c = c, .d = d, .detail = detail,
	});
}
EXPORT_SYMBOL_IB(ib_refuse_numbers);

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

/**
 * ib_refusal_text() - put the sentence of a refusal together
 * @r: the refusal
 * @text: gets the sentence, cut if there is no room
 * @size: room at @text; IB_REFUSE_TEXT is enough
 *
 * Context: Any context.
 */
void ib_refusal_text(const struct ib_refusal *r, char *text, size_t size)
{
	int len = scnprintf(text, size, r->why, r->a, r->b, r->c,
			    r->d);

	if (r->detail)
		scnprintf(text + len, size - len, ": %s", r->detail);
}
EXPORT_SYMBOL_IB(ib_refusal_text);

/**
 * ib_refusals_forget() - drop all records that nobody has taken
 *
 * They point to texts of the modules that refused.
 *
 * Context: Process context.
 */
void ib_refusals_forget(void)
{
	unsigned long flags;
	unsigned int i;

	spin_lock_irqsave(&slots_lock, flags);
	for (i = 0; i < ARRAY_SIZE(slots); i++)
		slots[i].task = NULL;
	spin_unlock_irqrestore(&slots_lock, flags);
}
EXPORT_SYMBOL_IB(ib_refusals_forget);
