// SPDX-License-Identifier: GPL-2.0-only
/*
 * abidiff CALLS SEED LOG - many calls to a uverbs device, and what came of each
 * abidiff list - the methods and commands that are called, and the routes
 *
 * The calls depend on the seed and on nothing that the kernel answers, so the
 * logs of two kernels can be compared line by line. A line is
 *
 *   number route object method target op reached errno valid outputs
 *
 * where "reached" is the method that the bytes name, if it is another one.
 *
 * Each call finds the same objects: what it made is destroyed, what it used
 * up is made again. Now and then all is closed and made anew, so that one
 * difference does not bring others.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi_memory.h"
#include "abi_mutate.h"
#include "abi_request.h"
#include "abi_routes.h"

#define RENEW	4000	/* calls after which the world is made anew */

uint32_t abi_random(struct abi_random *r, uint32_t below)
{
	uint64_t x = r->state += 0x9e3779b97f4a7c15ull;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
	return (uint32_t)((x ^ (x >> 31)) >> 32) % below;
}

/* A third of the calls is native, the others are older ones by both ways. */
static const struct abi_method *choose(struct abi_random *r,
				       enum abi_route *route)
{
	const struct abi_method *m, *writes;
	unsigned int count;

	writes = abi_writes(&count);
	do {
		*route = abi_random(r, 3);
		if (*route == ROUTE_IOCTL)
			m = &abi_natives[abi_random(r, abi_num_natives)];
		else
			m = &writes[abi_random(r, count)];
	} while (m->flags & ABI_RARE && abi_random(r, 8));
	return m;
}

static const char *errno_name(int error)
{
	const char *name = error ? strerrorname_np(error) : "0";

	return name ? name : "?";
}

static const char *reached_name(const struct abi_method *meant,
				const struct abi_method *reached)
{
	if (!reached)
		return "nothing";
	return strcmp(reached->name, meant->name) ? reached->name : "-";
}

static void report(FILE *log, unsigned int number, const struct abi_request *q,
		   const struct abi_result *result)
{
	static const char *const routes[] = { "ioctl", "invoke", "write" };

	fprintf(log, "%u %s %s %s %s %s %s %s %x %s\n", number,
		routes[q->route], q->m->object_name, q->m->name,
		q->target[0] ? q->target : "-", q->op[0] ? q->op : "-",
		reached_name(q->m, result->reached),
		errno_name(result->error), result->valid,
		result->outputs[0] ? result->outputs : "-");
}

/* What can be called: route, object and method, a line each. */
static int list(void)
{
	const struct abi_method *writes;
	unsigned int i, count;

	for (i = 0; i < abi_num_natives; i++)
		printf("ioctl %s %s\n", abi_natives[i].object_name,
		       abi_natives[i].name);
	writes = abi_writes(&count);
	for (i = 0; i < count; i++)
		printf("invoke %s %s\nwrite %s %s\n", writes[i].object_name,
		       writes[i].name, writes[i].object_name, writes[i].name);
	return 0;
}

/* Leave everything as it was; true if that needs a new world. */
static bool restore(struct abi_world *w, const struct abi_request *q,
		    const struct abi_result *result)
{
	const struct abi_method *m = result->reached;
	bool lost = false;

	if (!m)
		m = q->m;
	if (!result->error && m->makes) {
		lost = result->made < 0;
		if (!lost)
			abi_world_drop(w, m->makes, result->made);
	}
	/* what cannot be answered may have been done all the same */
	if ((!result->error || result->error == EFAULT) && m->spends) {
		if (m == q->m && !q->disturbs)
			abi_world_spend(w, m->spends);
		else
			abi_world_spend_class(w, m->spends);
	}
	if (q->fresh)
		abi_world_fresh_end(w);
	return lost;
}

static int renew(struct abi_world *w)
{
	int ret;

	abi_world_end(w);
	ret = abi_world_make(w);
	if (ret)
		fprintf(stderr, "abidiff: no context or objects: %s\n",
			strerror(ret));
	return ret;
}

static int run(struct abi_world *w, unsigned int calls, uint64_t seed,
	       FILE *log)
{
	struct abi_random r = { .state = seed };
	struct abi_result result;
	struct abi_request q;
	enum abi_route route;
	unsigned int i;

	for (i = 1; i <= calls; i++) {
		const struct abi_method *m = choose(&r, &route);

		abi_request_init(&q, m, route, w, &r);
		abi_mutate(&q, w, &r);
		abi_request_run(&q, w, &result);
		report(log, i, &q, &result);
		if (restore(w, &q, &result) || i % RENEW == 0) {
			if (renew(w))
				return 1;
		}
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct abi_world w;
	FILE *log = NULL;
	int ret;

	if (argc == 2 && !strcmp(argv[1], "list"))
		return list();
	if (argc == 2 && !strcmp(argv[1], "routes"))
		ret = 0;
	else if (argc != 4)
		ret = EINVAL;
	else
		ret = (log = fopen(argv[3], "w")) ? 0 : errno;
	if (!ret)
		ret = abi_memory_map(ABI_PARTS + ABI_EXTRA);
	if (!ret)
		ret = abi_world_init(&w);
	if (!ret)
		ret = abi_world_make(&w);
	if (ret) {
		fprintf(stderr,
			"usage: abidiff CALLS SEED LOG | routes | list\n%s\n",
			strerror(ret));
		return 1;
	}
	if (!log)
		return abi_routes(&w);
	setvbuf(log, NULL, _IOFBF, 1 << 18);
	ret = run(&w, strtoul(argv[1], NULL, 0), strtoull(argv[2], NULL, 0),
		  log);
	if (fclose(log))
		ret = 1;
	abi_world_end(&w);
	return ret;
}
