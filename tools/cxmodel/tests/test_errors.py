# SPDX-License-Identifier: GPL-2.0-only
"""What goes wrong on an RC queue pair, seen from both sides: syndromes, vendor
codes, events, states."""
import struct
import time

import pytest

from pipe import PAGE, Model, atomic, connected_pair, data, inline, raddr
from prm import const

ASYNC = [const("EVENT_WQ_ACCESS_ERROR"), const("EVENT_WQ_INVAL_REQ_ERROR"),
         const("EVENT_WQ_CATAS_ERROR")]


class Setup:
    def __init__(self, m, **kw):
        self.m = m
        self.events = m.create_eq(vector=0, events=sum(1 << e for e in ASYNC))
        _, self.cq, self.cq2, self.pd, self.a, self.b = \
            connected_pair(m, **kw)
        self.src, self.skey = m.reg_mr(self.pd, 8192)
        self.dst, self.dkey = m.reg_mr(self.pd, 8192)

    def failed(self, syndrome, vendor, opcode, counter=0):
        cqe = self.cq.get()
        assert cqe.opcode == const("CQE_REQ_ERR"), cqe
        assert (cqe.syndrome, cqe.vendor) == (syndrome, vendor), cqe
        assert cqe.wqe_opcode == opcode and cqe.counter == counter, cqe
        assert cqe.qpn == self.a.num and cqe.solicited
        assert cqe.raw[:32] == bytes(32) and cqe.raw[36:52] == bytes(16)
        assert self.a.query()["state"] == const("QP_ERR")

    def event(self, kind):
        e = self.events.get(kind)
        assert int.from_bytes(e[2][24:28], "big") == self.b.num
        assert self.events.poll() is None

    def state(self, qp, name):
        assert qp.query()["state"] == const("QP_" + name)


@pytest.fixture
def s(m):
    return Setup(m)


WRITE, READ, SEND = (const("WQE_RDMA_WRITE"), const("WQE_RDMA_READ"),
                     const("WQE_SEND"))
FA = const("WQE_ATOMIC_FA")


# --- the requester's own memory

@pytest.mark.parametrize("case", ["key", "variant", "pd", "range", "below",
                                  "freed"])
def test_bad_gather(m, s, case):
    addr, n, key = s.src, 64, s.skey
    if case == "key":
        key = 0xfff00 << 8
    elif case == "variant":
        key ^= 1
    elif case == "pd":
        key = m.create_mkey(m.alloc_pd(), [s.src], s.src, PAGE)
    elif case == "range":
        addr += 8192 - 63
    elif case == "below":
        addr -= 1
    else:
        m.destroy_mkey(key)
    s.a.post(WRITE, raddr(s.dst, s.dkey), data(addr, n, key))
    s.failed(4, 0x51, WRITE)
    s.state(s.b, "RTS")


def test_zero_is_no_key(m, s):
    s.a.post(WRITE, raddr(s.dst, s.dkey), data(0, 64, 0))
    s.failed(4, 0x51, WRITE)


def test_read_into_memory_without_local_write(m, s):
    mem, key = m.reg_mr(s.pd, PAGE, access="lr rr")
    s.a.post(READ, raddr(s.dst, s.dkey), data(mem, 64, key))
    s.failed(4, 0x33, READ)
    assert m.get(mem, 64) == bytes(64)


@pytest.mark.parametrize("wqe", ["opcode", "empty", "no raddr", "inline cut",
                                 "atomic size"])
def test_bad_wqe(m, s, wqe):
    opcode, ds = WRITE, 3
    body = raddr(s.dst, s.dkey) + data(s.src, 8, s.skey)
    if wqe == "opcode":
        opcode = 0x0e
    elif wqe == "empty":
        ds = 0
    elif wqe == "no raddr":
        ds = 1
    elif wqe == "inline cut":
        body = raddr(s.dst, s.dkey) + struct.pack(">I12x", 1 << 31 | 13)
    else:
        opcode, ds = FA, 4
        body = raddr(s.dst, s.dkey) + atomic(1) + data(s.src, 4, s.skey)
    ctrl = struct.pack(">II4B4x", opcode, s.a.num << 8 | ds, 0, 0, 0, 8)
    m.put(s.a.buf + s.a.sq_off, ctrl + body)
    m.put32(s.a.dbr + 4, 1)
    s.a.ring()
    s.failed(2, 0x68, opcode)


