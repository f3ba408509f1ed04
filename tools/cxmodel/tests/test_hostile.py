# SPDX-License-Identifier: GPL-2.0-only
"""Software that means no good: random work requests, contexts, doorbell
records and packet losses. The model must neither crash nor touch memory that
no key covers; run it with SAN=1 to see more than crashes."""
import os
import random
import struct

import pytest

from pipe import PAGE, CommandError, Model, connected_pair, data
from prm import SIZE, Struct, const

OPCODES = [0, 1, 8, 9, 10, 11, 16, 17, 18, 0x25, 0x0e, 0x14, 0xff]
TYPES = ["RC", "UC", "UD", "XRC", "QP1", "REG_UMR"]
SEEDS = range(int(os.environ.get("CXM_FUZZ", "6")))


def noise(rng, n):
    return bytes(rng.choice((0, 0, 0, 1, 0x10, 0x80, 0xff, rng.randrange(256)))
                 for _ in range(n))


def random_wqe(rng, qpn, mem, key):
    """Now and then something that makes sense."""
    ds = rng.choice((0, 1, 2, 3, 4, 5, 8, 16, 63))
    wqe = struct.pack(">IIBBBBI", rng.choice(OPCODES),
                      qpn << 8 | ds, 0, 0, 0, rng.choice((0, 8, 0x48)),
                      rng.choice((0, key, 1 << 31)))
    while len(wqe) < 16 * max(ds, 1):
        wqe += rng.choice((
            data(mem, rng.choice((0, 1, 8, 64, 4096, 9000)), key),
            struct.pack(">QII", mem, key, 0),
            struct.pack(">I12s", 1 << 31 | rng.randrange(60), bytes(12)),
            noise(rng, 16)))
    return wqe


@pytest.mark.parametrize("st", TYPES)
@pytest.mark.parametrize("seed", SEEDS)
def test_random_work(st, seed):
    rng = random.Random(f"{st} {seed}")
    with Model("--timeout-cap", "1") as m:
        m.start()
        eq = m.create_eq(vector=1, events=(1 << 256) - 1)
        cq = m.create_cq(eq, log_size=12, oi=1)
        pd, xrcd = m.alloc_pd(), m.alloc_xrcd()
        mem, key = m.reg_mr(pd, 2 * PAGE, umr_en=1)
        fence = m.alloc(PAGE)
        m.put(fence, b"\x5a" * PAGE)
        qps = [m.create_qp(pd=pd, send_cq=cq, st=const("QP_ST_" + st),
                           xrcd=xrcd) for _ in range(2)]
        for _ in range(30):
            for q, peer in zip(qps, reversed(qps)):
                q.to_rst()
                m.put(q.dbr, bytes(8))
                q.connect(peer, min_rnr_nak=1, rnr_retry=1, retry=1,
                          mtu=rng.randrange(1, 6), q_key=0)
                for i in range(q.rq_size):
                    m.put(q.buf + q.rq_stride * i,
                          data(mem, rng.randrange(5000), key) +
                          noise(rng, q.rq_stride - 16))
                for i in range(q.sq_blocks):
                    m.put(q.buf + q.sq_off + 64 * i,
                          random_wqe(rng, q.num, mem, key)[:64].ljust(64,
                                                                      b"\0"))
            if rng.random() < 0.5:
                m.control(f"wire {rng.choice(['drop', 'duplicate'])} "
                          f"{rng.randrange(1, 9)} {rng.randrange(1, 4)}")
            for q in qps:
                m.put32(q.dbr, rng.choice((5, 64, 0xffff, 0x10005)))
                m.put32(q.dbr + 4, rng.choice((1, 3, 64, 65, 0xffff)))
                q.ring()
            m.sync()
            if rng.random() < 0.3:
                m.control("port down")
                m.control("port up")
        assert m.get(fence, PAGE) == b"\x5a" * PAGE
        for q in qps:
            q.destroy()
        assert m.census()["qp"] == 0


CREATES = ["CREATE_QP", "CREATE_CQ", "CREATE_RMP", "CREATE_SRQ",
           "CREATE_XRC_SRQ", "MODIFY_CQ", "MODIFY_RMP", "RST2INIT_QP",
           "INIT2RTR_QP", "RTR2RTS_QP", "RTS2RTS_QP", "ATTACH_TO_MCG",
           "ARM_RQ", "ARM_XRC_SRQ", "QUERY_QP", "QUERY_CQ", "QUERY_RMP"]


@pytest.mark.parametrize("seed", SEEDS)
def test_random_commands(seed):
    rng = random.Random(seed)
    with Model() as m:
        m.start()
        connected_pair(m)
        for _ in range(400):
            n = rng.choice((16, 32, 0x110, 0x118, 0x200))
            body = bytearray(noise(rng, n))
            body[8:12] = rng.choice((0x40, 0x41, 1, 0)).to_bytes(4, "big")
            try:
                m.command(const("CMD_" + rng.choice(CREATES)), body, 0x200,
                          op_mod=rng.choice((0, 0, 1, 2)))
            except CommandError as e:
                assert isinstance(e.status, str), "a status software knows"
        m.reset()
        assert m.census()["total"] == 0


def test_memory_goes_away(m):
    """Bus mastering off in the middle: no access, no crash, a clean end."""
    _, cq, cq2, pd, a, b = connected_pair(m)
    mem, key = m.reg_mr(pd, 1 << 20)
    a.post(const("WQE_RDMA_READ"), struct.pack(">QII", mem, key, 0),
           data(mem, 1 << 20, key))
    m.master(False)
    m.sync()
    m.master(True)
    m.sync()
    a.to_err()
    a.destroy()
    b.destroy()


def test_kill_with_work_on_the_wire(m):
    _, cq, cq2, pd, a, b = connected_pair(m)
    mem, key = m.reg_mr(pd, 1 << 20)
    before = m.get(mem, 4096)
    for _ in range(20):
        a.post(const("WQE_RDMA_WRITE"), struct.pack(">QII", mem, key, 0),
               data(mem, 1 << 20, key))
    m.control("kill")
    assert m.read32(0) == 0xffffffff
    assert m.get(mem, 4096) == before


def test_structures_are_what_the_noise_covers():
    assert SIZE["create_qp_in"] == 0x110
    assert Struct("qpc")["st"] == 0
