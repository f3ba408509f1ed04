/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls about what is shared, or refers to others: XRC domains and what is in
 * them, multicast groups, windows. All functions return 0 or a positive errno.
 */
#ifndef UVERBS_CALLS_SHARED_H
#define UVERBS_CALLS_SHARED_H

#include "calls.h"

#define MLID	0xc001

int xrcd_open(struct uctx *x, int fd, uint32_t oflags, uint32_t *xrcd);
int xrcd_close(struct uctx *x, uint32_t xrcd);
/* an XRC target, for everybody who has the domain */
int target_create(struct uctx *x, uint32_t xrcd, uint32_t *qp, uint32_t *qpn);
int target_open(struct uctx *x, uint32_t xrcd, uint32_t qpn, uint32_t *qp);
int xsrq_create(struct uctx *x, uint32_t pd, uint32_t xrcd, uint32_t cq,
		uint32_t *srq);
int ud_qp_create(struct uctx *x, uint32_t pd, uint32_t cq, uint32_t *qp);
int mcast_attach(struct uctx *x, uint32_t qp, uint8_t group, uint16_t lid);
int mcast_detach(struct uctx *x, uint32_t qp, uint8_t group, uint16_t lid);
int mw_alloc(struct uctx *x, uint32_t pd, uint32_t *mw);
int mw_dealloc(struct uctx *x, uint32_t mw);

#endif /* UVERBS_CALLS_SHARED_H */
