/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef UVERBS_ABI_ROUTES_H
#define UVERBS_ABI_ROUTES_H

struct abi_world;

/* The same fault by all routes: same errno, same reason. Prints TAP. */
int abi_routes(struct abi_world *w);

#endif /* UVERBS_ABI_ROUTES_H */
