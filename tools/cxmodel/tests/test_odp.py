# SPDX-License-Identifier: GPL-2.0-only
"""On-demand paging: capabilities; a page that a requester misses stops it, an
event tells of it, PAGE_FAULT_RESUME ends it."""
import struct
import time

import pytest

from odp import (FETCH_ADD, LOCAL_PROT, ODP, READ, REQUESTOR, SEND, VA, WRITE,
                 WRITES, Paged, services)
from pipe import PAGE, CommandError, Model, atomic, data, inline, raddr
from prm import Struct, const
from test_caps import query, store
from test_ud import GRH_BYTES, QKEY, av


@pytest.mark.parametrize("profile", ["bringup", "pinned"])
def test_group_is_offered_with_paging_only(request, profile):
    m = request.getfixturevalue(profile)
    with pytest.raises(CommandError) as e:
        query(m, ODP, 0, "odp_cap")
    assert e.value.status == "BAD_PARAM"
    with pytest.raises(CommandError) as e:
        store(m, ODP, Struct("odp_cap"))
    assert e.value.status == "BAD_PARAM"


def test_software_chooses_what_is_paged():
    with Model() as m:
        most = services(query(m, ODP, 0, "odp_cap"))
        assert most["rc"]["srq_receive"] and most["xrc"]["read"]
        assert not most["ud"]["receive"] and not most["uc"]["send"]
        cap = query(m, ODP, 1, "odp_cap")
        assert not cap["mem_page_fault"]
        now = services(cap)
        assert now["rc"]["send"] and not now["rc"]["srq_receive"]
        now["rc"]["srq_receive"] = now["uc"]["send"] = 1
        now["rc"]["atomic"] = 0
        cap["mem_page_fault"] = 1
        store(m, ODP, cap)
        cap = query(m, ODP, 1, "odp_cap")
        now = services(cap)
        assert now["rc"]["srq_receive"] and not now["rc"]["atomic"]
        assert not now["uc"]["send"] and not cap["mem_page_fault"]


# --- requester

def test_send_from_a_missing_page(s):
    want = s.fill(s.ram + 100, 64)
    s.b.post_recv((s.mem, 64, s.mkey))
    index = s.a.post(SEND, data(VA + 100, 64, s.key))
    f = s.fault()
    assert (f.rdma, f.type, f.number, f.index) == (False, REQUESTOR, s.a.num,
                                                   index)
    assert (f.done, f.packet) == (0, 64)
    s.quiet()
    s.map(0)
    s.resume(f)
    assert not s.cq.get().error and s.cq2.get().byte_cnt == 64
    assert s.m.get(s.mem, 64) == want


def test_long_write_page_by_page(s):
    """Each fault tells how far it was; no page is asked for early."""
    want = s.fill(s.ram, 4 * PAGE)
    s.a.post(WRITE, raddr(s.mem, s.mkey), data(VA, 4 * PAGE, s.key))
    for i in range(4):
        f = s.fault()
        assert (f.done, f.packet) == (i * PAGE, PAGE)
        s.map(i)
        s.resume(f)
    assert not s.cq.get().error
    assert s.m.get(s.mem, 4 * PAGE) == want


def test_packet_over_two_pages(s):
    """The page behind the first faults as well; nothing is sent by half."""
    want = s.fill(s.ram + PAGE - 8, 16)
    s.map(0)
    s.a.post(WRITE, raddr(s.mem, s.mkey), data(VA + PAGE - 8, 16, s.key))
    f = s.fault()
    assert f.done == 0
    s.map(1)
    s.resume(f)
    assert not s.cq.get().error
    assert s.m.get(s.mem, 16) == want


def test_resumed_too_early_faults_again(s):
    s.a.post(WRITE, raddr(s.mem, s.mkey), data(VA, 8, s.key))
    first = s.fault()
    s.resume(first)
    second = s.fault()
    assert second.token != first.token
    s.map(0)
    s.stale(first)
    s.resume(second)
    assert not s.cq.get().error


def test_send_page_never_comes(s):
    """The WQE before it completes, the one behind it is flushed."""
    s.a.post(WRITE, raddr(s.mem, s.mkey), inline(b"x"))
    index = s.a.post(WRITE, raddr(s.mem, s.mkey), data(VA, 2 * PAGE, s.key))
    s.a.post(WRITE, raddr(s.mem, s.mkey), inline(b"y"))
    s.resume(s.fault(), error=1)
    assert not s.cq.get().error
    cqe = s.cq.get()
    assert (cqe.syndrome, cqe.vendor, cqe.counter) == (LOCAL_PROT, 0x51, index)
    assert s.cq.get().syndrome == 5
    assert s.a.query()["state"] == const("QP_ERR")
    assert s.b.query()["state"] == const("QP_RTS")


def test_a_requester_that_waits_does_not_time_out(m):
    """What it sent before is answered; what it did not send cannot be lost."""
    s = Paged(m, timeout=1, retry=1)
    s.a.post(WRITE, raddr(s.mem, s.mkey), inline(b"before"), ring=False)
    s.a.post(WRITE, raddr(s.mem, s.mkey), data(VA, 8, s.key))
    f = s.fault()
    assert not s.cq.get().error
    time.sleep(0.05)
    s.quiet()
    s.map(0)
    s.resume(f)
    assert not s.cq.get().error


