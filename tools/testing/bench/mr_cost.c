// SPDX-License-Identifier: GPL-2.0-only
/*
 * mr_cost RUNS MIB... - register memory between the marks of kcount
 * mr_cost memory - only what the kernel takes for it
 *
 * For each kind of memory and each size (4 KiB, and those asked for): pin and
 * unpin it, register and deregister it, and the same while another thread does
 * so with other memory on another processor; of large memory, also while two
 * threads of the kernel pin it, where the stack has them. The output is
 *
 *	row NUMBER KIND BYTES OP	what was counted; OP is pin, reg, dereg,
 *					reg2, dereg2, regby2, deregby2
 *	time KIND BYTES ALONE TOGETHER	ns for both calls, and how often the
 *	sleeps KIND BYTES ALONE TOGETHER	thread had to sleep, per run
 *	memory KIND PAGES BYTES		taken by the kernel for so many pages
 *	list KIND BYTES ENTRIES		length of the adapter's translation
 *	left out KIND BYTES		there is not so much memory
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "calls.h"
#include "kernel.h"
#include "marks.h"
#include "mr_memory.h"

#define MAX_SIZES	8
#define RIGHTS		7		/* local write, remote write and read */
#define MEMORY_MRS	16
#define MEMORY_MRS_IOMMU 3		/* QEMU takes its time for each page */
#define PARTNER_BYTES	(64 * MIB)	/* what two threads register, at most */
#define PIN_THREADS	"/sys/module/ib_core/parameters/pin_threads"

static struct uctx ctx;
static uint32_t pd;
static int gup;
static unsigned int rows;

static void die(const char *what, int err)
{
	printf("mr_cost: %s: %s\n", what, strerror(err));
	exit(1);
}

static uint64_t function(const char *name)
{
	uint64_t address = kernel_symbol(name);

	if (!address)
		die(name, ENOENT);
	return address;
}

/* Where pages are pinned and unpinned, by gup_test and by either stack */
static void set_pinning_apart(void)
{
	static const char * const names[] = {
		"pin_user_pages_fast", "pin_user_pages",
		"unpin_user_pages", "unpin_user_pages_dirty_lock",
		"unpin_user_page_range_dirty_lock",
	};
	unsigned int i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		mark(MARK_APART, function(names[i]));
}

/*
 * Whether the thread has to sleep until the adapter has answered is a matter
 * of how busy the host is, and each sleep takes as much as half of a firmware
 * command.
 */
static void leave_out_sleeping(void)
{
	static const char * const names[] = { "schedule_timeout", "__schedule" };
	unsigned int i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		mark(MARK_LEFT_OUT, function(names[i]));
}

static void bind_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("no second processor", errno);
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static long sleeps(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw;
}

/* Fewer of what takes long */
static unsigned int runs_of(size_t bytes, unsigned int runs)
{
	size_t weight = bytes >= GIB ? 80 : bytes >= 64 * MIB ? 25 :
			bytes >= MIB ? 3 : 1;

	return runs / weight > 3 ? runs / weight : 3;
}

static void check(const char *what, int err)
{
	if (err)
		die(what, err);
}

static void count_pins(void *memory, size_t bytes, unsigned int runs)
{
	unsigned int i;
	int err;

	for (i = 0; i < runs; i++) {
		mark(MARK_START, rows);
		err = gup_pin(gup, memory, bytes);
		mark(MARK_END, 0);
		check("gup_test", err);
	}
	rows++;
}

/* Two rows: to register, to deregister; time and sleeps of one run */
static void count_regs(void *memory, size_t bytes, unsigned int runs,
		       uint64_t *time, long *slept)
{
	uint64_t start = now();
	long before = sleeps();
	unsigned int i;
	uint32_t mr;
	int err;

	for (i = 0; i < runs; i++) {
		mark(MARK_START, rows);
		err = mr_reg(&ctx, pd, memory, bytes, RIGHTS, &mr);
		mark(MARK_END, 0);
		check("mr_reg", err);
		mark(MARK_START, rows + 1);
		err = mr_destroy(&ctx, mr);
		mark(MARK_END, 0);
		check("mr_destroy", err);
	}
	*time = (now() - start) / runs;
	*slept = (sleeps() - before) / runs;
	rows += 2;
}

