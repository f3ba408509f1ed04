/* SPDX-License-Identifier: GPL-2.0-only */
/* A device without an adapter: every object lives, no data moves. */
#ifndef KUNIT_FAKE_DEVICE_H
#define KUNIT_FAKE_DEVICE_H

#include <linux/completion.h>
#include <ib/device.h>
#include <ib/dm.h>
#include <ib/cq.h>
#include <ib/mr.h>
#include <ib/qp.h>
#include <ib/srq.h>
#include "fake_raw.h"

struct kunit;

#define FAKE_GIDS	4
#define FAKE_PKEYS	3
#define FAKE_LKEY	0x100	/* of every region; FAKE_LKEY + 1 is the rkey */
#define FAKE_MW_RKEY	0x200
#define FAKE_QPN	0x42	/* of the first queue pair, then counting */
#define FAKE_SRQN	0x77
#define FAKE_POSTS	4	/* work requests that a queue takes */
#define FAKE_SGES	4

/* A work request as the driver saw it, with its pieces of memory */
struct fake_post {
	struct ib_send_wr	send;
	struct ib_recv_wr	recv;
	struct ib_sge		sge[FAKE_SGES];
};

/**
 * struct fake_pause - where an operation of the driver waits for the test
 * @began: it is there
 * @go: it may go on
 */
struct fake_pause {
	struct completion	began;
	struct completion	go;
};

/**
 * struct fake_device - what a test sees of the driver's side
 * @ib: the device
 * @fail: errno of the next operation that can fail, then 0 again
 * @fail_after: operations that still work before @fail counts
 * @pause: the next query_port or rereg_user_mr waits here, NULL for none
 * @link: of the port
 * @made: objects that the driver has made and not destroyed
 * @destroyed_listed: objects that others could find while the driver was asked
 *                    to destroy them
 * @gids: the adapter's table
 * @modified: attribute mask of the last modify_qp
 * @mr: the region that was made last, of any kind
 * @dm_attr: what the last alloc_dm got
 * @dm_mr_attr: what the last reg_dm_mr got
 * @dmabuf_attr: what the last reg_user_mr_dmabuf got
 * @rereg: what the last rereg_user_mr got
 * @advice: what the last advise_mr got: advice, flags
 * @sge: first piece that the last advise_mr got
 * @num_sge: how many there were
 * @qp: the queue pair that was made last
 * @qps: how many were made, for their numbers
 * @srq_attr: what the last create_srq got
 * @groups: multicast groups that a queue pair is in, for tests with one GID
 * @mgid: of the last attachment
 * @mlid: of the last attachment
 * @posts: @num_posts work requests of the last post; more are refused
 * @num_posts: how many there were
 * @completions: that poll_cq still gives, with wr_id counting down to 0
 * @notify: what the last req_notify_cq got
 * @raw: what concerns work queues and flows
 */
struct fake_device {
	struct ib_device	ib;
	int			fail;
	unsigned int		fail_after;
	struct fake_pause	*pause;
	enum ib_link_layer	link;
	unsigned int		made;
	unsigned int		destroyed_listed;
	union ib_gid		gids[FAKE_GIDS];
	int			modified;
	struct ib_mr		*mr;
	struct ib_dm_alloc_attr	dm_attr;
	struct ib_dm_mr_attr	dm_mr_attr;
	struct ib_dmabuf_mr_attr dmabuf_attr;
	struct ib_rereg_attr	rereg;
	u32			advice[2];
	struct ib_uverbs_sge	sge;
	u32			num_sge;
	struct ib_qp		*qp;
	unsigned int		qps;
	struct ib_srq_init_attr	srq_attr;
	int			groups;
	union ib_gid		mgid;
	u16			mlid;
	struct fake_post	posts[FAKE_POSTS];
	unsigned int		num_posts;
	unsigned int		completions;
	enum ib_cq_notify	notify;
	struct fake_raw		raw;
};

struct fake_device *fake_device_alloc(struct kunit *test);
struct fake_device *fake_device_register(struct kunit *test);

void fake_pause_init(struct fake_pause *pause);

static inline struct fake_device *to_fake(struct ib_device *device)
{
	return container_of(device, struct fake_device, ib);
}

#endif /* KUNIT_FAKE_DEVICE_H */
