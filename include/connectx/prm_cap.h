/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Capability groups of QUERY_HCA_CAP and SET_HCA_CAP: general, on-demand
 * paging, atomic, RoCE, device memory.
 */
#ifndef CONNECTX_PRM_CAP_H
#define CONNECTX_PRM_CAP_H

#include <connectx/prm_bits.h>

/* ifc: cmd_hca_cap */
CX_STRUCT(hca_cap, 0x100);
CX_FIELD(hca_cap, page_request_disable, 0x6, 1);
CX_FIELD(hca_cap, hca_cap_2, 0x20, 1);
CX_FIELD(hca_cap, vhca_id, 0x30, 16);
CX_FIELD(hca_cap, log_max_srq_sz, 0x80, 8);
CX_FIELD(hca_cap, log_max_qp_sz, 0x88, 8);
CX_FIELD(hca_cap, event_cap, 0x90, 1);
CX_FIELD(hca_cap, log_max_qp, 0x9b, 5);
CX_FIELD(hca_cap, ece_support, 0xa3, 1);
CX_FIELD(hca_cap, log_max_srq, 0xab, 5);
CX_FIELD(hca_cap, log_max_cq_sz, 0xc8, 8);
CX_FIELD(hca_cap, relaxed_ordering_write_umr, 0xd0, 1);
CX_FIELD(hca_cap, relaxed_ordering_read_umr, 0xd1, 1);
CX_FIELD(hca_cap, log_max_cq, 0xdb, 5);
CX_FIELD(hca_cap, log_max_eq_sz, 0xe0, 8);
CX_FIELD(hca_cap, relaxed_ordering_write, 0xe8, 1);
CX_FIELD(hca_cap, log_max_mkey, 0xea, 6);
CX_FIELD(hca_cap, terminate_scatter_list_mkey, 0xf6, 1);
CX_FIELD(hca_cap, dump_fill_mkey, 0xf8, 1);
CX_FIELD(hca_cap, fast_teardown, 0xfb, 1);
CX_FIELD(hca_cap, log_max_eq, 0xfc, 4);
CX_FIELD(hca_cap, max_indirection, 0x100, 8);
CX_FIELD(hca_cap, fixed_buffer_size, 0x108, 1);
CX_FIELD(hca_cap, log_max_mrw_sz, 0x109, 7);
CX_FIELD(hca_cap, force_teardown, 0x110, 1);
CX_FIELD(hca_cap, umr_extended_translation_offset, 0x118, 1);
CX_FIELD(hca_cap, null_mkey, 0x119, 1);
CX_FIELD(hca_cap, log_max_klm_list_size, 0x11a, 6);
CX_FIELD(hca_cap, log_max_ra_req_dc, 0x12a, 6);
CX_FIELD(hca_cap, log_max_ra_res_dc, 0x13a, 6);
CX_FIELD(hca_cap, release_all_pages, 0x145, 1);
CX_FIELD(hca_cap, log_max_ra_req_qp, 0x14a, 6);
CX_FIELD(hca_cap, log_max_ra_res_qp, 0x15a, 6);
CX_FIELD(hca_cap, end_pad, 0x160, 1);
CX_FIELD(hca_cap, cc_query_allowed, 0x161, 1);
CX_FIELD(hca_cap, cc_modify_allowed, 0x162, 1);
CX_FIELD(hca_cap, cache_line_128byte, 0x164, 1);
CX_FIELD(hca_cap, rts2rts_qp_counters_set_id, 0x169, 1);
CX_FIELD(hca_cap, qcam_reg, 0x16f, 1);
CX_FIELD(hca_cap, gid_table_size, 0x170, 16);
CX_FIELD(hca_cap, out_of_seq_cnt, 0x180, 1);
CX_FIELD(hca_cap, vport_counters, 0x181, 1);
CX_FIELD(hca_cap, retransmission_q_counters, 0x182, 1);
CX_FIELD(hca_cap, debug, 0x183, 1);
CX_FIELD(hca_cap, max_qp_cnt, 0x186, 10);
CX_FIELD(hca_cap, pkey_table_size, 0x190, 16);
CX_FIELD(hca_cap, vport_group_manager, 0x1a0, 1);
CX_FIELD(hca_cap, vhca_group_manager, 0x1a1, 1);
CX_FIELD(hca_cap, ib_virt, 0x1a2, 1);
CX_FIELD(hca_cap, eth_virt, 0x1a3, 1);
CX_FIELD(hca_cap, ets, 0x1a5, 1);
CX_FIELD(hca_cap, nic_flow_table, 0x1a6, 1);
CX_FIELD(hca_cap, eswitch_manager, 0x1a7, 1);
CX_FIELD(hca_cap, device_memory, 0x1a8, 1);
CX_FIELD(hca_cap, mcam_reg, 0x1a9, 1);
CX_FIELD(hca_cap, pcam_reg, 0x1aa, 1);
CX_FIELD(hca_cap, local_ca_ack_delay, 0x1ab, 5);
CX_FIELD(hca_cap, port_module_event, 0x1b0, 1);
CX_FIELD(hca_cap, port_type, 0x1b6, 2);
CX_FIELD(hca_cap, num_ports, 0x1b8, 8);
CX_FIELD(hca_cap, log_max_msg, 0x1c3, 5);
CX_FIELD(hca_cap, max_tc, 0x1cc, 4);
CX_FIELD(hca_cap, stat_rate_support, 0x1e0, 16);
CX_FIELD(hca_cap, cqe_version, 0x1fc, 4);
CX_FIELD(hca_cap, compact_address_vector, 0x200, 1);
CX_FIELD(hca_cap, striding_rq, 0x201, 1);
CX_FIELD(hca_cap, ipoib_enhanced_offloads, 0x203, 1);
CX_FIELD(hca_cap, ipoib_basic_offloads, 0x204, 1);
CX_FIELD(hca_cap, umr_modify_entity_size_disabled, 0x207, 1);
CX_FIELD(hca_cap, umr_modify_atomic_disabled, 0x208, 1);
CX_FIELD(hca_cap, umr_indirect_mkey_disabled, 0x209, 1);
CX_FIELD(hca_cap, umr_fence, 0x20a, 2);
CX_FIELD(hca_cap, drain_sigerr, 0x20f, 1);
CX_FIELD(hca_cap, cmdif_checksum, 0x210, 2);
CX_FIELD(hca_cap, sigerr_cqe, 0x212, 1);
CX_FIELD(hca_cap, wq_signature, 0x214, 1);
CX_FIELD(hca_cap, sctr_data_cqe, 0x215, 1);
CX_FIELD(hca_cap, sho, 0x217, 1);
CX_FIELD(hca_cap, tph, 0x218, 1);
CX_FIELD(hca_cap, rf, 0x219, 1);
CX_FIELD(hca_cap, dct, 0x21a, 1);
CX_FIELD(hca_cap, qos, 0x21b, 1);
CX_FIELD(hca_cap, eth_net_offloads, 0x21c, 1);
CX_FIELD(hca_cap, roce, 0x21d, 1);
CX_FIELD(hca_cap, atomic, 0x21e, 1);
CX_FIELD(hca_cap, cq_oi, 0x220, 1);
CX_FIELD(hca_cap, cq_resize, 0x221, 1);
CX_FIELD(hca_cap, cq_moderation, 0x222, 1);
CX_FIELD(hca_cap, cq_period_mode_modify, 0x223, 1);
CX_FIELD(hca_cap, pg, 0x227, 1);
CX_FIELD(hca_cap, block_lb_mc, 0x228, 1);
CX_FIELD(hca_cap, cd, 0x22c, 1);
CX_FIELD(hca_cap, apm, 0x22e, 1);
CX_FIELD(hca_cap, vector_calc, 0x22f, 1);
CX_FIELD(hca_cap, imaicl, 0x231, 1);
CX_FIELD(hca_cap, qkv, 0x236, 1);
CX_FIELD(hca_cap, pkv, 0x237, 1);
CX_FIELD(hca_cap, set_deth_sqpn, 0x238, 1);
CX_FIELD(hca_cap, xrc, 0x23c, 1);
CX_FIELD(hca_cap, ud, 0x23d, 1);
CX_FIELD(hca_cap, uc, 0x23e, 1);
CX_FIELD(hca_cap, rc, 0x23f, 1);
CX_FIELD(hca_cap, uar_4k, 0x240, 1);
CX_FIELD(hca_cap, fl_rc_qp_when_roce_disabled, 0x248, 1);
CX_FIELD(hca_cap, uar_sz, 0x24a, 6);
CX_FIELD(hca_cap, port_selection_cap, 0x250, 1);
CX_FIELD(hca_cap, log_pg_sz, 0x258, 8);
CX_FIELD(hca_cap, bf, 0x260, 1);
CX_FIELD(hca_cap, driver_version, 0x261, 1);
CX_FIELD(hca_cap, mkey_by_name, 0x266, 1);
CX_FIELD(hca_cap, log_bf_reg_size, 0x26b, 5);
CX_FIELD(hca_cap, lag_master, 0x27b, 1);
CX_FIELD(hca_cap, num_lag_ports, 0x27c, 4);
CX_FIELD(hca_cap, max_wqe_sz_sq, 0x290, 16);
CX_FIELD(hca_cap, max_wqe_sz_rq, 0x2b0, 16);
CX_FIELD(hca_cap, max_wqe_sz_sq_dc, 0x2d0, 16);
CX_FIELD(hca_cap, max_qp_mcg, 0x2e7, 25);
CX_FIELD(hca_cap, log_max_mcg, 0x318, 8);
CX_FIELD(hca_cap, log_max_transport_domain, 0x323, 5);
CX_FIELD(hca_cap, relaxed_ordering_read, 0x32a, 1);
CX_FIELD(hca_cap, log_max_pd, 0x32b, 5);
CX_FIELD(hca_cap, log_max_xrcd, 0x33b, 5);
CX_FIELD(hca_cap, log_max_rq, 0x363, 5);
CX_FIELD(hca_cap, log_max_sq, 0x36b, 5);
CX_FIELD(hca_cap, log_max_tir, 0x373, 5);
CX_FIELD(hca_cap, log_max_tis, 0x37b, 5);
CX_FIELD(hca_cap, basic_cyclic_rcv_wqe, 0x380, 1);
CX_FIELD(hca_cap, log_max_rmp, 0x383, 5);
CX_FIELD(hca_cap, log_max_rqt, 0x38b, 5);
CX_FIELD(hca_cap, roce_rw_supported, 0x3a1, 1);
CX_FIELD(hca_cap, log_max_wq_sz, 0x3db, 5);
CX_FIELD(hca_cap, disable_local_lb_uc, 0x3e1, 1);
CX_FIELD(hca_cap, disable_local_lb_mc, 0x3e2, 1);
CX_FIELD64(hca_cap, general_obj_types, 0x400);
CX_FIELD(hca_cap, log_max_uctx, 0x463, 5);
CX_FIELD(hca_cap, log_max_umem, 0x46b, 5);
CX_FIELD(hca_cap, max_num_eqs, 0x470, 16);
CX_FIELD(hca_cap, log_uar_page_sz, 0x490, 16);
CX_FIELD(hca_cap, device_frequency_mhz, 0x4c0, 32);
CX_FIELD(hca_cap, device_frequency_khz, 0x4e0, 32);
CX_FIELD(hca_cap, num_of_uars_per_page, 0x520, 32);
CX_FIELD(hca_cap, cqe_128_always, 0x5bd, 1);
CX_FIELD(hca_cap, cqe_compression, 0x5bf, 1);
CX_FIELD(hca_cap, tag_matching, 0x5f0, 1);
CX_FIELD(hca_cap, affiliate_nic_vport_criteria, 0x600, 8);
CX_FIELD(hca_cap, native_port_num, 0x608, 8);
CX_FIELD(hca_cap, num_vhca_ports, 0x610, 8);
CX_FIELD(hca_cap, sw_owner_id, 0x61e, 1);

