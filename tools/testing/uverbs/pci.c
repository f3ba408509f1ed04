// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pci.h"

#define DEVICE_LINK	"/sys/class/infiniband/mlx5_0/device"
#define DEVICE_FILE	"/dev/infiniband/uverbs0"
#define PATIENCE_MS	10000

static char address[64];
static char driver[PATH_MAX];

int pci_find(void)
{
	char path[PATH_MAX];

	if (!realpath(DEVICE_LINK, path))
		return errno;
	snprintf(address, sizeof(address), "%s", strrchr(path, '/') + 1);
	if (!realpath(DEVICE_LINK "/driver", driver))
		return errno;
	return 0;
}

static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY), err = 0;

	if (fd < 0)
		return errno;
	if (write(fd, text, strlen(text)) < 0)
		err = errno;
	close(fd);
	return err;
}

static int write_driver(const char *what)
{
	char path[PATH_MAX + 16];

	snprintf(path, sizeof(path), "%s/%s", driver, what);
	return write_file(path, address);
}

int pci_reset(void)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/reset", address);
	return write_file(path, "1");
}

int pci_unbind(void)
{
	return write_driver("unbind");
}

int pci_bind(void)
{
	int i, err = write_driver("bind");

	for (i = 0; !err && i < PATIENCE_MS / 10; i++) {
		if (!access(DEVICE_FILE, R_OK | W_OK))
			return 0;
		usleep(10000);
	}
	return err ? err : ENODEV;
}
