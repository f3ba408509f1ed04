// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "abi_memory.h"

#define BASE	0x100000000000ull
#define STRIDE	(2ull * ABI_REGION)

uint8_t *abi_region(unsigned int region)
{
	return (uint8_t *)(uintptr_t)(BASE + region * STRIDE);
}

uint64_t abi_edge(unsigned int region)
{
	return (uintptr_t)abi_region(region) + ABI_REGION - 1;
}

bool abi_readable(const void *data, unsigned int len)
{
	uintptr_t start = (uintptr_t)data;

	return start >= BASE && start < BASE + (REGION_READONLY + 1) * STRIDE &&
	       (start & (STRIDE - 1)) + len <= ABI_REGION;
}

bool abi_region_has(const uint8_t *region, uintptr_t at, unsigned int len)
{
	uintptr_t start = (uintptr_t)region;

	return at >= start && at + len <= start + ABI_REGION;
}

int abi_memory_map(unsigned int parts)
{
	unsigned int i;

	for (i = 0; i < REGION_PARTS + parts; i++) {
		int prot = PROT_READ;

		if (i != REGION_READONLY)
			prot |= PROT_WRITE;
		if (mmap(abi_region(i), ABI_REGION, prot,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
			 0) == MAP_FAILED)
			return errno;
	}
	return 0;
}

void *abi_readonly(const void *data, unsigned int len)
{
	void *region = abi_region(REGION_READONLY);

	mprotect(region, ABI_REGION, PROT_READ | PROT_WRITE);
	memcpy(region, data, len);
	mprotect(region, ABI_REGION, PROT_READ);
	return region;
}
