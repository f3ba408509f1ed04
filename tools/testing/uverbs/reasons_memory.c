// SPDX-License-Identifier: GPL-2.0-only
/*
 * reasons_memory CXCTL [secret] - why memory is refused, word by word
 *
 * A row is a call, what it is about, and the errno, layer and text that it has
 * to end with; CXCTL is the program that asks the model to refuse. "secret" is
 * for kernels with memfd_secret(), and about such memory only. Root; TAP. Needs
 * our ib_uverbs.
 */
#include <fcntl.h>
#include <regex.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../uapi/ib/refusal.h"
#include "calls_memory.h"
#include "dm_calls.h"
#include "tap.h"

#define PAGES		16
#define BYTES		(PAGES * PAGE)
#define HUGE_PAGE	(2UL << 20)
#define LAST_PAGE	(-(uint64_t)PAGE)
#define NO_FD		999
#define NOBODY		65534

#define ZERO_BASED	IB_UVERBS_ACCESS_ZERO_BASED
#define HUGE_PAGES	IB_UVERBS_ACCESS_HUGETLB
#define FLUSH_GLOBAL	(1 << 8)
#define NO_RIGHT	(1 << 12)
#define READ_ONLY	REMOTE_READ

enum layer { UVERBS, CORE, UMEM, DRIVER, FIRMWARE };

/* Memory of this process */
enum place {
	NOWHERE, MEMORY, HOLE, UNWRITABLE, NEVER, UNREADABLE, DOORBELL, SECRET,
	SMALL_PAGES, END, PLACES
};

/* Regions that are there */
enum region {
	NONE, PINNED, PINNED_READ, PAGED, PAGED_READ, PAGED_UNWRITABLE,
	PAGED_HOLE, PAGED_HUGE, ALL, ON_DEVICE, ON_BUFFER, ON_BUFFER_READ, REGIONS
};

static struct uctx x;
static uint32_t pd, other_pd;
static const char *cxctl;
static void *places[PLACES];
static uint32_t regions[REGIONS];
static struct dm device_memory = { .length = BYTES };
static int buffer;

struct row {
	int (*call)(const struct row *r);
	enum place place;
	enum region region;
	uint64_t from;		/* bytes from where the place begins */
	uint64_t length;
	uint64_t skew;		/* iova less address */
	uint64_t value;		/* iova, flags, advice, type or descriptor */
	uint32_t access;
	int error;
	enum layer layer;
	const char *text;	/* regular expression; @ is the address + @at */
	uint64_t at;
};

static uint64_t address(const struct row *r)
{
	return (uintptr_t)places[r->place] + r->from;
}

static int reg(const struct row *r)
{
	uint64_t iova = r->value ? r->value : address(r) + r->skew;
	uint32_t mr;
	int ret = mr_reg_at(&x, pd, (void *)address(r), r->length, iova,
			    r->access, &mr);

	return ret ? ret : mr_destroy(&x, mr);
}

static int rereg(const struct row *r)
{
	struct ib_uverbs_rereg_mr in = {
		.mr_handle = regions[r->region],
		.flags = r->value,
		.pd_handle = pd,
		.access_flags = r->access,
	};
	uint32_t key;

	return mr_rereg(&x, &in, &key);
}

/* By another process, which has the file from us */
static int rereg_elsewhere(const struct row *r)
{
	pid_t child = fork();
	int status;

	if (!child)
		_exit(rereg(r));
	return waitpid(child, &status, 0) == child ? WEXITSTATUS(status) : EIO;
}

static int rereg_refused(const struct row *r)
{
	char line[128];

	snprintf(line, sizeof(line), "%s fail-umr 1 >/dev/null", cxctl);
	return system(line) ? ENOENT : rereg(r);
}

static int advise_of(uint32_t domain, const struct row *r)
{
	struct mr_state state;
	int ret = mr_state(&x, regions[r->region], &state);

	return ret ? ret : mr_advise(&x, domain, r->value, 1, state.lkey,
				     (void *)address(r), r->length);
}

