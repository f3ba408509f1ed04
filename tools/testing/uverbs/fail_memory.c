// SPDX-License-Identifier: GPL-2.0-only
/*
 * fail_memory - as fail_nth, for memory that is not pinned: paged on demand,
 * DMA buffers, the adapter's own
 *
 * What the kernel says of leaks, and the adapter's census, belong to it. Needs
 * CONFIG_FAULT_INJECTION, /dev/udmabuf, and /dev/moving-dmabuf; TAP.
 */
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "calls_memory.h"
#include "dm_calls.h"
#include "sweep.h"

#define LENGTH		(16 * PAGE)
#define MOVING_MAKE	_IO('m', 1)
#define MOVING_MOVE	_IO('m', 2)

static struct uctx x;
static uint32_t pd, other_pd;
static int udmabuf, moving, moving_file;	/* descriptors */
static struct dm dm = { .length = PAGE };
static uint8_t *memory;		/* LENGTH, twice */

/* --- memory that is paged on demand ----------------------------------------- */

static int make_paged(uint32_t *mr)
{
	return mr_reg(&x, pd, memory, LENGTH, LOCAL_WRITE | ON_DEMAND, mr);
}

static int make_space(uint32_t *mr)
{
	return mr_reg_space(&x, pd, LOCAL_WRITE, mr);
}

static int end_mr(uint32_t mr)
{
	return mr_destroy(&x, mr);
}

static void paged(void)
{
	sweep(&x, &(struct sweep){ make_paged, end_mr, UVERBS_OBJECT_MR });
	sweep(&x, &(struct sweep){ make_space, end_mr, UVERBS_OBJECT_MR });
}

static uint32_t advised;	/* key of the region */
static uint64_t advice;

static int take_advice(uint32_t *handle)
{
	*handle = 0;
	/* so that there are pages to bring in */
	if (madvise(memory, LENGTH, MADV_DONTNEED))
		return errno;
	return mr_advise(&x, pd, advice, 1, advised, memory, LENGTH);
}

static int nothing(uint32_t handle)
{
	(void)handle;
	return 0;
}

static void advice_about(int (*make)(uint32_t *mr))
{
	const struct sweep all = { take_advice, nothing, 0 };
	struct mr_state state;
	uint32_t mr;

	want_err(make(&mr), 0);
	want_err(mr_state(&x, mr, &state), 0);
	advised = state.lkey;
	for (advice = PREFETCH; advice <= PREFETCH_WRITE; advice++)
		sweep(&x, &all);
	want_err(mr_destroy(&x, mr), 0);
}

static void advice_of_a_range(void)
{
	advice_about(make_paged);
}

static void advice_of_all_addresses(void)
{
	advice_about(make_space);
}

/* --- DMA buffers ------------------------------------------------------------ */

static int reg_dmabuf(int fd, uint32_t *mr)
{
	const struct dmabuf_piece all = { .fd = fd, .length = LENGTH };

	return mr_reg_dmabuf(&x, pd, &all, LOCAL_WRITE, mr);
}

static int make_udmabuf(uint32_t *mr)
{
	return reg_dmabuf(udmabuf, mr);
}

static int make_moving(uint32_t *mr)
{
	return reg_dmabuf(moving, mr);
}

static void buffers(void)
{
	sweep(&x, &(struct sweep){ make_udmabuf, end_mr, UVERBS_OBJECT_MR });
	sweep(&x, &(struct sweep){ make_moving, end_mr, UVERBS_OBJECT_MR });
}

/* Advice maps a buffer that has moved. */
static int map_again(uint32_t *handle)
{
	*handle = 0;
	if (ioctl(moving_file, MOVING_MOVE, 0))
		return errno;
	return mr_advise(&x, pd, PREFETCH, 1, advised, NULL, LENGTH);
}

static void buffers_that_moved(void)
{
	struct mr_state state;
	uint32_t mr;

	want_err(make_moving(&mr), 0);
	want_err(mr_state(&x, mr, &state), 0);
	advised = state.lkey;
	sweep(&x, &(struct sweep){ map_again, nothing, 0 });
	want_err(mr_destroy(&x, mr), 0);
}

/* --- the adapter's own memory ----------------------------------------------- */

static int make_dm(uint32_t *handle)
{
	struct dm one = { .length = PAGE };
	int ret = dm_alloc(&x, &one);

	*handle = one.handle;
	return ret;
}

static int end_dm(uint32_t handle)
{
	return dm_free(&x, handle);
}

static int make_dm_mr(uint32_t *mr)
{
	return dm_reg(&x, pd, &dm, 0, PAGE, LOCAL_WRITE |
		      IB_UVERBS_ACCESS_ZERO_BASED, mr);
}

static int map_dm(uint32_t *handle)
{
	void *pages;

	*handle = 0;
	pages = dm_map(&x, &dm, PROT_READ | PROT_WRITE);
	if (pages == MAP_FAILED)
		return errno;
	dm_unmap(&dm, pages);
	return 0;
}

static void device_memory(void)
{
	sweep(&x, &(struct sweep){ make_dm, end_dm, UVERBS_OBJECT_DM });
	sweep(&x, &(struct sweep){ make_dm_mr, end_mr, UVERBS_OBJECT_MR });
	sweep(&x, &(struct sweep){ map_dm, nothing, 0 });
}

/* --- changes, and the end --------------------------------------------------- */

static int make_pinned(uint32_t *mr)
{
	return mr_reg(&x, pd, memory, LENGTH, LOCAL_WRITE, mr);
}