static void name_rows(const char *kind, size_t bytes, const char *op,
		      const char *undo)
{
	printf("row %u %s %zu %s\n", rows, kind, bytes, op);
	if (undo)
		printf("row %u %s %zu %s\n", rows + 1, kind, bytes, undo);
	fflush(stdout);
}

/* The other thread, which has its own memory */
struct partner {
	pthread_t thread;
	void *memory;
	size_t bytes;
	atomic_ulong done;
	atomic_bool stop;
};

static void *run_partner(void *arg)
{
	struct partner *p = arg;
	uint32_t mr;

	bind_to(1);
	while (!p->stop) {
		check("mr_reg", mr_reg(&ctx, pd, p->memory, p->bytes, RIGHTS,
				       &mr));
		check("mr_destroy", mr_destroy(&ctx, mr));
		p->done++;
	}
	return NULL;
}

static void count_together(const struct kind *kind, void *memory,
			   size_t bytes, unsigned int runs, uint64_t time,
			   long slept)
{
	struct partner p = { .memory = memory + bytes, .bytes = bytes };
	uint64_t time2;
	long slept2;

	check("thread", pthread_create(&p.thread, NULL, run_partner, &p));
	while (!p.done)
		usleep(1000);
	name_rows(kind->name, bytes, "reg2", "dereg2");
	count_regs(memory, bytes, runs, &time2, &slept2);
	p.stop = true;
	pthread_join(p.thread, NULL);
	printf("time %s %zu %lu %lu\n", kind->name, bytes, time, time2);
	printf("sleeps %s %zu %ld %ld\n", kind->name, bytes, slept, slept2);
}

/* The adapter's entries, of all keys there are; its model knows. */
static long list_entries(void)
{
	FILE *pipe = popen("cxctl translations", "r");
	char line[256] = "";
	char *at;

	if (!pipe)
		die("cxctl", errno);
	if (!fgets(line, sizeof(line), pipe))
		die("cxctl: no answer", 0);
	pclose(pipe);
	at = strstr(line, "\"entries\":");
	if (!at)
		die(line, EINVAL);
	return strtol(at + strlen("\"entries\":"), NULL, 10);
}

static void count_list(const struct kind *kind, void *memory, size_t bytes)
{
	long before = list_entries();
	uint32_t mr;

	check("mr_reg", mr_reg(&ctx, pd, memory, bytes, RIGHTS, &mr));
	printf("list %s %zu %ld\n", kind->name, bytes, list_entries() - before);
	check("mr_destroy", mr_destroy(&ctx, mr));
}

/* What is left of many registrations, once the memory for each call is back */
static void count_memory(const struct kind *kind, void *memory, size_t bytes,
			 unsigned int num)
{
	long before = kernel_free_memory();
	uint32_t mr[MEMORY_MRS];
	unsigned int i;

	for (i = 0; i < num; i++)
		check("mr_reg", mr_reg(&ctx, pd, memory, bytes, RIGHTS,
				       &mr[i]));
	printf("memory %s %zu %ld\n", kind->name, bytes / PAGE * num,
	       before - kernel_free_memory());
	fflush(stdout);
	for (i = 0; i < num; i++)
		check("mr_destroy", mr_destroy(&ctx, mr[i]));
}

/* The first registration of a size brings caches that stay. */
static void count_only_memory(void)
{
	unsigned int i, round;
	void *memory;

	for (i = 0; i < NUM_KINDS; i++) {
		memory = kinds[i].map(PARTNER_BYTES);
		if (!memory)
			die(kinds[i].name, ENOMEM);
		for (round = 0; round < 2; round++)
			count_memory(&kinds[i], memory, PARTNER_BYTES,
				     MEMORY_MRS_IOMMU);
		kinds[i].unmap(memory, PARTNER_BYTES);
	}
}

