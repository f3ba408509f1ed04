/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the lower half calls in the upper one. No type of verbs appears here,
 * so that the lower half need not know any.
 */
#ifndef CX_VERBS_IF_H
#define CX_VERBS_IF_H

#include <linux/types.h>

struct cx_dev;
struct cx_eqe;

int cx_verbs_init(struct cx_dev *cx);
void cx_verbs_exit(struct cx_dev *cx);
void cx_verbs_dead(struct cx_dev *cx);
void cx_verbs_page_fault(struct cx_dev *cx, const struct cx_eqe *eqe);
void cx_verbs_port_event(struct cx_dev *cx, u8 port, u8 sub_type);

#endif /* CX_VERBS_IF_H */
