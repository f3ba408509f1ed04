# SPDX-License-Identifier: GPL-2.0-only
"""Faults on demand and the control socket itself."""
import subprocess
import sys

import pytest

import cxctl
from pipe import CommandError
from prm import Struct, const


def test_fail_the_second_command(m):
    assert m.control("fail-cmd 2 0x6 0x1234") == {"ok": True}
    pd = m.alloc_pd()
    with pytest.raises(CommandError) as e:
        m.dealloc_pd(pd)
    assert (e.value.status, e.value.syndrome) == ("RES_BUSY", 0x1234)
    m.dealloc_pd(pd)        # was not executed, and works now


def test_fail_one_kind_of_command(m):
    assert m.control("fail-op DEALLOC_PD 2 0x8 0x77") == {"ok": True}
    first, second = m.alloc_pd(), m.alloc_pd()
    m.dealloc_pd(first)
    m.alloc_pd()
    with pytest.raises(CommandError) as e:
        m.dealloc_pd(second)
    assert (e.value.status, e.value.syndrome) == ("LIM_ERR", 0x77)
    m.dealloc_pd(second)


def test_a_command_is_lost(m):
    """It is not executed, its entry stays the adapter's; others are served."""
    assert m.control("lose-cmd 2") == {"ok": True}
    m.alloc_pd()
    data = Struct("cmd_in", bytearray(16))
    data["opcode"] = const("CMD_ALLOC_PD")
    m.post(bytes(data), 16)
    m.sync()
    assert m.get(m.cmdq + 63, 1) == b"\x01"
    m.command(const("CMD_ALLOC_PD"), slot=1)
    assert m.census()["pd"] == 2
    assert m.get(m.cmdq + 63, 1) == b"\x01"


def test_an_event_of_a_command_is_lost(m):
    eq = m.create_eq(log_size=5, vector=0, events=1 << const("EVENT_CMD"))
    assert m.control("lose-event 1") == {"ok": True}
    m.alloc_pd()
    assert eq.poll() is None
    m.event_eq = eq
    m.alloc_pd()


def test_kill(m):
    eq = m.create_eq(events=1 << const("EVENT_PORT_CHANGE"))
    m.control("kill")
    assert m.read32(const("ISEG_HEALTH_FW_VER")) == 0xffffffff
    assert m.cfg_read(0) == 0xffffffff
    m.post(bytes(16), 16)
    m.control("port down")
    assert m.read32(0) == 0xffffffff
    assert m.get(m.cmdq + 63, 1) == b"\x01", "no DMA after the end"
    assert not m.irqs
    assert m.get(eq.buf + 63, 1) == b"\x01"


@pytest.mark.parametrize("line", [
    "", "nonsense", "fail-cmd", "fail-cmd 0 1", "fail-cmd 1 0",
    "fail-cmd -1 1", "fail-cmd 1 256", "fail-cmd x 1", "fail-cmd 1 1 1 1",
    "fail-umr", "fail-umr 0", "lose-umr", "lose-umr 0", "lose-umr 1 1",
    "lose-cmd 0", "lose-event x",
    "fail-op", "fail-op NOTHING 1 1", "fail-op ALLOC_PD 0 1",
    "fail-op ALLOC_PD 1",
    "list", "list things", "port sideways", "census now",
])
def test_bad_lines_are_answered(m, line):
    assert "error" in m.control(line)


def test_many_faults_are_refused(m):
    answers = [m.control(f"fail-cmd {1000 + i} 1") for i in range(17)]
    assert "error" in answers[-1]
    assert all("ok" in a for a in answers[:-1])


def test_list(m):
    pd = m.alloc_pd()
    m.create_mkey(pd)
    assert m.control("list pd") == {"pd": [{"num": pd, "users": 1}]}


def test_translations_counts_what_enabled_keys_use(m):
    pd = m.alloc_pd()
    m.create_mkey(pd)       # all addresses: has no list
    m.create_mkey(pd, pages=[0x10000, 0x20000, 0x30000], start=0x1800,
                  length=0x1000, octwords=4)
    assert m.control("translations") == {"keys": 1, "entries": 2}
    m.create_mkey(pd, pages=[0x10000], start=0, length=0x1000, free=1,
                  umr_en=1)
    assert m.control("translations") == {"keys": 1, "entries": 2}


def test_client_program(m):
    run = subprocess.run([sys.executable, cxctl.__file__, m.control_path,
                          "census"], capture_output=True, text=True)
    assert run.returncode == 0
    assert '"total": 1' in run.stdout
    run = subprocess.run([sys.executable, cxctl.__file__, "/nowhere",
                          "census"], capture_output=True, text=True)
    assert run.returncode == 2
    assert "is cxmodel running" in run.stderr


def test_command_line():
    import os
    for args in ([], ["--lid", "70000", "--socket", "x"], ["--socket", "x",
                 "--profile", "none"], ["--socket", "x", "y"]):
        run = subprocess.run([os.environ["CXMODEL"], *args],
                             capture_output=True, text=True)
        assert run.returncode != 0
        assert "cxmodel" in run.stderr