# --- the responder's memory

@pytest.mark.parametrize("op", [WRITE, READ, FA])
@pytest.mark.parametrize("case", ["key", "pd", "range", "permission", "freed"])
def test_remote_access(m, s, op, case):
    addr, key = s.dst, s.dkey
    if case == "key":
        key ^= 1
    elif case == "pd":
        key = m.create_mkey(m.alloc_pd(), [s.dst], s.dst, PAGE)
    elif case == "range":
        addr += 8192 - 4 if op != FA else 8192
    elif case == "permission":
        addr, key = m.reg_mr(s.pd, PAGE, access="lr lw")
    else:
        m.destroy_mkey(key)
    if op == FA:
        s.a.post(op, raddr(addr, key), atomic(1), data(s.src, 8, s.skey))
    else:
        s.a.post(op, raddr(addr, key), data(s.src, 8, s.skey))
    s.failed(0x13, 0x88, op)
    s.event(const("EVENT_WQ_ACCESS_ERROR"))
    s.state(s.b, "ERR")
    assert s.cq2.poll() is None, "no CQE at the responder"


def test_write_needs_only_its_right(m, s):
    addr, key = m.reg_mr(s.pd, PAGE, access="lr lw rw")
    s.a.post(WRITE, raddr(addr, key), inline(b"ok"))
    assert not s.cq.get().error
    s.a.post(READ, raddr(addr, key), data(s.src, 2, s.skey))
    s.failed(0x13, 0x88, READ, 1)


def test_zero_length_needs_no_key(m, s):
    s.a.post(WRITE, raddr(0, 0))
    assert not s.cq.get().error


@pytest.mark.parametrize("op,bit", [(WRITE, "rwe"), (READ, "rre"),
                                    (FA, "rae")])
def test_operation_not_enabled(m, op, bit):
    s = Setup(m, **{bit: 0})
    tail = [atomic(1)] if op == FA else []
    s.a.post(op, raddr(s.dst, s.dkey), *tail, data(s.src, 8, s.skey))
    s.failed(0x12, 0x8a, op)
    s.event(const("EVENT_WQ_INVAL_REQ_ERROR"))
    s.state(s.b, "ERR")


def test_atomic_wants_alignment(m, s):
    s.a.post(FA, raddr(s.dst + 4, s.dkey), atomic(1), data(s.src, 8, s.skey))
    s.failed(0x12, 0x8a, FA)


@pytest.mark.parametrize("n", [33, 1024, 5000])
def test_receive_too_small(m, s, n):
    s.b.post_recv((s.dst, 32, s.dkey))
    s.a.post(SEND, data(s.src, n, s.skey))
    s.failed(0x12, 0x8a, SEND)
    cqe = s.cq2.get()
    assert cqe.opcode == const("CQE_RESP_ERR")
    assert cqe.syndrome == 1 and cqe.wqe_opcode == 0
    assert cqe.qpn == s.b.num and cqe.counter == 0
    s.state(s.b, "ERR")


@pytest.mark.parametrize("case", ["key", "permission"])
def test_bad_receive_list(m, s, case):
    mem, key = m.reg_mr(s.pd, PAGE, access="lr")
    s.b.post_recv((mem, 64, key ^ 1 if case == "key" else key))
    s.a.post(SEND, data(s.src, 16, s.skey))
    s.failed(0x14, 0x89, SEND)
    cqe = s.cq2.get()
    assert (cqe.syndrome, cqe.vendor) == (4, 0x56)


# --- time

def test_rnr_then_receive(m):
    """The requester waits as long as the responder's timer says."""
    s = Setup(m, min_rnr_nak=18)        # 5.12 ms
    s.a.post(SEND, inline(b"late"))
    m.sync()
    start = time.monotonic()
    time.sleep(0.002)
    s.b.post_recv((s.dst, 64, s.dkey))
    assert not s.cq.get().error
    assert time.monotonic() - start > 0.003
    assert not s.cq2.get().error
    assert m.get(s.dst, 4) == b"late"
    s.state(s.a, "RTS")


