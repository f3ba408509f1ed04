#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""The names that verbs-why prints are those of the kernel's user headers.

tools/verbs-why/tables.c is made from the enumerations of <rdma/...> in the
kernel's source: --write makes it anew, without it the file has to be what
would be written. Which method an enumeration of attributes belongs to, the
headers do not say; the table METHODS below does, and an enumeration that is
not in it is a problem.
"""
import re
import sys
from pathlib import Path

import gate

TABLES = gate.ROOT / 'tools' / 'verbs-why' / 'tables.c'
HEADERS = ('ib_user_verbs.h', 'ib_user_ioctl_cmds.h',
           'mlx5_user_ioctl_cmds.h')

OBJECTS = {'uverbs_default_objects': 'UVERBS_OBJECT_',
           'mlx5_ib_objects': 'MLX5_IB_OBJECT_'}

# enumeration of methods: its object, without a prefix
METHODS = {
    'uverbs_methods_device': 'DEVICE', 'uverbs_methods_qp': 'QP',
    'uverbs_methods_srq': 'SRQ', 'uverbs_methods_cq': 'CQ',
    'uverbs_methods_wq': 'WQ', 'uverbs_methods_dm': 'DM',
    'uverbs_methods_actions_flow_action_ops': 'FLOW_ACTION',
    'uverbs_methods_mr': 'MR', 'uverbs_methods_pd': 'PD',
    'uverbs_methods_actions_counters_ops': 'COUNTERS',
    'uverbs_methods_mw': 'MW', 'uverbs_methods_xrcd': 'XRCD',
    'uverbs_methods_ah': 'AH', 'uverbs_methods_flow': 'FLOW',
    'uverbs_methods_rwq_ind_tbl': 'RWQ_IND_TBL',
    'uverbs_method_async_event': 'ASYNC_EVENT',
    'mlx5_ib_dm_methods': 'DM', 'mlx5_ib_devx_methods': 'DEVX',
    'mlx5_ib_devx_obj_methods': 'DEVX_OBJ',
    'mlx5_ib_var_obj_methods': 'VAR', 'mlx5_ib_uar_obj_methods': 'UAR',
    'mlx5_ib_pp_obj_methods': 'PP', 'mlx5_ib_devx_umem_methods': 'DEVX_UMEM',
    'mlx5_ib_devx_async_cmd_fd_methods': 'DEVX_ASYNC_CMD_FD',
    'mlx5_ib_devx_async_event_fd_methods': 'DEVX_ASYNC_EVENT_FD',
    'mlx5_ib_flow_matcher_methods': 'FLOW_MATCHER',
    'mlx5_ib_steering_anchor_methods': 'STEERING_ANCHOR',
    'mlx5_ib_flow_methods': 'FLOW',
    'mlx5_ib_flow_action_methods': 'FLOW_ACTION',
    'mlx5_ib_pd_methods': 'PD', 'mlx5_ib_device_methods': 'DEVICE',
}

# enumeration of attributes: its method, without a prefix
ATTRS = {
    'uverbs_attrs_invoke_write_cmd_attr_ids': 'INVOKE_WRITE',
    'uverbs_attrs_query_port_cmd_attr_ids': 'QUERY_PORT',
    'uverbs_attrs_get_context_attr_ids': 'GET_CONTEXT',
    'uverbs_attrs_query_context_attr_ids': 'QUERY_CONTEXT',
    'uverbs_attrs_create_cq_cmd_attr_ids': 'CQ_CREATE',
    'uverbs_attrs_destroy_cq_cmd_attr_ids': 'CQ_DESTROY',
    'uverbs_attrs_create_flow_action_esp': 'FLOW_ACTION_ESP_CREATE',
    'uverbs_attrs_modify_flow_action_esp': 'FLOW_ACTION_ESP_MODIFY',
    'uverbs_attrs_destroy_flow_action_esp': 'FLOW_ACTION_DESTROY',
    'uverbs_attrs_create_qp_cmd_attr_ids': 'QP_CREATE',
    'uverbs_attrs_destroy_qp_cmd_attr_ids': 'QP_DESTROY',
    'uverbs_attrs_create_srq_cmd_attr_ids': 'SRQ_CREATE',
    'uverbs_attrs_destroy_srq_cmd_attr_ids': 'SRQ_DESTROY',
    'uverbs_attrs_create_wq_cmd_attr_ids': 'WQ_CREATE',
    'uverbs_attrs_destroy_wq_cmd_attr_ids': 'WQ_DESTROY',
    'uverbs_attrs_alloc_dm_cmd_attr_ids': 'DM_ALLOC',
    'uverbs_attrs_free_dm_cmd_attr_ids': 'DM_FREE',
    'uverbs_attrs_reg_dm_mr_cmd_attr_ids': 'DM_MR_REG',
    'uverbs_attrs_mr_destroy_ids': 'MR_DESTROY',
    'uverbs_attrs_advise_mr_cmd_attr_ids': 'ADVISE_MR',
    'uverbs_attrs_query_mr_cmd_attr_ids': 'QUERY_MR',
    'uverbs_attrs_reg_dmabuf_mr_cmd_attr_ids': 'REG_DMABUF_MR',
    'uverbs_attrs_create_counters_cmd_attr_ids': 'COUNTERS_CREATE',
    'uverbs_attrs_destroy_counters_cmd_attr_ids': 'COUNTERS_DESTROY',
    'uverbs_attrs_read_counters_cmd_attr_ids': 'COUNTERS_READ',
    'uverbs_attrs_info_handles_id': 'INFO_HANDLES',
    'uverbs_attrs_pd_destroy_ids': 'PD_DESTROY',
    'uverbs_attrs_mw_destroy_ids': 'MW_DESTROY',
    'uverbs_attrs_xrcd_destroy_ids': 'XRCD_DESTROY',
    'uverbs_attrs_ah_destroy_ids': 'AH_DESTROY',
    'uverbs_attrs_rwq_ind_tbl_destroy_ids': 'RWQ_IND_TBL_DESTROY',
    'uverbs_attrs_flow_destroy_ids': 'FLOW_DESTROY',
    'uverbs_attrs_async_event_create': 'ASYNC_EVENT_ALLOC',
    'uverbs_attrs_query_gid_table_cmd_attr_ids': 'QUERY_GID_TABLE',
    'uverbs_attrs_query_gid_entry_cmd_attr_ids': 'QUERY_GID_ENTRY',
    'mlx5_ib_device_query_context_attrs': 'QUERY_CONTEXT',
    'mlx5_ib_create_cq_attrs': 'CQ_CREATE',
    'mlx5_ib_reg_dmabuf_mr_attrs': 'REG_DMABUF_MR',
    'mlx5_ib_query_pd_attrs': 'PD_QUERY',
    'mlx5_ib_query_port_attrs': 'MLX5_QUERY_PORT',
    'mlx5_ib_uar_alloc_attrs': 'UAR_OBJ_ALLOC',
    'mlx5_ib_uar_obj_destroy_attrs': 'UAR_OBJ_DESTROY',
    'mlx5_ib_alloc_dm_attrs': 'DM_ALLOC',
    'mlx5_ib_dm_map_op_addr_attrs': 'DM_MAP_OP_ADDR',
    'mlx5_ib_query_dm_attrs': 'DM_QUERY',
}

# Enumerations that are not about calls, or of drivers' objects without rows.
OTHERS = re.compile(r'ib_(?!uverbs_write_cmds)\w*|mlx5_ib_(?:devx|var|pp|'
                    r'flow|create_flow|destroy_flow|steering|'
                    r'get_data)\w*')

ENUM = re.compile(r'^enum\s*(\w*)\s*\{(.*?)^\};', re.M | re.S)
ROW = re.compile(r'(\w+)\s*(?:=\s*([^,]+?))?\s*(?:,|$)')
DEFINE = re.compile(r'^#define\s+(\w+)\s+(\d+|0x[0-9a-fA-F]+)U?\s*$', re.M)
COMMENT = re.compile(r'/\*.*?\*/', re.S)


def value(text, known):
    """The value of a constant expression."""
    text = re.sub(r'\b(\d+|0x[0-9a-f]+)[UL]+\b', r'\1', text)
    return eval(text, {'__builtins__': {}}, known)


def enumerations(folder):
    """Yield (tag, {name: value}) of all enumerations, in order."""
    known = {}
    for header in HEADERS:
        text = COMMENT.sub(' ', (folder / header).read_text())
        known.update((name, int(number, 0))
                     for name, number in DEFINE.findall(text))
        for tag, body in ENUM.findall(text):
            rows, following = {}, 0
            for name, expression in ROW.findall(' '.join(body.split())):
                try:
                    rows[name] = value(expression, known) if expression \
                        else following
                except (NameError, SyntaxError):
                    break
                known[name] = rows[name]
                following = rows[name] + 1
            yield tag, rows


def short(name):
    """A name without what every name has."""
    return re.sub(r'^(?:UVERBS|MLX5_IB)_(?:OBJECT|METHOD|ATTR)_', '', name)


class Tables:
    """What tables.c holds."""

    def __init__(self, folder):
        self.problems = []
        self.objects, self.methods, self.attrs = {}, {}, []
        self.commands = {}
        found = list(enumerations(folder))
        for step in (self._objects, self._methods, self._attrs):
            for tag, rows in found:
                step(tag, rows)

    def _objects(self, tag, rows):
        if tag in OBJECTS:
            self.objects.update((short(n), v) for n, v in rows.items())
        for name, number in rows.items():
            command = re.match(r'IB_USER_VERBS_(EX_)?CMD_(.*)', name)
            if command and not command[2].endswith('THRESHOLD'):
                number |= 0x80000000 if command[1] else 0
                self.commands[number] = ('EX_' if command[1] else '') + \
                    command[2]

    def _methods(self, tag, rows):
        if tag not in METHODS:
            return
        number = self.objects[METHODS[tag]]
        for name, method in rows.items():
            key = short(name)
            if key in self.methods:
                key = 'MLX5_' + key
            self.methods[key] = (number, method)

    def _attrs(self, tag, rows):
        if not tag or tag in METHODS or tag in OBJECTS or OTHERS.match(tag) \
                and tag not in ATTRS or tag == 'ib_uverbs_write_cmds':
            return
        if tag not in ATTRS:
            self.problems.append(f'{Path(__file__).name}: enum {tag} belongs '
                                 'to no method')
            return
        self.attrs += [(*self.methods[ATTRS[tag]], number, short(name))
                       for name, number in rows.items()]

    def text(self):
        """tables.c"""
        out = ['// SPDX-License-Identifier: GPL-2.0-only',
               '/* Made by scripts/check-why-names.py --write from the '
               'kernel\'s headers. */', '#include "names.h"', '']

        def table(kind, name, rows):
            out.append(f'const struct {kind} {name}[] = {{')
            out.extend(f'\t{{ {row} }},' for row in rows)
            out.extend(('};', f'const unsigned int num_{name} = '
                        f'sizeof({name}) / sizeof({name}[0]);', ''))

        table('why_name', 'why_objects',
              (f'0x{v:x}, "{n}"' for n, v in self.objects.items()))
        table('why_name', 'why_commands',
              (f'0x{v:x}, "{n}"' for v, n in self.commands.items()))
        table('why_method', 'why_methods',
              (f'0x{o:x}, 0x{m:x}, "{n}"'
               for n, (o, m) in self.methods.items()))
        table('why_attr', 'why_attrs',
              (f'0x{o:x}, 0x{m:x}, 0x{a:x}, "{n}"'
               for o, m, a, n in sorted(self.attrs)))
        return '\n'.join(out[:-1]) + '\n'


def main():
    tables = Tables(gate.kernel_source() / 'include' / 'uapi' / 'rdma')
    if '--write' in sys.argv:
        TABLES.write_text(tables.text())
    problems = tables.problems
    if not TABLES.exists() or TABLES.read_text() != tables.text():
        problems.append(f'{TABLES.relative_to(gate.ROOT)}:1: not as the '
                        'headers have it; run: '
                        'scripts/check-why-names.py --write')
    gate.verdict(problems, f'{len(tables.methods)} methods, '
                           f'{len(tables.attrs)} attributes, '
                           f'{len(tables.commands)} commands')


main()
