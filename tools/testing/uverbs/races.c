// SPDX-License-Identifier: GPL-2.0-only
/*
 * races [MS] - many threads on few handles, MS milliseconds for each race
 *
 * Handles are the lowest free numbers, so threads that guess small ones meet
 * all the time. A race is lost when a call returns an errno that its worker
 * does not list, when a worker never does a thing, when a process cannot be
 * ended, or when the kernel reports a bug: run it on the debug kernel. Which
 * bug of other people's each race is after is in Documentation/others-bugs.rst.
 * Needs root; TAP.
 */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>

#include "calls.h"
#include "pci.h"
#include "tap.h"

#define GUESSES		6	/* handles 0 … 5 */
#define MAX_WORKERS	8
#define PATIENCE_MS	30000
#define LEAST_MS	500	/* two rounds of killing under unbinding */

/* What each thread has of its own; the file is everybody's. */
struct worker {
	pthread_t thread;
	struct uctx x;
	unsigned int seed;
	int (*work)(struct worker *w);
	unsigned long calls;
	unsigned long hits;	/* calls that did something */
	int wrong;
};

static struct uctx shared;
static uint32_t shared_pd, shared_cq;
static volatile int stop;
static int race_ms = 1000;
static int device_goes;		/* EIO and its like are right answers */

static uint32_t guess(struct worker *w)
{
	return rand_r(&w->seed) % GUESSES;
}

static __thread unsigned long misses;

/* A handle that is not there, or of another type, or being used */
static int lost(int err)
{
	if (err != ENOENT && err != EINVAL && err != EBUSY && err != EBADF)
		return err;
	misses++;
	return 0;
}

static int make_pd(struct worker *w)
{
	uint32_t pd;
	int err = pd_alloc(&w->x, &pd);

	return err || pd < GUESSES ? err : lost(pd_destroy(&w->x, pd));
}

static int end_pd(struct worker *w)
{
	return lost(pd_destroy(&w->x, guess(w)));
}

static int make_cq(struct worker *w)
{
	uint32_t cq;
	int err = cq_create(&w->x, -1, 0, &cq);

	return err || cq < GUESSES ? err : lost(cq_destroy(&w->x, cq, NULL));
}

static int end_cq(struct worker *w)
{
	return lost(cq_destroy(&w->x, guess(w), NULL));
}

static int make_qp(struct worker *w)
{
	uint32_t qp, qpn;
	int err = qp_create(&w->x, shared_pd, shared_cq, &qp, &qpn);

	return lost(err || qp < GUESSES ? err : qp_destroy(&w->x, qp));
}

static int end_qp(struct worker *w)
{
	return lost(qp_destroy(&w->x, guess(w)));
}

static int use_qp(struct worker *w)
{
	unsigned int state;

	return lost(rand_r(&w->seed) & 1 ? qp_to_init(&w->x, guess(w)) :
					   qp_state(&w->x, guess(w), &state));
}

static int make_srq(struct worker *w)
{
	uint32_t srq;
	int err = srq_create(&w->x, shared_pd, &srq);

	return lost(err || srq < GUESSES ? err : srq_destroy(&w->x, srq));
}

static int end_srq(struct worker *w)
{
	return lost(srq_destroy(&w->x, guess(w)));
}

/* Pages that another thread takes away meanwhile cannot be pinned. */
static int make_mr(struct worker *w)
{
	uint32_t mr;
	int err = mr_reg(&w->x, shared_pd, shared.memory + 64 * PAGE,
			 16 * PAGE, IB_UVERBS_ACCESS_LOCAL_WRITE, &mr);

	if (!err && mr >= GUESSES)
		err = mr_destroy(&w->x, mr);
	return err == EFAULT ? 0 : lost(err);
}

static int end_mr(struct worker *w)
{
	return lost(mr_destroy(&w->x, guess(w)));
}

static int use_mr(struct worker *w)
{
	uint64_t length;

	return lost(mr_query(&w->x, guess(w), &length));
}

static int remap_memory(struct worker *w)
{
	uint8_t *at = shared.memory + (64 + guess(w)) * PAGE;

	munmap(at, PAGE);
	return mmap(at, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE |
		    MAP_ANONYMOUS | MAP_FIXED, -1, 0) == at ? 0 : errno;
}

static int fork_and_exit(struct worker *w)
{
	pid_t pid = fork();

	(void)w;
	if (!pid)
		_exit(0);
	return pid > 0 && waitpid(pid, NULL, 0) == pid ? 0 : errno;
}

static int make_channel(struct worker *w)
{
	int fd, err = channel_create(&w->x, &fd);

	/* the table of open files is small */
	return err == EMFILE ? 0 : err;
}

