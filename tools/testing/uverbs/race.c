// SPDX-License-Identifier: GPL-2.0-only
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "calls_memory.h"
#include "pci.h"
#include "race.h"
#include "tap.h"

#define PATIENCE_MS	30000
#define WARM_UP_MS	10000
#define MR_LIFE_US	1000		/* at most, until the next one is destroyed */

struct uctx shared;
uint32_t shared_pd, shared_cq;
int race_ms = 1000;
int (*race_after)(void);

static volatile int stop;
static int device_goes;		/* EIO and its like are right answers */
static int *idle;		/* workers that did nothing yet; parent's too */

uint32_t guess(struct worker *w)
{
	return rand_r(&w->seed) % GUESSES;
}

static __thread unsigned long misses;

/* A handle that is not there, or of another type, or being used */
int lost(int err)
{
	if (err != ENOENT && err != EINVAL && err != EBUSY && err != EBADF)
		return err;
	misses++;
	return 0;
}

/* Pages that another thread takes away meanwhile cannot be pinned. */
int make_mr(struct worker *w)
{
	uint32_t mr;
	int err = mr_reg(&w->x, shared_pd, shared.memory + 64 * PAGE,
			 16 * PAGE, IB_UVERBS_ACCESS_LOCAL_WRITE, &mr);

	if (!err && mr >= GUESSES)
		err = mr_destroy(&w->x, mr);
	return err == EFAULT ? 0 : lost(err);
}

/* A region that is destroyed as soon as it is there meets nobody else. */
int end_mr(struct worker *w)
{
	usleep(rand_r(&w->seed) % MR_LIFE_US);
	return lost(mr_destroy(&w->x, guess(w)));
}

int use_mr(struct worker *w)
{
	uint64_t length;

	return lost(mr_query(&w->x, guess(w), &length));
}

/* Guessing may take a while; the race begins when each has hit something. */
static void all_at_work(void)
{
	int i;

	for (i = 0; i < WARM_UP_MS / 10; i++) {
		if (!__atomic_load_n(idle, __ATOMIC_RELAXED))
			return;
		usleep(10000);
	}
}

static void *worker_main(void *arg)
{
	struct worker *w = arg;
	int err, at_work = 0;

	while (!stop && !w->wrong) {
		err = w->work(w);
		w->calls++;
		if (err == EIO && device_goes)
			misses++;
		else if (err)
			w->wrong = err;
		if (!at_work && w->calls > misses) {
			at_work = 1;
			__atomic_sub_fetch(idle, 1, __ATOMIC_RELAXED);
		}
	}
	w->hits = w->calls - misses;
	return NULL;
}

static int prepare(void)
{
	int err = uctx_open(&shared);

	err = err ? err : pd_alloc(&shared, &shared_pd);
	return err ? err : cq_create(&shared, -1, 0, &shared_cq);
}

