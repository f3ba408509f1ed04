// SPDX-License-Identifier: GPL-2.0-only
/*
 * Event queues. The device writes entries and turns the owner bit with each
 * lap of the ring; we consume and tell it how far by doorbell. An armed queue
 * interrupts once, and at once if entries lie beyond the index it was armed
 * with: drain, then arm, and nothing is lost.
 */
#include <linux/dma-mapping.h>
#include <linux/interrupt.h>
#include <linux/log2.h>
#include <linux/slab.h>

#include <kunit/visibility.h>

#include <connectx/prm_eqc.h>

#include "cmd.h"
#include "cmdq.h"
#include "cx.h"
#include "eq.h"
#include "refuse.h"
#include "uar.h"
#include "verbs_if.h"

/* The device must never find the ring full: tell it our index that often. */
#define CX_EQ_SPARE		128
#define CX_EQ_CMD_ENTRIES	128
#define CX_EQ_ASYNC_ENTRIES	1024
#define CX_EQ_COMP_ENTRIES	1024
#define CX_EQ_FAULT_ENTRIES	4096

/**
 * struct cx_eq - an event queue
 * @cx: its device
 * @ring: the entries
 * @dma: their address
 * @log_size: log2 of their number
 * @ci: next entry to look at; only the interrupt changes it, or @work
 * @number: its number
 * @vector: its interrupt vector
 * @handle: what to do with an entry
 * @work: handles the entries, where that takes memory or sleeps
 * @name: in /proc/interrupts
 */
struct cx_eq {
	struct cx_dev *cx;
	struct cx_eqe *ring;
	dma_addr_t dma;
	unsigned int log_size;
	u32 ci;
	u8 number;
	unsigned int vector;
	void (*handle)(struct cx_dev *cx, const struct cx_eqe *eqe);
	struct work_struct work;
	char name[32];
};

/**
 * struct cx_eq_spec - what makes one kind of event queue
 * @name: in /proc/interrupts
 * @entries: how many events it must hold
 * @events: bit per event type that is sent here
 * @later: in process context, not in the interrupt
 * @handle: what to do with an entry
 */
struct cx_eq_spec {
	const char *name;
	unsigned int entries;
	u64 events;
	bool later;
	void (*handle)(struct cx_dev *cx, const struct cx_eqe *eqe);
};

static void cx_cmd_event(struct cx_dev *cx, const struct cx_eqe *eqe)
{
	cx_cmdq_event(cx, be32_to_cpu(eqe->data.cmd.vector));
}

static const struct cx_eq_spec cx_cmd_spec = {
	.name = "cmd",
	.entries = CX_EQ_CMD_ENTRIES,
	.events = BIT_ULL(CX_EVENT_CMD),
	.handle = cx_cmd_event,
};

static const struct cx_eq_spec cx_async_spec = {
	.name = "async",
	.entries = CX_EQ_ASYNC_ENTRIES,
	.events = BIT_ULL(CX_EVENT_PATH_MIG) |
		  BIT_ULL(CX_EVENT_COMM_EST) |
		  BIT_ULL(CX_EVENT_SQ_DRAINED) |
		  BIT_ULL(CX_EVENT_CQ_ERROR) |
		  BIT_ULL(CX_EVENT_WQ_CATAS_ERROR) |
		  BIT_ULL(CX_EVENT_PATH_MIG_FAILED) |
		  BIT_ULL(CX_EVENT_INTERNAL_ERROR) |
		  BIT_ULL(CX_EVENT_PORT_CHANGE) |
		  BIT_ULL(CX_EVENT_PAGE_REQUEST) |
		  BIT_ULL(CX_EVENT_WQ_INVAL_REQ_ERROR) |
		  BIT_ULL(CX_EVENT_WQ_ACCESS_ERROR) |
		  BIT_ULL(CX_EVENT_SRQ_CATAS_ERROR) |
		  BIT_ULL(CX_EVENT_SRQ_LAST_WQE) |
		  BIT_ULL(CX_EVENT_SRQ_LIMIT),
	.handle = cx_async_event,
};

/* Completions are sent to the queue that the CQ names: no type needed. */
static const struct cx_eq_spec cx_comp_spec = {
	.name = "comp",
	.entries = CX_EQ_COMP_ENTRIES,
	.handle = cx_comp_event,
};

/* Handling a fault takes memory, and the device waits for each of them. */
static const struct cx_eq_spec cx_fault_spec = {
	.name = "fault",
	.entries = CX_EQ_FAULT_ENTRIES,
	.events = BIT_ULL(CX_EVENT_PAGE_FAULT),
	.later = true,
	.handle = cx_verbs_page_fault,
};

/**
 * cx_eqe_valid - may software read the entry at an index?
 * @owner: last byte of the entry
 * @ci: the index, counting through all laps
 * @log_size: log2 of the ring's size
 *
 * Context: Any context.
 * Return: true if the device has written the entry in this lap.
 */
bool cx_eqe_valid(u8 owner, u32 ci, unsigned int log_size)
{
	return (owner & CX_EQE_OWNER) == (ci >> log_size & 1);
}
EXPORT_SYMBOL_IF_KUNIT(cx_eqe_valid);

