// SPDX-License-Identifier: GPL-2.0-only
/*
 * memory_limits - how much may be pinned, from whom it is taken and to whom it
 * is given back, and which ranges are none. Root; TAP.
 */
#include <grp.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calls_memory.h"
#include "tap.h"

#define NOBODY		65534
#define KB(pages)	((long)(pages) * PAGE / 1024)
#define THREADS		8
#define TOP		0x7ffffffff000UL	/* where the kernel begins */

static struct uctx x;
static uint32_t pd;

static void *map(size_t bytes)
{
	return memory_map(bytes, PROT_READ | PROT_WRITE, 0);
}

static int limit_pages(rlim_t pages)
{
	rlim_t bytes = pages == RLIM_INFINITY ? pages : pages * PAGE;
	struct rlimit limit = { bytes, bytes };

	return setrlimit(RLIMIT_MEMLOCK, &limit) ? errno : 0;
}

static int become_nobody(rlim_t pages)
{
	if (limit_pages(pages) || setgroups(0, NULL) || setgid(NOBODY) ||
	    setuid(NOBODY))
		return errno;
	return uctx_open(&x) || pd_alloc(&x, &pd) ? EIO : 0;
}

/* A process of its own, as an ordinary user with this limit */
static void as_nobody(rlim_t pages, void (*run)(void))
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		close(x.fd);
		tap_failed = become_nobody(pages);
		if (!tap_failed)
			run();
		fflush(stdout);
		_exit(tap_failed);
	}
	want(waitpid(pid, &status, 0) == pid);
	want(WIFEXITED(status) && !WEXITSTATUS(status));
}

static int regions, most;

static void *register_often(void *memory)
{
	uint32_t mr;
	int i, err;

	for (i = 0; i < 200; i++) {
		err = mr_reg(&x, pd, memory, 16 * PAGE, LOCAL_WRITE, &mr);
		if (err == ENOMEM)
			continue;
		if (err)
			return "a registration failed";
		err = __atomic_add_fetch(&regions, 1, __ATOMIC_SEQ_CST);
		if (err > __atomic_load_n(&most, __ATOMIC_SEQ_CST))
			__atomic_store_n(&most, err, __ATOMIC_SEQ_CST);
		sched_yield();
		__atomic_sub_fetch(&regions, 1, __ATOMIC_SEQ_CST);
		if (mr_destroy(&x, mr))
			return "a region stays";
	}
	return NULL;
}

/* 64 pages: four regions of 16 at most */
static void run_parallel(void)
{
	pthread_t thread[THREADS];
	void *failed, *memory = map(16 * PAGE);
	int i;

	for (i = 0; i < THREADS; i++)
		want(!pthread_create(&thread[i], NULL, register_often,
				     memory));
	for (i = 0; i < THREADS; i++) {
		want(!pthread_join(thread[i], &failed));
		want(!failed);
	}
	tap_note("%d regions at a time", most);
	want(most > 0 && most <= 4);
	want(pinned_kb() == 0);
}

static void parallel_calls(void)
{
	as_nobody(64, run_parallel);
}

static void run_counted_each_time(void)
{
	void *memory = map(16 * PAGE);
	uint32_t mr[3];

	want_err(mr_reg(&x, pd, memory, 16 * PAGE, 0, &mr[0]), 0);
	want_err(mr_reg(&x, pd, memory, 16 * PAGE, 0, &mr[1]), 0);
	want(pinned_kb() == KB(32));
	want_err(mr_reg(&x, pd, memory, PAGE, 0, &mr[2]), ENOMEM);
	want_err(refused_with(&x, "need 1 pages, 0 available: limit 32, pinned 32"),
		 0);
	want_err(mr_destroy(&x, mr[0]), 0);
	/* to the last page, and not one more */
	want_err(mr_reg(&x, pd, memory, 15 * PAGE + 1, 0, &mr[0]), 0);
	want_err(mr_reg(&x, pd, memory, 1, 0, &mr[2]), ENOMEM);
}

