# SPDX-License-Identifier: GPL-2.0-only
"""The port: active, addressed, with its registers."""
import pytest

from pipe import CommandError, Model
from prm import SIZE, Struct, const


def context(m):
    out = m.cmd("QUERY_HCA_VPORT_CONTEXT", Struct("query_vport_in"),
                "query_vport_out")
    return out.sub("hca_vport_context")


def register(m, name, struct, write=None):
    head = Struct("access_register_in", register_id=const("REG_" + name))
    size = SIZE.get(struct, struct)
    out = m.command(const("CMD_ACCESS_REG"),
                    bytes(head) + (write or bytes(size)), 16 + size,
                    op_mod=0 if write else 1)
    return out[16:]


def test_active_with_a_lid():
    with Model("--lid", "7", "--guid", "0x1234") as m:
        ctx = context(m.start())
        assert ctx["vport_state"] == const("PORT_STATE_ACTIVE")
        assert ctx["lid"] == 7
        assert ctx["node_guid"] == ctx["system_image_guid"] == 0x1234
        assert ctx["port_guid"] == 0x1235


def test_gid_and_pkey(m):
    q = Struct("query_vport_gid_in", gid_index=0)
    out = m.cmd("QUERY_HCA_VPORT_GID", q, "query_vport_gid_out", out_extra=16)
    gid = bytes(out)[16:]
    assert gid[:8] == bytes.fromhex("fe80000000000000")
    assert int.from_bytes(gid[8:], "big") == context(m)["port_guid"]
    q = Struct("query_vport_pkey_in", pkey_index=0)
    out = m.cmd("QUERY_HCA_VPORT_PKEY", q, "query_vport_pkey_out", out_extra=4)
    assert bytes(out)[18:20] == b"\xff\xff"
    q["pkey_index"] = 0xffff
    m.cmd("QUERY_HCA_VPORT_PKEY", q, "query_vport_pkey_out", out_extra=512)
    q["pkey_index"] = 128
    with pytest.raises(CommandError) as e:
        m.cmd("QUERY_HCA_VPORT_PKEY", q, "query_vport_pkey_out", out_extra=4)
    assert e.value.status == "BAD_INDEX"


def test_registers(m):
    assert register(m, "NODE_DESC", 64).startswith(b"Verbena")
    ptys = Struct("ptys_reg", bytearray(register(m, "PTYS", "ptys_reg")))
    assert ptys["ib_link_width_oper"] == 4
    pmtu = Struct("pmtu_reg", bytearray(register(m, "PMTU", "pmtu_reg")))
    assert pmtu["max_mtu"] == pmtu["oper_mtu"] == 4096
    pvlc = Struct("pvlc_reg", bytearray(register(m, "PVLC", "pvlc_reg")))
    assert pvlc["vl_hw_cap"] in (1, 2, 4, 8, 15)
    register(m, "HOST_ENDIANNESS", 16, write=b"\x01" + bytes(15))
    register(m, "NODE_DESC", 64, write=b"mine".ljust(64, b"\0"))
    assert register(m, "NODE_DESC", 64).startswith(b"mine")


def test_unknown_register(m):
    head = Struct("access_register_in", register_id=0x1111)
    with pytest.raises(CommandError) as e:
        m.command(const("CMD_ACCESS_REG"), bytes(head) + bytes(64), 80,
                  op_mod=1)
    assert e.value.status == "BAD_PARAM"


def test_capability_mask_is_set_under_its_mask(m):
    cmd = Struct("modify_vport_in")
    cmd.sub("hca_vport_context", field_select=const("VPORT_SEL_CAP_MASK1"),
            cap_mask1=1 << 16, cap_mask1_field_select=1 << 16)
    before = context(m)["cap_mask1"]
    m.cmd("MODIFY_HCA_VPORT_CONTEXT", cmd)
    assert context(m)["cap_mask1"] == before | 1 << 16


def test_link_down(m):
    m.control("port down")
    assert context(m)["vport_state"] == const("PORT_STATE_DOWN")
