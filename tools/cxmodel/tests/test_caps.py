# SPDX-License-Identifier: GPL-2.0-only
"""Capabilities: what is offered, what was settled for."""
import pytest

from pipe import CommandError, Model
from prm import SIZE, Struct, const

GENERAL = const("CAP_GENERAL")
ATOMIC = const("CAP_ATOMIC")


def query(m, group, mode, struct):
    out = m.command(const("CMD_QUERY_HCA_CAP"), out_len=16 + SIZE[struct],
                    op_mod=group << 1 | mode)
    return Struct(struct, bytearray(out[16:]))


def store(m, group, cap):
    m.command(const("CMD_SET_HCA_CAP"), bytes(16) + bytes(cap),
              op_mod=group << 1)


def test_full_is_the_default(raw):
    cap = query(raw, GENERAL, 0, "hca_cap")
    assert cap["pg"] == cap["device_memory"] == 1
    assert cap["umr_modify_entity_size_disabled"] == 0


def test_what_upstream_needs(raw):
    cap = query(raw, GENERAL, 0, "hca_cap")
    assert cap["xrc"] == cap["ib_virt"] == cap["num_ports"] == 1
    assert cap["port_type"] == 0
    assert cap["page_request_disable"] == 1
    assert cap["cmdif_checksum"] == 0


@pytest.mark.parametrize("name, disabled", [("bringup", 1), ("pinned", 0),
                                            ("full", 0)])
def test_profiles(name, disabled):
    with Model("--profile", name) as m:
        cap = query(m, GENERAL, 0, "hca_cap")
        assert cap["umr_modify_entity_size_disabled"] == disabled
        assert cap["log_max_mkey"] == 20
        cap["umr_modify_entity_size_disabled"] = 1
        cap["log_max_mkey"] = 30
        store(m, GENERAL, cap)
        cap = query(m, GENERAL, 1, "hca_cap")
        assert cap["umr_modify_entity_size_disabled"] == disabled
        assert cap["log_max_mkey"] == 20


def test_pinned_has_all_but_paging(raw, pinned):
    full, without = (query(m, GENERAL, 0, "hca_cap") for m in (raw, pinned))
    assert without["device_memory"] == 1
    assert without["umr_extended_translation_offset"] == 1
    for field in ("pg", "null_mkey", "max_indirection", "fixed_buffer_size"):
        assert (full[field], without[field]) == (1, 0)


def test_current_shows_what_was_set(raw):
    cap = query(raw, GENERAL, 1, "hca_cap")
    cap["log_max_qp"] = 12
    store(raw, GENERAL, cap)
    assert query(raw, GENERAL, 1, "hca_cap")["log_max_qp"] == 12
    assert query(raw, GENERAL, 0, "hca_cap")["log_max_qp"] == 18


def test_set_is_cut_to_what_is_offered(raw):
    cap = query(raw, GENERAL, 1, "hca_cap")
    cap["log_max_qp"] = 31
    cap["dct"] = 1
    store(raw, GENERAL, cap)
    cap = query(raw, GENERAL, 1, "hca_cap")
    assert cap["log_max_qp"] == 18
    assert cap["dct"] == 0


def test_atomic_endianness_is_software_s_choice(raw):
    assert query(raw, ATOMIC, 1, "atomic_cap")["req_8b_endianness_mode"] == 0
    cap = query(raw, ATOMIC, 0, "atomic_cap")
    assert cap["supported_req_8b_endianness_mode_1"] == 1
    cap["req_8b_endianness_mode"] = 1
    store(raw, ATOMIC, cap)
    assert query(raw, ATOMIC, 1, "atomic_cap")["req_8b_endianness_mode"] == 1


def test_unknown_group(raw):
    with pytest.raises(CommandError) as e:
        query(raw, 0x3f, 0, "hca_cap")
    assert e.value.status == "BAD_PARAM"


def test_not_after_init(m):
    with pytest.raises(CommandError) as e:
        store(m, GENERAL, query(m, GENERAL, 1, "hca_cap"))
    assert e.value.status == "BAD_SYS_STATE"


def test_init_without_set_hca_cap(raw):
    raw.start()
