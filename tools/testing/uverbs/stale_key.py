#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""stale_key - who has the key of a region that is gone reaches nothing

Neither at once nor when another region has got the same number, as it has where
keys are kept (mkey_pool). And a region that is written while it goes keeps its
pages until the adapter has done with them; behind an IOMMU the modelled adapter
tells of an access that comes later. In the guest, on any mlx5 stack; TAP.
"""
import sys

# pylint: disable=import-error
from pyverbs import enums as e
from pyverbs.mr import MR

from pair import ALL, PAGE, SIZE, STARTED, Pair, close_all, expect, run

ROUNDS = 10


def reads(pair, key, address):
    """The status of a read; a refused one is the end of the pair."""
    return pair.post(e.IBV_WR_RDMA_READ, pair.near_memory(), (key, address), 8)


def gone_at_once():
    pair = Pair()
    region = MR(pair.far.pd, PAGE, ALL)
    key, address = region.rkey, region.buf
    expect(e.IBV_WC_SUCCESS, reads(pair, key, address))
    region.close()
    expect(e.IBV_WC_REM_ACCESS_ERR, reads(pair, key, address))


def before_and_after():
    """A region that comes right behind another one does not open it."""
    for _ in range(8):
        pair = Pair()
        region = MR(pair.far.pd, PAGE, ALL)
        key = region.rkey
        region.close()
        region = MR(pair.far.pd, PAGE, ALL)
        expect(True, region.rkey != key)
        expect(e.IBV_WC_REM_ACCESS_ERR, reads(pair, key, region.buf))
        region.close()
        close_all()


def gone_while_written():
    """Some writes come before, the others are refused."""
    for _ in range(ROUNDS):
        pair = Pair()
        region = MR(pair.far.pd, SIZE, ALL)
        remote = region.rkey, region.buf
        for _ in range(STARTED):
            pair.start(e.IBV_WR_RDMA_WRITE, pair.near_memory(), remote, SIZE)
        seen = [pair.near.completion()]
        region.close()
        seen += [pair.near.completion() for _ in range(STARTED - 1)]
        expect(e.IBV_WC_SUCCESS, seen[0])
        expect(1, seen.count(e.IBV_WC_REM_ACCESS_ERR))
        expect(e.IBV_WC_WR_FLUSH_ERR, seen[-1])
        close_all()


if __name__ == '__main__':
    sys.exit(run((('gone at once', gone_at_once),
                  ('before and after', before_and_after),
                  ('gone while written', gone_while_written))))