static void cx_eq_doorbell(struct cx_eq *eq, unsigned int reg)
{
	u32 v = (u32)eq->number << 24 | (eq->ci & CX_EQ_CI_MASK);

	/* The entries are read before the device may write over them. */
	mb();
	__raw_writel((__force u32)cpu_to_be32(v), eq->cx->uar.map + reg);
}

static const struct cx_eqe *cx_eq_next(const struct cx_eq *eq)
{
	u32 ci = READ_ONCE(eq->ci);
	const struct cx_eqe *eqe;

	eqe = &eq->ring[ci & (BIT(eq->log_size) - 1)];
	/* the rest of the entry is read after its owner bit */
	if (!cx_eqe_valid(smp_load_acquire(&eqe->owner), ci, eq->log_size))
		return NULL;
	dma_rmb();
	return eqe;
}

static void cx_eq_drain(struct cx_eq *eq)
{
	const struct cx_eqe *eqe;
	unsigned int n = 0;

	while ((eqe = cx_eq_next(eq))) {
		eq->handle(eq->cx, eqe);
		WRITE_ONCE(eq->ci, eq->ci + 1);
		if (!(++n % CX_EQ_SPARE))
			cx_eq_doorbell(eq, CX_EQ_DB_CI);
	}
	cx_eq_doorbell(eq, CX_EQ_DB_ARM);
}

static void cx_eq_work(struct work_struct *work)
{
	cx_eq_drain(container_of(work, struct cx_eq, work));
}

/* If the work runs it arms again behind what it has seen. */
static irqreturn_t cx_eq_irq_later(int irq, void *data)
{
	struct cx_eq *eq = data;

	if (cx_eq_next(eq))
		queue_work(system_highpri_wq, &eq->work);
	return IRQ_HANDLED;
}

static irqreturn_t cx_eq_irq(int irq, void *data)
{
	struct cx_eq *eq = data;

	cx_eq_drain(eq);
	/*
	 * Queues share vectors and each must be armed again: whether this one
	 * had an entry says nothing of whose interrupt it was.
	 */
	return IRQ_HANDLED;
}

static int cx_eq_alloc_ring(struct cx_eq *eq)
{
	size_t i, n = BIT(eq->log_size);

	eq->ring = dma_alloc_coherent(eq->cx->dev, n * sizeof(*eq->ring),
				      &eq->dma, GFP_KERNEL);
	if (!eq->ring)
		return cx_refuse(-ENOMEM, "no memory for %llu event entries", n,
				 0);
	/* the first lap's entries are valid with owner 0 */
	for (i = 0; i < n; i++)
		eq->ring[i].owner = CX_EQE_OWNER;
	return 0;
}

static void cx_eq_free_ring(struct cx_eq *eq)
{
	dma_free_coherent(eq->cx->dev, BIT(eq->log_size) * sizeof(*eq->ring),
			  eq->ring, eq->dma);
}

static struct cx_eq *cx_eq_create(struct cx_dev *cx,
				  const struct cx_eq_spec *spec,
				  unsigned int vector)
{
	struct cx_eq_params params = {};
	struct cx_eq *eq;
	int ret;

	eq = kzalloc(sizeof(*eq), GFP_KERNEL);
	if (!eq)
		return ERR_PTR(cx_refuse(-ENOMEM, "no memory", 0, 0));
	eq->cx = cx;
	eq->handle = spec->handle;
	INIT_WORK(&eq->work, cx_eq_work);
	eq->vector = vector;
	eq->log_size = order_base_2(spec->entries + CX_EQ_SPARE);
	snprintf(eq->name, sizeof(eq->name), CX_DRV_NAME "-%s%u@%s",
		 spec->name, vector, pci_name(cx->pdev));
	ret = cx_eq_alloc_ring(eq);
	if (ret)
		goto err_eq;

	params.log_size = eq->log_size;
	params.uar = cx->uar.index;
	params.vector = vector;
	params.events = spec->events;
	params.addr = eq->dma;
	ret = cx_cmd_create_eq(cx, &params, &eq->number);
	if (ret)
		goto err_ring;
	ret = request_irq(pci_irq_vector(cx->pdev, vector),
			  spec->later ? cx_eq_irq_later : cx_eq_irq,
			  IRQF_SHARED, eq->name, eq);
	if (ret) {
		cx_refuse(ret, "the interrupt of vector %llu is not to be had",
			  vector, 0);
		goto err_fw;
	}
	cx_eq_doorbell(eq, CX_EQ_DB_ARM);
	return eq;

err_fw:
	cx_cmd_destroy_eq(cx, eq->number);
err_ring:
	cx_eq_free_ring(eq);
err_eq:
	kfree(eq);
	return ERR_PTR(ret);
}

static void cx_eq_destroy(struct cx_eq *eq)
{
	free_irq(pci_irq_vector(eq->cx->pdev, eq->vector), eq);
	cancel_work_sync(&eq->work);
	cx_cmd_destroy_eq(eq->cx, eq->number);
	cx_eq_free_ring(eq);
	kfree(eq);
}

