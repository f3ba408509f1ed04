/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * Why did the last call on this file fail?
 *
 * An ioctl command of its own beside RDMA_VERBS_IOCTL, and not a method in
 * the ABI tree: it needs no context, belongs to no driver, works on a device
 * that is gone, and its number cannot meet one that upstream gives out. A
 * kernel without it answers ENOTTY.
 */
#ifndef IB_UAPI_REFUSAL_H
#define IB_UAPI_REFUSAL_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* Values of uverbs_last_refusal.call */
#define UVERBS_CALL_NONE	0	/* no call has failed */
#define UVERBS_CALL_IOCTL	1	/* object and method hold */
#define UVERBS_CALL_WRITE	2	/* method is the command's number */
#define UVERBS_CALL_MMAP	3

#define UVERBS_REFUSAL_NO_ATTR	0xffff
#define UVERBS_REFUSAL_TEXT	104

/**
 * struct uverbs_last_refusal - the last failure of an open file
 * @count: failed calls since open
 * @error: errno of the last one, positive
 * @call: UVERBS_CALL_*
 * @object: object id of an ioctl
 * @method: method id, or number of the write command
 * @attr: attribute that the reason speaks of, or UVERBS_REFUSAL_NO_ATTR
 * @layer: 0 uverbs, 1 core, 2 user memory, 3 driver, 4 firmware
 * @reserved: 0
 * @text: the reason in words, ended by NUL
 */
struct uverbs_last_refusal {
	__u32	count;
	__u32	error;
	__u16	call;
	__u16	object;
	__u16	method;
	__u16	attr;
	__u16	layer;
	__u16	reserved[3];
	char	text[UVERBS_REFUSAL_TEXT];
};

#define UVERBS_IOCTL_LAST_REFUSAL _IOR(0x1b, 0xf0, struct uverbs_last_refusal)

#endif /* IB_UAPI_REFUSAL_H */
