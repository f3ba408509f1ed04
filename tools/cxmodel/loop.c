// SPDX-License-Identifier: GPL-2.0-only
/*
 * The loop: one thread serves the transport, the control socket and the timers.
 */
#include <errno.h>
#include <poll.h>

#include "control.h"
#include "model.h"
#include "trace.h"
#include "transport.h"

enum cxm_poll {
	CXM_POLL_TRANSPORT,
	CXM_POLL_CONTROL,
	CXM_POLL_CLIENTS,
	CXM_POLL_COUNT = CXM_POLL_CLIENTS + CXM_CONTROL_CLIENTS
};

static void cxm_loop_collect(struct cxm *m, const struct cxm_control *ctl,
			     struct pollfd *fds)
{
	int i;

	for (i = 0; i < CXM_POLL_COUNT; i++)
		fds[i] = (struct pollfd){ .fd = -1, .events = POLLIN };
	fds[CXM_POLL_TRANSPORT].fd = m->transport->ops->fd(m->transport);
	if (!ctl)
		return;
	fds[CXM_POLL_CONTROL].fd = ctl->listen_fd;
	for (i = 0; i < CXM_CONTROL_CLIENTS; i++)
		fds[CXM_POLL_CLIENTS + i].fd = ctl->client[i].fd;
}

static void cxm_loop_control(struct cxm *m, struct cxm_control *ctl,
			     const struct pollfd *fds)
{
	int i;

	for (i = 0; i < CXM_CONTROL_CLIENTS; i++)
		if (fds[CXM_POLL_CLIENTS + i].revents)
			cxm_control_input(m, &ctl->client[i]);
	if (fds[CXM_POLL_CONTROL].revents)
		cxm_control_accept(ctl);
}

/* The client is gone: wait for the next one, or end. */
static int cxm_loop_client_gone(struct cxm *m, int reason)
{
	const struct cxm_transport_ops *ops = m->transport->ops;

	cxm_trace(m, "client gone (%d)", reason);
	if (m->cfg.stay && !ops->reopen(m->transport))
		return 0;
	m->stop = true;
	return reason == -ECONNRESET ? 0 : reason;
}

/**
 * cxm_loop() - serve until told to stop or the client is gone
 * @m: the model
 * @control: NULL if there is none
 *
 * Return: 0, or a negative errno if the client broke the protocol.
 */
int cxm_loop(struct cxm *m, struct cxm_control *control)
{
	struct pollfd fds[CXM_POLL_COUNT];
	int n, ret = 0;

	while (!m->stop) {
		cxm_loop_collect(m, control, fds);
		n = poll(fds, CXM_POLL_COUNT, cxm_timers_wait_ms(m));
		if (n > 0 && fds[CXM_POLL_TRANSPORT].revents) {
			ret = m->transport->ops->input(m->transport);
			if (ret)
				ret = cxm_loop_client_gone(m, ret);
		}
		if (n > 0 && control)
			cxm_loop_control(m, control, fds);
		cxm_timers_run(m);
	}
	return ret;
}