static void count_pinned_by_two(const struct kind *kind, void *memory,
				size_t bytes, unsigned int runs)
{
	uint64_t time;
	long slept;

	if (kernel_write(PIN_THREADS, "2"))
		return;
	name_rows(kind->name, bytes, "regby2", "deregby2");
	count_regs(memory, bytes, runs, &time, &slept);
	kernel_write(PIN_THREADS, "1");
}

static void count_size(const struct kind *kind, void *memory, size_t bytes,
		       unsigned int runs)
{
	uint64_t time;
	long slept;

	runs = runs_of(bytes, runs);
	name_rows(kind->name, bytes, "pin", NULL);
	count_pins(memory, bytes, runs);
	name_rows(kind->name, bytes, "reg", "dereg");
	count_regs(memory, bytes, runs, &time, &slept);
	count_list(kind, memory, bytes);
	if (bytes <= PARTNER_BYTES)
		count_together(kind, memory, bytes, runs, time, slept);
	if (bytes == PARTNER_BYTES)
		count_memory(kind, memory, bytes, MEMORY_MRS);
	if (bytes == GIB)
		count_pinned_by_two(kind, memory, bytes, runs);
}

/* The largest size of those that are no larger than so much */
static size_t largest(const size_t *sizes, unsigned int num, size_t most)
{
	size_t found = 0;
	unsigned int i;

	for (i = 0; i < num; i++)
		if (sizes[i] <= most && sizes[i] > found)
			found = sizes[i];
	return found;
}

/* One mapping for those of up to MR_FILE_BYTES, or one for each larger size */
static void count_sizes(const struct kind *kind, const size_t *sizes,
			unsigned int num, unsigned int runs, size_t bytes)
{
	size_t held = bytes < MR_FILE_BYTES ? bytes : MR_FILE_BYTES;
	unsigned int i;
	void *memory;

	if (held + GIB / 4 > (size_t)kernel_memory("MemFree")) {
		for (i = 0; i < num; i++)
			printf("left out %s %zu\n", kind->name, sizes[i]);
		return;
	}
	memory = kind->map(bytes);
	if (!memory)
		die(kind->name, ENOMEM);
	for (i = 0; i < num; i++)
		count_size(kind, memory, sizes[i], runs);
	kind->unmap(memory, bytes);
}

/* Two threads use memory of their own each. */
static void count_kind(const struct kind *kind, const size_t *sizes,
		       unsigned int num, unsigned int runs)
{
	size_t bytes = largest(sizes, num, MR_FILE_BYTES);
	unsigned int i, small = 0;

	while (small < num && sizes[small] <= MR_FILE_BYTES)
		small++;
	if (bytes < 2 * PARTNER_BYTES)
		bytes = 2 * PARTNER_BYTES;
	count_sizes(kind, sizes, small, runs, bytes);
	for (i = small; i < num; i++)
		count_sizes(kind, sizes + i, 1, runs, sizes[i]);
}

int main(int argc, char **argv)
{
	size_t sizes[MAX_SIZES] = { PAGE };
	unsigned int i, num = 1, runs;

	if (argc < 2 || argc > MAX_SIZES) {
		printf("usage: mr_cost memory | RUNS MIB...\n");
		return 2;
	}
	runs = strtoul(argv[1], NULL, 0);
	for (; num < (unsigned int)argc - 1; num++)
		sizes[num] = strtoul(argv[num + 1], NULL, 0) * MIB;
	bind_to(0);
	check("cannot open the device", uctx_open(&ctx));
	check("no protection domain", pd_alloc(&ctx, &pd));
	if (!strcmp(argv[1], "memory")) {
		count_only_memory();
		return 0;
	}
	gup = gup_open();
	if (gup < 0)
		die("gup_test", -gup);
	set_pinning_apart();
	leave_out_sleeping();
	mark(MARK_THREAD, 0);
	for (i = 0; i < NUM_KINDS; i++)
		count_kind(&kinds[i], sizes, num, runs);
	check("pd_destroy", pd_destroy(&ctx, pd));
	uctx_close(&ctx);
	return 0;
}
