// SPDX-License-Identifier: GPL-2.0-only
/*
 * The life of objects and files of a uverbs device, with nobody between the
 * test and the kernel. Runs on any mlx5 device; TAP.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../uapi/ib/refusal.h"
#include "calls.h"
#include "tap.h"

#define ALL_ACCESS	(IB_UVERBS_ACCESS_LOCAL_WRITE | \
			 IB_UVERBS_ACCESS_REMOTE_WRITE | \
			 IB_UVERBS_ACCESS_REMOTE_READ)

/* One of each, the way an application would have them */
struct objects {
	uint32_t pd, mr, cq, qp, qpn, srq;
	int channel;
};

static int make_all(struct uctx *x, struct objects *o)
{
	int ret;

	ret = pd_alloc(x, &o->pd);
	if (!ret)
		ret = mr_reg(x, o->pd, uctx_pages(x, 4), 4 * PAGE, ALL_ACCESS,
			     &o->mr);
	if (!ret)
		ret = channel_create(x, &o->channel);
	if (!ret)
		ret = cq_create(x, o->channel, 0x77, &o->cq);
	if (!ret)
		ret = srq_create(x, o->pd, &o->srq);
	if (!ret)
		ret = qp_create(x, o->pd, o->cq, &o->qp, &o->qpn);
	if (!ret)
		ret = qp_to_init(x, o->qp);
	if (ret)
		tap_note("cannot make objects: %s", strerrorname_np(ret));
	return ret;
}

static void life_of_all(void)
{
	struct ib_uverbs_destroy_cq_resp events = { 9, 9 };
	struct objects o;
	unsigned int state;
	uint64_t length;
	uint32_t count;
	struct uctx x;

	want_err(uctx_open(&x), 0);
	want_err(make_all(&x, &o), 0);
	want_err(mr_query(&x, o.mr, &length), 0);
	want(length == 4 * PAGE);
	want_err(qp_state(&x, o.qp, &state), 0);
	want(state == 1);
	want_err(handles_of(&x, UVERBS_OBJECT_QP, &count), 0);
	want(count == 1);

	/* what others use stays */
	want_err(pd_destroy(&x, o.pd), EBUSY);
	want_err(cq_destroy(&x, o.cq, NULL), EBUSY);

	want_err(qp_destroy(&x, o.qp), 0);
	want_err(qp_destroy(&x, o.qp), ENOENT);
	want_err(qp_state(&x, o.qp, &state), ENOENT);
	want_err(srq_destroy(&x, o.srq), 0);
	want_err(cq_destroy(&x, o.cq, &events), 0);
	want(!events.comp_events_reported && !events.async_events_reported);
	want_err(mr_destroy(&x, o.mr), 0);
	want_err(pd_destroy(&x, o.pd), 0);
	want_err(handles_of(&x, UVERBS_OBJECT_PD, &count), 0);
	want(count == 0);
	close(o.channel);
	uctx_close(&x);
}

static void handles_are_of_their_kind(void)
{
	struct objects o;
	struct uctx x, y;
	uint64_t length;
	uint32_t cq;

	want_err(uctx_open(&x), 0);
	want_err(uctx_open(&y), 0);
	want_err(make_all(&x, &o), 0);
	want_err(mr_destroy(&x, o.pd), EINVAL);
	want_err(pd_destroy(&x, o.cq), EINVAL);
	want_err(mr_query(&x, o.qp, &length), EINVAL);
	/* another file's */
	want_err(pd_destroy(&y, o.pd), ENOENT);
	want_err(cq_create(&y, o.channel, 0, &cq), EBADF);
	/* no channel at all */
	want_err(cq_create(&x, 0, 0, &cq), EBADF);
	want_err(cq_create(&x, 1000, 0, &cq), EBADF);
	want_err(cq_create(&x, x.async_fd, 0, &cq), EBADF);
	close(o.channel);
	uctx_close(&y);
	uctx_close(&x);
}

static void output_is_marked(void)
{
	struct uctx x;
	struct call c;

	want_err(uctx_open(&x), 0);
	call_init(&c, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_PORT);
	call_add(&c, UVERBS_ATTR_QUERY_PORT_PORT_NUM, 8, 1);
	call_add_ptr(&c, UVERBS_ATTR_QUERY_PORT_RESP,
		     sizeof(struct ib_uverbs_query_port_resp_ex), x.memory);
	want_err(call_run(x.fd, &c), 0);
	want(c.attrs[1].flags & UVERBS_ATTR_F_VALID_OUTPUT);
	want(!(c.attrs[0].flags & UVERBS_ATTR_F_VALID_OUTPUT));

	/* longer than the kernel knows: the rest is zeroed */
	memset(x.memory, 0xee, 256);
	c.attrs[1].len = 256;
	want_err(call_run(x.fd, &c), 0);
	want(x.memory[sizeof(struct ib_uverbs_query_port_resp_ex)] == 0);
	want(x.memory[255] == 0);

	uctx_close(&x);
}

