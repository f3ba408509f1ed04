// SPDX-License-Identifier: GPL-2.0-only
/*
 * The trace, and warnings to the author of the driver.
 */
#include <stdarg.h>

#include "trace.h"

/* A driver gone wild must not make us wait for who reads our standard error. */
#define CXM_WARN_LINES	200

static void cxm_vline(const struct cxm *m, FILE *f, const char *mark,
		      const char *fmt, va_list ap)
{
	u64 us = cxm_now_ns() / 1000;

	fprintf(f, "cx%u %llu.%06llu %s", m->cfg.index, us / 1000000,
		us % 1000000, mark);
	vfprintf(f, fmt, ap);
	fputc('\n', f);
}

/**
 * cxm_trace_line() - write one line of trace
 * @m: the model
 * @fmt: as for printf(), without the newline
 *
 * Context: use cxm_trace(), which first asks whether tracing is on.
 */
void cxm_trace_line(struct cxm *m, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	cxm_vline(m, m->trace_file, "", fmt, ap);
	va_end(ap);
}

static void cxm_vwarn(struct cxm *m, const char *mark, const char *fmt,
		      va_list ap)
{
	va_list again;

	va_copy(again, ap);
	m->warnings++;
	if (m->warnings <= CXM_WARN_LINES)
		cxm_vline(m, stderr, mark, fmt, ap);
	else if (m->warnings == CXM_WARN_LINES + 1)
		fprintf(stderr, "cx%u: more warnings are only counted\n",
			m->cfg.index);
	if (m->trace_file && m->trace_file != stderr)
		cxm_vline(m, m->trace_file, mark, fmt, again);
	va_end(again);
}

/**
 * cxm_warn() - tell the driver's author about a mistake
 * @m: the model
 * @fmt: as for printf(), without the newline
 *
 * Counted, written to the trace, and up to a limit to standard error.
 */
void cxm_warn(struct cxm *m, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	cxm_vwarn(m, "warn: ", fmt, ap);
	va_end(ap);
}

/**
 * cxm_violation() - tell that something is used which was given up before
 * @m: the model
 * @fmt: as for printf(), without the newline
 *
 * A warning; with --check it is counted among the violations, too.
 */
void cxm_violation(struct cxm *m, const char *fmt, ...)
{
	va_list ap;

	if (m->cfg.check)
		m->violations++;
	va_start(ap, fmt);
	cxm_vwarn(m, m->cfg.check ? "violation: " : "warn: ", fmt, ap);
	va_end(ap);
}
