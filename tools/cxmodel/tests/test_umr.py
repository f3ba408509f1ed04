# SPDX-License-Identifier: GPL-2.0-only
"""UMR work requests: keys changed, enabled and revoked from the data path."""
import struct

import pytest

from pipe import PAGE, connected_pair, data, inline, raddr
from prm import Struct, const

UMR = const("WQE_UMR")
LEN, PAGE_SIZE, START, PD = 1 << 0, 1 << 1, 1 << 6, 1 << 7
KEY, LR, LW, RR, RW, FREE = (1 << 13, 1 << 17, 1 << 18, 1 << 19, 1 << 20,
                             1 << 29)
INLINE, IF_FREE, IF_IN_USE, IF_OWN_QPN = 0x80, 0x20, 0x40, 0x08
QPN = 1 << 14
PRESENT = const("MTT_READ") | const("MTT_WRITE")


class Setup:
    def __init__(self, m):
        self.m = m
        _, self.cq, self.cq2, self.pd, self.a, self.b = connected_pair(m)
        self.mem, self.key = m.reg_mr(self.pd, 4 * PAGE)
        self.umr = m.create_qp(pd=self.pd, send_cq=self.cq, rq_type=3,
                               log_rq_size=0, st=const("QP_ST_REG_UMR"))
        self.umr.sq_off = 0             # no receive queue before it
        self.umr.to_init()
        self.umr.to_rtr(0)
        self.umr.to_rts()

    def do(self, key, mask, flags=0, octwords=0, tail=b"", qp=None,
           timeout=5.0, **mkc):
        ctrl = struct.pack(">B3xHHQI28x", flags, octwords, 0, mask, 0)
        (qp or self.umr).post(UMR, ctrl, bytes(Struct("mkc", **mkc)), tail,
                              imm=key.to_bytes(4, "big"))
        return (self.cq2 if qp is self.b else self.cq).get(timeout)

    def write(self, addr, key):
        self.a.post(const("WQE_RDMA_WRITE"), raddr(addr, key), inline(b"w"))
        return self.cq.get()


@pytest.fixture
def s(m):
    return Setup(m)


def refused(cqe):
    return (cqe.syndrome, cqe.vendor, cqe.wqe_opcode) == (6, 0x78, UMR)


def test_revoke_and_enable(m, s):
    key = m.create_mkey(s.pd, [s.mem], s.mem, PAGE, umr_en=1)
    assert not s.write(s.mem, key).error
    cqe = s.do(key, FREE, IF_IN_USE, free=1)
    assert not cqe.error and cqe.wqe_opcode == UMR
    assert not s.do(key, FREE, IF_FREE).error
    assert not s.write(s.mem, key).error
    assert not s.do(key, FREE, free=1).error
    assert s.write(s.mem, key).syndrome == 0x13


def test_rights_and_pd(m, s):
    other = m.alloc_pd()
    key = m.create_mkey(other, [s.mem], s.mem, PAGE, access="lr", umr_en=1)
    assert not s.do(key, PD | RW | LW, pd=s.pd, rw=1, lw=1).error
    m.dealloc_pd(other)                 # no longer in use
    assert not s.write(s.mem, key).error


def test_translation_from_memory(m, s):
    """A free key gets pages, range, page size and a new variant at once."""
    key = m.create_mkey(s.pd, [0] * 8, 0, 0, variant=0, free=1, umr_en=1)
    pages = [s.mem + PAGE * i | PRESENT for i in (2, 0, 3)] + [0] * 5
    xlt, xkey = m.reg_mr(s.pd, PAGE)
    m.put(xlt, b"".join(p.to_bytes(8, "big") for p in pages))
    cqe = s.do(key, FREE | LEN | START | PAGE_SIZE | KEY | RW | LW | LR, 0, 4,
               data(xlt, 64, xkey), len=3 * PAGE, start_addr=0x5000,
               log_page_size=12, mkey_7_0=0x31, rw=1, lw=1, lr=1)
    assert not cqe.error
    key |= 0x31
    s.a.post(const("WQE_RDMA_WRITE"), raddr(0x5000 + PAGE - 2, key),
             inline(b"abcd"))
    assert not s.cq.get().error
    assert m.get(s.mem + 3 * PAGE - 2, 2) + m.get(s.mem, 2) == b"abcd"


