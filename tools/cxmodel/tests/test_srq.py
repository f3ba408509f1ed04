# SPDX-License-Identifier: GPL-2.0-only
"""Shared receive queues of all three kinds: consumption by links, limit event,
numbers, last WQE; XRC."""
import struct

import pytest

from pipe import PAGE, CommandError, atomic, data, inline, pas, raddr
from prm import Struct, const

SEND = const("WQE_SEND")
KINDS = ["rmp", "srq", "xrc"]


class Srq:
    """A shared receive queue as software keeps it: a list of free WQEs."""

    def __init__(self, m, kind, pd, log_size=4, stride=64, lwm=0, cq=None,
                 xrcd=0, uidx=0xffffff, **ctx):
        self.m, self.kind, self.stride = m, kind, stride
        self.size = 1 << log_size
        size = max(stride << log_size, PAGE)
        self.buf, self.dbr = m.alloc(size), m.alloc(64, 64)
        for i in range(self.size):
            self.link(i, i + 1)
        if kind == "rmp":
            cmd = Struct("create_rmp_in")
            c = cmd.sub("ctx", state=1).sub(
                "wq", pd=pd, dbr_addr=self.dbr, lwm=lwm, log_wq_sz=log_size,
                log_wq_stride=stride.bit_length() - 1)
        elif kind == "srq":
            cmd = Struct("create_srq_in")
            c = cmd.sub("srq_context_entry", pd=pd, dbr_addr=self.dbr,
                        lwm=lwm, log_srq_size=log_size,
                        log_rq_stride=stride.bit_length() - 5)
        else:
            cmd = Struct("create_xrc_srq_in")
            c = cmd.sub("xrc_srq_context_entry", pd=pd, lwm=lwm,
                        db_record_addr_h=self.dbr >> 32,
                        db_record_addr_l=(self.dbr & 0xffffffff) >> 2,
                        log_xrc_srq_size=log_size, xrcd=xrcd, cqn=cq.num,
                        user_index=uidx,
                        log_rq_stride=stride.bit_length() - 5)
        for key, value in ctx.items():
            c[key] = value
        name, field = {"rmp": ("RMP", "rmpn"), "srq": ("SRQ", "srqn"),
                       "xrc": ("XRC_SRQ", "xrc_srqn")}[kind]
        self.name, self.field = name, field
        self.num = m.cmd("CREATE_" + name, cmd,
                         f"create_{name.lower()}_out", pas(self.buf, size))[
                             field]
        self.head, self.tail, self.posted = 0, self.size - 1, 0

    def link(self, i, to):
        self.m.put(self.buf + i * self.stride,
                   struct.pack(">2xH12x", to % self.size))

    def next(self, i):
        return int.from_bytes(self.m.get(self.buf + i * self.stride + 2, 2),
                              "big")

    def post(self, *sges):
        assert self.head != self.tail, "one WQE is always left"
        wqe = b"".join(struct.pack(">IIQ", n, key, addr)
                       for addr, n, key in sges)
        if len(wqe) < self.stride - 16:
            wqe += struct.pack(">IIQ", 0, const("LKEY_TERMINATE"), 0)
        self.m.put(self.buf + self.head * self.stride + 16, wqe)
        index, self.head = self.head, self.next(self.head)
        self.posted += 1
        self.m.put32(self.dbr, self.posted & 0xffff)
        return index

    def free(self, index):
        """Back to the end of the list, as after the CQE was polled."""
        self.link(self.tail, index)
        self.tail = index

    def arm(self, lwm):
        m = self.m
        if self.kind == "rmp":
            cmd = Struct("modify_rmp_in", rmp_state=1, rmpn=self.num)
            cmd.sub("bitmask", lwm=1)
            cmd.sub("ctx", state=1).sub("wq", lwm=lwm)
            m.cmd("MODIFY_RMP", cmd)
        elif self.kind == "srq":
            m.cmd("ARM_RQ", Struct("arm_rq_in", srq_number=self.num, lwm=lwm),
                  op_mod=1)
        else:
            m.cmd("ARM_XRC_SRQ", Struct("arm_xrc_srq_in", xrc_srqn=self.num,
                                        lwm=lwm), op_mod=1)

    def lwm(self):
        out = self.m.cmd("QUERY_" + self.name,
                         Struct(f"{self.name.lower()}_number_in",
                                **{self.field: self.num}),
                         f"query_{self.name.lower()}_out")
        if self.kind == "rmp":
            return out.sub("rmp_context").sub("wq")["lwm"]
        return out.sub({"srq": "srq_context_entry",
                        "xrc": "xrc_srq_context_entry"}[self.kind])["lwm"]

    def destroy(self):
        self.m.cmd("DESTROY_" + self.name,
                   Struct(f"{self.name.lower()}_number_in",
                          **{self.field: self.num}))