static void counted_each_time(void)
{
	as_nobody(32, run_counted_each_time);
}

static void run_no_limit(void)
{
	void *memory = map(8 << 20);
	uint32_t mr;

	want_err(mr_reg(&x, pd, memory, 8 << 20, LOCAL_WRITE, &mr), 0);
	want(pinned_kb() == 8 << 10);
	want_err(mr_destroy(&x, mr), 0);
}

static void no_limit(void)
{
	as_nobody(RLIM_INFINITY, run_no_limit);
}

/* Whoever may lock what he likes is counted all the same. */
static void privilege_passes_the_limit(void)
{
	struct rlimit before;
	void *memory = map(16 * PAGE);
	uint32_t mr;

	want(!getrlimit(RLIMIT_MEMLOCK, &before));
	want_err(limit_pages(0), 0);
	want_err(mr_reg(&x, pd, memory, 16 * PAGE, 0, &mr), 0);
	want(pinned_kb() == KB(16));
	want_err(mr_destroy(&x, mr), 0);
	want(!setrlimit(RLIMIT_MEMLOCK, &before));
}

/* The child has pinned nothing: what it lets go is given to its parent. */
static void a_child_lets_go(void)
{
	void *memory = map(16 * PAGE);
	uint32_t mr;
	int status;
	pid_t pid;

	want_err(mr_reg(&x, pd, memory, 16 * PAGE, LOCAL_WRITE, &mr), 0);
	want(pinned_kb() == KB(16));
	pid = fork();
	if (!pid)
		_exit(pinned_kb() || mr_destroy(&x, mr) || pinned_kb());
	want(waitpid(pid, &status, 0) == pid && !status);
	want(pinned_kb() == 0);
}

/* A region lives as long as its file, and its pages stay pinned. */
static void memory_outlives_its_process(void)
{
	long before = pages_held();
	uint32_t mr, ypd;
	int to[2], status;
	struct uctx y;
	pid_t pid;
	char c;

	want(!pipe(to));
	pid = fork();
	if (!pid) {
		if (uctx_open(&y) || pd_alloc(&y, &ypd) ||
		    mr_reg(&y, ypd, y.memory, 16 * PAGE, LOCAL_WRITE, &mr))
			_exit(1);
		close(to[1]);
		/* this one keeps the file until it is told */
		if (!fork())
			_exit(read(to[0], &c, 1));
		_exit(0);
	}
	close(to[0]);
	want(waitpid(pid, &status, 0) == pid && !status);
	want(pages_held() == before + 16);
	close(to[1]);
	want(pages_settle_at(before));
}

static void memory_survives_munmap(void)
{
	long before = pages_held();
	void *memory = map(16 * PAGE);
	uint32_t mr;

	want_err(mr_reg(&x, pd, memory, 16 * PAGE, LOCAL_WRITE, &mr), 0);
	want(!munmap(memory, 16 * PAGE));
	want(pages_held() == before + 16);
	want(pinned_kb() == KB(16));
	want_err(mr_destroy(&x, mr), 0);
	want(pages_held() == before);
	want(pinned_kb() == 0);
}

static void ranges_that_are_none(void)
{
	char *page = map(2 * PAGE);
	const struct {
		void *addr;
		uint64_t length;
		int error;
	} rows[] = {
		{ page, 0, EINVAL },
		/* the mapping ends before that */
		{ page, (1ULL << 44) - PAGE, EFAULT },
		/* more pages than can be counted */
		{ page, 1ULL << 44, EINVAL },
		{ page, UINT64_MAX, EINVAL },
		{ page, 2 * PAGE + TOP, EINVAL },
		{ (void *)-PAGE, PAGE, EINVAL },
		{ (void *)-PAGE, PAGE - 1, EINVAL },
		{ (void *)(-2L * PAGE), PAGE, EFAULT },
		{ (void *)UINT64_MAX, 1, EINVAL },
		{ (void *)TOP, PAGE, EFAULT },
		{ NULL, PAGE, EFAULT },
		{ (void *)(1UL << 62), PAGE, EFAULT },
	};
	unsigned int i;
	uint32_t mr;

	want(!munmap(page + PAGE, PAGE));
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		tap_note("%p, %#llx", rows[i].addr,
			 (unsigned long long)rows[i].length);
		want_err(mr_reg(&x, pd, rows[i].addr, rows[i].length, 0, &mr),
			 rows[i].error);
		want(pinned_kb() == 0);
	}
}

