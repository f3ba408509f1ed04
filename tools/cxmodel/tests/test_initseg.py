# SPDX-License-Identifier: GPL-2.0-only
"""The initialisation segment and the function's registers."""
import time

from prm import const


def test_identity(raw):
    assert raw.cfg_read(0) == 0x101715b3
    assert raw.cfg_read(0xa, 2) == 0x0207


def test_command_interface_revision(raw):
    assert raw.read32(const("ISEG_CMDIF_REV")) >> 16 == 5


def test_queue_sizes_read_back_with_the_address(raw):
    low = raw.read32(const("ISEG_CMDQ_ADDR_L"))
    assert low & 0xfff == 0x56
    assert low & ~0xfff == raw.cmdq


def test_initialised_and_healthy(raw):
    assert raw.read32(const("ISEG_INITIALIZING")) == 0
    assert raw.read32(const("ISEG_HEALTH_SYND")) == 0
    assert raw.read32(const("ISEG_HEALTH_FW_VER")) not in (0, 0xffffffff)
    assert raw.read32(const("ISEG_CMD_Q_INIT_TO")) == 0


def test_health_counter_moves(raw):
    first = raw.read32(const("ISEG_HEALTH_COUNTER"))
    time.sleep(0.25)
    assert raw.read32(const("ISEG_HEALTH_COUNTER")) != first


def test_interface_state_reads_back(raw):
    raw.write32(const("ISEG_CMDQ_ADDR_L"), 1 << 8)
    low = raw.read32(const("ISEG_CMDQ_ADDR_L"))
    assert low >> 8 & 7 == 1
    assert low & ~0xfff == raw.cmdq


def test_bytes_and_wide_reads(raw):
    four = raw.read(const("ISEG_CMDIF_REV"), 4)
    assert raw.read(0, 8)[4:] == four
    assert raw.read(const("ISEG_CMDIF_REV") + 1, 1) == four[1:2]


def test_reset_forgets_everything(m):
    m.alloc_pd()
    assert m.census()["total"] == 2
    m.reset()
    assert m.census()["total"] == 0
    assert m.read32(const("ISEG_CMDQ_ADDR_L")) & ~0xfff == 0


def test_function_level_reset_is_a_config_write(m):
    m.alloc_pd()
    m.cfg_write(0x60 + 8 + 1, 0x80, 1)
    m.sync()
    assert m.census()["total"] == 0
    assert m.cfg_read(4, 2) & 4 == 0     # no bus mastering after it
