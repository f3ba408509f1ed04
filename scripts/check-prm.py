#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""Our wire format against the kernel's own description of it.

Driver and model share include/connectx/prm_*.h, so a misreading there would
pass on both sides. Each row of these tables becomes an assertion that both
mlx5_ifc.h and our header agree with, in a C file that the kernel's compiler
judges; nothing is loaded or linked. A structure names its counterpart in a
comment before it (ifc: name), a field only if its name differs; what has no
such comment is in the tables here.
"""
import os
import re
import shutil
import sys

import gate

HEADERS = 'include/connectx/prm_*.h'

# Structures of ours that stand for several of the kernel's: the header of
# every command and answer.
SHARED = {'cmd_in': 'alloc_pd_in', 'cmd_out': 'alloc_pd_out'}

# Structures written by hand: the kernel's type, and fields of another name.
STRUCTS = {
    'cmdq_entry': ('struct mlx5_cmd_layout', {}),
    'mailbox': ('struct mlx5_cmd_prot_block', {}),
    'cqe': ('struct mlx5_cqe64', {
        'srqn_uidx': 'srqn', 'imm_inval_pkey': 'immediate',
        'timestamp': 'timestamp_h', 'sop_qpn': 'sop_drop_qpn'}),
    'err_cqe': ('struct mlx5_err_cqe', {
        'srqn_uidx': 'srqn', 'hw_synd': 'rsvd1[16]',
        'hw_synd_type': 'rsvd1[17]', 'vendor_synd': 'vendor_err_synd',
        'opcode_qpn': 's_wqe_opcode_qpn'}),
    'eqe': ('struct mlx5_eqe', {
        'data.comp.cqn': 'data.comp.cqn',
        'data.cmd.vector': 'data.cmd.vector',
        'data.qp_srq.type': 'data.qp_srq.type',
        'data.qp_srq.number': 'data.qp_srq.qp_srq_n',
        'data.cq_err.cqn': 'data.cq_err.cqn',
        'data.cq_err.syndrome': 'data.cq_err.syndrome',
        'data.port.port': 'data.port.port',
        'data.page_req.ec_function': 'data.req_pages.ec_function',
        'data.page_req.func_id': 'data.req_pages.func_id',
        'data.page_req.num_pages': 'data.req_pages.num_pages'}
        | {f'data.fault_{kind}.{field}': f'data.page_fault.{kind}.{field}'
           for kind, fields in (
               ('wqe', ('bytes_committed', 'wqe_index', 'packet_length',
                        'token', 'pftype_wq')),
               ('rdma', ('bytes_committed', 'r_key', 'packet_length',
                         'rdma_op_len', 'rdma_va', 'pftype_token')))
           for field in fields}),
    'klm': ('struct mlx5_klm', {}),
    'wqe_ctrl': ('struct mlx5_wqe_ctrl_seg', {}),
    'wqe_raddr': ('struct mlx5_wqe_raddr_seg', {}),
    'wqe_atomic': ('struct mlx5_wqe_atomic_seg', {}),
    'wqe_xrc': ('struct mlx5_wqe_xrc_seg', {}),
    'wqe_av': ('struct mlx5_av', {
        'qkey': 'key.qkey.qkey', 'rlid_udp_sport': 'rlid'}),
    'wqe_data': ('struct mlx5_wqe_data_seg', {}),
    'wqe_inline': ('struct mlx5_wqe_inline_seg', {}),
    'wqe_srq_next': ('struct mlx5_wqe_srq_next_seg', {}),
    'wqe_umr_ctrl': ('struct mlx5_wqe_umr_ctrl_seg', {}),
    'wqe_mkey': ('struct mlx5_mkey_seg', {'bsf_octwords': 'bsfs_octo_size'}),
}

# Offsets in the initialisation segment.
SEGMENT = {
    'CX_ISEG_FW_REV': 'fw_rev',
    'CX_ISEG_CMDIF_REV': 'cmdif_rev_fw_sub',
    'CX_ISEG_CMDQ_ADDR_H': 'cmdq_addr_h',
    'CX_ISEG_CMDQ_ADDR_L': 'cmdq_addr_l_sz',
    'CX_ISEG_CMD_DBELL': 'cmd_dbell',
    'CX_ISEG_INITIALIZING': 'initializing',
    'CX_ISEG_HEALTH': 'health',
    'CX_ISEG_HEALTH_FW_VER': 'health.fw_ver',
    'CX_ISEG_HEALTH_RFR': 'health.rfr_severity',
    'CX_ISEG_HEALTH_SYND': 'health.irisc_index',
    'CX_ISEG_CMD_EXEC_TO': 'cmd_exec_to',
    'CX_ISEG_CMD_Q_INIT_TO': 'cmd_q_init_to',
    'CX_ISEG_TIMER_H': 'internal_timer_h',
    'CX_ISEG_TIMER_L': 'internal_timer_l',
    'CX_ISEG_HEALTH_COUNTER': 'health_counter',
}

# Enumerations: our prefix, the kernel's, and what is named differently.
ENUMS = {
    'cx_opcode': ('CX_CMD_', 'MLX5_CMD_OP_', {
        'SQD2RTS_QP': 'MLX5_CMD_OP_SQD_RTS_QP'}),
    'cx_cmd_status': ('CX_STATUS_', 'MLX5_CMD_STAT_', {
        'BAD_OP': 'MLX5_CMD_STAT_BAD_OP_ERR',
        'BAD_PARAM': 'MLX5_CMD_STAT_BAD_PARAM_ERR',
        'BAD_SYS_STATE': 'MLX5_CMD_STAT_BAD_SYS_STATE_ERR',
        'BAD_RES': 'MLX5_CMD_STAT_BAD_RES_ERR',
        'BAD_RES_STATE': 'MLX5_CMD_STAT_BAD_RES_STATE_ERR',
        'BAD_INDEX': 'MLX5_CMD_STAT_IX_ERR',
        'NO_RES': 'MLX5_CMD_STAT_NO_RES_ERR',
        'BAD_QP_STATE': 'MLX5_CMD_STAT_BAD_QP_STATE_ERR',
        'BAD_PKT': 'MLX5_CMD_STAT_BAD_PKT_ERR',
        'BAD_SIZE_OUTS_CQES': 'MLX5_CMD_STAT_BAD_SIZE_OUTS_CQES_ERR',
        'BAD_IN_LEN': 'MLX5_CMD_STAT_BAD_INP_LEN_ERR',
        'BAD_OUT_LEN': 'MLX5_CMD_STAT_BAD_OUTP_LEN_ERR'}),
    'cx_event_type': ('CX_EVENT_', 'MLX5_EVENT_TYPE_', {
        'SRQ_LIMIT': 'MLX5_EVENT_TYPE_SRQ_RQ_LIMIT'}),
    'cx_port_change': ('CX_PORT_', 'MLX5_PORT_CHANGE_SUBTYPE_', {}),
    'cx_page_fault': ('CX_PFAULT_', 'MLX5_PFAULT_SUBTYPE_', {}),
    'cx_pfault_type': ('CX_PFAULT_', 'MLX5_PFAULT_', {
        'IS_RDMA': 'MLX5_PFAULT_RDMA'}),
    'cx_cqe_opcode': ('CX_CQE_', 'MLX5_CQE_', {
        'RESP_WRITE_IMM': 'MLX5_CQE_RESP_WR_IMM',
        'RESIZE': 'MLX5_CQE_RESIZE_CQ'}),
    'cx_cqe_syndrome': ('CX_SYND_', 'MLX5_CQE_SYNDROME_', {
        'LOCAL_LENGTH': 'MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR',
        'LOCAL_QP_OP': 'MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR',
        'LOCAL_PROT': 'MLX5_CQE_SYNDROME_LOCAL_PROT_ERR',
        'WR_FLUSH': 'MLX5_CQE_SYNDROME_WR_FLUSH_ERR',
        'MW_BIND': 'MLX5_CQE_SYNDROME_MW_BIND_ERR',
        'BAD_RESP': 'MLX5_CQE_SYNDROME_BAD_RESP_ERR',
        'LOCAL_ACCESS': 'MLX5_CQE_SYNDROME_LOCAL_ACCESS_ERR',
        'REMOTE_INVAL_REQ': 'MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR',
        'REMOTE_ACCESS': 'MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR',
        'REMOTE_OP': 'MLX5_CQE_SYNDROME_REMOTE_OP_ERR',
        'RETRY_EXC': 'MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR',
        'RNR_RETRY_EXC': 'MLX5_CQE_SYNDROME_RNR_RETRY_EXC_ERR',
        'REMOTE_ABORT': 'MLX5_CQE_SYNDROME_REMOTE_ABORTED_ERR'}),
    'cx_wqe_opcode': ('CX_WQE_', 'MLX5_OPCODE_', {}),
    'cx_umr_field': ('CX_UMR_', 'MLX5_MKEY_MASK_', {
        'ORDER_WRITE': 'MLX5_MKEY_MASK_RELAXED_ORDERING_WRITE',
        'ORDER_READ': 'MLX5_MKEY_MASK_RELAXED_ORDERING_READ'}),
    'cx_qp_st': ('CX_QP_ST_', 'MLX5_QP_ST_', {}),
    'cx_qp_state': ('CX_QP_', 'MLX5_QP_STATE_', {}),
    'cx_qp_pm_state': ('CX_QP_PM_', 'MLX5_QP_PM_', {}),
    'cx_qp_optpar': ('CX_QP_OPT_', 'MLX5_QP_OPTPAR_', {
        'ALT_PATH': 'MLX5_QP_OPTPAR_ALT_ADDR_PATH',
        'PRIMARY_PATH': 'MLX5_QP_OPTPAR_PRIMARY_ADDR_PATH',
        'COUNTER_SET': 'MLX5_QP_OPTPAR_COUNTER_SET_ID'}),
    'cx_rq_type': ('CX_RQ_', '', {
        'OWN': 'MLX5_NON_ZERO_RQ', 'SRQ': 'MLX5_SRQ_RQ',
        'NONE': 'MLX5_ZERO_LEN_RQ'}),
    'cx_qp_dbr': ('CX_DBR_', '', {
        'RCV': 'MLX5_RCV_DBR', 'SND': 'MLX5_SND_DBR'}),
    'cx_wq_type': ('CX_WQ_', 'MLX5_WQ_TYPE_', {}),
    'cx_rmp_state': ('CX_RMP_', 'MLX5_RMPC_STATE_', {}),
    'cx_xrc_srq_state': ('CX_XRC_SRQ_', 'MLX5_XRC_SRQC_STATE_', {}),
    'cx_arm_xrc_srq_op': ('CX_ARM_', 'MLX5_ARM_XRC_SRQ_IN_OP_MOD_', {}),
    'cx_mkc_access_mode': ('CX_MKC_', 'MLX5_MKC_ACCESS_MODE_', {
        'KLM': 'MLX5_MKC_ACCESS_MODE_KLMS'}),
    'cx_register': ('CX_REG_', 'MLX5_REG_', {}),
    'cx_cap_mode': ('CX_CAP_', 'HCA_CAP_OPMOD_GET_', {}),
    'cx_cap_group': ('CX_CAP_', 'MLX5_CAP_', {
        'ETHERNET': 'MLX5_CAP_ETHERNET_OFFLOADS',
        'IPOIB': 'MLX5_CAP_IPOIB_OFFLOADS'}),
}

# Numbers of bits here, masks there
BIT_NUMBERS = ('cx_umr_field',)

# Not in the kernel's headers: private to a .c file there, or from the
# InfiniBand specification.
NOT_THERE = ('cx_cmd_delivery', 'cx_query_pages_op', 'cx_manage_pages_op',
             'cx_modify_cq_op', 'cx_cqe_sz', 'cx_cq_st', 'cx_eq_st',
             'cx_register_op', 'cx_port_state', 'cx_cq_dbr')

PROLOGUE = '''
#include <linux/stddef.h>
#include <linux/mlx5/driver.h>
#include <linux/mlx5/device.h>
#include <linux/mlx5/cq.h>
#include <linux/mlx5/qp.h>
#include <linux/mlx5/mlx5_ifc.h>
#define MEMBER(s, m) (((s *)0)->m)
'''

ROW = re.compile(r'^CX_(STRUCT|FIELD64|FIELD|BYTES|SUB)\(([^)]*)\);'
                 r'(?:[ \t]*/\* ifc: (\S+) \*/)?', re.M)
NAME = re.compile(r'/\* ifc: (\w+) \*/\n\Z')
NESTED = re.compile(r'^struct cx_(\w+) \{\n(.*?)^\}', re.M | re.S)
MEMBER = re.compile(r'^\t__\w+\t+(\w+)(?:\[\w+\])?;', re.M)
ENUM = re.compile(r'^enum (cx_\w+) \{\n(.*?)^\};', re.M | re.S)
SEGMENT_ROW = re.compile(r'^#define (CX_ISEG_\w+)\t', re.M)
# of the segment, but no offset of a member
NO_MEMBER = ('CX_ISEG_BYTES', 'CX_ISEG_INITIALIZING_BIT')


class Rows:
    """The assertions, each with the place in our header that it is about."""

    def __init__(self):
        self.lines = PROLOGUE.split('\n')
        self.where = {}
        self.problems = []

    def need(self, place, what, condition):
        self.lines.append(f'_Static_assert({condition}, "{what}");')
        self.where[len(self.lines)] = f'{place}: {what}'

    def miss(self, place, what):
        self.problems.append(f'{place}: {what}')


def number(text, match, group=0):
    return text.count('\n', 0, match.start(group)) + 1


def field_rows(path, text, rows):
    """The CX_ tables of one header."""
    ours = {}
    for match in ROW.finditer(text):
        kind, args, other = match.groups()
        place = f'{path}:{number(text, match)}'
        args = [arg.strip() for arg in args.split(',')]
        if kind == 'STRUCT':
            name = NAME.search(text[:match.start()])
            ours[args[0]] = name[1] if name else SHARED.get(args[0])
            if not ours[args[0]]:
                rows.miss(place, f'{args[0]} names no counterpart')
                continue
            rows.need(place, f'size of {args[0]}',
                      f'sizeof(struct mlx5_ifc_{ours[args[0]]}_bits) == '
                      f'8 * ({args[1]})')
            continue
        struct = ours.get(args[0])
        if not struct:
            rows.miss(place, f'{args[0]} is not declared above')
            continue
        theirs = f'struct mlx5_ifc_{struct}_bits'
        field = other or args[1]
        unit = 8 if kind in ('BYTES', 'SUB') else 1
        rows.need(place, f'offset of {args[0]}.{args[1]}',
                  f'offsetof({theirs}, {field}) == {unit} * ({args[2]})')
        width = {'FIELD64': '64', 'SUB': f'8 * sizeof(struct cx_{args[-1]})',
                 }.get(kind, f'{unit} * ({args[-1]})')
        rows.need(place, f'width of {args[0]}.{args[1]}',
                  f'sizeof(MEMBER({theirs}, {field})) == {width}')


def struct_rows(path, text, rows):
    """The structures written by hand."""
    for match in NESTED.finditer(text):
        name, body = match.groups()
        place = f'{path}:{number(text, match)}'
        if name not in STRUCTS:
            rows.miss(place, f'struct cx_{name} has no counterpart in '
                             'scripts/check-prm.py')
            continue
        theirs, other = STRUCTS[name]
        fields = {m: m for m in MEMBER.findall(body)
                  if not m.startswith('rsvd')} | other
        if name != 'wqe_inline':    # a flexible tail is no size
            rows.need(place, f'size of cx_{name}',
                      f'sizeof(struct cx_{name}) == sizeof({theirs})')
        for field, counterpart in fields.items():
            rows.need(place, f'offset of cx_{name}.{field}',
                      f'offsetof(struct cx_{name}, {field}) == '
                      f'offsetof({theirs}, {counterpart})')


def enum_rows(path, text, rows):
    for match in ENUM.finditer(text):
        name, body = match.groups()
        place = f'{path}:{number(text, match)}'
        if name in NOT_THERE:
            continue
        if name not in ENUMS:
            rows.miss(place, f'enum {name} is not in scripts/check-prm.py')
            continue
        ours, theirs, other = ENUMS[name]
        for value in re.findall(r'^\t(\w+)', body, re.M):
            short = value.removeprefix(ours)
            counterpart = other.get(short, theirs + short)
            rows.need(place, f'value of {value}',
                      f'1ull << {value} == {counterpart}'
                      if name in BIT_NUMBERS else
                      f'{value} == (int){counterpart}')


def segment_rows(path, text, rows):
    for match in SEGMENT_ROW.finditer(text):
        name = match[1]
        place = f'{path}:{number(text, match)}'
        if name in NO_MEMBER:
            continue
        if name not in SEGMENT:
            rows.miss(place, f'{name} is not in scripts/check-prm.py')
            continue
        rows.need(place, f'offset {name}',
                  f'{name} == offsetof(struct mlx5_init_seg, {SEGMENT[name]})')


def compile_rows(rows, out, kdir):
    """Let the kernel's compiler judge; its errors become problems."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    (out / 'rows.c').write_text('\n'.join(rows.lines) + '\n')
    (out / 'Kbuild').write_text(f'obj-m := rows.o\nccflags-y := -I'
                                f'{gate.ROOT}/include -fmax-errors=0\n')
    answer = gate.run('make', '-s', '-C', kdir, f'M={out}', 'rows.o')
    if answer.returncode == 0:
        return
    before = len(rows.problems)
    for match in re.finditer(r'rows\.c:(\d+):\d+: error: (.*)', answer.stderr):
        place = rows.where.get(int(match[1]), f'rows.c:{match[1]}')
        what = match[2]
        if 'assertion failed' in what:
            what = 'differs from the kernel\'s'
        problem = f'{place}: {what}'
        if problem not in rows.problems:
            rows.problems.append(problem)
    if len(rows.problems) == before:
        gate.fail('the assertions do not compile:', answer.stderr[-2000:])


