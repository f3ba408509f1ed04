// SPDX-License-Identifier: GPL-2.0-only
/*
 * Refused calls have reasons with numbers in them. Runs as an ordinary user,
 * because root may pin what it likes. TAP; verbs-why can watch it, so it is
 * not static. Needs our ib_uverbs.
 */
#include <grp.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../../../uapi/ib/refusal.h"
#include "calls.h"
#include "tap.h"

#define NOBODY		65534
#define WRITES		(IB_UVERBS_ACCESS_LOCAL_WRITE | \
			 IB_UVERBS_ACCESS_REMOTE_WRITE)
#define REGION		(16 * PAGE)

enum { UVERBS, CORE, UMEM, DRIVER, FIRMWARE };

static struct uctx x;
static uint32_t pd;
static struct uverbs_last_refusal why;

/* The last refusal was this one; 1 if not. */
static int refused(int err, unsigned int layer, const char *text)
{
	if (ioctl(x.fd, UVERBS_IOCTL_LAST_REFUSAL, &why))
		return 1;
	tap_note("%s", why.text);
	return (int)why.error != err || why.layer != layer ||
		!strstr(why.text, text);
}

static int limit_pages(unsigned int pages)
{
	struct rlimit limit = { pages * PAGE, RLIM_INFINITY };

	getrlimit(RLIMIT_MEMLOCK, &limit);
	limit.rlim_cur = pages * PAGE;
	return setrlimit(RLIMIT_MEMLOCK, &limit);
}

static void *region(int prot)
{
	return mmap(NULL, REGION, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void memlock(void)
{
	uint32_t mr, other;
	void *addr = region(PROT_READ | PROT_WRITE);

	want(!limit_pages(20));
	want_err(mr_reg(&x, pd, addr, REGION, WRITES, &mr), 0);
	want_err(mr_reg(&x, pd, addr, REGION, WRITES, &other), ENOMEM);
	want(!refused(ENOMEM, UMEM,
		      "need 16 pages, 4 available: limit 20, pinned 16"));
	want_err(mr_destroy(&x, mr), 0);
	/* what was refused is not charged */
	want_err(mr_reg(&x, pd, addr, REGION, WRITES, &mr), 0);
	want_err(mr_destroy(&x, mr), 0);
	munmap(addr, REGION);
}

static void memlock_of_nothing(void)
{
	void *addr = region(PROT_READ | PROT_WRITE);
	uint32_t mr;

	want(!limit_pages(0));
	want_err(mr_reg(&x, pd, addr, PAGE, WRITES, &mr), EPERM);
	want(!refused(EPERM, UMEM, "RLIMIT_MEMLOCK is 0"));
	munmap(addr, REGION);
	want(!limit_pages(64));
}

static void hole(void)
{
	char *addr = region(PROT_READ | PROT_WRITE);
	uint32_t mr;

	want(!limit_pages(64));
	want(!munmap(addr + 5 * PAGE, PAGE));
	want_err(mr_reg(&x, pd, addr, REGION, WRITES, &mr), EFAULT);
	want(!refused(EFAULT, UMEM, "page 6 of 16: no mapping"));
	munmap(addr, REGION);
}

static void not_writable(void)
{
	void *addr = region(PROT_READ);
	uint32_t mr;

	want(!limit_pages(64));
	want_err(mr_reg(&x, pd, addr, REGION, WRITES, &mr), EFAULT);
	want(!refused(EFAULT, UMEM,
		      "page 1 of 16: memory without write permission"));
	munmap(addr, REGION);
}

static void not_readable(void)
{
	void *addr = region(PROT_NONE);
	uint32_t mr;

	want(!limit_pages(64));
	want_err(mr_reg(&x, pd, addr, PAGE, 0, &mr), EFAULT);
	want(!refused(EFAULT, UMEM, "without read permission"));
	munmap(addr, REGION);
}

static void a_doorbell_as_memory(void)
{
	void *addr = mmap(NULL, PAGE, PROT_WRITE, MAP_SHARED, x.fd, 0);
	uint32_t mr;

	want(!limit_pages(64));
	want(addr != MAP_FAILED);
	want_err(mr_reg(&x, pd, addr, PAGE, WRITES, &mr), EFAULT);
	want(!refused(EFAULT, UMEM, "VM_PFNMAP"));
	munmap(addr, PAGE);
}

static void no_such_pd(void)
{
	void *addr = region(PROT_READ | PROT_WRITE);
	uint32_t mr;

	want_err(mr_reg(&x, pd + 77, addr, PAGE, WRITES, &mr), ENOENT);
	want(!refused(ENOENT, UVERBS, "handle"));
	want_err(mr_reg(&x, pd, addr, PAGE, IB_UVERBS_ACCESS_REMOTE_WRITE,
			&mr), EINVAL);
	want(!refused(EINVAL, CORE, "needs local write"));
	munmap(addr, REGION);
}

static void unreadable_header(void)
{
	want(ioctl(x.fd, RDMA_VERBS_IOCTL, region(PROT_NONE)) < 0);
	want_err(errno, EFAULT);
	want(!refused(EFAULT, UVERBS, "header"));
}

static const struct tap_test tests[] = {
	{ "RLIMIT_MEMLOCK: need, available, limit, pinned", memlock },
	{ "RLIMIT_MEMLOCK of 0", memlock_of_nothing },
	{ "a hole in a region", hole },
	{ "a region that is not writable", not_writable },
	{ "a region that is not readable", not_readable },
	{ "a doorbell page as memory", a_doorbell_as_memory },
	{ "a handle that is none", no_such_pd },
	{ "a header that cannot be read", unreadable_header },
};

int main(void)
{
	if (access("/dev/infiniband/uverbs0", R_OK | W_OK)) {
		printf("1..0 # SKIP no /dev/infiniband/uverbs0\n");
		return 4;
	}
	if (!getuid() && (setgroups(0, NULL) || setgid(NOBODY) ||
			  setuid(NOBODY))) {
		perror("cannot become an ordinary user");
		return 1;
	}
	if (uctx_open(&x) || pd_alloc(&x, &pd)) {
		perror("/dev/infiniband/uverbs0");
		return 1;
	}
	return tap_run(tests, sizeof(tests) / sizeof(tests[0]));
}
