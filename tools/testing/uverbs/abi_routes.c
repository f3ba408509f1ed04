// SPDX-License-Identifier: GPL-2.0-only
/*
 * CQ, QP and SRQ can be made in four ways: by the native method, and by the
 * plain and the extended command through INVOKE_WRITE and write(). All end in
 * one function, and the reason that it records for a fault says so.
 */
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#include "../../../uapi/ib/refusal.h"
#include "abi_mutate.h"
#include "abi_request.h"
#include "abi_routes.h"

#define WAYS	5

/* A fault: target in the native method and in the commands, and its value */
static const struct {
	const char *name;
	const char *native, *plain, *extended;
	const char *native_target, *target;
	uint64_t value;
} faults[] = {
	{ "cq of too many entries", "CQ_CREATE", "CREATE_CQ", "EX_CREATE_CQ",
	  "CREATE_CQ_CQE", "CORE_IN.cqe", 0x7fffffff },
	{ "cq of another vector", "CQ_CREATE", "CREATE_CQ", "EX_CREATE_CQ",
	  "CREATE_CQ_COMP_VECTOR", "CORE_IN.comp_vector", 0xffff },
	{ "cq of odd entries", "CQ_CREATE", "CREATE_CQ", "EX_CREATE_CQ",
	  "UHW_IN.cqe_size", "UHW_IN.cqe_size", 100 },
	{ "cq in no memory", "CQ_CREATE", "CREATE_CQ", "EX_CREATE_CQ",
	  "UHW_IN.buf_addr", "UHW_IN.buf_addr", 0x1000 },
	{ "qp of no pd", "QP_CREATE", "CREATE_QP", "EX_CREATE_QP",
	  "CREATE_QP_PD_HANDLE", "CORE_IN.pd_handle", 0x7ffffff0 },
	{ "qp of no cq", "QP_CREATE", "CREATE_QP", "EX_CREATE_QP",
	  "CREATE_QP_SEND_CQ_HANDLE", "CORE_IN.send_cq_handle", 0x7ffffff0 },
	{ "qp of too many receives", "QP_CREATE", "CREATE_QP", "EX_CREATE_QP",
	  "CREATE_QP_CAP.max_recv_wr", "CORE_IN.max_recv_wr", 1u << 30 },
	{ "qp of 3 sends", "QP_CREATE", "CREATE_QP", "EX_CREATE_QP",
	  "UHW_IN.sq_wqe_count", "UHW_IN.sq_wqe_count", 3 },
	{ "qp in no memory", "QP_CREATE", "CREATE_QP", "EX_CREATE_QP",
	  "UHW_IN.buf_addr", "UHW_IN.buf_addr", 0x1000 },
	{ "qp of unknown flags", "QP_CREATE", "CREATE_QP", "EX_CREATE_QP",
	  "UHW_IN.flags", "UHW_IN.flags", 1u << 30 },
	{ "srq of no pd", "SRQ_CREATE", "CREATE_SRQ", "CREATE_XSRQ",
	  "CREATE_SRQ_PD_HANDLE", "CORE_IN.pd_handle", 0x7ffffff0 },
	{ "srq of unknown flags", "SRQ_CREATE", "CREATE_SRQ", "CREATE_XSRQ",
	  "UHW_IN.flags", "UHW_IN.flags", 1u << 30 },
	{ "srq of too many entries", "SRQ_CREATE", "CREATE_SRQ", "CREATE_XSRQ",
	  "CREATE_SRQ_MAX_WR", "CORE_IN.max_wr", 0x7fffffff },
	{ "srq in no memory", "SRQ_CREATE", "CREATE_SRQ", "CREATE_XSRQ",
	  "UHW_IN.buf_addr", "UHW_IN.buf_addr", 0x1000 },
};

struct answer {
	int error;
	struct uverbs_last_refusal why;
};

static const struct abi_method *find(const struct abi_method *table,
				     unsigned int count, const char *name)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		if (!strcmp(table[i].name, name))
			return &table[i];
	}
	return NULL;
}

/* Way 0 is native, 1 and 2 invoke, 3 and 4 write; odd ones are plain. */
static struct answer ask(struct abi_world *w, unsigned int fault,
			 unsigned int way)
{
	static const enum abi_route routes[WAYS] = {
		ROUTE_IOCTL, ROUTE_INVOKE, ROUTE_INVOKE, ROUTE_WRITE,
		ROUTE_WRITE,
	};
	struct abi_random r = { .state = 1 };
	const struct abi_method *table;
	struct answer answer = { };
	struct abi_result result;
	struct abi_request q;
	unsigned int count;

	table = abi_writes(&count);
	if (!way)
		table = find(abi_natives, abi_num_natives,
			     faults[fault].native);
	else
		table = find(table, count, way % 2 ? faults[fault].plain :
			     faults[fault].extended);
	abi_request_init(&q, table, routes[way], w, &r);
	abi_set(&q, way ? faults[fault].target : faults[fault].native_target,
		faults[fault].value);
	abi_request_run(&q, w, &result);
	answer.error = result.error;
	ioctl(w->x.fd, UVERBS_IOCTL_LAST_REFUSAL, &answer.why);
	return answer;
}

static bool same(const struct answer *a, const struct answer *b)
{
	return a->error && a->error == b->error &&
	       a->why.error == (uint32_t)a->error && a->why.text[0] &&
	       b->why.error == (uint32_t)b->error &&
	       a->why.layer == b->why.layer &&
	       !strcmp(a->why.text, b->why.text);
}

int abi_routes(struct abi_world *w)
{
	struct answer first, other;
	unsigned int i, way;
	int failed = 0;

	printf("TAP version 13\n1..%zu\n", LENGTH(faults));
	for (i = 0; i < LENGTH(faults); i++) {
		bool good = true;

		first = ask(w, i, 0);
		printf("# %s: %s\n", strerrorname_np(first.error),
		       first.why.text);
		for (way = 1; way < WAYS; way++) {
			other = ask(w, i, way);
			if (same(&first, &other))
				continue;
			good = false;
			printf("# way %u: %d %s\n", way, other.error,
			       other.why.text);
		}
		printf("%sok %u %s, by all routes\n", good ? "" : "not ",
		       i + 1, faults[i].name);
		failed |= !good;
	}
	return failed;
}
