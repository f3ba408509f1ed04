/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers of the user ABI in words: tables.c is made from the headers. */
#ifndef WHY_NAMES_H
#define WHY_NAMES_H

#include <stddef.h>

struct why_name {
	unsigned int number;
	const char *name;
};

struct why_method {
	unsigned int object, method;
	const char *name;
};

struct why_attr {
	unsigned int object, method, attr;
	const char *name;
};

extern const struct why_name why_objects[], why_commands[];
extern const struct why_method why_methods[];
extern const struct why_attr why_attrs[];
extern const unsigned int num_why_objects, num_why_commands;
extern const unsigned int num_why_methods, num_why_attrs;

/* A name, or the number as 0x... in @buf */
const char *why_object(unsigned int object, char *buf, size_t size);
const char *why_method(unsigned int object, unsigned int method, char *buf,
		       size_t size);
const char *why_attr(unsigned int object, unsigned int method,
		     unsigned int attr, char *buf, size_t size);
const char *why_command(unsigned int command, char *buf, size_t size);

#endif /* WHY_NAMES_H */
