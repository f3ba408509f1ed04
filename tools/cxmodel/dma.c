// SPDX-License-Identifier: GPL-2.0-only
/*
 * Access to guest memory: through the transport's map, and only while the
 * function may master the bus.
 */
#include <string.h>

#include "dma.h"
#include "model.h"
#include "transport.h"

/**
 * cxm_dma_ptr() - a pointer to guest memory
 * @m: the model
 * @iova: bus address
 * @len: how much is wanted; cut to what is contiguous
 * @write: for writing
 *
 * Context: valid until control returns to the loop.
 * Return: the pointer, or NULL if this function may not access that address.
 */
void *cxm_dma_ptr(struct cxm *m, u64 iova, u64 *len, bool write)
{
	if (m->dead || !cxm_pci_bus_master(m))
		return NULL;
	return m->transport->ops->dma_ptr(m->transport, iova, len, write);
}

/**
 * cxm_dma_read() - copy from guest memory
 * @m: the model
 * @iova: bus address
 * @buf: where to
 * @len: in bytes
 *
 * Return: false if a part was not accessible.
 */
bool cxm_dma_read(struct cxm *m, u64 iova, void *buf, size_t len)
{
	while (len) {
		u64 run = len;
		void *p = cxm_dma_ptr(m, iova, &run, false);

		if (!p)
			return false;
		memcpy(buf, p, run);
		buf = (char *)buf + run;
		iova += run;
		len -= run;
	}
	return true;
}

/**
 * cxm_dma_write() - copy to guest memory
 * @m: the model
 * @iova: bus address
 * @buf: where from
 * @len: in bytes
 *
 * Return: false if a part was not accessible.
 */
bool cxm_dma_write(struct cxm *m, u64 iova, const void *buf, size_t len)
{
	while (len) {
		u64 run = len;
		void *p = cxm_dma_ptr(m, iova, &run, true);

		if (!p)
			return false;
		memcpy(p, buf, run);
		buf = (const char *)buf + run;
		iova += run;
		len -= run;
	}
	return true;
}

/**
 * cxm_dma_publish() - write an entry, the byte that hands it over last
 * @m: the model
 * @iova: bus address
 * @entry: what to write
 * @len: in bytes; its last byte gives the entry to software
 *
 * Return: false if the memory is not accessible or not contiguous.
 */
bool cxm_dma_publish(struct cxm *m, u64 iova, const void *entry, size_t len)
{
	u64 run = len;
	u8 *p = cxm_dma_ptr(m, iova, &run, true);

	if (!p || run < len)
		return false;
	memcpy(p, entry, len - 1);
	__atomic_store_n(p + len - 1, ((const u8 *)entry)[len - 1],
			 __ATOMIC_RELEASE);
	return true;
}
