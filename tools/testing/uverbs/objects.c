// SPDX-License-Identifier: GPL-2.0-only
/*
 * objects hold            - one object of each type, until its input ends
 * objects churn SECONDS   - make and destroy them, from four threads
 *
 * For tests that look at objects from outside. Every line that it prints is a
 * name and a number.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "calls.h"

#define THREADS	4

struct objects {
	uint32_t pd, mr, cq, qp, qpn, srq;
};

static int make(struct uctx *x, struct objects *o, void *memory)
{
	int ret;

	ret = pd_alloc(x, &o->pd);
	if (!ret)
		ret = mr_reg(x, o->pd, memory, PAGE,
			     IB_UVERBS_ACCESS_LOCAL_WRITE, &o->mr);
	if (!ret)
		ret = cq_create(x, -1, 0x77, &o->cq);
	if (!ret)
		ret = srq_create(x, o->pd, &o->srq);
	if (!ret)
		ret = qp_create(x, o->pd, o->cq, &o->qp, &o->qpn);
	if (!ret)
		ret = qp_to_init(x, o->qp);
	return ret;
}

static int destroy(struct uctx *x, const struct objects *o)
{
	return qp_destroy(x, o->qp) | srq_destroy(x, o->srq) |
	       cq_destroy(x, o->cq, NULL) | mr_destroy(x, o->mr) |
	       pd_destroy(x, o->pd);
}

static int hold(void)
{
	struct objects o;
	struct uctx x;
	int ret;

	ret = uctx_open(&x);
	if (!ret)
		ret = make(&x, &o, uctx_pages(&x, 1));
	if (ret) {
		fprintf(stderr, "objects: %s\n", strerror(ret));
		return 1;
	}
	printf("lqpn %u\npid %d\n", o.qpn, getpid());
	fflush(stdout);
	while (getchar() != EOF)
		;
	uctx_close(&x);
	return 0;
}

static time_t end_of_churn;

struct churner {
	pthread_t thread;
	unsigned long rounds;
	int error;
};

static void *churn_thread(void *arg)
{
	struct churner *me = arg;
	struct objects o;
	struct uctx x;
	int i;

	while (!me->error && time(NULL) < end_of_churn) {
		me->error = uctx_open(&x);
		for (i = 0; !me->error && i < 8; i++) {
			me->error = make(&x, &o, uctx_pages(&x, 1));
			/* the last ones go with the file */
			if (!me->error && i < 7)
				me->error = destroy(&x, &o);
			me->rounds++;
		}
		uctx_close(&x);
	}
	return NULL;
}

static int churn(int seconds)
{
	struct churner churners[THREADS] = {};
	unsigned long rounds = 0;
	int i, error = 0;

	end_of_churn = time(NULL) + seconds;
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&churners[i].thread, NULL, churn_thread,
				   &churners[i]))
			return 1;
	for (i = 0; i < THREADS; i++) {
		pthread_join(churners[i].thread, NULL);
		rounds += churners[i].rounds;
		error |= churners[i].error;
	}
	printf("rounds %lu\nerror %d\n", rounds, error);
	return !!error;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "hold"))
		return hold();
	if (argc == 3 && !strcmp(argv[1], "churn"))
		return churn(atoi(argv[2]));
	fprintf(stderr, "usage: objects hold | churn SECONDS\n");
	return 2;
}
