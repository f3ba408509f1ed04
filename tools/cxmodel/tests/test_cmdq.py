# SPDX-License-Identifier: GPL-2.0-only
"""The command queue: polling, mailboxes, bad pointers, events."""
import pytest

from pipe import CommandError, DeliveryError
from prm import Struct, const

QUERY_ISSI = const("CMD_QUERY_ISSI")


def test_inline_and_mailbox_answer(raw):
    out = raw.cmd("QUERY_ISSI", out="query_issi_out")
    assert out["supported_issi_dw0"] == 3
    assert out["current_issi"] == 0


def test_mailbox_input_and_output(raw):
    cap = raw.command(const("CMD_QUERY_HCA_CAP"), out_len=0x1010, op_mod=0)
    assert Struct("hca_cap", cap, 16)["cqe_version"] == 1


def test_unknown_opcode(raw):
    with pytest.raises(CommandError) as e:
        raw.command(0x7fe)
    assert e.value.status == "BAD_OP"
    assert "unknown command 0x7fe" in raw.trace()
    assert raw.census()["warnings"] == 1


def test_short_input_and_output(m):
    with pytest.raises(CommandError) as e:
        m.command(const("CMD_CREATE_MKEY"), bytes(16))
    assert e.value.status == "BAD_IN_LEN"
    with pytest.raises(CommandError) as e:
        m.command(QUERY_ISSI, out_len=16)
    assert e.value.status == "BAD_OUT_LEN"


@pytest.mark.parametrize("override, status", [
    ({"type": 1}, 0x10),
    ({"inlen": 8}, 7),
    ({"inlen": 0xffffffff}, 7),
    ({"outlen": 0}, 8),
])
def test_bad_descriptor(raw, override, status):
    with pytest.raises(DeliveryError) as e:
        raw.command(QUERY_ISSI, out_len=0x70, **override)
    assert e.value.status == status


@pytest.mark.parametrize("pointer", [0, 1 << 40, 0x100200])
def test_bad_input_pointer(m, pointer):
    with pytest.raises(DeliveryError) as e:
        m.command(const("CMD_CREATE_MKEY"), bytes(0x110), in_ptr=pointer)
    assert e.value.status == 5
    assert m.census()["mkey"] == 0


def test_bad_output_pointer(raw):
    with pytest.raises(DeliveryError) as e:
        raw.command(QUERY_ISSI, out_len=0x70, out_ptr=1 << 40)
    assert e.value.status == 4


def test_wrong_token_and_block_number(m):
    data = bytearray(0x110)
    data[0:2] = const("CMD_CREATE_MKEY").to_bytes(2, "big")
    for at, value, status in ((512 + 48 + 13, 0xee, 2), (512 + 48 + 11, 7, 3)):
        boxes, out, _ = m.post(bytes(data), 16, ring=False)
        m.put(boxes[0] + at, bytes([value]))
        m.write32(const("ISEG_CMD_DBELL"), 1)
        with pytest.raises(DeliveryError) as e:
            m.finish(0, out, 16)
        assert e.value.status == status


def test_several_slots_with_one_doorbell(m):
    data = bytearray(16)
    data[0:2] = const("CMD_ALLOC_PD").to_bytes(2, "big")
    posted = [m.post(bytes(data), 16, slot, ring=False)
              for slot in (0, 3, 31)]
    m.write32(const("ISEG_CMD_DBELL"), 1 | 1 << 3 | 1 << 31)
    for slot, (_, out, _) in zip((0, 3, 31), posted):
        m.finish(slot, out, 16)
    assert m.census()["pd"] == 3


def test_doorbell_for_an_entry_of_software(m):
    m.post(bytes(16), 16, own=0)
    m.sync()
    assert "which is software's" in m.trace()


def test_doorbell_without_queue(m):
    m.reset()
    m.write32(const("ISEG_CMD_DBELL"), 1)
    m.sync()
    assert "without a queue" in m.trace()


def test_event_mode(m):
    eq = m.create_eq(log_size=5, vector=0, events=1 << const("EVENT_CMD"))
    assert eq.poll() is None, "no event for the command that made the queue"
    m.event_eq = eq
    for slot in range(40):
        m.alloc_pd()
    assert m.irq_count(0) >= 1
    m.event_eq = None
    eq.destroy()
    m.alloc_pd()            # polling again


def test_nothing_without_bus_mastering(m):
    m.master(False)
    m.post(bytes(16), 16)
    m.sync()
    assert m.get(m.cmdq + 63, 1) == b"\x01"


def test_pages_and_adapter(raw):
    for op_mod in (1, 2, 3):
        out = raw.cmd("QUERY_PAGES", out="query_pages_out", op_mod=op_mod)
        assert out["num_pages"] == 0
    adapter = raw.cmd("QUERY_ADAPTER", out="query_adapter_out")
    assert adapter.sub("query_adapter_struct")["ieee_vendor_id"] == 0x2c9


def test_init_needs_enable(raw):
    with pytest.raises(CommandError) as e:
        raw.cmd("INIT_HCA", Struct("init_hca_in"))
    assert e.value.status == "BAD_SYS_STATE"