static int advise(const struct row *r)
{
	return advise_of(pd, r);
}

static int advise_elsewhere(const struct row *r)
{
	return advise_of(other_pd, r);
}

static int dmabuf(const struct row *r)
{
	const struct dmabuf_piece piece = {
		.fd = r->value ? (int)r->value : buffer,
		.offset = r->from, .length = r->length, .iova = r->skew,
	};
	uint32_t mr;
	int ret = mr_reg_dmabuf(&x, pd, &piece, r->access, &mr);

	return ret ? ret : mr_destroy(&x, mr);
}

static int dmabuf_of_a_device(const struct row *r)
{
	struct row here = *r;

	here.value = x.fd;
	return dmabuf(&here);
}

static int alloc_dm(const struct row *r)
{
	struct dm d = { .length = r->length, .alignment = r->skew,
			.type = r->value };
	int ret = dm_alloc(&x, &d);

	return ret ? ret : dm_free(&x, d.handle);
}

static int alloc_dm_as_nobody(const struct row *r)
{
	int ret;

	if (seteuid(NOBODY))
		return errno;
	ret = alloc_dm(r);
	return seteuid(0) ? errno : ret;
}

static int reg_dm(const struct row *r)
{
	uint32_t mr;
	int ret = dm_reg(&x, pd, &device_memory, r->from, r->length, r->access,
			 &mr);

	return ret ? ret : mr_destroy(&x, mr);
}

static int operate(const struct row *r)
{
	return dm_map_op(&x, device_memory.handle, r->value);
}

static int alloc_mw(const struct row *r)
{
	struct ib_uverbs_alloc_mw in = { .pd_handle = pd, .mw_type = r->value };
	struct ib_uverbs_alloc_mw_resp out = { };

	return invoke_write(x.fd, IB_USER_VERBS_CMD_ALLOC_MW, &in, sizeof(in),
			    &out, sizeof(out), NULL, 0, NULL, 0);
}

static int end_pd(const struct row *r)
{
	(void)r;
	return pd_destroy(&x, pd);
}

#define R .call =
#define E(err, in, words) .error = err, .layer = in, .text = "^" words "$"

