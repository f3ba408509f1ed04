# SPDX-License-Identifier: GPL-2.0-only
"""Nonsense in every place software can write to: the model stays up.

Worth most with a sanitizer build (make SAN=1 test).
"""
import random
import struct

import pytest

from pipe import PAGE, CommandError, DeliveryError, connected_pair
from prm import CONST, const

OPCODES = sorted(v for k, v in CONST.items() if k.startswith("CX_CMD_") and
                 0x100 <= v < 0xc00)


@pytest.mark.parametrize("seed", range(6))
def test_random_commands(m, seed):
    rng = random.Random(seed)
    for _ in range(400):
        data = bytearray(rng.choice((16, 32, 0x110, 0x150, 0x310)))
        for _ in range(rng.randrange(40)):
            data[rng.randrange(len(data))] = rng.choice(
                (0, 1, 2, 5, 12, 0x10, 0x40, 0x80, 0xff, rng.randrange(256)))
        try:
            m.command(rng.choice(OPCODES), data, rng.choice(
                (8, 12, 16, 32, 0x70, 0x110, 0x1d0, 0x210)),
                rng.choice((0, 0, 1, 2, rng.randrange(0x10000))))
        except (CommandError, DeliveryError):
            pass
    assert m.census()["total"] >= 0


@pytest.mark.parametrize("seed", range(4))
def test_random_register_writes(m, seed):
    rng = random.Random(seed)
    connected_pair(m)
    for _ in range(2000):
        page = rng.choice((0, 1, 2, m.uar, m.uar, m.uar + 1, 8191))
        off = rng.choice((0x10, 0x14, 0x18, 0x20, 0x24, 0x40, 0x48, 0x800,
                          0x804, 0x900, 0xff8, rng.randrange(PAGE - 8)))
        data = rng.randbytes(rng.choice((1, 2, 4, 4, 8, 8)))
        m.write(page * PAGE + off, data)
    assert m.read32(4) >> 16 == 5


@pytest.mark.parametrize("seed", range(6))
def test_random_work_requests(m, seed):
    """Garbage in the send queue of a connected pair: errors, no hang."""
    rng = random.Random(seed)
    _, _, _, pd, a, b = connected_pair(m)
    addr, key = m.reg_mr(pd, 4 * PAGE)
    b.post_recv((addr, PAGE, key))
    for _ in range(40):
        wqe = bytearray(rng.randbytes(64))
        if rng.random() < 0.8:
            struct.pack_into(">II", wqe, 0, (a.pi & 0xffff) << 8 | rng.choice(
                (0, 8, 9, 10, 11, 16, 17, 18, 0x25)),
                a.num << 8 | rng.choice((0, 1, 2, 3, 4, 20, 63)))
            struct.pack_into(">QI", wqe, 16, addr, key)
            struct.pack_into(">II", wqe, 32, rng.choice(
                (0, 8, 4096, 1 << 31 | 20, 1 << 30)), key)
        for i in range(0, 64, 16):
            at = a.sq_off + (a.pi * 64 + i) % (64 * a.sq_blocks)
            m.put(a.buf + at, bytes(wqe[i:i + 16]))
        a.pi += 1
        m.put32(a.dbr + 4, a.pi & 0xffff)
        a.ring()
        m.sync()
        if a.query()["state"] == const("QP_ERR"):
            a.to_rst()
            b.to_rst()
            a.pi = b.rq_pi = 0
            m.put(a.dbr, bytes(8))
            m.put(b.dbr, bytes(8))
            a.connect(b)
            b.connect(a)
    a.destroy()
    b.destroy()
    assert m.census()["qp"] == 0
