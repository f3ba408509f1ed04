#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""odp - memory that the adapter pages in, while the process changes it

Runs in the guest, on the first RDMA device of any mlx5 stack that pages on
demand, as unmodified libibverbs uses it; TAP.
"""
import ctypes
import errno
import os
import sys
import threading
import time

sys.path[:0] = ['/usr/share/doc/rdma-core']

# pylint: disable=wrong-import-position,import-error
from pyverbs import enums as e
from pyverbs.device import get_device_list
from pyverbs.mr import MR
from pyverbs.pyverbs_error import PyverbsRDMAError
from pyverbs.wr import SGE, SendWR
from tests.base import RCResources

PAGE = 4096
SIZE = 64 * PAGE
WRITE = e.IBV_ACCESS_LOCAL_WRITE
ALL = WRITE | e.IBV_ACCESS_REMOTE_WRITE | e.IBV_ACCESS_REMOTE_READ
PAGED = e.IBV_ACCESS_ON_DEMAND
SECONDS = 60
ROUNDS = 200

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.mmap.restype = ctypes.c_void_p
LIBC.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int,
                      ctypes.c_int, ctypes.c_int, ctypes.c_long]
for call in (LIBC.munmap, LIBC.madvise, LIBC.mprotect):
    call.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int][
        :2 if call is LIBC.munmap else 3]
READ_ONLY, READ_WRITE = 1, 3
PRIVATE_ANONYMOUS, FIXED = 0x22, 0x10
DONTNEED = 4


def mapped(size=SIZE, prot=READ_WRITE, at=None):
    """Fresh memory; its address."""
    flags = PRIVATE_ANONYMOUS | (FIXED if at else 0)
    address = LIBC.mmap(at, size, prot, flags, -1, 0)
    if address in (None, ctypes.c_void_p(-1).value):
        raise OSError(ctypes.get_errno(), 'mmap')
    return address


def done(result):
    if result:
        raise OSError(ctypes.get_errno(), 'system call')


def peek(address, length):
    return ctypes.string_at(address, length)


def poke(address, data):
    ctypes.memmove(address, data, len(data))


def pattern(length, seed):
    return bytes((i * 7 + (i >> 8) + seed) & 0xff for i in range(length))


def expect(want, got):
    if want != got:
        raise AssertionError(f'{got!r}, not {want!r}')


class Side(RCResources):
    """One end of a connection, which its peer may write and read."""

    def __init__(self):
        super().__init__(get_device_list()[0].name.decode(), 1, 0,
                         msg_size=SIZE)

    def create_mr(self):
        self.mr = MR(self.pd, SIZE, ALL)

    def create_qp_attr(self):
        attr = super().create_qp_attr()
        attr.qp_access_flags = ALL
        return attr


class Pair:
    """Two ends in one process: what one posts the other's memory meets."""

    def __init__(self):
        self.near, self.far = Side(), Side()
        self.near.pre_run(self.far.psns, self.far.qps_num)
        self.far.pre_run(self.near.psns, self.near.qps_num)

    def post(self, opcode, local, remote, length):
        """local, remote: (key, address). The status of the completion."""
        request = SendWR(opcode=opcode, num_sge=1,
                         sg=[SGE(local[1], length, local[0])])
        request.set_wr_rdma(*remote)
        self.near.qp.post_send(request)
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            count, found = self.near.cq.poll()
            if count:
                return found[0].status
        raise AssertionError('no completion')

    def write(self, data, remote):
        """Data to (rkey, address); the status."""
        self.near.mr.write(data, len(data))
        return self.post(e.IBV_WR_RDMA_WRITE,
                         (self.near.mr.lkey, self.near.mr.buf), remote,
                         len(data))

    def read(self, remote, length):
        """What is at (rkey, address), or the status that is no success."""
        status = self.post(e.IBV_WR_RDMA_READ,
                           (self.near.mr.lkey, self.near.mr.buf), remote,
                           length)
        return status or self.near.mr.read(length, 0)


def region(side, address, size=SIZE, access=ALL):
    return MR(side.pd, size, access | PAGED, address=address)


def never_touched():
    """Pages that nobody has used yet come with the first access."""
    pair, at = Pair(), mapped()
    paged = region(pair.far, at)
    expect(0, pair.write(pattern(SIZE, 1), (paged.rkey, at)))
    expect(True, peek(at, SIZE) == pattern(SIZE, 1))
    expect(pattern(100, 1), pair.read((paged.rkey, at), 100))


def local_side():
    """The memory that is sent from and received to is paged in."""
    pair, at = Pair(), mapped()
    paged = region(pair.near, at)
    poke(at + PAGE, pattern(PAGE, 2))
    expect(0, pair.post(e.IBV_WR_RDMA_WRITE, (paged.lkey, at),
                        (pair.far.mr.rkey, pair.far.mr.buf), SIZE))
    expect(bytes(PAGE) + pattern(PAGE, 2), pair.far.mr.read(2 * PAGE, 0))
    pair.far.mr.write(pattern(SIZE, 3), SIZE)
    expect(0, pair.post(e.IBV_WR_RDMA_READ, (paged.lkey, at),
                        (pair.far.mr.rkey, pair.far.mr.buf), SIZE))
    expect(True, peek(at, SIZE) == pattern(SIZE, 3))


