// SPDX-License-Identifier: GPL-2.0-only
/* Malformed calls about queue pairs, SRQs, address handles, channels. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <rdma/mlx5-abi.h>

#include "bad_objects.h"
#include "calls.h"

#define DEAD		0x7ffffff0	/* a handle that nobody has */
#define NOWHERE		0x10		/* an address that is not mapped */
#define LENGTH(a)	(sizeof(a) / sizeof((a)[0]))

/* What the cases share */
static struct uctx x;
static uint32_t pd, cq, qp, qpn;
static int channel;
static uint64_t scratch[64];

/* Requests of the call at hand, for the functions that spoil them */
static struct mlx5_ib_create_qp qp_uhw;
static struct ib_uverbs_qp_cap cap;
static struct mlx5_ib_create_srq srq_uhw;
static struct ib_uverbs_modify_qp modify;
static struct ib_uverbs_create_ah ah;
static struct ib_uverbs_ex_query_device query;
static struct ib_uverbs_query_qp query_qp_in;

/* --- the good calls ------------------------------------------------------ */

static void create_qp(struct call *c)
{
	memset(&qp_uhw, 0, sizeof(qp_uhw));
	qp_uhw.buf_addr = (uintptr_t)uctx_pages(&x, 2);
	qp_uhw.db_addr = (uintptr_t)uctx_pages(&x, 1);
	qp_uhw.sq_wqe_count = 16;
	qp_uhw.rq_wqe_count = 16;
	qp_uhw.rq_wqe_shift = 6;
	qp_uhw.uidx = 0x20;
	memset(&cap, 0, sizeof(cap));
	cap.max_send_wr = 8;
	cap.max_recv_wr = 8;
	cap.max_send_sge = 1;
	cap.max_recv_sge = 1;
	call_init(c, UVERBS_OBJECT_QP, UVERBS_METHOD_QP_CREATE);
	call_add(c, UVERBS_ATTR_CREATE_QP_HANDLE, 0, 0);
	call_add(c, UVERBS_ATTR_CREATE_QP_PD_HANDLE, 0, pd);
	call_add(c, UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE, 0, cq);
	call_add(c, UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE, 0, cq);
	call_add(c, UVERBS_ATTR_CREATE_QP_TYPE, 8, IB_UVERBS_QPT_RC);
	call_add_ptr(c, UVERBS_ATTR_CREATE_QP_CAP, sizeof(cap), &cap);
	call_add(c, UVERBS_ATTR_CREATE_QP_USER_HANDLE, 8, 0);
	call_add(c, UVERBS_ATTR_CREATE_QP_FLAGS, 4, 0);
	call_add_ptr(c, UVERBS_ATTR_CREATE_QP_RESP_CAP, sizeof(cap), scratch);
	call_add_ptr(c, UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, 4, scratch + 8);
	call_add_ptr(c, UVERBS_ATTR_UHW_IN, sizeof(qp_uhw), &qp_uhw);
	call_add_ptr(c, UVERBS_ATTR_UHW_OUT,
		     sizeof(struct mlx5_ib_create_qp_resp), scratch + 16);
}

static void destroy_qp(struct call *c)
{
	call_init(c, UVERBS_OBJECT_QP, UVERBS_METHOD_QP_DESTROY);
	call_add(c, UVERBS_ATTR_DESTROY_QP_HANDLE, 0, DEAD);
	call_add_ptr(c, UVERBS_ATTR_DESTROY_QP_RESP, 4, scratch);
}

static void create_srq(struct call *c)
{
	memset(&srq_uhw, 0, sizeof(srq_uhw));
	srq_uhw.buf_addr = (uintptr_t)uctx_pages(&x, 1);
	srq_uhw.db_addr = (uintptr_t)uctx_pages(&x, 1);
	srq_uhw.uidx = 0x21;
	call_init(c, UVERBS_OBJECT_SRQ, UVERBS_METHOD_SRQ_CREATE);
	call_add(c, UVERBS_ATTR_CREATE_SRQ_HANDLE, 0, 0);
	call_add(c, UVERBS_ATTR_CREATE_SRQ_PD_HANDLE, 0, pd);
	call_add(c, UVERBS_ATTR_CREATE_SRQ_TYPE, 8, IB_UVERBS_SRQT_BASIC);
	call_add(c, UVERBS_ATTR_CREATE_SRQ_USER_HANDLE, 8, 0);
	call_add(c, UVERBS_ATTR_CREATE_SRQ_MAX_WR, 4, 15);
	call_add(c, UVERBS_ATTR_CREATE_SRQ_MAX_SGE, 4, 1);
	call_add(c, UVERBS_ATTR_CREATE_SRQ_LIMIT, 4, 0);
	call_add_ptr(c, UVERBS_ATTR_CREATE_SRQ_RESP_MAX_WR, 4, scratch);
	call_add_ptr(c, UVERBS_ATTR_CREATE_SRQ_RESP_MAX_SGE, 4, scratch + 1);
	call_add_ptr(c, UVERBS_ATTR_UHW_IN, sizeof(srq_uhw), &srq_uhw);
	call_add_ptr(c, UVERBS_ATTR_UHW_OUT,
		     sizeof(struct mlx5_ib_create_srq_resp), scratch + 16);
}

