// SPDX-License-Identifier: GPL-2.0-only
/*
 * Commands of the control socket, as a const table.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "control.h"
#include "mkey.h"
#include "model.h"
#include "wire.h"

#define CXM_CONTROL_ARGS	4

struct cxm_control_cmd {
	const char *name;
	const char *args;
	int	min_args;
	int	max_args;
	/* NULL: answered; else what is wrong */
	const char *(*run)(struct cxm *m, char **arg, int n, FILE *answer);
};

static bool cxm_parse(const char *s, u64 *v)
{
	char *end;

	errno = 0;
	*v = strtoull(s, &end, 0);
	return !errno && end != s && !*end && *s != '-';
}

static const char *cxm_control_census(struct cxm *m, char **arg, int n,
				      FILE *answer)
{
	u32 total = 0;
	int kind;

	(void)arg;
	(void)n;
	fputc('{', answer);
	for (kind = 0; kind < CXM_KINDS; kind++) {
		total += m->table[kind].live;
		fprintf(answer, "\"%s\":%u,", cxm_kind_name(kind),
			m->table[kind].live);
	}
	fprintf(answer, "\"total\":%u,\"warnings\":%llu,\"violations\":%llu,",
		total, m->warnings, m->violations);
	fprintf(answer, "\"commands\":%llu}", m->cmdq.count);
	return NULL;
}

struct cxm_lister {
	FILE	*answer;
	bool	comma;
};

static void cxm_control_list_one(struct cxm *m, struct cxm_obj *obj, void *arg)
{
	struct cxm_lister *l = arg;

	(void)m;
	fprintf(l->answer, "%s{\"num\":%u,\"users\":%u}", l->comma ? "," : "",
		obj->num, obj->users);
	l->comma = true;
}

static const char *cxm_control_list(struct cxm *m, char **arg, int n,
				    FILE *answer)
{
	struct cxm_lister l = { .answer = answer };
	int kind;

	(void)n;
	for (kind = 0; kind < CXM_KINDS; kind++)
		if (!strcmp(cxm_kind_name(kind), arg[0]))
			break;
	if (kind == CXM_KINDS)
		return "no such kind of object";
	fprintf(answer, "{\"%s\":[", arg[0]);
	cxm_obj_each(m, kind, cxm_control_list_one, &l);
	fputs("]}", answer);
	return NULL;
}

struct cxm_translations {
	u64	keys;
	u64	entries;
};

/* What an enabled key uses of its list; room it may have for more. */
static void cxm_control_count_entries(struct cxm *m, struct cxm_obj *obj,
				      void *arg)
{
	struct cxm_mkey *k = container_of(obj, struct cxm_mkey, obj);
	struct cxm_translations *t = arg;

	(void)m;
	if (k->free || k->mode != CX_MKC_MTT || !k->len)
		return;
	t->keys++;
	t->entries += ((k->start + k->len - 1) >> k->page_shift) -
		      (k->start >> k->page_shift) + 1;
}

static const char *cxm_control_translations(struct cxm *m, char **arg, int n,
					    FILE *answer)
{
	struct cxm_translations t = { };

	(void)arg;
	(void)n;
	cxm_obj_each(m, CXM_MKEY, cxm_control_count_entries, &t);
	fprintf(answer, "{\"keys\":%llu,\"entries\":%llu}",
		(unsigned long long)t.keys, (unsigned long long)t.entries);
	return NULL;
}

static const char *cxm_control_kill(struct cxm *m, char **arg, int n,
				    FILE *answer)
{
	(void)arg;
	(void)n;
	cxm_kill(m);
	fputs("{\"ok\":true}", answer);
	return NULL;
}

static const char *cxm_plan(struct cxm *m, u16 opcode, char **arg, int n,
			    FILE *answer)
{
	u64 nth, status, syndrome = 0;
	struct cxm_fault fault;

	if (!cxm_parse(arg[0], &nth) || !nth)
		return "N is a number from 1";
	if (!cxm_parse(arg[1], &status) || !status || status > 0xff)
		return "STATUS is a number from 1 to 255";
	if (n > 2 && (!cxm_parse(arg[2], &syndrome) || syndrome > 0xffffffff))
		return "SYNDROME is a 32-bit number";
	fault = (struct cxm_fault){
		.countdown = nth,
		.opcode = opcode,
		.status = status,
		.syndrome = syndrome,
	};
	if (!cxm_fault_plan_cmd(m, fault))
		return "too many faults planned";
	fputs("{\"ok\":true}", answer);
	return NULL;
}

static const char *cxm_control_fail(struct cxm *m, char **arg, int n,
				    FILE *answer)
{
	return cxm_plan(m, 0, arg, n, answer);
}

