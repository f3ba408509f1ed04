/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Refusals explain themselves: every error path of the three modules ends in
 * ib_refuse(), which records why and returns the errno. The record waits for
 * the system call that is failing (ib_refusal_take()); the tracepoint
 * ib_core:ib_refuse fires at once. A call that succeeds pays nothing, and one
 * that fails not much: the sentence is put together when somebody reads it.
 * So a module that refuses calls ib_refusals_forget() before it goes.
 * Functions of core have recorded their reason; a caller hands their errno on.
 */
#ifndef IB_REFUSE_H
#define IB_REFUSE_H

#include <linux/types.h>

enum ib_layer {
	IB_LAYER_UVERBS,
	IB_LAYER_CORE,
	IB_LAYER_UMEM,
	IB_LAYER_DRIVER,
	IB_LAYER_FIRMWARE,
};

#define IB_REFUSE_NO_ATTR	0xffff
#define IB_REFUSE_TEXT		96

/**
 * struct ib_refusal - why a call failed
 * @layer: who said no
 * @attr: attribute id the reason speaks of, or IB_REFUSE_NO_ATTR
 * @err: the errno, negative
 * @a: first number of the text
 * @b: second number
 * @c: third number
 * @d: fourth number
 * @why: the text with up to four %llu, a constant of the module that refused
 * @detail: NULL, or more words behind the text, another constant
 */
struct ib_refusal {
	enum ib_layer	layer;
	u16		attr;
	int		err;
	u64		a;
	u64		b;
	u64		c;
	u64		d;
	const char	*why;
	const char	*detail;
};

int ib_refuse_record(enum ib_layer layer, u16 attr, int err, const char *why,
		     u64 a, u64 b);
int ib_refuse_detail(enum ib_layer layer, int err, const char *why, u64 a,
		     u64 b, const char *detail);
int ib_refuse_numbers(enum ib_layer layer, int err, const char *why, u64 a,
		      u64 b, u64 c, u64 d, const char *detail);
bool ib_refusal_take(int err, struct ib_refusal *out);
void ib_refusal_text(const struct ib_refusal *r, char *text, size_t size);
void ib_refusals_forget(void);

/**
 * ib_refuse() - record why a call is refused
 * @layer: enum ib_layer
 * @err: negative errno for user space
 * @why: string constant with up to two %llu
 * @a: first number of the text, or 0
 * @b: second number of the text, or 0
 *
 * Context: Any context.
 * Return: @err, so that a caller can write "return ib_refuse(...)".
 */
#define ib_refuse(layer, err, why, a, b) \
	ib_refuse_record(layer, IB_REFUSE_NO_ATTR, err, why, a, b)

#define ib_refuse_attr(layer, attr, err, why, a, b) \
	ib_refuse_record(layer, attr, err, why, a, b)

#endif /* IB_REFUSE_H */
