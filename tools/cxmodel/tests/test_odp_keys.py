# SPDX-License-Identifier: GPL-2.0-only
"""On-demand paging: what the entries of keys say, and keys made of keys."""
import struct

from odp import OFFSET, PRESENT, READ, REMOTE_ACCESS, VA, WRITE
from pipe import PAGE, data, inline, raddr
from prm import SIZE, Struct, const
from test_umr import FREE, INLINE, KEY, LEN, LR, LW, PAGE_SIZE, RR, RW, START


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
