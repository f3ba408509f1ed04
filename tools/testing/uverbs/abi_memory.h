/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What calls show to the kernel lies at fixed addresses: regions, each with
 * nothing mapped behind it.
 */
#ifndef UVERBS_ABI_MEMORY_H
#define UVERBS_ABI_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#define ABI_REGION	0x20000		/* bytes of a region */
#define ABI_POISON	0xa5

enum abi_region {
	REGION_CALL,		/* the ioctl's header, or the bytes of write() */
	REGION_READONLY,
	REGION_QUEUES,		/* queues and memory regions */
	REGION_PARTS,		/* one per attribute */
};

#define ABI_NOWHERE		0x1000ull
#define ABI_KERNEL		0xffff888000000000ull
#define ABI_NONCANONICAL	0x800000000000ull

int abi_memory_map(unsigned int parts);
uint8_t *abi_region(unsigned int region);
/* the last byte of a region */
uint64_t abi_edge(unsigned int region);
/* is it the call's own memory? */
bool abi_readable(const void *data, unsigned int len);
bool abi_region_has(const uint8_t *region, uintptr_t at, unsigned int len);
/* copy into the region that the kernel may only read */
void *abi_readonly(const void *data, unsigned int len);

#endif /* UVERBS_ABI_MEMORY_H */
