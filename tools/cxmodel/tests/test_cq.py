# SPDX-License-Identifier: GPL-2.0-only
"""Completion queues: arming, laps, overrun, resize, moderation."""
import time

import pytest

from pipe import PAGE, CommandError, connected_pair, inline, pas
from prm import SIZE, Struct, const

SEND = const("WQE_SEND")
COMP = const("EVENT_COMP")
VECTOR = 1


class Setup:
    """Sends by a complete into cq, receives by b into cq2."""

    def __init__(self, m, log_size=6, oi=0, events=0):
        self.m = m
        self.eq = m.create_eq(vector=VECTOR, events=events)
        self.cq = m.create_cq(self.eq, log_size=log_size, oi=oi)
        self.cq2 = m.create_cq(self.eq)
        self.pd = m.alloc_pd()
        self.a = m.create_qp(pd=self.pd, send_cq=self.cq)
        self.b = m.create_qp(pd=self.pd, send_cq=self.cq2)
        self.a.connect(self.b)
        self.b.connect(self.a)
        self.mem, self.key = m.reg_mr(self.pd, PAGE)
        for _ in range(60):
            self.b.post_recv((self.mem, 64, self.key))

    def nop(self, n=1):
        for _ in range(n):
            self.a.post(const("WQE_NOP"))
        self.m.sync()

    def send(self, solicited=False):
        self.a.post(SEND, inline(b"x"), solicited=solicited)
        self.m.sync()
        self.m.sync()

    def events(self, cq):
        """Completion events of the CQ since the last call."""
        n = 0
        time.sleep(0.005)
        while (e := self.eq.poll()):
            assert e[0] == COMP
            n += int.from_bytes(e[2][24:28], "big") == cq.num
        self.eq.arm()
        return n

    def query(self, cq):
        out = self.m.cmd("QUERY_CQ", Struct("cq_number_in", cqn=cq.num),
                         "query_cq_out")
        return out.sub("cq_context")


@pytest.fixture
def s(m):
    return Setup(m)


def test_no_event_before_the_first_arm(m, s):
    s.nop(3)
    assert s.events(s.cq) == 0
    assert s.query(s.cq)["st"] == const("CQ_FIRED")


def test_one_event_per_arm(m, s):
    s.cq.arm()
    assert s.query(s.cq)["st"] == const("CQ_ARMED")
    assert s.events(s.cq) == 0
    s.nop(3)
    assert s.events(s.cq) == 1
    assert s.query(s.cq)["st"] == const("CQ_FIRED")
    s.nop(3)
    assert s.events(s.cq) == 0


def test_interrupt_follows_the_completion(m, s):
    s.cq.arm()
    s.nop()
    m.wait(lambda: m.irq_count(VECTOR))
    assert s.cq.poll(), "the CQE is written before the event"


def test_arm_behind_the_producer_fires_at_once(m, s):
    s.nop(2)
    s.cq.arm()
    assert s.events(s.cq) == 1


def test_arm_with_all_consumed_waits(m, s):
    s.nop(2)
    s.cq.get(), s.cq.get()
    s.cq.arm()
    assert s.events(s.cq) == 0
    s.nop()
    assert s.events(s.cq) == 1


def test_stale_sequence_number_is_honoured(m, s):
    for _ in range(3):
        s.cq.sn = 0
        s.cq.arm()
        s.nop()
        assert s.events(s.cq) == 1
        s.cq.get()


def test_arm_word_in_memory_alone_does_nothing(m, s):
    m.put32(s.cq.dbr + 4, 0)
    s.nop()
    assert s.events(s.cq) == 0


def test_solicited_ignores_the_others(m, s):
    s.cq2.arm(solicited=True)
    assert s.query(s.cq2)["st"] == const("CQ_SOLICITED_ARMED")
    s.send()
    assert s.events(s.cq2) == 0
    s.send(solicited=True)
    assert s.events(s.cq2) == 1
    s.send(solicited=True)
    assert s.events(s.cq2) == 0


def test_solicited_behind_the_producer(m, s):
    s.send(solicited=True)
    s.cq2.arm(solicited=True)
    assert s.events(s.cq2) == 1
    s.cq2.get()
    s.send()
    s.cq2.arm(solicited=True)
    assert s.events(s.cq2) == 0, "what is there is not solicited"


def test_any_is_not_weakened(m, s):
    s.cq2.arm()
    s.cq2.arm(solicited=True)
    s.send()
    assert s.events(s.cq2) == 1


