/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Races: threads of a process share one open file, and each calls one thing
 * over and over. A race is lost when a call returns an errno that its worker
 * does not list, when a worker never does a thing, when a process cannot be
 * ended, or when memory stays pinned.
 */
#ifndef UVERBS_RACE_H
#define UVERBS_RACE_H

#include <pthread.h>
#include <sys/types.h>

#include "calls.h"

#define GUESSES		6	/* handles 0 … 5 */
#define MAX_WORKERS	8
#define LEAST_MS	500	/* two rounds of killing under unbinding */

/* What each thread has of its own; the file is everybody's. */
struct worker {
	pthread_t thread;
	struct uctx x;
	unsigned int seed;
	int (*work)(struct worker *w);
	unsigned long calls;
	unsigned long hits;	/* calls that did something */
	int wrong;
};

struct race {
	int (*work[MAX_WORKERS])(struct worker *w);
	int (*disturb)(void);	/* in the parent, while they run */
	const char *name;
};

extern struct uctx shared;
extern uint32_t shared_pd, shared_cq;
extern int race_ms;
/* 0: all is well; looks at the machine after each race, if not NULL */
extern int (*race_after)(void);

uint32_t guess(struct worker *w);
int lost(int err);	/* 0 when the handle is gone or in use; counted */

/* Workers about memory that more than one program has */
int make_mr(struct worker *w);
int end_mr(struct worker *w);
int use_mr(struct worker *w);

int race_unbind(void);				/* to disturb with */
int race_init(int argc, char **argv);		/* 0, or the status to end with */
/* Each race, and the last one killed, also while unbinding. The status. */
int race_all(const struct race *races, int n, const struct race *killed);

#endif /* UVERBS_RACE_H */
