# SPDX-License-Identifier: GPL-2.0-only
"""On-demand paging: the command that ends a fault, and who goes while one waits."""
import pytest

from odp import LOCAL_PROT, READ, SEND, VA, WRITE, WRITES
from pipe import data, inline, raddr


def test_resume_names_what_the_event_named(s):
    s.a.post(WRITE, raddr(s.mem, s.mkey), data(VA, 8, s.key))
    f = s.fault()
    for wrong in ({"wq_number": s.b.num}, {"page_fault_type": WRITES}):
        s.stale(f, "BAD_PARAM", **wrong)
    s.stale(f, fault_token=f.token + 1)
    s.stale(f, fault_token=0)
    s.quiet()
    s.map(0)
    s.resume(f)
    assert not s.cq.get().error
    s.stale(f)


def start_fault(s, side):
    """A fault of a (requester) or of b (responder)."""
    if side == "requester":
        s.a.post(WRITE, raddr(s.mem, s.mkey), data(VA, 8, s.key))
    elif side == "receive":
        s.b.post_recv((VA, 64, s.key))
        s.a.post(SEND, inline(b"x"))
    else:
        s.a.post(READ, raddr(VA, s.key), data(s.mem, 8, s.mkey))
    return s.fault(), s.a if side == "requester" else s.b


SIDES = ["requester", "receive", "remote"]


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("how", ["destroy", "reset", "error"])
def test_queue_pair_goes_while_it_waits(s, side, how):
    f, qp = start_fault(s, side)
    if how == "destroy":
        qp.destroy()
    elif how == "reset":
        qp.to_rst()
    else:
        qp.to_err()
        if side != "remote":
            cqe = (s.cq if side == "requester" else s.cq2).get()
            assert cqe.syndrome == 5
    s.stale(f)
    s.stale(f, error=1)
    # a number that comes back does not inherit the fault
    if how == "reset":
        other = s.b if qp is s.a else s.a
        other.to_rst()
        for one, two in (s.a, s.b), (s.b, s.a):
            s.m.put(one.dbr, bytes(8))
            one.pi = one.rq_pi = 0
            one.connect(two, mtu=5)
        s.a.post(WRITE, raddr(s.mem, s.mkey), inline(b"new"))
        assert not s.cq.get().error


@pytest.mark.parametrize("side", SIDES)
def test_killed_while_it_waits(s, side):
    start_fault(s, side)
    s.m.control("kill")
    assert s.m.read32(0) == 0xffffffff


@pytest.mark.parametrize("side", SIDES)
def test_reset_of_the_function_while_it_waits(s, side):
    start_fault(s, side)
    s.m.reset()
    assert s.m.census()["total"] == 0


def test_nobody_listens(s):
    """Without a queue for the event nobody could resume: an error."""
    s.faults.destroy()
    s.a.post(WRITE, raddr(s.mem, s.mkey), data(VA, 8, s.key))
    assert s.cq.get().syndrome == LOCAL_PROT


def test_many_wait(s):
    """Each with a token of its own; resumed in any order."""
    pairs = []
    for i in range(12):
        a = s.m.create_qp(pd=s.pd, send_cq=s.cq)
        b = s.m.create_qp(pd=s.pd, send_cq=s.cq2)
        a.connect(b)
        b.connect(a)
        a.post(WRITE, raddr(s.mem, s.mkey), data(VA + i * 8, 8, s.key))
        pairs.append((a, s.fault()))
    assert len({f.token for _, f in pairs}) == 12
    s.map(0)
    for a, f in reversed(pairs):
        s.resume(f)
        assert s.cq.get().qpn == a.num
