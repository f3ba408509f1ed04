/* SPDX-License-Identifier: GPL-2.0-only */
/* A call on its way: from the tables, spoilt perhaps, to the kernel. */
#ifndef UVERBS_ABI_REQUEST_H
#define UVERBS_ABI_REQUEST_H

#include "abi.h"
#include "abi_world.h"

enum abi_route {
	ROUTE_IOCTL,
	ROUTE_INVOKE,
	ROUTE_WRITE,
};

struct abi_part {
	const struct abi_attr *attr;	/* NULL: added */
	uint16_t id;
	uint16_t len;
	uint8_t kind;
	uint8_t flags;
	uint16_t reserved;
	bool absent;
	uint64_t value;		/* of numbers and handles */
	uint64_t address;	/* of structures, instead of "bytes"; or 0 */
	uint8_t *bytes;
};

struct abi_request;

/* Spoils what is around the parts, after they are encoded */
struct abi_envelope {
	const char *target;
	const char *name;
	void (*apply)(struct abi_request *q);
	bool disturbs;		/* may reach another method */
};

struct abi_request {
	const struct abi_method *m;
	enum abi_route route;
	struct abi_part parts[ABI_PARTS + ABI_EXTRA];
	unsigned int num;
	const struct abi_envelope *envelope;
	bool fresh;
	bool disturbs;
	char target[64];
	char op[24];
	/* what is handed to the kernel */
	void *data;
	size_t len;		/* of write() */
	unsigned long ioctl;
};

struct abi_result {
	int error;
	uint32_t valid;		/* attributes marked as written, a bit each */
	int64_t made;		/* handle of a new object, or -1 */
	char outputs[64];	/* per output: last byte written */
	const struct abi_method *reached;	/* by the bytes sent, or NULL */
};

void abi_request_init(struct abi_request *q, const struct abi_method *m,
		      enum abi_route route, struct abi_world *w,
		      struct abi_random *r);
struct abi_part *abi_request_add(struct abi_request *q, unsigned int id,
				 unsigned int len, uint64_t value);
void abi_field_set(struct abi_part *part, const struct abi_field *field,
		   uint64_t value);
uint64_t abi_field_get(const struct abi_part *part,
		       const struct abi_field *field);
/* A method, or a command, by its numbers; NULL if the tables have none */
const struct abi_method *abi_native_find(unsigned int object,
					 unsigned int method);
const struct abi_method *abi_write_find(uint32_t command);
void abi_request_run(struct abi_request *q, struct abi_world *w,
		     struct abi_result *result);
/* The same in steps; the one in the middle is the system call, no more. */
void abi_request_encode(struct abi_request *q);
int abi_request_send(const struct abi_request *q, int fd);
void abi_request_collect(struct abi_request *q, struct abi_result *result);

#endif /* UVERBS_ABI_REQUEST_H */
