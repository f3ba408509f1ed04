// SPDX-License-Identifier: GPL-2.0-only
/*
 * The death watch. A device can die under us (surprise removal, firmware
 * assert); reads then give all ones, its health counter stands still, or a
 * command gets no answer. Whoever notices calls cx_dev_kill(), the only
 * function that sets CX_DEAD: pending commands end, new ones fail at once, and
 * the upper half learns of it in process context.
 */
#include <linux/jiffies.h>

#include <connectx/prm_initseg.h>

#include "cmdq.h"
#include "cx.h"
#include "initseg.h"
#include "verbs_if.h"

#define CX_HEALTH_PERIOD	HZ
#define CX_HEALTH_MAX_STUCK	5	/* looks in a row */

static void cx_health_death(struct work_struct *work)
{
	struct cx_dev *cx = container_of(work, struct cx_dev, health.death);

	cx_verbs_dead(cx);
}

/**
 * cx_dev_kill - mark the device as dead
 * @cx: the device
 * @reason: why, for people; a string that lives as long as the module
 *
 * The first caller wins, later ones change nothing.
 *
 * Context: Any context.
 */
void cx_dev_kill(struct cx_dev *cx, const char *reason)
{
	if (cx_dev_dead(cx))
		return;
	/* what it may reach is freed as soon as the flag is seen */
	pci_clear_master(cx->pdev);
	if (test_and_set_bit(CX_DEAD, &cx->flags))
		return;
	cx->health.reason = reason;
	dev_err(cx->dev, "device is dead: %s\n", reason);
	cx_cmdq_abort(cx);
	queue_work(system_wq, &cx->health.death);
}

static const char *cx_health_verdict(const struct cx_health_words *w)
{
	if (w->gone)
		return "it does not answer on the bus";
	if (w->nic_interface == CX_NIC_IFC_DISABLED)
		return "firmware disabled the interface";
	if (w->nic_interface == CX_NIC_IFC_SW_RESET)
		return "firmware is in software reset";
	if (w->rfr && w->synd)
		return "firmware asks for a reset";
	return NULL;
}

/**
 * cx_health_check - look at the health words now
 * @cx: the device
 *
 * Context: Any context. Reads registers.
 * Return: true if the device is alive.
 */
bool cx_health_check(struct cx_dev *cx)
{
	struct cx_health_words w;
	const char *verdict;

	if (cx_dev_dead(cx))
		return false;
	cx_iseg_health(cx, &w);
	verdict = cx_health_verdict(&w);
	if (verdict)
		cx_dev_kill(cx, verdict);
	return !verdict;
}

static void cx_health_poll(struct timer_list *t)
{
	struct cx_health *h = from_timer(h, t, timer);
	struct cx_dev *cx = container_of(h, struct cx_dev, health);
	struct cx_health_words w;
	const char *verdict;

	if (cx_dev_dead(cx))
		return;
	cx_iseg_health(cx, &w);
	verdict = cx_health_verdict(&w);
	if (w.synd && !verdict)
		dev_warn_ratelimited(cx->dev, "firmware syndrome 0x%x\n",
				     w.synd);
	h->stuck = w.counter == h->last_counter ? h->stuck + 1 : 0;
	h->last_counter = w.counter;
	if (!verdict && h->stuck >= CX_HEALTH_MAX_STUCK)
		verdict = "its health counter stands still";
	if (!verdict && !cx_cmdq_watch(cx))
		verdict = "a firmware command got no answer";
	if (verdict) {
		cx_dev_kill(cx, verdict);
		return;
	}
	mod_timer(&h->timer, jiffies + CX_HEALTH_PERIOD);
}

/**
 * cx_health_init - start the watch
 * @cx: the device
 *
 * Context: Process context.
 * Return: 0.
 */
int cx_health_init(struct cx_dev *cx)
{
	struct cx_health_words w;

	cx_iseg_health(cx, &w);
	cx->health.last_counter = w.counter;
	INIT_WORK(&cx->health.death, cx_health_death);
	timer_setup(&cx->health.timer, cx_health_poll, 0);
	mod_timer(&cx->health.timer, jiffies + CX_HEALTH_PERIOD);
	return 0;
}

/**
 * cx_health_exit - stop the watch
 * @cx: the device
 *
 * Context: Process context. Sleeps.
 */
void cx_health_exit(struct cx_dev *cx)
{
	timer_shutdown_sync(&cx->health.timer);
	cancel_work_sync(&cx->health.death);
}
