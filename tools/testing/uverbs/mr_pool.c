// SPDX-License-Identifier: GPL-2.0-only
/*
 * mr_pool COMMAND - keys that are kept, with connectx's parameter mkey_pool set.
 * COMMAND makes the adapter refuse its next change of a key. TAP.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "calls.h"
#include "tap.h"

#define LOCAL_WRITE	IB_UVERBS_ACCESS_LOCAL_WRITE
#define RELAXED		IB_UVERBS_ACCESS_RELAXED_ORDERING

#define FREE_KEYS	"cat /sys/bus/pci/drivers/connectx/*/mkey_pool_free"
#define SMALLEST	8
#define MANY		200		/* more than the pool keeps */

static const char *refuse_next;
static struct uctx x;
static uint32_t pd;
static void *memory;

/* Free keys with so much room, or -1 */
static int free_keys(unsigned int room)
{
	FILE *pipe = popen(FREE_KEYS, "r");
	unsigned int of, n;
	int found = -1;

	while (pipe && fscanf(pipe, "%u %u", &of, &n) == 2)
		if (of == room)
			found = n;
	if (pipe)
		pclose(pipe);
	return found;
}

static int reg(uint64_t len, uint32_t access, uint32_t *mr, uint32_t *key)
{
	struct ib_uverbs_reg_mr in = {
		.start = (uintptr_t)memory,
		.length = len,
		.hca_va = (uintptr_t)memory,
		.pd_handle = pd,
		.access_flags = access,
	};
	struct ib_uverbs_reg_mr_resp out = { };
	int ret;

	ret = invoke_write(x.fd, IB_USER_VERBS_CMD_REG_MR, &in, sizeof(in),
			   &out, sizeof(out), NULL, 0, NULL, 0);
	*mr = out.mr_handle;
	*key = out.lkey;
	return ret;
}

static void a_key_comes_back_as_another(void)
{
	uint32_t mr, first, second;
	int before;

	want_err(reg(PAGE, LOCAL_WRITE, &mr, &first), 0);
	before = free_keys(SMALLEST);
	want(before >= 0);
	want_err(mr_destroy(&x, mr), 0);
	want(free_keys(SMALLEST) == before + 1);
	want_err(reg(PAGE, LOCAL_WRITE, &mr, &second), 0);
	want(free_keys(SMALLEST) == before);
	want(first >> 8 == second >> 8);
	want(first != second);
	want_err(mr_destroy(&x, mr), 0);
}

/* Each region takes the next low byte; 256 later it is the same again. */
static void a_key_does_not_come_back_as_itself(void)
{
	uint32_t mr, first, other, second;
	int i;

	want_err(reg(PAGE, LOCAL_WRITE, &mr, &first), 0);
	want_err(mr_destroy(&x, mr), 0);
	for (i = 0; i < 255; i++) {
		want_err(reg(PAGE, LOCAL_WRITE | RELAXED, &mr, &other), 0);
		want_err(mr_destroy(&x, mr), 0);
	}
	want_err(reg(PAGE, LOCAL_WRITE, &mr, &second), 0);
	want(first >> 8 == second >> 8);
	want(first != second);
	want_err(mr_destroy(&x, mr), 0);
}

static void a_kept_key_keeps_no_domain(void)
{
	uint32_t old = pd, mr, key;
	int before;

	want_err(pd_alloc(&x, &pd), 0);
	want_err(reg(PAGE, LOCAL_WRITE, &mr, &key), 0);
	before = free_keys(SMALLEST);
	want_err(mr_destroy(&x, mr), 0);
	want(free_keys(SMALLEST) == before + 1);
	want_err(pd_destroy(&x, pd), 0);
	pd = old;
}

static void sizes_do_not_mix(void)
{
	uint32_t mr, small, large;

	want_err(reg(PAGE, LOCAL_WRITE, &mr, &small), 0);
	want_err(mr_destroy(&x, mr), 0);
	want_err(reg(9 * PAGE, LOCAL_WRITE, &mr, &large), 0);
	want(small >> 8 != large >> 8);
	want_err(mr_destroy(&x, mr), 0);
}

static void what_cannot_change_is_not_kept(void)
{
	int before = free_keys(SMALLEST);
	uint32_t mr, key;

	want_err(reg(PAGE, LOCAL_WRITE | RELAXED, &mr, &key), 0);
	want(free_keys(SMALLEST) == before);
	want_err(mr_destroy(&x, mr), 0);
	want(free_keys(SMALLEST) == before);
}

static void more_than_are_kept(void)
{
	static uint32_t mr[MANY];
	uint32_t key;
	int i;

	for (i = 0; i < MANY; i++)
		want_err(reg(PAGE, LOCAL_WRITE, &mr[i], &key), 0);
	want(free_keys(SMALLEST) == 0);
	for (i = 0; i < MANY; i++)
		want_err(mr_destroy(&x, mr[i]), 0);
	want(free_keys(SMALLEST) > 0 && free_keys(SMALLEST) < MANY);
}

/* Neither a region that goes nor one that comes notices. */
static void the_adapter_refuses(void)
{
	uint32_t mr, key;
	int before;

	want_err(reg(PAGE, LOCAL_WRITE, &mr, &key), 0);
	before = free_keys(SMALLEST);
	want(!system(refuse_next));
	want_err(mr_destroy(&x, mr), 0);
	want(free_keys(SMALLEST) == before);
	want(before > 0);
	want(!system(refuse_next));
	want_err(reg(PAGE, LOCAL_WRITE, &mr, &key), 0);
	want(free_keys(SMALLEST) == before - 1);
	want_err(mr_destroy(&x, mr), 0);
	want(free_keys(SMALLEST) == before);
}

static const struct tap_test tests[] = {
	{ "a key comes back as another", a_key_comes_back_as_another },
	{ "a key does not come back as itself",
	  a_key_does_not_come_back_as_itself },
	{ "a kept key keeps no domain", a_kept_key_keeps_no_domain },
	{ "sizes do not mix", sizes_do_not_mix },
	{ "what cannot change is not kept", what_cannot_change_is_not_kept },
	{ "more than are kept", more_than_are_kept },
	{ "the adapter refuses", the_adapter_refuses },
};

int main(int argc, char **argv)
{
	int ret;

	if (argc != 2 || uctx_open(&x) || pd_alloc(&x, &pd)) {
		printf("# usage: mr_pool COMMAND, on a device of connectx\n");
		return 2;
	}
	refuse_next = argv[1];
	memory = mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ret = tap_run(tests, sizeof(tests) / sizeof(tests[0]));
	pd_destroy(&x, pd);
	uctx_close(&x);
	return ret;
}
