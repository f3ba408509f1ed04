// SPDX-License-Identifier: GPL-2.0-only
/*
 * memory_lost CXCTL - the adapter takes a command or a change of a key and says
 * no more
 *
 * CXCTL is the program that asks the model for it. The driver waits for as long
 * as it says, gives the adapter up, and takes from it the memory that it might
 * still reach: who waited gets an error or, if something only had to go, has it
 * gone. Nobody waits longer, by the kernel's watch over tasks. Then a reset of
 * the function is enough. Where only the event of a command is lost the adapter
 * lives. Needs connectx.mkey_pool, as without it no deregistration changes a key.
 * Minutes. Root; TAP.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "calls_memory.h"
#include "pci.h"
#include "tap.h"

#define BYTES		(8 * PAGE)
#define LIMIT		60	/* the driver's, in seconds */
#define SLACK		30
#define HUNG_TASKS	"/proc/sys/kernel/hung_task_timeout_secs"

static const char *cxctl;
static struct uctx x;
static uint32_t pd;

static int lose_next(const char *what)
{
	char line[128];

	snprintf(line, sizeof(line), "%s lose-%s 1 >/dev/null", cxctl, what);
	return system(line);
}

/* The kernel reports whoever waits longer than the driver may. */
static int watch_tasks(void)
{
	char line[64];

	snprintf(line, sizeof(line), "echo %d >" HUNG_TASKS, LIMIT + SLACK);
	return system(line);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* As long as the driver waits, and hardly longer */
static int in_time(double start)
{
	double took = now() - start;

	printf("# %.1f s\n", took);
	return took > LIMIT - 1 && took < LIMIT + SLACK;
}

static int change(uint32_t mr, uint32_t access)
{
	struct ib_uverbs_rereg_mr in = {
		.mr_handle = mr,
		.flags = CHANGE_ACCESS,
		.access_flags = access,
	};
	uint32_t key;

	return mr_rereg(&x, &in, &key);
}

/* A region whose keys were changed before: all that a change needs is there. */
static int start(uint32_t access, void **memory, uint32_t *mr)
{
	int ret;

	*memory = memory_map(BYTES, PROT_READ | PROT_WRITE, MAP_POPULATE);
	ret = *memory ? uctx_open(&x) : ENOMEM;
	ret = ret ? ret : pd_alloc(&x, &pd);
	ret = ret ? ret : mr_reg(&x, pd, *memory, BYTES, access, mr);
	if (!ret && !(access & ON_DEMAND))
		ret = change(*mr, access);
	return ret;
}

/* Nothing is left of it, and the adapter works again. */
static int finish(void *memory)
{
	int ret;

	uctx_close(&x);
	munmap(memory, BYTES);
	if (pinned_kb())
		return EBUSY;
	ret = pci_unbind();
	ret = ret ? ret : pci_reset();
	return ret ? ret : pci_bind();
}

/* A change of another region waits for its turn meanwhile. */
static void *change_as_well(void *arg)
{
	uint32_t *mr = arg;

	sleep(1);
	return change(*mr, LOCAL_WRITE) == EIO ? NULL : "another errno";
}

static void a_region_is_changed(void)
{
	pthread_t other;
	void *memory, *failed;
	uint32_t mr, second;
	double began;

	want_err(start(LOCAL_WRITE, &memory, &mr), 0);
	want_err(mr_reg(&x, pd, memory, BYTES, LOCAL_WRITE, &second), 0);
	want(!lose_next("umr"));
	want(!pthread_create(&other, NULL, change_as_well, &second));
	began = now();
	want_err(change(mr, LOCAL_WRITE | REMOTE_WRITE), EIO);
	want(in_time(began));
	want(!pthread_join(other, &failed));
	want(!failed);
	want(in_time(began));
	want_err(change(mr, LOCAL_WRITE), EIO);
	want_err(mr_destroy(&x, mr), 0);
	want_err(mr_destroy(&x, second), 0);
	want_err(finish(memory), 0);
}

static void a_region_is_deregistered(void)
{
	void *memory;
	uint32_t mr;
	double began;

	want_err(start(LOCAL_WRITE, &memory, &mr), 0);
	want(!lose_next("umr"));
	began = now();
	want_err(mr_destroy(&x, mr), 0);
	want(in_time(began));
	want(pinned_kb() == 0);
	want_err(finish(memory), 0);
}

static void paged_memory_is_unmapped(void)
{
	struct mr_state state;
	void *memory;
	uint32_t mr;
	double began;

	want_err(start(LOCAL_WRITE | ON_DEMAND, &memory, &mr), 0);
	want_err(mr_state(&x, mr, &state), 0);
	want_err(mr_advise(&x, pd, PREFETCH_WRITE, 1, state.lkey, memory,
			   BYTES), 0);
	want(!lose_next("umr"));
	began = now();
	want(!munmap(memory, BYTES));
	want(in_time(began));
	want_err(change(mr, LOCAL_WRITE | ON_DEMAND), EIO);
	want_err(finish(memory), 0);
}

static void *change_until_unbound(void *arg)
{
	uint32_t *mr = arg;

	return change(*mr, LOCAL_WRITE | REMOTE_WRITE) == EIO ?
	       NULL : "another errno";
}

static void the_driver_is_unbound(void)
{
	pthread_t other;
	void *memory, *failed;
	uint32_t mr;
	double began;

	want_err(start(LOCAL_WRITE, &memory, &mr), 0);
	want(!lose_next("umr"));
	want(!pthread_create(&other, NULL, change_until_unbound, &mr));
	sleep(2);
	began = now();
	want_err(pci_unbind(), 0);
	want(now() - began < LIMIT + SLACK);
	want(!pthread_join(other, &failed));
	want(!failed);
	want_err(pci_reset(), 0);
	want_err(pci_bind(), 0);
	uctx_close(&x);
	munmap(memory, BYTES);
	want(pinned_kb() == 0);
}

/*
 * What was to be registered is not pinned any more. That the adapter was given up
 * may have reached the other region already, or not yet.
 */
static void a_command_gets_no_answer(void)
{
	uint32_t mr, second;
	void *memory;
	double began;

	want_err(start(LOCAL_WRITE, &memory, &mr), 0);
	want(!lose_next("cmd"));
	began = now();
	want_err(mr_reg(&x, pd, memory, BYTES, LOCAL_WRITE, &second),
		 ETIMEDOUT);
	want(in_time(began));
	want(pinned_kb() <= BYTES / 1024);
	want_err(mr_destroy(&x, mr), 0);
	want_err(finish(memory), 0);
}

static void an_event_of_a_command_is_lost(void)
{
	uint32_t mr, second;
	void *memory;
	double began;

	want_err(start(LOCAL_WRITE, &memory, &mr), 0);
	want(!lose_next("event"));
	began = now();
	want_err(mr_reg(&x, pd, memory, BYTES, LOCAL_WRITE, &second), 0);
	want(in_time(began));
	want_err(mr_destroy(&x, second), 0);
	want_err(mr_destroy(&x, mr), 0);
	want_err(finish(memory), 0);
}

static const struct tap_test tests[] = {
	{ "a region is changed", a_region_is_changed },
	{ "a region is deregistered", a_region_is_deregistered },
	{ "paged memory is unmapped", paged_memory_is_unmapped },
	{ "the driver is unbound", the_driver_is_unbound },
	{ "a command gets no answer", a_command_gets_no_answer },
	{ "an event of a command is lost", an_event_of_a_command_is_lost },
};

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: memory_lost CXCTL\n");
		return 2;
	}
	cxctl = argv[1];
	if (pci_find()) {
		perror("/sys/class/infiniband/mlx5_0");
		return 1;
	}
	if (watch_tasks())
		return 1;
	return tap_run(tests, sizeof(tests) / sizeof(tests[0]));
}
