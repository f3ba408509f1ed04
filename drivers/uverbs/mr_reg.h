/* SPDX-License-Identifier: GPL-2.0-only */
/* Native methods that make memory regions, and the advice about them. */
#ifndef UVERBS_MR_REG_H
#define UVERBS_MR_REG_H

struct uverbs_bundle;

int uverbs_dm_mr_reg(struct uverbs_bundle *b);
int uverbs_advise_mr(struct uverbs_bundle *b);
int uverbs_reg_dmabuf_mr(struct uverbs_bundle *b);
int uverbs_reg_mr(struct uverbs_bundle *b);

#endif /* UVERBS_MR_REG_H */
