// SPDX-License-Identifier: GPL-2.0-only
/*
 * races_memory [MS] [CENSUS] - registered memory against what else happens to
 * it: its mapping goes, moves or is copied, its process ends, its device goes;
 * pinned memory, and memory that is paged on demand (with advice: what the
 * adapter asks for is raced in odp.py)
 *
 * After each race nothing is pinned that was not before, by the kernel's own
 * count and by that of the process; and CENSUS, a command, finds no memory key
 * left in the adapter, but for those the driver keeps. Run it on the debug
 * kernel. Needs root; TAP.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calls_memory.h"
#include "race.h"
#include "tap.h"

/* make_mr() registers 16 pages from here on */
#define FIRST_PAGE	64

static const char *census;
static long held;

/* Fork copies what is pinned, and the copy is not pinned. */
static int fork_and_exit(struct worker *w)
{
	pid_t pid = fork();

	(void)w;
	if (!pid)
		_exit(pinned_kb() > 0);
	return pid > 0 && waitpid(pid, NULL, 0) == pid ? 0 : errno;
}

static uint8_t *some_page(struct worker *w)
{
	return shared.memory + (FIRST_PAGE + guess(w)) * PAGE;
}

static int map_again(uint8_t *at)
{
	return mmap(at, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE |
		    MAP_ANONYMOUS | MAP_FIXED, -1, 0) == at ? 0 : errno;
}

static int unmap(struct worker *w)
{
	uint8_t *at = some_page(w);

	munmap(at, PAGE);
	return map_again(at);
}

/* To a place of this thread's own, which is then in the way of nobody */
static int move(struct worker *w)
{
	uint8_t *at = some_page(w);

	if (mremap(at, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
		   w->x.memory) == MAP_FAILED)
		return errno == EFAULT ? 0 : errno;
	return map_again(at);
}

static int protect(struct worker *w)
{
	uint8_t *at = some_page(w);

	if (mprotect(at, PAGE, PROT_READ) ||
	    mprotect(at, PAGE, PROT_READ | PROT_WRITE))
		return errno == ENOMEM ? 0 : errno;
	return 0;
}

static int drop(struct worker *w)
{
	return madvise(some_page(w), PAGE, MADV_DONTNEED) &&
	       errno != ENOMEM ? errno : 0;
}

static int rereg_some(struct worker *w, uint32_t extra)
{
	uint32_t key, what = rand_r(&w->seed);
	struct ib_uverbs_rereg_mr in = {
		.mr_handle = guess(w),
		.flags = what & 1 ? CHANGE_MEMORY : CHANGE_ACCESS,
		.start = (uintptr_t)some_page(w),
		.length = 4 * PAGE,
		.access_flags = extra | (what & 2 ? LOCAL_WRITE : 0),
	};
	int err;

	if (what & 4)
		in.flags |= CHANGE_ACCESS;
	in.hca_va = in.start;
	err = mr_rereg(&w->x, &in, &key);
	/* what is paged in for reading, or for ever, is not changed in place */
	if (err == EACCES || err == EOPNOTSUPP)
		err = EINVAL;
	return err == EFAULT ? 0 : lost(err);
}

/* Other memory, other rights, or both */
static int change_mr(struct worker *w)
{
	return rereg_some(w, 0);
}

static int change_paged(struct worker *w)
{
	return rereg_some(w, ON_DEMAND);
}

/* --- memory that is paged on demand ----------------------------------------- */

static int keep_some(struct worker *w, int err, uint32_t mr)
{
	if (!err && mr >= GUESSES)
		err = mr_destroy(&w->x, mr);
	return lost(err);
}

static int make_paged(struct worker *w)
{
	uint32_t mr;
	int err = mr_reg(&w->x, shared_pd, shared.memory + FIRST_PAGE * PAGE,
			 16 * PAGE, LOCAL_WRITE | ON_DEMAND, &mr);

	return keep_some(w, err, mr);
}

static int make_space(struct worker *w)
{
	uint32_t mr;
	int err = mr_reg_space(&w->x, shared_pd, LOCAL_WRITE, &mr);

	return keep_some(w, err, mr);
}

/* The key may be gone when it is used, or of other memory, or pinned. */
static int advise(struct worker *w)
{
	uint32_t mr = guess(w), what = rand_r(&w->seed);
	struct mr_state state;
	int err = mr_state(&w->x, mr, &state);

	if (!err)
		err = mr_advise(&w->x, shared_pd,
				what & 1 ? PREFETCH : PREFETCH_WRITE, what & 2,
				state.lkey, shared.memory + FIRST_PAGE * PAGE,
				4 * PAGE);
	if (err == EFAULT || err == EPERM)
		err = EINVAL;
	return lost(err);
}

/* Pages are wanted when the process ends, and it does not wait. */
static int leave_paged(struct worker *w)
{
	struct mr_state state;
	struct uctx x;
	uint32_t pd, mr;
	pid_t pid = fork();

	(void)w;
	if (!pid) {
		if (!uctx_open(&x) && !pd_alloc(&x, &pd) &&
		    !mr_reg_space(&x, pd, LOCAL_WRITE, &mr) &&
		    !mr_state(&x, mr, &state))
			mr_advise(&x, pd, PREFETCH_WRITE, 0, state.lkey,
				  x.memory, MEMORY_PAGES * PAGE);
		_exit(0);
	}
	return pid > 0 && waitpid(pid, NULL, 0) == pid ? 0 : errno;
}