/* ifc: odp_per_transport_service_cap */
CX_STRUCT(odp_service_cap, 0x4);
CX_FIELD(odp_service_cap, send, 0x0, 1);
CX_FIELD(odp_service_cap, receive, 0x1, 1);
CX_FIELD(odp_service_cap, write, 0x2, 1);
CX_FIELD(odp_service_cap, read, 0x3, 1);
CX_FIELD(odp_service_cap, atomic, 0x4, 1);
CX_FIELD(odp_service_cap, srq_receive, 0x5, 1);

/* ifc: odp_scheme_cap */
CX_STRUCT(odp_scheme_cap, 0x40);
CX_FIELD(odp_scheme_cap, sig, 0x40, 1);
CX_FIELD(odp_scheme_cap, page_prefetch, 0x45, 1);
CX_SUB(odp_scheme_cap, rc_odp_caps, 0x10, odp_service_cap);
CX_SUB(odp_scheme_cap, uc_odp_caps, 0x14, odp_service_cap);
CX_SUB(odp_scheme_cap, ud_odp_caps, 0x18, odp_service_cap);
CX_SUB(odp_scheme_cap, xrc_odp_caps, 0x1c, odp_service_cap);
CX_SUB(odp_scheme_cap, dc_odp_caps, 0x20, odp_service_cap);