static void write_call(struct call *c, unsigned int cmd, const void *in,
		       unsigned int in_len, unsigned int out_len)
{
	call_init(c, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE);
	call_add_ptr(c, UVERBS_ATTR_CORE_IN, in_len, in);
	call_add(c, UVERBS_ATTR_WRITE_CMD, 8, cmd);
	if (out_len)
		call_add_ptr(c, UVERBS_ATTR_CORE_OUT, out_len, scratch);
}

static void to_init(struct call *c)
{
	memset(&modify, 0, sizeof(modify));
	modify.qp_handle = qp;
	modify.attr_mask = 1 | 1 << 3 | 1 << 4 | 1 << 5;
	modify.qp_state = 1;
	modify.port_num = 1;
	write_call(c, IB_USER_VERBS_CMD_MODIFY_QP, &modify, sizeof(modify), 0);
}

static void query_qp(struct call *c)
{
	memset(&query_qp_in, 0, sizeof(query_qp_in));
	query_qp_in.qp_handle = qp;
	query_qp_in.attr_mask = 1;
	write_call(c, IB_USER_VERBS_CMD_QUERY_QP, &query_qp_in,
		   sizeof(query_qp_in), sizeof(struct ib_uverbs_query_qp_resp));
}

static void create_ah(struct call *c)
{
	memset(&ah, 0, sizeof(ah));
	ah.pd_handle = pd;
	ah.attr.dlid = 1;
	ah.attr.port_num = 1;
	write_call(c, IB_USER_VERBS_CMD_CREATE_AH, &ah, sizeof(ah),
		   sizeof(struct ib_uverbs_create_ah_resp));
}

/* Eight bytes and less travel in the attribute. */
static void query_device(struct call *c)
{
	memset(&query, 0, sizeof(query));
	write_call(c, IB_USER_VERBS_EX_CMD_QUERY_DEVICE |
		   IB_USER_VERBS_CMD_FLAG_EXTENDED, NULL, sizeof(query),
		   sizeof(struct ib_uverbs_ex_query_device_resp));
}

static void gid_entry(struct call *c)
{
	call_init(c, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_GID_ENTRY);
	call_add(c, UVERBS_ATTR_QUERY_GID_ENTRY_PORT, 8, 1);
	call_add(c, UVERBS_ATTR_QUERY_GID_ENTRY_GID_INDEX, 8, 0);
	call_add(c, UVERBS_ATTR_QUERY_GID_ENTRY_FLAGS, 8, 0);
	call_add_ptr(c, UVERBS_ATTR_QUERY_GID_ENTRY_RESP_ENTRY,
		     sizeof(struct ib_uverbs_gid_entry), scratch);
}

static void gid_table(struct call *c)
{
	call_init(c, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_GID_TABLE);
	call_add(c, UVERBS_ATTR_QUERY_GID_TABLE_ENTRY_SIZE, 8,
		 sizeof(struct ib_uverbs_gid_entry));
	call_add_ptr(c, UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES,
		     8 * sizeof(struct ib_uverbs_gid_entry), scratch);
	call_add_ptr(c, UVERBS_ATTR_QUERY_GID_TABLE_RESP_NUM_ENTRIES, 8,
		     scratch + 60);
}

static void info_handles(struct call *c)
{
	call_init(c, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INFO_HANDLES);
	call_add(c, UVERBS_ATTR_INFO_OBJECT_ID, 8, UVERBS_OBJECT_PD);
	call_add_ptr(c, UVERBS_ATTR_INFO_TOTAL_HANDLES, 4, scratch);
	call_add_ptr(c, UVERBS_ATTR_INFO_HANDLES_LIST, 64, scratch + 1);
}

