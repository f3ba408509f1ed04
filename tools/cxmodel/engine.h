/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The data path's parts among themselves: who calls whom when packets, timers
 * and work requests drive a queue pair.
 */
#ifndef CXM_ENGINE_H
#define CXM_ENGINE_H

#include "qp.h"
#include "wire.h"

/*
 * requester.c: send what may be sent, at most @budget packets. True if there
 * would be more.
 */
bool cxm_requester_run(struct cxm *m, struct cxm_qp *qp, u32 *budget);
/* Stop its timers and forget the WQEs in work. */
void cxm_requester_stop(struct cxm *m, struct cxm_qp *qp);
/* Send again from @psn on. */
void cxm_requester_rewind(struct cxm_qp *qp, u32 psn);
void cxm_requester_init(struct cxm_qp *qp);
/* Start or restart the ack timer if something is on its way. */
void cxm_requester_ack_timer(struct cxm *m, struct cxm_qp *qp);
/* One retry more, from @psn; false if that was the last and the QP failed. */
bool cxm_requester_retry(struct cxm *m, struct cxm_qp *qp, u32 psn);

/* complete.c: completions of the send side, in order from the oldest WQE on. */
void cxm_send_retire(struct cxm *m, struct cxm_qp *qp);
/* The oldest WQE fails, and with it the QP. */
void cxm_send_fail(struct cxm *m, struct cxm_qp *qp, struct cxm_why why);
void cxm_send_error_cqe(struct cxm *m, struct cxm_qp *qp, u16 counter,
			u8 opcode, struct cxm_why why);
/* ... and of the receive side: @p is the packet that ended the message. */
void cxm_recv_complete(struct cxm *m, struct cxm_qp *qp,
		       const struct cxm_packet *p, u32 byte_count);
void cxm_recv_error_cqe(struct cxm *m, struct cxm_qp *qp, u16 counter,
			struct cxm_why why);

/* ack.c: a response arrived at its requester. */
void cxm_requester_response(struct cxm *m, struct cxm_qp *qp,
			    struct cxm_packet *p);

/* responder.c: a request of a connected service arrived. */
void cxm_responder_request(struct cxm *m, struct cxm_qp *qp,
			   struct cxm_packet *p);
/* Take a receive WQE for a message to this QP into qp->resp. */
enum cxm_take cxm_responder_take(struct cxm *m, struct cxm_qp *qp, u32 srqn);
/* The PD that must own the buffers of that WQE. */
u32 cxm_responder_pdn(const struct cxm_qp *qp);
/* The PD a remote key has to be of. */
u32 cxm_remote_pdn(struct cxm *m, struct cxm_qp *qp,
		   const struct cxm_packet *p);

/* execute.c: requests that passed the PSN check. */
void cxm_execute(struct cxm *m, struct cxm_qp *qp, struct cxm_packet *p);
void cxm_execute_duplicate(struct cxm *m, struct cxm_qp *qp,
			   struct cxm_packet *p);
/* The page that the request at @psn waits for will not come. */
void cxm_execute_no_page(struct cxm *m, struct cxm_qp *qp, u32 psn,
			 bool remote);

/* respond.c: queue responses, send them: as cxm_requester_run(). */
void cxm_respond_ack(struct cxm_qp *qp, u32 psn, u8 syndrome);
bool cxm_respond_job(struct cxm_qp *qp, const struct cxm_job *job);
bool cxm_respond_run(struct cxm *m, struct cxm_qp *qp, u32 *budget);
/* NAK the packet and move the QP to ERR. */
void cxm_respond_error(struct cxm *m, struct cxm_qp *qp, u32 psn,
		       enum cxm_aeth nak);

/* ud.c */
bool cxm_ud_send(struct cxm *m, struct cxm_qp *qp, struct cxm_swqe *w);
void cxm_ud_receive(struct cxm *m, struct cxm_qp *qp, struct cxm_packet *p);

/* umr.c: CXM_MKEY-related work request; ->syndrome 0 if it was done. */
struct cxm_why cxm_umr_execute(struct cxm *m, struct cxm_qp *qp,
			       const struct cxm_swqe *w);
/* SEND with invalidate: false if the key may not be invalidated remotely. */
bool cxm_umr_invalidate(struct cxm *m, struct cxm_qp *qp, u32 key);

/*
 * flush.c: the only way to ERR and SQER. @by_software: 2ERR, as opposed to an
 * error found here.
 */
void cxm_qp_error(struct cxm *m, struct cxm_qp *qp, bool by_software);
void cxm_qp_send_error(struct cxm *m, struct cxm_qp *qp);
/* Flush what is posted; true if there would be more. */
bool cxm_flush_run(struct cxm *m, struct cxm_qp *qp);
void cxm_flush_init(struct cxm_qp *qp);
void cxm_flush_stop(struct cxm *m, struct cxm_qp *qp);

/* path.c: new packet to the QP's peer, addressed. NULL: no memory. */
struct cxm_packet *cxm_packet_to_peer(struct cxm *m, struct cxm_qp *qp,
				      enum cxm_pkt_kind kind, u8 flags,
				      u32 psn);
/* The same for a datagram. */
struct cxm_packet *cxm_packet_to_av(struct cxm *m, struct cxm_qp *qp,
				    const struct cx_wqe_av *av, u8 flags,
				    u32 psn);

#endif /* CXM_ENGINE_H */
