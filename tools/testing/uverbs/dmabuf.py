#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""dmabuf [MODULES [moves]] - memory of another device, by libibverbs

The other device is udmabuf, which exports pages of a memfd, and moving_dmabuf.ko
of MODULES. Memory that is registered may have been pinned; with "moves" it must
not. Runs in the guest, on the first RDMA device of any mlx5 stack; TAP.
"""
import errno
import fcntl
import mmap
import os
import random
import struct
import subprocess
import sys
import threading
import time

# pylint: disable=import-error
from pyverbs import enums as e
from pyverbs.mr import DmaBufMR

from pair import (ALL, PAGE, SIZE, WRITE, Pair, Side, expect, expect_error,
                  pattern, register, run)

UDMABUF_CREATE = 0x40187542     # _IOW('u', 0x42, struct udmabuf_create)
UDMABUF_CLOEXEC = 1
MOVING_MAKE = 0x6d01            # _IO('m', 1)
MOVING_MOVE = 0x6d02


class Buffer:
    """A DMA buffer: fd, and map, through which the processor sees it."""

    def __init__(self, size=SIZE):
        memfd = os.memfd_create('dmabuf', os.MFD_CLOEXEC |
                                os.MFD_ALLOW_SEALING)
        os.ftruncate(memfd, size)
        fcntl.fcntl(memfd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK)
        self.map = mmap.mmap(memfd, size)
        request = struct.pack('=IIQQ', memfd, UDMABUF_CLOEXEC, 0, size)
        with open('/dev/udmabuf', 'rb', buffering=0) as device:
            # what it returns is lost if the request cannot be written to
            self.fd = fcntl.ioctl(device, UDMABUF_CREATE, bytearray(request))
        os.close(memfd)

    def close(self):
        os.close(self.fd)


class Moving:
    """A DMA buffer that moves: fd."""

    def __init__(self, size=SIZE):
        self.file = os.open('/dev/moving-dmabuf', os.O_RDWR | os.O_CLOEXEC)
        self.fd = fcntl.ioctl(self.file, MOVING_MAKE, size)
        self.moves = 0

    def read(self, length, offset):
        return os.pread(self.file, length, offset)

    def move(self):
        """False: it is pinned."""
        try:
            fcntl.ioctl(self.file, MOVING_MOVE, 0)
        except OSError as error:
            expect(errno.EBUSY, error.errno)
            return False
        self.moves += 1
        return True

    def close(self):
        os.close(self.fd)
        os.close(self.file)


def written_and_read():
    """Whole pages and parts of them; what is beside them stays."""
    buffer, pair = Buffer(), Pair()
    for seed, (start, length) in enumerate((
            (0, SIZE), (PAGE, 3 * PAGE), (PAGE + 100, 5000), (SIZE - 8, 8))):
        buffer.map[:] = bytes(SIZE)
        data = pattern(length, seed)
        region = register(pair.far.pd, length, ALL, buffer.fd, offset=start)
        pair.near.mr.write(data, length)
        expect(e.IBV_WC_SUCCESS,
               pair.post(e.IBV_WR_RDMA_WRITE, pair.near_memory(),
                         (region.rkey, start), length))
        expect(True, buffer.map[start:start + length] == data)
        expect(0, sum(buffer.map[:start]) + sum(buffer.map[start + length:]))
        pair.near.mr.write(bytes(length), length)
        expect(e.IBV_WC_SUCCESS,
               pair.post(e.IBV_WR_RDMA_READ, pair.near_memory(),
                         (region.rkey, start), length))
        expect(True, pair.near.mr.read(length, 0) == data)
        region.close()


def local_side():
    """The buffer is what is sent from, and received to."""
    buffer, pair = Buffer(), Pair()
    buffer.map[:] = pattern(SIZE, 3)
    region = register(pair.near.pd, SIZE, WRITE, buffer.fd)
    expect(e.IBV_WC_SUCCESS,
           pair.post(e.IBV_WR_RDMA_WRITE, (region.lkey, 0),
                     (pair.far.mr.rkey, pair.far.mr.buf), SIZE))
    expect(True, pair.far.mr.read(SIZE, 0) == buffer.map[:])
    pair.far.mr.write(pattern(SIZE, 9), SIZE)
    expect(e.IBV_WC_SUCCESS,
           pair.post(e.IBV_WR_RDMA_READ, (region.lkey, 0),
                     (pair.far.mr.rkey, pair.far.mr.buf), SIZE))
    expect(True, buffer.map[:] == pattern(SIZE, 9))


def over_the_end():
    """The key ends where the region does, whatever the buffer has more."""
    buffer, pair = Buffer(), Pair()
    region = register(pair.far.pd, PAGE, ALL, buffer.fd)
    expect(e.IBV_WC_REM_ACCESS_ERR,
           pair.post(e.IBV_WR_RDMA_WRITE, pair.near_memory(),
                     (region.rkey, 1), PAGE))
    expect(0, sum(buffer.map[:]))


def gone():
    """After deregistration nothing is reached, the buffer lives on."""
    buffer, pair = Buffer(), Pair()
    region = register(pair.far.pd, SIZE, ALL, buffer.fd)
    key = region.rkey
    region.close()
    expect(e.IBV_WC_REM_ACCESS_ERR,
           pair.post(e.IBV_WR_RDMA_WRITE, pair.near_memory(), (key, 0), PAGE))
    buffer.map[:4] = b'here'
    DmaBufMR(pair.far.pd, SIZE, ALL, buffer.fd).close()


def descriptor_closed():
    """A region keeps the buffer."""
    buffer, pair = Buffer(), Pair()
    region = register(pair.far.pd, SIZE, ALL, buffer.fd)
    buffer.close()
    pair.near.mr.write(pattern(SIZE, 5), SIZE)
    expect(e.IBV_WC_SUCCESS,
           pair.post(e.IBV_WR_RDMA_WRITE, pair.near_memory(),
                     (region.rkey, 0), SIZE))
    expect(True, buffer.map[:] == pattern(SIZE, 5))


def refused():
    """What is no buffer, or not that much of it, or cannot be granted."""
    buffer, side = Buffer(), Side()
    plain = os.memfd_create('plain')
    for number, length, access, fd, offset in (
            (errno.EINVAL, SIZE + 1, ALL, buffer.fd, 0),
            (errno.EINVAL, PAGE + 1, ALL, buffer.fd, SIZE - PAGE),
            (errno.EINVAL, 1, ALL, buffer.fd, SIZE),
            (errno.EINVAL, 0, ALL, buffer.fd, 0),
            (errno.EINVAL, PAGE, ALL, plain, 0),
            (errno.EBADF, PAGE, ALL, 1000, 0),
            (errno.EINVAL, PAGE, e.IBV_ACCESS_REMOTE_WRITE, buffer.fd, 0),
            (errno.EINVAL, PAGE, e.IBV_ACCESS_ZERO_BASED, buffer.fd, 0),
            (errno.EINVAL, PAGE, e.IBV_ACCESS_ON_DEMAND, buffer.fd, 0)):
        # pylint: disable=cell-var-from-loop
        expect_error(number, lambda: DmaBufMR(side.pd, length, access, fd,
                                              offset=offset))
    os.close(plain)
    DmaBufMR(side.pd, SIZE, ALL, buffer.fd).close()


def many():
    """Regions on one buffer at the same time, each at its own place."""
    buffer, pair = Buffer(), Pair()
    step = SIZE // 32
    regions = [register(pair.far.pd, step, ALL, buffer.fd, offset=i * step)
               for i in range(32)]
    for i, region in enumerate(regions):
        pair.near.mr.write(bytes([i + 1]) * step, step)
        expect(e.IBV_WC_SUCCESS,
               pair.post(e.IBV_WR_RDMA_WRITE, pair.near_memory(),
                         (region.rkey, i * step), step))
    expect(True, buffer.map[:] == b''.join(bytes([i + 1]) * step
                                           for i in range(32)))


def moved(pair, buffer, region, count):
    """Writes and reads at any place, whatever the buffer does."""
    for seed in range(count):
        start = random.randrange(SIZE)
        length = min(random.choice((1, 100, PAGE, 9 * PAGE)), SIZE - start)
        data = pattern(length, seed)
        pair.near.mr.write(data, length)
        expect(e.IBV_WC_SUCCESS,
               pair.post(e.IBV_WR_RDMA_WRITE, pair.near_memory(),
                         (region.rkey, start), length))
        expect(True, buffer.read(length, start) == data)
        pair.near.mr.write(bytes(length), length)
        expect(e.IBV_WC_SUCCESS,
               pair.post(e.IBV_WR_RDMA_READ, pair.near_memory(),
                         (region.rkey, start), length))
        expect(True, pair.near.mr.read(length, 0) == data)


def must_move(buffer):
    print(f'# {buffer.moves} moves', flush=True)
    if MOVES and not buffer.moves:
        raise AssertionError('it is pinned')


def moves_between():
    """A move before each transfer; none if it is pinned."""
    buffer, pair = Moving(), Pair()
    expect(True, buffer.move())
    buffer.moves = 0
    region = register(pair.far.pd, SIZE, ALL, buffer.fd)
    for _ in range(20):
        buffer.move()
        moved(pair, buffer, region, 1)
    must_move(buffer)
    region.close()
    expect(True, buffer.move())
    buffer.close()


def moves_meanwhile():
    """A thread moves the buffer as fast as it can."""
    buffer, pair = Moving(), Pair()
    region = register(pair.far.pd, SIZE, ALL, buffer.fd)
    stop = threading.Event()

    def keep_moving():
        while not stop.is_set():
            buffer.move()
            time.sleep(0.001)

    thread = threading.Thread(target=keep_moving)
    thread.start()
    try:
        moved(pair, buffer, region, 100)
    finally:
        stop.set()
        thread.join()
    must_move(buffer)


def moves_while_registered():
    """Regions come and go on a buffer that moves."""
    buffer, side = Moving(), Side()
    stop = threading.Event()

    def keep_moving():
        while not stop.is_set():
            buffer.move()

    thread = threading.Thread(target=keep_moving)
    thread.start()
    try:
        for i in range(100):
            DmaBufMR(side.pd, SIZE - i * PAGE, ALL, buffer.fd,
                     offset=i * PAGE).close()
    finally:
        stop.set()
        thread.join()
    expect(True, buffer.move())


CASES = (
    ('written and read', written_and_read),
    ('the local side', local_side),
    ('over the end', over_the_end),
    ('gone', gone),
    ('its descriptor is closed', descriptor_closed),
    ('refused', refused),
    ('many on one buffer', many),
)
MOVING_CASES = (
    ('moves between transfers', moves_between),
    ('moves during transfers', moves_meanwhile),
    ('moves while it is registered', moves_while_registered),
)


def main():
    random.seed(7)
    cases = CASES
    if MODULES:
        subprocess.run(['insmod',
                        f'{MODULES}/kunit/helpers/moving_dmabuf.ko'],
                       check=True)
        cases += MOVING_CASES
    return run(cases)


if __name__ == '__main__':
    MODULES = sys.argv[1] if len(sys.argv) > 1 else None
    MOVES = sys.argv[2:] == ['moves']
    sys.exit(main())
