# SPDX-License-Identifier: GPL-2.0-only
"""Checking mode: the use of what software gave up before is reported."""
import struct

import pytest

from pipe import PAGE, CommandError, Model, connected_pair, data, inline, raddr
from prm import Struct, const
from vfu import MappedModel


def violations(m):
    m.sync()
    return m.census()["violations"], m.trace().count("violation: ")


def test_a_command_names_what_is_destroyed(m):
    pd = m.alloc_pd()
    m.dealloc_pd(pd)
    assert violations(m) == (0, 0)
    with pytest.raises(CommandError):
        m.dealloc_pd(pd)
    assert violations(m) == (1, 1)
    assert f"violation: DEALLOC_PD names pd 0x{pd:x}, which was destroyed" \
        in m.trace()
    with pytest.raises(CommandError):
        m.dealloc_pd(0xabc)         # never was: no use after free
    assert violations(m) == (1, 1)


def test_a_key_in_a_destroyed_domain(m):
    pd = m.alloc_pd()
    m.dealloc_pd(pd)
    with pytest.raises(CommandError):
        m.create_mkey(pd)
    assert violations(m) == (1, 1)


def test_only_a_warning_without_it():
    with Model(check=False) as m:
        m.start()
        pd = m.alloc_pd()
        m.dealloc_pd(pd)
        with pytest.raises(CommandError):
            m.dealloc_pd(pd)
        assert violations(m) == (0, 0)
        assert m.census()["warnings"] == 1


def test_a_doorbell_in_a_freed_page(m):
    uar = m.alloc_uar()
    m.dealloc_uar(uar)
    m.write64(uar * PAGE + const("UAR_SQ_DB"), 0)
    assert violations(m) == (1, 1)
    m.write64((uar + 7) * PAGE + const("UAR_SQ_DB"), 0)
    assert violations(m) == (1, 1), "never allocated is no use after free"


WAYS = ["remote write", "remote read", "local", "atomic"]


def access(a, way, addr, key, other, other_key):
    """Post a request that reaches 8 bytes at @addr; the rest of it is good."""
    if way == "remote write":
        a.post(const("WQE_RDMA_WRITE"), raddr(addr, key), inline(b"x"))
    elif way == "remote read":
        a.post(const("WQE_RDMA_READ"), raddr(addr, key),
               data(other, 8, other_key))
    elif way == "local":
        a.post(const("WQE_RDMA_WRITE"), raddr(other, other_key),
               data(addr, 8, key))
    else:
        a.post(const("WQE_ATOMIC_FA"), raddr(addr, key),
               struct.pack(">QQ", 1, 0), data(other, 8, other_key))


@pytest.mark.parametrize("way", WAYS)
def test_a_page_that_is_not_given(m, way):
    """The last page of a key lies outside of what the guest mapped."""
    _, cq, _, pd, a, _ = connected_pair(m)
    mem, lkey = m.reg_mr(pd, PAGE)
    bad = m.create_mkey(pd, [mem, m.mem_size + PAGE], 0, 2 * PAGE)
    access(a, way, 8, bad, mem, lkey)
    assert not cq.get().error
    assert violations(m) == (0, 0)
    access(a, way, PAGE + 8, bad, mem, lkey)
    assert cq.get().error
    count, lines = violations(m)
    assert count == lines >= 1
    assert f"mkey 0x{bad:x} leads from 0x1008 to 0x{m.mem_size + PAGE + 8:x}" \
        in m.trace()


@pytest.mark.parametrize("way", WAYS)
def test_a_page_that_was_unmapped(way):
    """What a driver with an IOMMU does that unpins before the key is gone."""
    with MappedModel() as m:
        _, cq, _, pd, a, _ = connected_pair(m.start())
        mem, lkey = m.reg_mr(pd, PAGE)
        page = m.mem_size + PAGE
        m.map(page, PAGE)
        key = m.create_mkey(pd, [mem, page], 0, 2 * PAGE)
        access(a, way, PAGE + 8, key, mem, lkey)
        assert not cq.get().error
        assert violations(m) == (0, 0)
        m.unmap(page, PAGE)
        access(a, way, PAGE + 8, key, mem, lkey)
        assert cq.get().error
        count, lines = violations(m)
        assert count == lines >= 1
        assert f"mkey 0x{key:x} leads from 0x1008 to 0x{page + 8:x}, " \
            "which is not mapped" in m.trace()


