/* SPDX-License-Identifier: GPL-2.0-only */
/* What differs between the kernels we build for, and nothing else. */
#ifndef VERBENA_COMPAT_H
#define VERBENA_COMPAT_H

#include <linux/version.h>

/* Since 6.13 the name of a symbol namespace is a string. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
#define IB_NS			VERBENA
#define IB_KUNIT_NS		EXPORTED_FOR_KUNIT_TESTING
#define IB_DMA_BUF_NS		DMA_BUF
#else
#define IB_NS			"VERBENA"
#define IB_KUNIT_NS		"EXPORTED_FOR_KUNIT_TESTING"
#define IB_DMA_BUF_NS		"DMA_BUF"
#endif

#endif /* VERBENA_COMPAT_H */
