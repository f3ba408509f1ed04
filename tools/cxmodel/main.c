// SPDX-License-Identifier: GPL-2.0-only
/*
 * cxmodel: a ConnectX adapter in user space, one process per PCI function.
 */
#include <argp.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "control.h"
#include "model.h"
#include "transport.h"

#define CXM_DEFAULT_GUID	0x0002c90300c0de00ull
#define CXM_GUID_STEP		0x10
#define CXM_MAX_LID		0xbfff

enum {
	OPT_CONTROL = 0x100,
	OPT_TRACE,
	OPT_TRACE_FILE,
	OPT_STAY,
	OPT_GUID,
	OPT_LID,
	OPT_INDEX,
	OPT_PROFILE,
	OPT_CHECK,
	OPT_REUSE,
	OPT_MEM,
	OPT_TIMEOUT_CAP,
};

static const struct argp_option cxm_options[] = {
	{ "socket", 's', "PATH", 0, "Serve QEMU's vfio-user-pci there", 0 },
	{ "control", OPT_CONTROL, "PATH", 0, "Control socket", 0 },
	{ "trace", OPT_TRACE, NULL, 0, "Trace to standard error", 0 },
	{ "trace-file", OPT_TRACE_FILE, "FILE", 0, "Trace to a file", 0 },
	{ "stay", OPT_STAY, NULL, 0,
	  "Serve the next client when one is gone", 0 },
	{ "guid", OPT_GUID, "GUID", 0,
	  "Node GUID; the port's is one more", 0 },
	{ "lid", OPT_LID, "LID", 0, "LID of the port (index + 1)", 0 },
	{ "index", OPT_INDEX, "N", 0, "Number of this function (0)", 0 },
	{ "profile", OPT_PROFILE, "NAME", 0,
	  "Capabilities on offer: bringup, pinned or full (full)", 0 },
	{ "check", OPT_CHECK, NULL, 0,
	  "Report the use of what software gave up before", 0 },
	{ "reuse", OPT_REUSE, NULL, 0,
	  "Hand out destroyed object numbers at once", 0 },
	{ "timeout-cap", OPT_TIMEOUT_CAP, "MS", 0,
	  "Cap of a QP's ack timeout (none)", 0 },
	{ "mem", OPT_MEM, "FILE", 0,
	  "Serve a test on standard input; FILE is guest memory", 0 },
	{ 0 }
};

static u64 cxm_number(const char *text, u64 max, const char *what,
		      struct argp_state *state)
{
	char *end;
	u64 v;

	errno = 0;
	v = strtoull(text, &end, 0);
	if (errno || end == text || *end || *text == '-' || v > max)
		argp_error(state, "%s: '%s' is not a number up to 0x%llx", what,
			   text, max);
	return v;
}

static error_t cxm_option(int key, char *arg, struct argp_state *state)
{
	struct cxm_config *cfg = state->input;

	switch (key) {
	case 's':
		cfg->socket = arg;
		break;
	case OPT_CONTROL:
		cfg->control = arg;
		break;
	case OPT_TRACE:
		cfg->trace = "-";
		break;
	case OPT_TRACE_FILE:
		cfg->trace = arg;
		break;
	case OPT_STAY:
		cfg->stay = true;
		break;
	case OPT_GUID:
		cfg->guid = cxm_number(arg, ~0ull, "--guid", state);
		break;
	case OPT_LID:
		cfg->lid = cxm_number(arg, CXM_MAX_LID, "--lid", state);
		break;
	case OPT_INDEX:
		cfg->index = cxm_number(arg, 255, "--index", state);
		break;
	case OPT_PROFILE:
		cfg->profile = cxm_profile_find(arg);
		if (!cfg->profile)
			argp_error(state, "no profile '%s'", arg);
		break;
	case OPT_CHECK:
		cfg->check = true;
		break;
	case OPT_REUSE:
		cfg->reuse = true;
		break;
	case OPT_TIMEOUT_CAP:
		cfg->max_timeout_ns = 1000000ull *
			cxm_number(arg, 1u << 30, "--timeout-cap", state);
		break;
	case OPT_MEM:
		cfg->mem = arg;
		break;
	case ARGP_KEY_ARG:
		argp_error(state, "what is '%s'?", arg);
		break;
	case ARGP_KEY_END:
		if (!cfg->socket == !cfg->mem)
			argp_error(state, "give --socket (or, for a test, --mem)");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp cxm_argp = {
	.options = cxm_options,
	.parser = cxm_option,
	.doc = "A ConnectX adapter in user space, one process per PCI function.",
};

static struct cxm cxm_model;

static void cxm_signal(int sig)
{
	(void)sig;
	cxm_model.stop = true;
}

static int cxm_open_trace(struct cxm *m)
{
	if (!m->cfg.trace)
		return 0;
	m->trace_file = !strcmp(m->cfg.trace, "-") ? stderr :
						     fopen(m->cfg.trace, "we");
	if (!m->trace_file) {
		fprintf(stderr, "cxmodel: cannot write %s: %s\n", m->cfg.trace,
			strerror(errno));
		return -1;
	}
	setvbuf(m->trace_file, NULL, _IOLBF, 0);
	return 0;
}

static int cxm_run(struct cxm *m)
{
	struct cxm_control ctl;
	int ret = 0;

	m->transport = m->cfg.socket ? cxm_transport_vfu(m, m->cfg.socket) :
				       cxm_transport_pipe(m, m->cfg.mem);
	if (!m->transport)
		return 1;
	if (m->cfg.control) {
		ret = cxm_control_open(&ctl, m->cfg.control);
		if (ret) {
			fprintf(stderr, "cxmodel: cannot listen on %s: %s\n",
				m->cfg.control, strerror(-ret));
			return 1;
		}
	}
	ret = cxm_loop(m, m->cfg.control ? &ctl : NULL);
	if (ret)
		fprintf(stderr, "cxmodel: client lost: %s\n", strerror(-ret));
	if (m->cfg.control)
		cxm_control_close(&ctl);
	return ret ? 1 : 0;
}

static void cxm_defaults(struct cxm_config *cfg)
{
	if (!cfg->guid)
		cfg->guid = CXM_DEFAULT_GUID + cfg->index * CXM_GUID_STEP;
	if (!cfg->lid)
		cfg->lid = cfg->index + 1;
	if (!cfg->profile)
		cfg->profile = cxm_profile_find("full");
}

int main(int argc, char **argv)
{
	struct sigaction sa = { .sa_handler = cxm_signal };
	struct cxm *m = &cxm_model;
	int ret;

	argp_parse(&cxm_argp, argc, argv, 0, NULL, &m->cfg);
	cxm_defaults(&m->cfg);
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	if (cxm_open_trace(m))
		return 1;
	if (cxm_init(m)) {
		fprintf(stderr, "cxmodel: out of memory\n");
		return 1;
	}
	ret = cxm_run(m);
	cxm_exit(m);
	if (m->trace_file && m->trace_file != stderr)
		fclose(m->trace_file);
	return ret;
}
