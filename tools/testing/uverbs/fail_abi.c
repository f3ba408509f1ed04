// SPDX-License-Identifier: GPL-2.0-only
/*
 * fail_abi [list | METHOD] - every method and command, or one, with each
 * allocation and copy failing in turn
 *
 * The tables of abidiff say what a good call of each method looks like; it is
 * made natively, or by write() and by INVOKE_WRITE. What connectx does not
 * offer is in a list here: a method that is refused although nothing was made
 * to fail is in it, or the test fails. "list" prints what each method answers.
 * A call that fails must leave nothing, see fail_nth.c; TAP.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_cmds.h>

#include "abi_memory.h"
#include "abi_request.h"
#include "inject.h"

/*
 * Refused for a good reason, by these modules and this adapter; what fail_nth
 * has instead: groups, targets.
 */
static const char *const not_here[] = {
	"QUERY_PORT_SPEED", "MLX5_DM_MAP_OP_ADDR",
	"WQ_CREATE", "WQ_DESTROY", "RWQ_IND_TBL_DESTROY",
	"EX_CREATE_WQ", "EX_MODIFY_WQ", "EX_DESTROY_WQ",
	"EX_CREATE_RWQ_IND_TBL", "EX_DESTROY_RWQ_IND_TBL",
	"FLOW_DESTROY", "FLOW_ACTION_DESTROY", "EX_CREATE_FLOW",
	"EX_DESTROY_FLOW",
	"COUNTERS_CREATE", "COUNTERS_DESTROY", "COUNTERS_READ",
	"POLL_CQ", "REQ_NOTIFY_CQ", "POST_SEND", "POST_RECV", "POST_SRQ_RECV",
	"ATTACH_MCAST", "DETACH_MCAST", "OPEN_QP",
	NULL
};

struct sweep {
	const struct abi_method *m;
	enum abi_route route;
};

static struct abi_world world;

/* All optional attributes come along. */
uint32_t abi_random(struct abi_random *r, uint32_t below)
{
	(void)r;
	(void)below;
	return 0;
}

static const char *route_name(enum abi_route route)
{
	static const char *const names[] = { "ioctl", "invoke", "write" };

	return names[route];
}

static bool is_not_here(const struct abi_method *m)
{
	unsigned int i = 0;

	/* those of drivers, of which the tables have no more than the name */
	if (!m->num)
		return true;
	while (not_here[i] && strcmp(not_here[i], m->name))
		i++;
	return not_here[i];
}

/* Handles of all classes, and descriptors: what a call could leave behind */
static unsigned int belongings(void)
{
	unsigned int object, sum = 0;
	uint32_t n;
	DIR *dir;

	for (object = 0; object <= UVERBS_OBJECT_ASYNC_EVENT; object++) {
		if (!handles_of(&world.x, object, &n))
			sum += n;
	}
	if (!handles_of(&world.x, MLX5_IB_OBJECT_UAR, &n))
		sum += n;
	dir = opendir("/proc/self/fd");
	while (dir && readdir(dir))
		sum++;
	if (dir)
		closedir(dir);
	return sum;
}

/* What a good call needs, and what the last one has used up */
static void prepare(struct abi_request *q, const struct sweep *s)
{
	static struct abi_random r;

	abi_request_init(q, s->m, s->route, &world, &r);
}

/* One call, of which the n-th place fails; none for 0. */
static int call(const struct sweep *s, int n, bool *hit)
{
	struct abi_result result;
	struct abi_request q;
	int fd;

	prepare(&q, s);
	fd = q.fresh ? abi_world_fresh(&world) : world.x.fd;
	abi_request_encode(&q);
	inject_arm(n);
	result.error = abi_request_send(&q, fd);
	*hit = inject_was_hit() && n;
	abi_request_collect(&q, &result);
	if (!result.error && s->m->makes)
		abi_world_drop(&world, s->m->makes, result.made);
	/* what cannot be answered may have been done all the same */
	if ((!result.error || result.error == EFAULT) && s->m->spends)
		abi_world_spend(&world, s->m->spends);
	/* the answer of the older GET_CONTEXT: a file for events */
	if (!result.error && q.fresh && s->m->is_write)
		close(result.made);
	if (q.fresh)
		abi_world_fresh_end(&world);
	return result.error;
}

