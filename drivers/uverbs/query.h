/* SPDX-License-Identifier: GPL-2.0-only */
/* What a device tells about itself. */
#ifndef UVERBS_QUERY_H
#define UVERBS_QUERY_H

struct uverbs_bundle;

int uverbs_query_port(struct uverbs_bundle *b);
int uverbs_query_port_speed(struct uverbs_bundle *b);
int uverbs_query_gid_table(struct uverbs_bundle *b);
int uverbs_query_gid_entry(struct uverbs_bundle *b);

#endif /* UVERBS_QUERY_H */
