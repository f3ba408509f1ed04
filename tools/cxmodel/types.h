/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Short integer names and the few helpers that every file of the model uses.
 */
#ifndef CXM_TYPES_H
#define CXM_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>
#include <asm/byteorder.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s32 s32;
typedef __s64 s64;

#define be16_to_cpu	__be16_to_cpu
#define be32_to_cpu	__be32_to_cpu
#define be64_to_cpu	__be64_to_cpu
#define cpu_to_be16	__cpu_to_be16
#define cpu_to_be32	__cpu_to_be32
#define cpu_to_be64	__cpu_to_be64

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define BIT(n)		(1u << (n))

#define container_of(ptr, type, member)					\
	((type *)((char *)(ptr) - offsetof(type, member)))

static inline u64 min_u64(u64 a, u64 b)
{
	return a < b ? a : b;
}

struct cxm;
struct cxm_transport;

#endif /* CXM_TYPES_H */
