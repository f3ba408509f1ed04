// SPDX-License-Identifier: GPL-2.0-only
/*
 * memory_refused CXCTL [kept|dead|pool] - the adapter refuses in the middle
 *
 * CXCTL is the program that asks the model for it. Each way to change a region
 * is tried with each of its commands refused: afterwards the old region is as
 * it was. "kept" has the last case alone, in which the adapter insists on a
 * key and the driver has to leave its memory pinned: what it leaves is there
 * until the adapter is reset. "dead" lets the adapter die while regions change:
 * nobody waits for it. "pool" is for a driver that keeps keys (mkey_pool=64).
 * Root; TAP.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "calls_memory.h"
#include "tap.h"

#define PAGES		4
#define BYTES		(PAGES * PAGE)
#define KB(pages)	((pages) * PAGE / 1024)

enum { STATUS_BUSY = 0x6, STATUS_LIMIT = 0x8 };

static const char *cxctl;
static struct uctx x;

static int model(const char *what)
{
	char line[128];

	snprintf(line, sizeof(line), "%s %s >/dev/null", cxctl, what);
	return system(line);
}

static int refuse_nth(const char *op, int nth, int status)
{
	char what[64];

	snprintf(what, sizeof(what), "fail-op %s %d %d 0xabcd", op, nth,
		 status);
	return model(what);
}

/* Memory keys in the adapter, but for those the driver keeps */
static int keys(void)
{
	char census[128];

	snprintf(census, sizeof(census), "%s census", cxctl);
	return keys_in_use(census);
}

struct region {
	uint32_t pd, other_pd, mr;
	void *memory, *other;
	struct mr_state state;
};

static int region_make(struct region *r)
{
	int ret;

	r->memory = mmap(NULL, 2 * BYTES, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	r->other = r->memory + BYTES;
	ret = pd_alloc(&x, &r->pd);
	ret = ret ? ret : pd_alloc(&x, &r->other_pd);
	ret = ret ? ret : mr_reg(&x, r->pd, r->memory, BYTES, LOCAL_WRITE,
				 &r->mr);
	return ret ? ret : mr_state(&x, r->mr, &r->state);
}

static int region_end(struct region *r)
{
	int ret = mr_destroy(&x, r->mr);

	ret = ret ? ret : pd_destroy(&x, r->pd);
	ret = ret ? ret : pd_destroy(&x, r->other_pd);
	munmap(r->memory, 2 * BYTES);
	return ret ? ret : pinned_kb() ? EBUSY : 0;
}

static int change(struct region *r, uint32_t flags, uint32_t *key)
{
	struct ib_uverbs_rereg_mr in = {
		.mr_handle = r->mr,
		.flags = flags,
		.start = (uintptr_t)r->other,
		.length = BYTES - PAGE,
		.hca_va = (uintptr_t)r->other,
		.pd_handle = r->other_pd,
		.access_flags = LOCAL_WRITE | REMOTE_WRITE,
	};

	return mr_rereg(&x, &in, key);
}

/* All that can be asked is as before. */
static int is_as_it_was(const struct region *r)
{
	struct mr_state now;

	return !mr_state(&x, r->mr, &now) && now.lkey == r->state.lkey &&
	       now.rkey == r->state.rkey && now.length == r->state.length &&
	       now.iova == r->state.iova && pinned_kb() == KB(PAGES) &&
	       pd_destroy(&x, r->pd) == EBUSY;
}

static void registration(void)
{
	static const struct {
		int status, error;
		const char *text;
	} rows[] = {
		{ 0x1, EIO, "internal error" },
		{ 0x3, EINVAL, "bad parameter" },
		{ 0x5, EINVAL, "no such resource" },
		{ 0x7, EAGAIN, "not ready" },
		{ 0x8, ENOMEM, "limit exceeded" },
		{ 0xf, EAGAIN, "out of resources" },
	};
	uint32_t pd, mr;
	unsigned int i;

	want_err(pd_alloc(&x, &pd), 0);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		want(!refuse_nth("CREATE_MKEY", 1, rows[i].status));
		want_err(mr_reg(&x, pd, x.memory, BYTES, LOCAL_WRITE, &mr),
			 rows[i].error);
		want_err(refused_with(&x, rows[i].text), 0);
		want_err(refused_with(&x, "0xabcd"), 0);
		want(pinned_kb() == 0);
		want_err(mr_reg(&x, pd, x.memory, BYTES, LOCAL_WRITE, &mr), 0);
		want_err(mr_destroy(&x, mr), 0);
	}
	want_err(pd_destroy(&x, pd), 0);
}

static void deregistration(void)
{
	struct region r;

	want_err(region_make(&r), 0);
	want(!refuse_nth("DESTROY_MKEY", 1, STATUS_BUSY));
	want_err(mr_destroy(&x, r.mr), EBUSY);
	want(is_as_it_was(&r));
	want_err(region_end(&r), 0);
}

/* What a change sends, each of which is refused in turn */
struct step {
	const char *op;		/* NULL: a UMR request */
	int error;
};