def test_window_is_bound_by_a_user_qp(m, s):
    klm = m.create_mkey(s.pd, None, access="lr", variant=1, free=1, umr_en=1,
                        length64=0, access_mode_1_0=const("MKC_KLM"),
                        translations_octword_size=4)
    entry = struct.pack(">IIQ", 64, s.key, s.mem + 100)
    cqe = s.do(klm, FREE | LEN | START | KEY | RW | RR, INLINE | IF_FREE, 1,
               entry + bytes(48), s.a, len=64, start_addr=s.mem + 100,
               mkey_7_0=2, rw=1, rr=1)
    assert not cqe.error, cqe
    key = klm & ~0xff | 2
    assert not s.write(s.mem + 100, key).error
    assert m.get(s.mem + 100, 1) == b"w"
    assert s.write(s.mem + 164, key).syndrome == 0x13


def test_key_0_in_a_list_is_no_bus_address(m, s):
    klm = m.create_mkey(s.pd, None, access="lr", variant=1, free=1, umr_en=1,
                        length64=0, access_mode_1_0=const("MKC_KLM"),
                        translations_octword_size=4)
    entry = struct.pack(">IIQ", 64, 0, s.mem)
    assert not s.do(klm, FREE | LEN | START | RW, INLINE | IF_FREE, 1,
                    entry + bytes(48), s.a, len=64, start_addr=s.mem,
                    rw=1).error
    assert s.write(s.mem, klm).syndrome == 0x13


def test_window_is_unbound_by_its_qp_only(m, s):
    """What libmlx5 posts to bind and invalidate a window of type 2."""
    klm = m.create_mkey(s.pd, None, access="lr", variant=1, free=1, umr_en=1,
                        length64=0, access_mode_1_0=const("MKC_KLM"),
                        translations_octword_size=4)
    entry = struct.pack(">IIQ", 64, s.key, s.mem)
    assert not s.do(klm, FREE | LEN | START | KEY | QPN | RW, INLINE | IF_FREE,
                    1, entry + bytes(48), s.b, len=64, start_addr=s.mem,
                    mkey_7_0=1, qpn=s.b.num, rw=1).error
    assert not s.write(s.mem, klm).error
    assert refused(s.do(klm, FREE | KEY | QPN, INLINE | IF_OWN_QPN, qp=s.umr,
                        free=1, mkey_7_0=1, qpn=0xffffff))
    s.umr.to_rst()
    assert not s.write(s.mem, klm).error
    assert not s.do(klm, FREE | KEY | QPN, INLINE | IF_OWN_QPN, 0, b"", s.b,
                    free=1, mkey_7_0=1, qpn=0xffffff).error
    assert s.write(s.mem, klm).syndrome == 0x13


@pytest.mark.parametrize("case", ["no key", "not umr_en", "not free", "free",
                                  "too many", "cut", "bad list", "foreign pd"])
def test_refused(m, s, case):
    key = m.create_mkey(s.pd, [s.mem, 0], s.mem, PAGE,
                        umr_en=case != "not umr_en",
                        free=case == "free")
    mask, flags, octwords, tail, qp = RW, 0, 0, b"", None
    if case == "no key":
        key = 0x7ff00 << 8
    elif case == "not free":
        flags = IF_FREE
    elif case == "free":
        flags = IF_IN_USE
    elif case == "too many":
        flags, octwords, tail = INLINE, 8, bytes(128)
    elif case == "cut":
        octwords = 1
    elif case == "bad list":
        octwords, tail = 1, data(s.mem, 16, s.key ^ 1)
    elif case == "foreign pd":
        qp = s.a
        key = m.create_mkey(m.alloc_pd(), [s.mem], s.mem, PAGE, umr_en=1)
    cqe = s.do(key, mask, flags, octwords, tail, qp, rw=1)
    assert refused(cqe), cqe
    assert (qp or s.umr).query()["state"] == const("QP_ERR")