/* What was refused is as it was; what cannot be answered may be done. */
static void change(int (*make)(uint32_t *mr), uint32_t flags, uint32_t access)
{
	struct ib_uverbs_rereg_mr in = {
		.flags = flags,
		.start = (uintptr_t)(memory + LENGTH),
		.length = LENGTH / 2,
		.hca_va = (uintptr_t)(memory + LENGTH),
		.pd_handle = other_pd,
		.access_flags = access,
	};
	struct mr_state was, now;
	int n, error, hit = 1, failed = 0;
	uint32_t key;

	for (n = 1; n < INJECT_MAX && hit; n++) {
		want_err(make(&in.mr_handle), 0);
		want_err(mr_state(&x, in.mr_handle, &was), 0);
		inject_arm(n);
		error = mr_rereg(&x, &in, &key);
		hit = inject_was_hit();
		want(!error || (hit && inject_expected(error)));
		want_err(mr_state(&x, in.mr_handle, &now), 0);
		want(!error || error == EFAULT ||
		     !memcmp(&was, &now, sizeof(now)));
		failed += !!error;
		want_err(end_mr(in.mr_handle), 0);
	}
	want(!hit && failed);
	want(!pinned_kb());
	tap_note("flags %u: %d places, %d of them end the call", flags, n - 2,
		 failed);
}

static void changes(void)
{
	static const struct {
		int (*make)(uint32_t *mr);
		uint32_t flags, access;
	} rows[] = {
		{ make_paged, CHANGE_PD, 0 },
		{ make_paged, CHANGE_PD | CHANGE_ACCESS, ON_DEMAND },
		{ make_paged, CHANGE_MEMORY, 0 },
		{ make_paged, CHANGE_MEMORY | CHANGE_ACCESS, LOCAL_WRITE },
		{ make_pinned, CHANGE_MEMORY | CHANGE_ACCESS, ON_DEMAND },
		{ make_space, CHANGE_ACCESS, ON_DEMAND },
		{ make_space, CHANGE_MEMORY, 0 },
		{ make_moving, CHANGE_PD, 0 },
		{ make_moving, CHANGE_MEMORY, 0 },
		{ make_moving, CHANGE_MEMORY | CHANGE_ACCESS, ON_DEMAND },
	};
	unsigned int i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]) && !tap_failed; i++)
		change(rows[i].make, rows[i].flags, rows[i].access);
}

/* With pages, or a mapping, to be given back */
static int make_used(int (*make)(uint32_t *mr), uint32_t *mr)
{
	struct mr_state state;
	int error = make(mr);

	if (error || make == make_dm_mr)
		return error;
	error = mr_state(&x, *mr, &state);
	return error ? error : mr_advise(&x, pd, PREFETCH, 1, state.lkey,
					 make == make_moving ? NULL : memory,
					 LENGTH);
}

static void end_of(int (*make)(uint32_t *mr))
{
	int n, error, hit = 1;
	uint32_t mr;

	for (n = 1; n < INJECT_MAX && hit; n++) {
		want_err(make_used(make, &mr), 0);
		inject_arm(n);
		error = end_mr(mr);
		hit = inject_was_hit();
		/* what it asks for may be unreadable, that is all */
		if (error) {
			want_err(error, EFAULT);
			want_err(end_mr(mr), 0);
		}
	}
	want(!hit);
	tap_note("%d places", n - 2);
}

static void ends(void)
{
	end_of(make_paged);
	end_of(make_space);
	end_of(make_moving);
	end_of(make_dm_mr);
}

/* The process changes its memory: what it takes away is gone. */
static void taken_away(void)
{
	struct mr_state state;
	int n, hit = 1;
	uint32_t mr;

	want_err(make_paged(&mr), 0);
	want_err(mr_state(&x, mr, &state), 0);
	for (n = 1; n < INJECT_MAX && hit; n++) {
		want_err(mr_advise(&x, pd, PREFETCH_WRITE, 1, state.lkey,
				   memory, LENGTH), 0);
		inject_arm(n);
		madvise(memory, LENGTH, MADV_DONTNEED);
		hit = inject_was_hit();
	}
	want(!hit);
	want_err(end_mr(mr), 0);
	tap_note("%d places", n - 2);
}

static const struct tap_test tests[] = {
	{ "paged on demand", paged },
	{ "advice of a range", advice_of_a_range },
	{ "advice of all addresses", advice_of_all_addresses },
	{ "DMA buffers", buffers },
	{ "DMA buffers that moved", buffers_that_moved },
	{ "device memory", device_memory },
	{ "changes", changes },
	{ "deregistration", ends },
	{ "pages taken away", taken_away },
};

static int make_buffers(void)
{
	int error = udmabuf_make(LENGTH, &udmabuf);

	if (error)
		return error;
	moving_file = open("/dev/moving-dmabuf", O_RDWR);
	moving = ioctl(moving_file, MOVING_MAKE, LENGTH);
	return moving < 0 ? errno : 0;
}

static int prepare(void)
{
	int error = uctx_open(&x);

	memory = memory_map(2 * LENGTH, PROT_READ | PROT_WRITE, 0);
	error = error ? error : pd_alloc(&x, &pd);
	error = error ? error : pd_alloc(&x, &other_pd);
	error = error ? error : dm_alloc(&x, &dm);
	return error ? error : make_buffers();
}

int main(void)
{
	return sweep_main(prepare, tests, sizeof(tests) / sizeof(tests[0]));
}
