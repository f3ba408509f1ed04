/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CX_DB_H
#define CX_DB_H

#include <linux/types.h>

struct cx_db_page;
struct cx_dev;

/**
 * struct cx_db - the doorbell record of a kernel queue
 * @rec: its two words
 * @dma: their address
 * @page: the page it lies in
 * @slot: where in the page
 */
struct cx_db {
	__be32 *rec;
	dma_addr_t dma;
	struct cx_db_page *page;
	unsigned int slot;
};

int cx_db_init(struct cx_dev *cx);
void cx_db_exit(struct cx_dev *cx);
int cx_db_alloc(struct cx_dev *cx, struct cx_db *db);
void cx_db_free(struct cx_dev *cx, struct cx_db *db);

#endif /* CX_DB_H */
