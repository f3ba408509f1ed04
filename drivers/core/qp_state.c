// SPDX-License-Identifier: GPL-2.0-only
/*
 * The life of a queue pair, from the IBTA spec (vol 1, 10.3.1): which state
 * follows which, and which attributes a step needs and takes. Pure.
 *
 * A rule holds for all types in its set. Steps to RESET and to ERR need and
 * take nothing and have no rule.
 */
#include <linux/bits.h>
#include <linux/kernel.h>
#include <ib/export.h>
#include <ib/qp.h>

#define RC	BIT(IB_QPT_RC)
#define UC	BIT(IB_QPT_UC)
#define UD	BIT(IB_QPT_UD)
#define RAW	BIT(IB_QPT_RAW_PACKET)
#define INI	BIT(IB_QPT_XRC_INI)
#define TGT	BIT(IB_QPT_XRC_TGT)
/* queue pair 0 and 1; they belong to their port, so it is not an attribute */
#define QP01	(BIT(IB_QPT_SMI) | BIT(IB_QPT_GSI))
#define DGRAM	(UD | QP01)
#define CONN	(RC | UC | INI | TGT)
#define ALL	(DGRAM | CONN | RAW)

#define PKEY	IB_QP_PKEY_INDEX
#define PORT	IB_QP_PORT
#define QKEY	IB_QP_QKEY
#define ACC	IB_QP_ACCESS_FLAGS
#define PATH	(IB_QP_AV | IB_QP_PATH_MTU | IB_QP_DEST_QPN | IB_QP_RQ_PSN)
#define RESP	(IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER)
#define REQ	(IB_QP_RETRY_CNT | IB_QP_RNR_RETRY | IB_QP_MAX_QP_RD_ATOMIC)
#define ALT	IB_QP_ALT_PATH
#define CUR	IB_QP_CUR_STATE
#define MIG	IB_QP_PATH_MIG_STATE
#define RNR	IB_QP_MIN_RNR_TIMER

