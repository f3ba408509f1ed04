// SPDX-License-Identifier: GPL-2.0-only
/*
 * device_death COMMAND - run COMMAND, which kills the device, and watch what
 * becomes of those who use it. The device is of no use afterwards. TAP.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "calls.h"
#include "tap.h"

#define EVENT_DEVICE_FATAL	8
#define PATIENCE_MS		20000

static const char *killer;
static struct uctx x;
static uint32_t pd, cq, qp, qpn;
static int channel;
static volatile uint64_t *doorbell;
static pid_t child;

struct reader {
	pthread_t thread;
	int fd;
	ssize_t got;
	int error;
	uint64_t event[2];
};

static struct reader comp, async;

static void *read_event(void *arg)
{
	struct reader *r = arg;

	r->got = read(r->fd, r->event, sizeof(r->event));
	r->error = r->got < 0 ? errno : 0;
	return NULL;
}

static int join_soon(pthread_t thread)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += PATIENCE_MS / 1000;
	return pthread_timedjoin_np(thread, NULL, &until);
}

static void setup_works(void)
{
	want_err(uctx_open(&x), 0);
	want_err(pd_alloc(&x, &pd), 0);
	want_err(channel_create(&x, &channel), 0);
	want_err(cq_create(&x, channel, 1, &cq), 0);
	want_err(qp_create(&x, pd, cq, &qp, &qpn), 0);
	doorbell = mmap(NULL, PAGE, PROT_WRITE, MAP_SHARED, x.fd, 0);
	want(doorbell != MAP_FAILED);
	child = fork();
	want(child >= 0);
	if (!child) {
		pause();
		_exit(0);
	}
	comp.fd = channel;
	async.fd = x.async_fd;
	want(!pthread_create(&comp.thread, NULL, read_event, &comp));
	want(!pthread_create(&async.thread, NULL, read_event, &async));
	usleep(200000);
	want(!system(killer));
}

static void completion_reader_wakes(void)
{
	struct pollfd pfd = { .fd = channel, .events = POLLIN };

	want(!join_soon(comp.thread));
	want(comp.got == -1 && comp.error == EIO);
	want(poll(&pfd, 1, 0) == 1 && pfd.revents & POLLERR);
}

static void async_reader_hears_of_it(void)
{
	const struct ib_uverbs_async_event_desc *event =
		(const void *)async.event;
	struct pollfd pfd = { .fd = x.async_fd, .events = POLLIN };
	uint64_t more[2];

	want(!join_soon(async.thread));
	want(async.got == sizeof(*event));
	want(event->event_type == EVENT_DEVICE_FATAL);
	/* and that was all */
	want(poll(&pfd, 1, PATIENCE_MS) == 1 && pfd.revents & POLLERR);
	want(read(x.async_fd, more, sizeof(more)) == -1 && errno == EIO);
}

static void calls_fail(void)
{
	uint32_t other;
	int fd;

	want_err(pd_alloc(&x, &other), EIO);
	want_err(cq_create(&x, -1, 0, &other), EIO);
	want_err(channel_create(&x, &fd), EIO);
	want_err(qp_to_init(&x, qp), EIO);
	want(mmap(NULL, PAGE, PROT_WRITE, MAP_SHARED, x.fd, 0) == MAP_FAILED);
	want(errno == EIO);
	want(open("/dev/infiniband/uverbs0", O_RDWR) == -1);
}

/* A store that comes too late must not kill the process. */
static void doorbell_is_harmless(void)
{
	*doorbell = 1;
	want(!munmap((void *)doorbell, PAGE));
}

/* What is gone can be destroyed: a library tidies up. */
static void destroying_works(void)
{
	want_err(qp_destroy(&x, qp), 0);
	want_err(qp_destroy(&x, qp), ENOENT);
	want_err(cq_destroy(&x, cq, NULL), 0);
	want_err(pd_destroy(&x, pd), 0);
}

static void everybody_can_be_killed(void)
{
	int status, i;

	kill(child, SIGKILL);
	for (i = 0; i < PATIENCE_MS / 10; i++) {
		if (waitpid(child, &status, WNOHANG) == child)
			return;
		usleep(10000);
	}
	want(!"the child has ended");
}

static void files_can_be_closed(void)
{
	close(channel);
	uctx_close(&x);
}

static const struct tap_test tests[] = {
	{ "set up and kill the device", setup_works },
	{ "completion reader wakes with EIO", completion_reader_wakes },
	{ "async reader gets DEVICE_FATAL, then EIO",
	  async_reader_hears_of_it },
	{ "calls fail with EIO", calls_fail },
	{ "late doorbell is harmless", doorbell_is_harmless },
	{ "what is gone can be destroyed", destroying_works },
	{ "everybody can be killed", everybody_can_be_killed },
	{ "files can be closed", files_can_be_closed },
};

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: device_death COMMAND\n");
		return 2;
	}
	killer = argv[1];
	return tap_run(tests, sizeof(tests) / sizeof(tests[0]));
}
