// SPDX-License-Identifier: GPL-2.0-only
/*
 * memory_threads [faults] - regions that several threads of the kernel pin, with
 * ib_core's parameter pin_threads set. With "faults" the process serves page
 * faults of its own, on kernels that let it. Root, two processors; TAP.
 */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "calls_memory.h"
#include "tap.h"

#define PARAMETER	"/sys/module/ib_core/parameters/pin_threads"
#define BYTES		(256ul << 20)
#define PAGES		((long)(BYTES / PAGE))
#define KILLS		20
#define SECONDS		20

static struct uctx x;
static uint32_t pd;

static int set_threads(const char *number)
{
	int fd = open(PARAMETER, O_WRONLY | O_CLOEXEC);
	int err = fd < 0 || write(fd, number, 1) != 1 ? errno : 0;

	close(fd);
	return err;
}

/* Threads and processes that were ever made */
static long made(void)
{
	FILE *file = fopen("/proc/stat", "r");
	char line[4096];
	long n = -1;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "processes %ld", &n) == 1)
			break;
	if (file)
		fclose(file);
	return n;
}

/* Small pages: a huge one would be pinned before anybody looks. */
static uint8_t *map_region(void)
{
	uint8_t *memory = memory_map(BYTES, PROT_READ | PROT_WRITE, 0);

	if (memory)
		madvise(memory, BYTES, MADV_NOHUGEPAGE);
	return memory;
}

static void register_all(bool touched)
{
	long before = pages_held(), threads;
	uint8_t *memory = map_region();
	uint32_t mr;

	want(memory);
	if (touched)
		memset(memory, 1, BYTES);
	threads = made();
	want_err(mr_reg(&x, pd, memory, BYTES, LOCAL_WRITE, &mr), 0);
	want(made() > threads);
	want(pinned_kb() == PAGES * PAGE / 1024);
	want(pages_held() - before == PAGES);
	want_err(mr_destroy(&x, mr), 0);
	want(!pinned_kb());
	want(pages_settle_at(before));
	munmap(memory, BYTES);
}

static void what_is_there(void)
{
	register_all(true);
}

static void what_nobody_has_touched(void)
{
	register_all(false);
}

/* Whatever thread meets its hole first, the one in front is the reason. */
static void the_first_hole_counts(void)
{
	long holes[] = { PAGES / 2 - 1, PAGES / 2, PAGES - 1 };
	long before = pages_held();
	uint8_t *memory = map_region();
	char reason[64];
	uint32_t mr;
	int i;

	want(memory);
	for (i = 2; i >= 0; i--) {
		munmap(memory + holes[i] * PAGE, PAGE);
		want_err(mr_reg(&x, pd, memory, BYTES, LOCAL_WRITE, &mr),
			 EFAULT);
		snprintf(reason, sizeof(reason), "page %ld of %ld: no mapping",
			 holes[i] + 1, PAGES);
		want_err(refused_with(&x, reason), 0);
		want(!pinned_kb());
		want(pages_settle_at(before));
	}
	munmap(memory, BYTES);
}

/* 1: it is gone in time */
static int is_gone(pid_t pid)
{
	time_t end = time(NULL) + SECONDS;

	while (time(NULL) < end) {
		if (waitpid(pid, NULL, WNOHANG) == pid)
			return 1;
		usleep(10000);
	}
	return 0;
}

static void register_for_ever(uint8_t *memory)
{
	uint32_t mr;

	for (;;) {
		if (mr_reg(&x, pd, memory, BYTES, LOCAL_WRITE, &mr) ||
		    mr_destroy(&x, mr))
			_exit(1);
		madvise(memory, BYTES, MADV_DONTNEED);
	}
}

static void killed_at_any_time(void)
{
	long before = pages_held();
	uint8_t *memory = map_region();
	pid_t pid;
	int i;

	want(memory);
	for (i = 0; i < KILLS; i++) {
		pid = fork();
		if (!pid)
			register_for_ever(memory);
		want(pid > 0);
		usleep(20000 + i * 7919);
		kill(pid, SIGKILL);
		want(is_gone(pid));
		want(pages_settle_at(before));
	}
	munmap(memory, BYTES);
}

/* Who touches the second half waits for the process, which does nothing. */
static int serve_faults(uint8_t *memory)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = {
		.range = { (uintptr_t)memory + BYTES / 2, BYTES / 2 },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) ||
	    ioctl(fd, UFFDIO_REGISTER, &range))
		return errno;
	return 0;
}

static void killed_while_a_thread_waits_for_it(void)
{
	long before = pages_held();
	uint8_t *memory = map_region();
	pid_t pid;

	want(memory);
	pid = fork();
	if (!pid) {
		if (serve_faults(memory))
			_exit(1);
		register_for_ever(memory);
	}
	want(pid > 0);
	sleep(3);
	want(!waitpid(pid, NULL, WNOHANG));
	kill(pid, SIGKILL);
	want(is_gone(pid));
	want(pages_settle_at(before));
	munmap(memory, BYTES);
}

static const struct tap_test tests[] = {
	{ "what is there", what_is_there },
	{ "what nobody has touched", what_nobody_has_touched },
	{ "the first hole counts", the_first_hole_counts },
	{ "killed at any time", killed_at_any_time },
	{ "killed while a thread waits for it",
	  killed_while_a_thread_waits_for_it },
};

int main(int argc, char **argv)
{
	unsigned int n = sizeof(tests) / sizeof(tests[0]);

	if (argc != 2 || strcmp(argv[1], "faults"))
		n--;
	if (set_threads("4") || uctx_open(&x) || pd_alloc(&x, &pd)) {
		printf("Bail out! no device, or no parameter\n");
		return 1;
	}
	n = tap_run(tests, n);
	set_threads("1");
	return n;
}
