// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fail the n-th allocation or user copy of a call, for n = 1, 2, ... until
 * none is hit. A call that fails must leave nothing, one that succeeds in
 * spite of it must work. Leaks show in the kernel: run it with kmemleak, and
 * look at the adapter's census. Needs CONFIG_FAULT_INJECTION; TAP.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "calls_memory.h"
#include "calls_shared.h"
#include "sweep.h"

static struct uctx x;
static uint32_t pd, cq, xrcd, target, target_qpn, ud;
static int file;	/* that the domain is of */

static int make_context(uint32_t *handle)
{
	static struct uctx other;
	int ret = uctx_open(&other);

	/* may have failed half way */
	if (other.memory && other.memory != (void *)-1)
		uctx_close(&other);
	*handle = 0;
	return ret;
}

static int end_context(uint32_t handle)
{
	(void)handle;
	return 0;
}

static int make_pd(uint32_t *handle)
{
	return pd_alloc(&x, handle);
}

static int end_pd(uint32_t handle)
{
	return pd_destroy(&x, handle);
}

static int make_mr(uint32_t *handle)
{
	return mr_reg(&x, pd, x.memory + 128 * PAGE, 16 * PAGE,
		      IB_UVERBS_ACCESS_LOCAL_WRITE, handle);
}

static int end_mr(uint32_t handle)
{
	return mr_destroy(&x, handle);
}

static int make_channel(uint32_t *handle)
{
	return channel_create(&x, (int *)handle);
}

static int end_channel(uint32_t handle)
{
	return close(handle) ? errno : 0;
}

static int make_cq(uint32_t *handle)
{
	return cq_create(&x, -1, 0, handle);
}

static int end_cq(uint32_t handle)
{
	return cq_destroy(&x, handle, NULL);
}

static int make_srq(uint32_t *handle)
{
	return srq_create(&x, pd, handle);
}

static int end_srq(uint32_t handle)
{
	return srq_destroy(&x, handle);
}

static int make_qp(uint32_t *handle)
{
	uint32_t qpn;

	return qp_create(&x, pd, cq, handle, &qpn);
}

static int end_qp(uint32_t handle)
{
	return qp_destroy(&x, handle);
}

static int make_mw(uint32_t *handle)
{
	return mw_alloc(&x, pd, handle);
}

static int end_mw(uint32_t handle)
{
	return mw_dealloc(&x, handle);
}

/* One that is there, by its file */
static int make_xrcd(uint32_t *handle)
{
	return xrcd_open(&x, file, 0, handle);
}

static int make_own_xrcd(uint32_t *handle)
{
	static int other = -1;

	if (other < 0)
		other = memfd_create("domain", 0);
	return xrcd_open(&x, other, O_CREAT | O_EXCL, handle);
}

static int end_xrcd(uint32_t handle)
{
	return xrcd_close(&x, handle);
}

static int make_target(uint32_t *handle)
{
	uint32_t qpn;

	return target_create(&x, xrcd, handle, &qpn);
}

static int open_target(uint32_t *handle)
{
	return target_open(&x, xrcd, target_qpn, handle);
}

static int make_xsrq(uint32_t *handle)
{
	return xsrq_create(&x, pd, xrcd, cq, handle);
}

static int attach(uint32_t *handle)
{
	*handle = ud;
	return mcast_attach(&x, ud, 1, MLID);
}

static int detach(uint32_t handle)
{
	return mcast_detach(&x, handle, 1, MLID);
}

static void contexts(void)
{
	sweep(&x, &(struct sweep){ make_context, end_context, 0 });
}

static void pds(void)
{
	sweep(&x, &(struct sweep){ make_pd, end_pd, UVERBS_OBJECT_PD });
}

static void mrs(void)
{
	sweep(&x, &(struct sweep){ make_mr, end_mr, UVERBS_OBJECT_MR });
}

static void channels(void)
{
	const struct sweep s = { make_channel, end_channel,
				 UVERBS_OBJECT_COMP_CHANNEL };

	sweep(&x, &s);
}

static void cqs(void)
{
	sweep(&x, &(struct sweep){ make_cq, end_cq, UVERBS_OBJECT_CQ });
}

static void srqs(void)
{
	sweep(&x, &(struct sweep){ make_srq, end_srq, UVERBS_OBJECT_SRQ });
}

static void qps(void)
{
	sweep(&x, &(struct sweep){ make_qp, end_qp, UVERBS_OBJECT_QP });
}

static void windows(void)
{
	sweep(&x, &(struct sweep){ make_mw, end_mw, UVERBS_OBJECT_MW });
}

static void domains(void)
{
	sweep(&x, &(struct sweep){ make_xrcd, end_xrcd, UVERBS_OBJECT_XRCD });
	sweep(&x, &(struct sweep){ make_own_xrcd, end_xrcd, UVERBS_OBJECT_XRCD });
}

static void targets(void)
{
	sweep(&x, &(struct sweep){ make_target, end_qp, UVERBS_OBJECT_QP });
	sweep(&x, &(struct sweep){ open_target, end_qp, UVERBS_OBJECT_QP });
}

static void xrc_srqs(void)
{
	sweep(&x, &(struct sweep){ make_xsrq, end_srq, UVERBS_OBJECT_SRQ });
}

static void attachments(void)
{
	sweep(&x, &(struct sweep){ attach, detach, UVERBS_OBJECT_QP });
}

/* Whoever leaves a group leaves it, whatever memory there is. */
static void detachments(void)
{
	int n, error, hit = 1;

	for (n = 1; n < INJECT_MAX && hit; n++) {
		want_err(mcast_attach(&x, ud, 1, MLID), 0);
		inject_arm(n);
		error = mcast_detach(&x, ud, 1, MLID);
		hit = inject_was_hit();
		/* what it asks for may be unreadable, that is all */
		if (error) {
			want_err(error, EFAULT);
			want_err(mcast_detach(&x, ud, 1, MLID), 0);
		}
	}
	want(!hit);
	tap_note("%d places", n - 2);
}

