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
#include "race.h"
#include "tap.h"

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
	{ .name = "open and close",
	  .work = { open_and_close, open_and_close, open_and_close } },
	{ .name = "unbind against objects",
	  .work = { make_pd, end_pd, make_qp, end_qp, make_cq, end_cq, make_mr,
	    end_mr },
	  .disturb = race_unbind },
	{ .name = "unbind against mmap",
	  .work = { make_page, end_page, map_bfreg, map_bfreg },
	  .disturb = race_unbind },
	{ .name = "unbind against open",
	  .work = { open_and_close, open_and_close, open_and_close },
	  .disturb = race_unbind },
};

int main(int argc, char **argv)
{
	static const struct race all = { .name = "kill", .work = {
		make_pd, make_qp, end_qp, make_cq, end_cq, make_mr, end_mr,
		make_page } };
	int status = race_init(argc, argv);

	if (status)
		return status;
	return race_all(races, sizeof(races) / sizeof(races[0]), &all);
}
