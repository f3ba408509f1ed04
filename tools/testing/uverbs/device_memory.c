// SPDX-License-Identifier: GPL-2.0-only
/*
 * device_memory [ours] - memory of the adapter, and who may hold it how long.
 * With "ours" also what the stock modules do not do: the driver leaves under
 * one who uses it, a mapping to read stays one. TAP.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dm_calls.h"
#include "pci.h"
#include "tap.h"

#define ZERO_BASED	IB_UVERBS_ACCESS_ZERO_BASED
#define LOCAL_WRITE	IB_UVERBS_ACCESS_LOCAL_WRITE
#define REMOTE_WRITE	IB_UVERBS_ACCESS_REMOTE_WRITE
#define RELAXED		IB_UVERBS_ACCESS_RELAXED_ORDERING
#define RW		(PROT_READ | PROT_WRITE)
#define NOBODY		65534
#define ROUNDS		200

static uint64_t most;
static bool ours;

/* All of it can be had, so nobody holds any. */
static int all_is_free(struct uctx *x)
{
	struct dm d = { .length = most };
	int ret = dm_alloc(x, &d);

	return ret ? ret : dm_free(x, d.handle);
}

static uint32_t *word(const struct dm *d, void *pages, size_t at)
{
	return pages + d->offset + at;
}

static void written_and_read(void)
{
	struct dm d = { .length = 3 * PAGE + 100 }, q = { };
	volatile uint32_t *first, *last;
	struct uctx x;
	void *pages;

	want_err(uctx_open(&x), 0);
	want_err(dm_alloc(&x, &d), 0);
	q.handle = d.handle;
	want_err(dm_query(&x, &q), 0);
	want(q.length == d.length && q.page == d.page && q.offset == d.offset);
	pages = dm_map(&x, &d, RW);
	want(pages != MAP_FAILED);
	first = word(&d, pages, 0);
	last = word(&d, pages, d.length - 4);
	want(!*first && !*last);
	*first = 0x11223344;
	*last = 0x55667788;
	want(*first == 0x11223344 && *last == 0x55667788);
	dm_unmap(&d, pages);
	/* it is the same memory, whoever maps it */
	pages = dm_map(&x, &d, PROT_READ);
	want(pages != MAP_FAILED);
	want(*word(&d, pages, 0) == 0x11223344);
	want(!ours || (mprotect(pages, PAGE, RW) && errno == EACCES));
	dm_unmap(&d, pages);
	want_err(dm_free(&x, d.handle), 0);
	want_err(all_is_free(&x), 0);
	uctx_close(&x);
}

static void nothing_of_others_is_seen(void)
{
	struct dm d = { .length = PAGE };
	struct uctx x;
	void *pages;

	want_err(uctx_open(&x), 0);
	want_err(dm_alloc(&x, &d), 0);
	pages = dm_map(&x, &d, RW);
	want(pages != MAP_FAILED);
	*word(&d, pages, 0) = 0x5ec8e7;
	dm_unmap(&d, pages);
	want_err(dm_free(&x, d.handle), 0);
	d.length = most;
	want_err(dm_alloc(&x, &d), 0);
	pages = dm_map(&x, &d, RW);
	want(pages != MAP_FAILED);
	want(!*word(&d, pages, 0));
	dm_unmap(&d, pages);
	uctx_close(&x);
}

static void a_mapping_holds_it(void)
{
	struct dm d = { .length = most };
	volatile uint32_t *first;
	struct uctx x, y;
	void *pages;

	want_err(uctx_open(&x), 0);
	want_err(uctx_open(&y), 0);
	want_err(dm_alloc(&x, &d), 0);
	want_err(all_is_free(&y), ENOMEM);
	pages = dm_map(&x, &d, RW);
	want(pages != MAP_FAILED);
	first = word(&d, pages, 0);
	*first = 42;
	want_err(dm_free(&x, d.handle), 0);
	want(*first == 42);
	want_err(all_is_free(&y), ENOMEM);
	/* what is freed is not mapped again */
	want(dm_map(&x, &d, RW) == MAP_FAILED && errno == EINVAL);
	dm_unmap(&d, pages);
	want_err(all_is_free(&y), 0);
	uctx_close(&y);
	uctx_close(&x);
}