def main():
    kernel = os.environ.get('KERNEL', 'stock')
    folder = gate.run('scripts/kernel.sh', kernel)
    if folder.returncode:
        gate.fail(folder.stderr.strip())
    rows = Rows()
    files = gate.tree(HEADERS)
    texts = {path: (gate.ROOT / path).read_text() for path in files}
    rows.lines += [f'#include <connectx/{os.path.basename(p)}>' for p in files]
    for path, text in texts.items():
        for table in (field_rows, struct_rows, enum_rows, segment_rows):
            table(path, text, rows)
    if '--self-test' in sys.argv:
        self_test(rows, folder.stdout.strip())
    compile_rows(rows, gate.BUILD / 'check' / 'prm',
                 folder.stdout.strip() + '/kdir')
    gate.verdict(rows.problems,
                 f'{len(rows.where)} facts of {len(files)} headers')


def self_test(rows, folder):
    """A wrong offset, width, member and enumerator must each be noticed."""
    bad = Rows()
    bad.lines = [line for line in rows.lines
                 if not line.startswith('_Static_assert')]
    text = ('/* ifc: qpc */\nCX_STRUCT(qpc, 0xe8);\n'
            'CX_FIELD(qpc, state, 0x1, 4);\nCX_FIELD(qpc, state, 0x0, 5);\n'
            'CX_FIELD(qpc, nonsense, 0x0, 4);\nCX_FIELD(qpc, state, 0x0, 4);\n'
            'enum cx_qp_st {\n\tCX_QP_ST_UC = 9,\n};\n')
    field_rows('planted.h', text, bad)
    bad.need('planted.h:8', 'value', 'CX_QP_ST_UC == (int)MLX5_QP_ST_RC')
    compile_rows(bad, gate.BUILD / 'check' / 'prm-self-test', folder + '/kdir')
    found = {p.split(':')[1] for p in bad.problems}
    want = {'3', '4', '5', '8'}
    problems = [] if found == want else [
        f'self-test: found lines {sorted(found)}, planted {sorted(want)}',
        *bad.problems]
    gate.verdict(problems, '4 planted errors')


main()
