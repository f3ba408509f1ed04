# SPDX-License-Identifier: GPL-2.0-only
"""The vfio-user server, from a client's side: what QEMU does, and worse."""
import errno
import os
import struct
import subprocess

import pytest

from vfu import (BAR0, BAR2, CONFIG, DMA_MAP, DMA_UNMAP, GET_INFO, IRQ_INFO,
                 MSIX, NO_REPLY, REGION_INFO, REGION_READ, REGION_WRITE, RESET,
                 SET_IRQS, VERSION, WRITE_MULTI, Client)

@pytest.fixture
def c():
    client = Client()
    yield client
    client.close()


def refused(call, *args, what=errno.EINVAL):
    with pytest.raises(OSError) as e:
        call(*args)
    assert e.value.errno == what


def test_version_is_short(c):
    body = c.call(VERSION, struct.pack("=HH", 0, 1) + b"{}\0")
    assert struct.unpack("=HH", body[:4]) == (0, 1)
    assert b'"write_multiple":true' in body
    assert len(body) < 200
    refused(c.call, VERSION, struct.pack("=HH", 1, 0) + b"\0")


def test_device_regions_and_vectors(c):
    assert struct.unpack("=IIII", c.call(GET_INFO, bytes(16)))[2:] == (9, 5)

    def region(i):
        body = c.call(REGION_INFO, struct.pack("=IIIIQQ", 32, 0, i, 0, 0, 0))
        return struct.unpack("=IIIIQQ", body)

    assert region(BAR0)[4] == 32 << 20
    assert region(BAR0)[1] == 3, "read and write, no mmap"
    assert region(BAR2)[4] == 0x2000
    assert region(CONFIG)[4] == 4096
    assert region(1)[4] == 0
    body = c.call(IRQ_INFO, struct.pack("=IIII", 16, 0, MSIX, 0))
    assert struct.unpack("=IIII", body)[3] == 64
    refused(c.call, REGION_INFO, struct.pack("=IIIIQQ", 32, 0, 9, 0, 0, 0))


def test_registers_and_posted_writes(c):
    assert c.read(CONFIG, 0, 4) == b"\xb3\x15\x17\x10"
    one = struct.pack("=QII", 4, CONFIG, 2) + b"\x06\0".ljust(8, b"\0")
    c.send(WRITE_MULTI, struct.pack("=Q", 1) + one, flags=NO_REPLY)
    assert c.read(CONFIG, 4, 2) == b"\x06\0"
    assert c.read(BAR0, 4, 4)[:2] == b"\0\x05"


@pytest.mark.parametrize("region, off, n", [
    (BAR0, 32 << 20, 4), (BAR0, (32 << 20) - 2, 4), (CONFIG, 4095, 2),
    (1, 0, 4), (9, 0, 4), (1 << 31, 0, 4), (BAR0, 0, 0),
    (BAR0, (1 << 64) - 4, 8), (BAR0, 0, 1 << 30),
])
def test_accesses_out_of_bounds(c, region, off, n):
    refused(c.read, region, off, n)
    body = struct.pack("=QII", off, region, n)
    refused(c.call, REGION_WRITE, body)


def test_dma_maps(c):
    fd = os.memfd_create("ram")
    os.truncate(fd, 1 << 20)
    c.map(0, 0x10000, fd)
    refused(c.map, 0x8000, 0x10000, fd, what=errno.EEXIST)
    refused(c.map, 0x100000, 0x10000, fd, 0xf8000)
    refused(c.map, 0x100000, 0, fd)
    refused(c.map, (1 << 64) - 0x1000, 0x2000, fd)
    c.map(0x200000, 0x1000, fd, 0xff000)
    c.unmap(0, 0x10000)
    c.map(0x8000, 0x8000, fd)
    c.unmap(0, 0, flags=2)
    c.map(0, 1 << 20, fd)
    os.close(fd)


def test_a_command_through_guest_memory(c):
    fd = os.memfd_create("ram")
    os.truncate(fd, 1 << 20)
    c.map(0x10000000, 1 << 20, fd)
    entry = struct.pack(">B3xIQHHHH8x16xQIBBBB", 7, 16, 0, 0x104, 0, 0, 0, 0,
                        16, 1, 0, 0, 1)
    os.pwrite(fd, entry, 0)
    c.write(CONFIG, 4, b"\x06\0")
    c.write(BAR0, 0x10, struct.pack(">I", 0))
    c.write(BAR0, 0x14, struct.pack(">I", 0x10000000))
    c.write(BAR0, 0x18, struct.pack(">I", 1))
    c.read(BAR0, 0, 4)
    assert os.pread(fd, 1, 63) == b"\0"
    os.pwrite(fd, entry, 0)
    c.unmap(0x10000000, 1 << 20)
    c.write(BAR0, 0x18, struct.pack(">I", 1))
    assert os.pread(fd, 1, 63) == b"\x01", "not ours any more"
    os.close(fd)


def test_interrupts(c):
    def assign(start, count, fds, flags=0x24, index=MSIX):
        c.call(SET_IRQS, struct.pack("=IIIII", 20, flags, index, start,
                                     count), fds)

    event = os.eventfd(0, os.EFD_NONBLOCK)
    assign(3, 1, [event])
    assign(3, 1, [], flags=0x21)        # trigger it by hand
    assert os.eventfd_read(event) == 1
    assign(3, 1, [])                    # no descriptor: take it away
    assign(3, 1, [], flags=0x21)
    with pytest.raises(BlockingIOError):
        os.eventfd_read(event)
    assign(0, 0, [], flags=0x21)
    refused(assign, 64, 1, [event])
    refused(assign, 0, 65, [event])
    refused(assign, 0, 2, [event])
    refused(assign, 0, 1, [event], 0x24, 0)
    refused(assign, 0, 1, [], 0x3f)
    os.close(event)


def test_short_and_unknown_messages(c):
    for cmd in (VERSION, DMA_MAP, DMA_UNMAP, REGION_INFO, IRQ_INFO, SET_IRQS,
                REGION_READ, REGION_WRITE, WRITE_MULTI):
        refused(c.call, cmd, b"\0\0")
    for cmd in (0, 6, 11, 14, 16, 17, 0xffff):
        refused(c.call, cmd, bytes(64), what=errno.ENOTSUP)
    refused(c.call, WRITE_MULTI, struct.pack("=Q", 1 << 60) + bytes(24))
    assert c.read(CONFIG, 0, 2) == b"\xb3\x15"


@pytest.mark.parametrize("size", [0, 15, 0x7fffffff])
def test_broken_framing_ends_the_session(c, size):
    c.send(VERSION, b"", size=size)
    with pytest.raises(ConnectionError):
        c._exactly(1)
    err = c.process.communicate(timeout=10)[1]
    assert c.process.returncode == 1
    assert "client lost" in err


def test_exit_when_the_client_leaves(c):
    c.sock.close()
    assert c.process.wait(timeout=10) == 0
    assert not os.path.exists(c.path)


def test_stay_for_the_next_client():
    c = Client("--stay")
    c.write(CONFIG, 4, b"\x06\0")
    c.sock.close()
    c.connect()
    assert c.read(CONFIG, 4, 2) == b"\0\0", "a client finds it reset"
    c.call(RESET)
    c.close()


def test_one_model_for_a_path(c):
    c.read(CONFIG, 0, 4)
    run = subprocess.run([os.environ["CXMODEL"], "--socket", c.path],
                         capture_output=True, text=True)
    assert run.returncode == 1
    assert "another model serves it" in run.stderr
    assert c.read(CONFIG, 0, 2) == b"\xb3\x15"
