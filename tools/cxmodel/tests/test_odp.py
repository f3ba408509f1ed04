# SPDX-License-Identifier: GPL-2.0-only
"""On-demand paging: a page that is missing stops its side of a queue pair, an
event tells of it, PAGE_FAULT_RESUME ends it. The test plays the driver that
brings pages, by UMR, and the one that cannot."""
import struct
import time

import pytest

from pipe import (PAGE, CommandError, Model, atomic, connected_pair, data,
                  inline, raddr)
from prm import SIZE, Struct, const
from test_caps import query, store
from test_srq import Srq
from test_ud import GRH_BYTES, QKEY, av
from test_umr import (FREE, INLINE, KEY, LEN, LR, LW, PAGE_SIZE, RR, RW, START,
                      UMR)

SEND, WRITE, READ = (const("WQE_" + name) for name in
                     ("SEND", "RDMA_WRITE", "RDMA_READ"))
FETCH_ADD = const("WQE_ATOMIC_FA")
ODP = const("CAP_ODP")
OFFSET = 0x10                   # of the translation, in a UMR request
VA = 0x7f0000000000             # where the paged region starts
PRESENT = const("MTT_READ") | const("MTT_WRITE")
REQUESTOR, WRITES, RDMA = 1, 2, 4
# syndromes of completions
LOCAL_PROT, REMOTE_ACCESS, REMOTE_OP = 4, 0x13, 0x14
PAGES = 8


class Fault:
    """A page fault event, decoded; what resumes it."""

    def __init__(self, subtype, raw):
        self.rdma = subtype == 1
        self.done = int.from_bytes(raw[0:4], "big")
        if self.rdma:
            (self.rkey, self.packet, self.len, self.va,
             last) = struct.unpack(">I2xHIQI", raw[4:28])
            self.token = self.number = last & 0xffffff
        else:
            self.index, self.packet, self.token, last = struct.unpack(
                ">2xH2xHI8xI", raw[4:28])
            self.number = last & 0xffffff
        self.type = last >> 24


