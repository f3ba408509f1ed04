// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fail the n-th allocation or user copy of a call, for n = 1, 2, ... until
 * none is hit. A call that fails must leave nothing, one that succeeds in
 * spite of it must work. Leaks show in the kernel: run it with kmemleak, and
 * look at the adapter's census. Needs CONFIG_FAULT_INJECTION; TAP.
 */
#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "calls.h"
#include "tap.h"

#define MAX_N	500

static int fail_nth = -1;
static struct uctx x;
static uint32_t pd, cq;

static void arm(int n)
{
	char text[16];
	int len = sprintf(text, "%d", n), tries = 5;

	/* the write may itself be the one that fails */
	while (tries-- && pwrite(fail_nth, text, len, 0) != len)
		;
}

/* Did the failure happen? Also disarms. */
static int was_hit(void)
{
	char text[16] = "";
	int left = 0;

	if (pread(fail_nth, text, sizeof(text) - 1, 0) > 0)
		left = atoi(text);
	arm(0);
	return left == 0;
}

static void knob(const char *name, const char *value)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "/sys/kernel/debug/%s", name);
	fd = open(path, O_WRONLY);
	if (fd < 0)
		return;
	if (write(fd, value, strlen(value)) < 0)
		tap_note("cannot set %s", name);
	close(fd);
}

/*
 * Fail our allocations, not those with which the kernel watches our DMA: it
 * would stop watching. An allocation below one of its functions is left out.
 */
static void spare_dma_debug(void)
{
	unsigned long address, low = -1UL, high = 0;
	char line[256], type, value[32];
	FILE *symbols = fopen("/proc/kallsyms", "r");

	while (symbols && fgets(line, sizeof(line), symbols)) {
		if (sscanf(line, "%lx %c", &address, &type) != 2 ||
		    !strstr(line, " debug_dma_") || strchr(line, '.') ||
		    tolower(type) != 't')
			continue;
		low = address < low ? address : low;
		high = address > high ? address : high;
	}
	if (symbols)
		fclose(symbols);
	/* the end lies beyond every return address in the last one */
	snprintf(value, sizeof(value), "%#lx", high ? high + 4096 : 0);
	knob("failslab/reject-end", value);
	knob("fail_page_alloc/reject-end", value);
	snprintf(value, sizeof(value), "%#lx", high ? low : 0);
	knob("failslab/reject-start", value);
	knob("fail_page_alloc/reject-start", value);
}

struct sweep {
	int (*make)(uint32_t *handle);
	int (*end)(uint32_t handle);
	unsigned int object;
};

static int make_context(uint32_t *handle)
{
	static struct uctx other;
	int ret = uctx_open(&other);

	/* may have failed half way */
	if (other.memory && other.memory != (void *)-1)
		uctx_close(&other);
	*handle = 0;
	return ret;
}

static int end_context(uint32_t handle)
{
	(void)handle;
	return 0;
}

static int make_pd(uint32_t *handle)
{
	return pd_alloc(&x, handle);
}

static int end_pd(uint32_t handle)
{
	return pd_destroy(&x, handle);
}

static int make_mr(uint32_t *handle)
{
	return mr_reg(&x, pd, x.memory + 128 * PAGE, 16 * PAGE,
		      IB_UVERBS_ACCESS_LOCAL_WRITE, handle);
}

static int end_mr(uint32_t handle)
{
	return mr_destroy(&x, handle);
}

static int make_channel(uint32_t *handle)
{
	return channel_create(&x, (int *)handle);
}

static int end_channel(uint32_t handle)
{
	return close(handle) ? errno : 0;
}

static int make_cq(uint32_t *handle)
{
	return cq_create(&x, -1, 0, handle);
}

static int end_cq(uint32_t handle)
{
	return cq_destroy(&x, handle, NULL);
}

static int make_srq(uint32_t *handle)
{
	return srq_create(&x, pd, handle);
}

static int end_srq(uint32_t handle)
{
	return srq_destroy(&x, handle);
}

static int make_qp(uint32_t *handle)
{
	uint32_t qpn;

	return qp_create(&x, pd, cq, handle, &qpn);
}

static int end_qp(uint32_t handle)
{
	return qp_destroy(&x, handle);
}

/* No other errno is honest about a failed allocation or copy. */
static int expected(int error)
{
	return error == ENOMEM || error == EFAULT || error == EMFILE ||
	       error == EOPNOTSUPP;
}

static void sweep(const struct sweep *s)
{
	uint32_t handle, before = 0, after = 0;
	int n, error, hit, failed = 0;

	if (s->object)
		want_err(handles_of(&x, s->object, &before), 0);
	for (n = 1; n < MAX_N; n++) {
		arm(n);
		error = s->make(&handle);
		hit = was_hit();
		if (error) {
			failed++;
			want(hit);
			if (!expected(error))
				tap_note("allocation %d gives %s", n,
					 strerrorname_np(error));
			want(expected(error));
		} else {
			want_err(s->end(handle), 0);
		}
		if (!hit)
			break;
	}
	want(n < MAX_N);
	want(failed > 0);
	if (s->object)
		want_err(handles_of(&x, s->object, &after), 0);
	want(before == after);
	tap_note("%d places, %d of them end the call", n - 1, failed);
}

static void contexts(void)
{
	sweep(&(struct sweep){ make_context, end_context, 0 });
}

static void pds(void)
{
	sweep(&(struct sweep){ make_pd, end_pd, UVERBS_OBJECT_PD });
}

static void mrs(void)
{
	sweep(&(struct sweep){ make_mr, end_mr, UVERBS_OBJECT_MR });
}

static void channels(void)
{
	const struct sweep s = { make_channel, end_channel,
				 UVERBS_OBJECT_COMP_CHANNEL };

	sweep(&s);
}

static void cqs(void)
{
	sweep(&(struct sweep){ make_cq, end_cq, UVERBS_OBJECT_CQ });
}

static void srqs(void)
{
	sweep(&(struct sweep){ make_srq, end_srq, UVERBS_OBJECT_SRQ });
}

static void qps(void)
{
	sweep(&(struct sweep){ make_qp, end_qp, UVERBS_OBJECT_QP });
}

static const struct tap_test tests[] = {
	{ "contexts", contexts },
	{ "protection domains", pds },
	{ "memory regions", mrs },
	{ "completion channels", channels },
	{ "completion queues", cqs },
	{ "shared receive queues", srqs },
	{ "queue pairs", qps },
};

int main(void)
{
	fail_nth = open("/proc/thread-self/fail-nth", O_RDWR);
	if (fail_nth < 0) {
		printf("1..0 # SKIP no fault injection in this kernel\n");
		return 4;
	}
	knob("failslab/verbose", "0");
	knob("fail_page_alloc/verbose", "0");
	knob("fail_usercopy/verbose", "0");
	spare_dma_debug();
	knob("failslab/ignore-gfp-wait", "N");
	knob("fail_page_alloc/ignore-gfp-wait", "N");
	knob("fail_page_alloc/ignore-gfp-highmem", "N");
	if (uctx_open(&x) || pd_alloc(&x, &pd) || cq_create(&x, -1, 0, &cq)) {
		printf("Bail out! cannot set up\n");
		return 1;
	}
	return tap_run(tests, sizeof(tests) / sizeof(tests[0]));
}
