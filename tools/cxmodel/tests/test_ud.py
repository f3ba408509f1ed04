# SPDX-License-Identifier: GPL-2.0-only
"""Datagrams: GRH area, Q_Key, management QPs, multicast, and what they drop."""
import struct

import pytest

from pipe import PAGE, CommandError, data, inline
from prm import Struct, const

SEND = const("WQE_SEND")
QKEY = 0x11111111
GRH_BYTES = 40


def av(qpn, qkey=QKEY, dlid=1, gid=None, sl=0, long=True):
    head = struct.pack(">I4xIBBH", qkey, qpn | (1 << 31 if long else 0), sl,
                       0, dlid)
    if not long:
        return head
    return head + struct.pack(">4x6xBBI16s", 0x12 if gid else 0,
                              9 if gid else 0, 1 << 30 if gid else 0,
                              gid or bytes(16))


class Setup:
    def __init__(self, m, st="UD"):
        self.m = m
        eq = m.create_eq(vector=1)
        self.cq, self.cq2 = m.create_cq(eq), m.create_cq(eq)
        self.pd = m.alloc_pd()
        self.a = self.qp(self.cq, st)
        self.b = self.qp(self.cq2, st)
        self.mem, self.key = m.reg_mr(self.pd, 3 * PAGE)

    def qp(self, cq, st="UD"):
        qp = self.m.create_qp(pd=self.pd, send_cq=cq,
                              st=const("QP_ST_" + st))
        qp.to_init(q_key=QKEY)
        qp.to_rtr(0, mtu=5)
        qp.to_rts()
        return qp

    def receive(self, qp=None, n=4096 + GRH_BYTES, off=0):
        (qp or self.b).post_recv((self.mem + off, n, self.key))


@pytest.fixture
def s(m):
    return Setup(m)


@pytest.mark.parametrize("long", [True, False])
@pytest.mark.parametrize("n", [0, 1, 4096])
def test_datagram(m, s, n, long):
    s.receive()
    src, skey = m.reg_mr(s.pd, PAGE)
    m.put(src, bytes(range(256)) * 16)
    m.put(s.mem, b"\xee" * GRH_BYTES)
    s.a.post(SEND, av(s.b.num, sl=3, long=long),
             *([data(src, n, skey)] if n else []))
    assert not s.cq.get().error
    cqe = s.cq2.get()
    assert cqe.opcode == const("CQE_RESP_SEND")
    assert cqe.byte_cnt == GRH_BYTES + n
    flags = int.from_bytes(cqe.raw[24:28], "big")
    assert flags & 0xffffff == s.a.num
    assert flags >> 24 & 0xf == 3 and flags >> 28 == 0
    assert int.from_bytes(cqe.raw[22:24], "big") == 1, "source LID"
    assert m.get(s.mem, GRH_BYTES) == b"\xee" * GRH_BYTES
    assert m.get(s.mem + GRH_BYTES, n) == m.get(src, n)


def test_grh(m, s):
    s.receive()
    gid = bytes(range(16))
    s.a.post(const("WQE_SEND_IMM"), av(s.b.num, gid=gid), inline(b"hello"),
             imm=b"grh!")
    cqe = s.cq2.get()
    assert cqe.opcode == const("CQE_RESP_SEND_IMM") and cqe.imm == b"grh!"
    assert int.from_bytes(cqe.raw[24:28], "big") >> 28 & 3 == 1
    grh = m.get(s.mem, GRH_BYTES)
    assert grh[0] >> 4 == 6 and grh[6] == 0x1b and grh[7] == 9
    assert grh[24:] == gid and grh[8:10] == b"\xfe\x80"
    assert m.get(s.mem + GRH_BYTES, 5) == b"hello"


@pytest.mark.parametrize("case", ["qkey", "lid", "qpn", "no receive", "reset"])
def test_dropped_in_silence(m, s, case):
    if case != "no receive":
        s.receive()
    if case == "reset":
        s.b.to_rst()
    s.a.post(SEND, av(0x3333 if case == "qpn" else s.b.num,
                      QKEY + 1 if case == "qkey" else QKEY,
                      99 if case == "lid" else 1), inline(b"x"))
    assert not s.cq.get().error, "sent is done"
    m.sync()
    assert s.cq2.poll() is None
    assert s.a.query()["state"] == const("QP_RTS")


def test_qkey_of_the_qp(m, s):
    """The high bit asks for the key in the context."""
    s.receive()
    s.a.post(SEND, av(s.b.num, 0x80000000), inline(b"x"))
    assert not s.cq2.get().error


