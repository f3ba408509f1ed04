// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "calls.h"
#include "kernel.h"
#include "mr_memory.h"

#define HUGE_PAGE	(2 * MIB)
#define NR_HUGEPAGES	"/proc/sys/vm/nr_hugepages"

/*
 * Every second page first, then the others: no two neighbours of the range are
 * neighbours in memory, which is the worst case for those who merge them.
 */
static void *map_small(size_t bytes)
{
	uint8_t *memory;
	size_t i, half;

	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return NULL;
	madvise(memory, bytes, MADV_NOHUGEPAGE);
	for (half = 0; half < 2; half++)
		for (i = half * PAGE; i < bytes; i += 2 * PAGE)
			memory[i] = 1;
	return memory;
}

static void unmap(void *memory, size_t bytes)
{
	munmap(memory, bytes);
}

/* Aligned by hand: what is in front stays mapped and untouched. */
static void *map_thp(size_t bytes)
{
	uint8_t *memory;
	size_t i;

	memory = mmap(NULL, bytes + HUGE_PAGE, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return NULL;
	memory += HUGE_PAGE - (uintptr_t)memory % HUGE_PAGE;
	if (madvise(memory, bytes, MADV_HUGEPAGE))
		return NULL;
	for (i = 0; i < bytes; i += PAGE)
		memory[i] = 1;
	return memory;
}

static void *map_hugetlb(size_t bytes)
{
	uint8_t *memory;
	size_t i;

	if (kernel_set(NR_HUGEPAGES, (bytes + HUGE_PAGE - 1) / HUGE_PAGE))
		return NULL;
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
	if (memory == MAP_FAILED)
		return NULL;
	for (i = 0; i < bytes; i += HUGE_PAGE)
		memory[i] = 1;
	return memory;
}

static void unmap_hugetlb(void *memory, size_t bytes)
{
	munmap(memory, bytes);
	kernel_set(NR_HUGEPAGES, 0);
}

const struct kind kinds[NUM_KINDS] = {
	{ "4k", map_small, unmap },
	{ "thp", map_thp, unmap },
	{ "hugetlb", map_hugetlb, unmap_hugetlb },
};

/* mm/gup_test.h of the kernel's source: it is in no header for programs. */
struct gup_test {
	uint64_t get_delta_usec;
	uint64_t put_delta_usec;
	uint64_t addr;
	uint64_t size;
	uint32_t nr_pages_per_call;
	uint32_t gup_flags;
	uint32_t test_flags;
	uint32_t which_pages[8];
};

#define PIN_FAST_BENCHMARK	_IOWR('g', 2, struct gup_test)
#define FOLL_WRITE		(1 << 0)
#define FOLL_LONGTERM		(1 << 8)
#define PAGES_PER_CALL		512

int gup_open(void)
{
	int fd = open("/sys/kernel/debug/gup_test", O_RDWR | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int gup_pin(int fd, void *memory, size_t bytes)
{
	struct gup_test test = {
		.addr = (uintptr_t)memory,
		.size = bytes,
		.nr_pages_per_call = PAGES_PER_CALL,
		.gup_flags = FOLL_WRITE | FOLL_LONGTERM,
	};

	if (ioctl(fd, PIN_FAST_BENCHMARK, &test))
		return errno;
	return test.size == bytes ? 0 : EFAULT;
}
