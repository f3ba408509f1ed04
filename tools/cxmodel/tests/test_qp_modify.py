# SPDX-License-Identifier: GPL-2.0-only
"""The state graph of a queue pair: every edge from every state, what an edge
takes and what it keeps."""
import pytest

from pipe import CommandError, connected_pair
from prm import Struct, const

STATES = ["RST", "INIT", "RTR", "RTS", "ERR"]
EDGES = {
    "RST2INIT_QP": (["RST"], "INIT"),
    "INIT2INIT_QP": (["INIT"], "INIT"),
    "INIT2RTR_QP": (["INIT"], "RTR"),
    "RTR2RTS_QP": (["RTR"], "RTS"),
    "RTS2RTS_QP": (["RTS"], "RTS"),
    "SQERR2RTS_QP": ([], None),
    "SQD2RTS_QP": ([], None),
    "2ERR_QP": (STATES, "ERR"),
    "2RST_QP": (STATES, "RST"),
}


@pytest.fixture
def setup(m):
    eq = m.create_eq(vector=1)
    return m.create_cq(eq), m.alloc_pd()


def qp_in(m, setup, state, **kw):
    cq, pd = setup
    qp = m.create_qp(pd=pd, send_cq=cq, **kw)
    order = ["INIT", "RTR", "RTS"]
    if state == "ERR":
        qp.to_err()
    elif state != "RST":
        for step in order[:order.index(state) + 1]:
            {"INIT": qp.to_init, "RTS": qp.to_rts,
             "RTR": lambda: qp.to_rtr(qp.num)}[step]()
    assert qp.query()["state"] == const("QP_" + state)
    return qp


def walk(qp, edge):
    if edge in ("2ERR_QP", "2RST_QP"):
        qp.m.cmd(edge, Struct("qp_number_in", qpn=qp.num))
    else:
        qp.modify(edge, path={"vhca_port_num": 1, "rlid": 1}, mtu=3,
                  log_msg_max=30, remote_qpn=qp.num)


@pytest.mark.parametrize("edge", EDGES)
@pytest.mark.parametrize("state", STATES)
def test_edge(m, setup, state, edge):
    qp = qp_in(m, setup, state)
    legal, to = EDGES[edge]
    if state in legal:
        walk(qp, edge)
        assert qp.query()["state"] == const("QP_" + to)
        return
    with pytest.raises(CommandError) as e:
        walk(qp, edge)
    assert e.value.status == "BAD_QP_STATE"
    assert qp.query()["state"] == const("QP_" + state)


@pytest.mark.parametrize("edge", EDGES)
def test_unknown_qp(m, setup, edge):
    qp = qp_in(m, setup, "RST")
    qp.destroy()
    with pytest.raises(CommandError) as e:
        walk(qp, edge)
    assert e.value.status == "BAD_RES"


@pytest.mark.parametrize("bad", [{"mtu": 0}, {"mtu": 6}, {"log_msg_max": 31},
                                 {"log_rra_max": 7}])
def test_rtr_refuses(m, setup, bad):
    qp = qp_in(m, setup, "INIT")
    good = {"mtu": 3, "log_msg_max": 30, "log_rra_max": 4}
    with pytest.raises(CommandError) as e:
        qp.modify("INIT2RTR_QP", path={"rlid": 1}, **{**good, **bad})
    assert e.value.status == "BAD_PARAM"
    assert qp.query()["state"] == const("QP_INIT")
    qp.to_rtr(qp.num)


def test_rtr_takes_its_fields_without_mask(m, setup):
    qp = qp_in(m, setup, "INIT")
    qp.to_rtr(0x1234, mtu=5, psn=77, dlid=9, min_rnr_nak=12)
    c = qp.query()
    assert [c[f] for f in ("remote_qpn", "mtu", "next_rcv_psn",
                           "min_rnr_nak", "log_rra_max", "log_msg_max")] == \
        [0x1234, 5, 77, 12, 4, 30]
    assert c.sub("primary_address_path")["rlid"] == 9
    qp.to_rts(psn=99, timeout=18, retry=5, rnr_retry=6)
    c = qp.query()
    assert [c[f] for f in ("next_send_psn", "log_sra_max", "retry_count",
                           "rnr_retry")] == [99, 4, 5, 6]
    path = c.sub("primary_address_path")
    assert path["ack_timeout"] == 18 and path["rlid"] == 9