def test_a_dead_function_is_no_driver_s_fault(m):
    _, cq, _, pd, a, _ = connected_pair(m)
    mem, lkey = m.reg_mr(pd, PAGE)
    a.post(const("WQE_RDMA_WRITE"), raddr(mem, lkey), inline(b"x"), ring=False)
    m.put32(a.dbr + 4, a.pi & 0xffff)
    m.master(False)
    a.ring()
    assert violations(m) == (0, 0)


FREE, IF_FREE, IF_IN_USE = 1 << 29, 0x20, 0x40


def post_umr(qp, key, mask=1 << 20, flags=0, **mkc):
    ctrl = struct.pack(">B3xHHQI28x", flags, 0, 0, mask, 0)
    qp.post(const("WQE_UMR"), ctrl, bytes(Struct("mkc", **mkc)),
            imm=key.to_bytes(4, "big"))


def driver_qp(m, pd, cq):
    """A queue pair for UMR requests, as drivers have it."""
    qp = m.create_qp(pd=pd, send_cq=cq, rq_type=3, log_rq_size=0,
                     st=const("QP_ST_REG_UMR"))
    qp.sq_off = 0
    qp.to_init()
    qp.to_rtr(0)
    qp.to_rts()
    return qp


@pytest.mark.parametrize("driver", [True, False])
def test_umr_of_a_destroyed_key(m, driver):
    """Of the driver's own QP: a program may name what it likes."""
    _, cq, _, pd, a, _ = connected_pair(m)
    key = m.create_mkey(pd, umr_en=1)
    m.destroy_mkey(key)
    post_umr(driver_qp(m, pd, cq) if driver else a, key)
    assert cq.get().error
    assert violations(m) == ((1, 1) if driver else (0, 0))
    if driver:
        assert f"names key 0x{key:x}, which was destroyed" in m.trace()


@pytest.mark.parametrize("driver", [True, False])
def test_umr_of_a_revoked_key(m, driver):
    """Enabling it again is what drivers do; a change of it as it was is not."""
    _, cq, _, pd, a, _ = connected_pair(m)
    key = m.create_mkey(pd, umr_en=1)
    qp = driver_qp(m, pd, cq)
    for mask, flags, mkc in ((FREE, IF_IN_USE, {"free": 1}),
                             (FREE, IF_FREE, {}),
                             (1 << 20, IF_IN_USE, {}),
                             (FREE, 0, {"free": 1}),
                             (1 << 20, IF_FREE, {})):
        post_umr(qp, key, mask, flags, **mkc)
        assert not cq.get().error
    assert violations(m) == (0, 0)
    post_umr(qp if driver else a, key, flags=IF_IN_USE)
    assert cq.get().error
    assert violations(m) == ((1, 1) if driver else (0, 0))
    if driver:
        assert f"takes key 0x{key:x} for in use, which was revoked" \
            in m.trace()


@pytest.mark.parametrize("by", ["nobody", "a program"])
def test_umr_of_a_key_the_driver_never_revoked(m, by):
    """Free since it was created, or by whose key it is: nothing given up."""
    _, cq, _, pd, a, _ = connected_pair(m)
    key = m.create_mkey(pd, umr_en=1, free=by == "nobody")
    if by == "a program":
        post_umr(a, key, FREE, free=1)
        assert not cq.get().error
    post_umr(driver_qp(m, pd, cq), key, flags=IF_IN_USE)
    assert cq.get().error
    assert violations(m) == (0, 0)