def test_user_cannot_move_a_key_to_another_pd(m, s):
    key = m.create_mkey(s.pd, [s.mem], s.mem, PAGE, umr_en=1)
    assert refused(s.do(key, PD, qp=s.a, pd=m.alloc_pd()))


def test_only_umr_on_its_qp(m, s):
    s.umr.post(const("WQE_SEND"), inline(b"x"))
    assert s.cq.get().syndrome == 2


def test_send_with_invalidate(m, s):
    mine, mykey = m.reg_mr(s.pd, PAGE)
    key = m.create_mkey(s.pd, [s.mem], s.mem, PAGE, umr_en=1, en_rinval=1)
    s.b.post_recv((mine, 64, mykey))
    s.a.post(const("WQE_SEND_INVAL"), inline(b"x"),
             imm=key.to_bytes(4, "big"))
    assert not s.cq.get().error
    cqe = s.cq2.get()
    assert cqe.opcode == const("CQE_RESP_SEND_INV")
    assert int.from_bytes(cqe.imm, "big") == key
    assert s.write(s.mem, key).syndrome == 0x13


def test_invalidate_needs_permission(m, s):
    mine, mykey = m.reg_mr(s.pd, PAGE)
    s.b.post_recv((mine, 64, mykey))
    s.a.post(const("WQE_SEND_INVAL"), inline(b"x"),
             imm=s.key.to_bytes(4, "big"))
    assert s.cq.get().syndrome == 0x13


def test_key_outlives_what_uses_it(m, s):
    """The SEND is lost once; revoking its key waits for the second try."""
    s.a.to_rst()
    m.put(s.a.dbr, bytes(8))
    s.a.pi = 0
    s.a.connect(s.b, timeout=8)
    key = m.create_mkey(s.pd, [s.mem], s.mem, PAGE, umr_en=1)
    m.put(s.mem, b"precious")
    mine, mykey = m.reg_mr(s.pd, PAGE)
    s.b.post_recv((mine, 64, mykey))
    m.control("wire drop 1")
    s.a.post(const("WQE_SEND"), data(s.mem, 8, key))
    assert not s.do(key, FREE, qp=s.a, free=1).error
    assert not s.cq.get().error, "the UMR itself"
    assert m.get(mine, 8) == b"precious"


def test_a_planned_fault_refuses_one_request(m, s):
    key = m.create_mkey(s.pd, [s.mem], s.mem, PAGE, umr_en=1)
    m.control("fail-umr 2")
    assert not s.do(key, RW, IF_IN_USE, rw=1).error
    assert refused(s.do(key, RW, IF_IN_USE, rw=0))
    assert not s.write(s.mem, key).error


def test_a_planned_fault_loses_one_request(m, s):
    """It stays as if under way, others run, and a reset is the end of it."""
    key = m.create_mkey(s.pd, [s.mem], s.mem, PAGE, umr_en=1)
    m.control("lose-umr 2")
    assert not s.do(key, RW, IF_IN_USE, rw=1).error
    with pytest.raises(TimeoutError):
        s.do(key, FREE, IF_IN_USE, timeout=0.5, free=1)
    assert s.umr.query()["state"] == const("QP_RTS")
    assert not s.write(s.mem, key).error, "the key is as before"
    s.umr.post(UMR, bytes(112), imm=key.to_bytes(4, "big"))
    s.umr.to_rst()
    assert s.cq.poll() is None
    m.put(s.umr.dbr, bytes(8))
    s.umr.pi = 0
    s.umr.to_init()
    s.umr.to_rtr(0)
    s.umr.to_rts()
    assert not s.do(key, FREE, IF_IN_USE, free=1).error


def test_lists_are_padded(m, s):
    """Drivers send lists of a multiple of 64 bytes, whatever the key has."""
    key = m.create_mkey(s.pd, [0], s.mem, PAGE, umr_en=1)
    entries = struct.pack(">Q", s.mem | 3) + bytes(56)
    assert not s.do(key, LR, INLINE, 4, entries, lr=1).error
    assert not s.write(s.mem, key).error
