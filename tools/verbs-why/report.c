// SPDX-License-Identifier: GPL-2.0-only
/* A line for a call that was refused, with what the kernel has recorded. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rdma/ib_user_ioctl_cmds.h>

#include "../../uapi/ib/refusal.h"
#include "names.h"
#include "why.h"

#define LINE	512
#define NUMBER	16

static const char *const layers[] = {
	"uverbs", "core", "umem", "driver", "firmware"
};

/*
 * Libraries ask for what may not be there, and have another way when it is
 * not. EPROTONOSUPPORT says so of a method; rdma-core looks for INVOKE_WRITE
 * by a command without room for its answer, and for raw firmware commands by
 * a context that may send them.
 */
static bool is_probe(const struct why_call *c)
{
	return c->err == EPROTONOSUPPORT || c->wants_devx ||
		(c->call == UVERBS_CALL_IOCTL && c->has_command &&
		 c->err == ENOSPC && !c->room);
}

static void put_line(const char *line, size_t length)
{
	const char *file = getenv(WHY_ENV_FILE);
	const char *number = getenv(WHY_ENV_FD);
	int fd = number ? atoi(number) : STDERR_FILENO;

	if (file)
		fd = open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC,
			  0666);
	/* not through our own write(): nobody looks at what fails here */
	if (fd >= 0)
		dprintf(fd, "%.*s", (int)length, line);
	if (file && fd >= 0)
		close(fd);
}

static int describe(const struct why_call *c, char *to, size_t size)
{
	char object[NUMBER], method[NUMBER], command[NUMBER];
	int n = 0;

	if (c->call == UVERBS_CALL_IOCTL && !c->what)
		n = snprintf(to, size, "object %s, method %s%s",
			     why_object(c->object, object, NUMBER),
			     why_method(c->object, c->method, method, NUMBER),
			     c->has_command ? ", " : "");
	else if (c->call != UVERBS_CALL_WRITE)
		n = snprintf(to, size, "%s of %s", c->what, c->argument);
	if (c->has_command)
		n += snprintf(to + n, size - n, "command %s",
			      why_command(c->command, command, NUMBER));
	else if (c->call == UVERBS_CALL_WRITE)
		n = snprintf(to, size, "write of no command");
	return n;
}

/* Is the record about this call? Another thread may have failed since. */
static bool is_ours(const struct why_call *c,
		    const struct uverbs_last_refusal *r)
{
	return (int)r->error == c->err && r->call == c->call &&
		(c->call != UVERBS_CALL_IOCTL ||
		 (r->object == c->object && r->method == c->method));
}

static int explain(const struct why_call *c, char *to, size_t size)
{
	struct uverbs_last_refusal r;
	char attr[NUMBER];
	int n = 0;

	if (c->fd < 0)
		return snprintf(to, size, "no file, so no record");
	if (why_ioctl(c->fd, UVERBS_IOCTL_LAST_REFUSAL, &r))
		return snprintf(to, size, "this kernel records no reasons");
	if (!is_ours(c, &r))
		return snprintf(to, size,
				"reason lost, another call failed meanwhile");
	if (r.attr != UVERBS_REFUSAL_NO_ATTR)
		n = snprintf(to, size, "attribute %s, ",
			     why_attr(c->object, c->method, r.attr, attr,
				      NUMBER));
	return n + snprintf(to + n, size - n, "by %s: %.*s",
			    r.layer < sizeof(layers) / sizeof(layers[0]) ?
			    layers[r.layer] : "?", (int)sizeof(r.text),
			    r.text);
}

void why_report(const struct why_call *c)
{
	const char *name = strerrorname_np(c->err);
	char line[LINE];
	int n;

	if (is_probe(c) && !getenv(WHY_ENV_ALL))
		return;
	n = snprintf(line, LINE, "verbs-why: %.15s[%d]: ",
		     program_invocation_short_name, getpid());
	n += describe(c, line + n, LINE - n);
	n += snprintf(line + n, LINE - n, ": %s%s, ", name ? name : "?",
		      is_probe(c) ? " (probe)" : "");
	n += explain(c, line + n, LINE - n);
	n += snprintf(line + n, LINE - n, "\n");
	put_line(line, n);
}
