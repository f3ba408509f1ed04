// SPDX-License-Identifier: GPL-2.0-only
#include <linux/scatterlist.h>
#include <ib/umem.h>
#include "core_priv.h"

/**
 * ib_umem_copy_from() - read pinned memory
 * @dst: to here
 * @umem: the memory; the process may write to it at the same time
 * @offset: from its first byte on
 * @length: bytes
 *
 * Context: Process context, of any process.
 * Return: 0; -EINVAL if it has not so many.
 */
int ib_umem_copy_from(void *dst, const struct ib_umem *umem, size_t offset,
		      size_t length)
{
	const struct sg_table *sgt = &umem->sgt.sgt;
	size_t got;

	if (offset > umem->length || length > umem->length - offset)
		return ib_refuse(IB_LAYER_UMEM, -EINVAL,
				 "%llu bytes from %llu are not in the memory",
				 length, offset);
	got = sg_pcopy_to_buffer(sgt->sgl, sgt->orig_nents, dst, length,
				 offset + offset_in_page(umem->address));
	return got == length ? 0 :
	       ib_refuse(IB_LAYER_UMEM, -EINVAL, "%llu of %llu bytes are there",
			 got, length);
}
EXPORT_SYMBOL_IB(ib_umem_copy_from);
