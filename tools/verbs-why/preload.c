// SPDX-License-Identifier: GPL-2.0-only
/*
 * The library that is loaded before the program's: it looks at calls on
 * uverbs files that have failed, asks the kernel why, and leaves everything
 * as it was, errno included.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <rdma/rdma_user_ioctl_cmds.h>

#include "../../uapi/ib/refusal.h"
#include "why.h"

#define DEVICES		"/dev/infiniband/uverbs"
#define EXPORT		__attribute__((visibility("default")))

/* The function of the next library; found again by each caller, once. */
#define NEXT(fn) ({							\
	static __typeof__(fn) *next_;					\
									\
	if (!next_)							\
		next_ = (__typeof__(fn) *)dlsym(RTLD_NEXT, #fn);	\
	next_;								\
})

long why_ioctl(int fd, unsigned long request, void *arg)
{
	return NEXT(ioctl)(fd, request, arg);
}

static bool is_device(int fd)
{
	char link[32], name[sizeof(DEVICES)];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, name, sizeof(name) - 1);
	return n == sizeof(name) - 1 && !memcmp(name, DEVICES, n);
}

static void refused_ioctl(int fd, const void *header)
{
	struct why_call c = { .fd = fd, .err = errno,
			      .call = UVERBS_CALL_IOCTL };

	why_decode_ioctl(&c, header);
	why_report(&c);
	errno = c.err;
}

static void refused_write(int fd, const void *buf, size_t count)
{
	struct why_call c = { .fd = fd, .err = errno,
			      .call = UVERBS_CALL_WRITE };

	if (is_device(fd)) {
		why_decode_write(&c, buf, count);
		why_report(&c);
	}
	errno = c.err;
}

static void refused_mmap(int fd, size_t length, off_t offset)
{
	char text[64];
	struct why_call c = { .fd = fd, .err = errno, .call = UVERBS_CALL_MMAP,
			      .what = "mmap", .argument = text };

	if (is_device(fd)) {
		snprintf(text, sizeof(text), "0x%zx bytes at 0x%llx", length,
			 (unsigned long long)offset);
		why_report(&c);
	}
	errno = c.err;
}

static void refused_open(const char *path)
{
	struct why_call c = { .fd = -1, .err = errno, .what = "open",
			      .argument = path };

	if (c.err != EFAULT && !strncmp(path, DEVICES, strlen(DEVICES)))
		why_report(&c);
	errno = c.err;
}

EXPORT int ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	void *arg;
	int ret;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	ret = NEXT(ioctl)(fd, request, arg);
	if (ret < 0 && request == RDMA_VERBS_IOCTL)
		refused_ioctl(fd, arg);
	return ret;
}

EXPORT ssize_t write(int fd, const void *buf, size_t count)
{
	ssize_t ret = NEXT(write)(fd, buf, count);

	if (ret < 0)
		refused_write(fd, buf, count);
	return ret;
}

EXPORT void *mmap(void *addr, size_t length, int prot, int flags, int fd,
		  off_t offset)
{
	void *ret = NEXT(mmap)(addr, length, prot, flags, fd, offset);

	if (ret == MAP_FAILED && fd >= 0)
		refused_mmap(fd, length, offset);
	return ret;
}

EXPORT void *mmap64(void *addr, size_t length, int prot, int flags, int fd,
		    off64_t offset)
{
	return mmap(addr, length, prot, flags, fd, offset);
}

/* The mode, which is only there if a file may be made. */
#define MODE(flags) ({							\
	mode_t mode_ = 0;						\
									\
	if ((flags) & (O_CREAT | O_TMPFILE)) {				\
		va_list args_;						\
									\
		va_start(args_, flags);					\
		mode_ = va_arg(args_, mode_t);				\
		va_end(args_);						\
	}								\
	mode_;								\
})

EXPORT int open(const char *path, int flags, ...)
{
	int ret = NEXT(open)(path, flags, MODE(flags));

	if (ret < 0)
		refused_open(path);
	return ret;
}

EXPORT int open64(const char *path, int flags, ...)
{
	int ret = NEXT(open64)(path, flags, MODE(flags));

	if (ret < 0)
		refused_open(path);
	return ret;
}

EXPORT int openat(int dir, const char *path, int flags, ...)
{
	int ret = NEXT(openat)(dir, path, flags, MODE(flags));

	if (ret < 0)
		refused_open(path);
	return ret;
}

EXPORT int openat64(int dir, const char *path, int flags, ...)
{
	int ret = NEXT(openat64)(dir, path, flags, MODE(flags));

	if (ret < 0)
		refused_open(path);
	return ret;
}
