// SPDX-License-Identifier: GPL-2.0-only
/*
 * Addresses of outgoing packets: from the path of a connected QP or from the
 * address vector of a datagram.
 */
#include <string.h>

#include "engine.h"
#include "model.h"

#define CXM_GRH_NEXT_HEADER	0x1b	/* a base transport header follows */

static void cxm_fill_grh(struct cxm *m, struct cxm_packet *p, u32 tclass_label,
			 u8 hop_limit, u32 sgid, const u8 *dgid)
{
	__be32 word = cpu_to_be32(6u << 28 | (tclass_label & 0x0fffffff));

	p->has_grh = true;
	memset(p->grh, 0, sizeof(p->grh));
	memcpy(p->grh, &word, sizeof(word));
	p->grh[6] = CXM_GRH_NEXT_HEADER;
	p->grh[7] = hop_limit;
	memcpy(p->grh + 8, m->port.gid[sgid % CXM_PORT_GIDS], 16);
	memcpy(p->grh + 24, dgid, 16);
}

static u8 cxm_service_bits(const struct cxm_qp *qp)
{
	switch (qp->st) {
	case CX_QP_ST_UC:
		return CXM_PKT_UC;
	case CX_QP_ST_XRC:
		return CXM_PKT_XRC;
	case CX_QP_ST_RC:
		return CXM_PKT_RC;
	default:
		return CXM_PKT_UD;
	}
}

static u16 cxm_pkey(struct cxm *m, struct cxm_qp *qp)
{
	struct cx_ads *path = cx_qpc_primary_address_path(&qp->ctx);

	return m->port.pkey[cx_ads_get_pkey_index(path) % CXM_PORT_PKEYS];
}

struct cxm_packet *cxm_packet_to_peer(struct cxm *m, struct cxm_qp *qp,
				      enum cxm_pkt_kind kind, u8 flags,
				      u32 psn)
{
	struct cx_ads *path = cx_qpc_primary_address_path(&qp->ctx);
	struct cxm_packet *p = cxm_packet_alloc(m);

	if (!p)
		return NULL;
	p->opcode = cxm_pkt_opcode(cxm_service_bits(qp), kind, flags);
	p->slid = m->port.lid;
	p->dlid = cx_ads_get_rlid(path);
	p->sl = cx_ads_get_sl(path);
	p->force_lb = cx_ads_get_fl(path);
	p->pkey = cxm_pkey(m, qp);
	p->dqpn = cx_qpc_get_remote_qpn(&qp->ctx);
	p->psn = psn;
	if (cx_ads_get_grh(path))
		cxm_fill_grh(m, p, cx_ads_get_tclass(path) << 20 |
			     cx_ads_get_flow_label(path),
			     cx_ads_get_hop_limit(path),
			     cx_ads_get_src_addr_index(path),
			     cx_ads_rgid_rip(path));
	return p;
}

struct cxm_packet *cxm_packet_to_av(struct cxm *m, struct cxm_qp *qp,
				    const struct cx_wqe_av *av, u8 flags,
				    u32 psn)
{
	struct cxm_packet *p = cxm_packet_alloc(m);
	u32 gid = be32_to_cpu(av->grh_gid_fl);

	if (!p)
		return NULL;
	p->opcode = cxm_pkt_opcode(CXM_PKT_UD, CXM_PKT_SEND, flags);
	p->slid = m->port.lid;
	p->dlid = be16_to_cpu(av->rlid_udp_sport);
	p->sl = av->stat_rate_sl & 0xf;
	p->pkey = cxm_pkey(m, qp);
	p->dqpn = be32_to_cpu(av->dqp_dct) & 0xffffff;
	p->psn = psn;
	if (gid & CX_AV_GRH)
		cxm_fill_grh(m, p, (u32)av->tclass << 20 | (gid & 0xfffff),
			     av->hop_limit, gid >> 20 & 0xff, av->rgid);
	return p;
}