/* ifc: odp_cap */
CX_STRUCT(odp_cap, 0x100);
CX_SUB(odp_cap, transport_page_fault_scheme_cap, 0x0, odp_scheme_cap);
CX_SUB(odp_cap, memory_page_fault_scheme_cap, 0x40, odp_scheme_cap);
CX_FIELD(odp_cap, mem_page_fault, 0x600, 1);

/* ifc: atomic_caps */
CX_STRUCT(atomic_cap, 0x100);
CX_FIELD(atomic_cap, req_8b_endianness_mode, 0x40, 2);	/* ifc: atomic_req_8B_endianness_mode */
CX_FIELD(atomic_cap, supported_req_8b_endianness_mode_1, 0x46, 1);	/* ifc: supported_atomic_req_8B_endianness_mode_1 */
CX_FIELD(atomic_cap, atomic_operations, 0x90, 16);
CX_FIELD(atomic_cap, atomic_size_qp, 0xb0, 16);
CX_FIELD(atomic_cap, atomic_size_dc, 0xd0, 16);

/* ifc: roce_cap */
CX_STRUCT(roce_cap, 0x100);
CX_FIELD(roce_cap, roce_apm, 0x0, 1);
CX_FIELD(roce_cap, l3_type, 0x8c, 4);
CX_FIELD(roce_cap, roce_version, 0x98, 8);
CX_FIELD(roce_cap, r_roce_dest_udp_port, 0xb0, 16);
CX_FIELD(roce_cap, r_roce_max_src_udp_port, 0xc0, 16);
CX_FIELD(roce_cap, r_roce_min_src_udp_port, 0xd0, 16);
CX_FIELD(roce_cap, roce_address_table_size, 0xf0, 16);

