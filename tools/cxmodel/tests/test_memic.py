# SPDX-License-Identifier: GPL-2.0-only
"""Device memory: pieces of it, the host's view, keys."""
import struct

import pytest

from pipe import (PAGE, CommandError, Model, atomic, connected_pair, data,
                  inline, raddr)
from prm import SIZE, Struct, const

MEMIC = const("MKC_MEMIC")


@pytest.fixture
def m():
    with Model() as model:
        model.start()
        out = model.command(const("CMD_QUERY_HCA_CAP"),
                            out_len=16 + SIZE["device_mem_cap"],
                            op_mod=const("CAP_DEV_MEM") << 1 | 1)
        model.cap = Struct("device_mem_cap", bytearray(out[16:]))
        model.bar = model.cap["memic_bar_start_addr"]
        yield model


def alloc(m, size, page=0, pages=None, align=0):
    pages = -(-size // PAGE) if pages is None else pages
    cmd = Struct("alloc_memic_in", range_start_addr=m.bar + page * PAGE,
                 range_size=pages * PAGE, memic_size=size,
                 log_memic_addr_alignment=align)
    return m.cmd("ALLOC_MEMIC", cmd, "alloc_memic_out")["memic_start_addr"]


def dealloc(m, addr, size):
    m.cmd("DEALLOC_MEMIC", Struct("dealloc_memic_in", memic_start_addr=addr,
                                  memic_size=size))


def key(m, pd, start, size, **kw):
    return m.create_mkey(pd, None, start, size, length64=0,
                         access_mode_1_0=MEMIC & 3, access_mode_4_2=MEMIC >> 2,
                         **kw)


def refused(status, call, *args, **kw):
    with pytest.raises(CommandError) as e:
        call(*args, **kw)
    assert e.value.status == status


def test_what_is_offered(m):
    assert m.cap["memic"] == 1
    assert m.bar % PAGE == 0 and m.cap["memic_bar_size"] == 1 << 20
    assert 1 << m.cap["log_min_memic_alloc_size"] == const("MEMIC_UNIT")
    assert m.cap["max_memic_size"] == 128 << 10


def test_not_in_bringup(bringup):
    refused("BAD_PARAM", bringup.command, const("CMD_QUERY_HCA_CAP"),
            out_len=0x110, op_mod=const("CAP_DEV_MEM") << 1)
    bringup.start()
    refused("BAD_OP", bringup.cmd, "ALLOC_MEMIC", Struct("alloc_memic_in"))


def test_the_host_reads_what_it_wrote(m):
    at = alloc(m, 2 * PAGE)
    assert at == m.bar
    assert m.read(at, 16) == bytes(16)
    m.write(at + PAGE - 4, b"\x01\x02\x03\x04")
    m.write(at + PAGE, b"\x05\x06\x07\x08")
    assert m.read(at + PAGE - 4, 8) == bytes(range(1, 9))
    assert m.census()["memic"] == 1
    assert m.control("list memic") == {"memic": [{"num": 1, "users": 0}]}
    dealloc(m, at, 2 * PAGE)
    assert m.census()["memic"] == 0
    assert m.census()["warnings"] == 0
    assert m.read(alloc(m, 2 * PAGE) + PAGE, 8) == bytes(8), "left from before"


def test_it_need_not_start_where_its_page_does(m):
    at = alloc(m, 128)
    assert at == m.bar + PAGE - 128
    m.write(at - 8, b"nobody's")
    m.write(at, b"mine")
    assert m.read(at - 8, 12) == bytes(8) + b"mine"
    assert m.census()["warnings"] == 0
    assert alloc(m, 128, 1, align=4) == m.bar + 2 * PAGE - 1024
    assert alloc(m, 64, 2, align=6) == m.bar + 2 * PAGE


def test_alignment_above_a_page(m):
    refused("NO_RES", alloc, m, 64, 1, align=8)
    assert alloc(m, 64, 4, align=8) == m.bar + 4 * PAGE
    refused("BAD_PARAM", alloc, m, 64, 8, align=9)


def test_it_can_be_used_up(m):
    most = m.cap["max_memic_size"]
    at = alloc(m, most)
    refused("LIM_ERR", alloc, m, 64, most // PAGE)
    dealloc(m, at, most)
    alloc(m, 64, most // PAGE)


@pytest.mark.parametrize("size, page, pages", [
    (0, 0, 1), (65, 0, 1), (PAGE + 64, 0, 1), (64, -1, 1), (64, 256, 1),
    (64, 255, 2), (64, 0, 257), (64, 0.5, 1), (64, 0, 0.5),
    (1 << 31, 0, 1 << 19), (64, 1 << 51, 1)])
def test_bad_requests(m, size, page, pages):
    cmd = Struct("alloc_memic_in", memic_size=size,
                 range_start_addr=int(m.bar + page * PAGE),
                 range_size=int(pages * PAGE))
    refused("BAD_PARAM", m.cmd, "ALLOC_MEMIC", cmd, "alloc_memic_out")
    assert m.census()["memic"] == 0


def test_the_driver_s_mistakes(m):
    at = alloc(m, 2 * PAGE)
    refused("BAD_RES_STATE", alloc, m, 64, 1)
    refused("BAD_PARAM", dealloc, m, at, PAGE)
    refused("BAD_PARAM", dealloc, m, at + PAGE, PAGE)
    assert m.census()["warnings"] == 3
    dealloc(m, at, 2 * PAGE)
    refused("BAD_RES", dealloc, m, at, 2 * PAGE)
    refused("BAD_RES", dealloc, m, 0, 64)
    assert m.census()["warnings"] == 5
    m.write(at, b"late")
    assert m.read(at, 4) == bytes(4)
    assert m.census()["warnings"] > 5


def test_a_key_holds_it(m):
    pd = m.alloc_pd()
    at = alloc(m, 256)
    k = key(m, pd, at + 64, 128)
    assert m.control("list memic")["memic"][0]["users"] == 1
    refused("RES_BUSY", dealloc, m, at, 256)
    m.destroy_mkey(k)
    dealloc(m, at, 256)


@pytest.mark.parametrize("start, size", [(-64, 64), (0, 257), (192, 65),
                                         (256, 1), (0, 1 << 63),
                                         (1 << 62, 64)])
def test_a_key_stays_inside(m, start, size):
    pd = m.alloc_pd()
    at = alloc(m, 256)
    refused("BAD_PARAM", key, m, pd, at + start, size)
    m.dealloc_pd(pd)
    dealloc(m, at, 256)


class Setup:
    """Device memory of 256 bytes, a key for all but its first 64."""

    def __init__(self, m, **kw):
        _, self.cq, self.cq2, self.pd, self.a, self.b = connected_pair(m)
        self.mem, self.lkey = m.reg_mr(self.pd, PAGE)
        self.at = alloc(m, 256)
        self.key = key(m, self.pd, self.at + 64, 192, **kw)


def test_written_from_afar(m):
    s = Setup(m)
    s.a.post(const("WQE_RDMA_WRITE"), raddr(100, s.key), inline(b"far"))
    assert not s.cq.get().error
    assert m.read(s.at + 164, 4) == b"far\0"


def test_read_from_afar(m):
    s = Setup(m)
    m.write(s.at + 64, b"abcd")
    s.a.post(const("WQE_RDMA_READ"), raddr(0, s.key), data(s.mem, 4, s.lkey))
    assert not s.cq.get().error
    assert m.get(s.mem, 4) == b"abcd"


def test_sent_and_received(m):
    s = Setup(m)
    m.write(s.at + 64, b"from device memory to itself")
    s.b.post_recv((100, 28, s.key))
    s.a.post(const("WQE_SEND"), data(0, 28, s.key))
    assert not s.cq.get().error
    assert m.read(s.at + 164, 28) == b"from device memory to itself"


def test_atomics(m):
    s = Setup(m)
    m.write(s.at + 64, struct.pack("=Q", 40))
    s.a.post(const("WQE_ATOMIC_FA"), raddr(0, s.key), atomic(2),
             data(s.mem, 8, s.lkey))
    assert not s.cq.get().error
    assert struct.unpack("=Q", m.read(s.at + 64, 8)) == (42,)


def test_through_a_window(m):
    """A list may name a key of device memory."""
    s = Setup(m)
    window = m.create_mkey(s.pd, [64 << 32 | s.key, 100], 0, 64,
                           access_mode_1_0=const("MKC_KLM"))
    s.a.post(const("WQE_RDMA_WRITE"), raddr(1, window), inline(b"through"))
    assert not s.cq.get().error
    assert m.read(s.at + 164, 8) == b"\0through"


@pytest.mark.parametrize("at, size", [(0, 193), (192, 1), (1 << 63, 1)])
def test_out_of_range(m, at, size):
    s = Setup(m)
    s.a.post(const("WQE_RDMA_WRITE"), raddr(at, s.key), inline(bytes(size)))
    assert s.cq.get().syndrome == 0x13


def test_rights(m):
    s = Setup(m, access="lr lw rr")
    s.a.post(const("WQE_RDMA_WRITE"), raddr(0, s.key), inline(b"x"))
    assert s.cq.get().syndrome == 0x13


def test_reset_forgets(m):
    at = alloc(m, m.cap["max_memic_size"])
    m.write(at, b"old")
    m.reset()
    m.cmdq_init()
    m.start()
    assert m.census()["memic"] == 0
    assert m.read(alloc(m, m.cap["max_memic_size"]), 4) == bytes(4)
