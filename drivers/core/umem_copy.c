// SPDX-License-Identifier: GPL-2.0-only
#include <linux/highmem.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <ib/umem.h>
#include "core_priv.h"
#include "umem_runs.h"

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
	size_t at = offset + offset_in_page(umem->address), len;

	if (offset > umem->length || length > umem->length - offset)
		return ib_refuse(IB_LAYER_UMEM, -EINVAL,
				 "%llu bytes from %llu are not in the memory",
				 length, offset);
	for (; length; length -= len, at += len, dst += len) {
		len = min(length, PAGE_SIZE - offset_in_page(at));
		memcpy_from_page(dst, ib_runs_page(&umem->runs,
						   at >> PAGE_SHIFT),
				 offset_in_page(at), len);
	}
	return 0;
}
EXPORT_SYMBOL_IB(ib_umem_copy_from);