def other_memory():
    """What is mapped there now counts, not what was."""
    pair, at = Pair(), mapped()
    paged = region(pair.far, at)
    expect(0, pair.write(pattern(SIZE, 1), (paged.rkey, at)))
    mapped(at=at)
    expect(bytes(SIZE), peek(at, SIZE))
    expect(0, pair.write(pattern(PAGE, 4), (paged.rkey, at + PAGE)))
    expect(bytes(PAGE) + pattern(PAGE, 4) + bytes(PAGE), peek(at, 3 * PAGE))


def thrown_away():
    """madvise(): the pages go, zeros come."""
    pair, at = Pair(), mapped()
    paged = region(pair.far, at)
    expect(0, pair.write(pattern(SIZE, 5), (paged.rkey, at)))
    done(LIBC.madvise(at, SIZE // 2, DONTNEED))
    expect(bytes(PAGE), pair.read((paged.rkey, at), PAGE))
    expect(pattern(SIZE, 5)[SIZE // 2:][:PAGE],
           pair.read((paged.rkey, at + SIZE // 2), PAGE))


def unmapped():
    """Nothing there: an error of the access, and the rest still works."""
    pair, at = Pair(), mapped()
    paged = region(pair.far, at)
    expect(0, pair.write(pattern(SIZE, 6), (paged.rkey, at)))
    done(LIBC.munmap(at + PAGE, PAGE))
    expect(e.IBV_WC_REM_ACCESS_ERR,
           pair.write(b'lost', (paged.rkey, at + PAGE)))
    expect(pattern(PAGE, 6), peek(at, PAGE))


def only_read():
    """Without the right to write it is read, though not by stock."""
    pair, at = Pair(), mapped()
    poke(at, pattern(PAGE, 7))
    paged = region(pair.far, at)
    expect(0, pair.write(b'before', (paged.rkey, at)))
    done(LIBC.mprotect(at, SIZE, READ_ONLY))
    expect(b'before', pair.read((paged.rkey, at), 6))
    expect(e.IBV_WC_REM_ACCESS_ERR, pair.write(b'behind', (paged.rkey, at)))
    expect(b'before', peek(at, 6))


def forked():
    """A child keeps what was there; the adapter writes to its parent."""
    pair, at = Pair(), mapped()
    paged = region(pair.far, at)
    expect(0, pair.write(b'old', (paged.rkey, at)))
    go, told = os.pipe(), os.pipe()
    child = os.fork()
    if not child:
        os.read(go[0], 1)
        os.write(told[1], peek(at, 3))
        os._exit(0)
    expect(0, pair.write(b'new', (paged.rkey, at)))
    os.write(go[1], b'.')
    expect(b'old', os.read(told[0], 3))
    expect(b'new', peek(at, 3))
    os.waitpid(child, 0)


def all_addresses():
    """A region of everything, with memory that came later, in two places."""
    pair = Pair()
    paged = MR(pair.far.pd, 0, ALL | PAGED, implicit=True)
    for seed in range(3):
        at = mapped()
        expect(0, pair.write(pattern(SIZE, seed), (paged.rkey, at)))
        expect(True, peek(at, SIZE) == pattern(SIZE, seed))
        done(LIBC.munmap(at, SIZE))
    at = mapped(2 * SIZE, at=(5 << 40) + (1 << 30) - SIZE)
    expect(0, pair.write(pattern(SIZE, 9), (paged.rkey, at + SIZE // 2)))
    expect(True, peek(at + SIZE // 2, SIZE) == pattern(SIZE, 9))
    expect(e.IBV_WC_REM_ACCESS_ERR, pair.write(b'none', (paged.rkey, 64)))


def changed():
    """Rights, other memory, pinned memory and back, all addresses."""
    pair, at, other = Pair(), mapped(), mapped()
    paged = region(pair.far, at)
    expect(0, pair.write(b'first', (paged.rkey, at)))
    paged.rereg(e.IBV_REREG_MR_CHANGE_TRANSLATION, addr=other, length=SIZE,
                access=ALL | PAGED)
    expect(0, pair.write(b'second', (paged.rkey, other)))
    expect((b'first\0', b'second'), (peek(at, 6), peek(other, 6)))
    paged.rereg(e.IBV_REREG_MR_CHANGE_TRANSLATION |
                e.IBV_REREG_MR_CHANGE_ACCESS, addr=at, length=SIZE,
                access=ALL)
    expect(0, pair.write(b'third', (paged.rkey, at)))
    paged.rereg(e.IBV_REREG_MR_CHANGE_TRANSLATION |
                e.IBV_REREG_MR_CHANGE_ACCESS, addr=other, length=SIZE,
                access=ALL | PAGED)
    expect(0, pair.write(b'fourth', (paged.rkey, other)))
    expect((b'third', b'fourth'), (peek(at, 5), peek(other, 6)))
    paged.rereg(e.IBV_REREG_MR_CHANGE_ACCESS,
                access=WRITE | PAGED | e.IBV_ACCESS_REMOTE_READ)
    expect(b'fourth', pair.read((paged.rkey, other), 6))
    expect(e.IBV_WC_REM_ACCESS_ERR, pair.write(b'no', (paged.rkey, other)))


def prefetched():
    """Advice, its errnos, and that it brings pages in."""
    pair, at = Pair(), mapped()
    paged = region(pair.far, at)
    flush, now = e._IBV_ADVISE_MR_FLAG_FLUSH, [SGE(at, SIZE, paged.lkey)]
    for advice in (e._IBV_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT,
                   e._IBV_ADVISE_MR_ADVICE_PREFETCH,
                   e._IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE):
        pair.far.pd.advise_mr(advice, flush, now)
        pair.far.pd.advise_mr(advice, 0, now)
    expect(0, pair.write(pattern(SIZE, 8), (paged.rkey, at)))
    readable = region(pair.far, at, access=0)
    hole = mapped()
    holed = region(pair.far, hole)
    done(LIBC.munmap(hole + PAGE, PAGE))
    write = e._IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE
    read = e._IBV_ADVISE_MR_ADVICE_PREFETCH
    for number, side, advice, flags, sge in (
            (errno.ENOENT, pair.far, read, 0,
             SGE(at, 1, pair.far.mr.lkey)),
            (errno.ENOENT, pair.far, read, flush, SGE(at, 1, 0x123400)),
            (errno.EPERM, pair.near, read, flush, SGE(at, 1, paged.lkey)),
            (errno.EPERM, pair.far, write, 0, SGE(at, 1, readable.lkey)),
            (errno.EFAULT, pair.far, read, flush,
             SGE(at - 1, 1, paged.lkey)),
            (errno.EFAULT, pair.far, read, flush,
             SGE(at, SIZE + 1, paged.lkey)),
            (errno.EFAULT, pair.far, read, flush,
             SGE(hole, SIZE, holed.lkey)),
            (errno.EOPNOTSUPP, pair.far, 77, flush,
             SGE(at, 1, paged.lkey))):
        try:
            side.pd.advise_mr(advice, flags, [sge])
        except PyverbsRDMAError as error:
            expect(errno.errorcode[number], errno.errorcode[error.error_code])
        else:
            raise AssertionError(f'{errno.errorcode[number]} was expected')


class Always(threading.Thread):
    """Does something over and over, until it is told to stop."""

    def __init__(self, action):
        super().__init__(daemon=True)
        self.action, self.over, self.count = action, False, 0

    def run(self):
        while not self.over:
            self.action()
            self.count += 1

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.over = True
        self.join()


def pulled_away():
    """Pages are thrown away while the adapter writes: nothing fails."""
    pair, at = Pair(), mapped()
    paged = region(pair.far, at)
    everything = MR(pair.far.pd, 0, ALL | PAGED, implicit=True)
    with Always(lambda: LIBC.madvise(at, SIZE, DONTNEED)) as other:
        for turn in range(ROUNDS):
            key = (paged, everything)[turn & 1].rkey
            expect(0, pair.write(pattern(SIZE, turn), (key, at)))
    expect(True, other.count > 0)
    expect(0, pair.write(pattern(SIZE, 1), (paged.rkey, at)))
    expect(True, peek(at, SIZE) == pattern(SIZE, 1))


def replaced_and_forked():
    """Other memory, and children, while the adapter writes."""
    pair, at = Pair(), mapped()
    paged = region(pair.far, at)

    def change():
        mapped(SIZE // 2, at=at)
        poke(at, b'x')

    with Always(change):
        for turn in range(ROUNDS // 4):
            child = os.fork()
            if not child:
                os._exit(0)
            expect(0, pair.write(pattern(SIZE, turn), (paged.rkey, at)))
            os.waitpid(child, 0)


def registered_and_thrown_away():
    """Regions come and go while their pages do."""
    side, at = Side(), mapped()
    with Always(lambda: LIBC.madvise(at, SIZE, DONTNEED)):
        for _ in range(ROUNDS):
            poke(at, b'1')
            paged = region(side, at)
            side.pd.advise_mr(e._IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE, 0,
                              [SGE(at, SIZE, paged.lkey)])
            paged.close()


CASES = (
    ('never touched', never_touched),
    ('the local side', local_side),
    ('other memory', other_memory),
    ('thrown away', thrown_away),
    ('unmapped', unmapped),
    ('only to be read', only_read),
    ('forked', forked),
    ('all addresses', all_addresses),
    ('changed', changed),
    ('prefetched', prefetched),
    ('pulled away', pulled_away),
    ('replaced and forked', replaced_and_forked),
    ('registered and thrown away', registered_and_thrown_away),
)


def main():
    print('TAP version 13')
    failed = 0
    for number, (name, case) in enumerate(CASES, 1):
        try:
            case()
            print(f'ok {number} {name}', flush=True)
        except Exception as error:  # pylint: disable=broad-except
            failed += 1
            print(f'# {type(error).__name__}: {error}')
            print(f'not ok {number} {name}', flush=True)
    print(f'1..{len(CASES)}')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