static const struct row rows[] = {
	/* registering */
	{ R reg, HOLE, .length = 4 * PAGE, E(EFAULT, UMEM,
		"0x@, page 3 of 4: no mapping"), .at = 2 * PAGE },
	{ R reg, HOLE, .from = PAGE + 5, .length = 2 * PAGE, E(EFAULT, UMEM,
		"0x@, page 2 of 3: no mapping"), .at = PAGE - 5 },
	{ R reg, UNWRITABLE, .length = PAGE, .access = LOCAL_WRITE,
	  E(EFAULT, UMEM, "0x@, page 1 of 1: memory without write permission") },
	{ R reg, NEVER, .length = PAGE, .access = LOCAL_WRITE,
	  E(EFAULT, UMEM, "0x@, page 1 of 1: memory that is never writable") },
	{ R reg, UNREADABLE, .length = 2 * PAGE,
	  E(EFAULT, UMEM, "0x@, page 1 of 2: memory without read permission") },
	{ R reg, DOORBELL, .length = PAGE, E(EFAULT, UMEM,
		"0x@, page 1 of 1: a device's pages \\(VM_PFNMAP\\)") },
	{ R reg, END, .length = 2 * PAGE, E(EINVAL, UMEM,
		"0x2000 bytes at 0x@ pass the last address") },
	{ R reg, MEMORY, E(EINVAL, UMEM, "no bytes at 0x@") },
	{ R reg, MEMORY, .length = 1ULL << 44,
	  E(EINVAL, UMEM, "4294967296 pages at once") },
	{ R reg, MEMORY, .length = PAGE, .skew = 1, E(EINVAL, CORE,
		"0x@ and iova 0x[0-9a-f]+1 differ in the page offset") },
	{ R reg, MEMORY, .length = 2 * PAGE, .value = LAST_PAGE, E(EINVAL, UMEM,
		"0x2000 bytes at iova 0xfffffffffffff000 pass the last address") },
	{ R reg, MEMORY, .length = PAGE, .access = REMOTE_WRITE, E(EINVAL, CORE,
		"access 0x2: remote write or atomic needs local write") },
	{ R reg, MEMORY, .length = PAGE, .access = NO_RIGHT,
	  E(EINVAL, CORE, "unknown access rights 0x1000") },
	{ R reg, MEMORY, .length = PAGE, .access = FLUSH_GLOBAL,
	  E(EOPNOTSUPP, CORE, "access 0x100: flush is not supported") },
	/* to be paged on demand */
	{ R reg, NOWHERE, .length = UINT64_MAX, .value = PAGE,
	  .access = ON_DEMAND, E(EINVAL, DRIVER,
		"all addresses begin at 0, not at iova 0x1000") },
	{ R reg, NOWHERE, .length = UINT64_MAX,
	  .access = ON_DEMAND | HUGE_PAGES,
	  E(EINVAL, DRIVER, "not all addresses are huge pages") },
	{ R reg, MEMORY, .length = PAGE, .skew = PAGE,
	  .access = ON_DEMAND | HUGE_PAGES, E(EINVAL, DRIVER,
		"0x@ and iova 0x[0-9a-f]+ differ in their place in a huge page") },
	{ R reg, MEMORY, .access = ON_DEMAND,
	  E(EINVAL, UMEM, "0 bytes at 0x@ are no range") },
	{ R reg, END, .length = 2 * PAGE, .access = ON_DEMAND,
	  E(EOVERFLOW, UMEM, "0x2000 bytes at 0x@ end beyond all addresses") },
	/* changing */
	{ R rereg, .region = PINNED,
	  E(EINVAL, UVERBS, "nothing shall change") },
	{ R rereg, .region = PINNED, .value = 8,
	  E(EOPNOTSUPP, UVERBS, "flags 0x8, known are 0x7") },
	{ R rereg, .region = ON_DEVICE, .value = CHANGE_ACCESS, E(EINVAL, UVERBS,
		"a region on the adapter's memory stays as it is") },
	{ R rereg, .region = PINNED, .value = CHANGE_ACCESS, .access = ON_DEMAND,
	  E(EOPNOTSUPP, DRIVER,
		"pinned memory cannot be paged on demand all at once") },
	{ R rereg_elsewhere, MEMORY, PINNED_READ, .value = CHANGE_ACCESS,
	  .access = LOCAL_WRITE, E(EACCES, DRIVER,
		"memory at 0x@ was registered for reading, by another process") },
	{ R rereg, MEMORY, PAGED_READ, .value = CHANGE_ACCESS,
	  .access = LOCAL_WRITE | ON_DEMAND,
	  E(EACCES, DRIVER, "region at 0x@ was registered for reading") },
	{ R rereg, .region = PAGED, .value = CHANGE_ACCESS,
	  .access = LOCAL_WRITE, E(EOPNOTSUPP, DRIVER,
		"rights 0x40 of memory that is paged on demand cannot change") },
	{ R rereg, .region = ON_BUFFER_READ, .value = CHANGE_ACCESS,
	  .access = LOCAL_WRITE,
	  E(EACCES, DRIVER, "DMA buffer was registered for reading") },
	{ R rereg, .region = ON_BUFFER, .value = CHANGE_ACCESS,
	  .access = IB_UVERBS_ACCESS_RELAXED_ORDERING, E(EOPNOTSUPP, DRIVER,
		"rights 0x10000[01] of a DMA buffer cannot change") },
	{ R rereg_refused, .region = PINNED, .value = CHANGE_ACCESS,
	  E(EIO, FIRMWARE,
		"adapter refused to change key 0x[0-9a-f]+: syndrome 0x[0-9a-f]+") },
	{ R end_pd, E(EBUSY, CORE, "[0-9]+ objects still use it") },
	/* advice */
	{ R advise, MEMORY, PINNED, .length = PAGE, .value = PREFETCH,
	  E(ENOENT, DRIVER,
		"key 0x[0-9a-f]+ is of no region that is paged on demand") },
	{ R advise_elsewhere, MEMORY, PAGED, .length = PAGE, .value = PREFETCH,
	  E(EPERM, DRIVER,
		"key 0x[0-9a-f]+ is of another protection domain, or not to be written") },
	{ R advise, MEMORY, PAGED_READ, .length = PAGE, .value = PREFETCH_WRITE,
	  E(EPERM, DRIVER,
		"key 0x[0-9a-f]+ is of another protection domain, or not to be written") },
	{ R advise, MEMORY, PAGED, .length = PAGE, .value = 7,
	  E(EOPNOTSUPP, DRIVER, "unknown advice 7") },
	{ R advise, MEMORY, PAGED, .length = PAGE, .value = 1ULL << 32,
	  E(EINVAL, UVERBS, "no advice 0x100000000") },
	{ R advise, MEMORY, PAGED, .from = -PAGE, .length = PAGE,
	  .value = PREFETCH, E(EFAULT, DRIVER,
		"0x@ is not in the region at 0x[0-9a-f]+") },
	{ R advise, MEMORY, PAGED, .from = BYTES, .length = PAGE,
	  .value = PREFETCH, E(EFAULT, UMEM,
		"0x1000 bytes at 0x@ are not in the region") },
	{ R advise, MEMORY, PAGED, .value = PREFETCH, E(EINVAL, UMEM,
		"0 bytes at 0x@ are on no page") },
	{ R advise, HOLE, PAGED_HOLE, .length = 4 * PAGE, .value = PREFETCH,
	  E(EFAULT, UMEM,
		"on-demand pages 0x@ to 0x[0-9a-f]+: nothing mapped there, or not to be read") },
	{ R advise, SMALL_PAGES, PAGED_HUGE, .length = PAGE, .value = PREFETCH,
	  E(EINVAL, UMEM,
		"a page of 2\\^12 bytes in a region of huge pages, at 0x@") },
	{ R advise, UNWRITABLE, PAGED_UNWRITABLE, .length = PAGE,
	  .value = PREFETCH_WRITE, E(EPERM, UMEM,
		"on-demand pages 0x@ to 0x[0-9a-f]+: no write permission") },
	{ R advise, NOWHERE, ALL, .from = 1ULL << 47, .length = PAGE,
	  .value = PREFETCH,
	  E(EFAULT, DRIVER, "0x1000 bytes at 0x@ are no user memory") },
	/* DMA buffers */
	{ R dmabuf, .length = PAGE, .value = NO_FD,
	  E(EBADF, UMEM, "descriptor 999 is not open") },
	{ R dmabuf_of_a_device, .length = PAGE,
	  E(EINVAL, UMEM, "descriptor [0-9]+ is no DMA buffer") },
	{ R dmabuf, .from = PAGE, .length = BYTES, E(EINVAL, UMEM,
		"0x10000 bytes at 0x1000 of a DMA buffer of 0x10000") },
	{ R dmabuf, .from = LAST_PAGE, .length = 2 * PAGE, E(EINVAL, UMEM,
		"0x2000 bytes at 0xfffffffffffff000 are no range") },
	{ R dmabuf, .length = 2 * PAGE, .skew = LAST_PAGE, E(EINVAL, DRIVER,
		"0x2000 bytes at iova 0xfffffffffffff000 are no range") },
	/* device memory, windows */
	{ R alloc_dm, E(EINVAL, DRIVER, "device memory of 0 bytes") },
	{ R alloc_dm, .length = 1ULL << 40, E(ENOMEM, DRIVER,
		"device memory: need 1099511627776 bytes, adapter has [0-9]+") },
	{ R alloc_dm, .length = 64, .skew = 63, E(EINVAL, DRIVER,
		"device memory aligned to 2\\^63, adapter can 2\\^[0-9]+") },
	{ R alloc_dm, .length = 64, .value = 1ULL << 32,
	  E(EINVAL, DRIVER, "0x100000000 is no type of memory") },
	{ R alloc_dm, .length = 64, .value = 1,
	  E(EOPNOTSUPP, DRIVER, "memory of type 1") },
	{ R alloc_dm_as_nobody, .length = 64, .value = 1, E(EPERM, DRIVER,
		"memory of flow steering \\(type 1\\) needs CAP_SYS_RAWIO and CAP_NET_RAW") },
	{ R reg_dm, .length = 64, .access = LOCAL_WRITE,
	  E(EINVAL, UVERBS, "access 0x1 must be zero-based") },
	{ R reg_dm, .from = BYTES, .length = 64, .access = ZERO_BASED,
	  E(EINVAL, UVERBS, "64 bytes from 65536 do not fit the memory") },
	{ R reg_dm, .length = 64, .access = ZERO_BASED | HUGE_PAGES,
	  E(EINVAL, DRIVER, "access 0xa0: device memory has not 0x80") },
	{ R operate, E(EOPNOTSUPP, DRIVER,
		"operation 0 on device memory is not supported") },
	{ R alloc_mw, .value = 3, E(EINVAL, CORE,
		"no memory windows of type 3") },
};