@pytest.mark.parametrize("state,edge", [
    ("INIT", "INIT2INIT_QP"), ("INIT", "INIT2RTR_QP"), ("RTR", "RTR2RTS_QP"),
    ("RTS", "RTS2RTS_QP")])
def test_access_bits_go_by_mask(m, setup, state, edge):
    qp = qp_in(m, setup, state)
    common = {"mtu": 3, "log_msg_max": 30, "remote_qpn": qp.num}
    qp.modify(edge, 0, {"rlid": 1}, rre=0, rwe=0, rae=0, **common)
    c = qp.query()
    assert (c["rre"], c["rwe"], c["rae"]) == (1, 1, 1)
    if edge == "INIT2RTR_QP":
        return
    qp = qp_in(m, setup, state)
    qp.modify(edge, 0x2 | 0x8, {"rlid": 1}, rre=0, rwe=0, rae=0, **common)
    c = qp.query()
    assert (c["rre"], c["rwe"], c["rae"]) == (0, 0, 1)


def test_path_survives_what_does_not_carry_it(m, setup):
    qp = qp_in(m, setup, "RTS")
    qp.modify("RTS2RTS_QP", 0x40, min_rnr_nak=20)
    c = qp.query()
    assert c.sub("primary_address_path")["rlid"] == 1
    assert c["min_rnr_nak"] == 20


def test_reset_starts_over(m):
    _, cq, cq2, pd, a, b = connected_pair(m)
    mem, key = m.reg_mr(pd, 4096)
    b.post_recv((mem, 64, key))
    a.post(const("WQE_NOP"), signaled=False)
    a.post(const("WQE_NOP"))
    assert cq.get().counter == 1
    for qp in (a, b):
        qp.to_rst()
        qp.pi = qp.rq_pi = 0
        m.put(qp.dbr, bytes(8))
    assert cq.poll() is None and cq2.poll() is None, "no CQE for leftovers"
    a.connect(b)
    b.connect(a)
    a.post(const("WQE_NOP"))
    assert cq.get().counter == 0


@pytest.mark.parametrize("field,value", [
    ("st", 5), ("st", 9), ("pd", 0xfffff), ("cqn_snd", 0xfffff),
    ("cqn_rcv", 0xfffff), ("uar_page", 0xfffff), ("log_rq_stride", 7),
    ("wq_signature", 1)])
def test_create_refuses(m, setup, field, value):
    cq, pd = setup
    before = m.census()
    kw = {"pd": pd, "send_cq": cq}
    if field == "pd":
        kw["pd"] = value
    elif field == "uar_page":
        kw["uar"] = value
    elif field == "st":
        kw["st"] = value
    else:
        kw[field] = value
    with pytest.raises(CommandError) as e:
        m.create_qp(**kw)
    assert e.value.status in ("BAD_PARAM", "BAD_RES")
    after = m.census()
    assert after["qp"] == before["qp"] and after["total"] == before["total"]


def test_references_are_held(m, setup):
    cq, pd = setup
    qp = qp_in(m, setup, "RTS")
    for call in (cq.destroy, lambda: m.dealloc_pd(pd),
                 lambda: m.dealloc_uar(m.uar)):
        with pytest.raises(CommandError) as e:
            call()
        assert e.value.status == "RES_BUSY"
    qp.destroy()
    cq.destroy()
    m.dealloc_pd(pd)


def test_qpn_zero_and_one_are_kept(m, setup):
    assert qp_in(m, setup, "RST").num > 1
