# SPDX-License-Identifier: GPL-2.0-only
"""A client of the vfio-user server, QEMU's part; and the small driver over it,
for tests in which guest memory comes and goes."""
import os
import socket
import struct
import subprocess
import tempfile
import time

from pipe import Model

HEADER = struct.Struct("=HHIII")
VERSION, DMA_MAP, DMA_UNMAP, GET_INFO, REGION_INFO, IRQ_INFO, SET_IRQS = \
    1, 2, 3, 4, 5, 7, 8
REGION_READ, REGION_WRITE, RESET, WRITE_MULTI = 9, 10, 13, 15
NO_REPLY = 0x10
ERROR = 0x20
BAR0, BAR2, CONFIG, MSIX = 0, 2, 7, 2


class Client:
    """One connection to one cxmodel."""

    def __init__(self, *args):
        self.dir = tempfile.TemporaryDirectory(prefix="cxm-")
        self.path = os.path.join(self.dir.name, "sock")
        self.process = subprocess.Popen(
            [os.environ.get("CXMODEL", "cxmodel"), "--socket", self.path, *args],
            stderr=subprocess.PIPE, text=True)
        self.id = 0
        self.connect()

    def connect(self):
        end = time.monotonic() + 5
        while True:
            self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            try:
                self.sock.connect(self.path)
                return
            except OSError:
                self.sock.close()
                if time.monotonic() > end:
                    raise
                time.sleep(0.01)

    def close(self):
        self.sock.close()
        self.process.terminate()
        self.process.communicate(timeout=10)
        self.dir.cleanup()

    def _exactly(self, n):
        data = b""
        while len(data) < n:
            piece = self.sock.recv(n - len(data))
            if not piece:
                raise ConnectionError
            data += piece
        return data

    def send(self, cmd, body=b"", fds=(), flags=0, size=None):
        self.id = self.id + 1 & 0xffff
        size = HEADER.size + len(body) if size is None else size
        head = HEADER.pack(self.id, cmd, size, flags, 0)
        socket.send_fds(self.sock, [head + body], list(fds))

    def call(self, cmd, body=b"", fds=()):
        """The answer, or OSError with the errno in it."""
        self.send(cmd, body, fds)
        ident, answered, size, flags, error = HEADER.unpack(
            self._exactly(HEADER.size))
        assert (ident, answered) == (self.id, cmd)
        assert flags & 0xf == 1
        data = self._exactly(size - HEADER.size)
        if flags & ERROR:
            raise OSError(error, os.strerror(error))
        return data

    def read(self, region, off, n):
        return self.call(REGION_READ, struct.pack("=QII", off, region, n))[16:]

    def write(self, region, off, data):
        self.call(REGION_WRITE,
                  struct.pack("=QII", off, region, len(data)) + data)

    def map(self, addr, size, fd, offset=0, flags=3):
        self.call(DMA_MAP, struct.pack("=IIQQQ", 32, flags, offset, addr,
                                       size), [fd])

    def unmap(self, addr, size, flags=0):
        self.call(DMA_UNMAP, struct.pack("=IIQQ", 24, flags, addr, size))


class MappedModel(Model):
    """As Model, but its bus is vfio-user: no interrupts, and what is mapped
    for the function is up to the test. Model's own memory always is."""

    def _run(self, mem, args):
        self.client = Client(*args)
        self.process = self.client.process
        self.sock = self.client.sock
        fd = os.open(mem, os.O_RDWR)
        self.client.map(0, self.mem_size, fd)
        os.close(fd)

    def close(self):
        err = super().close()
        self.client.dir.cleanup()
        return err

    def _send(self, op, off, data=b"", length=None):
        if op == "X":
            self.client.call(RESET)
        else:
            self.client.write(BAR0 if op == "W" else CONFIG, off, data)

    def _read(self, op, off, n):
        return self.client.read(BAR0 if op == "R" else CONFIG, off, n)

    def map(self, addr, size):
        """Memory behind the Model's own."""
        fd = os.memfd_create("ram")
        os.truncate(fd, size)
        self.client.map(addr, size, fd)
        os.close(fd)

    def unmap(self, addr, size):
        self.client.unmap(addr, size)
