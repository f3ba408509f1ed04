/* SPDX-License-Identifier: GPL-2.0-only */
/* What the program and the library agree on. */
#ifndef WHY_H
#define WHY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WHY_LIBRARY	"verbs-why.so"	/* beside the program */

/* The library's settings, in the environment */
#define WHY_ENV_FD	"VERBS_WHY_FD"		/* where the lines go */
#define WHY_ENV_FILE	"VERBS_WHY_FILE"	/* or this file */
#define WHY_ENV_ALL	"VERBS_WHY_ALL"		/* probes too */

/**
 * struct why_call - a call that failed
 * @fd: the device's file, or -1 if it was not opened
 * @err: errno, positive
 * @call: UVERBS_CALL_*
 * @object: of an ioctl
 * @method: of an ioctl
 * @command: of write() or INVOKE_WRITE
 * @has_command: there is one
 * @room: bytes of the answer of INVOKE_WRITE
 * @wants_devx: a context that may send raw firmware commands
 * @what: for a call without ids: "open"
 * @argument: what it was called with
 */
struct why_call {
	int fd;
	int err;
	unsigned int call;
	unsigned int object;
	unsigned int method;
	uint32_t command;
	bool has_command;
	size_t room;
	bool wants_devx;
	const char *what;
	const char *argument;
};

/* decode.c */
void why_decode_ioctl(struct why_call *c, const void *header);
void why_decode_write(struct why_call *c, const void *buf, size_t count);

/* report.c */
void why_report(const struct why_call *c);
long why_ioctl(int fd, unsigned long request, void *arg);

#endif /* WHY_H */
