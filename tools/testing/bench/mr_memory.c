// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "calls.h"
#include "kernel.h"
#include "mr_memory.h"

#define HUGE_PAGE	(2 * MIB)
#define NR_HUGEPAGES	"/proc/sys/vm/nr_hugepages"
#define SHMEM_THP	"/sys/kernel/mm/transparent_hugepage/shmem_enabled"

static void touch(uint8_t *memory, size_t bytes, size_t first, size_t step)
{
	size_t i;

	for (i = first; i < bytes; i += step)
		memory[i] = 1;
}

/*
 * Every second page first, then the others: no two neighbours of the range are
 * neighbours in memory, which is the worst case for those who merge them.
 */
static void touch_apart(uint8_t *memory, size_t bytes)
{
	touch(memory, bytes, 0, 2 * PAGE);
	touch(memory, bytes, PAGE, 2 * PAGE);
}

/* Addresses, on a border of huge pages */
static uint8_t *reserve(size_t bytes)
{
	uint8_t *at = mmap(NULL, bytes + HUGE_PAGE, PROT_NONE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (at == MAP_FAILED)
		return NULL;
	return at + (HUGE_PAGE - (uintptr_t)at % HUGE_PAGE) % HUGE_PAGE;
}

/*
 * More memory than the guest has: a file of MR_FILE_BYTES, again and again. The
 * mm and the adapter see as many pages as if each were another one.
 */
static void *map_file(size_t bytes, unsigned int flags, int advice,
		      void (*touch_first)(uint8_t *memory, size_t bytes))
{
	int fd = memfd_create("mr_cost", MFD_CLOEXEC | flags);
	uint8_t *memory = reserve(bytes), *at;
	size_t done;

	if (fd < 0 || !memory || ftruncate(fd, MR_FILE_BYTES))
		return NULL;
	for (done = 0; done < bytes; done += MR_FILE_BYTES) {
		at = mmap(memory + done, MR_FILE_BYTES, PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_FIXED, fd, 0);
		if (at == MAP_FAILED)
			return NULL;
		if (advice)
			madvise(at, MR_FILE_BYTES, advice);
		if (!done)
			touch_first(at, MR_FILE_BYTES);
		touch(at, MR_FILE_BYTES, 0, PAGE);
	}
	close(fd);
	return memory;
}

static void touch_all(uint8_t *memory, size_t bytes)
{
	touch(memory, bytes, 0, PAGE);
}

static void *map_small(size_t bytes)
{
	uint8_t *memory;

	if (bytes > MR_FILE_BYTES)
		return map_file(bytes, 0, MADV_NOHUGEPAGE, touch_apart);
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return NULL;
	madvise(memory, bytes, MADV_NOHUGEPAGE);
	touch_apart(memory, bytes);
	return memory;
}

static void unmap(void *memory, size_t bytes)
{
	munmap(memory, bytes);
}

static void *map_thp(size_t bytes)
{
	uint8_t *memory = reserve(bytes);

	if (!memory)
		return NULL;
	if (bytes > MR_FILE_BYTES)
		return kernel_write(SHMEM_THP, "advise") ? NULL :
		       map_file(bytes, 0, MADV_HUGEPAGE, touch_all);
	if (mprotect(memory, bytes, PROT_READ | PROT_WRITE) ||
	    madvise(memory, bytes, MADV_HUGEPAGE))
		return NULL;
	touch_all(memory, bytes);
	return memory;
}

static void *map_hugetlb(size_t bytes)
{
	size_t held = bytes > MR_FILE_BYTES ? MR_FILE_BYTES : bytes;
	uint8_t *memory;

	if (kernel_set(NR_HUGEPAGES, (held + HUGE_PAGE - 1) / HUGE_PAGE))
		return NULL;
	if (bytes > MR_FILE_BYTES)
		return map_file(bytes, MFD_HUGETLB, 0, touch_all);
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
	if (memory == MAP_FAILED)
		return NULL;
	touch(memory, bytes, 0, HUGE_PAGE);
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