class Setup:
    """a sends; b receives from an SRQ of this kind."""

    def __init__(self, m, kind, lwm=0, uidx=0xffffff, **kw):
        self.m, self.kind = m, kind
        eq = m.create_eq(vector=1)
        events = sum(1 << const("EVENT_" + e) for e in
                     ("SRQ_LIMIT", "SRQ_LAST_WQE", "SRQ_CATAS_ERROR"))
        self.events = m.create_eq(vector=0, events=events)
        self.cq, self.cq2 = m.create_cq(eq), m.create_cq(eq)
        self.pd = m.alloc_pd()
        self.xrcd = m.alloc_xrcd()
        self.srq = Srq(m, kind, self.pd, lwm=lwm, cq=self.cq2,
                       xrcd=self.xrcd, uidx=uidx, **kw)
        if kind == "xrc":
            st = const("QP_ST_XRC")
            self.a = m.create_qp(pd=self.pd, send_cq=self.cq, st=st,
                                 xrcd=self.xrcd, rq_type=3, log_rq_size=0)
            self.a.sq_off = 0           # no receive queue before it
            # an XRC target has no user of its own, and so a PD of nobody's
            self.target_pd = m.alloc_pd()
            self.b = m.create_qp(pd=self.target_pd, send_cq=self.cq, st=st,
                                 srqn=self.srq.num, xrcd=self.xrcd, no_sq=1)
        else:
            self.a = m.create_qp(pd=self.pd, send_cq=self.cq)
            self.b = m.create_qp(pd=self.pd, send_cq=self.cq,
                                 recv_cq=self.cq2, srqn=self.srq.num,
                                 uidx=uidx)
        self.a.connect(self.b)
        self.b.connect(self.a)
        self.mem, self.key = m.reg_mr(self.pd, PAGE)

    def send(self, payload=b"x", srqn=None):
        xrc = [struct.pack(">I12x", srqn or self.srq.num)] \
            if self.kind == "xrc" else []
        self.a.post(SEND, *xrc, inline(payload))

    def ok(self, payload=b"x"):
        self.send(payload)
        assert not self.cq.get().error
        return self.cq2.get()


@pytest.mark.parametrize("kind", KINDS)
def test_first_messages(m, kind):
    s = Setup(m, kind)
    for i in range(3):
        s.srq.post((s.mem + 64 * i, 64, s.key))
    for i in range(3):
        cqe = s.ok(bytes([65 + i]) * 5)
        assert cqe.counter == i and cqe.byte_cnt == 5
        assert cqe.qpn == s.b.num
        assert cqe.srqn_uidx == s.srq.num, "version 0 names the SRQ"
        assert m.get(s.mem + 64 * i, 5) == bytes([65 + i]) * 5


@pytest.mark.parametrize("kind", KINDS)
def test_user_index(m, kind):
    s = Setup(m, kind, uidx=0x777)
    s.srq.post((s.mem, 64, s.key))
    assert s.ok().srqn_uidx == 0x777


