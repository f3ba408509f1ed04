# SPDX-License-Identifier: GPL-2.0-only
"""Reliable connection: SEND, WRITE, READ, atomics, segmentation, wrap."""
import os
import struct

import pytest

from pipe import atomic, connected_pair, data, inline, raddr
from prm import const

MTU = 1024


@pytest.fixture
def pair(m):
    return connected_pair(m)


def fill(m, addr, n):
    payload = os.urandom(n)
    m.put(addr, payload)
    return payload


def check(cqe, opcode, counter=None, n=None):
    assert not cqe.error, cqe
    assert cqe.opcode == const(opcode), cqe
    if counter is not None:
        assert cqe.counter == counter, cqe
    if n is not None:
        assert cqe.byte_cnt == n, cqe


@pytest.mark.parametrize("size", [0, 1, 63, MTU - 1, MTU, MTU + 1, 2 * MTU,
                                  10000, 1 << 20])
def test_send_sizes(m, pair, size):
    _, cq, cq2, pd, a, b = pair
    src, skey = m.reg_mr(pd, max(size, 1))
    dst, dkey = m.reg_mr(pd, max(size, 1) + 64)
    payload = fill(m, src, size)
    b.post_recv((dst, size + 32, dkey))
    a.post(const("WQE_SEND"), *([data(src, size, skey)] if size else []))
    cqe = cq.get()
    check(cqe, "CQE_REQ", 0)
    assert cqe.wqe_opcode == const("WQE_SEND") and cqe.qpn == a.num
    cqe = cq2.get()
    check(cqe, "CQE_RESP_SEND", 0, size)
    assert cqe.qpn == b.num
    assert m.get(dst, size) == payload
    assert m.get(dst + size, 32) == bytes(32)
    assert cq.poll() is None and cq2.poll() is None


@pytest.mark.parametrize("mtu", [1, 2, 3, 4, 5])
def test_segmentation(m, mtu):
    _, cq, cq2, pd, a, b = connected_pair(m, mtu=mtu)
    size = (128 << mtu) * 3 + 1
    src, skey = m.reg_mr(pd, size)
    dst, dkey = m.reg_mr(pd, size)
    payload = fill(m, src, size)
    b.post_recv((dst, size, dkey))
    a.post(const("WQE_SEND"), data(src, size, skey))
    cq.get(), cq2.get()
    assert m.get(dst, size) == payload
    assert b.query()["next_rcv_psn"] == 4
    assert b.query()["rmsn"] == 1
    trace = m.trace()
    assert trace.count("packet SEND_FIRST") == 1
    assert trace.count("packet SEND_MIDDLE") == 2
    assert trace.count("packet SEND_LAST") == 1


def test_gather_scatter(m, pair):
    _, cq, cq2, pd, a, b = pair
    src, skey = m.reg_mr(pd, 3 * 4096)
    dst, dkey = m.reg_mr(pd, 3 * 4096)
    payload = fill(m, src, 3 * 4096)
    b.post_recv((dst + 8192, 700, dkey), (dst, 3000, dkey))
    a.post(const("WQE_SEND"), data(src + 100, 1500, skey),
           data(src + 9000, 1, skey), data(src + 4096, 999, skey))
    cq.get()
    check(cq2.get(), "CQE_RESP_SEND", 0, 2500)
    want = payload[100:1600] + payload[9000:9001] + payload[4096:5095]
    assert m.get(dst + 8192, 700) + m.get(dst, 1800) == want


def test_inline_and_mixed(m, pair):
    _, cq, cq2, pd, a, b = pair
    src, skey = m.reg_mr(pd, 4096)
    dst, dkey = m.reg_mr(pd, 4096)
    payload = fill(m, src, 4096)
    b.post_recv((dst, 4096, dkey))
    a.post(const("WQE_SEND"), inline(b"x" * 45), data(src, 10, skey),
           inline(b"yz"))
    cq.get()
    check(cq2.get(), "CQE_RESP_SEND", 0, 57)
    assert m.get(dst, 57) == b"x" * 45 + payload[:10] + b"yz"


def test_send_imm_and_solicited(m, pair):
    _, cq, cq2, pd, a, b = pair
    dst, dkey = m.reg_mr(pd, 4096)
    b.post_recv((dst, 4096, dkey))
    a.post(const("WQE_SEND_IMM"), inline(b"hi"), imm=b"\x11\x22\x33\x44",
           solicited=True)
    cqe = cq2.get()
    check(cqe, "CQE_RESP_SEND_IMM", 0, 2)
    assert cqe.imm == b"\x11\x22\x33\x44"
    assert cqe.solicited


@pytest.mark.parametrize("size", [0, 1, MTU, MTU + 1, 1 << 20])
def test_write(m, pair, size):
    _, cq, cq2, pd, a, b = pair
    src, skey = m.reg_mr(pd, max(size, 1))
    dst, dkey = m.reg_mr(pd, max(size, 1))
    payload = fill(m, src, size)
    a.post(const("WQE_RDMA_WRITE"), raddr(dst, dkey),
           *([data(src, size, skey)] if size else []))
    check(cq.get(), "CQE_REQ", 0)
    assert m.get(dst, size) == payload
    assert cq2.poll() is None