static void the_last_page_of_all(void)
{
	void *memory = mmap((void *)(TOP - PAGE), PAGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
			    -1, 0);
	uint32_t mr;

	want(memory == (void *)(TOP - PAGE) || errno == EEXIST);
	want_err(mr_reg(&x, pd, (void *)(TOP - PAGE), PAGE, 0, &mr), 0);
	want_err(mr_destroy(&x, mr), 0);
	want_err(mr_reg(&x, pd, (void *)(TOP - 1), 1, 0, &mr), 0);
	want_err(mr_destroy(&x, mr), 0);
	want_err(mr_reg(&x, pd, (void *)(TOP - 1), 2, 0, &mr), EFAULT);
}

static void any_byte_to_any_byte(void)
{
	static const unsigned int offsets[] = { 0, 1, 63, 2048, 4095 };
	static const unsigned int lengths[] = { 1, 2, 4095, 4096, 4097, 8192 };
	uint8_t *memory = map(4 * PAGE);
	unsigned int i, j, pages;
	struct mr_state state;
	uint32_t mr;

	for (i = 0; i < 5; i++) {
		for (j = 0; j < 6; j++) {
			want_err(mr_reg(&x, pd, memory + offsets[i],
					lengths[j], LOCAL_WRITE, &mr), 0);
			pages = (offsets[i] + lengths[j] + PAGE - 1) / PAGE;
			want(pinned_kb() == KB(pages));
			want_err(mr_state(&x, mr, &state), 0);
			want(state.length == lengths[j]);
			want_err(mr_destroy(&x, mr), 0);
		}
	}
}

static void another_iova(void)
{
	const struct {
		uint64_t iova;
		int error;
	} rows[] = {
		{ 0x123, 0 }, { 0x7123, 0 }, { 0xffffffff123, 0 },
		{ -2ULL * PAGE + 0x123, 0 },	/* up to the last address */
		{ 0x124, EINVAL }, { 0, EINVAL },
		{ -1ULL * PAGE + 0x123, EINVAL },
	};
	uint8_t *memory = map(4 * PAGE);
	struct mr_state state;
	unsigned int i;
	uint32_t mr;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		tap_note("iova %#llx", (unsigned long long)rows[i].iova);
		want_err(mr_reg_at(&x, pd, memory + 0x123, 2 * PAGE - 0x123,
				   rows[i].iova, LOCAL_WRITE, &mr),
			 rows[i].error);
		if (rows[i].error)
			continue;
		want_err(mr_state(&x, mr, &state), 0);
		want(state.iova == rows[i].iova);
		want_err(mr_destroy(&x, mr), 0);
	}
	want(pinned_kb() == 0);
}

static const struct tap_test tests[] = {
	{ "parallel calls do not pass the limit", parallel_calls },
	{ "a page counts each time it is pinned", counted_each_time },
	{ "no limit", no_limit },
	{ "CAP_IPC_LOCK passes the limit", privilege_passes_the_limit },
	{ "a child lets go of its parent's memory", a_child_lets_go },
	{ "memory outlives its process", memory_outlives_its_process },
	{ "memory survives munmap", memory_survives_munmap },
	{ "ranges that are none", ranges_that_are_none },
	{ "the last page of all", the_last_page_of_all },
	{ "any byte to any byte", any_byte_to_any_byte },
	{ "another iova", another_iova },
};

int main(void)
{
	if (uctx_open(&x) || pd_alloc(&x, &pd)) {
		perror("/dev/infiniband/uverbs0");
		return 1;
	}
	return tap_run(tests, sizeof(tests) / sizeof(tests[0]));
}