/* The kernel's DMA checks must not mind: verbs allow it. */
static void memory_registered_twice(void)
{
	uint32_t pd, first, second;
	struct uctx x;

	want_err(uctx_open(&x), 0);
	want_err(pd_alloc(&x, &pd), 0);
	want_err(mr_reg(&x, pd, x.memory, 4 * PAGE,
			IB_UVERBS_ACCESS_LOCAL_WRITE, &first), 0);
	want_err(mr_reg(&x, pd, x.memory + PAGE, 4 * PAGE,
			IB_UVERBS_ACCESS_LOCAL_WRITE, &second), 0);
	want_err(mr_destroy(&x, first), 0);
	want_err(mr_destroy(&x, second), 0);
	uctx_close(&x);
}

/* A library's test whether INVOKE_WRITE is there */
static void probe_of_invoke_write(void)
{
	struct uctx x;
	struct call c;

	want_err(uctx_open(&x), 0);
	call_init(&c, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE);
	call_add(&c, UVERBS_ATTR_WRITE_CMD, 8, IB_USER_VERBS_CMD_QUERY_DEVICE);
	want_err(call_run(x.fd, &c), ENOSPC);
	uctx_close(&x);
}

static void close_reclaims(void)
{
	struct objects o;
	struct uctx x;
	int i;

	for (i = 0; i < 20; i++) {
		want_err(uctx_open(&x), 0);
		want_err(make_all(&x, &o), 0);
		if (i & 1)
			close(o.channel);
		uctx_close(&x);
		if (!(i & 1))
			close(o.channel);
	}
}

static void kill_reclaims(void)
{
	struct objects o;
	struct uctx x;
	int i, pipes[2], status;
	char ready;
	pid_t pid;

	for (i = 0; i < 10; i++) {
		want(!pipe(pipes));
		pid = fork();
		want(pid >= 0);
		if (!pid) {
			ready = !uctx_open(&x) && !make_all(&x, &o);
			if (write(pipes[1], &ready, 1) == 1)
				pause();
			_exit(1);
		}
		want(read(pipes[0], &ready, 1) == 1);
		kill(pid, SIGKILL);
		want(waitpid(pid, &status, 0) == pid);
		want(ready);
		close(pipes[0]);
		close(pipes[1]);
	}
}

/* Both have the file; the objects live until the last one closes. */
static void fork_shares_the_file(void)
{
	struct objects o;
	struct uctx x;
	int status;
	pid_t pid;

	want_err(uctx_open(&x), 0);
	want_err(make_all(&x, &o), 0);
	pid = fork();
	want(pid >= 0);
	if (!pid)
		_exit(qp_destroy(&x, o.qp));
	want(waitpid(pid, &status, 0) == pid);
	want(WIFEXITED(status) && !WEXITSTATUS(status));
	want_err(qp_destroy(&x, o.qp), ENOENT);
	want_err(cq_destroy(&x, o.cq, NULL), 0);

	/* exec closes what is O_CLOEXEC, and takes nothing from the parent */
	pid = fork();
	want(pid >= 0);
	if (!pid) {
		execl("/bin/true", "true", NULL);
		_exit(1);
	}
	want(waitpid(pid, &status, 0) == pid);
	want_err(srq_destroy(&x, o.srq), 0);
	want_err(mr_destroy(&x, o.mr), 0);
	want_err(pd_destroy(&x, o.pd), 0);
	close(o.channel);
	uctx_close(&x);
}

#define RACERS	4
#define ROUNDS	50

static struct {
	struct uctx x;
	uint32_t pd;
	pthread_barrier_t start;
	int result[RACERS];
} race;

static void *racer(void *arg)
{
	int *result = arg;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		pthread_barrier_wait(&race.start);
		*result = pd_destroy(&race.x, race.pd);
		pthread_barrier_wait(&race.start);
	}
	return NULL;
}