@pytest.mark.parametrize("kind", KINDS)
def test_consumption_follows_the_links(m, kind):
    """WQEs come back out of order, as completions are polled."""
    s = Setup(m, kind)
    order = [s.srq.post((s.mem + 64 * i, 64, s.key)) for i in range(6)]
    for i in order:
        assert s.ok().counter == i
    for i in (4, 1, 5, 0, 2, 3):
        s.srq.free(i)
    for _ in range(40):
        want = s.srq.post((s.mem, 64, s.key))
        assert s.ok().counter == want
        s.srq.free(want)


@pytest.mark.parametrize("kind", KINDS)
def test_rnr_until_posted(m, kind):
    s = Setup(m, kind)
    s.send()
    m.sync()
    assert s.cq.poll() is None
    s.srq.post((s.mem, 64, s.key))
    assert not s.cq.get().error


@pytest.mark.parametrize("kind", KINDS)
def test_limit_fires_once(m, kind):
    s = Setup(m, kind, lwm=3)
    for i in range(5):
        s.srq.post((s.mem, 64, s.key))
    assert s.srq.lwm() == 3
    s.ok(), s.ok()
    assert s.events.poll() is None and s.srq.lwm() == 3
    s.ok()
    e = s.events.get(const("EVENT_SRQ_LIMIT"))
    assert int.from_bytes(e[2][24:28], "big") == s.srq.num
    assert s.srq.lwm() == 0
    s.ok(), s.ok()
    assert s.events.poll() is None


@pytest.mark.parametrize("kind", KINDS)
def test_limit_is_armed_again(m, kind):
    s = Setup(m, kind)
    for i in range(5):
        s.srq.post((s.mem, 64, s.key))
    s.ok()
    assert s.events.poll() is None
    s.srq.arm(4)
    assert s.events.poll() is None
    s.ok()
    s.events.get(const("EVENT_SRQ_LIMIT"))
    s.srq.arm(10)
    s.events.get(const("EVENT_SRQ_LIMIT"))


def test_one_number_space(m):
    pd = m.alloc_pd()
    eq = m.create_eq()
    cq, xrcd = m.create_cq(eq), m.alloc_xrcd()
    srqs = [Srq(m, kind, pd, cq=cq, xrcd=xrcd) for kind in KINDS * 3]
    assert len({s.num for s in srqs}) == 9 and 0 not in {s.num for s in srqs}
    assert m.census()["srq"] == 9
    with pytest.raises(CommandError) as e:
        m.cmd("DESTROY_RMP", Struct("rmp_number_in", rmpn=srqs[1].num))
    assert e.value.status == "BAD_RES"
    for s in srqs:
        s.destroy()
    assert m.census()["srq"] == 0


@pytest.mark.parametrize("kind", KINDS)
def test_create_refuses(m, kind):
    pd, eq = m.alloc_pd(), m.create_eq()
    cq, xrcd = m.create_cq(eq), m.alloc_xrcd()
    for kw in ({"pd": 0xfffff}, {"stride": 16}, {"stride": 2048}):
        with pytest.raises(CommandError):
            Srq(m, kind, **{"pd": pd, "cq": cq, "xrcd": xrcd, **kw})
    assert m.census()["srq"] == 0


@pytest.mark.parametrize("kind", ["rmp", "srq"])
def test_in_use_is_busy(m, kind):
    s = Setup(m, kind)
    with pytest.raises(CommandError) as e:
        s.srq.destroy()
    assert e.value.status == "RES_BUSY"
    s.b.destroy()
    s.srq.destroy()


@pytest.mark.parametrize("kind", ["rmp", "srq"])
def test_last_wqe(m, kind):
    """Not flushed, but told of: one event per QP."""
    s = Setup(m, kind)
    s.srq.post((s.mem, 64, s.key))
    s.b.to_err()
    e = s.events.get(const("EVENT_SRQ_LAST_WQE"))
    assert int.from_bytes(e[2][24:28], "big") == s.b.num
    s.b.to_err()
    assert s.events.poll() is None
    assert s.cq2.poll() is None


