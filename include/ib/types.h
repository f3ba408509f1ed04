/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Enumerations of InfiniBand verbs. Where user space has the same number, it
 * comes from the kernel's own uapi headers and is only given its name here.
 */
#ifndef IB_TYPES_H
#define IB_TYPES_H

#include <linux/bits.h>
#include <linux/types.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>

struct ib_ah;
struct ib_cq;
struct ib_device;
struct ib_dm;
struct ib_mr;
struct ib_mw;
struct ib_pd;
struct ib_port_attr;
struct ib_qp;
struct ib_srq;
struct ib_ucontext;
struct ib_udata;
struct ib_umem;
struct ib_uobject;
struct ib_xrcd;

union ib_gid {
	u8 raw[16];
	struct {
		__be64 subnet_prefix, interface_id;
	} global;
};

enum ib_node_type {
	IB_NODE_CA = 1,
};

/* As user space sees it in query port: link_layer */
enum ib_link_layer {
	IB_LINK_UNSPECIFIED = 0,
	IB_LINK_INFINIBAND = 1,
	IB_LINK_ETHERNET = 2,
};

enum ib_port_state {
	IB_PORT_DOWN = 1,
	IB_PORT_INIT = 2,
	IB_PORT_ARMED = 3,
	IB_PORT_ACTIVE = 4,
};

enum ib_mtu {
	IB_MTU_256 = 1,
	IB_MTU_512 = 2,
	IB_MTU_1024 = 3,
	IB_MTU_2048 = 4,
	IB_MTU_4096 = 5,
};

/* PortInfo:LinkWidthActive and LinkSpeedActive */
enum ib_port_width {
	IB_WIDTH_1X = BIT(0),
	IB_WIDTH_4X = BIT(1),
	IB_WIDTH_8X = BIT(2),
	IB_WIDTH_12X = BIT(3),
	IB_WIDTH_2X = BIT(4),
};

enum ib_port_speed {
	IB_SPEED_SDR = BIT(0),
	IB_SPEED_DDR = BIT(1),
	IB_SPEED_QDR = BIT(2),
	IB_SPEED_FDR10 = BIT(3),
	IB_SPEED_FDR = BIT(4),
	IB_SPEED_EDR = BIT(5),
	IB_SPEED_HDR = BIT(6),
	IB_SPEED_NDR = BIT(7),
};

/* IBTA PortInfo:CapabilityMask bits we ask about */
#define IB_PORT_CAP_SM		BIT(1)
#define IB_PORT_CAP_CM		BIT(16)

enum ib_atomic_cap {
	IB_ATOMIC_NONE = 0,
	IB_ATOMIC_HCA = 1,
	IB_ATOMIC_GLOB = 2,
};

enum ib_qp_type {
	IB_QPT_SMI,		/* in-kernel only */
	IB_QPT_GSI,		/* in-kernel only */
	IB_QPT_RC = IB_UVERBS_QPT_RC,
	IB_QPT_XRC_INI = IB_UVERBS_QPT_XRC_INI,
	IB_QPT_XRC_TGT = IB_UVERBS_QPT_XRC_TGT,
	IB_QPT_UC = IB_UVERBS_QPT_UC,
	IB_QPT_UD = IB_UVERBS_QPT_UD,
	IB_QPT_RAW_PACKET = IB_UVERBS_QPT_RAW_PACKET,
	IB_QPT_DRIVER = IB_UVERBS_QPT_DRIVER,
};

enum ib_qp_state {
	IB_QPS_RESET = 0,
	IB_QPS_INIT = 1,
	IB_QPS_RTR = 2,
	IB_QPS_RTS = 3,
	IB_QPS_SQD = 4,
	IB_QPS_SQE = 5,
	IB_QPS_ERR = 6,
	IB_QPS_COUNT = 7,
};

enum ib_mig_state {
	IB_MIG_MIGRATED = 0,
	IB_MIG_REARM = 1,
	IB_MIG_ARMED = 2,
};

/* Which fields of struct ib_qp_attr count; the bits are user ABI. */
enum ib_qp_attr_mask {
	IB_QP_STATE = BIT(0),
	IB_QP_CUR_STATE = BIT(1),
	IB_QP_EN_SQD_ASYNC_NOTIFY = BIT(2),
	IB_QP_ACCESS_FLAGS = BIT(3),
	IB_QP_PKEY_INDEX = BIT(4),
	IB_QP_PORT = BIT(5),
	IB_QP_QKEY = BIT(6),
	IB_QP_AV = BIT(7),
	IB_QP_PATH_MTU = BIT(8),
	IB_QP_TIMEOUT = BIT(9),
	IB_QP_RETRY_CNT = BIT(10),
	IB_QP_RNR_RETRY = BIT(11),
	IB_QP_RQ_PSN = BIT(12),
	IB_QP_MAX_QP_RD_ATOMIC = BIT(13),
	IB_QP_ALT_PATH = BIT(14),
	IB_QP_MIN_RNR_TIMER = BIT(15),
	IB_QP_SQ_PSN = BIT(16),
	IB_QP_MAX_DEST_RD_ATOMIC = BIT(17),
	IB_QP_PATH_MIG_STATE = BIT(18),
	IB_QP_CAP = BIT(19),
	IB_QP_DEST_QPN = BIT(20),
	IB_QP_RATE_LIMIT = BIT(25),
};

