// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <linux/udmabuf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../../uapi/ib/refusal.h"
#include "calls_memory.h"

int mr_reg_at(struct uctx *x, uint32_t pd, void *addr, uint64_t len,
	      uint64_t iova, uint32_t access, uint32_t *mr)
{
	struct ib_uverbs_reg_mr in = {
		.start = (uintptr_t)addr,
		.length = len,
		.hca_va = iova,
		.pd_handle = pd,
		.access_flags = access,
	};
	struct ib_uverbs_reg_mr_resp out = { };
	int ret;

	ret = invoke_write(x->fd, IB_USER_VERBS_CMD_REG_MR, &in, sizeof(in),
			   &out, sizeof(out), NULL, 0, NULL, 0);
	*mr = out.mr_handle;
	return ret;
}

int mr_state(struct uctx *x, uint32_t mr, struct mr_state *state)
{
	struct call c;

	call_init(&c, UVERBS_OBJECT_MR, UVERBS_METHOD_QUERY_MR);
	call_add(&c, UVERBS_ATTR_QUERY_MR_HANDLE, 0, mr);
	call_add_ptr(&c, UVERBS_ATTR_QUERY_MR_RESP_LKEY, 4, &state->lkey);
	call_add_ptr(&c, UVERBS_ATTR_QUERY_MR_RESP_RKEY, 4, &state->rkey);
	call_add_ptr(&c, UVERBS_ATTR_QUERY_MR_RESP_LENGTH, 8, &state->length);
	call_add_ptr(&c, UVERBS_ATTR_QUERY_MR_RESP_IOVA, 8, &state->iova);
	return call_run(x->fd, &c);
}

int mr_rereg(struct uctx *x, struct ib_uverbs_rereg_mr *in, uint32_t *key)
{
	struct ib_uverbs_rereg_mr_resp out = { };
	int ret;

	ret = invoke_write(x->fd, IB_USER_VERBS_CMD_REREG_MR, in, sizeof(*in),
			   &out, sizeof(out), NULL, 0, NULL, 0);
	*key = out.lkey;
	return ret;
}

int mr_advise(struct uctx *x, uint32_t pd, uint64_t advice, int now,
	      uint32_t lkey, void *addr, uint32_t len)
{
	struct ib_uverbs_sge list[] = {
		{ .addr = (uintptr_t)addr, .length = len, .lkey = lkey },
	};
	struct call c;

	call_init(&c, UVERBS_OBJECT_MR, UVERBS_METHOD_ADVISE_MR);
	call_add(&c, UVERBS_ATTR_ADVISE_MR_PD_HANDLE, 0, pd);
	call_add(&c, UVERBS_ATTR_ADVISE_MR_ADVICE, 8, advice);
	call_add(&c, UVERBS_ATTR_ADVISE_MR_FLAGS, 4,
		 now ? IB_UVERBS_ADVISE_MR_FLAG_FLUSH : 0);
	call_add_ptr(&c, UVERBS_ATTR_ADVISE_MR_SGE_LIST, sizeof(list), list);
	return call_run(x->fd, &c);
}

int mr_reg_space(struct uctx *x, uint32_t pd, uint32_t access, uint32_t *mr)
{
	return mr_reg_at(x, pd, NULL, UINT64_MAX, 0, access | ON_DEMAND, mr);
}

int udmabuf_make(size_t bytes, int *fd)
{
	struct udmabuf_create in = {
		.flags = UDMABUF_FLAGS_CLOEXEC, .size = bytes,
		.memfd = memfd_create("dmabuf", MFD_ALLOW_SEALING),
	};
	int device = open("/dev/udmabuf", O_RDWR), err = 0;

	*fd = -1;
	if (!ftruncate(in.memfd, bytes) &&
	    !fcntl(in.memfd, F_ADD_SEALS, F_SEAL_SHRINK))
		*fd = ioctl(device, UDMABUF_CREATE, &in);
	if (*fd < 0)
		err = errno;
	close(device);
	close(in.memfd);
	return err;
}