/* In a process of its own: the number of workers that were wrong. */
static int run_workers(const struct race *race)
{
	struct worker w[MAX_WORKERS] = { };
	struct rlimit few = { 32, 32 };
	int i, n = 0, count = 0, wrong = 0, err = prepare();
	unsigned long calls = 0;

	if (err) {
		tap_note("%s: cannot set up: %s", race->name, strerror(err));
		return 1;
	}
	while (count < MAX_WORKERS && race->work[count])
		count++;
	__atomic_store_n(idle, count, __ATOMIC_RELAXED);
	setrlimit(RLIMIT_NOFILE, &few);
	for (; n < count; n++) {
		w[n].work = race->work[n];
		w[n].seed = n + 1;
		w[n].x = shared;
		w[n].x.memory = mmap(NULL, MEMORY_PAGES * PAGE,
				     PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (pthread_create(&w[n].thread, NULL, worker_main, &w[n]))
			return 1;
	}
	all_at_work();
	usleep(race_ms * 1000);
	stop = 1;
	for (i = 0; i < n; i++) {
		pthread_join(w[i].thread, NULL);
		if (w[i].wrong)
			tap_note("%s: worker %d: %s after %lu calls",
				 race->name, i, strerrorname_np(w[i].wrong),
				 w[i].calls);
		if (!w[i].hits)
			tap_note("%s: worker %d: none of %lu calls did a thing",
				 race->name, i, w[i].calls);
		wrong += w[i].wrong || !w[i].hits;
		calls += w[i].calls;
	}
	tap_note("%s: %lu calls of %d threads", race->name, calls, n);
	uctx_close(&shared);
	/* who removes the device may be at it still */
	for (i = 0; i < 200 && pinned_kb() > 0; i++)
		usleep(10000);
	if (pinned_kb() > 0) {
		tap_note("%s: %ld kB stay pinned", race->name, pinned_kb());
		wrong++;
	}
	return wrong;
}

/* Ended within its time? */
static int race_reap(pid_t pid, int *status)
{
	int i;

	for (i = 0; i < PATIENCE_MS / 10; i++) {
		if (waitpid(pid, status, WNOHANG) == pid)
			return 1;
		usleep(10000);
	}
	kill(pid, SIGKILL);
	return 0;
}

static int race_run(const struct race *race)
{
	int status, good;
	pid_t pid;

	fflush(stdout);
	device_goes = !!race->disturb;
	*idle = MAX_WORKERS;
	pid = fork();
	if (!pid) {
		status = run_workers(race);
		fflush(stdout);
		_exit(status);
	}
	good = !race->disturb || !race->disturb();
	if (!race_reap(pid, &status)) {
		tap_note("%s: it does not end", race->name);
		return 0;
	}
	if (race->disturb)
		good &= !pci_bind();
	if (race_after)
		good &= !race_after();
	return good && WIFEXITED(status) && !WEXITSTATUS(status);
}

/* The device's driver lets go while everything is open. */
int race_unbind(void)
{
	struct timespec from, to;
	int err;

	all_at_work();
	usleep(race_ms * 500);
	clock_gettime(CLOCK_MONOTONIC, &from);
	err = pci_unbind();
	clock_gettime(CLOCK_MONOTONIC, &to);
	tap_note("unbinding takes %ld s", (long)(to.tv_sec - from.tv_sec));
	return err || to.tv_sec - from.tv_sec > 10;
}

/* Everything is killed in the middle, again and again. */
static int race_kill(const struct race *race, int rounds, int with_unbind)
{
	int i, status, err = 0, good = 1;
	pid_t pid;

	for (i = 0; i < rounds && good; i++) {
		fflush(stdout);
		device_goes = with_unbind;
		pid = fork();
		if (!pid)
			_exit(run_workers(race));
		usleep(20000 + rand() % 200000);
		kill(pid, SIGKILL);
		err = with_unbind ? pci_unbind() : 0;
		good = !err && race_reap(pid, &status) && WIFSIGNALED(status);
		if (good && with_unbind)
			err = pci_bind();
		good &= !err;
	}
	if (!good)
		tap_note("round %d: %s", i, err ? strerrorname_np(err) :
			 "the process does not end");
	return good && (!race_after || !race_after());
}

static int race_report(int number, int good, const char *name)
{
	printf("%sok %d %s\n", good ? "" : "not ", number, name);
	fflush(stdout);
	return !good;
}

int race_all(const struct race *races, int n, const struct race *killed)
{
	int i, failed = 0;

	printf("TAP version 13\n1..%d\n", n + 2);
	for (i = 0; i < n; i++)
		failed += race_report(i + 1, race_run(&races[i]),
				      races[i].name);
	failed += race_report(n + 1, race_kill(killed, race_ms / 50, 0),
			      "kill");
	failed += race_report(n + 2, race_kill(killed, race_ms / 250, 1),
			      "kill against unbind");
	return failed ? 1 : 0;
}

int race_init(int argc, char **argv)
{
	if (argc > 1)
		race_ms = atoi(argv[1]);
	if (race_ms < LEAST_MS) {
		fprintf(stderr, "usage: %s [MS], at least %d\n", argv[0],
			LEAST_MS);
		return 2;
	}
	idle = mmap(NULL, sizeof(*idle), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (idle == MAP_FAILED) {
		perror("mmap");
		return 1;
	}
	if (pci_find()) {
		printf("1..0 # SKIP no RDMA device on PCI\n");
		return 4;
	}
	return 0;
}
