// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "inject.h"

static int fail_nth = -1;

void inject_arm(int n)
{
	char text[16];
	int len = sprintf(text, "%d", n), tries = 5;

	/* the write may itself be the one that fails */
	while (tries-- && pwrite(fail_nth, text, len, 0) != len)
		;
}

bool inject_was_hit(void)
{
	char text[16] = "";
	int left = 0;

	if (pread(fail_nth, text, sizeof(text) - 1, 0) > 0)
		left = atoi(text);
	inject_arm(0);
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
		fprintf(stderr, "cannot set %s\n", name);
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

bool inject_expected(int error)
{
	return error == ENOMEM || error == EFAULT || error == EMFILE ||
	       error == EOPNOTSUPP;
}

bool inject_init(void)
{
	static const char *const zero[] = {
		"failslab/verbose", "fail_page_alloc/verbose",
		"fail_usercopy/verbose",
	};
	static const char *const no[] = {
		"failslab/ignore-gfp-wait", "fail_page_alloc/ignore-gfp-wait",
		"fail_page_alloc/ignore-gfp-highmem",
	};
	unsigned int i;

	fail_nth = open("/proc/thread-self/fail-nth", O_RDWR);
	if (fail_nth < 0)
		return false;
	for (i = 0; i < 3; i++)
		knob(zero[i], "0");
	spare_dma_debug();
	for (i = 0; i < 3; i++)
		knob(no[i], "N");
	return true;
}
