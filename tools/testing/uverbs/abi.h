/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls of the user ABI as data: tables say what a good call looks like, the
 * mutations spoil it, a route carries it into the kernel. All memory that a
 * call shows to the kernel is at fixed addresses, so that two kernels get the
 * same bytes.
 */
#ifndef UVERBS_ABI_H
#define UVERBS_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ABI_PARTS	16		/* attributes of a method */
#define ABI_EXTRA	4		/* and what mutations add */
#define ABI_DRIVER_NS	0x1000		/* the driver's bit in all ids */

#define LENGTH(a)	(sizeof(a) / sizeof((a)[0]))

/* What the calls can refer to. Each slot is an object that is made again
 * when a call has used it up.
 */
enum abi_slot {
	SLOT_NONE,
	SLOT_PD, SLOT_PD_SPARE,
	SLOT_CHANNEL, SLOT_ASYNC,
	SLOT_CQ, SLOT_CQ_SPARE,
	SLOT_SRQ, SLOT_SRQ_SPARE,
	SLOT_QP, SLOT_QP_SPARE, SLOT_QP_INIT, SLOT_QP_RTR,
	SLOT_MR, SLOT_MR_SPARE,
	SLOT_AH_SPARE,
	SLOT_UAR_SPARE,
	SLOT_XRCD, SLOT_XRCD_SPARE,
	SLOT_MW_SPARE,
	SLOT_DM, SLOT_DM_SPARE,
	SLOT_DMABUF,	/* a descriptor, and no object of this ABI */
	SLOT_PAGED_KEY,	/* a region's key, not its handle */
	/* objects that connectx does not offer: never made */
	SLOT_FLOW, SLOT_WQ, SLOT_IND_TABLE, SLOT_FLOW_ACTION, SLOT_COUNTERS,
	SLOTS
};

enum abi_kind {
	ABI_NUMBER,
	ABI_RESERVED,	/* must be zero */
	ABI_HANDLE,	/* value is a slot */
	ABI_FD,		/* value is a slot */
	ABI_ADDRESS,	/* value is a number of pages */
	/* fields only */
	ABI_RESPONSE,	/* address of the response of write() */
	/* attributes only */
	ABI_NEW,	/* value is a slot of the class */
	ABI_FD_NUMBER,	/* a number that is a descriptor; value is a slot */
	ABI_IN,		/* a structure */
	ABI_OUT,
};

struct abi_field {
	const char *name;
	uint16_t offset;
	uint8_t size;
	uint8_t kind;
	uint64_t value;
};

struct abi_layout {
	const struct abi_field *fields;
	uint16_t num;
	uint16_t size;
};

struct abi_attr {
	const char *name;
	uint16_t id;
	uint8_t kind;
	uint16_t len;
	uint64_t value;
	const struct abi_layout *layout;
	bool optional;	/* present in half of the calls */
};

#define ABI_FRESH	(1 << 0)	/* wants a file without a context */
#define ABI_RARE	(1 << 1)	/* costs much, or is absent here */

/*
 * A method of an ioctl, or a command of write(); a command's attributes are
 * those of INVOKE_WRITE. "makes" is the class of the new object, to be
 * destroyed after success, "spends" the slot that success leaves unusable.
 */
struct abi_method {
	const char *object_name;
	const char *name;
	uint16_t object;
	uint16_t method;
	bool is_write;
	bool extended;
	uint8_t flags;
	uint8_t makes;
	uint8_t spends;
	uint32_t command;
	const struct abi_attr *attrs;
	unsigned int num;
};

extern const struct abi_method abi_natives[];
extern const unsigned int abi_num_natives;
const struct abi_method *abi_writes(unsigned int *count);

/* A deterministic generator of numbers */
struct abi_random {
	uint64_t state;
};

uint32_t abi_random(struct abi_random *r, uint32_t below);

#endif /* UVERBS_ABI_H */