/* Descriptors above those that we need; not even open for the most part */
static int close_guess(struct worker *w)
{
	close(shared.async_fd + 1 + rand_r(&w->seed) % 12);
	return 0;
}

static int make_cq_with_guess(struct worker *w)
{
	int fd = shared.async_fd + 1 + rand_r(&w->seed) % 12;
	uint32_t cq;
	int err = cq_create(&w->x, fd, 0, &cq);

	return lost(err || cq < GUESSES ? err :
		    cq_destroy(&w->x, cq, NULL));
}

static int end_page_of(struct worker *w, uint32_t handle)
{
	struct call c;

	call_init(&c, MLX5_IB_OBJECT_UAR, MLX5_IB_METHOD_UAR_OBJ_DESTROY);
	call_add(&c, MLX5_IB_ATTR_UAR_OBJ_DESTROY_HANDLE, 0, handle);
	return lost(call_run(w->x.fd, &c));
}

static int end_page(struct worker *w)
{
	return end_page_of(w, guess(w));
}

/* A doorbell page, mapped by an offset that may already be stale */
static int make_page(struct worker *w)
{
	uint64_t offset = 0;
	uint32_t length, id;
	struct call c;
	void *page;
	int err;

	call_init(&c, MLX5_IB_OBJECT_UAR, MLX5_IB_METHOD_UAR_OBJ_ALLOC);
	call_add(&c, MLX5_IB_ATTR_UAR_OBJ_ALLOC_HANDLE, 0, 0);
	call_add(&c, MLX5_IB_ATTR_UAR_OBJ_ALLOC_TYPE, 8,
		 MLX5_IB_UAPI_UAR_ALLOC_TYPE_NC);
	call_add_ptr(&c, MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_OFFSET, 8, &offset);
	call_add_ptr(&c, MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_LENGTH, 4, &length);
	call_add_ptr(&c, MLX5_IB_ATTR_UAR_OBJ_ALLOC_PAGE_ID, 4, &id);
	err = call_run(w->x.fd, &c);
	if (err)
		return err;
	page = mmap(NULL, PAGE, PROT_WRITE, MAP_SHARED, w->x.fd, offset);
	if (page != MAP_FAILED) {
		*(volatile uint64_t *)(page + 256) = 0;
		munmap(page, PAGE);
	}
	return c.attrs[0].data < GUESSES ? 0 :
	       end_page_of(w, c.attrs[0].data);
}

static int map_bfreg(struct worker *w)
{
	void *page = mmap(NULL, PAGE, PROT_WRITE, MAP_SHARED, w->x.fd, 0);

	if (page == MAP_FAILED)
		return errno;
	*(volatile uint64_t *)(page + 256) = 0;
	munmap(page, PAGE);
	return 0;
}

static int open_and_close(struct worker *w)
{
	struct uctx x;
	int err = uctx_open(&x);

	(void)w;
	if (x.memory && x.memory != MAP_FAILED)
		uctx_close(&x);
	return err == ENOENT || err == ENXIO ? EIO : err;
}

static void *worker_main(void *arg)
{
	struct worker *w = arg;
	int err;

	while (!stop && !w->wrong) {
		err = w->work(w);
		w->calls++;
		if (err == EIO && device_goes)
			misses++;
		else if (err)
			w->wrong = err;
	}
	w->hits = w->calls - misses;
	return NULL;
}

struct race {
	int (*work[MAX_WORKERS])(struct worker *w);
	int (*disturb)(void);	/* in the parent, while they run */
	const char *name;
};

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
	int i, n = 0, wrong = 0, err = prepare();
	unsigned long calls = 0;

	if (err) {
		tap_note("%s: cannot set up: %s", race->name, strerror(err));
		return 1;
	}
	setrlimit(RLIMIT_NOFILE, &few);
	for (; n < MAX_WORKERS && race->work[n]; n++) {
		w[n].work = race->work[n];
		w[n].seed = n + 1;
		w[n].x = shared;
		w[n].x.memory = mmap(NULL, MEMORY_PAGES * PAGE,
				     PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (pthread_create(&w[n].thread, NULL, worker_main, &w[n]))
			return 1;
	}
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
	return wrong;
}

/* Ended within its time? */
static int reap(pid_t pid, int *status)
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

static int run_race(const struct race *race)
{
	int status, good;
	pid_t pid;

	fflush(stdout);
	device_goes = !!race->disturb;
	pid = fork();
	if (!pid) {
		status = run_workers(race);
		fflush(stdout);
		_exit(status);
	}
	good = !race->disturb || !race->disturb();
	if (!reap(pid, &status)) {
		tap_note("%s: it does not end", race->name);
		return 0;
	}
	if (race->disturb)
		good &= !pci_bind();
	return good && WIFEXITED(status) && !WEXITSTATUS(status);
}