static void alloc_async(struct call *c)
{
	call_init(c, UVERBS_OBJECT_ASYNC_EVENT,
		  UVERBS_METHOD_ASYNC_EVENT_ALLOC);
	call_add(c, UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE, 0, 0);
}

/* --- how they are spoilt: attribute n gets a value or a length ----------- */

struct bad {
	const char *name;
	void (*make)(struct call *c);
	int attr;		/* index, or -1 */
	unsigned int len;	/* of the attribute; KEEP */
	uint64_t data;		/* of the attribute; KEEP */
	void (*spoil)(struct call *c);
};

#define KEEP	0xffff

static void nothing(struct call *c)
{
	(void)c;
}

static void drop_first_but_one(struct call *c)
{
	c->hdr.num_attrs--;
	memmove(c->attrs + 1, c->attrs + 2,
		(c->hdr.num_attrs - 1) * sizeof(c->attrs[0]));
}

static void drop_last(struct call *c)
{
	c->hdr.num_attrs--;
}

static void spoil_wqe_count(struct call *c)
{
	(void)c;
	qp_uhw.sq_wqe_count = 3;
}

static void spoil_rq_shift(struct call *c)
{
	(void)c;
	qp_uhw.rq_wqe_shift = 40;
}

static void spoil_qp_buffer(struct call *c)
{
	(void)c;
	qp_uhw.buf_addr = 0x1000;
}

static void spoil_qp_flags(struct call *c)
{
	(void)c;
	qp_uhw.flags = 1u << 30;
}

static void spoil_send_wr(struct call *c)
{
	(void)c;
	cap.max_send_wr = 1u << 30;
}

static void spoil_srq_buffer(struct call *c)
{
	(void)c;
	srq_uhw.buf_addr = 0x1000;
}

static void spoil_srq_flags(struct call *c)
{
	(void)c;
	srq_uhw.flags = 1u << 30;
}

static void longer_nonzero_cap(struct call *c)
{
	static struct { struct ib_uverbs_qp_cap cap; uint32_t more; } in;

	in.cap = cap;
	in.more = 1;
	c->attrs[5].len = sizeof(in);
	c->attrs[5].data = (uintptr_t)&in;
}

static void longer_zero_cap(struct call *c)
{
	static struct { struct ib_uverbs_qp_cap cap; uint32_t more; } in;

	in.cap = cap;
	in.more = 0;
	c->attrs[5].len = sizeof(in);
	c->attrs[5].data = (uintptr_t)&in;
}

static void mod_dead(struct call *c)
{
	(void)c;
	modify.qp_handle = DEAD;
}

static void mod_port(struct call *c)
{
	(void)c;
	modify.port_num = 9;
}

static void mod_mask(struct call *c)
{
	(void)c;
	modify.attr_mask |= 1u << 30;
}

static void mod_rate(struct call *c)
{
	(void)c;
	modify.attr_mask |= 1u << 25;
}

static void mod_state(struct call *c)
{
	(void)c;
	modify.qp_state = 7;
}

static void mod_jump(struct call *c)
{
	(void)c;
	modify.qp_state = 3;
}

static void mod_lacks_pkey(struct call *c)
{
	(void)c;
	modify.attr_mask &= ~(1u << 4);
}

static void mod_access(struct call *c)
{
	(void)c;
	modify.qp_access_flags = 1u << 20;
}

static void ah_port(struct call *c)
{
	(void)c;
	ah.attr.port_num = 9;
}

static void ah_pd(struct call *c)
{
	(void)c;
	ah.pd_handle = DEAD;
}

static void query_mask(struct call *c)
{
	c->attrs[0].data = 1;
}

static void query_reserved(struct call *c)
{
	c->attrs[0].data = 1ull << 32;
}