/* What was refused is as it was; what cannot be answered may be done. */
static void change_region(uint32_t flags)
{
	uint8_t *memory = x.memory + 128 * PAGE;
	struct ib_uverbs_rereg_mr in = {
		.flags = flags,
		.start = (uintptr_t)(memory + 16 * PAGE),
		.length = 8 * PAGE,
		.hca_va = (uintptr_t)(memory + 16 * PAGE),
		.access_flags = LOCAL_WRITE | REMOTE_READ,
	};
	struct mr_state was, now;
	int n, error, hit = 1, failed = 0;
	long before = pinned_kb();
	uint32_t other, key;

	want_err(pd_alloc(&x, &other), 0);
	in.pd_handle = other;
	for (n = 1; n < INJECT_MAX && hit; n++) {
		want_err(make_mr(&in.mr_handle), 0);
		want_err(mr_state(&x, in.mr_handle, &was), 0);
		inject_arm(n);
		error = mr_rereg(&x, &in, &key);
		hit = inject_was_hit();
		want(!error || (hit && inject_expected(error)));
		want_err(mr_state(&x, in.mr_handle, &now), 0);
		want(!error || error == EFAULT ||
		     !memcmp(&was, &now, sizeof(now)));
		want(pinned_kb() == before +
		     (long)(now.length / 1024));
		failed += !!error;
		want_err(end_mr(in.mr_handle), 0);
		want(pinned_kb() == before);
	}
	want(!hit && failed);
	want_err(pd_destroy(&x, other), 0);
	tap_note("flags %u: %d places, %d of them end the call", flags, n - 2,
		 failed);
}

static void changes(void)
{
	uint32_t flags;

	for (flags = 1; flags < 8 && !tap_failed; flags++)
		change_region(flags);
}

/* Memory is given back, whatever memory there is. */
static void deregistration(void)
{
	int n, error, hit = 1;
	uint32_t mr;

	for (n = 1; n < INJECT_MAX && hit; n++) {
		want_err(make_mr(&mr), 0);
		inject_arm(n);
		error = end_mr(mr);
		hit = inject_was_hit();
		/* what it asks for may be unreadable, that is all */
		if (error) {
			want_err(error, EFAULT);
			want_err(end_mr(mr), 0);
		}
	}
	want(!hit);
	tap_note("%d places", n - 2);
}

/* One of everything, in a file of its own */
static int make_all(struct uctx *y)
{
	uint32_t h, ypd, ycq, yqp, yxrcd, qpn;
	int fd, error = uctx_open(y);

	error = error ? error : pd_alloc(y, &ypd);
	error = error ? error : cq_create(y, -1, 0, &ycq);
	error = error ? error : mr_reg(y, ypd, y->memory + 128 * PAGE,
				       16 * PAGE, IB_UVERBS_ACCESS_LOCAL_WRITE,
				       &h);
	error = error ? error : channel_create(y, &fd);
	if (!error)
		close(fd);
	error = error ? error : mw_alloc(y, ypd, &h);
	error = error ? error : srq_create(y, ypd, &h);
	error = error ? error : qp_create(y, ypd, ycq, &h, &qpn);
	error = error ? error : qp_to_init(y, h);
	error = error ? error : xrcd_open(y, file, 0, &yxrcd);
	error = error ? error : target_open(y, yxrcd, target_qpn, &h);
	error = error ? error : target_create(y, yxrcd, &h, &qpn);
	error = error ? error : xsrq_create(y, ypd, yxrcd, ycq, &h);
	error = error ? error : ud_qp_create(y, ypd, ycq, &yqp);
	error = error ? error : mcast_attach(y, yqp, 1, MLID);
	return error ? error : mcast_attach(y, yqp, 2, MLID);
}

/* Nobody is there to try again: closing must not need memory. */
static void closing(void)
{
	struct uctx y;
	int n, hit = 1;

	for (n = 1; n < INJECT_MAX && hit; n++) {
		want_err(make_all(&y), 0);
		inject_arm(n);
		close(y.fd);
		hit = inject_was_hit();
		y.fd = -1;
		uctx_close(&y);
	}
	want(!hit);
	tap_note("%d places; the adapter's census says what they left", n - 2);
}

static const struct tap_test tests[] = {
	{ "contexts", contexts },
	{ "protection domains", pds },
	{ "memory regions", mrs },
	{ "changes of memory regions", changes },
	{ "deregistration", deregistration },
	{ "completion channels", channels },
	{ "completion queues", cqs },
	{ "shared receive queues", srqs },
	{ "queue pairs", qps },
	{ "memory windows", windows },
	{ "XRC domains", domains },
	{ "XRC targets", targets },
	{ "XRC shared receive queues", xrc_srqs },
	{ "multicast attachments", attachments },
	{ "leaving multicast groups", detachments },
	{ "closing", closing },
};

static int prepare(void)
{
	int error = uctx_open(&x);

	file = memfd_create("domain", 0);
	error = error ? error : pd_alloc(&x, &pd);
	error = error ? error : cq_create(&x, -1, 0, &cq);
	error = error ? error : xrcd_open(&x, file, O_CREAT, &xrcd);
	error = error ? error : target_create(&x, xrcd, &target, &target_qpn);
	return error ? error : ud_qp_create(&x, pd, cq, &ud);
}

int main(void)
{
	return sweep_main(prepare, tests, sizeof(tests) / sizeof(tests[0]));
}
