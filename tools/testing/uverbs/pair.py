# SPDX-License-Identifier: GPL-2.0-only
"""Two connected ends in one process, on the first RDMA device, by libibverbs;
and the cases that use them, as TAP."""
import errno
import sys
import time

sys.path[:0] = ['/usr/share/doc/rdma-core/tests']

# pylint: disable=wrong-import-position,import-error
from base import RCResources
from pyverbs import enums as e
from pyverbs.device import get_device_list
from pyverbs.mr import MR, DmaBufMR
from pyverbs.pyverbs_error import PyverbsRDMAError
from pyverbs.qp import QPCap
from pyverbs.wr import SGE, SendWR

import tap

PAGE = 4096
SIZE = 2 << 20
WRITE = e.IBV_ACCESS_LOCAL_WRITE
ALL = WRITE | e.IBV_ACCESS_REMOTE_WRITE | e.IBV_ACCESS_REMOTE_READ
SECONDS = 30
# requests that may be started before their completions are looked for
STARTED = 16


# What a case opened: pyverbs does not bear that a context goes before what is
# in it, and so it must not go with the locals of a function.
OPEN = []


def device():
    """The name of the first one, or None."""
    return next((one.name.decode() for one in get_device_list()), None)


def close_all():
    """Contexts close what is in them."""
    for side in OPEN:
        if isinstance(side, Side):
            side.ctx.close()
    OPEN.clear()


def opened(thing):
    """Keep it until its context is closed."""
    OPEN.append(thing)
    return thing


def register(*args, **kwargs):
    """A region on a DMA buffer."""
    return opened(DmaBufMR(*args, **kwargs))


class Side(RCResources):
    """One end of a connection, which its peer may write and read."""

    def __init__(self):
        super().__init__(device(), 1, 0, msg_size=SIZE)
        OPEN.append(self)

    def create_mr(self):
        self.mr = MR(self.pd, SIZE, ALL)

    def create_qp_cap(self):
        return QPCap(max_send_wr=STARTED)

    def create_qp_attr(self):
        attr = super().create_qp_attr()
        attr.qp_access_flags = ALL
        return attr

    def completion(self):
        """The status of the next one."""
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            count, found = self.cq.poll()
            if count:
                return found[0].status
        raise AssertionError('no completion')


class Pair:
    """Two ends in one process: what one posts the other's memory meets."""

    def __init__(self):
        self.near, self.far = Side(), Side()
        self.near.pre_run(self.far.psns, self.far.qps_num)
        self.far.pre_run(self.near.psns, self.near.qps_num)

    def start(self, opcode, local, remote, length):
        """local, remote: (key, address)."""
        request = SendWR(opcode=opcode, num_sge=1,
                         sg=[SGE(local[1], length, local[0])])
        request.set_wr_rdma(*remote)
        self.near.qp.post_send(request)

    def post(self, *args):
        """As start(). The status of the completion."""
        self.start(*args)
        return self.near.completion()

    def near_memory(self):
        return self.near.mr.lkey, self.near.mr.buf

    def write(self, data, remote):
        """Data to (rkey, address); the status."""
        self.near.mr.write(data, len(data))
        return self.post(e.IBV_WR_RDMA_WRITE, self.near_memory(), remote,
                         len(data))

    def read(self, remote, length):
        """What is at (rkey, address), or the status that is no success."""
        self.near.mr.write(bytes(length), length)
        status = self.post(e.IBV_WR_RDMA_READ, self.near_memory(), remote,
                           length)
        return status or self.near.mr.read(length, 0)


def expect(want, got):
    if want != got:
        raise AssertionError(f'{repr(got)[:100]}, not {repr(want)[:100]}')


def expect_error(number, call):
    try:
        call()
    except PyverbsRDMAError as error:
        expect(errno.errorcode[number], errno.errorcode[error.error_code])
        return
    raise AssertionError('it works')


def pattern(length, seed):
    """Bytes that are others on each page, and with each seed."""
    block = bytes((i * 7 + seed) % 251 for i in range(251))
    return (block * (length // len(block) + 1))[:length]


def run(cases):
    """Run (name, function) one by one; the status."""
    return tap.run(cases, close_all)