static const struct bad cases[] = {
	{ "qp: dead pd", create_qp, 1, KEEP, DEAD, nothing },
	{ "qp: no pd", create_qp, -1, 0, 0, drop_first_but_one },
	{ "qp: dead cq", create_qp, 2, KEEP, DEAD, nothing },
	{ "qp: pd handle negative", create_qp, 1, KEEP, -1ull, nothing },
	{ "qp: type 0", create_qp, 4, KEEP, 0, nothing },
	{ "qp: type 7", create_qp, 4, KEEP, 7, nothing },
	{ "qp: huge type", create_qp, 4, KEEP, 1ull << 33, nothing },
	{ "qp: type of 4 bytes", create_qp, 4, 4, KEEP, nothing },
	{ "qp: cap too short", create_qp, 5, 16, KEEP, nothing },
	{ "qp: cap nowhere", create_qp, 5, KEEP, NOWHERE, nothing },
	{ "qp: longer cap, zero", create_qp, -1, 0, 0, longer_zero_cap },
	{ "qp: longer cap, not zero", create_qp, -1, 0, 0,
	  longer_nonzero_cap },
	{ "qp: unknown flag", create_qp, 7, KEEP, 1u << 30, nothing },
	{ "qp: flag for raw packets", create_qp, 7, KEEP, 1u << 8, nothing },
	{ "qp: flags of 5 bytes", create_qp, 7, 5, KEEP, nothing },
	{ "qp: answer nowhere", create_qp, 8, KEEP, NOWHERE, nothing },
	{ "qp: number nowhere", create_qp, 9, KEEP, NOWHERE, nothing },
	{ "qp: driver data nowhere", create_qp, 10, KEEP, NOWHERE, nothing },
	{ "qp: driver data of 8 bytes", create_qp, 10, 8, KEEP, nothing },
	{ "qp: driver flags", create_qp, -1, 0, 0, spoil_qp_flags },
	{ "qp: 3 send wqes", create_qp, -1, 0, 0, spoil_wqe_count },
	{ "qp: receive wqes too large", create_qp, -1, 0, 0, spoil_rq_shift },
	{ "qp: buffer not mapped", create_qp, -1, 0, 0, spoil_qp_buffer },
	{ "qp: too many sends", create_qp, -1, 0, 0, spoil_send_wr },
	{ "qp: good", create_qp, -1, 0, 0, nothing },
	{ "destroy qp: dead", destroy_qp, -1, 0, 0, nothing },
	{ "destroy qp: a cq", destroy_qp, 0, KEEP, 1, nothing },
	{ "destroy qp: no answer", destroy_qp, -1, 0, 0, drop_last },
	{ "destroy qp: answer of 8 bytes", destroy_qp, 1, 8, KEEP, nothing },
	{ "modify: dead", to_init, -1, 0, 0, mod_dead },
	{ "modify: port", to_init, -1, 0, 0, mod_port },
	{ "modify: unknown attribute", to_init, -1, 0, 0, mod_mask },
	{ "modify: attribute of the extended", to_init, -1, 0, 0, mod_rate },
	{ "modify: no such state", to_init, -1, 0, 0, mod_state },
	{ "modify: state after next", to_init, -1, 0, 0, mod_jump },
	{ "modify: attribute missing", to_init, -1, 0, 0, mod_lacks_pkey },
	{ "modify: short", to_init, 0, 100, KEEP, nothing },
	{ "modify: nowhere", to_init, 0, KEEP, NOWHERE, nothing },
	{ "modify: optional access flag", to_init, -1, 0, 0, mod_access },
	{ "modify: again", to_init, -1, 0, 0, nothing },
	{ "query qp: good", query_qp, -1, 0, 0, nothing },
	{ "query qp: answer short", query_qp, 2, 8, KEEP, nothing },
	{ "query qp: answer nowhere", query_qp, 2, KEEP, NOWHERE, nothing },
	{ "srq: dead pd", create_srq, 1, KEEP, DEAD, nothing },
	{ "srq: a cq as pd", create_srq, 1, KEEP, 1, nothing },
	{ "srq: type 9", create_srq, 2, KEEP, 9, nothing },
	{ "srq: no entries", create_srq, 4, KEEP, 0, nothing },
	{ "srq: many entries", create_srq, 4, KEEP, 0x7fffffff, nothing },
	{ "srq: many pieces", create_srq, 5, KEEP, 0x7fffffff, nothing },
	{ "srq: buffer not mapped", create_srq, -1, 0, 0, spoil_srq_buffer },
	{ "srq: driver flags", create_srq, -1, 0, 0, spoil_srq_flags },
	{ "srq: answer nowhere", create_srq, 7, KEEP, NOWHERE, nothing },
	{ "srq: good", create_srq, -1, 0, 0, nothing },
	{ "ah: port", create_ah, -1, 0, 0, ah_port },
	{ "ah: dead pd", create_ah, -1, 0, 0, ah_pd },
	{ "ah: short", create_ah, 0, 32, KEEP, nothing },
	{ "ah: good", create_ah, -1, 0, 0, nothing },
	{ "query device: comp_mask", query_device, -1, 0, 0, query_mask },
	{ "query device: reserved", query_device, -1, 0, 0, query_reserved },
	{ "query device: short", query_device, 0, 4, KEEP, nothing },
	{ "query device: answer short", query_device, 2, 64, KEEP, nothing },
	{ "query device: answer cut", query_device, 2, 200, KEEP, nothing },
	{ "query device: good", query_device, -1, 0, 0, nothing },
	{ "gid: port 0", gid_entry, 0, KEEP, 0, nothing },
	{ "gid: port 9", gid_entry, 0, KEEP, 9, nothing },
	{ "gid: port of 33 bits", gid_entry, 0, KEEP, 1ull << 32, nothing },
	{ "gid: empty index", gid_entry, 1, KEEP, 5, nothing },
	{ "gid: huge index", gid_entry, 1, KEEP, 0x7fffffff, nothing },
	{ "gid: flags", gid_entry, 2, KEEP, 1, nothing },
	{ "gid: answer short", gid_entry, 3, 16, KEEP, nothing },
	{ "gid: good", gid_entry, -1, 0, 0, nothing },
	{ "gids: entry of no bytes", gid_table, 0, KEEP, 0, nothing },
	{ "gids: entry does not divide", gid_table, 0, KEEP, 7, nothing },
	{ "gids: no room", gid_table, 1, 0, KEEP, nothing },
	{ "gids: nowhere", gid_table, 1, KEEP, NOWHERE, nothing },
	{ "gids: small entries", gid_table, 0, KEEP, 16, nothing },
	{ "gids: good", gid_table, -1, 0, 0, nothing },
	{ "handles: unknown object", info_handles, 0, KEEP, 0x3ff, nothing },
	{ "handles: any object", info_handles, 0, KEEP, 0xffff, nothing },
	{ "handles: huge object", info_handles, 0, KEEP, 1 << 16, nothing },
	{ "handles: list of 6 bytes", info_handles, 2, 6, KEEP, nothing },
	{ "handles: list nowhere", info_handles, 2, KEEP, NOWHERE, nothing },
	{ "handles: no list", info_handles, -1, 0, 0, drop_last },
	{ "handles: good", info_handles, -1, 0, 0, nothing },
	{ "async: length", alloc_async, 0, 4, KEEP, nothing },
	{ "async: good", alloc_async, -1, 0, 0, nothing },
};