/* A process that leaves its region to the end of its file */
static int leave_mr(struct worker *w)
{
	struct uctx x;
	uint32_t pd, mr;
	pid_t pid = fork();

	(void)w;
	if (!pid) {
		if (!uctx_open(&x) && !pd_alloc(&x, &pd))
			mr_reg(&x, pd, x.memory, 16 * PAGE, LOCAL_WRITE, &mr);
		_exit(0);
	}
	return pid > 0 && waitpid(pid, NULL, 0) == pid ? 0 : errno;
}

/* Registers a lot, and is killed at it */
static int kill_mr(struct worker *w)
{
	int shot = rand_r(&w->seed) % 20000;
	struct uctx x;
	uint32_t pd, mr;
	pid_t pid = fork();

	if (!pid) {
		if (uctx_open(&x) || pd_alloc(&x, &pd))
			_exit(0);
		while (!mr_reg(&x, pd, x.memory, MEMORY_PAGES * PAGE,
			       LOCAL_WRITE, &mr))
			;
		_exit(0);
	}
	usleep(shot);
	kill(pid, SIGKILL);
	return pid > 0 && waitpid(pid, NULL, 0) == pid ? 0 : errno;
}

/* The driver's own key for changes is made with the first of them: now. */
static void change_one(void)
{
	struct ib_uverbs_rereg_mr in = {
		.flags = CHANGE_ACCESS,
		.access_flags = LOCAL_WRITE | REMOTE_WRITE,
	};
	struct uctx x;
	uint32_t pd, key;
	pid_t pid = fork();

	if (!pid) {
		if (!uctx_open(&x) && !pd_alloc(&x, &pd) &&
		    !mr_reg(&x, pd, x.memory, PAGE, LOCAL_WRITE, &in.mr_handle))
			mr_rereg(&x, &in, &key);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static int keys_left(void)
{
	change_one();
	return keys_in_use(census);
}

static int keys_before;

/* What was let go behind a process's back is let go soon after its end. */
static int nothing_is_left(void)
{
	int i, keys = keys_before;

	for (i = 0; i < 200 && pages_held() != held; i++)
		usleep(10000);
	if (census)
		keys = keys_left();
	if (pages_held() == held && keys == keys_before)
		return 0;
	tap_note("%ld pages pinned, %d keys too many", pages_held() - held,
		 keys - keys_before);
	return 1;
}

static const struct race races[] = {
	{ .name = "registration against munmap",
	  .work = { make_mr, make_mr, end_mr, use_mr, unmap } },
	{ .name = "registration against mremap",
	  .work = { make_mr, make_mr, end_mr, move, move } },
	{ .name = "registration against mprotect and madvise",
	  .work = { make_mr, make_mr, end_mr, protect, drop } },
	{ .name = "registration against fork",
	  .work = { make_mr, make_mr, end_mr, fork_and_exit, drop } },
	{ .name = "registration against exit",
	  .work = { make_mr, end_mr, leave_mr, leave_mr } },
	{ .name = "registration against kill",
	  .work = { make_mr, end_mr, kill_mr, kill_mr } },
	{ .name = "two changes of one region",
	  .work = { make_mr, end_mr, change_mr, change_mr, use_mr } },
	{ .name = "change against munmap, mremap and fork",
	  .work = { make_mr, end_mr, change_mr, change_mr, unmap, move,
	    fork_and_exit } },
	{ .name = "paging against munmap",
	  .work = { make_paged, make_paged, end_mr, advise, advise, unmap } },
	{ .name = "paging against mremap, mprotect and madvise",
	  .work = { make_paged, end_mr, advise, move, protect, drop } },
	{ .name = "paging against fork",
	  .work = { make_paged, end_mr, advise, advise, fork_and_exit, drop } },
	{ .name = "paging against exit",
	  .work = { make_space, end_mr, advise, leave_paged, leave_paged } },
	{ .name = "paging of all addresses",
	  .work = { make_space, make_paged, end_mr, advise, advise, unmap,
	    drop } },
	{ .name = "changes between pinned and paged",
	  .work = { make_mr, make_space, end_mr, change_mr, change_paged,
	    advise, drop } },
	{ .name = "paging against unbind",
	  .work = { make_paged, make_space, end_mr, advise, advise,
	    change_paged, drop },
	  .disturb = race_unbind },
	{ .name = "change against unbind",
	  .work = { make_mr, make_mr, end_mr, change_mr, change_mr, use_mr },
	  .disturb = race_unbind },
};

int main(int argc, char **argv)
{
	static const struct race all = { .name = "kill", .work = {
		make_mr, make_paged, end_mr, change_mr, change_paged, advise,
		unmap, move } };
	int status = race_init(argc, argv);

	if (status)
		return status;
	census = argc > 2 ? argv[2] : NULL;
	keys_before = census ? keys_left() : 0;
	held = pages_held();
	race_after = nothing_is_left;
	return race_all(races, sizeof(races) / sizeof(races[0]), &all);
}