static const char *cxm_control_fail_op(struct cxm *m, char **arg, int n,
				       FILE *answer)
{
	const struct cxm_cmd_desc *desc = cxm_cmd_find_name(arg[0]);

	if (!desc)
		return "no such command of the firmware";
	return cxm_plan(m, desc->opcode, arg + 1, n - 1, answer);
}

static const char *cxm_plan_once(struct cxm *m, enum cxm_fault_once kind,
				 const char *nth, FILE *answer)
{
	u64 *countdown = &m->faults.once[kind];

	if (!cxm_parse(nth, countdown) || !*countdown)
		return "N is a number from 1";
	fputs("{\"ok\":true}", answer);
	return NULL;
}

static const char *cxm_control_fail_umr(struct cxm *m, char **arg, int n,
					FILE *answer)
{
	(void)n;
	return cxm_plan_once(m, CXM_FAULT_UMR_REFUSED, arg[0], answer);
}

static const char *cxm_control_lose_umr(struct cxm *m, char **arg, int n,
					FILE *answer)
{
	(void)n;
	return cxm_plan_once(m, CXM_FAULT_UMR_LOST, arg[0], answer);
}

static const char *cxm_control_lose_cmd(struct cxm *m, char **arg, int n,
					FILE *answer)
{
	(void)n;
	return cxm_plan_once(m, CXM_FAULT_CMD_LOST, arg[0], answer);
}

static const char *cxm_control_lose_event(struct cxm *m, char **arg, int n,
					  FILE *answer)
{
	(void)n;
	return cxm_plan_once(m, CXM_FAULT_CMD_EVENT_LOST, arg[0], answer);
}

static const char *cxm_control_port(struct cxm *m, char **arg, int n,
				    FILE *answer)
{
	(void)n;
	if (strcmp(arg[0], "up") && strcmp(arg[0], "down"))
		return "up or down";
	cxm_port_set(m, !strcmp(arg[0], "up"));
	fputs("{\"ok\":true}", answer);
	return NULL;
}

static const char *cxm_control_wire(struct cxm *m, char **arg, int n,
				    FILE *answer)
{
	u64 nth, count = 1;

	if (!cxm_parse(arg[1], &nth) || !nth)
		return "N is a number from 1";
	if (n > 2 && (!cxm_parse(arg[2], &count) || !count))
		return "COUNT is a number from 1";
	if (!cxm_wire_fault_plan(m, arg[0], nth, count))
		return "no such fault, or too many planned";
	fputs("{\"ok\":true}", answer);
	return NULL;
}

static const struct cxm_control_cmd cxm_control_cmds[] = {
	{ "census", "", 0, 0, cxm_control_census },
	{ "fail-cmd", "N STATUS [SYNDROME]", 2, 3, cxm_control_fail },
	{ "fail-op", "NAME N STATUS [SYNDROME]", 3, 4, cxm_control_fail_op },
	{ "fail-umr", "N", 1, 1, cxm_control_fail_umr },
	{ "kill", "", 0, 0, cxm_control_kill },
	{ "list", "KIND", 1, 1, cxm_control_list },
	{ "lose-cmd", "N", 1, 1, cxm_control_lose_cmd },
	{ "lose-event", "N", 1, 1, cxm_control_lose_event },
	{ "lose-umr", "N", 1, 1, cxm_control_lose_umr },
	{ "port", "up|down", 1, 1, cxm_control_port },
	{ "translations", "", 0, 0, cxm_control_translations },
	{ "wire", "drop|duplicate|reorder N [COUNT]", 2, 3, cxm_control_wire },
};

static const struct cxm_control_cmd *cxm_control_find(const char *name)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cxm_control_cmds); i++)
		if (name && !strcmp(name, cxm_control_cmds[i].name))
			return &cxm_control_cmds[i];
	return NULL;
}

/**
 * cxm_control_execute() - execute one line
 * @m: the model
 * @line: is cut into words
 * @answer: gets one line of JSON, without its end
 */
void cxm_control_execute(struct cxm *m, char *line, FILE *answer)
{
	const struct cxm_control_cmd *cmd;
	char *arg[CXM_CONTROL_ARGS], *save;
	const char *error;
	int n = 0;

	cmd = cxm_control_find(strtok_r(line, " \t\r", &save));
	if (!cmd) {
		fputs("{\"error\":\"unknown command\"}", answer);
		return;
	}
	while (n < CXM_CONTROL_ARGS &&
	       (arg[n] = strtok_r(NULL, " \t\r", &save)))
		n++;
	if (n < cmd->min_args || n > cmd->max_args) {
		fprintf(answer, "{\"error\":\"usage: %s %s\"}", cmd->name,
			cmd->args);
		return;
	}
	error = cmd->run(m, arg, n, answer);
	if (error)
		fprintf(answer, "{\"error\":\"%s: %s\"}", cmd->name, error);
}
