// SPDX-License-Identifier: GPL-2.0-only
/*
 * memory_kinds [HUGE] - kinds of memory, and a region that takes long. With
 * HUGE that one is 64 GiB of addresses over one page of 1 GiB, which the
 * processor must have. Root; TAP.
 */
#include <fcntl.h>
#include <linux/memfd.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "calls_memory.h"
#include "tap.h"

#define HUGE_2M		(2UL << 20)
#define HUGE_1G		(1UL << 30)

static struct uctx x;
static uint32_t pd;
static int huge;

static void *map(size_t bytes)
{
	return memory_map(bytes, PROT_READ | PROT_WRITE, 0);
}

static int number_to(const char *path, long number)
{
	FILE *f = fopen(path, "w");
	int ok = f && fprintf(f, "%ld\n", number) > 0;

	return f && !fclose(f) && ok ? 0 : EIO;
}

static void read_only_memory(void)
{
	void *memory = memory_map(4 * PAGE, PROT_READ, 0);
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
	memory = memory_map(2 * HUGE_2M, PROT_READ | PROT_WRITE, flags);
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
	return t.tv_sec + t.tv_nsec / 1e9;
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
	want(longest < took / 4 || longest < 0.5);
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
	want(pages_settle_at(before));
	munmap(memory, bytes);
}

static const struct tap_test tests[] = {
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