#define IB_QP_ATTR_STANDARD_BITS	GENMASK(20, 0)

enum ib_access_flags {
	IB_ACCESS_LOCAL_WRITE = IB_UVERBS_ACCESS_LOCAL_WRITE,
	IB_ACCESS_REMOTE_READ = IB_UVERBS_ACCESS_REMOTE_READ,
	IB_ACCESS_REMOTE_WRITE = IB_UVERBS_ACCESS_REMOTE_WRITE,
	IB_ACCESS_REMOTE_ATOMIC = IB_UVERBS_ACCESS_REMOTE_ATOMIC,
	IB_ACCESS_ZERO_BASED = IB_UVERBS_ACCESS_ZERO_BASED,
	IB_ACCESS_MW_BIND = IB_UVERBS_ACCESS_MW_BIND,
	IB_ACCESS_HUGETLB = IB_UVERBS_ACCESS_HUGETLB,
	IB_ACCESS_ON_DEMAND = IB_UVERBS_ACCESS_ON_DEMAND,
	IB_ACCESS_RELAXED_ORDERING = IB_UVERBS_ACCESS_RELAXED_ORDERING,
};

/* What a device can do with memory that is not pinned; user ABI */
enum ib_odp_general_caps {
	IB_ODP_SUPPORT = BIT(0),
	IB_ODP_SUPPORT_IMPLICIT = BIT(1),	/* all addresses in one region */
};

/* ... and for which operations of a transport */
enum ib_odp_transport_caps {
	IB_ODP_SUPPORT_SEND = BIT(0),
	IB_ODP_SUPPORT_RECV = BIT(1),
	IB_ODP_SUPPORT_WRITE = BIT(2),
	IB_ODP_SUPPORT_READ = BIT(3),
	IB_ODP_SUPPORT_ATOMIC = BIT(4),
	IB_ODP_SUPPORT_SRQ_RECV = BIT(5),
};

/* All that the user ABI defines, known to us or not */
#define IB_ACCESS_KNOWN		(IB_ACCESS_LOCAL_WRITE | \
				 IB_ACCESS_REMOTE_WRITE | \
				 IB_ACCESS_REMOTE_READ | \
				 IB_ACCESS_REMOTE_ATOMIC | \
				 IB_ACCESS_MW_BIND | IB_ACCESS_ZERO_BASED | \
				 IB_ACCESS_ON_DEMAND | IB_ACCESS_HUGETLB | \
				 IB_UVERBS_ACCESS_FLUSH_GLOBAL | \
				 IB_UVERBS_ACCESS_FLUSH_PERSISTENT | \
				 IB_UVERBS_ACCESS_OPTIONAL_RANGE)

/* Rights that let the adapter write into the memory */
#define IB_ACCESS_WRITES	(IB_ACCESS_LOCAL_WRITE | \
				 IB_ACCESS_REMOTE_WRITE | \
				 IB_ACCESS_REMOTE_ATOMIC | \
				 IB_ACCESS_MW_BIND)

enum ib_wc_status {
	IB_WC_SUCCESS = 0,
	IB_WC_LOC_LEN_ERR = 1,
	IB_WC_LOC_QP_OP_ERR = 2,
	IB_WC_LOC_EEC_OP_ERR = 3,
	IB_WC_LOC_PROT_ERR = 4,
	IB_WC_WR_FLUSH_ERR = 5,
	IB_WC_MW_BIND_ERR = 6,
	IB_WC_BAD_RESP_ERR = 7,
	IB_WC_LOC_ACCESS_ERR = 8,
	IB_WC_REM_INV_REQ_ERR = 9,
	IB_WC_REM_ACCESS_ERR = 10,
	IB_WC_REM_OP_ERR = 11,
	IB_WC_RETRY_EXC_ERR = 12,
	IB_WC_RNR_RETRY_EXC_ERR = 13,
	IB_WC_LOC_RDD_VIOL_ERR = 14,
	IB_WC_REM_INV_RD_REQ_ERR = 15,
	IB_WC_REM_ABORT_ERR = 16,
	IB_WC_INV_EECN_ERR = 17,
	IB_WC_INV_EEC_STATE_ERR = 18,
	IB_WC_FATAL_ERR = 19,
	IB_WC_RESP_TIMEOUT_ERR = 20,
	IB_WC_GENERAL_ERR = 21,
};

#endif /* IB_TYPES_H */