/* Only where the kernel has memfd_secret() */
static const struct row secret_rows[] = {
	{ R reg, SECRET, .length = PAGE, E(EFAULT, UMEM,
		"0x@, page 1 of 1: memory that cannot be kept") },
	{ R reg, SECRET, .length = PAGE, .access = LOCAL_WRITE, E(EFAULT, UMEM,
		"0x@, page 1 of 1: a shared file, which cannot be written from outside") },
};

/* Says what is not as in the row; 0 if all is. */
static int differs(const struct row *r, int error)
{
	struct uverbs_last_refusal why = { };
	char text[256], number[24];
	const char *mark = strchr(r->text, '@');
	regex_t regex;
	int ret;

	if (error != r->error || ioctl(x.fd, UVERBS_IOCTL_LAST_REFUSAL, &why)) {
		tap_note("errno %d, not %d", error, r->error);
		return 1;
	}
	snprintf(number, sizeof(number), "%llx",
		 (unsigned long long)(address(r) + r->at));
	snprintf(text, sizeof(text), "%.*s%s%s",
		 (int)(mark ? mark - r->text : 0), r->text, mark ? number : "",
		 mark ? mark + 1 : r->text);
	if (regcomp(&regex, text, REG_EXTENDED | REG_NOSUB))
		return 1;
	ret = regexec(&regex, why.text, 0, NULL, 0) ||
	      why.layer != r->layer || (int)why.error != r->error;
	regfree(&regex);
	if (ret)
		tap_note("layer %u, not %u: %s", why.layer, r->layer, why.text);
	return ret;
}

