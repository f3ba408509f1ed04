// SPDX-License-Identifier: GPL-2.0-only
/*
 * verbs-why - run a program and say why the kernel refused its RDMA calls
 *
 * The work is done by a library that the program loads before its own.
 */
#include <argp.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "why.h"

#define LINES_FD	200	/* out of the way of the program's files */

static const char doc[] =
	"Run PROGRAM, unmodified, and print a line for each call on an RDMA "
	"device that the kernel refused: object, method, attribute, errno, the "
	"layer that said no, and the reason that it recorded.\v"
	"No privileges are needed. Calls by which libraries find out what the "
	"kernel can do are expected to fail; --all shows them as well.\n\n"
	"Static programs cannot be watched, nor those that run as another user "
	"(setuid): they do not load the library. A kernel without our ib_uverbs "
	"records no reasons; the line then says so.\n\n"
	"The status is that of PROGRAM, or 125 if it cannot be watched, 126 if "
	"it cannot be run, 127 if it is not found.";

static const struct argp_option options[] = {
	{ "all", 'a', NULL, 0, "also calls that libraries try out", 0 },
	{ "output", 'o', "FILE", 0, "append the lines to FILE, not to stderr",
	  0 },
	{ }
};

struct arguments {
	const char *output;
	bool all;
	char **program;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;

	switch (key) {
	case 'a':
		a->all = true;
		return 0;
	case 'o':
		a->output = arg;
		return 0;
	case ARGP_KEY_ARG:
		a->program = &state->argv[state->next - 1];
		state->next = state->argc;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_usage(state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* The first file of PATH that execvp() would take */
static bool find_program(const char *name, char *found, size_t size)
{
	const char *path = getenv("PATH");
	size_t n;

	if (strchr(name, '/')) {
		snprintf(found, size, "%s", name);
		return !access(found, F_OK);
	}
	for (; path; path = path[n] ? path + n + 1 : NULL) {
		n = strcspn(path, ":");
		snprintf(found, size, "%.*s/%s", (int)n, n ? path : ".", name);
		if (!access(found, X_OK))
			return true;
	}
	return false;
}

/* A program without an interpreter loads no library. */
static bool is_static(const char *file)
{
	Elf64_Ehdr head;
	Elf64_Phdr part;
	bool found = false;
	int i, fd = open(file, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	if (read(fd, &head, sizeof(head)) != sizeof(head) ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG) ||
	    head.e_ident[EI_CLASS] != ELFCLASS64)
		found = true;	/* a script, or none of our business */
	for (i = 0; !found && i < head.e_phnum; i++)
		found = pread(fd, &part, sizeof(part),
			      head.e_phoff + i * sizeof(part)) !=
			sizeof(part) || part.p_type == PT_INTERP;
	close(fd);
	return !found;
}

static void check_program(const char *name)
{
	char file[PATH_MAX];
	struct stat st;

	if (!find_program(name, file, sizeof(file))) {
		fprintf(stderr, "verbs-why: %s: not found\n", name);
		exit(127);
	}
	if (is_static(file)) {
		fprintf(stderr, "verbs-why: %s is static: it loads no library\n",
			file);
		exit(125);
	}
	if (!stat(file, &st) && st.st_mode & (S_ISUID | S_ISGID) && getuid())
		fprintf(stderr, "verbs-why: %s runs as another user: its calls will not be seen\n",
			file);
}

/* Put the library, which is beside this program, before others. */
static void preload(void)
{
	const char *others = getenv("LD_PRELOAD");
	char self[PATH_MAX], value[2 * PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self,
			     sizeof(self) - sizeof(WHY_LIBRARY));
	char *slash;

	self[n > 0 ? n : 0] = '\0';
	slash = strrchr(self, '/');
	if (slash)
		strcpy(slash + 1, WHY_LIBRARY);
	if (!slash || access(self, R_OK)) {
		fprintf(stderr, "verbs-why: %s is not there: it belongs beside this program\n",
			slash ? self : WHY_LIBRARY);
		exit(125);
	}
	snprintf(value, sizeof(value), "%s%s%s", self, others ? ":" : "",
		 others ?: "");
	setenv("LD_PRELOAD", value, 1);
}

/* A file that the program does not take for its own standard error */
static void set_output(const struct arguments *a)
{
	char number[16];
	int fd;

	unsetenv(WHY_ENV_ALL);
	unsetenv(WHY_ENV_FILE);
	if (a->all)
		setenv(WHY_ENV_ALL, "1", 1);
	if (a->output) {
		char *full = realpath(a->output, NULL);

		if (!full) {
			fd = open(a->output, O_WRONLY | O_CREAT | O_CLOEXEC,
				  0666);
			full = fd < 0 ? NULL : realpath(a->output, NULL);
		}
		if (!full) {
			perror(a->output);
			exit(125);
		}
		setenv(WHY_ENV_FILE, full, 1);
		return;
	}
	fd = fcntl(STDERR_FILENO, F_DUPFD, LINES_FD);
	if (fd < 0)
		return;
	snprintf(number, sizeof(number), "%d", fd);
	setenv(WHY_ENV_FD, number, 1);
}

int main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options, .parser = parse,
		.args_doc = "[--] PROGRAM [ARGUMENT...]", .doc = doc,
	};
	struct arguments a = { };

	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &a);
	check_program(a.program[0]);
	set_output(&a);
	preload();
	execvp(a.program[0], a.program);
	fprintf(stderr, "verbs-why: %s: %s\n", a.program[0], strerror(errno));
	return 126;
}
