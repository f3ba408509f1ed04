// SPDX-License-Identifier: GPL-2.0-only
/*
 * xrc_share [MS] - an XRC target of several processes, MS milliseconds a race
 *
 * Each process has its own open device and its own handle on the domain, which
 * is of a file that all have. One makes and destroys targets, others open them
 * by number, use and close them, open and close the domain, and are killed
 * with what they have. Needs root; TAP.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "calls_shared.h"
#include "tap.h"

#define PROCESSES	4

/* What the processes tell each other */
static struct shared {
	volatile uint32_t qpn;		/* made last */
	volatile int stop;
	volatile unsigned long made, opened, missed, closed;
} *shared;

static int file;		/* that the domain is of */
static int race_ms = 1000;

struct place {
	struct uctx x;
	uint32_t xrcd;
};

static int enter(struct place *p)
{
	int error = uctx_open(&p->x);

	return error ? error : xrcd_open(&p->x, file, O_CREAT, &p->xrcd);
}

static void count(volatile unsigned long *counter)
{
	__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

/* Each worker: one round. Returns an errno that a race does not explain. */
static int make_and_destroy(struct place *p)
{
	uint32_t qp, qpn;
	int error = target_create(&p->x, p->xrcd, &qp, &qpn);

	if (error)
		return error;
	count(&shared->made);
	shared->qpn = qpn;
	usleep(rand() % 300);
	return qp_destroy(&p->x, qp);
}

static int open_and_close(struct place *p)
{
	unsigned int state;
	uint32_t qp;
	int error = target_open(&p->x, p->xrcd, shared->qpn, &qp);

	if (error == EINVAL) {
		count(&shared->missed);
		return 0;
	}
	if (error)
		return error;
	count(&shared->opened);
	error = qp_state(&p->x, qp, &state);
	/* the last to close it destroys it */
	return error ? error : qp_destroy(&p->x, qp);
}

/* The domain is there as long as somebody has it. */
static int come_and_go(struct place *p)
{
	uint32_t again;
	int error = xrcd_open(&p->x, file, 0, &again);

	if (!error)
		error = xrcd_close(&p->x, again);
	if (!error)
		count(&shared->closed);
	return error;
}

typedef int (*worker)(struct place *p);

static pid_t start(worker work)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		struct place p;
		int error = enter(&p);

		srand(getpid());
		while (!error && !shared->stop)
			error = work(&p);
		if (error)
			tap_note("%s", strerrorname_np(error));
		fflush(stdout);
		_exit(error);
	}
	return pid;
}

static void reset(void)
{
	memset((void *)shared, 0, sizeof(*shared));
}

static void processes_race(void)
{
	static const worker work[PROCESSES] = {
		make_and_destroy, open_and_close, open_and_close, come_and_go,
	};
	int i, status, bad = 0;
	pid_t pid[PROCESSES];

	reset();
	for (i = 0; i < PROCESSES; i++)
		pid[i] = start(work[i]);
	usleep(race_ms * 1000);
	shared->stop = 1;
	for (i = 0; i < PROCESSES; i++) {
		waitpid(pid[i], &status, 0);
		bad += status != 0;
	}
	tap_note("%lu made, %lu opened, %lu missed, %lu domains closed",
		 shared->made, shared->opened, shared->missed, shared->closed);
	want(!bad);
	want(shared->made > 0);
	want(shared->opened > 0);
	want(shared->closed > 0);
}

/* Makers and openers end anywhere; others go on with the same targets. */
static void processes_are_killed(void)
{
	pid_t maker, opener, stays;
	struct timespec from, now;
	int status;

	reset();
	stays = start(open_and_close);
	clock_gettime(CLOCK_MONOTONIC, &from);
	do {
		maker = start(make_and_destroy);
		opener = start(open_and_close);
		usleep(20000 + rand() % 20000);
		kill(maker, SIGKILL);
		kill(opener, SIGKILL);
		waitpid(maker, &status, 0);
		want(WIFSIGNALED(status));
		waitpid(opener, &status, 0);
		want(WIFSIGNALED(status));
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((now.tv_sec - from.tv_sec) * 1000 +
		 (now.tv_nsec - from.tv_nsec) / 1000000 < race_ms);
	shared->stop = 1;
	waitpid(stays, &status, 0);
	want(status == 0);
	tap_note("%lu made, %lu opened, %lu missed", shared->made,
		 shared->opened, shared->missed);
	want(shared->made > 0);
	want(shared->opened > 0);
}

/* A target that its maker has left lives while somebody has it open. */
static void the_last_one_destroys(void)
{
	struct place maker, opener;
	unsigned int state;
	uint32_t qp, qpn, opened, none;

	want_err(enter(&maker), 0);
	want_err(enter(&opener), 0);
	want_err(target_create(&maker.x, maker.xrcd, &qp, &qpn), 0);
	want_err(target_open(&opener.x, opener.xrcd, qpn, &opened), 0);
	close(maker.x.fd);
	want_err(qp_state(&opener.x, opened, &state), 0);
	want_err(target_open(&opener.x, opener.xrcd, qpn, &none), 0);
	want_err(qp_destroy(&opener.x, none), 0);
	want_err(xrcd_close(&opener.x, opener.xrcd), EBUSY);
	want_err(qp_destroy(&opener.x, opened), 0);
	want_err(target_open(&opener.x, opener.xrcd, qpn, &none), EINVAL);
	want_err(xrcd_close(&opener.x, opener.xrcd), 0);
	/* and nobody has the domain */
	want_err(xrcd_open(&opener.x, file, 0, &none), EAGAIN);
	close(opener.x.fd);
}

static const struct tap_test tests[] = {
	{ "the last opener destroys a target", the_last_one_destroys },
	{ "make, open, close, destroy by several processes", processes_race },
	{ "processes with a target are killed", processes_are_killed },
};

int main(int argc, char **argv)
{
	if (argc > 1)
		race_ms = atoi(argv[1]);
	file = memfd_create("domain", 0);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (file < 0 || shared == MAP_FAILED) {
		printf("Bail out! no memory to share\n");
		return 1;
	}
	return tap_run(tests, sizeof(tests) / sizeof(tests[0]));
}
