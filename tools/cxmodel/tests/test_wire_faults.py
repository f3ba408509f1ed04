# SPDX-License-Identifier: GPL-2.0-only
"""Lost, doubled and delayed packets: the right data, once, in order."""
import os
import struct

import pytest

from pipe import atomic, connected_pair, data, inline, raddr
from prm import const

SIZE = 20 * 1024 + 5
PACKETS = 21


def transfer(m, op, plan):
    _, cq, cq2, pd, a, b = connected_pair(m, timeout=8)
    src, skey = m.reg_mr(pd, 24576)
    dst, dkey = m.reg_mr(pd, 24576)
    payload = os.urandom(SIZE)
    m.put(src, payload)
    for line in plan:
        assert "ok" in m.control(line)
    segs = {"send": [data(src, SIZE, skey)],
            "write": [raddr(dst, dkey), data(src, SIZE, skey)],
            "read": [raddr(src, skey), data(dst, SIZE, dkey)]}[op]
    code = {"send": "WQE_SEND", "write": "WQE_RDMA_WRITE",
            "read": "WQE_RDMA_READ"}[op]
    if op == "send":
        b.post_recv((dst, SIZE, dkey))
    b.post_recv((dst + 22528, 64, dkey))
    a.post(const(code), *segs)
    a.post(const("WQE_SEND"), inline(b"tail"))
    first, second = cq.get(), cq.get()
    assert not first.error and not second.error, (first, second)
    assert (first.counter, second.counter) == (0, 1)
    if op == "send":
        assert cq2.get().byte_cnt == SIZE
    assert cq2.get().byte_cnt == 4
    assert m.get(dst, SIZE) == payload
    assert m.get(dst + 22528, 4) == b"tail"
    assert cq.poll() is None and cq2.poll() is None
    msn = b.query()["rmsn"]
    assert msn == 2, "each request is executed once"


@pytest.mark.parametrize("nth", [1, 2, 10, PACKETS, PACKETS + 1, PACKETS + 2,
                                 PACKETS + 3])
@pytest.mark.parametrize("kind", ["drop", "duplicate", "reorder"])
@pytest.mark.parametrize("op", ["send", "write", "read"])
def test_one_fault(m, op, kind, nth):
    transfer(m, op, [f"wire {kind} {nth}"])


@pytest.mark.parametrize("op", ["send", "write", "read"])
def test_burst_of_losses(m, op):
    transfer(m, op, ["wire drop 3 5", "wire drop 20 4"])


@pytest.mark.parametrize("op", ["send", "write", "read"])
def test_everything_twice(m, op):
    transfer(m, op, ["wire duplicate 1 1000"])


@pytest.mark.parametrize("nth", [1, 2, 3, 4, 5, 6])
@pytest.mark.parametrize("kind", ["drop", "duplicate", "reorder"])
def test_atomics_happen_once(m, kind, nth):
    _, cq, _, pd, a, b = connected_pair(m, timeout=8)
    mem, key = m.reg_mr(pd, 4096)
    res, rkey = m.reg_mr(pd, 4096)
    m.control(f"wire {kind} {nth}")
    for i in range(16):
        a.post(const("WQE_ATOMIC_FA"), raddr(mem, key), atomic(1),
               data(res + 8 * i, 8, rkey), ring=i == 15)
    for i in range(16):
        cqe = cq.get()
        assert not cqe.error and cqe.counter == i
    assert struct.unpack("<Q", m.get(mem, 8))[0] == 16
    got = [m.get(res + 8 * i, 8) for i in range(16)]
    assert sorted(g[::-1] if g[7] else g for g in got) == \
        [bytes([i]) + bytes(7) for i in range(16)]


def test_losing_for_ever_ends(m):
    _, cq, _, pd, a, b = connected_pair(m, timeout=8, retry=3)
    mem, key = m.reg_mr(pd, 4096)
    m.control("wire drop 1 1000000")
    a.post(const("WQE_RDMA_WRITE"), raddr(mem, key), inline(b"x"))
    cqe = cq.get()
    assert (cqe.syndrome, cqe.vendor) == (0x15, 0x81)
    assert m.trace().count("ack timeout") == 4, "the first and 3 more"


def test_progress_refills_the_retries(m):
    """Each message loses its packet as often as the limit allows."""
    _, cq, _, pd, a, b = connected_pair(m, timeout=8, retry=2)
    mem, key = m.reg_mr(pd, 4096)
    for _ in range(4):
        m.control("wire drop 1 2")
        a.post(const("WQE_RDMA_WRITE"), raddr(mem, key), inline(b"x"))
        assert not cq.get().error


def test_unreliable_loses_whole_messages(m):
    eq = m.create_eq(vector=1)
    cq, cq2, pd = m.create_cq(eq), m.create_cq(eq), m.alloc_pd()
    a = m.create_qp(pd=pd, send_cq=cq, st=const("QP_ST_UC"))
    b = m.create_qp(pd=pd, send_cq=cq2, st=const("QP_ST_UC"))
    a.connect(b)
    b.connect(a)
    src, skey = m.reg_mr(pd, 8192)
    dst, dkey = m.reg_mr(pd, 4 * 8192)
    m.put(src, os.urandom(8192))
    for i in range(4):
        b.post_recv((dst + 8192 * i, 8192, dkey))
    m.control("wire drop 7")            # in the second of three
    for _ in range(3):
        a.post(const("WQE_SEND"), data(src, 4096, skey))
        assert not cq.get().error, "sent is done"
    got = [cq2.get(), cq2.get()]
    assert [c.byte_cnt for c in got] == [4096, 4096]
    assert cq2.poll() is None
    assert m.get(dst, 4096) == m.get(src, 4096)


def test_bad_orders_are_refused(m):
    for line in ("wire drop 0", "wire lose 1", "wire drop", "wire drop 1 0"):
        assert "error" in m.control(line)