static void one_destroy_wins(void)
{
	pthread_t threads[RACERS];
	int i, t, wins, wrong = 0;

	want_err(uctx_open(&race.x), 0);
	pthread_barrier_init(&race.start, NULL, RACERS + 1);
	for (t = 0; t < RACERS; t++)
		want(!pthread_create(&threads[t], NULL, racer,
				     &race.result[t]));
	for (i = 0; i < ROUNDS; i++) {
		wrong += !!pd_alloc(&race.x, &race.pd);
		pthread_barrier_wait(&race.start);
		pthread_barrier_wait(&race.start);
		for (t = 0, wins = 0; t < RACERS; t++) {
			wins += !race.result[t];
			if (race.result[t] && race.result[t] != ENOENT &&
			    race.result[t] != EBUSY)
				wrong++;
		}
		wrong += wins != 1;
	}
	for (t = 0; t < RACERS; t++)
		pthread_join(threads[t], NULL);
	uctx_close(&race.x);
	want(!wrong);
}

struct reader {
	int fd;
	ssize_t got;
	int error;
};

static void *read_event(void *arg)
{
	struct reader *r = arg;
	uint64_t event[2];

	r->got = read(r->fd, event, sizeof(event));
	r->error = r->got < 0 ? errno : 0;
	return NULL;
}

/* Returns 0 when the thread ends within some seconds. */
static int join_soon(pthread_t thread)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 10;
	return pthread_timedjoin_np(thread, NULL, &until);
}

static void reader_wakes_at_close(void)
{
	struct reader r = { };
	struct pollfd pfd;
	pthread_t thread;
	struct objects o;
	struct uctx x;

	want_err(uctx_open(&x), 0);
	want_err(make_all(&x, &o), 0);
	r.fd = o.channel;
	want(!pthread_create(&thread, NULL, read_event, &r));
	usleep(200000);
	uctx_close(&x);
	want(!join_soon(thread));
	want(r.got == -1 && r.error == EIO);
	pfd.fd = o.channel;
	pfd.events = POLLIN;
	want(poll(&pfd, 1, 0) == 1);
	want(pfd.revents & POLLERR);
	close(o.channel);
}

static void nothing(int sig)
{
	(void)sig;
}

static void channels_wait_as_files_do(void)
{
	struct sigaction act = { .sa_handler = nothing };
	struct reader r = { };
	struct pollfd pfd;
	pthread_t thread;
	struct objects o;
	uint64_t event;
	struct uctx x;

	want_err(uctx_open(&x), 0);
	want_err(make_all(&x, &o), 0);
	pfd.fd = o.channel;
	pfd.events = POLLIN;
	want(poll(&pfd, 1, 0) == 0);
	want(!fcntl(o.channel, F_SETFL, O_NONBLOCK));
	want(read(o.channel, &event, sizeof(event)) == -1 && errno == EAGAIN);
	want(!fcntl(o.channel, F_SETFL, 0));
	want(write(o.channel, &event, sizeof(event)) == -1);

	/* a signal ends the wait */
	sigaction(SIGUSR1, &act, NULL);
	r.fd = o.channel;
	want(!pthread_create(&thread, NULL, read_event, &r));
	usleep(200000);
	pthread_kill(thread, SIGUSR1);
	want(!join_soon(thread));
	want(r.got == -1 && r.error == EINTR);
	close(o.channel);
	uctx_close(&x);
}

static void channel_outlives_its_descriptor(void)
{
	struct objects o;
	struct uctx x;

	want_err(uctx_open(&x), 0);
	want_err(make_all(&x, &o), 0);
	close(o.channel);
	want_err(qp_destroy(&x, o.qp), 0);
	want_err(cq_destroy(&x, o.cq, NULL), 0);
	uctx_close(&x);
}

/* Does this kernel explain refusals? Then it is ours. */
static int is_ours(int fd)
{
	struct uverbs_last_refusal why;

	return !ioctl(fd, UVERBS_IOCTL_LAST_REFUSAL, &why);
}

static void doorbell_pages(void)
{
	struct uctx x;
	void *page;

	want_err(uctx_open(&x), 0);
	page = mmap(NULL, PAGE, PROT_WRITE, MAP_SHARED, x.fd, 0);
	want(page != MAP_FAILED);
	/* there is no reason to execute them, and ours refuses */
	want(!is_ours(x.fd) ||
	     mprotect(page, PAGE, PROT_READ | PROT_EXEC) == -1);
	want(!munmap(page, PAGE));

	want(mmap(NULL, PAGE, PROT_WRITE, MAP_PRIVATE, x.fd, 0) == MAP_FAILED);
	want(mmap(NULL, 2 * PAGE, PROT_WRITE, MAP_SHARED, x.fd, 0) ==
	     MAP_FAILED);
	want(mmap(NULL, PAGE, PROT_WRITE, MAP_SHARED, x.fd, 255 * PAGE) ==
	     MAP_FAILED);
	want(mmap(NULL, PAGE, PROT_WRITE, MAP_SHARED, x.fd, 4095ll << 20) ==
	     MAP_FAILED);
	uctx_close(&x);
}