/* The device's driver lets go while everything is open. */
static int unbind(void)
{
	struct timespec from, to;
	int err;

	usleep(race_ms * 500);
	clock_gettime(CLOCK_MONOTONIC, &from);
	err = pci_unbind();
	clock_gettime(CLOCK_MONOTONIC, &to);
	tap_note("unbinding takes %ld s", (long)(to.tv_sec - from.tv_sec));
	return err || to.tv_sec - from.tv_sec > 10;
}

static const struct race races[] = {
	{ .name = "two destroys of one PD",
	  .work = { make_pd, end_pd, end_pd, end_pd } },
	{ .name = "two destroys of one CQ",
	  .work = { make_cq, make_cq, end_cq, end_cq } },
	{ .name = "two destroys of one QP",
	  .work = { make_qp, make_qp, end_qp, end_qp } },
	{ .name = "two destroys of one SRQ",
	  .work = { make_srq, make_srq, end_srq, end_srq } },
	{ .name = "two destroys of one MR",
	  .work = { make_mr, make_mr, end_mr, end_mr } },
	{ .name = "destroy against query and modify",
	  .work = { make_qp, end_qp, use_qp, use_qp } },
	{ .name = "destroy against query of an MR",
	  .work = { make_mr, end_mr, use_mr, use_mr } },
	{ .name = "handles of all types",
	  .work = { make_pd, end_pd, make_qp, end_qp, make_cq, end_cq, make_mr,
	    end_mr } },
	{ .name = "create against close of guessed files",
	  .work = { make_channel, make_channel, close_guess, close_guess,
	    make_cq_with_guess, end_cq } },
	{ .name = "destroy against mmap",
	  .work = { make_page, make_page, end_page, end_page, map_bfreg } },
	{ .name = "registration against munmap and fork",
	  .work = { make_mr, make_mr, end_mr, remap_memory, fork_and_exit } },
	{ .name = "open and close",
	  .work = { open_and_close, open_and_close, open_and_close } },
	{ .name = "unbind against objects",
	  .work = { make_pd, end_pd, make_qp, end_qp, make_cq, end_cq, make_mr,
	    end_mr },
	  .disturb = unbind },
	{ .name = "unbind against mmap",
	  .work = { make_page, end_page, map_bfreg, map_bfreg },
	  .disturb = unbind },
	{ .name = "unbind against open",
	  .work = { open_and_close, open_and_close, open_and_close },
	  .disturb = unbind },
};

/* Everything is killed in the middle, again and again. */
static int kill_loop(int rounds, int with_unbind)
{
	static const struct race all = { .name = "kill", .work = {
		make_pd, make_qp, end_qp, make_cq, end_cq, make_mr, end_mr,
		make_page } };
	int i, status, err, good = 1;
	pid_t pid;

	for (i = 0; i < rounds && good; i++) {
		fflush(stdout);
		device_goes = with_unbind;
		pid = fork();
		if (!pid)
			_exit(run_workers(&all));
		usleep(20000 + rand() % 200000);
		kill(pid, SIGKILL);
		err = with_unbind ? pci_unbind() : 0;
		good = !err && reap(pid, &status) && WIFSIGNALED(status);
		if (good && with_unbind)
			err = pci_bind();
		good &= !err;
	}
	if (!good)
		tap_note("round %d: %s", i, err ? strerrorname_np(err) :
			 "the process does not end");
	return good;
}

static int report(int number, int good, const char *name)
{
	printf("%sok %d %s\n", good ? "" : "not ", number, name);
	fflush(stdout);
	return !good;
}

int main(int argc, char **argv)
{
	int i, n = sizeof(races) / sizeof(races[0]), failed = 0;

	if (argc > 1)
		race_ms = atoi(argv[1]);
	if (race_ms < LEAST_MS) {
		fprintf(stderr, "usage: races [MS], at least %d\n", LEAST_MS);
		return 2;
	}
	if (pci_find()) {
		printf("1..0 # SKIP no RDMA device on PCI\n");
		return 4;
	}
	printf("TAP version 13\n1..%d\n", n + 2);
	for (i = 0; i < n; i++)
		failed += report(i + 1, run_race(&races[i]), races[i].name);
	failed += report(n + 1, kill_loop(race_ms / 50, 0), "kill");
	failed += report(n + 2, kill_loop(race_ms / 250, 1),
			 "kill against unbind");
	return failed ? 1 : 0;
}
