# SPDX-License-Identifier: GPL-2.0-only
"""Queue pairs in error: who is flushed, in which order, with which codes."""
import struct
import time

import pytest

from pipe import PAGE, connected_pair, data, inline, raddr
from prm import Struct, const

WRITE, SEND = const("WQE_RDMA_WRITE"), const("WQE_SEND")
FLUSH = 5


class Setup:
    def __init__(self, m, **kw):
        self.m = m
        _, self.cq, self.cq2, self.pd, self.a, self.b = \
            connected_pair(m, **kw)
        self.mem, self.key = m.reg_mr(self.pd, 8192)

    def drain(self, cq):
        got = []
        while True:
            cqe = cq.poll()
            if not cqe:
                return got
            got.append(cqe)

    def park(self, n, signaled=lambda i: True):
        """n WQEs that cannot complete: the peer has no receive."""
        return [self.a.post(SEND, inline(b"x"), signaled=signaled(i))
                for i in range(n)]


@pytest.fixture
def s(m):
    return Setup(m, min_rnr_nak=0)      # RNR timer of 655 ms


def codes(cqes):
    return [(c.syndrome, c.vendor) for c in cqes]


@pytest.mark.parametrize("n", [1, 2, 17])
def test_a_to_err_with_work(m, s, n):
    s.park(n, lambda i: i % 3 == 0)
    m.sync()
    s.a.to_err()
    got = s.drain(s.cq)
    assert codes(got) == [(FLUSH, 0xf5)] + [(FLUSH, 0xf9)] * (n - 1)
    assert [c.counter for c in got] == list(range(n))
    assert all(c.wqe_opcode == SEND and c.solicited for c in got)
    assert s.a.query()["state"] == const("QP_ERR")


def test_a_to_err_with_nothing(m, s):
    s.a.to_err()
    time.sleep(0.05)
    assert s.drain(s.cq) == []
    assert s.a.query()["state"] == const("QP_ERR")


def test_a_posted_while_in_error(m, s):
    s.a.to_err()
    for _ in range(3):
        s.a.post(SEND, inline(b"x"), signaled=False)
    m.sync()
    assert codes(s.drain(s.cq)) == [(FLUSH, 0xf5)] + [(FLUSH, 0xf9)] * 2
    s.a.post(SEND, inline(b"x"))
    m.sync()
    assert codes(s.drain(s.cq)) == [(FLUSH, 0xf9)]


def test_posted_without_doorbell_is_found(m, s):
    """ib_drain_rq and software that rings late rely on the slow timer."""
    s.a.to_err()
    s.a.post(SEND, inline(b"x"), ring=False)
    m.put32(s.a.dbr + 4, 1)
    assert s.cq.get().vendor == 0xf5
    s.a.post_recv((s.mem, 64, s.key))
    cqe = s.cq.get()
    assert cqe.opcode == const("CQE_RESP_ERR") and cqe.syndrome == FLUSH


@pytest.mark.parametrize("bad", [0, 3, 6])
def test_b_bad_rkey_among_others(m, s, bad):
    n = 7
    for i in range(n):
        key = s.key ^ 1 if i == bad else s.key
        s.a.post(WRITE, raddr(s.mem, key), inline(b"x"),
                 signaled=i % 2 == 0, ring=i == n - 1)
    s.a.ring()
    m.wait(lambda: s.a.query()["state"] == const("QP_ERR"))
    got = s.drain(s.cq)
    good = [i for i in range(bad) if i % 2 == 0]
    assert [c.counter for c in got] == good + list(range(bad, n))
    assert not any(c.error for c in got[:len(good)])
    root = got[len(good)]
    assert (root.syndrome, root.vendor) == (0x13, 0x88)
    assert codes(got[len(good) + 1:]) == [(FLUSH, 0xf9)] * (n - bad - 1)
    time.sleep(0.05)
    assert s.drain(s.cq) == [], "nothing late, nothing twice"


def test_local_error_waits_for_older_work(m, s):
    s.a.post(WRITE, raddr(s.mem, s.key), data(s.mem + 4096, 4096, s.key),
             ring=False)
    s.a.post(WRITE, raddr(s.mem, s.key), data(s.mem, 8, s.key ^ 1),
             ring=False)
    s.a.post(WRITE, raddr(s.mem, s.key), inline(b"late"))
    m.wait(lambda: s.a.query()["state"] == const("QP_ERR"))
    got = s.drain(s.cq)
    assert codes(got[1:]) == [(4, 0x51), (FLUSH, 0xf9)]
    assert not got[0].error
    assert m.get(s.mem, 4) != b"late"


