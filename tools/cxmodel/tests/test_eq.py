# SPDX-License-Identifier: GPL-2.0-only
"""Event queues: arming, laps, overflow. The events are port changes."""
import pytest

from pipe import CommandError
from prm import Struct, const

PORT = const("EVENT_PORT_CHANGE")


def flap(m, n=1):
    """Each flap is two events."""
    for _ in range(n):
        assert "ok" in m.control("port down")
        assert "ok" in m.control("port up")


def test_written_but_silent_until_armed(m):
    eq = m.create_eq(vector=3, events=1 << PORT, arm=False)
    flap(m)
    assert m.irq_count(3) == 0
    assert eq.poll()[:2] == (PORT, const("PORT_DOWN"))
    kind, sub, data = eq.poll()
    assert (kind, sub) == (PORT, const("PORT_ACTIVE"))
    assert data[8] >> 4 == 1
    assert eq.poll() is None


def test_arm_with_entries_waiting_fires_at_once(m):
    eq = m.create_eq(vector=3, events=1 << PORT, arm=False)
    flap(m)
    eq.arm()
    assert m.irq_count(3) == 1
    flap(m)
    assert m.irq_count(3) == 0, "one interrupt per arm"


def test_one_interrupt_per_arm(m):
    eq = m.create_eq(vector=5, events=1 << PORT)
    assert m.irq_count(5) == 0
    flap(m, 3)
    assert m.irq_count(5) == 1
    while eq.poll():
        pass
    eq.arm()
    assert m.irq_count(5) == 0
    flap(m)
    assert m.irq_count(5) == 1


def test_update_does_not_arm(m):
    eq = m.create_eq(vector=2, events=1 << PORT, arm=False)
    flap(m)
    eq.poll()
    eq.update()
    flap(m)
    assert m.irq_count(2) == 0


def test_only_what_was_subscribed(m):
    other = m.create_eq(vector=1, events=1 << const("EVENT_CQ_ERROR"))
    eq = m.create_eq(vector=2, events=1 << PORT)
    flap(m)
    assert other.poll() is None
    assert eq.poll()


def test_laps(m):
    eq = m.create_eq(log_size=2, events=1 << PORT)
    for lap in range(9):
        flap(m)
        assert eq.poll()[1] == const("PORT_DOWN")
        assert eq.poll()[1] == const("PORT_ACTIVE")
        eq.arm()
    assert eq.poll() is None


def test_overflow_holds_events_back(m):
    eq = m.create_eq(log_size=2, vector=4, events=1 << PORT)
    flap(m, 5)
    assert "is full" in m.trace()
    got = []
    for _ in range(10):
        got.append(eq.poll()[1])
        eq.arm()
    assert got == [const("PORT_DOWN"), const("PORT_ACTIVE")] * 5
    assert eq.poll() is None
    assert m.irq_count(4) >= 2


def test_counters_and_state(m):
    eq = m.create_eq(events=1 << PORT)
    flap(m, 2)
    eq.poll()
    eq.arm()
    out = m.cmd("QUERY_EQ", Struct("eq_number_in", eq_number=eq.num),
                "query_eq_out")
    ctx = out.sub("eq_context_entry")
    assert ctx["producer_counter"] == 4
    assert ctx["consumer_counter"] == 1
    assert ctx["st"] == const("EQ_FIRED")


def test_bad_parameters(m):
    with pytest.raises(CommandError) as e:
        m.create_eq(vector=64)
    assert e.value.status == "BAD_PARAM"
    with pytest.raises(CommandError) as e:
        m.create_eq(uar=5000)
    assert e.value.status == "BAD_RES"
    cmd = Struct("create_eq_in")
    cmd.sub("eq_context_entry", log_eq_size=10, uar_page=m.uar)
    with pytest.raises(CommandError) as e:
        m.cmd("CREATE_EQ", cmd, "create_eq_out")
    assert e.value.status == "BAD_IN_LEN"


def test_destroyed_queue(m):
    eq = m.create_eq(events=1 << PORT)
    eq.destroy()
    flap(m)
    eq.arm()
    m.sync()
    assert "which does not exist" in m.trace()
    with pytest.raises(CommandError) as e:
        eq.destroy()
    assert e.value.status == "BAD_RES"
    assert "which was destroyed" in m.trace()


def test_doorbell_nonsense(m):
    eq = m.create_eq(log_size=2, events=1 << PORT)
    eq.ci = 100
    eq.arm()
    m.sync()
    assert "consumer index" in m.trace()