static const struct rule {
	u8	cur;
	u8	next;
	u16	types;
	u32	needs;
	u32	takes;
} rules[] = {
	{ IB_QPS_RESET, IB_QPS_INIT, CONN, PKEY | PORT | ACC, 0 },
	{ IB_QPS_RESET, IB_QPS_INIT, UD, PKEY | PORT | QKEY, 0 },
	{ IB_QPS_RESET, IB_QPS_INIT, QP01, PKEY | QKEY, 0 },
	{ IB_QPS_RESET, IB_QPS_INIT, RAW, PORT, 0 },

	{ IB_QPS_INIT, IB_QPS_INIT, CONN, 0, PKEY | PORT | ACC },
	{ IB_QPS_INIT, IB_QPS_INIT, UD, 0, PKEY | PORT | QKEY },
	{ IB_QPS_INIT, IB_QPS_INIT, QP01, 0, PKEY | QKEY },
	{ IB_QPS_INIT, IB_QPS_INIT, RAW, 0, 0 },

	{ IB_QPS_INIT, IB_QPS_RTR, RC | TGT, PATH | RESP, ALT | ACC | PKEY },
	{ IB_QPS_INIT, IB_QPS_RTR, UC | INI, PATH, ALT | ACC | PKEY },
	{ IB_QPS_INIT, IB_QPS_RTR, DGRAM, 0, PKEY | QKEY },
	{ IB_QPS_INIT, IB_QPS_RTR, RAW, 0, 0 },

	{ IB_QPS_RTR, IB_QPS_RTS, RC, IB_QP_TIMEOUT | REQ | IB_QP_SQ_PSN,
	  CUR | ALT | ACC | MIG | RNR },
	{ IB_QPS_RTR, IB_QPS_RTS, INI, IB_QP_TIMEOUT | REQ | IB_QP_SQ_PSN,
	  CUR | ALT | ACC | MIG },
	{ IB_QPS_RTR, IB_QPS_RTS, TGT, IB_QP_TIMEOUT | IB_QP_SQ_PSN,
	  CUR | ALT | ACC | MIG | RNR },
	{ IB_QPS_RTR, IB_QPS_RTS, UC, IB_QP_SQ_PSN, CUR | ALT | ACC | MIG },
	{ IB_QPS_RTR, IB_QPS_RTS, DGRAM, IB_QP_SQ_PSN, CUR | QKEY },
	{ IB_QPS_RTR, IB_QPS_RTS, RAW, 0, IB_QP_RATE_LIMIT },

	{ IB_QPS_RTS, IB_QPS_RTS, RC | TGT, 0, CUR | ACC | ALT | MIG | RNR },
	{ IB_QPS_RTS, IB_QPS_RTS, UC | INI, 0, CUR | ACC | ALT | MIG },
	{ IB_QPS_RTS, IB_QPS_RTS, DGRAM, 0, CUR | QKEY },
	{ IB_QPS_RTS, IB_QPS_RTS, RAW, 0, IB_QP_RATE_LIMIT },

	{ IB_QPS_RTS, IB_QPS_SQD, CONN | DGRAM, 0, IB_QP_EN_SQD_ASYNC_NOTIFY },
	{ IB_QPS_RTS, IB_QPS_SQD, RAW, 0, 0 },

	{ IB_QPS_SQD, IB_QPS_RTS, RC | TGT, 0, CUR | ALT | ACC | RNR | MIG },
	{ IB_QPS_SQD, IB_QPS_RTS, UC | INI, 0, CUR | ALT | ACC | MIG },
	{ IB_QPS_SQD, IB_QPS_RTS, DGRAM, 0, CUR | QKEY },
	{ IB_QPS_SQD, IB_QPS_RTS, RAW, 0, 0 },

	{ IB_QPS_SQD, IB_QPS_SQD, RC, 0,
	  PORT | IB_QP_AV | IB_QP_TIMEOUT | REQ | RESP | ALT | ACC | PKEY |
	  MIG },
	{ IB_QPS_SQD, IB_QPS_SQD, INI, 0,
	  PORT | IB_QP_AV | IB_QP_TIMEOUT | REQ | ALT | ACC | PKEY | MIG },
	{ IB_QPS_SQD, IB_QPS_SQD, TGT, 0,
	  PORT | IB_QP_AV | IB_QP_TIMEOUT | RESP | ALT | ACC | PKEY | MIG },
	{ IB_QPS_SQD, IB_QPS_SQD, UC, 0, IB_QP_AV | ALT | ACC | PKEY | MIG },
	{ IB_QPS_SQD, IB_QPS_SQD, DGRAM, 0, PKEY | QKEY },
	{ IB_QPS_SQD, IB_QPS_SQD, RAW, 0, 0 },

	/* A connection does not survive a send error, so RC has no way back. */
	{ IB_QPS_SQE, IB_QPS_RTS, UC, 0, CUR | ACC },
	{ IB_QPS_SQE, IB_QPS_RTS, DGRAM, 0, CUR | QKEY },
	{ IB_QPS_SQE, IB_QPS_RTS, RC | INI | TGT | RAW, 0, 0 },
};

/* The only states that a caller may claim to know: the adapter leaves them. */
#define CLAIMABLE	(BIT(IB_QPS_RTR) | BIT(IB_QPS_RTS) | \
			 BIT(IB_QPS_SQD) | BIT(IB_QPS_SQE))

static const struct rule *find_rule(enum ib_qp_state cur,
				    enum ib_qp_state next,
				    enum ib_qp_type type)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rules); i++)
		if (rules[i].cur == cur && rules[i].next == next &&
		    (rules[i].types & BIT(type)))
			return &rules[i];
	return NULL;
}

/**
 * ib_modify_qp_is_ok() - is this step with these attributes legal?
 * @cur: state before
 * @next: state after
 * @type: type of the queue pair
 * @mask: enum ib_qp_attr_mask
 *
 * Context: Any context. Pure.
 * Return: true when it is.
 */
bool ib_modify_qp_is_ok(enum ib_qp_state cur, enum ib_qp_state next,
			enum ib_qp_type type, int mask)
{
	const struct rule *rule;

	if (cur >= IB_QPS_COUNT || next >= IB_QPS_COUNT || type >= 16)
		return false;
	if ((mask & IB_QP_CUR_STATE) && !(CLAIMABLE & BIT(cur)))
		return false;
	if (next == IB_QPS_RESET ||
	    (next == IB_QPS_ERR && cur != IB_QPS_RESET))
		return !(mask & ~IB_QP_STATE);

	rule = find_rule(cur, next, type);
	if (!rule || (mask & rule->needs) != rule->needs)
		return false;
	return !(mask & ~(rule->needs | rule->takes | IB_QP_STATE));
}
EXPORT_SYMBOL_IB(ib_modify_qp_is_ok);