static void a_child_holds_it(void)
{
	struct dm d = { .length = most };
	volatile uint32_t *first;
	int status, go[2];
	struct uctx x;
	void *pages;
	pid_t child;
	char byte;

	want_err(uctx_open(&x), 0);
	want_err(dm_alloc(&x, &d), 0);
	pages = dm_map(&x, &d, RW);
	want(pages != MAP_FAILED && !pipe(go));
	first = word(&d, pages, 0);
	*first = 42;
	child = fork();
	want(child >= 0);
	if (!child) {
		close(go[1]);
		_exit(read(go[0], &byte, 1) || *first != 43);
	}
	want_err(dm_free(&x, d.handle), 0);
	*first = 43;
	dm_unmap(&d, pages);
	want_err(all_is_free(&x), ENOMEM);
	close(go[1]);
	want(waitpid(child, &status, 0) == child && !status);
	want_err(all_is_free(&x), 0);
	close(go[0]);
	uctx_close(&x);
}

static void a_region_holds_it(void)
{
	struct dm d = { .length = 100 };
	uint32_t pd, mr, second;
	struct uctx x;

	want_err(uctx_open(&x), 0);
	want_err(pd_alloc(&x, &pd), 0);
	want_err(dm_alloc(&x, &d), 0);
	want_err(dm_reg(&x, pd, &d, 0, 100, ZERO_BASED | LOCAL_WRITE, &mr), 0);
	want_err(dm_reg(&x, pd, &d, 96, 4, ZERO_BASED, &second), 0);
	want_err(dm_free(&x, d.handle), EBUSY);
	want_err(mr_destroy(&x, mr), 0);
	want_err(dm_free(&x, d.handle), EBUSY);
	want_err(mr_destroy(&x, second), 0);
	want_err(dm_free(&x, d.handle), 0);
	/* and with all that is left at the end */
	want_err(dm_alloc(&x, &d), 0);
	want_err(dm_reg(&x, pd, &d, 0, 100, ZERO_BASED | LOCAL_WRITE, &mr), 0);
	uctx_close(&x);
	want_err(uctx_open(&x), 0);
	want_err(all_is_free(&x), 0);
	uctx_close(&x);
}

static void bad_regions(void)
{
	static const struct {
		uint64_t offset, length;
		uint32_t access;
	} bad[] = {
		{ 0, 101, ZERO_BASED },
		{ 100, 1, ZERO_BASED },
		{ 101, 0, ZERO_BASED },
		{ UINT64_MAX, 2, ZERO_BASED },
		{ 50, UINT64_MAX - 20, ZERO_BASED },
		{ 0, 100, 0 },
		{ 0, 100, LOCAL_WRITE },
		{ 0, 100, ZERO_BASED | REMOTE_WRITE },
		{ 0, 100, ZERO_BASED | RELAXED },
		{ 0, 100, ZERO_BASED | 1 << 15 },
	};
	struct dm d = { .length = 100 };
	uint32_t pd, mr;
	struct uctx x;
	size_t i;

	want_err(uctx_open(&x), 0);
	want_err(pd_alloc(&x, &pd), 0);
	want_err(dm_alloc(&x, &d), 0);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		want_err(dm_reg(&x, pd, &d, bad[i].offset, bad[i].length,
				bad[i].access, &mr), EINVAL);
	want_err(dm_free(&x, d.handle), 0);
	want_err(dm_reg(&x, pd, &d, 0, 100, ZERO_BASED, &mr), ENOENT);
	uctx_close(&x);
}

