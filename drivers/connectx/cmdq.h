/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The command queue: carries one firmware command to the device and its
 * answer back. Knows nothing of what commands mean.
 */
#ifndef CX_CMDQ_H
#define CX_CMDQ_H

#include <linux/types.h>

struct cx_dev;

int cx_cmdq_init(struct cx_dev *cx);
void cx_cmdq_exit(struct cx_dev *cx);
void cx_cmdq_use_events(struct cx_dev *cx);
void cx_cmdq_use_polling(struct cx_dev *cx);
void cx_cmdq_event(struct cx_dev *cx, u32 slots);
void cx_cmdq_abort(struct cx_dev *cx);
bool cx_cmdq_watch(struct cx_dev *cx);

int cx_cmd_exec_tail(struct cx_dev *cx, const void *in, size_t inlen,
		     const void *tail, size_t taillen,
		     void *out, size_t outlen);

/**
 * cx_cmd_exec - run one firmware command
 * @cx: the device
 * @in: the command, beginning with its opcode
 * @inlen: its length
 * @out: the answer
 * @outlen: its length
 *
 * As cx_cmd_exec_tail(), without a tail.
 *
 * Context: Process context. Sleeps.
 * Return: see cx_cmd_exec_tail().
 */
static inline int cx_cmd_exec(struct cx_dev *cx, const void *in, size_t inlen,
			      void *out, size_t outlen)
{
	return cx_cmd_exec_tail(cx, in, inlen, NULL, 0, out, outlen);
}

#endif /* CX_CMDQ_H */
