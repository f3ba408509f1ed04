/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A key of the uapi tree: object (5 bits) | method (5) | attribute (6).
 *
 * Number 0 of a part means "the thing above it": object | 0 | 0 is the object
 * itself, object | method | 0 the method. Ids of the core come first in each
 * part, ids of the driver's namespace behind them. The last two methods are
 * not ioctl methods: below them are the commands of write(), all of them
 * under the device object, by command number.
 */
#ifndef UVERBS_KEY_H
#define UVERBS_KEY_H

#include <ib/uverbs_bundle.h>

#define UVERBS_METHOD_KEY_BITS		5
#define UVERBS_OBJECT_KEY_BITS		5
#define UVERBS_METHOD_KEY_SHIFT		UVERBS_ATTR_KEY_BITS
#define UVERBS_OBJECT_KEY_SHIFT		(UVERBS_METHOD_KEY_SHIFT + \
					 UVERBS_METHOD_KEY_BITS)
#define UVERBS_OBJECT_KEYS		BIT(UVERBS_OBJECT_KEY_BITS)
#define UVERBS_METHOD_KEYS		BIT(UVERBS_METHOD_KEY_BITS)

#define UVERBS_OBJECT_KEY_DRIVER	20
#define UVERBS_METHOD_KEY_DRIVER	22
#define UVERBS_METHOD_KEY_WRITE		30
#define UVERBS_METHOD_KEY_WRITE_EX	31

/* No such thing can exist; not in any tree */
#define UVERBS_KEY_NONE			U32_MAX

static inline u32 uverbs_object_key(u16 id)
{
	u32 n = id;

	if (id & UVERBS_ID_DRIVER_NS) {
		n += UVERBS_OBJECT_KEY_DRIVER - UVERBS_ID_DRIVER_NS;
		if (n >= UVERBS_OBJECT_KEYS)
			return UVERBS_KEY_NONE;
	} else if (n >= UVERBS_OBJECT_KEY_DRIVER) {
		return UVERBS_KEY_NONE;
	}
	return n << UVERBS_OBJECT_KEY_SHIFT;
}

static inline u32 uverbs_method_key(u16 object, u16 id)
{
	u32 key = uverbs_object_key(object);
	u32 n = id;

	if (id & UVERBS_ID_DRIVER_NS) {
		n += UVERBS_METHOD_KEY_DRIVER - UVERBS_ID_DRIVER_NS;
		if (n >= UVERBS_METHOD_KEY_WRITE)
			return UVERBS_KEY_NONE;
	} else {
		n += 1;
		if (n >= UVERBS_METHOD_KEY_DRIVER)
			return UVERBS_KEY_NONE;
	}
	return key == UVERBS_KEY_NONE ?
		key : key | n << UVERBS_METHOD_KEY_SHIFT;
}

static inline u32 uverbs_write_key(u8 command, bool extended)
{
	u32 method = extended ?
		UVERBS_METHOD_KEY_WRITE_EX : UVERBS_METHOD_KEY_WRITE;

	if (command >= UVERBS_ATTR_KEYS)
		return UVERBS_KEY_NONE;
	return method << UVERBS_METHOD_KEY_SHIFT | command;
}

static inline unsigned int uverbs_object_part(u32 key)
{
	return key >> UVERBS_OBJECT_KEY_SHIFT & (UVERBS_OBJECT_KEYS - 1);
}

static inline unsigned int uverbs_method_part(u32 key)
{
	return key >> UVERBS_METHOD_KEY_SHIFT & (UVERBS_METHOD_KEYS - 1);
}

static inline unsigned int uverbs_attr_part(u32 key)
{
	return key & (UVERBS_ATTR_KEYS - 1);
}

#endif /* UVERBS_KEY_H */
