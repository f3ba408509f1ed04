/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * Numbers of the kernel's own ABI that the headers of the oldest supported
 * kernel lack. The names differ from the kernel's, because headers of later
 * kernels have those as enumerators.
 */
#ifndef IB_UAPI_NEWER_H
#define IB_UAPI_NEWER_H

/* Method of UVERBS_OBJECT_DEVICE, since 7.0: UVERBS_METHOD_QUERY_PORT_SPEED */
#define UVERBS_NEW_METHOD_QUERY_PORT_SPEED	7
#define UVERBS_NEW_ATTR_QUERY_PORT_SPEED_PORT	0
#define UVERBS_NEW_ATTR_QUERY_PORT_SPEED_RESP	1

/* Since 7.1: IB_UVERBS_CORE_SUPPORT_ROBUST_UDATA */
#define UVERBS_NEW_CORE_SUPPORT_ROBUST_UDATA	0x2

/* Method of UVERBS_OBJECT_MR, since 6.17: UVERBS_METHOD_REG_MR */
#define UVERBS_NEW_METHOD_REG_MR		5
#define UVERBS_NEW_ATTR_REG_MR_HANDLE		0
#define UVERBS_NEW_ATTR_REG_MR_PD_HANDLE	1
#define UVERBS_NEW_ATTR_REG_MR_DMA_HANDLE	2
#define UVERBS_NEW_ATTR_REG_MR_IOVA		3
#define UVERBS_NEW_ATTR_REG_MR_ADDR		4
#define UVERBS_NEW_ATTR_REG_MR_LENGTH		5
#define UVERBS_NEW_ATTR_REG_MR_ACCESS_FLAGS	6
#define UVERBS_NEW_ATTR_REG_MR_FD		7
#define UVERBS_NEW_ATTR_REG_MR_FD_OFFSET	8
#define UVERBS_NEW_ATTR_REG_MR_RESP_LKEY	9
#define UVERBS_NEW_ATTR_REG_MR_RESP_RKEY	10

#endif /* IB_UAPI_NEWER_H */
