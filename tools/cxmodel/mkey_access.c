// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a memory key grants, and where in guest memory that is.
 *
 * A key translates an address range in one of four ways: PA, the address is the
 * bus address; MTT, a list of pages of one size; KLM and KSM, a list of pieces
 * of other keys (of one size with KSM); MEMIC, the address counts from the
 * start of a piece of device memory. Keys in a list must not have one
 * themselves: one level is what memory windows need, and the depth is bounded.
 */
#include <string.h>

#include "dma.h"
#include "mkey.h"
#include "model.h"
#include "trace.h"

static const char *const cxm_mkey_results[] = {
	[CXM_MKEY_OK]		= "ok",
	[CXM_MKEY_NO_KEY]	= "no such key",
	[CXM_MKEY_FREE]		= "key is not enabled",
	[CXM_MKEY_PD]		= "key of another PD",
	[CXM_MKEY_QP]		= "key of another QP",
	[CXM_MKEY_RANGE]	= "out of the key's range",
	[CXM_MKEY_PERM]		= "right missing",
	[CXM_MKEY_DMA]		= "memory not mapped",
	[CXM_MKEY_NESTED]	= "unusable key in a list",
	[CXM_MKEY_FAULT]	= "page is missing",
};

/**
 * cxm_mkey_result_name() - a refusal in words
 * @r: the refusal
 *
 * Return: a constant string.
 */
const char *cxm_mkey_result_name(enum cxm_mkey_result r)
{
	return cxm_mkey_results[r];
}

/* First address of the key's range, as work requests count */
static u64 cxm_mkey_base(const struct cxm_mkey *k)
{
	return k->mode == CX_MKC_MEMIC ? 0 : k->start;
}

static enum cxm_mkey_result cxm_mkey_allows(const struct cxm_mkey *k, u32 pdn,
					    u32 qpn, u64 iova, u64 len,
					    u32 need)
{
	if (k->free)
		return CXM_MKEY_FREE;
	if (k->pdn != pdn)
		return CXM_MKEY_PD;
	if (k->qpn != CX_MKC_ANY_QPN && k->qpn != qpn)
		return CXM_MKEY_QP;
	if (need & ~k->access)
		return CXM_MKEY_PERM;
	if (!len || k->length64)
		return CXM_MKEY_OK;
	iova -= cxm_mkey_base(k);
	if (len > k->len || iova > k->len - len)
		return CXM_MKEY_RANGE;
	return CXM_MKEY_OK;
}

/* A piece of a key's range: where it is, and how far it goes. */
struct cxm_piece {
	u64	addr;	/* on the bus, or in another key */
	u64	len;
	bool	nested;	/* in another key, @key */
	u32	key;
	u8	*own;	/* the adapter's own memory, instead of @addr */
};

static bool cxm_writes(u32 need)
{
	return need & (CXM_LOCAL_WRITE | CXM_REMOTE_WRITE | CXM_REMOTE_ATOMIC);
}

/* What comes back is for a read, an atomic included. */
static u64 cxm_mtt_needs(u32 need)
{
	if (need & CXM_REMOTE_ATOMIC)
		return CX_MTT_PRESENT;
	return cxm_writes(need) ? CX_MTT_WRITE : CX_MTT_READ;
}

static enum cxm_mkey_result cxm_mkey_mtt(const struct cxm_mkey *k, u64 iova,
					 u32 need, struct cxm_piece *p)
{
	u64 page = 1ull << k->page_shift;
	u64 i = (iova >> k->page_shift) - (k->start >> k->page_shift);
	u64 entry;

	if (i >= (u64)k->octwords * CX_MTT_PER_OCTWORD)
		return CXM_MKEY_RANGE;
	entry = be64_to_cpu(k->mtt[i]);
	if (k->paged && (cxm_mtt_needs(need) & ~entry))
		return CXM_MKEY_FAULT;
	p->addr = (entry & CX_MTT_ADDR_MASK) | (iova & (page - 1));
	p->len = page - (iova & (page - 1));
	return CXM_MKEY_OK;
}

static enum cxm_mkey_result cxm_mkey_memic(const struct cxm_mkey *k, u64 iova,
					   struct cxm_piece *p)
{
	if (iova >= k->len)
		return CXM_MKEY_RANGE;
	p->own = k->memic->data + (k->start - k->memic->start) + iova;
	p->len = k->len - iova;
	return CXM_MKEY_OK;
}

static enum cxm_mkey_result cxm_mkey_ksm(const struct cxm_mkey *k, u64 iova,
					 struct cxm_piece *p)
{
	u64 bytes = 1ull << k->page_shift;
	u64 off = iova - k->start;
	u64 i = off >> k->page_shift;

