# SPDX-License-Identifier: GPL-2.0-only
"""On-demand paging: pages that a responder misses, of receives and of what the
peer names."""
import struct

import pytest

from odp import (FETCH_ADD, LOCAL_PROT, ODP, RDMA, READ, REMOTE_ACCESS,
                 REMOTE_OP, SEND, VA, WRITE, WRITES, Paged, services)
from pipe import PAGE, Model, atomic, data, inline, raddr
from prm import const
from test_caps import query, store
from test_srq import Srq


@pytest.mark.parametrize("first, pages", [(False, 2), (True, 1)])
def test_receive_into_missing_pages(s, first, pages):
    """Of one WQE: it is taken once, however often its packets come."""
    want = s.fill(s.mem, 3 * PAGE)
    if first:
        s.map(0)
    s.b.post_recv((VA, 2 * PAGE, s.key), (s.mem + 4 * PAGE, PAGE, s.mkey))
    s.a.post(SEND, data(s.mem, 3 * PAGE, s.mkey))
    for i in range(2 - pages, 2):
        f = s.fault()
        assert (f.rdma, f.type, f.number) == (False, WRITES, s.b.num)
        assert (f.index, f.done, f.packet) == (0, i * PAGE, PAGE)
        s.quiet()
        s.map(i)
        s.resume(f)
    assert not s.cq.get().error and s.cq2.get().byte_cnt == 3 * PAGE
    assert s.m.get(s.ram, 2 * PAGE) + s.m.get(s.mem + 4 * PAGE, PAGE) == want
    assert s.b.query()["hw_rq_counter"] == 1


def test_receive_page_never_comes(s):
    s.b.post_recv((VA, PAGE, s.key))
    s.a.post(SEND, data(s.mem, 2 * 8, s.mkey))
    s.resume(s.fault(), error=1)
    cqe = s.cq2.get()
    assert (cqe.syndrome, cqe.vendor, cqe.counter) == (LOCAL_PROT, 0x56, 0)
    assert s.cq.get().syndrome == REMOTE_OP
    assert s.b.query()["state"] == const("QP_ERR")


def switch_on(m, service, operation):
    cap = query(m, ODP, 1, "odp_cap")
    services(cap)[service][operation] = 1
    store(m, ODP, cap)


@pytest.mark.parametrize("on", [True, False])
def test_receive_from_a_shared_queue(on):
    """The event names the queue's WQE. Off: refused, as ever."""
    with Model() as m:
        if on:
            switch_on(m, "rc", "srq_receive")
        s = Paged(m.start(), pair=False)
        srq = Srq(m, "rmp", s.pd)
        a = m.create_qp(pd=s.pd, send_cq=s.cq)
        b = m.create_qp(pd=s.pd, send_cq=s.cq, srqn=srq.num)
        a.connect(b)
        b.connect(a)
        index = srq.post((VA, 64, s.key))
        want = s.fill(s.mem, 64)
        a.post(SEND, data(s.mem, 64, s.mkey))
        if not on:
            assert {s.cq.get().syndrome, s.cq.get().syndrome} == {
                LOCAL_PROT, REMOTE_OP}
            return
        f = s.fault()
        assert (f.type, f.number, f.index) == (0, srq.num, index)
        s.map(0)
        s.resume(f)
        assert not s.cq.get().error and not s.cq.get().error
        assert m.get(s.ram, 64) == want


def xrc(s, m):
    """Initiator, target and the target's shared queue."""
    xrcd = m.alloc_xrcd()
    srq = Srq(m, "xrc", s.pd, cq=s.cq, xrcd=xrcd)
    a, b = (m.create_qp(pd=s.pd, send_cq=s.cq, st=const("QP_ST_XRC"),
                        xrcd=xrcd, rq_type=3, log_rq_size=0)
            for _ in range(2))
    for qp in a, b:
        qp.sq_off = 0
    a.connect(b)
    b.connect(a)
    return srq, a, b


def xrc_segment(srq):
    return struct.pack(">I12x", srq.num)


def test_shared_queue_goes_while_its_page_is_awaited():
    """XRC: the queue pair stays, and refuses what comes for the queue."""
    with Model() as m:
        for operation in "send", "srq_receive":
            switch_on(m, "xrc", operation)
        s = Paged(m.start(), pair=False)
        srq, a, _ = xrc(s, m)
        srq.post((VA, 64, s.key))
        a.post(SEND, xrc_segment(srq), data(s.mem, 64, s.mkey))
        f = s.fault()
        assert (f.type, f.number) == (0, srq.num)
        srq.destroy()
        s.stale(f)
        assert s.cq.get().error


def test_long_write_into_missing_pages(s):
    """Packet by packet: what was written stays, what faults is sent again."""
    want = s.fill(s.mem, 4 * PAGE)
    s.map(0, 2)
    s.a.post(WRITE, raddr(VA, s.key), data(s.mem, 4 * PAGE, s.mkey))
    for i in 1, 3:
        f = s.fault()
        assert (f.rdma, f.type, f.rkey) == (True, RDMA | WRITES, s.key)
        assert (f.va, f.len, f.done, f.packet) == (VA, 4 * PAGE, i * PAGE,
                                                   PAGE)
        assert s.m.get(s.ram, i * PAGE) == want[:i * PAGE]
        s.map(i)
        s.resume(f)
    assert not s.cq.get().error
    assert s.m.get(s.ram, 4 * PAGE) == want