/* ifc: device_mem_cap */
CX_STRUCT(device_mem_cap, 0x100);
CX_FIELD(device_mem_cap, memic, 0x0, 1);
CX_FIELD(device_mem_cap, log_min_memic_alloc_size, 0x2b, 5);
CX_FIELD(device_mem_cap, log_max_memic_addr_alignment, 0x38, 8);
CX_FIELD64(device_mem_cap, memic_bar_start_addr, 0x40);
CX_FIELD(device_mem_cap, memic_bar_size, 0x80, 32);
CX_FIELD(device_mem_cap, max_memic_size, 0xa0, 32);

/* ifc: query_hca_cap_in */
CX_STRUCT(query_hca_cap_in, 0x10);
CX_FIELD(query_hca_cap_in, function_id, 0x50, 16);

/* The capability group follows the 16-byte header in both directions. */
#define CX_CAP_BYTES		0x1000
#define CX_QUERY_HCA_CAP_OUT	(0x10 + CX_CAP_BYTES)
#define CX_SET_HCA_CAP_IN	(0x10 + CX_CAP_BYTES)

/* op_mod of QUERY_HCA_CAP and SET_HCA_CAP: group << 1 | mode. */
enum cx_cap_mode {
	CX_CAP_MAX = 0,
	CX_CAP_CUR = 1,
};

enum cx_cap_group {
	CX_CAP_GENERAL = 0x0,
	CX_CAP_ETHERNET = 0x1,
	CX_CAP_ODP = 0x2,
	CX_CAP_ATOMIC = 0x3,
	CX_CAP_ROCE = 0x4,
	CX_CAP_IPOIB = 0x5,
	CX_CAP_FLOW_TABLE = 0x7,
	CX_CAP_DEV_MEM = 0xf,
	CX_CAP_GENERAL_2 = 0x20,
};

#endif /* CONNECTX_PRM_CAP_H */