	if (i >= k->octwords)
		return CXM_MKEY_RANGE;
	off &= bytes - 1;
	p->addr = be64_to_cpu(k->klm[i].va) + off;
	p->len = bytes - off;
	p->key = be32_to_cpu(k->klm[i].key);
	p->nested = true;
	return CXM_MKEY_OK;
}

static enum cxm_mkey_result cxm_mkey_klm(const struct cxm_mkey *k, u64 iova,
					 struct cxm_piece *p)
{
	u64 off = iova - k->start;
	u32 i;

	for (i = 0; i < k->octwords; i++) {
		u64 bytes = be32_to_cpu(k->klm[i].bcount);

		if (off < bytes) {
			p->addr = be64_to_cpu(k->klm[i].va) + off;
			p->len = bytes - off;
			p->key = be32_to_cpu(k->klm[i].key);
			p->nested = true;
			return CXM_MKEY_OK;
		}
		off -= bytes;
	}
	return CXM_MKEY_RANGE;
}

static enum cxm_mkey_result cxm_mkey_piece(const struct cxm_mkey *k, u64 iova,
					   u32 need, struct cxm_piece *p)
{
	*p = (struct cxm_piece){ 0 };
	switch (k->mode) {
	case CX_MKC_PA:
		p->addr = iova;
		p->len = ~0ull;
		return CXM_MKEY_OK;
	case CX_MKC_MTT:
		return cxm_mkey_mtt(k, iova, need, p);
	case CX_MKC_MEMIC:
		return cxm_mkey_memic(k, iova, p);
	case CX_MKC_KLM:
		return cxm_mkey_klm(k, iova, p);
	default:
		return cxm_mkey_ksm(k, iova, p);
	}
}

/*
 * Replace a piece of another key by what that key makes of it. Remote rights are
 * those of the outer key; the inner one must allow the same locally. Where a
 * paged list has no key yet, software put the null key.
 */
static enum cxm_mkey_result cxm_mkey_nested(struct cxm *m,
					    const struct cxm_mkey *outer,
					    struct cxm_piece *p, u32 need)
{
	const struct cxm_mkey *k = cxm_mkey_find(m, p->key);
	enum cxm_mkey_result r;
	struct cxm_piece inner;

	if (outer->paged && p->key == CXM_NULL_MKEY)
		return CXM_MKEY_FAULT;
	if (!k || k->mode == CX_MKC_KLM || k->mode == CX_MKC_KSM ||
	    cxm_mkey_allows(k, outer->pdn, k->qpn, p->addr, p->len,
			    cxm_writes(need) ? CXM_LOCAL_WRITE : 0))
		return CXM_MKEY_NESTED;
	r = cxm_mkey_piece(k, p->addr, need, &inner);
	if (r)
		return r == CXM_MKEY_FAULT ? r : CXM_MKEY_NESTED;
	inner.len = min_u64(p->len, inner.len);
	*p = inner;
	return CXM_MKEY_OK;
}

/*
 * Where an address in a key that was checked leads, for at most @len bytes: on
 * the bus or in our own memory.
 */
static enum cxm_mkey_result cxm_mkey_translate(struct cxm *m,
					       const struct cxm_mkey *k,
					       u64 iova, u64 len, u32 need,
					       struct cxm_piece *p)
{
	enum cxm_mkey_result r = cxm_mkey_piece(k, iova, need, p);

	if (r)
		return r;
	p->len = min_u64(p->len, len);
	return p->nested ? cxm_mkey_nested(m, k, p, need) : CXM_MKEY_OK;
}

/**
 * cxm_mkey_check() - may this access be made?
 * @m: the model
 * @key: index and variant
 * @pdn: protection domain of who asks
 * @qpn: QP that asks
 * @iova: first address
 * @len: how many bytes; 0 leaves the range out
 * @need: rights, all of them
 *
 * Return: CXM_MKEY_OK or the first reason against it.
 */
enum cxm_mkey_result cxm_mkey_check(struct cxm *m, u32 key, u32 pdn, u32 qpn,
				    u64 iova, u64 len, u32 need)
{
	const struct cxm_mkey *k = cxm_mkey_find(m, key);
	enum cxm_mkey_result r;

	r = k ? cxm_mkey_allows(k, pdn, qpn, iova, len, need) :
		CXM_MKEY_NO_KEY;
	if (r)
		cxm_trace(m, "key 0x%x for qp 0x%x pd 0x%x 0x%llx+0x%llx: %s",
			  key, qpn, pdn, iova, len, cxm_mkey_result_name(r));
	return r;
}

/*
 * The translation leads to memory that the guest has not given us, or not any
 * more: with a vIOMMU what it unmapped. Without one all of its memory is given,
 * and what it does with a page nobody can know.
 */