static void *map_file(int fd, int prot)
{
	void *p = mmap(NULL, PAGE, prot, MAP_SHARED, fd, 0);

	close(fd);
	return p == MAP_FAILED ? NULL : p;
}

static int make_secret(void)
{
	int fd = syscall(SYS_memfd_secret, 0);

	if (fd < 0 || ftruncate(fd, PAGE))
		return errno;
	places[SECRET] = map_file(fd, PROT_READ | PROT_WRITE);
	return places[SECRET] ? 0 : errno;
}

static void make_places(void)
{
	int prot = PROT_READ | PROT_WRITE;

	places[MEMORY] = memory_map(BYTES, prot, MAP_POPULATE);
	places[HOLE] = memory_map(BYTES, prot, 0);
	places[UNWRITABLE] = memory_map(PAGE, PROT_READ, 0);
	places[NEVER] = map_file(open("/proc/self/exe", O_RDONLY), PROT_READ);
	places[UNREADABLE] = memory_map(2 * PAGE, PROT_NONE, 0);
	places[DOORBELL] = map_file(dup(x.fd), PROT_WRITE);
	places[SMALL_PAGES] = memory_map(2 * HUGE_PAGE, prot, 0);
	places[SMALL_PAGES] += -(uintptr_t)places[SMALL_PAGES] % HUGE_PAGE;
	madvise(places[SMALL_PAGES], HUGE_PAGE, MADV_NOHUGEPAGE);
	places[END] = (void *)LAST_PAGE;
	/* last, or it is filled */
	munmap(places[HOLE] + 2 * PAGE, PAGE);
}

