# SPDX-License-Identifier: GPL-2.0-only
"""A small driver for cxmodel over its pipe transport: registers, guest memory,
commands, queues. What a test reads is bytes of the wire, not the model's."""
import mmap
import os
import pathlib
import socket
import struct
import subprocess
import sys
import tempfile
import time

from prm import SIZE, Struct, const

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import cxctl  # noqa: E402

PAGE = 4096
HEADER = struct.Struct("=IIQ")
STATUS = {v: k for k, v in {
    "OK": 0, "INT_ERR": 1, "BAD_OP": 2, "BAD_PARAM": 3, "BAD_SYS_STATE": 4,
    "BAD_RES": 5, "RES_BUSY": 6, "NOT_READY": 7, "LIM_ERR": 8,
    "BAD_RES_STATE": 9, "BAD_INDEX": 10, "NO_RES": 15, "BAD_QP_STATE": 16,
    "BAD_SIZE_OUTS_CQES": 0x40, "BAD_IN_LEN": 0x50,
    "BAD_OUT_LEN": 0x51}.items()}
ALL_EVENTS = (1 << 256) - 1


class CommandError(Exception):
    def __init__(self, opcode, status, syndrome):
        super().__init__(f"command 0x{opcode:x}: status "
                         f"{STATUS.get(status, hex(status))}, "
                         f"syndrome 0x{syndrome:x}")
        self.status = STATUS.get(status, status)
        self.syndrome = syndrome


class DeliveryError(Exception):
    def __init__(self, status):
        super().__init__(f"delivery status 0x{status:x}")
        self.status = status