def test_h_record_behind_the_doorbell(m, s):
    """Only what the record covers is executed, and only that is flushed."""
    for _ in range(4):
        s.a.post(SEND, inline(b"x"), ring=False)
    m.put32(s.a.dbr + 4, 2)
    s.a.ring()
    m.sync()
    s.a.to_err()
    got = s.drain(s.cq)
    assert [c.counter for c in got] == [0, 1]
    m.put32(s.a.dbr + 4, 4)
    late = [s.cq.get(), s.cq.get()]
    assert [c.counter for c in late] == [2, 3]
    assert codes(late) == [(FLUSH, 0xf9)] * 2


def test_h_record_went_back(m, s):
    """Not even the root cause completes."""
    s.park(3)
    m.sync()
    m.put32(s.a.dbr + 4, 0)
    s.a.to_err()
    time.sleep(0.02)
    assert s.drain(s.cq) == []
    m.put32(s.a.dbr + 4, 3)
    assert [s.cq.get().counter for _ in range(3)] == [0, 1, 2]


def test_receives_flush_in_order(m, s):
    for _ in range(5):
        s.b.post_recv((s.mem, 64, s.key))
    s.b.to_err()
    m.sync()
    got = s.drain(s.cq2)
    assert [c.counter for c in got] == list(range(5))
    assert codes(got) == [(FLUSH, 0xf9)] * 5
    assert all(c.opcode == const("CQE_RESP_ERR") and c.solicited and
               c.qpn == s.b.num and c.wqe_opcode == 0 for c in got)


def test_e_write_to_a_qp_in_error(m):
    s = Setup(m, timeout=10, retry=1)
    s.b.to_err()
    s.a.post(WRITE, raddr(s.mem, s.key), inline(b"x"), ring=False)
    s.a.post(WRITE, raddr(s.mem, s.key), inline(b"y"))
    got = [s.cq.get(), s.cq.get()]
    assert codes(got) == [(0x15, 0x81), (FLUSH, 0xf9)]
    assert s.drain(s.cq2) == []


def test_f_key_destroyed_before_the_peer(m, s):
    m.destroy_mkey(s.key)
    mine, key = m.reg_mr(s.pd, PAGE)
    s.a.post(WRITE, raddr(s.mem, s.key), data(mine, 8, key))
    cqe = s.cq.get()
    assert (cqe.syndrome, cqe.vendor) == (0x13, 0x88)


def test_many_are_flushed_in_pieces(m):
    eq = m.create_eq(vector=1)
    cq, pd = m.create_cq(eq, log_size=12), m.alloc_pd()
    a = m.create_qp(pd=pd, send_cq=cq, log_sq=11, log_rq=10)
    b = m.create_qp(pd=pd, send_cq=cq)
    a.connect(b)
    a.to_err()
    for i in range(2048):
        a.post(const("WQE_NOP"), ring=i == 2047)
    for _ in range(1000):
        a.post_recv()
    sends = receives = 0
    for _ in range(3048):
        cqe = cq.get()
        assert cqe.syndrome == FLUSH
        if cqe.opcode == const("CQE_REQ_ERR"):
            assert cqe.counter == sends
            sends += 1
        else:
            assert cqe.counter == receives
            receives += 1
    assert (sends, receives) == (2048, 1000)


def test_flush_wraps_with_long_wqes(m, s):
    """Blocks, not WQEs, are counted."""
    s.a.to_err()
    for _ in range(6):      # more would not fit the ring at once
        want = [s.a.post(SEND, inline(bytes(40 * (n % 4))))
                for n in range(10)]
        got = [s.cq.get() for _ in want]
        assert [c.counter for c in got] == want
    assert s.a.pi > s.a.sq_blocks


def test_reset_is_silent(m, s):
    s.park(5)
    m.sync()
    s.a.to_rst()
    s.b.post_recv()     # from now on a retry would be answered
    s.b.to_rst()
    time.sleep(0.03)
    assert s.drain(s.cq) == [] and s.drain(s.cq2) == []


def test_destroy_is_silent(m, s):
    s.park(5)
    m.sync()
    s.a.to_err()
    n = len(s.drain(s.cq))
    s.a.post(SEND, inline(b"x"), ring=False)
    m.put32(s.a.dbr + 4, s.a.pi)
    s.a.destroy()
    time.sleep(0.1)
    assert n == 5 and s.drain(s.cq) == []