static void say(const char *name, int error)
{
	printf("%s: %s\n", name, error ? strerrorname_np(error) : "0");
	fflush(stdout);
}

static void run(const struct bad *bad)
{
	struct call c;

	bad->make(&c);
	if (bad->make == query_device)
		c.attrs[0].data = 0;
	if (bad->attr >= 0) {
		if (bad->len != KEEP)
			c.attrs[bad->attr].len = bad->len;
		if (bad->data != KEEP)
			c.attrs[bad->attr].data = bad->data;
	}
	bad->spoil(&c);
	say(bad->name, call_run(x.fd, &c));
}

static void bad_channels(void)
{
	uint64_t event[2];
	uint32_t other;

	say("cq: channel 0", cq_create(&x, 0, 0, &other));
	say("cq: closed channel", cq_create(&x, 999, 0, &other));
	say("cq: async file as channel",
	    cq_create(&x, x.async_fd, 0, &other));
	say("channel: write", write(channel, event, 8) < 0 ? errno : 0);
	say("async: write", write(x.async_fd, event, 8) < 0 ? errno : 0);
	say("destroy pd: in use", pd_destroy(&x, pd));
	say("destroy cq: in use", cq_destroy(&x, cq, NULL));
}

void bad_objects(void)
{
	unsigned int i;

	say("objects: context", uctx_open(&x));
	say("objects: pd", pd_alloc(&x, &pd));
	say("objects: channel", channel_create(&x, &channel));
	say("objects: cq", cq_create(&x, channel, 0, &cq));
	say("objects: qp", qp_create(&x, pd, cq, &qp, &qpn));
	say("objects: to init", qp_to_init(&x, qp));
	for (i = 0; i < LENGTH(cases); i++)
		run(&cases[i]);
	bad_channels();
	uctx_close(&x);
	close(channel);
}
