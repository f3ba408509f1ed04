/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The only seam to the outside: who reads and writes our registers, where guest
 * memory is, how an interrupt gets out. transport_vfu.c serves QEMU,
 * transport_pipe.c serves the tests.
 */
#ifndef CXM_TRANSPORT_H
#define CXM_TRANSPORT_H

#include "types.h"

struct cxm_transport_ops {
	const char *name;
	/* What to poll for input, -1: none at the moment. */
	int	(*fd)(struct cxm_transport *t);
	/* There is input. 0, or a negative errno: the client is gone. */
	int	(*input)(struct cxm_transport *t);
	/* As cxm_dma_ptr(), without its checks of the function's state. */
	void	*(*dma_ptr)(struct cxm_transport *t, u64 iova, u64 *len,
			    bool write);
	void	(*irq)(struct cxm_transport *t, u32 vector);
	/* Wait for the next client. 0 or a negative errno. */
	int	(*reopen)(struct cxm_transport *t);
	void	(*destroy)(struct cxm_transport *t);
};

struct cxm_transport {
	const struct cxm_transport_ops *ops;
	struct cxm *m;
};

struct cxm_transport *cxm_transport_vfu(struct cxm *m, const char *path);
struct cxm_transport *cxm_transport_pipe(struct cxm *m, const char *mem);

#endif /* CXM_TRANSPORT_H */