def test_too_long_for_a_packet(m, s):
    s.a.post(SEND, av(s.b.num), data(s.mem, 4097, s.key))
    s.a.post(SEND, av(s.b.num), inline(b"x"))
    cqe = s.cq.get()
    assert cqe.syndrome == 1
    assert s.a.query()["state"] == const("QP_SQER")
    assert s.cq.get().syndrome == 5


def test_send_error_and_back(m, s):
    """Only the send queue stops; SQERR2RTS starts it again."""
    s.receive(s.a)
    s.receive()
    s.a.post(SEND, av(s.b.num), data(s.mem, 8, s.key ^ 1))
    cqe = s.cq.get()
    assert (cqe.syndrome, cqe.vendor) == (4, 0x51)
    assert s.a.query()["state"] == const("QP_SQER")
    s.b.post(SEND, av(s.a.num), inline(b"still listening"))
    assert not s.cq.get().error
    s.a.modify("SQERR2RTS_QP")
    s.a.post(SEND, av(s.b.num), inline(b"again"))
    assert not s.cq.get().error
    m.sync()
    got = [s.cq2.get(), s.cq2.get()]
    assert not any(c.error for c in got)


def test_receive_too_small(m, s):
    s.receive(n=GRH_BYTES + 3)
    s.a.post(SEND, av(s.b.num), inline(b"four"))
    assert not s.cq.get().error
    cqe = s.cq2.get()
    assert cqe.opcode == const("CQE_RESP_ERR") and cqe.syndrome == 1
    assert s.b.query()["state"] == const("QP_ERR")


@pytest.mark.parametrize("op", ["RDMA_WRITE", "RDMA_READ", "ATOMIC_FA"])
def test_only_sends(m, s, op):
    s.a.post(const("WQE_" + op), av(s.b.num), inline(b"x" * 28))
    assert (c := s.cq.get()).syndrome == 2 and c.vendor == 0x68


def test_general_services_qp(m):
    """Number 1 on the wire, whatever the device calls it; P_Key in the CQE."""
    s = Setup(m)
    gsi = s.qp(s.cq2, "QP1")
    s.receive(gsi)
    s.a.post(SEND, av(1), inline(b"mad" * 80))
    cqe = s.cq2.get()
    assert cqe.qpn == gsi.num
    assert int.from_bytes(cqe.imm, "big") == 0xffff
    s.receive()
    gsi.post(SEND, av(s.b.num), inline(b"answer"))
    got = [s.cq2.get(), s.cq2.get()]
    recv = next(c for c in got if c.opcode == const("CQE_RESP_SEND"))
    assert int.from_bytes(recv.raw[24:28], "big") & 0xffffff == 1


MGID = b"\xff\x12" + bytes(13) + b"\x07"


def mcg(m, name, qp, gid=MGID):
    cmd = Struct("attach_mcg_in", qpn=qp.num)
    at = cmd.offset("multicast_gid")
    cmd.buf[at:at + 16] = gid
    m.cmd(name, cmd)


def test_multicast(m, s):
    c = s.qp(s.cq2)
    for qp in (s.b, c):
        mcg(m, "ATTACH_TO_MCG", qp)
        mcg(m, "ATTACH_TO_MCG", qp)
    s.receive()
    s.receive(c, off=PAGE + GRH_BYTES)
    s.a.post(SEND, av(0xffffff, dlid=0xc001, gid=MGID), inline(b"all"))
    assert {s.cq2.get().qpn, s.cq2.get().qpn} == {s.b.num, c.num}
    assert s.cq2.poll() is None
    mcg(m, "DETACH_FROM_MCG", s.b)
    s.receive()
    s.receive(c)
    s.a.post(SEND, av(0xffffff, dlid=0xc001, gid=MGID), inline(b"one"))
    assert s.cq2.get().qpn == c.num
    m.sync()
    assert s.cq2.poll() is None
    with pytest.raises(CommandError):
        mcg(m, "DETACH_FROM_MCG", s.b)


def test_multicast_of_a_destroyed_qp(m, s):
    mcg(m, "ATTACH_TO_MCG", s.b)
    s.b.destroy()
    s.a.post(SEND, av(0xffffff, dlid=0xc001, gid=MGID), inline(b"x"))
    assert not s.cq.get().error


def test_attach_wants_a_datagram_qp(m, s):
    rc = m.create_qp(pd=s.pd, send_cq=s.cq)
    with pytest.raises(CommandError):
        mcg(m, "ATTACH_TO_MCG", rc)
