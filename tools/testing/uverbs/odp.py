#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""odp [SECONDS [CASE]] - memory that the adapter pages in, while the process changes it

Runs in the guest, on the first RDMA device of any mlx5 stack that pages on
demand, as unmodified libibverbs uses it; TAP. SECONDS is the length of each
race, 5 if not given. CASE is the name of the only one.
"""
import ctypes
import errno
import os
import random
import signal
import sys
import tempfile
import threading
import time
import warnings

# pylint: disable=import-error
from pyverbs import enums as e
from pyverbs.mr import MR, MW, MWBind, MWBindInfo
from pyverbs.wr import SGE

from pair import (ALL, PAGE, WRITE, Pair, Side, device, expect, expect_error,
                  opened, pattern, run)

SIZE = 64 * PAGE
PAGED = e.IBV_ACCESS_ON_DEMAND
UNBIND_SECONDS = 30     # a request for the adapter may wait 60

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.mmap.restype = ctypes.c_void_p
LIBC.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int,
                      ctypes.c_int, ctypes.c_int, ctypes.c_long]
LIBC.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
LIBC.mincore.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p]
for call in (LIBC.madvise, LIBC.mprotect):
    call.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
READ_ONLY, READ_WRITE = 1, 3
SHARED, PRIVATE_ANONYMOUS, FIXED = 1, 0x22, 0x10
DONTNEED, PAGEOUT, COLLAPSE = 4, 21, 25


def mapped(size=SIZE, at=None, file=None):
    """Fresh memory, or of a file; its address."""
    flags = SHARED if file else PRIVATE_ANONYMOUS | (FIXED if at else 0)
    address = LIBC.mmap(at, size, READ_WRITE, flags,
                        file.fileno() if file else -1, 0)
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


def region(side, address, size=SIZE, access=ALL):
    return opened(MR(side.pd, size, access | PAGED, address=address))


def everything(side):
    """A region of all addresses."""
    return opened(MR(side.pd, 0, ALL | PAGED, implicit=True))


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


def changed_by_a_child():
    """All addresses stay those of who registered them."""
    pair, at = Pair(), mapped()
    paged = everything(pair.far)
    child = os.fork()
    if not child:
        try:
            expect_error(errno.EACCES, lambda: paged.rereg(
                e.IBV_REREG_MR_CHANGE_ACCESS, access=ALL | PAGED))
            os._exit(0)
        finally:
            os._exit(1)
    expect(0, os.waitpid(child, 0)[1])
    expect(0, pair.write(b'here', (paged.rkey, at)))
    expect(b'here', peek(at, 4))


def paged_out():
    """Pages of a file go to the disk, and come back when they are wanted."""
    pair = Pair()
    with tempfile.TemporaryFile(dir='/var/tmp') as file:
        file.truncate(SIZE)
        at = mapped(file=file)
        paged = region(pair.far, at)
        there = ctypes.create_string_buffer(SIZE // PAGE)
        for seed in range(3):
            data = pattern(SIZE, seed)
            expect(0, pair.write(data, (paged.rkey, at)))
            os.fsync(file)
            done(LIBC.madvise(at, SIZE, PAGEOUT))
            done(LIBC.mincore(at, SIZE, there))
            # some are in use for a moment
            expect(True, sum(there.raw) < SIZE // PAGE // 2)
            expect(True, pair.read((paged.rkey, at), SIZE) == data)
            expect(True, os.pread(file.fileno(), SIZE, 0) == data)


def collapsed():
    """Pages move together into a huge one: they are others then."""
    huge = 2 << 20
    pair, at = Pair(), mapped(2 * huge)
    at += -at % huge
    paged = region(pair.far, at, huge)
    expect(0, pair.write(pattern(SIZE, 3), (paged.rkey, at)))
    done(LIBC.madvise(at, huge, COLLAPSE))
    poke(at, b'here')
    expect(b'here' + pattern(100, 3)[4:], pair.read((paged.rkey, at), 100))
    expect(0, pair.write(pattern(PAGE, 4), (paged.rkey, at + PAGE)))
    expect(pattern(PAGE, 4), peek(at + PAGE, PAGE))


def all_addresses():
    """A region of everything, with memory that came later, in two places."""
    pair = Pair()
    paged = everything(pair.far)
    for seed in range(3):
        at = mapped()
        expect(0, pair.write(pattern(SIZE, seed), (paged.rkey, at)))
        expect(True, peek(at, SIZE) == pattern(SIZE, seed))
        done(LIBC.munmap(at, SIZE))
    at = mapped(2 * SIZE, at=(5 << 40) + (1 << 30) - SIZE)
    expect(0, pair.write(pattern(SIZE, 9), (paged.rkey, at + SIZE // 2)))
    expect(True, peek(at + SIZE // 2, SIZE) == pattern(SIZE, 9))
    expect(e.IBV_WC_REM_ACCESS_ERR, pair.write(b'none', (paged.rkey, 64)))


def window():
    """A window on a region: behind its key is another one."""
    pair, at = Pair(), mapped()
    paged = region(pair.far, at, access=ALL | e.IBV_ACCESS_MW_BIND)
    view = opened(MW(pair.far.pd, e.IBV_MW_TYPE_1))
    part = MWBindInfo(paged, at + PAGE, 2 * PAGE, ALL)
    pair.far.qp.bind_mw(view, MWBind(part, e.IBV_SEND_SIGNALED))
    expect(0, pair.far.completion())
    done(LIBC.madvise(at, SIZE, DONTNEED))
    expect(0, pair.write(pattern(PAGE, 9), (view.rkey, at + PAGE + 100)))
    expect(bytes(100) + pattern(PAGE, 9) + bytes(100),
           peek(at + PAGE, PAGE + 200))
    view.close()


def changed():
    """Rights, other memory, pinned memory and back, all addresses."""
    pair, at, other = Pair(), mapped(), mapped()
    paged = region(pair.far, at)
    expect(0, pair.write(b'first', (paged.rkey, at)))
    paged.rereg(e.IBV_REREG_MR_CHANGE_TRANSLATION, addr=other, length=SIZE)
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
        # pylint: disable=cell-var-from-loop
        expect_error(number, lambda: side.pd.advise_mr(advice, flags, [sge]))


def rounds():
    """Numbers, for some seconds."""
    turn, end = 0, time.monotonic() + LONG
    while time.monotonic() < end:
        yield turn
        turn += 1
    print(f'# {turn} rounds')


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
    space = everything(pair.far)
    with Always(lambda: LIBC.madvise(at, SIZE, DONTNEED)) as other:
        for turn in rounds():
            key = (paged, space)[turn & 1].rkey
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
        for turn in rounds():
            child = os.fork()
            if not child:
                os._exit(0)
            expect(0, pair.write(pattern(SIZE, turn), (paged.rkey, at)))
            os.waitpid(child, 0)


def registered_and_thrown_away():
    """Regions come and go while their pages do."""
    side, at = Side(), mapped()
    with Always(lambda: LIBC.madvise(at, SIZE, DONTNEED)):
        for _ in rounds():
            poke(at, b'1')
            paged = region(side, at)
            side.pd.advise_mr(e._IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE, 0,
                              [SGE(at, SIZE, paged.lkey)])
            paged.close()


class Child:
    """A process whose memory is paged in, and pulled away, for ever."""

    def __init__(self):
        told, tell = os.pipe()
        self.pid = os.fork()
        if not self.pid:
            self.main(tell)
        os.close(tell)
        ready = os.read(told, 1)
        os.close(told)
        expect(b'.', ready)

    @staticmethod
    def main(tell):
        try:
            pair, at = Pair(), mapped()
            keys = [one.rkey for one in (region(pair.far, at),
                                         everything(pair.far))]
            with Always(lambda: LIBC.madvise(at, SIZE, DONTNEED)):
                expect(0, pair.write(b'once', (keys[0], at)))
                os.write(tell, b'.')
                while True:
                    pair.write(pattern(SIZE, 1), (random.choice(keys), at))
        finally:
            os._exit(1)

    def kill(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


def killed():
    """Processes end while the adapter asks for their pages."""
    for _ in rounds():
        child = Child()
        time.sleep(random.random() / 5)
        child.kill()


def write_to(path, words):
    with open(path, 'w', encoding='ascii') as file:
        file.write(words)


def unbound():
    """The adapter goes while it asks for pages."""
    place = os.path.realpath(f'/sys/class/infiniband/{device()}/device')
    driver, slot = os.path.realpath(f'{place}/driver'), place.split('/')[-1]
    for _ in range(2):
        child = Child()
        start = time.monotonic()
        write_to(f'{driver}/unbind', slot)
        took = time.monotonic() - start
        child.kill()
        write_to(f'{driver}/bind', slot)
        while not device():
            time.sleep(0.1)
        expect(True, took < UNBIND_SECONDS)


CASES = (
    ('never touched', never_touched),
    ('the local side', local_side),
    ('other memory', other_memory),
    ('thrown away', thrown_away),
    ('unmapped', unmapped),
    ('only to be read', only_read),
    ('forked', forked),
    ('changed by a child', changed_by_a_child),
    ('paged out', paged_out),
    ('collapsed', collapsed),
    ('all addresses', all_addresses),
    ('a window', window),
    ('changed', changed),
    ('prefetched', prefetched),
    ('pulled away', pulled_away),
    ('replaced and forked', replaced_and_forked),
    ('registered and thrown away', registered_and_thrown_away),
    ('killed', killed),
    ('unbound', unbound),
)


if __name__ == '__main__':
    # a fork beside a thread is what is meant
    warnings.simplefilter('ignore', DeprecationWarning)
    LONG = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    sys.exit(run([case for case in CASES if case[0] in sys.argv[2:]] or CASES))
