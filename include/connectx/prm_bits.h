/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The adapter's wire format is made of big-endian 32-bit words. A field is
 * named by the offset in bits of its most significant bit from the start of
 * the structure, and by its width; it never crosses a word (64-bit fields
 * fill two). The prm_*.h headers are tables of such fields, and
 * scripts/check-prm.py proves each row against the kernel's mlx5_ifc.h.
 *
 * A row CX_FIELD(qpc, state, 0x0, 4) makes the typed accessors
 * cx_qpc_get_state() and cx_qpc_set_state(), so that a wrong structure does
 * not compile. These are the only pasted names in the tree: find them by
 * grepping "qpc, state".
 *
 * Used by the driver and by the model alike: no kernel include but types.
 */
#ifndef CONNECTX_PRM_BITS_H
#define CONNECTX_PRM_BITS_H

#include <linux/types.h>
#include <asm/byteorder.h>

static inline __u32 cx_field_mask(unsigned int width)
{
	return width == 32 ? ~0u : (1u << width) - 1;
}

static inline __u32 cx_get(const __be32 *dw, unsigned int bit,
			   unsigned int width)
{
	__u32 word = __be32_to_cpu(dw[bit / 32]);

	return (word >> (32 - bit % 32 - width)) & cx_field_mask(width);
}

static inline void cx_set(__be32 *dw, unsigned int bit, unsigned int width,
			  __u32 v)
{
	unsigned int shift = 32 - bit % 32 - width;
	__u32 mask = cx_field_mask(width) << shift;
	__u32 word = __be32_to_cpu(dw[bit / 32]);

	dw[bit / 32] = __cpu_to_be32((word & ~mask) | ((v << shift) & mask));
}

static inline __u64 cx_get64(const __be32 *dw, unsigned int bit)
{
	return (__u64)__be32_to_cpu(dw[bit / 32]) << 32 |
	       __be32_to_cpu(dw[bit / 32 + 1]);
}

static inline void cx_set64(__be32 *dw, unsigned int bit, __u64 v)
{
	dw[bit / 32] = __cpu_to_be32((__u32)(v >> 32));
	dw[bit / 32 + 1] = __cpu_to_be32((__u32)v);
}

/* A structure of the wire, its size in bytes. */
#define CX_STRUCT(s, bytes)						\
	struct cx_##s {							\
		__be32 dw[(bytes) / 4];					\
	};								\
	_Static_assert(sizeof(struct cx_##s) == (bytes), #s)

/* A field of up to 32 bits. */
#define CX_FIELD(s, f, bit, width)					\
	static inline __u32 cx_##s##_get_##f(const struct cx_##s *p)	\
	{								\
		return cx_get(p->dw, bit, width);			\
	}								\
	static inline void cx_##s##_set_##f(struct cx_##s *p, __u32 v)	\
	{								\
		cx_set(p->dw, bit, width, v);				\
	}								\
	_Static_assert((bit) / 32 == ((bit) + (width) - 1) / 32, #f)

/* A field of 64 bits. */
#define CX_FIELD64(s, f, bit)						\
	static inline __u64 cx_##s##_get_##f(const struct cx_##s *p)	\
	{								\
		return cx_get64(p->dw, bit);				\
	}								\
	static inline void cx_##s##_set_##f(struct cx_##s *p, __u64 v)	\
	{								\
		cx_set64(p->dw, bit, v);				\
	}								\
	_Static_assert((bit) % 32 == 0, #f)

/* An array of bytes, at an offset in bytes. */
#define CX_BYTES(s, f, off, bytes)					\
	static inline __u8 *cx_##s##_##f(struct cx_##s *p)		\
	{								\
		return (__u8 *)p + (off);				\
	}								\
	_Static_assert((off) + (bytes) <= sizeof(struct cx_##s), #f)

/* A structure within the structure, at an offset in bytes. */
#define CX_SUB(s, f, off, sub)						\
	static inline struct cx_##sub *cx_##s##_##f(struct cx_##s *p)	\
	{								\
		return (struct cx_##sub *)((__u8 *)p + (off));		\
	}								\
	_Static_assert((off) + sizeof(struct cx_##sub) <=		\
		       sizeof(struct cx_##s), #f)

#endif /* CONNECTX_PRM_BITS_H */