class Model:
    """A running cxmodel, its guest memory, and a driver's basic moves."""

    def __init__(self, *args, mem=64 << 20, start=True, check=True):
        self.dir = tempfile.TemporaryDirectory(prefix="cxm-")
        self.control_path = os.path.join(self.dir.name, "control")
        self.trace_path = os.path.join(self.dir.name, "trace")
        path = os.path.join(self.dir.name, "mem")
        with open(path, "w+b") as f:
            f.truncate(mem)
            self.mem = mmap.mmap(f.fileno(), mem)
        self.mem_size = mem
        self.brk = 1 << 20      # address 0 is left alone
        self.irqs = []
        self.posted = 0
        self._run(path, ["--control", self.control_path,
                         "--trace-file", self.trace_path,
                         *(["--check"] if check else []), *args])
        self.event_eq = None
        if start:
            self.master(True)
            self.cmdq_init()

    def _run(self, mem, args):
        """Start it, on guest memory in a file; set the process and its socket."""
        self.sock, theirs = socket.socketpair()
        self.process = subprocess.Popen(
            [os.environ.get("CXMODEL", "cxmodel"), "--mem", mem, *args],
            stdin=theirs, stderr=subprocess.PIPE, text=True)
        theirs.close()

    def close(self):
        """End it; anything but a clean exit is the test's failure."""
        self.sock.close()
        err = self.process.communicate(timeout=10)[1]
        self.mem.close()
        self.dir.cleanup()
        assert self.process.returncode == 0, err
        return err

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if kind:
            try:
                print(pathlib.Path(self.trace_path).read_text()[-4000:])
            except OSError:
                pass
            self.process.kill()
            self.process.communicate()
        else:
            self.close()

    # --- the bus

    def _send(self, op, off, data=b"", length=None):
        n = len(data) if length is None else length
        self.sock.sendall(HEADER.pack(ord(op), n, off) + data)

    def _exactly(self, n):
        data = b""
        while len(data) < n:
            piece = self.sock.recv(n - len(data))
            if not piece:
                raise ConnectionError("cxmodel is gone: " +
                                      self.process.communicate()[1])
            data += piece
        return data

    def _message(self):
        op, n, off = HEADER.unpack(self._exactly(HEADER.size))
        if chr(op) == "I":
            self.irqs.append(off)
        return chr(op), self._exactly(n)

    def _read(self, op, off, n):
        self._send(op, off, length=n)
        while True:
            kind, data = self._message()
            if kind == "D":
                return data

    def read(self, off, n=4):
        return self._read("R", off, n)

    def read32(self, off):
        return int.from_bytes(self.read(off), "big")

    def write(self, off, data):
        self._send("W", off, data)
        self.posted += 1
        if self.posted % 64 == 0:   # else interrupts could fill the socket
            self.sync()

    def write32(self, off, value):
        self.write(off, value.to_bytes(4, "big"))

    def write64(self, off, value):
        self.write(off, value.to_bytes(8, "big"))

    def sync(self):
        """All writes before it have taken effect, all interrupts are here."""
        self.read32(0)

    def cfg_read(self, off, n=4):
        return int.from_bytes(self._read("r", off, n), "little")

    def cfg_write(self, off, value, n=4):
        self._send("w", off, value.to_bytes(n, "little"))

    def master(self, on):
        self.cfg_write(4, 6 if on else 2, 2)

    def reset(self):
        self._send("X", 0)
        self.master(True)
        self.event_eq = None

    def irq_count(self, vector):
        """Interrupts of this vector since the last call."""
        self.sync()
        n = self.irqs.count(vector)
        self.irqs = [i for i in self.irqs if i != vector]
        return n

    def control(self, line):
        return cxctl.ask(self.control_path, line)

    def census(self):
        return self.control("census")

    def trace(self):
        return pathlib.Path(self.trace_path).read_text()

    def wait(self, condition, timeout=5.0):
        """Until condition() is true; its value."""
        end = time.monotonic() + timeout
        while True:
            self.sync()
            value = condition()
            if value:
                return value
            if time.monotonic() > end:
                raise TimeoutError("nothing happened")
            time.sleep(0.0005)

    # --- guest memory

    def alloc(self, size, align=PAGE):
        at = (self.brk + align - 1) & ~(align - 1)
        self.brk = at + size
        assert self.brk <= self.mem_size, "guest memory is used up"
        self.mem[at:at + size] = bytes(size)
        return at

    def get(self, addr, n):
        return self.mem[addr:addr + n]

    def put(self, addr, data):
        self.mem[addr:addr + len(data)] = data

    def get32(self, addr):
        return int.from_bytes(self.get(addr, 4), "big")

    def put32(self, addr, value):
        self.put(addr, value.to_bytes(4, "big"))

    # --- commands

    def cmdq_init(self):
        self.cmdq = self.alloc(PAGE)
        self.token = 0
        self.write32(const("ISEG_CMDQ_ADDR_H"), self.cmdq >> 32)
        self.write32(const("ISEG_CMDQ_ADDR_L"), self.cmdq & 0xffffffff)

    def mailboxes(self, n, token, data=b""):
        """A chain with room for n bytes behind the 16 inline ones."""
        boxes = [self.alloc(1024, 1024) for _ in range(-(-max(n, 0) // 512))]
        for i, box in enumerate(boxes):
            nxt = boxes[i + 1] if i + 1 < len(boxes) else 0
            self.put(box, data[i * 512:(i + 1) * 512].ljust(512, b"\0"))
            self.put(box + 512 + 48, struct.pack(">QIBBBB", nxt, i, 0, token,
                                                 0, 0))
        return boxes

    def chain_data(self, boxes, n):
        return b"".join(self.get(b, 512) for b in boxes)[:max(n, 0)]

    def post(self, data, out_len, slot=0, ring=True, **override):
        """Fill an entry; override any of its fields by name."""
        self.token = self.token % 255 + 1
        token = override.get("token", self.token)
        keep = self.brk
        boxes_in = self.mailboxes(len(data) - 16, token, data[16:])
        boxes_out = self.mailboxes(out_len - 16, token)
        e = {"type": 7, "inlen": len(data),
             "in_ptr": boxes_in[0] if boxes_in else 0,
             "out_ptr": boxes_out[0] if boxes_out else 0,
             "outlen": out_len, "token": token, "own": 1}
        e.update(override)
        self.put(self.cmdq + 64 * slot, struct.pack(
            ">B3xIQ16s16xQIBBBB", e["type"], e["inlen"], e["in_ptr"],
            data[:16].ljust(16, b"\0"), e["out_ptr"], e["outlen"], e["token"],
            0, 0, e["own"]))
        if ring:
            self.write32(const("ISEG_CMD_DBELL"), 1 << slot)
        return boxes_in, boxes_out, keep

    def finish(self, slot, boxes_out, out_len):
        """The answer of a posted command, once the entry is ours again."""
        e = self.cmdq + 64 * slot
        self.wait(lambda: not self.get(e + 63, 1)[0] & 1)
        delivery = self.get(e + 63, 1)[0] >> 1
        if delivery:
            raise DeliveryError(delivery)
        return (self.get(e + 32, 16) +
                self.chain_data(boxes_out, out_len - 16))[:out_len]

    def command(self, opcode, data=None, out_len=16, op_mod=0, slot=0,
                **override):
        """Execute one command; its answer, or CommandError."""
        data = bytearray(bytes(data) if data is not None else bytes(16))
        h = Struct("cmd_in", data)
        h["opcode"] = opcode
        h["op_mod"] = op_mod
        _, out, keep = self.post(bytes(data), out_len, slot, **override)
        try:
            answer = bytearray(self.finish(slot, out, out_len))
        finally:
            self.brk = keep
        if self.event_eq:
            self.event_eq.expect_command(slot)
        h = Struct("cmd_out", answer)
        if h["status"]:
            raise CommandError(opcode, h["status"], h["syndrome"])
        return answer

    def cmd(self, name, data=None, out="cmd_out", tail=b"", out_extra=0,
            **kw):
        """By name: data is a Struct, the answer is one."""
        body = bytes(data) if data is not None else bytes(16)
        return Struct(out, self.command(const("CMD_" + name), body + tail,
                                        SIZE[out] + out_extra, **kw))

    # --- the function

    def start(self):
        """What every driver does before its first object."""
        self.cmd("ENABLE_HCA")
        self.cmd("SET_ISSI", Struct("set_issi_in", current_issi=1))
        self.cmd("INIT_HCA", Struct("init_hca_in"))
        self.uar = self.alloc_uar()
        return self

    def alloc_uar(self):
        return self.cmd("ALLOC_UAR", out="alloc_uar_out")["uar"]

    def dealloc_uar(self, uar):
        self.cmd("DEALLOC_UAR", Struct("dealloc_uar_in", uar=uar))

    def alloc_pd(self):
        return self.cmd("ALLOC_PD", out="alloc_pd_out")["pd"]

    def dealloc_pd(self, pd):
        self.cmd("DEALLOC_PD", Struct("dealloc_pd_in", pd=pd))

    def alloc_xrcd(self):
        return self.cmd("ALLOC_XRCD", out="alloc_xrcd_out")["xrcd"]

    def dealloc_xrcd(self, xrcd):
        self.cmd("DEALLOC_XRCD", Struct("dealloc_xrcd_in", xrcd=xrcd))

    def create_mkey(self, pd, pages=None, start=0, length=0, shift=12,
                    access="lw lr rw rr a", variant=0x5a, octwords=None,
                    pg_access=0, **mkc):
        """PA without pages, else MTT; returns the 32-bit key."""
        cmd = Struct("create_mkey_in", pg_access=pg_access)
        ctx = cmd.sub("memory_key_mkey_entry", pd=pd, qpn=0xffffff,
                      mkey_7_0=variant, start_addr=start, len=length)
        for bit in access.split():
            ctx[bit] = 1
        tail = b""
        if pages is None:
            ctx["length64"] = 1
        else:
            if len(pages) % 2:
                pages = list(pages) + [0]
            ctx["access_mode_1_0"] = const("MKC_MTT")
            ctx["log_page_size"] = shift
            n = len(pages) // 2
            ctx["translations_octword_size"] = octwords or n
            cmd["translations_octword_actual_size"] = n
            tail = b"".join(p.to_bytes(8, "big") for p in pages)
        for key, value in mkc.items():
            ctx[key] = value
        out = self.cmd("CREATE_MKEY", cmd, "create_mkey_out", tail)
        return out["mkey_index"] << 8 | variant

    def destroy_mkey(self, key):
        self.cmd("DESTROY_MKEY", Struct("mkey_number_in",
                                        mkey_index=key >> 8))

    def reg_mr(self, pd, size, **kw):
        """Memory and a key for it with iova = bus address."""
        addr = self.alloc(size)
        pages = range(addr, addr + size, PAGE)
        return addr, self.create_mkey(pd, pages, addr, size, **kw)

    def create_eq(self, **kw):
        return Eq(self, **kw)

    def create_cq(self, eq, **kw):
        return Cq(self, eq, **kw)

    def create_qp(self, **kw):
        return Qp(self, **kw)


def pas(addr, size):
    return b"".join(p.to_bytes(8, "big")
                    for p in range(addr, addr + size, PAGE))


class Eq:
    """An event queue and its consumer."""

    def __init__(self, m, log_size=6, vector=0, events=0, uar=None, arm=True):
        self.m = m
        self.log_size = log_size
        self.size = 1 << log_size
        self.uar = m.uar if uar is None else uar
        self.buf = m.alloc(max(64 << log_size, PAGE))
        for i in range(self.size):
            m.put(self.buf + 64 * i + 63, b"\x01")
        cmd = Struct("create_eq_in")
        cmd.sub("eq_context_entry", log_eq_size=log_size, uar_page=self.uar,
                intr=vector)
        at = cmd.offset("event_bitmask")
        for i in range(4):
            word = events >> 64 * i & (1 << 64) - 1
            cmd.buf[at + 8 * i:at + 8 * i + 8] = word.to_bytes(8, "big")
        self.num = m.cmd("CREATE_EQ", cmd, "create_eq_out",
                         pas(self.buf, max(64 << log_size, PAGE)))["eq_number"]
        self.vector = vector
        self.ci = 0
        if arm:
            self.arm()

    def doorbell(self, off):
        self.m.write32(self.uar * PAGE + off,
                       self.num << 24 | self.ci & 0xffffff)

    def arm(self):
        self.doorbell(const("UAR_EQ_ARM"))

    def update(self):
        self.doorbell(const("UAR_EQ_CI"))

    def poll(self):
        """The next event as (type, sub_type, data), or None."""
        self.m.sync()
        e = self.m.get(self.buf + 64 * (self.ci % self.size), 64)
        if (e[63] ^ self.ci >> self.log_size) & 1:
            return None
        signature = 0
        for b in e + self.ci.to_bytes(4, "big")[1:]:
            signature ^= b
        assert signature == 0xff, "bad EQE signature"
        self.ci += 1
        return e[1], e[3], e[32:60]

    def get(self, kind, timeout=5.0):
        """Wait for the next event, of this type."""
        e = self.m.wait(self.poll, timeout)
        assert e[0] == kind, f"event type 0x{e[0]:x}"
        return e

    def expect_command(self, slot):
        """Take the event of a command in this slot, and arm again."""
        e = self.get(const("EVENT_CMD"))
        assert int.from_bytes(e[2][:4], "big") == 1 << slot
        self.arm()

    def destroy(self):
        self.m.cmd("DESTROY_EQ", Struct("eq_number_in", eq_number=self.num))


class Cqe:
    """A completion, decoded."""

    def __init__(self, raw):
        self.raw = raw
        self.opcode = raw[63] >> 4
        self.solicited = raw[63] >> 1 & 1
        self.srqn_uidx = int.from_bytes(raw[32:36], "big") & 0xffffff
        self.imm = raw[36:40]
        self.byte_cnt = int.from_bytes(raw[44:48], "big")
        self.vendor = raw[54]
        self.syndrome = raw[55]
        self.wqe_opcode = raw[56]
        self.qpn = int.from_bytes(raw[57:60], "big")
        self.counter = int.from_bytes(raw[60:62], "big")

    @property
    def error(self):
        return self.opcode in (13, 14)

    def __repr__(self):
        return (f"Cqe(opcode={self.opcode} qpn=0x{self.qpn:x} "
                f"counter={self.counter} bytes={self.byte_cnt} "
                f"syndrome=0x{self.syndrome:x}/0x{self.vendor:x})")


class Cq:
    """A completion queue and its consumer."""

    def __init__(self, m, eq, log_size=6, uar=None, oi=0):
        self.m = m
        self.log_size = log_size
        self.size = 1 << log_size
        self.uar = m.uar if uar is None else uar
        self.buf = m.alloc(max(64 << log_size, PAGE))
        for i in range(self.size):
            m.put(self.buf + 64 * i + 63, b"\xf0")
        self.dbr = m.alloc(64, 64)
        cmd = Struct("create_cq_in")
        cmd.sub("cq_context", log_cq_size=log_size, uar_page=self.uar,
                c_eqn=eq.num, dbr_addr=self.dbr, oi=oi)
        self.num = m.cmd("CREATE_CQ", cmd, "create_cq_out",
                         pas(self.buf, max(64 << log_size, PAGE)))["cqn"]
        self.ci = 0
        self.sn = 0

    def poll(self):
        """The next completion, or None. Its place is free afterwards."""
        self.m.sync()
        raw = self.m.get(self.buf + 64 * (self.ci % self.size), 64)
        if raw[63] >> 4 == 0xf or (raw[63] ^ self.ci >> self.log_size) & 1:
            return None
        signature = 0
        for b in raw + self.ci.to_bytes(4, "big")[1:]:
            signature ^= b
        assert signature == 0xff, "bad CQE signature"
        self.ci += 1
        self.m.put32(self.dbr, self.ci & 0xffffff)
        return Cqe(raw)

    def get(self, timeout=5.0):
        return self.m.wait(self.poll, timeout)

    def arm(self, solicited=False):
        word = self.sn % 4 << 28 | (1 << 24 if solicited else 0) | \
            self.ci & 0xffffff
        self.m.put32(self.dbr + 4, word)
        self.m.write64(self.uar * PAGE + const("UAR_CQ_ARM"),
                       word << 32 | self.num)
        self.sn += 1

    def destroy(self):
        self.m.cmd("DESTROY_CQ", Struct("cq_number_in", cqn=self.num))


class Qp:
    """A queue pair: its buffers, its states, posting."""

    def __init__(self, m, pd, send_cq, recv_cq=None, log_sq=6, log_rq=6,
                 rq_stride=64, st=0, srqn=None, uar=None, uidx=0xffffff,
                 **qpc):
        self.m = m
        self.uar = m.uar if uar is None else uar
        self.sq_blocks = 1 << log_sq
        self.rq_size = 0 if srqn is not None else 1 << log_rq
        self.rq_stride = rq_stride
        self.sq_off = self.rq_size * rq_stride
        size = self.sq_off + 64 * self.sq_blocks
        size = (size + PAGE - 1) & ~(PAGE - 1)
        self.buf = m.alloc(size)
        self.dbr = m.alloc(64, 64)
        cmd = Struct("create_qp_in")
        ctx = cmd.sub("qpc", st=st, pd=pd, uar_page=self.uar,
                      cqn_snd=send_cq.num,
                      cqn_rcv=(recv_cq or send_cq).num, dbr_addr=self.dbr,
                      log_sq_size=log_sq, pm_state=3, user_index=uidx)
        if srqn is not None:
            ctx["rq_type"] = 1
            ctx["srqn_rmpn_xrqn"] = srqn
        else:
            ctx["log_rq_size"] = log_rq
            ctx["log_rq_stride"] = rq_stride.bit_length() - 1 - 4
        for key, value in qpc.items():
            ctx[key] = value
        self.num = m.cmd("CREATE_QP", cmd, "create_qp_out",
                         pas(self.buf, size))["qpn"]
        self.pi = 0             # in blocks of 64 bytes
        self.rq_pi = 0

    def modify(self, name, opt=0, path=None, **qpc):
        cmd = Struct("modify_qp_in", qpn=self.num, opt_param_mask=opt)
        ctx = cmd.sub("qpc", **qpc)
        ctx.sub("primary_address_path", **(path or {}))
        self.m.cmd(name, cmd)

    def to_err(self):
        self.m.cmd("2ERR_QP", Struct("qp_number_in", qpn=self.num))

    def to_rst(self):
        self.m.cmd("2RST_QP", Struct("qp_number_in", qpn=self.num))

    def to_init(self, **qpc):
        qpc = {"rre": 1, "rwe": 1, "rae": 1, "pm_state": 3, **qpc}
        self.modify("RST2INIT_QP", path={"vhca_port_num": 1}, **qpc)

    def to_rtr(self, peer, mtu=3, psn=0, dlid=1, min_rnr_nak=1, opt=0, **qpc):
        self.modify("INIT2RTR_QP", opt, {"rlid": dlid, "vhca_port_num": 1},
                    mtu=mtu, log_msg_max=30, remote_qpn=peer,
                    next_rcv_psn=psn, log_rra_max=4, min_rnr_nak=min_rnr_nak,
                    **qpc)

    def to_rts(self, psn=0, timeout=14, retry=7, rnr_retry=7, **qpc):
        self.modify("RTR2RTS_QP", path={"ack_timeout": timeout},
                    next_send_psn=psn, log_sra_max=4, retry_count=retry,
                    rnr_retry=rnr_retry, **qpc)

    def connect(self, peer, **kw):
        """RESET to RTS towards a QP (or a number) of the same function."""
        num = getattr(peer, "num", peer)
        rts = {k: kw.pop(k) for k in ("timeout", "retry", "rnr_retry")
               if k in kw}
        init = {k: kw.pop(k) for k in ("rre", "rwe", "rae", "q_key")
                if k in kw}
        self.to_init(**init)
        self.to_rtr(num, **kw)
        self.to_rts(**rts)

    def query(self):
        out = self.m.cmd("QUERY_QP", Struct("qp_number_in", qpn=self.num),
                         "query_qp_out")
        return out.sub("qpc")

    def destroy(self):
        self.m.cmd("DESTROY_QP", Struct("qp_number_in", qpn=self.num))

    # --- posting

    def post_recv(self, *sges):
        """sges: (addr, len, key); the list is ended if it has room."""
        wqe = b"".join(struct.pack(">IIQ", n, key, addr)
                       for addr, n, key in sges)
        if len(wqe) < self.rq_stride:
            wqe += struct.pack(">IIQ", 0, const("LKEY_TERMINATE"), 0)
        self.m.put(self.buf + self.rq_pi % self.rq_size * self.rq_stride,
                   wqe.ljust(self.rq_stride, b"\0")[:self.rq_stride])
        self.rq_pi += 1
        self.m.put32(self.dbr, self.rq_pi & 0xffff)

    def post(self, opcode, *segments, signaled=True, solicited=False,
             imm=b"\0\0\0\0", fence=0, ring=True, opmod=0):
        """One WQE of ctrl segment + segments (bytes, each 16 n long)."""
        body = b"".join(segments)
        ds = 1 + len(body) // 16
        ctrl = struct.pack(">II4B", opmod << 24 | (self.pi & 0xffff) << 8 |
                           opcode, self.num << 8 | ds, 0, 0, 0,
                           fence << 5 | (8 if signaled else 0) |
                           (2 if solicited else 0)) + imm
        wqe = ctrl + body
        for i in range(0, len(wqe), 16):
            at = self.sq_off + (self.pi * 64 + i) % (64 * self.sq_blocks)
            self.m.put(self.buf + at, wqe[i:i + 16])
        index = self.pi & 0xffff
        self.pi += -(-len(wqe) // 64)
        if ring:
            self.m.put32(self.dbr + 4, self.pi & 0xffff)
            self.ring(ctrl[:8])
        return index

    def ring(self, first8=None):
        if first8 is None:
            first8 = struct.pack(">II", 0, self.num << 8)
        self.m.write(self.uar * PAGE + const("UAR_SQ_DB"), first8)


def data(addr, length, key):
    return struct.pack(">IIQ", length, key, addr)


def inline(payload):
    seg = struct.pack(">I", 1 << 31 | len(payload)) + payload
    return seg + bytes(-len(seg) % 16)


def raddr(addr, key):
    return struct.pack(">QII", addr, key, 0)


def atomic(swap_add, compare=0):
    return struct.pack(">QQ", swap_add, compare)


def connected_pair(m, **kw):
    """EQ, CQ, PD and two QPs of one function, connected to each other."""
    eq = m.create_eq(vector=1)
    cq = m.create_cq(eq)
    cq2 = m.create_cq(eq)
    pd = m.alloc_pd()
    a = m.create_qp(pd=pd, send_cq=cq, recv_cq=cq)
    b = m.create_qp(pd=pd, send_cq=cq2, recv_cq=cq2)
    a.connect(b, **kw)
    b.connect(a, **kw)
    return eq, cq, cq2, pd, a, b