/**
 * cx_eq_cmd_init - commands complete by event from now on
 * @cx: the device
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_eq_cmd_init(struct cx_dev *cx)
{
	struct cx_eq *eq = cx_eq_create(cx, &cx_cmd_spec, 0);

	if (IS_ERR(eq))
		return PTR_ERR(eq);
	cx->cmd_eq = eq;
	cx_cmdq_use_events(cx);
	return 0;
}

/**
 * cx_eq_cmd_exit - undo cx_eq_cmd_init()
 * @cx: the device
 *
 * Context: Process context. Sleeps.
 */
void cx_eq_cmd_exit(struct cx_dev *cx)
{
	cx_cmdq_use_polling(cx);
	cx_eq_destroy(cx->cmd_eq);
	cx->cmd_eq = NULL;
}

/**
 * cx_eq_async_init - start to hear asynchronous events
 * @cx: the device
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_eq_async_init(struct cx_dev *cx)
{
	struct cx_eq *eq;

	cx_handlers_init(cx);
	eq = cx_eq_create(cx, &cx_async_spec, 0);
	if (IS_ERR(eq)) {
		cx_handlers_exit(cx);
		return PTR_ERR(eq);
	}
	cx->async_eq = eq;
	return 0;
}

/**
 * cx_eq_async_exit - undo cx_eq_async_init()
 * @cx: the device
 *
 * Context: Process context. Sleeps.
 */
void cx_eq_async_exit(struct cx_dev *cx)
{
	cx_eq_destroy(cx->async_eq);
	cx->async_eq = NULL;
	cx_pages_flush(cx);
	cx_handlers_exit(cx);
}

/**
 * cx_eq_fault_init - start to hear page faults, if there can be any
 * @cx: the device
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_eq_fault_init(struct cx_dev *cx)
{
	struct cx_eq *eq;

	if (!cx->caps.odp)
		return 0;
	eq = cx_eq_create(cx, &cx_fault_spec, 0);
	if (IS_ERR(eq))
		return PTR_ERR(eq);
	cx->fault_eq = eq;
	return 0;
}

/**
 * cx_eq_fault_exit - undo cx_eq_fault_init()
 * @cx: the device
 *
 * Context: Process context. Sleeps.
 */
void cx_eq_fault_exit(struct cx_dev *cx)
{
	if (cx->fault_eq)
		cx_eq_destroy(cx->fault_eq);
	cx->fault_eq = NULL;
}

static unsigned int cx_eq_comp_vector(const struct cx_dev *cx, unsigned int i)
{
	return cx->num_vectors > 1 ? i + 1 : 0;
}

/**
 * cx_eq_comp_init - create a completion event queue per vector
 * @cx: the device
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_eq_comp_init(struct cx_dev *cx)
{
	struct cx_eq *eq;
	unsigned int i;

	for (i = 0; i < cx->num_comp; i++) {
		eq = cx_eq_create(cx, &cx_comp_spec, cx_eq_comp_vector(cx, i));
		if (IS_ERR(eq)) {
			cx_eq_comp_exit(cx);
			return PTR_ERR(eq);
		}
		cx->comp_eq[i] = eq;
	}
	return 0;
}

/**
 * cx_eq_comp_exit - destroy the completion event queues there are
 * @cx: the device
 *
 * Context: Process context. Sleeps.
 */
void cx_eq_comp_exit(struct cx_dev *cx)
{
	unsigned int i;

	for (i = cx->num_comp; i--;) {
		if (cx->comp_eq[i])
			cx_eq_destroy(cx->comp_eq[i]);
		cx->comp_eq[i] = NULL;
	}
}

/**
 * cx_eq_comp_number - number of a completion event queue
 * @cx: the device
 * @vector: which one; less than cx->num_comp
 *
 * Context: Any context.
 * Return: its number, as CREATE_CQ wants it.
 */
u8 cx_eq_comp_number(const struct cx_dev *cx, unsigned int vector)
{
	return cx->comp_eq[vector]->number;
}

static void cx_eq_sync(struct cx_eq *eq)
{
	synchronize_irq(pci_irq_vector(eq->cx->pdev, eq->vector));
}

/**
 * cx_eq_sync_async - wait for the interrupt that runs asynchronous handlers
 * @cx: the device
 *
 * Context: Process context. Sleeps.
 */
void cx_eq_sync_async(struct cx_dev *cx)
{
	cx_eq_sync(cx->async_eq);
}

/**
 * cx_eq_sync_fault - wait for who hands page faults to the upper half
 * @cx: the device
 *
 * Context: Process context. Sleeps.
 */
void cx_eq_sync_fault(struct cx_dev *cx)
{
	if (cx->fault_eq)
		flush_work(&cx->fault_eq->work);
}

/**
 * cx_eq_sync_comp - wait for the interrupt that runs completion handlers
 * @cx: the device
 * @vector: which one
 *
 * Context: Process context. Sleeps.
 */
void cx_eq_sync_comp(struct cx_dev *cx, unsigned int vector)
{
	cx_eq_sync(cx->comp_eq[vector]);
}
