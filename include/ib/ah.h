/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef IB_AH_H
#define IB_AH_H

#include <ib/object.h>
#include <ib/types.h>

struct ib_pd;
struct ib_udata;

/**
 * struct ib_ah_attr - the path to a port
 * @dgid: destination GID, when @grh
 * @flow_label: of the GRH
 * @dlid: destination LID
 * @sgid_index: source GID, when @grh
 * @hop_limit: of the GRH
 * @traffic_class: of the GRH
 * @sl: service level
 * @src_path_bits: low bits of the source LID
 * @static_rate: IB rate code, 0 for none
 * @port_num: local port
 * @grh: the packet has a global route header
 */
struct ib_ah_attr {
	union ib_gid	dgid;
	u32		flow_label;
	u16		dlid;
	u8		sgid_index;
	u8		hop_limit;
	u8		traffic_class;
	u8		sl;
	u8		src_path_bits;
	u8		static_rate;
	u8		port_num;
	bool		grh;
};

struct ib_ah {
	struct ib_object	obj;
	struct ib_pd		*pd;
	struct ib_ah_attr	attr;
};

struct ib_ah *ib_create_ah(struct ib_pd *pd, const struct ib_ah_attr *attr,
			   struct ib_udata *udata);
int ib_destroy_ah(struct ib_ah *ah);

#endif /* IB_AH_H */