@pytest.mark.parametrize("mtu", [1, 5])
def test_read_into_missing_pages(m, mtu):
    """Dropped responses are asked for again, and only from the gap on."""
    s = Paged(m)
    s.a.to_rst()
    s.b.to_rst()
    s.a.connect(s.b, mtu=mtu)
    s.b.connect(s.a, mtu=mtu)
    for qp in s.a, s.b:
        s.m.put(qp.dbr, bytes(8))
        qp.pi = qp.rq_pi = 0
    want = s.fill(s.mem, 3 * PAGE)
    s.map(0)
    index = s.a.post(READ, raddr(s.mem, s.mkey), data(VA, 3 * PAGE, s.key))
    s.a.post(WRITE, raddr(s.mem + 4 * PAGE, s.mkey), inline(b"behind"))
    for i in 1, 2:
        f = s.fault()
        assert (f.type, f.number, f.index) == (REQUESTOR | WRITES, s.a.num,
                                               index)
        assert (f.done, f.packet) == (i * PAGE, 128 << mtu)
        s.map(i)
        s.resume(f)
    assert s.cq.get().byte_cnt == 3 * PAGE and not s.cq.get().error
    assert s.m.get(s.ram, 3 * PAGE) == want
    assert s.m.get(s.mem + 4 * PAGE, 6) == b"behind"


def test_read_page_never_comes(s):
    s.a.post(READ, raddr(s.mem, s.mkey), data(VA, 8, s.key))
    s.resume(s.fault(), error=1)
    cqe = s.cq.get()
    assert (cqe.syndrome, cqe.vendor) == (LOCAL_PROT, 0x33)


def test_atomic_result_into_a_missing_page(s):
    """Asked for twice, applied once."""
    s.m.put(s.mem, struct.pack("=Q", 40))
    s.a.post(FETCH_ADD, raddr(s.mem, s.mkey), atomic(2), data(VA, 8, s.key))
    f = s.fault()
    assert f.type == REQUESTOR | WRITES
    s.map(0)
    s.resume(f)
    assert not s.cq.get().error
    assert s.m.get(s.mem, 8) == struct.pack("=Q", 42)
    assert s.m.get(s.ram, 8) == struct.pack(">Q", 40)


def test_two_requests_fault_in_turn(s):
    """A read's response has no room while a later send waits for its page."""
    want = s.fill(s.mem, 8)
    s.fill(s.ram + PAGE, 8, 9)
    s.a.post(READ, raddr(s.mem, s.mkey), data(VA, 8, s.key))
    s.a.post(WRITE, raddr(s.mem + PAGE, s.mkey), data(VA + PAGE, 8, s.key))
    pages = {REQUESTOR: 1, REQUESTOR | WRITES: 0}
    while pages:
        f = s.fault()
        s.map(pages.pop(f.type))
        s.resume(f)
    assert s.cq.get().byte_cnt == 8 and not s.cq.get().error
    assert s.m.get(s.ram, 8) == want
    assert s.m.get(s.mem + PAGE, 8) == s.m.get(s.ram + PAGE, 8)


def test_datagram_from_a_missing_page(m):
    s = Paged(m, pair=False)
    a, b = (m.create_qp(pd=s.pd, send_cq=s.cq, st=const("QP_ST_UD"))
            for _ in range(2))
    for qp in a, b:
        qp.to_init(q_key=QKEY)
        qp.to_rtr(0, mtu=5)
        qp.to_rts()
    want = s.fill(s.ram, 64)
    b.post_recv((s.mem, 64 + GRH_BYTES, s.mkey))
    a.post(SEND, av(b.num), data(VA, 64, s.key))
    f = s.fault()
    assert (f.type, f.number) == (REQUESTOR, a.num)
    s.map(0)
    s.resume(f)
    assert not s.cq.get().error and not s.cq.get().error
    assert s.m.get(s.mem + GRH_BYTES, 64) == want
    # a receive is not covered
    b.post_recv((VA + PAGE, 64 + GRH_BYTES, s.key))
    a.post(SEND, av(b.num), data(VA, 64, s.key))
    assert LOCAL_PROT in (s.cq.get().syndrome, s.cq.get().syndrome)
    assert not s.faults.poll()


@pytest.mark.parametrize("op", ["write", "send"])
def test_unreliable_service_is_not_covered(m, op):
    s = Paged(m, pair=False)
    a, b = (m.create_qp(pd=s.pd, send_cq=s.cq, st=const("QP_ST_UC"))
            for _ in range(2))
    a.connect(b)
    b.connect(a)
    b.post_recv((s.mem, 8, s.mkey))
    if op == "write":
        a.post(WRITE, raddr(s.mem, s.mkey), data(VA, 8, s.key))
    else:
        a.post(SEND, data(VA, 8, s.key))
    assert s.cq.get().syndrome == LOCAL_PROT
    assert not s.faults.poll()
