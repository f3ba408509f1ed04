// SPDX-License-Identifier: GPL-2.0-only
/*
 * memory_limits [HUGE] - what may be pinned, of whom it is taken, and what
 * kinds of memory there are. With HUGE, the long region is 64 GiB of addresses
 * over one page of 1 GiB, which the machine must have. Root; TAP.
 */
#include <fcntl.h>
#include <grp.h>
#include <linux/memfd.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "calls_memory.h"
#include "tap.h"

#define NOBODY		65534
#define HUGE_2M		(2UL << 20)
#define HUGE_1G		(1UL << 30)
#define KB(pages)	((long)(pages) * PAGE / 1024)
#define THREADS		8
#define TOP		0x7ffffffff000UL	/* where the kernel begins */

static struct uctx x;
static uint32_t pd;
static int huge;

static void *map_flags(size_t bytes, int prot, int flags)
{
	void *p = mmap(NULL, bytes, prot, MAP_PRIVATE | MAP_ANONYMOUS | flags,
		       -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static void *map(size_t bytes)
{
	return map_flags(bytes, PROT_READ | PROT_WRITE, 0);
}

static int number_to(const char *path, long number)
{
	FILE *f = fopen(path, "w");
	int ok = f && fprintf(f, "%ld\n", number) > 0;

	return f && !fclose(f) && ok ? 0 : EIO;
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

/* Files are closed behind a process's back; not long after its end. */
static int settles_at(long pages)
{
	int i;

	for (i = 0; i < 500 && pages_held() != pages; i++)
		usleep(10000);
	return pages_held() == pages;
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
	want(settles_at(before));
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

static void read_only_memory(void)
{
	void *memory = map_flags(4 * PAGE, PROT_READ, 0);
	uint32_t mr;

	want_err(mr_reg(&x, pd, memory, 4 * PAGE, REMOTE_READ, &mr), 0);
	want_err(mr_destroy(&x, mr), 0);
	want_err(mr_reg(&x, pd, memory, 4 * PAGE, LOCAL_WRITE, &mr), EFAULT);
	want_err(refused_with(&x, "memory without write permission"), 0);
}

static void files(void)
{
	int fd = open("/var/tmp/region", O_RDWR | O_CREAT | O_TRUNC, 0600);
	int prot = PROT_READ | PROT_WRITE;
	void *shared, *private;
	uint32_t mr;

	want(fd >= 0 && !ftruncate(fd, PAGE));
	shared = mmap(NULL, 2 * PAGE, prot, MAP_SHARED, fd, 0);
	private = mmap(NULL, 2 * PAGE, prot, MAP_PRIVATE, fd, 0);
	want(shared != MAP_FAILED && private != MAP_FAILED);
	want_err(mr_reg(&x, pd, private, PAGE, LOCAL_WRITE, &mr), 0);
	want_err(mr_destroy(&x, mr), 0);
	want_err(mr_reg(&x, pd, shared, PAGE, 0, &mr), 0);
	want_err(mr_destroy(&x, mr), 0);
	want_err(mr_reg(&x, pd, shared, PAGE, LOCAL_WRITE, &mr), EFAULT);
	want_err(refused_with(&x, "a shared file"), 0);
	want_err(mr_reg(&x, pd, private, 2 * PAGE, LOCAL_WRITE, &mr), EFAULT);
	want_err(refused_with(&x, "page 2 of 2: behind the end of its file"),
		 0);
	want(pinned_kb() == 0);
	close(fd);
	unlink("/var/tmp/region");
}

/* As /dev/shm of a container is soon */
static void a_full_file_system(void)
{
	const char *dir = "/var/tmp/small";
	uint8_t *memory;
	uint32_t mr;
	int fd;

	want(!mkdir(dir, 0700) || errno == EEXIST);
	want(!mount("none", dir, "tmpfs", 0, "size=4k"));
	fd = open("/var/tmp/small/region", O_RDWR | O_CREAT, 0600);
	want(fd >= 0 && !ftruncate(fd, 2 * PAGE));
	memory = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		      0);
	want(memory != MAP_FAILED);
	close(fd);
	want_err(mr_reg(&x, pd, memory, PAGE, LOCAL_WRITE, &mr), 0);
	want_err(mr_destroy(&x, mr), 0);
	want_err(mr_reg(&x, pd, memory, 2 * PAGE, LOCAL_WRITE, &mr), EFAULT);
	want_err(refused_with(&x, "page 2 of 2: shared memory whose file system is full"),
		 0);
	want(pinned_kb() == 0);
	munmap(memory, 2 * PAGE);
	want(!umount(dir));
}

/* A page of 2 MiB is there, another is not. */
static void huge_pages(void)
{
	int flags = MAP_HUGETLB | MAP_NORESERVE;
	uint8_t *memory;
	uint32_t mr;

	want_err(number_to("/proc/sys/vm/nr_hugepages", 1), 0);
	memory = map_flags(2 * HUGE_2M, PROT_READ | PROT_WRITE, flags);
	want(memory);
	want_err(mr_reg(&x, pd, memory + 123, HUGE_2M - 246, LOCAL_WRITE, &mr),
		 0);
	want(pinned_kb() == HUGE_2M / 1024);
	want_err(mr_destroy(&x, mr), 0);
	want_err(mr_reg(&x, pd, memory, 2 * HUGE_2M, LOCAL_WRITE, &mr),
		 EFAULT);
	want_err(refused_with(&x, "page 513 of 1024: huge pages, and none is free"),
		 0);
	want(pinned_kb() == 0);
	want(!munmap(memory, 2 * HUGE_2M));
}

static void transparent_huge_pages(void)
{
	uint8_t *memory = map(4 * HUGE_2M);
	long before = pages_held();
	uint32_t mr;

	want(!madvise(memory, 4 * HUGE_2M, MADV_HUGEPAGE));
	memset(memory, 1, 4 * HUGE_2M);
	want_err(mr_reg(&x, pd, memory + 12345, 3 * HUGE_2M, LOCAL_WRITE, &mr),
		 0);
	want(pages_held() == before + (long)(3 * HUGE_2M / PAGE) + 1);
	/* split them, and move them */
	want(!munmap(memory + HUGE_2M, PAGE));
	want(mremap(memory + 2 * HUGE_2M, HUGE_2M, HUGE_2M,
		    MREMAP_MAYMOVE | MREMAP_FIXED, map(2 * HUGE_2M)) !=
	     MAP_FAILED);
	want_err(mr_destroy(&x, mr), 0);
	want(pages_held() == before);
}

/* One huge page, mapped over and over; NULL if there is none */
static uint8_t *map_over(size_t page, unsigned int times)
{
	int fd = memfd_create("huge", MFD_HUGETLB | (page == HUGE_1G ?
						     MFD_HUGE_1GB :
						     MFD_HUGE_2MB));
	uint8_t *all, *at;
	unsigned int i;

	if (fd < 0 || ftruncate(fd, page))
		return NULL;
	all = mmap(NULL, page * (times + 1), PROT_NONE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (all == MAP_FAILED)
		return NULL;
	all = (uint8_t *)(((uintptr_t)all + page - 1) & -page);
	for (i = 0; i < times; i++) {
		at = mmap(all + i * page, page, PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_FIXED, fd, 0);
		if (at == MAP_FAILED)
			return NULL;
	}
	close(fd);
	return all;
}

static uint8_t *map_long(uint64_t *bytes)
{
	if (huge) {
		number_to("/sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages",
			  1);
		*bytes = 64 * HUGE_1G;
		return map_over(HUGE_1G, 64);
	}
	number_to("/proc/sys/vm/nr_hugepages", 1);
	*bytes = 2048 * HUGE_2M;
	return map_over(HUGE_2M, 2048);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

static volatile int stop;

/* The longest time that this thread did not run, in seconds */
static void *watch(void *arg)
{
	double *longest = arg, last = now(), t;

	while (!stop) {
		usleep(1000);
		t = now();
		if (t - last > *longest)
			*longest = t - last;
		last = t;
	}
	return NULL;
}

/* Others run on the same processor meanwhile, or it would be a lockup. */
static void a_long_region(void)
{
	double start, took, longest = 0;
	uint64_t bytes;
	uint8_t *memory = map_long(&bytes);
	pthread_t watcher;
	cpu_set_t one;
	uint32_t mr;

	want(memory);
	CPU_ZERO(&one);
	CPU_SET(0, &one);
	want(!sched_setaffinity(0, sizeof(one), &one));
	stop = 0;
	want(!pthread_create(&watcher, NULL, watch, &longest));
	start = now();
	want_err(mr_reg(&x, pd, memory, bytes, LOCAL_WRITE, &mr), 0);
	want(pinned_kb() == (long)(bytes / 1024));
	want_err(mr_destroy(&x, mr), 0);
	took = now() - start;
	stop = 1;
	want(!pthread_join(watcher, NULL));
	tap_note("%llu MiB in %.1f s, others waited for %.3f s at most",
		 (unsigned long long)bytes >> 20, took, longest);
	/* a quick machine has nothing to tell */
	want(longest < took / 4 || longest < 0.2);
	want(pinned_kb() == 0);
	munmap(memory, bytes);
}

/* SIGKILL in the middle of it */
static void a_killed_process(void)
{
	long before = pages_held();
	uint64_t bytes;
	uint8_t *memory = map_long(&bytes);
	uint32_t mr, ypd;
	struct uctx y;
	int status, i;
	double start;
	pid_t pid;

	want(memory);
	pid = fork();
	if (!pid) {
		if (uctx_open(&y) || pd_alloc(&y, &ypd))
			_exit(1);
		while (!mr_reg(&y, ypd, memory, bytes, LOCAL_WRITE, &mr) &&
		       !mr_destroy(&y, mr))
			;
		_exit(1);
	}
	for (i = 0; i < 1000 && pages_held() < before + 1000; i++)
		usleep(10000);
	want(i < 1000);
	start = now();
	kill(pid, SIGKILL);
	want(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
	tap_note("it took %.1f s to end", now() - start);
	want(now() - start < 20);
	want(settles_at(before));
	munmap(memory, bytes);
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
	{ "read-only memory", read_only_memory },
	{ "files", files },
	{ "a full file system", a_full_file_system },
	{ "huge pages", huge_pages },
	{ "transparent huge pages", transparent_huge_pages },
	{ "a long region", a_long_region },
	{ "a killed process", a_killed_process },
};

int main(int argc, char **argv)
{
	(void)argv;
	huge = argc > 1;
	if (uctx_open(&x) || pd_alloc(&x, &pd)) {
		perror("/dev/infiniband/uverbs0");
		return 1;
	}
	return tap_run(tests, sizeof(tests) / sizeof(tests[0]));
}
