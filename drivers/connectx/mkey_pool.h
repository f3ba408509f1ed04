/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory keys that are kept when their region goes, free, and put into use by
 * a work request: a firmware command takes much longer than that.
 */
#ifndef CX_MKEY_POOL_H
#define CX_MKEY_POOL_H

#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct attribute_group;
struct cx_dev;

#define CX_POOL_CLASSES	5	/* of room: 8 to 2048 entries, by fours */

/**
 * struct cx_pool_key - a key that knows where it may go
 * @mkey: the key
 * @room: entries it has room for, which is its class; 0: never in a pool
 */
struct cx_pool_key {
	u32 mkey;
	u32 room;
};

/**
 * struct cx_pool_class - free keys of one room, the last one is taken first
 * @keys: the keys
 * @num: how many
 * @coming: places of keys that are being made free
 * @idle: the fewest there were since the pool was looked through
 */
struct cx_pool_class {
	u32 *keys;
	unsigned int num;
	unsigned int coming;
	unsigned int idle;
};

/**
 * struct cx_mkey_pool - the free keys of a device
 * @lock: owns the classes, @open
 * @open: keys may come
 * @max: keys of a class, at most; 0: there is no pool
 * @classes: the keys
 * @age: destroys what nobody needed for a while
 */
struct cx_mkey_pool {
	spinlock_t lock;
	bool open;
	unsigned int max;
	struct cx_pool_class classes[CX_POOL_CLASSES];
	struct delayed_work age;
};

int cx_mkey_pool_init(struct cx_mkey_pool *pool);
void cx_mkey_pool_exit(struct cx_dev *cx, struct cx_mkey_pool *pool);
u32 cx_mkey_pool_room(const struct cx_dev *cx, const struct cx_mkey_pool *pool,
		      u64 entries, int access);
bool cx_mkey_pool_take(struct cx_mkey_pool *pool, u32 room, u32 *mkey);
bool cx_mkey_pool_give(struct cx_dev *cx, struct cx_mkey_pool *pool,
		       const struct cx_pool_key *key);

#if IS_ENABLED(CONFIG_KUNIT)
bool cx_pool_reserve(struct cx_mkey_pool *pool, u32 room);
void cx_pool_settle(struct cx_mkey_pool *pool, const struct cx_pool_key *key,
		    bool free);
void cx_pool_age(struct cx_dev *cx, struct cx_mkey_pool *pool);
#endif

/* mkey_pool_free: a line for each class, room and free keys */
extern const struct attribute_group *cx_mkey_pool_sysfs[];

#endif /* CX_MKEY_POOL_H */
