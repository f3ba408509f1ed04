// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "kernel.h"

uint64_t kernel_symbol(const char *name)
{
	FILE *file = fopen("/proc/kallsyms", "r");
	size_t len = strlen(name);
	char line[512], symbol[256];
	uint64_t address, found = 0;

	while (file && !found && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%lx %*c %255s", &address, symbol) == 2 &&
		    !strncmp(symbol, name, len) &&
		    (!symbol[len] || symbol[len] == '.'))
			found = address;
	}
	if (file)
		fclose(file);
	return found;
}

long kernel_memory(const char *what)
{
	FILE *file = fopen("/proc/meminfo", "r");
	size_t len = strlen(what);
	char line[128];
	long kb = 0;

	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, what, len) && line[len] == ':' &&
		    sscanf(line + len + 1, "%ld", &kb) == 1)
			break;
	if (file)
		fclose(file);
	return kb * 1024;
}

long kernel_free_memory(void)
{
	long count, pages = 0;
	char line[256];
	FILE *file;

	/* each processor counts for itself, and tells when it is asked */
	kernel_write("/proc/sys/vm/stat_refresh", "1");
	file = fopen("/proc/zoneinfo", "r");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, " count: %ld", &count) == 1)
			pages += count;
	if (file)
		fclose(file);
	return kernel_memory("MemFree") + pages * 4096;
}

int kernel_write(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	if (!file)
		return errno;
	fprintf(file, "%s\n", text);
	return fclose(file) ? errno : 0;
}

int kernel_set(const char *path, long value)
{
	char text[24];

	snprintf(text, sizeof(text), "%ld", value);
	return kernel_write(path, text);
}