def test_message_in_progress_is_flushed(m):
    """A WQE taken from the SRQ belongs to the QP."""
    s = Setup(m, "rmp")
    big, key = m.reg_mr(s.pd, 8192)
    s.srq.post((big, 8192, key))
    m.control("wire drop 3 100000")
    s.a.post(SEND, data(big, 4096, key))
    m.sync()
    s.b.to_err()
    cqe = s.cq2.get()
    assert cqe.syndrome == 5 and cqe.opcode == const("CQE_RESP_ERR")
    s.events.get(const("EVENT_SRQ_LAST_WQE"))


def test_receive_buffers_are_of_the_srqs_pd(m):
    s = Setup(m, "rmp")
    mine, key = m.reg_mr(m.alloc_pd(), PAGE)
    s.srq.post((mine, 64, key))
    s.send()
    assert s.cq.get().syndrome == 0x14
    assert s.cq2.get().syndrome == 4


# --- XRC

def test_xrc_picks_the_srq_by_packet(m):
    s = Setup(m, "xrc")
    other = Srq(m, "xrc", s.pd, cq=s.cq2, xrcd=s.xrcd, uidx=0x55)
    s.srq.post((s.mem, 64, s.key))
    other.post((s.mem + 64, 64, s.key))
    s.send(b"other", other.num)
    assert not s.cq.get().error
    assert s.cq2.get().srqn_uidx == 0x55
    assert m.get(s.mem + 64, 5) == b"other"


def test_xrc_needs_the_same_domain(m):
    s = Setup(m, "xrc")
    other = Srq(m, "xrc", s.pd, cq=s.cq2, xrcd=m.alloc_xrcd())
    other.post((s.mem, 64, s.key))
    s.send(b"x", other.num)
    assert s.cq.get().error
    assert s.cq2.poll() is None and m.get(s.mem, 1) == b"\0"


def test_xrc_write_and_read(m):
    s = Setup(m, "xrc")
    dst, key = m.reg_mr(s.pd, PAGE)
    xrc = struct.pack(">I12x", s.srq.num)
    s.a.post(const("WQE_RDMA_WRITE"), xrc, raddr(dst, key), inline(b"written"))
    s.a.post(const("WQE_RDMA_READ"), xrc, raddr(dst, key),
             data(s.mem, 7, s.key))
    assert not s.cq.get().error and not s.cq.get().error
    assert m.get(s.mem, 7) == b"written"


def test_xrc_atomic_in_the_domain_of_the_srq(m):
    s = Setup(m, "xrc")
    dst, key = m.reg_mr(s.pd, PAGE)
    m.put(dst, (40).to_bytes(8, "little"))
    xrc = struct.pack(">I12x", s.srq.num)
    s.a.post(const("WQE_ATOMIC_FA"), xrc, raddr(dst, key), atomic(2),
             data(s.mem, 8, s.key))
    assert not s.cq.get().error
    assert m.get(dst, 8) == (42).to_bytes(8, "little")


def test_xrc_key_of_the_target_s_domain_is_refused(m):
    s = Setup(m, "xrc")
    dst, key = m.reg_mr(s.target_pd, PAGE)
    xrc = struct.pack(">I12x", s.srq.num)
    s.a.post(const("WQE_RDMA_WRITE"), xrc, raddr(dst, key), inline(b"no"))
    assert s.cq.get().syndrome == 0x13
    assert m.get(dst, 2) == bytes(2)


def test_xrc_srq_goes_in_the_middle_of_a_message(m):
    """Its WQE is not touched again; the rest of the message is refused."""
    s = Setup(m, "xrc", lwm=0)
    other = Srq(m, "xrc", s.pd, cq=s.cq2, xrcd=s.xrcd)
    big, key = m.reg_mr(s.pd, 16384)
    other.post((big, 8192, key))
    m.control("wire drop 3")
    xrc = struct.pack(">I12x", other.num)
    # packets 1 and 2 arrive, the third is lost and nobody asks for it
    s.a.post(SEND, xrc, data(big + 8192, 3072, key))
    m.sync()
    other.destroy()
    cqe = s.cq.get()
    assert (cqe.syndrome, cqe.vendor) == (0x12, 0x8a)
    assert s.cq2.poll() is None
    assert m.census()["srq"] == 1
