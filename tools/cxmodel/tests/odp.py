# SPDX-License-Identifier: GPL-2.0-only
"""The driver in the tests of on-demand paging: it brings pages, by UMR, and says
so by PAGE_FAULT_RESUME."""
import struct

import pytest

from pipe import PAGE, CommandError, connected_pair
from prm import Struct, const
from test_umr import INLINE, PRESENT, UMR

SEND, WRITE, READ = (const("WQE_" + name) for name in
                     ("SEND", "RDMA_WRITE", "RDMA_READ"))
FETCH_ADD = const("WQE_ATOMIC_FA")
ODP = const("CAP_ODP")
OFFSET = 0x10                   # of the translation, in a UMR request
VA = 0x7f0000000000             # where the paged region starts
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


def services(cap):
    scheme = cap.sub("transport_page_fault_scheme_cap")
    return {name: scheme.sub(name + "_odp_caps")
            for name in ("rc", "uc", "ud", "xrc", "dc")}