def test_write_with_immediate_takes_one_receive(s):
    s.b.post_recv((s.mem, 8, s.mkey))
    s.a.post(const("WQE_RDMA_WRITE_IMM"), raddr(VA, s.key), inline(b"now"))
    f = s.fault()
    s.quiet()
    s.map(0)
    s.resume(f)
    assert not s.cq.get().error and s.cq2.get().byte_cnt == 3
    assert s.m.get(s.ram, 3) == b"now"
    assert s.b.query()["hw_rq_counter"] == 1


def test_reads_from_missing_pages(s):
    """Three at once, the second from a hole: all come, in order."""
    want = s.fill(s.ram, 5 * PAGE)
    s.map(0, 1, 4)
    s.a.post(READ, raddr(VA, s.key), data(s.mem, PAGE, s.mkey))
    s.a.post(READ, raddr(VA + PAGE, s.key),
             data(s.mem + PAGE, 3 * PAGE, s.mkey))
    s.a.post(READ, raddr(VA + 4 * PAGE, s.key),
             data(s.mem + 4 * PAGE, PAGE, s.mkey))
    assert s.cq.get().byte_cnt == PAGE
    for i in 2, 3:
        f = s.fault()
        assert (f.rdma, f.type, f.rkey) == (True, RDMA, s.key)
        assert f.va + f.done == VA + i * PAGE   # of what is asked now
        assert f.va + f.len == VA + 4 * PAGE
        s.quiet()
        s.map(i)
        s.resume(f)
    assert [s.cq.get().byte_cnt for _ in range(2)] == [3 * PAGE, PAGE]
    assert s.m.get(s.mem, 5 * PAGE) == want


def test_write_behind_a_read_that_waits(s):
    """It is not executed before the read was answered."""
    s.fill(s.ram, 8)
    want = s.m.get(s.ram, 8)
    s.a.post(READ, raddr(VA, s.key), data(s.mem, 8, s.mkey))
    s.a.post(WRITE, raddr(s.mem + PAGE, s.mkey), inline(b"behind"))
    f = s.fault()
    s.m.wait(lambda: " nak\n" in s.m.trace())
    s.quiet()
    s.map(0)
    s.resume(f)
    assert s.cq.get().byte_cnt == 8 and not s.cq.get().error
    assert s.m.get(s.mem, 8) == want
    assert s.m.get(s.mem + PAGE, 6) == b"behind"


def test_atomic_on_a_missing_page(s):
    s.m.put(s.ram + 8, struct.pack("=Q", 40))
    s.a.post(FETCH_ADD, raddr(VA + 8, s.key), atomic(2),
             data(s.mem, 8, s.mkey))
    f = s.fault()
    assert (f.type, f.va, f.len) == (RDMA | WRITES, VA + 8, 8)
    s.map(0)
    s.resume(f)
    assert not s.cq.get().error
    assert s.m.get(s.ram + 8, 8) == struct.pack("=Q", 42)


@pytest.mark.parametrize("what", ["write", "read", "atomic"])
def test_remote_page_never_comes(s, what):
    remote = raddr(VA, s.key)
    if what == "write":
        s.a.post(WRITE, remote, inline(b"x"))
    elif what == "read":
        s.a.post(READ, remote, data(s.mem, 8, s.mkey))
    else:
        s.a.post(FETCH_ADD, remote, atomic(1), data(s.mem, 8, s.mkey))
    s.resume(s.fault(), error=1)
    cqe = s.cq.get()
    assert (cqe.syndrome, cqe.vendor) == (REMOTE_ACCESS, 0x88)
    assert s.b.query()["state"] == const("QP_ERR")


def test_both_ends_of_a_write_fault(s):
    want = s.fill(s.ram, PAGE)
    s.a.post(WRITE, raddr(VA + 4 * PAGE, s.key), data(VA, PAGE, s.key))
    for page, rdma in (0, False), (4, True):
        f = s.fault()
        assert f.rdma == rdma
        s.map(page)
        s.resume(f)
    assert not s.cq.get().error
    assert s.m.get(s.ram + 4 * PAGE, PAGE) == want


def test_lost_packets_while_waiting(m):
    """NAKs and what is sent again may get lost as any packet."""
    s = Paged(m, timeout=8)
    s.m.control("wire drop 2 3")        # the first is the write
    s.a.post(WRITE, raddr(VA, s.key), inline(b"again"))
    f = s.fault()
    s.m.wait(lambda: s.m.trace().count("dropped on demand") == 3)
    s.map(0)
    s.resume(f)
    assert not s.cq.get().error
    assert s.m.get(s.ram, 5) == b"again"


def test_few_retries_end_the_connection(m):
    """The peer's choice: with none it fails at once. The fault goes on."""
    s = Paged(m, rnr_retry=0)
    s.a.post(WRITE, raddr(VA, s.key), inline(b"x"))
    f = s.fault()
    cqe = s.cq.get()
    assert (cqe.syndrome, cqe.vendor) == (0x16, 0x87)
    s.resume(f)
    assert s.b.query()["state"] == const("QP_RTS")
