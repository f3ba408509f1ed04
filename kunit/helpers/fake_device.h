/* SPDX-License-Identifier: GPL-2.0-only */
/* A device without an adapter: every object lives, no data moves. */
#ifndef KUNIT_FAKE_DEVICE_H
#define KUNIT_FAKE_DEVICE_H

#include <ib/device.h>

struct kunit;

#define FAKE_GIDS	4
#define FAKE_PKEYS	3

/**
 * struct fake_device - what a test sees of the driver's side
 * @ib: the device
 * @fail: errno of the next operation that can fail, then 0 again
 * @fail_after: operations that still work before @fail counts
 * @made: objects that the driver has made and not destroyed
 * @destroyed_listed: objects that others could find while the driver was asked
 *                    to destroy them
 * @gids: the adapter's table
 * @modified: attribute mask of the last modify_qp
 */
struct fake_device {
	struct ib_device	ib;
	int			fail;
	unsigned int		fail_after;
	unsigned int		made;
	unsigned int		destroyed_listed;
	union ib_gid		gids[FAKE_GIDS];
	int			modified;
};

struct fake_device *fake_device_alloc(struct kunit *test);
struct fake_device *fake_device_register(struct kunit *test);

static inline struct fake_device *to_fake(struct ib_device *device)
{
	return container_of(device, struct fake_device, ib);
}

#endif /* KUNIT_FAKE_DEVICE_H */
