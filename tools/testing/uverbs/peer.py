#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""peer MODULES FILE - memory of another PCI function, by libibverbs

peer_dmabuf.ko of MODULES exports BAR 2 of QEMU's ivshmem-plain, which is FILE of
the host, shared with the guest. What the adapter writes into the BAR has to be
seen by the processor, through the BAR, and in the file. Runs on the first RDMA
device of any mlx5 stack; TAP. The BAR is left with LAST in it for the host.
"""
import errno
import fcntl
import mmap
import os
import pathlib
import subprocess
import sys

# pylint: disable=import-error
from pyverbs import enums as e

from pair import (ALL, PAGE, SIZE, WRITE, Pair, Side, expect, expect_error,
                  pattern, register, run)

PEER_EXPORT = 0x7001            # _IO('p', 1)
LAST = 41
OK = e.IBV_WC_SUCCESS


def host():
    """What the host has now, not what the guest remembers of the file."""
    with open(FILE, 'rb', buffering=0,
              opener=lambda path, flags: os.open(path, flags | os.O_DIRECT)
              ) as file:
        return file.read()


class Bar:
    """The function's memory: fd of a DMA buffer, and map."""

    def __init__(self):
        with open('/dev/peer-dmabuf', 'rb', buffering=0) as device:
            self.fd = fcntl.ioctl(device, PEER_EXPORT, SIZE)
        function = pathlib.Path('/sys/class/misc/peer-dmabuf/device')
        with open(function / 'resource2', 'r+b', buffering=0) as file:
            self.map = mmap.mmap(file.fileno(), SIZE)

    def expect(self, want, start=0):
        """The processor, and the host, see that there."""
        end = start + len(want)
        expect(True, self.map[start:end] == want)
        expect(True, host()[start:end] == want)


def translated():
    """An IOMMU between the two gives addresses of its own, if one was asked for."""
    device = os.listdir('/sys/class/infiniband')[0]
    group = pathlib.Path(f'/sys/class/infiniband/{device}/device/iommu_group')
    asked = 'intel_iommu=on' in pathlib.Path('/proc/cmdline').read_text()
    expect(asked, group.exists() and
           (group / 'type').read_text().startswith('DMA'))


def written():
    """Whole pages and parts of them; what is beside them stays."""
    bar, pair = Bar(), Pair()
    for seed, (start, length) in enumerate((
            (0, SIZE), (PAGE, 3 * PAGE), (PAGE + 100, 5000), (SIZE - 8, 8))):
        bar.map[:] = bytes(SIZE)
        region = register(pair.far.pd, length, ALL, bar.fd, offset=start)
        data = pattern(length, seed)
        pair.near.mr.write(data, length)
        expect(OK, pair.post(e.IBV_WR_RDMA_WRITE, pair.near_memory(),
                             (region.rkey, start), length))
        bar.expect(bytes(start) + data + bytes(SIZE - start - length))
        region.close()


def read():
    """What the processor wrote into the BAR comes back."""
    bar, pair = Bar(), Pair()
    bar.map[:] = pattern(SIZE, 11)
    region = register(pair.far.pd, SIZE, ALL, bar.fd)
    expect(OK, pair.post(e.IBV_WR_RDMA_READ, pair.near_memory(),
                         (region.rkey, 0), SIZE))
    expect(True, pair.near.mr.read(SIZE, 0) == pattern(SIZE, 11))


def local_side():
    """The BAR is what is sent from, and received to."""
    bar, pair = Bar(), Pair()
    bar.map[:] = pattern(SIZE, 12)
    region = register(pair.near.pd, SIZE, WRITE, bar.fd)
    far = pair.far.mr.rkey, pair.far.mr.buf
    expect(OK, pair.post(e.IBV_WR_RDMA_WRITE, (region.lkey, 0), far, SIZE))
    expect(True, pair.far.mr.read(SIZE, 0) == pattern(SIZE, 12))
    pair.far.mr.write(pattern(SIZE, 13), SIZE)
    expect(OK, pair.post(e.IBV_WR_RDMA_READ, (region.lkey, 0), far, SIZE))
    bar.expect(pattern(SIZE, 13))


def bar_to_bar():
    """Both sides are the function's memory: halves of it."""
    bar, pair = Bar(), Pair()
    half = SIZE // 2
    bar.map[:] = pattern(half, 14) + bytes(half)
    near = register(pair.near.pd, half, WRITE, bar.fd)
    far = register(pair.far.pd, half, ALL, bar.fd, offset=half)
    expect(OK, pair.post(e.IBV_WR_RDMA_WRITE, (near.lkey, 0),
                         (far.rkey, half), half))
    bar.expect(2 * pattern(half, 14))


def refused():
    """No more than was exported."""
    bar, side = Bar(), Side()
    for length, offset in (SIZE + 1, 0), (PAGE, SIZE), (PAGE + 1, SIZE - PAGE):
        # pylint: disable=cell-var-from-loop
        expect_error(errno.EINVAL, lambda: register(
            side.pd, length, ALL, bar.fd, offset=offset))


def descriptor_closed():
    """A region keeps the buffer; this is what the host finds at the end."""
    bar, pair = Bar(), Pair()
    region = register(pair.far.pd, SIZE, ALL, bar.fd)
    os.close(bar.fd)
    pair.near.mr.write(pattern(SIZE, LAST), SIZE)
    expect(OK, pair.post(e.IBV_WR_RDMA_WRITE, pair.near_memory(),
                         (region.rkey, 0), SIZE))
    bar.expect(pattern(SIZE, LAST))


CASES = (
    ('translated as it was asked for', translated),
    ('written', written),
    ('read', read),
    ('the local side', local_side),
    ('from the BAR to the BAR', bar_to_bar),
    ('refused', refused),
    ('its descriptor is closed', descriptor_closed),
)


def main():
    module = f'{MODULES}/kunit/helpers/peer_dmabuf.ko'
    subprocess.run(['insmod', module], check=True)
    return run(CASES)


if __name__ == '__main__':
    MODULES, FILE = sys.argv[1:]
    sys.exit(main())