@pytest.mark.parametrize("size", [0, 5, 3000])
def test_write_imm(m, pair, size):
    _, cq, cq2, pd, a, b = pair
    src, skey = m.reg_mr(pd, 4096)
    dst, dkey = m.reg_mr(pd, 4096)
    payload = fill(m, src, size)
    b.post_recv()
    a.post(const("WQE_RDMA_WRITE_IMM"), raddr(dst, dkey),
           *([data(src, size, skey)] if size else []), imm=b"abcd")
    check(cq.get(), "CQE_REQ", 0)
    cqe = cq2.get()
    check(cqe, "CQE_RESP_WRITE_IMM", 0, size)
    assert cqe.imm == b"abcd"
    assert m.get(dst, size) == payload


@pytest.mark.parametrize("size", [0, 1, MTU - 1, MTU, MTU + 1, 1 << 20])
def test_read(m, pair, size):
    _, cq, _, pd, a, b = pair
    src, skey = m.reg_mr(pd, max(size, 1))
    dst, dkey = m.reg_mr(pd, max(size, 1))
    payload = fill(m, src, size)
    a.post(const("WQE_RDMA_READ"), raddr(src, skey),
           *([data(dst, size, dkey)] if size else []))
    check(cq.get(), "CQE_REQ", 0, size)
    assert m.get(dst, size) == payload
    assert a.query()["next_send_psn"] == max(-(-size // MTU), 1)


def test_many_reads_with_limit(m, pair):
    """More READs than sra_max: they wait for one another."""
    _, cq, _, pd, a, b = pair
    src, skey = m.reg_mr(pd, 64 << 10)
    dst, dkey = m.reg_mr(pd, 64 << 10)
    payload = fill(m, src, 64 << 10)
    for i in range(32):
        a.post(const("WQE_RDMA_READ"), raddr(src + 2048 * i, skey),
               data(dst + 2048 * i, 2048, dkey), ring=i == 31)
    for i in range(32):
        check(cq.get(), "CQE_REQ", i, 2048)
    assert m.get(dst, 64 << 10) == payload


def test_atomics(m, pair):
    _, cq, _, pd, a, b = pair
    mem, key = m.reg_mr(pd, 4096)
    res, rkey = m.reg_mr(pd, 4096)
    m.put(mem, struct.pack("<Q", 40))
    a.post(const("WQE_ATOMIC_FA"), raddr(mem, key), atomic(2),
           data(res, 8, rkey))
    check(cq.get(), "CQE_REQ", 0, 8)
    a.post(const("WQE_ATOMIC_CS"), raddr(mem, key), atomic(7, 42),
           data(res + 8, 8, rkey))
    a.post(const("WQE_ATOMIC_CS"), raddr(mem, key), atomic(9, 42),
           data(res + 16, 8, rkey))
    check(cq.get(), "CQE_REQ", None, 8)
    check(cq.get(), "CQE_REQ", None, 8)
    assert struct.unpack("<Q", m.get(mem, 8))[0] == 7
    olds = [m.get(res + 8 * i, 8) for i in range(3)]
    order = ">" if olds[0] == struct.pack(">Q", 40) else "<"
    assert [struct.unpack(order + "Q", o)[0] for o in olds] == [40, 42, 7]


def test_unsignalled_are_silent(m, pair):
    _, cq, cq2, pd, a, b = pair
    dst, dkey = m.reg_mr(pd, 4096)
    for i in range(5):
        b.post_recv((dst + 16 * i, 16, dkey))
    for i in range(5):
        a.post(const("WQE_SEND"), inline(bytes([i] * 16)), signaled=i == 4)
    check(cq.get(), "CQE_REQ", 4)
    assert cq.poll() is None
    for i in range(5):
        check(cq2.get(), "CQE_RESP_SEND", i, 16)
    assert m.get(dst, 80) == b"".join(bytes([i] * 16) for i in range(5))


def test_counter_ignores_control_segment(m, pair):
    """A real device counts blocks itself; the index in the WQE is not read."""
    _, cq, _, pd, a, b = pair
    dst, dkey = m.reg_mr(pd, 4096)
    for i in range(4):
        body = raddr(dst, dkey) + inline(b"z")
        ctrl = struct.pack(">II4B4x", (1000 + i) << 8 |
                           const("WQE_RDMA_WRITE"), a.num << 8 | 3, 0, 0, 0, 8)
        m.put(a.buf + a.sq_off + 64 * i, ctrl + body)
    m.put32(a.dbr + 4, 4)
    a.ring()
    assert [cq.get().counter for _ in range(4)] == [0, 1, 2, 3]


def test_sq_wraps_within_a_wqe(m):
    """Five segments need two blocks: with 3 of them in a ring of 4 + 1 ..."""
    eq = m.create_eq(vector=1)
    cq, pd = m.create_cq(eq), m.alloc_pd()
    a = m.create_qp(pd=pd, send_cq=cq, log_sq=2)
    b = m.create_qp(pd=pd, send_cq=cq)
    a.connect(b)
    b.connect(a)
    dst, dkey = m.reg_mr(pd, 4096)
    for i in range(50):
        n = 30 + i % 60
        payload = os.urandom(n)
        at = a.post(const("WQE_RDMA_WRITE"), raddr(dst, dkey), inline(payload))
        check(cq.get(), "CQE_REQ", at)
        assert m.get(dst, n) == payload


def test_long_wrap_of_all_counters(m):
    """65536 + some blocks and completions: 16-bit counters and CQ laps."""
    eq = m.create_eq(vector=1)
    cq, cq2, pd = m.create_cq(eq), m.create_cq(eq), m.alloc_pd()
    a = m.create_qp(pd=pd, send_cq=cq, log_sq=10)
    b = m.create_qp(pd=pd, send_cq=cq2)
    a.connect(b)
    b.connect(a)
    dst, dkey = m.reg_mr(pd, 4096)
    body = raddr(dst, dkey) + inline(b"q")
    for lap in range(70):
        for i in range(1000):
            index = a.post(const("WQE_RDMA_WRITE"), body, ring=i == 999,
                           signaled=i == 999)
        check(cq.get(), "CQE_REQ", index)
    assert cq.poll() is None


def test_psn_wraps(m):
    _, cq, cq2, pd, a, b = connected_pair(m, psn=0xfffffe)
    src, skey = m.reg_mr(pd, 16384)
    dst, dkey = m.reg_mr(pd, 16384)
    # the QPs of the pair send from PSN 0
    a.to_rst()
    a.to_init()
    a.to_rtr(b.num, psn=0)
    a.to_rts(psn=0xfffffe)
    payload = fill(m, src, 16384)
    a.post(const("WQE_RDMA_WRITE"), raddr(dst, dkey), data(src, 16384, skey))
    a.post(const("WQE_RDMA_READ"), raddr(dst, dkey), data(src, 4096, skey))
    cq.get(), cq.get()
    assert m.get(dst, 16384) == payload
    assert b.query()["next_rcv_psn"] == 18


def test_fence_waits_for_read(m, pair):
    """The SEND carries what the READ before it fetches."""
    _, cq, cq2, pd, a, b = pair
    src, skey = m.reg_mr(pd, 64 << 10)
    mid, mkey = m.reg_mr(pd, 64 << 10)
    dst, dkey = m.reg_mr(pd, 64 << 10)
    payload = fill(m, src, 64 << 10)
    b.post_recv((dst, 64 << 10, dkey))
    a.post(const("WQE_RDMA_READ"), raddr(src, skey),
           data(mid, 64 << 10, mkey), ring=False)
    a.post(const("WQE_SEND"), data(mid, 64 << 10, mkey), fence=2)
    cq.get(), cq.get(), cq2.get()
    assert m.get(dst, 64 << 10) == payload


def test_nop(m, pair):
    _, cq, _, _, a, _ = pair
    a.post(const("WQE_NOP"))
    cqe = cq.get()
    check(cqe, "CQE_REQ", 0)
    assert cqe.wqe_opcode == 0


def test_user_index_names_the_queue(m):
    eq = m.create_eq(vector=1)
    cq, pd = m.create_cq(eq), m.alloc_pd()
    a = m.create_qp(pd=pd, send_cq=cq, uidx=0x1234)
    b = m.create_qp(pd=pd, send_cq=cq, uidx=0x4321)
    a.connect(b)
    b.connect(a)
    dst, dkey = m.reg_mr(pd, 4096)
    b.post_recv((dst, 64, dkey))
    a.post(const("WQE_SEND"), inline(b"hello"))
    names = {c.opcode: c.srqn_uidx for c in (cq.get(), cq.get())}
    assert names == {const("CQE_REQ"): 0x1234, const("CQE_RESP_SEND"): 0x4321}


def test_self_connected(m):
    """A QP may be its own peer."""
    eq = m.create_eq(vector=1)
    cq, pd = m.create_cq(eq), m.alloc_pd()
    a = m.create_qp(pd=pd, send_cq=cq)
    a.connect(a)
    dst, dkey = m.reg_mr(pd, 4096)
    a.post_recv((dst, 64, dkey))
    a.post(const("WQE_SEND"), inline(b"me"))
    cq.get(), cq.get()
    assert m.get(dst, 2) == b"me"


def test_comm_est_once(m):
    eq = m.create_eq(vector=1)
    async_eq = m.create_eq(vector=0, events=1 << const("EVENT_COMM_EST"))
    cq, pd = m.create_cq(eq), m.alloc_pd()
    a = m.create_qp(pd=pd, send_cq=cq)
    b = m.create_qp(pd=pd, send_cq=cq)
    a.connect(b)
    b.to_init()
    b.to_rtr(a.num)
    dst, dkey = m.reg_mr(pd, 4096)
    for _ in range(2):
        a.post(const("WQE_RDMA_WRITE"), raddr(dst, dkey), inline(b"1"))
        cq.get()
    e = async_eq.get(const("EVENT_COMM_EST"))
    assert int.from_bytes(e[2][24:28], "big") == b.num
    assert async_eq.poll() is None
