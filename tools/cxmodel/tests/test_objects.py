# SPDX-License-Identifier: GPL-2.0-only
"""Numbers, references, the census, memory keys as objects."""
import pytest

from pipe import PAGE, CommandError, Model
from prm import Struct


def test_census_counts_and_returns_to_zero(m):
    pd, xrcd = m.alloc_pd(), m.alloc_xrcd()
    key = m.create_mkey(pd)
    eq = m.create_eq()
    census = m.census()
    assert {k: census[k] for k in ("pd", "xrcd", "mkey", "eq", "uar")} == \
        dict(pd=1, xrcd=1, mkey=1, eq=1, uar=1)
    assert census["total"] == 5
    eq.destroy()
    m.destroy_mkey(key)
    m.dealloc_xrcd(xrcd)
    m.dealloc_pd(pd)
    m.dealloc_uar(m.uar)
    assert m.census()["total"] == 0
    m.cmd("TEARDOWN_HCA", Struct("teardown_hca_in"))
    assert m.census()["warnings"] == 0


def test_teardown_tells_what_is_left(m):
    m.alloc_pd()
    m.cmd("TEARDOWN_HCA", Struct("teardown_hca_in"))
    assert "teardown leaves 1 pd" in m.trace()


def test_pd_in_use_is_busy(m):
    pd = m.alloc_pd()
    key = m.create_mkey(pd)
    with pytest.raises(CommandError) as e:
        m.dealloc_pd(pd)
    assert e.value.status == "RES_BUSY"
    m.destroy_mkey(key)
    m.dealloc_pd(pd)


def test_uar_in_use_is_busy(m):
    eq = m.create_eq()
    with pytest.raises(CommandError) as e:
        m.dealloc_uar(m.uar)
    assert e.value.status == "RES_BUSY"
    eq.destroy()
    m.dealloc_uar(m.uar)


def test_uar_numbers_leave_the_segment_alone(m):
    assert m.uar >= 16


def test_destroyed_numbers_rest(m):
    first = m.alloc_pd()
    m.dealloc_pd(first)
    assert m.alloc_pd() != first
    with pytest.raises(CommandError) as e:
        m.dealloc_pd(first)
    assert e.value.status == "BAD_RES"
    assert "which was destroyed" in m.trace()


def test_reuse_on_demand():
    with Model("--reuse") as m:
        m.start()
        first = m.alloc_pd()
        m.dealloc_pd(first)
        assert m.alloc_pd() == first


def test_event_queues_run_out(m):
    eqs = []
    with pytest.raises(CommandError) as e:
        for _ in range(100):
            eqs.append(m.create_eq(log_size=1))
    assert e.value.status == "LIM_ERR"
    assert len(eqs) == 63
    assert all(0 < eq.num < 256 for eq in eqs)


def test_mkey_reads_back(m):
    pd = m.alloc_pd()
    addr, key = m.reg_mr(pd, 3 * PAGE, variant=0x77)
    assert key & 0xff == 0x77
    out = m.cmd("QUERY_MKEY", Struct("mkey_number_in", mkey_index=key >> 8),
                "query_mkey_out")
    ctx = out.sub("memory_key_mkey_entry")
    assert ctx["pd"] == pd
    assert ctx["start_addr"] == addr
    assert ctx["len"] == 3 * PAGE


@pytest.mark.parametrize("kw, status", [
    (dict(pages=[0x1000], length=0x1000, shift=5), "BAD_PARAM"),
    (dict(pages=[0x1000, 0x2000], length=0x2001), "BAD_PARAM"),
    (dict(pages=[0x1000, 0x2000], start=2**64 - 1, length=2), "BAD_PARAM"),
    (dict(pages=[0x1000] * 4, length=0x4000, octwords=1), "BAD_PARAM"),
    (dict(pages=[0x1000], length=0x1000, bsf_en=1), "BAD_PARAM"),
    (dict(pages=[0x1000], length=0x1000, pd=0x7777), "BAD_RES"),
])
def test_bad_mkey(m, kw, status):
    pd = kw.pop("pd", None) or m.alloc_pd()
    with pytest.raises(CommandError) as e:
        m.create_mkey(pd, **kw)
    assert e.value.status == status
    assert m.census()["mkey"] == 0


def test_mkey_list_longer_than_a_mailbox(m):
    pd = m.alloc_pd()
    m.reg_mr(pd, 1000 * PAGE)
    assert m.census()["mkey"] == 1