static bool sweep(const struct sweep *s)
{
	unsigned int before, after, failed = 0;
	struct abi_request q;
	bool good = true, hit = true;
	int n, error;

	prepare(&q, s);
	before = belongings();
	for (n = 1; n < INJECT_MAX && hit; n++) {
		error = call(s, n, &hit);
		if (!error)
			continue;
		failed++;
		if (!hit || !inject_expected(error)) {
			printf("# place %d gives %s\n", n,
			       strerrorname_np(error));
			good = false;
		}
	}
	prepare(&q, s);
	after = belongings();
	if (hit)
		printf("# it does not end\n");
	if (before != after)
		printf("# %u handles and descriptors before, %u after\n",
		       before, after);
	printf("# %d places, %u of them end the call\n", n - 2, failed);
	return good && !hit && before == after && failed;
}

/* Another row of the tables may have values that do. */
static bool works(const struct abi_method *m, const struct sweep *sweeps,
		  unsigned int n)
{
	while (n--) {
		if (!strcmp(sweeps[n].m->name, m->name))
			return true;
	}
	return false;
}

/* Without a fault: does it work at all? */
static unsigned int choose(const struct abi_method *table, unsigned int count,
			   const enum abi_route route, struct sweep *sweeps,
			   bool list, unsigned int *wrong)
{
	unsigned int i, n = 0;

	for (i = 0; i < count; i++) {
		struct sweep s = { &table[i], route };
		bool hit;
		int error = call(&s, 0, &hit);

		if (list && error)
			printf("%s %s %s\n", route_name(route), table[i].name,
			       strerrorname_np(error));
		if (!error)
			sweeps[n++] = s;
	}
	for (i = 0; i < count; i++) {
		if (works(&table[i], sweeps, n) != is_not_here(&table[i]))
			continue;
		printf("# %s %s is %s\n", route_name(route), table[i].name,
		       is_not_here(&table[i]) ? "not refused" : "refused");
		++*wrong;
	}
	return n;
}

#define MAX_SWEEPS	256

static unsigned int choose_all(struct sweep *sweeps, bool list,
			       unsigned int *wrong)
{
	const struct abi_method *writes;
	unsigned int n, count;

	writes = abi_writes(&count);
	n = choose(abi_natives, abi_num_natives, ROUTE_IOCTL, sweeps, list,
		   wrong);
	n += choose(writes, count, ROUTE_INVOKE, sweeps + n, list, wrong);
	return n + choose(writes, count, ROUTE_WRITE, sweeps + n, list, wrong);
}

/* Of all that work, those of one name, which may go by several routes */
static unsigned int keep_only(struct sweep *sweeps, unsigned int n,
			      const char *name)
{
	unsigned int i, kept = 0;

	for (i = 0; i < n; i++) {
		if (!strcmp(sweeps[i].m->name, name))
			sweeps[kept++] = sweeps[i];
	}
	return kept;
}

int main(int argc, char **argv)
{
	static struct sweep sweeps[MAX_SWEEPS];
	bool list = argc == 2 && !strcmp(argv[1], "list");
	unsigned int i, n, wrong = 0, failures = 0;

	if (!inject_init() && !list) {
		printf("1..0 # SKIP no fault injection in this kernel\n");
		return 4;
	}
	if (abi_memory_map(ABI_PARTS + ABI_EXTRA) || abi_world_init(&world) ||
	    abi_world_make(&world)) {
		printf("Bail out! cannot set up\n");
		return 1;
	}
	n = choose_all(sweeps, list, &wrong);
	if (list)
		return 0;
	if (argc == 2)
		n = keep_only(sweeps, n, argv[1]);
	printf("TAP version 13\n1..%u\n", n + 1);
	printf("%sok 1 what is refused is in the list\n", wrong ? "not " : "");
	for (i = 0; i < n; i++) {
		bool good = sweep(&sweeps[i]);

		printf("%sok %u %s %s %s\n", good ? "" : "not ", i + 2,
		       route_name(sweeps[i].route), sweeps[i].m->object_name,
		       sweeps[i].m->name);
		fflush(stdout);
		failures += !good;
	}
	abi_world_end(&world);
	return wrong || failures;
}
