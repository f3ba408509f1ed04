#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""large_region - each page of a large region is where its address says

Registers memory, pinned by one and by several threads of the kernel, and reads
pages of it through the adapter. In the guest, on our stack; TAP.
"""
import ctypes
import functools
import mmap
import random
import struct
import sys
from pathlib import Path

# pylint: disable=import-error
from pyverbs import enums as e
from pyverbs.mr import MR

from pair import ALL, OPEN, PAGE, Pair, expect, run

BYTES = 128 << 20
PAGES = BYTES // PAGE
SAMPLES = 400
PARAMETER = Path('/sys/module/ib_core/parameters/pin_threads')
MEMORY = mmap.mmap(-1, BYTES, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)


def number_pages():
    """Each page begins with its number; neighbours lie apart in memory."""
    MEMORY.madvise(mmap.MADV_NOHUGEPAGE)
    for first in (0, PAGE):
        for at in range(first, BYTES, 2 * PAGE):
            struct.pack_into('<I', MEMORY, at, at // PAGE)


def pinned_by(threads):
    """The ends, the middle, and some others."""
    PARAMETER.write_text(threads, encoding='ascii')
    pair = Pair()
    address = ctypes.addressof(ctypes.c_char.from_buffer(MEMORY))
    region = MR(pair.far.pd, BYTES, ALL, address)
    OPEN.append(region)
    some = {0, PAGES // 2 - 1, PAGES // 2, PAGES - 1,
            *random.Random(4).sample(range(PAGES), SAMPLES)}
    for page in sorted(some):
        expect(e.IBV_WC_SUCCESS,
               pair.post(e.IBV_WR_RDMA_READ, pair.near_memory(),
                         (region.rkey, address + page * PAGE), 4))
        expect((page,), struct.unpack('<I', pair.near.mr.read(4, 0)))
    region.close()


if __name__ == '__main__':
    number_pages()
    STATUS = run([(f'pinned by {n}', functools.partial(pinned_by, n))
                  for n in ('1', '4')])
    PARAMETER.write_text('1', encoding='ascii')
    sys.exit(STATUS)
