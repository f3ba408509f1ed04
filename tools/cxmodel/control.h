/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The control socket: what no real adapter offers. One command a line, answered
 * by one line of JSON.
 */
#ifndef CXM_CONTROL_H
#define CXM_CONTROL_H

#include <stdio.h>

#include "types.h"

#define CXM_CONTROL_CLIENTS	4
#define CXM_CONTROL_LINE	256

struct cxm_control_client {
	int	fd;		/* -1: free */
	u32	len;
	char	line[CXM_CONTROL_LINE];
};

struct cxm_control {
	int	listen_fd;
	const char *path;
	struct cxm_control_client client[CXM_CONTROL_CLIENTS];
};

/* 0 or a negative errno. */
int cxm_control_open(struct cxm_control *ctl, const char *path);
void cxm_control_close(struct cxm_control *ctl);

void cxm_control_accept(struct cxm_control *ctl);
void cxm_control_input(struct cxm *m, struct cxm_control_client *cl);

/* control_cmd.c: execute one line, write one line of JSON without its end. */
void cxm_control_execute(struct cxm *m, char *line, FILE *answer);

#endif /* CXM_CONTROL_H */