def test_solicited_is_upgraded(m, s):
    s.cq2.arm(solicited=True)
    s.cq2.arm()
    s.send()
    assert s.events(s.cq2) == 1


def test_errors_are_solicited(m, s):
    s.cq.arm(solicited=True)
    s.nop()
    assert s.events(s.cq) == 0
    s.a.to_err()
    s.a.post(const("WQE_NOP"))
    assert s.events(s.cq) == 1


def test_arm_in_a_foreign_uar_does_nothing(m, s):
    s.cq.uar = m.alloc_uar()
    s.cq.arm()
    s.nop()
    assert s.events(s.cq) == 0
    assert m.census()["warnings"] == 1


def test_arm_of_a_destroyed_cq(m, s):
    cq = m.create_cq(s.eq)
    cq.destroy()
    cq.arm()
    m.sync()
    assert m.census()["warnings"] == 1


def test_laps(m):
    s = Setup(m, log_size=2)
    for i in range(4 * 5 + 3):
        s.nop()
        assert s.cq.get().counter == i


def test_overrun(m):
    """The unread are kept, the QP goes to error, software is told."""
    s = Setup(m, log_size=2)
    errors = m.create_eq(vector=0, events=1 << const("EVENT_CQ_ERROR"))
    s.nop(7)
    e = errors.get(const("EVENT_CQ_ERROR"))
    assert int.from_bytes(e[2][:4], "big") == s.cq.num
    assert e[2][11] == 1
    ctx = s.query(s.cq)
    assert ctx["status"] == const("CQ_STATUS_OVERFLOW")
    assert ctx["producer_counter"] == 4
    assert [s.cq.get().counter for _ in range(4)] == [0, 1, 2, 3]
    assert s.cq.poll() is None
    assert s.a.query()["state"] == const("QP_ERR")
    assert s.b.query()["state"] == const("QP_RTS")


def test_overrun_can_be_ignored(m):
    s = Setup(m, log_size=2, oi=1)
    s.nop(23)
    assert s.query(s.cq)["producer_counter"] == 23
    assert s.a.query()["state"] == const("QP_RTS")
    s.cq.ci = 19
    assert [s.cq.get().counter for _ in range(4)] == [19, 20, 21, 22]


def test_consumer_index_has_24_bits(m):
    s = Setup(m, log_size=2)
    for i in range(12):
        s.nop()
        assert s.cq.get().counter == i
        m.put32(s.cq.dbr, 0xab000000 | s.cq.ci)


def test_cqe_of_128_bytes(m):
    eq = m.create_eq(vector=VECTOR)
    buf, dbr = m.alloc(8192), m.alloc(64, 64)
    cmd = Struct("create_cq_in")
    cmd.sub("cq_context", log_cq_size=4, cqe_sz=const("CQE_128"), c_eqn=eq.num,
            uar_page=m.uar, dbr_addr=dbr)
    cq = m.create_cq(eq)
    num = m.cmd("CREATE_CQ", cmd, "create_cq_out", pas(buf, 8192))["cqn"]
    qp = m.create_qp(pd=m.alloc_pd(), send_cq=cq, cqn_snd=num)
    qp.connect(qp)
    for i in range(3):
        qp.post(const("WQE_NOP"))
    m.sync()
    for i in range(3):
        raw = m.get(buf + 128 * i, 128)
        assert raw[:64] == bytes(64)
        assert raw[124:126] == i.to_bytes(2, "big")


@pytest.mark.parametrize("field,value,status", [
    ("log_cq_size", 23, "BAD_PARAM"), ("cqe_sz", 3, "BAD_PARAM"),
    ("page_offset", 1, "BAD_PARAM"), ("cqe_comp_en", 1, "BAD_PARAM"),
    ("c_eqn", 200, "BAD_RES"), ("uar_page", 3, "BAD_RES"),
    ("dbr_addr", 0x1001, "BAD_PARAM"), ("log_page_size", 31, "BAD_PARAM")])
def test_create_refuses(m, field, value, status):
    eq = m.create_eq(vector=VECTOR)
    buf = m.alloc(4096)
    cmd = Struct("create_cq_in")
    ctx = cmd.sub("cq_context", log_cq_size=4, c_eqn=eq.num, uar_page=m.uar,
                  dbr_addr=m.alloc(64, 64))
    ctx[field] = value
    with pytest.raises(CommandError) as e:
        m.cmd("CREATE_CQ", cmd, "create_cq_out", pas(buf, 4096))
    assert e.value.status in (status, "BAD_IN_LEN")
    assert m.census()["cq"] == 0


