// SPDX-License-Identifier: GPL-2.0-only
/*
 * Free memory keys, by the entries they have room for. A key that comes is
 * made free by a work request first: from then on nobody reaches memory by it,
 * and its low byte changes before it is used again. It belongs to the driver's
 * own protection domain meanwhile, for that of its region may go.
 *
 * Only keys that a work request can make into any other come here: without
 * relaxed ordering, and without atomics where the firmware does not let them
 * change.
 */
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>

#include <kunit/visibility.h>

#include <ib/mr.h>
#include <ib/refuse.h>

#include <connectx/prm_wqe.h>

#include "cx.h"
#include "objects.h"

#define CX_POOL_MAX		1024
#define CX_POOL_AGE		(30 * HZ)
#define CX_POOL_MIN_SHIFT	3	/* of the smallest class */
#define CX_POOL_STEP_SHIFT	2	/* from class to class */

static unsigned int mkey_pool;
module_param(mkey_pool, uint, 0444);
MODULE_PARM_DESC(mkey_pool, "free memory keys to keep of each size, 0 for none (0..1024)");

static struct cx_pool_class *cx_pool_class(struct cx_mkey_pool *pool, u32 room)
{
	return &pool->classes[(ilog2(room) - CX_POOL_MIN_SHIFT) /
			      CX_POOL_STEP_SHIFT];
}

/**
 * cx_mkey_pool_room - what a key needs to have come from the pool, or to go there
 * @cx: the device
 * @pool: its pool
 * @entries: of its translation
 * @access: IB_ACCESS_*, what may be done with it
 *
 * Context: Any context.
 * Return: entries to make room for; 0 if it is not for the pool.
 */
u32 cx_mkey_pool_room(const struct cx_dev *cx, const struct cx_mkey_pool *pool,
		      u64 entries, int access)
{
	unsigned int shift = CX_POOL_MIN_SHIFT, class;

	if (!pool->max || access & IB_ACCESS_RELAXED_ORDERING ||
	    (access & IB_ACCESS_REMOTE_ATOMIC &&
	     cx->caps.umr_modify_atomic_disabled))
		return 0;
	for (class = 0; class < CX_POOL_CLASSES; class++) {
		if (entries <= BIT(shift))
			return BIT(shift);
		shift += CX_POOL_STEP_SHIFT;
	}
	return 0;
}

/**
 * cx_mkey_pool_take - a free key
 * @pool: the pool
 * @room: from cx_mkey_pool_room(), not 0
 * @mkey: result; its low byte is the last one it had
 *
 * Context: Process context.
 * Return: true if there was one.
 */
bool cx_mkey_pool_take(struct cx_mkey_pool *pool, u32 room, u32 *mkey)
{
	struct cx_pool_class *class = cx_pool_class(pool, room);
	bool found;

	spin_lock(&pool->lock);
	found = class->num;
	if (found) {
		*mkey = class->keys[--class->num];
		class->idle = min(class->idle, class->num);
	}
	spin_unlock(&pool->lock);
	return found;
}
EXPORT_SYMBOL_IF_KUNIT(cx_mkey_pool_take);

/**
 * cx_pool_reserve - a place for a key that may come
 * @pool: the pool
 * @room: of the key, not 0
 *
 * Context: Process context.
 * Return: true if there is one: cx_pool_settle() follows.
 */
VISIBLE_IF_KUNIT bool cx_pool_reserve(struct cx_mkey_pool *pool, u32 room)
{
	struct cx_pool_class *class = cx_pool_class(pool, room);
	bool found;

	spin_lock(&pool->lock);
	found = pool->open && class->num + class->coming < pool->max;
	class->coming += found;
	spin_unlock(&pool->lock);
	return found;
}
EXPORT_SYMBOL_IF_KUNIT(cx_pool_reserve);

/**
 * cx_pool_settle - a reserved place is used, or given up
 * @pool: the pool
 * @key: the key it was reserved for
 * @free: nobody reaches memory by it any more; it comes
 *
 * Context: Process context.
 */
VISIBLE_IF_KUNIT void cx_pool_settle(struct cx_mkey_pool *pool,
				     const struct cx_pool_key *key, bool free)
{
	struct cx_pool_class *class = cx_pool_class(pool, key->room);

	spin_lock(&pool->lock);
	class->coming--;
	if (free)
		class->keys[class->num++] = key->mkey;
	spin_unlock(&pool->lock);
}
EXPORT_SYMBOL_IF_KUNIT(cx_pool_settle);

/*
 * Nobody reaches memory by it when this returns 0. What a request of its user may
 * have changed, and no request of ours will, is as in a new key again.
 */
static int cx_pool_revoke(struct cx_dev *cx, struct cx_mkey_pool *pool,
			  u32 mkey)
{
	struct cx_verbs *v = container_of(pool, struct cx_verbs, pool);
	u64 fields = BIT_ULL(CX_UMR_FREE) | BIT_ULL(CX_UMR_PD) |
		     BIT_ULL(CX_UMR_QPN) | BIT_ULL(CX_UMR_EN_RINVAL);
	struct cx_mkey_params p = { .free = true };
	int ret;

	ret = cx_umr_prepare(cx, &v->umr);
	if (ret)
		return ret;
	p.pdn = v->umr.pdn;
	if (cx->caps.umr_order_write)
		fields |= BIT_ULL(CX_UMR_ORDER_WRITE);
	if (cx->caps.umr_order_read)
		fields |= BIT_ULL(CX_UMR_ORDER_READ);
	return cx_umr_change(cx, &v->umr, mkey, &p, fields);
}