static const struct step replacing[] = {
	{ "CREATE_MKEY", ENOMEM }, { "DESTROY_MKEY", ENOMEM },
};

static const struct step in_place[] = { { NULL, EIO } };

static const struct {
	uint32_t flags;
	const struct step *steps;
	int count;
} changes[] = {
	{ CHANGE_MEMORY, replacing, 2 },
	{ CHANGE_MEMORY | CHANGE_PD, replacing, 2 },
	{ CHANGE_MEMORY | CHANGE_ACCESS, replacing, 2 },
	{ CHANGE_MEMORY | CHANGE_PD | CHANGE_ACCESS, replacing, 2 },
	{ CHANGE_PD, in_place, 1 },
	{ CHANGE_ACCESS, in_place, 1 },
	{ CHANGE_PD | CHANGE_ACCESS, in_place, 1 },
};

static void refuse_and_try_again(uint32_t flags, const struct step *s)
{
	struct region r;
	uint32_t key;
	int before;

	tap_note("flags %u, %s", flags, s->op ? s->op : "UMR");
	want_err(region_make(&r), 0);
	before = keys();
	want(before > 0);
	want(s->op ? !refuse_nth(s->op, 1, STATUS_LIMIT) : !model("fail-umr 1"));
	want_err(change(&r, flags, &key), s->error);
	want(is_as_it_was(&r));
	want(keys() == before);
	want_err(change(&r, flags, &key), 0);
	want(keys() == before);
	want_err(region_end(&r), 0);
}

/* The driver's own key for work requests is made with the first of them. */
static void first_change(void)
{
	struct region r;
	uint32_t key;

	want_err(region_make(&r), 0);
	want_err(change(&r, CHANGE_ACCESS, &key), 0);
	want_err(region_end(&r), 0);
}

static void every_change_every_step(void)
{
	unsigned int i;
	int step;

	first_change();
	for (i = 0; i < sizeof(changes) / sizeof(changes[0]); i++)
		for (step = 0; step < changes[i].count && !tap_failed; step++)
			refuse_and_try_again(changes[i].flags,
					     &changes[i].steps[step]);
}

/* Each command that brings the queue pair of UMR requests back to work */
static void recovery_is_refused(void)
{
	static const char *const ops[] = {
		"2RST_QP", "RST2INIT_QP", "INIT2RTR_QP", "RTR2RTS_QP",
	};
	struct region r;
	uint32_t key;
	int i;

	want_err(region_make(&r), 0);
	for (i = 0; i < 4; i++) {
		want(!model("fail-umr 1"));
		want_err(change(&r, CHANGE_ACCESS, &key), EIO);
		want(!refuse_nth(ops[i], 1, STATUS_LIMIT));
		want_err(change(&r, CHANGE_ACCESS, &key), ENOMEM);
		want(is_as_it_was(&r));
		want_err(change(&r, CHANGE_ACCESS, &key), 0);
	}
	want_err(region_end(&r), 0);
}

/* The adapter takes back neither the old key nor the new one. */
static void a_key_is_kept(void)
{
	long held = pages_held();
	struct region r;
	uint32_t key;
	int before;

	want_err(region_make(&r), 0);
	before = keys();
	want(!refuse_nth("DESTROY_MKEY", 1, STATUS_BUSY));
	want(!refuse_nth("DESTROY_MKEY", 2, STATUS_BUSY));
	want_err(change(&r, CHANGE_MEMORY, &key), EBUSY);
	/* the new key may be used: its memory stays pinned and counted */
	want(keys() == before + 1);
	want(pages_held() == held + 2 * PAGES - 1);
	want(pinned_kb() == KB(2 * PAGES - 1));
	/* the old one is whole */
	want_err(change(&r, CHANGE_ACCESS, &key), 0);
	want(key == r.state.lkey);
	want_err(mr_destroy(&x, r.mr), 0);
	want(pages_held() == held + PAGES - 1);
	want(keys() == before);
}

/* --- a driver that keeps keys ----------------------------------------------- */

#define KEPT	64	/* of a size */

/* Take so many keys, or give them: afterwards the driver keeps none, or KEPT. */
static void take_keys(uint32_t pd, uint32_t *mr, int n)
{
	while (n--)
		want_err(mr_reg(&x, pd, x.memory, PAGE, LOCAL_WRITE, mr++), 0);
}

static void give_keys(const uint32_t *mr, int n)
{
	while (n--)
		want_err(mr_destroy(&x, *mr++), 0);
}

/* There is no place for a key: it is destroyed, or works as before. */
static void no_place(void)
{
	uint32_t pd, mr[KEPT + 1], key;
	struct region r;

	want_err(pd_alloc(&x, &pd), 0);
	take_keys(pd, mr, KEPT + 1);
	want_err(region_make(&r), 0);
	give_keys(mr, KEPT + 1);
	want(keys_kept() >= KEPT);
	want(!refuse_nth("DESTROY_MKEY", 1, STATUS_BUSY));
	want_err(mr_destroy(&x, r.mr), EBUSY);
	want(is_as_it_was(&r));
	want_err(change(&r, CHANGE_ACCESS, &key), 0);
	want(key == r.state.lkey);
	want_err(region_end(&r), 0);
	want(keys_kept() >= KEPT);
	want_err(pd_destroy(&x, pd), 0);
}