static void bad_requests(void)
{
	static const struct {
		struct dm d;
		int err;
	} bad[] = {
		{ { .length = 0 }, EINVAL },
		{ { .length = UINT64_MAX }, EINVAL },
		{ { .length = UINT64_MAX - 63 }, EINVAL },
		{ { .length = 1ULL << 40 }, ENOMEM },
		{ { .length = 1 << 20 }, ENOMEM },
		{ { .length = (1 << 20) + 1 }, ENOMEM },
		{ { .length = 64, .alignment = 64 }, EINVAL },
		{ { .length = 64, .alignment = UINT32_MAX }, EINVAL },
		{ { .length = 64, .no_page = true }, ENOENT },
		{ { .length = 64, .type = 1 }, EOPNOTSUPP },
		{ { .length = 64, .type = 4 }, EOPNOTSUPP },
		{ { .length = 64, .type = 5 }, EOPNOTSUPP },
		{ { .length = 64, .type = UINT32_MAX }, EOPNOTSUPP },
		{ { .length = 64, .type = 1ULL << 32 }, EINVAL },
	};
	struct dm d = { .length = 64 };
	struct uctx x;
	size_t i;

	want_err(uctx_open(&x), 0);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		d = bad[i].d;
		want_err(dm_alloc(&x, &d), bad[i].err);
	}
	want_err(all_is_free(&x), 0);
	d = (struct dm){ .length = 64 };
	want_err(dm_alloc(&x, &d), 0);
	want_err(dm_map_op(&x, d.handle, 0), EOPNOTSUPP);
	want_err(dm_map_op(&x, d.handle, 255), EOPNOTSUPP);
	want_err(dm_free(&x, d.handle), 0);
	want_err(dm_free(&x, d.handle), ENOENT);
	want_err(dm_query(&x, &d), ENOENT);
	want_err(dm_map_op(&x, d.handle, 0), ENOENT);
	uctx_close(&x);
}

/* Memory for flow steering is not for everybody, even where there is none. */
static void rights_come_first(void)
{
	struct dm d = { .length = 64, .type = 1 };
	struct uctx x;
	pid_t child;
	int status;

	want_err(uctx_open(&x), 0);
	child = fork();
	want(child >= 0);
	if (!child)
		_exit(setuid(NOBODY) || dm_alloc(&x, &d) != EPERM);
	want(waitpid(child, &status, 0) == child && !status);
	uctx_close(&x);
}

static void alignment(void)
{
	struct dm small = { .length = 64 };
	struct dm d = { .length = 64 };
	struct uctx x;

	want_err(uctx_open(&x), 0);
	/* pages before it are in use, and no page but the fifth will do */
	want_err(dm_alloc(&x, &small), 0);
	for (d.alignment = 0; d.alignment <= 12; d.alignment++) {
		want_err(dm_alloc(&x, &d), 0);
		want(d.offset % (1ULL << d.alignment) == 0);
		want_err(dm_free(&x, d.handle), 0);
	}
	d.alignment = 14;
	want_err(dm_alloc(&x, &d), 0);
	want(!d.offset);
	uctx_close(&x);
}

static void *map(struct uctx *x, size_t pages, int prot, int flags,
		 uint64_t pgoff)
{
	return mmap(NULL, pages * PAGE, prot, flags, x->fd, pgoff * PAGE);
}

static void bad_mappings(void)
{
	struct dm d = { .length = 2 * PAGE }, other = { .length = PAGE };
	struct uctx x, y;
	uint64_t at;

	want_err(uctx_open(&x), 0);
	want_err(uctx_open(&y), 0);
	want_err(dm_alloc(&x, &d), 0);
	at = dm_pgoff(d.page);
	want(map(&x, 1, RW, MAP_SHARED, at) == MAP_FAILED && errno == EINVAL);
	want(map(&x, 3, RW, MAP_SHARED, at) == MAP_FAILED && errno == EINVAL);
	want(map(&x, 1, RW, MAP_SHARED, at + 1) == MAP_FAILED &&
	     errno == EINVAL);
	want(map(&x, 2, RW, MAP_SHARED, at + 2) == MAP_FAILED &&
	     errno == EINVAL);
	want(map(&x, 2, RW, MAP_PRIVATE, at) == MAP_FAILED && errno == EINVAL);
	/* the byte above the command counts as well */
	want(map(&x, 2, RW, MAP_SHARED, dm_pgoff(d.page | 0x100)) ==
	     MAP_FAILED && errno == EINVAL);
	/* of another file: its own memory, or none */
	want(map(&y, 2, RW, MAP_SHARED, at) == MAP_FAILED && errno == EINVAL);
	want_err(dm_alloc(&y, &other), 0);
	want(map(&y, 2, RW, MAP_SHARED, at) == MAP_FAILED && errno == EINVAL);
	uctx_close(&y);
	uctx_close(&x);
}

