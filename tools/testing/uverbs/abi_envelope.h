/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef UVERBS_ABI_ENVELOPE_H
#define UVERBS_ABI_ENVELOPE_H

#include "abi_request.h"

extern const struct abi_envelope abi_ioctl_envelopes[];
extern const unsigned int abi_num_ioctl_envelopes;
extern const struct abi_envelope abi_write_envelopes[];
extern const unsigned int abi_num_write_envelopes;
/* those that a command without the extended header has as well */
extern const unsigned int abi_num_plain_envelopes;

#endif /* UVERBS_ABI_ENVELOPE_H */
