# SPDX-License-Identifier: GPL-2.0-only
"""A key's range and pages: to the byte, in the order of its list. Each of
these was found missing by a fault that no other test noticed."""
import pytest

from pipe import PAGE, connected_pair, data, raddr
from prm import const

WRITE = const("WQE_RDMA_WRITE")


@pytest.fixture
def pair(m):
    return connected_pair(m)


def test_scattered_pages(m, pair):
    """A run of memory ends with its page: the next is somewhere else."""
    _, cq, _, pd, a, _ = pair
    mem = m.alloc(4 * PAGE)
    start = 0x10000000
    key = m.create_mkey(pd, [mem + 3 * PAGE, mem, mem + 2 * PAGE], start,
                        3 * PAGE)
    dst, dkey = m.reg_mr(pd, 3 * PAGE)
    for page in range(4):
        m.put(mem + page * PAGE, bytes([page + 1]) * PAGE)
    a.post(WRITE, raddr(dst, dkey), data(start + 100, 2 * PAGE, key))
    cqe = cq.get()
    assert not cqe.error, cqe
    assert m.get(dst, 2 * PAGE) == (b"\4" * (PAGE - 100) + b"\1" * PAGE
                                    + b"\3" * 100)


@pytest.mark.parametrize("at, good", [(92, True), (93, False)])
def test_range_ends_within_a_page(m, pair, at, good):
    _, cq, _, pd, a, _ = pair
    src, skey = m.reg_mr(pd, 64)
    dst = m.alloc(PAGE)
    dkey = m.create_mkey(pd, [dst], dst, 100)
    m.put(src, b"x" * 8)
    a.post(WRITE, raddr(dst + at, dkey), data(src, 8, skey))
    cqe = cq.get()
    assert cqe.error == (not good), cqe
    assert m.get(dst + at, 8) == (b"x" * 8 if good else bytes(8))