static int reg_buffer(uint32_t access, uint32_t *mr)
{
	const struct dmabuf_piece all = { .fd = buffer, .length = BYTES };

	return mr_reg_dmabuf(&x, pd, &all, access, mr);
}

static const struct {
	enum region region;
	enum place place;
	uint64_t length;
	uint32_t access;
} of_places[] = {
	{ PINNED, MEMORY, BYTES, LOCAL_WRITE },
	{ PINNED_READ, MEMORY, BYTES, READ_ONLY },
	{ PAGED, MEMORY, BYTES, LOCAL_WRITE | ON_DEMAND },
	{ PAGED_READ, MEMORY, BYTES, READ_ONLY | ON_DEMAND },
	{ PAGED_UNWRITABLE, UNWRITABLE, PAGE, LOCAL_WRITE | ON_DEMAND },
	{ PAGED_HOLE, HOLE, BYTES, ON_DEMAND },
	{ PAGED_HUGE, SMALL_PAGES, HUGE_PAGE, ON_DEMAND | HUGE_PAGES },
	{ ALL, NOWHERE, UINT64_MAX, ON_DEMAND },
};

static int make_regions(void)
{
	uint64_t addr;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < sizeof(of_places) / sizeof(of_places[0]) && !ret; i++) {
		addr = (uintptr_t)places[of_places[i].place];
		ret = mr_reg_at(&x, pd, (void *)addr, of_places[i].length, addr,
				of_places[i].access,
				&regions[of_places[i].region]);
	}
	ret = ret ? ret : udmabuf_make(BYTES, &buffer);
	ret = ret ? ret : reg_buffer(LOCAL_WRITE, &regions[ON_BUFFER]);
	ret = ret ? ret : reg_buffer(READ_ONLY, &regions[ON_BUFFER_READ]);
	ret = ret ? ret : dm_alloc(&x, &device_memory);
	return ret ? ret : dm_reg(&x, pd, &device_memory, 0, BYTES, ZERO_BASED,
				  &regions[ON_DEVICE]);
}

static int prepare(int secret)
{
	int ret = uctx_open(&x);

	ret = ret ? ret : pd_alloc(&x, &pd);
	ret = ret ? ret : pd_alloc(&x, &other_pd);
	if (ret || secret)
		return ret ? ret : make_secret();
	make_places();
	return make_regions();
}

static int run(const struct row *row, unsigned int count)
{
	unsigned int i, failed = 0;
	int bad;

	printf("TAP version 13\n1..%u\n", count);
	for (i = 0; i < count; i++) {
		bad = differs(&row[i], row[i].call(&row[i]));
		failed += bad;
		printf("%sok %u %s\n", bad ? "not " : "", i + 1, row[i].text);
		fflush(stdout);
	}
	return failed ? 1 : 0;
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr, "usage: reasons_memory CXCTL [secret]\n");
		return 2;
	}
	cxctl = argv[1];
	errno = prepare(argc > 2);
	if (errno) {
		perror("reasons_memory");
		return 1;
	}
	if (argc > 2)
		return run(secret_rows,
			   sizeof(secret_rows) / sizeof(secret_rows[0]));
	return run(rows, sizeof(rows) / sizeof(rows[0]));
}