int mr_reg_dmabuf(struct uctx *x, uint32_t pd, const struct dmabuf_piece *piece,
		  uint32_t access, uint32_t *mr)
{
	uint32_t lkey, rkey;
	struct call c;
	int ret;

	call_init(&c, UVERBS_OBJECT_MR, UVERBS_METHOD_REG_DMABUF_MR);
	call_add(&c, UVERBS_ATTR_REG_DMABUF_MR_HANDLE, 0, 0);
	call_add(&c, UVERBS_ATTR_REG_DMABUF_MR_PD_HANDLE, 0, pd);
	call_add(&c, UVERBS_ATTR_REG_DMABUF_MR_OFFSET, 8, piece->offset);
	call_add(&c, UVERBS_ATTR_REG_DMABUF_MR_LENGTH, 8, piece->length);
	call_add(&c, UVERBS_ATTR_REG_DMABUF_MR_IOVA, 8, piece->iova);
	call_add(&c, UVERBS_ATTR_REG_DMABUF_MR_FD, 4, piece->fd);
	call_add(&c, UVERBS_ATTR_REG_DMABUF_MR_ACCESS_FLAGS, 4, access);
	call_add_ptr(&c, UVERBS_ATTR_REG_DMABUF_MR_RESP_LKEY, 4, &lkey);
	call_add_ptr(&c, UVERBS_ATTR_REG_DMABUF_MR_RESP_RKEY, 4, &rkey);
	ret = call_run(x->fd, &c);
	*mr = c.attrs[0].data;
	return ret;
}

int refused_with(struct uctx *x, const char *text)
{
	struct uverbs_last_refusal why;

	if (ioctl(x->fd, UVERBS_IOCTL_LAST_REFUSAL, &why))
		return errno;
	if (strstr(why.text, text))
		return 0;
	printf("# not \"%s\" but \"%s\"\n", text, why.text);
	return EINVAL;
}

static long number_in(const char *path, const char *name)
{
	char line[128];
	long value = -1;
	size_t len = strlen(name);
	FILE *f = fopen(path, "r");

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, name, len) &&
		    sscanf(line + len, "%*[: \t]%ld", &value) == 1)
			break;
	if (f)
		fclose(f);
	return value;
}

long pinned_kb(void)
{
	return number_in("/proc/self/status", "VmPin");
}

/* Each processor counts for itself, and tells only when it is asked. */
long pages_held(void)
{
	int fd = open("/proc/sys/vm/stat_refresh", O_WRONLY);
	long pinned, unpinned;
	int told;

	if (fd < 0)
		return -1;
	told = write(fd, "1", 1) == 1;
	close(fd);
	pinned = number_in("/proc/vmstat", "nr_foll_pin_acquired");
	unpinned = number_in("/proc/vmstat", "nr_foll_pin_released");
	return told && unpinned >= 0 ? pinned - unpinned : -1;
}

int pages_settle_at(long pages)
{
	int i;

	for (i = 0; i < 500 && pages_held() != pages; i++)
		usleep(10000);
	return pages_held() == pages;
}

int keys_kept(void)
{
	static const char sizes[] =
		"cat /sys/bus/pci/drivers/connectx/*/mkey_pool_free 2>&-";
	FILE *pipe = popen(sizes, "r");
	unsigned int room, n;
	int kept = 0;

	while (pipe && fscanf(pipe, "%u %u", &room, &n) == 2)
		kept += n;
	if (pipe)
		pclose(pipe);
	return kept;
}

static int keys_counted(const char *census)
{
	FILE *pipe = popen(census, "r");
	char line[4096], *at = NULL;

	if (pipe && fgets(line, sizeof(line), pipe))
		at = strstr(line, "\"mkey\":");
	if (pipe)
		pclose(pipe);
	return at ? atoi(at + 7 + strspn(at + 7, " ")) : -1;
}

int keys_in_use(const char *census)
{
	int kept, n;

	do {	/* old ones go by and by */
		kept = keys_kept();
		n = keys_counted(census);
	} while (keys_kept() != kept);
	return n < 0 ? n : n - kept;
}

void *memory_map(size_t bytes, int prot, int flags)
{
	void *p = mmap(NULL, bytes, prot, MAP_PRIVATE | MAP_ANONYMOUS | flags,
		       -1, 0);

	return p == MAP_FAILED ? NULL : p;
}