/**
 * cx_mkey_pool_give - a region goes: may its key stay?
 * @cx: the device
 * @pool: its pool
 * @key: the key, in use
 *
 * Its place is reserved first: a key that is free already and finds none would
 * have to be destroyed, and an adapter that refuses would leave a region whose
 * key does not work.
 *
 * Context: Process context. Sleeps.
 * Return: true if the pool has it, and nobody reaches memory by it any more;
 * false if it has to be destroyed, and works as before.
 */
bool cx_mkey_pool_give(struct cx_dev *cx, struct cx_mkey_pool *pool,
		       const struct cx_pool_key *key)
{
	bool free;

	if (!key->room || !cx_pool_reserve(pool, key->room))
		return false;
	free = !cx_pool_revoke(cx, pool, key->mkey);
	cx_pool_settle(pool, key, free);
	return free;
}
EXPORT_SYMBOL_IF_KUNIT(cx_mkey_pool_give);

/* Destroy keys until no more than so many are left, none of which is needed yet */
static void cx_pool_trim(struct cx_dev *cx, struct cx_mkey_pool *pool,
			 struct cx_pool_class *class, unsigned int left)
{
	u32 mkey;

	for (;;) {
		spin_lock(&pool->lock);
		if (class->num <= left) {
			class->idle = class->num;
			spin_unlock(&pool->lock);
			return;
		}
		mkey = class->keys[--class->num];
		spin_unlock(&pool->lock);
		if (cx_destroyed(cx, cx_cmd_destroy_mkey(cx, mkey)))
			dev_warn(cx->dev, "key 0x%x cannot be destroyed\n",
				 mkey);
	}
}

/**
 * cx_pool_age - half of what nobody needed since the last time goes
 * @cx: the device
 * @pool: its pool
 *
 * Context: Process context. Sleeps.
 */
VISIBLE_IF_KUNIT void cx_pool_age(struct cx_dev *cx, struct cx_mkey_pool *pool)
{
	struct cx_pool_class *class;
	unsigned int left, i;

	for (i = 0; i < CX_POOL_CLASSES; i++) {
		class = &pool->classes[i];
		spin_lock(&pool->lock);
		left = class->num - DIV_ROUND_UP(class->idle, 2);
		spin_unlock(&pool->lock);
		cx_pool_trim(cx, pool, class, left);
	}
}
EXPORT_SYMBOL_IF_KUNIT(cx_pool_age);

static void cx_pool_tick(struct work_struct *work)
{
	struct cx_mkey_pool *pool = container_of(to_delayed_work(work),
						 struct cx_mkey_pool, age);

	cx_pool_age(container_of(pool, struct cx_verbs, pool)->cx, pool);
	schedule_delayed_work(&pool->age, CX_POOL_AGE);
}

static void cx_pool_free(struct cx_mkey_pool *pool)
{
	unsigned int i;

	for (i = 0; i < CX_POOL_CLASSES; i++)
		kvfree(pool->classes[i].keys);
	pool->max = 0;
}

/**
 * cx_mkey_pool_init - an empty pool; none if the module's parameter says so
 * @pool: of a struct cx_verbs whose device is known
 *
 * Context: Process context. Sleeps.
 * Return: 0 or a negative errno.
 */
int cx_mkey_pool_init(struct cx_mkey_pool *pool)
{
	struct cx_verbs *v = container_of(pool, struct cx_verbs, pool);
	unsigned int i;

	spin_lock_init(&pool->lock);
	INIT_DELAYED_WORK(&pool->age, cx_pool_tick);
	if (!mkey_pool || !v->cx->caps.umr_sizes)
		return 0;
	pool->max = min(mkey_pool, CX_POOL_MAX);
	for (i = 0; i < CX_POOL_CLASSES; i++) {
		pool->classes[i].keys = kvcalloc(pool->max, sizeof(u32),
						 GFP_KERNEL);
		if (!pool->classes[i].keys) {
			cx_pool_free(pool);
			return ib_refuse(IB_LAYER_DRIVER, -ENOMEM,
					 "no memory for a pool of keys", 0, 0);
		}
	}
	pool->open = true;
	schedule_delayed_work(&pool->age, CX_POOL_AGE);
	return 0;
}

/**
 * cx_mkey_pool_exit - undo cx_mkey_pool_init(): all keys go
 * @cx: the device; its regions are gone
 * @pool: its pool
 *
 * Context: Process context. Sleeps.
 */
void cx_mkey_pool_exit(struct cx_dev *cx, struct cx_mkey_pool *pool)
{
	unsigned int i;

	spin_lock(&pool->lock);
	pool->open = false;
	spin_unlock(&pool->lock);
	cancel_delayed_work_sync(&pool->age);
	for (i = 0; pool->max && i < CX_POOL_CLASSES; i++)
		cx_pool_trim(cx, pool, &pool->classes[i], 0);
	cx_pool_free(pool);
}

static ssize_t mkey_pool_free_show(struct device *dev,
				   struct device_attribute *attr, char *buf)
{
	struct cx_dev *cx = dev_get_drvdata(dev);
	struct cx_mkey_pool *pool = &cx->verbs->pool;
	int n = 0;
	u32 i;

	for (i = 0; i < CX_POOL_CLASSES; i++)
		n += sysfs_emit_at(buf, n, "%u %u\n",
				   1U << (CX_POOL_MIN_SHIFT +
					  i * CX_POOL_STEP_SHIFT),
				   READ_ONCE(pool->classes[i].num));
	return n;
}
static DEVICE_ATTR_RO(mkey_pool_free);

static struct attribute *cx_mkey_pool_attrs[] = {
	&dev_attr_mkey_pool_free.attr,
	NULL
};

static const struct attribute_group cx_mkey_pool_group = {
	.attrs = cx_mkey_pool_attrs,
};

const struct attribute_group *cx_mkey_pool_sysfs[] = {
	&cx_mkey_pool_group, NULL
};