def test_create_wants_its_pages(m):
    eq = m.create_eq(vector=VECTOR)
    cmd = Struct("create_cq_in")
    cmd.sub("cq_context", log_cq_size=7, c_eqn=eq.num, uar_page=m.uar,
            dbr_addr=m.alloc(64, 64))
    with pytest.raises(CommandError) as e:
        m.cmd("CREATE_CQ", cmd, "create_cq_out", pas(m.alloc(4096), 4096))
    assert e.value.status == "BAD_IN_LEN"


def test_destroyed_cq_is_silent(m, s):
    cq = m.create_cq(s.eq)
    cq.arm()
    cq.destroy()
    assert s.events(cq) == 0
    with pytest.raises(CommandError):
        cq.destroy()


# --- resize

def resize(m, cq, log_size, mask=1):
    size = max(64 << log_size, PAGE)
    buf = m.alloc(size)
    for i in range(1 << log_size):
        m.put(buf + 64 * i + 63, b"\xf0")
    cmd = Struct("modify_cq_in", cqn=cq.num)
    cmd.sub("field_select", mask=mask)
    cmd.sub("cq_context", log_cq_size=log_size)
    m.cmd("MODIFY_CQ", cmd, tail=pas(buf, size), op_mod=1)
    return buf


def take_over(m, cq, buf, log_size):
    """What a driver does: move the unread, one index further."""
    old, old_log, i = cq.buf, cq.log_size, cq.ci
    while True:
        raw = bytearray(m.get(old + 64 * (i % (1 << old_log)), 64))
        assert not (raw[63] ^ i >> old_log) & 1, "no mark in the old buffer"
        if raw[63] >> 4 == const("CQE_RESIZE"):
            break
        owner = (i + 1) >> log_size & 1
        raw[63] = raw[63] & ~1 | owner
        sig = 0
        for b in raw[:62] + raw[63:] + (i + 1).to_bytes(4, "big")[1:]:
            sig ^= b
        raw[62] = sig ^ 0xff
        m.put(buf + 64 * ((i + 1) % (1 << log_size)), bytes(raw))
        i += 1
    cq.buf, cq.log_size, cq.size = buf, log_size, 1 << log_size
    cq.ci += 1
    m.put32(cq.dbr, cq.ci)


@pytest.mark.parametrize("before", [0, 1, 3])
@pytest.mark.parametrize("log_size", [4, 7])
def test_resize_hands_over(m, before, log_size):
    s = Setup(m, log_size=6)
    s.nop(50)
    for _ in range(50 - before):
        s.cq.get()
    buf = resize(m, s.cq, log_size)
    s.nop(4)
    take_over(m, s.cq, buf, log_size)
    got = [s.cq.get().counter for _ in range(before + 4)]
    assert got == list(range(50 - before, 54))
    s.nop(9)
    assert [s.cq.get().counter for _ in range(9)] == list(range(54, 63))
    assert s.query(s.cq)["log_cq_size"] == log_size


def test_resize_too_small(m, s):
    s.nop(20)
    with pytest.raises(CommandError) as e:
        resize(m, s.cq, 4)
    assert e.value.status == "BAD_SIZE_OUTS_CQES"
    assert [s.cq.get().counter for _ in range(20)] == list(range(20))


def test_resize_while_armed(m, s):
    s.cq.arm()
    buf = resize(m, s.cq, 7)
    take_over(m, s.cq, buf, 7)
    s.nop()
    assert s.events(s.cq) == 1
    assert s.cq.get().counter == 0


def test_moderation_is_kept_and_events_still_come(m, s):
    cmd = Struct("modify_cq_in", cqn=s.cq.num)
    cmd.sub("field_select", mask=3)
    cmd.sub("cq_context", cq_period=100, cq_max_count=8)
    m.cmd("MODIFY_CQ", cmd, op_mod=0)
    ctx = s.query(s.cq)
    assert (ctx["cq_period"], ctx["cq_max_count"]) == (100, 8)
    s.cq.arm()
    s.nop()
    assert s.events(s.cq) == 1


@pytest.mark.parametrize("op_mod,mask", [(0, 4), (1, 8), (2, 1)])
def test_modify_refuses(m, s, op_mod, mask):
    cmd = Struct("modify_cq_in", cqn=s.cq.num)
    cmd.sub("field_select", mask=mask)
    with pytest.raises(CommandError) as e:
        m.cmd("MODIFY_CQ", cmd, op_mod=op_mod)
    assert e.value.status == "BAD_PARAM"


def test_sizes_of_the_wire():
    assert SIZE["cqc"] == 64