static void mapping_outlives_the_file(void)
{
	struct uctx x;
	void *page;

	want_err(uctx_open(&x), 0);
	page = mmap(NULL, PAGE, PROT_WRITE, MAP_SHARED, x.fd, 0);
	want(page != MAP_FAILED);
	uctx_close(&x);
	want(!munmap(page, PAGE));
}

static void fork_with_a_mapping(void)
{
	struct uctx x;
	void *page;
	int status;
	pid_t pid;

	want_err(uctx_open(&x), 0);
	page = mmap(NULL, PAGE, PROT_WRITE, MAP_SHARED, x.fd, 0);
	want(page != MAP_FAILED);
	pid = fork();
	want(pid >= 0);
	if (!pid)
		_exit(0);
	want(waitpid(pid, &status, 0) == pid);
	want(!munmap(page, PAGE));
	uctx_close(&x);
}

static void many_descriptors(void)
{
	struct uctx x;
	int fd, ret, made = 0;
	int fds[64];

	want_err(uctx_open(&x), 0);
	do {
		ret = channel_create(&x, &fd);
		if (!ret)
			fds[made++] = fd;
	} while (!ret && made < 64);
	while (made)
		close(fds[--made]);
	want_err(ret, 0);
	uctx_close(&x);
}

/* The same device for two users at once */
static void files_do_not_meet(void)
{
	struct objects a, b;
	struct uctx x, y;

	want_err(uctx_open(&x), 0);
	want_err(uctx_open(&y), 0);
	want_err(make_all(&x, &a), 0);
	want_err(make_all(&y, &b), 0);
	want(a.qpn != b.qpn);
	want_err(qp_destroy(&x, a.qp), 0);
	want_err(qp_destroy(&y, b.qp), 0);
	uctx_close(&x);
	uctx_close(&y);
	close(a.channel);
	close(b.channel);
}

static void refusal_is_explained(void)
{
	struct uverbs_last_refusal why;
	struct uctx x;

	want_err(uctx_open(&x), 0);
	if (!is_ours(x.fd)) {
		want_err(errno, ENOTTY);
		tap_note("this kernel does not explain refusals");
		uctx_close(&x);
		return;
	}
	want(!ioctl(x.fd, UVERBS_IOCTL_LAST_REFUSAL, &why));
	want(why.count == 0 && why.call == UVERBS_CALL_NONE);
	want_err(pd_destroy(&x, 0x7ffffff0), ENOENT);
	want(!ioctl(x.fd, UVERBS_IOCTL_LAST_REFUSAL, &why));
	want(why.count == 1 && why.error == ENOENT);
	want(why.call == UVERBS_CALL_IOCTL);
	want(why.object == UVERBS_OBJECT_PD);
	want(why.method == UVERBS_METHOD_PD_DESTROY);
	tap_note("reason: %s", why.text);
	want(strstr(why.text, "2147483632"));
	want(mmap(NULL, PAGE, PROT_WRITE, MAP_SHARED, x.fd, 255 * PAGE) ==
	     MAP_FAILED);
	want(!ioctl(x.fd, UVERBS_IOCTL_LAST_REFUSAL, &why));
	want(why.count == 2 && why.call == UVERBS_CALL_MMAP);
	tap_note("reason: %s", why.text);
	uctx_close(&x);
}

static const struct tap_test tests[] = {
	{ "life of all objects", life_of_all },
	{ "handles are of their kind and file", handles_are_of_their_kind },
	{ "outputs are marked and zeroed", output_is_marked },
	{ "memory registered twice", memory_registered_twice },
	{ "probe of invoke write", probe_of_invoke_write },
	{ "close reclaims", close_reclaims },
	{ "kill reclaims", kill_reclaims },
	{ "fork shares the file", fork_shares_the_file },
	{ "one destroy wins", one_destroy_wins },
	{ "reader wakes at close", reader_wakes_at_close },
	{ "channels wait as files do", channels_wait_as_files_do },
	{ "channel outlives its descriptor", channel_outlives_its_descriptor },
	{ "doorbell pages", doorbell_pages },
	{ "mapping outlives the file", mapping_outlives_the_file },
	{ "fork with a mapping", fork_with_a_mapping },
	{ "many descriptors", many_descriptors },
	{ "files do not meet", files_do_not_meet },
	{ "refusal is explained", refusal_is_explained },
};

int main(void)
{
	if (access("/dev/infiniband/uverbs0", R_OK | W_OK)) {
		printf("1..0 # SKIP no /dev/infiniband/uverbs0\n");
		return 4;
	}
	return tap_run(tests, sizeof(tests) / sizeof(tests[0]));
}
