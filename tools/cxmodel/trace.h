/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One line per observable event (--trace), and notes to the driver's author:
 * a warning is counted ("warnings" in the census) and also printed. A violation
 * is the use of what the driver gave up before; with --check it is marked as
 * one, and counted as such as well.
 */
#ifndef CXM_TRACE_H
#define CXM_TRACE_H

#include "model.h"

void cxm_trace_line(struct cxm *m, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void cxm_warn(struct cxm *m, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void cxm_violation(struct cxm *m, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Costs one test when tracing is off. */
#define cxm_trace(m, ...)						\
	do {								\
		if ((m)->trace_file)					\
			cxm_trace_line(m, __VA_ARGS__);			\
	} while (0)

#endif /* CXM_TRACE_H */