static void *come_and_go(void *arg)
{
	struct uctx *x = arg;
	int i, ret;

	for (i = 0; i < ROUNDS; i++) {
		struct dm d = { .length = most / 8 };
		void *pages;

		ret = dm_alloc(x, &d);
		if (ret)
			return "no memory";
		pages = dm_map(x, &d, RW);
		if (pages == MAP_FAILED)
			return "no mapping";
		*(volatile uint32_t *)word(&d, pages, 0) = i;
		if (i % 2)
			dm_unmap(&d, pages);
		if (dm_free(x, d.handle))
			return "not freed";
		if (!(i % 2))
			dm_unmap(&d, pages);
	}
	return NULL;
}

static void many_at_once(void)
{
	pthread_t thread[4];
	struct uctx x;
	void *failed;
	int i;

	want_err(uctx_open(&x), 0);
	for (i = 0; i < 4; i++)
		want(!pthread_create(&thread[i], NULL, come_and_go, &x));
	for (i = 0; i < 4; i++) {
		want(!pthread_join(thread[i], &failed));
		if (failed)
			tap_note("%s", (char *)failed);
		want(!failed);
	}
	want_err(all_is_free(&x), 0);
	uctx_close(&x);
}

/* The handle of one, freed by many: one of them does it. */
static void *free_it(void *arg)
{
	struct uctx *x = ((void **)arg)[0];
	struct dm *d = ((void **)arg)[1];

	return (void *)(intptr_t)dm_free(x, d->handle);
}

static void freed_by_many(void)
{
	struct dm d = { .length = most };
	pthread_t thread[4];
	void *arg[2], *err;
	struct uctx x;
	int i, round, done;

	want_err(uctx_open(&x), 0);
	arg[0] = &x;
	arg[1] = &d;
	for (round = 0; round < ROUNDS; round++) {
		want_err(dm_alloc(&x, &d), 0);
		for (i = 0; i < 4; i++)
			want(!pthread_create(&thread[i], NULL, free_it, arg));
		for (i = 0, done = 0; i < 4; i++) {
			want(!pthread_join(thread[i], &err));
			want(!err || (intptr_t)err == ENOENT ||
			     (intptr_t)err == EBUSY);
			done += !err;
		}
		want(done == 1);
	}
	uctx_close(&x);
}

static void the_driver_leaves(void)
{
	struct dm d = { .length = PAGE };
	volatile uint32_t *first;
	struct uctx x;
	void *pages;

	want_err(pci_find(), 0);
	want_err(uctx_open(&x), 0);
	want_err(dm_alloc(&x, &d), 0);
	pages = dm_map(&x, &d, RW);
	want(pages != MAP_FAILED);
	first = word(&d, pages, 0);
	*first = 42;
	want_err(pci_unbind(), 0);
	/* a page of zeros took its place, which is only ours */
	want(!*first);
	*first = 43;
	want(*first == 43);
	/* what the device took with it is freed as well as anything */
	want_err(dm_free(&x, d.handle), 0);
	want_err(all_is_free(&x), EIO);
	want(dm_map(&x, &d, RW) == MAP_FAILED && errno == EIO);
	want_err(pci_bind(), 0);
	want(*first == 43);
	dm_unmap(&d, pages);
	uctx_close(&x);
	want_err(uctx_open(&x), 0);
	want_err(all_is_free(&x), 0);
	uctx_close(&x);
}

static const struct tap_test tests[] = {
	{ "written and read", written_and_read },
	{ "nothing of others is seen", nothing_of_others_is_seen },
	{ "a mapping holds it", a_mapping_holds_it },
	{ "a child holds it", a_child_holds_it },
	{ "a region holds it", a_region_holds_it },
	{ "bad regions", bad_regions },
	{ "bad requests", bad_requests },
	{ "rights come first", rights_come_first },
	{ "alignment", alignment },
	{ "bad mappings", bad_mappings },
	{ "many at once", many_at_once },
	{ "freed by many", freed_by_many },
	/* the last one with "ours" only */
	{ "the driver leaves", the_driver_leaves },
};

int main(int argc, char **argv)
{
	unsigned int count = sizeof(tests) / sizeof(tests[0]);
	struct uctx x;

	if (uctx_open(&x) || dm_max(&x, &most) || !most) {
		printf("Bail out! the adapter has no device memory\n");
		return 1;
	}
	uctx_close(&x);
	ours = argc > 1 && !strcmp(argv[1], "ours");
	return tap_run(tests, count - !ours);
}