class Paged:
    """A pair of QPs and a region of PAGES pages, none of which is there."""

    def __init__(self, m, pair=True, **kw):
        self.m = m
        self.faults = m.create_eq(vector=2,
                                  events=1 << const("EVENT_PAGE_FAULT"))
        if pair:
            _, self.cq, self.cq2, self.pd, self.a, self.b = \
                connected_pair(m, mtu=5, **kw)
        else:
            self.cq = self.cq2 = m.create_cq(m.create_eq(vector=1))
            self.pd = m.alloc_pd()
        self.mem, self.mkey = m.reg_mr(self.pd, PAGES * PAGE)
        self.ram = m.alloc(PAGES * PAGE)        # behind the paged region
        self.umr_cq = m.create_cq(m.create_eq(vector=3))
        self.umr = m.create_qp(pd=self.pd, send_cq=self.umr_cq, rq_type=3,
                               log_rq_size=0, st=const("QP_ST_REG_UMR"))
        self.umr.sq_off = 0
        self.umr.to_init()
        self.umr.to_rtr(0)
        self.umr.to_rts()
        self.bits = [0] * PAGES
        self.key = m.create_mkey(self.pd, [0] * PAGES, VA, PAGES * PAGE,
                                 umr_en=1, pg_access=1)

    def do(self, key, mask=0, flags=INLINE, octwords=0, offset=0, tail=b"",
           **mkc):
        ctrl = struct.pack(">B3xHHQI28x", flags, octwords, offset, mask, 0)
        self.umr.post(UMR, ctrl, bytes(Struct("mkc", **mkc)), tail,
                      imm=key.to_bytes(4, "big"))
        cqe = self.umr_cq.get()
        assert not cqe.error, cqe

    def map(self, *pages, bits=PRESENT):
        """Bring pages (bits=0: take them away)."""
        for i in pages:
            self.bits[i] = (self.ram + i * PAGE | bits) if bits else 0
            pair = i & ~1
            self.do(self.key, 0, INLINE | OFFSET, 1, i // 2,
                    struct.pack(">QQ", *self.bits[pair:pair + 2]))

    def fault(self):
        e = self.faults.get(const("EVENT_PAGE_FAULT"))
        self.faults.arm()
        return Fault(e[1], e[2])

    def quiet(self):
        """No event, and no completion but those that were taken."""
        assert not self.faults.poll()
        assert not self.cq.poll() and not self.cq2.poll()

    def resume(self, fault, error=0, **override):
        cmd = Struct("page_fault_resume_in")
        what = {"error": error, "page_fault_type": fault.type,
                "wq_number": fault.number, "fault_token": fault.token}
        cmd.sub("page_fault_info", **(what | override))
        self.m.cmd("PAGE_FAULT_RESUME", cmd)

    def stale(self, fault, why="BAD_RES", **override):
        with pytest.raises(CommandError) as e:
            self.resume(fault, **override)
        assert e.value.status == why

    def fill(self, addr, n, seed=1):
        pattern = bytes((i * 7 + i // 256 + seed) & 0xff for i in range(n))
        self.m.put(addr, pattern)
        return pattern


@pytest.fixture(name="full")
def _full():
    """The function of the full profile, started."""
    with Model("--profile", "full") as m:
        yield m.start()


@pytest.fixture(name="s")
def _s(full):
    return Paged(full)


# --- capabilities

def test_group_is_offered_with_paging_only(raw):
    with pytest.raises(CommandError) as e:
        query(raw, ODP, 0, "odp_cap")
    assert e.value.status == "BAD_PARAM"
    with pytest.raises(CommandError) as e:
        store(raw, ODP, Struct("odp_cap"))
    assert e.value.status == "BAD_PARAM"


def services(cap):
    scheme = cap.sub("transport_page_fault_scheme_cap")
    return {name: scheme.sub(name + "_odp_caps")
            for name in ("rc", "uc", "ud", "xrc", "dc")}


def test_software_chooses_what_is_paged():
    with Model("--profile", "full") as m:
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


def test_a_requester_that_waits_does_not_time_out(full):
    """What it sent before is answered; what it did not send cannot be lost."""
    s = Paged(full, timeout=1, retry=1)
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
def test_read_into_missing_pages(full, mtu):
    """Dropped responses are asked for again, and only from the gap on."""
    s = Paged(full)
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


def test_datagram_from_a_missing_page(full):
    s = Paged(full, pair=False)
    a, b = (full.create_qp(pd=s.pd, send_cq=s.cq, st=const("QP_ST_UD"))
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
def test_unreliable_service_is_not_covered(full, op):
    s = Paged(full, pair=False)
    a, b = (full.create_qp(pd=s.pd, send_cq=s.cq, st=const("QP_ST_UC"))
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


# --- responder

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
    with Model("--profile", "full") as m:
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
    with Model("--profile", "full") as m:
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


def test_lost_packets_while_waiting(full):
    """NAKs and what is sent again may get lost as any packet."""
    s = Paged(full, timeout=8)
    s.m.control("wire drop 2 3")        # the first is the write
    s.a.post(WRITE, raddr(VA, s.key), inline(b"again"))
    f = s.fault()
    s.m.wait(lambda: s.m.trace().count("dropped on demand") == 3)
    s.map(0)
    s.resume(f)
    assert not s.cq.get().error
    assert s.m.get(s.ram, 5) == b"again"


def test_few_retries_end_the_connection(full):
    """The peer's choice: with none it fails at once. The fault goes on."""
    s = Paged(full, rnr_retry=0)
    s.a.post(WRITE, raddr(VA, s.key), inline(b"x"))
    f = s.fault()
    cqe = s.cq.get()
    assert (cqe.syndrome, cqe.vendor) == (0x16, 0x87)
    s.resume(f)
    assert s.b.query()["state"] == const("QP_RTS")


# --- what a key says

def test_a_page_may_be_read_only(s):
    s.map(0, bits=const("MTT_READ"))
    want = s.fill(s.ram, 8)
    s.a.post(READ, raddr(VA, s.key), data(s.mem, 8, s.mkey))
    assert not s.cq.get().error
    s.a.post(WRITE, raddr(VA, s.key), inline(b"x"))
    f = s.fault()
    assert s.m.get(s.ram, 8) == want
    s.map(0)
    s.resume(f)
    assert not s.cq.get().error


def test_a_page_that_went_faults_again(s):
    s.map(0)
    s.a.post(WRITE, raddr(VA, s.key), inline(b"one"))
    assert not s.cq.get().error
    s.map(0, bits=0)
    s.a.post(WRITE, raddr(VA, s.key), inline(b"two"))
    f = s.fault()
    assert s.m.get(s.ram, 3) == b"one"
    s.map(0)
    s.resume(f)
    assert not s.cq.get().error


def test_key_is_revoked_while_its_page_is_awaited(s):
    s.a.post(WRITE, raddr(VA, s.key), inline(b"x"))
    f = s.fault()
    s.do(s.key, FREE, INLINE, free=1)
    s.resume(f)
    assert s.cq.get().syndrome == REMOTE_ACCESS


def test_pages_of_a_command_without_the_bits_are_there(s):
    key = s.m.create_mkey(s.pd, [s.mem], s.mem, PAGE)
    s.a.post(WRITE, raddr(s.mem, key), inline(b"x"))
    assert not s.cq.get().error


class Implicit:
    """A key of all memory: a list of keys of 1 GiB each, all null at first."""

    SHIFT = 30

    def __init__(self, s):
        self.s = s
        entry = self.entry(const_null(s.m), 0)
        self.key = s.m.create_mkey(s.pd, None, length64=0, free=1, umr_en=1,
                                   access_mode_1_0=const("MKC_KSM"),
                                   log_page_size=12, variant=1,
                                   translations_octword_size=4)
        s.do(self.key, FREE | LEN | START | PAGE_SIZE | LR | LW | RR | RW,
             INLINE, 4, 0, entry * 4, length64=1, start_addr=0,
             log_page_size=self.SHIFT, mkey_7_0=1, lr=1, lw=1, rr=1, rw=1)

    def entry(self, key, va):
        return struct.pack(">IIQ", 1 << self.SHIFT, key, va)

    def child(self, i, pages):
        """A key for entry i with these pages at its start."""
        s, start = self.s, i << self.SHIFT
        key = s.m.create_mkey(s.pd, [0] * 8, variant=2, free=1, umr_en=1,
                              pg_access=1)
        s.do(key, FREE | KEY | LEN | START | PAGE_SIZE | LR | LW | RR | RW,
             INLINE, 4, 0,
             struct.pack(">8Q", *(pages + [0] * (8 - len(pages)))),
             length64=1, start_addr=start, log_page_size=12, mkey_7_0=2,
             lr=1, lw=1, rr=1, rw=1)
        s.do(self.key, 0, INLINE | OFFSET, 1, i, self.entry(key, start))


def const_null(m):
    out = m.cmd("QUERY_SPECIAL_CONTEXTS", out="query_special_contexts_out")
    return out["null_mkey"]


def test_implicit_key(s):
    """A hole in the list and a hole in a child fault alike: by outer key."""
    top = Implicit(s)
    va = (2 << 30) + PAGE + 16
    s.a.post(WRITE, raddr(va, top.key), inline(b"deep"))
    f = s.fault()
    assert (f.rkey, f.va, f.len) == (top.key, va, 4)
    top.child(2, [])
    s.resume(f)
    f = s.fault()
    assert (f.rkey, f.va) == (top.key, va)
    s.quiet()
    top.child(2, [s.ram | PRESENT, s.ram + PAGE | PRESENT])
    s.resume(f)
    assert not s.cq.get().error
    assert s.m.get(s.ram + PAGE + 16, 4) == b"deep"


def test_implicit_key_ends_with_its_list(s):
    top = Implicit(s)
    s.a.post(WRITE, raddr(4 << 30, top.key), inline(b"x"))
    assert s.cq.get().syndrome == REMOTE_ACCESS
    assert not s.faults.poll()


def test_query_shows_what_a_window_leads_to(s):
    klm = s.m.create_mkey(s.pd, None, access="lr", variant=1, free=1, umr_en=1,
                          length64=0, access_mode_1_0=const("MKC_KLM"),
                          translations_octword_size=4)
    entry = struct.pack(">IIQ", 64, s.key, VA)
    s.do(klm, FREE | LEN | START | RW, INLINE, 4, 0, entry + bytes(48),
         len=64, start_addr=VA, rw=1, mkey_7_0=1)
    s.a.post(WRITE, raddr(VA, klm), inline(b"x"))
    f = s.fault()
    assert f.rkey == klm
    out = s.m.cmd("QUERY_MKEY", Struct("mkey_number_in", mkey_index=klm >> 8),
                  "query_mkey_out", out_extra=32)
    at = const("QUERY_MKEY_XLT")
    assert bytes(out)[at:] == entry + bytes(48)
    assert len(bytes(out)) == SIZE["query_mkey_out"] + 32
    s.map(0)
    s.resume(f)
    assert not s.cq.get().error


# --- the command, and what goes away

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