static enum cxm_mkey_result cxm_mkey_astray(struct cxm *m,
					    const struct cxm_mkey *k, u64 iova,
					    const struct cxm_piece *p)
{
	if (m->cfg.check && !m->dead && cxm_pci_bus_master(m))
		cxm_violation(m, "mkey 0x%x leads from 0x%llx to 0x%llx, which is not mapped",
			      k->obj.num << CX_MKEY_INDEX_SHIFT | k->variant,
			      iova, p->addr);
	return CXM_MKEY_DMA;
}

/**
 * cxm_mkey_ptr() - check, then a pointer to the first contiguous run
 * @m: the model
 * @key: index and variant
 * @pdn: protection domain of who asks
 * @qpn: QP that asks
 * @iova: first address
 * @len: how many bytes; all are checked, then cut to the run
 * @need: rights, all of them
 * @ptr: set on success
 *
 * Context: the pointer is valid until control returns to the loop.
 * Return: CXM_MKEY_OK or why not.
 */
enum cxm_mkey_result cxm_mkey_ptr(struct cxm *m, u32 key, u32 pdn, u32 qpn,
				  u64 iova, u64 *len, u32 need, void **ptr)
{
	enum cxm_mkey_result r = cxm_mkey_check(m, key, pdn, qpn, iova, *len,
						need);
	const struct cxm_mkey *k = cxm_mkey_find(m, key);
	struct cxm_piece p;

	if (r)
		return r;
	r = cxm_mkey_translate(m, k, iova, *len, need, &p);
	if (r)
		return r;
	*len = p.len;
	*ptr = p.own ? p.own : cxm_dma_ptr(m, p.addr, len, cxm_writes(need));
	return *ptr ? CXM_MKEY_OK : cxm_mkey_astray(m, k, iova, &p);
}

static bool cxm_piece_read(struct cxm *m, const struct cxm_piece *p, u8 *out)
{
	if (!p->own)
		return cxm_dma_read(m, p->addr, out, p->len);
	memcpy(out, p->own, p->len);
	return true;
}

static bool cxm_piece_write(struct cxm *m, const struct cxm_piece *p,
			    const u8 *in)
{
	if (!p->own)
		return cxm_dma_write(m, p->addr, in, p->len);
	memcpy(p->own, in, p->len);
	return true;
}

/* One copy loop for both directions: exactly one of @in and @out is given. */
static enum cxm_mkey_result cxm_mkey_copy(struct cxm *m,
					  const struct cxm_mkey *k, u64 iova,
					  u8 *out, const u8 *in, u64 len,
					  u32 need)
{
	enum cxm_mkey_result r;
	struct cxm_piece p;
	u64 done;

	for (done = 0; done < len; done += p.len) {
		r = cxm_mkey_translate(m, k, iova + done, len - done, need, &p);
		if (r)
			return r;
		if (!(in ? cxm_piece_write(m, &p, in + done) :
			   cxm_piece_read(m, &p, out + done)))
			return cxm_mkey_astray(m, k, iova + done, &p);
	}
	return CXM_MKEY_OK;
}

/**
 * cxm_mkey_read() - check, then copy from guest memory
 * @m: the model
 * @key: index and variant
 * @pdn: protection domain of who asks
 * @qpn: QP that asks
 * @iova: first address
 * @buf: where to
 * @len: how many bytes
 * @need: rights, all of them
 *
 * Return: CXM_MKEY_OK or why not.
 */
enum cxm_mkey_result cxm_mkey_read(struct cxm *m, u32 key, u32 pdn, u32 qpn,
				   u64 iova, void *buf, u64 len, u32 need)
{
	enum cxm_mkey_result r = cxm_mkey_check(m, key, pdn, qpn, iova, len,
						need);

	return r ? r : cxm_mkey_copy(m, cxm_mkey_find(m, key), iova, buf, NULL,
				     len, need);
}

/**
 * cxm_mkey_write() - check, then copy to guest memory
 * @m: the model
 * @key: index and variant
 * @pdn: protection domain of who asks
 * @qpn: QP that asks
 * @iova: first address
 * @buf: where from
 * @len: how many bytes
 * @need: rights, all of them
 *
 * Return: CXM_MKEY_OK or why not.
 */
enum cxm_mkey_result cxm_mkey_write(struct cxm *m, u32 key, u32 pdn, u32 qpn,
				    u64 iova, const void *buf, u64 len,
				    u32 need)
{
	enum cxm_mkey_result r = cxm_mkey_check(m, key, pdn, qpn, iova, len,
						need);

	return r ? r : cxm_mkey_copy(m, cxm_mkey_find(m, key), iova, NULL, buf,
				     len, need);
}
