// SPDX-License-Identifier: GPL-2.0-only
/*
 * memory [COMMAND] - registered memory changes. COMMAND makes the adapter
 * refuse its next change of a key. TAP.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "calls_memory.h"
#include "tap.h"

#define ROUNDS		200

struct region {
	struct uctx x;
	uint32_t pd, mr, key;
	void *memory;
};

static const char *refuse_next;

static int keys(struct region *r, uint32_t *lkey, uint64_t *length)
{
	struct mr_state state;
	int ret = mr_state(&r->x, r->mr, &state);

	*lkey = state.lkey;
	*length = state.length;
	return ret;
}

static int change_access(struct region *r, uint32_t access, uint32_t *key)
{
	struct ib_uverbs_rereg_mr in = {
		.mr_handle = r->mr,
		.flags = CHANGE_ACCESS,
		.access_flags = access,
	};

	return mr_rereg(&r->x, &in, key);
}

static int change_memory(struct region *r, void *memory, uint64_t length,
			 uint32_t *key)
{
	struct ib_uverbs_rereg_mr in = {
		.mr_handle = r->mr,
		.flags = CHANGE_MEMORY,
		.start = (uintptr_t)memory,
		.length = length,
		.hca_va = (uintptr_t)memory,
	};

	return mr_rereg(&r->x, &in, key);
}

static int region_make(struct region *r, uint32_t access, int prot)
{
	uint64_t length;
	int ret;

	ret = uctx_open(&r->x);
	if (ret)
		return ret;
	r->memory = mmap(NULL, 4 * PAGE, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			 0);
	if (r->memory == MAP_FAILED)
		return errno;
	ret = pd_alloc(&r->x, &r->pd);
	if (!ret)
		ret = mr_reg(&r->x, r->pd, r->memory, 4 * PAGE, access,
			     &r->mr);
	return ret ? ret : keys(r, &r->key, &length);
}

static void rights_change_in_place(void)
{
	struct region r;
	uint32_t key;

	want_err(region_make(&r, LOCAL_WRITE, PROT_READ | PROT_WRITE), 0);
	want_err(change_access(&r, LOCAL_WRITE | REMOTE_WRITE, &key), 0);
	want(key == r.key);
	want_err(change_access(&r, 0, &key), 0);
	want(key == r.key);
	want_err(change_access(&r, REMOTE_WRITE, &key), EINVAL);
	uctx_close(&r.x);
}

static void domain_changes_in_place(void)
{
	struct ib_uverbs_rereg_mr in = { .flags = CHANGE_PD };
	uint32_t second, key;
	struct region r;

	want_err(region_make(&r, LOCAL_WRITE, PROT_READ | PROT_WRITE), 0);
	want_err(pd_alloc(&r.x, &second), 0);
	in.mr_handle = r.mr;
	in.pd_handle = second;
	want_err(mr_rereg(&r.x, &in, &key), 0);
	want(key == r.key);
	/* the domains know who uses them */
	want_err(pd_destroy(&r.x, r.pd), 0);
	want_err(pd_destroy(&r.x, second), EBUSY);
	in.pd_handle = 0x7ffffff0;
	want_err(mr_rereg(&r.x, &in, &key), ENOENT);
	want_err(mr_destroy(&r.x, r.mr), 0);
	want_err(pd_destroy(&r.x, second), 0);
	uctx_close(&r.x);
}

static void other_memory(void)
{
	uint64_t length;
	struct region r;
	uint32_t key;
	long before;
	void *more;

	want_err(region_make(&r, LOCAL_WRITE, PROT_READ | PROT_WRITE), 0);
	before = pinned_kb();
	more = mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	want(more != MAP_FAILED);
	want_err(change_memory(&r, more, 16 * PAGE, &key), 0);
	want_err(keys(&r, &r.key, &length), 0);
	want(r.key == key && length == 16 * PAGE);
	want(pinned_kb() == before + 12 * PAGE / 1024);
	/* nothing is there: all is as it was */
	want(!munmap(r.memory, 4 * PAGE));
	want_err(change_memory(&r, r.memory, 4 * PAGE, &key), EFAULT);
	want_err(change_memory(&r, more, 0, &key), EINVAL);
	want_err(keys(&r, &key, &length), 0);
	want(r.key == key && length == 16 * PAGE);
	want(pinned_kb() == before + 12 * PAGE / 1024);
	want_err(mr_destroy(&r.x, r.mr), 0);
	want(pinned_kb() == before - 4 * PAGE / 1024);
	uctx_close(&r.x);
}

/* What was pinned to be read is not written behind the kernel's back. */
static void readers_become_writers(void)
{
	uint64_t length;
	struct region r;
	uint32_t key;

	want_err(region_make(&r, REMOTE_READ, PROT_READ), 0);
	want_err(change_access(&r, LOCAL_WRITE, &key), EFAULT);
	want_err(keys(&r, &key, &length), 0);
	want(key == r.key);
	want(!mprotect(r.memory, 4 * PAGE, PROT_READ | PROT_WRITE));
	want_err(change_access(&r, LOCAL_WRITE, &key), 0);
	want_err(mr_destroy(&r.x, r.mr), 0);
	uctx_close(&r.x);
}

static void adapter_refuses(void)
{
	struct region r;
	uint32_t key;

	if (!refuse_next) {
		tap_note("no command that makes the adapter refuse");
		return;
	}
	want_err(region_make(&r, LOCAL_WRITE, PROT_READ | PROT_WRITE), 0);
	want_err(change_access(&r, 0, &key), 0);
	want(!system(refuse_next));
	want_err(change_access(&r, LOCAL_WRITE, &key), EIO);
	want_err(change_access(&r, LOCAL_WRITE, &key), 0);
	want(key == r.key);
	uctx_close(&r.x);
}

static void *change_often(void *arg)
{
	struct region *r = arg;
	uint32_t key;
	int i, ret;

	for (i = 0; i < ROUNDS; i++) {
		ret = i % 2 ? change_access(r, LOCAL_WRITE | REMOTE_READ,
					    &key) :
			      change_memory(r, r->memory, 4 * PAGE, &key);
		if (ret && ret != EBUSY)
			return "a change failed";
	}
	return NULL;
}

static void many_change_one(void)
{
	pthread_t thread[4];
	struct region r;
	void *failed;
	int i;

	want_err(region_make(&r, LOCAL_WRITE, PROT_READ | PROT_WRITE), 0);
	for (i = 0; i < 4; i++)
		want(!pthread_create(&thread[i], NULL, change_often, &r));
	for (i = 0; i < 4; i++) {
		want(!pthread_join(thread[i], &failed));
		want(!failed);
	}
	want_err(mr_destroy(&r.x, r.mr), 0);
	want(pinned_kb() == 0);
	uctx_close(&r.x);
}

static const struct tap_test tests[] = {
	{ "rights change in place", rights_change_in_place },
	{ "a domain changes in place", domain_changes_in_place },
	{ "other memory", other_memory },
	{ "readers become writers", readers_become_writers },
	{ "the adapter refuses", adapter_refuses },
	{ "many change one", many_change_one },
};

int main(int argc, char **argv)
{
	refuse_next = argc > 1 ? argv[1] : NULL;
	return tap_run(tests, sizeof(tests) / sizeof(tests[0]));
}