/*
 * A request is refused, and the command that would help is as well. All kept keys
 * are taken first: of what comes afterwards ageing destroys none for 30 s, and so
 * the refusals that are planned meet the change.
 */
static void no_other_way(uint32_t flags, int umr, const char *op)
{
	uint32_t pd, mr[KEPT], key;
	struct region r;
	char umrs[32];
	int before;

	want_err(pd_alloc(&x, &pd), 0);
	take_keys(pd, mr, KEPT);
	want_err(region_make(&r), 0);
	give_keys(mr, KEPT);
	before = keys();
	snprintf(umrs, sizeof(umrs), "fail-umr %d", umr);
	want(!model(umrs));
	want(!refuse_nth(op, 1, STATUS_LIMIT));
	tap_note("flags %u, request %d, %s", flags, umr, op);
	want_err(change(&r, flags, &key), ENOMEM);
	want(is_as_it_was(&r));
	want(keys() == before);
	want_err(change(&r, CHANGE_ACCESS, &key), 0);
	want(key == r.state.lkey);
	want_err(change(&r, flags, &key), 0);
	want(key != r.state.lkey);
	want(keys() == before);
	want_err(region_end(&r), 0);
	want_err(pd_destroy(&x, pd), 0);
}

/* The first request puts a kept key into use, the second makes the old one free. */
static void every_request(void)
{
	static const uint32_t flags[] = {
		CHANGE_MEMORY, CHANGE_MEMORY | CHANGE_PD,
		CHANGE_MEMORY | CHANGE_PD | CHANGE_ACCESS,
	};
	unsigned int i;

	for (i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		no_other_way(flags[i], 1, "CREATE_MKEY");
		no_other_way(flags[i], 2, "DESTROY_MKEY");
	}
}

/* With none kept a region needs the command. */
static void none_is_kept(void)
{
	uint32_t pd, mr[KEPT + 1], more;

	want_err(pd_alloc(&x, &pd), 0);
	take_keys(pd, mr, KEPT + 1);
	want(!refuse_nth("CREATE_MKEY", 1, STATUS_LIMIT));
	want_err(mr_reg(&x, pd, x.memory, PAGE, LOCAL_WRITE, &more), ENOMEM);
	give_keys(mr, KEPT + 1);
	want_err(pd_destroy(&x, pd), 0);
	want(pinned_kb() == 0);
}

static void *change_until_the_end(void *arg)
{
	struct region r;
	uint32_t key;
	int err = region_make(&r);

	(void)arg;
	while (!err)
		err = change(&r, CHANGE_ACCESS, &key);
	return err == EIO ? NULL : "another errno";
}

static void the_adapter_dies(void)
{
	struct timespec until;
	pthread_t thread[2];
	void *failed;
	int i;

	for (i = 0; i < 2; i++)
		want(!pthread_create(&thread[i], NULL, change_until_the_end,
				     NULL));
	usleep(500000);
	want(!model("kill"));
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 20;
	for (i = 0; i < 2; i++) {
		want(!pthread_timedjoin_np(thread[i], &failed, &until));
		want(!failed);
	}
	uctx_close(&x);
	want(pinned_kb() == 0);
}

static const struct tap_test tests[] = {
	{ "registration", registration },
	{ "deregistration", deregistration },
	{ "every change, every step", every_change_every_step },
	{ "recovery is refused", recovery_is_refused },
};

static const struct tap_test kept[] = {
	{ "a key is kept", a_key_is_kept },
};

static const struct tap_test dead[] = {
	{ "the adapter dies", the_adapter_dies },
};

static const struct tap_test pool[] = {
	{ "no place for a key", no_place },
	{ "every request, and the command instead", every_request },
	{ "none is kept", none_is_kept },
	{ "recovery is refused", recovery_is_refused },
};

static const struct {
	const char *name;
	const struct tap_test *tests;
	int count;
} modes[] = {
	{ "kept", kept, 1 },
	{ "dead", dead, 1 },
	{ "pool", pool, sizeof(pool) / sizeof(pool[0]) },
};

int main(int argc, char **argv)
{
	unsigned int i;

	if (argc < 2) {
		fprintf(stderr, "usage: memory_refused CXCTL [kept|dead|pool]\n");
		return 2;
	}
	cxctl = argv[1];
	if (uctx_open(&x)) {
		perror("/dev/infiniband/uverbs0");
		return 1;
	}
	for (i = 0; argc > 2 && i < sizeof(modes) / sizeof(modes[0]); i++)
		if (!strcmp(argv[2], modes[i].name))
			return tap_run(modes[i].tests, modes[i].count);
	return tap_run(tests, sizeof(tests) / sizeof(tests[0]));
}