@pytest.mark.parametrize("retries", [0, 3])
def test_rnr_exhausted(m, retries):
    s = Setup(m, min_rnr_nak=14, rnr_retry=retries)     # 1.28 ms
    start = time.monotonic()
    s.a.post(SEND, inline(b"x"))
    s.failed(0x16, 0x87, SEND)
    assert time.monotonic() - start >= 0.00128 * retries
    s.state(s.b, "RTS")
    assert s.cq2.poll() is None
    # what the peer has is still usable
    s.b.post_recv((s.dst, 64, s.dkey))
    assert s.cq2.poll() is None


def test_rnr_for_ever(m):
    s = Setup(m, min_rnr_nak=1, rnr_retry=7)
    s.a.post(SEND, inline(b"x"))
    time.sleep(0.1)
    assert s.cq.poll() is None
    s.b.post_recv((s.dst, 64, s.dkey))
    assert not s.cq.get().error


def test_write_imm_rnr_sends_the_rest_again(m):
    s = Setup(m, min_rnr_nak=14)
    m.put(s.src, b"0123456789abcdef" * 256)
    s.a.post(const("WQE_RDMA_WRITE_IMM"), raddr(s.dst, s.dkey),
             data(s.src, 4000, s.skey), imm=b"late")
    time.sleep(0.005)
    s.b.post_recv()
    assert not s.cq.get().error
    cqe = s.cq2.get()
    assert cqe.byte_cnt == 4000 and cqe.imm == b"late"
    assert m.get(s.dst, 4000) == m.get(s.src, 4000)


@pytest.mark.parametrize("peer", ["nobody", "RST", "INIT", "ERR", "lid"])
def test_silence(peer):
    """No NAK from who is not there: only the timer ends it."""
    with Model("--timeout-cap", "2") as m:
        m.start()
        s = Setup(m, retry=2)
        if peer == "nobody":
            s.b.destroy()
        elif peer == "lid":
            s.a.to_rst()
            m.put(s.a.dbr, bytes(8))
            s.a.connect(s.b, dlid=77, retry=2)
        else:
            s.b.to_err() if peer == "ERR" else s.b.to_rst()
            if peer == "INIT":
                s.b.to_init()
        start = time.monotonic()
        s.a.post(WRITE, raddr(s.dst, s.dkey), inline(b"hello?"))
        s.failed(0x15, 0x81, WRITE)
        assert time.monotonic() - start >= 0.006, "3 times 2 ms"


def test_timeout_zero_waits_for_ever(m):
    s = Setup(m, timeout=0, retry=0)
    s.b.to_err()
    s.a.post(WRITE, raddr(s.dst, s.dkey), inline(b"hello?"))
    time.sleep(0.1)
    assert s.cq.poll() is None
    s.state(s.a, "RTS")


def test_nominal_timeout(m):
    """4.096 us * 2^T, R + 1 times."""
    s = Setup(m, timeout=12, retry=1)
    s.b.to_err()
    start = time.monotonic()
    s.a.post(WRITE, raddr(s.dst, s.dkey), inline(b"hello?"))
    s.failed(0x15, 0x81, WRITE)
    assert time.monotonic() - start >= 2 * 0.0167


# --- limits

def test_message_longer_than_the_maximum(m, s):
    a = m.create_qp(pd=s.pd, send_cq=s.cq)
    a.to_init()
    a.modify("INIT2RTR_QP", path={"rlid": 1}, mtu=3, log_msg_max=12,
             remote_qpn=s.b.num, log_rra_max=4)
    a.to_rts()
    a.post(WRITE, raddr(s.dst, s.dkey), data(s.src, 4097, s.skey))
    cqe = s.cq.get()
    assert cqe.syndrome == 1 and cqe.opcode == const("CQE_REQ_ERR")


def test_doorbell_of_unknown_qp_is_told(m, s):
    qpn = s.a.num
    s.a.destroy()
    m.write(m.uar * PAGE + const("UAR_SQ_DB"), struct.pack(">II", 0, qpn << 8))
    m.sync()
    assert f"doorbell of QP 0x{qpn:x}" in m.trace()
    assert m.census()["warnings"] == 1


def test_doorbell_in_a_foreign_uar_does_nothing(m, s):
    uar = m.alloc_uar()
    s.a.post(WRITE, raddr(s.dst, s.dkey), inline(b"x"), ring=False)
    m.put32(s.a.dbr + 4, 1)
    m.write(uar * PAGE + const("UAR_SQ_DB"),
            struct.pack(">II", 0, s.a.num << 8))
    m.sync()
    assert s.cq.poll() is None
    s.a.ring()
    assert not s.cq.get().error
