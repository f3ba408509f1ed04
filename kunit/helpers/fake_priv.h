/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the files of the fake device */
#ifndef KUNIT_FAKE_PRIV_H
#define KUNIT_FAKE_PRIV_H

struct ib_device;
struct ib_object;

int fake_may_fail(struct ib_device *device);
int fake_make(struct ib_object *obj);
int fake_destroy(struct ib_object *obj);

#endif /* KUNIT_FAKE_PRIV_H */
